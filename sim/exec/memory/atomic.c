// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Atomics: which operation of the machine they are, what they find, and a swap that is tried again.
#include "sim/base/hash.h"
#include "sim/exec/memory/memory.h"

// What an atomic is to the counters.
static Move
make_atomic_move(const SmbBlock *block, const Transfer *transfer) {
  Move move = transfer->move;
  move.op = smb_atomic_op(block->arch, move.atomic, move.kind, transfer->increments);
  return move;
}

static gboolean
update_away(Exec *exec, const Located *located, const MarkedWords *operand, const MarkedWords *swap,
            MarkedWords *before) {
  const Step *step = located->step;
  Move move = make_atomic_move(exec->block, step->transfer);
  if (!smb_peer_atomic(exec->block, &move, exec->w, located->away, located->addresses, operand,
                       swap, before))
    return FALSE;
  smb_order_reach_peers(exec);
  if (smb_transfer_has_result(step->transfer))
    smb_transfer_deliver(exec, step, located->away, smb_transfer_found_away(exec, step->transfer),
                         before);
  return TRUE;
}

static guint64
read_number(const MarkedWords *words, guint n, guint lane) {
  return words->values[0][lane] | (n > 1 ? (guint64)words->values[1][lane] << 32 : 0);
}

// Whether an atomic changed memory in one of @lanes, as far as its values are known: a failed swap did not, nor did a sum with 0.
static gboolean
has_changed(const Transfer *transfer, SmbLanes lanes, const MarkedWords *before,
            const MarkedWords *operand) {
  guint n = MAX(1, transfer->bytes / 4);
  if (transfer->n_components > 1 || n > 2)
    return TRUE;
  FOR_LANES(lanes, lane) {
    guint64 result, found = read_number(before, n, (guint)lane);
    guint64 given = read_number(operand, n, (guint)lane);
    if (transfer->swap != NO_ROW
            ? found == given
            : !smb_atomic_combine(&transfer->move, found, given, FALSE, &result) || result != found)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_transfer_atomic(Exec *exec, const Step *step, SmbLanes lanes, Found *found) {
  const Transfer *transfer = step->transfer;
  const Registers *registers = exec->warp->registers;
  Located *located = &found->located;
  MarkedWords operand, swap;
  if (!smb_transfer_reach(exec, step, lanes, located))
    return TRUE;
  lanes = located->lanes | located->away;
  gboolean swaps = transfer->swap != NO_ROW;
  guint32 origin = smb_transfer_gather(registers, transfer->operands, transfer->n_components,
                                       transfer->bytes, lanes, &operand);
  guint32 of_swap =
      swaps ? smb_transfer_gather(registers, &transfer->swap, 1, transfer->bytes, lanes, &swap) : 0;
  if (located->away && !update_away(exec, located, &operand, swaps ? &swap : NULL, &found->words))
    return FALSE;
  lanes = located->lanes;
  if (!lanes)
    return TRUE;
  smb_provenance_note(exec, step, lanes, located->addresses, transfer->move.width,
                      origin ? origin : of_swap);
  // Its operation is that of shared memory, which it is not in.
  if (!swaps && !smb_transfer_has_result(transfer) &&
      smb_words_defers(exec->block, &transfer->move, lanes, located->addresses, &operand))
    return smb_words_defer(exec->block, &transfer->move, exec->w, lanes, located->addresses,
                           &operand);
  Move move = make_atomic_move(exec->block, transfer);
  if (!smb_words_atomic(exec->block, &move, exec->w, lanes, located->addresses, &operand,
                        swaps ? &swap : NULL, &found->words))
    return FALSE;
  found->changes = has_changed(transfer, lanes, &found->words, &operand);
  if (!exec->block->guesses || !found->changes)
    smb_transfer_forget_others(exec, located, &found->words);
  else if (!swaps && smb_transfer_has_result(transfer))
    smb_words_repeat_add(exec->block, &move, exec->w, lanes, located->addresses, &operand,
                         &found->words);
  guint flags = smb_transfer_found(exec, located);
  gboolean wrote = exec->order->wrote;
  smb_transfer_finish_store(exec, located);
  exec->order->wrote = wrote || (exec->order->wrote && found->changes);
  if (!smb_transfer_deliver(exec, step, lanes, flags, &found->words))
    smb_provenance_explain_lanes(exec, step, lanes, located->addresses, transfer->move.width,
                                 &found->words);
  return TRUE;
}

gboolean
smb_step_atomic(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  const guint32 *base = smb_transfer_base(exec, step, lanes);
  MarkedWords operand;
  Found found;
  if (!base)
    return smb_transfer_atomic(exec, step, lanes, &found);
  guint32 offset = (guint32)transfer->offset;
  guint32 origin = smb_transfer_gather(exec->warp->registers, transfer->operands,
                                       transfer->n_components, transfer->bytes, lanes, &operand);
  smb_provenance_note_shared(exec, step, lanes, base, offset, origin);
  Move move = make_atomic_move(exec->block, transfer);
  return smb_words_atomic_shared(exec->block, &move, exec->w, lanes, base, offset, &operand);
}

// --- a swap that is tried again (ATOMS.CAST.SPIN)

// Among lanes with the same address, the first one.
static SmbLanes
find_first_named(SmbLanes lanes, const guint64 *addresses) {
  guint8 found[2 * SMB_MAX_LANES] = {0}; // by hash: a lane, from 1
  SmbLanes first = 0;
  FOR_LANES(lanes, lane) {
    guint64 hash = 0;
    smb_hash_mix(&hash, addresses[lane]);
    gsize at = hash % G_N_ELEMENTS(found);
    while (found[at] && addresses[found[at] - 1] != addresses[lane])
      at = (at + 1) % G_N_ELEMENTS(found);
    first |= found[at] ? 0 : (SmbLanes)1 << lane;
    found[at] = found[at] ? found[at] : (guint8)(lane + 1);
  }
  return first;
}

// Those whose swap is tried: for 8-byte atomics, the first ones of each half of the warp.
static SmbLanes
find_contenders(SmbLanes lanes, guint n_lanes, guint width, const guint64 *addresses) {
  SmbLanes half = smb_lanes_below(n_lanes / 2);
  if (width <= 4)
    return find_first_named(lanes, addresses);
  return find_first_named(lanes & half, addresses) | find_first_named(lanes & ~half, addresses);
}

// Whether a lane found what it expected; where that is not known, the first one that names a place did.
static gboolean
has_swapped(const Transfer *transfer, const MarkedWords *expected, const MarkedWords *before,
            guint lane, SmbLanes winners, const guint64 *addresses) {
  for (guint word = 0; word < transfer->bytes / 4; word++) {
    guint32 known = expected->marks[word][lane] & before->marks[word][lane] & MARKS_KNOWN;
    if (known == MARKS_KNOWN) {
      if (expected->values[word][lane] != before->values[word][lane])
        return FALSE;
      continue;
    }
    FOR_LANES(winners, other) {
      if (addresses[other] == addresses[lane])
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
smb_step_cast(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  Registers *registers = exec->warp->registers;
  guint32 values[SMB_MAX_LANES] = {0};
  SmbLanes winners = 0;
  Located located;
  MarkedWords expected, swap, before;
  if (!smb_transfer_locate(exec, step, lanes, &located))
    return TRUE;
  lanes = located.lanes;
  SmbLanes contenders =
      find_contenders(lanes, registers->n_lanes, (guint)transfer->move.width, located.addresses);
  guint32 origin = smb_transfer_gather(registers, transfer->operands, 1, transfer->bytes, lanes,
                                       &expected),
          of_swap =
              smb_transfer_gather(registers, &transfer->swap, 1, transfer->bytes, lanes, &swap);
  smb_provenance_note(exec, step, lanes, located.addresses, transfer->move.width,
                      origin ? origin : of_swap);
  Move move = transfer->move;
  move.op = SMB_OP_CAS;
  if (!smb_words_atomic(exec->block, &move, exec->w, contenders, located.addresses, &expected,
                        &swap, &before))
    return FALSE;
  guint flags = smb_transfer_found(exec, &located) & ROW_TAINT;
  smb_transfer_finish_store(exec, &located);
  FOR_LANES(contenders, lane) {
    gboolean swapped =
        has_swapped(transfer, &expected, &before, (guint)lane, winners, located.addresses);
    winners |= (SmbLanes)swapped << lane;
    values[lane] = swapped;
  }
  if (step->compute.d != NO_ROW)
    smb_row_set(registers, step->compute.d, lanes, values, NULL, flags, 0);
  smb_predicate_set(registers, step->compute.p, lanes, winners, 0, flags, 0);
  return TRUE;
}
