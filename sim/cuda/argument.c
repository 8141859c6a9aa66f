// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The scalar parameters of a kernel: their values as text, as constants, and as the bytes that a launch
// is given.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/scalar.h"
#include "sim/cuda/run/compute.h"
#include "sim/cuda/parse/parse.h"
#include "sim/cuda/run/walk.h"

G_GNUC_PRINTF(2, 3)
static gboolean
refuse_argument(GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_propagate_error(error, g_error_new_valist(SMB_ERROR, SMB_ERROR_USAGE, format, args));
  va_end(args);
  return FALSE;
}

// Reads the whole of @text as a number. Returns: whether it is one; @fits: whether 64 bits of its sign hold it.
static gboolean
read_integer(const char *text, gboolean is_unsigned, gint64 *integer, gboolean *fits) {
  gboolean negative = text[0] == '-';
  char *end;
  if (!g_ascii_isdigit(text[negative]))
    return FALSE;
  errno = 0;
  guint64 number = g_ascii_strtoull(text + negative, &end, 0);
  guint64 most = negative      ? is_unsigned ? 0 : (guint64)G_MAXINT64 + 1
                 : is_unsigned ? G_MAXUINT64
                               : G_MAXINT64;
  *fits = errno != ERANGE && number <= most;
  *integer = (gint64)(negative ? 0 - number : number);
  return *end == '\0';
}

static double
round_half(const Type *type, double real) {
  SmbScalar scalar = smb_cuda_scalar(type->kind);
  return smb_half_to_real(scalar, smb_half_from_real(scalar, real));
}

gboolean
smb_cuda_argument_parse(const SmbKernel *kernel, const Variable *parameter, const char *text,
                        Node *constant, GError **error) {
  const Type *type = parameter->type;
  gboolean is_number, fits = TRUE;
  if (!text)
    return refuse_argument(error, "parameter '%s' of '%s' needs a value: --arg %s=VALUE",
                           parameter->name, kernel->entry->name, parameter->name);
  constant->kind = NODE_CONSTANT;
  constant->type = type;
  if (smb_type_is_real(type)) {
    char *end;
    errno = 0;
    constant->real = g_ascii_strtod(text, &end);
    is_number = end != text && *end == '\0';
    fits = errno != ERANGE || fabs(constant->real) < 1; // too small is 0, or nearly
    if (isfinite(constant->real) && smb_type_is_half(type))
      fits = fits && isfinite(round_half(type, constant->real));
    else if (isfinite(constant->real) && type->kind == KIND_FLOAT)
      fits = fits && isfinite((float)constant->real);
  } else if (smb_type_is_integer(type)) {
    is_number = read_integer(text, smb_type_is_unsigned(type), &constant->integer, &fits);
    fits =
        fits && (!is_number || smb_cuda_wrap(type->kind, constant->integer) == constant->integer);
  } else {
    return refuse_argument(error, "parameter '%s' cannot be given a value: only numbers can",
                           parameter->name);
  }
  if (!is_number)
    return refuse_argument(error, "argument '%s=%s': expected a number", parameter->name, text);
  if (!fits)
    return refuse_argument(error, "argument '%s=%s' does not fit its type, %s", parameter->name,
                           text, type->name);
  return TRUE;
}

GBytes *
smb_kernel_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                    GError **error) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  const Variable *variable = kernel->entry->parameters[parameter];
  const Type *type = variable->type;
  Node constant = {0};
  if (!smb_cuda_argument_parse(kernel, variable, smb_argument_find(arguments, program, parameter),
                               &constant, error))
    return NULL;
  guchar bytes[8];
  SmbScalar scalar = smb_cuda_scalar(type->kind);
  if (smb_type_is_real(type))
    smb_scalar_encode_real(scalar, constant.real, bytes);
  else
    smb_scalar_encode_whole(scalar, (guint64)constant.integer, bytes);
  return g_bytes_new(bytes, type->size);
}
