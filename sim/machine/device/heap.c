// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The heap of a device's malloc: a piece is what was freed of that size, or is cut from what was never taken; only when there is no
// more of either are free pieces that touch each other joined. What is in use, and what is free, is kept beside the memory, which a
// kernel can write over.
#include <string.h>

#include "sim/machine/device/runtime.h"

enum {
  HEAP_ALIGN = 16,
  HEAP_HEAD = 16, // of each piece, ahead of it: as a device's heap has less room than its size
};

typedef struct {
  guint64 address; // of its head
  guint64 bytes;   // with its head
} Extent;

struct _SmbHeap {
  GMutex lock;
  guint64 next, end; // what was never taken
  GHashTable *used;  // address of the head to its bytes
  GHashTable *asked; // the same to the bytes that were asked for
  guint64 start;
  GHashTable *unused; // bytes to a GArray of addresses of heads
};

static void
free_addresses(gpointer addresses) {
  g_array_unref(addresses);
}

SmbHeap *
smb_heap_new(guint64 address, guint64 bytes) {
  SmbHeap *heap = g_new0(SmbHeap, 1);
  heap->next = heap->start = address;
  heap->asked = g_hash_table_new(NULL, NULL);
  heap->end = address + bytes;
  heap->used = g_hash_table_new(NULL, NULL);
  heap->unused = g_hash_table_new_full(NULL, NULL, NULL, free_addresses);
  g_mutex_init(&heap->lock);
  return heap;
}

void
smb_heap_free(SmbHeap *heap) {
  if (!heap)
    return;
  g_hash_table_unref(heap->used);
  g_hash_table_unref(heap->asked);
  g_hash_table_unref(heap->unused);
  g_mutex_clear(&heap->lock);
  g_free(heap);
}

static void
add_unused(SmbHeap *heap, guint64 address, guint64 bytes) {
  GArray *addresses = g_hash_table_lookup(heap->unused, GSIZE_TO_POINTER(bytes));
  if (!addresses) {
    addresses = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_hash_table_insert(heap->unused, GSIZE_TO_POINTER(bytes), addresses);
  }
  g_array_append_val(addresses, address);
}

// The address of a free piece of just that size; 0: there is none.
static guint64
take_unused(SmbHeap *heap, guint64 bytes) {
  GArray *addresses = g_hash_table_lookup(heap->unused, GSIZE_TO_POINTER(bytes));
  if (!addresses)
    return 0;
  guint64 address = g_array_index(addresses, guint64, addresses->len - 1);
  g_array_set_size(addresses, addresses->len - 1);
  if (addresses->len == 0)
    g_hash_table_remove(heap->unused, GSIZE_TO_POINTER(bytes));
  return address;
}

static guint64
take_new(SmbHeap *heap, guint64 bytes) {
  guint64 address = heap->next;
  if (bytes > heap->end - heap->next)
    return 0;
  heap->next += bytes;
  return address;
}

static gint
compare_extents(gconstpointer a, gconstpointer b) {
  const Extent *one = a, *other = b;
  return (one->address > other->address) - (one->address < other->address);
}

// Free pieces that touch become one; the last may become what was never taken.
static void
join_unused(SmbHeap *heap) {
  g_autoptr(GArray) extents = g_array_new(FALSE, FALSE, sizeof(Extent));
  GHashTableIter iter;
  gpointer bytes, value;
  g_hash_table_iter_init(&iter, heap->unused);
  while (g_hash_table_iter_next(&iter, &bytes, &value)) {
    const GArray *addresses = value;
    for (guint i = 0; i < addresses->len; i++) {
      const Extent extent = {g_array_index(addresses, guint64, i), GPOINTER_TO_SIZE(bytes)};
      g_array_append_val(extents, extent);
    }
  }
  g_hash_table_remove_all(heap->unused);
  g_array_sort(extents, compare_extents);
  for (guint i = 0; i < extents->len;) {
    Extent joined = g_array_index(extents, Extent, i);
    while (++i < extents->len &&
           g_array_index(extents, Extent, i).address == joined.address + joined.bytes)
      joined.bytes += g_array_index(extents, Extent, i).bytes;
    if (joined.address + joined.bytes == heap->next)
      heap->next = joined.address;
    else
      add_unused(heap, joined.address, joined.bytes);
  }
}

