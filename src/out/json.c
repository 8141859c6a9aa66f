// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/json.h"

#include <string.h>

#include "sim/base/text.h"

// In place of a depth: everything on one line.
#define COMPACT G_MAXUINT

static void
set_key(JsonBuilder *json, const char *key) {
  if (key)
    json_builder_set_member_name(json, key);
}

void
smb_json_object(JsonBuilder *json, const char *key) {
  set_key(json, key);
  json_builder_begin_object(json);
}

gboolean
smb_json_object_if(JsonBuilder *json, const char *key, gboolean known) {
  if (known)
    smb_json_object(json, key);
  else
    smb_json_null(json, key);
  return known;
}

void
smb_json_array(JsonBuilder *json, const char *key) {
  set_key(json, key);
  json_builder_begin_array(json);
}

void
smb_json_text(JsonBuilder *json, const char *key, const char *text) {
  if (!text) {
    smb_json_null(json, key);
    return;
  }
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  set_key(json, key);
  json_builder_add_string_value(json, valid);
}

void
smb_json_number(JsonBuilder *json, const char *key, gint64 number) {
  set_key(json, key);
  json_builder_add_int_value(json, number);
}

void
smb_json_double(JsonBuilder *json, const char *key, double number) {
  set_key(json, key);
  json_builder_add_double_value(json, number);
}

void
smb_json_boolean(JsonBuilder *json, const char *key, gboolean value) {
  set_key(json, key);
  json_builder_add_boolean_value(json, value);
}

void
smb_json_members(JsonBuilder *json, const SmbMember *members, guint n, gconstpointer object) {
  g_autoptr(GString) text = g_string_new("{");
  smb_members_write(text, members, n, object, ",");
  g_string_append_c(text, '}');
  g_autoptr(JsonNode) node = json_from_string(text->str, NULL);
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  json_object_iter_init_ordered(&iter, json_node_get_object(node));
  while (json_object_iter_next_ordered(&iter, &name, &value))
    smb_json_copy(json, name, value);
}

void
smb_json_null(JsonBuilder *json, const char *key) {
  set_key(json, key);
  json_builder_add_null_value(json);
}

void
smb_json_number_if(JsonBuilder *json, const char *key, gboolean known, gint64 number) {
  if (known)
    smb_json_number(json, key, number);
  else
    smb_json_null(json, key);
}

void
smb_json_double_if(JsonBuilder *json, const char *key, gboolean known, double number) {
  if (known)
    smb_json_double(json, key, number);
  else
    smb_json_null(json, key);
}

void
smb_json_boolean_if(JsonBuilder *json, const char *key, gboolean known, gboolean value) {
  if (known)
    smb_json_boolean(json, key, value);
  else
    smb_json_null(json, key);
}

void
smb_json_copy(JsonBuilder *json, const char *key, JsonNode *node) {
  set_key(json, key);
  json_builder_add_value(json, node ? json_node_copy(node) : json_node_new(JSON_NODE_NULL));
}

void
smb_json_strv(JsonBuilder *json, const char *key, const char *const *texts) {
  smb_json_array(json, key);
  for (guint i = 0; texts[i]; i++)
    smb_json_text(json, NULL, texts[i]);
  json_builder_end_array(json);
}

void
smb_json_texts(JsonBuilder *json, const char *key, const GPtrArray *texts) {
  smb_json_array(json, key);
  for (guint i = 0; i < texts->len; i++)
    smb_json_text(json, NULL, texts->pdata[i]);
  json_builder_end_array(json);
}

void
smb_json_extent(JsonBuilder *json, const char *key, const guint extent[3]) {
  smb_json_array(json, key);
  for (guint i = 0; i < 3; i++)
    smb_json_number(json, NULL, extent[i]);
  json_builder_end_array(json);
}

JsonBuilder *
smb_json_begin(const char *command) {
  JsonBuilder *json = json_builder_new();
  json_builder_begin_object(json);
  smb_json_number(json, "schema_version", SMB_JSON_SCHEMA_VERSION);
  smb_json_text(json, "command", command);
  return json;
}

