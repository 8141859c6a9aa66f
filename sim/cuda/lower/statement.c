// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Statements: they stand in the code as in the text. Whoever leaves a loop or a function goes to its end and waits there.
#include <string.h>

#include "sim/cuda/lower/impl.h"

// Statements that begin: what is one behind the other, and cannot fail in between, is counted at once.
static void
count(Lower *lower, const Statement *statement) {
  guint32 place = lower->loop ? lower->loop->start : statement->start;
  if (lower->is_refused)
    return;
  if (lower->counted != NO_STEP) {
    Step *before = smb_code_step(lower->code, lower->counted);
    if (before->place == place) {
      before->argument++;
      return;
    }
  }
  Step step = {.argument = 1};
  smb_lower_add(lower, &step, STEP_COUNT, place);
  lower->counted = lower->code->steps->len - 1;
}

static void
meet_set(Lower *lower, guint8 *other) {
  for (guint i = 0; i < lower->n_slots; i++)
    lower->is_set[i] &= other[i];
  g_free(other);
}

// Nobody comes here.
static void
set_all(Lower *lower) {
  memset(lower->is_set, TRUE, lower->n_slots);
}

static gboolean leaves(const Statement *statement);

// Whether whoever executes a statement, but none behind it, may go elsewhere than there.
static gboolean
may_leave(const Statement *statement) {
  return statement->kind == STATEMENT_BREAK || statement->kind == STATEMENT_CONTINUE ||
         statement->kind == STATEMENT_RETURN || leaves(statement->first) ||
         leaves(statement->then) || leaves(statement->otherwise);
}

static gboolean
leaves(const Statement *statement) {
  for (; statement; statement = statement->next) {
    if (may_leave(statement))
      return TRUE;
  }
  return FALSE;
}

// A branch asks whether its condition turns all away; @look: (or NO_STEP) where nobody may come.
static void
ask(Lower *lower, guint32 number, const Node *condition, Label look) {
  SwitchTarget target = {.step = look};
  if (lower->is_refused)
    return;
  Step *branch = smb_code_step(lower->code, number);
  branch->callee = condition;
  if (look == NO_STEP)
    return;
  branch->targets = g_array_new(FALSE, FALSE, sizeof(SwitchTarget));
  g_ptr_array_add(lower->code->owned, branch->targets);
  g_array_append_val(branch->targets, target);
}

static void
lower_if(Lower *lower, const Statement *statement) {
  Label otherwise = smb_lower_label(lower), end = smb_lower_label(lower);
  gboolean looks = may_leave(statement->then);
  Predicate p = smb_lower_condition(lower, statement->value);
  guint32 branch =
      smb_lower_branch(lower, p, TRUE, statement->otherwise ? otherwise : end, statement->start);
  ask(lower, branch, statement->guards ? statement->value : NULL, looks ? end : NO_STEP);
  guint8 *before = smb_lower_keep_set(lower);
  smb_lower_statement(lower, statement->then);
  if (statement->otherwise) {
    smb_lower_branch(lower, PREDICATE_TRUE, FALSE, end, statement->start);
    guint8 *then = smb_lower_keep_set(lower);
    smb_lower_take_set(lower, before);
    smb_lower_here(lower, otherwise);
    smb_lower_statement(lower, statement->otherwise);
    meet_set(lower, then);
  } else
    meet_set(lower, before);
  smb_lower_here(lower, end);
  if (!looks)
    return;
  Step look = {.callee = statement->value};
  smb_lower_add(lower, &look, STEP_LOOK, statement->start);
}

enum {
  UNROLLED_STEPS = 768,       // of a loop at most
  MANY_UNROLLED_STEPS = 4096, // of one that decides which element of an array it is
};

// What a pass is at, to go back there.
typedef struct {
  guint n_steps;
  guint32 row;
  guint8 *is_set;
  gint64 number;
  gboolean asks_more;
} Mark;

// The turns of a loop one after the other, if that does not become too long: of which nobody leaves one early.
static gboolean
unroll(Lower *lower, const Statement *loop, guint max_steps) {
  const Variable *variable;
  guint trips = leaves(loop->then) ? 0 : smb_lower_trips(lower, loop, &variable);
  if (trips == 0 || lower->is_refused)
    return FALSE;
  guint slot = variable->slot;
  const Statement *outer = lower->loop;
  Mark mark = {lower->code->steps->len, lower->row, smb_lower_keep_set(lower), lower->numbers[slot],
               lower->asks_more};
  lower->loop = loop;
  lower->fixed[slot] = TRUE;
  lower->n_fixed++;
  gboolean fits = TRUE;
  for (guint turn = 0; fits && turn < trips; turn++) {
    smb_lower_turn(lower, loop, variable, turn);
    count(lower, loop);
    smb_lower_statement(lower, loop->then);
    fits = (lower->code->steps->len - mark.n_steps) / (turn + 1) * trips < max_steps;
  }
  lower->fixed[slot] = FALSE;
  lower->n_fixed--;
  lower->loop = outer;
  if (fits) {
    lower->loop = loop;
    count(lower, loop); // of the test that ends it
    lower->loop = outer;
    lower->fixed[slot] = TRUE;
    smb_lower_turn(lower, loop, variable, trips);
    lower->fixed[slot] = FALSE;
    smb_lower_move(lower, variable->type, lower->rows[slot],
                   smb_lower_number(lower,
                                    type_rows(variable->type) == 1 ? (guint32)lower->numbers[slot]
                                                                   : (guint64)lower->numbers[slot],
                                    type_rows(variable->type)));
    lower->recent[slot] = TRUE;
    g_free(mark.is_set);
    return TRUE;
  }
  g_array_set_size(lower->code->steps, mark.n_steps);
  lower->row = mark.row;
  lower->counted = NO_STEP;
  lower->numbers[slot] = mark.number;
  lower->asks_more = mark.asks_more;
  smb_lower_take_set(lower, mark.is_set);
  return FALSE;
}

