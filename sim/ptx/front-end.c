// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// PTX's table of functions.
#include "sim/ptx/front-end.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/symbol.h"
#include "sim/ptx/decode/decode.h"
#include "sim/ptx/entries.h"

// What is called so is PTX, though it may be empty or not begin as it must: that is what is wrong with it then.
static gboolean
recognize_ptx(SmbSource *source) {
  return smb_ptx_recognize(source) || g_str_has_suffix(smb_source_name(source), ".ptx");
}

// What messages call the type of a parameter: ".u32"; of a structure its size.
static const char *
describe_type(const PtxModule *module, const PtxVariable *variable, gboolean is_pointer) {
  if (is_pointer)
    return "void *";
  const SmbNumber size = smb_count(variable->bytes, "byte");
  g_autofree char *type = g_strconcat(".", variable->type, NULL);
  return g_string_chunk_insert_const(module->strings, variable->n_dimensions ? size.text : type);
}

// The pointers that a parameter may be: whatever has 8 bytes, unless it is given a value.
static void
add_ptx_parameters(Code *code, const PtxFunction *kernel, const PtxDecoded *decoded) {
  for (guint i = 0; i < kernel->parameters->len; i++) {
    const PtxVariable *variable = &g_array_index(kernel->parameters, PtxVariable, i);
    gboolean is_real = variable->type[0] == 'f';
    gboolean is_pointer = smb_ptx_is_pointer(variable);
    const ParameterPlace place = {.offset = decoded->parameters[i],
                                  .bytes = variable->bytes,
                                  .is_real = is_real && !variable->n_dimensions};
    smb_code_add_parameter(code, variable->name, describe_type(code->module, variable, is_pointer),
                           place, is_pointer);
  }
  g_array_index(code->program.regions, Region, REGION_PARAMETERS).size = code->parameter_bytes;
}

static void
free_decoded(gpointer data) {
  PtxDecoded *decoded = data;
  g_free(decoded->rows);
  g_free(decoded->locals);
  g_free(decoded->parameters);
  g_free(decoded->returns);
  g_free(decoded->starts);
  g_free(decoded->reads);
  g_free(decoded);
}

static gboolean
decode_ptx_kernel(Code *code, const PtxFunction *kernel, GHashTable *addresses, GError **error) {
  const PtxModule *module = code->module;
  g_autoptr(GPtrArray) functions = g_ptr_array_new_with_free_func(free_decoded);
  g_autoptr(GHashTable) decoded = g_hash_table_new(NULL, NULL);
  g_autofree gboolean *used = g_new0(gboolean, module->variables->len + 1);
  g_autoptr(GHashTable) specials = g_hash_table_new(g_str_hash, g_str_equal);
  PtxDecoder decoder = {.module = code->module,
                        .code = code,
                        .program = &code->program,
                        .functions = functions,
                        .decoded = decoded,
                        .used = used,
                        .specials = specials,
                        .addresses = addresses,
                        .error = error};
  gboolean ok = smb_ptx_decode(&decoder, kernel);
  if (ok) {
    add_ptx_parameters(code, kernel, g_ptr_array_index(functions, 0));
    smb_code_finish(code);
  }
  g_free(decoder.shared);
  g_free(decoder.regions);
  g_clear_pointer(&decoder.symbols, g_hash_table_unref);
  return ok;
}

static void
free_ptx_program(SmbProgram *program) {
  Code *code = (Code *)program;
  smb_ptx_module_free(code->module);
  smb_code_clear(code);
  g_free(code);
}

// 0: not said; more than any block has are as many as they may be.
static guint
count_extent_threads(const guint32 *extents) {
  guint64 threads = extents[0];
  for (guint i = 1; i < 3; i++)
    threads = MIN(threads * MAX(extents[i], 1), G_MAXUINT);
  return (guint)threads;
}

// Registers of a thread that a compiler may have a kernel begin with. With more than one bound the least holds; ptxas takes fewer if setmaxnreg never asks
// for as many. 0: there is no bound, and it ignores setmaxnreg.
static guint
find_entry_registers(const PtxFunction *kernel) {
  enum {
    SM_REGISTERS = 65536, // CUDA C++ Programming Guide, "Compute Capabilities"
    MOST = 256,           // of a thread; PTX ISA, "setmaxnreg"
    UNIT = 8,
  };
  guint threads = count_extent_threads(kernel->maximum[0] ? kernel->maximum : kernel->required);
  guint64 in_blocks = (guint64)threads * kernel->least_blocks, registers = kernel->most_registers;
  if (in_blocks && in_blocks <= SM_REGISTERS / UNIT)
    registers = MIN(registers ? registers : MOST, SM_REGISTERS / in_blocks / UNIT * UNIT);
  return (guint)MIN(registers, MOST);
}

static const PtxFunction *
choose_ptx_kernel(const PtxModule *module, const char *entry, GError **error) {
  const char *file = smb_source_name(module->source);
  g_autoptr(GPtrArray) kernels = g_ptr_array_new(), symbols = g_ptr_array_new();
  for (guint i = 0; i < module->functions->len; i++) {
    PtxFunction *function = g_ptr_array_index(module->functions, i);
    if (!function->is_entry || function->is_prototype)
      continue;
    g_ptr_array_add(kernels, function);
    g_ptr_array_add(symbols, (gpointer)function->name);
  }
  if (kernels->len == 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no kernel (.entry) in this PTX", file);
    return NULL;
  }
  gint index = smb_symbol_choose(symbols, entry, file, error);
  return index < 0 ? NULL : g_ptr_array_index(kernels, (guint)index);
}

