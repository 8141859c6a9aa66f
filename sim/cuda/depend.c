// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What of a kernel depends on which block runs, and how: whether its blocks may repeat each other
// (sim/machine/signature.h). One class for each variable and each object in shared or private memory, whatever is
// assigned to it where; no order of statements. What lies in global memory is data: it may be anything, also what other
// blocks left there. And from which memory values, addresses and conditions come (sim/cuda/flow.h), in the same walk.
//
// Divided by what is uniform, an affine value leaves an affine quotient and an affine rest, and so do its bits: which
// blocks that is true of is found out when they run (sim/cuda/lower/watch.c). Of what else is computed of one, such as the
// product of two, nothing is known: it is data.
//
// A condition on data must not decide what the block does: it may choose between values, and assignments to variables,
// which are then data as well. Such a choice is made by lanes, so that what is computed under it must not fail.
#include "sim/cuda/flow.h"

typedef enum {
  UNIFORM, // of a thread: the same in each block
  AFFINE, // an integer or a pointer: a constant of the thread, plus blockIdx times constants of it, as far as quotients
          // are such in the blocks of a box
  DATA,   // anything else
} Class;

// Each lifts a class; loops need a few. Only a text that was made for it needs more.
enum {
  MAX_PASSES = 64
};

// A loop or a switch that is walked through, and what is around it.
typedef struct _Scope Scope;
struct _Scope {
  const Statement *statement;
  const Scope *outer;
};

typedef struct {
  SmbKernel *kernel;
  Flows flows;
  Flow flow;         // of what was evaluated of the node
  Flow current_flow; // of the old value of the assignment around
  const Scope *scope;
  guint8 *locals;      // Class, by slot
  guint8 *initialised; // by slot of a local: has a value wherever it can be named
  guint8 *memory;      // Class, by slot of an object; of all dynamic ones together: behind them
  Class current;       // of the old value of the assignment around
  gboolean guarded;    // by a condition on data
  gboolean in_switch;
  gboolean watches; // the last pass: notes what has to be watched
  gboolean repeats;
} Depend;

static Class class_of(Depend *depend, Node *node);
static Class evaluate_alone(Depend *depend, Node *node, Flow *flow);
static void visit_node(Depend *depend, const Statement *statement);

static Class
opaque(Class value) {
  return value == UNIFORM ? UNIFORM : DATA;
}

static Class
join_classes(Class a, Class b) {
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
  depend->flows.changed = TRUE;
}

