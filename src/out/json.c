// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/json.h"

#include <string.h>

#include "src/out/json-text.h"

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

JsonBuilder *
smb_json_begin(const char *command) {
  JsonBuilder *json = json_builder_new();
  json_builder_begin_object(json);
  smb_json_number(json, "schema_version", SMB_JSON_SCHEMA_VERSION);
  smb_json_text(json, "command", command);
  return json;
}

// Ends the outermost object of @json and releases it; (transfer full).
static char *
generate(JsonBuilder *json, gboolean pretty) {
  json_builder_end_object(json);
  g_autoptr(JsonNode) root = json_builder_get_root(json);
  g_object_unref(json);
  GString *text = g_string_new(NULL);
  smb_json_append(text, root, pretty ? 0 : SMB_JSON_COMPACT);
  return g_string_free(text, FALSE);
}

void
smb_json_end(JsonBuilder *json, SmbSpool *out) {
  g_autofree char *text = generate(json, TRUE);
  smb_spool_write(out, text, strlen(text));
  smb_spool_puts(out, "\n");
}

void
smb_json_end_streamed(JsonBuilder *json, const char *key, SmbSpool *elements, SmbSpool *out) {
  static const char end[] = "\n}"; // of a pretty document that has a member
  g_autofree char *text = generate(json, TRUE);
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
  g_autofree char *text = generate(json, FALSE);
  smb_spool_puts(elements, smb_spool_is_empty(elements) ? "\n    " : ",\n    ");
  smb_spool_write(elements, text, strlen(text));
}
