// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Recordings as JSON that version control shows well: the tables of members, from the outermost object inwards at the
// end. They are written in the order of these, a kernel or a request on one line.
#include "sim/measured/recording-head.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/json-member.h"
#include "sim/launch/launch.h"
#include "sim/trace/trace-line.h"
#include "sim/trace/trace.h"

// How deep a recording may be nested; it needs 5.
enum {
  MAX_NESTING = 16
};

enum {
  SHA256_DIGITS = 64
};

#define AT(type, field) G_STRUCT_OFFSET(type, field)
#define MEMBERS(table)  table, G_N_ELEMENTS(table)

// An object as a member or an element.
static gboolean
write_recording_object(GString *json, const SmbMember *members, guint n, gconstpointer object) {
  g_string_append_c(json, '{');
  smb_members_write(json, members, n, object, ", ");
  g_string_append_c(json, '}');
  return TRUE;
}

// Between the elements of an array whose elements stand on lines of their own, and behind the last.
static const char line[] = "\n    ", last_line[] = "\n  ";

// An array of the objects in a GPtrArray, each behind @indent.
static gboolean
write_objects(GString *json, gconstpointer value, const SmbMember *members, guint n,
              const char *indent) {
  const GPtrArray *objects = *(GPtrArray *const *)value;
  for (guint i = 0; i < objects->len; i++) {
    g_string_append_printf(json, "%s%s", i == 0 ? "[" : *indent ? "," : ", ", indent);
    write_recording_object(json, members, n, objects->pdata[i]);
  }
  g_string_append_printf(json, "%s]", objects->len == 0 ? "[" : *indent ? last_line : "");
  return TRUE;
}

static gboolean
read_recording_version(const SmbPlace *place, JsonNode *node, G_GNUC_UNUSED gpointer target,
                       GError **error) {
  guint64 version = 0;
  if (!smb_member_count(place, node, &version, error))
    return FALSE;
  return version == SMB_RECORDING_SCHEMA_VERSION ||
         smb_member_expected(place, node, error, "1, the version that this program reads");
}

