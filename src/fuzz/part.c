// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part has its results as any report has them; its "shard" adds the mismatches: the first ones of each instruction, of which the
// whole shows as many. Some were counted only because they were to be shown, and those that the whole does not show
// are taken out of its sums.
#include "src/fuzz/part.h"

#include <gio/gio.h>
#include <string.h>

#include "gpu/instruction.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/trace/trace.h"
#include "src/out/json.h"

static void
write_measured(JsonBuilder *json, const char *key, double number) {
  if (number == SMB_NOT_MEASURED)
    smb_json_null(json, key);
  else
    smb_json_double(json, key, number);
}

static void
write_mismatch(JsonBuilder *json, const SmbFuzzMismatch *mismatch) {
  g_autoptr(GString) line = g_string_new(NULL);
  smb_trace_append_request(line, &mismatch->request, SMB_NVIDIA_LANES);
  smb_json_object(json, NULL);
  smb_json_text(json, "request", line->str);
  smb_json_text(json, "instruction", smb_instruction(mismatch->instruction)->name);
  write_measured(json, "wavefronts", mismatch->wavefronts);
  write_measured(json, "cycles", mismatch->cycles);
  smb_json_boolean(json, "extra", mismatch->is_extra);
  smb_json_boolean(json, "count_differs", mismatch->count_differs);
  json_builder_end_object(json);
}

void
smb_fuzz_json_part(JsonBuilder *json, const SmbFuzzReport *report) {
  smb_shard_json(json, &report->options->shard);
  smb_json_number(json, "counted", (gint64)report->options->counted);
  smb_json_array(json, "instructions");
  for (guint i = 0; i < report->instructions->len; i++)
    smb_json_text(json, NULL, smb_instruction(g_array_index(report->instructions, guint, i))->name);
  json_builder_end_array(json);
  smb_json_array(json, "mismatches");
  for (guint i = 0; i < report->mismatches->len; i++)
    write_mismatch(json, &g_array_index(report->mismatches, SmbFuzzMismatch, i));
  json_builder_end_array(json);
  json_builder_end_object(json);
}

// --- the whole

// What is made of the parts.
typedef struct {
  SmbArch *arch;
  SmbFuzzOptions options;
  SmbMeterDevice device;
  GArray *instructions; // guint
  GArray *results;      // SmbFuzzResult, of each instruction
  GArray *mismatches;   // SmbFuzzMismatch, those of the first part first
} Whole;

static void
whole_clear(Whole *whole) {
  g_clear_pointer(&whole->arch, smb_arch_unref);
  g_array_unref(whole->instructions);
  for (guint i = 0; i < whole->results->len; i++)
    g_free(g_array_index(whole->results, SmbFuzzResult, i).failure);
  g_array_unref(whole->results);
  g_array_unref(whole->mismatches);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Whole, whole_clear)

static gboolean
refuse(const char *name, const char *member, GError **error) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s: not as fuzz writes it", name, member);
}

