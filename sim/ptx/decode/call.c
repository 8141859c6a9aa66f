// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls: what is passed is copied to where the frame of the function begins, and its results from there, word by word.
#include "sim/exec/runtime-function.h"
#include "sim/ptx/decode/decode.h"

enum {
  MAX_PASSED_BYTES = 1 << 16 // of one call
};

// A call, and what it passes and gets, in lists of its instruction or NULL.
typedef struct {
  const PtxOperand *callee;
  const PtxOperand *arguments;
  const PtxOperand *results;
  const PtxFunction *function; // that is called, if it is known
  guint64 slot_bytes;          // of what is passed and returned
  guint32 shape;
  guint64 pushed; // bytes ahead of it on the stack
} Call;

// --- what is passed

// The list of arguments or of results at an index of a call; NULL if there is none.
static const PtxOperand *
get_list(const PtxFunction *function, const PtxInstruction *call, guint index) {
  const PtxOperand *operand =
      index < call->n_operands
          ? &g_array_index(function->operands, PtxOperand, call->operand + index)
          : NULL;
  return operand && operand->kind == PTX_OPERAND_LIST ? operand : NULL;
}

// The callee follows the list of results, if there is one (section 9.7.12.5).
const PtxOperand *
smb_ptx_callee(const PtxFunction *function, const PtxInstruction *call) {
  guint index = get_list(function, call, 0) ? 1 : 0;
  return index < call->n_operands
             ? &g_array_index(function->operands, PtxOperand, call->operand + index)
             : NULL;
}

// A .param variable of the caller, in the memory of the thread. Returns FALSE for any other operand.
static gboolean
find_param_variable(const PtxDecoder *decoder, const PtxOperand *operand, PtxPlace *place,
                    guint64 *bytes) {
  const PtxFunction *function = decoder->current->function;
  *place = (PtxPlace){.base = NO_ROW};
  if (operand->kind != PTX_OPERAND_SYMBOL || operand->bits != 0)
    return FALSE;
  const GArray *variables = operand->where == PTX_WHERE_LOCAL       ? function->variables
                            : operand->where == PTX_WHERE_PARAMETER ? function->parameters
                            : operand->where == PTX_WHERE_RETURN    ? function->returns
                                                                    : NULL;
  const PtxVariable *variable =
      variables ? &g_array_index(variables, PtxVariable, operand->index) : NULL;
  if (!variable || strcmp(variable->space, "param") != 0)
    return FALSE;
  *bytes = variable->bytes;
  if (smb_ptx_in_frame(decoder, operand, &place->offset)) {
    place->base = decoder->current->frame;
    return TRUE;
  }
  if (operand->where != PTX_WHERE_LOCAL)
    return FALSE;
  place->offset = decoder->current->locals[operand->index];
  return TRUE;
}

// The size of a passed value; 0 if only the function's declaration says it.
static guint64
find_passed_size(const PtxDecoder *decoder, const PtxOperand *operand) {
  PtxPlace place;
  guint64 bytes = 0;
  if (!find_param_variable(decoder, operand, &place, &bytes) &&
      operand->kind == PTX_OPERAND_REGISTER)
    bytes = smb_ptx_register_bytes(decoder, operand);
  return bytes;
}

// Copies words if everything is aligned, else bytes.
static void
copy_variable(PtxDecoder *decoder, PtxPlace from, PtxPlace to, guint64 bytes) {
  guint piece = (from.offset | to.offset | bytes) % 4 == 0 ? 4 : 1;
  Row scratch = smb_code_new_rows(decoder->code, 1);
  for (guint64 at = 0; at < bytes; at += piece) {
    smb_ptx_move_rows(decoder, TRUE, (PtxPlace){.base = from.base, .offset = from.offset + at},
                      scratch, piece);
    smb_ptx_move_rows(decoder, FALSE, (PtxPlace){.base = to.base, .offset = to.offset + at},
                      scratch, piece);
  }
}

