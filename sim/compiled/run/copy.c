// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// cp.async: from global to shared memory. It is done at once, which is what a program sees that waits for it before it
// reads, as it has to.
#include <string.h>

#include "sim/compiled/run/run.h"

// Bytes beyond those that are copied are zeros.
static void
keep_bytes(MarkedWords *words, SmbLanes lanes, guint width, const guint32 *bytes) {
  FOR_LANES(lanes, lane) {
    for (guint at = bytes[lane]; at < width; at++) {
      guint shift = at % 4 * 8;
      words->values[at / 4][lane] &= ~(0xffu << shift);
      words->marks[at / 4][lane] =
          (words->marks[at / 4][lane] & ~(0xffu << shift)) | (guint32)MARK_KNOWN << shift;
    }
  }
}

// What is copied depends on blockIdx.
static void
mark_block(MarkedWords *words, SmbLanes lanes, guint width) {
  for (guint word = 0; word < (width + 3) / 4; word++) {
    FOR_LANES(lanes, lane) {
      words->marks[word][lane] |= MARK_BLOCK * MARKS_KNOWN;
    }
  }
}

// Of a copy past the first-level cache: why ncu's count may be another; said once in a block.
static void
doubt(const Runner *runner, const Step *step, const char *why) {
  SmbBlock *block = runner->block;
  const Move *move = &step->transfer->move;
  if (move->op != SMB_OP_CP_ASYNC_CG || !block->sink->warn ||
      !smb_shadow_is_news(block, SMB_WARNING_TIMING, move->site, move->site))
    return;
  g_autofree char *message =
      g_strdup_printf("%s: %s", smb_program_site(block->program, move->site)->expression, why);
  block->sink->warn(block->user, SMB_WARNING_TIMING, move->site, move->site, message);
}

static SmbLanes
find_empty(const guint32 *bytes, SmbLanes lanes) {
  SmbLanes empty = 0;
  FOR_LANES(lanes, lane) {
    empty |= (SmbLanes)(bytes[lane] == 0) << lane;
  }
  return empty;
}

// Which lanes are counted as if they wrote zeros. Measured on an H100, of copies past the first-level cache by P0, !P0, P1 to P3 and
// nothing, in which all lanes, some or none write zeros; through it, those that do.
static SmbLanes
find_zeros(const Runner *runner, const Step *step, SmbLanes lanes, SmbLanes zeros) {
  Copying copying = step->source->copying;
  if (step->transfer->move.op != SMB_OP_CP_ASYNC_CG)
    return zeros;
  if (copying == COPYING_EITHER)
    doubt(runner, step,
          "what it takes depends on the predicate that an assembler makes of its operand");
  return copying == COPYING_P0 ? lanes : copying == COPYING_NOT_P0 ? 0 : zeros;
}

// A guard P0 is false to ncu, too: it counts nothing of @P0, and of @!P0 all lanes, by the addresses that their registers hold. Of
// another guard that was not seen, nor tried where no lane takes part.
static void
doubt_guard(const Runner *runner, const Step *step, SmbLanes lanes) {
  gboolean is_told_apart = step->unless ? lanes != runner->warp->splits->mask : lanes != 0;
  if (step->source->is_by_p0 && is_told_apart)
    doubt(runner, step,
          "Nsight Compute takes P0 to be false, and counts nothing of @P0, and all lanes of @!P0");
  else if (!lanes)
    doubt(runner, step,
          "where no lane takes part, a device was seen to take wavefronts all the same");
}

gboolean
smb_step_copy(Runner *runner, const Step *step, SmbLanes lanes) {
  const Transfer *to = step->transfer, *from = step->source;
  const Registers *registers = runner->warp->registers;
  guint64 addresses[SMB_MAX_LANES], sources[SMB_MAX_LANES];
  guint flags, source_flags = 0;
  guint32 origin = 0, source_origin = 0;
  MarkedWords words;
  doubt_guard(runner, step, lanes);
  if (!lanes)
    return TRUE;
  // What is copied; nothing of it is known where the source is not, or how much of it is copied.
  memset(&words, 0, sizeof words);
  SmbLanes known =
      smb_transfer_addresses(runner, from, lanes, addresses, &source_flags, &source_origin);
  SmbLanes reads = known;
  Move move = to->move;
  move.sources = known == lanes ? sources : NULL;
  for (guint lane = 0; move.sources && lane < registers->n_lanes; lane++)
    sources[lane] =
        runner->block->map ? smb_block_address(runner->block, addresses[lane]) : addresses[lane];
  smb_transfer_watch(runner, source_flags);
  if (runner->block->signature)
    smb_signature_sources(runner->block, known, addresses);
  const guint32 *bytes = NULL;
  if (from->data[0] != NO_ROW && smb_row_known(registers, from->data[0], lanes) != lanes) {
    source_origin = row_origin(registers, from->data[0]);
    known = reads = 0;
    move.sources = NULL;
  } else if (from->data[0] != NO_ROW) {
    bytes = row_values(registers, from->data[0]);
    smb_transfer_watch(runner, row_flags(registers, from->data[0]) & ROW_AFFINE
                                   ? ROW_BLOCK
                                   : row_flags(registers, from->data[0]));
    reads = known & ~find_empty(bytes, known);
  }
  FOR_LANES(find_zeros(runner, step, known, known & ~reads), lane) {
    sources[lane] = MOVE_NO_SOURCE;
  }
  if (known != lanes)
    smb_runner_note(runner, step, (Cause){.kind = CAUSE_ADDRESS, .origin = source_origin});
  if (reads && !smb_words_load(runner->block, &from->move, runner->w, reads, addresses, &words))
    return FALSE;
  if (reads)
    smb_stored_explain_lanes(runner, step, reads, addresses, (gsize)from->move.width, &words);
  if (smb_transfer_taint(runner, source_flags, reads, addresses))
    mark_block(&words, reads, (guint)to->move.width);
  if (bytes)
    keep_bytes(&words, lanes, (guint)to->move.width, bytes);
  known = smb_transfer_addresses(runner, to, lanes, addresses, &flags, &origin);
  smb_transfer_watch(runner, flags);
  if (known != lanes) {
    memset(runner->block->shared_marks, 0, runner->block->shared_bytes);
    smb_runner_uncounted(runner, step, lanes, "the address", origin);
    return TRUE;
  }
  smb_stored_note(runner, step, lanes, addresses, to->move.width, step_origin(runner, step));
  return smb_words_store(runner->block, &move, runner->w, lanes, addresses, &words);
}
