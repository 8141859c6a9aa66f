// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Recordings read from JSON: the tables of members, from the outermost object inwards at the end.
#include "sim/records/recording.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/json-member.h"
#include "sim/program/launch.h"
#include "sim/trace/line.h"

// How deep a recording may be nested; it needs 5.
enum {
  MAX_NESTING = 16
};

enum {
  SHA256_DIGITS = 64
};

static gboolean
read_version(const SmbPlace *place, JsonNode *node, G_GNUC_UNUSED gpointer target, GError **error) {
  guint64 version = 0;
  if (!smb_member_count(place, node, &version, error))
    return FALSE;
  return version == SMB_RECORDING_SCHEMA_VERSION ||
         smb_member_expected(place, node, error, "1, the version that this program reads");
}

static gboolean
read_date(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (!smb_member_text(place, node, target, error))
    return FALSE;
  g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
  g_autoptr(GDateTime) date = g_date_time_new_from_iso8601(*(char **)target, utc);
  return date != NULL ||
         smb_member_expected(place, node, error, "a date such as \"2026-11-21T14:00:00Z\"");
}

static gboolean
read_capability(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  SmbRecording *recording = target;
  g_autofree char *text = NULL;
  guint64 numbers[2];
  if (!smb_member_text(place, node, &text, error))
    return FALSE;
  g_auto(GStrv) parts = g_strsplit(text, ".", -1);
  gboolean good = g_strv_length(parts) == G_N_ELEMENTS(numbers);
  for (guint i = 0; good && i < G_N_ELEMENTS(numbers); i++)
    good = g_ascii_string_to_unsigned(parts[i], 10, 0, G_MAXUINT8, &numbers[i], NULL);
  if (!good)
    return smb_member_expected(place, node, error, "a compute capability such as \"9.0\"");
  recording->capability_major = (guint)numbers[0];
  recording->capability_minor = (guint)numbers[1];
  return TRUE;
}

static gboolean
read_digest(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (!smb_member_text(place, node, target, error))
    return FALSE;
  const char *text = *(char **)target;
  return (strlen(text) == SHA256_DIGITS && strspn(text, "0123456789abcdef") == SHA256_DIGITS) ||
         smb_member_expected(place, node, error, "64 hexadecimal digits in lower case");
}

static gboolean
read_block(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = SMB_MAX_BLOCK_EXTENT;
  return smb_member_extents(place, node, max, target, error);
}

static gboolean
read_grid(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = SMB_MAX_GRID_EXTENT;
  return smb_member_extents(place, node, max, target, error);
}

static gboolean
find_metric(const SmbPlace *place, SmbMetric *metric, GError **error) {
  if (smb_metric_parse(place->name, metric))
    return TRUE;
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < SMB_N_METRICS; i++)
    g_string_append_printf(names, "%s%s", i ? ", " : "", smb_metric_name((SmbMetric)i));
  return smb_member_fail(place, error, "no such metric: expected one of %s", names->str);
}

