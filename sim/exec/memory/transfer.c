// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads and stores, and what every access has: where it goes, what it depends on, and what happens to it where that is
// not known.
#include "sim/base/hash.h"
#include "sim/exec/memory/memory.h"

#include <string.h>

// --- what is not known of it

// Whether what an address depends on is not the same in all blocks, or in any order of threads.
static gboolean
is_address_tainted(const Exec *exec, const Transfer *transfer, SmbLanes lanes) {
  guint flags = 0;
  for (guint i = 0; i < transfer->address_rows; i++)
    flags |= row_flags_in(exec->warp->registers, transfer->address + i, lanes);
  return (flags & (ROW_DEPENDS | ROW_TAINT)) != 0;
}

// A variable of each thread, where its frame is. The frames of functions that are skipped are gone afterwards. FALSE:
// it is not known where, or an address of 64 bits may not be one of local memory.
static gboolean
forget_variable(Exec *exec, const Transfer *transfer, SmbLanes lanes) {
  const guint64 start = make_pointer(REGION_LOCAL, 0);
  const gboolean is_generic = transfer->window == WINDOW_GENERIC;
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
  guint32 origin;
  if ((is_generic && (!transfer->is_generic || is_address_tainted(exec, transfer, lanes))) ||
      smb_transfer_addresses(exec, transfer, lanes, addresses, &flags, &origin) != lanes)
    return FALSE;
  FOR_LANES(is_generic ? lanes : 0, lane) {
    if (addresses[lane] - start >= exec->block->objects[REGION_LOCAL].size)
      return FALSE;
  }
  FOR_LANES(lanes, lane) {
    smb_private_forget_bytes(exec->block, REGION_LOCAL, exec->w, lane,
                             (gsize)(addresses[lane] - start), transfer->move.width);
  }
  return TRUE;
}

void
smb_transfer_mark_unknown(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  const Transfer *transfer = step->transfer;
  SmbBlock *block = exec->block;
  if (block->guesses)
    return;
  if (!exec->unknown->forgotten_origin)
    exec->unknown->forgotten_origin = origin ? origin : step_origin(exec, step);
  if (transfer->window != WINDOW_SHARED && forget_variable(exec, transfer, lanes))
    return;
  if (exec_may_be_shared(exec, transfer))
    smb_shared_forget(block);
  if (block->peers && (transfer->is_cluster || transfer->window == WINDOW_GENERIC))
    smb_peer_forget(block);
  if (transfer->window == WINDOW_GENERIC)
    smb_words_mark_unknown(block);
  if (transfer->window != WINDOW_SHARED)
    exec_forget_local(exec, lanes);
}

// An access that may ask for global memory, or for constant memory, is not made, since it is not known where, or
// whether.
static void
leave_out_global(Exec *exec, const Transfer *transfer, SmbLanes lanes, const char *what,
                 guint32 origin) {
  SmbBlock *block = exec->block;
  const Move *move = &transfer->move;
  if (transfer->window != WINDOW_GENERIC)
    return;
  if (move->constant_bytes == 0)
    smb_unknown_unplaced(exec, transfer, lanes, what, origin);
  else if (block->sink->constant)
    block->sink->constant(block->user, move->site, NULL, NULL);
}

void
smb_doubt_transfer(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  smb_doubt_writes(exec, step, lanes, origin);
  leave_out_global(exec, step->transfer, lanes, "whether it is executed", origin);
  if (step_stores(step))
    smb_transfer_mark_unknown(exec, step, lanes, origin);
}

// Lanes whose addresses are not known: whatever they could have touched is no longer known.
static void
drop_unknown_lanes(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin) {
  if (exec_may_be_shared(exec, step->transfer))
    smb_unknown_uncounted(exec, step, lanes, "the address", origin);
  if (step_stores(step))
    smb_transfer_mark_unknown(exec, step, lanes, origin);
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
  leave_out_global(exec, step->transfer, lanes, "the address", origin);
  smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
}

// --- where it goes

// Lanes that ask for shared memory of another block.
static SmbLanes
find_away(const Exec *exec, SmbLanes lanes, const guint64 *addresses) {
  const guint *cluster = exec->block->cluster;
  return exec->code->maps_cluster || cluster[0] * cluster[1] * cluster[2] > 1
             ? smb_transfer_elsewhere(lanes, addresses)
             : 0;
}