static SmbProgram *
read_ptx_as(SmbSource *source, const SmbProgramOptions *options, SmbMeeting meeting,
            GError **error) {
  g_autoptr(PtxModule) module = smb_ptx_module_read(source, error);
  const PtxFunction *kernel = module ? choose_ptx_kernel(module, options->entry, error) : NULL;
  if (!kernel)
    return NULL;
  SmbProgramOptions adapted = *options;
  if (!adapted.limits.max_steps)
    adapted.limits.max_steps = CODE_MAX_STEPS;
  Code *code = g_new0(Code, 1);
  smb_program_init(&code->program, &smb_ptx_front_end, source, smb_source_name(source), &adapted);
  // The name chooses it again (smb_program_read_again()): one that is not its alone does not.
  g_autofree char *plain = smb_symbol_demangle(kernel->name, TRUE);
  gboolean is_own = choose_ptx_kernel(module, plain, NULL) == kernel;
  code->program.name = g_string_chunk_insert_const(module->strings, is_own ? plain : kernel->name);
  code->program.symbol = kernel->name;
  code->program.max_threads = count_extent_threads(kernel->maximum);
  code->program.entry_registers = find_entry_registers(kernel);
  for (guint i = 0; kernel->required[0] && i < 3; i++)
    code->program.required_block[i] = MAX(kernel->required[i], 1);
  for (guint i = 0; kernel->cluster[0] && i < 3; i++)
    code->program.required_cluster[i] = MAX(kernel->cluster[i], 1);
  code->meeting = meeting;
  smb_code_init(code);
  code->module = g_steal_pointer(&module);
  if (decode_ptx_kernel(code, kernel, options->addresses, error))
    return &code->program;
  free_ptx_program(&code->program);
  return NULL;
}

// Options for a compiler: PTX is what it has left.
static gboolean
check_ptx_options(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  const char *file = smb_source_name(source);
  if (options->defines && *options->defines)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%s is PTX, which has no macros: '%s' cannot be defined", file,
                    *options->defines);
  if (options->folders && *options->folders)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%s is PTX, which has no #include: -I cannot be used", file);
  return TRUE;
}

static SmbProgram *
read_ptx_program(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  if (!check_ptx_options(source, options, error))
    return NULL;
  return read_ptx_as(source, options, SMB_MEETING_COMPILED, error);
}

static gboolean
equal_targets(const GArray *a, const GArray *b) {
  gboolean equal = !a == !b && (!a || a->len == b->len);
  for (guint i = 0; equal && a && i < a->len; i++) {
    const SwitchTarget *x = &g_array_index(a, SwitchTarget, i);
    const SwitchTarget *y = &g_array_index(b, SwitchTarget, i);
    equal = x->step == y->step && x->leave == y->leave;
  }
  return equal;
}

// Whether lanes reconverge at the same places in two programs that are decoded from one text: apart from where they
// reconverge, these have the same steps.
static gboolean
meets_alike(const Code *a, const Code *b) {
  gboolean equal = a->steps->len == b->steps->len;
  for (guint i = 0; equal && i < a->steps->len; i++) {
    const Step *x = &g_array_index(a->steps, Step, i);
    const Step *y = &g_array_index(b->steps, Step, i);
    equal = x->run == y->run && x->place == y->place && x->target == y->target &&
            x->argument == y->argument && equal_targets(x->targets, y->targets);
  }
  return equal;
}

// In most kernels there is but one place where lanes can meet.
static SmbProgram *
read_variant(const SmbProgram *program, guint index) {
  static const SmbMeeting others[] = {SMB_MEETING_FEWEST, SMB_MEETING_MOST};
  const Code *code = (const Code *)program;
  const SmbProgramOptions options = {.entry = program->symbol,
                                     .frames = program->frames,
                                     .compiled_from = program->compiled_from,
                                     .cuda_arch = program->cuda_arch,
                                     .lanes = program->lanes,
                                     .limits = program->limits};
  if (code->meeting != SMB_MEETING_COMPILED)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    SmbProgram *other = read_ptx_as(program->source, &options, others[i], NULL);
    gboolean differs = other && !meets_alike(code, (const Code *)other);
    if (differs && index-- == 0)
      return other;
    g_clear_pointer(&other, smb_program_free);
  }
  return NULL;
}

static GBytes *
make_ptx_code(const SmbProgram *program) {
  const char *text = smb_source_text(program->source);
  return g_bytes_new(text, strlen(text) + 1);
}

const SmbFrontEnd smb_ptx_front_end = {
    .level = "ptx",
    .steps = "instructions",
    .recognizes = recognize_ptx,
    .read = read_ptx_program,
    .entries = smb_ptx_entries,
    .free = free_ptx_program,
    .state_new = smb_exec_new,
    .state_free = smb_exec_free,
    .run = smb_exec_run,
    .resume = smb_exec_resume,
    .is_stuck = smb_exec_is_stuck,
    .fail_waiting = smb_exec_fail_waiting,
    .variant = read_variant,
    .argument = smb_code_argument,
    .prove = smb_exec_prove,
    .device_code = make_ptx_code,
    .locate = smb_ptx_locate,
};
