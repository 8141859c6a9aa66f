// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Statements: they narrow the mask of active threads, and those that leave a loop or a function wait
// where it ends.
#include <string.h>

#include "sim/cuda/run/compute.h"
#include "sim/cuda/run/walk.h"

static gboolean
count_step(Walker *walker, const Statement *statement) {
  return smb_block_step(walker->block, walker->loop ? walker->loop->start : statement->start);
}

// Evaluates for the effect; temporaries are freed.
static gboolean
evaluate_and_drop(Walker *walker, const Node *node, const Mask *mask) {
  Scratch mark = scratch_mark(walker);
  gboolean ok = smb_walk_evaluate(walker, node, mask) != NULL;
  scratch_release(walker, mark);
  return ok;
}

static gboolean
test(Walker *walker, const Node *node, const Mask *mask, Mask *holds) {
  Scratch mark = scratch_mark(walker);
  gboolean ok = smb_walk_condition(walker, node, mask, holds);
  scratch_release(walker, mark);
  return ok;
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
    Node value = {.kind = NODE_CONSTANT, .type = parameter->type};
    smb_cuda_take(&value, find(data, parameter));
    g_string_append_printf(text, "%s%s = ", text->len ? ", " : "", parameter->name);
    if (smb_type_is_real(parameter->type))
      g_string_append_printf(text, "%g", value.real);
    else
      g_string_append_printf(text, "%" G_GINT64_FORMAT, value.integer);
  }
}

void
smb_walk_note_idle(SmbBlock *block, const SmbKernel *kernel, const Node *condition,
                   const char *verdict, const void *(*find)(gpointer, const Variable *),
                   gpointer data) {
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

static const void *
find_value(gpointer data, const Variable *variable) {
  const Walker *walker = data;
  return walker->locals[variable->slot];
}

// Notes that a condition turned all threads away, if it is the first that did.
static void
note_idle(Walker *walker, const Node *condition, const char *verdict) {
  smb_walk_note_idle(walker->block, walker->kernel, condition, verdict, find_value, walker);
}

static gboolean
execute_if(Walker *walker, const Statement *statement, Mask *active) {
  Mask then, otherwise = *active;
  if (!test(walker, statement->value, active, &then))
    return FALSE;
  remove_mask(walker, &otherwise, &then);
  gboolean any = mask_any(walker->block, &then);
  if (!any && statement->guards)
    note_idle(walker, statement->value, "false");
  if (any && !smb_walk_execute(walker, statement->then, &then))
    return FALSE;
  if (any && !mask_any(walker->block, &otherwise) && !mask_any(walker->block, &then))
    note_idle(walker, statement->value, "true");
  if (statement->otherwise && mask_any(walker->block, &otherwise) &&
      !smb_walk_execute(walker, statement->otherwise, &otherwise))
    return FALSE;
  *active = then;
  add_mask(walker, active, &otherwise);
  return TRUE;
}

// The threads of @active go round until each has left; those that broke out or whose condition failed
// go on behind the loop.
static gboolean
execute_loop(Walker *walker, const Statement *loop, Mask *active) {
  Mask outer_broken = walker->broken, outer_continued = walker->continued;
  Mask done = {{0}}, holds;
  const Statement *outer_loop = walker->loop;
  walker->loop = loop;
  gboolean ok = TRUE, tests = loop->tests_first, turned = FALSE;
  memset(&walker->broken, 0, sizeof walker->broken);
  while (ok && mask_any(walker->block, active)) {
    ok = count_step(walker, loop);
    if (ok && tests && loop->value) {
      ok = test(walker, loop->value, active, &holds);
      if (!ok)
        break;
      remove_mask(walker, active, &holds);
      add_mask(walker, &done, active);
      *active = holds;
      if (!mask_any(walker->block, active)) {
        if (!turned && loop->guards)
          note_idle(walker, loop->value, "false");
        break;
      }
    }
    tests = turned = TRUE;
    memset(&walker->continued, 0, sizeof walker->continued);
    ok = ok && smb_walk_execute(walker, loop->then, active);
    add_mask(walker, active, &walker->continued);
    if (ok && loop->step && mask_any(walker->block, active))
      ok = evaluate_and_drop(walker, loop->step, active);
  }
  *active = done;
  add_mask(walker, active, &walker->broken);
  walker->broken = outer_broken;
  walker->continued = outer_continued;
  walker->loop = outer_loop;
  return ok;
}

// Threads enter at the label that is theirs, in the order of the text, and stay until they break: what one
// case falls into, all that are there do together.
static gboolean
execute_switch(Walker *walker, const Statement *statement, Mask *active) {
  Mask outer_broken = walker->broken, waiting = *active, unmatched = *active, inside = {{0}}, holds;
  gboolean ok = TRUE;
  memset(&walker->broken, 0, sizeof walker->broken);
  for (const Statement *child = statement->first; ok && child; child = child->next) {
    if (child->kind == STATEMENT_LABEL && child->value) {
      ok = test(walker, child->value, active, &holds);
      remove_mask(walker, &unmatched, &holds);
    }
  }
  for (const Statement *child = statement->first; ok && child; child = child->next) {
    if (child->kind != STATEMENT_LABEL) {
      ok = !mask_any(walker->block, &inside) || smb_walk_execute(walker, child, &inside);
      continue;
    }
    holds = unmatched;
    ok = !child->value || test(walker, child->value, &waiting, &holds);
    remove_mask(walker, &waiting, &holds);
    add_mask(walker, &inside, &holds);
  }
  *active = waiting;
  add_mask(walker, active, &inside);
  add_mask(walker, active, &walker->broken);
  walker->broken = outer_broken;
  return ok;
}

static gboolean
execute_return(Walker *walker, const Statement *statement, Mask *active, const Variable *result) {
  if (statement->value) {
    Scratch mark = scratch_mark(walker);
    const void *value = smb_walk_evaluate(walker, statement->value, active);
    if (!value)
      return FALSE;
    smb_walk_blend(walker, result->type, active, value, walker->locals[result->slot]);
    smb_walk_mark_set(walker, result, 0, result->type, active);
    scratch_release(walker, mark);
  }
  add_mask(walker, &walker->returned, active);
  if (walker->calls == 0)
    add_mask(walker, &walker->block->exited, active);
  memset(active, 0, sizeof *active);
  return TRUE;
}

static gboolean
execute_block(Walker *walker, const Statement *statement, Mask *active) {
  for (const Statement *child = statement->first; child; child = child->next) {
    if (!mask_any(walker->block, active))
      return TRUE;
    if (!smb_walk_execute(walker, child, active))
      return FALSE;
  }
  return TRUE;
}

// A local that is declared again, in the next turn of a loop, has no value again.
static void
forget_value(Walker *walker, const Variable *variable, const Mask *active) {
  if (variable->storage == STORAGE_LOCAL) {
    for (guint c = 0; c < smb_type_components(variable->type); c++)
      remove_mask(walker, &walker->locals_set[variable->slot + c], active);
    return;
  }
  smb_private_forget(walker->block, variable->slot, active);
}

// Threads that leave are taken out of @active; in the end it holds those that go on.
gboolean
smb_walk_execute(Walker *walker, const Statement *statement, Mask *active) {
  if (!count_step(walker, statement))
    return FALSE;
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    return evaluate_and_drop(walker, statement->value, active);
  case STATEMENT_DECLARE:
    forget_value(walker, statement->variable, active);
    return TRUE;
  case STATEMENT_BLOCK:
    return execute_block(walker, statement, active);
  case STATEMENT_IF:
    return execute_if(walker, statement, active);
  case STATEMENT_LOOP:
    return execute_loop(walker, statement, active);
  case STATEMENT_BREAK:
    add_mask(walker, &walker->broken, active);
    memset(active, 0, sizeof *active);
    return TRUE;
  case STATEMENT_CONTINUE:
    add_mask(walker, &walker->continued, active);
    memset(active, 0, sizeof *active);
    return TRUE;
  case STATEMENT_RETURN:
    return execute_return(walker, statement, active, statement->variable);
  case STATEMENT_SWITCH:
    return execute_switch(walker, statement, active);
  case STATEMENT_LABEL:
    break;
  }
  g_assert_not_reached();
}

