// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel and the functions that it calls, one after the other: each instruction becomes steps, and where lanes meet
// again barriers of convergence are placed (sim/compiled/converge.h).
#include "sim/ptx/decode/decode.h"

#include <string.h>

enum {
  MAX_STEPS = 1 << 22
};

gboolean
smb_ptx_refuse(PtxDecoder *decoder, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(decoder->module->source, decoder->instruction->offset, decoder->error, "%s",
                   text);
  return FALSE;
}

gboolean
smb_ptx_has_part(const PtxDecoder *decoder, const char *part) {
  return g_strv_contains(decoder->parts + 1, part);
}

gboolean
smb_ptx_has_prefix(const PtxDecoder *decoder, const char *prefix) {
  for (guint i = 1; decoder->parts[i]; i++) {
    if (g_str_has_prefix(decoder->parts[i], prefix))
      return TRUE;
  }
  return FALSE;
}

const char *
smb_ptx_last_part(const PtxDecoder *decoder) {
  guint n = 0;
  while (decoder->parts[n + 1])
    n++;
  return decoder->parts[n];
}

Step
smb_ptx_step(const PtxDecoder *decoder, StepKind kind, StepHandler run) {
  const PtxInstruction *instruction = decoder->instruction;
  Step step = {.run = run, .kind = kind, .place = instruction->offset};
  if (instruction->guard != PTX_NONE) {
    step.guard = decoder->current->rows[instruction->guard];
    step.unless = instruction->guard_negated;
  }
  return step;
}

void
smb_ptx_add(PtxDecoder *decoder, Step *step) {
  step->compute.index = decoder->code->steps->len;
  g_array_append_vals(decoder->code->steps, step, 1);
}

void
smb_ptx_add_compute(PtxDecoder *decoder, Compute *compute) {
  Step step = smb_ptx_step(decoder, STEP_COMPUTE, smb_step_compute);
  step.compute = *compute;
  step.compute.index = decoder->code->steps->len;
  smb_compute_prepare(&step.compute);
  g_array_append_val(decoder->code->steps, step);
}

static void
add_written(PtxDecoder *decoder, Step *step, Written written) {
  if (!step->writes) {
    step->writes = g_array_new(FALSE, FALSE, sizeof(Written));
    g_ptr_array_add(decoder->code->owned, step->writes);
  }
  g_array_append_val(step->writes, written);
}

void
smb_ptx_writes_row(PtxDecoder *decoder, Step *step, Row row, guint n) {
  add_written(decoder, step, (Written){.row = row, .n = n});
}

void
smb_ptx_writes_predicate(PtxDecoder *decoder, Step *step, Predicate predicate) {
  add_written(decoder, step, (Written){.predicate = predicate});
}

// --- instructions that compute

static gboolean
set_predicate(const PtxDecoder *decoder, const PtxOperand *operand, const FormOperand *form,
              Compute *compute) {
  gboolean negated = operand->is_negated;
  if (operand->kind == PTX_OPERAND_INTEGER) {
    compute->in[form->slot] = PREDICATE_TRUE;
    negated = operand->bits == 0;
  } else if (smb_ptx_is_predicate(decoder, operand))
    compute->in[form->slot] = smb_ptx_predicate(decoder, operand);
  else
    return FALSE;
  if (negated)
    compute->modifiers ^= MODIFIER_NOT_IN;
  return !negated || form->slot == 0;
}

static gboolean
takes_predicate(const PtxDecoder *decoder, const PtxOperand *operand) {
  return operand->kind == PTX_OPERAND_SINK || smb_ptx_is_predicate(decoder, operand);
}

