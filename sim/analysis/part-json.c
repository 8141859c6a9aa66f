// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part of a launch as JSON: the tables of members, from the innermost objects outwards, and what is made of them.
#include <string.h>

#include "sim/analysis/part-row.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/json-member.h"
#include "sim/program/front-end.h"
#include "sim/trace/line.h"

enum {
  MAX_SITES = 1 << 18, // of a kernel: its instructions
  TALLY_NUMBERS = 7,   // of SmbTally
  GLOBAL_NUMBERS = 5,  // of GlobalRow
  LOOP_NUMBERS = 4,    // of SmbLoopTally
  N_WARNINGS = SMB_WARNING_UNCOUNTED + 1,
};

#define AT(type, field) G_STRUCT_OFFSET(type, field)
#define MEMBERS(table)  table, G_N_ELEMENTS(table)

// --- kinds of values

// A text of any characters: an expression may go over several lines.
static gboolean
read_words(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  char **words = target;
  if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING)
    return smb_member_expected(place, node, error, "a text");
  g_free(*words);
  *words = g_strdup(json_node_get_string(node));
  return TRUE;
}

static gboolean
read_flag(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_BOOLEAN)
    return smb_member_expected(place, node, error, "true or false");
  *(gboolean *)target = json_node_get_boolean(node);
  return TRUE;
}

static gboolean
write_flag(GString *json, gconstpointer value) {
  g_string_append(json, *(const gboolean *)value ? "true" : "false");
  return TRUE;
}

// An array of whole numbers (GArray of guint64).
static gboolean
read_numbers(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GArray **numbers = target;
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array of whole numbers");
  JsonArray *array = json_node_get_array(node);
  g_clear_pointer(numbers, g_array_unref);
  *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    guint64 number = 0;
    if (!smb_member_count(&element, json_array_get_element(array, i), &number, error))
      return FALSE;
    g_array_append_val(*numbers, number);
  }
  return TRUE;
}

static gboolean
write_numbers(GString *json, gconstpointer value) {
  const GArray *numbers = *(GArray *const *)value;
  for (guint i = 0; numbers && i < numbers->len; i++)
    g_string_append_printf(json, "%s%" G_GUINT64_FORMAT, i ? "," : "[",
                           g_array_index(numbers, guint64, i));
  if (numbers)
    g_string_append(json, numbers->len ? "]" : "[]");
  return numbers != NULL;
}

#define COUNT   smb_member_count, smb_member_write_count
#define WORDS   read_words, smb_member_write_text
#define FLAG    read_flag, write_flag
#define NUMBERS read_numbers, write_numbers

// --- arrays of objects

static void
clear_row(gpointer row, const SmbMember *members, guint n) {
  for (guint i = 0; i < n; i++) {
    gpointer value = (char *)row + members[i].offset;
    if (members[i].read == read_words)
      g_clear_pointer((char **)value, g_free);
    else if (members[i].read == read_numbers)
      g_clear_pointer((GArray **)value, g_array_unref);
    else if (members[i].read == smb_member_texts)
      g_clear_pointer((GStrv *)value, g_strfreev);
    else if (members[i].read != smb_member_count && members[i].read != read_flag)
      g_clear_pointer((GPtrArray **)value, g_ptr_array_unref);
  }
}

