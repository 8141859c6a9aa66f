// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps, one after the other.
#include <string.h>

#include "sim/cuda/lower/impl.h"

Row
smb_lower_take(Lower *lower, guint n) {
  Row row = lower->row;
  lower->row += n;
  lower->code->n_rows = MAX(lower->code->n_rows, lower->row);
  return row;
}

Row
smb_lower_give(Lower *lower, const Type *type, Row d) {
  return d != NO_ROW ? d : smb_lower_take(lower, value_rows(type));
}

guint8 *
smb_lower_keep_set(const Lower *lower) {
  return g_memdup2(lower->is_set, lower->n_slots + 1); // which is never empty
}

void
smb_lower_take_set(Lower *lower, guint8 *kept) {
  memcpy(lower->is_set, kept, lower->n_slots);
  g_free(kept);
}

Row
smb_lower_number(const Lower *lower, guint64 bits, guint n_rows) {
  return smb_constants_add(lower->code->constants, bits, n_rows);
}

Label
smb_lower_label(Lower *lower) {
  guint32 step = NO_STEP;
  g_array_append_val(lower->labels, step);
  return lower->labels->len - 1;
}

void
smb_lower_here(Lower *lower, Label label) {
  g_array_index(lower->labels, guint32, label) = lower->code->steps->len;
  lower->counted = NO_STEP;
  smb_lower_forget_recent(lower);
}

void
smb_lower_add(Lower *lower, Step *step, StepOpcode opcode, guint32 place) {
  lower->is_refused |= lower->code->steps->len >= MAX_STEPS;
  if (lower->is_refused)
    return;
  smb_step_bind(step, opcode);
  step->place = place;
  if (opcode != STEP_COMPUTE && opcode != STEP_TEXT_WATCH)
    lower->counted = NO_STEP;
  smb_code_add(lower->code, step);
}

guint32
smb_lower_branch(Lower *lower, Predicate predicate, gboolean unless, Label label, guint32 place) {
  Step step = {.guard = predicate, .unless = unless, .target = label};
  smb_lower_add(lower, &step, STEP_BRANCH, place);
  return lower->code->steps->len - 1;
}

void
smb_lower_add_compute(Lower *lower, Compute compute) {
  Step step = {.compute = compute};
  smb_compute_prepare(&step.compute);
  smb_lower_add(lower, &step, STEP_COMPUTE, 0);
}

void
smb_lower_compute(Lower *lower, Operation operation, Row d, Row a, Row b, Row c) {
  smb_lower_add_compute(lower, (Compute){.operation = (guint16)operation, .d = d, .s = {a, b, c}});
}

void
smb_lower_compare(Lower *lower, Operation operation, gboolean opposite, Predicate p, Row a, Row b) {
  smb_lower_add_compute(lower, (Compute){.operation = (guint16)operation,
                                         .modifiers = opposite ? MODIFIER_NOT : 0,
                                         .p = p,
                                         .s = {a, b}});
}

void
smb_lower_move(Lower *lower, const Type *type, Row to, Row from) {
  guint n = type_rows(type);
  for (guint c = 0; to != from && c < smb_type_components(type); c++)
    smb_lower_compute(lower, n == 2 ? OPERATION_MOV_64 : OPERATION_MOV_32, to + n * c, from + n * c,
                      NO_ROW, NO_ROW);
}

void
smb_lower_combine(Lower *lower, gboolean is_and, Predicate p, Predicate q) {
  smb_lower_add_compute(lower, (Compute){.operation = OPERATION_PREDICATE,
                                         .table = is_and ? 0xf0 & 0xcc : 0xf0 | 0xcc,
                                         .p = p,
                                         .in = {p, q}});
}

void
smb_lower_select(Lower *lower, const Type *type, Row d, Predicate p, Row a, Row b) {
  smb_lower_add_compute(lower, (Compute){.operation = smb_type_is_wide(type) ? OPERATION_SELECT_64
                                                                             : OPERATION_SELECT_32,
                                         .d = d,
                                         .s = {a, b},
                                         .in = {p}});
}

void
smb_lower_truth(Lower *lower, Row d, Predicate p) {
  smb_lower_select(lower, smb_type_scalar(KIND_INT), d, p, smb_lower_number(lower, 1, 1),
                   smb_lower_number(lower, 0, 1));
}

void
smb_lower_set_predicate(Lower *lower, Predicate p, gboolean value) {
  Row zero = smb_lower_number(lower, 0, 1);
  smb_lower_compare(lower, OPERATION_EQ_32, !value, p, zero, zero);
}

Foreign *
smb_lower_check(Lower *lower, StepOpcode opcode, Predicate predicate, const Node *node,
                guint32 place) {
  Foreign *foreign = g_new0(Foreign, 1);
  *foreign = (Foreign){.node = node, .result = NO_ROW};
  for (guint i = 0; i < G_N_ELEMENTS(foreign->operands); i++)
    foreign->operands[i] = NO_ROW;
  g_ptr_array_add(lower->foreign, foreign);
  Step step = {.callee = foreign, .guard = predicate, .unless = predicate != PREDICATE_TRUE};
  smb_lower_add(lower, &step, opcode, place);
  return foreign;
}

Foreign *
smb_lower_foreign(Lower *lower, StepOpcode opcode, const Node *node, guint32 place) {
  return smb_lower_check(lower, opcode, PREDICATE_TRUE, node, place);
}

void
smb_lower_gives(Lower *lower, Foreign *foreign, const Type *type, Row row) {
  foreign->type = type;
  foreign->result = row;
  if (!lower->is_refused)
    smb_code_writes_row(lower->code, smb_code_step(lower->code, lower->code->steps->len - 1), row,
                        value_rows(type));
}
