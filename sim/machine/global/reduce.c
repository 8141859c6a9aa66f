// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Atomics whose result nothing uses, of blocks that run at the same time (smb_block_set_defers()): what they add, or take the
// least of, is put into memory when the block has ended, in the order of the blocks and of its threads. So sums of real numbers
// are those of blocks that run one after the other. A block that looks at an allocation after that, or stores to it, needs to
// know what others have done (SmbBlock.misses_others).
#include "sim/machine/check/checking.h"

// Whether all of the operands of these lanes are known.
static gboolean
has_known_operands(const Move *move, SmbLanes lanes, const MarkedWords *operand) {
  for (guint word = 0; word < (move->width + 3) / 4; word++) {
    FOR_LANES(lanes, lane) {
      if ((operand->marks[word][lane] & MARKS_KNOWN) != MARKS_KNOWN)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
smb_words_defers(const SmbBlock *block, const Move *move, SmbLanes lanes, const guint64 *addresses,
                 const MarkedWords *operand) {
  if (!block->defers || !block_has_company(block) || !lanes || move->width > DEFERRED_BYTES ||
      !has_known_operands(move, lanes, operand))
    return FALSE;
  FOR_LANES(lanes, lane) {
    const Object *object = &block->objects[smb_block_find(block, addresses[lane])];
    if (object->space != SPACE_GLOBAL)
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_words_defer(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                const guint64 *addresses, const MarkedWords *operand) {
  Access access;
  if (!smb_access_resolve(block, move, warp, lanes, addresses, &access) ||
      !smb_access_report(block, move, &access))
    return FALSE;
  if (block->check)
    smb_inspect_access(block, move, &access, lanes, NULL);
  FOR_LANES(lanes, lane) {
    guint32 values[DEFERRED_BYTES / 4] = {0};
    for (guint word = 0; word < (move->width + 3) / 4; word++)
      values[word] = operand->values[word][lane];
    smb_overlay_defer(block->overlay, access_object(block, &access, lane),
                      (guint64)access.offset[lane], move, values);
  }
  return TRUE;
}

void
smb_block_set_defers(SmbBlock *block) {
  block->defers = TRUE;
}