// The text of a document: a member a line, lists of numbers on one line. Characters that a terminal would obey or not
// show are written by their numbers.
static void
append_unit(GString *text, guint unit) {
  g_string_append_printf(text, "\\u%04x", unit);
}

// A character that is not shown as it is: by its short form, or by its UTF-16 code units.
static void
append_json_escaped(GString *text, gunichar c) {
  static const char shorts[] = "\bb\ff\nn\rr\tt\"\"\\\\";
  for (const char *pair = shorts; *pair; pair += 2) {
    if ((gunichar)*pair == c) {
      g_string_append_c(text, '\\');
      g_string_append_c(text, pair[1]);
      return;
    }
  }
  if (c >= 0x10000) {
    append_unit(text, 0xd800 + ((c - 0x10000) >> 10));
    append_unit(text, 0xdc00 + ((c - 0x10000) & 0x3ff));
  } else {
    append_unit(text, c);
  }
}

// Whether a text goes on with "##[" or "##name[", by which a line of a log is a command (smb_text_append()).
static gboolean
is_mark(const char *at) {
  if (at[0] != '#' || at[1] != '#')
    return FALSE;
  for (at += 2; g_ascii_isalpha(*at); at++)
    continue;
  return *at == '[';
}

static void
append_string(GString *text, const char *string) {
  g_string_append_c(text, '"');
  for (const char *at = string; *at; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (c == '"' || c == '\\' || c == '\n' || c == '\t' || !smb_text_is_visible(c) || is_mark(at))
      append_json_escaped(text, c);
    else
      g_string_append_unichar(text, c);
  }
  g_string_append_c(text, '"');
}

static void
append_double(GString *text, double number) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr(buffer, sizeof buffer, number);
  g_string_append(text, buffer);
  // A number that is whole is still one with a fraction for those who read it.
  if (!strpbrk(buffer, ".eni"))
    g_string_append(text, ".0");
}

static void
append_json_value(GString *text, JsonNode *node) {
  if (JSON_NODE_HOLDS_NULL(node)) {
    g_string_append(text, "null");
    return;
  }
  GType type = json_node_get_value_type(node);
  if (type == G_TYPE_STRING)
    append_string(text, json_node_get_string(node));
  else if (type == G_TYPE_DOUBLE)
    append_double(text, json_node_get_double(node));
  else if (type == G_TYPE_BOOLEAN)
    g_string_append(text, json_node_get_boolean(node) ? "true" : "false");
  else
    g_string_append_printf(text, "%" G_GINT64_FORMAT, json_node_get_int(node));
}

// Whether the elements of an array are numbers and the like, which read better side by side.
static gboolean
is_list_of_numbers(JsonArray *array) {
  for (guint i = 0; i < json_array_get_length(array); i++) {
    JsonNode *element = json_array_get_element(array, i);
    if (!JSON_NODE_HOLDS_NULL(element) &&
        (!JSON_NODE_HOLDS_VALUE(element) || json_node_get_value_type(element) == G_TYPE_STRING))
      return FALSE;
  }
  return TRUE;
}

// What stands in front of a member or an element, and of the bracket that ends them.
static void
append_break(GString *text, guint depth) {
  if (depth == COMPACT)
    return;
  g_string_append_c(text, '\n');
  for (guint i = 0; i < 2 * depth; i++)
    g_string_append_c(text, ' ');
}

static void append_node(GString *text, JsonNode *node, guint depth);

static void
append_array(GString *text, JsonArray *array, guint depth) {
  guint n = json_array_get_length(array);
  gboolean one_line = depth == COMPACT || is_list_of_numbers(array);
  guint inner = one_line ? COMPACT : depth + 1;
  g_string_append_c(text, '[');
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i == 0 ? "" : one_line && depth != COMPACT ? ", " : ",");
    append_break(text, inner);
    append_node(text, json_array_get_element(array, i), inner);
  }
  if (n > 0)
    append_break(text, one_line ? COMPACT : depth);
  g_string_append_c(text, ']');
}