// They are listed; unless the other blocks are here, what they load is not known.
static void
list_away(Exec *exec, const Step *step, SmbLanes away, const guint64 *addresses, gboolean reaches) {
  const SmbBlock *block = exec->block;
  const Move *move = &step->transfer->move;
  exec_list_traffic(exec, step, SMB_TRAFFIC_CLUSTER, (guint64)move->width * smb_lanes_count(away));
  if (block->sink->peer)
    block->sink->peer(block->user, move->site, exec->w, away, move->width, addresses);
  if (reaches)
    return;
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  smb_doubt_writes(exec, step, away, step_origin(exec, step));
}

// Says, once in a block, that it depends on time how many of the lanes that gave way ask together with others.
static void
doubt_company(Exec *exec, const Transfer *transfer) {
  SmbBlock *block = exec->block;
  Warp *warp = exec->warp;
  guint site = transfer->move.site;
  if (!(warp->parted & warp->splits->living & ~warp->splits->mask)) {
    warp->parted = 0;
    return;
  }
  if (!(warp->parted & warp->splits->mask) || !exec_may_be_shared(exec, transfer) ||
      !block->sink->warn || !smb_shadow_is_news(block, SMB_WARNING_TIMING, site, site))
    return;
  g_autofree char *message = g_strdup_printf("%s: lanes of the warp gave way to others (YIELD, "
                                             "NANOSLEEP), which do not wait for them: how "
                                             "many execute it together depends on time",
                                             smb_program_site(block->program, site)->expression);
  block->sink->warn(block->user, SMB_WARNING_TIMING, site, site, message);
}

static gboolean
locate_request(Exec *exec, const Step *step, SmbLanes lanes, Located *located, gboolean reaches) {
  guint32 origin = 0;
  located->step = step;
  located->lanes = located->away = 0;
  if (!lanes)
    return FALSE;
  if (G_UNLIKELY(exec->warp->parted))
    doubt_company(exec, step->transfer);
  SmbLanes known = smb_transfer_addresses(exec, step->transfer, lanes, located->addresses,
                                          &located->flags, &origin);
  exec_watch(exec, located->flags);
  if (known != lanes) {
    drop_unknown_lanes(exec, step, lanes, origin);
    return FALSE;
  }
  SmbLanes away = find_away(exec, lanes, located->addresses);
  if (away)
    list_away(exec, step, away, located->addresses, reaches);
  located->lanes = lanes & ~away;
  located->away = reaches ? away : 0;
  return (located->lanes | located->away) != 0;
}

gboolean
smb_transfer_locate(Exec *exec, const Step *step, SmbLanes lanes, Located *located) {
  return locate_request(exec, step, lanes, located, FALSE);
}

gboolean
smb_transfer_reach(Exec *exec, const Step *step, SmbLanes lanes, Located *located) {
  return locate_request(exec, step, lanes, located, exec->block->peers != NULL);
}

guint
smb_transfer_found_away(Exec *exec, const Transfer *transfer) {
  if (transfer->order == ORDER_WEAK && transfer->move.op_class != SMB_OP_CLASS_ATOMIC)
    return 0;
  exec->order->ordered = TRUE;
  return ROW_ORDER;
}

const guint32 *
smb_transfer_base(const Exec *exec, const Step *step, SmbLanes lanes) {
  static const guint32 none[SMB_MAX_LANES];
  const Registers *registers = exec->warp->registers;
  const Transfer *transfer = step->transfer;
  if (!(step->flags & STEP_DIRECT) || !lanes || exec->order->ordered || exec->own_rank ||
      exec->warp->parted)
    return NULL;
  if (transfer->address_rows == 0)
    return none;
  return row_flags_in(registers, transfer->address, lanes) & ROW_BLOCK ||
                 smb_row_known(registers, transfer->address, lanes) != lanes
             ? NULL
             : row_values(registers, transfer->address);
}

// --- what it depends on

// Between two addresses in different variables there may be memory of another kind.
static void
watch_beside(const Exec *exec, guint flags, guint32 index) {
  const SmbBlock *block = exec->block;
  if (index >= block->n_numbered && index < block->n_objects && depends_on_block(flags) &&
      smb_map_stretch(block->map, index - block->n_numbered)->has_variables)
    smb_signature_refuse(exec->block);
}

// Nothing is known of it, so that one place of it is like another.
static gboolean
is_blank(const Exec *exec, guint index) {
  return exec->block->objects[index].contents.fill == SMB_FILL_UNKNOWN &&
         !(exec->order->written[index] & OBJECT_WRITTEN);
}

