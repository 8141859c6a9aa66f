// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What uses shared memory and makes no request of it that is counted: barriers there (mbarrier), copies in bulk,
// operands of products of warpgroups. What the operands mean was found by compiling PTX that says it (CUDA 13,
// sm_90 to sm_120).
#include "sim/sass/decode/decode.h"

enum {
  COPY_QUANTUM = 16,              // bytes: of copies in bulk, whose sizes count them
  FIRST_CHIP_WITH_MBARRIERS = 90, // as objects that the hardware keeps
  MOST_ARRIVALS = 0x100000,
  PHASE_BIT = 31, // of the high word of a state
  WARPGROUP = 4,  // warps
  GROUP_ROWS = 64,
};

static Row
emit_bulk_row(SassDecoder *decoder, Operation operation, Row a, Row b) {
  Compute compute = {.operation = operation, .d = smb_sass_scratch(decoder, 1), .s = {a, b}};
  smb_sass_add_compute(decoder, &compute);
  return compute.d;
}

// A place in shared memory, which may be another block's. FALSE: it is in a form that is not modelled.
static gboolean
set_place(SassDecoder *decoder, Transfer *transfer, const SassOperand *address) {
  transfer->is_cluster = TRUE;
  return address && smb_sass_set_shared_address(decoder, transfer, address);
}

// What is listed without an address of its own.
static Transfer *
make_site(SassDecoder *decoder, SmbOpClass op_class, guint width) {
  Transfer *site = smb_build_apart(&decoder->builder, op_class, width);
  site->is_cluster = TRUE;
  return site;
}

// --- barriers: SYNCS

// SYNCS.EXCH.64: what a barrier is made with says how many arrivals are left of the most that there can be, from
// bit 1 on, and the parity of its phase, in the highest bit: cuBLAS makes some whose phase is odd, of which the even one is complete.
static gboolean
decode_exchange(SassDecoder *decoder, Transfer *at) {
  const SassOperand *value = smb_sass_operand(decoder, 2);
  Row row = value ? smb_sass_source(decoder, value, 2) : NO_ROW;
  if (row == NO_ROW || !set_place(decoder, at, smb_sass_operand(decoder, 1)))
    return smb_sass_refused(decoder);
  Row half = emit_bulk_row(decoder, OPERATION_SHR_U32, row, smb_sass_constant(decoder, 1, 1));
  Row number =
      emit_bulk_row(decoder, OPERATION_SUB_32, smb_sass_constant(decoder, MOST_ARRIVALS, 1), half);
  Row phase =
      emit_bulk_row(decoder, OPERATION_SHR_U32, row + 1, smb_sass_constant(decoder, PHASE_BIT, 1));
  smb_build_mbarrier(&decoder->builder, STEP_MBARRIER_ONCE, at, MBARRIER_INIT, number, phase,
                     NO_ROW);
  return TRUE;
}

// SYNCS.PHASECHK: the phase is the highest bit of what it is compared with, whether that is a parity or a state.
static gboolean
decode_wait(SassDecoder *decoder, Transfer *at) {
  const SassOperand *p = smb_sass_operand(decoder, 0), *phase = smb_sass_operand(decoder, 2);
  Row row = phase ? smb_sass_source(decoder, phase, 1) : NO_ROW;
  if (!p || !smb_sass_is_predicate(p) || row == NO_ROW ||
      !set_place(decoder, at, smb_sass_operand(decoder, 1)))
    return smb_sass_refused(decoder);
  row = emit_bulk_row(decoder, OPERATION_SHR_U32, row, smb_sass_constant(decoder, PHASE_BIT, 1));
  smb_build_mbarrier_wait(&decoder->builder, at, MBARRIER_PARITY, row,
                          smb_sass_predicate(decoder, p));
  return TRUE;
}

