// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/carve.h"

#include <string.h>

#include "sim/cuda/front-end.h"

enum {
  MAX_DEPTH = 64, // of values that are made of other variables' values
};

// What is known of the variables of a kernel.
typedef struct {
  const SmbKernel *kernel;
  const SmbLaunch *launch;
  const Variable *array;
  GHashTable *values; // Variable: the Node of its only assignment; or NULL if it has several
  GArray *carved;     // Carved
  guint mentions;     // of the array, outside of the values of pointers
} Search;

static void
note_assignments(gpointer data, const Node *node) {
  Search *search = data;
  if (!node)
    return;
  if (node->kind == NODE_ASSIGN && node->a->kind == NODE_LOCAL) {
    gboolean again = g_hash_table_contains(search->values, node->a->variable);
    g_hash_table_insert(search->values, (gpointer)node->a->variable, again ? NULL : (gpointer)node);
  }
  smb_node_visit_parts(node, note_assignments, search);
}

// The value of an assignment that is the only one of a variable, or NULL.
static const Node *
find_carved_value(const Search *search, const Variable *variable) {
  const Node *assigned = g_hash_table_lookup(search->values, variable);
  return assigned && !assigned->is_post ? assigned->b : NULL;
}

static gboolean evaluate_carved(const Search *search, const Node *node, guint depth, gint64 *value);

static gboolean
evaluate_parameter(const Search *search, const Variable *variable, gint64 *value) {
  const Function *entry = search->kernel->entry;
  for (guint i = 0; i < entry->n_parameters; i++) {
    if (entry->parameters[i] != variable || !smb_type_is_integer(variable->type))
      continue;
    g_autoptr(GBytes) bytes =
        smb_program_argument(&search->kernel->program, i, search->launch->arguments, NULL);
    if (!bytes || g_bytes_get_size(bytes) > sizeof *value)
      return FALSE;
    *value = 0;
    memcpy(value, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    return TRUE;
  }
  return FALSE;
}

static gboolean
evaluate_variable(const Search *search, const Variable *variable, guint depth, gint64 *value) {
  if (g_hash_table_contains(search->values, variable)) {
    const Node *node = find_carved_value(search, variable);
    return node && evaluate_carved(search, node, depth + 1, value);
  }
  return evaluate_parameter(search, variable, value);
}

static gboolean
evaluate_special(const Search *search, const Node *node, gint64 *value) {
  switch ((ThreadSpecial)node->special) {
  case SPECIAL_THREAD:
  case SPECIAL_BLOCK:
    return FALSE;
  case SPECIAL_BLOCK_DIM:
    *value = search->launch->block[node->component];
    return TRUE;
  case SPECIAL_GRID_DIM:
    *value = search->launch->grid[node->component];
    return TRUE;
  }
  g_assert_not_reached();
}

static gboolean
combine_offsets(Operator op, gint64 a, gint64 b, gint64 *value) {
  switch (op) {
  case OPERATOR_ADD:
    return !__builtin_add_overflow(a, b, value);
  case OPERATOR_SUB:
    return !__builtin_sub_overflow(a, b, value);
  case OPERATOR_MUL:
    return !__builtin_mul_overflow(a, b, value);
  case OPERATOR_DIV:
  case OPERATOR_MOD:
    if (a < 0 || b <= 0)
      return FALSE;
    *value = op == OPERATOR_DIV ? a / b : a % b;
    return TRUE;
  case OPERATOR_SHL:
  case OPERATOR_SHR:
    if (a < 0 || a > G_MAXINT32 || b < 0 || b > 31)
      return FALSE;
    *value = op == OPERATOR_SHL ? a << b : a >> b;
    return TRUE;
  case OPERATOR_AND:
  case OPERATOR_OR:
  case OPERATOR_XOR:
  case OPERATOR_LT:
  case OPERATOR_LE:
  case OPERATOR_GT:
  case OPERATOR_GE:
  case OPERATOR_EQ:
  case OPERATOR_NE:
    return FALSE;
  }
  g_assert_not_reached();
}

// Whether a value of a type is that number.
static gboolean
fits(const Type *type, gint64 value) {
  guint bits = (guint)type->size * 8;
  if (!smb_type_is_integer(type))
    return FALSE;
  if (smb_type_is_unsigned(type))
    return value >= 0 && (bits == 64 || value >> bits == 0);
  return bits == 64 || (value >= -(G_GINT64_CONSTANT(1) << (bits - 1)) &&
                        value < G_GINT64_CONSTANT(1) << (bits - 1));
}

// The value of an expression that is the same in all threads of the launch. %FALSE: it is not known to be.
static gboolean
evaluate_carved(const Search *search, const Node *node, guint depth, gint64 *value) {
  gint64 a, b;
  if (depth > MAX_DEPTH)
    return FALSE;
  gboolean known = FALSE;
  if (node->kind == NODE_CONSTANT && smb_type_is_integer(node->type)) {
    *value = node->integer;
    known = TRUE;
  } else if (node->kind == NODE_LOCAL) {
    known = evaluate_variable(search, node->variable, depth, value);
  } else if (node->kind == NODE_SPECIAL) {
    known = evaluate_special(search, node, value);
  } else if (node->kind == NODE_CAST) {
    known = evaluate_carved(search, node->a, depth + 1, value);
  } else if (node->kind == NODE_BINARY) {
    known = evaluate_carved(search, node->a, depth + 1, &a) &&
            evaluate_carved(search, node->b, depth + 1, &b) &&
            combine_offsets((Operator)node->op, a, b, value);
  }
  return known && fits(node->type, *value);
}

static gint
find_carved(const Search *search, const Variable *pointer) {
  for (guint i = 0; i < search->carved->len; i++) {
    if (g_array_index(search->carved, Carved, i).pointer == pointer)
      return (gint)i;
  }
  return -1;
}

// Takes "p = array + …" or "p = pointer + …" if the offset is known.
static void
take_pointer(Search *search, const Node *assigned) {
  Carved carved = {.pointer = assigned->a->variable, .value = assigned->b, .assigned = assigned};
  gint64 offset = 0, index;
  const Node *node = assigned->b;
  for (; node->kind == NODE_POINTER_ADD || node->kind == NODE_CAST; node = node->a) {
    if (node->kind == NODE_CAST)
      continue;
    if (!evaluate_carved(search, node->b, 0, &index) || index < 0 || index > G_MAXINT32)
      return;
    offset += index * node->integer;
  }
  gint root = node->kind == NODE_LOCAL ? find_carved(search, node->variable) : -1;
  if (root < 0 && !(node->kind == NODE_OBJECT && node->variable == search->array))
    return;
  carved.from = node->variable;
  carved.offset = (guint64)offset;
  if (root >= 0)
    carved.offset += g_array_index(search->carved, Carved, root).offset;
  g_array_append_val(search->carved, carved);
}

// Takes the pointers that are set under no condition: a declaration is a block of its own.
static void
take_statements(Search *search, const Statement *statement) {
  for (; statement; statement = statement->next) {
    const Node *node = statement->kind == STATEMENT_EXPRESSION ? statement->value : NULL;
    if (statement->kind == STATEMENT_BLOCK)
      take_statements(search, statement->first);
    if (node && node->kind == NODE_ASSIGN && node->a->kind == NODE_LOCAL &&
        node->a->type->kind == KIND_POINTER && find_carved_value(search, node->a->variable))
      take_pointer(search, node);
  }
}

static void
count_mentions(gpointer data, const Node *node) {
  Search *search = data;
  if (!node)
    return;
  search->mentions += node->kind == NODE_OBJECT && node->variable == search->array;
  if (node->kind == NODE_ASSIGN && node->a->kind == NODE_LOCAL &&
      find_carved(search, node->a->variable) >= 0)
    return;
  smb_node_visit_parts(node, count_mentions, search);
}

static int
compare_carved(gconstpointer a, gconstpointer b) {
  const Carved *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->pointer->start < y->pointer->start ? -1 : 1;
}

static gboolean
callees_mention(const Function *function, const Variable *array) {
  for (const Link *link = function->callees; link; link = link->next) {
    const Function *callee = link->item;
    for (const Link *shared = callee->shared; shared; shared = shared->next) {
      if (shared->item == array)
        return TRUE;
    }
    if (callees_mention(callee, array))
      return TRUE;
  }
  return FALSE;
}

// The only dynamic array, which only the entry mentions; or NULL.
static const Variable *
find_carved_array(const SmbKernel *kernel) {
  const Variable *found = NULL;
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *variable = g_ptr_array_index(kernel->objects, i);
    if (variable->storage == STORAGE_DYNAMIC && found)
      return NULL;
    found = variable->storage == STORAGE_DYNAMIC ? variable : found;
  }
  return found && !callees_mention(kernel->entry, found) ? found : NULL;
}

