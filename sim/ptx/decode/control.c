// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that say where threads continue, and for whom they wait (PTX ISA, sections 9.7.12 and 9.7.13).
#include <string.h>

#include "sim/ptx/decode/decode.h"

static guint32
find_branch_label(const PtxDecoder *decoder, guint32 label) {
  return g_array_index(decoder->current->function->labels, PtxLabel, label).instruction;
}

// bra label: the target is an instruction until resolve_branches() (body.c).
PtxResult
smb_ptx_decode_branch(PtxDecoder *decoder) {
  const PtxOperand *label = smb_ptx_operand(decoder, 0);
  if (label->kind != PTX_OPERAND_LABEL)
    return smb_ptx_wants(decoder, "a label");
  smb_build_branch(&decoder->build, STEP_BRANCH, find_branch_label(decoder, label->index));
  return PTX_DECODED;
}

const PtxTable *
smb_ptx_branch_table(const PtxDecoder *decoder) {
  const PtxOperand *label = smb_ptx_operand(decoder, 1);
  const GArray *tables = decoder->current->function->tables;
  for (guint i = 0; i < tables->len; i++) {
    const PtxTable *table = &g_array_index(tables, PtxTable, i);
    if (!table->is_calls && label->text && strcmp(table->name, label->text) == 0)
      return table;
  }
  return NULL;
}

