// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A row of a part is as validate writes any, with what else a row has. The whole is made of them anew: in the order of what was
// compared, and with the published numbers beside those of recordings, which may come from other parts.
#include "src/validate/comparison-part.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/launch/launch.h"
#include "sim/measured/recording-head.h"
#include "src/validate/comparison-impl.h"

#define AT SMB_MEMBER_AT

static const char *const kinds[] = {
    [SMB_ROW_PUBLISHED] = "published",
    [SMB_ROW_KERNEL] = "kernel",
    [SMB_ROW_REQUEST] = "request",
    NULL,
};

static const char *const outcomes[] = {
    [SMB_OUTCOME_MATCH] = "match",       [SMB_OUTCOME_EXPLAINED] = "explained",
    [SMB_OUTCOME_MISMATCH] = "mismatch", [SMB_OUTCOME_UNMEASURED] = "unmeasured",
    [SMB_OUTCOME_SHOWN] = "shown",       NULL,
};

// --- what is written and read

static gboolean
read_padding(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  gint64 words = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : -2;
  *(int *)target = (int)words;
  return (words >= -1 && words <= G_MAXINT32) ||
         smb_member_expected(place, node, error, "words of padding, or -1");
}

static gboolean
write_part_padding(GString *json, gconstpointer value) {
  g_string_append_printf(json, "%d", *(const int *)value);
  return TRUE;
}

static gboolean
write_part_block(GString *json, gconstpointer value) {
  return *(const guint *)value > 0 && smb_member_write_extents(json, value);
}

static gboolean
write_part_recording(GString *json, gconstpointer value) {
  return *(const guint *)value != G_MAXUINT && smb_member_write_some(json, value);
}

static gboolean
read_op(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  const char *name = NULL;
  return smb_member_kept(place, node, &name, error) &&
         (smb_op_parse(name, strlen(name), target) ||
          smb_member_expected(place, node, error, "an operation"));
}

// A row of a part, and what its launch is: @recording: its index, or G_MAXUINT; @block: of its launch; zeros: it has none.
typedef struct {
  SmbComparisonRow row;
  GStrv defines;
  guint recording;
  gboolean failed;
  guint block[3];
  guint part; // from 0
} PartRow;

#define NAME(name, member)                                                                         \
  { name, MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(PartRow, row.member) }
#define NAME_IF(name, member)                                                                      \
  { name, MEMBER_NULL, SMB_MEMBER_KEPT, AT(PartRow, row.member) }
#define FLAG(name, member)                                                                         \
  { name, MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(PartRow, row.member) }
#define VALUE(name, member)                                                                        \
  { name, MEMBER_NULL, SMB_MEMBER_NUMBER, AT(PartRow, row.member) }

static const SmbMember shard_members[] = {
    {"part", MEMBER_REQUIRED, SMB_MEMBER_SOME, AT(PartRow, row.part)},
    {"index", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(PartRow, row.index)},
    {"kind", MEMBER_REQUIRED, .offset = AT(PartRow, row.kind), .words = kinds},
    {"outcome", MEMBER_REQUIRED, .offset = AT(PartRow, row.outcome), .words = outcomes},
    NAME("variant", variant),
    {"ipad", MEMBER_REQUIRED, read_padding, write_part_padding, AT(PartRow, row.ipad)},
    NAME("source", source),
    FLAG("bound", is_bound),
    FLAG("partial", is_partial),
    FLAG("modern", is_modern),
    {"defines", MEMBER_REQUIRED, SMB_MEMBER_LINES, AT(PartRow, defines)},
    {"recording", MEMBER_ABSENT, NULL, write_part_recording, AT(PartRow, recording),
     .most = G_MAXUINT - 1},
    {"failed", MEMBER_ABSENT, SMB_MEMBER_FLAG, AT(PartRow, failed)},
    {"block", MEMBER_ABSENT, smb_member_any_extents, write_part_block, AT(PartRow, block)},
};

static const SmbMembers shard_object = {SMB_MEMBERS(shard_members), .is_object = TRUE};

static const SmbMember row_members[] = {
    {"shard", MEMBER_REQUIRED, .of = &shard_object},
    NAME_IF("kernel", kernel),
    NAME_IF("shape", shape),
    {"op", MEMBER_NULL, read_op, .offset = AT(PartRow, row.op)},
    {"width", MEMBER_NULL, .offset = AT(PartRow, row.width), .most = SMB_MAX_WIDTH},
    NAME("metric", metric),
    NAME_IF("parameter", parameter),
    VALUE("predicted", predicted),
    VALUE("predicted_min", least),
    VALUE("predicted_max", most),
    VALUE("measured", measured),
    VALUE("min", min),
    VALUE("max", max),
    {"bytes", MEMBER_NULL, SMB_MEMBER_COUNT, AT(PartRow, row.bytes)},
    VALUE("gb_per_s", bandwidth),
    NAME("source", place),
    NAME("gpu", gpu),
    NAME("arch", arch),
    NAME_IF("note", note),
};

