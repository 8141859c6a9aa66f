// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What uses shared memory and makes no request of it that is counted: barriers there (mbarrier), copies in bulk, operands of
// products of warpgroups. What the operands mean was found by compiling PTX that says it (CUDA 13, sm_90 to sm_120).
#include <stdio.h>
#include <string.h>

#include "sim/sass/decode/decode.h"

enum {
  COPY_QUANTUM = 16, // bytes: of copies in bulk, whose sizes count them
  BARRIER_BYTES = 8,
  FIRST_CHIP_WITH_MBARRIERS = 90, // as objects that the hardware keeps
  MOST_ARRIVALS = 0x100000,
  PHASE_BIT = 31, // of the high word of a state
  WARPGROUP = 4,  // warps
  PRODUCT_ROWS = 64,
};

static Row
add_row(SassDecoder *decoder, Operation operation, Row a, Row b) {
  Compute compute = {.operation = operation, .d = smb_sass_scratch(decoder, 1), .s = {a, b}};
  smb_sass_add_compute(decoder, &compute);
  return compute.d;
}

static Step
begin(SassDecoder *decoder, StepOpcode opcode, SmbOpClass op_class, guint width) {
  Step step = smb_sass_step(decoder, opcode);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  step.transfer = transfer;
  step.compute.d = step.compute.s[0] = NO_ROW;
  transfer->is_cluster = TRUE;
  smb_sass_set_move(decoder, transfer, op_class, SMB_OP_LD, width);
  return step;
}

// --- barriers

// What a barrier is made with says how many arrivals are left of the most that there can be, from bit 1 on.
static SassResult
decode_exchange(SassDecoder *decoder, Transfer *transfer, Step *step) {
  const SassOperand *value = smb_sass_operand(decoder, 2);
  Row row = value ? smb_sass_source(decoder, value, 2) : NO_ROW;
  const SassOperand *address = smb_sass_operand(decoder, 1);
  if (row == NO_ROW || !address || !smb_sass_set_shared_address(decoder, transfer, address))
    return SASS_OTHER;
  Row half = add_row(decoder, OPERATION_SHR_U32, row, smb_sass_constant(decoder, 1, 1));
  smb_step_bind(step, STEP_MBARRIER_ONCE);
  step->argument = MBARRIER_INIT;
  step->compute.s[0] =
      add_row(decoder, OPERATION_SUB_32, smb_sass_constant(decoder, MOST_ARRIVALS, 1), half);
  smb_code_add(decoder->code, step);
  return SASS_DECODED;
}

// The phase is the highest bit of what it is compared with, whether that is a parity or a state.
static SassResult
decode_wait(SassDecoder *decoder, Transfer *transfer, Step *step) {
  const SassOperand *p = smb_sass_operand(decoder, 0), *address = smb_sass_operand(decoder, 1);
  const SassOperand *phase = smb_sass_operand(decoder, 2);
  Row row = phase ? smb_sass_source(decoder, phase, 1) : NO_ROW;
  if (!p || !smb_sass_is_predicate(p) || row == NO_ROW ||
      !smb_sass_set_shared_address(decoder, transfer, address))
    return SASS_OTHER;
  smb_step_bind(step, STEP_MBARRIER_WAIT);
  step->argument = MBARRIER_PARITY;
  step->compute.p = smb_sass_predicate(decoder, p);
  step->compute.s[0] =
      add_row(decoder, OPERATION_SHR_U32, row, smb_sass_constant(decoder, PHASE_BIT, 1));
  smb_code_writes_predicate(decoder->code, step, step->compute.p);
  smb_code_add(decoder->code, step);
  return SASS_DECODED;
}

