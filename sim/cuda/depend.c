// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What of a kernel depends on which block runs, and how: whether its blocks may repeat each other
// (sim/machine/signature.h). One class for each variable and each object in shared or private memory, whatever is
// assigned to it where; no order of statements. What lies in global memory is data: it may be anything.
//
// A condition on data must not decide what the block does: it may choose between values, and assignments to variables,
// which are then data as well. Such a choice is made by lanes, so that what is computed under it must not fail.
#include "sim/cuda/parse/parse.h"

typedef enum {
  UNIFORM, // of a thread: the same in each block
  AFFINE,  // an integer or a pointer: a constant of the thread, plus blockIdx times constants of it
  DATA,    // anything else
} Class;

// Each lifts a class; loops need a few. Only a text that was made for it needs more.
enum {
  MAX_PASSES = 64
};

typedef struct {
  SmbKernel *kernel;
  guint8 *locals;      // Class, by slot
  guint8 *initialised; // by slot of a local: has a value wherever it can be named
  guint8 *memory;      // Class, by slot of an object; of all dynamic ones together: behind them
  Class current;       // of the old value of the assignment around
  gboolean guarded;    // by a condition on data
  gboolean in_switch;
  gboolean changed;
  gboolean watches; // the last pass: notes what the walker has to watch
  gboolean repeats;
} Depend;

static Class evaluate(Depend *depend, Node *node);
static void visit(Depend *depend, const Statement *statement);

static Class
opaque(Class value) {
  return value == UNIFORM ? UNIFORM : DATA;
}

static Class
join(Class a, Class b) {
  return MAX(a, b);
}

static void
require(Depend *depend, gboolean holds) {
  depend->repeats = depend->repeats && holds;
}

static void
lift(Depend *depend, guint8 *variable, Class value) {
  if (*variable >= value)
    return;
  *variable = (guint8)value;
  depend->changed = TRUE;
}

// An operation on affine values whose result is of class @result if the walker watches it. Under a condition on data
// it does not.
static Class
watch(Depend *depend, Node *node, Class result) {
  if (depend->guarded)
    return DATA;
  node->is_watched = node->is_watched || depend->watches;
  return result;
}

// The class of what a pointer points into, or NULL if that is global, or not known.
static guint8 *
find_memory(Depend *depend, const Node *address) {
  const Variable *root = smb_node_root(address);
  if (!root)
    return NULL;
  switch (root->storage) {
  case STORAGE_SHARED:
  case STORAGE_PRIVATE:
    return &depend->memory[root->slot];
  case STORAGE_DYNAMIC:
    return &depend->memory[depend->kernel->objects->len];
  case STORAGE_GLOBAL:
  case STORAGE_CONSTANT:
    return NULL;
  case STORAGE_LOCAL:
  case STORAGE_TYPE:
    break;
  }
  g_assert_not_reached();
}

// What is in memory is not told apart by element: a value that differs between blocks is data there.
static void
store(Depend *depend, const Node *address, Class value) {
  guint8 *memory = find_memory(depend, address);
  if (memory)
    lift(depend, memory, opaque(value));
  for (guint i = 0; !memory && i <= depend->kernel->objects->len; i++)
    lift(depend, &depend->memory[i], opaque(value));
}

static Class
load(Depend *depend, const Node *address) {
  const guint8 *memory = find_memory(depend, address);
  return memory ? (Class)*memory : DATA;
}

// An access to memory: all blocks make it, at addresses that are affine.
static Class
touch(Depend *depend, Node *address) {
  Class value = evaluate(depend, address);
  require(depend, !depend->guarded && value != DATA);
  return value;
}

static void
assign_variable(Depend *depend, const Variable *variable, Class value) {
  require(depend, !depend->guarded || depend->initialised[variable->slot]);
  lift(depend, &depend->locals[variable->slot], depend->guarded ? DATA : value);
}

static Class
read_variable(Depend *depend, const Variable *variable) {
  require(depend, !depend->guarded || depend->initialised[variable->slot]);
  return (Class)depend->locals[variable->slot];
}

