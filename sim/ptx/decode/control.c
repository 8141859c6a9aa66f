// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that say where threads go on, and for whom they wait.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static PtxResult
decode_branch(PtxDecoder *decoder) {
  const PtxOperand *label = smb_ptx_operand(decoder, 0);
  if (label->kind != PTX_OPERAND_LABEL) {
    smb_ptx_refuse(decoder, "expected a label");
    return PTX_FAILED;
  }
  Step step = smb_ptx_step(decoder, STEP_BRANCH);
  step.target =
      g_array_index(decoder->current->function->labels, PtxLabel, label->index).instruction;
  smb_code_add(decoder->code, &step);
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
static PtxResult
decode_indirect(PtxDecoder *decoder) {
  const PtxOperand *index = smb_ptx_operand(decoder, 0);
  const PtxTable *table = smb_ptx_branch_table(decoder);
  Row row = smb_ptx_row(decoder, index, 4, FALSE);
  if (!table || row == NO_ROW) {
    smb_ptx_refuse(decoder, "expected an index and a table of branch targets");
    return PTX_FAILED;
  }
  Step step = smb_ptx_step(decoder, STEP_SWITCH);
  step.compute.s[0] = row;
  step.targets = g_array_new(FALSE, FALSE, sizeof(SwitchTarget));
  g_ptr_array_add(decoder->code->owned, step.targets);
  for (guint i = 0; i < table->indices->len; i++) {
    guint32 at = g_array_index(table->indices, guint32, i);
    SwitchTarget target = {
        .step = g_array_index(decoder->current->function->labels, PtxLabel, at).instruction};
    g_array_append_val(step.targets, target);
  }
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

static PtxResult
add_plain(PtxDecoder *decoder, StepOpcode opcode) {
  Step step = smb_ptx_step(decoder, opcode);
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

void
smb_ptx_add_await(PtxDecoder *decoder, guint32 left) {
  Step step = smb_ptx_step(decoder, STEP_AWAIT);
  step.argument = left;
  smb_code_add(decoder->code, &step);
}

// The kernel ends; a function goes on at its end, where it returns.
static PtxResult
decode_return(PtxDecoder *decoder) {
  if (decoder->current->is_kernel)
    return add_plain(decoder, STEP_EXIT);
  Step step = smb_ptx_step(decoder, STEP_BRANCH);
  step.target = decoder->current->function->instructions->len;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// bar.red gives its answer to the first operand, and has a predicate behind the number of the barrier and of threads.
static gboolean
set_reduction(PtxDecoder *decoder, Step *step) {
  gboolean counts = smb_ptx_has_part(decoder, "popc");
  const PtxOperand *d = smb_ptx_operand(decoder, 0);
  const PtxOperand *in = smb_ptx_operand(decoder, decoder->instruction->n_operands - 1);
  if (!smb_ptx_is_predicate(decoder, in) || d->kind != PTX_OPERAND_REGISTER ||
      smb_ptx_is_predicate(decoder, d) == counts)
    return smb_ptx_refuse(decoder, "expected a result, a barrier and a predicate");
  step->argument = counts                             ? BARRIER_POPC
                   : smb_ptx_has_part(decoder, "and") ? BARRIER_AND
                                                      : BARRIER_OR;
  step->compute.in[0] = smb_ptx_predicate(decoder, in);
  step->compute.modifiers = in->is_negated ? MODIFIER_NOT_IN : 0;
  if (counts)
    step->compute.d = smb_ptx_row(decoder, d, 4, FALSE);
  else
    step->compute.p = smb_ptx_predicate(decoder, d);
  if (step->compute.d == NO_ROW)
    return smb_ptx_refuse(decoder, "expected a register of 32 bits");
  return TRUE;
}

// How many threads a barrier is for, where the text says it: whole warps.
static gboolean
check_threads(PtxDecoder *decoder, const PtxOperand *threads, gboolean arrives) {
  if (!threads || threads->kind != PTX_OPERAND_INTEGER)
    return TRUE;
  if (threads->bits % SMB_NVIDIA_LANES != 0)
    return smb_ptx_refuse(decoder, BARRIER_THREADS_ERROR, (guint)threads->bits, SMB_NVIDIA_LANES);
  return threads->bits > 0 || !arrives ||
         smb_ptx_refuse(decoder, "expected the number of threads of the barrier, not 0");
}

static PtxResult
decode_barrier(PtxDecoder *decoder) {
  guint n = decoder->instruction->n_operands, first = 0;
  Step step = smb_ptx_step(decoder, STEP_BARRIER);
  gboolean arrives = smb_ptx_has_part(decoder, "arrive"),
           reduces = smb_ptx_has_part(decoder, "red");
  if (!arrives && !reduces && !smb_ptx_has_part(decoder, "sync")) {
    smb_ptx_refuse(decoder, "'%s': expected .sync, .arrive or .red", smb_ptx_opcode(decoder));
    return PTX_FAILED;
  }
  step.argument = arrives ? BARRIER_ARRIVE : BARRIER_SYNC;
  if (reduces) {
    if (!set_reduction(decoder, &step))
      return PTX_FAILED;
    first = 1;
    n--;
  }
  const PtxOperand *number = smb_ptx_operand(decoder, first);
  const PtxOperand *threads = n > first + 1 ? smb_ptx_operand(decoder, first + 1) : NULL;
  step.compute.s[0] = smb_ptx_row(decoder, number, 4, FALSE);
  step.compute.s[1] = threads ? smb_ptx_row(decoder, threads, 4, FALSE) : NO_ROW;
  if (step.compute.s[0] == NO_ROW || (threads && step.compute.s[1] == NO_ROW)) {
    smb_ptx_refuse(decoder, "expected the number of a barrier, and of threads");
    return PTX_FAILED;
  }
  if (!check_threads(decoder, threads, arrives))
    return PTX_FAILED;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// Without clusters, each block is one of its own: its barrier is one of the block.
static PtxResult
decode_cluster(PtxDecoder *decoder) {
  if (!smb_ptx_has_part(decoder, "wait"))
    return add_plain(decoder, STEP_NOTHING);
  Step step = smb_ptx_step(decoder, STEP_BARRIER);
  step.argument = BARRIER_SYNC;
  step.compute.s[0] = NO_ROW; // that of the cluster, which has no number
  step.compute.s[1] = NO_ROW;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// Those that change nothing that is counted.
static const char *const harmless[] = {
    "nanosleep",     "pmevent", "prefetch",   "prefetchu",      "discard",
    "applypriority", "brkpt",   "setmaxnreg", "griddepcontrol", "createpolicy",
};

// A fence of the block changes nothing here: its threads run one after the other.
static PtxResult
decode_fence(PtxDecoder *decoder) {
  if (smb_ptx_has_part(decoder, "cta") || smb_ptx_has_prefix(decoder, "proxy") ||
      smb_ptx_has_part(decoder, "mbarrier_init"))
    return add_plain(decoder, STEP_NOTHING);
  if (!smb_ptx_has_part(decoder, "cluster") && !smb_ptx_has_part(decoder, "gpu") &&
      !smb_ptx_has_part(decoder, "gl") && !smb_ptx_has_part(decoder, "sys")) {
    smb_ptx_refuse(decoder, "'%s': expected the scope of the fence, such as .cta",
                   smb_ptx_opcode(decoder));
    return PTX_FAILED;
  }
  Step step = smb_ptx_step(decoder, STEP_OPAQUE);
  step.argument = OPAQUE_FENCE;
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

// cp.async.commit_group; cp.async.wait_group N; cp.async.wait_all. Copies in bulk are complete at once.
static PtxResult
decode_groups(PtxDecoder *decoder) {
  gboolean commits = smb_ptx_has_part(decoder, "commit_group"),
           waits = smb_ptx_has_part(decoder, "wait_group");
  if (!commits && !waits && !smb_ptx_has_part(decoder, "wait_all"))
    return PTX_UNKNOWN;
  if (smb_ptx_has_part(decoder, "bulk"))
    return add_plain(decoder, STEP_NOTHING);
  if (commits)
    return add_plain(decoder, STEP_COMMIT);
  const PtxOperand *left = smb_ptx_operand(decoder, 0);
  if (waits && left->kind != PTX_OPERAND_INTEGER) {
    smb_ptx_refuse(decoder, "expected how many groups may be pending");
    return PTX_FAILED;
  }
  smb_ptx_add_await(decoder, waits ? (guint32)MIN(left->bits, G_MAXINT32) : PENDING_NONE);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_control(PtxDecoder *decoder) {
  const char *name = decoder->parts[0];
  if (strcmp(name, "bra") == 0)
    return decode_branch(decoder);
  if (strcmp(name, "brx") == 0)
    return decode_indirect(decoder);
  if (strcmp(name, "exit") == 0)
    return add_plain(decoder, STEP_EXIT);
  if (strcmp(name, "ret") == 0)
    return decode_return(decoder);
  if (strcmp(name, "trap") == 0)
    return add_plain(decoder, STEP_TRAP);
  PtxResult stack = smb_ptx_decode_stack(decoder);
  if (stack != PTX_UNKNOWN)
    return stack;
  if (strcmp(name, "call") == 0)
    return smb_ptx_decode_call(decoder) ? PTX_DECODED : PTX_FAILED;
  gboolean bar = strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0;
  if (bar && smb_ptx_has_part(decoder, "cluster"))
    return decode_cluster(decoder);
  if (bar && !smb_ptx_has_part(decoder, "warp"))
    return decode_barrier(decoder);
  if (strcmp(name, "cp") == 0)
    return decode_groups(decoder);
  if (strcmp(name, "membar") == 0 || strcmp(name, "fence") == 0)
    return decode_fence(decoder);
  for (guint i = 0; i < G_N_ELEMENTS(harmless); i++) {
    if (strcmp(name, harmless[i]) == 0 && strcmp(name, "createpolicy") != 0)
      return add_plain(decoder, STEP_NOTHING);
  }
  return PTX_UNKNOWN;
}

static void
list_shuffle(PtxDecoder *decoder) {
  Step step = smb_ptx_step(decoder, STEP_SHUFFLE);
  Transfer *transfer = smb_code_new_transfer(decoder->code);
  transfer->move.site = smb_ptx_add_site(decoder, SMB_OP_CLASS_LOAD, 4);
  step.transfer = transfer;
  smb_code_add(decoder->code, &step);
}

// The mask of lanes that an instruction of the whole warp names is its last operand.
PtxResult
smb_ptx_decode_warp(PtxDecoder *decoder) {
  static const char *const names[] = {"shfl", "vote", "match", "redux", "elect"};
  const char *name = decoder->parts[0];
  gboolean only = (strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0) &&
                  smb_ptx_has_part(decoder, "warp");
  gboolean gathers = only;
  if (strcmp(name, "shfl") == 0)
    list_shuffle(decoder);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    gathers = gathers || (strcmp(name, names[i]) == 0 && smb_ptx_has_part(decoder, "sync"));
  if (!gathers)
    return PTX_UNKNOWN;
  const PtxOperand *mask = smb_ptx_operand(decoder, decoder->instruction->n_operands - 1);
  Row row = smb_ptx_row(decoder, mask, 4, FALSE);
  if (row == NO_ROW) {
    smb_ptx_refuse(decoder, "expected a mask of lanes");
    return PTX_FAILED;
  }
  Step step = smb_ptx_step(decoder, STEP_GATHER);
  step.compute.s[0] = row;
  smb_code_add(decoder->code, &step);
  return only ? PTX_DECODED : PTX_UNKNOWN;
}
