// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels on the made-up GPU: the model evaluates them, on what is in the buffers. A launch that finds other contents
// than the first one did counts nothing.
#include "tests/fake-impl.h"

#include <string.h>

#include "sim/base/scalar.h"
#include "sim/cuda/cuda.h"
#include "sim/machine/front-end.h"
#include "sim/program/entry.h"

enum {
  CUDA_ARCH = 900
};

SmbProgram *
fake_kernel_new(GBytes *code, const char *name, const char *entry, const char *const *options,
                char **log) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  for (guint i = 0; options[i]; i++) {
    if (g_str_has_prefix(options[i], "-D"))
      g_strv_builder_add(builder, options[i] + 2);
  }
  g_auto(GStrv) defines = g_strv_builder_end(builder);
  g_autoptr(SmbSource) source = smb_source_new_any(name, code, &error);
  SmbProgram *kernel =
      source ? smb_program_read(source,
                                &(SmbProgramOptions){.entry = entry,
                                                     .defines = (const char *const *)defines,
                                                     .cuda_arch = CUDA_ARCH},
                                &error)
             : NULL;
  if (!kernel)
    *log = g_strdup(error->message);
  return kernel;
}

// The value of a scalar parameter as an argument of the model, or NULL for a type that has none.
static char *
describe_scalar(const SmbParameter *parameter, gconstpointer value) {
  static const struct {
    const char *type;
    gsize bytes;
    gboolean is_signed;
  } integers[] = {
      {"bool", 1, FALSE},         {"char", 1, TRUE},      {"unsigned char", 1, FALSE},
      {"short", 2, TRUE},         {"int", 4, TRUE},       {"unsigned short", 2, FALSE},
      {"unsigned int", 4, FALSE}, {"long long", 8, TRUE}, {"unsigned long long", 8, FALSE},
  };
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (strcmp(parameter->type, "float") == 0)
    return g_strdup_printf("%s=%s", parameter->name,
                           g_ascii_dtostr(text, sizeof text, (double)*(const float *)value));
  if (strcmp(parameter->type, "double") == 0)
    return g_strdup_printf("%s=%s", parameter->name,
                           g_ascii_dtostr(text, sizeof text, *(const double *)value));
  gboolean is_half = strcmp(parameter->type, "half") == 0;
  if (is_half || strcmp(parameter->type, "__nv_bfloat16") == 0)
    return g_strdup_printf(
        "%s=%s", parameter->name,
        g_ascii_dtostr(
            text, sizeof text,
            smb_half_to_real(is_half ? SMB_SCALAR_F16 : SMB_SCALAR_BF16, *(const guint16 *)value)));
  for (guint i = 0; i < G_N_ELEMENTS(integers); i++) {
    guint unused = 64 - 8 * (guint)integers[i].bytes;
    guint64 bits = 0;
    if (strcmp(parameter->type, integers[i].type) != 0)
      continue;
    memcpy(&bits, value, integers[i].bytes);
    if (integers[i].is_signed)
      return g_strdup_printf("%s=%" G_GINT64_FORMAT, parameter->name,
                             (gint64)(bits << unused) >> unused);
    return g_strdup_printf("%s=%" G_GUINT64_FORMAT, parameter->name, bits);
  }
  return NULL;
}

static char *
describe_bytes(const char *name, const guchar *value, gsize bytes) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s=raw:", name);
  for (gsize i = 0; i < bytes; i++)
    g_string_append_printf(text, "%02x", value[i]);
  return g_string_free(text, FALSE);
}

// The parameters of compiled code that point into no buffer, as bytes: how many is said where they are listed.
static GPtrArray *
describe_compiled(const SmbProgram *kernel, const SmbCudaLaunch *launch) {
  GPtrArray *arguments = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(SmbEntries) entries =
      smb_entries_read(kernel->origin ? kernel->origin : kernel->source, NULL);
  for (guint e = 0; e < entries->entries->len; e++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, e);
    if (strcmp(entry->symbol, smb_program_symbol(kernel)) != 0)
      continue;
    for (guint i = 0; i < entry->parameters->len; i++) {
      const SmbEntryItem *item = &g_array_index(entry->parameters, SmbEntryItem, i);
      const guchar *value = launch->parameters[i];
      g_autofree char *number = g_strdup_printf("%u", i);
      if (!item->is_pointer || !fake_allocation(*(const guint64 *)(gconstpointer)value))
        g_ptr_array_add(arguments, describe_bytes(number, value, item->bytes));
    }
  }
  g_ptr_array_add(arguments, NULL);
  return arguments;
}