GArray *
smb_carve(const SmbKernel *kernel, const SmbLaunch *launch) {
  g_autoptr(GHashTable) values = g_hash_table_new(NULL, NULL);
  g_autoptr(GArray) carved = g_array_new(FALSE, FALSE, sizeof(Carved));
  Search search = {kernel, launch, find_carved_array(kernel), values, carved, 0};
  if (!search.array)
    return NULL;
  smb_statement_visit(kernel->entry->body, note_assignments, &search);
  take_statements(&search, kernel->entry->body);
  smb_statement_visit(kernel->entry->body, count_mentions, &search);
  if (search.mentions > 0 || carved->len < 2)
    return NULL;
  g_array_sort(carved, compare_carved);
  return g_steal_pointer(&carved);
}

GArray *
smb_carved_arrays(const SmbProgram *program, const SmbLaunch *launch) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  g_autoptr(GArray) carved = smb_carve(kernel, launch);
  if (!carved)
    return NULL;
  g_autoptr(GArray) arrays = g_array_new(FALSE, TRUE, sizeof(SmbArray));
  for (guint i = 0; i < carved->len; i++) {
    const Carved *one = &g_array_index(carved, Carved, i);
    gboolean last = i + 1 == carved->len;
    guint64 end = last ? launch->dynamic_bytes : g_array_index(carved, Carved, i + 1).offset;
    const Type *element = one->pointer->type->of;
    if (end <= one->offset)
      return NULL; // two pointers name one place, or one points beyond the end
    if (element->size == 0 || one->offset % element->size != 0)
      return NULL;
    SmbArray array = {.name = one->pointer->name,
                      .element = smb_type_describe(kernel->pool, element),
                      .element_bytes = (guint)element->size,
                      .n_dimensions = 1,
                      .base = (guint32)(program->dynamic_start + one->offset),
                      .bytes = (gsize)(end - one->offset),
                      .is_dynamic = TRUE,
                      .is_carved = TRUE};
    smb_source_locate(program->source, one->pointer->start, &array.line, &array.column);
    g_array_append_val(arrays, array);
  }
  return g_steal_pointer(&arrays);
}
