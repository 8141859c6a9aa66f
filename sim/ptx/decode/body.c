// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One function: its control flow, in blocks, with the barriers of convergence that are placed in it
// (sim/exec/flow/converge.h), and the steps of its instructions.
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  MAX_STEPS = 1 << 22
};

typedef struct {
  GArray *blocks;    // SmbFlowBlock, of instructions
  GPtrArray *lists;  // guint32 arrays: successors
  guint32 *block_of; // by instruction that begins one: its block
  SmbConvergence *convergence;
} Flow;

// Whether control may leave the straight line after an instruction.
static gboolean
ends_block(const char *name) {
  return strcmp(name, "bra") == 0 || strcmp(name, "brx") == 0 || strcmp(name, "ret") == 0 ||
         strcmp(name, "exit") == 0 || strcmp(name, "trap") == 0;
}

// Marks the instructions that begin a block: targets of branches, and what follows a branch.
static gboolean *
find_ptx_leaders(const PtxDecoder *decoder) {
  const PtxFunction *function = decoder->current->function;
  guint n = function->instructions->len;
  gboolean *leads = g_new0(gboolean, n + 2);
  leads[0] = TRUE;
  for (guint i = 0; i < function->labels->len; i++)
    leads[g_array_index(function->labels, PtxLabel, i).instruction] = TRUE;
  for (guint i = 0; i < n; i++) {
    if (ends_block(
            smb_ptx_name(decoder, &g_array_index(function->instructions, PtxInstruction, i))))
      leads[i + 1] = TRUE;
  }
  leads[n] = TRUE; // the end of the text is a block of its own, which returns
  return leads;
}

// In a function, ret branches to the single return at its end.
static gboolean
is_return(const PtxDecoder *decoder, const char *name) {
  return !decoder->current->is_kernel && strcmp(name, "ret") == 0;
}

// Where control may go after an instruction. A guard adds the next instruction; bra.uni says that all active lanes
// agree.
static GArray *
find_targets(PtxDecoder *decoder, guint32 at, SmbFlow *flow) {
  const PtxFunction *function = decoder->current->function;
  GArray *targets = g_array_new(FALSE, FALSE, sizeof(guint32));
  guint32 next = at + 1, leaves = SMB_FLOW_EXIT;
  *flow = SMB_FLOW_NEXT;
  if (at >= function->instructions->len) {
    *flow = decoder->current->is_kernel ? SMB_FLOW_NEXT : SMB_FLOW_RETURN;
    return targets;
  }
  smb_ptx_go_to(decoder, &g_array_index(function->instructions, PtxInstruction, at));
  const char *name = smb_ptx_name(decoder, decoder->instruction);
  gboolean guarded = decoder->instruction->guard != PTX_NONE;
  if (strcmp(name, "brx") == 0) {
    const PtxTable *table = smb_ptx_branch_table(decoder);
    *flow = SMB_FLOW_DIVERGENT;
    for (guint i = 0; table && i < table->indices->len; i++) {
      guint32 label = g_array_index(table->indices, guint32, i);
      g_array_append_val(targets, g_array_index(function->labels, PtxLabel, label).instruction);
    }
  } else if (strcmp(name, "bra") == 0) {
    const PtxOperand *label = smb_ptx_operand(decoder, 0);
    if (label->kind == PTX_OPERAND_LABEL)
      g_array_append_val(targets,
                         g_array_index(function->labels, PtxLabel, label->index).instruction);
  } else if (!ends_block(name)) {
    g_array_append_val(targets, next);
    return targets;
  } else if (is_return(decoder, name))
    g_array_append_val(targets, function->instructions->len);
  else if (guarded)
    g_array_append_val(targets, leaves);
  if (guarded) {
    *flow = smb_ptx_has_part(decoder, "uni") ? SMB_FLOW_UNIFORM : SMB_FLOW_DIVERGENT;
    g_array_append_val(targets, next);
  }
  return targets;
}

