// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What uses shared memory and makes no request of it: copies in bulk, stores that complete on an mbarrier, operands of
// matrix products. It is listed with its bytes. A copy is made when it begins, which is what a program sees that waits
// for it before it reads, as it has to; what it brings is known if all that it is made of is.
#include <string.h>

#include "sim/base/hash.h"
#include "sim/exec/memory/memory.h"

// The lanes of a step, and what each of them moves.
typedef struct {
  const Step *step;
  const Bulk *bulk;
  SmbLanes lanes;
  guint64 *bytes;
  guint64 to[SMB_MAX_LANES];
  guint64 from[SMB_MAX_LANES];
  SmbLanes to_known, from_known;
  guint to_flags, from_flags;
  Box *boxes; // of tensors, by lane: what those copy whose bytes are known; else NULL
} Copies;

// What a map says of the boxes that lanes copy.
static void
read_box_sizes(Exec *exec, Copies *copies) {
  FOR_LANES(copies->lanes, lane) {
    Box *box = &copies->boxes[lane];
    copies->bytes[lane] = smb_box_find(exec, copies->step, (guint)lane, box)
                              ? smb_tensor_box_bytes(&box->map)
                              : SMB_BYTES_UNKNOWN;
  }
}

static void
read_sizes(Exec *exec, Copies *copies) {
  const Registers *registers = exec->warp->registers;
  Row row = copies->bulk->size;
  if (copies->boxes) {
    read_box_sizes(exec, copies);
    return;
  }
  gboolean known = row != NO_ROW && smb_row_known(registers, row, copies->lanes) == copies->lanes;
  if (row != NO_ROW)
    exec_watch_row(exec, row);
  FOR_LANES(copies->lanes, lane) {
    copies->bytes[lane] = known ? row_values(registers, row)[lane] : SMB_BYTES_UNKNOWN;
  }
}

static SmbLanes
read_addresses(Exec *exec, const Transfer *transfer, SmbLanes lanes, guint64 *addresses,
               guint *flags) {
  guint32 origin;
  *flags = 0;
  if (!transfer)
    return 0;
  SmbLanes known = smb_transfer_addresses(exec, transfer, lanes, addresses, flags, &origin);
  exec_watch(exec, *flags);
  return known;
}

static gboolean
check_copy_size(Exec *exec, const Copies *copies, guint lane) {
  const SmbBlock *block = exec->block;
  guint64 bytes = copies->bytes[lane];
  g_autofree char *thread = smb_block_thread(block, exec->w, lane);
  const char *text =
      smb_program_site(block->program, copies->step->transfer->move.site)->expression;
  if (bytes % copies->bulk->quantum)
    return smb_block_fail(exec->block, copies->step->place,
                          "%s: %" G_GUINT64_FORMAT " bytes is not a multiple of %u, by %s", text,
                          bytes, copies->bulk->quantum, thread);
  if (bytes > block->shared_bytes)
    return smb_block_fail(exec->block, copies->step->place,
                          "%s: %" G_GUINT64_FORMAT
                          " bytes is more than the block's %" G_GSIZE_FORMAT
                          " bytes of shared memory, by %s",
                          text, bytes, block->shared_bytes, thread);
  return TRUE;
}

// Whether what is copied is combined with what is there.
static gboolean
combines(const Bulk *bulk) {
  return bulk->value ? bulk->value->move.op_class == SMB_OP_CLASS_ATOMIC
                     : bulk->atomic != ATOMIC_EXCHANGE;
}

static Move
make_copy_move(const Transfer *transfer, const Copies *copies, guint64 bytes) {
  Move move = transfer->move;
  if (transfer == copies->bulk->to && combines(copies->bulk))
    move.op_class = SMB_OP_CLASS_ATOMIC;
  move.width = (guint)bytes;
  move.align = copies->bulk->quantum;
  move.is_bulk = TRUE;
  move.is_late = copies->bulk->barrier != NULL;
  return move;
}

// Notes why the data that a lane copies is unknown; for memory at addresses, at the first unknown byte.
static void
note_copied_origin(Exec *exec, const Copies *copies, guint lane, const guchar *marks) {
  gsize at = 0;
  while (exec->block->map && at < copies->bytes[lane] && marks[at] & MARK_KNOWN)
    at++;
  if (at < copies->bytes[lane])
    smb_provenance_explain(exec, copies->step, copies->from[lane] + at);
}

