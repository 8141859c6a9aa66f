// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What uses shared memory and makes no request of it: copies in bulk, stores that complete on an mbarrier, operands of
// matrix products. It is listed with its bytes. A copy is made when it begins, which is what a program sees that waits
// for it before it reads, as it has to; what it brings is known if all that it is made of is.
#include <string.h>

#include "sim/compiled/run/run.h"

void
smb_runner_traffic(const Runner *runner, const Step *step, SmbTraffic kind, guint64 bytes) {
  const SmbBlock *block = runner->block;
  if (block->sink->traffic)
    block->sink->traffic(block->user, kind, step->transfer->move.site, bytes);
}

SmbLanes
smb_transfer_elsewhere(SmbLanes lanes, const guint64 *addresses) {
  SmbLanes elsewhere = 0;
  FOR_LANES(lanes, lane) {
    guint64 block = (addresses[lane] - make_pointer(REGION_SHARED, 0)) >> CLUSTER_SHIFT;
    elsewhere |= (SmbLanes)(block >= 1 && block < CLUSTER_MAX_BLOCKS) << lane;
  }
  return elsewhere;
}

void
smb_runner_forget_shared(Runner *runner, const Step *step) {
  SmbBlock *block = runner->block;
  memset(block->shared_marks, 0, block->shared_bytes);
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
  if (!runner->lost_origin)
    runner->lost_origin = step_origin(runner, step);
}

void
smb_runner_lose(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  smb_runner_forget_shared(runner, step);
  smb_words_blur(runner->block);
  smb_mbarriers_lose(runner, origin);
  smb_runner_forget(runner, step, lanes, origin);
}

// --- one step

// The lanes of a step, and what each of them moves.
typedef struct {
  const Step *step;
  const Bulk *bulk;
  SmbLanes lanes;
  guint64 bytes[SMB_MAX_LANES];
  guint64 to[SMB_MAX_LANES];
  guint64 from[SMB_MAX_LANES];
  SmbLanes to_known, from_known;
  guint to_flags, from_flags;
} Copies;

static void
read_sizes(const Runner *runner, Copies *copies) {
  const Registers *registers = runner->warp->registers;
  Row row = copies->bulk->size;
  gboolean known = row != NO_ROW && smb_row_known(registers, row, copies->lanes) == copies->lanes;
  if (row != NO_ROW && row_flags(registers, row) & (ROW_AFFINE | ROW_BLOCK))
    smb_transfer_watch(runner, ROW_BLOCK);
  FOR_LANES(copies->lanes, lane) {
    copies->bytes[lane] = known ? row_values(registers, row)[lane] : SMB_BYTES_UNKNOWN;
  }
}

static SmbLanes
read_addresses(Runner *runner, const Transfer *transfer, SmbLanes lanes, guint64 *addresses,
               guint *flags) {
  guint32 origin;
  *flags = 0;
  if (!transfer)
    return 0;
  SmbLanes known = smb_transfer_addresses(runner, transfer, lanes, addresses, flags, &origin);
  smb_transfer_watch(runner, *flags);
  return known;
}

static gboolean
check_size(Runner *runner, const Copies *copies, guint lane) {
  const SmbBlock *block = runner->block;
  guint64 bytes = copies->bytes[lane];
  g_autofree char *thread = smb_block_thread(block, runner->w, lane);
  const char *text =
      smb_program_site(block->program, copies->step->transfer->move.site)->expression;
  if (bytes % copies->bulk->quantum)
    return smb_block_fail(runner->block, copies->step->place,
                          "%s: %" G_GUINT64_FORMAT " bytes are no multiple of %u, by %s", text,
                          bytes, copies->bulk->quantum, thread);
  if (bytes > block->shared_bytes)
    return smb_block_fail(runner->block, copies->step->place,
                          "%s: %" G_GUINT64_FORMAT " bytes, of %" G_GSIZE_FORMAT
                          " bytes of shared memory, by %s",
                          text, bytes, block->shared_bytes, thread);
  return TRUE;
}

