// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/attribute.h"

#include <string.h>

// Most numbers of one attribute: bases of 20 bits in three dimensions are 60.
#define MAX_NUMBERS 256

static void
free_attribute(gpointer data) {
  SmbAttribute *attribute = data;
  g_free(attribute->key);
  g_array_unref(attribute->numbers);
  g_free(attribute);
}

static gboolean
parse_one(SmbNotation *notation, SmbAttribute *attribute, GError **error) {
  guint64 number;
  if (attribute->numbers->len == MAX_NUMBERS)
    return smb_notation_fail(notation, notation->at, error, "more than %d numbers", MAX_NUMBERS);
  if (!smb_notation_number(notation, 0, SMB_TILE_MAX_ELEMENTS, &number, error))
    return FALSE;
  g_array_append_val(attribute->numbers, number);
  return TRUE;
}

// '[' NUMBER (',' NUMBER)* ']', of a list of lists one
static gboolean
parse_row(SmbNotation *notation, SmbAttribute *attribute, GError **error) {
  guint before = attribute->numbers->len;
  guint32 at = notation->at;
  if (!smb_notation_open(notation, "[", error))
    return FALSE;
  do {
    if (!parse_one(notation, attribute, error))
      return FALSE;
  } while (smb_notation_take(notation, ","));
  guint length = attribute->numbers->len - before;
  if (attribute->n_rows > 0 && length != attribute->row_length)
    return smb_notation_fail(notation, at, error, "expected %u numbers, as before",
                             attribute->row_length);
  attribute->row_length = length;
  return smb_notation_close(notation, "]", error);
}

static gboolean
parse_attribute_list(SmbNotation *notation, SmbAttribute *attribute, GError **error) {
  if (!smb_notation_open(notation, "[", error))
    return FALSE;
  if (smb_notation_skip(notation) == ']')
    return smb_notation_close(notation, "]", error);
  do {
    if (smb_notation_skip(notation) != '[') {
      if (attribute->n_rows > 0)
        return smb_notation_expect(notation, "[", error);
      if (!parse_one(notation, attribute, error))
        return FALSE;
      continue;
    }
    if (attribute->numbers->len > 0 && attribute->n_rows == 0)
      return smb_notation_fail(notation, notation->at, error, "expected a number");
    if (!parse_row(notation, attribute, error))
      return FALSE;
    attribute->n_rows++;
  } while (smb_notation_take(notation, ","));
  return smb_notation_close(notation, "]", error);
}

gboolean
smb_attributes_skip(SmbNotation *notation, GError **error) {
  const char *text = smb_source_text(notation->source);
  guint open = 0;
  for (; notation->at < notation->end; notation->at++) {
    char c = text[notation->at];
    open += c == '<';
    if (c == '>' && --open == 0) {
      notation->at++;
      return TRUE;
    }
    if (open == 0 && !g_ascii_isalnum(c) && c != '_' && c != '.')
      break;
  }
  return smb_notation_fail(notation, notation->at, error,
                           "expected an encoding, with its '<' and '>'");
}

static gboolean
parse_value(SmbNotation *notation, SmbAttribute *attribute, GError **error) {
  char next = smb_notation_skip(notation);
  attribute->at = notation->at;
  if (next == '#') {
    attribute->encoding = ++notation->at;
    return smb_attributes_skip(notation, error);
  }
  if (next == '[')
    return parse_attribute_list(notation, attribute, error);
  if (g_ascii_isdigit(next))
    return parse_one(notation, attribute, error);
  guint64 truth = smb_notation_take(notation, "true");
  if (truth || smb_notation_take(notation, "false")) {
    g_array_append_val(attribute->numbers, truth);
    return TRUE;
  }
  return smb_notation_fail(notation, notation->at, error, "expected a number or a list");
}

// '{' NAME '=' value (',' …)* '}'; a value that is such a list again has names of both: "ctaLayout.warp".
static gboolean
parse_attributes(SmbNotation *notation, const char *prefix, GPtrArray *attributes, GError **error) {
  if (!smb_notation_open(notation, "{", error))
    return FALSE;
  if (smb_notation_skip(notation) == '}')
    return smb_notation_close(notation, "}", error);
  do {
    g_autofree char *name = smb_notation_word(notation);
    if (!*name)
      return smb_notation_fail(notation, notation->at, error, "expected the name of an attribute");
    if (!smb_notation_expect(notation, "=", error))
      return FALSE;
    g_autofree char *key = g_strconcat(prefix, name, NULL);
    if (smb_notation_skip(notation) == '{') {
      g_autofree char *inner = g_strconcat(key, ".", NULL);
      if (!parse_attributes(notation, inner, attributes, error))
        return FALSE;
      continue;
    }
    SmbAttribute *attribute = g_new0(SmbAttribute, 1);
    attribute->key = g_steal_pointer(&key);
    attribute->numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_ptr_array_add(attributes, attribute);
    if (!parse_value(notation, attribute, error))
      return FALSE;
  } while (smb_notation_take(notation, ","));
  return smb_notation_close(notation, "}", error);
}

GPtrArray *
smb_attributes_parse(SmbNotation *notation, GError **error) {
  g_autoptr(GPtrArray) attributes = g_ptr_array_new_with_free_func(free_attribute);
  return parse_attributes(notation, "", attributes, error) ? g_steal_pointer(&attributes) : NULL;
}

const SmbAttribute *
smb_attributes_find(const GPtrArray *attributes, const char *key) {
  for (guint i = 0; i < attributes->len; i++) {
    const SmbAttribute *attribute = attributes->pdata[i];
    if (strcmp(attribute->key, key) == 0)
      return attribute;
  }
  return NULL;
}

guint
smb_attributes_take(const GPtrArray *attributes, const SmbNotation *notation, guint32 at,
                    const char *key, guint n, guint64 least, guint64 most, guint64 *numbers,
                    GError **error) {
  const SmbAttribute *attribute = smb_attributes_find(attributes, key);
  if (!attribute) {
    smb_notation_fail(notation, at, error, "expected the attribute '%s'", key);
    return 0;
  }
  guint found = attribute->numbers->len;
  if (attribute->n_rows > 0 || found == 0 || (n && found != n) || found > SMB_TUPLE_MAX_RANK) {
    smb_notation_fail(notation, attribute->at, error, "expected %u number%s of '%s'",
                      n ? n : SMB_TUPLE_MAX_RANK, n == 1 ? "" : "s", key);
    return 0;
  }
  for (guint i = 0; i < found; i++) {
    numbers[i] = g_array_index(attribute->numbers, guint64, i);
    if (numbers[i] < least || numbers[i] > most) {
      smb_notation_fail(notation, attribute->at, error,
                        "expected numbers from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                        " of '%s'",
                        least, most, key);
      return 0;
    }
  }
  return found;
}

const SmbAttribute *
smb_attributes_bases(const GPtrArray *attributes, const SmbNotation *notation, guint32 at,
                     const char *key, guint *rank, GError **error) {
  const SmbAttribute *attribute = smb_attributes_find(attributes, key);
  if (!attribute) {
    smb_notation_fail(notation, at, error, "expected the attribute '%s'", key);
    return NULL;
  }
  gboolean is_empty = attribute->numbers->len == 0;
  *rank = *rank || is_empty ? *rank : attribute->row_length;
  if (is_empty ||
      (attribute->n_rows > 0 && attribute->row_length == *rank && *rank <= SMB_TUPLE_MAX_RANK))
    return attribute;
  smb_notation_fail(notation, attribute->at, error, "expected a list of coordinates of '%s'", key);
  return NULL;
}