static void
lower_loop(Lower *lower, const Statement *loop) {
  gboolean decides = g_hash_table_contains(lower->deciding, loop);
  if (unroll(lower, loop, decides ? MANY_UNROLLED_STEPS : UNROLLED_STEPS))
    return;
  g_ptr_array_add(lower->rolled, (gpointer)loop);
  smb_lower_forget_recent(lower);
  const Statement *outer = lower->loop;
  Label head = smb_lower_label(lower), body = smb_lower_label(lower);
  Around around = {smb_lower_label(lower), smb_lower_label(lower), lower->around};
  guint number = ++lower->n_loops;
  guint32 mark = lower->row;
  lower->loop = loop;
  Step enter = {.argument = number};
  if (loop->value && loop->guards && loop->tests_first)
    smb_lower_add(lower, &enter, STEP_ENTER_LOOP, loop->start);
  if (!loop->tests_first) {
    count(lower, loop);
    smb_lower_branch(lower, PREDICATE_TRUE, FALSE, body, loop->start);
  }
  guint8 *before = smb_lower_keep_set(lower);
  smb_lower_here(lower, head);
  count(lower, loop);
  if (loop->value) {
    Predicate p = smb_lower_condition(lower, loop->value);
    guint32 branch = smb_lower_branch(lower, p, TRUE, around.leave, loop->start);
    if (loop->guards && loop->tests_first && !lower->is_refused) {
      ask(lower, branch, loop->value, NO_STEP);
      smb_code_step(lower->code, branch)->argument = number;
    }
  }
  lower->row = mark;
  if (!loop->tests_first)
    smb_lower_here(lower, body);
  lower->around = &around;
  smb_lower_statement(lower, loop->then);
  lower->around = around.outer;
  memcpy(lower->is_set, before, lower->n_slots);
  smb_lower_here(lower, around.next);
  if (loop->step)
    smb_lower_effect(lower, loop->step);
  lower->row = mark;
  smb_lower_branch(lower, PREDICATE_TRUE, FALSE, head, loop->start);
  smb_lower_here(lower, around.leave);
  smb_lower_take_set(lower, before);
  lower->loop = outer;
  g_ptr_array_set_size(lower->rolled, (gint)lower->rolled->len - 1);
}

// Threads enter at the label that is theirs. Which it is is asked of all before any goes on: labels have nothing else to say.
static void
lower_switch(Lower *lower, const Statement *statement) {
  Around around = {smb_lower_label(lower), lower->around ? lower->around->next : 0, lower->around};
  g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(Label));
  Label fallback = around.leave;
  guint32 mark = lower->row;
  for (const Statement *child = statement->first; child; child = child->next) {
    if (child->kind != STATEMENT_LABEL)
      continue;
    Label entry = smb_lower_label(lower);
    g_array_append_val(entries, entry);
    if (!child->value) {
      fallback = entry;
      continue;
    }
    smb_lower_branch(lower, smb_lower_condition(lower, child->value), FALSE, entry, child->start);
    lower->row = mark;
  }
  smb_lower_branch(lower, PREDICATE_TRUE, FALSE, fallback, statement->start);
  guint8 *before = smb_lower_keep_set(lower);
  lower->around = &around;
  guint n = 0;
  for (const Statement *child = statement->first; child; child = child->next) {
    if (child->kind == STATEMENT_LABEL) {
      smb_lower_here(lower, g_array_index(entries, Label, n++));
      memcpy(lower->is_set, before, lower->n_slots);
    } else
      smb_lower_statement(lower, child);
  }
  lower->around = around.outer;
  smb_lower_here(lower, around.leave);
  smb_lower_take_set(lower, before);
}

