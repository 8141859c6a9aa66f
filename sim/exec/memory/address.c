// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where lanes ask for memory: from a base in registers, or in a bank of constants, to pointers of the machine.
#include "sim/exec/memory/memory.h"

enum {
  BELOW =
      1
      << (CLUSTER_SHIFT -
          1), // bytes before a block's shared memory that are counted as its own: those that the system reserves
};

// The variable of a bank that has an offset; beyond all of them the last one, after its end.
static guint64
find_bank_variable(const GArray *pieces, guint64 offset) {
  guint i = pieces->len;
  while (i > 1 && g_array_index(pieces, BankPiece, i - 1).first > offset)
    i--;
  const BankPiece *piece = &g_array_index(pieces, BankPiece, i - 1);
  return make_pointer(piece->region, (gint64)(offset - piece->first));
}

// Generic addresses of constant memory, as those of its variables.
static void
find_variables(const Code *code, SmbLanes lanes, guint64 *addresses) {
  guint64 start = make_pointer(REGION_VARIABLES, 0);
  FOR_LANES(lanes, lane) {
    if (addresses[lane] >> POINTER_OFFSET_BITS == REGION_VARIABLES + 1)
      addresses[lane] = find_bank_variable(code->variables, addresses[lane] - start);
  }
}

// The pointer of each lane: start of the window, base register and offset. With a 32-bit base, the sum wraps around
// as the hardware's does. In generic addresses of shared memory the bytes that the system reserves come first, and
// are subtracted.
static SmbLanes
find_addresses(Exec *exec, const Transfer *transfer, SmbLanes lanes, guint64 *addresses,
               guint *flags, guint32 *origin) {
  const Registers *registers = exec->warp->registers;
  guint n = registers->n_lanes;
  guint64 start = transfer->window == WINDOW_SHARED  ? make_pointer(REGION_SHARED, 0)
                  : transfer->window == WINDOW_LOCAL ? make_pointer(REGION_LOCAL, 0)
                                                     : 0;
  *flags = 0;
  if (transfer->address_rows == 0) {
    EACH_LANE(n, addresses[lane] = start + transfer->offset;)
    return lanes;
  }
  const guint32 *low = row_values(registers, transfer->address);
  SmbLanes known = smb_row_known(registers, transfer->address, lanes);
  *flags = row_flags_in(registers, transfer->address, lanes);
  if (transfer->address_rows == 2)
    *flags |= row_flags_in(registers, transfer->address + 1, lanes);
  if (G_UNLIKELY(*flags & ROW_ORDER))
    smb_order_decides(exec, transfer, "the address");
  *origin = row_origin(registers, transfer->address);
  if (transfer->address_rows == 1) {
    guint32 offset = (guint32)transfer->offset;
    EACH_LANE(n, addresses[lane] = start + (guint32)(low[lane] + offset);)
    return known;
  }
  const guint32 *high = row_values(registers, transfer->address + 1);
  SmbLanes high_known = smb_row_known(registers, transfer->address + 1, lanes);
  if (known == lanes && high_known != lanes)
    *origin = row_origin(registers, transfer->address + 1);
  guint64 offset = start + transfer->offset;
  EACH_LANE(n, addresses[lane] = offset + (low[lane] | (guint64)high[lane] << 32);)
  for (guint lane = 0; transfer->is_generic && transfer->reserved && lane < n; lane++)
    addresses[lane] -= addresses[lane] >> POINTER_OFFSET_BITS == REGION_SHARED + 1
                           ? (guint64)transfer->reserved
                           : 0;
  return known & high_known;
}

// The rank of the block in addresses of its own shared memory: some of its addresses have it in their upper bits,
// others have 0 there, which is not rank 0.
static void
leave_rank(const Exec *exec, const Transfer *transfer, guint64 *addresses) {
  const guint64 start = make_pointer(REGION_SHARED, 0);
  gboolean names_any = transfer->window != WINDOW_SHARED || transfer->is_cluster;
  for (guint lane = 0; lane < exec->warp->registers->n_lanes; lane++) {
    guint64 offset = addresses[lane] - start;
    guint32 raised = (guint32)offset + BELOW;
    if (offset >> 32 == 0 && (names_any || raised >> CLUSTER_SHIFT != 0))
      addresses[lane] = start + (guint32)((raised ^ exec->own_rank) - BELOW);
  }
}

SmbLanes
smb_transfer_addresses(Exec *exec, const Transfer *transfer, SmbLanes lanes, guint64 *addresses,
                       guint *flags, guint32 *origin) {
  SmbLanes known = find_addresses(exec, transfer, lanes, addresses, flags, origin);
  if (G_UNLIKELY(exec->own_rank))
    leave_rank(exec, transfer, addresses);
  if (G_UNLIKELY(transfer->pieces != NULL)) {
    FOR_LANES(known, lane) {
      addresses[lane] = find_bank_variable(transfer->pieces, addresses[lane]);
    }
  } else if (G_UNLIKELY(exec->code->variables))
    find_variables(exec->code, known, addresses);
  return known;
}

SmbLanes
smb_transfer_elsewhere(SmbLanes lanes, const guint64 *addresses) {
  SmbLanes elsewhere = 0;
  FOR_LANES(lanes, lane) {
    guint64 raised = addresses[lane] - make_pointer(REGION_SHARED, 0) + CLUSTER_BELOW;
    guint64 block = raised >> CLUSTER_SHIFT;
    elsewhere |= (SmbLanes)(block >= 1 && block < SMB_MAX_CLUSTER_BLOCKS) << lane;
  }
  return elsewhere;
}

guint64
smb_transfer_own(guint64 address) {
  const guint64 start = make_pointer(REGION_SHARED, 0), within = ((guint64)1 << CLUSTER_SHIFT) - 1;
  guint64 raised = address - start + BELOW;
  return raised >> 32 ? address : start + (raised & within) - BELOW;
}
