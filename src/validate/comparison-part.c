// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A row of a part is as validate writes any, with what else a row has. The whole is made of them anew: in the order of what was
// compared, and with the published numbers beside those of recordings, which may come from other parts.
#include "src/validate/comparison-part.h"

#include <string.h>

#include "sim/base/error.h"
#include "src/out/json.h"
#include "src/validate/comparison-impl.h"

static const char *const kinds[] = {
    [SMB_ROW_PUBLISHED] = "published",
    [SMB_ROW_KERNEL] = "kernel",
    [SMB_ROW_REQUEST] = "request",
};

static const char *const outcomes[] = {
    [SMB_OUTCOME_MATCH] = "match",       [SMB_OUTCOME_EXPLAINED] = "explained",
    [SMB_OUTCOME_MISMATCH] = "mismatch", [SMB_OUTCOME_UNMEASURED] = "unmeasured",
    [SMB_OUTCOME_SHOWN] = "shown",
};

static void
write_recorded(JsonBuilder *json, const SmbComparison *comparison, const SmbComparisonRow *row) {
  guint recording = 0;
  while (comparison->recordings->pdata[recording] != row->recording)
    recording++;
  smb_json_number(json, "recording", recording);
  if (!row->recorded)
    return;
  smb_json_boolean(json, "failed", row->recorded->failure != NULL);
  smb_json_array(json, "block");
  for (guint i = 0; i < 3; i++)
    smb_json_number(json, NULL, row->recorded->block[i]);
  json_builder_end_array(json);
}

void
smb_comparison_json_row_part(JsonBuilder *json, const SmbComparison *comparison,
                             const SmbComparisonRow *row) {
  smb_json_object(json, "shard");
  smb_json_number(json, "part", row->part);
  smb_json_number(json, "index", (gint64)row->index);
  smb_json_text(json, "kind", kinds[row->kind]);
  smb_json_text(json, "outcome", outcomes[row->outcome]);
  smb_json_text(json, "variant", row->variant);
  smb_json_number(json, "ipad", row->ipad);
  smb_json_text(json, "source", row->source);
  smb_json_boolean(json, "bound", row->is_bound);
  smb_json_boolean(json, "partial", row->is_partial);
  smb_json_boolean(json, "modern", row->is_modern);
  smb_json_array(json, "defines");
  for (guint i = 0; row->defines[i]; i++)
    smb_json_text(json, NULL, row->defines[i]);
  json_builder_end_array(json);
  if (row->recording)
    write_recorded(json, comparison, row);
  json_builder_end_object(json);
}

// What was compared with what: the recordings, and what the command has given for it.
static char *
digest_sources(const SmbComparison *comparison) {
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  smb_shard_digest_texts(checksum, (const char *const[]){comparison->sources, NULL});
  for (guint i = 0; i < comparison->recordings->len && !comparison->device; i++) {
    g_autofree char *text = smb_recording_to_json(comparison->recordings->pdata[i]);
    smb_shard_digest_texts(checksum, (const char *const[]){text, NULL});
  }
  return g_strdup(g_checksum_get_string(checksum));
}

void
smb_comparison_json_part(JsonBuilder *json, const SmbComparisonReport *report) {
  g_autofree char *digest = digest_sources(report->comparison);
  smb_shard_json(json, &report->comparison->shard);
  smb_json_text(json, "digest", digest);
  smb_json_boolean(json, "kernels", report->kernels);
  smb_json_boolean(json, "times", report->times);
  smb_json_boolean(json, "requests", report->requests);
  json_builder_end_object(json);
}

// --- the whole

// A row of a part.
typedef struct {
  guint part; // from 0
  guint64 source, index;
  JsonObject *object, *shard;
} Read;

typedef struct {
  const char *const *names;
  SmbComparison *comparison;
  GPtrArray *recordings;     // SmbRecording
  GArray *rows;              // Read
  const Read *last;          // that was added
  SmbRecordedKernel *launch; // of it
} Whole;

static gboolean
refuse(const char *name, const char *member, GError **error) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s: not as validate writes it", name,
                  member);
}