// Copies one value to its slot in the callee's frame, or a result back.
static gboolean
pass_value(PtxDecoder *decoder, const PtxOperand *operand, PtxPlace slot, guint64 bytes,
           gboolean in) {
  PtxPlace place;
  guint64 has = 0;
  if (find_param_variable(decoder, operand, &place, &has)) {
    if (has > MAX_PASSED_BYTES || (bytes && has != bytes))
      return smb_ptx_refuse(decoder, "'%s' does not have the size of the value passed",
                            operand->text);
    copy_variable(decoder, in ? place : slot, in ? slot : place, has);
    return TRUE;
  }
  if (operand->kind == PTX_OPERAND_SINK && !in)
    return TRUE;
  if (smb_ptx_is_predicate(decoder, operand) && !operand->is_negated) {
    smb_ptx_move_predicate(decoder, !in, slot, smb_ptx_predicate(decoder, operand));
    return TRUE;
  }
  guint width = (guint)(bytes ? bytes : find_passed_size(decoder, operand));
  gboolean fits = operand->kind != PTX_OPERAND_SYMBOL && width > 0 && width <= 16 &&
                  (in || operand->kind == PTX_OPERAND_REGISTER);
  Row row = fits ? smb_ptx_row(decoder, operand, width, TRUE) : NO_ROW;
  if (row == NO_ROW)
    return smb_ptx_refuse(
        decoder,
        "this way of passing a value is not supported: expected a .param variable or a register");
  smb_ptx_move_rows(decoder, !in, slot, row, width);
  return TRUE;
}

// Copies all arguments, or all results, which follow the arguments in the frame.
static gboolean
pass_all(PtxDecoder *decoder, const Call *call, gboolean in) {
  const PtxOperand *list = in ? call->arguments : call->results;
  const GArray *variables = !call->function ? NULL
                            : in            ? call->function->parameters
                                            : call->function->returns;
  guint64 offset = call->pushed, n = list ? list->n : 0;
  for (guint i = 0; !in && call->arguments && i < call->arguments->n; i++)
    offset += smb_ptx_slot_bytes(
        call->function ? g_array_index(call->function->parameters, PtxVariable, i).bytes
                       : find_passed_size(decoder, smb_ptx_element(decoder, call->arguments, i)));
  for (guint i = 0; i < n; i++) {
    const PtxOperand *operand = smb_ptx_element(decoder, list, i);
    guint64 bytes = variables ? g_array_index(variables, PtxVariable, i).bytes : 0;
    if (!pass_value(decoder, operand, (PtxPlace){.base = decoder->stack, .offset = offset}, bytes,
                    in))
      return FALSE;
    offset += smb_ptx_slot_bytes(bytes ? bytes : find_passed_size(decoder, operand));
  }
  return TRUE;
}

// Adds up the slots of a list, and its shape, which a function pointer's target must have.
static void
measure_list(const PtxDecoder *decoder, Call *call, const PtxOperand *list) {
  for (guint i = 0; list && i < list->n; i++) {
    guint64 bytes =
        smb_ptx_slot_bytes(find_passed_size(decoder, smb_ptx_element(decoder, list, i)));
    call->slot_bytes += bytes;
    call->shape = smb_ptx_shape(call->shape, bytes);
  }
}

static gboolean
check_argument_count(PtxDecoder *decoder, const PtxOperand *list, const GArray *variables) {
  guint n = list ? list->n : 0;
  return n == variables->len ||
         smb_ptx_refuse(decoder, "%u value%s passed, where the function has %u", n,
                        n == 1 ? "" : "s", variables->len);
}

// --- calls

// The results of a provided function are unknown.
static gboolean
forget_call_results(PtxDecoder *decoder, const PtxOperand *list) {
  Row scratch = smb_code_new_rows(decoder->code, 4); // is never written
  for (guint i = 0; list && i < list->n; i++) {
    const PtxOperand *operand = smb_ptx_element(decoder, list, i);
    PtxPlace place;
    guint64 bytes = 0;
    Step step = smb_build_step(&decoder->build, STEP_OPAQUE);
    if (!find_param_variable(decoder, operand, &place, &bytes)) {
      smb_ptx_writes_result(decoder, &step, operand);
      smb_code_add(decoder->code, &step);
      continue;
    }
    if (bytes > MAX_PASSED_BYTES)
      return smb_ptx_refuse(decoder, "'%s' does not have the size of the value passed",
                            operand->text);
    smb_code_writes_row(decoder->code, &step, scratch, 1);
    smb_code_add(decoder->code, &step);
    for (guint64 at = 0; at < bytes; at++)
      smb_ptx_move_rows(decoder, FALSE, (PtxPlace){.base = place.base, .offset = place.offset + at},
                        scratch, 1);
  }
  return TRUE;
}

