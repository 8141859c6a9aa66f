// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that say where lanes continue, and for whom they wait. Barriers of convergence are registers (B0 …):
// BSSY records in them who is active, BSYNC waits for those, BREAK leaves them.
#include "sim/sass/decode/decode.h"

enum {
  FIRST_BULK = 90, // chip that copies in bulk
};

static gboolean
add_plain(SassDecoder *decoder, StepOpcode opcode) {
  smb_build_plain(&decoder->builder, opcode, 0);
  return TRUE;
}

// Operands that may be hidden have no fixed place: they are found by their kind.
static const SassOperand *
find_operand(const SassDecoder *decoder, SassKind kind) {
  for (guint i = 0; i < decoder->instruction->n_operands; i++) {
    if (decoder->instruction->operands[i].kind == kind)
      return &decoder->instruction->operands[i];
  }
  return NULL;
}

// "@P0 BRA P1, …" is executed where both are true.
static void
join_condition(SassDecoder *decoder, Step *step, const SassOperand *condition) {
  if (!condition || !smb_sass_is_predicate(condition) ||
      (smb_sass_is_dropped(condition) && !condition->is_inverted))
    return;
  const Compute compute = {
      .operation = OPERATION_PREDICATE,
      .is_parted = TRUE,
      .table = (guint8)((step->unless ? 0x0f : 0xf0) & (condition->is_inverted ? 0x33 : 0xcc)),
      .p = smb_sass_scratch_predicate(decoder),
      .in = {step->guard, smb_sass_predicate(decoder, condition)}};
  Builder always = decoder->builder;
  always.guard = PREDICATE_TRUE;
  always.unless = FALSE;
  smb_build_compute(&always, &compute, FALSE, NO_ROW);
  step->guard = compute.p;
  step->unless = FALSE;
}

// The rows of an address of code in a register pair.
static Row
find_pair(SassDecoder *decoder) {
  const SassOperand *pair = find_operand(decoder, SASS_REGISTER);
  pair = pair ? pair : find_operand(decoder, SASS_UNIFORM);
  return pair ? smb_sass_source(decoder, pair, 2) : NO_ROW;
}

gboolean
smb_sass_branch(SassDecoder *decoder) {
  const SassOperand *target = find_operand(decoder, SASS_TARGET);
  gboolean divides = smb_sass_has(decoder, PART_DIV), converges = smb_sass_has(decoder, PART_CONV);
  gboolean any = smb_sass_has(decoder, PART_ANY);
  if (!target)
    return smb_sass_refused(decoder);
  // .U without a uniform condition: the warp branches as a whole, if all lanes that run would
  gboolean all = smb_sass_has(decoder, PART_U) && decoder->builder.guard != PREDICATE_TRUE &&
                 !decoder->instruction->guard_is_uniform && smb_sass_operand(decoder, 0) == target;
  Step step = smb_sass_step(decoder, any ? STEP_BRANCH_ANY : all ? STEP_BRANCH_ALL : STEP_BRANCH);
  join_condition(decoder, &step, smb_sass_operand(decoder, 0));
  if (divides || converges) {
    const SassOperand *mask = find_operand(decoder, SASS_UNIFORM);
    smb_step_bind(&step, STEP_BRANCH_DIVIDED);
    step.argument = divides ? BRANCH_IF_DIVIDED : BRANCH_IF_WHOLE;
    step.compute.s[0] = mask && !smb_sass_is_dropped(mask)
                            ? smb_sass_source(decoder, mask, 1)
                            : smb_sass_constant(decoder, G_MAXUINT32, 1);
  }
  smb_sass_add_jump(decoder, &step, (guint32)target->value);
  return TRUE;
}

// BRX R2, table: relative to the target that is written; JMX R2: not.
gboolean
smb_sass_jump(SassDecoder *decoder) {
  const SassOperand *base = find_operand(decoder, SASS_TARGET);
  Row pair = find_pair(decoder);
  if (pair == NO_ROW)
    return smb_sass_refused(decoder);
  smb_build_with(&decoder->builder, STEP_JUMP, pair, base ? (guint32)base->value : 0);
  return TRUE;
}

gboolean
smb_sass_call(SassDecoder *decoder) {
  const SassOperand *target = find_operand(decoder, SASS_TARGET);
  Row pair = find_pair(decoder);
  gboolean direct = pair == NO_ROW;
  target = target || !direct ? target : find_operand(decoder, SASS_IMMEDIATE); // CALL.ABS
  if (direct && !target)
    return smb_sass_refused(decoder);
  if (direct) {
    Step step = smb_sass_step(decoder, STEP_CALL_CODE);
    smb_sass_add_jump(decoder, &step, (guint32)target->value);
  } else
    smb_build_with(&decoder->builder, STEP_CALL_ADDRESS, pair,
                   target && smb_sass_has(decoder, PART_REL) ? (guint32)target->value : 0);
  return TRUE;
}