// A1T0: an arrival; ART0: R2 of them; A0TR: R2 bytes are announced; A0TX: are complete; without any of these: an
// arrival that announces R2 bytes. OPTOUT: who arrives does not come again. A0T1 goes with ARRIVES, which undoes
// it.
static MBarrierAction
find_action(const SassDecoder *decoder) {
  gboolean drops = smb_sass_has(decoder, PART_OPTOUT);
  const SassChoice actions[] = {{PART_A0T1, MBARRIER_TOUCH},
                                {PART_A1T0, drops ? MBARRIER_DROP : MBARRIER_ARRIVE},
                                {PART_ART0, drops ? MBARRIER_DROP : MBARRIER_ARRIVE},
                                {PART_A0TR, MBARRIER_EXPECT},
                                {PART_A0TX, MBARRIER_COMPLETE}};
  return (MBarrierAction)SASS_CHOOSE(decoder, actions,
                                     drops ? MBARRIER_DROP_EXPECT : MBARRIER_ARRIVE_EXPECT);
}

// SYNCS.ARRIVE leaves the state ahead of it; .TMASK, of arrive.noComplete, the lanes that arrive in the place of its low
// word, of which ptxas computes what each of them would have found.
static gboolean
decode_arrival(SassDecoder *decoder, Transfer *at) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *number = smb_sass_operand(decoder, 2);
  gboolean has_number = !smb_sass_has(decoder, PART_A1T0) && !smb_sass_has(decoder, PART_A0T1);
  if (!d || !number || !set_place(decoder, at, smb_sass_operand(decoder, 1)))
    return smb_sass_refused(decoder);
  Row state = smb_sass_is_dropped(d) ? NO_ROW : smb_sass_result(decoder, d, 2);
  guint form = state == NO_ROW                     ? 0
               : smb_sass_has(decoder, PART_TMASK) ? MBARRIER_LANES
                                                   : MBARRIER_WORDS;
  smb_build_mbarrier(&decoder->builder, STEP_MBARRIER, at, find_action(decoder) | form,
                     has_number ? smb_sass_source(decoder, number, 1) : NO_ROW, NO_ROW, state);
  return TRUE;
}

gboolean
smb_sass_mbarrier(SassDecoder *decoder) {
  if (smb_sass_has(decoder, PART_CCTL))
    return smb_sass_harmless(decoder);
  Transfer *at = smb_sass_new_transfer(decoder);
  return smb_sass_has(decoder, PART_EXCH)       ? decode_exchange(decoder, at)
         : smb_sass_has(decoder, PART_PHASECHK) ? decode_wait(decoder, at)
         : smb_sass_has(decoder, PART_ARRIVE)   ? decode_arrival(decoder, at)
                                                : smb_sass_refused(decoder);
}

gboolean
smb_sass_arrive_early(SassDecoder *decoder, const SassOperand *d, const SassOperand *address) {
  Transfer *at = smb_sass_new_transfer(decoder);
  if (!set_place(decoder, at, address))
    return smb_sass_refused(decoder);
  smb_build_mbarrier(&decoder->builder, STEP_ARRIVE, at, 0, NO_ROW, NO_ROW,
                     d && !smb_sass_is_dropped(d) ? smb_sass_result(decoder, d, 2) : NO_ROW);
  return TRUE;
}

// ARRIVES.LDGSTSBAR [barrier]: copies of each thread are complete; with TRANSCNT it takes back what it announced.
gboolean
smb_sass_copied(SassDecoder *decoder) {
  const SassOperand *address = smb_sass_operand(decoder, 0);
  if (!smb_sass_has(decoder, PART_LDGSTSBAR))
    return smb_sass_refused(decoder);
  smb_build_plain(&decoder->builder, STEP_AWAIT, PENDING_NONE);
  if (decoder->chip < FIRST_CHIP_WITH_MBARRIERS)
    return smb_sass_arrive_early(decoder, NULL, address);
  Transfer *at = smb_sass_new_transfer(decoder);
  gboolean takes_back = smb_sass_has(decoder, PART_TRANSCNT);
  if (!set_place(decoder, at, address))
    return smb_sass_refused(decoder);
  smb_build_mbarrier(&decoder->builder, STEP_MBARRIER, at,
                     takes_back ? MBARRIER_TOUCH : MBARRIER_ARRIVE, NO_ROW, NO_ROW, NO_ROW);
  return TRUE;
}

