// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads tables of counts on AMD's LDS.
#include "sim/measured/lds.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"

static const char column_names[] = "instruction,lanes,bytes_apart,counter,value";

enum {
  INSTRUCTION,
  LANES,
  BYTES_APART,
  COUNTER,
  VALUE,
  N_COLUMNS
};

// Where a file is being read, and what its comments have said.
typedef struct {
  const char *name;
  guint line;
  gboolean has_columns;
  const char *gpu;
  const char *source;
  SmbArch *arch;
  SmbLdsCounts *counts;
} Reader;

#define refuse_line(reader, error, format, ...)                                                    \
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u:1: " format, (reader)->name, (reader)->line,  \
           ##__VA_ARGS__)

void
smb_lds_counts_free(SmbLdsCounts *counts) {
  if (!counts)
    return;
  g_array_unref(counts->rows);
  g_string_chunk_free(counts->strings);
  g_free(counts);
}

guint64
smb_lds_predict(SmbLdsCounter counter, const SmbWavefronts *cost) {
  switch (counter) {
  case SMB_LDS_IDX_ACTIVE:
    return cost->wavefronts;
  case SMB_LDS_BANK_CONFLICT:
    return cost->excess;
  case SMB_LDS_HAS_CONFLICT:
    return cost->excess > 0;
  }
  g_return_val_if_reached(0);
}

gboolean
smb_lds_instruction(const char *name, SmbOp *op, guint *width) {
  static const struct {
    const char *prefix;
    SmbOp op;
  } verbs[] = {{"ds_read_", SMB_OP_LD},
               {"ds_load_", SMB_OP_LD},
               {"ds_write_", SMB_OP_ST},
               {"ds_store_", SMB_OP_ST}};
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++) {
    guint64 bits;
    if (!g_str_has_prefix(name, verbs[i].prefix))
      continue;
    const char *type = name + strlen(verbs[i].prefix);
    *op = verbs[i].op;
    if (!*type || !strchr("bui", *type) ||
        !g_ascii_string_to_unsigned(type + 1, 10, 8, 8 * SMB_MAX_WIDTH, &bits, NULL) || bits % 8)
      return FALSE;
    *width = (guint)bits / 8;
    return smb_op_has_width(*op, *width);
  }
  return FALSE;
}