// Reads an object that has metrics for members, each into the element of @target with its index; what
// is null was not measured.
static gboolean
read_metrics(const SmbPlace *place, JsonNode *node, SmbMemberRead read, gpointer target, gsize size,
             GError **error) {
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return smb_member_expected(place, node, error, "an object");
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  json_object_iter_init_ordered(&iter, json_node_get_object(node));
  while (json_object_iter_next_ordered(&iter, &name, &value)) {
    SmbPlace below = {place, name, 0};
    SmbMetric metric;
    if (!find_metric(&below, &metric, error))
      return FALSE;
    if (!JSON_NODE_HOLDS_NULL(value) && !read(&below, value, (char *)target + metric * size, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_counters(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_metrics(place, node, smb_member_text, target, sizeof(char *), error);
}

static gboolean
read_measured(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  double *measured = target;
  if (!read_metrics(place, node, smb_member_number, measured, sizeof(double), error))
    return FALSE;
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (measured[i] != SMB_NOT_MEASURED && !smb_metric_is_counted((SmbMetric)i))
      return smb_member_fail(place, error,
                             "'%s' is not a count: values stand in 'buffers', times in "
                             "'time' and 'time_cold'",
                             smb_metric_name((SmbMetric)i));
  }
  return TRUE;
}

static gboolean
read_time(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const SmbMember members[] = {
      {"median_us", TRUE, smb_member_number, G_STRUCT_OFFSET(SmbRecordedTime, median)},
      {"min_us", TRUE, smb_member_number, G_STRUCT_OFFSET(SmbRecordedTime, min)},
      {"max_us", TRUE, smb_member_number, G_STRUCT_OFFSET(SmbRecordedTime, max)},
      {"launches", TRUE, smb_member_some, G_STRUCT_OFFSET(SmbRecordedTime, n_launches)},
  };
  return smb_members_read(place, node, members, G_N_ELEMENTS(members), target, error);
}

// Reads an array; @read_element adds each to @target.
static gboolean
read_elements(const SmbPlace *place, JsonNode *node, SmbMemberRead read_element, gpointer target,
              GError **error) {
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array");
  JsonArray *array = json_node_get_array(node);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    if (!read_element(&element, json_array_get_element(array, i), target, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_buffer(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const SmbMember members[] = {
      {"parameter", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecordedBuffer, parameter)},
      {"bytes", TRUE, smb_member_count, G_STRUCT_OFFSET(SmbRecordedBuffer, bytes)},
      {"sha256", TRUE, read_digest, G_STRUCT_OFFSET(SmbRecordedBuffer, sha256)},
      {"equal", TRUE, smb_member_count, G_STRUCT_OFFSET(SmbRecordedBuffer, equal)},
      {"elements", TRUE, smb_member_count, G_STRUCT_OFFSET(SmbRecordedBuffer, elements)},
      {"difference", FALSE, smb_member_text, G_STRUCT_OFFSET(SmbRecordedBuffer, difference)},
  };
  GPtrArray *buffers = *(GPtrArray **)target;
  SmbRecordedBuffer *buffer = smb_recorded_buffer_new(NULL, 0, NULL);
  g_ptr_array_add(buffers, buffer);
  if (!smb_members_read(place, node, members, G_N_ELEMENTS(members), buffer, error))
    return FALSE;
  return buffer->equal <= buffer->elements ||
         smb_member_fail(place, error, "more elements are equal than there are");
}

static gboolean
read_buffers(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_elements(place, node, read_buffer, target, error);
}

static gboolean
read_kernel(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const SmbMember members[] = {
      {"kernel", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecordedKernel, name)},
      {"shape", FALSE, smb_member_text, G_STRUCT_OFFSET(SmbRecordedKernel, shape)},
      {"file", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecordedKernel, file)},
      {"block", TRUE, read_block, G_STRUCT_OFFSET(SmbRecordedKernel, block)},
      {"grid", TRUE, read_grid, G_STRUCT_OFFSET(SmbRecordedKernel, grid)},
      {"defines", TRUE, smb_member_texts, G_STRUCT_OFFSET(SmbRecordedKernel, defines)},
      {"args", TRUE, smb_member_texts, G_STRUCT_OFFSET(SmbRecordedKernel, args)},
      {"contents", FALSE, smb_member_texts, G_STRUCT_OFFSET(SmbRecordedKernel, contents)},
      {"dynamic_bytes", TRUE, smb_member_count, G_STRUCT_OFFSET(SmbRecordedKernel, dynamic_bytes)},
      {"measured", TRUE, read_measured, G_STRUCT_OFFSET(SmbRecordedKernel, measured)},
      {"time", FALSE, read_time, G_STRUCT_OFFSET(SmbRecordedKernel, times[SMB_CACHE_WARM])},
      {"time_cold", FALSE, read_time, G_STRUCT_OFFSET(SmbRecordedKernel, times[SMB_CACHE_COLD])},
      {"buffers", TRUE, read_buffers, G_STRUCT_OFFSET(SmbRecordedKernel, buffers)},
      {"failure", FALSE, smb_member_text, G_STRUCT_OFFSET(SmbRecordedKernel, failure)},
  };
  GPtrArray *kernels = *(GPtrArray **)target;
  SmbRecordedKernel *kernel = smb_recorded_kernel_new();
  g_ptr_array_add(kernels, kernel);
  return smb_members_read(place, node, members, G_N_ELEMENTS(members), kernel, error);
}

static gboolean
read_kernels(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_elements(place, node, read_kernel, target, error);
}

// Requests, and what is needed to read one.
typedef struct {
  GArray *requests;
  SmbArch *arch;
  GString *line;
  SmbRecordedRequest current;
} RequestReader;

static gboolean
read_request_text(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  RequestReader *reader = target;
  g_autofree char *text = NULL;
  if (!smb_member_text(place, node, &text, error))
    return FALSE;
  if (strpbrk(text, "#="))
    return smb_member_expected(place, node, error, "OP WIDTH MASK OFF0 … OFF31 and nothing else");
  g_string_printf(reader->line, "%s\n", text);
  SmbTraceLine line = {NULL, 0, reader->line->str, reader->arch};
  gint64 no_count;
  gboolean found;
  g_autoptr(GError) failure = NULL;
  if (!smb_trace_line_parse(&line, &reader->current.request, &no_count, &found, &failure))
    return smb_member_fail(place, error, "%s", failure->message);
  return found || smb_member_fail(place, error, "empty: expected OP WIDTH MASK OFF0 … OFF31");
}

static gboolean
read_instruction(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  RequestReader *reader = target;
  g_autofree char *text = NULL;
  if (!smb_member_text(place, node, &text, error))
    return FALSE;
  reader->current.instruction = g_intern_string(text);
  return TRUE;
}

static gboolean
read_request(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const SmbMember members[] = {
      {"request", TRUE, read_request_text, 0},
      {"wavefronts", FALSE, smb_member_number, G_STRUCT_OFFSET(RequestReader, current.wavefronts)},
      {"cycles", FALSE, smb_member_number, G_STRUCT_OFFSET(RequestReader, current.cycles)},
      {"instruction", FALSE, read_instruction, 0},
  };
  RequestReader *reader = target;
  reader->current.instruction = NULL;
  reader->current.wavefronts = reader->current.cycles = SMB_NOT_MEASURED;
  if (!smb_members_read(place, node, members, G_N_ELEMENTS(members), reader, error))
    return FALSE;
  g_array_append_val(reader->requests, reader->current);
  return TRUE;
}

static gboolean
read_arch(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  g_autoptr(GError) failure = NULL;
  if (!smb_member_text(place, node, target, error))
    return FALSE;
  g_autoptr(SmbArch) arch = smb_arch_load(*(char **)target, &failure);
  return arch != NULL || smb_member_fail(place, error, "%s", failure->message);
}

// Needs the architecture, which the table has before.
static gboolean
read_requests(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  SmbRecording *recording = target;
  g_autoptr(SmbArch) arch = smb_arch_load(recording->arch, error);
  if (!arch)
    return FALSE;
  g_autoptr(GString) line = g_string_new(NULL);
  RequestReader reader = {.requests = recording->requests, .arch = arch, .line = line};
  return read_elements(place, node, read_request, &reader, error);
}

static gboolean
read_device(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const SmbMember members[] = {
      {"name", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, gpu)},
      {"compute_capability", TRUE, read_capability, 0},
      {"multiprocessors", TRUE, smb_member_some, G_STRUCT_OFFSET(SmbRecording, multiprocessors)},
      {"driver", FALSE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, driver)},
      {"cuda_driver", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, cuda_driver)},
      {"toolkit", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, toolkit)},
  };
  return smb_members_read(place, node, members, G_N_ELEMENTS(members), target, error);
}