// An operation on affine values whose result is of class @result if it is watched. Under a condition on data
// it is not.
static Class
watch_class(Depend *depend, Node *node, Class result) {
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
load_class(Depend *depend, const Node *address) {
  const guint8 *memory = find_memory(depend, address);
  return memory ? (Class)*memory : DATA;
}

// An access to memory: all blocks make it, at addresses that are affine. @site: or -1
static Class
touch(Depend *depend, Node *address, gint site, Flow *flow) {
  Class value = evaluate_alone(depend, address, flow);
  require(depend, !depend->guarded && value != DATA);
  smb_flows_note_site(&depend->flows, site, flow);
  return value;
}

static void
assign_variable(Depend *depend, const Variable *variable, Class value, const Flow *flow) {
  require(depend, !depend->guarded || depend->initialised[variable->slot]);
  smb_flows_into(&depend->flows, &depend->flows.locals[variable->slot], flow);
  lift(depend, &depend->locals[variable->slot], depend->guarded ? DATA : value);
}

static Class
read_variable(Depend *depend, const Variable *variable) {
  require(depend, !depend->guarded || depend->initialised[variable->slot]);
  smb_flow_add(&depend->flow, &depend->flows.locals[variable->slot]);
  return (Class)depend->locals[variable->slot];
}

static Class
assign_class(Depend *depend, const Node *node) {
  Node *target = node->a;
  gboolean in_memory = target->kind == NODE_DEREFERENCE;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  Flow address = {0}, flow;
  if (in_memory) {
    touch(depend, target->a, target->store_site, &address);
    smb_flows_note_site(&depend->flows, target->load_site, &address);
  }
  Class old =
      in_memory ? load_class(depend, target->a) : (Class)depend->locals[local->variable->slot];
  Flow old_flow = in_memory ? smb_flows_load(&depend->flows, &address)
                            : depend->flows.locals[local->variable->slot];
  Class outer = depend->current;
  Flow outer_flow = depend->current_flow;
  depend->current = old;
  depend->current_flow = old_flow;
  Class value = evaluate_alone(depend, node->b, &flow);
  depend->current = outer;
  depend->current_flow = outer_flow;
  if (in_memory) {
    store(depend, target->a, value);
    smb_flows_store(&depend->flows, &address, &flow);
  } else {
    assign_variable(depend, local->variable, value, &flow);
  }
  smb_flow_add(&depend->flow, node->is_post ? &old_flow : &flow);
  return node->is_post ? old : value;
}

// Evaluates what only some threads come to, by a condition.
static Class
evaluate_guarded(Depend *depend, Class condition, const Flow *flow, Node *node) {
  gboolean outer = depend->guarded;
  Places outer_guide = depend->flows.guide;
  depend->guarded = outer || condition != UNIFORM;
  depend->flows.guide |= flow->sources;
  Class value = class_of(depend, node);
  depend->guarded = outer;
  depend->flows.guide = outer_guide;
  return condition != UNIFORM ? DATA : value;
}

// A structure is moved from one address to another, which results.
static Class
copy(Depend *depend, const Node *node) {
  Flow from, into;
  Class to = touch(depend, node->a, -1, &into);
  touch(depend, node->b, -1, &from);
  for (guint i = 0; i < node->n_arguments; i++) {
    smb_flows_note_site(&depend->flows, node->arguments[i]->load_site, &from);
    smb_flows_note_site(&depend->flows, node->arguments[i]->store_site, &into);
  }
  Flow value = smb_flows_load(&depend->flows, &from);
  store(depend, node->a, load_class(depend, node->b));
  smb_flows_store(&depend->flows, &into, &value);
  smb_flow_add(&depend->flow, &into);
  return to;
}

// Of integers or pointers of which one is affine, and none is data.
static Class
classify_affine(Depend *depend, Node *node, Class a, Class b) {
  switch ((Operator)node->op) {
  case OPERATOR_ADD:
  case OPERATOR_SUB:
    return watch_class(depend, node, AFFINE);
  case OPERATOR_MUL:
    return a == AFFINE && b == AFFINE ? DATA : watch_class(depend, node, AFFINE);
  case OPERATOR_SHL:
  case OPERATOR_MOD:
  case OPERATOR_DIV:
  case OPERATOR_SHR:
    return b == UNIFORM ? watch_class(depend, node, AFFINE) : DATA;
  case OPERATOR_AND:
  case OPERATOR_OR:
  case OPERATOR_XOR:
    node->right_depends = b == AFFINE;
    return a == AFFINE && b == AFFINE ? DATA : watch_class(depend, node, AFFINE);
  case OPERATOR_LT:
  case OPERATOR_LE:
  case OPERATOR_GT:
  case OPERATOR_GE:
  case OPERATOR_EQ:
  case OPERATOR_NE:
    return watch_class(depend, node, UNIFORM);
  }
  g_assert_not_reached();
}

static Class
evaluate_binary(Depend *depend, Node *node) {
  Class a = class_of(depend, node->a), b = class_of(depend, node->b);
  gboolean real = smb_type_is_real(node->a->type);
  if (!real && (node->op == OPERATOR_DIV || node->op == OPERATOR_MOD)) {
    // Where it divides by zero, every block does.
    require(depend, b == UNIFORM);
    require(depend, !depend->guarded || (node->b->kind == NODE_CONSTANT && node->b->integer != 0));
  }
  Class both = join_classes(a, b);
  return both != AFFINE || real ? opaque(both) : classify_affine(depend, node, a, b);
}

static Class
evaluate_cast(Depend *depend, Node *node) {
  const Type *from = node->a->type, *to = node->type;
  Class value = class_of(depend, node->a);
  if (value != AFFINE || to->kind == KIND_POINTER || smb_type_equal(from, to))
    return value;
  if (to->kind == KIND_BOOL)
    return watch_class(depend, node, UNIFORM);
  return smb_type_is_integer(to) ? watch_class(depend, node, AFFINE) : DATA;
}

static Class
evaluate_arguments(Depend *depend, const Node *node, guint first, guint end) {
  Class all = UNIFORM;
  for (guint i = first; i < end; i++)
    all = join_classes(all, class_of(depend, node->arguments[i]));
  return all;
}

static Class
evaluate_call(Depend *depend, const Node *node) {
  const Function *function = node->function;
  require(depend, !depend->guarded);
  for (guint i = 0; i < node->n_arguments; i++) {
    Flow flow;
    Class value = evaluate_alone(depend, node->arguments[i], &flow);
    assign_variable(depend, function->parameters[i], value, &flow);
  }
  smb_flows_guide_by(&depend->flows, function, smb_flows_guide(&depend->flows));
  if (!function->result)
    return UNIFORM;
  smb_flow_add(&depend->flow, &depend->flows.locals[function->result->slot]);
  return (Class)depend->locals[function->result->slot];
}

static Class
evaluate_builtin(Depend *depend, Node *node) {
  guint n = node->n_arguments;
  if (node->builtin >= BUILTIN_ATOMIC_ADD) {
    Node *address = node->arguments[0];
    Flow to;
    touch(depend, address, node->store_site, &to);
    store(depend, address, evaluate_arguments(depend, node, 1, n));
    depend->flow = smb_flows_exchange(&depend->flows, (Builtin)node->builtin, &to, depend->flow);
    return load_class(depend, address);
  }
  guint n_values = MIN(n, node->builtin == BUILTIN_READLANE ? 1 : 2);
  Class all = evaluate_arguments(depend, node, 0, n_values);
  if (node->builtin >= BUILTIN_BALLOT) { // votes, barriers, shuffles: of lanes that meet
    require(depend, !depend->guarded);
    // A shuffle from a lane that is not active is an error.
    require(depend, evaluate_arguments(depend, node, n_values, n) == UNIFORM);
    return node->builtin >= BUILTIN_SHFL ? all : opaque(all);
  }
  all = join_classes(all, evaluate_arguments(depend, node, n_values, n));
  gboolean chooses =
      node->builtin == BUILTIN_MIN || node->builtin == BUILTIN_MAX || node->builtin == BUILTIN_ABS;
  if (all == AFFINE && chooses && smb_type_is_integer(node->type))
    return watch_class(depend, node, AFFINE);
  return opaque(all);
}

// The value in memory; of a structure, its address.
static Class
dereference(Depend *depend, Node *node) {
  Flow address;
  if (node->type->kind == KIND_STRUCT)
    return class_of(depend, node->a);
  touch(depend, node->a, node->load_site, &address);
  depend->flow = smb_flows_load(&depend->flows, &address);
  return load_class(depend, node->a);
}

// A condition, and what is evaluated where it holds, or where it does not.
static Class
choose(Depend *depend, Node *node) {
  Class condition = class_of(depend, node->a);
  const Flow flow = depend->flow;
  Class yes = evaluate_guarded(depend, condition, &flow, node->b);
  if (node->kind != NODE_CHOICE)
    return join_classes(condition, yes);
  return join_classes(yes, evaluate_guarded(depend, condition, &flow, node->c));
}

static Class
classify_node(Depend *depend, Node *node) {
  Class value;
  switch ((NodeKind)node->kind) {
  case NODE_CONSTANT:
    return UNIFORM;
  case NODE_OBJECT:
    depend->flow.targets = place_bit(smb_flow_object(depend->kernel, node->variable));
    return UNIFORM;
  case NODE_SPECIAL:
    return node->special == SPECIAL_BLOCK ? AFFINE : UNIFORM;
  case NODE_LOCAL:
    return read_variable(depend, node->variable);
  case NODE_DEREFERENCE:
    return dereference(depend, node);
  case NODE_COMPONENT:
  case NODE_COMPLEMENT: // -1 - a
    return class_of(depend, node->a);
  case NODE_CAST:
    return evaluate_cast(depend, node);
  case NODE_BITS:
  case NODE_NOT:
    return opaque(class_of(depend, node->a));
  case NODE_NEGATE:
    value = class_of(depend, node->a);
    return value == AFFINE ? watch_class(depend, node, AFFINE) : value;
  case NODE_BINARY:
    return evaluate_binary(depend, node);
  case NODE_POINTER_ADD:
    value = join_classes(class_of(depend, node->a), class_of(depend, node->b));
    return value == AFFINE ? watch_class(depend, node, AFFINE) : value;
  case NODE_POINTER_DIFF:
    return opaque(join_classes(class_of(depend, node->a), class_of(depend, node->b)));
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
  case NODE_CHOICE:
    return choose(depend, node);
  case NODE_ASSIGN:
    return assign_class(depend, node);
  case NODE_COPY:
    return copy(depend, node);
  case NODE_CURRENT:
    depend->flow = depend->current_flow;
    return depend->current;
  case NODE_COMMA:
    evaluate_alone(depend, node->a, &(Flow){0});
    return class_of(depend, node->b);
  case NODE_CALL:
    return evaluate_call(depend, node);
  case NODE_BUILTIN:
    return evaluate_builtin(depend, node);
  case NODE_MAKE_VECTOR:
    return evaluate_arguments(depend, node, 0, node->n_arguments);
  }
  g_assert_not_reached();
}

// @flow: (out): of the value
static Class
evaluate_alone(Depend *depend, Node *node, Flow *flow) {
  Flow outer = depend->flow;
  depend->flow = (Flow){0};
  Class value = classify_node(depend, node);
  *flow = depend->flow;
  depend->flow = outer;
  return depend->guarded ? opaque(value) : value;
}

// A value that is a part of the node around it, which flows into its value.
static Class
class_of(Depend *depend, Node *node) {
  Flow flow;
  Class value = evaluate_alone(depend, node, &flow);
  smb_flow_add(&depend->flow, &flow);
  return value;
}

static guint
count_pointer_steps(const Statement *statement) {
  if (!statement)
    return 0;
  guint n = 1 + count_pointer_steps(statement->then) + count_pointer_steps(statement->otherwise);
  for (const Statement *child = statement->first; child; child = child->next)
    n += count_pointer_steps(child);
  return n;
}

static void
visit_if(Depend *depend, const Statement *statement) {
  SmbProgram *program = &depend->kernel->program;
  gboolean outer = depend->guarded;
  Places outer_guide = depend->flows.guide;
  Flow flow;
  depend->guarded = evaluate_alone(depend, statement->value, &flow) != UNIFORM || outer;
  depend->flows.guide |= flow.sources;
  if (depend->guarded)
    program->guarded_steps = MAX(program->guarded_steps, count_pointer_steps(statement));
  visit_node(depend, statement->then);
  visit_node(depend, statement->otherwise);
  depend->guarded = outer;
  depend->flows.guide = outer_guide;
}

// Some threads leave the loops and switches within @until, by a condition.
static void
leave_scope(Depend *depend, const Scope *until) {
  for (const Scope *scope = depend->scope; scope != until; scope = scope->outer)
    smb_flows_guide_by(&depend->flows, scope->statement, depend->flows.guide);
}

static void
visit_loop(Depend *depend, const Statement *loop) {
  const Scope scope = {loop, depend->scope};
  Places outer = depend->flows.guide;
  Flow flow = {0};
  require(depend, !depend->guarded);
  depend->flows.guide |= smb_flows_guide_of(&depend->flows, loop);
  depend->scope = &scope;
  require(depend, !loop->value || evaluate_alone(depend, loop->value, &flow) == UNIFORM);
  smb_flows_guide_by(&depend->flows, loop, flow.sources);
  depend->flows.guide |= flow.sources;
  visit_node(depend, loop->then);
  if (loop->step)
    evaluate_alone(depend, loop->step, &flow);
  depend->scope = scope.outer;
  depend->flows.guide = outer;
}

static void
visit_switch(Depend *depend, const Statement *statement) {
  const Scope scope = {statement, depend->scope};
  gboolean outer = depend->in_switch;
  Places outer_guide = depend->flows.guide;
  depend->in_switch = TRUE;
  depend->flows.guide |= smb_flows_guide_of(&depend->flows, statement);
  depend->scope = &scope;
  require(depend, !depend->guarded);
  for (const Statement *child = statement->first; child; child = child->next)
    visit_node(depend, child);
  depend->in_switch = outer;
  depend->flows.guide = outer_guide;
  depend->scope = scope.outer;
}

// Which threads go on behind a label.
static void
visit_label(Depend *depend, const Statement *label) {
  Flow flow = {0};
  require(depend, !label->value || evaluate_alone(depend, label->value, &flow) == UNIFORM);
  smb_flows_guide_by(&depend->flows, depend->scope->statement, flow.sources);
}

static void
visit_return(Depend *depend, const Statement *statement) {
  Flow flow;
  require(depend, !depend->guarded);
  if (statement->value) {
    Class value = evaluate_alone(depend, statement->value, &flow);
    assign_variable(depend, statement->variable, value, &flow);
  }
  leave_scope(depend, NULL);
  depend->flows.returned |= depend->flows.guide;
}

static void
visit_jump(Depend *depend, const Statement *statement) {
  const Scope *scope = depend->scope;
  require(depend, !depend->guarded);
  while (statement->kind == STATEMENT_CONTINUE && scope->statement->kind == STATEMENT_SWITCH)
    scope = scope->outer;
  leave_scope(depend, scope->outer);
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
visit_node(Depend *depend, const Statement *statement) {
  Flow flow;
  if (!statement)
    return;
  switch (statement->kind) {
  case STATEMENT_EXPRESSION:
    note_initialised(depend, statement);
    evaluate_alone(depend, statement->value, &flow);
    return;
  case STATEMENT_DECLARE:
    return;
  case STATEMENT_BLOCK:
    for (const Statement *child = statement->first; child; child = child->next)
      visit_node(depend, child);
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
    visit_label(depend, statement);
    return;
  case STATEMENT_BREAK:
  case STATEMENT_CONTINUE:
    visit_jump(depend, statement);
    return;
  case STATEMENT_RETURN:
    visit_return(depend, statement);
    return;
  }
  g_assert_not_reached();
}

static void
visit_all(Depend *depend, GHashTable *functions) {
  GHashTableIter iter;
  gpointer function;
  depend->flows.changed = FALSE;
  depend->repeats = TRUE;
  g_hash_table_iter_init(&iter, functions);
  while (g_hash_table_iter_next(&iter, &function, NULL)) {
    depend->flows.guide = smb_flows_guide_of(&depend->flows, function);
    depend->flows.returned = 0;
    visit_node(depend, ((const Function *)function)->body);
  }
}

void
smb_kernel_depend(SmbKernel *kernel, GHashTable *functions) {
  g_autofree guint8 *locals = g_new0(guint8, kernel->locals->len + 1);
  g_autofree guint8 *initialised = g_new0(guint8, kernel->locals->len + 1);
  g_autofree guint8 *memory = g_new0(guint8, kernel->objects->len + 1);
  Depend depend = {
      .kernel = kernel, .locals = locals, .initialised = initialised, .memory = memory};
  GHashTableIter iter;
  gpointer function;
  smb_flows_init(&depend.flows, kernel);
  g_hash_table_iter_init(&iter, functions);
  while (g_hash_table_iter_next(&iter, &function, NULL)) {
    const Function *called = function;
    for (guint i = 0; i < called->n_parameters; i++)
      initialised[called->parameters[i]->slot] = TRUE;
  }
  for (guint pass = 0; depend.flows.changed && pass < MAX_PASSES; pass++)
    visit_all(&depend, functions);
  smb_flows_finish(&depend.flows);
  depend.repeats = depend.repeats && !depend.flows.changed;
  depend.watches = TRUE;
  if (depend.repeats)
    visit_all(&depend, functions);
  kernel->program.may_repeat = depend.repeats && !depend.flows.changed;
  smb_flows_clear(&depend.flows);
}