static gboolean
find_word(const char *word, const char *const *words, guint n, guint *index) {
  for (*index = 0; word && *index < n; (*index)++) {
    if (strcmp(word, words[*index]) == 0)
      return TRUE;
  }
  return FALSE;
}

// A number, or -1, which stands for none everywhere in a row.
static double
read_value(JsonObject *object, const char *member) {
  JsonNode *node = json_object_get_member(object, member);
  return node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_double(node) : -1;
}

// "9.0"
static void
read_capability(const char *text, SmbRecording *recording) {
  g_auto(GStrv) numbers = g_strsplit(text ? text : "", ".", 2);
  if (g_strv_length(numbers) != 2)
    return;
  recording->capability_major = (guint)g_ascii_strtoull(numbers[0], NULL, 10);
  recording->capability_minor = (guint)g_ascii_strtoull(numbers[1], NULL, 10);
}

static gboolean
read_recording(Whole *whole, const char *name, JsonObject *object, GError **error) {
  SmbRecording *recording = smb_recording_new();
  g_ptr_array_add(whole->recordings, recording);
  const struct {
    char **text;
    const char *member;
    gboolean needed;
  } texts[] = {
      {&recording->source, "source", TRUE},
      {&recording->date, "date", TRUE},
      {&recording->program, "program", TRUE},
      {&recording->gpu, "gpu", TRUE},
      {&recording->driver, "driver", FALSE},
      {&recording->cuda_driver, "cuda_driver", TRUE},
      {&recording->toolkit, "toolkit", TRUE},
      {&recording->arch, "arch", TRUE},
      {&recording->method, "method", TRUE},
      {&recording->request_counter, "request_counter", FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    *texts[i].text = g_strdup(smb_json_get_text(object, texts[i].member));
    if (texts[i].needed && !*texts[i].text)
      return refuse(name, "recordings", error);
  }
  read_capability(smb_json_get_text(object, "compute_capability"), recording);
  g_ptr_array_add(whole->comparison->recordings, recording);
  if (strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0)
    whole->comparison->device = recording->gpu;
  return TRUE;
}

// Adds the counters that a part read: one that had nothing to measure read none.
static gboolean
add_counters(SmbRecording *recording, JsonObject *object) {
  JsonObject *counters = smb_json_get_object(object, "counters");
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    const char *counter = smb_json_get_text(counters, smb_metric_name((SmbMetric)i));
    if (counter && recording->counters[i] && strcmp(counter, recording->counters[i]) != 0)
      return FALSE;
    if (counter && !recording->counters[i])
      recording->counters[i] = g_strdup(counter);
  }
  return TRUE;
}

// Whether two parts have a recording in common, but for when this device was measured, and what it could read.
static gboolean
is_same_recording(const SmbRecording *recording, JsonObject *object) {
  gboolean now = strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0;
  g_autofree char *capability =
      g_strdup_printf("%u.%u", recording->capability_major, recording->capability_minor);
  const struct {
    const char *text, *member;
  } texts[] = {
      {recording->source, "source"},
      {now ? smb_json_get_text(object, "date") : recording->date, "date"},
      {recording->program, "program"},
      {recording->gpu, "gpu"},
      {capability, "compute_capability"},
      {recording->driver, "driver"},
      {recording->cuda_driver, "cuda_driver"},
      {recording->toolkit, "toolkit"},
      {recording->arch, "arch"},
      {recording->method, "method"},
      {recording->request_counter, "request_counter"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (g_strcmp0(texts[i].text, smb_json_get_text(object, texts[i].member)) != 0)
      return FALSE;
  }
  return TRUE;
}

static JsonObject *
element_object(JsonArray *array, guint index) {
  JsonNode *node = json_array_get_element(array, index);
  return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static gboolean
read_recordings(Whole *whole, guint part, JsonObject *object, GError **error) {
  const char *name = whole->names[part];
  JsonArray *array = smb_json_get_array(object, "recordings");
  if (!array || (part > 0 && json_array_get_length(array) != whole->recordings->len))
    return refuse(name, "recordings", error);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    JsonObject *one = element_object(array, i);
    if (part == 0 && !read_recording(whole, name, one, error))
      return FALSE;
    SmbRecording *recording = whole->recordings->pdata[i];
    if (!is_same_recording(recording, one) || !add_counters(recording, one))
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s: its 'recordings[%u]' is not that of %s: parts are of one device, "
                      "driver and recording",
                      name, i, whole->names[0]);
  }
  return TRUE;
}