static GPtrArray *
describe_scalars(const SmbProgram *kernel, const SmbCudaLaunch *launch) {
  GPtrArray *arguments = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    SmbParameter parameter = smb_program_parameter(kernel, i);
    char *text = parameter.bytes > 0
                     ? describe_bytes(parameter.name, launch->parameters[i], parameter.bytes)
                 : parameter.is_pointer ? NULL
                                        : describe_scalar(&parameter, launch->parameters[i]);
    if (text)
      g_ptr_array_add(arguments, text);
  }
  g_ptr_array_add(arguments, NULL);
  return arguments;
}

// The buffer that a parameter points into; NULL if it is none, or if its address is none. @start: where in it
static gpointer
find_buffer(const SmbProgram *kernel, const SmbCudaLaunch *launch, guint parameter, gsize *bytes,
            gsize *start) {
  gsize behind = *bytes = *start = 0;
  if (!smb_program_parameter(kernel, parameter).is_pointer)
    return NULL;
  guint64 address = *(const guint64 *)launch->parameters[parameter];
  guchar *at = fake_memory(address, &behind);
  guchar *first = fake_allocation(address);
  *start = at ? (gsize)(at - first) : 0;
  *bytes = *start + behind;
  return first;
}

static void
free_buffer(gpointer data) {
  SmbBuffer *buffer = data;
  g_bytes_unref(buffer->file);
  g_free(buffer->name);
  g_free(buffer);
}

// What the buffers hold, as the model is told of it.
static GPtrArray *
describe_buffers(const SmbProgram *kernel, const SmbCudaLaunch *launch) {
  GPtrArray *buffers = g_ptr_array_new_with_free_func(free_buffer);
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    SmbParameter parameter = smb_program_parameter(kernel, i);
    gsize bytes, start;
    gconstpointer memory = find_buffer(kernel, launch, i, &bytes, &start);
    if (!memory)
      continue;
    SmbBuffer *buffer = g_new0(SmbBuffer, 1);
    buffer->name = g_strdup(parameter.name);
    buffer->file = g_bytes_new(memory, bytes);
    buffer->offset = start / parameter.element_bytes;
    buffer->contents.fill = SMB_FILL_BYTES;
    buffer->contents.bytes = g_bytes_get_data(buffer->file, &buffer->contents.length);
    g_ptr_array_add(buffers, buffer);
  }
  return buffers;
}

static char *
hash_buffers(const GPtrArray *buffers) {
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  for (guint i = 0; i < buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(buffers, i);
    g_checksum_update(sum, buffer->contents.bytes, (gssize)buffer->contents.length);
  }
  return g_strdup(g_checksum_get_string(sum));
}

// Changes element 0, whatever number it is, of a buffer with elements of @type.
static void
spoil_buffer(guchar *buffer, gsize bytes, const char *type) {
  g_autofree char *element = g_strndup(type, strcspn(type, " *"));
  gsize size = MAX(smb_cuda_element_size(element), 1);
  if (size <= bytes)
    buffer[size - 1] ^= 0x40;
}

// Leaves in the buffers what the kernel wrote. @spoils: but for one element of the first that it changed.
static void
write_buffers(const SmbProgram *kernel, const SmbCudaLaunch *launch, const SmbGlobal *global,
              gboolean spoils) {
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    SmbParameter parameter = smb_program_parameter(kernel, i);
    gsize bytes, start;
    guchar *buffer = find_buffer(kernel, launch, i, &bytes, &start);
    if (!buffer)
      continue;
    g_autofree guchar *before = g_memdup2(buffer, bytes);
    smb_global_read(global, i, 0, buffer, bytes);
    if (!spoils || memcmp(before, buffer, bytes) == 0)
      continue;
    spoil_buffer(buffer, bytes, parameter.type);
    spoils = FALSE;
  }
}

