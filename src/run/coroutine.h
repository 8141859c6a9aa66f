// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A function that can stop in the middle, and be continued later: it has a thread of its own, and either that runs or the one that
// continues it, never both.
#pragma once

#include <glib.h>

typedef struct _SmbCoroutine SmbCoroutine;

/** smb_coroutine_new: Returns: (transfer full): one that runs nothing; its thread begins with the first function */
SmbCoroutine *smb_coroutine_new(void);

/** smb_coroutine_free: @coroutine: (transfer full) (nullable): runs nothing */
void smb_coroutine_free(SmbCoroutine *coroutine);

/**
 * smb_coroutine_start: Runs @run with @user until it ends or stops. One that runs nothing. Where there can be no thread, the calling one
 * runs it to its end.
 *
 * Returns: whether it has ended
 */
gboolean smb_coroutine_start(SmbCoroutine *coroutine, void (*run)(gpointer user), gpointer user);

/** smb_coroutine_continue: Continues a function that has stopped. Returns: whether it has ended */
gboolean smb_coroutine_continue(SmbCoroutine *coroutine);

/** smb_coroutine_stop: Of the function that runs: returns when it is continued. Returns: whether it could stop: not without a thread of its own */
gboolean smb_coroutine_stop(SmbCoroutine *coroutine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCoroutine, smb_coroutine_free)
