// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/machine/device/children.h"

#include <string.h>

#include "sim/machine/device/runtime.h"

enum {
  PARAMETER_ALIGN = 256, // no parameter needs more
  HANDLE_STEP = 16,
};

// No memory lies there, nor code: handles of streams and events.
#define FIRST_HANDLE G_GUINT64_CONSTANT(0x7000000000)

// Memory for the parameters of a launch.
typedef struct {
  guint64 piece; // of the heap
  guint64 bytes;
  SmbWork work;
} Reserved;

struct _SmbChildren {
  guint64 address;
  guchar *memory;
  SmbHeap *heap;
  SmbAsk ask;
  gpointer user;
  GHashTable *reserved; // address to Reserved
  GHashTable *texts;    // number to address
  GHashTable *errors;   // thread to error
  GHashTable *handles;  // to SmbChildHandle
  guint64 next_handle;
  GArray *work; // SmbWork
  guint64 n_tails, most_tails;
};

static void
clear_work(gpointer work) {
  g_clear_pointer(&((SmbWork *)work)->parameters, g_bytes_unref);
}

static GArray *
new_work(void) {
  GArray *work = g_array_new(FALSE, FALSE, sizeof(SmbWork));
  g_array_set_clear_func(work, clear_work);
  return work;
}

SmbChildren *
smb_children_new(guint64 address, guchar *memory, guint64 bytes, SmbAsk ask, gpointer user) {
  SmbChildren *children = g_new0(SmbChildren, 1);
  *children =
      (SmbChildren){.address = address,
                    .memory = memory,
                    .heap = smb_heap_new(address, bytes),
                    .ask = ask,
                    .user = user,
                    .reserved = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
                    .texts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
                    .errors = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                    .handles = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                    .next_handle = FIRST_HANDLE,
                    .work = new_work()};
  return children;
}

void
smb_children_free(SmbChildren *children) {
  if (!children)
    return;
  g_hash_table_unref(children->reserved);
  g_hash_table_unref(children->texts);
  g_hash_table_unref(children->errors);
  g_hash_table_unref(children->handles);
  g_array_unref(children->work);
  smb_heap_free(children->heap);
  g_free(children);
}

static gboolean
give_back(gpointer address, gpointer reserved, gpointer heap) {
  (void)address;
  smb_heap_give(heap, ((Reserved *)reserved)->piece);
  return TRUE;
}

void
smb_children_begin(SmbChildren *children) {
  g_hash_table_foreach_remove(children->reserved, give_back, children->heap);
  g_hash_table_remove_all(children->errors);
  g_hash_table_remove_all(children->handles);
  g_array_set_size(children->work, 0);
  children->n_tails = children->most_tails = 0;
}

GArray *
smb_children_take_work(SmbChildren *children) {
  GArray *work = children->work;
  children->work = new_work();
  return work;
}

guint
smb_children_ask(const SmbChildren *children, const SmbQuestion *question, GByteArray *answer) {
  return children->ask(children->user, question, answer);
}

void
smb_children_add(SmbChildren *children, const SmbWork *work) {
  g_array_append_vals(children->work, work, 1);
  children->n_tails += work->is_tail;
}

guint64
smb_children_n_tails(const SmbChildren *children) {
  return children->n_tails;
}

void
smb_children_set_most_tails(SmbChildren *children, guint64 most) {
  children->most_tails = most;
}

guint64
smb_children_most_tails(const SmbChildren *children) {
  return children->most_tails;
}

// --- memory for parameters

guint64
smb_children_reserve(SmbChildren *children, const SmbWork *work, guint64 bytes) {
  guint64 piece = bytes < G_MAXUINT32 ? smb_heap_take(children->heap, bytes + PARAMETER_ALIGN) : 0;
  guint64 address = (piece + PARAMETER_ALIGN - 1) / PARAMETER_ALIGN * PARAMETER_ALIGN;
  if (!piece)
    return 0;
  Reserved *reserved = g_new0(Reserved, 1);
  *reserved = (Reserved){.piece = piece, .bytes = bytes};
  if (work)
    reserved->work = *work;
  g_hash_table_insert(children->reserved, g_memdup2(&address, sizeof address), reserved);
  memset(children->memory + (address - children->address), 0, bytes);
  return address;
}

gboolean
smb_children_use(SmbChildren *children, guint64 address, SmbWork *work, guint64 *bytes) {
  const Reserved *reserved = g_hash_table_lookup(children->reserved, &address);
  if (!reserved)
    return FALSE;
  *work = reserved->work;
  *bytes = reserved->bytes;
  smb_heap_give(children->heap, reserved->piece);
  g_hash_table_remove(children->reserved, &address);
  return TRUE;
}

guint64
smb_children_find_text(const SmbChildren *children, guint64 number) {
  const guint64 *known = g_hash_table_lookup(children->texts, &number);
  return known ? *known : 0;
}

guint64
smb_children_text(SmbChildren *children, guint64 number, const char *text) {
  gsize bytes = strlen(text) + 1;
  guint64 address = smb_heap_take(children->heap, bytes);
  if (!address)
    return 0;
  memcpy(children->memory + (address - children->address), text, bytes);
  g_hash_table_insert(children->texts, g_memdup2(&number, sizeof number),
                      g_memdup2(&address, sizeof address));
  return address;
}

// --- streams and events

guint64
smb_children_make(SmbChildren *children, SmbChildHandle kind) {
  guint64 handle = children->next_handle;
  children->next_handle += HANDLE_STEP;
  g_hash_table_insert(children->handles, g_memdup2(&handle, sizeof handle), GINT_TO_POINTER(kind));
  return handle;
}

gboolean
smb_children_has(const SmbChildren *children, SmbChildHandle kind, guint64 handle) {
  gpointer found;
  return g_hash_table_lookup_extended(children->handles, &handle, NULL, &found) &&
         GPOINTER_TO_INT(found) == (gint)kind;
}

// --- errors

void
smb_children_set_error(SmbChildren *children, guint64 thread, guint error) {
  if (error)
    g_hash_table_insert(children->errors, g_memdup2(&thread, sizeof thread),
                        GUINT_TO_POINTER(error));
  else
    g_hash_table_remove(children->errors, &thread);
}

guint
smb_children_error(const SmbChildren *children, guint64 thread) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(children->errors, &thread));
}
