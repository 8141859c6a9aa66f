// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The memory of a recorded launch: its addresses, order and overlap are checked; whose it is.
#include "sim/launch/memory-piece.h"

#include "sim/base/error.h"

SmbMemoryKind
smb_memory_kind(const GArray *memory, guint64 address) {
  guint low = 0, high = memory ? memory->len : 0;
  while (low < high) {
    guint middle = (low + high) / 2;
    const SmbMemoryPiece *piece = &g_array_index(memory, SmbMemoryPiece, middle);
    if (address >= piece->address && address - piece->address < piece->bytes)
      return piece->kind;
    if (piece->address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return SMB_MEMORY_DEVICE;
}

gboolean
smb_memory_check(const GArray *memory, GError **error) {
  const guint64 limit = G_GUINT64_CONSTANT(1) << SMB_MEMORY_ADDRESS_BITS;
  guint64 end = SMB_MEMORY_LOWEST;
  for (guint i = 0; i < memory->len; i++) {
    const SmbMemoryPiece *piece = &g_array_index(memory, SmbMemoryPiece, i);
    const char *problem = NULL;
    if (piece->address < SMB_MEMORY_LOWEST)
      problem = "is too close to null";
    else if (piece->address < end)
      problem = "begins before the end of the previous piece";
    else if (piece->address >= limit || piece->bytes > limit - piece->address)
      problem = "goes beyond the 48-bit address space";
    else if (piece->bytes == 0)
      problem = "has no bytes";
    if (problem)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "memory at 0x%" G_GINT64_MODIFIER "x, %" G_GUINT64_FORMAT " bytes: %s",
                      piece->address, piece->bytes, problem);
    end = piece->address + piece->bytes;
  }
  return TRUE;
}