// All returns of a function by one register lead to one step after it.
gboolean
smb_sass_ret(SassDecoder *decoder) {
  const SassOperand *base = find_operand(decoder, SASS_TARGET);
  SassReturn wanted = {find_pair(decoder),
                       base && smb_sass_has(decoder, PART_REL) ? (guint32)base->value : 0};
  guint32 index = 0;
  if (wanted.row == NO_ROW)
    return smb_sass_refused(decoder);
  for (; index < decoder->returns->len; index++) {
    const SassReturn *other = &g_array_index(decoder->returns, SassReturn, index);
    if (other->row == wanted.row && other->base == wanted.base)
      break;
  }
  if (index == decoder->returns->len)
    g_array_append_val(decoder->returns, wanted);
  Step step = smb_sass_step(decoder, STEP_BRANCH);
  smb_sass_add_jump(decoder, &step, index);
  g_array_index(decoder->jumps, SassJump, decoder->jumps->len - 1).returns = TRUE;
  return TRUE;
}

// LEPC R2: its own address; LEPC R2, target: that of the target.
gboolean
smb_sass_place(SassDecoder *decoder) {
  const SassOperand *target = find_operand(decoder, SASS_TARGET);
  const SassOperand *result = smb_sass_operand(decoder, 0);
  guint64 address = target ? (guint64)target->value : decoder->builder.place;
  Row row = result ? smb_sass_result(decoder, result, 2) : NO_ROW;
  if (row == NO_ROW)
    return smb_sass_unknown(decoder);
  for (guint i = 0; i < 2; i++) {
    Compute compute = {.operation = OPERATION_MOV_32,
                       .d = row + i,
                       .s = {smb_sass_constant(decoder, address >> (32 * i), 1)}};
    smb_sass_add_compute(decoder, &compute);
  }
  return TRUE;
}

// --- convergence: BSSY, BSYNC, BREAK; the argument is the step

static gboolean
is_barrier(const SassOperand *operand) {
  return operand->kind == SASS_BARRIER && operand->number < SASS_BARRIERS;
}

gboolean
smb_sass_meet(SassDecoder *decoder) {
  const SassOperand *barrier = find_operand(decoder, SASS_BARRIER);
  if (!barrier || !is_barrier(barrier))
    return smb_sass_refused(decoder);
  Step step = smb_sass_step(decoder, (StepOpcode)decoder->argument);
  join_condition(decoder, &step, smb_sass_operand(decoder, 0));
  step.argument = barrier->number;
  smb_code_add(decoder->code, &step);
  return TRUE;
}

// The lanes of a barrier, in a row.
static void
save_barrier(SassDecoder *decoder, guint barrier, Row row) {
  Step save = smb_sass_step(decoder, STEP_SAVE_BARRIER);
  save.argument = barrier;
  save.compute.d = row;
  if (row != NO_ROW)
    smb_code_writes_row(decoder->code, &save, row, 1);
  smb_code_add(decoder->code, &save);
  if (smb_sass_has(decoder, PART_CLEAR))
    smb_build_plain(&decoder->builder, STEP_CLEAR_BARRIER, barrier);
}

// BMOV.32.CLEAR R2, B6 saves a barrier, and forgets it; BMOV.32 B6, R2 brings it back. Both may be barriers. What is not one of them, such as
// MACTIVE, is refused: it says which lanes continue.
gboolean
smb_sass_move_barrier(SassDecoder *decoder) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *s = smb_sass_operand(decoder, 1);
  if (!d || !s || smb_sass_has(decoder, PART_PQUAD))
    return smb_sass_refused(decoder);
  if (is_barrier(s) && d->kind == SASS_REGISTER) {
    save_barrier(decoder, s->number,
                 smb_sass_is_dropped(d) ? NO_ROW : smb_sass_result(decoder, d, 1));
    return TRUE;
  }
  Row row = is_barrier(s) ? smb_sass_scratch(decoder, 1) : smb_sass_source(decoder, s, 1);
  if (!is_barrier(d) || row == NO_ROW)
    return smb_sass_refused(decoder);
  if (is_barrier(s))
    save_barrier(decoder, s->number, row);
  smb_build_with(&decoder->builder, STEP_RESTORE_BARRIER, row, d->number);
  return TRUE;
}