// Cuts a piece from the smallest free one that has room; 0: none has.
static guint64
split_unused(SmbHeap *heap, guint64 bytes) {
  GHashTableIter iter;
  gpointer key;
  guint64 best = G_MAXUINT64;
  g_hash_table_iter_init(&iter, heap->unused);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    if (GPOINTER_TO_SIZE(key) >= bytes)
      best = MIN(best, GPOINTER_TO_SIZE(key));
  }
  if (best == G_MAXUINT64)
    return 0;
  guint64 address = take_unused(heap, best);
  if (best > bytes)
    add_unused(heap, address + bytes, best - bytes);
  return address;
}

guint64
smb_heap_take(SmbHeap *heap, guint64 bytes) {
  guint64 size = (MAX(bytes, 1) + HEAP_HEAD + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN;
  if (bytes > G_MAXINT64)
    return 0;
  g_mutex_lock(&heap->lock);
  guint64 address = take_unused(heap, size);
  if (!address)
    address = take_new(heap, size);
  if (!address) {
    join_unused(heap);
    address = take_new(heap, size);
  }
  if (!address)
    address = split_unused(heap, size);
  if (address) {
    g_hash_table_insert(heap->used, GSIZE_TO_POINTER(address), GSIZE_TO_POINTER(size));
    g_hash_table_insert(heap->asked, GSIZE_TO_POINTER(address), GSIZE_TO_POINTER(bytes));
  }
  g_mutex_unlock(&heap->lock);
  return address ? address + HEAP_HEAD : 0;
}

gboolean
smb_heap_give(SmbHeap *heap, guint64 address) {
  gpointer head = GSIZE_TO_POINTER(address - HEAP_HEAD), bytes;
  if (address == 0)
    return TRUE;
  g_mutex_lock(&heap->lock);
  gboolean is_used = g_hash_table_lookup_extended(heap->used, head, NULL, &bytes);
  if (is_used) {
    g_hash_table_remove(heap->used, head);
    add_unused(heap, address - HEAP_HEAD, GPOINTER_TO_SIZE(bytes));
  }
  g_mutex_unlock(&heap->lock);
  return is_used;
}

guint64
smb_heap_left(SmbHeap *heap, guint64 *address) {
  GHashTableIter iter;
  gpointer head;
  guint64 bytes = 0;
  *address = G_MAXUINT64;
  g_mutex_lock(&heap->lock);
  g_hash_table_iter_init(&iter, heap->used);
  while (g_hash_table_iter_next(&iter, &head, NULL)) {
    bytes += GPOINTER_TO_SIZE(g_hash_table_lookup(heap->asked, head));
    *address = MIN(*address, GPOINTER_TO_SIZE(head) + HEAP_HEAD);
  }
  g_mutex_unlock(&heap->lock);
  return bytes;
}

SmbHeapPlace
smb_heap_find(SmbHeap *heap, guint64 address, guint64 bytes) {
  enum {
    MAX_HEADS =
        1
        << 16, // that are looked for below an address: what lies in a longer piece is taken to be in it
  };
  SmbHeapPlace place = SMB_HEAP_FREE;
  if (address < heap->start || address >= heap->end)
    return SMB_HEAP_ELSEWHERE;
  g_mutex_lock(&heap->lock);
  guint64 head = address / HEAP_ALIGN * HEAP_ALIGN;
  for (guint i = 0; i <= MAX_HEADS && head >= heap->start; i++, head -= HEAP_ALIGN) {
    gpointer asked;
    gboolean is_head =
        g_hash_table_contains(heap->used, GSIZE_TO_POINTER(head)) &&
        g_hash_table_lookup_extended(heap->asked, GSIZE_TO_POINTER(head), NULL, &asked);
    if (!is_head && i < MAX_HEADS)
      continue;
    guint64 first = head + HEAP_HEAD;
    gboolean is_in = !is_head || (address >= first && bytes <= GPOINTER_TO_SIZE(asked) &&
                                  address - first <= GPOINTER_TO_SIZE(asked) - bytes);
    place = is_in ? SMB_HEAP_USED : SMB_HEAP_FREE;
    break;
  }
  g_mutex_unlock(&heap->lock);
  return place;
}
