// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/reference.h"

#include <math.h>
#include <string.h>

#include "sim/base/data.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

// Most words of padding that a row may name: a shared array is smaller.
enum {
  MAX_IPAD = 1 << 16
};

// The columns, in their order; only the last may be absent.
enum {
  SOURCE,
  GPU,
  CAPABILITY,
  BANK_MODE,
  SHAPE,
  KERNEL,
  IPAD,
  METRIC,
  VALUE,
  ARCH,
  N_COLUMNS
};

static const char *const column_names[N_COLUMNS] = {
    "source", "gpu",  "compute_capability", "bank_mode_bytes", "shape", "kernel", "ipad", "metric",
    "value",  "arch",
};

// What a published number may be: profilers of the time reported no more.
static const SmbMetric published_metrics[] = {SMB_METRIC_WAVEFRONTS_LD, SMB_METRIC_WAVEFRONTS_ST,
                                              SMB_METRIC_WAYS_LD, SMB_METRIC_WAYS_ST,
                                              SMB_METRIC_TIME_US};

// Where a table is being read.
typedef struct {
  const char *name;
  guint line;
  guint n_columns; // 0 until the line of the column names
} Reader;

static void
free_reference(gpointer data) {
  SmbReference *reference = data;
  g_free(reference->source);
  g_free(reference->gpu);
  g_free(reference->capability);
  g_free(reference->shape);
  g_free(reference->kernel);
  g_free(reference->arch);
  g_free(reference);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbReference, free_reference)

#define refuse_line(reader, error, format, ...)                                                    \
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u:1: " format, (reader)->name, (reader)->line,  \
           ##__VA_ARGS__)

static gboolean
read_columns(Reader *reader, GStrv fields, GError **error) {
  guint n = g_strv_length(fields);
  for (guint i = 0; i < n && i < N_COLUMNS; i++) {
    if (strcmp(fields[i], column_names[i]) != 0)
      return refuse_line(reader, error, "column %u is '%s': expected '%s'", i + 1, fields[i],
                         column_names[i]);
  }
  if (n != N_COLUMNS && n != ARCH)
    return refuse_line(reader, error, "%u column%s: expected %d or %d", n, smb_plural(n), ARCH,
                       N_COLUMNS);
  reader->n_columns = n;
  return TRUE;
}

static gboolean
read_metric(const Reader *reader, const char *text, SmbMetric *metric, GError **error) {
  gboolean known = smb_metric_parse(text, metric);
  for (guint i = 0; known && i < G_N_ELEMENTS(published_metrics); i++) {
    if (*metric == published_metrics[i])
      return TRUE;
  }
  return refuse_line(reader, error,
                     "metric: '%s' is none of: wavefronts_ld, wavefronts_st, ways_ld, "
                     "ways_st, time_us",
                     text);
}

static gboolean
read_reference_value(const Reader *reader, const char *text, double *value, GError **error) {
  char *end = NULL;
  *value = g_ascii_strtod(text, &end);
  if (end == text || *end || !isfinite(*value) || *value < 0)
    return refuse_line(reader, error, "value: '%s' is not a number of at least 0", text);
  return TRUE;
}

static gboolean
read_ipad(const Reader *reader, const char *text, int *ipad, GError **error) {
  guint64 number;
  *ipad = -1;
  if (!*text)
    return TRUE;
  if (!g_ascii_string_to_unsigned(text, 10, 0, MAX_IPAD, &number, NULL))
    return refuse_line(reader, error, "ipad: '%s' is not a number of words, or nothing", text);
  *ipad = (int)number;
  return TRUE;
}

static SmbReference *
read_reference_row(const Reader *reader, GStrv fields, GError **error) {
  guint n = g_strv_length(fields);
  if (n != reader->n_columns) {
    refuse_line(reader, error, "%u field%s: expected %u", n, smb_plural(n), reader->n_columns);
    return NULL;
  }
  for (guint i = 0; i < n; i++) {
    if (!*fields[i] && i != CAPABILITY && i != IPAD) {
      refuse_line(reader, error, "%s: missing", column_names[i]);
      return NULL;
    }
  }
  if (strcmp(fields[BANK_MODE], "4") != 0 && strcmp(fields[BANK_MODE], "8") != 0) {
    refuse_line(reader, error, "bank_mode_bytes: '%s': expected 4 or 8", fields[BANK_MODE]);
    return NULL;
  }
  g_autoptr(SmbReference) row = g_new0(SmbReference, 1);
  row->line = reader->line;
  row->bank_mode = fields[BANK_MODE][0] == '8' ? 8 : 4;
  if (!read_ipad(reader, fields[IPAD], &row->ipad, error) ||
      !read_metric(reader, fields[METRIC], &row->metric, error) ||
      !read_reference_value(reader, fields[VALUE], &row->value, error))
    return NULL;
  row->source = g_strdup(fields[SOURCE]);
  row->gpu = g_strdup(fields[GPU]);
  row->capability = g_strdup(fields[CAPABILITY]);
  row->shape = g_strdup(fields[SHAPE]);
  row->kernel = g_strdup(fields[KERNEL]);
  row->arch = n > ARCH ? g_strdup(fields[ARCH]) : NULL;
  return g_steal_pointer(&row);
}

// One line: a comment, the column names, or a row.
static gboolean
read_reference_line(Reader *reader, char *line, GPtrArray *rows, GError **error) {
  g_strstrip(line);
  if (!*line || *line == '#')
    return TRUE;
  if (strchr(line, '"'))
    return refuse_line(reader, error, "quoted fields are not understood");
  g_auto(GStrv) fields = g_strsplit(line, ",", -1);
  for (guint i = 0; fields[i]; i++)
    g_strstrip(fields[i]);
  if (!reader->n_columns)
    return read_columns(reader, fields, error);
  SmbReference *row = read_reference_row(reader, fields, error);
  if (!row)
    return FALSE;
  g_ptr_array_add(rows, row);
  return TRUE;
}

GPtrArray *
smb_reference_new_from_data(const char *name, const char *text, gsize length, GError **error) {
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(free_reference);
  Reader reader = {name, 0, 0};
  for (gsize start = 0; start < length;) {
    const char *end = memchr(text + start, '\n', length - start);
    gsize n = end ? (gsize)(end - text) - start : length - start;
    reader.line++;
    if (memchr(text + start, 0, n)) {
      refuse_line(&reader, error, "a zero byte: not a text file");
      return NULL;
    }
    g_autofree char *line = g_strndup(text + start, n);
    if (!read_reference_line(&reader, line, rows, error))
      return NULL;
    start += n + 1;
  }
  if (!reader.n_columns) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no line names the columns", name);
    return NULL;
  }
  return g_steal_pointer(&rows);
}

GPtrArray *
smb_reference_load(GError **error) {
  g_autoptr(GBytes) bytes = smb_data_load("published/published.csv", error);
  if (!bytes)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_reference_new_from_data("data/published/published.csv", text ? text : "", length,
                                     error);
}