// The rows that arguments are in, as runtime-function.def says, which are loaded from the variables that are passed. FALSE: they are not
// those.
static gboolean
load_provided(PtxDecoder *decoder, const Call *call, const Provided *provided, Row first) {
  guint n = call->arguments ? call->arguments->n : 0, at;
  Passing passing = {.most = PASSED_ROWS};
  if (n != strlen(provided->passed))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    PtxPlace place;
    guint64 bytes = 0;
    guint wanted = smb_provided_bytes(provided->passed[i]);
    smb_provided_pass(&passing, provided->passed[i], &at);
    if (!find_param_variable(decoder, smb_ptx_element(decoder, call->arguments, i), &place,
                             &bytes) ||
        bytes != wanted)
      return FALSE;
    for (guint word = 0; word < wanted / 4; word++)
      smb_ptx_move_rows(decoder, TRUE,
                        (PtxPlace){.base = place.base, .offset = place.offset + 4 * (guint64)word},
                        first + at + word, 4);
  }
  return TRUE;
}

// A function of runtime-function.def. One that is declared in another way is called for nothing; malloc is refused.
static gboolean
call_provided(PtxDecoder *decoder, const Call *call, const Provided *provided) {
  Step step = smb_build_step(&decoder->build, provided->opcode);
  guint64 bytes = 0, wanted = 4 * (guint64)provided->returned;
  PtxPlace result;
  gboolean has_result =
      call->results && call->results->n == 1 &&
      find_param_variable(decoder, smb_ptx_element(decoder, call->results, 0), &result, &bytes);
  step.callee = provided->name;
  if (provided->opcode == STEP_SERVICE) {
    step.argument = smb_provided_number(provided);
    step.compute.s[1] = NO_ROW;
  }
  step.compute.s[0] = smb_code_new_rows(decoder->code, MAX(smb_provided_rows(provided), 1));
  step.compute.d = smb_code_new_rows(decoder->code, MAX(provided->returned, 1));
  if (!load_provided(decoder, call, provided, step.compute.s[0]) || has_result != (wanted > 0) ||
      bytes != wanted) {
    if (provided->opcode == STEP_ALLOCATE)
      return smb_ptx_refuse(decoder, "expected malloc to take and to return a variable of 8 bytes");
    if (provided->opcode != STEP_ASSERT)
      smb_step_bind(&step, STEP_UNSUPPORTED);
    step.compute.s[0] = NO_ROW;
    smb_code_add(decoder->code, &step);
    return forget_call_results(decoder, call->results);
  }
  if (provided->gives)
    smb_code_add_heap(decoder->code);
  if (wanted)
    smb_code_writes_row(decoder->code, &step, step.compute.d, provided->returned);
  smb_code_add(decoder->code, &step);
  if (wanted)
    smb_ptx_move_rows(decoder, FALSE, result, step.compute.d, (guint)wanted);
  return TRUE;
}

// A function without a body. Calling one that is not provided is an error only if it is executed.
static gboolean
call_missing(PtxDecoder *decoder, const Call *call) {
  const char *name = call->function->name;
  const Provided *provided = smb_provided_find(name);
  if (provided)
    return call_provided(decoder, call, provided);
  Step step = smb_build_step(&decoder->build,
                             smb_provided_is_harmless(name) ? STEP_UNSUPPORTED : STEP_MISSING);
  step.callee = name;
  smb_code_add(decoder->code, &step);
  return forget_call_results(decoder, call->results);
}

// Saves the caller's registers if the callee may call it again.
static gboolean
emit_call(PtxDecoder *decoder, Call *call, Step *step) {
  gboolean own = decoder->current->is_recursive &&
                 (!call->function || ((const PtxDecoded *)step->callee)->is_recursive);
  if (call->slot_bytes > MAX_PASSED_BYTES)
    return smb_ptx_refuse(decoder, "more than %u bytes of arguments", (guint)MAX_PASSED_BYTES);
  guint64 pushed = own ? smb_ptx_push(decoder) : 0;
  smb_ptx_reserve(decoder, call->slot_bytes, NO_ROW);
  if (!pass_all(decoder, call, TRUE))
    return FALSE;
  smb_code_add(decoder->code, step);
  if (own)
    smb_ptx_pop(decoder, pushed);
  call->pushed = pushed;
  return pass_all(decoder, call, FALSE);
}

