// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Errors with hints: what the user could give so that the run succeeds.
#include "sim/base/error.h"

#include "sim/base/text.h"

typedef struct {
  GArray *hints; // SmbHint; NULL: none
} SmbErrorPrivate;

static void
smb_error_private_init(G_GNUC_UNUSED SmbErrorPrivate *own) {
}

static void
add_hint(GArray **hints, const SmbHint *hint, guint line) {
  if (!*hints)
    *hints = smb_hints_new();
  SmbHint copy = smb_hint_copy(hint);
  copy.line += line;
  g_array_append_val(*hints, copy);
}

static void
smb_error_private_copy(const SmbErrorPrivate *from, SmbErrorPrivate *to) {
  for (guint i = 0; from->hints && i < from->hints->len; i++)
    add_hint(&to->hints, &g_array_index(from->hints, SmbHint, i), 0);
}

static void
smb_error_private_clear(SmbErrorPrivate *own) {
  g_clear_pointer(&own->hints, g_array_unref);
}

G_DEFINE_EXTENDED_ERROR(SmbError, smb_error)

const char *
smb_hint_name(SmbHintKind kind) {
  static const char *const names[] = {
      [SMB_HINT_NONE] = "none",
      [SMB_HINT_ARGUMENT] = "argument",
      [SMB_HINT_FIELDS] = "fields",
      [SMB_HINT_BUFFER] = "buffer",
      [SMB_HINT_OFFSET] = "offset",
      [SMB_HINT_BLOCK] = "block",
      [SMB_HINT_DYNAMIC_BYTES] = "dynamic_bytes",
      [SMB_HINT_ENTRY] = "entry",
      [SMB_HINT_INSTANCE] = "instance",
      [SMB_HINT_ARCH] = "arch",
      [SMB_HINT_WAVE] = "wave",
      [SMB_HINT_LIMIT] = "limit",
      [SMB_HINT_SMALLER] = "smaller",
      [SMB_HINT_KERNELS] = "kernels",
      [SMB_HINT_NAMES] = "names",
      [SMB_HINT_UNKNOWN] = "unknown",
  };
  return names[kind];
}

SmbHint
smb_hint_copy(const SmbHint *hint) {
  return (SmbHint){hint->kind, g_strdup(hint->name), g_strdup(hint->value), hint->line};
}

void
smb_hint_clear(SmbHint *hint) {
  g_free(hint->name);
  g_free(hint->value);
  *hint = (SmbHint){.kind = SMB_HINT_NONE};
}

static void
clear_hint(gpointer hint) {
  smb_hint_clear(hint);
}

GArray *
smb_hints_new(void) {
  GArray *hints = g_array_new(FALSE, FALSE, sizeof(SmbHint));
  g_array_set_clear_func(hints, clear_hint);
  return hints;
}

static SmbErrorPrivate *
find_private(const GError *error) {
  return error && error->domain == SMB_ERROR ? smb_error_get_private(error) : NULL;
}

gboolean
smb_hint(GError **error, SmbHintKind kind, const char *name, const char *value) {
  SmbErrorPrivate *own = find_private(error ? *error : NULL);
  const SmbHint hint = {kind, (char *)name, (char *)value, 0};
  if (own)
    add_hint(&own->hints, &hint, 0);
  return FALSE;
}

const SmbHint *
smb_error_hint(const GError *error, guint index) {
  const SmbErrorPrivate *own = find_private(error);
  return own && own->hints && index < own->hints->len ? &g_array_index(own->hints, SmbHint, index)
                                                      : NULL;
}

void
smb_error_add_hints(GError *error, const GError *from, guint line) {
  SmbErrorPrivate *own = find_private(error);
  const SmbHint *hint;
  for (guint i = 0; own && (hint = smb_error_hint(from, i)); i++)
    add_hint(&own->hints, hint, line);
}

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
