// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/machine/device/runtime.h"

struct _SmbRuntime {
  SmbHeap *heap;
  GMutex lock;
  GString *output, *complaints;
  SmbFault fault;
  char *message;
  guint approximated; // atomic: SmbApproximate
  SmbChildren *children;
  guint64 graph;
  SmbOutsider outsider;
  gpointer outsider_user;
  guint64 ticks;
  guint64 ticks_beside; // that blocks reached which run beside each other
};

SmbRuntime *
smb_runtime_new(SmbHeap *heap) {
  SmbRuntime *runtime = g_new0(SmbRuntime, 1);
  runtime->heap = heap;
  runtime->output = g_string_new(NULL);
  runtime->complaints = g_string_new(NULL);
  g_mutex_init(&runtime->lock);
  return runtime;
}

void
smb_runtime_free(SmbRuntime *runtime) {
  if (!runtime)
    return;
  g_string_free(runtime->output, TRUE);
  g_string_free(runtime->complaints, TRUE);
  g_free(runtime->message);
  g_mutex_clear(&runtime->lock);
  g_free(runtime);
}

void
smb_runtime_set_children(SmbRuntime *runtime, SmbChildren *children) {
  runtime->children = children;
}

void
smb_runtime_set_outsider(SmbRuntime *runtime, SmbOutsider outsider, gpointer user) {
  runtime->outsider = outsider;
  runtime->outsider_user = user;
}

gboolean
smb_runtime_has_outsider(const SmbRuntime *runtime) {
  return runtime && runtime->outsider;
}

gboolean
smb_runtime_wait(const SmbRuntime *runtime, gboolean moved) {
  return smb_runtime_has_outsider(runtime) && runtime->outsider(runtime->outsider_user, moved);
}

SmbChildren *
smb_runtime_children(const SmbRuntime *runtime) {
  return runtime->children;
}

void
smb_runtime_set_graph(SmbRuntime *runtime, guint64 graph) {
  runtime->graph = graph;
}

guint64
smb_runtime_graph(const SmbRuntime *runtime) {
  return runtime->graph;
}

SmbHeap *
smb_runtime_heap(const SmbRuntime *runtime) {
  return runtime->heap;
}

void
smb_runtime_print(SmbRuntime *runtime, const char *text, gsize length) {
  g_mutex_lock(&runtime->lock);
  g_string_append_len(runtime->output, text, (gssize)length);
  g_mutex_unlock(&runtime->lock);
}

void
smb_runtime_complain(SmbRuntime *runtime, const char *text) {
  g_mutex_lock(&runtime->lock);
  g_string_append(runtime->complaints, text);
  g_mutex_unlock(&runtime->lock);
}

const GString *
smb_runtime_output(const SmbRuntime *runtime) {
  return runtime->output;
}

const GString *
smb_runtime_complaints(const SmbRuntime *runtime) {
  return runtime->complaints;
}

void
smb_runtime_fail(SmbRuntime *runtime, SmbFault fault, const char *message) {
  g_mutex_lock(&runtime->lock);
  if (runtime->fault == SMB_FAULT_NONE) {
    runtime->fault = fault;
    runtime->message = g_strdup(message);
  }
  g_mutex_unlock(&runtime->lock);
}

SmbFault
smb_runtime_fault(const SmbRuntime *runtime, const char **message) {
  if (message)
    *message = runtime->message;
  return runtime->fault;
}

void
smb_runtime_approximate(SmbRuntime *runtime, SmbApproximate what) {
  if (!(g_atomic_int_get(&runtime->approximated) & what))
    g_atomic_int_or(&runtime->approximated, what);
}

guint
smb_runtime_approximated(const SmbRuntime *runtime) {
  return g_atomic_int_get(&runtime->approximated);
}

guint64
smb_runtime_time(SmbRuntime *runtime) {
  g_mutex_lock(&runtime->lock);
  guint64 ticks = runtime->ticks;
  g_mutex_unlock(&runtime->lock);
  return ticks;
}

void
smb_runtime_reach(SmbRuntime *runtime, guint64 ticks, gboolean beside) {
  g_mutex_lock(&runtime->lock);
  guint64 *clock = beside ? &runtime->ticks_beside : &runtime->ticks;
  *clock = MAX(*clock, ticks);
  g_mutex_unlock(&runtime->lock);
}

void
smb_runtime_settle(SmbRuntime *runtime, gboolean counts) {
  if (counts)
    smb_runtime_reach(runtime, runtime->ticks_beside, FALSE);
  runtime->ticks_beside = 0;
}
