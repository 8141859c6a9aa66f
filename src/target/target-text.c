// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A target with another text, or through a compiler: launched alike.
#include <string.h>

#include "sim/launch/argument.h"
#include "sim/launch/field.h"
#include "src/target/target-impl.h"
#include "src/target/target.h"

// @target, with another text to come and without buffers.
static SmbTarget *
copy_target(const SmbTarget *target, gsize dynamic_bytes) {
  SmbTarget *other = g_new0(SmbTarget, 1);
  other->name = g_strdup(target->name);
  other->shape = g_strdup(target->shape);
  other->entry = g_strdup(smb_program_name(target->kernel));
  other->launch = target->launch;
  other->launch.buffers = NULL;
  other->launch.shapes = NULL;
  other->options = target->options;
  other->frames = target->frames;
  other->folders = g_strdupv(target->folders);
  other->nvcc = g_strdup(target->compiled && !target->nvcc ? "" : target->nvcc);
  other->as_text = !target->compiled;
  other->is_text_only = target->is_text_only;
  other->instance = g_strdup(target->instance);
  other->compile_seconds = target->compile_seconds;
  other->files = target->files;
  other->compiles_anew = target->compiles_anew;
  other->defines = g_strdupv(target->defines);
  other->launch.dynamic_bytes = dynamic_bytes;
  return other;
}

static gboolean
finish_text(SmbTarget *target, const char *file, const char *text, gsize length,
            const SmbArch *arch, GError **error) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, length);
  g_autoptr(SmbSource) source = smb_source_new(file, bytes, error);
  return source && smb_target_finish(target, source, arch, NULL, error);
}

// @batch: (nullable): that @text is form @form of
static SmbTarget *
replace_text(const SmbTarget *target, const char *text, SmbBatch *batch, guint form,
             gsize dynamic_bytes, const SmbArch *arch, GError **error) {
  g_autoptr(SmbTarget) other = copy_target(target, dynamic_bytes);
  other->batch = batch;
  other->form = form;
  if (target->launch.buffers)
    other->launch.buffers = g_ptr_array_ref(target->launch.buffers);
  other->args = g_strdupv(target->args);
  other->buffers = g_strdupv(target->buffers);
  gboolean good = finish_text(other, target->file, text, strlen(text), arch, error);
  return good ? g_steal_pointer(&other) : NULL;
}

SmbTarget *
smb_target_with_text(const SmbTarget *target, const char *text, gsize dynamic_bytes,
                     const SmbArch *arch, GError **error) {
  return replace_text(target, text, NULL, 0, dynamic_bytes, arch, error);
}

// The contents of a pointer's buffer, for compiled code, whose pointers are to bytes.
static char *
describe_buffer(const SmbTarget *target, const SmbParameter *parameter, guint index) {
  static const char *const types[] = {
      [SMB_SCALAR_BOOL] = "i8", [SMB_SCALAR_I8] = "i8",     [SMB_SCALAR_U8] = "i8",
      [SMB_SCALAR_I16] = "i16", [SMB_SCALAR_U16] = "i16",   [SMB_SCALAR_I32] = "i32",
      [SMB_SCALAR_U32] = "i32", [SMB_SCALAR_I64] = "i64",   [SMB_SCALAR_U64] = "i64",
      [SMB_SCALAR_F16] = "f16", [SMB_SCALAR_BF16] = "bf16", [SMB_SCALAR_F32] = "f32",
      [SMB_SCALAR_F64] = "f64"};
  const SmbBuffer *buffer = smb_launch_buffer(&target->launch, parameter->name, index);
  const char *at = buffer ? strrchr(buffer->spec, '@') : NULL;
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%u=", index);
  if (buffer && !buffer->is_default)
    g_string_append_len(text, buffer->spec, at ? at - buffer->spec : -1);
  else
    g_string_append_printf(text, "iota:%s", types[parameter->element]);
  if (at)
    g_string_append_printf(text, "@%" G_GUINT64_FORMAT, buffer->offset * parameter->element_bytes);
  return g_string_free(text, FALSE);
}

