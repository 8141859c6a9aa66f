// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/kernel-metrics.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/measured/cells.h"

// --- reading

// A launch as ncu writes it in front of its tables: "  k(int *) (32, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0,
// CC 9.0".
#define HEADING                                                                                    \
  "^ {1,4}(\\S.*?),? \\((\\d+), (\\d+), (\\d+)\\)x\\((\\d+), (\\d+), (\\d+)\\), Context \\d+, "

// The columns of CSV that are read.
typedef enum {
  COLUMN_ID,
  COLUMN_PROCESS,
  COLUMN_KERNEL,
  COLUMN_BLOCK,
  COLUMN_GRID,
  COLUMN_METRIC,
  COLUMN_VALUE,
  N_COLUMNS
} Column;

static const char *const column_names[N_COLUMNS] = {
    "ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "Metric Name", "Metric Value"};

typedef struct {
  SmbSource *source;
  SmbKernelMetrics *metrics;
  GRegex *heading;
  GHashTable *launches;      // of CSV: by process and number
  SmbMeasuredLaunch *launch; // whose tables are read, or NULL
  GPtrArray *header;         // of CSV: names of columns, or NULL
  guint columns[N_COLUMNS];  // where they are, from 1; 0: nowhere
  GPtrArray *cells;
  guint line;
  GError **error;
} Reader;

static void
measured_launch_free(gpointer data) {
  SmbMeasuredLaunch *launch = data;
  g_array_unref(launch->metrics);
  g_free(launch);
}

void
smb_kernel_metrics_free(SmbKernelMetrics *metrics) {
  if (!metrics)
    return;
  g_ptr_array_unref(metrics->launches);
  g_string_chunk_free(metrics->strings);
  g_free(metrics);
}

static gboolean
fail_metrics(const Reader *reader, const char *text) {
  return smb_fail(reader->error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u:1: %s",
                  smb_source_name(reader->source), reader->line, text);
}

static SmbMeasuredLaunch *
add_ncu_launch(Reader *reader, const char *kernel) {
  SmbMeasuredLaunch *launch = g_new0(SmbMeasuredLaunch, 1);
  launch->kernel = g_string_chunk_insert(reader->metrics->strings, kernel);
  launch->line = reader->line;
  launch->metrics = g_array_new(FALSE, FALSE, sizeof(SmbKernelMetric));
  g_ptr_array_add(reader->metrics->launches, launch);
  return launch;
}

// "1,024" and "256.00"; what is no number says nothing.
static gboolean
read_metric_value(const char *text, double *value) {
  g_auto(GStrv) groups = g_strsplit(text, ",", -1);
  g_autofree char *digits = g_strjoinv("", groups);
  char *end;
  *value = g_ascii_strtod(digits, &end);
  return end != digits && !*end;
}

// Of a metric that ncu writes twice, the first counts.
static void
add_measured_metric(Reader *reader, SmbMeasuredLaunch *launch, const char *name, const char *text) {
  SmbKernelMetric metric = {.value = 0};
  for (guint i = 0; i < launch->metrics->len; i++) {
    if (strcmp(g_array_index(launch->metrics, SmbKernelMetric, i).name, name) == 0)
      return;
  }
  if (!read_metric_value(text, &metric.value))
    return;
  metric.name = g_string_chunk_insert_const(reader->metrics->strings, name);
  g_array_append_val(launch->metrics, metric);
}

// "(32, 1, 1)"; zeros of what is none.
static void
read_launch_extent(const char *text, guint extent[3]) {
  if (sscanf(text, " (%u, %u, %u)", &extent[0], &extent[1], &extent[2]) != 3)
    extent[0] = extent[1] = extent[2] = 0;
}

static const char *
cell(const Reader *reader, Column column) {
  guint at = reader->columns[column];
  return at && at <= reader->cells->len ? g_ptr_array_index(reader->cells, at - 1) : "";
}

static void
begin_metrics_csv(Reader *reader) {
  g_clear_pointer(&reader->header, g_ptr_array_unref);
  reader->header = reader->cells;
  reader->cells = g_ptr_array_new_with_free_func(g_free);
  memset(reader->columns, 0, sizeof reader->columns);
  for (guint i = 0; i < reader->header->len; i++) {
    for (guint c = 0; c < N_COLUMNS; c++) {
      if (strcmp(g_ptr_array_index(reader->header, i), column_names[c]) == 0)
        reader->columns[c] = i + 1;
    }
  }
}

static SmbMeasuredLaunch *
find_measured_launch(Reader *reader) {
  g_autofree char *key = g_strdup_printf("%s:%s:%s", cell(reader, COLUMN_PROCESS),
                                         cell(reader, COLUMN_ID), cell(reader, COLUMN_KERNEL));
  SmbMeasuredLaunch *launch = g_hash_table_lookup(reader->launches, key);
  if (launch)
    return launch;
  launch = add_ncu_launch(reader, cell(reader, COLUMN_KERNEL));
  read_launch_extent(cell(reader, COLUMN_GRID), launch->grid);
  read_launch_extent(cell(reader, COLUMN_BLOCK), launch->block);
  g_hash_table_insert(reader->launches, g_steal_pointer(&key), launch);
  return launch;
}

// A row of the page 'details' is a metric, one of the page 'raw' a launch; the second row of that has units.
static gboolean
read_metrics_row(Reader *reader) {
  if (!*cell(reader, COLUMN_ID))
    return TRUE;
  if (reader->cells->len != reader->header->len)
    return fail_metrics(reader, "the number of cells is not that of the columns: the file was cut");
  SmbMeasuredLaunch *launch = find_measured_launch(reader);
  if (reader->columns[COLUMN_METRIC] && reader->columns[COLUMN_VALUE]) {
    add_measured_metric(reader, launch, cell(reader, COLUMN_METRIC), cell(reader, COLUMN_VALUE));
    return TRUE;
  }
  for (guint i = 0; i < reader->header->len; i++)
    add_measured_metric(reader, launch, g_ptr_array_index(reader->header, i),
                        g_ptr_array_index(reader->cells, i));
  return TRUE;
}

static gboolean
begins_csv(const char *line) {
  return (g_str_has_prefix(line, "\"ID\",") || g_str_has_prefix(line, "ID,")) &&
         strstr(line, "Kernel Name");
}

static gboolean
read_csv(Reader *reader, const char *line) {
  const char *wrong = smb_cells_split(line, reader->cells);
  if (wrong)
    return fail_metrics(reader, wrong);
  if (begins_csv(line)) {
    begin_metrics_csv(reader);
    return TRUE;
  }
  return read_metrics_row(reader);
}

// "    NAME   UNIT   VALUE", of which the unit may be missing. Names of other sections are in words.
static void
read_table_line(Reader *reader, const char *line) {
  g_auto(GStrv) words = g_regex_split_simple(" +", line, 0, 0);
  g_autoptr(GPtrArray) filled = g_ptr_array_new();
  for (guint i = 0; words[i]; i++) {
    if (*words[i])
      g_ptr_array_add(filled, words[i]);
  }
  const char *name = filled->len ? filled->pdata[0] : "";
  if (filled->len >= 2 && filled->len <= 3 &&
      (strstr(name, "__") || g_str_has_prefix(name, "memory_l1_")))
    add_measured_metric(reader, reader->launch, name, filled->pdata[filled->len - 1]);
}

static void
begin_metrics_text(Reader *reader, const GMatchInfo *match) {
  g_autofree char *kernel = g_match_info_fetch(match, 1);
  reader->launch = add_ncu_launch(reader, kernel);
  for (int i = 0; i < 6; i++) {
    g_autofree char *number = g_match_info_fetch(match, i + 2);
    guint *extent = i < 3 ? reader->launch->grid : reader->launch->block;
    extent[i % 3] = (guint)MIN(g_ascii_strtoull(number, NULL, 10), G_MAXUINT);
  }
}

static gboolean
read_metrics_line(Reader *reader, const char *line) {
  g_autoptr(GMatchInfo) match = NULL;
  if (!*line || g_str_has_prefix(line, "=="))
    return TRUE;
  if (begins_csv(line) || (reader->header && *line == '"'))
    return read_csv(reader, line);
  if (g_regex_match(reader->heading, line, 0, &match))
    begin_metrics_text(reader, match);
  else if (reader->launch)
    read_table_line(reader, line);
  return TRUE;
}

gboolean
smb_kernel_metrics_recognize(SmbSource *source) {
  g_autoptr(GRegex) heading = g_regex_new(HEADING, G_REGEX_RAW, 0, NULL);
  for (guint i = 1; i <= smb_source_n_lines(source); i++) {
    g_autofree char *line = smb_source_line(source, i);
    if (begins_csv(line) || g_regex_match(heading, line, 0, NULL))
      return TRUE;
  }
  return FALSE;
}

SmbKernelMetrics *
smb_kernel_metrics_read(SmbSource *source, GError **error) {
  g_autoptr(SmbKernelMetrics) metrics = g_new0(SmbKernelMetrics, 1);
  metrics->launches = g_ptr_array_new_with_free_func(measured_launch_free);
  metrics->strings = g_string_chunk_new(4096);
  g_autoptr(GRegex) heading = g_regex_new(HEADING, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr(GHashTable) launches = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  Reader reader = {.source = source,
                   .metrics = metrics,
                   .heading = heading,
                   .launches = launches,
                   .cells = g_ptr_array_new_with_free_func(g_free),
                   .error = error};
  gboolean good = TRUE;
  for (guint i = 1; good && i <= smb_source_n_lines(source); i++) {
    g_autofree char *line = smb_source_line(source, i);
    reader.line = i;
    good = read_metrics_line(&reader, line);
  }
  g_ptr_array_unref(reader.cells);
  g_clear_pointer(&reader.header, g_ptr_array_unref);
  if (good && metrics->launches->len == 0)
    good = smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: no launch of a kernel: expected what 'ncu --metrics …' writes",
                    smb_source_name(source));
  return good ? g_steal_pointer(&metrics) : NULL;
}

gboolean
smb_measured_launch_is_equal(const SmbMeasuredLaunch *a, const SmbMeasuredLaunch *b) {
  gboolean equal = strcmp(a->kernel, b->kernel) == 0 && a->metrics->len == b->metrics->len &&
                   memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
                   memcmp(a->block, b->block, sizeof a->block) == 0;
  for (guint i = 0; equal && i < a->metrics->len; i++) {
    const SmbKernelMetric *x = &g_array_index(a->metrics, SmbKernelMetric, i);
    const SmbKernelMetric *y = &g_array_index(b->metrics, SmbKernelMetric, i);
    // The page 'raw' has times, too, which always differ.
    double unused;
    gboolean is_other = x->value < y->value || x->value > y->value;
    SmbAnalysis none = {.loops = {0}};
    equal = strcmp(x->name, y->name) == 0 &&
            !(is_other && smb_kernel_metric_predict(x->name, &none, &unused, &unused));
  }
  return equal;
}

// --- what the model says of them

typedef enum {
  KIND_WAVEFRONTS,
  KIND_IDEAL,
  KIND_CONFLICTS,
  KIND_EXECUTED,
} Kind;

// Names without what says of which operations they are: "_op_ld", or "_ld"; and without ".sum". The total of l1tex's
// wavefronts is not predicted: it is more than the sum of its operations, by one for each warp that accesses memory,
// global memory too, and one for each block with a barrier (63 launches on an H100, 2026-11-27: a kernel without shared
// memory has as many as it has warps).
static const struct {
  const char *name;
  Kind kind;
  gboolean has_total;
  const char *classes[SMB_N_OP_CLASSES];
  // of the wavefronts, that a counter may have seen besides (metric-facts of public reports)
  double slack[SMB_N_OP_CLASSES];
} counters[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared",
     KIND_WAVEFRONTS,
     FALSE,
     {"_op_ld", "_op_st", "_op_atom"},
     {0.05, 0.3, 0.3}},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared",
     KIND_CONFLICTS,
     TRUE,
     {"_op_ld", "_op_st", "_op_atom"},
     {0.05, 0.3, 0.3}},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared",
     KIND_WAVEFRONTS,
     TRUE,
     {"_op_ld", "_op_st", "_op_atom"},
     {0}},
    {"smsp__inst_executed_op_shared", KIND_EXECUTED, TRUE, {"_ld", "_st", "_atom"}, {0}},
    {"smsp__sass_inst_executed_op_shared", KIND_EXECUTED, TRUE, {"_ld", "_st", "_atom"}, {0}},
    {"memory_l1_wavefronts_shared", KIND_WAVEFRONTS, TRUE, {NULL}, {0}},
    {"memory_l1_wavefronts_shared_ideal", KIND_IDEAL, TRUE, {NULL}, {0}},
};