// A call of a named function, which may be a declaration only.
static gboolean
decode_named_call(PtxDecoder *decoder, Call *call) {
  guint32 index = call->callee->index;
  const PtxDecoded *decoded = smb_ptx_find_decoded(decoder, index);
  const PtxFunction *function = g_ptr_array_index(decoder->module->functions, index);
  call->function = decoded ? decoded->function : function;
  if (decoded ? decoded->is_kernel : function->is_entry)
    return smb_ptx_refuse(decoder, "'%s' is a kernel, and cannot be called", function->name);
  if (!decoded)
    return call_missing(decoder, call);
  if (!check_argument_count(decoder, call->arguments, call->function->parameters) ||
      !check_argument_count(decoder, call->results, call->function->returns))
    return FALSE;
  call->slot_bytes = decoded->slot_bytes;
  Step step = smb_build_step(&decoder->build, STEP_CALL);
  step.callee = decoded;
  return emit_call(decoder, call, &step);
}

// Lanes that call different functions through one pointer meet after the call, as ptxas has it (CUDA 13.0, sm_90)
// in some kernels; SmbProgram.irregular says that it may be otherwise.
static gboolean
call_pointer(PtxDecoder *decoder, Call *call) {
  Row row = call->callee && call->callee->kind == PTX_OPERAND_REGISTER
                ? smb_ptx_row(decoder, call->callee, 8, FALSE)
                : NO_ROW;
  if (row == NO_ROW)
    return smb_ptx_refuse(decoder, "expected a function or a 64-bit register");
  call->shape = call->slot_bytes = 0;
  measure_list(decoder, call, call->arguments);
  call->shape = smb_ptx_shape(call->shape, 0);
  measure_list(decoder, call, call->results);
  Step step = smb_build_step(&decoder->build, STEP_CALL_POINTER);
  step.argument = call->shape;
  step.compute.s[0] = row;
  guint32 barrier = smb_ptx_new_barriers(decoder, 1);
  smb_ptx_add_meeting(decoder, STEP_ARM, barrier, PREDICATE_TRUE, FALSE);
  if (!emit_call(decoder, call, &step))
    return FALSE;
  smb_ptx_add_meeting(decoder, STEP_SYNC, barrier, PREDICATE_TRUE, FALSE);
  return TRUE;
}

static gboolean
make_any(PtxDecoder *decoder, Call *call) {
  gboolean is_named = call->callee && call->callee->kind == PTX_OPERAND_SYMBOL && //
                      call->callee->where == PTX_WHERE_FUNCTION;
  return is_named ? decode_named_call(decoder, call) : call_pointer(decoder, call);
}

// A call with a guard becomes a branch around it; all lanes reconverge after it.
static gboolean
call_guarded(PtxDecoder *decoder, Call *call) {
  guint32 barrier = smb_ptx_new_barriers(decoder, 1);
  guint at = decoder->code->steps->len + 1;
  PtxInstruction unguarded = *decoder->instruction;
  Step around = smb_build_step(&decoder->build, STEP_BRANCH_AROUND);
  around.unless = !around.unless;
  smb_ptx_add_meeting(decoder, STEP_ARM, barrier, PREDICATE_TRUE, FALSE);
  smb_code_add(decoder->code, &around);
  unguarded.guard = PTX_NONE;
  const PtxInstruction *guarded = decoder->instruction;
  smb_ptx_go_to(decoder, &unguarded);
  gboolean made = make_any(decoder, call);
  smb_ptx_go_to(decoder, guarded);
  smb_code_step(decoder->code, at)->target = decoder->code->steps->len;
  smb_ptx_add_meeting(decoder, STEP_SYNC, barrier, PREDICATE_TRUE, FALSE);
  return made;
}

PtxResult
smb_ptx_decode_call(PtxDecoder *decoder) {
  const PtxFunction *function = decoder->current->function;
  const PtxInstruction *instruction = decoder->instruction;
  Call call = {.callee = smb_ptx_callee(function, instruction),
               .results = get_list(function, instruction, 0)};
  call.arguments = get_list(function, instruction, call.results ? 2 : 1);
  gboolean made =
      instruction->guard == PTX_NONE ? make_any(decoder, &call) : call_guarded(decoder, &call);
  return made ? PTX_DECODED : PTX_FAILED;
}
