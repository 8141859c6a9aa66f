// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is common to instructions that compute registers from registers: of one whose bits are not all read, or that
// is in a form which is not modelled, the results are unknown.
#include "sim/sass/decode/compute.h"

// For the uniform datapath: in all lanes.
static void
forget_uniform(SassDecoder *decoder, const Written *written) {
  Row row = smb_sass_scratch(decoder, 1);
  Predicate predicate = smb_sass_scratch_predicate(decoder);
  smb_sass_add_unknown(decoder, row, 1);
  smb_sass_add_unknown_predicate(decoder, predicate);
  for (guint i = 0; i < written->n; i++)
    smb_sass_add_compute(
        decoder, &(Compute){.operation = OPERATION_FIRST, .d = written->row + i, .s = {row}});
  if (written->n == 0)
    smb_sass_add_compute(decoder, &(Compute){.operation = OPERATION_FIRST_PREDICATE,
                                             .p = written->predicate,
                                             .in = {predicate}});
}

// By where its row lies: those of UR0 to URZ are side by side.
static gboolean
is_uniform_result(const SassDecoder *decoder, const Written *written) {
  if (written->n == 0)
    return written->predicate - decoder->uniform_predicates < SASS_PREDICATE_REGISTERS;
  return written->row - decoder->uniforms < SASS_UNIFORMS;
}

// Nothing is known of what it writes. The guard's predicate comes last.
static void
mark_results_unknown(SassDecoder *decoder, const SassReading *reading) {
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < reading->n_results; i++) {
      const Written *written = &reading->results[i];
      gboolean is_guard = written->n == 0 && written->predicate == decoder->builder.guard;
      if (is_guard != (round == 1))
        continue;
      if (is_uniform_result(decoder, written))
        forget_uniform(decoder, written);
      else if (written->n > 0)
        smb_sass_add_unknown(decoder, written->row, written->n);
      else
        smb_sass_add_unknown_predicate(decoder, written->predicate);
    }
}

gboolean
smb_sass_compute(SassDecoder *decoder, SassComputing compute) {
  const SassInstruction *instruction = decoder->instruction;
  SassReading reading = {.decoder = decoder,
                         .is_uniform = instruction->guard_is_uniform,
                         .is_other = !instruction->is_complete || !instruction->is_modelled};
  guint n_steps = decoder->code->steps->len;
  compute(&reading);
  if (!reading.is_other)
    return TRUE;
  g_array_set_size(decoder->code->steps, n_steps);
  mark_results_unknown(decoder, &reading);
  return reading.n_results > 0 ? TRUE : smb_sass_unknown(decoder);
}

// What is not modelled, and writes one register.
void
smb_sass_compute_unknown(SassReading *reading) {
  smb_sass_take_result(reading, 1);
  reading->is_other = TRUE;
}
