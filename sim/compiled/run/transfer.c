// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads, stores and atomics: from registers to the words that the machine moves, and back.
#include <string.h>

#include "sim/compiled/run/run.h"
#include "sim/machine/lanes.h"

#define BLOCK_MARKS (MARK_BLOCK * MARKS_KNOWN)

static gboolean
depends_on_block(guint flags) {
  return (flags & (ROW_AFFINE | ROW_BLOCK)) != 0;
}

// The variable of a bank that has an offset; beyond all of them the last one, behind its end.
static guint64
find_piece(const GArray *pieces, guint64 offset) {
  guint i = pieces->len;
  while (i > 1 && g_array_index(pieces, BankPiece, i - 1).first > offset)
    i--;
  const BankPiece *piece = &g_array_index(pieces, BankPiece, i - 1);
  return make_pointer(piece->region, (gint64)(offset - piece->first));
}

static SmbLanes
find_addresses(Runner *runner, const Transfer *transfer, SmbLanes lanes, guint64 *addresses,
               guint *flags, guint32 *origin) {
  const Registers *registers = runner->warp->registers;
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
    smb_order_decides(runner, transfer, "the address");
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

// The rank of the block in addresses of its own shared memory, above which some of them lie, and some below. Where another rank
// could stand, none is rank 0.
static void
leave_rank(const Runner *runner, const Transfer *transfer, guint64 *addresses) {
  const guint64 start = make_pointer(REGION_SHARED, 0);
  const guint32 below = 1u << (CLUSTER_SHIFT - 1);
  gboolean names_any = transfer->window != WINDOW_SHARED || transfer->is_cluster;
  for (guint lane = 0; lane < runner->warp->registers->n_lanes; lane++) {
    guint64 offset = addresses[lane] - start;
    guint32 raised = (guint32)offset + below;
    if (offset >> 32 == 0 && (names_any || raised >> CLUSTER_SHIFT != 0))
      addresses[lane] = start + (guint32)((raised ^ runner->own_rank) - below);
  }
}

SmbLanes
smb_transfer_addresses(Runner *runner, const Transfer *transfer, SmbLanes lanes, guint64 *addresses,
                       guint *flags, guint32 *origin) {
  SmbLanes known = find_addresses(runner, transfer, lanes, addresses, flags, origin);
  if (G_UNLIKELY(runner->own_rank))
    leave_rank(runner, transfer, addresses);
  if (G_UNLIKELY(transfer->pieces != NULL)) {
    FOR_LANES(known, lane) {
      addresses[lane] = find_piece(transfer->pieces, addresses[lane]);
    }
  }
  return known;
}

void
smb_transfer_watch(const Runner *runner, guint flags) {
  if (flags & ROW_BLOCK && runner->block->signature)
    smb_signature_refuse(runner->block);
}

// Beside a variable, what lies between two places need not be memory as there.
static void
watch_beside(const Runner *runner, guint flags, guint32 index) {
  const SmbBlock *block = runner->block;
  if (index >= block->n_numbered && index < block->n_objects && depends_on_block(flags) &&
      smb_map_stretch(block->map, index - block->n_numbered)->has_variables)
    smb_signature_refuse(runner->block);
}

// Shared and private memory is marked: there, affine addresses are the same in all blocks that are alike.
guint
smb_transfer_taint(const Runner *runner, guint flags, SmbLanes lanes, const guint64 *addresses) {
  const SmbBlock *block = runner->block;
  if (!block->signature)
    return 0;
  FOR_LANES(lanes, lane) {
    guint32 index = smb_block_find(block, addresses[lane]);
    const Object *object = &block->objects[index];
    guint written = runner->written[index];
    if (object->space != SPACE_GLOBAL && object->space != SPACE_CONSTANT)
      continue;
    watch_beside(runner, flags, index);
    gboolean is_blank = object->contents.fill == SMB_FILL_UNKNOWN && !(written & OBJECT_WRITTEN);
    if (written & OBJECT_STREWN || (depends_on_block(flags) && !is_blank))
      return ROW_BLOCK;
  }
  return 0;
}

// A block sees what it wrote itself.
void
smb_transfer_note_store(Runner *runner, guint flags, SmbLanes lanes, const guint64 *addresses) {
  guint how = OBJECT_WRITTEN | (depends_on_block(flags) ? OBJECT_STREWN : 0);
  if (!runner->block->signature && !runner->follows)
    return;
  runner->wrote = TRUE;
  FOR_LANES(lanes, lane) {
    guint32 index = smb_block_find(runner->block, addresses[lane]);
    runner->written[index] |= (guint8)how;
    if (runner->block->signature)
      watch_beside(runner, flags, index);
  }
}

// The bits of the bytes that are not known.
static guint32
unknown_bits(guint32 marks) {
  return ~((marks & MARKS_KNOWN) * 0xff);
}

static void
put_row(Runner *runner, const Step *step, Row row, SmbLanes lanes, const guint32 *values,
        const guint32 *unknown, guint flags) {
  smb_row_set(runner->warp->registers, row, lanes, values, unknown, flags,
              step_origin(runner, step));
}

// A word that is one row. Returns whether all of it is known.
static gboolean
deliver_word(Runner *runner, const Step *step, Row to, SmbLanes lanes, guint flags,
             const guint32 *values, const guint32 *marks) {
  guint32 all = G_MAXUINT32, any = 0;
  if (lanes == runner->block->all_lanes) {
    EACH_LANE(runner->block->lanes, {
      all &= marks[lane];
      any |= marks[lane];
    })
  } else {
    FOR_LANES(lanes, lane) {
      all &= marks[lane];
      any |= marks[lane];
    }
  }
  flags |= any & BLOCK_MARKS ? ROW_BLOCK : 0;
  if ((any & MARKS_KNOWN) == 0)
    smb_row_forget(runner->warp->registers, to, lanes, flags, step_origin(runner, step));
  else if ((all & MARKS_KNOWN) == MARKS_KNOWN)
    put_row(runner, step, to, lanes, values, NULL, flags);
  else {
    guint32 unknown[SMB_MAX_LANES], known[SMB_MAX_LANES];
    EACH_LANE(runner->block->lanes, {
      unknown[lane] = unknown_bits(marks[lane]);
      known[lane] = values[lane] & ~unknown[lane];
    })
    put_row(runner, step, to, lanes, known, unknown, flags);
  }
  return (all & MARKS_KNOWN) == MARKS_KNOWN;
}

// A component that is narrower than its register.
static gboolean
deliver_extended(Runner *runner, const Step *step, guint component, SmbLanes lanes, guint flags,
                 const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  guint at = component * transfer->bytes, bits = transfer->bytes * 8;
  guint32 values[2][SMB_MAX_LANES] = {{0}}, marks[2][SMB_MAX_LANES];
  FOR_LANES(lanes, lane) {
    guint64 value = words->values[at / 4][lane] >> (at % 4 * 8);
    guint32 mark = words->marks[at / 4][lane] >> (at % 4 * 8);
    guint64 sign = transfer->is_signed ? G_GUINT64_CONSTANT(1) << (bits - 1) : 0;
    value &= bits == 32 ? G_MAXUINT32 : (1u << bits) - 1;
    value = (value ^ sign) - sign;
    // What is copied from the sign is known if that is.
    guint32 top = mark >> (bits - 8) & 0xff, fill = transfer->is_signed ? top : MARK_KNOWN;
    guint32 within = bits == 32 ? G_MAXUINT32 : (1u << bits) - 1;
    marks[0][lane] = (mark & within) | (fill * MARKS_KNOWN & ~within);
    marks[1][lane] = fill * MARKS_KNOWN;
    values[0][lane] = (guint32)value;
    values[1][lane] = (guint32)(value >> 32);
  }
  gboolean known = TRUE;
  for (guint row = 0; row < transfer->rows; row++)
    known &= deliver_word(runner, step, transfer->data[component] + row, lanes, flags, values[row],
                          marks[row]);
  return known;
}

gboolean
smb_transfer_deliver(Runner *runner, const Step *step, SmbLanes lanes, guint flags,
                     const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  gboolean known = TRUE;
  for (guint c = 0; c < transfer->n_components; c++) {
    if (transfer->data[c] == NO_ROW)
      continue;
    guint word = c * transfer->bytes / 4;
    if (transfer->bytes < 4 || transfer->rows * 4 > transfer->bytes) {
      known &= deliver_extended(runner, step, c, lanes, flags, words);
      continue;
    }
    for (guint row = 0; row < transfer->rows; row++)
      known &= deliver_word(runner, step, transfer->data[c] + row, lanes, flags,
                            words->values[word + row], words->marks[word + row]);
  }
  return known;
}

// The values of @lanes of a row, and the marks of their bytes. Returns the row's origin if something is not known of these.
static guint32
gather_row(const Registers *registers, Row from, SmbLanes lanes, guint32 *values, guint32 *marks) {
  guint flags = row_flags_in(registers, from, lanes), n = registers->n_lanes;
  guint32 block = depends_on_block(flags) ? BLOCK_MARKS : 0, known = MARKS_KNOWN | block;
  if (flags & ROW_ALL_UNKNOWN) {
    memset(values, 0, n * sizeof *values);
    EACH_LANE(n, marks[lane] = block;)
    return row_origin(registers, from);
  }
  memcpy(values, row_values(registers, from), n * sizeof *values);
  EACH_LANE(n, marks[lane] = known;)
  if (smb_row_known(registers, from, lanes) == lanes)
    return 0;
  const guint32 *unknown = row_unknown(registers, from);
  for (guint lane = 0; lane < n; lane++) {
    for (guint byte = 0; byte < 4; byte++) {
      if (unknown[lane] >> (8 * byte) & 0xff)
        marks[lane] &= ~((guint32)MARK_KNOWN << (8 * byte));
    }
  }
  return row_origin(registers, from);
}

// Registers of @bytes each, side by side, of @lanes. Returns the origin of what is not known of them; 0: all is.
static guint32
gather(const Registers *registers, const Row *rows, guint n_components, guint bytes, SmbLanes lanes,
       MarkedWords *words) {
  guint32 origin = 0;
  guint n = registers->n_lanes;
  if (bytes < 4) {
    memset(words->values, 0, sizeof words->values);
    memset(words->marks, 0, sizeof words->marks);
  }
  for (guint c = 0; c < n_components; c++) {
    guint at = c * bytes, word = at / 4, shift = at % 4 * 8;
    guint32 from = 0;
    for (guint row = 0; bytes >= 4 && row < bytes / 4; row++) {
      guint32 of_row = gather_row(registers, rows[c] + row, lanes, words->values[word + row],
                                  words->marks[word + row]);
      from = from ? from : of_row;
    }
    if (bytes < 4) {
      guint32 values[SMB_MAX_LANES], marks[SMB_MAX_LANES], within = (1u << (bytes * 8)) - 1;
      from = gather_row(registers, rows[c], lanes, values, marks);
      EACH_LANE(n, {
        words->values[word][lane] |= (values[lane] & within) << shift;
        words->marks[word][lane] |= (marks[lane] & within) << shift;
      })
    }
    origin = origin ? origin : from;
  }
  return origin;
}

// Of global memory that other blocks may change meanwhile nothing is known.
static void
note_order(Runner *runner, const Transfer *transfer, SmbLanes lanes, const guint64 *addresses,
           MarkedWords *words) {
  SmbBlock *block = runner->block;
  if (transfer->order <= ORDER_BLOCK || !block_has_company(block))
    return;
  FOR_LANES(lanes, lane) {
    if (block->objects[smb_block_find(block, addresses[lane])].space != SPACE_GLOBAL)
      continue;
    block->misses_others = TRUE;
    for (guint word = 0; word < MAX_MOVE_BYTES / 4; word++)
      words->marks[word][lane] = 0;
    if (transfer->order == ORDER_ACQUIRE)
      smb_words_blur(block);
  }
}

// Accesses whose addresses are not known: whatever they could have touched is not known any more.
static void
lose(Runner *runner, const Step *step, SmbLanes lanes, guint32 origin) {
  const Transfer *transfer = step->transfer;
  gboolean writes = transfer->move.op_class != SMB_OP_CLASS_LOAD;
  if (smb_transfer_may_be_shared(runner, transfer))
    smb_runner_uncounted(runner, step, lanes, "the address", origin);
  if (writes)
    smb_runner_blur(runner, step, lanes, origin);
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
  smb_runner_lose_global(runner, step);
  smb_runner_forget(runner, step, lanes, step_origin(runner, step));
}

// The addresses of an access, and whether it is made: lanes make it, and it is known where.
static gboolean
locate(Runner *runner, const Step *step, SmbLanes lanes, guint64 *addresses, guint *flags) {
  guint32 origin = 0;
  if (!lanes)
    return FALSE;
  SmbLanes known = smb_transfer_addresses(runner, step->transfer, lanes, addresses, flags, &origin);
  smb_transfer_watch(runner, *flags);
  if (known != lanes)
    lose(runner, step, lanes, origin);
  return known == lanes;
}

// Lanes that ask for shared memory of another block are listed, and what they load is not known; the others.
static SmbLanes
stay_here(Runner *runner, const Step *step, SmbLanes lanes, const guint64 *addresses) {
  const guint *cluster = runner->block->cluster;
  if ((!runner->code->maps_cluster && cluster[0] * cluster[1] * cluster[2] == 1) || !lanes)
    return lanes;
  SmbLanes elsewhere = smb_transfer_elsewhere(lanes, addresses);
  if (!elsewhere)
    return lanes;
  smb_runner_note(runner, step, (Cause){.kind = CAUSE_OPAQUE});
  smb_runner_traffic(runner, step, SMB_TRAFFIC_CLUSTER,
                     (guint64)step->transfer->move.width * smb_lanes_count(elsewhere));
  smb_runner_forget(runner, step, elsewhere, step_origin(runner, step));
  return lanes & ~elsewhere;
}

// The base of an access to shared memory by an address of 32 bits that all lanes know, and of which a signature needs to
// say no more than where it goes; else NULL.
static const guint32 *
find_base(const Runner *runner, const Transfer *transfer, SmbLanes lanes) {
  static const guint32 none[SMB_MAX_LANES];
  const Registers *registers = runner->warp->registers;
  gboolean in_order = transfer->move.op_class == SMB_OP_CLASS_ATOMIC
                          ? smb_order_is_free(transfer)
                          : transfer->order == ORDER_WEAK;
  if (transfer->window != WINDOW_SHARED || !lanes || runner->ordered || transfer->is_cluster ||
      runner->own_rank || !in_order)
    return NULL;
  if (transfer->address_rows == 0)
    return none;
  return transfer->address_rows > 1 ||
                 row_flags_in(registers, transfer->address, lanes) & ROW_BLOCK ||
                 smb_row_known(registers, transfer->address, lanes) != lanes
             ? NULL
             : row_values(registers, transfer->address);
}

// Why what is loaded from shared memory is not known.
static void
explain_shared(Runner *runner, const Step *step, SmbLanes lanes, const guint32 *base,
               const MarkedWords *words) {
  if (runner->causes[step_number(runner, step)].kind != CAUSE_NONE)
    return;
  gsize at;
  guint lane = smb_stored_find_lane(words, step->transfer->move.width, lanes, &at);
  smb_stored_explain(
      runner, step,
      make_pointer(REGION_SHARED, base[lane] + (guint32)step->transfer->offset + (guint32)at));
}

// Whether it loads what other threads are expected to change.
static inline gboolean
looks_at_others(Runner *runner, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  if (transfer->order != ORDER_WEAK)
    return smb_transfer_may_be_shared(runner, transfer);
  return runner->arrivals && transfer->window == WINDOW_SHARED && lanes &&
         smb_runner_tests_arrivals(runner, step, lanes);
}

gboolean
smb_step_load(Runner *runner, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  guint64 addresses[SMB_MAX_LANES];
  const guint32 *base = find_base(runner, transfer, lanes);
  guint flags = 0;
  MarkedWords words;
  if (G_UNLIKELY(looks_at_others(runner, step, lanes)) && !smb_runner_may_look(runner, step, lanes))
    return TRUE;
  if (base) {
    if (!smb_words_load_shared(runner->block, &transfer->move, runner->w, lanes, base,
                               (guint32)transfer->offset, &words))
      return FALSE;
    if (!smb_transfer_deliver(runner, step, lanes, 0, &words))
      explain_shared(runner, step, lanes, base, &words);
    return TRUE;
  }
  if (!locate(runner, step, lanes, addresses, &flags) ||
      !(lanes = stay_here(runner, step, lanes, addresses)))
    return TRUE;
  if (!smb_words_load(runner->block, &transfer->move, runner->w, lanes, addresses, &words))
    return FALSE;
  note_order(runner, transfer, lanes, addresses, &words);
  guint taint = smb_transfer_taint(runner, flags, lanes, addresses) |
                smb_order_found(runner, step, lanes, addresses);
  if (!smb_transfer_deliver(runner, step, lanes, taint, &words)) {
    smb_stored_explain_lanes(runner, step, lanes, addresses, transfer->move.width, &words);
    smb_stored_explain_components(runner, step, lanes, addresses, &words);
  }
  if (G_UNLIKELY(runner->block->may_wait))
    smb_runner_look(runner, step, lanes, addresses, &words);
  return TRUE;
}

gboolean
smb_step_store(Runner *runner, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  const Registers *registers = runner->warp->registers;
  guint64 addresses[SMB_MAX_LANES];
  const guint32 *base = find_base(runner, transfer, lanes);
  guint flags = 0;
  MarkedWords words;
  if (base) {
    guint32 origin =
        gather(registers, transfer->data, transfer->n_components, transfer->bytes, lanes, &words);
    smb_stored_note_shared(runner, step, lanes, base, (guint32)transfer->offset, origin);
    return smb_words_store_shared(runner->block, &transfer->move, runner->w, lanes, base,
                                  (guint32)transfer->offset, &words);
  }
  if (!locate(runner, step, lanes, addresses, &flags) ||
      !(lanes = stay_here(runner, step, lanes, addresses)))
    return TRUE;
  smb_stored_note(
      runner, step, lanes, addresses, transfer->move.width,
      gather(registers, transfer->data, transfer->n_components, transfer->bytes, lanes, &words));
  smb_order_disputes(runner, step, lanes, addresses, &words);
  if (!smb_words_store(runner->block, &transfer->move, runner->w, lanes, addresses, &words))
    return FALSE;
  smb_transfer_note_store(runner, flags, lanes, addresses);
  smb_order_stored(runner, step, flags, lanes, addresses);
  return TRUE;
}

gboolean
smb_step_atomic(Runner *runner, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  const Registers *registers = runner->warp->registers;
  SmbBlock *block = runner->block;
  guint64 addresses[SMB_MAX_LANES];
  const guint32 *base = find_base(runner, transfer, lanes);
  guint flags = 0;
  MarkedWords operand, swap, before;
  if (!base && (!locate(runner, step, lanes, addresses, &flags) ||
                !(lanes = stay_here(runner, step, lanes, addresses))))
    return TRUE;
  guint32 origin = gather(registers, transfer->operands, transfer->n_components, transfer->bytes,
                          lanes, &operand);
  if (!base && transfer->swap != NO_ROW) {
    guint32 of_swap = gather(registers, &transfer->swap, 1, transfer->bytes, lanes, &swap);
    origin = origin ? origin : of_swap;
  }
  if (base)
    smb_stored_note_shared(runner, step, lanes, base, (guint32)transfer->offset, origin);
  else
    smb_stored_note(runner, step, lanes, addresses, transfer->move.width, origin);
  Move move = transfer->move;
  move.op = smb_atomic_op(block->arch, move.atomic, move.kind, transfer->increments);
  if (base)
    return smb_words_atomic_shared(block, &move, runner->w, lanes, base, (guint32)transfer->offset,
                                   &operand);
  if (!smb_words_atomic(block, &move, runner->w, lanes, addresses, &operand,
                        transfer->swap == NO_ROW ? NULL : &swap, &before))
    return FALSE;
  note_order(runner, transfer, lanes, addresses, &before);
  guint taint = smb_transfer_taint(runner, flags, lanes, addresses) |
                smb_order_found(runner, step, lanes, addresses);
  smb_transfer_note_store(runner, flags, lanes, addresses);
  smb_order_stored(runner, step, flags, lanes, addresses);
  if (!smb_transfer_deliver(runner, step, lanes, taint, &before))
    smb_stored_explain_lanes(runner, step, lanes, addresses, transfer->move.width, &before);
  if (G_UNLIKELY(block->may_wait))
    smb_runner_look(runner, step, lanes, addresses, &before);
  return TRUE;
}

// --- a swap that is tried again (ATOMS.CAST.SPIN)

// Of lanes that name one place, the first one; of 8 bytes, the first one of each half of the warp.
static SmbLanes
find_contenders(SmbLanes lanes, guint n_lanes, guint width, const guint64 *addresses) {
  SmbLanes first = 0;
  FOR_LANES(lanes, lane) {
    SmbLanes rivals = first;
    if (width > 4)
      rivals &= lane < n_lanes / 2 ? smb_lanes_below(n_lanes / 2) : ~smb_lanes_below(n_lanes / 2);
    gboolean is_named = FALSE;
    FOR_LANES(rivals, other) {
      is_named = is_named || addresses[other] == addresses[lane];
    }
    first |= (SmbLanes)!is_named << lane;
  }
  return first;
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
smb_step_cast(Runner *runner, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  Registers *registers = runner->warp->registers;
  guint64 addresses[SMB_MAX_LANES];
  guint32 values[SMB_MAX_LANES] = {0};
  guint flags = 0;
  SmbLanes winners = 0;
  MarkedWords expected, swap, before;
  if (!locate(runner, step, lanes, addresses, &flags))
    return TRUE;
  SmbLanes contenders =
      find_contenders(lanes, registers->n_lanes, (guint)transfer->move.width, addresses);
  guint32 origin = gather(registers, transfer->operands, 1, transfer->bytes, lanes, &expected),
          of_swap = gather(registers, &transfer->swap, 1, transfer->bytes, lanes, &swap);
  smb_stored_note(runner, step, lanes, addresses, transfer->move.width, origin ? origin : of_swap);
  Move move = transfer->move;
  move.op = SMB_OP_CAS;
  if (!smb_words_atomic(runner->block, &move, runner->w, contenders, addresses, &expected, &swap,
                        &before))
    return FALSE;
  guint taint = smb_transfer_taint(runner, flags, lanes, addresses) |
                smb_order_found(runner, step, lanes, addresses);
  smb_transfer_note_store(runner, flags, lanes, addresses);
  smb_order_stored(runner, step, flags, lanes, addresses);
  FOR_LANES(contenders, lane) {
    gboolean swapped = has_swapped(transfer, &expected, &before, (guint)lane, winners, addresses);
    winners |= (SmbLanes)swapped << lane;
    values[lane] = swapped;
  }
  if (step->compute.d != NO_ROW)
    smb_row_set(registers, step->compute.d, lanes, values, NULL, taint & ROW_TAINT, 0);
  smb_predicate_set(registers, step->compute.p, lanes, winners, 0, taint & ROW_TAINT, 0);
  return TRUE;
}