void
smb_copied_words(MarkedWords *words, guint lane, const guchar *bytes, const guchar *marks,
                 gsize n) {
  for (gsize at = 0; at < n; at += sizeof(guint32)) {
    guint32 *value = &words->values[at / sizeof(guint32)][lane];
    guint32 *mark = &words->marks[at / sizeof(guint32)][lane];
    *value = *mark = 0;
    memcpy(value, bytes + at, MIN(n - at, sizeof *value));
    memcpy(mark, marks + at, MIN(n - at, sizeof *mark));
  }
}

void
smb_copied_bytes(const MarkedWords *words, guint lane, guchar *bytes, guchar *marks, gsize n) {
  for (gsize at = 0; at < n; at += sizeof(guint32)) {
    memcpy(bytes + at, &words->values[at / sizeof(guint32)][lane], MIN(n - at, sizeof(guint32)));
    memcpy(marks + at, &words->marks[at / sizeof(guint32)][lane], MIN(n - at, sizeof(guint32)));
  }
}

gboolean
smb_bulk_combine(Exec *exec, const Move *move, gboolean flushes, guint lane, guint64 address,
                 guchar *bytes, guchar *marks) {
  SmbBlock *block = exec->block;
  guint64 addresses[SMB_MAX_LANES] = {0};
  guchar old[sizeof(guint64)] = {0}, old_marks[sizeof(guint64)] = {0};
  MarkedWords operand, before, after;
  addresses[lane] = address;
  gboolean is_away = smb_transfer_elsewhere((SmbLanes)1 << lane, addresses) != 0;
  if ((!is_away || block->peers) && !(is_away ? smb_peer_read : smb_bulk_read)(
                                        block, move, exec->w, lane, address, old, old_marks))
    return FALSE;
  smb_copied_words(&operand, lane, bytes, marks, move->width);
  smb_copied_words(&before, lane, old, old_marks, move->width);
  smb_words_update(move, lane, flushes, &operand, NULL, &before, &after);
  smb_copied_bytes(&after, lane, bytes, marks, move->width);
  return TRUE;
}

// Of a reduction: what is copied is combined with what is there, number by number.
static gboolean
combine_copied(Exec *exec, const Copies *copies, guint lane, guchar *bytes, guchar *marks) {
  const Bulk *bulk = copies->bulk;
  gsize n = smb_scalar_bytes(bulk->number);
  Move move = make_copy_move(bulk->to, copies, n);
  move.align = (guint)n;
  move.atomic = bulk->atomic;
  move.kind = bulk->number;
  for (gsize i = 0; bulk->atomic != ATOMIC_EXCHANGE && i < copies->bytes[lane]; i += n)
    if (!smb_bulk_combine(exec, &move, FALSE, lane, copies->to[lane] + i, bytes + i, marks + i))
      return FALSE;
  return TRUE;
}

// What registers hold, or what it makes of what is there.
static gboolean
fetch_value(Exec *exec, const Copies *copies, guint lane, guchar *bytes, guchar *marks) {
  const Bulk *bulk = copies->bulk;
  const Transfer *value = bulk->value;
  SmbBlock *block = exec->block;
  SmbLanes one = (SmbLanes)1 << lane;
  gboolean reduces = combines(bulk);
  gsize n = copies->bytes[lane];
  MarkedWords words, before, after;
  smb_transfer_gather(exec->warp->registers, reduces ? value->operands : value->data,
                      value->n_components, value->bytes, one, &words);
  if (!reduces) {
    smb_copied_bytes(&words, lane, bytes, marks, n);
    return TRUE;
  }
  gboolean is_away = smb_transfer_elsewhere(one, copies->to) != 0;
  if (is_away && !block->peers)
    return TRUE;
  Move move = make_copy_move(bulk->to, copies, n);
  if (!(is_away ? smb_peer_read : smb_bulk_read)(block, &move, exec->w, lane, copies->to[lane],
                                                 bytes, marks))
    return FALSE;
  smb_copied_words(&before, lane, bytes, marks, n);
  smb_words_update(&value->move, lane, FALSE, &words, NULL, &before, &after);
  smb_copied_bytes(&after, lane, bytes, marks, n);
  return TRUE;
}