// --- copies in bulk

// An end of a copy, whose address is in a row, or in two.
static Transfer *
make_copy_end(SassDecoder *decoder, const Transfer *site, gboolean shared, Row address,
              SmbOpClass op_class) {
  Transfer *transfer = smb_build_end(&decoder->builder, site, op_class);
  transfer->window = shared ? WINDOW_SHARED : WINDOW_GENERIC;
  transfer->is_cluster = shared;
  transfer->offset = shared ? (guint32)-decoder->reserved_shared : 0;
  transfer->address = address;
  transfer->address_rows = shared ? 1 : 2;
  return transfer;
}

static gboolean
add_bulk(SassDecoder *decoder, StepOpcode opcode, const Transfer *site, const Bulk *bulk) {
  Step step = smb_build_bulk(&decoder->builder, opcode, site, bulk);
  smb_code_add(decoder->code, &step);
  return TRUE;
}

// Some bits of a register, as a number.
static Row
emit_bits(SassDecoder *decoder, Row row, guint from, guint width) {
  guint above = 32 - from - width;
  Row shifted = above == 0 ? row
                           : emit_bulk_row(decoder, OPERATION_SHL_32, row,
                                           smb_sass_constant(decoder, above, 1));
  return emit_bulk_row(decoder, OPERATION_SHR_U32, shifted,
                       smb_sass_constant(decoder, 32 - width, 1));
}

// Of UBLKRED.
static SmbScalar
find_reduced_number(const SassDecoder *decoder) {
  static const SassChoice numbers[] = {{PART_S32, SMB_SCALAR_I32},  {PART_U64, SMB_SCALAR_U64},
                                       {PART_S64, SMB_SCALAR_I64},  {PART_F16, SMB_SCALAR_F16},
                                       {PART_F32, SMB_SCALAR_F32},  {PART_F64, SMB_SCALAR_F64},
                                       {PART_BF16, SMB_SCALAR_BF16}};
  return (SmbScalar)SASS_CHOOSE(decoder, numbers, SMB_SCALAR_U32);
}