static gboolean
set_operand(PtxDecoder *decoder, const PtxOperand *operand, const FormOperand *form,
            Compute *compute) {
  Row row;
  switch ((FormRole)form->role) {
  case ROLE_RESULT:
    compute->d = operand->kind == PTX_OPERAND_REGISTER
                     ? smb_ptx_row(decoder, operand, form->bytes, FALSE)
                     : NO_ROW;
    if (operand->kind == PTX_OPERAND_SINK)
      compute->d = smb_ptx_new_rows(decoder, 2);
    return compute->d != NO_ROW;
  case ROLE_P:
    if (!takes_predicate(decoder, operand))
      return FALSE;
    compute->p = smb_ptx_predicate(decoder, operand);
    return TRUE;
  case ROLE_SOURCE:
    row = smb_ptx_row(decoder, operand, form->bytes, form->is_real);
    compute->s[form->slot] = row;
    return row != NO_ROW;
  case ROLE_IN:
    return set_predicate(decoder, operand, form, compute);
  case ROLE_MEMBERS: // they came together before (smb_ptx_decode_warp())
    return TRUE;
  case ROLE_TABLE:
    compute->table = (guint8)operand->bits;
    return operand->kind == PTX_OPERAND_INTEGER;
  }
  g_assert_not_reached();
}

static gboolean
set_operands(PtxDecoder *decoder, const ComputeForm *form, Compute *compute) {
  const PtxInstruction *instruction = decoder->instruction;
  gboolean paired = FALSE;
  guint at = 0;
  for (guint i = 0; i < form->n_operands; i++) {
    const FormOperand *wanted = &form->operands[i];
    // "d|p": the predicate stands beside the row.
    gboolean beside = wanted->role == ROLE_P && i > 0 && form->operands[i - 1].role == ROLE_RESULT;
    const PtxOperand *operand = !beside ? smb_ptx_operand(decoder, at)
                                : instruction->partner == PTX_NONE
                                    ? NULL
                                    : &g_array_index(decoder->current->function->operands,
                                                     PtxOperand, instruction->partner);
    at += !beside;
    if (!operand && beside)
      continue;
    paired = paired || wanted->role == ROLE_P;
    if (!operand || !set_operand(decoder, operand, wanted, compute))
      return FALSE;
    if (wanted->role == ROLE_P && !beside && instruction->partner != PTX_NONE) {
      const PtxOperand *partner =
          &g_array_index(decoder->current->function->operands, PtxOperand, instruction->partner);
      if (!takes_predicate(decoder, partner))
        return FALSE;
      compute->q = smb_ptx_predicate(decoder, partner);
    }
  }
  return paired || instruction->partner == PTX_NONE; // else nobody would write it
}

static PtxResult
decode_compute(PtxDecoder *decoder) {
  const PtxOperand *first = smb_ptx_operand(decoder, 0);
  guint bytes =
      first && first->kind == PTX_OPERAND_REGISTER ? smb_ptx_register_bytes(decoder, first) : 0;
  ComputeForm form;
  Compute compute = {0};
  if (!smb_ptx_find_compute(decoder->parts, bytes, &form))
    return PTX_UNKNOWN;
  smb_ptx_compute_init(&form, &compute);
  if (!set_operands(decoder, &form, &compute))
    return PTX_UNKNOWN;
  if (form.carries_in)
    compute.in[0] = decoder->current->carry;
  if (form.carries_out)
    compute.p = decoder->current->carry;
  smb_ptx_add_compute(decoder, &compute);
  return PTX_DECODED;
}

// --- instructions that are not modelled

static void
add_result(PtxDecoder *decoder, Step *step, const PtxOperand *operand) {
  if (operand->kind == PTX_OPERAND_VECTOR) {
    for (guint i = 0; i < operand->n; i++)
      add_result(decoder, step, smb_ptx_element(decoder, operand, i));
    return;
  }
  if (operand->kind != PTX_OPERAND_REGISTER)
    return;
  guint bytes = smb_ptx_register_bytes(decoder, operand);
  if (bytes == 0)
    smb_ptx_writes_predicate(decoder, step, smb_ptx_predicate(decoder, operand));
  else
    smb_ptx_writes_row(decoder, step, decoder->current->rows[operand->index], MAX(bytes, 4u) / 4);
}

// Instructions that use shared memory in ways that make no requests of it: copies in bulk, their barriers, operands of
// matrix products.
static gboolean
is_other_traffic(const PtxDecoder *decoder) {
  static const char *const names[] = {"mbarrier", "wgmma",     "tcgen05", "clusterlaunchcontrol",
                                      "mapa",     "tensormap", "multimem"};
  const char *name = decoder->parts[0];
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(name, names[i]) == 0)
      return TRUE;
  }
  return smb_ptx_has_part(decoder, "bulk") || smb_ptx_has_part(decoder, "async") ||
         smb_ptx_has_prefix(decoder, "shared::cluster");
}