static Class
assign(Depend *depend, const Node *node) {
  Node *target = node->a;
  gboolean in_memory = target->kind == NODE_DEREFERENCE;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  if (in_memory)
    touch(depend, target->a);
  Class old = in_memory ? load(depend, target->a) : (Class)depend->locals[local->variable->slot];
  Class outer = depend->current;
  depend->current = old;
  Class value = evaluate(depend, node->b);
  depend->current = outer;
  if (in_memory)
    store(depend, target->a, value);
  else
    assign_variable(depend, local->variable, value);
  return node->is_post ? old : value;
}

// Evaluates what only some threads come to, by a condition.
static Class
evaluate_guarded(Depend *depend, Class condition, Node *node) {
  gboolean outer = depend->guarded;
  depend->guarded = outer || condition != UNIFORM;
  Class value = evaluate(depend, node);
  depend->guarded = outer;
  return condition != UNIFORM ? DATA : value;
}

// A structure is moved from one address to another, which results.
static Class
copy(Depend *depend, const Node *node) {
  Class to = touch(depend, node->a);
  touch(depend, node->b);
  store(depend, node->a, load(depend, node->b));
  return to;
}

static gboolean
is_low_bits(const Node *node) {
  return node->kind == NODE_CONSTANT && node->integer > 0 &&
         (node->integer & (node->integer + 1)) == 0;
}

// Of integers or pointers of which one is affine, and none is data.
static Class
classify_affine(Depend *depend, Node *node, Class a, Class b) {
  switch ((Operator)node->op) {
  case OPERATOR_ADD:
  case OPERATOR_SUB:
    return watch(depend, node, AFFINE);
  case OPERATOR_MUL:
    return a == AFFINE && b == AFFINE ? DATA : watch(depend, node, AFFINE);
  case OPERATOR_SHL:
  case OPERATOR_MOD:
    return b == UNIFORM ? watch(depend, node, AFFINE) : DATA;
  case OPERATOR_DIV:
  case OPERATOR_SHR:
    return b == UNIFORM ? watch(depend, node, UNIFORM) : DATA;
  case OPERATOR_AND:
    return is_low_bits(node->a) || is_low_bits(node->b) ? watch(depend, node, AFFINE) : DATA;
  case OPERATOR_OR:
  case OPERATOR_XOR:
    return DATA;
  case OPERATOR_LT:
  case OPERATOR_LE:
  case OPERATOR_GT:
  case OPERATOR_GE:
  case OPERATOR_EQ:
  case OPERATOR_NE:
    return watch(depend, node, UNIFORM);
  }
  g_assert_not_reached();
}

static Class
evaluate_binary(Depend *depend, Node *node) {
  Class a = evaluate(depend, node->a), b = evaluate(depend, node->b);
  gboolean real = smb_type_is_real(node->a->type);
  if (!real && (node->op == OPERATOR_DIV || node->op == OPERATOR_MOD)) {
    // Where it divides by zero, every block does.
    require(depend, b == UNIFORM);
    require(depend, !depend->guarded || (node->b->kind == NODE_CONSTANT && node->b->integer != 0));
  }
  Class both = join(a, b);
  return both != AFFINE || real ? opaque(both) : classify_affine(depend, node, a, b);
}

static Class
evaluate_cast(Depend *depend, Node *node) {
  const Type *from = node->a->type, *to = node->type;
  Class value = evaluate(depend, node->a);
  if (value != AFFINE || to->kind == KIND_POINTER || smb_type_equal(from, to))
    return value;
  if (to->kind == KIND_BOOL)
    return watch(depend, node, UNIFORM);
  return smb_type_is_integer(to) ? watch(depend, node, AFFINE) : DATA;
}

static Class
evaluate_arguments(Depend *depend, const Node *node, guint first, guint end) {
  Class all = UNIFORM;
  for (guint i = first; i < end; i++)
    all = join(all, evaluate(depend, node->arguments[i]));
  return all;
}

