// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/json-member.h"

#include <math.h>
#include <string.h>

#include "sim/base/error.h"

// Bytes of a wrong value that a message quotes.
enum {
  MAX_QUOTED = 40
};

// Digits that a double needs at least and at most (IEC 60559: 15 always survive, 17 always suffice).
enum {
  MIN_DIGITS = 15,
  MAX_DIGITS = 17
};

// What json-glib calls a text that is in no file.
static const char data_prefix[] = "<data>";

static void
describe_json_place(const SmbPlace *place, GString *text) {
  if (place->above)
    describe_json_place(place->above, text);
  if (!place->name)
    g_string_append_printf(text, "[%u]", place->index);
  else if (!place->above)
    g_string_append_printf(text, "%s: ", place->name);
  else
    g_string_append_printf(text, "%s%s", place->above->above ? "." : "", place->name);
}

gboolean
smb_member_fail(const SmbPlace *place, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autoptr(GString) text = g_string_new(NULL);
  describe_json_place(place, text);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s%s%s", text->str, place->above ? ": " : "",
                  reason);
}

gboolean
smb_member_expected(const SmbPlace *place, JsonNode *node, GError **error, const char *what) {
  g_autofree char *json = json_to_string(node, FALSE);
  gboolean cut = strlen(json) > MAX_QUOTED;
  g_autofree char *quoted = g_strndup(json, MAX_QUOTED);
  char *end = cut ? g_utf8_find_prev_char(quoted, quoted + MAX_QUOTED) : NULL;
  if (end && g_utf8_get_char_validated(end, -1) == (gunichar)-2)
    *end = '\0'; // a character that was cut in two
  return smb_member_fail(place, error, "%s%s: expected %s", quoted, cut ? "…" : "", what);
}