static gboolean
has_address(const PtxDecoder *decoder) {
  for (guint i = 0; i < decoder->instruction->n_operands; i++) {
    if (smb_ptx_operand(decoder, i)->kind == PTX_OPERAND_ADDRESS)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_elsewhere(const PtxDecoder *decoder) {
  static const char *const textures[] = {"tex",  "tld4",  "txq", "suld",
                                         "sust", "sured", "suq", "istypep"};
  for (guint i = 0; i < G_N_ELEMENTS(textures); i++) {
    if (strcmp(decoder->parts[0], textures[i]) == 0)
      return TRUE;
  }
  return smb_ptx_has_part(decoder, "global") || smb_ptx_has_prefix(decoder, "param") ||
         smb_ptx_has_part(decoder, "const") || smb_ptx_has_part(decoder, "local");
}

static gboolean
decode_opaque(PtxDecoder *decoder) {
  gboolean other = is_other_traffic(decoder);
  if (has_address(decoder) && !other && !is_elsewhere(decoder)) {
    g_autofree char *text = smb_ptx_instruction_text(decoder->module, decoder->instruction);
    return smb_ptx_refuse(decoder, "'%s' is not supported, and could touch shared memory", text);
  }
  Step step = smb_ptx_step(decoder, STEP_OPAQUE, smb_step_opaque);
  step.argument = other;
  const PtxOperand *first = smb_ptx_operand(decoder, 0);
  if (first)
    add_result(decoder, &step, first);
  if (decoder->instruction->partner != PTX_NONE)
    add_result(decoder, &step,
               &g_array_index(decoder->current->function->operands, PtxOperand,
                              decoder->instruction->partner));
  smb_ptx_add(decoder, &step);
  return TRUE;
}

// --- one instruction

static gboolean
has_predicate(const PtxDecoder *decoder) {
  const PtxOperand guard = {.kind = PTX_OPERAND_REGISTER, .index = decoder->instruction->guard};
  return smb_ptx_is_predicate(decoder, &guard);
}

static gboolean
decode_instruction(PtxDecoder *decoder) {
  if (decoder->instruction->guard != PTX_NONE && !has_predicate(decoder))
    return smb_ptx_refuse(decoder, "the guard of an instruction is a predicate (.pred)");
  static PtxResult (*const decoders[])(PtxDecoder *) = {
      smb_ptx_decode_memory, smb_ptx_decode_move, smb_ptx_decode_control,
      smb_ptx_decode_warp,   decode_compute,
  };
  decoder->parts =
      g_array_index(decoder->module->opcodes, PtxOpcode, decoder->instruction->opcode).parts;
  for (guint i = 0; i < G_N_ELEMENTS(decoders); i++) {
    PtxResult result = decoders[i](decoder);
    if (result != PTX_UNKNOWN)
      return result == PTX_DECODED;
  }
  return decode_opaque(decoder);
}

// --- one function

typedef struct {
  GArray *blocks;    // SmbFlowBlock, of instructions
  GPtrArray *lists;  // guint32 arrays: successors
  guint32 *block_of; // by instruction that begins one: its block
  SmbConvergence *convergence;
} Flow;

static const char *
name_of(const PtxDecoder *decoder, const PtxInstruction *instruction) {
  return g_array_index(decoder->module->opcodes, PtxOpcode, instruction->opcode).parts[0];
}

static gboolean
ends_block(const char *name) {
  return strcmp(name, "bra") == 0 || strcmp(name, "brx") == 0 || strcmp(name, "ret") == 0 ||
         strcmp(name, "exit") == 0 || strcmp(name, "trap") == 0;
}

static gboolean *
find_leaders(const PtxDecoder *decoder) {
  const PtxFunction *function = decoder->current->function;
  guint n = function->instructions->len;
  gboolean *leads = g_new0(gboolean, n + 2);
  leads[0] = TRUE;
  for (guint i = 0; i < function->labels->len; i++)
    leads[g_array_index(function->labels, PtxLabel, i).instruction] = TRUE;
  for (guint i = 0; i < n; i++) {
    if (ends_block(name_of(decoder, &g_array_index(function->instructions, PtxInstruction, i))))
      leads[i + 1] = TRUE;
  }
  leads[n] = TRUE; // the end of the text is a block of its own, which returns
  return leads;
}

// Where an instruction may go on, as instructions.
static GArray *
find_targets(PtxDecoder *decoder, guint32 at, SmbFlow *flow) {
  const PtxFunction *function = decoder->current->function;
  GArray *targets = g_array_new(FALSE, FALSE, sizeof(guint32));
  guint32 next = at + 1, leaves = SMB_FLOW_EXIT;
  *flow = SMB_FLOW_NEXT;
  if (at >= function->instructions->len)
    return targets;
  decoder->instruction = &g_array_index(function->instructions, PtxInstruction, at);
  const char *name = name_of(decoder, decoder->instruction);
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
    if (label && label->kind == PTX_OPERAND_LABEL)
      g_array_append_val(targets,
                         g_array_index(function->labels, PtxLabel, label->index).instruction);
  } else if (!ends_block(name)) {
    g_array_append_val(targets, next);
    return targets;
  } else if (guarded)
    g_array_append_val(targets, leaves);
  if (guarded) {
    decoder->parts =
        g_array_index(decoder->module->opcodes, PtxOpcode, decoder->instruction->opcode).parts;
    *flow = smb_ptx_has_part(decoder, "uni") ? SMB_FLOW_UNIFORM : SMB_FLOW_DIVERGENT;
    g_array_append_val(targets, next);
  }
  return targets;
}

static void
flow_clear(Flow *flow) {
  g_clear_pointer(&flow->blocks, g_array_unref);
  g_clear_pointer(&flow->lists, g_ptr_array_unref);
  g_clear_pointer(&flow->block_of, g_free);
  g_clear_pointer(&flow->convergence, smb_convergence_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Flow, flow_clear)

static void
flow_init(Flow *flow, PtxDecoder *decoder) {
  guint n = decoder->current->function->instructions->len;
  g_autofree gboolean *leads = find_leaders(decoder);
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

static void
add_barriers(PtxDecoder *decoder, StepHandler run, guint64 barriers, const Step *like,
             gboolean unless) {
  for (; barriers; barriers &= barriers - 1) {
    Step step = {.run = run,
                 .kind = STEP_MEETING,
                 .place = like->place,
                 .guard = like->guard,
                 .unless = like->unless != unless,
                 .argument = decoder->current->first_barrier + (guint)__builtin_ctzll(barriers)};
    smb_ptx_add(decoder, &step);
  }
}

// What stands ahead of the last instruction of a block: whom its lanes will meet, and whom they will not.
static void
add_meeting(PtxDecoder *decoder, const Flow *flow, guint32 b) {
  const SmbFlowBlock *block = &g_array_index(flow->blocks, SmbFlowBlock, b);
  const SmbBlockBarriers *barriers = &flow->convergence->blocks[b];
  const Step always = {.place = decoder->instruction->offset};
  add_barriers(decoder, smb_step_arm, barriers->arm, &always, FALSE);
  gboolean indirect = strcmp(decoder->parts[0], "brx") == 0;
  Step taken = smb_ptx_step(decoder, STEP_OTHER, NULL);
  for (guint i = 0; i < block->n_successors && !indirect; i++)
    add_barriers(decoder, smb_step_break, barriers->leave[i],
                 block->n_successors == 1 ? &always : &taken, i == 1);
}

// Of a branch by a table: each target with the barriers that are left on the way there.
static void
set_leaves(PtxDecoder *decoder, const Flow *flow, guint32 b) {
  Step *step = &g_array_index(decoder->code->steps, Step, decoder->code->steps->len - 1);
  for (guint i = 0; step->targets && i < step->targets->len; i++)
    g_array_index(step->targets, SwitchTarget, i).leave = flow->convergence->blocks[b].leave[i];
  step->argument = decoder->current->first_barrier;
}

static gboolean
decode_block(PtxDecoder *decoder, const Flow *flow, guint32 b) {
  const PtxFunction *function = decoder->current->function;
  const SmbFlowBlock *block = &g_array_index(flow->blocks, SmbFlowBlock, b);
  const SmbBlockBarriers *barriers = &flow->convergence->blocks[b];
  decoder->current->starts[b] = decoder->code->steps->len;
  if (block->first < function->instructions->len)
    decoder->instruction = &g_array_index(function->instructions, PtxInstruction, block->first);
  const Step always = {.place = decoder->instruction->offset};
  add_barriers(decoder, smb_step_sync, barriers->sync, &always, FALSE);
  add_barriers(decoder, smb_step_enter, barriers->enter, &always, FALSE);
  if (block->first == function->instructions->len) {
    Step end = {.run = decoder->current->is_kernel ? smb_step_exit : smb_step_return,
                .kind = STEP_OTHER,
                .place = decoder->instruction->offset};
    smb_ptx_add(decoder, &end);
    return TRUE;
  }
  for (guint32 i = block->first; i < block->end; i++) {
    decoder->instruction = &g_array_index(function->instructions, PtxInstruction, i);
    decoder->parts =
        g_array_index(decoder->module->opcodes, PtxOpcode, decoder->instruction->opcode).parts;
    gboolean last = i + 1 == block->end, ends = ends_block(decoder->parts[0]);
    if (last && ends)
      add_meeting(decoder, flow, b);
    if (!decode_instruction(decoder))
      return FALSE;
    if (decoder->code->steps->len > MAX_STEPS)
      return smb_ptx_refuse(decoder, "the kernel is too long: more than %u steps", MAX_STEPS);
    if (last && !ends) {
      decoder->blank = (PtxInstruction){.guard = PTX_NONE, .offset = decoder->instruction->offset};
      decoder->instruction = &decoder->blank;
      add_meeting(decoder, flow, b);
    }
    if (last && strcmp(decoder->parts[0], "brx") == 0)
      set_leaves(decoder, flow, b);
  }
  return TRUE;
}

// Branches name blocks while they are made.
static void
resolve_branches(PtxDecoder *decoder, const Flow *flow, guint32 first) {
  const guint32 *starts = decoder->current->starts;
  for (guint32 i = first; i < decoder->code->steps->len; i++) {
    Step *step = &g_array_index(decoder->code->steps, Step, i);
    if (step->kind != STEP_BRANCH)
      continue;
    if (!step->targets)
      step->target = starts[flow->block_of[step->target]];
    for (guint t = 0; step->targets && t < step->targets->len; t++) {
      SwitchTarget *target = &g_array_index(step->targets, SwitchTarget, t);
      target->step = starts[flow->block_of[target->step]];
    }
  }
}

// The same graph, of steps, for whoever has to know what a branch decides.
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
  g_ptr_array_add(decoder->code->graphs, graph);
}

static gboolean
decode_function(PtxDecoder *decoder, PtxDecoded *decoded) {
  g_auto(Flow) flow = {0};
  const PtxFunction *function = decoded->function;
  decoder->current = decoded;
  flow_init(&flow, decoder);
  decoder->blank = (PtxInstruction){.guard = PTX_NONE, .offset = function->offset};
  decoder->instruction = &decoder->blank;
  decoded->first_barrier = decoder->n_barriers;
  decoder->n_barriers += flow.convergence->n_barriers;
  decoder->program->is_irregular = decoder->program->is_irregular || flow.convergence->irreducible;
  decoded->starts = g_new0(guint32, flow.blocks->len);
  decoded->first_step = decoder->code->steps->len;
  for (guint32 b = 0; b < flow.blocks->len; b++) {
    if (!decode_block(decoder, &flow, b))
      return FALSE;
  }
  resolve_branches(decoder, &flow, decoded->first_step);
  keep_graph(decoder, &flow);
  return TRUE;
}

// --- all functions

static void
count_reads(PtxDecoded *decoded) {
  const PtxFunction *function = decoded->function;
  decoded->reads = g_new0(guint8, function->registers->len + 1);
  for (guint i = 0; i < function->instructions->len; i++) {
    const PtxInstruction *instruction = &g_array_index(function->instructions, PtxInstruction, i);
    if (instruction->guard != PTX_NONE)
      decoded->reads[instruction->guard] = 1;
    // The first operand is what an instruction writes; all others, and what is in brackets or lists, may be read.
    for (guint o = 1; o < instruction->n_operands; o++) {
      const PtxOperand *operand =
          &g_array_index(function->operands, PtxOperand, instruction->operand + o);
      if (operand->kind == PTX_OPERAND_REGISTER)
        decoded->reads[operand->index] = 1;
      for (guint e = 0; e < operand->n; e++) {
        const PtxOperand *element =
            &g_array_index(function->operands, PtxOperand, operand->index + e);
        if (element->kind == PTX_OPERAND_REGISTER)
          decoded->reads[element->index] = 1;
      }
    }
    if (instruction->n_operands == 0)
      continue;
    const PtxOperand *first = &g_array_index(function->operands, PtxOperand, instruction->operand);
    for (guint e = 0; e < first->n; e++) {
      const PtxOperand *element = &g_array_index(function->operands, PtxOperand, first->index + e);
      if (element->kind == PTX_OPERAND_REGISTER)
        decoded->reads[element->index] = 1;
    }
  }
}

static void
allocate_registers(PtxDecoder *decoder, PtxDecoded *decoded) {
  const GArray *registers = decoded->function->registers;
  decoded->rows = g_new0(guint32, registers->len + 1);
  for (guint i = 0; i < registers->len; i++) {
    const PtxRegister *named = &g_array_index(registers, PtxRegister, i);
    guint bytes = smb_ptx_type_bytes(named->type);
    decoded->rows[i] =
        bytes == 0 ? smb_ptx_new_predicate(decoder) : smb_ptx_new_rows(decoder, MAX(bytes, 4u) / 4);
  }
  decoded->carry = smb_ptx_new_predicate(decoder);
}

// Adds a function, and those that it calls; @path: those that lead there.
static gboolean
collect(PtxDecoder *decoder, const PtxFunction *function, GPtrArray *path) {
  for (guint i = 0; i < path->len; i++) {
    if (g_ptr_array_index(path, i) == function)
      return smb_ptx_refuse(decoder, "'%s' calls itself: recursion is not supported",
                            function->name);
  }
  for (guint i = 0; i < decoder->functions->len; i++) {
    if (((PtxDecoded *)g_ptr_array_index(decoder->functions, i))->function == function)
      return TRUE;
  }
  g_ptr_array_add(path, (gpointer)function);
  PtxDecoded *decoded = g_new0(PtxDecoded, 1);
  decoded->function = function;
  decoded->is_kernel = path->len == 1;
  g_ptr_array_add(decoder->functions, decoded);
  allocate_registers(decoder, decoded);
  count_reads(decoded);
  for (guint i = 0; i < function->instructions->len; i++) {
    const PtxInstruction *call = &g_array_index(function->instructions, PtxInstruction, i);
    if (strcmp(name_of(decoder, call), "call") != 0)
      continue;
    for (guint o = 0; o < call->n_operands; o++) {
      const PtxOperand *operand = &g_array_index(function->operands, PtxOperand, call->operand + o);
      if (operand->kind != PTX_OPERAND_SYMBOL || operand->where != PTX_WHERE_FUNCTION)
        continue;
      const PtxFunction *callee = g_ptr_array_index(decoder->module->functions, operand->index);
      if (callee->alias != PTX_NONE)
        callee = g_ptr_array_index(decoder->module->functions, callee->alias);
      decoder->instruction = call; // messages name it
      if (!callee->is_prototype && !collect(decoder, callee, path))
        return FALSE;
    }
  }
  g_ptr_array_remove_index(path, path->len - 1);
  return TRUE;
}

static void
resolve_calls(PtxDecoder *decoder) {
  for (guint32 i = 0; i < decoder->code->steps->len; i++) {
    Step *step = &g_array_index(decoder->code->steps, Step, i);
    if (step->run == smb_step_call)
      step->target = ((const PtxDecoded *)step->callee)->first_step;
  }
}

gboolean
smb_ptx_decode(PtxDecoder *decoder, const PtxFunction *kernel) {
  g_autoptr(GPtrArray) path = g_ptr_array_new();
  if (!collect(decoder, kernel, path) || !smb_ptx_lay_out(decoder))
    return FALSE;
  for (guint i = 0; i < decoder->functions->len; i++) {
    if (!decode_function(decoder, g_ptr_array_index(decoder->functions, i)))
      return FALSE;
  }
  resolve_calls(decoder);
  return TRUE;
}
