// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/mcp/tool.h"

#include <string.h>

#include "sim/base/error.h"
#include "src/cli/cli.h"
#include "src/out/json.h"

// What a source is called, where nothing else names it.
#define SOURCE_NAME "kernel.cu"
#define PTX_NAME    "kernel.ptx"

const SmbTool smb_tools[SMB_N_TOOLS] = {
#define TOOL(name, command, words, text_words, title, description)                                 \
  {#name, command, words, text_words, title, description},
#include "src/mcp/tool.def"
#undef TOOL
};

// Which tools have an argument.
enum {
  EXPLAIN = 1 << SMB_TOOL_explain,
  ADVISE = 1 << SMB_TOOL_advise,
  TIME = 1 << SMB_TOOL_time,
  LAYOUT = 1 << SMB_TOOL_layout,
  RUN = 1 << SMB_TOOL_run,
  KERNEL = 1 << SMB_TOOL_count | EXPLAIN | ADVISE | TIME,
};

// What an argument is in JSON.
typedef enum {
  TEXT,
  NUMBER,         // a whole number from 0
  REAL,           // any number
  FLAG,           // an option without a value
  CHOICE_UNKNOWN, // a flag that stands for --unknown=skip
  EXTENT,         // up to three numbers
  LIST,           // texts, an option each
  PAIRS,          // values by name, an option each
} ArgumentKind;

typedef struct {
  guint tools;
  const char *name;
  ArgumentKind kind;
  const char *option;
  const char *description;
} Argument;

static const Argument arguments[] = {
#define ARGUMENT(tools, name, kind, option, description) {tools, name, kind, option, description},
#include "src/mcp/tool.def"
#undef ARGUMENT
};

const SmbTool *
smb_tool_find(const char *name, gboolean runs) {
  for (guint i = 0; i < SMB_N_TOOLS; i++) {
    if (strcmp(smb_tools[i].name, name) == 0 && (runs || i != SMB_TOOL_run))
      return &smb_tools[i];
  }
  return NULL;
}

// --- schemas

static void
write_items_schema(JsonBuilder *json, const char *type) {
  smb_json_object(json, "items");
  smb_json_text(json, "type", type);
  json_builder_end_object(json);
}

static void
write_argument_schema(JsonBuilder *json, const Argument *argument) {
  static const char *const types[] = {[TEXT] = "string",
                                      [NUMBER] = "integer",
                                      [REAL] = "number",
                                      [FLAG] = "boolean",
                                      [CHOICE_UNKNOWN] = "boolean",
                                      [EXTENT] = "array",
                                      [LIST] = "array",
                                      [PAIRS] = "object"};
  smb_json_object(json, argument->name);
  smb_json_text(json, "type", types[argument->kind]);
  smb_json_text(json, "description", argument->description);
  if (argument->kind == NUMBER)
    smb_json_number(json, "minimum", 0);
  if (argument->kind == EXTENT) {
    write_items_schema(json, "integer");
    smb_json_number(json, "minItems", 1);
    smb_json_number(json, "maxItems", 3);
  }
  if (argument->kind == LIST)
    write_items_schema(json, "string");
  if (argument->kind == PAIRS) {
    smb_json_object(json, "additionalProperties");
    static const char *const values[] = {"string", "number", NULL};
    smb_json_strv(json, "type", values);
    json_builder_end_object(json);
  }
  json_builder_end_object(json);
}

static void
write_input_schema(JsonBuilder *json, guint tool) {
  static const char *const needs[] = {"layout", "access", NULL};
  smb_json_object(json, "inputSchema");
  smb_json_text(json, "type", "object");
  smb_json_object(json, "properties");
  for (guint i = 0; i < G_N_ELEMENTS(arguments); i++) {
    if (arguments[i].tools & 1u << tool)
      write_argument_schema(json, &arguments[i]);
  }
  json_builder_end_object(json);
  if (tool == SMB_TOOL_layout)
    smb_json_strv(json, "required", needs);
  smb_json_boolean(json, "additionalProperties", FALSE);
  json_builder_end_object(json);
}

// What a command writes is described by doc/json-schema; a client is told what all of it has.
static void
write_output_schema(JsonBuilder *json) {
  static const char *const has[] = {"schema_version", "command", NULL};
  smb_json_object(json, "outputSchema");
  smb_json_text(json, "type", "object");
  smb_json_object(json, "properties");
  smb_json_object(json, "schema_version");
  smb_json_text(json, "type", "integer");
  json_builder_end_object(json);
  smb_json_object(json, "command");
  smb_json_text(json, "type", "string");
  json_builder_end_object(json);
  json_builder_end_object(json);
  smb_json_strv(json, "required", has);
  json_builder_end_object(json);
}

void
smb_tools_json(JsonBuilder *json, gboolean runs) {
  smb_json_array(json, "tools");
  for (guint i = 0; i < SMB_N_TOOLS; i++) {
    gboolean acts = i == SMB_TOOL_run;
    if (acts && !runs)
      continue;
    smb_json_object(json, NULL);
    smb_json_text(json, "name", smb_tools[i].name);
    smb_json_text(json, "title", smb_tools[i].title);
    smb_json_text(json, "description", smb_tools[i].description);
    write_input_schema(json, i);
    if (!acts) // a program that launches nothing has no result
      write_output_schema(json);
    smb_json_object(json, "annotations");
    smb_json_boolean(json, "readOnlyHint", !acts);
    smb_json_boolean(json, "idempotentHint", !acts);
    smb_json_boolean(json, "openWorldHint", acts);
    json_builder_end_object(json);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

// --- arguments

static gboolean
refuse_tool_argument(const Argument *argument, const char *expected, GError **error) {
  return smb_cli_usage_error(error, "argument '%s': expected %s", argument->name, expected);
}

static void
add_tool_option(GStrvBuilder *words, const Argument *argument, const char *value) {
  g_autofree char *word = g_strconcat("--", argument->option, value ? "=" : NULL, value, NULL);
  g_strv_builder_add(words, word);
}

static gboolean
is_json_text(JsonNode *node) {
  return json_node_get_value_type(node) == G_TYPE_STRING;
}

// A number as an option has it (transfer full); NULL: it is none.
static char *
write_number(JsonNode *node) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (json_node_get_value_type(node) == G_TYPE_INT64)
    return g_strdup_printf("%" G_GINT64_FORMAT, json_node_get_int(node));
  return json_node_get_value_type(node) == G_TYPE_DOUBLE
             ? g_strdup(g_ascii_dtostr(text, sizeof text, json_node_get_double(node)))
             : NULL;
}

// "--block=32,8" of [32, 8]
static gboolean
add_extent_option(GStrvBuilder *words, const Argument *argument, JsonNode *node, GError **error) {
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  guint n = array ? json_array_get_length(array) : 0;
  g_autoptr(GString) value = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    JsonNode *element = json_array_get_element(array, i);
    if (json_node_get_value_type(element) != G_TYPE_INT64)
      return refuse_tool_argument(argument, "one to three whole numbers", error);
    g_string_append_printf(value, "%s%" G_GINT64_FORMAT, i ? "," : "", json_node_get_int(element));
  }
  if (n < 1 || n > 3)
    return refuse_tool_argument(argument, "one to three whole numbers", error);
  add_tool_option(words, argument, value->str);
  return TRUE;
}

// Adds the texts of an array: each as an option, or as it is.
static gboolean
add_list(GStrvBuilder *words, const Argument *argument, JsonNode *node, GError **error) {
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *element = json_array_get_element(array, i);
    if (!is_json_text(element))
      return refuse_tool_argument(argument, "an array of texts", error);
    if (argument->option)
      add_tool_option(words, argument, json_node_get_string(element));
    else
      g_strv_builder_add(words, json_node_get_string(element));
  }
  return array || refuse_tool_argument(argument, "an array of texts", error);
}

