// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions that the device's run-time system provides, which no image has, or whose body is not run: as far as they are known
// not to touch shared memory. Calling convention of CUDA's compilers: R4 and what follows it are passed and returned, R20 and
// R21 hold where the function returns to.
#include "sim/exec/runtime-function.h"
#include "sim/sass/decode/decode.h"

enum {
  STACK_POINTER = 1,
  FIRST_PASSED = 4,
  RETURN_ADDRESS = 20,
  N_RETURNED = 4, // registers, at most, of what is not known
};

static void
add_provided_block(SassDecoder *decoder, guint32 first) {
  CodeGraph *graph = g_new0(CodeGraph, 1);
  const SmbFlowBlock block = {
      .first = first, .end = decoder->code->steps->len, .flow = SMB_FLOW_RETURN};
  graph->blocks = g_array_new(FALSE, TRUE, sizeof(SmbFlowBlock));
  graph->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  g_array_append_val(graph->blocks, block);
  g_ptr_array_add(decoder->code->graphs, graph);
}

guint32
smb_sass_add_provided(SassDecoder *decoder, const char *name) {
  static const SassInstruction none;
  guint32 first = decoder->code->steps->len;
  const Provided *provided = smb_provided_find(name);
  if (!provided && !smb_provided_is_harmless(name))
    return NO_STEP;
  decoder->instruction = &none;
  decoder->builder.guard = PREDICATE_TRUE;
  decoder->builder.unless = FALSE;
  Step call = smb_sass_step(decoder, provided ? provided->opcode : STEP_UNSUPPORTED);
  call.callee = name;
  if (call.opcode == STEP_SERVICE) {
    call.argument = smb_provided_number(provided);
    call.compute.s[1] = decoder->registers + STACK_POINTER;
  }
  call.compute.d = call.compute.s[0] = decoder->registers + FIRST_PASSED;
  if (provided && provided->gives)
    smb_code_add_heap(decoder->code);
  if (provided && (provided->gives || call.opcode == STEP_SERVICE)) {
    if (provided->returned)
      smb_code_writes_row(decoder->code, &call, call.compute.d, provided->returned);
  } else if (call.opcode != STEP_ASSERT)
    smb_code_writes_row(decoder->code, &call, call.compute.d, N_RETURNED);
  smb_code_add(decoder->code, &call);
  Step step = smb_sass_step(decoder, STEP_RETURN_TO);
  step.compute.s[0] = decoder->registers + RETURN_ADDRESS;
  smb_code_add(decoder->code, &step);
  add_provided_block(decoder, first);
  return first;
}