static gboolean
read_rows(const SmbPlace *place, JsonNode *node, GPtrArray *rows, gsize size,
          const SmbMember *members, guint n, GError **error) {
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array");
  JsonArray *array = json_node_get_array(node);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    gpointer row = g_malloc0(size);
    g_ptr_array_add(rows, row);
    if (!smb_members_read(&element, json_array_get_element(array, i), members, n, row, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_rows(GString *json, const GPtrArray *rows, const SmbMember *members, guint n) {
  for (guint i = 0; rows && i < rows->len; i++) {
    g_string_append(json, i ? ",{" : "[{");
    smb_members_write(json, members, n, rows->pdata[i], ",");
    g_string_append(json, "}");
  }
  if (rows)
    g_string_append(json, rows->len ? "]" : "[]");
  return rows != NULL;
}

// The functions of an array of objects with the members NAME_members: a GPtrArray of Row.
#define ROWS(name, Row)                                                                            \
  static void free_##name(gpointer row) {                                                          \
    clear_row(row, MEMBERS(name##_members));                                                       \
    g_free(row);                                                                                   \
  }                                                                                                \
  static GPtrArray *new_##name(void) {                                                             \
    return g_ptr_array_new_with_free_func(free_##name);                                            \
  }                                                                                                \
  static gboolean read_##name(const SmbPlace *place, JsonNode *node, gpointer target,              \
                              GError **error) {                                                    \
    GPtrArray **rows = target;                                                                     \
    g_clear_pointer(rows, g_ptr_array_unref);                                                      \
    *rows = new_##name();                                                                          \
    return read_rows(place, node, *rows, sizeof(Row), MEMBERS(name##_members), error);             \
  }                                                                                                \
  static gboolean write_##name(GString *json, gconstpointer value) {                               \
    return write_rows(json, *(GPtrArray *const *)value, MEMBERS(name##_members));                  \
  }

static const SmbMember frame_members[] = {
    {"file", MEMBER_REQUIRED, WORDS, AT(FrameRow, file)},
    {"line", MEMBER_REQUIRED, COUNT, AT(FrameRow, line)},
};
ROWS(frame, FrameRow)

static const SmbMember site_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(SiteRow, site)},
    {"file", MEMBER_ABSENT, WORDS, AT(SiteRow, file)},
    {"line", MEMBER_REQUIRED, COUNT, AT(SiteRow, line)},
    {"column", MEMBER_REQUIRED, COUNT, AT(SiteRow, column)},
    {"offset", MEMBER_REQUIRED, COUNT, AT(SiteRow, offset)},
    {"expression", MEMBER_REQUIRED, WORDS, AT(SiteRow, expression)},
    {"op_class", MEMBER_REQUIRED, COUNT, AT(SiteRow, op_class)},
    {"width", MEMBER_REQUIRED, COUNT, AT(SiteRow, width)},
    {"no_rule", MEMBER_REQUIRED, FLAG, AT(SiteRow, no_rule)},
    {"may_merge", MEMBER_REQUIRED, FLAG, AT(SiteRow, may_merge)},
    {"opcode", MEMBER_ABSENT, WORDS, AT(SiteRow, opcode)},
    {"pc", MEMBER_REQUIRED, COUNT, AT(SiteRow, pc)},
    {"frames", MEMBER_REQUIRED, read_frame, write_frame, AT(SiteRow, frames)},
    {"data_source", MEMBER_ABSENT, WORDS, AT(SiteRow, data_source)},
    {"data_address", MEMBER_REQUIRED, FLAG, AT(SiteRow, data_address)},
};
ROWS(site, SiteRow)

static const SmbMember shared_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(SharedRow, site)},
    {"array", MEMBER_ABSENT, WORDS, AT(SharedRow, array)},
    {"first_block", MEMBER_REQUIRED, COUNT, AT(SharedRow, first_block)},
    {"uncounted", MEMBER_REQUIRED, COUNT, AT(SharedRow, uncounted)},
    {"doubt", MEMBER_REQUIRED, COUNT, AT(SharedRow, doubt)},
    {"worst", MEMBER_ABSENT, WORDS, AT(SharedRow, worst)},
    {"source", MEMBER_ABSENT, NUMBERS, AT(SharedRow, source)},
    {"worst_block", MEMBER_REQUIRED, COUNT, AT(SharedRow, worst_block)},
    {"worst_warp", MEMBER_REQUIRED, COUNT, AT(SharedRow, worst_warp)},
    {"loops", MEMBER_REQUIRED, NUMBERS, AT(SharedRow, loops)},
    {"warps", MEMBER_REQUIRED, NUMBERS, AT(SharedRow, warps)},
};
ROWS(shared, SharedRow)

static const SmbMember global_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(GlobalRow, site)},
    {"buffer", MEMBER_ABSENT, WORDS, AT(GlobalRow, buffer)},
    {"first_block", MEMBER_REQUIRED, COUNT, AT(GlobalRow, first_block)},
    {"numbers", MEMBER_REQUIRED, NUMBERS, AT(GlobalRow, numbers)},
};
ROWS(global, GlobalRow)

