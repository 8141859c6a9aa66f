// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The JSON that the program writes, against doc/json-schema. Of JSON Schema this knows what those files
// use: type, required, properties, items, enum, const and minimum.
#include <check.h>
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "tests/suite.h"

// What a schema that was read gets where a document has what it describes.
#define MET "met"

// What a value is, in the words of JSON Schema; an integer is a number too.
static gboolean
has_type(JsonNode *node, const char *type) {
  if (JSON_NODE_HOLDS_NULL(node))
    return strcmp(type, "null") == 0;
  if (JSON_NODE_HOLDS_OBJECT(node))
    return strcmp(type, "object") == 0;
  if (JSON_NODE_HOLDS_ARRAY(node))
    return strcmp(type, "array") == 0;
  switch (json_node_get_value_type(node)) {
  case G_TYPE_STRING:
    return strcmp(type, "string") == 0;
  case G_TYPE_BOOLEAN:
    return strcmp(type, "boolean") == 0;
  case G_TYPE_INT64:
    return strcmp(type, "integer") == 0 || strcmp(type, "number") == 0;
  case G_TYPE_DOUBLE:
    return strcmp(type, "number") == 0;
  }
  return FALSE;
}

// Whether @node is, or is one of, the values of @wanted.
static gboolean
is_among(JsonNode *node, JsonNode *wanted, gboolean (*matches)(JsonNode *, JsonNode *)) {
  if (!JSON_NODE_HOLDS_ARRAY(wanted))
    return matches(node, wanted);
  JsonArray *array = json_node_get_array(wanted);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    if (matches(node, json_array_get_element(array, i)))
      return TRUE;
  }
  return FALSE;
}

static gboolean
matches_type(JsonNode *node, JsonNode *type) {
  return has_type(node, json_node_get_string(type));
}

static gboolean
matches_value(JsonNode *node, JsonNode *value) {
  return json_node_equal(node, value);
}

static char *check_node(JsonNode *node, JsonObject *schema, const char *path);

static char *
check_members(JsonObject *object, JsonObject *schema, const char *path) {
  JsonArray *required = json_object_has_member(schema, "required")
                            ? json_object_get_array_member(schema, "required")
                            : NULL;
  for (guint i = 0; required && i < json_array_get_length(required); i++) {
    const char *key = json_array_get_string_element(required, i);
    if (!json_object_has_member(object, key))
      return g_strdup_printf("%s: no key '%s'", path, key);
  }
  if (!json_object_has_member(schema, "properties"))
    return NULL;
  JsonObject *properties = json_object_get_object_member(schema, "properties");
  g_autoptr(GList) keys = json_object_get_members(object);
  for (GList *key = keys; key; key = key->next) {
    g_autofree char *place = g_strdup_printf("%s.%s", path, (const char *)key->data);
    // A key that is not in the schema is documented nowhere.
    if (!json_object_has_member(properties, key->data))
      return g_strdup_printf("%s: not in the schema", place);
    char *fault = check_node(json_object_get_member(object, key->data),
                             json_object_get_object_member(properties, key->data), place);
    if (fault)
      return fault;
  }
  return NULL;
}

static char *
check_elements(JsonArray *array, JsonObject *schema, const char *path) {
  JsonObject *items = json_object_get_object_member(schema, "items");
  for (guint i = 0; i < json_array_get_length(array); i++) {
    g_autofree char *place = g_strdup_printf("%s[%u]", path, i);
    char *fault = check_node(json_array_get_element(array, i), items, place);
    if (fault)
      return fault;
  }
  return NULL;
}

// What is wrong with @node, or NULL.
static char *
check_node(JsonNode *node, JsonObject *schema, const char *path) {
  json_object_set_boolean_member(schema, MET, TRUE);
  if (json_object_has_member(schema, "type") &&
      !is_among(node, json_object_get_member(schema, "type"), matches_type))
    return g_strdup_printf("%s: wrong type: %s", path, json_node_type_name(node));
  if (json_object_has_member(schema, "enum") &&
      !is_among(node, json_object_get_member(schema, "enum"), matches_value))
    return g_strdup_printf("%s: not one of the values allowed", path);
  if (json_object_has_member(schema, "const") &&
      !json_node_equal(node, json_object_get_member(schema, "const")))
    return g_strdup_printf("%s: not the value that is promised", path);
  if (json_object_has_member(schema, "minimum") && has_type(node, "number") &&
      json_node_get_double(node) < json_object_get_double_member(schema, "minimum"))
    return g_strdup_printf("%s: below the minimum", path);
  if (JSON_NODE_HOLDS_OBJECT(node))
    return check_members(json_node_get_object(node), schema, path);
  if (JSON_NODE_HOLDS_ARRAY(node))
    return check_elements(json_node_get_array(node), schema, path);
  return NULL;
}