// UBLKCP.S.G [UR8], [UR4], UR6: to shared memory at UR8, with the barrier at UR9; .G.S: from it; .S.S: to another
// block of the cluster. With .MULTICAST, UR6 has the blocks that get it in its upper half. UBLKRED, which has an
// argument, combines it with what is there.
gboolean
smb_sass_bulk_copy(SassDecoder *decoder) {
  const SassOperand *to = smb_sass_operand(decoder, 0), *from = smb_sass_operand(decoder, 1);
  const SassOperand *size = smb_sass_operand(decoder, 2);
  gboolean enters = decoder->instruction->parts[0] == PART_S;
  gboolean leaves = decoder->instruction->parts[1] == PART_S;
  if (!to || !from || !size || to->kind != SASS_ADDRESS || from->kind != SASS_ADDRESS ||
      !smb_sass_is_register(size) || smb_sass_has(decoder, PART_FTZ))
    return smb_sass_refused(decoder);
  Row target = decoder->uniforms + to->uniform, source = decoder->uniforms + from->uniform;
  gboolean reduces = decoder->argument;
  Bulk *bulk = smb_code_new_bulk(decoder->code, reduces ? SMB_TRAFFIC_REDUCTION : SMB_TRAFFIC_BULK,
                                 COPY_QUANTUM);
  if (reduces) {
    bulk->atomic = (Atomic)smb_sass_named_atomic(decoder, ATOMIC_EXCHANGE);
    bulk->number = find_reduced_number(decoder);
  }
  Row count = smb_sass_source(decoder, size, 1);
  if (smb_sass_has(decoder, PART_MULTICAST)) {
    bulk->blocks = emit_bits(decoder, count, 16, 16);
    count = emit_bits(decoder, count, 0, 16);
  }
  bulk->size = emit_bulk_row(decoder, OPERATION_SHL_32, count, smb_sass_constant(decoder, 4, 1));
  const Transfer *site =
      make_site(decoder, enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  bulk->to = make_copy_end(decoder, site, enters, target, SMB_OP_CLASS_STORE);
  bulk->from = make_copy_end(decoder, site, leaves, source, SMB_OP_CLASS_LOAD);
  if (enters)
    bulk->barrier = make_copy_end(decoder, site, TRUE, target + 1, SMB_OP_CLASS_ATOMIC);
  return add_bulk(decoder, STEP_BULK_ONCE, site, bulk);
}

// What is written at @address, without a source.
static Transfer *
begin_zeros(SassDecoder *decoder, Bulk *bulk, const SassOperand *address, guint quantum,
            const Transfer **site) {
  *site = make_site(decoder, SMB_OP_CLASS_STORE, quantum);
  Transfer *to =
      make_copy_end(decoder, *site, TRUE, decoder->uniforms + address->uniform, SMB_OP_CLASS_STORE);
  to->offset += (guint64)address->value;
  bulk->to = to;
  bulk->is_zeros = TRUE;
  return to;
}

// UGETNEXTWORKID.SELFCAST [UR4]: clusterlaunchcontrol.try_cancel, whose response goes to UR4, with the barrier at UR5: of zeros, which
// decline. Bit 0 of its third word is what ptxas reads as whether a block was cancelled. .BROADCAST: to all blocks of the cluster.
gboolean
smb_sass_next_block(SassDecoder *decoder) {
  enum {
    RESPONSE_BYTES = 16,
  };
  const SassOperand *to = smb_sass_operand(decoder, 0);
  const Transfer *site;
  if (!to || to->kind != SASS_ADDRESS || to->uniform + 1 >= SASS_URZ)
    return smb_sass_refused(decoder);
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_STORE, RESPONSE_BYTES);
  bulk->size = smb_sass_constant(decoder, RESPONSE_BYTES, 1);
  bulk->is_race = TRUE;
  begin_zeros(decoder, bulk, to, RESPONSE_BYTES, &site);
  bulk->barrier =
      make_copy_end(decoder, site, TRUE, decoder->uniforms + to->uniform + 1, SMB_OP_CLASS_ATOMIC);
  if (smb_sass_has(decoder, PART_BROADCAST))
    bulk->blocks = smb_sass_cluster_mask(decoder);
  return add_bulk(decoder, STEP_BULK_ONCE, site, bulk);
}

// UMEMSETS [UR4+0x80], URZ, UR6: st.bulk of 8 * UR6 zeros.
gboolean
smb_sass_fill(SassDecoder *decoder) {
  enum {
    FILL_QUANTUM = 8,
  };
  const SassOperand *to = smb_sass_operand(decoder, 0), *with = smb_sass_operand(decoder, 1);
  const SassOperand *size = smb_sass_operand(decoder, 2);
  const Transfer *site;
  if (!to || to->kind != SASS_ADDRESS || !with || !smb_sass_is_dropped(with) || !size)
    return smb_sass_refused(decoder);
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_BULK, FILL_QUANTUM);
  bulk->size = emit_bulk_row(decoder, OPERATION_SHL_32, smb_sass_source(decoder, size, 1),
                             smb_sass_constant(decoder, 3, 1));
  begin_zeros(decoder, bulk, to, FILL_QUANTUM, &site);
  return add_bulk(decoder, STEP_BULK_ONCE, site, bulk);
}

// The third operand: offsets of pixels in the lower half, of as many bits as a corner of the map has, and the blocks of a copy
// to several in the upper one.
static void
set_tensor_extras(SassDecoder *decoder, Bulk *bulk, const SassOperand *extras) {
  Tensor *tensor = &bulk->tensor;
  Row row = extras && smb_sass_is_register(extras) ? smb_sass_source(decoder, extras, 1) : NO_ROW;
  if (row == NO_ROW)
    return;
  guint width = smb_tensor_corner_bits(tensor->rank);
  for (guint i = 0; tensor->is_im2col && i + 2 < tensor->rank; i++)
    tensor->offsets[i] = emit_bits(decoder, row, i * width, width);
  if (smb_sass_has(decoder, PART_MULTICAST))
    bulk->blocks = emit_bits(decoder, row, 16, 16);
}

