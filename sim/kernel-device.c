// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What of a kernel's file a compiler is given, so that it compiles what is evaluated here.
#include <math.h>
#include <string.h>

#include "sim/kernel-ast.h"
#include "sim/kernel-macro.h"

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

char *
smb_program_device_text(const SmbProgram *kernel) {
  GString *text = g_string_new(smb_source_text(kernel->source));
  blank_all(text, kernel->host);
  blank_all(text, kernel_macros_overruled(kernel->macros));
  for (guint i = 0; i < kernel->functions->len; i++) {
    const Function *function = g_ptr_array_index(kernel->functions, i);
    if (function->is_kernel && function != kernel->entry)
      blank(text, &function->text);
  }
  return g_string_free(text, FALSE);
}

gsize
smb_program_buffer_element(const SmbProgram *kernel, guint parameter) {
  const Type *type = kernel->entry->parameters[parameter]->type;
  g_return_val_if_fail(type->kind == KIND_POINTER, 0);
  const Type *element = type_component(type->of);
  return type_is_arithmetic(element) ? element->size : 1;
}

void
smb_program_canonical_values(const SmbProgram *kernel, guint parameter, gpointer bytes,
                             gsize length) {
  const Type *type = kernel->entry->parameters[parameter]->type;
  g_return_if_fail(type->kind == KIND_POINTER);
  TypeKind kind = type_component(type->of)->kind;
  static const guint32 single_nan = 0x7fffffff;
  static const guint64 double_nan = G_GUINT64_CONSTANT(0x7ff8000000000000);
  guchar *at = bytes;
  for (gsize i = 0; kind == KIND_FLOAT && i + sizeof(float) <= length; i += sizeof(float)) {
    float value;
    memcpy(&value, at + i, sizeof value);
    if (isnan(value))
      memcpy(at + i, &single_nan, sizeof single_nan);
  }
  for (gsize i = 0; kind == KIND_DOUBLE && i + sizeof(double) <= length; i += sizeof(double)) {
    double value;
    memcpy(&value, at + i, sizeof value);
    if (isnan(value))
      memcpy(at + i, &double_nan, sizeof double_nan);
  }
}