// Of "sass" counters, those of ldmatrix and stmatrix are counted apart.
static void
add_measured_access(Kind kind, gboolean is_pipe, gboolean is_sass, const SmbAccess *access,
                    double *sum, double *wavefronts) {
  const SmbTally *total = &access->total;
  gboolean is_matrix = access->worst.op >= SMB_OP_LDMATRIX_X1;
  double taken = (double)(is_pipe ? total->pipe_wavefronts : total->wavefronts);
  if ((is_sass && is_matrix) || smb_access_is_copy(access))
    return;
  *wavefronts += taken;
  switch (kind) {
  case KIND_WAVEFRONTS:
    *sum += taken;
    break;
  case KIND_IDEAL:
    *sum += (double)total->ideal;
    break;
  case KIND_CONFLICTS:
    *sum += MAX(taken - (double)total->ideal, 0);
    break;
  case KIND_EXECUTED:
    *sum += (double)total->requests;
    break;
  }
}

gboolean
smb_kernel_metric_predict(const char *name, const SmbAnalysis *analysis, double *predicted,
                          double *slack) {
  gsize length = strlen(name) - (g_str_has_suffix(name, ".sum") ? strlen(".sum") : 0);
  for (guint i = 0; i < G_N_ELEMENTS(counters); i++) {
    for (guint c = 0; c <= SMB_N_OP_CLASSES; c++) {
      const char *of = c < SMB_N_OP_CLASSES    ? counters[i].classes[c]
                       : counters[i].has_total ? ""
                                               : NULL;
      g_autofree char *whole = of ? g_strconcat(counters[i].name, of, NULL) : NULL;
      if (!whole || strlen(whole) != length || strncmp(whole, name, length) != 0)
        continue;
      gboolean is_pipe = g_str_has_prefix(name, "l1tex"), is_sass = strstr(name, "_sass_") != NULL;
      double wavefronts = 0;
      *predicted = 0;
      for (guint a = 0; analysis->accesses && a < analysis->accesses->len; a++) {
        const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, a);
        if (c == SMB_N_OP_CLASSES || access->site->op_class == (SmbOpClass)c)
          add_measured_access(counters[i].kind, is_pipe, is_sass, access, predicted, &wavefronts);
      }
      *slack = wavefronts * counters[i].slack[MIN(c, SMB_OP_CLASS_STORE)];
      return TRUE;
    }
  }
  return FALSE;
}
