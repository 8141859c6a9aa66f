// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel needs of its module: the functions and variables that it names, those that these name, and so on, in
// their code and in what variables hold at first (tables of functions, virtual functions). And which functions may be
// called again before they return.
#include <string.h>

#include "sim/ptx/decode/decode.h"

// Who calls whom, by number.
typedef struct {
  GArray *from, *to; // guint32
} Calls;

typedef struct {
  PtxDecoder *decoder;
  GArray *variables; // guint32: of the module, that are used
  Calls calls;
} Collection;

// The function itself, or the one that it is an alias of.
static const PtxFunction *
get_function(const PtxModule *module, guint32 index) {
  const PtxFunction *function = g_ptr_array_index(module->functions, index);
  return function->alias == PTX_NONE ? function
                                     : g_ptr_array_index(module->functions, function->alias);
}

PtxDecoded *
smb_ptx_find_decoded(const PtxDecoder *decoder, guint32 index) {
  return g_hash_table_lookup(decoder->decoded, get_function(decoder->module, index));
}

static PtxDecoded *
add_decoded_function(PtxDecoder *decoder, const PtxFunction *function) {
  PtxDecoded *decoded = g_new0(PtxDecoded, 1);
  decoded->function = function;
  decoded->number = decoder->functions->len;
  decoded->is_kernel = decoded->number == 0;
  g_ptr_array_add(decoder->functions, decoded);
  g_hash_table_insert(decoder->decoded, (gpointer)function, decoded);
  return decoded;
}

// Adds a function that has a body, once.
static PtxDecoded *
use_function(Collection *collection, guint32 index) {
  PtxDecoder *decoder = collection->decoder;
  const PtxFunction *function = get_function(decoder->module, index);
  PtxDecoded *decoded = g_hash_table_lookup(decoder->decoded, function);
  if (decoded || function->is_prototype || function->is_entry)
    return decoded;
  return add_decoded_function(decoder, function);
}

static void
use_variable(Collection *collection, guint32 index) {
  if (collection->decoder->used[index])
    return;
  collection->decoder->used[index] = TRUE;
  g_array_append_val(collection->variables, index);
}

static void
add_collected_call(Collection *collection, guint32 from, guint32 to) {
  g_array_append_val(collection->calls.from, from);
  g_array_append_val(collection->calls.to, to);
}

// A function whose address is taken: pointers may point to it.
static void
take_function(Collection *collection, guint32 index) {
  PtxDecoded *decoded = use_function(collection, index);
  if (decoded)
    decoded->is_taken = TRUE;
}

// Initial values of a variable may be addresses of others, and of functions (tables, virtual functions).
static void
scan_initial(Collection *collection, const PtxVariable *variable) {
  for (guint i = 0; variable->initial && i < variable->initial->len; i++) {
    const char *symbol = g_array_index(variable->initial, PtxInitial, i).symbol;
    PtxWhere where;
    guint32 index;
    if (!symbol || !smb_ptx_find_symbol(collection->decoder, symbol, &where, &index))
      continue;
    if (where == PTX_WHERE_FUNCTION)
      take_function(collection, index);
    else
      use_variable(collection, index);
  }
}

// A call of a named function, or through a pointer: of a module that is run, another kernel may have left one to any function.
static void
scan_call(Collection *collection, PtxDecoded *decoded, const PtxInstruction *call) {
  const PtxOperand *callee = smb_ptx_callee(decoded->function, call);
  if (callee && callee->kind == PTX_OPERAND_SYMBOL && callee->where == PTX_WHERE_FUNCTION) {
    const PtxDecoded *called = use_function(collection, callee->index);
    if (called)
      add_collected_call(collection, decoded->number, called->number);
  } else
    decoded->calls_pointers = TRUE;
  guint n = decoded->calls_pointers && collection->decoder->addresses
                ? collection->decoder->module->functions->len
                : 0;
  for (guint32 i = 0; i < n; i++)
    take_function(collection, i);
}

// Whether an instruction says that blocks of a cluster work together.
static gboolean
knows_cluster(const char *const *parts) {
  static const char *const names[] = {"mapa", "getctarank", NULL};
  return g_strv_contains(names, parts[0]) ||
         (strcmp(parts[0], "barrier") == 0 && g_strcmp0(parts[1], "cluster") == 0);
}