static void
ptx_flow_clear(Flow *flow) {
  g_clear_pointer(&flow->blocks, g_array_unref);
  g_clear_pointer(&flow->lists, g_ptr_array_unref);
  g_clear_pointer(&flow->block_of, g_free);
  g_clear_pointer(&flow->convergence, smb_convergence_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Flow, ptx_flow_clear)

// The control flow graph of a function, and the barriers where diverged lanes reconverge.
static void
flow_init(Flow *flow, PtxDecoder *decoder) {
  guint n = decoder->current->function->instructions->len;
  g_autofree gboolean *leads = find_ptx_leaders(decoder);
  flow->blocks = g_array_new(FALSE, TRUE, sizeof(SmbFlowBlock));
  flow->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  flow->block_of = g_new0(guint32, n + 1);
  for (guint i = 0; i <= n; i++) {
    if (leads[i]) {
      SmbFlowBlock block = {.first = i};
      flow->block_of[i] = flow->blocks->len;
      g_array_append_val(flow->blocks, block);
    }
    g_array_index(flow->blocks, SmbFlowBlock, flow->blocks->len - 1).end = i + 1;
  }
  for (guint b = 0; b < flow->blocks->len; b++) {
    SmbFlowBlock *block = &g_array_index(flow->blocks, SmbFlowBlock, b);
    GArray *targets = find_targets(decoder, block->end - 1, &block->flow);
    for (guint i = 0; i < targets->len; i++) {
      guint32 *target = &g_array_index(targets, guint32, i);
      *target = *target == SMB_FLOW_EXIT ? SMB_FLOW_EXIT : flow->block_of[*target];
    }
    block->n_successors = targets->len;
    block->successors = (const guint32 *)(gpointer)targets->data;
    g_ptr_array_add(flow->lists, targets);
  }
  flow->convergence = smb_converge((const SmbFlowBlock *)(gpointer)flow->blocks->data,
                                   flow->blocks->len, decoder->code->meeting);
}

// One step for each barrier of a set.
static void
emit_barriers(PtxDecoder *decoder, StepOpcode opcode, guint64 barriers, Predicate guard,
              gboolean unless) {
  for (; barriers; barriers &= barriers - 1)
    smb_ptx_add_meeting(decoder, opcode,
                        decoder->current->first_barrier + (guint)__builtin_ctzll(barriers), guard,
                        unless);
}

// Before the last instruction of a block: arms the barriers where its lanes will reconverge, and leaves those that they
// will not reach.
static void
add_meeting(PtxDecoder *decoder, const Flow *flow, guint32 b) {
  const SmbFlowBlock *block = &g_array_index(flow->blocks, SmbFlowBlock, b);
  const SmbBlockBarriers *barriers = &flow->convergence->blocks[b];
  const Builder taken = decoder->build;
  gboolean indirect = strcmp(decoder->parts[0], "brx") == 0, always = block->n_successors == 1;
  emit_barriers(decoder, STEP_ARM, barriers->arm, PREDICATE_TRUE, FALSE);
  for (guint i = 0; i < block->n_successors && !indirect; i++)
    emit_barriers(decoder, STEP_BREAK, barriers->leave[i], always ? PREDICATE_TRUE : taken.guard,
                  !always && taken.unless != (i == 1));
}

// For brx: the barriers that are left on the way to each target.
static void
set_leaves(PtxDecoder *decoder, const Flow *flow, guint32 b) {
  Step *step = smb_code_step(decoder->code, decoder->code->steps->len - 1);
  for (guint i = 0; step->targets && i < step->targets->len; i++)
    g_array_index(step->targets, SwitchTarget, i).leave = flow->convergence->blocks[b].leave[i];
  step->argument = decoder->current->first_barrier;
}

// The steps of a block: lanes reconverge at its beginning; the block at the end of the text returns.
static gboolean
decode_block(PtxDecoder *decoder, const Flow *flow, guint32 b) {
  const PtxFunction *function = decoder->current->function;
  const SmbFlowBlock *block = &g_array_index(flow->blocks, SmbFlowBlock, b);
  const SmbBlockBarriers *barriers = &flow->convergence->blocks[b];
  decoder->current->starts[b] = decoder->code->steps->len;
  if (block->first < function->instructions->len)
    smb_ptx_go_to(decoder, &g_array_index(function->instructions, PtxInstruction, block->first));
  emit_barriers(decoder, STEP_SYNC, barriers->sync, PREDICATE_TRUE, FALSE);
  emit_barriers(decoder, STEP_ENTER, barriers->enter, PREDICATE_TRUE, FALSE);
  if (block->first == function->instructions->len) {
    smb_ptx_go_beside(decoder, decoder->instruction->offset);
    smb_ptx_end_frame(decoder);
    return TRUE;
  }
  for (guint32 i = block->first; i < block->end; i++) {
    smb_ptx_go_to(decoder, &g_array_index(function->instructions, PtxInstruction, i));
    gboolean last = i + 1 == block->end, ends = ends_block(decoder->parts[0]);
    if (last && ends)
      add_meeting(decoder, flow, b);
    if (!smb_ptx_decode_instruction(decoder))
      return FALSE;
    if (decoder->code->steps->len > MAX_STEPS)
      return smb_ptx_refuse(decoder, "the kernel is too long: more than %u steps", MAX_STEPS);
    if (last && !ends) {
      smb_ptx_go_beside(decoder, decoder->instruction->offset);
      add_meeting(decoder, flow, b);
    }
    if (last && strcmp(decoder->parts[0], "brx") == 0)
      set_leaves(decoder, flow, b);
  }
  return TRUE;
}

// While a function is decoded, branches name instructions; here they become steps.
static void
resolve_branches(PtxDecoder *decoder, const Flow *flow, guint32 first) {
  const guint32 *starts = decoder->current->starts;
  for (guint32 i = first; i < decoder->code->steps->len; i++) {
    Step *step = smb_code_step(decoder->code, i);
    if (step->kind != KIND_BRANCH)
      continue;
    if (!step->targets)
      step->target = starts[flow->block_of[step->target]];
    for (guint t = 0; step->targets && t < step->targets->len; t++) {
      SwitchTarget *target = &g_array_index(step->targets, SwitchTarget, t);
      target->step = starts[flow->block_of[target->step]];
    }
  }
}

// Keeps the graph in terms of steps, for the search of what a branch decides (sim/exec/unknown).
static void
keep_graph(PtxDecoder *decoder, const Flow *flow) {
  guint n = flow->blocks->len;
  CodeGraph *graph = g_new0(CodeGraph, 1);
  graph->blocks = g_array_sized_new(FALSE, FALSE, sizeof(SmbFlowBlock), n);
  graph->lists = g_ptr_array_ref(flow->lists);
  for (guint b = 0; b < n; b++) {
    SmbFlowBlock block = g_array_index(flow->blocks, SmbFlowBlock, b);
    block.first = decoder->current->starts[b];
    block.end = b + 1 < n ? decoder->current->starts[b + 1] : decoder->code->steps->len;
    g_array_append_val(graph->blocks, block);
  }
  // How the function begins is a block of its own, to which nobody comes back.
  SmbFlowBlock begin = {.first = decoder->current->first_step, .end = decoder->current->starts[0]};
  g_array_append_val(graph->blocks, begin);
  g_ptr_array_add(decoder->code->graphs, graph);
}

gboolean
smb_ptx_decode_function(PtxDecoder *decoder, PtxDecoded *decoded) {
  g_auto(Flow) flow = {0};
  const PtxFunction *function = decoded->function;
  decoder->current = decoded;
  flow_init(&flow, decoder);
  smb_ptx_go_beside(decoder, function->offset);
  decoded->first_barrier = smb_ptx_new_barriers(decoder, flow.convergence->n_barriers);
  // Behind calls through pointers, and in functions that call themselves, ptxas lets lanes reconverge in some kernels
  // and not in others (CUDA 13.0, sm_90; executed counts of an H200 in tests/ptx/calls.cu).
  if (flow.convergence->irreducible)
    decoder->program->irregular = "has a loop that can be entered in several places";
  else if (decoded->calls_pointers)
    decoder->program->irregular = "calls functions through pointers";
  else if (decoded->is_recursive)
    decoder->program->irregular = "has a function that calls itself";
  decoded->starts = g_new0(guint32, flow.blocks->len);
  decoded->first_step = decoder->code->steps->len;
  smb_ptx_begin_frame(decoder);
  for (guint32 b = 0; b < flow.blocks->len; b++) {
    if (!decode_block(decoder, &flow, b))
      return FALSE;
  }
  resolve_branches(decoder, &flow, decoded->first_step);
  keep_graph(decoder, &flow);
  return TRUE;
}