static gboolean
collect_rows(Whole *whole, guint part, guint parts, JsonArray *array, GError **error) {
  const SmbShard shard = {part + 1, parts};
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    Read read = {.part = part, .object = element_object(array, i)};
    read.shard = smb_json_get_object(read.object, "shard");
    gint64 source = smb_json_get_number(read.shard, "part");
    gint64 index = smb_json_get_number(read.shard, "index");
    if (!read.shard || source < 1 || index < 0 || !smb_shard_has(&shard, (guint64)index))
      return refuse(whole->names[part], "rows", error);
    read.source = (guint64)source;
    read.index = (guint64)index;
    g_array_append_val(whole->rows, read);
  }
  return array || refuse(whole->names[part], "rows", error);
}

static int
compare_rows(gconstpointer a, gconstpointer b) {
  const Read *x = a, *y = b;
  if (x->source != y->source)
    return x->source > y->source ? 1 : -1;
  return (x->index > y->index) - (x->index < y->index);
}

// Texts that are kept as long as the comparison.
static const char *
keep(const Whole *whole, JsonObject *object, const char *member) {
  return smb_comparison_keep(whole->comparison, smb_json_get_text(object, member));
}

static const char *const *
read_defines(const Whole *whole, JsonObject *shard) {
  JsonArray *array = smb_json_get_array(shard, "defines");
  g_autoptr(GStrvBuilder) defines = g_strv_builder_new();
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    if (text)
      g_strv_builder_add(defines, text);
  }
  g_auto(GStrv) list = g_strv_builder_end(defines);
  return smb_comparison_defines(whole->comparison, (const char *const *)list);
}

// The launch that a row of a recording is about: that of the row before it, or another.
static gboolean
read_launch(Whole *whole, const Read *read, SmbComparisonRow *row) {
  JsonArray *block = smb_json_get_array(read->shard, "block");
  if (whole->last && compare_rows(whole->last, read) == 0 && whole->launch) {
    row->recorded = whole->launch;
    return TRUE;
  }
  if (!block || json_array_get_length(block) != 3)
    return FALSE;
  whole->launch = smb_recorded_kernel_new();
  g_ptr_array_add(row->recording->kernels, whole->launch);
  for (guint i = 0; i < 3; i++) {
    JsonNode *node = json_array_get_element(block, i);
    whole->launch->block[i] = JSON_NODE_HOLDS_VALUE(node) ? (guint)json_node_get_int(node) : 0;
  }
  if (smb_json_get_flag(read->shard, "failed"))
    whole->launch->failure = g_strdup(row->note ? row->note : "");
  row->recorded = whole->launch;
  return TRUE;
}

// What rows of one kind have, and whether it is there.
static gboolean
read_kind(Whole *whole, const Read *read, SmbComparisonRow *row) {
  const char *op = smb_json_get_text(read->object, "op");
  gint64 recording = smb_json_get_number(read->shard, "recording");
  if (json_object_has_member(read->shard, "recording")) {
    if (recording < 0 || recording >= whole->recordings->len)
      return FALSE;
    row->recording = whole->recordings->pdata[recording];
  }
  switch (row->kind) {
  case SMB_ROW_PUBLISHED:
    return row->kernel && row->shape && !row->recording;
  case SMB_ROW_KERNEL:
    return row->kernel && row->recording && read_launch(whole, read, row);
  case SMB_ROW_REQUEST:
    row->width = (guint)smb_json_get_number(read->object, "width");
    return op && smb_op_parse(op, strlen(op), &row->op) && smb_op_has_width(row->op, row->width);
  case SMB_ROW_INSTRUCTION:
    break;
  }
  return FALSE;
}