static gboolean
write_version(GString *json, G_GNUC_UNUSED gconstpointer value) {
  g_string_append_printf(json, "%d", SMB_RECORDING_SCHEMA_VERSION);
  return TRUE;
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
read_digest(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (!smb_member_text(place, node, target, error))
    return FALSE;
  const char *text = *(char **)target;
  return (strlen(text) == SHA256_DIGITS && strspn(text, "0123456789abcdef") == SHA256_DIGITS) ||
         smb_member_expected(place, node, error, "64 hexadecimal digits in lower case");
}

static gboolean
read_recorded_block(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = SMB_MAX_BLOCK_EXTENT;
  return smb_member_extents(place, node, max, target, error);
}

static gboolean
read_recorded_grid(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = SMB_MAX_GRID_EXTENT;
  return smb_member_extents(place, node, max, target, error);
}

static gboolean
find_recorded_metric(const SmbPlace *place, SmbMetric *metric, GError **error) {
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
    if (!find_recorded_metric(&below, &metric, error))
      return FALSE;
    if (!JSON_NODE_HOLDS_NULL(value) && !read(&below, value, (char *)target + metric * size, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_recorded_metrics(GString *json, SmbMemberWrite write, gconstpointer values, gsize size) {
  SmbMember members[SMB_N_METRICS];
  for (guint i = 0; i < SMB_N_METRICS; i++)
    members[i] = (SmbMember){smb_metric_name((SmbMetric)i), MEMBER_ABSENT, NULL, write, i * size};
  return write_recording_object(json, members, SMB_N_METRICS, values);
}

static gboolean
read_counters(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_metrics(place, node, smb_member_text, target, sizeof(char *), error);
}

static gboolean
write_counters(GString *json, gconstpointer value) {
  return write_recorded_metrics(json, smb_member_write_text, value, sizeof(char *));
}

static gboolean
read_measured(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  double *measured = target;
  if (!read_metrics(place, node, smb_member_number, measured, sizeof(double), error))
    return FALSE;
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (measured[i] != SMB_NOT_MEASURED && !smb_metric_is_counted((SmbMetric)i))
      return smb_member_fail(
          place, error,
          "'%s' is not a count: values are in 'buffers', times in 'time' and 'time_cold'",
          smb_metric_name((SmbMetric)i));
  }
  return TRUE;
}

static gboolean
write_recorded_counts(GString *json, gconstpointer value) {
  return write_recorded_metrics(json, smb_member_write_number, value, sizeof(double));
}

static const SmbMember time_members[] = {
    {"median_us", MEMBER_REQUIRED, SMB_MEMBER_NUMBER, AT(SmbRecordedTime, median)},
    {"min_us", MEMBER_REQUIRED, SMB_MEMBER_NUMBER, AT(SmbRecordedTime, min)},
    {"max_us", MEMBER_REQUIRED, SMB_MEMBER_NUMBER, AT(SmbRecordedTime, max)},
    {"launches", MEMBER_REQUIRED, SMB_MEMBER_SOME, AT(SmbRecordedTime, n_launches)},
};

static gboolean
read_time(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return smb_members_read(place, node, MEMBERS(time_members), target, error);
}

static gboolean
write_recorded_time(GString *json, gconstpointer value) {
  const SmbRecordedTime *time = value;
  return time->median != SMB_NOT_MEASURED &&
         write_recording_object(json, MEMBERS(time_members), time);
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

static const SmbMember buffer_members[] = {
    {"parameter", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecordedBuffer, parameter)},
    {"bytes", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(SmbRecordedBuffer, bytes)},
    {"sha256", MEMBER_REQUIRED, read_digest, smb_member_write_text, AT(SmbRecordedBuffer, sha256)},
    {"equal", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(SmbRecordedBuffer, equal)},
    {"elements", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(SmbRecordedBuffer, elements)},
    {"difference", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecordedBuffer, difference)},
};

static gboolean
read_recorded_buffer(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GPtrArray *buffers = *(GPtrArray **)target;
  SmbRecordedBuffer *buffer = smb_recorded_buffer_new(NULL, 0, NULL);
  g_ptr_array_add(buffers, buffer);
  if (!smb_members_read(place, node, MEMBERS(buffer_members), buffer, error))
    return FALSE;
  return buffer->equal <= buffer->elements ||
         smb_member_fail(place, error, "more elements are equal than there are");
}

static gboolean
read_buffers(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_elements(place, node, read_recorded_buffer, target, error);
}

static gboolean
write_recorded_buffers(GString *json, gconstpointer value) {
  return write_objects(json, value, MEMBERS(buffer_members), "");
}

static gboolean
write_contents(GString *json, gconstpointer value) {
  return **(const GStrv *)value && smb_member_write_texts(json, value);
}

static gboolean
read_unknown(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (!smb_member_text(place, node, target, error))
    return FALSE;
  return strcmp(*(char **)target, "skip") == 0 ||
         smb_member_expected(place, node, error, "\"skip\"");
}

static gboolean
write_recorded_launch(GString *json, gconstpointer value) {
  return *(const guint64 *)value > 0 && smb_member_write_count(json, value);
}

static const SmbMember kernel_members[] = {
    {"kernel", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecordedKernel, name)},
    {"shape", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecordedKernel, shape)},
    {"file", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecordedKernel, file)},
    {"block", MEMBER_REQUIRED, read_recorded_block, smb_member_write_extents,
     AT(SmbRecordedKernel, block)},
    {"grid", MEMBER_REQUIRED, read_recorded_grid, smb_member_write_extents,
     AT(SmbRecordedKernel, grid)},
    {"defines", MEMBER_REQUIRED, SMB_MEMBER_TEXTS, AT(SmbRecordedKernel, defines)},
    {"args", MEMBER_REQUIRED, SMB_MEMBER_TEXTS, AT(SmbRecordedKernel, args)},
    {"contents", MEMBER_ABSENT, smb_member_texts, write_contents, AT(SmbRecordedKernel, contents)},
    {"unknown", MEMBER_ABSENT, read_unknown, smb_member_write_text, AT(SmbRecordedKernel, unknown)},
    {"launch", MEMBER_ABSENT, smb_member_count, write_recorded_launch,
     AT(SmbRecordedKernel, launch)},
    {"dynamic_bytes", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(SmbRecordedKernel, dynamic_bytes)},
    {"measured", MEMBER_REQUIRED, read_measured, write_recorded_counts,
     AT(SmbRecordedKernel, measured)},
    {"time", MEMBER_NULL, read_time, write_recorded_time,
     AT(SmbRecordedKernel, times[SMB_CACHE_WARM])},
    {"time_cold", MEMBER_ABSENT, read_time, write_recorded_time,
     AT(SmbRecordedKernel, times[SMB_CACHE_COLD])},
    {"buffers", MEMBER_REQUIRED, read_buffers, write_recorded_buffers,
     AT(SmbRecordedKernel, buffers)},
    {"failure", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecordedKernel, failure)},
};