static JsonObject *
element_object(JsonArray *array, guint index) {
  JsonNode *node =
      array && index < json_array_get_length(array) ? json_array_get_element(array, index) : NULL;
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

// A number from 0, also one that is written without a fraction; %FALSE: there is none.
static gboolean
read_number(JsonObject *object, const char *member, double *number) {
  JsonNode *node = json_object_get_member(object, member);
  *number = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_double(node) : -1;
  return *number >= 0;
}

static double
read_measured(JsonObject *object, const char *member) {
  double number;
  return read_number(object, member, &number) ? number : SMB_NOT_MEASURED;
}

static gboolean
read_count(JsonObject *object, const char *member, guint64 *sum) {
  gint64 count = smb_json_get_number(object, member);
  if (count < 0 || count > (gint64)SMB_FUZZ_MAX_COUNT)
    return FALSE;
  *sum += (guint64)count;
  return TRUE;
}

static gboolean
read_instructions(Whole *whole, const char *name, JsonObject *shard, GError **error) {
  JsonArray *names = smb_json_get_array(shard, "instructions");
  for (guint i = 0; names && i < json_array_get_length(names); i++) {
    JsonNode *node = json_array_get_element(names, i);
    const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    guint instruction;
    if (!text || !smb_instruction_find(text, &instruction) ||
        whole->instructions->len == smb_instruction_count())
      return refuse(name, "shard.instructions", error);
    SmbFuzzResult empty = {.instruction = instruction,
                           .is_bound = smb_trial_is_bound(whole->arch, instruction)};
    g_array_append_val(whole->instructions, instruction);
    g_array_append_val(whole->results, empty);
  }
  return whole->instructions->len > 0 || refuse(name, "shard.instructions", error);
}

// What all parts say alike: those that merge has compared.
static gboolean
read_common(Whole *whole, const SmbCli *cli, const char *name, JsonObject *part, GError **error) {
  JsonObject *shard = smb_json_get_object(part, "shard");
  const char *arch = smb_json_get_text(smb_json_get_object(part, "arch"), "name");
  const char *seed = smb_json_get_text(part, "seed");
  const char *capability = smb_json_get_text(part, "compute_capability");
  g_auto(GStrv) numbers = g_strsplit(capability ? capability : "", ".", 2);
  whole->device.name = (char *)smb_json_get_text(part, "device");
  whole->device.driver = (char *)smb_json_get_text(part, "driver");
  whole->device.toolkit = (char *)smb_json_get_text(part, "toolkit");
  whole->device.refusal = (char *)smb_json_get_text(part, "counters_refused");
  if (!whole->device.name || g_strv_length(numbers) != 2)
    return refuse(name, "device", error);
  whole->device.capability_major = (guint)g_ascii_strtoull(numbers[0], NULL, 10);
  whole->device.capability_minor = (guint)g_ascii_strtoull(numbers[1], NULL, 10);
  if (!seed || !g_ascii_string_to_unsigned(seed, 10, 0, G_MAXUINT64, &whole->options.seed, NULL))
    return refuse(name, "seed", error);
  if (!read_count(part, "count", &whole->options.count) || whole->options.count == 0 ||
      !read_count(shard, "counted", &whole->options.counted))
    return refuse(name, "count", error);
  whole->arch = arch ? smb_cli_load_arch(cli, arch, 0, error) : NULL;
  if (!whole->arch)
    return arch ? FALSE : refuse(name, "arch", error);
  return read_instructions(whole, name, shard, error);
}

// Adds what a part has measured of a span.
static gboolean
add_result(const Whole *whole, const SmbFuzzSpan *span, JsonObject *object) {
  SmbFuzzResult *result = &g_array_index(whole->results, SmbFuzzResult, span->index);
  const char *text = smb_json_get_text(object, "instruction");
  const char *failure = smb_json_get_text(object, "failure");
  guint64 before = result->patterns;
  double seconds, device_seconds;
  if (!text || strcmp(text, smb_instruction(result->instruction)->name) != 0 ||
      !read_number(object, "seconds", &seconds) ||
      !read_number(object, "device_seconds", &device_seconds) ||
      !read_count(object, "patterns", &result->patterns) ||
      !read_count(object, "mismatches", &result->mismatches) ||
      !read_count(object, "unsteady", &result->unsteady) ||
      !read_count(object, "counted", &result->counted) ||
      !read_count(object, "count_mismatches", &result->count_mismatches) ||
      result->patterns - before != (failure ? 0 : span->end - span->first))
    return FALSE;
  result->seconds += seconds;
  result->device_seconds += device_seconds;
  if (failure && !result->failure)
    result->failure = g_strdup(failure);
  return TRUE;
}

// The request that a line of a trace holds.
static gboolean
read_request(const Whole *whole, const char *line, SmbRequest *request) {
  g_autoptr(GInputStream) stream =
      g_memory_input_stream_new_from_data(line, (gssize)strlen(line), NULL);
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, line, whole->arch);
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  if (!smb_trace_reader_next(reader, batch, NULL) || batch->n != 1)
    return FALSE;
  *request = batch->requests[0];
  return TRUE;
}