// -1 is no number everywhere in a row.
static const PartRow blank_row = {.row = {.op = SMB_N_OPS,
                                          .predicted = -1,
                                          .least = -1,
                                          .most = -1,
                                          .measured = -1,
                                          .min = -1,
                                          .max = -1,
                                          .bandwidth = -1},
                                  .recording = G_MAXUINT};

static void
clear_row(gpointer row) {
  g_strfreev(((PartRow *)row)->defines);
}

static const SmbMembers row_table = {SMB_MEMBERS(row_members), sizeof(PartRow), clear_row,
                                     &blank_row, TRUE};

void
smb_comparison_json_row_part(JsonBuilder *json, const SmbComparison *comparison,
                             const SmbComparisonRow *row) {
  PartRow part = {.row = *row, .defines = (GStrv)(gpointer)row->defines, .recording = G_MAXUINT};
  if (row->recording)
    g_ptr_array_find(comparison->recordings, row->recording, &part.recording);
  part.failed = row->recorded && row->recorded->failure;
  if (row->recorded)
    memcpy(part.block, row->recorded->block, sizeof part.block);
  smb_json_object(json, "shard");
  smb_json_members(json, SMB_MEMBERS(shard_members), &part);
  json_builder_end_object(json);
}

// The result of a part; @report: what text shows.
typedef struct {
  const char *digest;
  SmbComparisonReport report;
  GArray *rows, *times;  // PartRow
  GPtrArray *recordings; // SmbRecording
} Part;

static gboolean
read_recordings(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GPtrArray *recordings = *(GPtrArray **)target;
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array");
  for (guint i = 0; i < json_array_get_length(json_node_get_array(node)); i++) {
    const SmbPlace element = {place, NULL, i};
    SmbRecording *recording = smb_recording_new();
    g_ptr_array_add(recordings, recording);
    if (!smb_members_read_value(&element, json_array_get_element(json_node_get_array(node), i),
                                &smb_recording_head, recording, error))
      return FALSE;
  }
  return TRUE;
}

static const SmbMember part_shard_members[] = {
    {"digest", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, digest)},
    {"kernels", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, report.kernels)},
    {"times", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, report.times)},
    {"requests", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, report.requests)},
};
static const SmbMembers part_object = {SMB_MEMBERS(part_shard_members), .picks = TRUE,
                                       .is_object = TRUE};

static const SmbMember part_members[] = {
    {"recordings", MEMBER_REQUIRED, read_recordings, .offset = AT(Part, recordings)},
    {"rows", MEMBER_REQUIRED, .offset = AT(Part, rows), .of = &row_table},
    {"times", MEMBER_REQUIRED, .offset = AT(Part, times), .of = &row_table},
    {"shard", MEMBER_REQUIRED, .of = &part_object},
};

// What was compared with what: the recordings, and what the command has given for it.
static char *
digest_part_sources(const SmbComparison *comparison) {
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
  g_autofree char *digest = digest_part_sources(report->comparison);
  const Part part = {digest, *report, NULL, NULL, NULL};
  smb_shard_json(json, &report->comparison->shard, SMB_MEMBERS(part_shard_members), &part);
}

// --- the whole

typedef struct {
  const SmbPartResults *results;
  SmbComparison *comparison;
  GPtrArray *recordings; // SmbRecording
  GArray *rows;          // PartRow
  SmbComparisonReport report;
  const PartRow *last;       // that was added
  SmbRecordedKernel *launch; // of it
} Whole;

static gboolean
refuse_comparison_part(const Whole *whole, guint part, GError **error) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: rows: not as validate writes it",
                  smb_part_name(whole->results, part));
}

// Whether another part has a recording as well, but for when this device was measured. Counters that one of them read are taken: a
// part that had nothing to measure read none.
static gboolean
join_recording(SmbRecording *recording, SmbRecording *other) {
  if (strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0) {
    g_free(other->date);
    other->date = g_strdup(recording->date);
  }
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    char **counter = &recording->counters[i], **more = &other->counters[i];
    if (!*counter || !*more) {
      char **lacks = *counter ? more : counter;
      *lacks = g_strdup(*counter ? *counter : *more);
    }
  }
  return smb_members_equal(smb_recording_head.members, smb_recording_head.n, recording, other);
}

static gboolean
take_recordings(Whole *whole, guint part, const GPtrArray *others, GError **error) {
  if (part > 0 && others->len != whole->recordings->len)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: recordings: %u, and %s has %u",
                    smb_part_name(whole->results, part), others->len,
                    smb_part_name(whole->results, 0), whole->recordings->len);
  for (guint i = 0; part > 0 && i < others->len; i++) {
    if (!join_recording(whole->recordings->pdata[i], others->pdata[i]))
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s: its 'recordings[%u]' is not that of %s: parts are of one device, "
                      "driver and recording",
                      smb_part_name(whole->results, part), i, smb_part_name(whole->results, 0));
  }
  return TRUE;
}

