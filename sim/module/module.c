// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/module/module.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/image/cubin.h"
#include "sim/image/direct-ptx.h"
#include "sim/image/images.h"
#include "sim/program/entry.h"
#include "sim/ptx/loaded.h"

static void
free_module_kernel(gpointer data) {
  SmbModuleKernel *kernel = data;
  g_free(kernel->symbol);
  g_array_unref(kernel->parameters);
  g_free(kernel);
}

static void
clear_variable(gpointer data) {
  SmbModuleVariable *variable = data;
  g_free(variable->name);
  g_free(variable->initial);
  g_array_unref(variable->pointers);
}

// The first image of a kind that runs on @chip, or on any, if that is 0 (transfer full) (nullable).
static GBytes *
load_image(const GPtrArray *images, SmbImageKind kind, guint chip, const char *name,
           GError **error) {
  g_autoptr(GPtrArray) chosen = smb_images_choose(images, chip, name, error);
  for (guint i = 0; chosen && i < chosen->len; i++) {
    const SmbImage *image = g_ptr_array_index(chosen, i);
    if (image->kind == kind)
      return smb_image_load(image, name, error);
  }
  if (chosen)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no code for sm_%u", name, chip);
  return NULL;
}

// PTX that is run as it is; NULL: there is none.
static GBytes *
load_direct_text(const GPtrArray *images, guint chip, const char *name) {
  g_autoptr(GPtrArray) texts = smb_direct_ptx_choose(images, chip, name);
  return texts->len > 0 ? smb_image_load(g_ptr_array_index(texts, 0), name, NULL) : NULL;
}

// Machine code for the chip, else PTX, else any machine code; one without a bundle is as it is.
static GBytes *
choose_module_image(GBytes *file, const char *name, guint chip, GError **error) {
  if (smb_cubin_recognize(file))
    return g_bytes_ref(file);
  g_autoptr(SmbSource) text = smb_source_new_any(name, file, NULL);
  if (text && g_strcmp0(smb_program_recognize(text), "ptx") == 0)
    return g_bytes_ref(file);
  g_autoptr(GPtrArray) images = smb_images_read(file, name, error);
  GBytes *image = images ? load_image(images, SMB_IMAGE_CUBIN, chip, name, NULL) : NULL;
  if (images && !image)
    image = load_direct_text(images, chip, name);
  if (images && !image)
    image = load_image(images, SMB_IMAGE_PTX, chip, name, NULL);
  if (images && !image)
    image = load_image(images, SMB_IMAGE_CUBIN, 0, name, NULL);
  if (images && !image) // says why
    image = load_image(images, SMB_IMAGE_CUBIN, chip, name, error);
  return image;
}

// Numbers of textures and surfaces are put into its constants.
static gboolean
has_references(const SmbCubin *cubin, const SmbCubinFunction *function) {
  for (guint i = 0; i < cubin->relocations->len; i++) {
    const SmbCubinRelocation *relocation =
        &g_array_index(cubin->relocations, SmbCubinRelocation, i);
    if (relocation->section == function->constants &&
        (relocation->type == SMB_CUBIN_RELOCATE_TEXTURE ||
         relocation->type == SMB_CUBIN_RELOCATE_SURFACE))
      return TRUE;
  }
  return FALSE;
}

static void
add_module_kernel(SmbModule *module, const SmbCubin *cubin, const SmbCubinFunction *function) {
  SmbModuleKernel *kernel = g_new0(SmbModuleKernel, 1);
  kernel->address = smb_cubin_function_address(cubin, function->name);
  kernel->symbol = g_strdup(function->name);
  kernel->registers = function->registers;
  kernel->local_bytes = function->local_bytes;
  kernel->shared_bytes = function->shared_bytes - function->reserved_shared;
  kernel->max_threads = function->max_threads;
  kernel->names_references = has_references(cubin, function);
  memcpy(kernel->cluster, function->cluster, sizeof kernel->cluster);
  kernel->parameter_bytes = function->parameter_bytes;
  kernel->parameters = g_array_new(FALSE, FALSE, sizeof(SmbModuleParameter));
  for (guint i = 0; i < function->parameters->len; i++) {
    const SmbCubinParameter *place = &g_array_index(function->parameters, SmbCubinParameter, i);
    const SmbModuleParameter parameter = {place->offset, place->bytes};
    g_array_append_val(kernel->parameters, parameter);
  }
  g_ptr_array_add(module->kernels, kernel);
}