// What a lane copies; nothing is known of it where the source is not.
static gboolean
fetch(Exec *exec, const Copies *copies, guint lane, guchar *bytes, guchar *marks) {
  const Bulk *bulk = copies->bulk;
  gsize n = copies->bytes[lane];
  SmbLanes one = (SmbLanes)1 << lane;
  if (bulk->is_zeros)
    memset(marks, MARK_KNOWN, n);
  if (bulk->value)
    return fetch_value(exec, copies, lane, bytes, marks);
  if (!(copies->from_known & one))
    return TRUE;
  Move move = make_copy_move(bulk->from, copies, n);
  if (smb_transfer_elsewhere(one, copies->from))
    return !exec->block->peers ||
           smb_peer_read(exec->block, &move, exec->w, lane, copies->from[lane], bytes, marks);
  if (!smb_bulk_read(exec->block, &move, exec->w, lane, copies->from[lane], bytes, marks))
    return FALSE;
  note_copied_origin(exec, copies, lane, marks);
  gboolean taints = smb_transfer_taint(exec, copies->from_flags, one, copies->from);
  for (gsize i = 0; i < n; i++) {
    guint mark = bulk->is_lost ? 0 : marks[i];
    marks[i] = (guchar)(mark | (taints ? MARK_BLOCK : 0));
    bytes[i] = mark & MARK_KNOWN ? bytes[i] : 0;
  }
  return TRUE;
}

// The blocks of the cluster that get what is loaded, by a mask or by the address itself; those that are not here are left out.
guint
smb_bulk_ranks(Exec *exec, const Bulk *bulk, guint lane, guint32 *above) {
  const SmbBlock *block = exec->block;
  const Registers *registers = exec->warp->registers;
  SmbLanes one = (SmbLanes)1 << lane;
  guint n = 0;
  above[0] = 0;
  if (bulk->blocks == NO_ROW)
    return 1;
  exec_watch_row(exec, bulk->blocks);
  if (smb_row_known(registers, bulk->blocks, one) != one)
    return 1;
  guint32 mask = row_values(registers, bulk->blocks)[lane] & 0xffff;
  for (guint rank = 0; rank < SMB_MAX_CLUSTER_BLOCKS; rank++)
    if (mask >> rank & 1 && (rank == block->rank || block->peers))
      above[n++] = (rank ^ block->rank) << CLUSTER_SHIFT;
  return n;
}

// Where in shared memory of the cluster what is loaded goes. Several blocks get it at the same offset, whatever block the address names: cuBLAS
// leaves the rank out of it.
static guint
find_bulk_places(Exec *exec, const Bulk *bulk, guint lane, guint64 address, guint64 *places) {
  guint32 above[SMB_MAX_CLUSTER_BLOCKS];
  guint n = smb_bulk_ranks(exec, bulk, lane, above);
  if (bulk->blocks != NO_ROW)
    address = smb_transfer_own(address);
  for (guint i = 0; i < n; i++)
    places[i] = address + above[i];
  return n;
}

// To one block of the cluster.
static gboolean
deliver_to(Exec *exec, const Copies *copies, guint lane, guint64 address, const guchar *bytes,
           const guchar *marks) {
  SmbLanes one = (SmbLanes)1 << lane;
  guint64 addresses[SMB_MAX_LANES] = {0};
  Move move = make_copy_move(copies->bulk->to, copies, copies->bytes[lane]);
  addresses[lane] = address;
  if (smb_transfer_elsewhere(one & copies->to_known, addresses))
    return !exec->block->peers ||
           smb_peer_write(exec->block, &move, exec->w, lane, address, bytes, marks);
  if (!smb_bulk_write(exec->block, &move, exec->w, lane, address, bytes, marks))
    return FALSE;
  smb_transfer_note_store(exec, copies->to_flags, one, addresses);
  smb_provenance_note(exec, copies->step, one, addresses, copies->bytes[lane],
                      step_origin(exec, copies->step));
  return TRUE;
}