// A1T0: an arrival; ART0: R2 of them; A0TR: R2 bytes are announced; A0TX: are complete; without any of these: an arrival that
// announces R2 bytes. OPTOUT: who arrives does not come again. A0T1 goes with ARRIVES, which undoes it.
static MBarrierAction
find_action(const SassDecoder *decoder, gboolean *has_number) {
  gboolean drops = smb_sass_has(decoder, "OPTOUT"), one = smb_sass_has(decoder, "A1T0");
  gboolean touches = smb_sass_has(decoder, "A0T1");
  *has_number = !one && !touches;
  if (touches)
    return MBARRIER_TOUCH;
  if (one || smb_sass_has(decoder, "ART0"))
    return drops ? MBARRIER_DROP : MBARRIER_ARRIVE;
  if (smb_sass_has(decoder, "A0TR"))
    return MBARRIER_EXPECT;
  if (smb_sass_has(decoder, "A0TX"))
    return MBARRIER_COMPLETE;
  return drops ? MBARRIER_DROP_EXPECT : MBARRIER_ARRIVE_EXPECT;
}

static SassResult
decode_arrival(SassDecoder *decoder, Transfer *transfer, Step *step) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *number = smb_sass_operand(decoder, 2);
  gboolean has_number;
  if (!d || !number ||
      !smb_sass_set_shared_address(decoder, transfer, smb_sass_operand(decoder, 1)))
    return SASS_OTHER;
  step->argument = find_action(decoder, &has_number);
  if (has_number)
    step->compute.s[0] = smb_sass_source(decoder, number, 1);
  if (!smb_sass_is_dropped(d)) {
    step->compute.d = smb_sass_result(decoder, d, 2);
    smb_code_writes_row(decoder->code, step, step->compute.d, 2);
  }
  smb_code_add(decoder->code, step);
  if (step->compute.d != NO_ROW) {
    Compute compute = {.operation = OPERATION_SHL_32,
                       .d = step->compute.d + 1,
                       .s = {step->compute.d + 1, smb_sass_constant(decoder, PHASE_BIT, 1)}};
    smb_sass_add_compute(decoder, &compute);
  }
  return SASS_DECODED;
}

static SassResult
decode_barrier(SassDecoder *decoder) {
  if (smb_sass_has(decoder, "CCTL")) {
    Step none = smb_sass_step(decoder, STEP_NOTHING);
    smb_code_add(decoder->code, &none);
    return SASS_DECODED;
  }
  gboolean waits = smb_sass_has(decoder, "PHASECHK");
  Step step =
      begin(decoder, STEP_MBARRIER, waits ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_ATOMIC, BARRIER_BYTES);
  Transfer *transfer =
      g_ptr_array_index(decoder->code->transfers, decoder->code->transfers->len - 1);
  if (smb_sass_has(decoder, "EXCH"))
    return decode_exchange(decoder, transfer, &step);
  if (waits)
    return decode_wait(decoder, transfer, &step);
  return smb_sass_has(decoder, "ARRIVE") ? decode_arrival(decoder, transfer, &step) : SASS_OTHER;
}

