// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A counter of work done, which another thread may watch.
#include "sim/base/progress.h"

void
smb_progress_begin(SmbProgress *progress, const char *what, guint64 total) {
  if (!progress)
    return;
  __atomic_store_n(&progress->what, NULL, __ATOMIC_SEQ_CST);
  __atomic_store_n(&progress->done, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&progress->total, total, __ATOMIC_SEQ_CST);
  __atomic_store_n(&progress->bytes, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&progress->what, what, __ATOMIC_SEQ_CST);
}

void
smb_progress_add(SmbProgress *progress, guint64 n) {
  if (progress)
    __atomic_add_fetch(&progress->done, n, __ATOMIC_RELAXED);
}

void
smb_progress_set_bytes(SmbProgress *progress, guint64 bytes) {
  if (progress)
    __atomic_store_n(&progress->bytes, bytes, __ATOMIC_RELAXED);
}

SmbProgress
smb_progress_read(const SmbProgress *progress) {
  return (SmbProgress){__atomic_load_n(&progress->what, __ATOMIC_SEQ_CST),
                       __atomic_load_n(&progress->done, __ATOMIC_SEQ_CST),
                       __atomic_load_n(&progress->total, __ATOMIC_SEQ_CST),
                       __atomic_load_n(&progress->bytes, __ATOMIC_RELAXED)};
}