static void
take_counts(const SmbAnalysis *analysis, const char *entry, FakeCounts *counts) {
  const SmbTally *loads = &analysis->totals[SMB_OP_CLASS_LOAD];
  for (guint i = 0; i < SMB_N_OP_CLASSES; i++) {
    const SmbTally *total = &analysis->totals[i];
    counts->of[FAKE_WAVEFRONTS][i] = total->wavefronts;
    counts->of[FAKE_EXCESS][i] = total->excess;
    counts->of[FAKE_INSTRUCTIONS][i] = total->requests;
    counts->of[FAKE_SECTORS][i] = analysis->global_totals[i].segments;
    if (total->requests && fake_spoils(FAKE_MORE_WAVEFRONTS, entry)) {
      counts->of[FAKE_WAVEFRONTS][i]++;
      counts->of[FAKE_EXCESS][i]++;
    }
  }
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    SmbOp op = (SmbOp)access->worst.op;
    if (op < SMB_OP_LDMATRIX_X1 || op > SMB_OP_STMATRIX_X4)
      continue;
    counts->of[FAKE_MATRIX_WAVEFRONTS][access->site->op_class] += access->total.wavefronts;
    counts->of[FAKE_MATRIX_INSTRUCTIONS][access->site->op_class] += access->total.requests;
  }
  // Of an atomic that is a loop the loads are counted as loads.
  const SmbLoopTally *loops = &analysis->loops;
  counts->of[FAKE_WAVEFRONTS][SMB_OP_CLASS_LOAD] += loops->load_wavefronts;
  counts->of[FAKE_WAVEFRONTS][SMB_OP_CLASS_ATOMIC] -= loops->load_wavefronts;
  counts->of[FAKE_INSTRUCTIONS][SMB_OP_CLASS_LOAD] += loops->loads;
  counts->of[FAKE_INSTRUCTIONS][SMB_OP_CLASS_ATOMIC] += loops->swaps - loops->requests;
  if (fake_spoils(FAKE_MERGED, entry)) {
    counts->of[FAKE_INSTRUCTIONS][SMB_OP_CLASS_LOAD] -= loads->requests / 4;
    counts->of[FAKE_WAVEFRONTS][SMB_OP_CLASS_LOAD] -= loads->wavefronts / 4;
  }
}

int
fake_kernel_run(const SmbProgram *kernel, const SmbCudaLaunch *launch, const SmbArch *arch,
                char **first, FakeCounts *counts) {
  g_autoptr(GPtrArray) arguments = smb_program_symbol(kernel) ? describe_compiled(kernel, launch)
                                                              : describe_scalars(kernel, launch);
  g_autoptr(GPtrArray) buffers = describe_buffers(kernel, launch);
  g_autofree char *hash = hash_buffers(buffers);
  SmbLaunch evaluated = {.dynamic_bytes = launch->dynamic_bytes,
                         .arguments = (const char *const *)arguments->pdata,
                         .buffers = buffers};
  g_autoptr(SmbGlobal) global = smb_global_new(kernel, &evaluated);
  SmbAnalysisOptions options = {.global = global};
  if (!*first)
    *first = g_strdup(hash);
  memcpy(evaluated.block, launch->block, sizeof evaluated.block);
  memcpy(evaluated.grid, launch->grid, sizeof evaluated.grid);
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(kernel, arch, &evaluated, &options, NULL);
  if (!analysis)
    return FAKE_ILLEGAL_ADDRESS;
  if (analysis->is_cooperative && !launch->is_cooperative)
    return FAKE_INVALID_CONFIGURATION; // a driver gives it no memory to wait in
  if (strcmp(hash, *first) == 0)
    take_counts(analysis, smb_program_name(kernel), counts);
  fake_profiler_add_instructions(analysis,
                                 fake_spoils(FAKE_MORE_WAVEFRONTS, smb_program_name(kernel)));
  write_buffers(kernel, launch, global, fake_spoils(FAKE_WRONG_VALUES, smb_program_name(kernel)));
  return SMB_CUDA_SUCCESS;
}