static void
lower_return(Lower *lower, const Statement *statement) {
  const Variable *result = statement->variable;
  if (statement->value) {
    Row value = smb_lower_value(lower, statement->value, NO_ROW);
    smb_lower_move(lower, result->type, lower->rows[result->slot], value);
    smb_lower_mark_set(lower, result, 0, result->type);
  }
  Step step = {.argument = 0};
  if (lower->inlined)
    smb_lower_branch(lower, PREDICATE_TRUE, FALSE, lower->inlined->end, statement->start);
  else
    smb_lower_add(lower, &step, STEP_EXIT, statement->start);
  set_all(lower);
}

// Whether a declaration gets its value at once.
static gboolean
is_assigned_next(const Statement *declaration) {
  const Statement *next = declaration->next;
  const Node *value = next && next->kind == STATEMENT_EXPRESSION ? next->value : NULL;
  return value && value->kind == NODE_ASSIGN && !value->special && value->a->kind == NODE_LOCAL &&
         value->a->variable == declaration->variable && value->b->kind == NODE_CONSTANT;
}

// A local that is declared again, in the next turn of a loop, has no value again.
static void
lower_declaration(Lower *lower, const Statement *statement) {
  const Variable *variable = statement->variable;
  gboolean in_registers =
      variable->storage == STORAGE_PRIVATE && lower->arrays[variable->slot] != NO_ROW;
  if (in_registers) {
    guint n = (guint)(variable->type->size / smb_type_leaf(variable->type)->size);
    memset(lower->is_set + lower->elements[variable->slot], FALSE, n);
    return;
  }
  if (variable->storage != STORAGE_LOCAL) {
    Foreign *forget = smb_lower_foreign(lower, STEP_TEXT_FORGET, NULL, statement->start);
    forget->variable = variable;
    return;
  }
  for (guint c = 0; c < smb_type_components(variable->type); c++) {
    guint slot = variable->slot + c;
    if (lower->asked[slot] && !is_assigned_next(statement))
      smb_lower_set_predicate(lower, lower->flags[slot], FALSE);
    lower->is_set[slot] = FALSE;
  }
}

void
smb_lower_statement(Lower *lower, const Statement *statement) {
  guint32 mark = lower->row;
  if (lower->is_refused)
    return;
  count(lower, statement);
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    smb_lower_effect(lower, statement->value);
    break;
  case STATEMENT_DECLARE:
    lower_declaration(lower, statement);
    break;
  case STATEMENT_BLOCK:
    for (const Statement *child = statement->first; child; child = child->next)
      smb_lower_statement(lower, child);
    break;
  case STATEMENT_IF:
    lower_if(lower, statement);
    break;
  case STATEMENT_LOOP:
    lower_loop(lower, statement);
    break;
  case STATEMENT_BREAK:
    smb_lower_branch(lower, PREDICATE_TRUE, FALSE, lower->around->leave, statement->start);
    set_all(lower);
    break;
  case STATEMENT_CONTINUE:
    smb_lower_branch(lower, PREDICATE_TRUE, FALSE, lower->around->next, statement->start);
    set_all(lower);
    break;
  case STATEMENT_RETURN:
    lower_return(lower, statement);
    break;
  case STATEMENT_SWITCH:
    lower_switch(lower, statement);
    break;
  case STATEMENT_LABEL:
    g_assert_not_reached();
  }
  lower->row = mark;
}

// --- calls

// All arguments have their values before the first parameter gets one: f(1, f(2, 3)).
static void
bind_arguments(Lower *lower, const Node *node) {
  const Function *function = node->function;
  Row values[MAX_ARGUMENTS + 1]; // and where a structure is returned
  for (guint i = 0; i < node->n_arguments; i++)
    values[i] = smb_lower_value(lower, node->arguments[i], NO_ROW);
  for (guint i = 0; i < node->n_arguments; i++) {
    const Variable *parameter = function->parameters[i];
    smb_lower_move(lower, parameter->type, lower->rows[parameter->slot], values[i]);
    smb_lower_mark_set(lower, parameter, 0, parameter->type);
  }
}

// Where it is called. The function's variables are its own in the whole program: it cannot call itself.
Row
smb_lower_call(Lower *lower, const Node *node) {
  const Function *function = node->function;
  gboolean is_void = node->type->kind == KIND_VOID;
  Row out = is_void ? NO_ROW : smb_lower_take(lower, value_rows(node->type));
  bind_arguments(lower, node);
  const Around *around = lower->around;
  Inlined inlined = {function, smb_lower_label(lower), lower->inlined};
  guint8 *before = smb_lower_keep_set(lower);
  lower->inlined = &inlined;
  lower->around = NULL;
  smb_lower_statement(lower, function->body);
  if (function->type->kind != KIND_VOID) {
    Foreign *fail = smb_lower_foreign(lower, STEP_TEXT_RETURNED, node, node->start);
    fail->function = function;
  }
  smb_lower_here(lower, inlined.end);
  lower->inlined = inlined.outer;
  lower->around = around;
  smb_lower_take_set(lower, before);
  if (!is_void)
    smb_lower_move(lower, node->type, out, lower->rows[function->result->slot]);
  return out;
}