static gboolean
read_recorded_kernel(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GPtrArray *kernels = *(GPtrArray **)target;
  SmbRecordedKernel *kernel = smb_recorded_kernel_new();
  g_ptr_array_add(kernels, kernel);
  return smb_members_read(place, node, MEMBERS(kernel_members), kernel, error);
}

static gboolean
read_kernels(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_elements(place, node, read_recorded_kernel, target, error);
}

static gboolean
write_kernels(GString *json, gconstpointer value) {
  return write_objects(json, value, MEMBERS(kernel_members), line);
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
  SmbTraceLine parsed = {NULL, 0, reader->line->str, reader->arch};
  gint64 no_count;
  gboolean found;
  g_autoptr(GError) failure = NULL;
  if (!smb_trace_line_parse(&parsed, &reader->current.request, &no_count, &found, &failure))
    return smb_member_fail(place, error, "%s", failure->message);
  return found || smb_member_fail(place, error, "empty: expected OP WIDTH MASK OFF0 … OFF31");
}

static gboolean
write_request_text(GString *json, gconstpointer value) {
  const RequestReader *reader = value;
  g_string_append_c(json, '"');
  smb_trace_append_request(json, &reader->current.request, SMB_NVIDIA_LANES);
  g_string_append_c(json, '"');
  return TRUE;
}

static gboolean
read_recorded_instruction(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  g_autofree char *text = NULL;
  if (!smb_member_text(place, node, &text, error))
    return FALSE;
  *(const char **)target = g_intern_string(text);
  return TRUE;
}

static const SmbMember request_members[] = {
    {"request", MEMBER_REQUIRED, read_request_text, write_request_text, 0},
    {"wavefronts", MEMBER_ABSENT, SMB_MEMBER_NUMBER, AT(RequestReader, current.wavefronts)},
    {"cycles", MEMBER_ABSENT, SMB_MEMBER_NUMBER, AT(RequestReader, current.cycles)},
    {"instruction", MEMBER_ABSENT, read_recorded_instruction, smb_member_write_text,
     AT(RequestReader, current.instruction)},
};

