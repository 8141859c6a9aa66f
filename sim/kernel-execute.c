// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Statements: they narrow the mask of active threads, and those that leave a loop or a function wait
// where it ends.
#include <string.h>

#include "sim/kernel-machine.h"

gboolean
block_fail(SmbBlock *block, guint32 offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(block->kernel->source, offset, block->error, "%s", text);
  return FALSE;
}

char *
describe_thread(const SmbBlock *block, guint warp, guint lane) {
  guint thread = warp * SMB_WARP_LANES + lane;
  g_autofree char *where = block->grid[0] * (guint64)block->grid[1] * block->grid[2] == 1
                               ? g_strdup("")
                               : g_strdup_printf(" of block (%u,%u,%u)", block->uniform[0][0],
                                                 block->uniform[1][0], block->uniform[2][0]);
  return g_strdup_printf("thread (%u,%u,%u)%s", block->thread[0][thread], block->thread[1][thread],
                         block->thread[2][thread], where);
}

static void
add_mask(const SmbBlock *block, Mask *to, const Mask *what) {
  for (guint w = 0; w < block->n_warps; w++)
    to->warp[w] |= what->warp[w];
}

static void
remove_mask(const SmbBlock *block, Mask *from, const Mask *what) {
  for (guint w = 0; w < block->n_warps; w++)
    from->warp[w] &= ~what->warp[w];
}

static gboolean
count_step(SmbBlock *block, const Statement *statement) {
  if (++block->steps <= block->limits.max_steps)
    return TRUE;
  return block_fail(block, block->loop ? block->loop->start : statement->start,
                    "the block has executed %" G_GUINT64_FORMAT
                    " statements and is still here: an endless loop? (--max-steps allows more)",
                    block->limits.max_steps);
}

// Evaluates for the effect; temporaries are freed.
static gboolean
evaluate_and_drop(SmbBlock *block, const Node *node, const Mask *mask) {
  Scratch mark = scratch_mark(block);
  gboolean ok = evaluate(block, node, mask) != NULL;
  scratch_release(block, mark);
  return ok;
}

static gboolean
test(SmbBlock *block, const Node *node, const Mask *mask, Mask *holds) {
  Scratch mark = scratch_mark(block);
  gboolean ok = evaluate_condition(block, node, mask, holds);
  scratch_release(block, mark);
  return ok;
}

static gboolean
execute_if(SmbBlock *block, const Statement *statement, Mask *active) {
  Mask then, otherwise = *active;
  if (!test(block, statement->value, active, &then))
    return FALSE;
  remove_mask(block, &otherwise, &then);
  if (mask_any(block, &then) && !execute(block, statement->then, &then))
    return FALSE;
  if (statement->otherwise && mask_any(block, &otherwise) &&
      !execute(block, statement->otherwise, &otherwise))
    return FALSE;
  *active = then;
  add_mask(block, active, &otherwise);
  return TRUE;
}

// The threads of @active go round until each has left; those that broke out or whose condition failed
// go on behind the loop.
static gboolean
execute_loop(SmbBlock *block, const Statement *loop, Mask *active) {
  Mask outer_broken = block->broken, outer_continued = block->continued;
  Mask done = {{0}}, holds;
  const Statement *outer_loop = block->loop;
  block->loop = loop;
  gboolean ok = TRUE, tests = loop->tests_first;
  memset(&block->broken, 0, sizeof block->broken);
  while (ok && mask_any(block, active)) {
    ok = count_step(block, loop);
    if (ok && tests && loop->value) {
      ok = test(block, loop->value, active, &holds);
      if (!ok)
        break;
      remove_mask(block, active, &holds);
      add_mask(block, &done, active);
      *active = holds;
      if (!mask_any(block, active))
        break;
    }
    tests = TRUE;
    memset(&block->continued, 0, sizeof block->continued);
    ok = ok && execute(block, loop->then, active);
    add_mask(block, active, &block->continued);
    if (ok && loop->step && mask_any(block, active))
      ok = evaluate_and_drop(block, loop->step, active);
  }
  *active = done;
  add_mask(block, active, &block->broken);
  block->broken = outer_broken;
  block->continued = outer_continued;
  block->loop = outer_loop;
  return ok;
}

static void
mark_set(SmbBlock *block, const Variable *variable, const Mask *mask) {
  for (guint c = 0; c < type_components(variable->type); c++)
    add_mask(block, &block->locals_set[variable->slot + c], mask);
}

