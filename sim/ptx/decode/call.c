// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls: what is passed is copied to where the function expects it, and its results back, word by word. Each function
// has registers and memory of its own, once: it cannot call itself.
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  MAX_PASSED_BYTES = 1 << 16 // of one parameter
};

// Functions that the device provides, which touch no shared memory of the program.
static const char *const provided[] = {"vprintf", "malloc", "free", "__assertfail",
                                       "cudaLaunchDeviceV2"};

// A load into a row, or a store of it, in the memory of the thread.
static void
add_local(PtxDecoder *decoder, gboolean loads, guint64 at, Row row, guint bytes) {
  Step step = smb_ptx_step(decoder, STEP_TRANSFER, loads ? smb_step_load : smb_step_store);
  Transfer *transfer = g_new(Transfer, 1);
  g_ptr_array_add(decoder->code->transfers, transfer);
  *transfer = (Transfer){.offset = make_pointer(REGION_LOCAL, (gint64)at),
                         .bytes = bytes,
                         .rows = 1,
                         .n_components = 1,
                         .data = {row},
                         .swap = NO_ROW,
                         .move = {.place = decoder->instruction->offset,
                                  .op_class = loads ? SMB_OP_CLASS_LOAD : SMB_OP_CLASS_STORE,
                                  .op = loads ? SMB_OP_LD : SMB_OP_ST,
                                  .kind = SMB_SCALAR_U32,
                                  .components = 1,
                                  .width = bytes,
                                  .align = bytes,
                                  .reads = loads}};
  if (loads)
    smb_ptx_writes_row(decoder, &step, row, 1);
  step.transfer = transfer;
  smb_ptx_add(decoder, &step);
}

static void
copy_word(PtxDecoder *decoder, guint64 from, guint64 to, guint bytes) {
  Row scratch = smb_ptx_new_rows(decoder, 1);
  add_local(decoder, TRUE, from, scratch, bytes);
  add_local(decoder, FALSE, to, scratch, bytes);
}

static void
copy_variable(PtxDecoder *decoder, guint64 from, guint64 to, guint64 bytes) {
  guint piece = (from | to | bytes) % 4 == 0 ? 4 : 1;
  for (guint64 at = 0; at < bytes; at += piece)
    copy_word(decoder, from + at, to + at, piece);
}

static PtxDecoded *
find_decoded(const PtxDecoder *decoder, const PtxFunction *function) {
  for (guint i = 0; i < decoder->functions->len; i++) {
    PtxDecoded *decoded = g_ptr_array_index(decoder->functions, i);
    if (decoded->function == function)
      return decoded;
  }
  return NULL;
}

// A variable of the caller that is passed, or gets a result: it has to have @bytes; 0: any number, which becomes
// @bytes.
static gboolean
find_passed(PtxDecoder *decoder, const PtxOperand *operand, guint64 *at, guint64 *bytes) {
  const GArray *variables = decoder->current->function->variables;
  const PtxVariable *variable =
      operand->kind == PTX_OPERAND_SYMBOL && operand->where == PTX_WHERE_LOCAL
          ? &g_array_index(variables, PtxVariable, operand->index)
          : NULL;
  if (!variable || strcmp(variable->space, "param") != 0 || operand->bits != 0)
    return smb_ptx_refuse(decoder,
                          "this way to pass a value is not supported: expected a .param variable");
  if (variable->bytes > MAX_PASSED_BYTES || (*bytes && variable->bytes != *bytes))
    return smb_ptx_refuse(decoder, "'%s' does not have the size of what is passed", variable->name);
  *at = decoder->current->locals[operand->index];
  *bytes = variable->bytes;
  return TRUE;
}

static gboolean
pass_all(PtxDecoder *decoder, const PtxOperand *list, const GArray *variables,
         const guint64 *places, gboolean in) {
  guint n = list ? list->n : 0;
  if (n != variables->len)
    return smb_ptx_refuse(decoder, "%u value%s where the function has %u", n, n == 1 ? "" : "s",
                          variables->len);
  for (guint i = 0; i < n; i++) {
    guint64 at = 0, bytes = g_array_index(variables, PtxVariable, i).bytes;
    if (!find_passed(decoder, smb_ptx_element(decoder, list, i), &at, &bytes))
      return FALSE;
    copy_variable(decoder, in ? at : places[i], in ? places[i] : at, bytes);
  }
  return TRUE;
}

static gboolean
is_provided(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(provided); i++) {
    if (strcmp(name, provided[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

// What such a function returns is not known.
static gboolean
forget_result(PtxDecoder *decoder, const PtxOperand *list) {
  Row scratch = smb_ptx_new_rows(decoder, 1); // is never written
  for (guint i = 0; list && i < list->n; i++) {
    const PtxOperand *operand = smb_ptx_element(decoder, list, i);
    guint64 at = 0, bytes = 0;
    if (!find_passed(decoder, operand, &at, &bytes))
      return FALSE;
    for (guint64 byte = 0; byte < bytes; byte++)
      add_local(decoder, FALSE, at + byte, scratch, 1);
  }
  return TRUE;
}

gboolean
smb_ptx_decode_call(PtxDecoder *decoder) {
  const PtxOperand *first = smb_ptx_operand(decoder, 0);
  gboolean returns = first && first->kind == PTX_OPERAND_LIST;
  const PtxOperand *name = smb_ptx_operand(decoder, returns ? 1 : 0);
  const PtxOperand *arguments = smb_ptx_operand(decoder, returns ? 2 : 1);
  if (arguments && arguments->kind != PTX_OPERAND_LIST)
    arguments = NULL;
  if (!name || name->kind != PTX_OPERAND_SYMBOL || name->where != PTX_WHERE_FUNCTION)
    return smb_ptx_refuse(decoder, "a call through a pointer is not supported");
  const PtxFunction *function = g_ptr_array_index(decoder->module->functions, name->index);
  if (function->alias != PTX_NONE)
    function = g_ptr_array_index(decoder->module->functions, function->alias);
  if (is_provided(function->name))
    return forget_result(decoder, returns ? first : NULL);
  PtxDecoded *decoded = find_decoded(decoder, function);
  if (!decoded)
    return smb_ptx_refuse(decoder, "'%s' has no body here: it could touch shared memory",
                          function->name);
  if (!pass_all(decoder, arguments, function->parameters, decoded->parameters, TRUE))
    return FALSE;
  Step step = smb_ptx_step(decoder, STEP_OTHER, smb_step_call);
  step.callee = decoded;
  smb_ptx_add(decoder, &step);
  return pass_all(decoder, returns ? first : NULL, function->returns, decoded->returns, FALSE);
}