static gboolean
collect_rows(Whole *whole, guint part, const GArray *rows, GError **error) {
  const SmbShard shard = {part + 1, whole->results->parts->len};
  for (guint i = 0; i < rows->len; i++) {
    PartRow row = g_array_index(rows, PartRow, i);
    row.part = part;
    row.defines = (GStrv)(gpointer)smb_comparison_defines(whole->comparison,
                                                          (const char *const *)row.defines);
    g_array_append_val(whole->rows, row);
    if (!smb_shard_has(&shard, row.row.index))
      return refuse_comparison_part(whole, part, error);
  }
  return TRUE;
}

static gboolean
read_comparison_part(Whole *whole, guint i, GError **error) {
  g_autoptr(GPtrArray) recordings =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_recording_free);
  Part part = {.recordings = i ? recordings : whole->recordings};
  gboolean read = smb_part_results_pick(whole->results, i, SMB_MEMBERS(part_members), &part, error);
  g_autoptr(GArray) rows = part.rows, times = part.times;
  whole->report = part.report; // all parts have the same
  return read && take_recordings(whole, i, part.recordings, error) &&
         collect_rows(whole, i, rows, error) && collect_rows(whole, i, times, error);
}

static int
compare_part_rows(gconstpointer a, gconstpointer b) {
  const SmbComparisonRow *x = &((const PartRow *)a)->row, *y = &((const PartRow *)b)->row;
  return smb_order(x->part, y->part) ?: smb_order(x->index, y->index);
}

// The launch that a row of a recording is about: that of the row before it, or another.
static gboolean
find_part_launch(Whole *whole, const PartRow *read, SmbComparisonRow *row) {
  row->recorded = whole->launch;
  if (whole->last && compare_part_rows(whole->last, read) == 0 && whole->launch)
    return TRUE;
  if (read->block[0] == 0)
    return FALSE;
  whole->launch = smb_recorded_kernel_new();
  g_ptr_array_add(row->recording->kernels, whole->launch);
  memcpy(whole->launch->block, read->block, sizeof read->block);
  if (read->failed)
    whole->launch->failure = g_strdup(row->note ? row->note : "");
  row->recorded = whole->launch;
  return TRUE;
}

// Whether a row has what is needed of its kind.
static gboolean
check_row_kind(Whole *whole, const PartRow *read, SmbComparisonRow *row) {
  if (read->recording != G_MAXUINT && read->recording >= whole->recordings->len)
    return FALSE;
  if (read->recording != G_MAXUINT)
    row->recording = whole->recordings->pdata[read->recording];
  switch (row->kind) {
  case SMB_ROW_PUBLISHED:
    return row->kernel && row->shape && !row->recording;
  case SMB_ROW_KERNEL:
    return row->kernel && row->recording && find_part_launch(whole, read, row);
  case SMB_ROW_REQUEST:
    return row->op != SMB_N_OPS && smb_op_has_width(row->op, row->width);
  case SMB_ROW_INSTRUCTION:
    break;
  }
  return FALSE;
}

static gboolean
add_part_row(Whole *whole, const PartRow *read, GError **error) {
  SmbComparisonRow *row = smb_comparison_row(read->row.kind, read->row.metric);
  *row = read->row;
  row->defines = (const char *const *)read->defines;
  row->is_range = row->least >= 0;
  if (!check_row_kind(whole, read, row)) {
    smb_comparison_row_free(row);
    return refuse_comparison_part(whole, read->part, error);
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
merge_rows(SmbCli *cli, const SmbPartResults *results, GError **error) {
  g_autoptr(GPtrArray) recordings =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_recording_free);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(PartRow));
  Whole whole = {
      .results = results, .comparison = comparison, .recordings = recordings, .rows = rows};
  for (guint i = 0; i < results->parts->len; i++) {
    if (!read_comparison_part(&whole, i, error))
      return FALSE;
  }
  for (guint i = 0; i < recordings->len; i++) {
    SmbRecording *recording = recordings->pdata[i];
    g_ptr_array_add(comparison->recordings, recording);
    if (strcmp(recording->source, SMB_RECORDING_THIS_DEVICE) == 0)
      comparison->device = recording->gpu;
  }
  g_array_sort(rows, compare_part_rows); // is stable
  for (guint i = 0; i < rows->len; i++) {
    if (!add_part_row(&whole, &g_array_index(rows, PartRow, i), error))
      return FALSE;
  }
  whole.report.comparison = comparison;
  smb_comparison_write(cli, &whole.report);
  return TRUE;
}

const SmbMerger smb_comparison_merger = {"validate", smb_comparison_formats,
                                         (const char *const[]){"device", NULL}, merge_rows};