static gboolean
check_returned(Walker *walker, const Function *function, const Node *node, const Mask *mask) {
  FOR_WARPS(walker->block, mask, w) {
    SmbLanes missing = mask->warp[w] & ~walker->returned.warp[w];
    if (!missing)
      continue;
    g_autofree char *thread = smb_block_thread(walker->block, w, smb_lanes_first(missing));
    return smb_block_fail(walker->block, node->start, "'%s' ends without a return, for %s",
                          function->name, thread);
  }
  return TRUE;
}

// All arguments have their values before the first parameter gets one: f(1, f(2, 3)).
static gboolean
bind_arguments(Walker *walker, const Node *node, const Mask *mask) {
  const Function *function = node->function;
  const void *values[MAX_ARGUMENTS + 1]; // and where a structure is returned
  for (guint i = 0; i < node->n_arguments; i++) {
    values[i] = smb_walk_evaluate(walker, node->arguments[i], mask);
    if (!values[i])
      return FALSE;
  }
  for (guint i = 0; i < node->n_arguments; i++) {
    const Variable *parameter = function->parameters[i];
    smb_walk_blend(walker, parameter->type, mask, values[i], walker->locals[parameter->slot]);
    smb_walk_mark_set(walker, parameter, 0, parameter->type, mask);
  }
  return TRUE;
}

// The function's variables are its own in the whole program: it cannot call itself.
const void *
smb_walk_call(Walker *walker, const Node *node, const Mask *mask) {
  const Function *function = node->function;
  gboolean is_void = node->type->kind == KIND_VOID;
  void *out = is_void ? walker : smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  if (!bind_arguments(walker, node, mask))
    return NULL;
  Mask outer_returned = walker->returned, outer_broken = walker->broken;
  Mask outer_continued = walker->continued, active = *mask;
  memset(&walker->returned, 0, sizeof walker->returned);
  walker->calls++;
  gboolean ok = smb_walk_execute(walker, function->body, &active);
  walker->calls--;
  ok = ok && (function->type->kind == KIND_VOID || check_returned(walker, function, node, mask));
  walker->returned = outer_returned;
  walker->broken = outer_broken;
  walker->continued = outer_continued;
  scratch_release(walker, mark);
  if (ok && !is_void)
    smb_walk_blend(walker, node->type, mask, walker->locals[function->result->slot], out);
  return ok ? out : NULL;
}