static JsonNode *
load_schema(const char *command) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *name = g_strconcat(command, ".json", NULL);
  g_autofree char *path = g_build_filename(srcdir ? srcdir : ".", "doc", "json-schema", name, NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  g_autoptr(GError) error = NULL;
  ck_assert_msg(json_parser_load_from_file(parser, path, &error), "%s",
                error ? error->message : "");
  return json_parser_steal_root(parser);
}

// Runs "PROGRAM WORDS --format json" and returns what it wrote; the environment names the program.
static JsonNode *
run_program(const char *variable, const char *words) {
  g_autofree char *line = g_strdup_printf("%s --format json", words);
  g_auto(GStrv) rest = g_strsplit(line, " ", -1);
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  const char *program = g_getenv(variable);
  ck_assert_msg(program != NULL, "%s is not set", variable);
  g_ptr_array_add(argv, (gpointer)program);
  for (guint i = 0; i <= g_strv_length(rest); i++)
    g_ptr_array_add(argv, rest[i]);
  g_autoptr(GError) error = NULL;
  g_autofree char *out = NULL;
  g_autoptr(GSubprocess) process =
      g_subprocess_newv((const char *const *)argv->pdata,
                        G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error);
  ck_assert_msg(process && g_subprocess_communicate_utf8(process, NULL, NULL, &out, NULL, &error),
                "%s: %s", words, error ? error->message : "");
  ck_assert_msg(g_subprocess_get_if_exited(process) && g_subprocess_get_exit_status(process) <= 1,
                "%s: failed", words);
  g_autoptr(JsonParser) parser = json_parser_new();
  ck_assert_msg(json_parser_load_from_data(parser, out, -1, &error), "%s: %s", words,
                error ? error->message : "");
  return json_parser_steal_root(parser);
}

static JsonNode *
read_document(const char *folder, const char *file) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(srcdir ? srcdir : ".", folder, file, NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  ck_assert_msg(json_parser_load_from_file(parser, path, NULL), "%s", path);
  return json_parser_steal_root(parser);
}

// Runs trace on a request that begins with @start; the offsets of the lanes are 128 bytes apart, and the count is never
// right: there is a mismatch to look at.
static JsonNode *
run_trace(const char *variable, const char *start, const char *options) {
  g_autofree char *path = NULL;
  g_autoptr(GString) text = g_string_new(start);
  for (guint lane = 0; lane < 32; lane++)
    g_string_append_printf(text, " %u", lane * 128);
  g_string_append(text, " = 99\n");
  int fd = g_file_open_tmp("smembank-XXXXXX", &path, NULL);
  ck_assert(g_close(fd, NULL));
  ck_assert(g_file_set_contents(path, text->str, -1, NULL));
  g_autofree char *line = g_strdup_printf("trace %s %s", options, path);
  JsonNode *document = run_program(variable, line);
  g_remove(path);
  return document;
}

// The data of the script in a page.
static JsonNode *
run_report(const char *words) {
  static const char start[] = "<script type=\"application/json\" id=\"data\">";
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "page.html", NULL);
  g_autofree char *line = g_strdup_printf("%s report %s %s", g_getenv("SMEMBANK"), path, words);
  g_autofree char *page = NULL;
  ck_assert(g_spawn_command_line_sync(line, NULL, NULL, NULL, NULL));
  ck_assert(g_file_get_contents(path, &page, NULL, NULL));
  g_remove(path);
  g_rmdir(folder);
  char *text = strstr(page, start);
  ck_assert_ptr_nonnull(text);
  *strstr(text, "</script>") = '\0';
  return json_from_string(text + strlen(start), NULL);
}

// Where a document comes from. @words: of a program a command line, where @ stands for the folder of the sources;
// of TRACE the start of its request; of others the name of a file, or the options of a page.
typedef struct {
  const char *schema;
  enum {
    RUN,
    FAKE,
    TRACE,
    GOLDEN,
    TEST_DATA,
    REPORT
  } from;
  const char *words;
  const char *more; // of FAKE a fault of the device; of TRACE the options
} Document;