static const SmbMember constant_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(ConstantRow, site)},
    {"variable", MEMBER_ABSENT, WORDS, AT(ConstantRow, variable)},
    {"first_block", MEMBER_REQUIRED, COUNT, AT(ConstantRow, first_block)},
    {"uncounted", MEMBER_REQUIRED, COUNT, AT(ConstantRow, uncounted)},
    {"tally", MEMBER_REQUIRED, NUMBERS, AT(ConstantRow, tally)},
};
ROWS(constant, ConstantRow)

static const SmbMember traffic_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(TrafficRow, site)},
    {"kind", MEMBER_REQUIRED, COUNT, AT(TrafficRow, kind)},
    {"executions", MEMBER_REQUIRED, COUNT, AT(TrafficRow, executions)},
    {"unsized", MEMBER_REQUIRED, COUNT, AT(TrafficRow, unsized)},
    {"bytes", MEMBER_REQUIRED, COUNT, AT(TrafficRow, bytes)},
};
ROWS(traffic, TrafficRow)

static const SmbMember warning_members[] = {
    {"kind", MEMBER_REQUIRED, COUNT, AT(WarningRow, kind)},
    {"site", MEMBER_REQUIRED, COUNT, AT(WarningRow, site)},
    {"other", MEMBER_REQUIRED, COUNT, AT(WarningRow, other)},
    {"block", MEMBER_REQUIRED, COUNT, AT(WarningRow, block)},
    {"message", MEMBER_REQUIRED, WORDS, AT(WarningRow, message)},
};
ROWS(warning, WarningRow)

static gboolean read_part(const SmbPlace *place, JsonNode *node, gpointer target, GError **error);
static gboolean write_part(GString *json, gconstpointer value);

static const SmbMember part_members[] = {
    {"part", MEMBER_REQUIRED, COUNT, AT(PartRow, number)},
    {"of", MEMBER_REQUIRED, COUNT, AT(PartRow, of)},
    {"blocks", MEMBER_REQUIRED, COUNT, AT(PartRow, blocks)},
    {"in_order", MEMBER_REQUIRED, FLAG, AT(PartRow, in_order)},
    {"misses_others", MEMBER_REQUIRED, FLAG, AT(PartRow, misses_others)},
    {"irregular", MEMBER_ABSENT, WORDS, AT(PartRow, irregular)},
    {"idle", MEMBER_ABSENT, WORDS, AT(PartRow, idle)},
    {"idle_place", MEMBER_REQUIRED, NUMBERS, AT(PartRow, idle_place)},
    {"parameters", MEMBER_REQUIRED, SMB_MEMBER_TEXTS, AT(PartRow, parameters)},
    {"sites", MEMBER_REQUIRED, read_site, write_site, AT(PartRow, sites)},
    {"shared", MEMBER_REQUIRED, read_shared, write_shared, AT(PartRow, shared)},
    {"global", MEMBER_REQUIRED, read_global, write_global, AT(PartRow, global)},
    {"constant", MEMBER_REQUIRED, read_constant, write_constant, AT(PartRow, constant)},
    {"traffic", MEMBER_REQUIRED, read_traffic, write_traffic, AT(PartRow, traffic)},
    {"warnings", MEMBER_REQUIRED, read_warning, write_warning, AT(PartRow, warnings)},
    {"variants", MEMBER_ABSENT, read_part, write_part, AT(PartRow, variants)},
};
ROWS(part, PartRow)

void
smb_part_row_free(PartRow *row) {
  if (row)
    free_part(row);
}

// --- rows of sums

static GArray *
list_numbers(const guint64 *numbers, guint n) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof *numbers);
  g_array_append_vals(list, numbers, n);
  return list;
}

static void
append_tally(GArray *numbers, const SmbTally *tally) {
  const guint64 all[TALLY_NUMBERS] = {tally->requests, tally->wavefronts, tally->ideal,
                                      tally->excess,   tally->cycles,     tally->max_degree,
                                      tally->max_queue};
  g_array_append_vals(numbers, all, G_N_ELEMENTS(all));
}

