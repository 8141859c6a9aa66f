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
  if (!is_among(node, json_object_get_member(schema, "type"), matches_type))
    return g_strdup_printf("%s: wrong type: %s", path, json_node_type_name(node));
  if (json_object_has_member(schema, "enum") &&
      !is_among(node, json_object_get_member(schema, "enum"), matches_value))
    return g_strdup_printf("%s: not one of the values allowed", path);
  if (json_object_has_member(schema, "const") &&
      !json_node_equal(node, json_object_get_member(schema, "const")))
    return g_strdup_printf("%s: not the value that is promised", path);
  if (json_object_has_member(schema, "minimum") &&
      json_node_get_int(node) < json_object_get_int_member(schema, "minimum"))
    return g_strdup_printf("%s: below the minimum", path);
  if (JSON_NODE_HOLDS_OBJECT(node))
    return check_members(json_node_get_object(node), schema, path);
  if (JSON_NODE_HOLDS_ARRAY(node))
    return check_elements(json_node_get_array(node), schema, path);
  return NULL;
}

// The schema of what a command line writes: advise has three results.
static char *
name_schema(const char *words) {
  g_autofree char *command = g_strndup(words, strcspn(words, " "));
  return g_strconcat(command,
                     strstr(words, " --check ")  ? "-check"
                     : strstr(words, " --tune ") ? "-tune"
                                                 : "",
                     NULL);
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
run(const char *words) {
  return run_program("SMEMBANK", words);
}

static const char *const lines[] = {
    "advise --kernel setRowReadCol",
    "advise --rows 16 --cols 32 --dynamic --arch sm_20",
    "advise --kernel naiveGmem",
    "advise --kernel reduceSmem --check Swizzle<5,0,5>",
    "advise --rows 8 --cols 8 --elem float4 --check Swizzle<3,0,3>",
    "advise --kernel setRowReadColDynPad --shape rect --tune IPAD=0..4 --dynamic-bytes 2112",
    "analyze --rows 16 --cols 32 --pad 1",
    "analyze --rows 8 --cols 8 --elem float4 --dynamic --warps",
    "analyze --kernel transposeSmem --shape ragged --warps",
    "analyze --kernel naiveGmem --arch sm_20",
    "analyze --rows 16 --cols 16 --max-ways 3 --shard 1/2",
    "analyze --kernel reduceSmem --shape 128 --max-ways 1",
    "analyze --rows 32 --cols 32 --max-excess 1% --max-excess tile=0 --max-wavefronts 99=0",
    "explain --rows 16 --cols 32 --pad 1",
    "explain --rows 8 --cols 8 --elem float4 --dynamic --arch sm_10",
    "explain --kernel reduceSmem --shape 128 --line 34",
    "explain --kernel naiveGmem",
    "validate",
    "validate --recorded --kernel setRowReadColPad",
    "validate --recorded --shard 2/40",
    "list kernels",
    "list archs",
    "list archs sm_90",
    "list archs --verbose",
    "list devices",
    "list ops",
    "list recordings",
};

START_TEST(test_schema) {
  g_autofree char *command = name_schema(lines[_i]);
  g_autoptr(JsonNode) schema = load_schema(command);
  g_autoptr(JsonNode) document = run(lines[_i]);
  g_autofree char *fault = check_node(document, json_node_get_object(schema), command);
  ck_assert_msg(!fault, "smembank %s: %s", lines[_i], fault);
}
END_TEST

// Of files: the rows of a recording, which has every kind of them, and what is in PTX.
static const struct {
  const char *command, *words, *file;
} files[] = {
    {"validate", "validate", "tests/data/recording.json"},
    {"analyze", "analyze --entry corner --block 16,16 --warps", "tests/data/sass/wide.sm_90.cubin"},
    {"explain", "explain --entry corner --block 16,16", "tests/data/sass/wide.sm_90.cubin"},
    {"list", "list kernels", "tests/ptx/histogram.ptx"},
    {"check", "check --project", "tests/data/project.ini"},
    {"check", "check --shard 1/2 --project", "tests/data/project.ini"},
};

START_TEST(test_file_schema) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *words =
      g_strdup_printf("%s %s/%s", files[_i].words, srcdir ? srcdir : ".", files[_i].file);
  g_autoptr(JsonNode) schema = load_schema(files[_i].command);
  g_autoptr(JsonNode) document = run(words);
  g_autofree char *fault = check_node(document, json_node_get_object(schema), files[_i].command);
  ck_assert_msg(!fault, "%s: %s", words, fault);
}
END_TEST

