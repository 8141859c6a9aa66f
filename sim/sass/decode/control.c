// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that say where lanes go on, and for whom they wait. Barriers of convergence are registers (B0 …): BSSY records
// in them who is active, BSYNC waits for those, BREAK leaves them.
#include <string.h>

#include "sim/sass/decode/decode.h"

static SassResult
add_plain(SassDecoder *decoder, StepOpcode opcode) {
  Step step = smb_sass_step(decoder, opcode);
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

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
  Compute compute = {
      .operation = OPERATION_PREDICATE,
      .table = (guint8)((step->unless ? 0x0f : 0xf0) & (condition->is_inverted ? 0x33 : 0xcc)),
      .p = smb_sass_scratch_predicate(decoder),
      .in = {step->guard, smb_sass_predicate(decoder, condition)}};
  Predicate guard = decoder->guard;
  gboolean unless = decoder->unless;
  decoder->guard = PREDICATE_TRUE;
  decoder->unless = FALSE;
  smb_sass_add_compute(decoder, &compute);
  decoder->guard = guard;
  decoder->unless = unless;
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

static SassResult
decode_branch(SassDecoder *decoder) {
  const SassOperand *target = find_operand(decoder, SASS_TARGET);
  gboolean divides = smb_sass_has(decoder, "DIV"), converges = smb_sass_has(decoder, "CONV");
  gboolean any = smb_sass_has(decoder, "ANY");
  if (!target)
    return SASS_OTHER;
  Step step = smb_sass_step(decoder, any ? STEP_BRANCH_ANY : STEP_BRANCH);
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
  return SASS_DECODED;
}

// BRX R2, table: relative to the target that is written; JMX R2: not.
static SassResult
decode_jump(SassDecoder *decoder) {
  const SassOperand *base = find_operand(decoder, SASS_TARGET);
  Step step = smb_sass_step(decoder, STEP_JUMP);
  step.compute.s[0] = find_pair(decoder);
  if (step.compute.s[0] == NO_ROW)
    return SASS_OTHER;
  step.argument = base ? (guint32)base->value : 0;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

static SassResult
decode_call(SassDecoder *decoder) {
  const SassOperand *target = find_operand(decoder, SASS_TARGET);
  Row pair = find_pair(decoder);
  gboolean direct = pair == NO_ROW;
  target = target || !direct ? target : find_operand(decoder, SASS_IMMEDIATE); // CALL.ABS
  if (direct && !target)
    return SASS_OTHER;
  Step step = smb_sass_step(decoder, direct ? STEP_CALL_CODE : STEP_CALL_ADDRESS);
  if (direct) {
    smb_sass_add_jump(decoder, &step, (guint32)target->value);
    return SASS_DECODED;
  }
  step.compute.s[0] = pair;
  step.argument = target && smb_sass_has(decoder, "REL") ? (guint32)target->value : 0;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// All returns of a function by one register lead to one step behind it.
static SassResult
decode_return(SassDecoder *decoder) {
  const SassOperand *base = find_operand(decoder, SASS_TARGET);
  SassReturn wanted = {find_pair(decoder),
                       base && smb_sass_has(decoder, "REL") ? (guint32)base->value : 0};
  guint32 index = 0;
  if (wanted.row == NO_ROW)
    return SASS_OTHER;
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
  return SASS_DECODED;
}

// LEPC R2: its own address; LEPC R2, target: that of the target.
static SassResult
decode_place(SassDecoder *decoder) {
  const SassOperand *target = find_operand(decoder, SASS_TARGET);
  const SassOperand *result = smb_sass_operand(decoder, 0);
  guint64 address = target ? (guint64)target->value : decoder->place;
  Row row = result ? smb_sass_result(decoder, result, 2) : NO_ROW;
  if (row == NO_ROW)
    return SASS_OTHER;
  for (guint i = 0; i < 2; i++) {
    Compute compute = {.operation = OPERATION_MOV_32,
                       .d = row + i,
                       .s = {smb_sass_constant(decoder, address >> (32 * i), 1)}};
    smb_sass_add_compute(decoder, &compute);
  }
  return SASS_DECODED;
}

// --- convergence

static SassResult
decode_meeting(SassDecoder *decoder, StepOpcode opcode) {
  const SassOperand *barrier = find_operand(decoder, SASS_BARRIER);
  if (!barrier || barrier->number >= SASS_BARRIERS)
    return SASS_OTHER;
  Step step = smb_sass_step(decoder, opcode);
  join_condition(decoder, &step, smb_sass_operand(decoder, 0));
  step.argument = barrier->number;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// BMOV.32.CLEAR R2, B6 saves a barrier, and forgets it; BMOV.32 B6, R2 brings it back.
static SassResult
decode_move(SassDecoder *decoder) {
  const SassOperand *d = smb_sass_operand(decoder, 0), *s = smb_sass_operand(decoder, 1);
  if (!d || !s)
    return SASS_OTHER;
  if (d->kind == SASS_BARRIER && smb_sass_is_register(s)) {
    Step step = smb_sass_step(decoder, STEP_RESTORE_BARRIER);
    step.argument = d->number;
    step.compute.s[0] = smb_sass_source(decoder, s, 1);
    smb_code_add(decoder->code, &step);
    return SASS_DECODED;
  }
  if (s->kind != SASS_BARRIER || d->kind != SASS_REGISTER)
    return SASS_OTHER;
  Step save = smb_sass_step(decoder, STEP_SAVE_BARRIER);
  save.argument = s->number;
  save.compute.d = smb_sass_is_dropped(d) ? NO_ROW : smb_sass_result(decoder, d, 1);
  if (save.compute.d != NO_ROW)
    smb_code_writes_row(decoder->code, &save, save.compute.d, 1);
  smb_code_add(decoder->code, &save);
  Step clear = smb_sass_step(decoder, STEP_CLEAR_BARRIER);
  clear.argument = s->number;
  if (smb_sass_has(decoder, "CLEAR"))
    smb_code_add(decoder->code, &clear);
  return SASS_DECODED;
}

// WARPSYNC R2 waits for the lanes of a mask, WARPSYNC.ALL for all that live. .EXCLUSIVE and .COLLECTIVE let those of one mask go on
// alone, to the BSYNC behind.
static SassResult
decode_gathering(SassDecoder *decoder) {
  const SassOperand *mask = smb_sass_operand(decoder, 0);
  gboolean all = smb_sass_has(decoder, "ALL") || !mask || mask->kind == SASS_TARGET;
  Step step = smb_sass_step(decoder, STEP_GATHER);
  step.compute.s[0] =
      all ? smb_sass_constant(decoder, G_MAXUINT32, 1) : smb_sass_source(decoder, mask, 1);
  if (step.compute.s[0] == NO_ROW)
    return SASS_OTHER;
  step.argument = smb_sass_has(decoder, "EXCLUSIVE") || smb_sass_has(decoder, "COLLECTIVE");
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// --- barriers of the block: BAR.SYNC number [, threads]; BAR.RED.POPC number [, threads], P0; the answer goes to B2R

static SassResult
decode_barrier(SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  guint n = instruction->n_operands;
  Step step = smb_sass_step(decoder, STEP_BARRIER);
  step.argument = smb_sass_has(decoder, "ARV") ? BARRIER_ARRIVE : BARRIER_SYNC;
  if (smb_sass_has(decoder, "RED")) {
    const SassOperand *in = smb_sass_operand(decoder, n - 1);
    if (!in || !smb_sass_is_predicate(in))
      return SASS_OTHER;
    gboolean counts = smb_sass_has(decoder, "POPC");
    step.argument = counts ? BARRIER_POPC : smb_sass_has(decoder, "AND") ? BARRIER_AND : BARRIER_OR;
    step.compute.in[0] = smb_sass_condition(decoder, in);
    step.compute.d = decoder->answer;
    step.compute.p = decoder->answer_predicate;
    n--;
  } else if (!smb_sass_has(decoder, "SYNC") && !smb_sass_has(decoder, "ARV"))
    return SASS_OTHER;
  step.compute.s[0] = n > 0 ? smb_sass_source(decoder, &instruction->operands[0], 1)
                            : smb_sass_constant(decoder, 0, 1);
  step.compute.s[1] = n > 1 ? smb_sass_source(decoder, &instruction->operands[1], 1) : NO_ROW;
  if (step.compute.s[0] == NO_ROW || (n > 1 && step.compute.s[1] == NO_ROW))
    return SASS_OTHER;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// UCGABAR_WAIT: without clusters, each block is one of its own.
static SassResult
decode_cluster_barrier(SassDecoder *decoder) {
  Step step = smb_sass_step(decoder, STEP_BARRIER);
  step.argument = BARRIER_SYNC;
  step.compute.s[0] = step.compute.s[1] = NO_ROW;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// B2R.RESULT R0 [, P0]: what BAR.RED found.
static SassResult
decode_answer(SassDecoder *decoder) {
  const SassOperand *row = smb_sass_operand(decoder, 0), *predicate = smb_sass_operand(decoder, 1);
  if (!smb_sass_has(decoder, "RESULT") || !row)
    return SASS_OTHER;
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
  return SASS_DECODED;
}

// --- what changes nothing that is counted

void
smb_sass_add_await(SassDecoder *decoder, guint32 left) {
  Step step = smb_sass_step(decoder, STEP_AWAIT);
  step.argument = left;
  smb_code_add(decoder->code, &step);
}

static SassResult
decode_commit(SassDecoder *decoder) {
  return add_plain(decoder, STEP_COMMIT);
}

// DEPBAR.LE SB0, 0x1 [, {2,1}]: groups of copies (LDGDEPBAR) are counted by the first scoreboard; others wait for registers.
static SassResult
decode_scoreboard(SassDecoder *decoder) {
  const SassOperand *scoreboard = find_operand(decoder, SASS_SCOREBOARD),
                    *left = find_operand(decoder, SASS_IMMEDIATE),
                    *others = find_operand(decoder, SASS_SCOREBOARDS);
  if (scoreboard && scoreboard->number == 0 && left)
    smb_sass_add_await(decoder, (guint32)left->value);
  else if (others && others->value & 1)
    smb_sass_add_await(decoder, 0);
  else
    return add_plain(decoder, STEP_NOTHING);
  return SASS_DECODED;
}

// A fence of the block changes nothing here: its threads run one after the other.
static SassResult
decode_fence(SassDecoder *decoder) {
  if (smb_sass_has(decoder, "CTA") || smb_sass_has(decoder, "SM"))
    return add_plain(decoder, STEP_NOTHING);
  Step step = smb_sass_step(decoder, STEP_OPAQUE);
  step.argument = OPAQUE_FENCE;
  smb_code_add(decoder->code, &step);
  return SASS_DECODED;
}

// USETMAXREG.TRY_ALLOC UP0, n: whether there are so many registers for each thread, which code asks again and again until it is so
// (PTX ISA, setmaxnreg.inc: it blocks until they are there). Here they are.
static SassResult
decode_registers(SassDecoder *decoder) {
  const SassOperand *granted = smb_sass_operand(decoder, 0);
  if (!granted || !smb_sass_is_predicate(granted) || smb_sass_is_dropped(granted))
    return add_plain(decoder, STEP_NOTHING);
  smb_sass_add_compute(decoder, &(Compute){.operation = OPERATION_PREDICATE,
                                           .table = 0xff,
                                           .p = smb_sass_predicate(decoder, granted),
                                           .is_uniform = TRUE});
  return SASS_DECODED;
}

SassResult
smb_sass_decode_control(SassDecoder *decoder) {
  static const char *const harmless[] = {
      "NOP",          "YIELD",        "NANOSLEEP",     "ERRBAR",      "CGAERRBAR", "CCTLL",
      "CCTLT",        "WARPGROUP",    "ENDCOLLECTIVE", "FENCE",       "PREEXIT",   "ACQBULK",
      "UTMACMDFLUSH", "WARPGROUPSET", "PMTRIG",        "UCGABAR_ARV", "SETCTAID",  "UTMACCTL",
      "UTMAPF",       "UBLKPF",       "USETSHMSZ",     NULL};
  static const struct {
    const char *name;
    SassResult (*decode)(SassDecoder *);
  } kinds[] = {
      {"BRA", decode_branch},
      {"JMP", decode_branch},
      {"BRX", decode_jump},
      {"BRXU", decode_jump},
      {"JMX", decode_jump},
      {"JMXU", decode_jump},
      {"CALL", decode_call},
      {"RET", decode_return},
      {"LEPC", decode_place},
      {"BMOV", decode_move},
      {"WARPSYNC", decode_gathering},
      {"BAR", decode_barrier},
      {"B2R", decode_answer},
      {"MEMBAR", decode_fence},
      {"UCGABAR_WAIT", decode_cluster_barrier},
      {"LDGDEPBAR", decode_commit},
      {"DEPBAR", decode_scoreboard},
      {"USETMAXREG", decode_registers},
  };
  static const struct {
    const char *name;
    StepOpcode opcode;
  } meetings[] = {{"BSSY", STEP_ARM}, {"BSYNC", STEP_SYNC}, {"BREAK", STEP_BREAK}};
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if (smb_sass_is(decoder, kinds[i].name))
      return kinds[i].decode(decoder);
  }
  for (guint i = 0; i < G_N_ELEMENTS(meetings); i++) {
    if (smb_sass_is(decoder, meetings[i].name))
      return decode_meeting(decoder, meetings[i].opcode);
  }
  if (smb_sass_is(decoder, "EXIT") || smb_sass_is(decoder, "KILL")) {
    Step step = smb_sass_step(decoder, STEP_EXIT);
    join_condition(decoder, &step, smb_sass_operand(decoder, 0));
    smb_code_add(decoder->code, &step);
    return SASS_DECODED;
  }
  if (smb_sass_is(decoder, "BPT"))
    return add_plain(decoder, smb_sass_has(decoder, "TRAP") ? STEP_TRAP : STEP_NOTHING);
  if (smb_sass_is(decoder, "CCTL")) // what other blocks wrote is seen from here on
    return smb_sass_has(decoder, "IVALL") ? decode_fence(decoder)
                                          : add_plain(decoder, STEP_NOTHING);
  return smb_sass_is_one_of(decoder, harmless) ? add_plain(decoder, STEP_NOTHING) : SASS_OTHER;
}
