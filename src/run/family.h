// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A launch of a program, and what its kernels launch (CUDA dynamic parallelism): what a grid has asked for is done when it has ended, in
// the order of the calls, each launch with all that it launches itself; what is in the stream of tail launches comes last. That is one of
// the orders that a device may take.
#pragma once

#include "src/run/engine.h"

/** SmbFamilyRun: @work: (out) (transfer full) (nullable) (element-type SmbWork): what the grid has asked for. Returns: whether the next
 * one may run */
typedef gboolean (*SmbFamilyRun)(gpointer user, SmbCaptureLaunch *launch, GArray **work);

/** SmbFamilyFail: a copy or a fill was not possible: @why, in words */
typedef void (*SmbFamilyFail)(gpointer user, const char *why);

/**
 * SmbFamily:
 * @fd: the connection to the process, which answers questions
 * @engine: that runs its kernels
 * @module: the number of the module that all kernels are in
 * @run, @fail: with @user
 */
typedef struct {
  int fd;
  SmbEngine *engine;
  guint64 module;
  SmbFamilyRun run;
  SmbFamilyFail fail;
  gpointer user;
} SmbFamily;

/** smb_family_run: Runs @first, and all that follows from it. */
void smb_family_run(SmbFamily *family, SmbCaptureLaunch *first);