static Move
make_move(const Transfer *transfer, const Copies *copies, guint64 bytes) {
  Move move = transfer->move;
  move.width = (guint)bytes;
  move.align = copies->bulk->quantum;
  return move;
}

// Why what a lane copies is not known; of memory at addresses, from the first byte on that is not.
static void
note_copy(Runner *runner, const Copies *copies, guint lane, const guchar *marks) {
  gsize at = 0;
  while (runner->block->map && at < copies->bytes[lane] && marks[at] & MARK_KNOWN)
    at++;
  if (at < copies->bytes[lane])
    smb_stored_explain(runner, copies->step, copies->from[lane] + at);
}

// What a lane copies; nothing is known of it where the source is not.
static gboolean
fetch(Runner *runner, const Copies *copies, guint lane, guchar *bytes, guchar *marks) {
  const Bulk *bulk = copies->bulk;
  gsize n = copies->bytes[lane];
  SmbLanes one = (SmbLanes)1 << lane;
  if (bulk->is_zeros)
    memset(marks, MARK_KNOWN, n);
  if (!(copies->from_known & one) || smb_transfer_elsewhere(one, copies->from))
    return TRUE;
  Move move = make_move(bulk->from, copies, n);
  if (!smb_bulk_read(runner->block, &move, runner->w, lane, copies->from[lane], bytes, marks))
    return FALSE;
  note_copy(runner, copies, lane, marks);
  gboolean taints = smb_transfer_taint(runner, copies->from_flags, one, copies->from);
  for (gsize i = 0; i < n; i++) {
    guint mark = bulk->is_lost ? 0 : marks[i];
    marks[i] = (guchar)(mark | (taints ? MARK_BLOCK : 0));
    bytes[i] = mark & MARK_KNOWN ? bytes[i] : 0;
  }
  return TRUE;
}

static gboolean
deliver(Runner *runner, const Copies *copies, guint lane, const guchar *bytes,
        const guchar *marks) {
  SmbLanes one = (SmbLanes)1 << lane;
  if (!copies->bulk->to || smb_transfer_elsewhere(one & copies->to_known, copies->to))
    return TRUE;
  Move move = make_move(copies->bulk->to, copies, copies->bytes[lane]);
  if (!smb_bulk_write(runner->block, &move, runner->w, lane, copies->to[lane], bytes, marks))
    return FALSE;
  smb_transfer_note_store(runner, copies->to_flags, one, copies->to);
  smb_stored_note(runner, copies->step, one, copies->to, copies->bytes[lane],
                  step_origin(runner, copies->step));
  return TRUE;
}

// A copy of a size that is not known: of consecutive bytes that begin at a place that is.
static gboolean
copy_unsized(Runner *runner, const Copies *copies, guint lane) {
  const Bulk *bulk = copies->bulk;
  SmbLanes one = (SmbLanes)1 << lane;
  const Transfer *ends[] = {bulk->to, bulk->from};
  const guint64 *addresses[] = {copies->to, copies->from};
  for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
    if (!ends[i] || smb_transfer_elsewhere(one, addresses[i]))
      continue;
    if (ends[i]->window != WINDOW_SHARED) {
      if (i == 0)
        smb_words_blur(runner->block);
      continue;
    }
    Move move = make_move(ends[i], copies, bulk->quantum);
    if (!smb_bulk_forget(runner->block, &move, runner->w, lane, addresses[i][lane], i == 0))
      return FALSE;
  }
  return TRUE;
}

static gboolean
copy_lane(Runner *runner, const Copies *copies, guint lane) {
  SmbLanes one = (SmbLanes)1 << lane;
  gsize n = copies->bytes[lane];
  if ((copies->bulk->to && !(copies->to_known & one)) || n == 0)
    return TRUE;
  if (n == SMB_BYTES_UNKNOWN)
    return copy_unsized(runner, copies, lane);
  if (!check_size(runner, copies, lane))
    return FALSE;
  g_autofree guchar *bytes = g_malloc0(n), *marks = g_malloc0(n);
  return fetch(runner, copies, lane, bytes, marks) && deliver(runner, copies, lane, bytes, marks);
}