// WARPSYNC R2 waits for the lanes of a mask, WARPSYNC.ALL for all that live. .EXCLUSIVE and .COLLECTIVE let those
// of one mask continue alone, to the BSYNC behind.
gboolean
smb_sass_gather(SassDecoder *decoder) {
  const SassOperand *mask = smb_sass_operand(decoder, 0);
  gboolean all = smb_sass_has(decoder, PART_ALL) || !mask || mask->kind == SASS_TARGET;
  gboolean alone = smb_sass_has(decoder, PART_EXCLUSIVE) || smb_sass_has(decoder, PART_COLLECTIVE);
  Row row = all ? smb_sass_constant(decoder, G_MAXUINT32, 1) : smb_sass_source(decoder, mask, 1);
  if (row == NO_ROW)
    return smb_sass_refused(decoder);
  smb_build_with(&decoder->builder, STEP_GATHER, row, alone);
  return TRUE;
}

// --- barriers of the block: BAR.SYNC number [, threads]; BAR.RED.POPC number [, threads], P0; the answer goes to B2R

gboolean
smb_sass_barrier(SassDecoder *decoder) {
  static const SassChoice actions[] = {{PART_ARV, BARRIER_ARRIVE}, {PART_SYNC, BARRIER_SYNC}};
  static const SassChoice answers[] = {{PART_POPC, BARRIER_POPC}, {PART_AND, BARRIER_AND}};
  const SassInstruction *instruction = decoder->instruction;
  guint n = instruction->n_operands;
  ThreadBarrier barrier = {.action = SASS_CHOOSE(decoder, actions, G_MAXUINT), .threads = NO_ROW};
  if (smb_sass_has(decoder, PART_RED)) {
    const SassOperand *in = smb_sass_operand(decoder, n - 1);
    if (!in || !smb_sass_is_predicate(in))
      return smb_sass_refused(decoder);
    barrier.action = SASS_CHOOSE(decoder, answers, BARRIER_OR);
    barrier.in = smb_sass_condition(decoder, in);
    barrier.d = decoder->answer;
    barrier.p = decoder->answer_predicate;
    n--;
  }
  barrier.number = n > 0 ? smb_sass_source(decoder, &instruction->operands[0], 1)
                         : smb_sass_constant(decoder, 0, 1);
  if (n > 1)
    barrier.threads = smb_sass_source(decoder, &instruction->operands[1], 1);
  if (barrier.action == G_MAXUINT || barrier.number == NO_ROW ||
      (n > 1 && barrier.threads == NO_ROW))
    return smb_sass_refused(decoder);
  smb_build_barrier(&decoder->builder, &barrier);
  return TRUE;
}

// UCGABAR_ARV, UCGABAR_WAIT: the argument says whether it waits.
gboolean
smb_sass_cluster_barrier(SassDecoder *decoder) {
  gboolean waits = decoder->argument;
  smb_build_plain(&decoder->builder, waits ? STEP_CLUSTER_WAIT : STEP_CLUSTER_ARRIVE, 0);
  return TRUE;
}

// B2R.RESULT R0 [, P0]: what BAR.RED found.
gboolean
smb_sass_answer(SassDecoder *decoder) {
  const SassOperand *row = smb_sass_operand(decoder, 0), *predicate = smb_sass_operand(decoder, 1);
  if (!smb_sass_has(decoder, PART_RESULT) || !row)
    return smb_sass_unknown(decoder);
  if (!smb_sass_is_dropped(row)) {
    Compute compute = {.operation = OPERATION_MOV_32,
                       .d = smb_sass_result(decoder, row, 1),
                       .s = {decoder->answer}};
    smb_sass_add_compute(decoder, &compute);
  }
  if (predicate && !smb_sass_is_dropped(predicate)) {
    Compute compute = {.operation = OPERATION_PREDICATE,
                       .table = 0xf0,
                       .p = smb_sass_predicate(decoder, predicate),
                       .in = {decoder->answer_predicate}};
    smb_sass_add_compute(decoder, &compute);
  }
  return TRUE;
}

// --- what changes nothing that is counted

// Where all lanes run together, the assembler leaves a NOP of __syncwarp() and bar.warp.sync.
gboolean
smb_sass_pause(SassDecoder *decoder) {
  return add_plain(decoder, STEP_MEET_LANES);
}

gboolean
smb_sass_yield(SassDecoder *decoder) {
  return add_plain(decoder, STEP_GIVE_WAY);
}

gboolean
smb_sass_commit(SassDecoder *decoder) {
  return add_plain(decoder, STEP_COMMIT);
}

// All but so many groups of copies (LDGDEPBAR), and of copies in bulk from shared memory (UTMACMDFLUSH).
static void
await_copies(SassDecoder *decoder, guint32 left) {
  smb_build_plain(&decoder->builder, STEP_AWAIT, left);
  if (decoder->cubin->chip >= FIRST_BULK)
    smb_build_plain(&decoder->builder, STEP_FENCE, FENCE_AWAIT_SENDS + left);
}

