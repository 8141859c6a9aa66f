// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Machine code's table of functions: a cubin is read, a kernel of it chosen, its memory laid out, and its code
// decoded into steps, which sim/exec runs.
#include "sim/sass/front-end.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/symbol.h"
#include "sim/sass/decode/decode.h"
#include "sim/sass/entries.h"
#include "sim/sass/listing.h"

// An ELF file for a GPU; bundles of several are taken apart elsewhere (sim/image).
static gboolean
recognize_sass(SmbSource *source) {
  GBytes *bytes = smb_source_bytes(source);
  return bytes && smb_cubin_recognize(bytes);
}

// The pointers that a parameter may be: whatever has 8 bytes, unless it is given a value.
static void
add_sass_parameters(Code *code, const SmbCubin *cubin, const SmbCubinFunction *kernel) {
  for (guint i = 0; i < kernel->parameters->len; i++) {
    const SmbCubinParameter *place = &g_array_index(kernel->parameters, SmbCubinParameter, i);
    gboolean is_pointer = place->bytes == 8;
    const SmbNumber size = smb_count(place->bytes, "byte");
    g_autofree char *name = g_strdup_printf("%s_param_%u", kernel->name, i);
    const char *type =
        is_pointer ? "void *" : g_string_chunk_insert_const(cubin->strings, size.text);
    const ParameterPlace at = {.offset = place->offset, .bytes = place->bytes, .is_untyped = TRUE};
    smb_code_add_parameter(code, g_string_chunk_insert_const(cubin->strings, name), type, at,
                           is_pointer);
  }
  code->parameter_bytes = MAX(code->parameter_bytes, kernel->parameter_bytes);
  g_array_index(code->program.regions, Region, REGION_PARAMETERS).size = code->parameter_bytes;
}

// The kernel of that name, or the only one.
static const SmbCubinFunction *
choose_sass_kernel(const SmbCubin *cubin, const char *entry, GError **error) {
  g_autoptr(GPtrArray) kernels = g_ptr_array_new(), symbols = g_ptr_array_new();
  for (guint i = 0; i < cubin->functions->len; i++) {
    SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    if (!function->is_kernel)
      continue;
    g_ptr_array_add(kernels, function);
    g_ptr_array_add(symbols, (gpointer)function->name);
  }
  if (kernels->len == 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no kernel in this machine code", cubin->name);
    return NULL;
  }
  gint index = smb_symbol_choose(symbols, entry, cubin->name, error);
  return index < 0 ? NULL : g_ptr_array_index(kernels, (guint)index);
}

// The lists that decoding needs live as long as it; what the steps need is kept by the code.
static gboolean
decode_sass_kernel(Code *code, const SmbCubin *cubin, const SmbCubinFunction *kernel,
                   GHashTable *addresses, GError **error) {
  g_autoptr(GHashTable) presets = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) specials = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) regions = g_hash_table_new(NULL, NULL);
  g_autoptr(GArray) scratch = g_array_new(FALSE, FALSE, sizeof(Row));
  g_autoptr(GArray) scratch_predicates = g_array_new(FALSE, FALSE, sizeof(Predicate));
  g_autoptr(GHashTable) placed = g_hash_table_new(NULL, NULL);
  g_autoptr(GArray) sections = g_array_new(FALSE, FALSE, sizeof(SassSection));
  g_autoptr(GArray) jumps = g_array_new(FALSE, FALSE, sizeof(SassJump));
  g_autoptr(GArray) returns = g_array_new(FALSE, FALSE, sizeof(SassReturn));
  g_autoptr(GPtrArray) missing = g_ptr_array_new();
  g_autoptr(SmbLines) lines = smb_lines_read(cubin, error);
  if (!lines)
    return FALSE;
  SassDecoder decoder = {.chip = cubin->chip,
                         .code = code,
                         .program = &code->program,
                         .cubin = cubin,
                         .kernel = kernel,
                         .lines = lines,
                         .addresses = addresses,
                         .presets = presets,
                         .specials = specials,
                         .regions = regions,
                         .scratch = scratch,
                         .scratch_predicates = scratch_predicates,
                         .sections = sections,
                         .placed = placed,
                         .jumps = jumps,
                         .returns = returns,
                         .missing = missing,
                         .error = error};
  add_sass_parameters(code, cubin, kernel);
  if (!smb_sass_lay_out(&decoder) || !smb_sass_decode_code(&decoder))
    return FALSE;
  smb_code_finish(code);
  return TRUE;
}