static Class
evaluate_call(Depend *depend, const Node *node) {
  const Function *function = node->function;
  require(depend, !depend->guarded);
  for (guint i = 0; i < node->n_arguments; i++)
    assign_variable(depend, function->parameters[i], evaluate(depend, node->arguments[i]));
  return function->result ? (Class)depend->locals[function->result->slot] : UNIFORM;
}

static Class
evaluate_builtin(Depend *depend, Node *node) {
  guint n = node->n_arguments;
  if (node->builtin >= BUILTIN_ATOMIC_ADD) {
    Node *address = node->arguments[0];
    touch(depend, address);
    store(depend, address, evaluate_arguments(depend, node, 1, n));
    return load(depend, address);
  }
  Class all = evaluate_arguments(depend, node, 0, MIN(n, 2));
  if (node->builtin >=
      BUILTIN_BALLOT) { // votes, barriers, shuffles: of lanes that are there together
    require(depend, !depend->guarded);
    // A shuffle from a lane that is not active is an error.
    require(depend, evaluate_arguments(depend, node, MIN(n, 2), n) == UNIFORM);
    return node->builtin >= BUILTIN_SHFL ? all : opaque(all);
  }
  all = join(all, evaluate_arguments(depend, node, MIN(n, 2), n));
  gboolean chooses = node->builtin == BUILTIN_MIN || node->builtin == BUILTIN_MAX;
  if (all == AFFINE && chooses && smb_type_is_integer(node->type))
    return watch(depend, node, AFFINE);
  return opaque(all);
}

static Class
classify(Depend *depend, Node *node) {
  Class value;
  switch ((NodeKind)node->kind) {
  case NODE_CONSTANT:
  case NODE_OBJECT:
    return UNIFORM;
  case NODE_SPECIAL:
    return node->special == SPECIAL_BLOCK ? AFFINE : UNIFORM;
  case NODE_LOCAL:
    return read_variable(depend, node->variable);
  case NODE_DEREFERENCE:
    if (node->type->kind == KIND_STRUCT)
      return evaluate(depend, node->a);
    touch(depend, node->a);
    return load(depend, node->a);
  case NODE_COMPONENT:
  case NODE_COMPLEMENT: // -1 - a
    return evaluate(depend, node->a);
  case NODE_CAST:
    return evaluate_cast(depend, node);
  case NODE_BITS:
  case NODE_NOT:
    return opaque(evaluate(depend, node->a));
  case NODE_NEGATE:
    value = evaluate(depend, node->a);
    return value == AFFINE ? watch(depend, node, AFFINE) : value;
  case NODE_BINARY:
    return evaluate_binary(depend, node);
  case NODE_POINTER_ADD:
    value = join(evaluate(depend, node->a), evaluate(depend, node->b));
    return value == AFFINE ? watch(depend, node, AFFINE) : value;
  case NODE_POINTER_DIFF:
    return opaque(join(evaluate(depend, node->a), evaluate(depend, node->b)));
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
    value = evaluate(depend, node->a);
    return join(value, evaluate_guarded(depend, value, node->b));
  case NODE_CHOICE: {
    value = evaluate(depend, node->a);
    Class yes = evaluate_guarded(depend, value, node->b);
    Class no = evaluate_guarded(depend, value, node->c);
    return join(yes, no);
  }
  case NODE_ASSIGN:
    return assign(depend, node);
  case NODE_COPY:
    return copy(depend, node);
  case NODE_CURRENT:
    return depend->current;
  case NODE_COMMA:
    evaluate(depend, node->a);
    return evaluate(depend, node->b);
  case NODE_CALL:
    return evaluate_call(depend, node);
  case NODE_BUILTIN:
    return evaluate_builtin(depend, node);
  case NODE_MAKE_VECTOR:
    return evaluate_arguments(depend, node, 0, node->n_arguments);
  }
  g_assert_not_reached();
}

static Class
evaluate(Depend *depend, Node *node) {
  Class value = classify(depend, node);
  return depend->guarded ? opaque(value) : value;
}

static guint
count_steps(const Statement *statement) {
  if (!statement)
    return 0;
  guint n = 1 + count_steps(statement->then) + count_steps(statement->otherwise);
  for (const Statement *child = statement->first; child; child = child->next)
    n += count_steps(child);
  return n;
}

