// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C's table of functions: what it does for a program beside reading and running it.
#include "sim/cuda/front-end.h"

#include "sim/cuda/parse.h"
#include "sim/cuda/run/walk.h"

const SmbKernel *
smb_cuda_kernel(const SmbProgram *program) {
  return program->front_end == &smb_cuda_front_end ? (const SmbKernel *)program : NULL;
}

// CUDA C is what text is, unless it says otherwise.
static gboolean
recognize(G_GNUC_UNUSED SmbSource *source) {
  return TRUE;
}

static gboolean
evaluate_macros(const SmbProgram *program, const char *expression, gint64 *value, GError **error) {
  return kernel_macros_evaluate(smb_cuda_kernel(program)->macros, expression, value, error);
}

static GStrv
find_unused_defines(const SmbProgram *program) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  g_autoptr(GStrvBuilder) unused = g_strv_builder_new();
  for (guint i = 0; program->defines && program->defines[i]; i++) {
    g_auto(GStrv) parts = g_strsplit(program->defines[i], "=", 2);
    if (kernel_macros_is_unused(kernel->macros, parts[0]))
      g_strv_builder_add(unused, parts[0]);
  }
  return g_strv_builder_end(unused);
}

static void
blank(GString *text, const Stretch *stretch) {
  for (guint32 i = stretch->start; i < stretch->end && i < text->len; i++) {
    if (text->str[i] != '\n')
      text->str[i] = ' ';
  }
}

static void
blank_all(GString *text, const GArray *stretches) {
  for (guint i = 0; i < stretches->len; i++)
    blank(text, &g_array_index(stretches, Stretch, i));
}

static char *
make_device_text(const SmbProgram *program) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  GString *text = g_string_new(smb_source_text(program->source));
  blank_all(text, kernel->unread);
  blank_all(text, kernel_macros_overruled(kernel->macros));
  return g_string_free(text, FALSE);
}

const SmbFrontEnd smb_cuda_front_end = {
    .level = "text",
    .steps = "statements",
    .recognizes = recognize,
    .read = kernel_read,
    .free = kernel_free,
    .state_new = smb_walker_new,
    .state_free = smb_walker_free,
    .run = smb_walker_run,
    .argument = kernel_argument,
    .evaluate = evaluate_macros,
    .device_text = make_device_text,
    .unused_defines = find_unused_defines,
};