static const Document documents[] = {
#include "tests/json-documents.def"
};

static JsonNode *
make_document(const Document *from) {
  const char *srcdir = g_getenv("srcdir");
  g_auto(GStrv) parts = g_strsplit(from->words, "@", -1);
  g_autofree char *words = g_strjoinv(srcdir ? srcdir : ".", parts);
  switch (from->from) {
  case RUN:
    return run_program("SMEMBANK", words);
  case FAKE:
    g_setenv("SMEMBANK_FAKE", from->more ? from->more : "", TRUE);
    return run_program("SMEMBANK_ON_FAKE", words);
  case TRACE:
    g_setenv("SMEMBANK_FAKE", "", TRUE);
    return run_trace(strstr(from->more, "--measure") ? "SMEMBANK_ON_FAKE" : "SMEMBANK", words,
                     from->more);
  case GOLDEN:
    return read_document("tests/cli/golden", words);
  case TEST_DATA:
    return read_document("tests/data", words);
  case REPORT:
    return run_report(words);
  }
  return NULL;
}

// Calls @visit for each key below @schema, with the key above it: "kernel.block".
typedef void (*Visit)(GHashTable *met, const char *pair, const char *place, gboolean is_met);

static void
walk_schema(JsonObject *schema, const char *above, const char *place, Visit visit,
            GHashTable *met) {
  if (json_object_has_member(schema, "items"))
    walk_schema(json_object_get_object_member(schema, "items"), above, place, visit, met);
  if (!json_object_has_member(schema, "properties"))
    return;
  JsonObject *properties = json_object_get_object_member(schema, "properties");
  g_autoptr(GList) keys = json_object_get_members(properties);
  for (GList *key = keys; key; key = key->next) {
    JsonObject *property = json_object_get_object_member(properties, key->data);
    g_autofree char *pair = g_strdup_printf("%s.%s", above, (const char *)key->data);
    g_autofree char *inner = g_strdup_printf("%s.%s", place, (const char *)key->data);
    visit(met, pair, inner, json_object_has_member(property, MET));
    walk_schema(property, key->data, inner, visit, met);
  }
}

static void
note_met(GHashTable *met, const char *pair, G_GNUC_UNUSED const char *place, gboolean is_met) {
  if (is_met)
    g_hash_table_add(met, g_strdup(pair));
}

// Keys that no document here has, by a part of where they stand: what is measured in other ways, or takes a compiler.
static const char *const elsewhere[] = {
    ".pipe_wavefronts",
    ".as_merged.",
    ".idle_issues",
    ".assumed_contents",
    ".together_compiled.",
    ".profile.metrics.",
    "recording.counters.",
    "recording.kernels.",
    "recording.requests.",
    "validate.recordings.counters.",
    "validate.rows.predicted_",
    "validate.times.",
};

static void
check_met(GHashTable *met, const char *pair, const char *place, G_GNUC_UNUSED gboolean is_met) {
  gboolean is_elsewhere = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(elsewhere); i++)
    is_elsewhere = is_elsewhere || strstr(place, elsewhere[i]);
  ck_assert_msg(is_elsewhere || g_hash_table_contains(met, pair), "no document has %s", place);
}

static const char *const schemas[] = {
    "advise",        "advise-check",   "advise-tune", "analyze", "analyze-capture",
    "check",         "compare",        "explain",     "fix",     "fix-project",
    "fuzz",          "list",           "recording",   "report",  "trace",
    "trace-measure", "trace-requests", "validate",
};

// Every document is as its schema says, without other keys. Every key of a schema is in a document, be it in that of
// another command which has the same member: "kernel", "arch", "warnings".
START_TEST(test_schemas) {
  g_autoptr(GHashTable) met = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  JsonNode *schema[G_N_ELEMENTS(schemas)];
  for (guint s = 0; s < G_N_ELEMENTS(schemas); s++) {
    schema[s] = load_schema(schemas[s]);
    for (guint i = 0; i < G_N_ELEMENTS(documents); i++) {
      if (strcmp(documents[i].schema, schemas[s]) != 0)
        continue;
      g_autoptr(JsonNode) document = make_document(&documents[i]);
      ck_assert_msg(document != NULL, "%s: no JSON", documents[i].words);
      g_autofree char *fault = check_node(document, json_node_get_object(schema[s]), schemas[s]);
      ck_assert_msg(!fault, "%s: %s", documents[i].words, fault);
    }
    walk_schema(json_node_get_object(schema[s]), "", schemas[s], note_met, met);
  }
  for (guint s = 0; s < G_N_ELEMENTS(schemas); s++) {
    walk_schema(json_node_get_object(schema[s]), "", schemas[s], check_met, met);
    json_node_unref(schema[s]);
  }
}
END_TEST

