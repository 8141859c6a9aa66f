// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/json-text.h"

#include <string.h>

#include "sim/base/text.h"

static void
append_unit(GString *text, guint unit) {
  g_string_append_printf(text, "\\u%04x", unit);
}

// A character that is not shown as it is: by its short form, or by its UTF-16 code units.
static void
append_escaped(GString *text, gunichar c) {
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

static void
append_string(GString *text, const char *string) {
  g_string_append_c(text, '"');
  for (const char *at = string; *at; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (c == '"' || c == '\\' || c == '\n' || c == '\t' || !smb_text_is_visible(c))
      append_escaped(text, c);
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
append_value(GString *text, JsonNode *node) {
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
  if (depth == SMB_JSON_COMPACT)
    return;
  g_string_append_c(text, '\n');
  for (guint i = 0; i < 2 * depth; i++)
    g_string_append_c(text, ' ');
}

static void
append_array(GString *text, JsonArray *array, guint depth) {
  guint n = json_array_get_length(array);
  gboolean one_line = depth == SMB_JSON_COMPACT || is_list_of_numbers(array);
  guint inner = one_line ? SMB_JSON_COMPACT : depth + 1;
  g_string_append_c(text, '[');
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i == 0 ? "" : one_line && depth != SMB_JSON_COMPACT ? ", " : ",");
    append_break(text, inner);
    smb_json_append(text, json_array_get_element(array, i), inner);
  }
  if (n > 0)
    append_break(text, one_line ? SMB_JSON_COMPACT : depth);
  g_string_append_c(text, ']');
}

static void
append_object(GString *text, JsonObject *object, guint depth) {
  guint inner = depth == SMB_JSON_COMPACT ? depth : depth + 1, n = 0;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  json_object_iter_init_ordered(&iter, object);
  g_string_append_c(text, '{');
  while (json_object_iter_next_ordered(&iter, &name, &member)) {
    g_string_append(text, n++ ? "," : "");
    append_break(text, inner);
    append_string(text, name);
    g_string_append(text, depth == SMB_JSON_COMPACT ? ":" : " : ");
    smb_json_append(text, member, inner);
  }
  if (n > 0)
    append_break(text, depth);
  g_string_append_c(text, '}');
}

void
smb_json_append(GString *text, JsonNode *node, guint depth) {
  if (JSON_NODE_HOLDS_OBJECT(node))
    append_object(text, json_node_get_object(node), depth);
  else if (JSON_NODE_HOLDS_ARRAY(node))
    append_array(text, json_node_get_array(node), depth);
  else
    append_value(text, node);
}