static void
add_site_row(PartRow *row, const SmbProgram *program, const SmbLaunch *launch, guint index) {
  const SmbSite *site = smb_program_site(program, index);
  SiteRow *site_row = g_new(SiteRow, 1);
  gboolean address = FALSE;
  const char *source = smb_launch_data_source(launch, program, index, &address);
  *site_row = (SiteRow){index,
                        g_strdup(site->file),
                        site->line,
                        site->column,
                        site->offset,
                        g_strdup(site->expression),
                        site->op_class,
                        site->width,
                        site->no_rule,
                        site->may_merge,
                        g_strdup(site->opcode),
                        site->pc,
                        new_frame(),
                        g_strdup(source),
                        address};
  for (guint i = 0; i < site->n_frames; i++) {
    FrameRow *frame = g_new(FrameRow, 1);
    *frame = (FrameRow){g_strdup(site->frames[i].file), site->frames[i].line};
    g_ptr_array_add(site_row->frames, frame);
  }
  g_ptr_array_add(row->sites, site_row);
}

static void
add_shared_row(PartRow *row, const Sums *sums, guint site, guint lanes) {
  const SmbAccess *access = &sums->accesses[site];
  const SmbLoopTally *loops = &access->loops;
  const guint64 numbers[LOOP_NUMBERS] = {loops->requests, loops->loads, loops->load_wavefronts,
                                         loops->swaps};
  SharedRow *shared = g_new0(SharedRow, 1);
  *shared = (SharedRow){.site = site,
                        .array = g_strdup(access->array),
                        .first_block = sums->first[site].shared,
                        .uncounted = access->uncounted,
                        .doubt = access->doubt,
                        .worst_block = access->worst_block,
                        .worst_warp = access->worst_warp,
                        .loops = list_numbers(numbers, LOOP_NUMBERS),
                        .warps = list_numbers(NULL, 0)};
  g_autoptr(GString) worst = g_string_new(NULL);
  if (access->worst.width) {
    smb_trace_append_request(worst, &access->worst, lanes);
    shared->worst = g_strdup(worst->str);
  }
  if (access->worst.has_source)
    shared->source = list_numbers(NULL, 0);
  for (guint lane = 0; shared->source && lane < lanes; lane++) {
    guint64 source = access->worst.source[lane];
    g_array_append_val(shared->source, source);
  }
  for (guint64 w = 0; w < SMB_MAX_WARPS; w++) {
    if (access->warps[w].requests == 0)
      continue;
    g_array_append_val(shared->warps, w);
    append_tally(shared->warps, &access->warps[w]);
  }
  g_ptr_array_add(row->shared, shared);
}

static void
add_global_row(PartRow *row, const Sums *sums, guint site) {
  const SmbGlobalAccess *access = &sums->globals[site];
  const guint64 numbers[GLOBAL_NUMBERS] = {access->requests, access->segments, access->ideal,
                                           access->max_segments, access->bytes};
  GlobalRow *global = g_new(GlobalRow, 1);
  *global = (GlobalRow){site, g_strdup(access->buffer), sums->first[site].global,
                        list_numbers(numbers, GLOBAL_NUMBERS)};
  g_ptr_array_add(row->global, global);
}

static void
add_constant_row(PartRow *row, const Sums *sums, guint site) {
  const SmbConstantAccess *access = &sums->constants[site];
  ConstantRow *constant = g_new(ConstantRow, 1);
  *constant = (ConstantRow){site, g_strdup(access->variable), sums->first[site].constant,
                            access->uncounted, list_numbers(NULL, 0)};
  append_tally(constant->tally, &access->total);
  g_ptr_array_add(row->constant, constant);
}

static void
add_traffic_row(PartRow *row, const Sums *sums, guint site) {
  const SmbOtherTraffic *traffic = &sums->traffic[site];
  TrafficRow *traffic_row = g_new(TrafficRow, 1);
  *traffic_row =
      (TrafficRow){site, traffic->kind, traffic->executions, traffic->unsized, traffic->bytes};
  g_ptr_array_add(row->traffic, traffic_row);
}

static void
add_warning_rows(PartRow *row, const Sums *sums, gboolean *is_used) {
  for (guint i = 0; i < sums->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(sums->warnings, SmbAnalysisWarning, i);
    WarningRow *warning_row = g_new(WarningRow, 1);
    *warning_row = (WarningRow){warning->kind, warning->site, warning->other, warning->block,
                                g_strdup(warning->message)};
    g_ptr_array_add(row->warnings, warning_row);
    is_used[warning->site] = is_used[warning->other] = TRUE;
  }
}