// All recordings that come with the program.
START_TEST(test_recording_schema) {
  const char *srcdir = g_getenv("srcdir");
  g_autoptr(JsonNode) schema = load_schema("recording");
  g_autofree char *folder = g_build_filename(srcdir ? srcdir : ".", "data/measured", NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  guint n = 0;
  while (dir && (name = g_dir_read_name(dir))) {
    if (!g_str_has_suffix(name, ".json"))
      continue;
    g_autoptr(JsonNode) document = read_document("data/measured", name);
    g_autofree char *fault = check_node(document, json_node_get_object(schema), name);
    ck_assert_msg(!fault, "%s", fault);
    n++;
  }
  ck_assert_uint_ge(n, 1);
}
END_TEST

// The sum of a member over the accesses of one class.
static gint64
sum_accesses(JsonArray *accesses, const char *op, const char *key) {
  gint64 sum = 0;
  for (guint i = 0; i < json_array_get_length(accesses); i++) {
    JsonObject *access = json_array_get_object_element(accesses, i);
    if (strcmp(json_object_get_string_member(access, "op"), op) == 0)
      sum += json_object_get_int_member(access, key);
  }
  return sum;
}

START_TEST(test_totals) {
  static const char *const keys[] = {"requests", "wavefronts", "ideal_wavefronts",
                                     "excess_wavefronts"};
  static const char *const ops[] = {"load", "store", "atomic"};
  g_autoptr(JsonNode) document =
      run_program("SMEMBANK", "analyze --kernel transposeSmemUnrollPad --shape ragged");
  JsonObject *root = json_node_get_object(document);
  JsonObject *totals = json_object_get_object_member(root, "totals");
  JsonArray *accesses = json_object_get_array_member(root, "accesses");
  for (guint op = 0; op < G_N_ELEMENTS(ops); op++) {
    for (guint key = 0; key < G_N_ELEMENTS(keys); key++)
      ck_assert_int_eq(
          json_object_get_int_member(json_object_get_object_member(totals, ops[op]), keys[key]),
          sum_accesses(accesses, ops[op], keys[key]));
  }
}
END_TEST

// The checker itself finds what is wrong.
START_TEST(test_checker) {
  static const struct {
    const char *document;
    const char *fault;
  } cases[] = {
      {"{\"n\":1}", NULL},
      {"{}", "x: no key 'n'"},
      {"{\"n\":\"1\"}", "x.n: wrong type: String"},
      {"{\"n\":2}", "x.n: not the value that is promised"},
      {"{\"n\":1,\"m\":1}", "x.m: not in the schema"},
      {"{\"n\":1,\"a\":[\"b\"]}", "x.a[0]: not one of the values allowed"},
      {"{\"n\":1,\"a\":[\"a\",null]}", "x.a[1]: wrong type: NULL"},
      {"{\"n\":1,\"c\":\"user\"}", NULL},
      {"{\"n\":1,\"c\":\"else\"}", "x.c: not the value that is promised"},
  };
  g_autoptr(JsonNode) schema = json_from_string(
      "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{"
      "\"n\":{\"type\":\"integer\",\"const\":1},\"c\":{\"const\":\"user\"},"
      "\"a\":{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\",\"enum\":[\"a\"]}}}}",
      NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(JsonNode) document = json_from_string(cases[i].document, NULL);
    g_autofree char *fault = check_node(document, json_node_get_object(schema), "x");
    ck_assert_pstr_eq(fault, cases[i].fault);
  }
}
END_TEST

Suite *
suite_json(void) {
  Suite *suite = suite_create("json");
  TCase *tcase = tcase_create("json");
  tcase_add_test(tcase, test_checker);
  tcase_add_test(tcase, test_schemas);
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, test_recording_schema);
  tcase_add_test(tcase, test_totals);
  suite_add_tcase(suite, tcase);
  return suite;
}