static void
add_variable(SmbModule *module, const SmbCubin *cubin, const SmbCubinSymbol *symbol) {
  const SmbCubinSection *section =
      &g_array_index(cubin->sections, SmbCubinSection, symbol->section);
  gboolean is_constant = g_str_has_prefix(section->name, ".nv.constant3");
  if (!is_constant && !g_str_has_prefix(section->name, ".nv.global"))
    return;
  gboolean has_data = section->data && symbol->value <= section->bytes &&
                      symbol->bytes <= section->bytes - symbol->value;
  const SmbModuleVariable variable = {
      g_strdup(symbol->name), symbol->bytes, is_constant,
      has_data ? g_memdup2(section->data + symbol->value, symbol->bytes) : NULL,
      g_array_new(FALSE, FALSE, sizeof(SmbModulePointer))};
  g_array_append_val(module->variables, variable);
}

static void
clear_reference(gpointer data) {
  SmbModuleReference *reference = data;
  g_free(reference->name);
}

static void
add_reference(SmbModule *module, const char *name, gboolean is_surface) {
  const SmbModuleReference reference = {g_strdup(name), is_surface};
  g_array_append_val(module->references, reference);
}

// --- pointers in what variables hold at first

// The variable that has a byte of a section, by the places of all of them (element-type guint: symbols); G_MAXUINT: none.
static guint
find_variable_at(const SmbCubin *cubin, const GArray *places, guint section, guint64 offset) {
  for (guint i = 0; i < places->len; i++) {
    const SmbCubinSymbol *symbol =
        &g_array_index(cubin->symbols, SmbCubinSymbol, g_array_index(places, guint, i));
    if (symbol->section == section && offset >= symbol->value &&
        offset - symbol->value < symbol->bytes)
      return i;
  }
  return G_MAXUINT;
}

// The address of a function is put there at once; that of a variable is known when the process has made it.
static void
add_initial_pointer(SmbModule *module, const SmbCubin *cubin, const GArray *places,
                    const SmbCubinRelocation *relocation) {
  guint in = find_variable_at(cubin, places, relocation->section, relocation->offset);
  const SmbCubinSymbol *symbol = &g_array_index(cubin->symbols, SmbCubinSymbol, relocation->symbol);
  if (in == G_MAXUINT || (relocation->type != SMB_CUBIN_RELOCATE_64 &&
                          relocation->type != SMB_CUBIN_RELOCATE_GENERIC_64 &&
                          relocation->type != SMB_CUBIN_RELOCATE_LAUNCH_64))
    return;
  SmbModuleVariable *variable = &g_array_index(module->variables, SmbModuleVariable, in);
  guint64 start =
      g_array_index(cubin->symbols, SmbCubinSymbol, g_array_index(places, guint, in)).value;
  guint64 offset = relocation->offset - start;
  if (!variable->initial || variable->bytes < sizeof(guint64) ||
      offset > variable->bytes - sizeof(guint64))
    return;
  if (symbol->kind == SMB_CUBIN_FUNCTION) {
    guint64 address = smb_cubin_function_address(cubin, symbol->name) + (guint64)relocation->addend;
    memcpy(variable->initial + offset, &address, sizeof address);
    return;
  }
  guint of = find_variable_at(cubin, places, symbol->section, symbol->value);
  const SmbModulePointer pointer = {offset, of, (guint64)relocation->addend};
  if (of != G_MAXUINT)
    g_array_append_val(variable->pointers, pointer);
}

static gboolean
read_module_cubin(SmbModule *module, const char *name, GError **error) {
  const SmbCubin *cubin = smb_cubin_of(module->code, name, error);
  if (!cubin)
    return FALSE;
  module->chip = cubin->chip;
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    if (function->is_kernel)
      add_module_kernel(module, cubin, function);
  }
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < cubin->symbols->len; i++) {
    const SmbCubinSymbol *symbol = &g_array_index(cubin->symbols, SmbCubinSymbol, i);
    guint before = module->variables->len;
    if (symbol->kind == SMB_CUBIN_VARIABLE && symbol->section > 0 && symbol->bytes > 0)
      add_variable(module, cubin, symbol);
    if (module->variables->len > before)
      g_array_append_val(places, i);
    else if (symbol->kind == SMB_CUBIN_TEXTURE || symbol->kind == SMB_CUBIN_SURFACE)
      add_reference(module, symbol->name, symbol->kind == SMB_CUBIN_SURFACE);
    else if (symbol->section == 0 && g_strcmp0(symbol->name, "malloc") == 0)
      module->allocates = TRUE;
  }
  for (guint i = 0; i < cubin->relocations->len; i++)
    add_initial_pointer(module, cubin, places,
                        &g_array_index(cubin->relocations, SmbCubinRelocation, i));
  return TRUE;
}

// --- PTX

