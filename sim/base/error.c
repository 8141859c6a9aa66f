// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/error.h"

#include "sim/base/text.h"

G_DEFINE_QUARK(smb - error, smb_error)

gboolean
smb_fail(GError **error, GQuark domain, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = smb_text_format(format, arguments);
  va_end(arguments);
  g_set_error_literal(error, domain, code, message);
  return FALSE;
}

void
smb_prefix_error(GError **error, const char *format, ...) {
  if (!error || !*error)
    return;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *prefix = smb_text_format(format, arguments);
  va_end(arguments);
  g_autofree char *message = (*error)->message;
  (*error)->message = g_strconcat(prefix, message, NULL);
}
