// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Recordings written as JSON that version control shows well: the order of members is fixed, a kernel
// or a request takes one line, and a number is as short as it can be without losing a bit.
#include "sim/records/recording.h"

#include <json-glib/json-glib.h>
#include <math.h>

#include "sim/trace/trace.h"

// Digits that a double needs at least and at most (IEC 60559: 15 always survive, 17 always suffice).
enum {
  MIN_DIGITS = 15,
  MAX_DIGITS = 17
};

// Begins a member or, without a key, an element; the first one and one on a new line need no comma.
static void
add_key(GString *json, const char *key) {
  char last = json->str[json->len - 1];
  if (last != '{' && last != '[' && last != ' ')
    g_string_append(json, ", ");
  if (key)
    g_string_append_printf(json, "\"%s\": ", key);
}

static void
add_text(GString *json, const char *key, const char *text) {
  add_key(json, key);
  if (!text) {
    g_string_append(json, "null");
    return;
  }
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_VALUE);
  json_node_set_string(node, valid);
  g_autofree char *quoted = json_to_string(node, FALSE);
  g_string_append(json, quoted);
}

static void
add_count(GString *json, const char *key, guint64 count) {
  add_key(json, key);
  g_string_append_printf(json, "%" G_GUINT64_FORMAT, count);
}

static void
add_number(GString *json, const char *key, double number) {
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "null";
  gboolean exact = !isfinite(number);
  for (int digits = MIN_DIGITS; digits <= MAX_DIGITS && !exact; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(text, sizeof text, format, number);
    exact = g_ascii_strtod(text, NULL) == number;
  }
  add_key(json, key);
  g_string_append(json, text);
}

static void
begin_value(GString *json, const char *key, char bracket) {
  add_key(json, key);
  g_string_append_c(json, bracket);
}

static void
add_extents(GString *json, const char *key, const guint extents[3]) {
  begin_value(json, key, '[');
  for (guint i = 0; i < 3; i++)
    add_count(json, NULL, extents[i]);
  g_string_append_c(json, ']');
}

static void
add_texts(GString *json, const char *key, const GStrv texts) {
  begin_value(json, key, '[');
  for (guint i = 0; texts[i]; i++)
    add_text(json, NULL, texts[i]);
  g_string_append_c(json, ']');
}

static void
add_metrics(GString *json, const SmbRecordedKernel *kernel) {
  begin_value(json, "measured", '{');
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (kernel->measured[i] != SMB_NOT_MEASURED)
      add_number(json, smb_metric_name((SmbMetric)i), kernel->measured[i]);
  }
  g_string_append_c(json, '}');
}

static void
add_time(GString *json, const char *key, const SmbRecordedTime *time) {
  begin_value(json, key, '{');
  add_number(json, "median_us", time->median);
  add_number(json, "min_us", time->min);
  add_number(json, "max_us", time->max);
  add_count(json, "launches", time->n_launches);
  g_string_append_c(json, '}');
}

// Recordings from before caches were distinguished have warm times only, and stay as they are.
static void
add_times(GString *json, const SmbRecordedKernel *kernel) {
  const SmbRecordedTime *warm = &kernel->times[SMB_CACHE_WARM];
  const SmbRecordedTime *cold = &kernel->times[SMB_CACHE_COLD];
  if (warm->median == SMB_NOT_MEASURED)
    add_text(json, "time", NULL);
  else
    add_time(json, "time", warm);
  if (cold->median != SMB_NOT_MEASURED)
    add_time(json, "time_cold", cold);
}

static void
add_buffers(GString *json, const GPtrArray *buffers) {
  begin_value(json, "buffers", '[');
  for (guint i = 0; i < buffers->len; i++) {
    const SmbRecordedBuffer *buffer = g_ptr_array_index(buffers, i);
    begin_value(json, NULL, '{');
    add_text(json, "parameter", buffer->parameter);
    add_count(json, "bytes", buffer->bytes);
    add_text(json, "sha256", buffer->sha256);
    add_count(json, "equal", buffer->equal);
    add_count(json, "elements", buffer->elements);
    add_text(json, "difference", buffer->difference);
    g_string_append_c(json, '}');
  }
  g_string_append_c(json, ']');
}