static GStrv
list_parameters(const SmbProgram *program) {
  guint n = smb_program_n_parameters(program);
  GStrv names = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = g_strdup(smb_program_parameter(program, i).name);
  return names;
}

static PartRow *
new_part_row(const SmbPart *part, const SmbProgram *program) {
  const Sums *sums = part->sums;
  const guint64 idle[] = {sums->idle_place, sums->idle_line, sums->idle_column};
  PartRow *row = g_new(PartRow, 1);
  *row = (PartRow){.number = part->number,
                   .of = part->of,
                   .blocks = part->n_run,
                   .in_order = part->in_order,
                   .misses_others = sums->misses_others,
                   .irregular = g_strdup(program->irregular),
                   .idle = g_strdup(sums->idle),
                   .idle_place = list_numbers(idle, G_N_ELEMENTS(idle)),
                   .parameters = list_parameters(program),
                   .sites = new_site(),
                   .shared = new_shared(),
                   .global = new_global(),
                   .constant = new_constant(),
                   .traffic = new_traffic(),
                   .warnings = new_warning()};
  return row;
}

static PartRow *
describe_part(const SmbPart *part, const SmbProgram *program, const SmbLaunch *launch) {
  const Sums *sums = part->sums;
  PartRow *row = new_part_row(part, program);
  g_autofree gboolean *is_used = g_new0(gboolean, sums->n_sites + 1);
  add_warning_rows(row, sums, is_used);
  for (guint site = 0; site < sums->n_sites; site++) {
    const SmbAccess *access = &sums->accesses[site];
    const SmbConstantAccess *constant = &sums->constants[site];
    gboolean is_shared = access->worst.width || access->uncounted;
    gboolean is_constant = constant->total.requests || constant->uncounted;
    if (is_shared)
      add_shared_row(row, sums, site, program->lanes);
    if (sums->globals[site].requests)
      add_global_row(row, sums, site);
    if (is_constant)
      add_constant_row(row, sums, site);
    if (sums->traffic[site].executions)
      add_traffic_row(row, sums, site);
    if (is_used[site] || is_shared || is_constant || sums->globals[site].requests ||
        sums->traffic[site].executions)
      add_site_row(row, program, launch, site);
  }
  row->variants = part->variants ? new_part() : NULL;
  for (guint i = 0; part->variants && i < part->variants->len; i++)
    g_ptr_array_add(row->variants,
                    describe_part(g_ptr_array_index(part->variants, i), program, launch));
  return row;
}

void
smb_part_write(const SmbPart *part, const SmbProgram *program, const SmbLaunch *launch,
               GString *json) {
  PartRow *row = describe_part(part, program, launch);
  g_string_append_c(json, '{');
  smb_members_write(json, MEMBERS(part_members), row, ",");
  g_string_append_c(json, '}');
  smb_part_row_free(row);
}

// --- sums of rows

// What is made of a part that is read.
typedef struct {
  const SmbPlace *place;
  const SmbArch *arch;
  const PartRow *row;
  SmbPart *part;
} Reading;

static guint64
number_at(const GArray *numbers, guint i) {
  return g_array_index(numbers, guint64, i);
}

static void
take_tally(const GArray *numbers, guint at, SmbTally *tally) {
  *tally = (SmbTally){number_at(numbers, at),           number_at(numbers, at + 1),
                      number_at(numbers, at + 2),       number_at(numbers, at + 3),
                      number_at(numbers, at + 4),       (guint)number_at(numbers, at + 5),
                      (guint)number_at(numbers, at + 6)};
}

static gboolean
refuse(const Reading *reading, GError **error, const char *what) {
  return smb_member_fail(reading->place, error, "%s that no part of a launch has", what);
}

