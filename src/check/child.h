// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Processes of this very program, several at a time, and what each writes. They end when it does.
#pragma once

#include <glib.h>

/**
 * SmbChild: a process that has ended.
 * @status: as of waitpid(); -1: it could not be started, and @err says why
 * @out: what it wrote to standard output
 * @err: what it wrote to standard error
 */
typedef struct {
  int status;
  GString *out;
  GString *err;
} SmbChild;

/**
 * smb_children_run:
 * @lines: (element-type GStrv): the words of each command line, from the command on
 * @jobs: how many run at a time, 1 at least
 * @ended: called for each as it ends, in any order; @child lives as long as the call
 */
void smb_children_run(const GPtrArray *lines, guint jobs,
                      void (*ended)(guint index, const SmbChild *child, gpointer data),
                      gpointer data);