static void
add_kernel(GString *json, const SmbRecordedKernel *kernel) {
  begin_value(json, NULL, '{');
  add_text(json, "kernel", kernel->name);
  add_text(json, "shape", kernel->shape);
  add_text(json, "file", kernel->file);
  add_extents(json, "block", kernel->block);
  add_extents(json, "grid", kernel->grid);
  add_texts(json, "defines", kernel->defines);
  add_texts(json, "args", kernel->args);
  if (*kernel->contents)
    add_texts(json, "contents", kernel->contents);
  add_count(json, "dynamic_bytes", kernel->dynamic_bytes);
  add_metrics(json, kernel);
  add_times(json, kernel);
  add_buffers(json, kernel->buffers);
  add_text(json, "failure", kernel->failure);
  g_string_append_c(json, '}');
}

static void
add_request_line(GString *json, const SmbRecordedRequest *recorded) {
  begin_value(json, NULL, '{');
  g_string_append(json, "\"request\": \"");
  smb_trace_append_request(json, &recorded->request, SMB_NVIDIA_LANES);
  g_string_append_c(json, '"');
  if (recorded->wavefronts != SMB_NOT_MEASURED)
    add_number(json, "wavefronts", recorded->wavefronts);
  if (recorded->cycles != SMB_NOT_MEASURED)
    add_number(json, "cycles", recorded->cycles);
  if (recorded->instruction)
    add_text(json, "instruction", recorded->instruction);
  g_string_append_c(json, '}');
}

static void
add_device(GString *json, const SmbRecording *recording) {
  g_autofree char *capability =
      g_strdup_printf("%u.%u", recording->capability_major, recording->capability_minor);
  begin_value(json, "device", '{');
  add_text(json, "name", recording->gpu);
  add_text(json, "compute_capability", capability);
  add_count(json, "multiprocessors", recording->multiprocessors);
  add_text(json, "driver", recording->driver);
  add_text(json, "cuda_driver", recording->cuda_driver);
  add_text(json, "toolkit", recording->toolkit);
  g_string_append_c(json, '}');
}

static void
add_counters(GString *json, const SmbRecording *recording) {
  begin_value(json, "counters", '{');
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (recording->counters[i])
      add_text(json, smb_metric_name((SmbMetric)i), recording->counters[i]);
  }
  g_string_append_c(json, '}');
}

static void
add_kernels(GString *json, const GPtrArray *kernels) {
  begin_value(json, "kernels", '[');
  for (guint i = 0; i < kernels->len; i++) {
    g_string_append(json, i ? ",\n    " : "\n    ");
    add_kernel(json, g_ptr_array_index(kernels, i));
  }
  g_string_append(json, kernels->len ? "\n  ]" : "]");
}

static void
add_requests(GString *json, const GArray *requests) {
  begin_value(json, "requests", '[');
  for (guint i = 0; i < requests->len; i++) {
    g_string_append(json, i ? ",\n    " : "\n    ");
    add_request_line(json, &g_array_index(requests, SmbRecordedRequest, i));
  }
  g_string_append(json, requests->len ? "\n  ]" : "]");
}

char *
smb_recording_to_json(const SmbRecording *recording) {
  static const char next[] = ",\n  "; // members of the outermost object stand on lines of their own
  GString *json = g_string_new("{\n  ");
  add_count(json, "schema_version", SMB_RECORDING_SCHEMA_VERSION);
  g_string_append(json, next);
  add_text(json, "program", recording->program);
  g_string_append(json, next);
  add_text(json, "date", recording->date);
  g_string_append(json, next);
  add_device(json, recording);
  g_string_append(json, next);
  add_text(json, "arch", recording->arch);
  g_string_append(json, next);
  add_text(json, "method", recording->method);
  g_string_append(json, next);
  add_counters(json, recording);
  g_string_append(json, next);
  add_text(json, "request_counter", recording->request_counter);
  g_string_append(json, next);
  add_kernels(json, recording->kernels);
  g_string_append(json, next);
  add_requests(json, recording->requests);
  g_string_append(json, "\n}\n");
  return g_string_free(json, FALSE);
}