static gboolean
read_worst(const Reading *reading, const SharedRow *row, SmbAccess *access, GError **error) {
  const SmbTraceLine line = {NULL, 1, row->worst, reading->arch};
  gint64 expected;
  gboolean found = FALSE;
  if (!smb_trace_line_parse(&line, &access->worst, &expected, &found, error))
    return FALSE;
  if (!found || row->worst_warp >= SMB_MAX_WARPS || strchr(row->worst, '\n'))
    return refuse(reading, error, "a request");
  access->worst.has_source = row->source != NULL;
  for (guint lane = 0; row->source && lane < MIN(row->source->len, SMB_MAX_LANES); lane++)
    access->worst.source[lane] = (guint16)number_at(row->source, lane);
  smb_wavefronts_count_span(reading->arch, smb_counter_best(), &access->worst, 1,
                            &access->worst_cost);
  access->worst_block = row->worst_block;
  access->worst_warp = (guint)row->worst_warp;
  return TRUE;
}

static gboolean
read_shared_row(const Reading *reading, const SharedRow *row, GError **error) {
  SmbAccess *access = &reading->part->sums->accesses[row->site];
  if (row->loops->len != LOOP_NUMBERS || row->warps->len % (TALLY_NUMBERS + 1) ||
      (row->warps->len > 0) != (row->worst != NULL))
    return refuse(reading, error, "numbers of requests");
  access->array = row->array;
  access->uncounted = row->uncounted;
  access->doubt = (guint)row->doubt;
  reading->part->sums->first[row->site].shared = row->first_block;
  access->loops = (SmbLoopTally){number_at(row->loops, 0), number_at(row->loops, 1),
                                 number_at(row->loops, 2), number_at(row->loops, 3)};
  for (guint i = 0; i < row->warps->len; i += TALLY_NUMBERS + 1) {
    guint64 warp = number_at(row->warps, i);
    if (warp >= SMB_MAX_WARPS)
      return refuse(reading, error, "a warp");
    take_tally(row->warps, i + 1, &access->warps[warp]);
  }
  return !row->worst || read_worst(reading, row, access, error);
}

static gboolean
read_global_row(const Reading *reading, const GlobalRow *row, GError **error) {
  if (row->numbers->len != GLOBAL_NUMBERS)
    return refuse(reading, error, "numbers of requests");
  reading->part->sums->first[row->site].global = row->first_block;
  reading->part->sums->globals[row->site] =
      (SmbGlobalAccess){.buffer = row->buffer,
                        .requests = number_at(row->numbers, 0),
                        .segments = number_at(row->numbers, 1),
                        .ideal = number_at(row->numbers, 2),
                        .max_segments = (guint)number_at(row->numbers, 3),
                        .bytes = number_at(row->numbers, 4)};
  return TRUE;
}

static gboolean
read_constant_row(const Reading *reading, const ConstantRow *row, GError **error) {
  SmbConstantAccess *access = &reading->part->sums->constants[row->site];
  if (row->tally->len != TALLY_NUMBERS)
    return refuse(reading, error, "numbers of requests");
  reading->part->sums->first[row->site].constant = row->first_block;
  access->variable = row->variable;
  access->uncounted = row->uncounted;
  take_tally(row->tally, 0, &access->total);
  return TRUE;
}

static gboolean
read_traffic_row(const Reading *reading, const TrafficRow *row, GError **error) {
  if (row->kind >= SMB_N_TRAFFIC)
    return refuse(reading, error, "a kind of traffic");
  reading->part->sums->traffic[row->site] = (SmbOtherTraffic){.kind = (SmbTraffic)row->kind,
                                                              .executions = row->executions,
                                                              .unsized = row->unsized,
                                                              .bytes = row->bytes};
  return TRUE;
}

static gboolean
read_warning_row(const Reading *reading, const WarningRow *row, GError **error) {
  if (row->kind >= N_WARNINGS)
    return refuse(reading, error, "a kind of warning");
  SmbAnalysisWarning warning = {(SmbWarning)row->kind, (guint)row->site, (guint)row->other,
                                row->block, row->message};
  smb_warnings_note(reading->part->sums->warnings, &warning);
  return TRUE;
}

// Whether what begins with the number of a site is of one that the part lists.
static gboolean
check_sites(const Reading *reading, const GPtrArray *rows, const gboolean *is_listed,
            GError **error) {
  for (guint i = 0; i < rows->len; i++) {
    guint64 site = *(const guint64 *)rows->pdata[i];
    if (site >= reading->part->sums->n_sites || !is_listed[site])
      return refuse(reading, error, "a place");
  }
  return TRUE;
}