// Shared and private memory is marked: there, affine addresses are the same in all blocks that are alike.
guint
smb_transfer_taint(const Exec *exec, guint flags, SmbLanes lanes, const guint64 *addresses) {
  const SmbBlock *block = exec->block;
  if (!block->signature)
    return 0;
  for (SmbLanes same; lanes; lanes &= ~same) {
    guint index;
    same = smb_block_find_lanes(block, lanes, addresses, &index);
    const Object *object = &block->objects[index];
    guint written = exec->order->written[index];
    if (object->space != SPACE_GLOBAL && object->space != SPACE_CONSTANT)
      continue;
    watch_beside(exec, flags, index);
    if (written & OBJECT_SCATTERED || (depends_on_block(flags) && !is_blank(exec, index)))
      return ROW_BLOCK;
  }
  return 0;
}

// A block sees what it wrote itself.
static void
note_store(Exec *exec, guint flags, SmbLanes lanes, const guint64 *addresses, gboolean is_known) {
  guint how = OBJECT_WRITTEN | (depends_on_block(flags) ? OBJECT_SCATTERED : 0);
  if (!exec->block->signature && !exec->order->follows)
    return;
  exec->order->wrote = TRUE;
  for (SmbLanes same; lanes; lanes &= ~same) {
    guint index;
    same = smb_block_find_lanes(exec->block, lanes, addresses, &index);
    if (is_known || exec->order->follows || !is_blank(exec, index))
      exec->order->written[index] |= (guint8)how;
    if (exec->block->signature)
      watch_beside(exec, flags, index);
  }
}

void
smb_transfer_note_store(Exec *exec, guint flags, SmbLanes lanes, const guint64 *addresses) {
  note_store(exec, flags, lanes, addresses, TRUE);
}

guint
smb_transfer_found(Exec *exec, const Located *located) {
  return smb_transfer_taint(exec, located->flags, located->lanes, located->addresses) |
         smb_order_found(exec, located->step, located->lanes, located->addresses);
}

// Whether something is known of what a step stores.
static gboolean
stores_known(const Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  guint n_rows = MAX(transfer->bytes / 4, 1);
  for (guint i = 0; i < transfer->n_components * n_rows; i++) {
    if (!smb_row_is_blank(exec->warp->registers, transfer->data[i / n_rows] + i % n_rows, lanes))
      return TRUE;
  }
  return FALSE;
}

void
smb_transfer_finish_store(Exec *exec, const Located *located) {
  const Step *step = located->step;
  gboolean is_store = step->transfer->move.op_class == SMB_OP_CLASS_STORE;
  note_store(exec, located->flags, located->lanes, located->addresses,
             !is_store || stores_known(exec, step, located->lanes));
  smb_order_note_store(exec, located->step, located->flags, located->lanes, located->addresses);
}

// Whether a step finds at the same places what it has found there the last time.
static gboolean
finds_again(Exec *exec, const Located *located, const MarkedWords *words) {
  guint32 number = step_number(exec, located->step);
  guint n = (located->step->transfer->move.width + 3) / 4;
  guint64 hash = number + 1, *last = &exec->warp->found[number % EXEC_FOUND];
  FOR_LANES(located->lanes, lane) {
    smb_hash_mix(&hash, located->addresses[lane]);
    for (guint word = 0; word < n; word++)
      smb_hash_mix(&hash, words->values[word][lane]);
  }
  gboolean is_same = *last == hash;
  *last = hash;
  return is_same;
}

void
smb_transfer_forget_others(Exec *exec, const Located *located, MarkedWords *words) {
  SmbBlock *block = exec->block;
  MemoryOrder order = located->step->transfer->order;
  if (order <= ORDER_BLOCK || !block_has_others(block))
    return;
  if (block->guesses && !finds_again(exec, located, words))
    return;
  FOR_LANES(located->lanes, lane) {
    if (block->objects[smb_block_find(block, located->addresses[lane])].space != SPACE_GLOBAL)
      continue;
    block->misses_others = TRUE;
    for (guint word = 0; word < MAX_MOVE_BYTES / 4; word++)
      words->marks[word][lane] = 0;
    if (order == ORDER_ACQUIRE && !block->guesses)
      smb_words_mark_unknown(block);
  }
}

// --- loads and stores

static gboolean
load_away(Exec *exec, const Located *located, MarkedWords *words) {
  const Step *step = located->step;
  if (!smb_peer_load(exec->block, &step->transfer->move, exec->w, located->away, located->addresses,
                     words))
    return FALSE;
  smb_transfer_deliver(exec, step, located->away, smb_transfer_found_away(exec, step->transfer),
                       words);
  return TRUE;
}

