// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/ptx/loaded.h"

#include <string.h>

#include "sim/ptx/decode/decode.h"
#include "sim/ptx/entries.h"

static void
clear_ptx_kernel(gpointer data) {
  g_array_unref(((SmbPtxKernel *)data)->places);
}

static void
clear_stored(gpointer data) {
  SmbPtxStored *stored = data;
  g_free(stored->initial);
  g_array_unref(stored->pointers);
}

static gboolean
is_reference(const PtxVariable *variable) {
  return strcmp(variable->type, "texref") == 0 || strcmp(variable->type, "surfref") == 0;
}

static gboolean
has_reference_operand(const PtxModule *module, const PtxFunction *function) {
  for (guint i = 0; i < function->operands->len; i++) {
    const PtxOperand *operand = &g_array_index(function->operands, PtxOperand, i);
    if (operand->kind == PTX_OPERAND_SYMBOL && operand->where == PTX_WHERE_MODULE &&
        is_reference(&g_array_index(module->variables, PtxVariable, operand->index)))
      return TRUE;
  }
  return FALSE;
}

static void
add_ptx_kernel(SmbPtxContents *contents, const PtxFunction *function, guint32 index) {
  SmbPtxKernel kernel = {.symbol = function->name,
                         .address = smb_ptx_function_address(index),
                         .places = g_array_new(FALSE, FALSE, sizeof(guint64))};
  for (guint i = 0; i < function->parameters->len; i++) {
    const PtxVariable *variable = &g_array_index(function->parameters, PtxVariable, i);
    guint64 offset = smb_ptx_parameter_offset(variable, kernel.parameter_bytes);
    const guint64 place[] = {offset, variable->bytes};
    g_array_append_vals(kernel.places, place, G_N_ELEMENTS(place));
    kernel.parameter_bytes = offset + variable->bytes;
  }
  for (guint i = 0; function->maximum[0] && i < 3; i++)
    kernel.max_threads = MAX(kernel.max_threads, 1) * MAX(function->maximum[i], 1);
  for (guint i = 0; function->cluster[0] && i < 3; i++)
    kernel.cluster[i] = MAX(function->cluster[i], 1);
  g_array_append_val(contents->kernels, kernel);
}

static gboolean
has_memory(const PtxVariable *variable) {
  return (strcmp(variable->space, "global") == 0 || strcmp(variable->space, "const") == 0) &&
         variable->bytes > 0 && !variable->is_extern && !is_reference(variable);
}

static void
add_references(SmbPtxContents *contents, const PtxModule *module) {
  for (guint i = 0; i < module->variables->len; i++) {
    const PtxVariable *variable = &g_array_index(module->variables, PtxVariable, i);
    const SmbPtxReference reference = {variable->name, strcmp(variable->type, "surfref") == 0};
    if (is_reference(variable))
      g_array_append_val(contents->references, reference);
  }
}

// The number of the variable of that name among those that are stored; G_MAXUINT: there is none.
static guint
find_stored(const SmbPtxContents *contents, const char *name) {
  for (guint i = 0; i < contents->variables->len; i++) {
    if (strcmp(g_array_index(contents->variables, SmbPtxStored, i).name, name) == 0)
      return i;
  }
  return G_MAXUINT;
}

static guint64
find_function_pointer(const PtxModule *module, const char *name) {
  for (guint32 i = 0; i < module->functions->len; i++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, i);
    if (strcmp(function->name, name) == 0)
      return smb_ptx_function_address(i);
  }
  return 0;
}

static void
store_initial(const SmbPtxContents *contents, const PtxModule *module, SmbPtxStored *stored,
              const PtxInitial *initial) {
  guint64 bits = initial->bits;
  guint of = initial->symbol ? find_stored(contents, initial->symbol) : G_MAXUINT;
  if (of != G_MAXUINT) {
    const SmbPtxPointer pointer = {initial->at, of, bits};
    g_array_append_val(stored->pointers, pointer);
    return;
  }
  if (initial->symbol)
    bits += find_function_pointer(module, initial->symbol);
  for (guint i = 0; i < initial->bytes && initial->at + i < stored->bytes; i++)
    stored->initial[initial->at + i] = (guint8)(i < sizeof bits ? bits >> (8 * i) : 0);
}

// Which kernels name references: what a function that is called names, all do.
static void
mark_kernels(const SmbPtxContents *contents, const PtxModule *module) {
  gboolean all = FALSE;
  for (guint i = 0; i < module->functions->len; i++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, i);
    all = all || (!function->is_entry && has_reference_operand(module, function));
  }
  for (guint i = 0, at = 0; i < module->functions->len; i++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, i);
    if (function->is_entry && !function->is_prototype)
      g_array_index(contents->kernels, SmbPtxKernel, at++).names_references =
          all || has_reference_operand(module, function);
  }
}

SmbPtxContents *
smb_ptx_contents_read(SmbSource *source, GError **error) {
  PtxModule *module = smb_ptx_module_read(source, error);
  if (!module)
    return NULL;
  SmbPtxContents *contents = g_new0(SmbPtxContents, 1);
  contents->module = module;
  contents->kernels = g_array_new(FALSE, FALSE, sizeof(SmbPtxKernel));
  contents->variables = g_array_new(FALSE, FALSE, sizeof(SmbPtxStored));
  contents->references = g_array_new(FALSE, FALSE, sizeof(SmbPtxReference));
  g_array_set_clear_func(contents->kernels, clear_ptx_kernel);
  g_array_set_clear_func(contents->variables, clear_stored);
  for (guint i = 0; i < module->functions->len; i++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, i);
    if (function->is_entry && !function->is_prototype)
      add_ptx_kernel(contents, function, i);
    contents->allocates = contents->allocates || strcmp(function->name, "malloc") == 0 ||
                          strcmp(function->name, "__cudaCDP2Malloc") == 0;
  }
  add_references(contents, module);
  mark_kernels(contents, module);
  for (guint i = 0; i < module->variables->len; i++) {
    const PtxVariable *variable = &g_array_index(module->variables, PtxVariable, i);
    const SmbPtxStored stored = {variable->name, variable->bytes,
                                 strcmp(variable->space, "const") == 0,
                                 variable->initial ? g_malloc0(variable->bytes) : NULL,
                                 g_array_new(FALSE, FALSE, sizeof(SmbPtxPointer))};
    if (has_memory(variable))
      g_array_append_val(contents->variables, stored);
    else {
      g_free(stored.initial);
      g_array_unref(stored.pointers);
    }
  }
  for (guint i = 0, at = 0; i < module->variables->len; i++) {
    const PtxVariable *variable = &g_array_index(module->variables, PtxVariable, i);
    SmbPtxStored *stored =
        has_memory(variable) ? &g_array_index(contents->variables, SmbPtxStored, at++) : NULL;
    for (guint k = 0; stored && variable->initial && k < variable->initial->len; k++)
      store_initial(contents, module, stored, &g_array_index(variable->initial, PtxInitial, k));
  }
  return contents;
}

void
smb_ptx_contents_free(SmbPtxContents *contents) {
  if (!contents)
    return;
  g_array_unref(contents->kernels);
  g_array_unref(contents->variables);
  g_array_unref(contents->references);
  smb_ptx_module_free(contents->module);
  g_free(contents);
}