static gboolean
check_row(const Reading *reading, GError **error) {
  const PartRow *row = reading->row;
  const guint n = reading->part->sums->n_sites;
  g_autofree gboolean *is_listed = g_new0(gboolean, n + 1);
  for (guint i = 0; i < row->sites->len; i++) {
    const SiteRow *site = row->sites->pdata[i];
    if (site->op_class >= SMB_N_OP_CLASSES || site->width > SMB_MAX_WIDTH)
      return refuse(reading, error, "an access");
    is_listed[site->site] = TRUE;
  }
  for (guint i = 0; i < row->warnings->len; i++) {
    const WarningRow *warning = row->warnings->pdata[i];
    if (warning->site >= n || !is_listed[warning->site] || warning->other >= n ||
        !is_listed[warning->other])
      return refuse(reading, error, "a warning");
  }
  if (row->number < 1 || row->number > row->of || row->of > SMB_PART_MOST ||
      row->idle_place->len != 3)
    return refuse(reading, error, "a number");
  return check_sites(reading, row->shared, is_listed, error) &&
         check_sites(reading, row->global, is_listed, error) &&
         check_sites(reading, row->constant, is_listed, error) &&
         check_sites(reading, row->traffic, is_listed, error);
}

static gboolean
fill_sums(const Reading *reading, GError **error) {
  const PartRow *row = reading->row;
  for (guint i = 0; i < row->shared->len; i++) {
    if (!read_shared_row(reading, row->shared->pdata[i], error))
      return FALSE;
  }
  for (guint i = 0; i < row->global->len; i++) {
    if (!read_global_row(reading, row->global->pdata[i], error))
      return FALSE;
  }
  for (guint i = 0; i < row->constant->len; i++) {
    if (!read_constant_row(reading, row->constant->pdata[i], error))
      return FALSE;
  }
  for (guint i = 0; i < row->traffic->len; i++) {
    if (!read_traffic_row(reading, row->traffic->pdata[i], error))
      return FALSE;
  }
  for (guint i = 0; i < row->warnings->len; i++) {
    if (!read_warning_row(reading, row->warnings->pdata[i], error))
      return FALSE;
  }
  return TRUE;
}

// The part that a row is of; the row stays whose it is.
static SmbPart *
make_part(const SmbPlace *place, const PartRow *row, const SmbArch *arch, GError **error) {
  g_autoptr(SmbPart) part = g_new0(SmbPart, 1);
  const Reading reading = {place, arch, row, part};
  guint64 n_sites = 0;
  for (guint i = 0; i < row->sites->len; i++)
    n_sites = MAX(n_sites, ((const SiteRow *)row->sites->pdata[i])->site + 1);
  part->sums = smb_sums_new((guint)MIN(n_sites, MAX_SITES));
  if (n_sites > MAX_SITES) {
    refuse(&reading, error, "more places");
    return NULL;
  }
  if (!check_row(&reading, error) || !fill_sums(&reading, error))
    return NULL;
  part->number = (guint)row->number;
  part->of = (guint)row->of;
  part->n_run = row->blocks;
  part->in_order = row->in_order;
  part->sums->misses_others = row->misses_others;
  part->sums->idle = g_strdup(row->idle);
  part->sums->idle_place = (guint32)number_at(row->idle_place, 0);
  part->sums->idle_line = (guint)number_at(row->idle_place, 1);
  part->sums->idle_column = (guint)number_at(row->idle_place, 2);
  if (!row->variants)
    return g_steal_pointer(&part);
  part->variants = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  for (guint i = 0; i < row->variants->len; i++) {
    SmbPart *variant = make_part(place, row->variants->pdata[i], arch, error);
    if (!variant)
      return NULL;
    g_ptr_array_add(part->variants, variant);
  }
  return g_steal_pointer(&part);
}

SmbPart *
smb_part_read(const char *name, JsonNode *node, const SmbArch *arch, GError **error) {
  const SmbPlace document = {NULL, name, 0}, place = {&document, "shard", 0};
  PartRow *row = g_new0(PartRow, 1);
  SmbPart *part = NULL;
  if (smb_members_read(&place, node, MEMBERS(part_members), row, error))
    part = make_part(&place, row, arch, error);
  if (part)
    part->row = row;
  else
    smb_part_row_free(row);
  return part;
}
