// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// mbarrier, and the instructions that arrive at one when earlier work is complete (PTX ISA 9.0, section 9.7.13.15).
// Their argument is what they do there (MBarrierAction). They make no requests, and are listed separately.
#include <string.h>

#include "sim/ptx/decode/decode.h"

// The mbarrier that an operand names; NULL with an error.
static Transfer *
find_barrier(PtxDecoder *decoder, guint operand) {
  PtxArea area = smb_ptx_area(decoder);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  return smb_ptx_set_address(decoder, transfer, smb_ptx_operand(decoder, operand), area) ? transfer
                                                                                         : NULL;
}

// mbarrier.{test_wait,try_wait} p, [a], state{, time}; .parity: p, [a], parity
PtxResult
smb_ptx_decode_mbarrier_wait(PtxDecoder *decoder) {
  const PtxOperand *result = smb_ptx_operand(decoder, 0), *phase = smb_ptx_operand(decoder, 2);
  gboolean parity = smb_ptx_has_part(decoder, "parity");
  Transfer *barrier = find_barrier(decoder, 1);
  if (!barrier)
    return PTX_FAILED;
  if (!smb_ptx_is_predicate(decoder, result))
    return smb_ptx_wants(decoder, "a predicate, an mbarrier, and its state or a parity");
  Row row = smb_ptx_row(decoder, phase, parity ? 4 : 8, FALSE);
  if (row == NO_ROW)
    return smb_ptx_wants(decoder, parity ? "a parity" : "the state of an mbarrier");
  smb_build_mbarrier_wait(&decoder->build, barrier, parity ? MBARRIER_PARITY : MBARRIER_STATE, row,
                          smb_ptx_predicate(decoder, result));
  return PTX_DECODED;
}

// How many arrivals are still expected is in the lower half of what the state is here.
PtxResult
smb_ptx_decode_mbarrier_count(PtxDecoder *decoder) {
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *state = smb_ptx_operand(decoder, 1);
  Row to = smb_ptx_row(decoder, d, 4, FALSE), from = smb_ptx_row(decoder, state, 8, FALSE);
  if (to == NO_ROW || from == NO_ROW || to & ROW_CONSTANT)
    return smb_ptx_wants(decoder, "a register and the state of an mbarrier");
  smb_ptx_add_operation(decoder, OPERATION_MOV_32, to, from, 0);
  return PTX_DECODED;
}

// Whether what happens to an mbarrier is the first operand.
static gboolean
has_state(MBarrierAction action) {
  return action == MBARRIER_ARRIVE || action == MBARRIER_DROP || action == MBARRIER_ARRIVE_EXPECT ||
         action == MBARRIER_DROP_EXPECT;
}

// mbarrier.ACTION {state, }[a]{, number}
PtxResult
smb_ptx_decode_mbarrier(PtxDecoder *decoder) {
  guint first = has_state((MBarrierAction)decoder->argument);
  const PtxOperand *state = smb_ptx_operand(decoder, 0);
  Transfer *barrier = find_barrier(decoder, first);
  Row number = NO_ROW, d = NO_ROW;
  if (!barrier)
    return PTX_FAILED;
  if (smb_ptx_has_operand(decoder, first + 1)) {
    number = smb_ptx_row(decoder, smb_ptx_operand(decoder, first + 1), 4, FALSE);
    if (number == NO_ROW)
      return smb_ptx_wants(decoder, "an mbarrier and a number");
  }
  if (first && state->kind != PTX_OPERAND_SINK) {
    d = state->kind == PTX_OPERAND_REGISTER ? smb_ptx_row(decoder, state, 8, FALSE) : NO_ROW;
    if (d == NO_ROW)
      return smb_ptx_wants(decoder, "a 64-bit register for the state of an mbarrier");
  }
  smb_build_mbarrier(&decoder->build, STEP_MBARRIER, barrier, decoder->argument, number, NO_ROW, d);
  return PTX_DECODED;
}

static PtxResult
decode_arrive(PtxDecoder *decoder, MBarrierAction action) {
  Transfer *barrier = find_barrier(decoder, 0);
  if (!barrier)
    return PTX_FAILED;
  smb_build_mbarrier(&decoder->build, STEP_MBARRIER, barrier, action, NO_ROW, NO_ROW, NO_ROW);
  return PTX_DECODED;
}

// cp.async.mbarrier.arrive{.noinc} [a]: arrives when all earlier copies of the thread are complete, which this waits
// for.
PtxResult
smb_ptx_decode_copies_arrive(PtxDecoder *decoder) {
  smb_build_plain(&decoder->build, STEP_AWAIT, PENDING_NONE);
  return decode_arrive(decoder, (MBarrierAction)decoder->argument);
}

// tcgen05.commit [a]{, blocks}: arrives when what tensor cores were given before is complete, which it is.
PtxResult
smb_ptx_decode_mbarrier_commit(PtxDecoder *decoder) {
  if (!smb_ptx_has_operand(decoder, 1))
    return decode_arrive(decoder, MBARRIER_COMMIT);
  Transfer *barrier = find_barrier(decoder, 0);
  Row blocks = smb_ptx_row(decoder, smb_ptx_operand(decoder, 1), 2, FALSE);
  if (!barrier)
    return PTX_FAILED;
  if (blocks == NO_ROW)
    return smb_ptx_wants(decoder, "an mbarrier, and blocks of the cluster");
  smb_build_mbarrier_each(&decoder->build, barrier, MBARRIER_COMMIT, blocks);
  return PTX_DECODED;
}
