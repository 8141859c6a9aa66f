// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Processes of this very program, several at a time, and what each writes. They end when it does.
#pragma once

#include <json-glib/json-glib.h>

/**
 * SmbChild: a process that has ended.
 * @command: that it ran (transfer none)
 * @status: as of waitpid(); -1: it could not be started, and @err says why
 * @out: what it wrote to standard output
 * @err: what it wrote to standard error
 * @read: the files that it read
 */
typedef struct {
  const char *command;
  int status;
  GString *out;
  GString *err;
  GStrv read;
} SmbChild;

/** For SmbChildLine.after: it waits for none. */
#define SMB_CHILD_NONE G_MAXUINT

/**
 * SmbChildLine: what a process is started with.
 * @words: from the command on
 * @folder: (nullable): in which; %NULL: in this one
 * @after: index of the line, before this one, whose process is to have ended, or SMB_CHILD_NONE
 */
typedef struct {
  GStrv words;
  char *folder;
  guint after;
} SmbChildLine;

/** smb_child_line_new: @words: (transfer full). Returns: (transfer full) */
SmbChildLine *smb_child_line_new(GStrv words, const char *folder);
void smb_child_line_free(SmbChildLine *line);

/** SmbChildEnded: called for each process as it ends, in any order; @child lives as long as the call */
typedef void (*SmbChildEnded)(guint index, const SmbChild *child, gpointer data);

/**
 * smb_children_run:
 * @lines: (element-type SmbChildLine)
 * @jobs: how many run at a time, 1 at least
 * @environment: (nullable) (array zero-terminated=1): theirs; %NULL: that of this process
 *
 * Runs them all.
 */
void smb_children_run(const GPtrArray *lines, guint jobs, GStrv environment, SmbChildEnded ended,
                      gpointer data);

/** SmbChildPool: processes that are asked for one after the other, while others run. */
typedef struct _SmbChildPool SmbChildPool;

/** smb_child_pool_new: @jobs, @environment, @ended: as of smb_children_run(). Returns: (transfer full): none yet */
SmbChildPool *smb_child_pool_new(guint jobs, GStrv environment, SmbChildEnded ended, gpointer data);

/** smb_child_pool_free: Kills those that still run; nothing is said of them. */
void smb_child_pool_free(SmbChildPool *children);

/** smb_child_pool_add: @line: (transfer full). Returns: the index of a process that is started when there is a place for it */
guint smb_child_pool_add(SmbChildPool *children, SmbChildLine *line);

/** smb_child_pool_stop: Kills a process, or never starts it; nothing is said of it. One that has ended is left alone. */
void smb_child_pool_stop(SmbChildPool *children, guint index);

/**
 * smb_child_pool_wait:
 * @input: a file descriptor to wait for, too; -1: none
 * @milliseconds: how long, at most; -1: as long as it takes
 *
 * Starts what can be started, waits until a process has written or ended, there is something to read from @input, or the time is over,
 * and says which processes have ended.
 *
 * Returns: whether there is something to read from @input, its end included
 */
gboolean smb_child_pool_wait(SmbChildPool *children, int input, int milliseconds);

/** Whether a process has ended as commands do that have a result. */
gboolean smb_child_has_result(const SmbChild *child);

/** smb_child_json: Returns: (transfer full) (nullable): the document that it wrote; %NULL: it has no result, or that is no JSON */
JsonNode *smb_child_json(const SmbChild *child);

/** smb_child_messages: Returns: (transfer full): the lines that it wrote to standard error, without the name of the command */
GStrv smb_child_messages(const SmbChild *child);

/** smb_child_describe_end: Returns: (transfer full): why it has no result */
char *smb_child_describe_end(const SmbChild *child);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbChildPool, smb_child_pool_free)