// What takes more files than a line names: the goldens of the tests of these commands.
static const char *const goldens[] = {"compare", "fix", "fix-project"};

START_TEST(test_golden_schema) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *name = g_strconcat(goldens[_i], ".json", NULL);
  g_autofree char *path =
      g_build_filename(srcdir ? srcdir : ".", "tests", "cli", "golden", name, NULL);
  g_autoptr(JsonNode) schema = load_schema(goldens[_i]);
  g_autoptr(JsonParser) parser = json_parser_new();
  ck_assert_msg(json_parser_load_from_file(parser, path, NULL), "%s", path);
  g_autofree char *fault =
      check_node(json_parser_get_root(parser), json_node_get_object(schema), name);
  ck_assert_msg(!fault, "%s", fault);
}
END_TEST

// The data of the script in a page.
START_TEST(test_report_schema) {
  static const char *const kernels[] = {"--kernel transposeSmem --shape ragged",
                                        "--rows 32 --cols 32 --arch sm_30_8B", "--rows 8 --cols 1"};
  static const char start[] = "<script type=\"application/json\" id=\"data\">";
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "page.html", NULL);
  g_autofree char *line =
      g_strdup_printf("%s report %s %s", g_getenv("SMEMBANK"), path, kernels[_i]);
  g_autofree char *page = NULL;
  ck_assert(g_spawn_command_line_sync(line, NULL, NULL, NULL, NULL));
  ck_assert(g_file_get_contents(path, &page, NULL, NULL));
  g_remove(path);
  g_rmdir(folder);
  char *text = strstr(page, start);
  ck_assert_ptr_nonnull(text);
  *strstr(text, "</script>") = '\0';
  g_autoptr(JsonNode) document = json_from_string(text + strlen(start), NULL);
  ck_assert_ptr_nonnull(document);
  g_autoptr(JsonNode) schema = load_schema("report");
  g_autofree char *fault = check_node(document, json_node_get_object(schema), "report");
  ck_assert_msg(!fault, "%s: %s", line, fault);
}
END_TEST

// Recordings: one made by hand for the tests, and those that come with the program.
START_TEST(test_recording_schema) {
  static const char *const folders[] = {"tests/data", "data/measured"};
  const char *srcdir = g_getenv("srcdir");
  g_autoptr(JsonNode) schema = load_schema("recording");
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *folder = g_build_filename(srcdir ? srcdir : ".", folders[i], NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
      if (!g_str_has_suffix(name, ".json"))
        continue;
      g_autofree char *path = g_build_filename(folder, name, NULL);
      g_autoptr(JsonParser) parser = json_parser_new();
      ck_assert_msg(json_parser_load_from_file(parser, path, NULL), "%s", path);
      g_autofree char *fault =
          check_node(json_parser_get_root(parser), json_node_get_object(schema), name);
      ck_assert_msg(!fault, "%s", fault);
      n++;
    }
  }
  ck_assert_uint_ge(n, 1);
}
END_TEST

// What is measured, on a made-up GPU with and without a fault.
static const char *const measured[][2] = {
    {"", "fuzz --count 20 --counted 2"},
    {"no-permission", "fuzz --count 20 --op ld"},
    {"", "advise --rows 16 --cols 32 --measure"},
    {"launch-failure", "advise --rows 16 --cols 32 --measure"},
    {"more-cycles", "fuzz --count 20 --op atom.max.u32"},
    {"more-cycles", "fuzz --count 20 --op ld --shard 2/3"},
};

START_TEST(test_measured_schema) {
  const char *words = measured[_i][1];
  g_autofree char *command = g_strndup(words, strcspn(words, " "));
  g_autoptr(JsonNode) schema = load_schema(command);
  g_setenv("SMEMBANK_FAKE", measured[_i][0], TRUE);
  g_autoptr(JsonNode) document = run_program("SMEMBANK_ON_FAKE", words);
  g_autofree char *fault = check_node(document, json_node_get_object(schema), command);
  ck_assert_msg(!fault, "smembank %s: %s", words, fault);
}
END_TEST