static gboolean
deliver(Exec *exec, const Copies *copies, guint lane, const guchar *bytes, const guchar *marks) {
  guint64 places[SMB_MAX_CLUSTER_BLOCKS];
  guint n =
      copies->bulk->to ? find_bulk_places(exec, copies->bulk, lane, copies->to[lane], places) : 0;
  for (guint i = 0; i < n; i++)
    if (!deliver_to(exec, copies, lane, places[i], bytes, marks))
      return FALSE;
  return TRUE;
}

static gboolean
copy_lane_box(Exec *exec, const Copies *copies, guint lane) {
  guint64 places[SMB_MAX_CLUSTER_BLOCKS];
  guint n = 1;
  if (copies->bulk->to)
    n = find_bulk_places(exec, copies->bulk, lane, copies->to[lane], places);
  else
    places[0] = copies->from[lane];
  return smb_box_copy(exec, copies->step, lane, &copies->boxes[lane], places, n);
}

// A copy of unknown size: consecutive bytes from a known address on.
static gboolean
copy_unsized(Exec *exec, const Copies *copies, guint lane) {
  const Bulk *bulk = copies->bulk;
  SmbLanes one = (SmbLanes)1 << lane;
  const Transfer *ends[] = {bulk->to, bulk->from};
  const guint64 *addresses[] = {copies->to, copies->from};
  for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
    if (!ends[i] || smb_transfer_elsewhere(one, addresses[i]))
      continue;
    if (ends[i]->window != WINDOW_SHARED) {
      if (i == 0)
        smb_words_mark_unknown(exec->block);
      continue;
    }
    Move move = make_copy_move(ends[i], copies, bulk->quantum);
    if (!smb_bulk_forget(exec->block, &move, exec->w, lane, addresses[i][lane], i == 0))
      return FALSE;
  }
  return TRUE;
}

static gboolean
copy_lane(Exec *exec, const Copies *copies, guint lane) {
  SmbLanes one = (SmbLanes)1 << lane;
  gsize n = copies->bytes[lane];
  if ((copies->bulk->to && !(copies->to_known & one)) || n == 0)
    return TRUE;
  if (copies->boxes && !copies->bulk->to && !(copies->from_known & one))
    n = SMB_BYTES_UNKNOWN;
  if (n == SMB_BYTES_UNKNOWN)
    return copy_unsized(exec, copies, lane);
  if (copies->boxes)
    return copy_lane_box(exec, copies, lane);
  if (!check_copy_size(exec, copies, lane))
    return FALSE;
  g_autofree guchar *bytes = g_malloc0(n), *marks = g_malloc0(n);
  return fetch(exec, copies, lane, bytes, marks) &&
         combine_copied(exec, copies, lane, bytes, marks) &&
         deliver(exec, copies, lane, bytes, marks);
}

// What of a step is within this block, and what asks another one.
static void
list_copies(const Exec *exec, const Copies *copies) {
  guint64 here = 0, there = 0;
  SmbLanes elsewhere = smb_transfer_elsewhere(copies->to_known, copies->to) |
                       smb_transfer_elsewhere(copies->from_known, copies->from);
  FOR_LANES(copies->lanes, lane) {
    guint64 *sum = elsewhere >> lane & 1 ? &there : &here;
    gboolean known = *sum != SMB_BYTES_UNKNOWN && copies->bytes[lane] != SMB_BYTES_UNKNOWN;
    *sum = known ? *sum + copies->bytes[lane] : SMB_BYTES_UNKNOWN;
  }
  if (elsewhere != copies->lanes)
    exec_list_traffic(exec, copies->step, copies->bulk->kind, here);
  if (elsewhere)
    exec_list_traffic(exec, copies->step, SMB_TRAFFIC_CLUSTER, there);
}

