// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How far a long computation is. The library only counts; who shows it reads the counters from another thread, when it
// likes. Nothing waits for it, and a NULL progress costs nothing.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SmbProgress: all zeros at first. Read and written atomically.
 * @what: (transfer none): static: what is counted, in the plural ("blocks"); NULL: nothing is under way
 * @done: how many are done
 * @total: how many there are; 0: not known; %SMB_PROGRESS_UNCOUNTED: nothing is counted, @what is what is done
 *   ("compiling")
 * @bytes: how large what is written is; 0: nothing is
 */
typedef struct {
  const char *what;
  guint64 done;
  guint64 total;
  guint64 bytes;
} SmbProgress;

#define SMB_PROGRESS_UNCOUNTED G_MAXUINT64

/** Begins a task, in place of the one before; @what: %NULL: that one has ended; @progress: (nullable) */
void smb_progress_begin(SmbProgress *progress, const char *what, guint64 total);

/** @n more are done, in any thread; @progress: (nullable) */
void smb_progress_add(SmbProgress *progress, guint64 n);

/** Says how large what is written is by now, in any thread; @progress: (nullable) */
void smb_progress_set_bytes(SmbProgress *progress, guint64 bytes);

/** smb_progress_read: Returns: a copy, of one moment as far as that matters to a reader */
SmbProgress smb_progress_read(const SmbProgress *progress);

G_END_DECLS
