// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C's table of functions: what it does for a program beside reading and running it.
#include "sim/cuda/front-end.h"

#include <string.h>

#include "sim/cuda/carve.h"
#include "sim/cuda/flow.h"
#include "sim/cuda/lower/lower.h"
#include "sim/cuda/proof/impl.h"
#include "sim/exec/lockstep.h"

const SmbKernel *
smb_cuda_kernel(const SmbProgram *program) {
  return program->front_end == &smb_cuda_front_end ? (const SmbKernel *)program : NULL;
}

// CUDA C is what text is, unless it says otherwise.
static gboolean
recognize(SmbSource *source) {
  return !smb_source_bytes(source);
}

static gboolean
evaluate_macros(const SmbProgram *program, const char *expression, gint64 *value, GError **error) {
  return smb_kernel_macros_evaluate(smb_cuda_kernel(program)->macros, expression, value, error);
}

static GStrv
find_unused_defines(const SmbProgram *program) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  g_autoptr(GStrvBuilder) unused = g_strv_builder_new();
  for (guint i = 0; program->defines && program->defines[i]; i++) {
    g_auto(GStrv) parts = g_strsplit(program->defines[i], "=", 2);
    if (smb_kernel_macros_is_unused(kernel->macros, parts[0]))
      g_strv_builder_add(unused, parts[0]);
  }
  return g_strv_builder_end(unused);
}

static void
blank(GString *text, const GArray *stretches) {
  for (guint i = 0; i < stretches->len; i++) {
    const Stretch *stretch = &g_array_index(stretches, Stretch, i);
    for (gsize at = stretch->start; at < stretch->end && at < text->len; at++)
      text->str[at] = text->str[at] == '\n' ? '\n' : ' ';
  }
}

// The texts of all files at their offsets, with blanks for what a compiler is not to see.
static GString *
lay_out_texts(const SmbKernel *kernel) {
  const GArray *includes = smb_kernel_macros_includes(kernel->macros);
  GString *text = g_string_new(smb_source_text(kernel->program.source));
  for (guint i = 0; i < includes->len; i++) {
    const Include *include = &g_array_index(includes, Include, i);
    if (!include->source)
      continue;
    gsize end = include->base + smb_source_length(include->source), from = text->len;
    if (end > from) {
      g_string_set_size(text, end);
      memset(text->str + from, '\n', end - from);
    }
    memcpy(text->str + include->base, smb_source_text(include->source), end - include->base);
  }
  blank(text, kernel->unread);
  blank(text, smb_kernel_macros_overruled(kernel->macros));
  return text;
}

static int
compare_includes(gconstpointer a, gconstpointer b) {
  guint32 x = ((const Include *)a)->directive.start, y = ((const Include *)b)->directive.start;
  return (x > y) - (x < y);
}

// Appends a stretch of the texts, with what it includes in place of the directives.
static void
append_text(GString *out, const SmbKernel *kernel, const GString *text, const GArray *includes,
            guint32 start, guint32 end) {
  const SmbSource *source = kernel->program.source;
  for (guint i = 0; i < includes->len; i++) {
    const Include *include = &g_array_index(includes, Include, i);
    const Stretch *directive = &include->directive;
    // A directive that was run twice gives the same text twice.
    if (directive->start < start || directive->start >= end)
      continue;
    g_string_append_len(out, text->str + start, directive->start - start);
    start = directive->end;
    if (!include->source)
      continue;
    const char *outer = smb_source_file(source, directive->start);
    g_autofree char *inner_name = g_strescape(smb_source_name(include->source), NULL);
    g_autofree char *outer_name = g_strescape(outer ? outer : smb_source_name(source), NULL);
    guint line, column;
    smb_source_locate(source, directive->start, &line, &column);
    g_string_append_printf(out, "\n#line 1 \"%s\"\n", inner_name);
    append_text(out, kernel, text, includes, include->base,
                include->base + (guint32)smb_source_length(include->source));
    g_string_append_printf(out, "\n#line %u \"%s\"\n", line, outer_name);
  }
  g_string_append_len(out, text->str + start, end - start);
}

static GBytes *
make_device_code(const SmbProgram *program) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  g_autoptr(GString) text = lay_out_texts(kernel);
  g_autoptr(GArray) includes = g_array_copy((GArray *)smb_kernel_macros_includes(kernel->macros));
  g_array_sort(includes, compare_includes);
  GString *out = g_string_new(NULL);
  append_text(out, kernel, text, includes, 0, (guint32)smb_source_length(program->source));
  return g_string_free_to_bytes(out);
}

// --- reading and running

static SmbProgram *
read_text(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  SmbProgram *program = smb_kernel_read(source, options, error);
  SmbKernel *kernel = (SmbKernel *)program;
  if (!program)
    return NULL;
  kernel->lowered = smb_lower(kernel, error);
  if (kernel->lowered)
    return program;
  smb_kernel_free(program);
  return NULL;
}

static void
free_text(SmbProgram *program) {
  smb_lowered_free(((SmbKernel *)program)->lowered);
  smb_kernel_free(program);
}

static gpointer
new_state(SmbBlock *block, const SmbLaunch *launch, GError **error) {
  return smb_lowered_new_state(smb_cuda_kernel(block->program)->lowered, block, launch, error);
}

const SmbFrontEnd smb_cuda_front_end = {
    .level = "text",
    .steps = "statements",
    .recognizes = recognize,
    .read = read_text,
    .free = free_text,
    .state_new = new_state,
    .state_free = smb_lockstep_free,
    .run = smb_lockstep_run,
    .argument = smb_kernel_argument,
    .carved_arrays = smb_carved_arrays,
    .evaluate = evaluate_macros,
    .device_code = make_device_code,
    .unused_defines = find_unused_defines,
    .data_source = smb_flow_data_source,
    .by_order = smb_flow_by_order,
    .prove = smb_walk_prove,
};