static gboolean
execute_return(SmbBlock *block, const Statement *statement, Mask *active, const Variable *result) {
  if (statement->value) {
    Scratch mark = scratch_mark(block);
    const void *value = evaluate(block, statement->value, active);
    if (!value)
      return FALSE;
    blend(block, result->type, active, value, block->locals[result->slot]);
    mark_set(block, result, active);
    scratch_release(block, mark);
  }
  add_mask(block, &block->returned, active);
  if (block->calls == 0)
    add_mask(block, &block->exited, active);
  memset(active, 0, sizeof *active);
  return TRUE;
}

static gboolean
execute_block(SmbBlock *block, const Statement *statement, Mask *active) {
  for (const Statement *child = statement->first; child; child = child->next) {
    if (!mask_any(block, active))
      return TRUE;
    if (!execute(block, child, active))
      return FALSE;
  }
  return TRUE;
}

// A local that is declared again, in the next turn of a loop, has no value again.
static void
forget_value(SmbBlock *block, const Variable *variable, const Mask *active) {
  if (variable->storage == STORAGE_LOCAL) {
    for (guint c = 0; c < type_components(variable->type); c++)
      remove_mask(block, &block->locals_set[variable->slot + c], active);
    return;
  }
  private_forget(block, &block->objects[variable->slot], active);
}

// Threads that leave are taken out of @active; in the end it holds those that go on.
gboolean
execute(SmbBlock *block, const Statement *statement, Mask *active) {
  if (!count_step(block, statement))
    return FALSE;
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    return evaluate_and_drop(block, statement->value, active);
  case STATEMENT_DECLARE:
    forget_value(block, statement->variable, active);
    return TRUE;
  case STATEMENT_BLOCK:
    return execute_block(block, statement, active);
  case STATEMENT_IF:
    return execute_if(block, statement, active);
  case STATEMENT_LOOP:
    return execute_loop(block, statement, active);
  case STATEMENT_BREAK:
    add_mask(block, &block->broken, active);
    memset(active, 0, sizeof *active);
    return TRUE;
  case STATEMENT_CONTINUE:
    add_mask(block, &block->continued, active);
    memset(active, 0, sizeof *active);
    return TRUE;
  case STATEMENT_RETURN:
    return execute_return(block, statement, active, statement->variable);
  }
  g_assert_not_reached();
}

static gboolean
check_returned(SmbBlock *block, const Function *function, const Node *node, const Mask *mask) {
  FOR_WARPS(block, mask, w) {
    guint32 missing = mask->warp[w] & ~block->returned.warp[w];
    if (!missing)
      continue;
    g_autofree char *thread = describe_thread(block, w, (guint)__builtin_ctz(missing));
    return block_fail(block, node->start, "'%s' ends without a return, for %s", function->name,
                      thread);
  }
  return TRUE;
}

// All arguments have their values before the first parameter gets one: f(1, f(2, 3)).
static gboolean
bind_arguments(SmbBlock *block, const Node *node, const Mask *mask) {
  const Function *function = node->function;
  const void *values[MAX_ARGUMENTS];
  for (guint i = 0; i < node->n_arguments; i++) {
    values[i] = evaluate(block, node->arguments[i], mask);
    if (!values[i])
      return FALSE;
  }
  for (guint i = 0; i < node->n_arguments; i++) {
    const Variable *parameter = function->parameters[i];
    blend(block, parameter->type, mask, values[i], block->locals[parameter->slot]);
    mark_set(block, parameter, mask);
  }
  return TRUE;
}

// The function's variables are its own in the whole program: it cannot call itself.
const void *
call_function(SmbBlock *block, const Node *node, const Mask *mask) {
  const Function *function = node->function;
  void *out = function->result ? scratch_take(block, node->type) : block;
  Scratch mark = scratch_mark(block);
  if (!bind_arguments(block, node, mask))
    return NULL;
  Mask outer_returned = block->returned, outer_broken = block->broken;
  Mask outer_continued = block->continued, active = *mask;
  memset(&block->returned, 0, sizeof block->returned);
  block->calls++;
  gboolean ok = execute(block, function->body, &active);
  block->calls--;
  ok = ok && (!function->result || check_returned(block, function, node, mask));
  block->returned = outer_returned;
  block->broken = outer_broken;
  block->continued = outer_continued;
  scratch_release(block, mark);
  if (ok && function->result)
    blend(block, node->type, mask, block->locals[function->result->slot], out);
  return ok ? out : NULL;
}