static void
visit_if(Depend *depend, const Statement *statement) {
  SmbProgram *program = &depend->kernel->program;
  gboolean outer = depend->guarded;
  depend->guarded = evaluate(depend, statement->value) != UNIFORM || outer;
  if (depend->guarded)
    program->guarded_steps = MAX(program->guarded_steps, count_steps(statement));
  visit(depend, statement->then);
  visit(depend, statement->otherwise);
  depend->guarded = outer;
}

static void
visit_loop(Depend *depend, const Statement *loop) {
  require(depend, !depend->guarded);
  require(depend, !loop->value || evaluate(depend, loop->value) == UNIFORM);
  visit(depend, loop->then);
  if (loop->step)
    evaluate(depend, loop->step);
}

static void
visit_switch(Depend *depend, const Statement *statement) {
  gboolean outer = depend->in_switch;
  depend->in_switch = TRUE;
  require(depend, !depend->guarded);
  for (const Statement *child = statement->first; child; child = child->next)
    visit(depend, child);
  depend->in_switch = outer;
}

// A variable that gets its value where it is declared has one. In a switch, threads may have passed by that.
static void
note_initialised(Depend *depend, const Statement *statement) {
  const Node *node = statement->value;
  if (node->kind != NODE_ASSIGN || node->a->kind != NODE_LOCAL || depend->in_switch ||
      node->start != node->a->variable->start)
    return;
  lift(depend, &depend->initialised[node->a->variable->slot], TRUE);
}

static void
visit(Depend *depend, const Statement *statement) {
  if (!statement)
    return;
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    note_initialised(depend, statement);
    evaluate(depend, statement->value);
    return;
  case STATEMENT_DECLARE:
    return;
  case STATEMENT_BLOCK:
    for (const Statement *child = statement->first; child; child = child->next)
      visit(depend, child);
    return;
  case STATEMENT_IF:
    visit_if(depend, statement);
    return;
  case STATEMENT_LOOP:
    visit_loop(depend, statement);
    return;
  case STATEMENT_SWITCH:
    visit_switch(depend, statement);
    return;
  case STATEMENT_LABEL:
    require(depend, !statement->value || evaluate(depend, statement->value) == UNIFORM);
    return;
  case STATEMENT_BREAK:
  case STATEMENT_CONTINUE:
    require(depend, !depend->guarded);
    return;
  case STATEMENT_RETURN:
    require(depend, !depend->guarded);
    if (statement->value)
      assign_variable(depend, statement->variable, evaluate(depend, statement->value));
    return;
  }
  g_assert_not_reached();
}

static void
visit_all(Depend *depend, GHashTable *functions) {
  GHashTableIter iter;
  gpointer function;
  depend->changed = FALSE;
  depend->repeats = TRUE;
  g_hash_table_iter_init(&iter, functions);
  while (g_hash_table_iter_next(&iter, &function, NULL))
    visit(depend, ((const Function *)function)->body);
}

void
smb_kernel_depend(SmbKernel *kernel, GHashTable *functions) {
  if (kernel->program.is_serial)
    return;
  g_autofree guint8 *locals = g_new0(guint8, kernel->locals->len + 1);
  g_autofree guint8 *initialised = g_new0(guint8, kernel->locals->len + 1);
  g_autofree guint8 *memory = g_new0(guint8, kernel->objects->len + 1);
  Depend depend = {kernel, locals, initialised, memory, .changed = TRUE};
  GHashTableIter iter;
  gpointer function;
  g_hash_table_iter_init(&iter, functions);
  while (g_hash_table_iter_next(&iter, &function, NULL)) {
    const Function *called = function;
    for (guint i = 0; i < called->n_parameters; i++)
      initialised[called->parameters[i]->slot] = TRUE;
  }
  for (guint pass = 0; depend.changed && pass < MAX_PASSES; pass++)
    visit_all(&depend, functions);
  depend.watches = TRUE;
  if (depend.repeats && !depend.changed)
    visit_all(&depend, functions);
  kernel->program.may_repeat = depend.repeats && !depend.changed;
}