static gboolean
read_recorded_request(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  RequestReader *reader = target;
  reader->current.instruction = NULL;
  reader->current.wavefronts = reader->current.cycles = SMB_NOT_MEASURED;
  if (!smb_members_read(place, node, MEMBERS(request_members), reader, error))
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
read_recorded_requests(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  SmbRecording *recording = target;
  g_autoptr(SmbArch) arch = smb_arch_load(recording->arch, error);
  if (!arch)
    return FALSE;
  g_autoptr(GString) text = g_string_new(NULL);
  RequestReader reader = {.requests = recording->requests, .arch = arch, .line = text};
  return read_elements(place, node, read_recorded_request, &reader, error);
}

static gboolean
write_recorded_requests(GString *json, gconstpointer value) {
  const GArray *requests = ((const SmbRecording *)value)->requests;
  for (guint i = 0; i < requests->len; i++) {
    const RequestReader one = {.current = g_array_index(requests, SmbRecordedRequest, i)};
    g_string_append_printf(json, "%s%s", i ? "," : "[", line);
    write_recording_object(json, MEMBERS(request_members), &one);
  }
  g_string_append_printf(json, "%s]", requests->len ? last_line : "[");
  return TRUE;
}

static const SmbMember device_members[] = {
    {"name", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, gpu)},
    {"compute_capability", MEMBER_REQUIRED, SMB_MEMBER_CAPABILITY,
     AT(SmbRecording, capability_major)},
    {"multiprocessors", MEMBER_REQUIRED, SMB_MEMBER_SOME, AT(SmbRecording, multiprocessors)},
    {"driver", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecording, driver)},
    {"cuda_driver", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, cuda_driver)},
    {"toolkit", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, toolkit)},
};

static const SmbMembers device_object = {MEMBERS(device_members), .is_object = TRUE,
                                         .separator = ", "};

static const SmbMember recording_members[] = {
    {"schema_version", MEMBER_REQUIRED, read_recording_version, write_version, 0},
    {"program", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, program)},
    {"date", MEMBER_REQUIRED, read_date, smb_member_write_text, AT(SmbRecording, date)},
    {"device", MEMBER_REQUIRED, .of = &device_object},
    {"arch", MEMBER_REQUIRED, read_arch, smb_member_write_text, AT(SmbRecording, arch)},
    {"method", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, method)},
    {"counters", MEMBER_REQUIRED, read_counters, write_counters, AT(SmbRecording, counters)},
    {"request_counter", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecording, request_counter)},
    {"kernels", MEMBER_REQUIRED, read_kernels, write_kernels, AT(SmbRecording, kernels)},
    {"requests", MEMBER_REQUIRED, read_recorded_requests, write_recorded_requests, 0},
};

static const SmbMember head_members[] = {
    {"source", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbRecording, source)},
    {"date", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, date)},
    {"program", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, program)},
    {"gpu", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, gpu)},
    {"compute_capability", MEMBER_REQUIRED, SMB_MEMBER_CAPABILITY,
     AT(SmbRecording, capability_major)},
    {"driver", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecording, driver)},
    {"cuda_driver", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, cuda_driver)},
    {"toolkit", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, toolkit)},
    {"arch", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, arch)},
    {"method", MEMBER_REQUIRED, SMB_MEMBER_TEXT, AT(SmbRecording, method)},
    {"counters", MEMBER_REQUIRED, read_counters, write_counters, AT(SmbRecording, counters)},
    {"request_counter", MEMBER_NULL, SMB_MEMBER_TEXT, AT(SmbRecording, request_counter)},
};
const SmbMembers smb_recording_head = {MEMBERS(head_members), .is_object = TRUE};

SmbRecording *
smb_recording_new_from_data(const char *source, const char *text, gsize length, GError **error) {
  g_autoptr(JsonNode) root = smb_json_parse(source, text, length, MAX_NESTING, error);
  if (!root)
    return NULL;
  SmbPlace place = {NULL, source, 0};
  g_autoptr(SmbRecording) recording = smb_recording_new();
  recording->source = g_strdup(source);
  if (!smb_members_read(&place, root, MEMBERS(recording_members), recording, error))
    return NULL;
  return g_steal_pointer(&recording);
}

char *
smb_recording_to_json(const SmbRecording *recording) {
  GString *json = g_string_new("{\n  ");
  smb_members_write(json, MEMBERS(recording_members), recording, ",\n  ");
  g_string_append(json, "\n}\n");
  return g_string_free(json, FALSE);
}
