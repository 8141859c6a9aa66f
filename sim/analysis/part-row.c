// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part of a launch as rows, and back. Nothing that is read is trusted.
#include "sim/analysis/part-row.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/count/instruction.h"
#include "sim/machine/front-end.h"
#include "sim/trace/line.h"

enum {
  MAX_SITES = 1 << 18, // of a kernel: its instructions
  TALLY_NUMBERS = 8,   // of SmbTally
  GLOBAL_NUMBERS = 5,  // of GlobalRow
  LOOP_NUMBERS = 4,    // of SmbLoopTally
  IDLE_NUMBERS = 4,    // of PartRow.idle_place
  N_WARNINGS = SMB_WARNING_UNCOUNTED + 1,
};

static GArray *
list_numbers(const guint64 *numbers, guint n) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof *numbers);
  g_array_append_vals(list, numbers, n);
  return list;
}

static void
append_tally(GArray *numbers, const SmbTally *tally) {
  const guint64 all[TALLY_NUMBERS] = {tally->requests,   tally->wavefronts, tally->pipe_wavefronts,
                                      tally->ideal,      tally->excess,     tally->cycles,
                                      tally->max_degree, tally->max_queue};
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
                        smb_frame_rows_new(),
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
                        .no_source = (guint64)access->no_source,
                        .lanes = access->lanes,
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
  const guint64 idle[IDLE_NUMBERS] = {sums->idle_place, sums->idle_line, sums->idle_column,
                                      sums->idle_site};
  PartRow *row = smb_part_row_new();
  row->blocks = part->n_run;
  row->in_order = part->in_order;
  row->misses_others = sums->misses_others;
  row->by_instruction = smb_program_is_machine_code(program);
  row->irregular = g_strdup(program->irregular);
  row->idle = g_strdup(sums->idle);
  row->idle_place = list_numbers(idle, G_N_ELEMENTS(idle));
  row->parameters = list_parameters(program);
  return row;
}

static PartRow *
describe_part(const SmbPart *part, const SmbProgram *program, const SmbLaunch *launch) {
  const Sums *sums = part->sums;
  PartRow *row = new_part_row(part, program);
  g_autofree gboolean *is_used = g_new0(gboolean, sums->n_sites + 1);
  add_warning_rows(row, sums, is_used);
  if (sums->idle_site)
    is_used[sums->idle_site - 1] = TRUE;
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
  row->variants = part->variants ? smb_variant_rows_new() : NULL;
  for (guint i = 0; part->variants && i < part->variants->len; i++)
    g_ptr_array_add(row->variants,
                    describe_part(g_ptr_array_index(part->variants, i), program, launch));
  return row;
}

void
smb_part_write(const SmbPart *part, const SmbProgram *program, const SmbLaunch *launch,
               GString *json) {
  PartRow *row = describe_part(part, program, launch);
  smb_part_row_write(row, json);
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
  *tally = (SmbTally){number_at(numbers, at),
                      number_at(numbers, at + 1),
                      number_at(numbers, at + 2),
                      number_at(numbers, at + 3),
                      number_at(numbers, at + 4),
                      number_at(numbers, at + 5),
                      (guint)number_at(numbers, at + 6),
                      (guint)number_at(numbers, at + 7)};
}

static gboolean
refuse(const Reading *reading, GError **error, const char *what) {
  return smb_member_fail(reading->place, error, "%s that no part of a launch has", what);
}

static gboolean
read_worst(const Reading *reading, const SharedRow *row, SmbAccess *access, GError **error) {
  g_autofree char *text = g_strconcat(row->worst, "\n", NULL);
  const SmbTraceLine line = {NULL, 1, text, reading->arch};
  gint64 expected;
  gboolean found = FALSE;
  g_autoptr(GError) failure = NULL;
  if (!smb_trace_line_parse(&line, &access->worst, &expected, &found, &failure))
    return smb_member_fail(reading->place, error, "'%s': %s", row->worst, failure->message);
  if (!found || row->worst_warp >= SMB_MAX_WARPS || strchr(row->worst, '\n'))
    return refuse(reading, error, "a request");
  access->worst.has_source = row->source != NULL;
  for (guint lane = 0; row->source && lane < MIN(row->source->len, SMB_MAX_LANES); lane++)
    access->worst.source[lane] = (guint16)number_at(row->source, lane);
  access->worst_cost = smb_wavefronts_count(reading->arch, &access->worst);
  if (reading->row->by_instruction)
    access->worst_cost =
        smb_wavefronts_by_instruction(reading->arch, &access->worst, &access->worst_cost);
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
  access->no_source = row->no_source != 0;
  access->lanes = row->lanes;
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
  if (row->idle_place->len != IDLE_NUMBERS)
    return refuse(reading, error, "a number");
  guint64 idle_site = number_at(row->idle_place, 3);
  if (idle_site > n || (idle_site && !is_listed[idle_site - 1]))
    return refuse(reading, error, "a place");
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
  part->n_run = row->blocks;
  part->in_order = row->in_order;
  part->sums->misses_others = row->misses_others;
  part->sums->idle = g_strdup(row->idle);
  part->sums->idle_place = (guint32)number_at(row->idle_place, 0);
  part->sums->idle_line = (guint)number_at(row->idle_place, 1);
  part->sums->idle_column = (guint)number_at(row->idle_place, 2);
  part->sums->idle_site = (guint)number_at(row->idle_place, 3);
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
  const SmbPlace document = {NULL, name, 0}, place = {&document, "shard.counts", 0};
  PartRow *row = smb_part_row_read(&place, node, error);
  SmbPart *part = row ? make_part(&place, row, arch, error) : NULL;
  if (part)
    part->row = row;
  else
    smb_part_row_free(row);
  return part;
}