// UTMACMDFLUSH
gboolean
smb_sass_commit_sends(SassDecoder *decoder) {
  smb_build_plain(&decoder->builder, STEP_FENCE, FENCE_COMMIT_SENDS);
  return TRUE;
}

// DEPBAR.LE SB0, 0x1 [, {2,1}]: groups of copies are counted by the first scoreboard; others wait for
// registers.
gboolean
smb_sass_scoreboard(SassDecoder *decoder) {
  const SassOperand *scoreboard = find_operand(decoder, SASS_SCOREBOARD),
                    *left = find_operand(decoder, SASS_IMMEDIATE),
                    *others = find_operand(decoder, SASS_SCOREBOARDS);
  if (scoreboard && scoreboard->number == 0 && left)
    await_copies(decoder, (guint32)left->value);
  else if (others && others->value & 1)
    await_copies(decoder, 0);
  else
    return add_plain(decoder, STEP_NOTHING);
  return TRUE;
}

// WARPGROUP.DEPBAR.LE gsb0, 0x1: of products of four warps; WARPGROUP.ARRIVE.
gboolean
smb_sass_products_wait(SassDecoder *decoder) {
  const SassOperand *left = find_operand(decoder, SASS_IMMEDIATE);
  if (!left)
    return add_plain(decoder, STEP_NOTHING);
  smb_build_plain(&decoder->builder, STEP_FENCE, FENCE_AWAIT + (guint32)left->value);
  return TRUE;
}

// ACQBULK, PREEXIT: griddepcontrol.
gboolean
smb_sass_order(SassDecoder *decoder) {
  smb_build_plain(&decoder->builder, STEP_FENCE, decoder->argument);
  return TRUE;
}

gboolean
smb_sass_fence(SassDecoder *decoder) {
  if (smb_sass_has(decoder, PART_ASYNC)) { // .T: tcgen05.wait::st
    gboolean is_tensor = smb_sass_has(decoder, PART_T);
    smb_build_plain(&decoder->builder,
                    is_tensor || smb_sass_has(decoder, PART_S) ? STEP_FENCE : STEP_NOTHING,
                    is_tensor ? FENCE_TENSOR_STORES : FENCE_ASYNC);
    return TRUE;
  }
  if (smb_sass_has(decoder, PART_CTA) || smb_sass_has(decoder, PART_SM))
    return add_plain(decoder, STEP_FENCE);
  smb_build_plain(&decoder->builder, STEP_OPAQUE, OPAQUE_FENCE);
  return TRUE;
}

// USETMAXREG.DEALLOC n; USETMAXREG.TRY_ALLOC UP0, n: whether there are so many registers for each thread, which code asks again and again
// until it is so (PTX ISA, setmaxnreg.inc: it blocks until they are there). Here it waits, and they are.
gboolean
smb_sass_resize(SassDecoder *decoder) {
  const SassOperand *granted = smb_sass_operand(decoder, 0);
  const SassOperand *count = find_operand(decoder, SASS_IMMEDIATE);
  gboolean asks = smb_sass_has(decoder, PART_TRY_ALLOC);
  if (!count || (!asks && !smb_sass_has(decoder, PART_DEALLOC)))
    return add_plain(decoder, STEP_NOTHING);
  smb_build_plain(&decoder->builder, STEP_RESIZE, (asks ? RESIZE_MORE : 0) | (guint32)count->value);
  if (!granted || !smb_sass_is_predicate(granted) || smb_sass_is_dropped(granted))
    return TRUE;
  smb_sass_add_compute(decoder, &(Compute){.operation = OPERATION_PREDICATE,
                                           .table = 0xff,
                                           .p = smb_sass_predicate(decoder, granted),
                                           .is_uniform = TRUE});
  return TRUE;
}

gboolean
smb_sass_exit(SassDecoder *decoder) {
  Step step = smb_sass_step(decoder, STEP_EXIT);
  join_condition(decoder, &step, smb_sass_operand(decoder, 0));
  smb_code_add(decoder->code, &step);
  return TRUE;
}

// BPT
gboolean
smb_sass_trap(SassDecoder *decoder) {
  if (!smb_sass_has(decoder, PART_TRAP))
    return add_plain(decoder, STEP_NOTHING);
  Step step = smb_sass_step(decoder, STEP_TRAP);
  step.callee = smb_sass_tensor_guard(decoder);
  smb_code_add(decoder->code, &step);
  return TRUE;
}

// CCTL.IVALL: what other blocks wrote is seen from here on.
gboolean
smb_sass_cache(SassDecoder *decoder) {
  return smb_sass_has(decoder, PART_IVALL) ? smb_sass_fence(decoder)
                                           : add_plain(decoder, STEP_NOTHING);
}