// brx.idx index, table: targets by the value of the index.
PtxResult
smb_ptx_decode_branch_by_table(PtxDecoder *decoder) {
  const PtxTable *table = smb_ptx_branch_table(decoder);
  Row row = smb_ptx_row(decoder, smb_ptx_operand(decoder, 0), 4, FALSE);
  if (!table || row == NO_ROW)
    return smb_ptx_wants(decoder, "an index and a table of branch targets");
  Step step = smb_build_step(&decoder->build, STEP_SWITCH);
  step.compute.s[0] = row;
  step.targets = g_array_new(FALSE, FALSE, sizeof(SwitchTarget));
  g_ptr_array_add(decoder->code->owned, step.targets);
  for (guint i = 0; i < table->indices->len; i++) {
    SwitchTarget target = {
        .step = find_branch_label(decoder, g_array_index(table->indices, guint32, i))};
    g_array_append_val(step.targets, target);
  }
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// The kernel ends; a function continues at its end, where it returns.
PtxResult
smb_ptx_decode_return(PtxDecoder *decoder) {
  if (decoder->current->is_kernel)
    smb_build_plain(&decoder->build, STEP_EXIT, 0);
  else
    smb_build_branch(&decoder->build, STEP_BRANCH, decoder->current->function->instructions->len);
  return PTX_DECODED;
}

// Only a step, whose opcode is the argument.
PtxResult
smb_ptx_decode_plain(PtxDecoder *decoder) {
  smb_build_plain(&decoder->build, (StepOpcode)decoder->argument, 0);
  return PTX_DECODED;
}

// An instruction without a part that it needs.
PtxResult
smb_ptx_decode_incomplete(PtxDecoder *decoder) {
  static const char *const wanted[] = {
      [WANTS_BARRIER] = ".sync, .arrive or .red",
      [WANTS_SCOPE] = "the scope of the fence, such as .cta",
      [WANTS_ACTION] = "an mbarrier operation, such as .arrive",
  };
  smb_ptx_refuse(decoder, "'%s': expected %s", smb_ptx_opcode(decoder), wanted[decoder->argument]);
  return PTX_FAILED;
}

// --- barriers

// bar.red gives its answer to the first operand, and has a predicate behind the number of the barrier and of threads.
static gboolean
set_reduction(PtxDecoder *decoder, ThreadBarrier *barrier) {
  gboolean counts = barrier->action == BARRIER_POPC;
  const PtxOperand *d = smb_ptx_operand(decoder, 0);
  const PtxOperand *in = smb_ptx_operand(decoder, decoder->instruction->n_operands - 1);
  if (!smb_ptx_is_predicate(decoder, in) || d->kind != PTX_OPERAND_REGISTER ||
      smb_ptx_is_predicate(decoder, d) == counts)
    return smb_ptx_refuse(decoder, "expected a result, a barrier and a predicate");
  barrier->in = smb_ptx_predicate(decoder, in);
  barrier->is_negated = in->is_negated;
  if (counts)
    barrier->d = smb_ptx_row(decoder, d, 4, FALSE);
  else
    barrier->p = smb_ptx_predicate(decoder, d);
  return barrier->d != NO_ROW || smb_ptx_refuse(decoder, "expected a 32-bit register");
}

// How many threads a barrier is for, where the text says it: whole warps.
static gboolean
check_threads(PtxDecoder *decoder, const PtxOperand *threads, gboolean arrives) {
  if (threads->kind != PTX_OPERAND_INTEGER)
    return TRUE;
  if (threads->bits % SMB_NVIDIA_LANES != 0)
    return smb_ptx_refuse(decoder, BARRIER_THREADS_ERROR, (guint)threads->bits, SMB_NVIDIA_LANES);
  return threads->bits > 0 || !arrives ||
         smb_ptx_refuse(decoder, "expected the number of threads of the barrier, not 0");
}

// bar.{sync,arrive} number{, threads}; bar.red.OP d, number{, threads}, p
PtxResult
smb_ptx_decode_barrier(PtxDecoder *decoder) {
  ThreadBarrier barrier = {.action = decoder->argument, .threads = NO_ROW};
  guint n = decoder->instruction->n_operands, first = 0;
  if (barrier.action >= BARRIER_POPC) {
    if (!set_reduction(decoder, &barrier))
      return PTX_FAILED;
    first = 1;
    n--;
  }
  gboolean has_threads = n > first + 1;
  const PtxOperand *threads = smb_ptx_operand(decoder, first + 1);
  barrier.number = smb_ptx_row(decoder, smb_ptx_operand(decoder, first), 4, FALSE);
  if (has_threads)
    barrier.threads = smb_ptx_row(decoder, threads, 4, FALSE);
  if (barrier.number == NO_ROW || (has_threads && barrier.threads == NO_ROW))
    return smb_ptx_wants(decoder, "a barrier and a number of threads");
  if (has_threads && !check_threads(decoder, threads, barrier.action == BARRIER_ARRIVE))
    return PTX_FAILED;
  smb_build_barrier(&decoder->build, &barrier);
  return PTX_DECODED;
}

// A fence beyond the block makes visible what other blocks wrote.
PtxResult
smb_ptx_decode_fence(PtxDecoder *decoder) {
  smb_build_plain(&decoder->build, STEP_OPAQUE, OPAQUE_FENCE);
  return PTX_DECODED;
}

// What is put in order: the argument, plus wgmma.wait_group's operand.
PtxResult
smb_ptx_decode_order(PtxDecoder *decoder) {
  const PtxOperand *left = decoder->instruction->n_operands ? smb_ptx_operand(decoder, 0) : NULL;
  if (left && left->kind != PTX_OPERAND_INTEGER)
    return smb_ptx_wants(decoder, "the number of groups that may be pending");
  guint32 groups = left ? (guint32)MIN(left->bits, G_MAXINT32) : 0;
  smb_build_plain(&decoder->build, STEP_FENCE, decoder->argument + groups);
  return PTX_DECODED;
}

// cp.async.wait_group N; cp.async.wait_all, as the argument says.
PtxResult
smb_ptx_decode_await(PtxDecoder *decoder) {
  const PtxOperand *left = smb_ptx_operand(decoder, 0);
  gboolean all = decoder->argument;
  if (!all && left->kind != PTX_OPERAND_INTEGER)
    return smb_ptx_wants(decoder, "the number of groups that may be pending");
  smb_build_plain(&decoder->build, STEP_AWAIT,
                  all ? PENDING_NONE : (guint32)MIN(left->bits, G_MAXINT32));
  return PTX_DECODED;
}

// setmaxnreg.inc, .dec N
PtxResult
smb_ptx_decode_resize(PtxDecoder *decoder) {
  enum {
    LEAST = 24,
    MOST = 256,
    UNIT = 8,
  };
  const PtxOperand *count = smb_ptx_operand(decoder, 0);
  if (count->kind != PTX_OPERAND_INTEGER || count->bits < LEAST || count->bits > MOST ||
      count->bits % UNIT)
    return smb_ptx_wants(decoder, "a number of registers: a multiple of 8, from 24 to 256");
  smb_build_plain(&decoder->build, STEP_RESIZE,
                  (smb_ptx_has_part(decoder, "inc") ? RESIZE_MORE : 0) | (guint32)count->bits);
  return PTX_DECODED;
}

// --- lanes of a warp

// bar.warp.sync mask. The mask of lanes is always the last operand.
PtxResult
smb_ptx_decode_gather(PtxDecoder *decoder) {
  const PtxOperand *mask = smb_ptx_operand(decoder, decoder->instruction->n_operands - 1);
  Row row = smb_ptx_row(decoder, mask, 4, FALSE);
  if (row == NO_ROW)
    return smb_ptx_wants(decoder, "a lane mask");
  smb_build_with(&decoder->build, STEP_GATHER, row, 0);
  return PTX_DECODED;
}

// With .sync the lanes of the mask reconverge first. Shuffles are listed separately.
PtxResult
smb_ptx_decode_exchange(PtxDecoder *decoder) {
  if (strcmp(decoder->parts[0], "shfl") == 0)
    smb_build_shuffle(&decoder->build);
  PtxResult gathered =
      smb_ptx_has_part(decoder, "sync") ? smb_ptx_decode_gather(decoder) : PTX_DECODED;
  return gathered == PTX_DECODED ? smb_ptx_decode_compute(decoder) : gathered;
}
