// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps that only a text has: what it fails at by itself, what lanes tell each other as CUDA C says it, what is watched for a signature.
#include <string.h>

#include "sim/cuda/lower/impl.h"
#include "sim/cuda/lower/lower.h"
#include "sim/exec/exec.h"

// A number of each lane, as the machine's arithmetic has it: 64 bits are together.
typedef guint64 Values[SMB_MAX_LANES];

static const void *
gather_operands(const Exec *exec, const Type *type, Row first, Values room) {
  if (!smb_type_is_wide(type))
    return row_values(exec->warp->registers, first);
  smb_rows_join(exec->warp->registers, first, room);
  return room;
}

static void
scatter(const Exec *exec, const Type *type, Row row, SmbLanes lanes, const Values values) {
  Registers *registers = exec->warp->registers;
  guint32 *narrow = registers->values[0] + (gsize)row * registers->n_lanes;
  if (smb_type_is_wide(type))
    smb_rows_part(registers, row, lanes, values);
  else
    FOR_LANES(lanes, lane) {
      narrow[lane] = ((const guint32 *)values)[lane];
    }
}

static gboolean
fail_at_foreign(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbBlock *block = exec->block;
  const Foreign *foreign = step->callee;
  const Node *node = foreign->node;
  g_autofree char *thread = smb_block_thread(block, exec->w, smb_lanes_first(lanes));
  if (step->opcode == STEP_TEXT_DIVISOR)
    return smb_block_fail(block, node->b->start, "division by zero, by %s", thread);
  if (step->opcode == STEP_TEXT_RETURNED)
    return smb_block_fail(block, node->start, "'%s' ends without a return, for %s",
                          foreign->function->name, thread);
  const Variable *variable = foreign->variable;
  const char member[] = {'.', "xyzw"[foreign->component & 3], '\0'};
  return smb_block_fail(block, node->start, "'%s%s' is read before it was set, by %s",
                        variable->name, variable->type->kind == KIND_VECTOR ? member : "", thread);
}

static gboolean
check(Exec *exec, const Step *step, SmbLanes lanes) {
  if (step->guard != PREDICATE_TRUE)
    lanes &= ~exec->warp->registers->predicates[step->guard];
  return !lanes || fail_at_foreign(exec, step, lanes);
}

static void
forget(const Exec *exec, const Foreign *foreign, SmbLanes lanes) {
  Mask mask = {{0}};
  mask.warp[exec->w] = lanes;
  smb_private_forget(exec->block, foreign->variable->slot, &mask);
}

static gboolean
exchange(Exec *exec, const Foreign *foreign, SmbLanes lanes) {
  Values rooms[4], out = {0};
  const void *operands[4] = {NULL, NULL, NULL, NULL};
  for (guint i = 0; i < G_N_ELEMENTS(operands); i++) {
    if (foreign->operands[i] != NO_ROW)
      operands[i] = gather_operands(exec, foreign->types[i], foreign->operands[i], rooms[i]);
  }
  if (!smb_lowered_exchange(exec->block, foreign->node, exec->w, lanes, operands, out))
    return FALSE;
  scatter(exec, foreign->type, foreign->result, lanes, out);
  return TRUE;
}

static void
watch(const Exec *exec, const Foreign *foreign, SmbLanes lanes) {
  Values rooms[3];
  const void *operands[3] = {NULL, NULL, NULL};
  if (!exec->block->signature)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(operands); i++) {
    if (foreign->operands[i] != NO_ROW)
      operands[i] = gather_operands(exec, foreign->types[i], foreign->operands[i], rooms[i]);
  }
  if (!operands[2]) {
    SmbLanes holds = exec->warp->registers->predicates[foreign->outcome];
    guint32 *truth = (guint32 *)rooms[2];
    EACH_LANE(exec->block->lanes, truth[lane] = (guint32)(holds >> lane & 1);)
    operands[2] = truth;
  }
  smb_lowered_watch(exec->block, foreign->node, lanes, operands[0], operands[1], operands[2]);
}

gboolean
smb_foreign_run(Exec *exec, const Step *step, SmbLanes lanes) {
  const Foreign *foreign = step->callee;
  switch ((guint)step->opcode) {
  case STEP_TEXT_WARP:
    return exchange(exec, foreign, lanes);
  case STEP_TEXT_WATCH:
    watch(exec, foreign, lanes);
    return TRUE;
  case STEP_TEXT_FORGET:
    forget(exec, foreign, lanes);
    return TRUE;
  default: // TEXT_SET, TEXT_DIVISOR, TEXT_RETURNED
    return check(exec, step, lanes);
  }
}

// The scalar parameters in a condition, with their values, which thread 0 has at @values.
static void
append_values(const Function *entry, const Node *node,
              const void *(*find)(gpointer, const Variable *), gpointer data, GString *text) {
  if (!node)
    return;
  append_values(entry, node->a, find, data, text);
  append_values(entry, node->b, find, data, text);
  append_values(entry, node->c, find, data, text);
  for (guint i = 0; node->kind == NODE_LOCAL && i < entry->n_parameters; i++) {
    const Variable *parameter = entry->parameters[i];
    if (node->variable != parameter || !smb_type_is_arithmetic(parameter->type))
      continue;
    gint64 whole;
    double real;
    smb_scalar_decode(smb_cuda_scalar(parameter->type->kind), find(data, parameter), &whole, &real);
    g_string_append_printf(text, "%s%s = ", text->len ? ", " : "", parameter->name);
    if (smb_type_is_real(parameter->type))
      g_string_append_printf(text, "%g", real);
    else
      g_string_append_printf(text, "%" G_GINT64_FORMAT, whole);
  }
}

static void
note_idle(SmbBlock *block, const SmbKernel *kernel, const Node *condition, const char *verdict,
          const void *(*find)(gpointer, const Variable *), gpointer data) {
  if (block->idle)
    return;
  g_autofree char *text =
      smb_source_slice(block->program->source, condition->start, condition->end);
  g_autoptr(GString) values = g_string_new(NULL);
  append_values(kernel->entry, condition, find, data, values);
  block->idle_place = condition->start;
  block->idle = values->len
                    ? g_strdup_printf("'%s' is %s for all threads (%s)", text, verdict, values->str)
                    : g_strdup_printf("'%s' is %s for all threads", text, verdict);
}

// Where values of thread 0 are, for a while.
typedef struct {
  Exec *exec;
  Values room;
} Reading;

static const void *
find_foreign_value(gpointer data, const Variable *variable) {
  Reading *reading = data;
  const Lowered *lowered = reading->exec->code->module;
  reading->exec->warp = &reading->exec->warps[0];
  return gather_operands(reading->exec, variable->type, lowered->rows[variable->slot],
                         reading->room);
}

void
smb_foreign_turned_away(Exec *exec, const Step *step, gboolean verdict) {
  const Lowered *lowered = exec->code->module;
  Reading reading = {.exec = exec};
  note_idle(exec->block, lowered->kernel, step->callee, verdict ? "true" : "false",
            find_foreign_value, &reading);
}
