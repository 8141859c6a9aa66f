// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies captured memory to the device, and moves the pointers in it by where each allocation now is.
#include "gpu/replay.h"

#include <string.h>

#include "gpu/error.h"

typedef struct {
  guint64 address; // in the process
  GBytes *bytes;
  guint64 here;        // on this device
  SmbGpuMemory memory; // of an allocation, which is freed
} Piece;

struct _SmbReplay {
  const SmbCuda *cuda;
  GArray *pieces; // Piece, by their addresses
};

static void
clear_piece(gpointer data) {
  Piece *piece = data;
  g_bytes_unref(piece->bytes);
  smb_gpu_memory_clear(&piece->memory);
}

SmbReplay *
smb_replay_new(const SmbCuda *cuda) {
  SmbReplay *replay = g_new0(SmbReplay, 1);
  replay->cuda = cuda;
  replay->pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
  g_array_set_clear_func(replay->pieces, clear_piece);
  return replay;
}

void
smb_replay_free(SmbReplay *replay) {
  if (!replay)
    return;
  g_array_unref(replay->pieces);
  g_free(replay);
}

static gboolean
find_replayed_variable(const SmbReplay *replay, Piece *piece, SmbCudaFunction *function,
                       const char *variable, GError **error) {
  gsize bytes = 0;
  if (!replay->cuda->variable)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH, "'%s' cannot be found here",
                    variable);
  if (!smb_gpu_check(replay->cuda, replay->cuda->variable(function, variable, &piece->here, &bytes),
                     "find a variable of the kernel", error))
    return FALSE;
  return bytes >= g_bytes_get_size(piece->bytes) ||
         smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH,
                  "'%s' has %" G_GSIZE_FORMAT " bytes, but had more when it was captured", variable,
                  bytes);
}

// Behind those with lower addresses.
static void
insert_piece(SmbReplay *replay, const Piece *piece) {
  guint at = replay->pieces->len;
  while (at > 0 && g_array_index(replay->pieces, Piece, at - 1).address > piece->address)
    at--;
  g_array_insert_val(replay->pieces, at, *piece);
}

gboolean
smb_replay_add(SmbReplay *replay, guint64 address, GBytes *bytes, SmbCudaFunction *function,
               const char *variable, GError **error) {
  Piece piece = {.address = address, .bytes = g_bytes_ref(bytes), .memory = {.cuda = replay->cuda}};
  gboolean good;
  if (variable)
    good = find_replayed_variable(replay, &piece, function, variable, error);
  else
    good = smb_gpu_memory_allocate(&piece.memory, MAX(g_bytes_get_size(bytes), 1), error);
  if (!variable)
    piece.here = piece.memory.address;
  insert_piece(replay, &piece);
  return good;
}

// Where an address is here; itself, if it is in none of them. One behind the end is of the piece before it.
static guint64
move_address(const SmbReplay *replay, guint64 address) {
  guint low = 0, high = replay->pieces->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index(replay->pieces, Piece, middle).address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return address;
  const Piece *piece = &g_array_index(replay->pieces, Piece, low - 1);
  guint64 offset = address - piece->address;
  return offset <= g_bytes_get_size(piece->bytes) ? piece->here + offset : address;
}

GBytes *
smb_replay_move(const SmbReplay *replay, GBytes *bytes) {
  gsize length;
  gconstpointer data = g_bytes_get_data(bytes, &length);
  guchar *moved = g_malloc(MAX(length, 1));
  if (length > 0)
    memcpy(moved, data, length);
  for (gsize at = 0; at + 8 <= length; at += 8) {
    guint64 number;
    memcpy(&number, moved + at, sizeof number);
    number = move_address(replay, number);
    memcpy(moved + at, &number, sizeof number);
  }
  return g_bytes_new_take(moved, length);
}

gboolean
smb_replay_upload(const SmbReplay *replay, GError **error) {
  for (guint i = 0; i < replay->pieces->len; i++) {
    const Piece *piece = &g_array_index(replay->pieces, Piece, i);
    g_autoptr(GBytes) moved = smb_replay_move(replay, piece->bytes);
    gsize length;
    gconstpointer data = g_bytes_get_data(moved, &length);
    if (length > 0 && !smb_gpu_check(replay->cuda, replay->cuda->upload(piece->here, data, length),
                                     "copy captured memory to the GPU", error))
      return FALSE;
  }
  return TRUE;
}
