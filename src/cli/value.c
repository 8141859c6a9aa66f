// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The parsers of option values. Each names the option, quotes the value and says what was expected.
#include "src/cli/cli.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

gboolean
smb_cli_usage_error(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = smb_text_format(format, arguments);
  va_end(arguments);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%-s", message);
}

gboolean
smb_cli_number64(const char *option, const char *text, guint64 min, guint64 max, guint64 *value,
                 GError **error) {
  if (!text || g_ascii_string_to_unsigned(text, 10, min, max, value, NULL))
    return TRUE;
  return smb_cli_usage_error(
      error, "%s '%s': expected a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
      option, text, min, max);
}

gboolean
smb_cli_number(const char *option, const char *text, guint min, guint max, guint *value,
               GError **error) {
  guint64 number = *value;
  if (!smb_cli_number64(option, text, min, max, &number, error))
    return FALSE;
  *value = (guint)number;
  return TRUE;
}

gboolean
smb_cli_triple(const char *option, const char *text, const guint max[3], guint values[3],
               GError **error) {
  if (!text)
    return TRUE;
  g_auto(GStrv) parts = g_strsplit_set(text, ",x", -1);
  guint n = g_strv_length(parts);
  guint64 numbers[3] = {1, 1, 1};
  gboolean good = n >= 1 && n <= 3;
  for (guint i = 0; good && i < n; i++)
    good = g_ascii_string_to_unsigned(parts[i], 10, 1, max[i], &numbers[i], NULL);
  if (!good)
    return smb_cli_usage_error(error,
                               "%s '%s': expected X, X,Y or X,Y,Z: whole numbers from 1 to %u, %u "
                               "and %u",
                               option, text, max[0], max[1], max[2]);
  for (guint i = 0; i < 3; i++)
    values[i] = (guint)numbers[i];
  return TRUE;
}

char *
smb_cli_list(const char *const *names, const char *last) {
  GString *list = g_string_new(NULL);
  for (guint i = 0; names[i]; i++)
    g_string_append_printf(list, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : last, names[i]);
  return g_string_free(list, FALSE);
}

gboolean
smb_cli_choice(const char *option, const char *text, const char *choices, guint *value,
               GError **error) {
  if (!text)
    return TRUE;
  g_auto(GStrv) names = g_strsplit(choices, "|", -1);
  for (guint i = 0; names[i]; i++) {
    if (strcmp(names[i], text) == 0) {
      *value = i;
      return TRUE;
    }
  }
  g_autofree char *list = smb_cli_list((const char *const *)names, " or ");
  return smb_cli_usage_error(error, "%s '%s': expected %s", option, text, list);
}
