// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which function makes steps of an instruction: the column of its row (sim/sass/opcodes) says it. A row that names
// none that there is does not link. Here are also those of instructions that change nothing, are refused, or have
// unknown results.
#include "sim/sass/decode/compute.h"

typedef struct {
  gboolean (*decode)(SassDecoder *decoder);
  SassComputing compute; // instead: through smb_sass_compute()
  guint argument;
} Handler;

static const Handler handlers[] = {
#define OPCODE(number, forms, first, last, datapath, name, handler, argument, ...)                 \
  {smb_sass_##handler, NULL, argument},
#define COMPUTE(number, forms, first, last, datapath, name, handler, argument, ...)                \
  {NULL, smb_sass_compute_##handler, argument},
#include "sim/sass/opcodes/opcodes.def"
};

Going
smb_sass_going(const SassInstruction *instruction) {
  gboolean never = instruction->guard == SASS_PT && instruction->guard_is_inverted;
  if (!instruction->name || never)
    return GOES_ON;
  const Handler *handler = &handlers[instruction->row];
  return handler->decode == smb_sass_branch ? BRANCHES
         : handler->decode == smb_sass_jump ? JUMPS
         : handler->decode == smb_sass_ret  ? RETURNS
         : handler->decode == smb_sass_exit ? ENDS
                                            : GOES_ON;
}

gboolean
smb_sass_decode(SassDecoder *decoder, const SassInstruction *instruction, guint32 place) {
  decoder->instruction = instruction;
  decoder->builder.place = place;
  decoder->n_scratch = decoder->n_scratch_predicates = 0;
  smb_sass_await_tensor_loads(decoder);
  gboolean uniform = instruction->guard_is_uniform;
  decoder->builder.guard =
      instruction->guard == SASS_PT
          ? PREDICATE_TRUE
          : (uniform ? decoder->uniform_predicates : decoder->predicates) + instruction->guard;
  gboolean never = decoder->builder.guard == PREDICATE_TRUE && instruction->guard_is_inverted;
  decoder->builder.unless = instruction->guard_is_inverted && !never;
  if (never)
    return smb_sass_harmless(decoder);
  if (!instruction->name)
    return smb_sass_refuse(decoder, "unknown instruction (opcode 0x%03x)", instruction->opcode);
  const Handler *handler = &handlers[instruction->row];
  decoder->argument = handler->argument;
  return handler->compute ? smb_sass_compute(decoder, handler->compute) : handler->decode(decoder);
}

// It changes nothing that is counted.
gboolean
smb_sass_harmless(SassDecoder *decoder) {
  smb_build_plain(&decoder->builder, STEP_NOTHING, 0);
  return TRUE;
}

void
smb_sass_add_unsupported(SassDecoder *decoder, const char *name) {
  Step step = smb_build_step(&decoder->builder, STEP_UNSUPPORTED);
  step.callee = name;
  smb_code_add(decoder->code, &step);
}

// It could ask for shared memory, or say where threads continue, and is not passed over.
gboolean
smb_sass_refused(SassDecoder *decoder) {
  g_autofree char *text = smb_sass_text(decoder->instruction);
  return smb_sass_refuse(decoder, "unsupported instruction '%s'", text);
}

// Nothing is known of its results: registers and predicates ahead of the first source. How many registers a result
// has is not known either: as many as may be aligned like it, four at most.
gboolean
smb_sass_unknown(SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  gboolean seen = FALSE;
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (smb_sass_is_predicate(operand) && !operand->is_inverted && i < 3)
      smb_sass_add_unknown_predicate(decoder, smb_sass_predicate(decoder, operand));
    else if (smb_sass_is_register(operand) && !seen) {
      guint n = operand->number % 4 == 0 ? 4 : operand->number % 2 == 0 ? 2 : 1;
      seen = TRUE;
      if (!smb_sass_is_dropped(operand))
        smb_sass_add_unknown(decoder, smb_sass_result(decoder, operand, n), n);
    } else
      break;
  }
  return TRUE;
}