static void
add_ptx_module_kernel(SmbModule *module, const SmbPtxKernel *from) {
  SmbModuleKernel *kernel = g_new0(SmbModuleKernel, 1);
  kernel->symbol = g_strdup(from->symbol);
  kernel->address = from->address;
  kernel->max_threads = from->max_threads;
  kernel->names_references = from->names_references;
  memcpy(kernel->cluster, from->cluster, sizeof kernel->cluster);
  kernel->parameter_bytes = (guint)from->parameter_bytes;
  kernel->parameters = g_array_new(FALSE, FALSE, sizeof(SmbModuleParameter));
  for (guint i = 0; i + 1 < from->places->len; i += 2) {
    const SmbModuleParameter parameter = {g_array_index(from->places, guint64, i),
                                          g_array_index(from->places, guint64, i + 1)};
    g_array_append_val(kernel->parameters, parameter);
  }
  g_ptr_array_add(module->kernels, kernel);
}

// Static shared memory, as the program has it, is not known before a kernel is decoded: here of the arrays without gaps.
static void
set_shared_bytes(SmbModule *module) {
  g_autoptr(SmbEntries) entries = smb_entries_read(module->code, NULL);
  for (guint i = 0; entries && i < entries->entries->len && i < module->kernels->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    SmbModuleKernel *kernel = g_ptr_array_index(module->kernels, i);
    for (guint k = 0; k < entry->arrays->len; k++)
      kernel->shared_bytes += (guint)g_array_index(entry->arrays, SmbEntryItem, k).bytes;
  }
}

static gboolean
read_module_ptx(SmbModule *module, guint chip, GError **error) {
  g_autoptr(SmbPtxContents) contents = smb_ptx_contents_read(module->code, error);
  if (!contents)
    return FALSE;
  module->chip = chip;
  module->allocates = contents->allocates;
  for (guint i = 0; i < contents->kernels->len; i++)
    add_ptx_module_kernel(module, &g_array_index(contents->kernels, SmbPtxKernel, i));
  for (guint i = 0; i < contents->variables->len; i++) {
    const SmbPtxStored *stored = &g_array_index(contents->variables, SmbPtxStored, i);
    const SmbModuleVariable variable = {g_strdup(stored->name), stored->bytes, stored->is_constant,
                                        stored->initial ? g_memdup2(stored->initial, stored->bytes)
                                                        : NULL,
                                        g_array_new(FALSE, FALSE, sizeof(SmbModulePointer))};
    for (guint k = 0; k < stored->pointers->len; k++) {
      SmbPtxPointer from = g_array_index(stored->pointers, SmbPtxPointer, k);
      const SmbModulePointer pointer = {from.offset, from.variable, from.addend};
      g_array_append_val(variable.pointers, pointer);
    }
    g_array_append_val(module->variables, variable);
  }
  for (guint i = 0; i < contents->references->len; i++) {
    const SmbPtxReference *reference = &g_array_index(contents->references, SmbPtxReference, i);
    add_reference(module, reference->name, reference->is_surface);
  }
  set_shared_bytes(module);
  return TRUE;
}

static gboolean
read_image(SmbModule *module, const char *name, guint chip, GError **error) {
  module->is_ptx = !smb_cubin_recognize(module->image);
  g_autofree char *text_name = module->is_ptx ? g_strdup_printf("PTX of %s", name) : NULL;
  module->code = smb_source_new_any(text_name ? text_name : name, module->image, error);
  if (!module->code)
    return FALSE;
  return module->is_ptx ? read_module_ptx(module, chip, error)
                        : read_module_cubin(module, name, error);
}

SmbModule *
smb_module_new(GBytes *file, const char *name, guint chip, GError **error) {
  g_autoptr(SmbModule) module = g_new0(SmbModule, 1);
  module->kernels = g_ptr_array_new_with_free_func(free_module_kernel);
  module->variables = g_array_new(FALSE, FALSE, sizeof(SmbModuleVariable));
  g_array_set_clear_func(module->variables, clear_variable);
  module->references = g_array_new(FALSE, FALSE, sizeof(SmbModuleReference));
  g_array_set_clear_func(module->references, clear_reference);
  module->image = choose_module_image(file, name, chip, error);
  return module->image && read_image(module, name, chip, error) ? g_steal_pointer(&module) : NULL;
}

void
smb_module_free(SmbModule *module) {
  if (!module)
    return;
  g_ptr_array_unref(module->kernels);
  g_array_unref(module->variables);
  g_array_unref(module->references);
  if (module->code)
    smb_source_unref(module->code);
  g_clear_pointer(&module->image, g_bytes_unref);
  g_free(module);
}

const SmbModuleKernel *
smb_module_kernel(const SmbModule *module, const char *symbol) {
  for (guint i = 0; i < module->kernels->len; i++) {
    const SmbModuleKernel *kernel = g_ptr_array_index(module->kernels, i);
    if (g_str_equal(kernel->symbol, symbol))
      return kernel;
  }
  return NULL;
}

const SmbModuleKernel *
smb_module_kernel_at(const SmbModule *module, guint64 address) {
  for (guint i = 0; i < module->kernels->len; i++) {
    const SmbModuleKernel *kernel = g_ptr_array_index(module->kernels, i);
    if (kernel->address == address)
      return kernel;
  }
  return NULL;
}