// What of a step is within this block, and what asks another one.
static void
list_copies(const Runner *runner, const Copies *copies) {
  guint64 here = 0, there = 0;
  SmbLanes elsewhere = smb_transfer_elsewhere(copies->to_known, copies->to) |
                       smb_transfer_elsewhere(copies->from_known, copies->from);
  FOR_LANES(copies->lanes, lane) {
    guint64 *sum = elsewhere >> lane & 1 ? &there : &here;
    gboolean known = *sum != SMB_BYTES_UNKNOWN && copies->bytes[lane] != SMB_BYTES_UNKNOWN;
    *sum = known ? *sum + copies->bytes[lane] : SMB_BYTES_UNKNOWN;
  }
  if (elsewhere != copies->lanes)
    smb_runner_traffic(runner, copies->step, copies->bulk->kind, here);
  if (elsewhere)
    smb_runner_traffic(runner, copies->step, SMB_TRAFFIC_CLUSTER, there);
}

gboolean
smb_step_bulk(Runner *runner, const Step *step, SmbLanes lanes) {
  const Bulk *bulk = step->bulk;
  Copies copies = {.step = step, .bulk = bulk, .lanes = lanes};
  if (!lanes)
    return TRUE;
  smb_runner_forget(runner, step, lanes, step_origin(runner, step));
  if (bulk->bytes) {
    smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
    smb_runner_traffic(runner, step, bulk->kind, bulk->bytes);
    return TRUE;
  }
  read_sizes(runner, &copies);
  copies.to_known = read_addresses(runner, bulk->to, lanes, copies.to, &copies.to_flags);
  copies.from_known = read_addresses(runner, bulk->from, lanes, copies.from, &copies.from_flags);
  list_copies(runner, &copies);
  if (bulk->to && copies.to_known != lanes && bulk->to->window == WINDOW_SHARED)
    smb_runner_forget_shared(runner, step);
  if (bulk->to && copies.to_known != lanes && bulk->to->window != WINDOW_SHARED)
    smb_words_blur(runner->block);
  FOR_LANES(lanes, lane) {
    if (!copy_lane(runner, &copies, (guint)lane))
      return FALSE;
  }
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
  return !bulk->barrier || smb_mbarriers_complete(runner, step, bulk->barrier, lanes, copies.bytes);
}

// --- matrices whose layout is not known

gboolean
smb_step_fragment(Runner *runner, const Step *step, SmbLanes lanes) {
  SmbBlock *block = runner->block;
  const Transfer *transfer = step->transfer;
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
  if (!lanes)
    return TRUE;
  SmbLanes known = read_addresses(runner, transfer, lanes, addresses, &flags);
  guint32 first = smb_block_find(block, addresses[smb_lanes_first(lanes)]);
  gboolean outside = known == lanes && first != REGION_SHARED;
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
  smb_runner_forget(runner, step, lanes, step_origin(runner, step));
  if (transfer->move.op_class == SMB_OP_CLASS_STORE)
    smb_runner_blur(runner, step, lanes, step_origin(runner, step));
  if (outside || !smb_transfer_may_be_shared(runner, transfer) || !block->sink->uncounted)
    return TRUE;
  g_autofree char *reason =
      g_strdup_printf("which lane moves what of the %" G_GUINT64_FORMAT
                      " bytes of a matrix is decided by the assembler, for each chip",
                      step->bulk->bytes);
  block->sink->uncounted(block->user, transfer->move.site, runner->w, lanes, reason);
  return TRUE;
}

gboolean
smb_step_bulk_once(Runner *runner, const Step *step, SmbLanes lanes) {
  return smb_step_bulk(runner, step, lanes & -lanes);
}