// A request that costs nothing extra, one that conflicts, and one whose count is never right.
static const char *const traces[] = {"ld 4 1", "ld 4 ffffffff", "ldmatrix.x4 16 ff"};

// Runs trace on one of them with more options; the offsets of the lanes are 128 bytes apart.
static JsonNode *
run_trace(const char *variable, const char *start, const char *options) {
  g_autofree char *path = NULL;
  g_autoptr(GString) text = g_string_new(start);
  for (guint lane = 0; lane < 32; lane++)
    g_string_append_printf(text, " %u", lane * 128);
  g_string_append(text, " = 99\n"); // never right: there is a mismatch to look at
  int fd = g_file_open_tmp("smembank-XXXXXX", &path, NULL);
  ck_assert(g_close(fd, NULL));
  ck_assert(g_file_set_contents(path, text->str, -1, NULL));
  g_autofree char *line = g_strdup_printf("trace --arch sm_70%s %s", options, path);
  JsonNode *document = run_program(variable, line);
  g_remove(path);
  return document;
}

START_TEST(test_trace_schema) {
  g_autoptr(JsonNode) schema = load_schema("trace");
  g_autoptr(JsonNode) document = run_trace("SMEMBANK", traces[_i], "");
  g_autofree char *fault = check_node(document, json_node_get_object(schema), "trace");
  ck_assert_msg(!fault, "%s", fault);
  JsonArray *mismatches =
      json_object_get_array_member(json_node_get_object(document), "mismatches");
  ck_assert_uint_eq(json_array_get_length(mismatches), 1);
}
END_TEST

START_TEST(test_trace_requests_schema) {
  g_autoptr(JsonNode) schema = load_schema("trace-requests");
  g_autoptr(JsonNode) document = run_trace("SMEMBANK", traces[_i], " --requests");
  g_autofree char *fault = check_node(document, json_node_get_object(schema), "trace");
  ck_assert_msg(!fault, "%s", fault);
  JsonArray *requests = json_object_get_array_member(json_node_get_object(document), "requests");
  ck_assert_uint_eq(json_array_get_length(requests), 1);
}
END_TEST

// Requests on a made-up GPU; the count of their line is never right.
START_TEST(test_trace_measure_schema) {
  g_autoptr(JsonNode) schema = load_schema("trace-measure");
  g_autoptr(JsonNode) document = run_trace("SMEMBANK_ON_FAKE", traces[_i], " --measure");
  g_autofree char *fault = check_node(document, json_node_get_object(schema), "trace");
  ck_assert_msg(!fault, "%s", fault);
  JsonArray *requests = json_object_get_array_member(json_node_get_object(document), "requests");
  ck_assert_uint_eq(json_array_get_length(requests), 1);
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
  g_autoptr(JsonNode) document = run("analyze --kernel transposeSmemUnrollPad --shape ragged");
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
  };
  g_autoptr(JsonNode) schema = json_from_string(
      "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{"
      "\"n\":{\"type\":\"integer\",\"const\":1},"
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
  tcase_add_loop_test(tcase, test_schema, 0, (int)G_N_ELEMENTS(lines));
  tcase_add_loop_test(tcase, test_report_schema, 0, 3);
  tcase_add_test(tcase, test_recording_schema);
  tcase_add_loop_test(tcase, test_file_schema, 0, G_N_ELEMENTS(files));
  tcase_add_loop_test(tcase, test_golden_schema, 0, G_N_ELEMENTS(goldens));
  tcase_add_loop_test(tcase, test_measured_schema, 0, (int)G_N_ELEMENTS(measured));
  tcase_add_loop_test(tcase, test_trace_schema, 0, G_N_ELEMENTS(traces));
  tcase_add_loop_test(tcase, test_trace_measure_schema, 0, G_N_ELEMENTS(traces));
  tcase_add_loop_test(tcase, test_trace_requests_schema, 0, G_N_ELEMENTS(traces));
  tcase_add_test(tcase, test_totals);
  suite_add_tcase(suite, tcase);
  return suite;
}