// UTMALDG.2D [UR8], [UR4]: a box of the tensor whose map is at UR4 to shared memory at UR8, with the barrier at UR9, its coordinates
// from UR10 on, of .GATHER4 five, .2CTA: with the barrier of the pair; UTMASTG, UTMAREDG: from it, with coordinates from UR9 on. The argument says whether it enters shared memory.
gboolean
smb_sass_tensor(SassDecoder *decoder) {
  static const SassChoice ranks[] = {{PART_2D, 2}, {PART_3D, 3}, {PART_4D, 4}, {PART_5D, 5}};
  gboolean enters = decoder->argument;
  const SassOperand *place = smb_sass_operand(decoder, 0), *map = smb_sass_operand(decoder, 1);
  if (!place || place->kind != SASS_ADDRESS || !map || map->kind != SASS_ADDRESS)
    return smb_sass_refused(decoder);
  Row address = decoder->uniforms + place->uniform;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_TENSOR, COPY_QUANTUM);
  const Transfer *site =
      make_site(decoder, enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  bulk->tensor.rank = SASS_CHOOSE(decoder, ranks, 1);
  bulk->tensor.picks_rows =
      smb_sass_has(decoder, PART_GATHER4) || smb_sass_has(decoder, PART_SCATTER4);
  guint n = tensor_coordinates(&bulk->tensor);
  bulk->atomic = (Atomic)smb_sass_named_atomic(decoder, ATOMIC_EXCHANGE);
  bulk->tensor.is_im2col = smb_sass_has(decoder, PART_IM2COL);
  bulk->tensor.map =
      make_copy_end(decoder, site, FALSE, decoder->uniforms + map->uniform, SMB_OP_CLASS_LOAD);
  if (place->uniform + (guint)enters + n >= SASS_URZ)
    return smb_sass_refused(decoder);
  for (guint i = 0; i < n; i++)
    bulk->tensor.coordinates[i] = address + 1 + (enters ? 1 : 0) + i;
  if (enters) {
    bulk->to = make_copy_end(decoder, site, TRUE, address, SMB_OP_CLASS_STORE);
    bulk->barrier = make_copy_end(decoder, site, TRUE, address + 1, SMB_OP_CLASS_ATOMIC);
    set_tensor_extras(decoder, bulk, smb_sass_operand(decoder, 2));
    bulk->is_paired = smb_sass_has(decoder, PART_2CTA);
  } else
    bulk->from = make_copy_end(decoder, site, TRUE, address, SMB_OP_CLASS_LOAD);
  if (bulk->tensor.is_im2col && (smb_sass_has(decoder, PART_W) || smb_sass_has(decoder, PART_W128)))
    bulk->tensor.rank = 0; // im2col::w, im2col::w::128
  return add_bulk(decoder, STEP_BULK_ONCE, site, bulk);
}

// The registers that are stored, or of a reduction combined with what is there. FALSE: it is another reduction.
static gboolean
set_away_value(SassDecoder *decoder, Transfer *value, Row row, guint bytes) {
  gboolean repeats = (row & ROW_CONSTANT) != 0, reduces = decoder->argument;
  guint atomic = reduces ? smb_sass_named_atomic(decoder, G_MAXUINT) : ATOMIC_EXCHANGE;
  value->bytes = reduces ? bytes : 4;
  value->n_components = bytes / value->bytes;
  for (guint i = 0; i < value->n_components; i++)
    value->data[i] = row + (repeats ? 0 : i);
  value->operands[0] = row;
  value->move = (Move){.op_class = reduces ? SMB_OP_CLASS_ATOMIC : SMB_OP_CLASS_STORE,
                       .op = SMB_OP_ATOM,
                       .atomic = (Atomic)atomic,
                       .kind = bytes == 8                        ? SMB_SCALAR_U64
                               : smb_sass_has(decoder, PART_S32) ? SMB_SCALAR_I32
                                                                 : SMB_SCALAR_U32,
                       .components = 1,
                       .width = bytes,
                       .align = bytes,
                       .reads = TRUE};
  return atomic != G_MAXUINT;
}