static void
read_values(JsonObject *object, SmbComparisonRow *row) {
  row->predicted = read_value(object, "predicted");
  row->measured = read_value(object, "measured");
  row->min = read_value(object, "min");
  row->max = read_value(object, "max");
  row->bandwidth = read_value(object, "gb_per_s");
  row->bytes = (guint64)smb_json_get_number(object, "bytes");
  row->is_range = json_object_has_member(object, "predicted_min");
  if (!row->is_range)
    return;
  row->least = read_value(object, "predicted_min");
  row->most = read_value(object, "predicted_max");
}

static gboolean
add_row(Whole *whole, const Read *read, GError **error) {
  guint kind, outcome;
  const char *metric = keep(whole, read->object, "metric");
  if (!metric ||
      !find_word(smb_json_get_text(read->shard, "kind"), kinds, G_N_ELEMENTS(kinds), &kind) ||
      !find_word(smb_json_get_text(read->shard, "outcome"), outcomes, G_N_ELEMENTS(outcomes),
                 &outcome))
    return refuse(whole->names[read->part], "rows", error);
  SmbComparisonRow *row = smb_comparison_row((SmbRowKind)kind, metric);
  row->outcome = (SmbOutcome)outcome;
  row->kernel = keep(whole, read->object, "kernel");
  row->shape = keep(whole, read->object, "shape");
  row->parameter = keep(whole, read->object, "parameter");
  row->gpu = keep(whole, read->object, "gpu");
  row->arch = keep(whole, read->object, "arch");
  row->place = keep(whole, read->object, "source");
  row->note = keep(whole, read->object, "note");
  row->source = keep(whole, read->shard, "source");
  row->variant = keep(whole, read->shard, "variant");
  row->ipad = (int)smb_json_get_number(read->shard, "ipad");
  row->is_bound = smb_json_get_flag(read->shard, "bound");
  row->is_partial = smb_json_get_flag(read->shard, "partial");
  row->is_modern = smb_json_get_flag(read->shard, "modern");
  row->defines = read_defines(whole, read->shard);
  read_values(read->object, row);
  if (!row->gpu || !row->arch || !row->place || !row->source || !row->variant ||
      !read_kind(whole, read, row)) {
    smb_comparison_row_free(row);
    return refuse(whole->names[read->part], "rows", error);
  }
  whole->comparison->failed += row->recorded && row->recorded->failure;
  if (row->kind == SMB_ROW_PUBLISHED)
    smb_comparison_take_published(whole->comparison, row);
  else
    smb_comparison_take(whole->comparison, row);
  whole->last = read;
  return TRUE;
}

static gboolean
read_parts(Whole *whole, const GPtrArray *parts, GError **error) {
  static const char *const members[] = {"rows", "times"};
  for (guint i = 0; i < parts->len; i++) {
    if (!read_recordings(whole, i, parts->pdata[i], error))
      return FALSE;
    for (guint m = 0; m < G_N_ELEMENTS(members); m++) {
      if (!collect_rows(whole, i, parts->len, smb_json_get_array(parts->pdata[i], members[m]),
                        error))
        return FALSE;
    }
  }
  g_array_sort(whole->rows, compare_rows); // is stable
  for (guint i = 0; i < whole->rows->len; i++) {
    if (!add_row(whole, &g_array_index(whole->rows, Read, i), error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_comparison_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts,
                     GError **error) {
  g_autoptr(GPtrArray) recordings =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_recording_free);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(Read));
  Whole whole = {names, comparison, recordings, rows, NULL, NULL};
  JsonObject *shard = smb_json_get_object(parts->pdata[0], "shard");
  if (!read_parts(&whole, parts, error))
    return FALSE;
  const SmbComparisonReport report = {comparison, smb_json_get_flag(shard, "kernels"),
                                      smb_json_get_flag(shard, "times"),
                                      smb_json_get_flag(shard, "requests")};
  smb_comparison_write(cli, &report);
  return TRUE;
}