// A structure of which fields are given, as bytes: "2=raw:HEXBYTES"; NULL: not all of them are (transfer full).
static char *
describe_fields(const SmbTarget *target, guint index) {
  g_autoptr(GBytes) bytes =
      smb_launch_has_field(&target->launch, target->kernel, index)
          ? smb_program_argument(target->kernel, index, target->launch.arguments, NULL)
          : NULL;
  gsize length = 0;
  const guint8 *at = bytes ? g_bytes_get_data(bytes, &length) : NULL;
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%u=raw:", index);
  for (gsize i = 0; i < length; i++)
    g_string_append_printf(text, "%02x", at[i]);
  return g_string_free(text, !bytes);
}

// Whether contents of buffers that were not given decide something that a text asks for. If not, compiled code needs none: what it asks for is known
// without, and blocks whose data differ are alike.
static gboolean
needs_contents(const SmbTarget *target) {
  for (guint site = 0; site < smb_program_n_sites(target->kernel); site++) {
    gboolean address = FALSE;
    if (smb_launch_data_source(&target->launch, target->kernel, site, &address))
      return TRUE;
  }
  return FALSE;
}

// What the parameters are given, by their numbers: compiled code has no names.
static void
number_parameters(const SmbTarget *target, SmbTarget *compiled) {
  g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func(g_free);
  const gboolean needs = target->compares_values || needs_contents(target);
  for (guint i = 0; i < smb_program_n_parameters(target->kernel); i++) {
    const SmbParameter parameter = smb_program_parameter(target->kernel, i);
    const gboolean is_given = smb_launch_buffer(&target->launch, parameter.name, i) != NULL;
    const char *value = smb_argument_find(target->launch.arguments, target->kernel, i);
    char *fields = describe_fields(target, i);
    if (fields)
      g_ptr_array_add(args, fields);
    else if (smb_launch_is_pointer(&target->launch, target->kernel, i)) {
      if (needs || is_given)
        g_ptr_array_add(buffers, describe_buffer(target, &parameter, i));
    } else if (value)
      g_ptr_array_add(args, g_strdup_printf("%u=%s", i, value));
  }
  g_ptr_array_add(args, NULL);
  g_ptr_array_add(buffers, NULL);
  compiled->args = g_strdupv((char **)args->pdata);
  compiled->buffers = g_strdupv((char **)buffers->pdata);
}

// @batch: (nullable): that @text is form @form of
static SmbTarget *
compile_text(const SmbTarget *target, const char *text, SmbBatch *batch, guint form,
             gsize dynamic_bytes, const SmbArch *arch, GError **error) {
  g_autoptr(SmbTarget) other = copy_target(target, dynamic_bytes);
  other->batch = batch;
  other->form = form;
  const SmbSource *source = smb_program_source(target->kernel);
  if (!other->nvcc)
    other->nvcc = g_strdup("");
  other->as_text = other->is_text_only = FALSE;
  number_parameters(target, other);
  if (!finish_text(other, target->file, text ? text : smb_source_text(source),
                   text ? strlen(text) : smb_source_length(source), arch, error))
    return NULL;
  return g_steal_pointer(&other);
}

SmbTarget *
smb_target_compile(const SmbTarget *target, const char *text, gsize dynamic_bytes,
                   const SmbArch *arch, GError **error) {
  return compile_text(target, text, NULL, 0, dynamic_bytes, arch, error);
}

SmbTarget *
smb_target_compile_form(const SmbTarget *target, SmbBatch *batch, guint form, gsize dynamic_bytes,
                        const SmbArch *arch, GError **error) {
  return (target->compiled ? replace_text : compile_text)(target, smb_batch_text(batch, form),
                                                          batch, form, dynamic_bytes, arch, error);
}

SmbTarget *
smb_target_with_code(const SmbTarget *target, SmbSource *code, const SmbArch *arch,
                     GError **error) {
  g_autoptr(SmbTarget) other = copy_target(target, target->launch.dynamic_bytes);
  number_parameters(target, other);
  return smb_target_finish(other, code, arch, NULL, error) ? g_steal_pointer(&other) : NULL;
}