// "--arg=n=64" of {"n": 64}; a macro without a value is an empty text.
static gboolean
add_pair_options(GStrvBuilder *words, const Argument *argument, JsonNode *node, GError **error) {
  JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
  if (!object)
    return refuse_tool_argument(argument, "an object of values by name", error);
  JsonObjectIter iterator;
  const char *name;
  JsonNode *value;
  json_object_iter_init_ordered(&iterator, object);
  while (json_object_iter_next_ordered(&iterator, &name, &value)) {
    g_autofree char *number = write_number(value);
    if (!number && !is_json_text(value))
      return refuse_tool_argument(argument, "numbers or texts as values", error);
    g_autofree char *pair =
        g_strconcat(name, "=", number ? number : json_node_get_string(value), NULL);
    add_tool_option(words, argument, pair);
  }
  return TRUE;
}

static gboolean
add_flag(GStrvBuilder *words, const Argument *argument, JsonNode *node, GError **error) {
  if (json_node_get_value_type(node) != G_TYPE_BOOLEAN)
    return refuse_tool_argument(argument, "true or false", error);
  if (json_node_get_boolean(node))
    add_tool_option(words, argument, argument->kind == CHOICE_UNKNOWN ? "skip" : NULL);
  return TRUE;
}

static gboolean
add_argument(GStrvBuilder *words, const Argument *argument, JsonNode *node, GError **error) {
  g_autofree char *number = write_number(node);
  switch (argument->kind) {
  case TEXT:
    if (!is_json_text(node))
      return refuse_tool_argument(argument, "a text", error);
    add_tool_option(words, argument, json_node_get_string(node));
    return TRUE;
  case NUMBER:
    if (json_node_get_value_type(node) != G_TYPE_INT64)
      return refuse_tool_argument(argument, "a whole number", error);
    add_tool_option(words, argument, number);
    return TRUE;
  case REAL:
    if (!number)
      return refuse_tool_argument(argument, "a number", error);
    add_tool_option(words, argument, number);
    return TRUE;
  case FLAG:
  case CHOICE_UNKNOWN:
    return add_flag(words, argument, node, error);
  case EXTENT:
    return add_extent_option(words, argument, node, error);
  case LIST:
    return add_list(words, argument, node, error);
  case PAIRS:
    return add_pair_options(words, argument, node, error);
  }
  return FALSE;
}

