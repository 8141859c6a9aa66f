// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What of a kernel depends on which block runs, and how: whether its blocks may repeat each other
// (sim/machine/signature.h). One class for each variable and each object in shared or private memory, whatever is
// assigned to it where; no order of statements. What lies in global memory is data: it may be anything. And from
// which memory values, addresses and conditions come (sim/cuda/flow.h), in the same walk.
//
// A condition on data must not decide what the block does: it may choose between values, and assignments to variables,
// which are then data as well. Such a choice is made by lanes, so that what is computed under it must not fail.
#include "sim/cuda/flow.h"

typedef enum {
  UNIFORM, // of a thread: the same in each block
  AFFINE,  // an integer or a pointer: a constant of the thread, plus blockIdx times constants of it
  DATA,    // anything else
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
  Places global;      // those of global memory
  Flow *local_flows;  // by slot
  Flow *memory_flows; // by place: of what was stored there
  GHashTable *
      guides; // Places, by Function or Statement: what decides which threads are there, whatever is around it
  Flow flow;         // of what was evaluated of the node
  Flow current_flow; // of the old value of the assignment around
  Places guide;      // what the conditions around come from
  Places returned;   // what decides which threads have left the function
  const Scope *scope;
  const Function *function;
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
static Class evaluate_alone(Depend *depend, Node *node, Flow *flow);
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

static void
widen(Depend *depend, Places *places, Places more) {
  if (!(more & ~*places))
    return;
  *places |= more;
  depend->changed = TRUE;
}

static Places
find_guide(const Depend *depend) {
  return depend->guide | depend->returned;
}

// Something is assigned: where only some threads are, it tells which.
static void
flow_into(Depend *depend, Flow *into, const Flow *from) {
  widen(depend, &into->sources, from->sources | find_guide(depend));
  widen(depend, &into->targets, from->targets);
}

static void
add_flow(Flow *flow, const Flow *more) {
  flow->sources |= more->sources;
  flow->targets |= more->targets;
}

// What decides, besides what is around it, which threads are in a function, a loop or a switch.
static Places *
get_guide(Depend *depend, gconstpointer of) {
  Places *guide = g_hash_table_lookup(depend->guides, of);
  if (!guide) {
    guide = g_new0(Places, 1);
    g_hash_table_insert(depend->guides, (gpointer)of, guide);
  }
  return guide;
}

// What is loaded from an address.
static Flow
load_flow(const Depend *depend, const Flow *address) {
  Flow value = {address->sources | (address->targets & depend->global), 0};
  for (guint i = 0; i < count_places(depend->kernel); i++) {
    if (address->targets & place_bit(i))
      add_flow(&value, &depend->memory_flows[i]);
  }
  return value;
}

static void
store_flow(Depend *depend, const Flow *address, const Flow *value) {
  Flow all = {value->sources | address->sources, value->targets};
  for (guint i = 0; i < count_places(depend->kernel); i++) {
    if (address->targets & place_bit(i))
      flow_into(depend, &depend->memory_flows[i], &all);
  }
}

static void
note_site(const Depend *depend, gint site, const Flow *address) {
  if (site < 0)
    return;
  SiteFlow *flow = &g_array_index(depend->kernel->flows, SiteFlow, site);
  flow->address |= address->sources;
  flow->guide |= find_guide(depend);
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

// An access to memory: all blocks make it, at addresses that are affine. @site: or -1
static Class
touch(Depend *depend, Node *address, gint site, Flow *flow) {
  Class value = evaluate_alone(depend, address, flow);
  require(depend, !depend->guarded && value != DATA);
  note_site(depend, site, flow);
  return value;
}

static void
assign_variable(Depend *depend, const Variable *variable, Class value, const Flow *flow) {
  require(depend, !depend->guarded || depend->initialised[variable->slot]);
  flow_into(depend, &depend->local_flows[variable->slot], flow);
  lift(depend, &depend->locals[variable->slot], depend->guarded ? DATA : value);
}

static Class
read_variable(Depend *depend, const Variable *variable) {
  require(depend, !depend->guarded || depend->initialised[variable->slot]);
  add_flow(&depend->flow, &depend->local_flows[variable->slot]);
  return (Class)depend->locals[variable->slot];
}

static Class
assign(Depend *depend, const Node *node) {
  Node *target = node->a;
  gboolean in_memory = target->kind == NODE_DEREFERENCE;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  Flow address = {0}, flow;
  if (in_memory) {
    touch(depend, target->a, target->store_site, &address);
    note_site(depend, target->load_site, &address);
  }
  Class old = in_memory ? load(depend, target->a) : (Class)depend->locals[local->variable->slot];
  Flow old_flow =
      in_memory ? load_flow(depend, &address) : depend->local_flows[local->variable->slot];
  Class outer = depend->current;
  Flow outer_flow = depend->current_flow;
  depend->current = old;
  depend->current_flow = old_flow;
  Class value = evaluate_alone(depend, node->b, &flow);
  depend->current = outer;
  depend->current_flow = outer_flow;
  if (in_memory) {
    store(depend, target->a, value);
    store_flow(depend, &address, &flow);
  } else {
    assign_variable(depend, local->variable, value, &flow);
  }
  add_flow(&depend->flow, node->is_post ? &old_flow : &flow);
  return node->is_post ? old : value;
}

// Evaluates what only some threads come to, by a condition.
static Class
evaluate_guarded(Depend *depend, Class condition, const Flow *flow, Node *node) {
  gboolean outer = depend->guarded;
  Places outer_guide = depend->guide;
  depend->guarded = outer || condition != UNIFORM;
  depend->guide |= flow->sources;
  Class value = evaluate(depend, node);
  depend->guarded = outer;
  depend->guide = outer_guide;
  return condition != UNIFORM ? DATA : value;
}

// A structure is moved from one address to another, which results.
static Class
copy(Depend *depend, const Node *node) {
  Flow from, into;
  Class to = touch(depend, node->a, -1, &into);
  touch(depend, node->b, -1, &from);
  for (guint i = 0; i < node->n_arguments; i++) {
    note_site(depend, node->arguments[i]->load_site, &from);
    note_site(depend, node->arguments[i]->store_site, &into);
  }
  Flow value = load_flow(depend, &from);
  store(depend, node->a, load(depend, node->b));
  store_flow(depend, &into, &value);
  add_flow(&depend->flow, &into);
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
  for (guint i = 0; i < node->n_arguments; i++) {
    Flow flow;
    Class value = evaluate_alone(depend, node->arguments[i], &flow);
    assign_variable(depend, function->parameters[i], value, &flow);
  }
  widen(depend, get_guide(depend, function), find_guide(depend));
  if (!function->result)
    return UNIFORM;
  add_flow(&depend->flow, &depend->local_flows[function->result->slot]);
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
    store_flow(depend, &to, &depend->flow);
    depend->flow = load_flow(depend, &to);
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
  Flow flow;
  switch ((NodeKind)node->kind) {
  case NODE_CONSTANT:
    return UNIFORM;
  case NODE_OBJECT:
    depend->flow.targets = place_bit(object_place(depend->kernel, node->variable));
    return UNIFORM;
  case NODE_SPECIAL:
    return node->special == SPECIAL_BLOCK ? AFFINE : UNIFORM;
  case NODE_LOCAL:
    return read_variable(depend, node->variable);
  case NODE_DEREFERENCE:
    if (node->type->kind == KIND_STRUCT)
      return evaluate(depend, node->a);
    touch(depend, node->a, node->load_site, &flow);
    depend->flow = load_flow(depend, &flow);
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
    flow = depend->flow;
    return join(value, evaluate_guarded(depend, value, &flow, node->b));
  case NODE_CHOICE: {
    value = evaluate(depend, node->a);
    flow = depend->flow;
    Class yes = evaluate_guarded(depend, value, &flow, node->b);
    Class no = evaluate_guarded(depend, value, &flow, node->c);
    return join(yes, no);
  }
  case NODE_ASSIGN:
    return assign(depend, node);
  case NODE_COPY:
    return copy(depend, node);
  case NODE_CURRENT:
    depend->flow = depend->current_flow;
    return depend->current;
  case NODE_COMMA:
    evaluate_alone(depend, node->a, &flow);
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

// @flow: (out): of the value
static Class
evaluate_alone(Depend *depend, Node *node, Flow *flow) {
  Flow outer = depend->flow;
  depend->flow = (Flow){0};
  Class value = classify(depend, node);
  *flow = depend->flow;
  depend->flow = outer;
  return depend->guarded ? opaque(value) : value;
}

// A value that is a part of the node around it, which flows into its value.
static Class
evaluate(Depend *depend, Node *node) {
  Flow flow;
  Class value = evaluate_alone(depend, node, &flow);
  add_flow(&depend->flow, &flow);
  return value;
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
  Places outer_guide = depend->guide;
  Flow flow;
  depend->guarded = evaluate_alone(depend, statement->value, &flow) != UNIFORM || outer;
  depend->guide |= flow.sources;
  if (depend->guarded)
    program->guarded_steps = MAX(program->guarded_steps, count_steps(statement));
  visit(depend, statement->then);
  visit(depend, statement->otherwise);
  depend->guarded = outer;
  depend->guide = outer_guide;
}

// Some threads leave the loops and switches within @until, by a condition.
static void
leave(Depend *depend, const Scope *until) {
  for (const Scope *scope = depend->scope; scope != until; scope = scope->outer)
    widen(depend, get_guide(depend, scope->statement), depend->guide);
}

static void
visit_loop(Depend *depend, const Statement *loop) {
  const Scope scope = {loop, depend->scope};
  Places outer = depend->guide, *own = get_guide(depend, loop);
  Flow flow = {0};
  require(depend, !depend->guarded);
  depend->guide |= *own;
  depend->scope = &scope;
  require(depend, !loop->value || evaluate_alone(depend, loop->value, &flow) == UNIFORM);
  widen(depend, own, flow.sources);
  depend->guide |= *own;
  visit(depend, loop->then);
  if (loop->step)
    evaluate_alone(depend, loop->step, &flow);
  depend->scope = scope.outer;
  depend->guide = outer;
}

static void
visit_switch(Depend *depend, const Statement *statement) {
  const Scope scope = {statement, depend->scope};
  gboolean outer = depend->in_switch;
  Places outer_guide = depend->guide;
  depend->in_switch = TRUE;
  depend->guide |= *get_guide(depend, statement);
  depend->scope = &scope;
  require(depend, !depend->guarded);
  for (const Statement *child = statement->first; child; child = child->next)
    visit(depend, child);
  depend->in_switch = outer;
  depend->guide = outer_guide;
  depend->scope = scope.outer;
}

// Which threads go on behind a label.
static void
visit_label(Depend *depend, const Statement *label) {
  Flow flow = {0};
  require(depend, !label->value || evaluate_alone(depend, label->value, &flow) == UNIFORM);
  widen(depend, get_guide(depend, depend->scope->statement), flow.sources);
}

static void
visit_return(Depend *depend, const Statement *statement) {
  Flow flow;
  require(depend, !depend->guarded);
  if (statement->value) {
    Class value = evaluate_alone(depend, statement->value, &flow);
    assign_variable(depend, statement->variable, value, &flow);
  }
  leave(depend, NULL);
  depend->returned |= depend->guide;
}

static void
visit_jump(Depend *depend, const Statement *statement) {
  const Scope *scope = depend->scope;
  require(depend, !depend->guarded);
  while (statement->kind == STATEMENT_CONTINUE && scope->statement->kind == STATEMENT_SWITCH)
    scope = scope->outer;
  leave(depend, scope->outer);
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
  depend->changed = FALSE;
  depend->repeats = TRUE;
  g_hash_table_iter_init(&iter, functions);
  while (g_hash_table_iter_next(&iter, &function, NULL)) {
    depend->guide = *get_guide(depend, function);
    depend->returned = 0;
    visit(depend, ((const Function *)function)->body);
  }
}

// What the kernel is given: pointers to its buffers.
static void
set_up_flows(Depend *depend) {
  SmbKernel *kernel = depend->kernel;
  const Function *entry = kernel->entry;
  depend->global = smb_flow_global(kernel);
  for (guint i = 0; i < entry->n_parameters; i++) {
    if (entry->parameters[i]->type->kind == KIND_POINTER)
      depend->local_flows[entry->parameters[i]->slot].targets = place_bit(parameter_place(i));
  }
  g_array_set_size(kernel->flows, kernel->program.sites->len);
}

// A text that is not walked through to the end: what flows where is not known.
static void
give_up(Depend *depend) {
  for (guint i = 0; i < depend->kernel->flows->len; i++)
    g_array_index(depend->kernel->flows, SiteFlow, i) = (SiteFlow){0, depend->global};
}

void
smb_kernel_depend(SmbKernel *kernel, GHashTable *functions) {
  guint n_locals = kernel->locals->len, n_objects = kernel->objects->len;
  g_autofree guint8 *locals = g_new0(guint8, n_locals + 1);
  g_autofree guint8 *initialised = g_new0(guint8, n_locals + 1);
  g_autofree guint8 *memory = g_new0(guint8, n_objects + 1);
  g_autofree Flow *local_flows = g_new0(Flow, n_locals + 1);
  g_autofree Flow *memory_flows = g_new0(Flow, count_places(kernel));
  g_autoptr(GHashTable) guides = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  Depend depend = {.kernel = kernel,
                   .local_flows = local_flows,
                   .memory_flows = memory_flows,
                   .guides = guides,
                   .locals = locals,
                   .initialised = initialised,
                   .memory = memory,
                   .changed = TRUE};
  GHashTableIter iter;
  gpointer function;
  set_up_flows(&depend);
  g_hash_table_iter_init(&iter, functions);
  while (g_hash_table_iter_next(&iter, &function, NULL)) {
    const Function *called = function;
    for (guint i = 0; i < called->n_parameters; i++)
      initialised[called->parameters[i]->slot] = TRUE;
  }
  for (guint pass = 0; depend.changed && pass < MAX_PASSES; pass++)
    visit_all(&depend, functions);
  if (depend.changed)
    give_up(&depend);
  depend.repeats = depend.repeats && !depend.changed && !kernel->program.is_serial;
  depend.watches = TRUE;
  if (depend.repeats)
    visit_all(&depend, functions);
  kernel->program.may_repeat = depend.repeats && !depend.changed;
}
