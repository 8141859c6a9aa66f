// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/memory.h"

static const SmbMemoryPiece *
get_piece(const SmbLaunch *launch, guint index) {
  return &g_array_index(launch->memory, SmbMemoryPiece, index);
}

// Whether a piece goes on where the one before it ends, in the same allocation.
static gboolean
continues_range(const SmbLaunch *launch, guint index) {
  const SmbMemoryPiece *piece = get_piece(launch, index), *before = get_piece(launch, index - 1);
  return !piece->begins && !piece->variable && before->address + before->bytes == piece->address;
}

// What pieces hold, one after the other.
static GBytes *
join_ranges(const SmbLaunch *launch, guint first, guint end) {
  const SmbMemoryPiece *last = get_piece(launch, end - 1);
  guint64 start = get_piece(launch, first)->address;
  gsize length = (gsize)(last->address + last->bytes - start);
  guchar *bytes = g_malloc0(length);
  for (guint i = first; i < end; i++) {
    const SmbMemoryPiece *piece = get_piece(launch, i);
    if (piece->contents.fill == SMB_FILL_BYTES)
      smb_contents_read(&piece->contents, 0, bytes + (piece->address - start), piece->bytes);
  }
  return g_bytes_new_take(bytes, length);
}

// A variable holds what the launch says of its name; of one that was not recorded nothing is said: it keeps what its image has.
static GBytes *
find_memory_variable(const SmbLaunch *launch, const SmbMemoryPiece *piece) {
  const SmbBuffer *buffer = smb_launch_buffer(launch, piece->variable, G_MAXUINT);
  const SmbContents *contents = buffer ? &buffer->contents : &piece->contents;
  if (contents->fill == SMB_FILL_UNKNOWN)
    return g_bytes_new(NULL, 0);
  guchar *bytes = g_malloc0(piece->bytes);
  smb_contents_read(contents, 0, bytes, piece->bytes);
  return g_bytes_new_take(bytes, piece->bytes);
}

static void
clear_device_memory(gpointer data) {
  g_bytes_unref(((SmbMeterMemory *)data)->bytes);
}

GArray *
smb_measure_memory(const SmbLaunch *launch) {
  if (!launch->memory)
    return NULL;
  GArray *memory = g_array_new(FALSE, FALSE, sizeof(SmbMeterMemory));
  g_array_set_clear_func(memory, clear_device_memory);
  for (guint i = 0, end; i < launch->memory->len; i = end) {
    const SmbMemoryPiece *piece = get_piece(launch, i);
    SmbMeterMemory added = {.address = piece->address, .variable = piece->variable};
    end = i + 1;
    while (!piece->variable && end < launch->memory->len && continues_range(launch, end))
      end++;
    added.bytes =
        piece->variable ? find_memory_variable(launch, piece) : join_ranges(launch, i, end);
    g_array_append_val(memory, added);
  }
  return memory;
}
