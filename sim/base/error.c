// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/error.h"

G_DEFINE_QUARK(smb - error, smb_error)

gboolean
smb_fail(GError **error, GQuark domain, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(domain, code, format, arguments));
  va_end(arguments);
  return FALSE;
}
