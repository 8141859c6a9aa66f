// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is recorded of an application, whichever of its processes says it: the file, which kernels are wanted, how much there
// may be of it, and how many launches were seen.
#pragma once

#include "sim/base/progress.h"
#include "sim/capture/writer.h"

/**
 * SmbRecorderOptions:
 * @path: the file
 * @command: (array zero-terminated=1): the application
 * @kernel: (nullable): which kernels are wanted: matches a part of their names, mangled or demangled; %NULL: all
 * @memory_bytes: most memory of a launch
 * @file_bytes: the file ends with the launch that makes it larger
 * @seconds: how long is recorded; 0: to the end
 * @progress: (nullable): told how many launches there are, and how large the file is
 */
typedef struct {
  const char *path;
  const char *const *command;
  GRegex *kernel;
  guint64 memory_bytes;
  guint64 file_bytes;
  guint seconds;
  SmbProgress *progress;
} SmbRecorderOptions;

typedef struct _SmbRecorder SmbRecorder;

SmbRecorder *smb_recorder_new(const SmbRecorderOptions *options, GError **error);

/** Frees it; a file without a launch is removed, and one that was there before stays. */
void smb_recorder_free(SmbRecorder *recorder);

/** Whether a kernel is wanted. */
gboolean smb_recorder_wants(const SmbRecorder *recorder, const char *symbol);

/** Whether nothing more is recorded: a limit was reached, or the file could not be written. */
gboolean smb_recorder_is_full(const SmbRecorder *recorder);

/** Seconds since it began. */
double smb_recorder_time(const SmbRecorder *recorder);

/**
 * smb_recorder_memory: stores memory, which is zeros or has a hash.
 *
 * Returns: (transfer full) (nullable): the hash; %NULL of zeros, and if it could not be written
 */
char *smb_recorder_memory(SmbRecorder *recorder, const guchar *bytes, gsize length);

/** Stores a launch of a kernel in @image; its number, and that of the image, are set. */
void smb_recorder_launch(SmbRecorder *recorder, SmbCaptureLaunch *launch, GBytes *image);

/** Launches of a kernel that one more process has seen. */
void smb_recorder_count(SmbRecorder *recorder, const char *symbol, guint64 launches);

/** A launch that is lost, of a kernel or of what @symbol says in words, and why: (transfer none), in words that follow "was not
 * recorded: ". */
void smb_recorder_lose(SmbRecorder *recorder, const char *symbol, const char *why);

/**
 * smb_recorder_finish:
 * @status: how the application ended, in words
 * @summary: (out) (transfer full): what was recorded, and what was not, lines
 * @error: SMB_ERROR_INPUT or a file error: nothing was recorded, or the file could not be written
 */
gboolean smb_recorder_finish(SmbRecorder *recorder, const char *status, char **summary,
                             GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRecorder, smb_recorder_free)
