// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The parameters of a compiled kernel: bytes at the places that the code says. A compiled kernel says how many bytes a
// parameter has, and little of its type.
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/exec/exec.h"

G_GNUC_PRINTF(2, 3)
static GBytes *
refuse_code_argument(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = smb_text_format(format, arguments);
  va_end(arguments);
  g_set_error_literal(error, SMB_ERROR, SMB_ERROR_USAGE, message);
  return NULL;
}

GBytes *
smb_code_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                  GError **error) {
  static const SmbScalar reals[] = {
      [2] = SMB_SCALAR_F16, [4] = SMB_SCALAR_F32, [8] = SMB_SCALAR_F64};
  static const SmbScalar integers[] = {
      [1] = SMB_SCALAR_I8, [2] = SMB_SCALAR_I16, [4] = SMB_SCALAR_I32, [8] = SMB_SCALAR_I64};
  const Code *code = (const Code *)program;
  const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, parameter);
  const char *given = smb_argument_given(arguments, program, parameter);
  if (!given) {
    g_autofree char *described = smb_program_describe_parameter(program, parameter);
    g_autofree char *key = smb_program_parameter_key(program, parameter);
    refuse_code_argument(error, "%s of '%s' needs a value", described, program->name);
    smb_hint(error, SMB_HINT_ARGUMENT, key, NULL);
    return NULL;
  }
  // Named as the user named it: a compiler's name for a parameter means nothing to the user.
  const char *text = strchr(given, '=') + 1;
  g_autofree char *name = g_strndup(given, (gsize)(text - 1 - given));
  if (smb_argument_is_raw(text))
    return smb_argument_raw(name, text, place->bytes, error);
  const SmbParameter declared = smb_program_parameter(program, parameter);
  if (declared.is_number)
    return smb_argument_number(name, text, declared.scalar, error);
  if (place->bytes > 8 || place->bytes & (place->bytes - 1))
    return refuse_code_argument(error,
                                "parameter '%s' has %" G_GSIZE_FORMAT
                                " bytes: expected raw: and hexadecimal digits, or @FILE",
                                name, place->bytes);
  gboolean is_written_real =
      place->is_untyped && !g_str_has_prefix(text, "0x") && strpbrk(text, ".eEnN");
  gboolean is_real = (place->is_real || is_written_real) && place->bytes > 1;
  return smb_argument_number(name, text, (is_real ? reals : integers)[place->bytes], error);
}

static void
put_parameter_bytes(Parameters *parameters, gsize offset, gconstpointer value, gsize length) {
  memcpy(parameters->bytes + offset, value, length);
  memset(parameters->marks + offset, MARK_KNOWN, length);
}

// For a parameter of which only fields are said, the rest is not known; nor is a tensor map that is not given.
static gboolean
put_parameter(Parameters *parameters, const Code *code, const SmbBlock *block,
              const SmbLaunch *launch, guint p, GError **error) {
  const SmbProgram *program = &code->program;
  const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, p);
  if (smb_launch_is_pointer(launch, program, p)) {
    guint64 pointer = smb_block_buffer(block, p);
    put_parameter_bytes(parameters, place->offset, &pointer, MIN(place->bytes, sizeof pointer));
    return TRUE;
  }
  const SmbParameter parameter = smb_program_parameter(program, p);
  if ((smb_launch_has_field(launch, program, p) || parameter.members || parameter.is_tensor_map) &&
      !smb_argument_given(launch->arguments, program, p)) {
    memset(parameters->marks + place->offset, 0, place->bytes);
    return TRUE;
  }
  g_autoptr(GBytes) value = smb_code_argument(program, p, launch->arguments, error);
  if (!value)
    return FALSE;
  put_parameter_bytes(parameters, place->offset, g_bytes_get_data(value, NULL), place->bytes);
  return TRUE;
}

// All of them at once.
static void
put_all_parameters(Parameters *parameters, GBytes *given) {
  gsize length;
  gconstpointer bytes = g_bytes_get_data(given, &length);
  if (MIN(length, parameters->length) > 0)
    memcpy(parameters->bytes, bytes, MIN(length, parameters->length));
}

gboolean
smb_parameters_set(Parameters *parameters, const Code *code, const SmbBlock *block,
                   const SmbLaunch *launch, GError **error) {
  parameters->length = code->parameter_bytes;
  parameters->bytes = g_malloc0(parameters->length);
  parameters->marks = g_malloc(parameters->length);
  if (parameters->length > 0)
    memset(parameters->marks, MARK_KNOWN, parameters->length);
  parameters->fields = smb_launch_fields(launch, &code->program, error);
  if (!parameters->fields)
    return FALSE;
  if (launch->parameters)
    put_all_parameters(parameters, launch->parameters);
  for (guint p = 0; !launch->parameters && p < code->places->len; p++) {
    if (!put_parameter(parameters, code, block, launch, p, error))
      return FALSE;
  }
  for (guint i = 0; i < parameters->fields->len; i++) {
    const SmbField *field = &g_array_index(parameters->fields, SmbField, i);
    gsize length, offset = g_array_index(code->places, ParameterPlace, field->parameter).offset;
    gconstpointer value = g_bytes_get_data(field->value, &length);
    put_parameter_bytes(parameters, offset + field->offset, value, length);
  }
  return TRUE;
}

void
smb_parameters_clear(Parameters *parameters) {
  g_free(parameters->bytes);
  g_free(parameters->marks);
  g_clear_pointer(&parameters->fields, g_array_unref);
}