// An address that the box of a tensor has alone, by its place and by what describes the tensor, or, where that is a parameter of the
// kernel, which has no address here, by the instruction.
static guint64
make_box_address(const Exec *exec, const Step *step, const Bulk *bulk, guint lane) {
  enum {
    ROOM_BITS = 20, // of a box
    PLACE_BITS = 40,
  };
  const Registers *registers = exec->warp->registers;
  const SmbLanes one = (SmbLanes)1 << lane;
  guint64 hash = 0;
  for (guint i = 0; i < 2; i++) {
    Row row = bulk->tensor.map->address + i;
    gboolean known = smb_row_known(registers, row, one) != 0;
    smb_hash_mix(&hash, known ? row_values(registers, row)[lane] : step_number(exec, step));
  }
  for (guint i = 0; i < tensor_coordinates(&bulk->tensor); i++) {
    if (!smb_row_known(registers, bulk->tensor.coordinates[i], one))
      return SMB_BOX_START;
    smb_hash_mix(&hash, row_values(registers, bulk->tensor.coordinates[i])[lane]);
  }
  return SMB_BOX_START | (hash >> (64 - PLACE_BITS) << ROOM_BITS);
}

// Tells what is copied to or from other blocks (SmbSink.peer).
static void
tell_peers(const Exec *exec, const Copies *copies) {
  const SmbBlock *block = exec->block;
  const Bulk *bulk = copies->bulk;
  const Transfer *ends[] = {bulk->to, bulk->from};
  const guint64 *addresses[] = {copies->to, copies->from};
  const SmbLanes known[] = {copies->to_known, copies->from_known};
  for (guint i = 0; block->sink->peer && bulk->blocks == NO_ROW && i < G_N_ELEMENTS(ends); i++) {
    SmbLanes away = ends[i] ? smb_transfer_elsewhere(known[i], addresses[i]) : 0;
    FOR_LANES(away, lane) {
      block->sink->peer(block->user, copies->step->transfer->move.site, exec->w,
                        (SmbLanes)1 << lane, copies->bytes[lane], addresses[i]);
    }
  }
}

// Tells what is copied to or from global memory (SmbSink.bulk).
static void
tell_copies(const Exec *exec, const Copies *copies) {
  const SmbBlock *block = exec->block;
  const Bulk *bulk = copies->bulk;
  gboolean stores = !bulk->to || bulk->to->window != WINDOW_SHARED;
  gboolean is_inside = bulk->to && bulk->from && bulk->to->window == bulk->from->window;
  if (!block->sink->bulk || bulk->value || is_inside)
    return;
  FOR_LANES(copies->lanes, lane) {
    SmbLanes known = stores ? copies->to_known : copies->from_known;
    guint64 address = bulk->tensor.rank   ? make_box_address(exec, copies->step, bulk, (guint)lane)
                      : known >> lane & 1 ? (stores ? copies->to : copies->from)[lane]
                                          : 0;
    block->sink->bulk(block->user, copies->step->transfer->move.site, exec->w, stores, address,
                      copies->bytes[lane]);
  }
}

gboolean
smb_bulk_copy(Exec *exec, const Step *step, SmbLanes lanes, guint64 *bytes) {
  const Bulk *bulk = step->bulk;
  g_autofree Box *boxes = bulk->tensor.rank > 0 ? g_new0(Box, SMB_MAX_LANES) : NULL;
  Copies copies = {.step = step, .bulk = bulk, .lanes = lanes, .bytes = bytes, .boxes = boxes};
  read_sizes(exec, &copies);
  copies.to_known = read_addresses(exec, bulk->to, lanes, copies.to, &copies.to_flags);
  copies.from_known = read_addresses(exec, bulk->from, lanes, copies.from, &copies.from_flags);
  list_copies(exec, &copies);
  tell_copies(exec, &copies);
  tell_peers(exec, &copies);
  if (bulk->to && copies.to_known != lanes && bulk->to->window == WINDOW_SHARED)
    smb_unknown_forget_shared(exec, step);
  if (bulk->to && copies.to_known != lanes && bulk->to->window != WINDOW_SHARED)
    smb_words_mark_unknown(exec->block);
  FOR_LANES(lanes, lane) {
    if (!copy_lane(exec, &copies, (guint)lane))
      return FALSE;
  }
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  return TRUE;
}

// --- matrices of wmma, whose requests are not known

