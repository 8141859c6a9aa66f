// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernels of a PTX file with what they need: parameters, shared arrays, also those that only a called function
// uses, and limits of the block. Nothing is decoded.
#include "sim/ptx/entries.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/program/symbol.h"
#include "sim/ptx/decode/decode.h"

// What a function names: indices, each once, in the order of the text.
typedef struct {
  GArray *variables; // of PtxModule.variables: those in shared memory
  GArray *functions; // of PtxModule.functions
} Uses;

static void
free_uses(gpointer data) {
  Uses *uses = data;
  g_array_unref(uses->variables);
  g_array_unref(uses->functions);
  g_free(uses);
}

static gboolean
is_shared_variable(const PtxVariable *variable) {
  return strcmp(variable->space, "shared") == 0;
}

// Adds an index, unless the mark says that it is there.
static void
add_once(GArray *indices, guint32 *marks, guint32 mark, guint32 index) {
  if (marks[index] == mark)
    return;
  marks[index] = mark;
  g_array_append_val(indices, index);
}

// Room for marks: what was marked last for each variable and function; marks are numbers from 1.
typedef struct {
  guint32 *variables;
  guint32 *functions;
} Marks;

// The shared variables and the functions that a function names.
static Uses *
find_function_uses(const PtxModule *module, const PtxFunction *function, Marks *marks,
                   guint32 mark) {
  Uses *uses = g_new0(Uses, 1);
  uses->variables = g_array_new(FALSE, FALSE, sizeof(guint32));
  uses->functions = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; i < function->operands->len; i++) {
    const PtxOperand *operand = &g_array_index(function->operands, PtxOperand, i);
    if (operand->kind != PTX_OPERAND_SYMBOL)
      continue;
    if (operand->where == PTX_WHERE_FUNCTION)
      add_once(uses->functions, marks->functions, mark, operand->index);
    else if (operand->where == PTX_WHERE_MODULE &&
             is_shared_variable(&g_array_index(module->variables, PtxVariable, operand->index)))
      add_once(uses->variables, marks->variables, mark, operand->index);
  }
  for (guint i = 0; i < function->tables->len; i++) {
    const PtxTable *table = &g_array_index(function->tables, PtxTable, i);
    for (guint t = 0; table->is_calls && t < table->indices->len; t++)
      add_once(uses->functions, marks->functions, mark, g_array_index(table->indices, guint32, t));
  }
  if (function->alias != PTX_NONE)
    add_once(uses->functions, marks->functions, mark, function->alias);
  return uses;
}

gboolean
smb_ptx_is_pointer(const PtxVariable *parameter) {
  return parameter->points_to ||
         (parameter->bytes == 8 && parameter->type[0] != 'f' && !parameter->n_dimensions);
}

guint64
smb_ptx_parameter_offset(const PtxVariable *parameter, guint64 end) {
  guint64 align = MAX(parameter->align, 1);
  return (end + align - 1) / align * align;
}

static void
add_item(SmbEntries *entries, GArray *items, const PtxVariable *variable, guint64 offset) {
  g_autofree char *name = smb_symbol_demangle(variable->name, TRUE);
  g_autoptr(GString) type = g_string_new(NULL);
  if (variable->vector > 1)
    g_string_append_printf(type, "v%u.", variable->vector);
  g_string_append(type, variable->type);
  for (guint i = 0; i < variable->n_dimensions; i++) {
    if (variable->dimension[i])
      g_string_append_printf(type, "[%" G_GUINT64_FORMAT "]", variable->dimension[i]);
    else
      g_string_append(type, "[]");
  }
  SmbEntryItem item = {.name = g_string_chunk_insert(entries->strings, name),
                       .type = g_string_chunk_insert_const(entries->strings, type->str),
                       .bytes = variable->bytes,
                       .offset = offset,
                       .is_pointer = smb_ptx_is_pointer(variable)};
  g_array_append_val(items, item);
}

static void
add_own_arrays(SmbEntries *entries, SmbEntry *entry, const PtxFunction *function) {
  for (guint i = 0; i < function->variables->len; i++) {
    const PtxVariable *variable = &g_array_index(function->variables, PtxVariable, i);
    if (is_shared_variable(variable))
      add_item(entries, entry->arrays, variable, 0);
  }
}

// The shared memory of a kernel and of all that it may call.
static void
add_kernel_arrays(SmbEntries *entries, SmbEntry *entry, const PtxModule *module,
                  const GPtrArray *uses, Marks *marks, guint32 kernel) {
  g_autoptr(GArray) reached = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) named = g_array_new(FALSE, FALSE, sizeof(guint32));
  const guint32 mark = uses->len + 1 + kernel;
  add_once(reached, marks->functions, mark, kernel);
  for (guint i = 0; i < reached->len; i++) {
    guint32 index = g_array_index(reached, guint32, i);
    const Uses *its = g_ptr_array_index(uses, index);
    add_own_arrays(entries, entry, g_ptr_array_index(module->functions, index));
    for (guint v = 0; v < its->variables->len; v++)
      add_once(named, marks->variables, mark, g_array_index(its->variables, guint32, v));
    for (guint f = 0; f < its->functions->len; f++)
      add_once(reached, marks->functions, mark, g_array_index(its->functions, guint32, f));
  }
  for (guint i = 0; i < named->len; i++)
    add_item(entries, entry->arrays,
             &g_array_index(module->variables, PtxVariable, g_array_index(named, guint32, i)), 0);
}

static SmbEntry *
add_kernel_entry(SmbEntries *entries, const PtxFunction *kernel) {
  g_autofree char *name = smb_symbol_demangle(kernel->name, TRUE);
  SmbEntry *entry = smb_entries_add(entries, name, kernel->name);
  guint64 threads = 1;
  for (guint i = 0; i < 3; i++) {
    entry->block[i] = kernel->required[i];
    threads = MIN(threads * kernel->maximum[i], G_MAXINT32);
  }
  entry->max_threads = threads;
  guint64 end = 0;
  for (guint i = 0; i < kernel->parameters->len; i++) {
    const PtxVariable *parameter = &g_array_index(kernel->parameters, PtxVariable, i);
    guint64 offset = smb_ptx_parameter_offset(parameter, end);
    add_item(entries, entry->parameters, parameter, offset);
    end = offset + parameter->bytes;
  }
  return entry;
}

static SmbEntries *
list(const PtxModule *module) {
  SmbEntries *entries = smb_entries_new("ptx", module->target ? module->target : "");
  g_autoptr(GPtrArray) uses = g_ptr_array_new_with_free_func(free_uses);
  guint n = module->functions->len;
  Marks marks = {g_new0(guint32, module->variables->len + 1), g_new0(guint32, n + 1)};
  for (guint32 i = 0; i < n; i++)
    g_ptr_array_add(
        uses, find_function_uses(module, g_ptr_array_index(module->functions, i), &marks, i + 1));
  for (guint32 i = 0; i < n; i++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, i);
    if (function->is_entry && !function->is_prototype)
      add_kernel_arrays(entries, add_kernel_entry(entries, function), module, uses, &marks, i);
  }
  g_free(marks.variables);
  g_free(marks.functions);
  return entries;
}

SmbEntries *
smb_ptx_entries(SmbSource *source, GError **error) {
  g_autoptr(PtxModule) module = smb_ptx_module_read(source, error);
  return module ? list(module) : NULL;
}