static gboolean
holds(JsonNode *node, GType type) {
  return JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

static gboolean
read_json_integer(const SmbPlace *place, JsonNode *node, gint64 min, gint64 max, gint64 *number,
                  GError **error) {
  *number = holds(node, G_TYPE_INT64) ? json_node_get_int(node) : G_MININT64;
  if (*number >= min && *number <= max)
    return TRUE;
  g_autofree char *what =
      max == G_MAXINT64
          ? g_strdup_printf("a whole number from %" G_GINT64_FORMAT, min)
          : g_strdup_printf("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min,
                            max);
  return smb_member_expected(place, node, error, what);
}

static gboolean
is_known(const SmbMember *members, guint n, const char *name) {
  for (guint i = 0; i < n; i++) {
    if (strcmp(members[i].name, name) == 0)
      return TRUE;
  }
  return FALSE;
}

// An array of as many values as a struct has.
static gboolean read_tuple(const SmbPlace *place, JsonNode *node, const SmbMembers *of,
                           gpointer target, GError **error);

static gboolean
read_rows(const SmbPlace *place, JsonNode *node, const SmbMembers *of, GArray *rows,
          GError **error) {
  JsonArray *array = json_node_get_array(node);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    JsonNode *object = json_array_get_element(array, i);
    g_array_set_size(rows, rows->len + 1);
    gpointer row = rows->data + (rows->len - 1) * of->size;
    if (of->blank)
      memcpy(row, of->blank, of->size);
    if (!(of->picks ? smb_members_pick : smb_members_read)(&element, object, of->members, of->n,
                                                           row, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_members_read_value(const SmbPlace *place, JsonNode *node, const SmbMembers *of, gpointer target,
                       GError **error) {
  GArray **rows = target;
  if (of->is_object)
    return (of->picks ? smb_members_pick : smb_members_read)(place, node, of->members, of->n,
                                                             target, error);
  if (of->size == 0)
    return read_tuple(place, node, of, target, error);
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array");
  if (!*rows) {
    *rows = g_array_new(FALSE, TRUE, (guint)of->size);
    g_array_set_clear_func(*rows, of->clear);
  }
  return read_rows(place, node, of, *rows, error);
}

void
smb_members_write_value(GString *json, const SmbMembers *of, gconstpointer value) {
  const GArray *rows = of->size ? *(GArray *const *)value : NULL;
  const char *separator = of->separator ? of->separator : ",";
  g_string_append_c(json, of->is_object ? '{' : '[');
  if (of->is_object)
    smb_members_write(json, of->members, of->n, value, separator);
  for (guint i = 0; rows && i < rows->len; i++) {
    g_string_append_printf(json, "%s%s{", i ? "," : "", of->line ? of->line : "");
    smb_members_write(json, of->members, of->n, rows->data + i * of->size, separator);
    g_string_append_c(json, '}');
  }
  for (guint i = 0; !of->size && !of->is_object && i < of->n; i++) {
    g_string_append(json, i ? "," : "");
    of->members[i].write(json, (const char *)value + of->members[i].offset);
  }
  g_string_append_c(json, of->is_object ? '}' : ']');
}

// One of some words.
static gboolean
read_json_word(const SmbPlace *place, JsonNode *node, const char *const *words, guint *index,
               GError **error) {
  g_autofree char *all = g_strjoinv(", ", (GStrv)(gpointer)words);
  g_autofree char *what = g_strdup_printf("one of %s", all);
  for (*index = 0; holds(node, G_TYPE_STRING) && words[*index]; (*index)++) {
    if (strcmp(words[*index], json_node_get_string(node)) == 0)
      return TRUE;
  }
  return smb_member_expected(place, node, error, what);
}

// A value that is there.
static gboolean
read_member(const SmbPlace *place, JsonNode *node, const SmbMember *member, gpointer object,
            GError **error) {
  gpointer target = (char *)object + member->offset;
  gint64 number = 0;
  if (member->of)
    return smb_members_read_value(place, node, member->of, target, error);
  if (member->words)
    return read_json_word(place, node, member->words, target, error);
  if (!member->most)
    return !member->read || member->read(place, node, target, error);
  if (!read_json_integer(place, node, 0, member->most, &number, error))
    return FALSE;
  *(guint *)target = (guint)number;
  return TRUE;
}

static gboolean
read_tuple(const SmbPlace *place, JsonNode *node, const SmbMembers *of, gpointer target,
           GError **error) {
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  g_autofree char *what = g_strdup_printf("an array of %u values", of->n);
  if (!array || json_array_get_length(array) != of->n)
    return smb_member_expected(place, node, error, what);
  for (guint i = 0; i < of->n; i++) {
    SmbPlace element = {place, NULL, i};
    if (!read_member(&element, json_array_get_element(array, i), &of->members[i], target, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_members_read(const SmbPlace *place, JsonNode *node, const SmbMember *members, guint n,
                 gpointer target, GError **error) {
  JsonObjectIter iter;
  const char *name;
  if (JSON_NODE_HOLDS_OBJECT(node))
    json_object_iter_init_ordered(&iter, json_node_get_object(node));
  while (JSON_NODE_HOLDS_OBJECT(node) && json_object_iter_next_ordered(&iter, &name, NULL)) {
    if (!is_known(members, n, name))
      return smb_member_fail(&(SmbPlace){place, name, 0}, error, "no such member");
  }
  return smb_members_pick(place, node, members, n, target, error);
}

gboolean
smb_members_pick(const SmbPlace *place, JsonNode *node, const SmbMember *members, guint n,
                 gpointer target, GError **error) {
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return smb_member_expected(place, node, error, "an object");
  JsonObject *object = json_node_get_object(node);
  for (guint i = 0; i < n; i++) {
    SmbPlace below = {place, members[i].name, 0};
    JsonNode *value = json_object_get_member(object, members[i].name);
    gboolean absent = !value || JSON_NODE_HOLDS_NULL(value);
    if (absent && members[i].need == MEMBER_REQUIRED)
      return smb_member_fail(&below, error, "missing");
    if (!absent && !read_member(&below, value, &members[i], target, error))
      return FALSE;
  }
  return TRUE;
}

void
smb_members_write(GString *json, const SmbMember *members, guint n, gconstpointer object,
                  const char *separator) {
  const char *before = "";
  for (guint i = 0; i < n; i++) {
    gsize length = json->len;
    gconstpointer value = (const char *)object + members[i].offset;
    if (!members[i].write && !members[i].of && !members[i].words)
      continue;
    g_string_append_printf(json, "%s\"%s\": ", before, members[i].name);
    gboolean written = members[i].of || members[i].words || members[i].write(json, value);
    if (members[i].of)
      smb_members_write_value(json, members[i].of, value);
    if (members[i].words)
      g_string_append_printf(json, "\"%s\"", members[i].words[*(const guint *)value]);
    if (!written && members[i].need == MEMBER_ABSENT) {
      g_string_truncate(json, length);
      continue;
    }
    g_string_append(json, written ? "" : "null");
    before = separator;
  }
}

void
smb_members_add(const SmbMember *members, guint n, gpointer into, gconstpointer more) {
  for (guint i = 0; i < n; i++) {
    gpointer sum = (char *)into + members[i].offset;
    gconstpointer other = (const char *)more + members[i].offset;
    if (members[i].add)
      members[i].add(sum, other);
    else if (members[i].of && members[i].of->size == 0)
      smb_members_add(members[i].of->members, members[i].of->n, sum, other);
  }
}

gboolean
smb_members_equal(const SmbMember *members, guint n, gconstpointer a, gconstpointer b) {
  g_autoptr(GString) text = g_string_new(NULL), other = g_string_new(NULL);
  smb_members_write(text, members, n, a, ",");
  smb_members_write(other, members, n, b, ",");
  return g_string_equal(text, other);
}

void
smb_add_count(gpointer into, gconstpointer more) {
  *(guint64 *)into += *(const guint64 *)more;
}

void
smb_add_number(gpointer into, gconstpointer more) {
  *(double *)into += *(const double *)more;
}

void
smb_add_most(gpointer into, gconstpointer more) {
  *(guint *)into = MAX(*(guint *)into, *(const guint *)more);
}

void
smb_add_flag(gpointer into, gconstpointer more) {
  *(gboolean *)into |= *(const gboolean *)more;
}

// Control characters are refused: recordings come from other people, and could control a terminal.
static gboolean
has_controls(const char *text) {
  for (; *text; text++) {
    if ((guchar)*text < 0x20 || *text == 0x7f)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_member_text(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (holds(node, G_TYPE_STRING) && has_controls(json_node_get_string(node)))
    return smb_member_expected(place, node, error, "a string without control characters");
  return smb_member_words(place, node, target, error);
}

gboolean
smb_member_words(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  char **words = target;
  if (!holds(node, G_TYPE_STRING))
    return smb_member_expected(place, node, error, "a text");
  g_free(*words);
  *words = g_strdup(json_node_get_string(node));
  return TRUE;
}

gboolean
smb_member_kept(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  const SmbPlace *document = place;
  while (document->above)
    document = document->above;
  if (!holds(node, G_TYPE_STRING))
    return smb_member_expected(place, node, error, "a text");
  *(const char **)target = g_string_chunk_insert_const(document->texts, json_node_get_string(node));
  return TRUE;
}

gboolean
smb_member_object(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  *(JsonNode **)target = node;
  return JSON_NODE_HOLDS_OBJECT(node) || smb_member_expected(place, node, error, "an object");
}

gboolean
smb_member_flag(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (!holds(node, G_TYPE_BOOLEAN))
    return smb_member_expected(place, node, error, "true or false");
  *(gboolean *)target = json_node_get_boolean(node);
  return TRUE;
}

gboolean
smb_member_write_flag(GString *json, gconstpointer value) {
  g_string_append(json, *(const gboolean *)value ? "true" : "false");
  return TRUE;
}

gboolean
smb_member_write_text(GString *json, gconstpointer value) {
  const char *text = *(char *const *)value;
  if (!text)
    return FALSE;
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_VALUE);
  json_node_set_string(node, valid);
  g_autofree char *quoted = json_to_string(node, FALSE);
  g_string_append(json, quoted);
  return TRUE;
}

gboolean
smb_member_number(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  gboolean whole = holds(node, G_TYPE_INT64);
  double number = -1;
  if (whole || holds(node, G_TYPE_DOUBLE))
    number = whole ? (double)json_node_get_int(node) : json_node_get_double(node);
  if (!isfinite(number) || number < 0)
    return smb_member_expected(place, node, error, "a number of at least 0");
  *(double *)target = number;
  return TRUE;
}

gboolean
smb_member_write_number(GString *json, gconstpointer value) {
  double number = *(const double *)value;
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean exact = FALSE;
  if (!isfinite(number) || number < 0)
    return FALSE;
  for (int digits = MIN_DIGITS; digits <= MAX_DIGITS && !exact; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(text, sizeof text, format, number);
    exact = g_ascii_strtod(text, NULL) == number;
  }
  g_string_append(json, text);
  return TRUE;
}

gboolean
smb_member_count(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  gint64 number;
  if (!read_json_integer(place, node, 0, G_MAXINT64, &number, error))
    return FALSE;
  *(guint64 *)target = (guint64)number;
  return TRUE;
}

gboolean
smb_member_write_count(GString *json, gconstpointer value) {
  g_string_append_printf(json, "%" G_GUINT64_FORMAT, *(const guint64 *)value);
  return TRUE;
}

gboolean
smb_member_some(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  gint64 number;
  if (!read_json_integer(place, node, 1, G_MAXINT32, &number, error))
    return FALSE;
  *(guint *)target = (guint)number;
  return TRUE;
}

gboolean
smb_member_write_some(GString *json, gconstpointer value) {
  g_string_append_printf(json, "%u", *(const guint *)value);
  return TRUE;
}

static gboolean
read_texts(const SmbPlace *place, JsonNode *node, SmbMemberRead read, GStrv *texts,
           GError **error) {
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array of strings");
  JsonArray *array = json_node_get_array(node);
  guint n = json_array_get_length(array);
  g_strfreev(*texts);
  *texts = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++) {
    SmbPlace element = {place, NULL, i};
    if (!read(&element, json_array_get_element(array, i), &(*texts)[i], error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_member_texts(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_texts(place, node, smb_member_text, target, error);
}

gboolean
smb_member_lines(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_texts(place, node, smb_member_words, target, error);
}

gboolean
smb_member_capability(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  guint *capability = target;
  g_autofree char *text = NULL;
  guint64 numbers[2];
  if (!smb_member_text(place, node, &text, error))
    return FALSE;
  g_auto(GStrv) parts = g_strsplit(text, ".", -1);
  gboolean good = g_strv_length(parts) == G_N_ELEMENTS(numbers);
  for (guint i = 0; good && i < G_N_ELEMENTS(numbers); i++) {
    good = g_ascii_string_to_unsigned(parts[i], 10, 0, G_MAXUINT8, &numbers[i], NULL);
    capability[i] = good ? (guint)numbers[i] : 0;
  }
  return good || smb_member_expected(place, node, error, "a compute capability such as \"9.0\"");
}

gboolean
smb_member_write_capability(GString *json, gconstpointer value) {
  const guint *capability = value;
  g_string_append_printf(json, "\"%u.%u\"", capability[0], capability[1]);
  return TRUE;
}

gboolean
smb_member_write_texts(GString *json, gconstpointer value) {
  const GStrv texts = *(const GStrv *)value;
  g_string_append_c(json, '[');
  for (guint i = 0; texts[i]; i++) {
    g_string_append(json, i ? ", " : "");
    smb_member_write_text(json, &texts[i]);
  }
  g_string_append_c(json, ']');
  return TRUE;
}

gboolean
smb_member_write_extents(GString *json, gconstpointer value) {
  const guint *extents = value;
  g_string_append_printf(json, "[%u, %u, %u]", extents[0], extents[1], extents[2]);
  return TRUE;
}

gboolean
smb_member_any_extents(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = {G_MAXUINT32, G_MAXUINT32, G_MAXUINT32};
  return smb_member_extents(place, node, max, target, error);
}

gboolean
smb_member_extents(const SmbPlace *place, JsonNode *node, const guint max[3], guint extents[3],
                   GError **error) {
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  if (!array || json_array_get_length(array) != 3)
    return smb_member_expected(place, node, error, "an array of 3 whole numbers");
  for (guint i = 0; i < 3; i++) {
    SmbPlace element = {place, NULL, i};
    gint64 number;
    if (!read_json_integer(&element, json_array_get_element(array, i), 1, max[i], &number, error))
      return FALSE;
    extents[i] = (guint)number;
  }
  return TRUE;
}

// The parser of json-glib recurses: what is nested too deep must not reach it. It also takes comments and
// quotes that JSON does not have.
static gboolean
check_nesting(const char *source, const char *text, gsize length, guint max_nesting,
              GError **error) {
  guint depth = 0;
  gboolean in_string = FALSE;
  for (gsize i = 0; i < length; i++) {
    char c = text[i];
    if (in_string && c == '\\')
      i++;
    else if (c == '"')
      in_string = !in_string;
    if (in_string)
      continue;
    if (c == '\'' || c == '/' || c == '#')
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: '%c' outside a string: not JSON",
                      source, c);
    depth += c == '{' || c == '[';
    depth -= (c == '}' || c == ']') && depth > 0;
    if (depth > max_nesting)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: nested more than %u deep", source,
                      max_nesting);
  }
  return TRUE;
}

JsonNode *
smb_json_parse(const char *source, const char *text, gsize length, guint max_nesting,
               GError **error) {
  if (!check_nesting(source, text, length, max_nesting, error))
    return NULL;
  g_autoptr(JsonParser) parser = json_parser_new_immutable();
  g_autoptr(GError) failure = NULL;
  JsonNode *root = NULL;
  if (json_parser_load_from_data(parser, text, (gssize)length, &failure))
    root = json_parser_steal_root(parser);
  if (root)
    return root;
  // "<data>:LINE:COLUMN: Parse error: text", or a text without a place.
  const char *reason = failure ? failure->message : "empty: expected JSON";
  gboolean placed = g_str_has_prefix(reason, data_prefix);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s%s%s", source, placed ? "" : ": ",
           reason + (placed ? strlen(data_prefix) : 0));
  return NULL;
}
