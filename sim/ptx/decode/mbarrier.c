// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// mbarrier, and the instructions that arrive at one when what was begun before is complete.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static PtxResult
refuse(PtxDecoder *decoder, const char *expected) {
  smb_ptx_refuse(decoder, "expected %s", expected);
  return PTX_FAILED;
}

// A step at the mbarrier that an operand names.
static gboolean
begin(PtxDecoder *decoder, Step *step, StepOpcode opcode, guint address, SmbOpClass op_class) {
  gboolean shared = smb_ptx_has_prefix(decoder, "shared");
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  *step = smb_ptx_step(decoder, opcode);
  step->transfer = transfer;
  step->compute.d = step->compute.s[0] = NO_ROW;
  transfer->move = (Move){.place = decoder->instruction->offset,
                          .op_class = op_class,
                          .width = 8,
                          .align = 8,
                          .site = smb_ptx_add_site(decoder, op_class, 8)};
  return smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, address),
                             shared ? AREA_SHARED : AREA_GENERIC);
}

static PtxResult
decode_wait(PtxDecoder *decoder) {
  const PtxOperand *result = smb_ptx_operand(decoder, 0), *phase = smb_ptx_operand(decoder, 2);
  gboolean parity = smb_ptx_has_part(decoder, "parity");
  Step step;
  if (!begin(decoder, &step, STEP_MBARRIER_WAIT, 1, SMB_OP_CLASS_LOAD))
    return PTX_FAILED;
  if (!smb_ptx_is_predicate(decoder, result))
    return refuse(decoder, "a predicate, an mbarrier, and its state or a parity");
  step.argument = parity ? MBARRIER_PARITY : MBARRIER_STATE;
  step.compute.p = smb_ptx_predicate(decoder, result);
  step.compute.s[0] = smb_ptx_row(decoder, phase, parity ? 4 : 8, FALSE);
  if (step.compute.s[0] == NO_ROW)
    return refuse(decoder, parity ? "a parity" : "the state of an mbarrier");
  smb_code_writes_predicate(decoder->code, &step, step.compute.p);
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// How many arrivals are still expected stands in the lower half of what the state is here.
static PtxResult
decode_pending(PtxDecoder *decoder) {
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *state = smb_ptx_operand(decoder, 1);
  Compute compute = {.operation = OPERATION_MOV_32,
                     .d = smb_ptx_row(decoder, d, 4, FALSE),
                     .s = {smb_ptx_row(decoder, state, 8, FALSE)}};
  if (compute.d == NO_ROW || compute.s[0] == NO_ROW || compute.d & ROW_CONSTANT)
    return refuse(decoder, "a register and the state of an mbarrier");
  smb_ptx_add_compute(decoder, &compute);
  return PTX_DECODED;
}

static const struct {
  const char *name;
  const char *also; // another part of the opcode, or NULL
  guint action;
  gboolean has_state; // what becomes of it is the first operand
} actions[] = {
    {"arrive_drop", "expect_tx", MBARRIER_DROP_EXPECT, TRUE},
    {"arrive_drop", NULL, MBARRIER_DROP, TRUE},
    {"arrive", "expect_tx", MBARRIER_ARRIVE_EXPECT, TRUE},
    {"arrive", NULL, MBARRIER_ARRIVE, TRUE},
    {"init", NULL, MBARRIER_INIT, FALSE},
    {"inval", NULL, MBARRIER_INVALIDATE, FALSE},
    {"expect_tx", NULL, MBARRIER_EXPECT, FALSE},
    {"complete_tx", NULL, MBARRIER_COMPLETE, FALSE},
};

static PtxResult
decode_action(PtxDecoder *decoder, guint i) {
  guint first = actions[i].has_state;
  const PtxOperand *state = first ? smb_ptx_operand(decoder, 0) : NULL;
  const PtxOperand *number =
      smb_ptx_has_operand(decoder, first + 1) ? smb_ptx_operand(decoder, first + 1) : NULL;
  Step step;
  if (!begin(decoder, &step, STEP_MBARRIER, first, SMB_OP_CLASS_ATOMIC))
    return PTX_FAILED;
  step.argument = actions[i].action;
  if (number)
    step.compute.s[0] = smb_ptx_row(decoder, number, 4, FALSE);
  if (number && step.compute.s[0] == NO_ROW)
    return refuse(decoder, "an mbarrier and a number");
  if (state && state->kind != PTX_OPERAND_SINK) {
    step.compute.d =
        state->kind == PTX_OPERAND_REGISTER ? smb_ptx_row(decoder, state, 8, FALSE) : NO_ROW;
    if (step.compute.d == NO_ROW)
      return refuse(decoder, "a register of 64 bits for the state of an mbarrier");
    smb_code_writes_row(decoder->code, &step, step.compute.d, 2);
  }
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// cp.async.mbarrier.arrive: of copies that are complete. tcgen05.commit: of products, which are.
static PtxResult
decode_arrival(PtxDecoder *decoder, gboolean counts) {
  Step step;
  if (!begin(decoder, &step, STEP_MBARRIER, 0, SMB_OP_CLASS_ATOMIC))
    return PTX_FAILED;
  step.argument = counts ? MBARRIER_ARRIVE : MBARRIER_TOUCH;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_mbarrier(PtxDecoder *decoder) {
  const char *name = decoder->parts[0];
  if (strcmp(name, "cp") == 0 && smb_ptx_has_part(decoder, "mbarrier")) {
    smb_ptx_add_await(decoder, PENDING_NONE);
    return decode_arrival(decoder, smb_ptx_has_part(decoder, "noinc"));
  }
  if (strcmp(name, "tcgen05") == 0 && smb_ptx_has_part(decoder, "commit"))
    return decode_arrival(decoder, TRUE);
  if (strcmp(name, "mbarrier") != 0)
    return PTX_UNKNOWN;
  if (smb_ptx_has_part(decoder, "test_wait") || smb_ptx_has_part(decoder, "try_wait"))
    return decode_wait(decoder);
  if (smb_ptx_has_part(decoder, "pending_count"))
    return decode_pending(decoder);
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++) {
    if (smb_ptx_has_part(decoder, actions[i].name) &&
        (!actions[i].also || smb_ptx_has_part(decoder, actions[i].also)))
      return decode_action(decoder, i);
  }
  smb_ptx_refuse(decoder, "this operation of an mbarrier is not known");
  return PTX_FAILED;
}