// Moves the numbers of a lane. @values, @unknown: [register][lane].
static gboolean
move_fragment_lane(Exec *exec, const Step *step, guint lane, guint64 address,
                   guint32 values[][SMB_MAX_LANES], guint32 unknown[][SMB_MAX_LANES]) {
  const Fragment *fragment = step->fragment;
  guint bits = smb_product_bits(fragment->number), bytes = bits / 8;
  guint32 stride = row_values(exec->warp->registers, fragment->stride)[lane];
  Move move = step->transfer->move;
  move.width = move.align = bytes;
  for (guint i = 0; i < fragment->n * 32 / bits; i++) {
    guint row, column, word = i * bits / 32, shift = i * bits % 32;
    guchar data[sizeof(guint64)] = {0}, marks[sizeof(guint64)] = {0};
    smb_fragment_place(fragment, i, lane, &row, &column);
    guint64 at =
        fragment->is_across ? (guint64)row * stride + column : (guint64)column * stride + row;
    if (move.op_class == SMB_OP_CLASS_LOAD &&
        !smb_bulk_read(exec->block, &move, exec->w, lane, address + at * bytes, data, marks))
      return FALSE;
    for (guint b = 0; b < bytes; b++) {
      guint in = word + b / 4, by = shift + b % 4 * 8;
      if (move.op_class == SMB_OP_CLASS_LOAD) {
        values[in][lane] |= marks[b] & MARK_KNOWN ? (guint32)data[b] << by : 0;
        unknown[in][lane] |= marks[b] & MARK_KNOWN ? 0 : 0xffu << by;
      } else {
        data[b] = (guchar)(values[in][lane] >> by);
        marks[b] = unknown[in][lane] >> by & 0xff ? 0 : MARK_KNOWN;
      }
    }
    if (move.op_class == SMB_OP_CLASS_STORE &&
        !smb_bulk_write(exec->block, &move, exec->w, lane, address + at * bytes, data, marks))
      return FALSE;
  }
  return TRUE;
}

static gboolean
move_fragment(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses) {
  const Fragment *fragment = step->fragment;
  Registers *registers = exec->warp->registers;
  guint32 values[PRODUCT_FACTORS][SMB_MAX_LANES] = {{0}},
          unknown[PRODUCT_FACTORS][SMB_MAX_LANES] = {{0}};
  gboolean loads = step->transfer->move.op_class == SMB_OP_CLASS_LOAD;
  exec_watch_row(exec, fragment->stride);
  for (guint r = 0; r < fragment->n && !loads; r++) {
    memcpy(values[r], row_values(registers, fragment->data[r]),
           registers->n_lanes * sizeof(guint32));
    for (guint lane = 0; lane < registers->n_lanes; lane++)
      unknown[r][lane] = row_lane_unknown(registers, fragment->data[r], lane);
  }
  FOR_LANES(lanes, lane) {
    if (!move_fragment_lane(exec, step, (guint)lane, addresses[lane], values, unknown))
      return FALSE;
  }
  for (guint r = 0; r < fragment->n && loads; r++)
    smb_row_set(registers, fragment->data[r], lanes, values[r], unknown[r], ROW_BLOCK,
                step_origin(exec, step));
  return TRUE;
}

gboolean
smb_step_fragment(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbBlock *block = exec->block;
  const Transfer *transfer = step->transfer;
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
  if (!lanes)
    return TRUE;
  SmbLanes known = read_addresses(exec, transfer, lanes, addresses, &flags);
  guint32 first = smb_block_find(block, addresses[smb_lanes_first(lanes)]);
  gboolean outside = known == lanes && first != REGION_SHARED;
  smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  gboolean moves = step->fragment && known == lanes &&
                   smb_row_known(exec->warp->registers, step->fragment->stride, lanes) == lanes;
  if (moves && !move_fragment(exec, step, lanes, addresses))
    return FALSE;
  if (!moves)
    smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
  if (!moves && transfer->move.op_class == SMB_OP_CLASS_STORE)
    smb_transfer_mark_unknown(exec, step, lanes, step_origin(exec, step));
  if (moves && first == REGION_SHARED && lanes == smb_lanes_below(32))
    return smb_fragment_ask(exec, step, addresses);
  if (outside || !exec_may_be_shared(exec, transfer) || !block->sink->uncounted)
    return TRUE;
  g_autofree char *reason = g_strdup_printf(
      "the assembler decides, for each chip, which lane moves which of the %" G_GUINT64_FORMAT
      " bytes of a matrix",
      step->bulk->bytes);
  block->sink->uncounted(block->user, transfer->move.site, exec->w, lanes, reason, NULL);
  return TRUE;
}