// --- arguments that are no options

// A text among the arguments; NULL: there is none.
static const char *
find_text_argument(JsonObject *given, const char *name) {
  return given ? smb_json_get_text(given, name) : NULL;
}

static gboolean
rest_of_command(JsonObject *given, SmbToolCall *call, GError **error) {
  g_autoptr(GStrvBuilder) rest = g_strv_builder_new();
  for (guint i = 0; given && i < G_N_ELEMENTS(arguments); i++) {
    const Argument *argument = &arguments[i];
    JsonNode *node = json_object_get_member(given, argument->name);
    if (node && !argument->option && argument->kind == LIST &&
        !add_list(rest, argument, node, error))
      return FALSE;
  }
  call->rest = g_strv_builder_end(rest);
  return TRUE;
}

static const char *
name_source(const char *source) {
  return strstr(source, ".version") && strstr(source, ".target") ? PTX_NAME : SOURCE_NAME;
}

// What the tool works on.
static gboolean
take_subject(const SmbTool *tool, JsonObject *given, SmbToolCall *call, GError **error) {
  const char *file = find_text_argument(given, "file"),
             *source = find_text_argument(given, "source");
  const char *layout = find_text_argument(given, "layout");
  gboolean has_command = given && json_object_has_member(given, "command");
  gboolean is_other = find_text_argument(given, "kernel") || find_text_argument(given, "case");
  if (tool == &smb_tools[SMB_TOOL_layout] && !layout)
    return smb_cli_usage_error(error, "missing argument 'layout'");
  if (tool == &smb_tools[SMB_TOOL_run] && !file == !has_command)
    return smb_cli_usage_error(error, "expected either file or command");
  if ((tool != &smb_tools[SMB_TOOL_layout] && tool != &smb_tools[SMB_TOOL_run]) &&
      ((file && source) || (!file && !source && !is_other)))
    return smb_cli_usage_error(error, "expected one of file, source and kernel");
  if (file && !*file)
    return smb_cli_usage_error(error, "argument 'file': expected a path");
  // A path is a path, whatever it begins with, and standard input is the protocol's.
  call->file = layout                             ? g_strdup(layout)
               : source                           ? g_strdup(name_source(source))
               : file && g_path_is_absolute(file) ? g_strdup(file)
               : file                             ? g_build_filename(".", file, NULL)
                                                  : NULL;
  call->source = g_strdup(source);
  return rest_of_command(given, call, error);
}

static const Argument *
find_tool_argument(const SmbTool *tool, const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(arguments); i++) {
    if (arguments[i].tools & 1u << (tool - smb_tools) && strcmp(arguments[i].name, name) == 0)
      return &arguments[i];
  }
  return NULL;
}

static gboolean
take_tool_options(const SmbTool *tool, JsonObject *given, GStrvBuilder *words, GError **error) {
  JsonObjectIter iterator;
  const char *name;
  JsonNode *node;
  if (!given)
    return TRUE;
  json_object_iter_init_ordered(&iterator, given);
  while (json_object_iter_next_ordered(&iterator, &name, &node)) {
    const Argument *argument = find_tool_argument(tool, name);
    if (!argument)
      return smb_cli_usage_error(error, "tool '%s' has no argument '%s'", tool->name, name);
    if (!argument->option && argument->kind == TEXT && !is_json_text(node))
      return refuse_tool_argument(argument, "a text", error);
    if (argument->option && !add_argument(words, argument, node, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_tool_call_read(const SmbTool *tool, JsonObject *given, SmbToolCall *call, GError **error) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_auto(SmbToolCall) read = {0};
  if (*tool->words)
    g_strv_builder_add(words, tool->words);
  if (!take_tool_options(tool, given, words, error) || !take_subject(tool, given, &read, error))
    return FALSE;
  read.words = g_strv_builder_end(words);
  *call = read;
  read = (SmbToolCall){0};
  return TRUE;
}

void
smb_tool_call_clear(SmbToolCall *call) {
  g_clear_pointer(&call->words, g_strfreev);
  g_clear_pointer(&call->rest, g_strfreev);
  g_clear_pointer(&call->file, g_free);
  g_clear_pointer(&call->source, g_free);
}