static gboolean
add_mismatch(const Whole *whole, const char *name, JsonObject *object, GError **error) {
  const char *text = smb_json_get_text(object, "instruction");
  const char *line = smb_json_get_text(object, "request");
  SmbFuzzMismatch mismatch = {0};
  if (!text || !line || !smb_instruction_find(text, &mismatch.instruction) ||
      !read_request(whole, line, &mismatch.request))
    return refuse(name, "shard.mismatches", error);
  mismatch.predicted = smb_wavefronts_count(whole->arch, &mismatch.request);
  mismatch.cycles = read_measured(object, "cycles");
  mismatch.wavefronts = read_measured(object, "wavefronts");
  mismatch.is_extra = smb_json_get_flag(object, "extra");
  mismatch.count_differs = smb_json_get_flag(object, "count_differs");
  g_array_append_val(whole->mismatches, mismatch);
  return TRUE;
}

static gboolean
add_part(const Whole *whole, const char *name, JsonObject *part, const SmbShard *which,
         GError **error) {
  SmbFuzzOptions options = {.count = whole->options.count, .shard = *which};
  g_autoptr(GArray) spans = smb_fuzz_spans(&options, whole->instructions->len);
  JsonArray *results = smb_json_get_array(part, "instructions");
  JsonArray *mismatches = smb_json_get_array(smb_json_get_object(part, "shard"), "mismatches");
  if (!results || json_array_get_length(results) != spans->len)
    return refuse(name, "instructions", error);
  for (guint i = 0; i < spans->len; i++) {
    JsonObject *object = element_object(results, i);
    if (!object || !add_result(whole, &g_array_index(spans, SmbFuzzSpan, i), object))
      return refuse(name, "instructions", error);
  }
  for (guint i = 0; mismatches && i < json_array_get_length(mismatches); i++) {
    if (!add_mismatch(whole, name, element_object(mismatches, i), error))
      return FALSE;
  }
  return mismatches || refuse(name, "shard.mismatches", error);
}

// Keeps the mismatches that the whole shows, in the order of the instructions, and takes what was counted of others only because
// a part shows them out of the sums.
static void
take_mismatches(const Whole *whole, SmbFuzzReport *report) {
  for (guint i = 0; i < report->results->len; i++) {
    SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, i);
    guint shown = 0;
    for (guint j = 0; j < whole->mismatches->len; j++) {
      const SmbFuzzMismatch *mismatch = &g_array_index(whole->mismatches, SmbFuzzMismatch, j);
      if (mismatch->instruction != result->instruction)
        continue;
      if (shown++ < SMB_FUZZ_SHOWN_EACH) {
        g_array_append_val(report->mismatches, *mismatch);
      } else if (mismatch->is_extra) {
        result->counted -= result->counted > 0;
        result->count_mismatches -= mismatch->count_differs && result->count_mismatches > 0;
      }
    }
  }
}

gboolean
smb_fuzz_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts, GError **error) {
  g_auto(Whole) whole = {.instructions = g_array_new(FALSE, FALSE, sizeof(guint)),
                         .results = g_array_new(FALSE, FALSE, sizeof(SmbFuzzResult)),
                         .mismatches = g_array_new(FALSE, FALSE, sizeof(SmbFuzzMismatch))};
  if (!read_common(&whole, cli, names[0], parts->pdata[0], error))
    return FALSE;
  for (guint i = 0; i < parts->len; i++) {
    const SmbShard shard = {i + 1, parts->len};
    if (!add_part(&whole, names[i], parts->pdata[i], &shard, error))
      return FALSE;
  }
  g_autoptr(SmbFuzzReport) report =
      smb_fuzz_report_new(&whole.device, whole.arch, &whole.options, whole.instructions);
  report->refusal = g_strdup(whole.device.refusal);
  for (guint i = 0; i < whole.results->len; i++) {
    SmbFuzzResult *result = &g_array_index(whole.results, SmbFuzzResult, i);
    if (result->failure && result->patterns > 0)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s could be measured in some parts and not in others: %s",
                      smb_instruction(result->instruction)->name, result->failure);
    g_array_append_val(report->results, *result);
    result->failure = NULL; // the report has it
  }
  take_mismatches(&whole, report);
  return smb_fuzz_report_finish(cli, report, error);
}