// ATOMS.ARRIVE.64 R2, [barrier], before sm_90.
static SassResult
decode_early_arrival(SassDecoder *decoder, const SassOperand *d, const SassOperand *address) {
  Step step = begin(decoder, STEP_ARRIVE, SMB_OP_CLASS_ATOMIC, BARRIER_BYTES);
  Transfer *transfer =
      g_ptr_array_index(decoder->code->transfers, decoder->code->transfers->len - 1);
  if (!address || !smb_sass_set_shared_address(decoder, transfer, address))
    return SASS_OTHER;
  if (d && !smb_sass_is_dropped(d)) {
    step.compute.d = smb_sass_result(decoder, d, 2);
    smb_code_writes_row(decoder->code, &step, step.compute.d, 2);
  }
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// ARRIVES.LDGSTSBAR [barrier]: copies of each thread are complete; with TRANSCNT it takes back what it announced.
static SassResult
decode_copied(SassDecoder *decoder) {
  if (smb_sass_has(decoder, "LDGSTSBAR"))
    smb_sass_add_await(decoder, PENDING_NONE);
  if (decoder->chip < FIRST_CHIP_WITH_MBARRIERS && smb_sass_has(decoder, "LDGSTSBAR"))
    return decode_early_arrival(decoder, NULL, smb_sass_operand(decoder, 0));
  Step step = begin(decoder, STEP_MBARRIER, SMB_OP_CLASS_ATOMIC, BARRIER_BYTES);
  Transfer *transfer =
      g_ptr_array_index(decoder->code->transfers, decoder->code->transfers->len - 1);
  if (!smb_sass_has(decoder, "LDGSTSBAR") ||
      !smb_sass_set_shared_address(decoder, transfer, smb_sass_operand(decoder, 0)))
    return SASS_OTHER;
  step.argument = smb_sass_has(decoder, "TRANSCNT") ? MBARRIER_TOUCH : MBARRIER_ARRIVE;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// --- copies in bulk

// An end of a copy, whose address is in a row, or in two.
static Transfer *
make_end(SassDecoder *decoder, const Step *step, gboolean shared, Row address,
         SmbOpClass op_class) {
  Transfer *transfer = smb_sass_new_transfer(decoder);
  transfer->move = step->transfer->move;
  transfer->move.op_class = op_class;
  transfer->move.reads = op_class == SMB_OP_CLASS_LOAD;
  transfer->window = shared ? WINDOW_SHARED : WINDOW_GENERIC;
  transfer->is_cluster = shared;
  transfer->offset = shared ? (guint32)-decoder->reserved_shared : 0;
  transfer->address = address;
  transfer->address_rows = shared ? 1 : 2;
  if (op_class == SMB_OP_CLASS_ATOMIC)
    transfer->move.width = transfer->move.align = BARRIER_BYTES;
  return transfer;
}

// UBLKCP.S.G [UR8], [UR4], UR6: to shared memory at UR8, with the barrier at UR9; .G.S: from it.
static SassResult
decode_copy(SassDecoder *decoder) {
  const SassOperand *to = smb_sass_operand(decoder, 0), *from = smb_sass_operand(decoder, 1);
  const SassOperand *size = smb_sass_operand(decoder, 2);
  gboolean enters = smb_sass_has(decoder, "S") && decoder->instruction->parts[0][0] == 'S';
  if (!to || !from || !size || to->kind != SASS_ADDRESS || from->kind != SASS_ADDRESS ||
      !smb_sass_is_register(size))
    return SASS_OTHER;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_BULK, COPY_QUANTUM);
  bulk->size = add_row(decoder, OPERATION_SHL_32, smb_sass_source(decoder, size, 1),
                       smb_sass_constant(decoder, 4, 1));
  Step step =
      begin(decoder, STEP_BULK_ONCE, enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  step.bulk = bulk;
  bulk->to = make_end(decoder, &step, enters, decoder->uniforms + to->uniform, SMB_OP_CLASS_STORE);
  bulk->from =
      make_end(decoder, &step, !enters, decoder->uniforms + from->uniform, SMB_OP_CLASS_LOAD);
  if (enters)
    bulk->barrier =
        make_end(decoder, &step, TRUE, decoder->uniforms + to->uniform + 1u, SMB_OP_CLASS_ATOMIC);
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// UTMALDG.2D [UR8], [UR4]: a box of a tensor to shared memory at UR8, with the barrier at UR9; UTMASTG, UTMAREDG: from it.
// How large it is stands in a descriptor that is not read.
static SassResult
decode_tensor(SassDecoder *decoder, gboolean enters) {
  const SassOperand *place = smb_sass_operand(decoder, 0);
  if (!place || place->kind != SASS_ADDRESS)
    return SASS_OTHER;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_TENSOR, COPY_QUANTUM);
  Step step =
      begin(decoder, STEP_BULK_ONCE, enters ? SMB_OP_CLASS_STORE : SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  step.bulk = bulk;
  if (enters) {
    bulk->to =
        make_end(decoder, &step, TRUE, decoder->uniforms + place->uniform, SMB_OP_CLASS_STORE);
    bulk->barrier = make_end(decoder, &step, TRUE, decoder->uniforms + place->uniform + 1u,
                             SMB_OP_CLASS_ATOMIC);
  } else
    bulk->from =
        make_end(decoder, &step, TRUE, decoder->uniforms + place->uniform, SMB_OP_CLASS_LOAD);
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// STAS.64 [R4.64+0x10], R6: to shared memory of a block of the cluster at R4 + 16, with the barrier at R5 (cuBLAS's nvjet kernels load
// what they stored from there); REDAS.ADD [R4], R6. What they leave is not modelled.
static SassResult
decode_store(SassDecoder *decoder) {
  const SassOperand *to = smb_sass_operand(decoder, 0);
  guint bytes = smb_sass_has(decoder, "128") ? 16 : smb_sass_has(decoder, "64") ? 8 : 4;
  if (!to || to->kind != SASS_ADDRESS || to->base == SASS_RZ)
    return SASS_OTHER;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_STORE, bytes);
  bulk->size = smb_sass_constant(decoder, bytes, 1);
  bulk->is_lost = TRUE;
  Step step = begin(decoder, STEP_BULK, SMB_OP_CLASS_STORE, bytes);
  step.bulk = bulk;
  Transfer *end = make_end(decoder, &step, TRUE, decoder->registers + to->base, SMB_OP_CLASS_STORE);
  end->offset += (guint64)to->value;
  bulk->to = end;
  bulk->barrier =
      make_end(decoder, &step, TRUE, decoder->registers + to->base + 1u, SMB_OP_CLASS_ATOMIC);
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// --- products of warpgroups: HGMMA.64x128x16.F32 R24, gdesc[UR4], R24: operands that a descriptor names are in shared memory

// Bits of a number of A and B.
static guint
find_bits(const SassDecoder *decoder) {
  switch (decoder->instruction->name[0]) {
  case 'B':
    return 1;
  case 'H':
    return smb_sass_has(decoder, "TF32") ? 32 : 16;
  default:
    return 8;
  }
}

static SassResult
decode_product(SassDecoder *decoder) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *a = smb_sass_operand(decoder, 1);
  guint n = 0, k = 0;
  for (guint i = 0; decoder->instruction->parts[i] && n == 0; i++) {
    if (sscanf(decoder->instruction->parts[i], "64x%3ux%3u", &n, &k) != 2)
      n = k = 0;
  }
  if (n == 0 || !d || !a || !smb_sass_is_register(d))
    return SASS_OTHER;
  Bulk *bulk = smb_code_new_bulk(decoder->code, SMB_TRAFFIC_MATRIX, COPY_QUANTUM);
  Step step = begin(decoder, STEP_BULK, SMB_OP_CLASS_LOAD, COPY_QUANTUM);
  guint64 row = (guint64)k * find_bits(decoder) / 8;
  guint64 left = smb_sass_is_register(a) ? 0 : PRODUCT_ROWS * row;
  step.bulk = bulk;
  bulk->bytes = (left / (smb_sass_has(decoder, "SP") ? 2 : 1) + n * row) / WARPGROUP;
  guint results = n / (smb_sass_has(decoder, "F16") ? 4 : 2);
  if (!smb_sass_is_dropped(d))
    smb_code_writes_row(decoder->code, &step, decoder->registers + d->number,
                        MIN(results, (guint)SASS_RZ - d->number));
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

SassResult
smb_sass_decode_bulk(SassDecoder *decoder) {
  static const char *const products[] = {"HGMMA", "QGMMA", "IGMMA", "BGMMA", NULL};
  static const char *const leaving[] = {"UTMASTG", "UTMAREDG", NULL};
  static const char *const stores[] = {"STAS", "REDAS", NULL};
  if (smb_sass_is_one_of(decoder, products))
    return decode_product(decoder);
  if (smb_sass_is_one_of(decoder, leaving))
    return decode_tensor(decoder, FALSE);
  if (smb_sass_is_one_of(decoder, stores))
    return decode_store(decoder);
  if (smb_sass_is(decoder, "UTMALDG"))
    return decode_tensor(decoder, TRUE);
  if (smb_sass_is(decoder, "SYNCS"))
    return decode_barrier(decoder);
  if (smb_sass_is(decoder, "ARRIVES"))
    return decode_copied(decoder);
  if (smb_sass_is(decoder, "ATOMS") && smb_sass_has(decoder, "ARRIVE"))
    return decode_early_arrival(decoder, smb_sass_operand(decoder, 0),
                                smb_sass_operand(decoder, 1));
  return smb_sass_is(decoder, "UBLKCP") ? decode_copy(decoder) : SASS_OTHER;
}