static void
free_sass_program(SmbProgram *program) {
  Code *code = (Code *)program;
  smb_cubin_free(code->module); // and then its source
  smb_code_clear(code);
  g_free(code);
}

// The chip of the architecture that the program is to run on: 90 of 900.
static guint
wanted_chip(const SmbProgramOptions *options) {
  return options->cuda_arch / 10;
}

// Machine code runs on chips of its generation, from its own on.
static gboolean
check_sass_options(const SmbCubin *cubin, const SmbProgramOptions *options, GError **error) {
  guint chip = wanted_chip(options);
  if (options->defines && *options->defines)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%s is machine code, which has no macros: '%s' cannot be defined", cubin->name,
                    *options->defines);
  if (options->folders && *options->folders)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%s is machine code, which has no #include: expected no include folders",
                    cubin->name);
  if (!chip || (chip / 10 == cubin->chip / 10 && chip >= cubin->chip))
    return TRUE;
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
           "%s is machine code of %s, which does not run on sm_%u", cubin->name, cubin->target,
           chip);
  g_autoptr(SmbArch) arch = smb_arch_load(cubin->target, NULL);
  return smb_hint(error, SMB_HINT_ARCH, NULL, arch ? cubin->target : NULL);
}

static SmbProgram *
read_sass_program(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  const SmbCubin *whole = smb_cubin_of(source, NULL, error);
  g_autoptr(SmbCubin) cubin = whole ? smb_cubin_share(whole, smb_source_name(source)) : NULL;
  const SmbCubinFunction *kernel = cubin ? choose_sass_kernel(cubin, options->entry, error) : NULL;
  if (!kernel || !check_sass_options(cubin, options, error))
    return NULL;
  SmbProgramOptions adapted = *options;
  if (!adapted.limits.max_steps)
    adapted.limits.max_steps = CODE_MAX_STEPS;
  Code *code = g_new0(Code, 1);
  smb_program_init(&code->program, &smb_sass_front_end, NULL, smb_source_name(source), &adapted);
  code->program.origin = smb_source_ref(source);
  // The name chooses it again (smb_program_read_again()): one that is not its alone does not.
  g_autofree char *plain = smb_symbol_demangle(kernel->name, TRUE);
  gboolean is_own = choose_sass_kernel(cubin, plain, NULL) == kernel;
  code->program.name = g_string_chunk_insert_const(cubin->strings, is_own ? plain : kernel->name);
  code->program.symbol = kernel->name;
  code->program.max_threads = (guint)MIN(kernel->max_threads, G_MAXUINT);
  code->program.registers = code->program.entry_registers = kernel->registers;
  for (guint i = 0; kernel->required[0] && i < 3; i++)
    code->program.required_block[i] = MAX(kernel->required[i], 1);
  for (guint i = 0; kernel->cluster[0] && i < 3; i++)
    code->program.required_cluster[i] = MAX(kernel->cluster[i], 1);
  smb_code_init(code);
  code->module = g_steal_pointer(&cubin);
  if (decode_sass_kernel(code, code->module, kernel, options->addresses, error))
    return &code->program;
  free_sass_program(&code->program);
  return NULL;
}

static GBytes *
get_image(const SmbProgram *program) {
  return g_bytes_ref(smb_source_bytes(program->origin));
}

const SmbFrontEnd smb_sass_front_end = {
    .level = "sass",
    .steps = "instructions",
    .recognizes = recognize_sass,
    .read = read_sass_program,
    .entries = smb_sass_entries,
    .free = free_sass_program,
    .state_new = smb_exec_new,
    .state_free = smb_exec_free,
    .run = smb_exec_run,
    .resume = smb_exec_resume,
    .is_stuck = smb_exec_is_stuck,
    .fail_waiting = smb_exec_fail_waiting,
    .argument = smb_code_argument,
    .prove = smb_exec_prove,
    .device_code = get_image,
    .instructions = smb_sass_instructions,
};