SmbRecording *
smb_recording_new_from_data(const char *source, const char *text, gsize length, GError **error) {
  static const SmbMember members[] = {
      {"schema_version", TRUE, read_version, 0},
      {"program", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, program)},
      {"date", TRUE, read_date, G_STRUCT_OFFSET(SmbRecording, date)},
      {"device", TRUE, read_device, 0},
      {"arch", TRUE, read_arch, G_STRUCT_OFFSET(SmbRecording, arch)},
      {"method", TRUE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, method)},
      {"counters", TRUE, read_counters, G_STRUCT_OFFSET(SmbRecording, counters)},
      {"request_counter", FALSE, smb_member_text, G_STRUCT_OFFSET(SmbRecording, request_counter)},
      {"kernels", TRUE, read_kernels, G_STRUCT_OFFSET(SmbRecording, kernels)},
      {"requests", TRUE, read_requests, 0},
  };
  g_autoptr(JsonNode) root = smb_json_parse(source, text, length, MAX_NESTING, error);
  if (!root)
    return NULL;
  SmbPlace place = {NULL, source, 0};
  g_autoptr(SmbRecording) recording = smb_recording_new();
  recording->source = g_strdup(source);
  if (!smb_members_read(&place, root, members, G_N_ELEMENTS(members), recording, error))
    return NULL;
  return g_steal_pointer(&recording);
}