// STAS.64 [R4.64+0x10], R6: to shared memory of a block of the cluster at R4 + 16, with the barrier at R5 (cuBLAS's
// nvjet kernels load what they stored from there); REDAS.ADD [R4], R6. The argument says whether it is a reduction.
gboolean
smb_sass_store_away(SassDecoder *decoder) {
  static const SassChoice sizes[] = {{PART_128, 16}, {PART_64, 8}};
  const SassOperand *to = smb_sass_operand(decoder, 0), *from = smb_sass_operand(decoder, 1);
  guint bytes = SASS_CHOOSE(decoder, sizes, 4);
  Transfer *value = smb_code_new_transfer(decoder->code);
  Row row = from ? smb_sass_source(decoder, from, decoder->argument ? bytes / 4 : 1) : NO_ROW;
  if (!to || to->kind != SASS_ADDRESS || to->base == SASS_RZ || row == NO_ROW ||
      !set_away_value(decoder, value, row, bytes))
    return smb_sass_refused(decoder);
  Row address = decoder->registers + to->base;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_STORE, bytes);
  bulk->size = smb_sass_constant(decoder, bytes, 1);
  bulk->value = value;
  const Transfer *site = make_site(decoder, SMB_OP_CLASS_STORE, bytes);
  Transfer *end = make_copy_end(decoder, site, TRUE, address, SMB_OP_CLASS_STORE);
  end->offset += (guint64)to->value;
  bulk->to = end;
  bulk->barrier = make_copy_end(decoder, site, TRUE, address + 1, SMB_OP_CLASS_ATOMIC);
  return add_bulk(decoder, STEP_BULK, site, bulk);
}

// --- products of warpgroups: HGMMA.64x128x16.F32 R24, gdesc[UR4], R24: operands that a descriptor names are in
// shared memory

// The argument says how many bits a number of A and B has.
gboolean
smb_sass_product(SassDecoder *decoder) {
  static const SassChoice depths[] = {
      {PART_x8, 8}, {PART_x16, 16}, {PART_x32, 32}, {PART_x64, 64}, {PART_x256, 256}};
  const SassOperand *d = smb_sass_operand(decoder, 0), *a = smb_sass_operand(decoder, 1);
  gboolean is_sparse = smb_sass_has(decoder, PART_SP);
  SassPart width = decoder->instruction->parts[is_sparse ? 1 : 0];
  if (width < PART_64x8 || width > PART_64x256 || !d || !a || !smb_sass_is_register(d))
    return smb_sass_refused(decoder);
  guint n = 8 * (1 + width - PART_64x8);
  guint bits = smb_sass_has(decoder, PART_TF32) ? 32 : decoder->argument;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_MATRIX, COPY_QUANTUM);
  guint64 row = (guint64)SASS_CHOOSE(decoder, depths, 0) * bits / 8;
  guint64 left = smb_sass_is_register(a) ? 0 : GROUP_ROWS * row / (is_sparse ? 2 : 1);
  bulk->bytes = (left + n * row) / WARPGROUP;
  const Transfer *site = make_site(decoder, SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  Step step = smb_build_bulk(&decoder->builder, STEP_BULK, site, bulk);
  guint results = n / (smb_sass_has(decoder, PART_F16) ? 4 : 2);
  ProductForm form = {.columns = (guint16)n,
                      .depth = (guint16)SASS_CHOOSE(decoder, depths, 0),
                      .is_sparse = is_sparse};
  if (smb_sass_is_group_product(decoder, bits, &form)) {
    smb_code_add(decoder->code, &step);
    return smb_sass_add_group_product(decoder, &form, site->move.site);
  }
  if (!smb_sass_is_dropped(d))
    smb_code_writes_row(decoder->code, &step, decoder->registers + d->number,
                        MIN(results, (guint)SASS_RZ - d->number));
  smb_code_add(decoder->code, &step);
  return TRUE;
}
