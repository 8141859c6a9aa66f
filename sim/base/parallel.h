// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Work on many items in several threads. The calling thread works as well, so that nothing depends on whether another
// thread can be had: where a limit on processes, threads or memory allows none, everything is done, one item after the
// other.
#pragma once

#include <glib.h>

/** SmbParallelItem: works on item @item of @user, in any thread, at the same time as other items. */
typedef void (*SmbParallelItem)(gpointer user, guint item);

/** SmbParallel: items that threads are working on. */
typedef struct _SmbParallel SmbParallel;

/**
 * smb_parallel_run:
 * @n_items: how many there are
 * @n_threads: the most threads that work on them, the calling thread among them; 0 is as 1
 *
 * Works on items 0 to @n_items - 1, begun in that order, and returns once all are done.
 */
void smb_parallel_run(guint n_items, guint n_threads, SmbParallelItem run, gpointer user);

/**
 * smb_parallel_start: as smb_parallel_run(), by threads beside the calling one, which continues
 * @n_threads: the most threads beside the calling one
 *
 * Returns: (transfer full): to be given to smb_parallel_finish(); perhaps no item is begun before
 */
SmbParallel *smb_parallel_start(guint n_items, guint n_threads, SmbParallelItem run, gpointer user);

/**
 * smb_parallel_finish: Works on the items that no thread has begun, and returns once all are done; @parallel: (transfer
 * full) * (nullable)
 */
void smb_parallel_finish(SmbParallel *parallel);
