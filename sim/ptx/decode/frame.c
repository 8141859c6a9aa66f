// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a call of a function has of its own: a frame on the stack of each thread, which grows upwards in local memory
// behind the kernel's own variables. A frame begins with what is passed and what is returned, in the order of the
// declaration, at multiples of 16 bytes, so that a caller need not know which function it calls; the function's
// variables follow, and what alloca adds. Registers belong to the function, not to the call: those of a function that
// can be called again before it returns are pushed ahead of the call.
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  SLOT_BYTES = 16,
  ALLOCA_ALIGN = 16, // at least
};

// Slots are multiples of 16 bytes, so that a caller needs no declaration of its callee.
guint64
smb_ptx_slot_bytes(guint64 bytes) {
  return (MAX(bytes, 1) + SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES;
}

// Whether a symbol is in the frame: what a function is passed, returns, or declares in local memory. A kernel has no
// frame.
gboolean
smb_ptx_in_frame(const PtxDecoder *decoder, const PtxOperand *operand, guint64 *offset) {
  const PtxDecoded *current = decoder->current;
  if (operand->kind != PTX_OPERAND_SYMBOL || current->is_kernel)
    return FALSE;
  switch ((PtxWhere)operand->where) {
  case PTX_WHERE_LOCAL: {
    const char *space =
        g_array_index(current->function->variables, PtxVariable, operand->index).space;
    *offset = current->locals[operand->index] + operand->bits;
    return strcmp(space, "local") == 0 || strcmp(space, "param") == 0;
  }
  case PTX_WHERE_PARAMETER:
    *offset = current->parameters[operand->index] + operand->bits;
    return TRUE;
  case PTX_WHERE_RETURN:
    *offset = current->returns[operand->index] + operand->bits;
    return TRUE;
  case PTX_WHERE_MODULE:
  case PTX_WHERE_FUNCTION:
    return FALSE;
  }
  g_assert_not_reached();
}

static void
add_number(PtxDecoder *decoder, Row d, Row a, guint64 number) {
  smb_ptx_add_operation(decoder, OPERATION_ADD_64, d, a, smb_ptx_constant(decoder, number, 8));
}

// The frame's address plus an offset: a generic pointer of 8 bytes, or an offset in local memory.
Row
smb_ptx_frame_row(PtxDecoder *decoder, guint64 offset, guint bytes) {
  Row row = smb_code_new_rows(decoder->code, 2);
  guint64 start = bytes == 8 ? make_pointer(REGION_LOCAL, 0) : 0;
  add_number(decoder, row, decoder->current->frame, start + offset);
  return row;
}

// One row, or its low bytes. Not an access of the program, so it has no site.
static void
move_row(PtxDecoder *decoder, gboolean loads, PtxPlace place, Row row, guint bytes) {
  Builder build = decoder->build;
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  build.add_site = NULL;
  transfer->window = place.region ? WINDOW_GENERIC : WINDOW_LOCAL;
  transfer->address = place.base;
  transfer->address_rows = place.base == NO_ROW ? 0 : place.region ? 2 : 1;
  transfer->offset = (place.region ? make_pointer(place.region, 0) : 0) + place.offset;
  transfer->bytes = bytes;
  transfer->rows = transfer->n_components = 1;
  transfer->data[0] = row;
  smb_build_access(&build, transfer, loads, FALSE);
}

// Moves a value of several rows, row by row.
void
smb_ptx_move_rows(PtxDecoder *decoder, gboolean loads, PtxPlace place, Row row, guint bytes) {
  move_row(decoder, loads, place, row, MIN(bytes, 4u));
  for (guint i = 1; i < bytes / 4; i++)
    move_row(decoder, loads, (PtxPlace){place.base, place.offset + 4 * i, place.region}, row + i,
             4);
}

// A predicate is passed in memory as 0 or 1.
void
smb_ptx_move_predicate(PtxDecoder *decoder, gboolean loads, PtxPlace place, Predicate predicate) {
  Row scratch = smb_code_new_rows(decoder->code, 1), one = smb_ptx_constant(decoder, 1, 4);
  Compute select = {.operation = OPERATION_SELECT_32,
                    .d = scratch,
                    .s = {one, smb_ptx_constant(decoder, 0, 4)},
                    .in = {predicate}};
  Compute compare = {.operation = OPERATION_EQ_32, .s = {scratch, one}, .p = predicate};
  if (!loads)
    smb_ptx_add_compute(decoder, &select);
  move_row(decoder, loads, place, scratch, 4);
  if (loads)
    smb_ptx_add_compute(decoder, &compare);
}

// Moves a whole register, all components of a vector.
static void
move_register(PtxDecoder *decoder, gboolean loads, PtxPlace place, guint32 index) {
  const PtxDecoded *current = decoder->current;
  const PtxRegister *named = &g_array_index(current->function->registers, PtxRegister, index);
  guint bytes = smb_ptx_type_bytes(named->type);
  if (named->vector > 1)
    bytes = 4 * smb_ptx_register_rows(named);
  if (bytes > 0)
    smb_ptx_move_rows(decoder, loads, place, current->rows[index], bytes);
  else
    smb_ptx_move_predicate(decoder, loads, place, current->rows[index]);
}

// Marks the steps from @from on as keeping the stack: they are executed even in a region that is skipped.
static void
mark_frame(PtxDecoder *decoder, guint from) {
  for (guint i = from; i < decoder->code->steps->len; i++)
    smb_code_step(decoder->code, i)->kind = KIND_FRAME;
}

void
smb_ptx_reserve(PtxDecoder *decoder, guint64 bytes, Row size) {
  Step step = smb_build_step(&decoder->build, size == NO_ROW ? STEP_RESERVE : STEP_RESERVE_ROWS);
  step.argument = (guint32)bytes;
  step.compute.s[0] = decoder->stack;
  step.compute.s[1] = size;
  if (bytes > 0 || size != NO_ROW)
    smb_code_add(decoder->code, &step);
}

// Moves what is passed, or returned, in registers between them and their places in the frame.
static void
move_passed(PtxDecoder *decoder, gboolean loads, const GArray *variables, const guint64 *places,
            guint32 index) {
  for (guint i = 0; i < variables->len; i++) {
    if (strcmp(g_array_index(variables, PtxVariable, i).space, "reg") == 0)
      move_register(decoder, loads,
                    (PtxPlace){.base = decoder->current->frame, .offset = places[i]}, index++);
  }
}

static guint32
count_registers(const GArray *variables) {
  guint32 n = 0;
  for (guint i = 0; i < variables->len; i++)
    n += strcmp(g_array_index(variables, PtxVariable, i).space, "reg") == 0;
  return n;
}

// A function's frame begins at the end of the stack, where its caller put what it passes.
void
smb_ptx_begin_frame(PtxDecoder *decoder) {
  const PtxDecoded *current = decoder->current;
  const PtxFunction *function = current->function;
  guint from = decoder->code->steps->len;
  if (current->is_kernel && decoder->has_stack)
    smb_ptx_add_operation(decoder, OPERATION_MOV_64, decoder->stack,
                          smb_ptx_constant(decoder, decoder->local_bytes, 8), 0);
  if (!current->is_kernel) {
    smb_ptx_add_operation(decoder, OPERATION_MOV_64, current->frame, decoder->stack, 0);
    add_number(decoder, decoder->stack, current->frame, current->slot_bytes);
    smb_ptx_reserve(decoder, current->frame_bytes - current->slot_bytes, NO_ROW);
    add_number(decoder, decoder->stack, current->frame, current->frame_bytes);
  }
  mark_frame(decoder, from);
  if (!current->is_kernel)
    move_passed(decoder, TRUE, function->parameters, current->parameters,
                count_registers(function->returns));
}

// Results go to the frame, and the stack ends where the frame began.
void
smb_ptx_end_frame(PtxDecoder *decoder) {
  const PtxDecoded *current = decoder->current;
  if (!current->is_kernel) {
    move_passed(decoder, FALSE, current->function->returns, current->returns, 0);
    guint from = decoder->code->steps->len;
    smb_ptx_add_operation(decoder, OPERATION_MOV_64, decoder->stack, current->frame, 0);
    mark_frame(decoder, from);
  }
  smb_build_plain(&decoder->build, current->is_kernel ? STEP_EXIT : STEP_RETURN, 0);
}

// Where pushed registers go: a memory that the program has no pointers to.
static PtxPlace
saved_place(const PtxDecoder *decoder, guint64 offset) {
  return (PtxPlace){decoder->stack, offset, decoder->saved};
}

// Moves the registers that are read somewhere, and the frame's address.
static guint64
move_live_registers(PtxDecoder *decoder, gboolean loads) {
  const PtxDecoded *current = decoder->current;
  const GArray *registers = current->function->registers;
  guint64 offset = 0;
  smb_ptx_move_rows(decoder, loads, saved_place(decoder, offset), current->frame, 4);
  offset += 4;
  for (guint32 i = 0; i < registers->len; i++) {
    if (!current->reads[i])
      continue;
    move_register(decoder, loads, saved_place(decoder, offset), i);
    offset += 4 * smb_ptx_register_rows(&g_array_index(registers, PtxRegister, i));
  }
  return smb_ptx_slot_bytes(offset);
}

guint64
smb_ptx_push(PtxDecoder *decoder) {
  guint from = decoder->code->steps->len;
  smb_ptx_reserve(decoder, 1, NO_ROW);
  guint64 bytes = move_live_registers(decoder, FALSE);
  smb_code_step(decoder->code, from)->argument = (guint32)bytes;
  add_number(decoder, decoder->stack, decoder->stack, bytes);
  mark_frame(decoder, from);
  return bytes;
}

void
smb_ptx_pop(PtxDecoder *decoder, guint64 bytes) {
  guint from = decoder->code->steps->len;
  add_number(decoder, decoder->stack, decoder->stack, -bytes);
  move_live_registers(decoder, TRUE);
  mark_frame(decoder, from);
}

// alloca.type pointer, size{, alignment}
PtxResult
smb_ptx_decode_alloca(PtxDecoder *decoder) {
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *size = smb_ptx_operand(decoder, 1);
  const PtxOperand *align = smb_ptx_operand(decoder, 2);
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  Row to = d->kind == PTX_OPERAND_REGISTER ? smb_ptx_row(decoder, d, bytes, FALSE) : NO_ROW;
  Row asked = smb_ptx_row(decoder, size, bytes, FALSE);
  guint64 step = align->kind == PTX_OPERAND_INTEGER ? align->bits : 1;
  if (to == NO_ROW || asked == NO_ROW || (bytes != 4 && bytes != 8) || step == 0 ||
      (step & (step - 1)))
    return smb_ptx_wants(decoder, "a register, a number of bytes and an alignment");
  guint64 mask = MAX(step, ALLOCA_ALIGN) - 1;
  Row start = smb_code_new_rows(decoder->code, 2), rounded = smb_code_new_rows(decoder->code, 2);
  add_number(decoder, start, decoder->stack, mask);
  smb_ptx_add_operation(decoder, OPERATION_AND_64, start, start,
                        smb_ptx_constant(decoder, ~mask, 8));
  smb_ptx_add_operation(decoder, OPERATION_MOV_64, decoder->stack, start, 0);
  smb_ptx_add_operation(decoder, bytes == 4 ? OPERATION_CVT_64_U32 : OPERATION_MOV_64, rounded,
                        asked, 0);
  smb_ptx_reserve(decoder, 0, rounded);
  add_number(decoder, rounded, rounded, SLOT_BYTES - 1);
  smb_ptx_add_operation(decoder, OPERATION_AND_64, rounded, rounded,
                        smb_ptx_constant(decoder, ~(guint64)(SLOT_BYTES - 1), 8));
  smb_ptx_add_operation(decoder, OPERATION_ADD_64, decoder->stack, decoder->stack, rounded);
  if (bytes == 4)
    smb_ptx_add_operation(decoder, OPERATION_MOV_32, to, start, 0);
  else
    add_number(decoder, to, start, make_pointer(REGION_LOCAL, 0));
  return PTX_DECODED;
}

// stacksave.type d, stackrestore.type a, as the argument says: where the stack ends, as it is.
PtxResult
smb_ptx_decode_stack(PtxDecoder *decoder) {
  gboolean saves = decoder->argument;
  const PtxOperand *operand = smb_ptx_operand(decoder, 0);
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  Row row =
      operand->kind == PTX_OPERAND_REGISTER ? smb_ptx_row(decoder, operand, bytes, FALSE) : NO_ROW;
  if (row == NO_ROW || (bytes != 4 && bytes != 8))
    return smb_ptx_wants(decoder, "a register");
  smb_ptx_add_operation(decoder, bytes == 8 ? OPERATION_MOV_64 : OPERATION_MOV_32,
                        saves ? row : decoder->stack, saves ? decoder->stack : row, 0);
  return PTX_DECODED;
}
