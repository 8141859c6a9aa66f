// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/sass/entries.h"

#include "sim/base/text.h"
#include "sim/image/cubin.h"
#include "sim/program/symbol.h"

// Parameters have no names in machine code, and no types but their sizes.
static void
add_entry_parameters(SmbEntries *entries, SmbEntry *entry, const SmbCubinFunction *kernel) {
  for (guint i = 0; i < kernel->parameters->len; i++) {
    SmbCubinParameter parameter = g_array_index(kernel->parameters, SmbCubinParameter, i);
    const SmbNumber size = smb_count(parameter.bytes, "byte");
    g_autofree char *name = g_strdup_printf("%s_param_%u", kernel->name, i);
    SmbEntryItem item = {.name = g_string_chunk_insert_const(entries->strings, name),
                         .type = g_string_chunk_insert_const(entries->strings, size.text),
                         .bytes = parameter.bytes,
                         .offset = parameter.offset,
                         .is_pointer = parameter.bytes == 8};
    g_array_append_val(entry->parameters, item);
  }
}

SmbEntries *
smb_sass_entries(SmbSource *source, GError **error) {
  const SmbCubin *cubin = smb_cubin_of(source, NULL, error);
  if (!cubin)
    return NULL;
  SmbEntries *entries = smb_entries_new("sass", cubin->target);
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *kernel = g_ptr_array_index(cubin->functions, i);
    if (!kernel->is_kernel)
      continue;
    g_autofree char *name = smb_symbol_demangle(kernel->name, TRUE);
    SmbEntry *entry = smb_entries_add(entries, name, kernel->name);
    for (guint axis = 0; kernel->required[0] && axis < 3; axis++)
      entry->block[axis] = MAX(kernel->required[axis], 1);
    entry->max_threads = kernel->max_threads;
    entry->registers = kernel->registers;
    entry->is_linked = cubin->is_linked;
    entry->shared_bytes = kernel->shared_bytes - kernel->reserved_shared;
    entry->local_bytes = kernel->local_bytes;
    add_entry_parameters(entries, entry, kernel);
  }
  return entries;
}