static void
append_object(GString *text, JsonObject *object, guint depth) {
  guint inner = depth == COMPACT ? depth : depth + 1, n = 0;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  json_object_iter_init_ordered(&iter, object);
  g_string_append_c(text, '{');
  while (json_object_iter_next_ordered(&iter, &name, &member)) {
    g_string_append(text, n++ ? "," : "");
    append_break(text, inner);
    append_string(text, name);
    g_string_append(text, depth == COMPACT ? ":" : " : ");
    append_node(text, member, inner);
  }
  if (n > 0)
    append_break(text, depth);
  g_string_append_c(text, '}');
}

// A value of any kind. @depth: how deep it stands in the document, or COMPACT.
static void
append_node(GString *text, JsonNode *node, guint depth) {
  if (JSON_NODE_HOLDS_OBJECT(node))
    append_object(text, json_node_get_object(node), depth);
  else if (JSON_NODE_HOLDS_ARRAY(node))
    append_array(text, json_node_get_array(node), depth);
  else
    append_json_value(text, node);
}

// Ends the outermost object of @json and releases it; (transfer full).
static char *
generate(JsonBuilder *json, guint depth) {
  json_builder_end_object(json);
  g_autoptr(JsonNode) root = json_builder_get_root(json);
  g_object_unref(json);
  GString *text = g_string_new(NULL);
  append_node(text, root, depth);
  return g_string_free(text, FALSE);
}

void
smb_json_end(JsonBuilder *json, SmbSpool *out) {
  g_autofree char *text = generate(json, 0);
  smb_spool_write(out, text, strlen(text));
  smb_spool_puts(out, "\n");
}

void
smb_json_end_streamed(JsonBuilder *json, const char *key, SmbSpool *elements, SmbSpool *out) {
  static const char end[] = "\n}"; // of a pretty document that has a member
  g_autofree char *text = generate(json, 0);
  g_return_if_fail(g_str_has_suffix(text, end));
  smb_spool_write(out, text, strlen(text) - strlen(end));
  smb_spool_printf(out, ",\n  \"%s\" : [", key);
  gboolean empty = smb_spool_is_empty(elements);
  smb_spool_append(out, elements);
  smb_spool_puts(out, empty ? "]\n}\n" : "\n  ]\n}\n");
}

JsonBuilder *
smb_json_begin_element(void) {
  JsonBuilder *json = json_builder_new();
  json_builder_begin_object(json);
  return json;
}

void
smb_json_end_element(JsonBuilder *json, SmbSpool *elements) {
  g_autofree char *text = generate(json, COMPACT);
  smb_spool_puts(elements, smb_spool_is_empty(elements) ? "\n    " : ",\n    ");
  smb_spool_write(elements, text, strlen(text));
}

// The value of a type; NULL: there is none.
static JsonNode *
get_value(JsonObject *object, const char *member, GType type) {
  JsonNode *node = object ? json_object_get_member(object, member) : NULL;
  return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type ? node
                                                                                       : NULL;
}

const char *
smb_json_get_text(JsonObject *object, const char *member) {
  JsonNode *node = get_value(object, member, G_TYPE_STRING);
  return node ? json_node_get_string(node) : NULL;
}

gint64
smb_json_get_number(JsonObject *object, const char *member) {
  JsonNode *node = get_value(object, member, G_TYPE_INT64);
  return node ? json_node_get_int(node) : 0;
}

JsonObject *
smb_json_get_object(JsonObject *object, const char *member) {
  JsonNode *node = object ? json_object_get_member(object, member) : NULL;
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *
smb_json_get_array(JsonObject *object, const char *member) {
  JsonNode *node = object ? json_object_get_member(object, member) : NULL;
  return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}