// What an instruction names, and whether it needs a stack.
static void
scan_instruction(Collection *collection, PtxDecoded *decoded, const PtxInstruction *instruction) {
  static const char *const uses_stack[] = {"call", "alloca", "stacksave", "stackrestore", NULL};
  PtxDecoder *decoder = collection->decoder;
  const PtxFunction *function = decoded->function;
  const char *name = smb_ptx_name(decoder, instruction);
  gboolean is_call = strcmp(name, "call") == 0;
  if (knows_cluster(smb_ptx_opcode_of(decoder, instruction)->parts))
    decoder->code->carries_rank = TRUE;
  decoder->has_stack = decoder->has_stack || g_strv_contains(uses_stack, name);
  if (is_call)
    scan_call(collection, decoded, instruction);
  for (guint o = 0; !is_call && o < instruction->n_operands; o++) {
    const PtxOperand *operand =
        &g_array_index(function->operands, PtxOperand, instruction->operand + o);
    if (operand->kind == PTX_OPERAND_SYMBOL && operand->where == PTX_WHERE_FUNCTION)
      take_function(collection, operand->index);
  }
}

// Which variables and functions a function uses: by its instructions, as plain operands, in tables of call targets,
// and in initialisers of its variables.
static void
scan_function(Collection *collection, PtxDecoded *decoded) {
  const PtxFunction *function = decoded->function;
  for (guint i = 0; i < function->instructions->len; i++)
    scan_instruction(collection, decoded,
                     &g_array_index(function->instructions, PtxInstruction, i));
  for (guint i = 0; i < function->operands->len; i++) {
    const PtxOperand *operand = &g_array_index(function->operands, PtxOperand, i);
    if (operand->kind == PTX_OPERAND_SYMBOL && operand->where == PTX_WHERE_MODULE &&
        operand->index < collection->decoder->module->variables->len)
      use_variable(collection, operand->index);
  }
  for (guint i = 0; i < function->tables->len; i++) {
    const PtxTable *table = &g_array_index(function->tables, PtxTable, i);
    for (guint t = 0; table->is_calls && t < table->indices->len; t++)
      take_function(collection, g_array_index(table->indices, guint32, t));
  }
  for (guint i = 0; i < function->variables->len; i++)
    scan_initial(collection, &g_array_index(function->variables, PtxVariable, i));
}

// Takes away functions that call none of those that are left, again and again.
static void
prune(const GArray *from, const GArray *to, guint32 n, gboolean *left) {
  g_autofree guint32 *calls = g_new0(guint32, n), *first = g_new0(guint32, n + 2);
  g_autofree guint32 *callers = g_new(guint32, from->len + 1), *rest = g_new(guint32, n);
  guint32 depth = 0;
  for (guint i = 0; i < from->len; i++) {
    calls[g_array_index(from, guint32, i)]++;
    first[g_array_index(to, guint32, i) + 2]++;
  }
  for (guint32 i = 2; i < n + 2; i++)
    first[i] += first[i - 1];
  for (guint i = 0; i < from->len; i++)
    callers[first[g_array_index(to, guint32, i) + 1]++] = g_array_index(from, guint32, i);
  for (guint32 i = 0; i < n; i++) {
    if (calls[i] == 0)
      rest[depth++] = i;
  }
  while (depth) {
    guint32 gone = rest[--depth];
    left[gone] = FALSE;
    for (guint32 i = first[gone]; i < first[gone + 1]; i++) {
      if (--calls[callers[i]] == 0)
        rest[depth++] = callers[i];
    }
  }
}

// Functions on a way from one that calls itself to another may be among them.
static void
find_recursive(Collection *collection) {
  GPtrArray *functions = collection->decoder->functions;
  guint32 n = functions->len;
  for (guint32 i = 0; i < n; i++) {
    const PtxDecoded *decoded = g_ptr_array_index(functions, i);
    if (decoded->calls_pointers)
      add_collected_call(collection, i, n); // any that a pointer may point at
    if (decoded->is_taken)
      add_collected_call(collection, n, i);
  }
  g_autofree gboolean *left = g_new(gboolean, n + 1);
  for (guint32 i = 0; i <= n; i++)
    left[i] = TRUE;
  prune(collection->calls.from, collection->calls.to, n + 1, left);
  prune(collection->calls.to, collection->calls.from, n + 1, left);
  for (guint32 i = 0; i < n; i++)
    ((PtxDecoded *)g_ptr_array_index(functions, i))->is_recursive = left[i];
}

void
smb_ptx_collect(PtxDecoder *decoder, const PtxFunction *kernel) {
  const GArray *variables = decoder->module->variables;
  g_autoptr(GArray) used = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) from = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) to = g_array_new(FALSE, FALSE, sizeof(guint32));
  Collection collection = {decoder, used, {from, to}};
  guint f = 0, v = 0;
  add_decoded_function(decoder, kernel);
  while (f < decoder->functions->len || v < used->len) {
    if (f < decoder->functions->len)
      scan_function(&collection, g_ptr_array_index(decoder->functions, f++));
    else
      scan_initial(&collection,
                   &g_array_index(variables, PtxVariable, g_array_index(used, guint32, v++)));
  }
  find_recursive(&collection);
}