static gboolean
read_counter(const char *name, SmbLdsCounter *counter) {
  static const char *const names[] = {"LDS_IDX_ACTIVE", "LDS_BANK_CONFLICT", "LDS_BANK_CONFLICT>0"};
  const char *rest = g_str_has_prefix(name, "SQC_")  ? name + strlen("SQC_")
                     : g_str_has_prefix(name, "SQ_") ? name + strlen("SQ_")
                                                     : "";
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    *counter = (SmbLdsCounter)i;
    if (strcmp(rest, names[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

// The lanes and their offsets: lane i is i times as many bytes from the first.
static gboolean
read_lds_lanes(const Reader *reader, GStrv fields, SmbRequest *request, GError **error) {
  guint64 apart;
  if (!g_ascii_string_to_unsigned(fields[LANES], 16, 1, G_MAXUINT64, &request->mask, NULL))
    return refuse_line(reader, error, "lanes: '%s' is not a lane mask in hexadecimal",
                       fields[LANES]);
  if (!g_ascii_string_to_unsigned(fields[BYTES_APART], 10, 0, 1 << 20, &apart, NULL))
    return refuse_line(reader, error, "bytes_apart: '%s' is not a number of bytes up to %d",
                       fields[BYTES_APART], 1 << 20);
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++)
    request->offset[lane] = (guint32)(lane * apart);
  g_autoptr(GError) reason = NULL;
  if (!smb_request_check(request, &reason) ||
      !smb_arch_check_request(reader->arch, request, &reason))
    return refuse_line(reader, error, "%s", reason->message);
  return TRUE;
}

static gboolean
read_lds_row(Reader *reader, GStrv fields, GError **error) {
  SmbLdsCount row = {.line = reader->line, .gpu = reader->gpu, .source = reader->source};
  guint width;
  SmbOp op;
  if (g_strv_length(fields) != N_COLUMNS)
    return refuse_line(reader, error, "%u fields: expected %d, %s", g_strv_length(fields),
                       N_COLUMNS, column_names);
  if (!reader->gpu || !reader->arch || !reader->source)
    return refuse_line(reader, error, "no comment '# %s: …' above",
                       !reader->gpu    ? "gpu"
                       : !reader->arch ? "arch"
                                       : "source");
  if (!smb_lds_instruction(fields[INSTRUCTION], &op, &width))
    return refuse_line(reader, error, "'%s' is not an instruction such as ds_read_b128",
                       fields[INSTRUCTION]);
  if (!read_counter(fields[COUNTER], &row.counter))
    return refuse_line(reader, error,
                       "'%s' is none of: SQ_LDS_IDX_ACTIVE, SQ_LDS_BANK_CONFLICT, "
                       "SQ_LDS_BANK_CONFLICT>0, or the same with SQC_",
                       fields[COUNTER]);
  if (!g_ascii_string_to_unsigned(fields[VALUE], 10, 0, G_MAXUINT32, &row.value, NULL))
    return refuse_line(reader, error, "value: '%s' is not a whole number", fields[VALUE]);
  row.arch = smb_arch_info(reader->arch)->name;
  row.arch = g_string_chunk_insert_const(reader->counts->strings, row.arch);
  row.counter_name = g_string_chunk_insert_const(reader->counts->strings, fields[COUNTER]);
  row.request.op = (guint8)op;
  row.request.width = (guint8)width;
  if (!read_lds_lanes(reader, fields, &row.request, error))
    return FALSE;
  g_array_append_val(reader->counts->rows, row);
  return TRUE;
}

// "# gpu: MI300X"
static gboolean
read_comment(Reader *reader, const char *line, GError **error) {
  g_auto(GStrv) parts = g_strsplit(line + 1, ":", 2);
  if (!parts[0] || !parts[1])
    return TRUE;
  const char *key = g_strstrip(parts[0]), *value = g_strstrip(parts[1]);
  if (strcmp(key, "gpu") == 0)
    reader->gpu = g_string_chunk_insert(reader->counts->strings, value);
  if (strcmp(key, "source") == 0)
    reader->source = g_string_chunk_insert(reader->counts->strings, value);
  if (strcmp(key, "arch") != 0)
    return TRUE;
  g_autoptr(GError) reason = NULL;
  g_clear_pointer(&reader->arch, smb_arch_unref);
  reader->arch = smb_arch_load(value, &reason);
  return reader->arch || refuse_line(reader, error, "%s", reason->message);
}

static gboolean
read_lds_line(Reader *reader, char *line, GError **error) {
  g_strstrip(line);
  if (!*line)
    return TRUE;
  if (*line == '#')
    return read_comment(reader, line, error);
  if (!reader->has_columns && strcmp(line, column_names) != 0)
    return refuse_line(reader, error, "expected a line of column names, %s", column_names);
  if (!reader->has_columns) {
    reader->has_columns = TRUE;
    return TRUE;
  }
  g_auto(GStrv) fields = g_strsplit(line, ",", -1);
  for (guint i = 0; fields[i]; i++)
    g_strstrip(fields[i]);
  return read_lds_row(reader, fields, error);
}

SmbLdsCounts *
smb_lds_counts_new(const char *name, const char *text, gsize length, GError **error) {
  g_autoptr(SmbLdsCounts) counts = g_new0(SmbLdsCounts, 1);
  counts->rows = g_array_new(FALSE, FALSE, sizeof(SmbLdsCount));
  counts->strings = g_string_chunk_new(512);
  Reader reader = {.name = name, .counts = counts};
  gboolean ok = TRUE;
  for (gsize start = 0; ok && start < length;) {
    const char *end = memchr(text + start, '\n', length - start);
    gsize n = end ? (gsize)(end - text) - start : length - start;
    reader.line++;
    g_autofree char *line = g_strndup(text + start, n);
    ok = memchr(text + start, 0, n) ? refuse_line(&reader, error, "a zero byte: not a text file")
                                    : read_lds_line(&reader, line, error);
    start += n + 1;
  }
  if (ok && !reader.has_columns)
    ok = smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no line names the columns", name);
  g_clear_pointer(&reader.arch, smb_arch_unref);
  return ok ? g_steal_pointer(&counts) : NULL;
}
