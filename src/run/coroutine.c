// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/coroutine.h"

// @inside: it is the turn of its thread
struct _SmbCoroutine {
  GMutex lock;
  GCond changed;
  GThread *thread; // (nullable)
  gboolean inside;
  gboolean leaves;            // the thread has to end
  void (*run)(gpointer user); // NULL: it has ended
  gpointer user;
};

SmbCoroutine *
smb_coroutine_new(void) {
  SmbCoroutine *coroutine = g_new0(SmbCoroutine, 1);
  g_mutex_init(&coroutine->lock);
  g_cond_init(&coroutine->changed);
  return coroutine;
}

// Gives the turn to the other side, and waits until it is back. With the lock held.
static void
swap_turns(SmbCoroutine *coroutine, gboolean inside) {
  coroutine->inside = inside;
  g_cond_signal(&coroutine->changed);
  while (coroutine->inside == inside)
    g_cond_wait(&coroutine->changed, &coroutine->lock);
}

static gpointer
run_coroutines(gpointer user) {
  SmbCoroutine *coroutine = user;
  g_mutex_lock(&coroutine->lock);
  while (!coroutine->inside)
    g_cond_wait(&coroutine->changed, &coroutine->lock);
  while (!coroutine->leaves) {
    g_mutex_unlock(&coroutine->lock);
    coroutine->run(coroutine->user);
    g_mutex_lock(&coroutine->lock);
    coroutine->run = NULL;
    swap_turns(coroutine, FALSE);
  }
  g_mutex_unlock(&coroutine->lock);
  return NULL;
}

void
smb_coroutine_free(SmbCoroutine *coroutine) {
  if (!coroutine)
    return;
  if (coroutine->thread) {
    g_mutex_lock(&coroutine->lock);
    coroutine->leaves = coroutine->inside = TRUE;
    g_cond_signal(&coroutine->changed);
    g_mutex_unlock(&coroutine->lock);
    g_thread_join(coroutine->thread);
  }
  g_mutex_clear(&coroutine->lock);
  g_cond_clear(&coroutine->changed);
  g_free(coroutine);
}

gboolean
smb_coroutine_start(SmbCoroutine *coroutine, void (*run)(gpointer user), gpointer user) {
  coroutine->run = run;
  coroutine->user = user;
  if (!coroutine->thread)
    coroutine->thread = g_thread_try_new("coroutine", run_coroutines, coroutine, NULL);
  if (coroutine->thread)
    return smb_coroutine_continue(coroutine);
  run(user);
  coroutine->run = NULL;
  return TRUE;
}

gboolean
smb_coroutine_continue(SmbCoroutine *coroutine) {
  g_mutex_lock(&coroutine->lock);
  swap_turns(coroutine, TRUE);
  gboolean has_ended = !coroutine->run;
  g_mutex_unlock(&coroutine->lock);
  return has_ended;
}

gboolean
smb_coroutine_stop(SmbCoroutine *coroutine) {
  if (!coroutine->thread)
    return FALSE;
  g_mutex_lock(&coroutine->lock);
  swap_turns(coroutine, FALSE);
  g_mutex_unlock(&coroutine->lock);
  return TRUE;
}