// Beyond the end of a bank a device finds zeros (an H200, 2026-11-28), which is an error of the program all the same: where nobody looks for
// errors, it goes on as there. Those lanes are left out of what is loaded.
static void
load_beyond_bank(Exec *exec, Located *located) {
  SmbBlock *block = exec->block;
  MarkedWords zeros;
  SmbLanes beyond = 0;
  FOR_LANES(located->lanes, lane) {
    guint number = smb_block_find(block, located->addresses[lane]);
    const Object *object = &block->objects[number];
    guint64 offset = located->addresses[lane] - make_pointer(number, 0);
    beyond |= (SmbLanes)(object->space == SPACE_CONSTANT && offset >= object->size) << lane;
  }
  if (!beyond)
    return;
  memset(&zeros.values, 0, sizeof zeros.values);
  memset(&zeros.marks, MARK_KNOWN, sizeof zeros.marks);
  smb_transfer_deliver(exec, located->step, beyond, located->flags, &zeros);
  located->lanes &= ~beyond;
}

gboolean
smb_transfer_load(Exec *exec, const Step *step, SmbLanes lanes, Found *found) {
  const Transfer *transfer = step->transfer;
  Located *located = &found->located;
  if (!smb_transfer_reach(exec, step, lanes, located))
    return TRUE;
  if (located->away && !load_away(exec, located, &found->words))
    return FALSE;
  if (transfer->is_bank && exec->block->runtime && !exec->block->check)
    load_beyond_bank(exec, located);
  if (!located->lanes)
    return TRUE;
  if (!smb_words_load(exec->block, &transfer->move, exec->w, located->lanes, located->addresses,
                      &found->words))
    return FALSE;
  smb_transfer_forget_others(exec, located, &found->words);
  if (G_UNLIKELY(step->flags & STEP_COPIES))
    smb_copied_note_load(exec, step, located->lanes, located->addresses);
  if (!smb_transfer_deliver(exec, step, located->lanes, smb_transfer_found(exec, located),
                            &found->words)) {
    smb_provenance_explain_lanes(exec, step, located->lanes, located->addresses,
                                 transfer->move.width, &found->words);
    smb_provenance_explain_components(exec, step, located->lanes, located->addresses,
                                      &found->words);
  }
  return TRUE;
}

gboolean
smb_step_load(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  const guint32 *base = smb_transfer_base(exec, step, lanes);
  Found found;
  if (!base)
    return smb_transfer_load(exec, step, lanes, &found);
  guint32 offset = (guint32)transfer->offset;
  gboolean is_known;
  if (!smb_words_load_shared(exec->block, &transfer->move, exec->w, lanes, base, offset,
                             &found.words, &is_known))
    return FALSE;
  if (is_known)
    smb_transfer_deliver_known(exec, step, lanes, &found.words);
  else if (!smb_transfer_deliver(exec, step, lanes, 0, &found.words))
    smb_provenance_explain_shared(exec, step, lanes, base, offset, &found.words);
  return TRUE;
}

gboolean
smb_step_store(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  const Registers *registers = exec->warp->registers;
  const guint32 *base = step->flags & STEP_COPIES ? NULL : smb_transfer_base(exec, step, lanes);
  Located located;
  MarkedWords words;
  if (!base && !smb_transfer_reach(exec, step, lanes, &located))
    return TRUE;
  lanes = base ? lanes : located.lanes | located.away;
  guint32 origin = smb_transfer_gather(registers, transfer->data, transfer->n_components,
                                       transfer->bytes, lanes, &words);
  if (base) {
    guint32 offset = (guint32)transfer->offset;
    smb_provenance_note_shared(exec, step, lanes, base, offset, origin);
    return smb_words_store_shared(exec->block, &transfer->move, exec->w, lanes, base, offset,
                                  &words);
  }
  if (located.away) {
    if (!smb_peer_store(exec->block, &transfer->move, exec->w, located.away, located.addresses,
                        &words))
      return FALSE;
    smb_order_reach_peers(exec);
  }
  lanes = located.lanes;
  if (!lanes)
    return TRUE;
  smb_provenance_note(exec, step, lanes, located.addresses, transfer->move.width, origin);
  smb_order_disputes(exec, step, lanes, located.addresses, &words);
  if (!smb_words_store(exec->block, &transfer->move, exec->w, lanes, located.addresses, &words))
    return FALSE;
  smb_transfer_finish_store(exec, &located);
  if (G_UNLIKELY(step->flags & STEP_COPIES))
    smb_copied_note_store(exec, step, lanes, located.addresses);
  return TRUE;
}
