// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "src/analyze/part.h"
#include "sim/base/text.h"
#include "src/analyze/row.h"
#include "src/cli/captured.h"
#include "src/cli/describe.h"

// Longest expression that is shown whole, in columns.
enum {
  MAX_EXPRESSION = 42
};

static char *
shorten(const char *expression) {
  if (g_utf8_validate(expression, -1, NULL) && g_utf8_strlen(expression, -1) > MAX_EXPRESSION) {
    g_autofree char *head = g_utf8_substring(expression, 0, MAX_EXPRESSION - 3);
    return g_strconcat(head, "...", NULL);
  }
  return g_strdup(expression);
}

const char *
smb_analyze_segment_name(const SmbArch *arch) {
  return smb_arch_info(arch)->global_segment_bytes == 32 ? "sectors" : "lines";
}

void
smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis) {
  g_autofree char *block = smb_describe_extent(target->launch.block);
  g_autofree char *grid = smb_describe_extent(target->launch.grid);
  g_autofree char *defines = g_strjoinv(" ", target->defines);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, target->name);
  g_autofree char *text = g_strdup_printf("  %s%s%s", target->file, *defines ? "  " : "", defines);
  smb_text_wrap_at(cli->out, text, smb_text_width(target->name), 4);
  smb_spool_printf(cli->out,
                   smb_arch_say(cli->arch, "block %s, grid %s, %" G_GSIZE_FORMAT
                                           " bytes of shared memory, %s\n"),
                   block, grid, analysis->shared_bytes, smb_arch_info(cli->arch)->name);
  if (target->compiled)
    smb_text_wrap_printf(cli->out, "compiled: %s", target->compiled);
  smb_spool_puts(cli->out, "\n");
}

void
smb_analyze_add_tally(SmbTable *table, const SmbTally *tally) {
  SmbStyle style = tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, tally->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->wavefronts);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->ideal);
  smb_table_number(table, style, tally->excess);
  smb_table_printf(table, style, "%u-way", tally->max_degree);
}

static void
add_sites(SmbTable *table, const SmbSite *site, guint n) {
  g_autofree char *text = smb_analyze_row_text(site, n);
  g_autofree char *expression = shorten(text);
  smb_table_place(table, site);
  smb_table_cell(table, SMB_STYLE_PLAIN, expression);
  smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_class_name(site->op_class));
}

static void
add_site(SmbTable *table, const SmbSite *site) {
  add_sites(table, site, 1);
}

static void
write_row(SmbTable *table, const SmbAnalyzeRow *row, const SmbAnalyzeReport *report) {
  const SmbAccess *access = row->access;
  add_sites(table, access->site, row->n);
  if (row->total.requests)
    smb_analyze_add_tally(table, &row->total);
  else {
    for (guint i = 0; i < 4; i++)
      smb_table_cell(table, SMB_STYLE_DIM, "-");
    smb_table_cell(table, SMB_STYLE_BAD, "not counted");
  }
  for (guint w = 0; report->by_warp && w < report->analysis->n_warps; w++) {
    if (access->warps[w].requests == 0)
      continue;
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
    smb_table_printf(table, SMB_STYLE_DIM, smb_vendor_say(report->analysis->vendor, "  warp %u"),
                     w);
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
    smb_analyze_add_tally(table, &access->warps[w]);
  }
}

static void
write_total(SmbTable *table, const char *name, const SmbTally *total) {
  if (total->requests == 0)
    return;
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_cell(table, SMB_STYLE_BOLD, "total");
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  smb_analyze_add_tally(table, total);
}

static void
write_shared(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  g_autoptr(SmbTable) table =
      smb_table_new(smb_arch_say(cli->arch, "line>|shared access|op|per launch: requests>|"
                                            "wavefronts>|ideal>|excess>|per request: worst>"));
  g_autoptr(GArray) rows = smb_analyze_gather(analysis->accesses, report->by_warp);
  for (guint i = 0; i < rows->len; i++)
    write_row(table, &g_array_index(rows, SmbAnalyzeRow, i), report);
  smb_table_rule(table);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    write_total(table, smb_op_class_name((SmbOpClass)c), &analysis->totals[c]);
  write_total(table, "async", &analysis->copies);
  smb_table_write(table, cli->out, cli->colour);
}

void
smb_analyze_add_global(SmbTable *table, const SmbGlobalAccess *access) {
  SmbStyle style = access->segments > access->ideal ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, access->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, access->segments);
  smb_table_number(table, SMB_STYLE_PLAIN, access->ideal);
  smb_table_number(table, style, access->segments - access->ideal);
  smb_table_number(table, style, access->max_segments);
}

void
smb_analyze_add_words(SmbTable *table, const SmbConstantAccess *access) {
  const SmbTally *tally = &access->total;
  SmbStyle style = tally->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, tally->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->wavefronts);
  smb_table_number(table, SMB_STYLE_PLAIN, tally->ideal);
  smb_table_number(table, style, tally->excess);
  smb_table_printf(table, access->uncounted ? SMB_STYLE_BAD : style, "%s%u",
                   access->uncounted ? "≥ " : "", tally->max_degree);
}

static void
write_global(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  g_autofree char *columns = g_strdup_printf("line>|global access|op|per launch: requests>|%s>|"
                                             "ideal>|excess>|per request: worst>",
                                             smb_analyze_segment_name(cli->arch));
  g_autoptr(SmbTable) table = smb_table_new(columns);
  g_autoptr(GArray) rows = smb_analyze_gather_global(analysis->globals);
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeGlobalRow *row = &g_array_index(rows, SmbAnalyzeGlobalRow, i);
    add_sites(table, row->total.site, row->n);
    smb_analyze_add_global(table, &row->total);
  }
  if (analysis->accesses->len > 0)
    smb_spool_puts(cli->out, "\n");
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_constants(SmbCli *cli, const SmbAnalysis *analysis) {
  g_autoptr(SmbTable) table = smb_table_new("line>|constant access|op|per launch: requests>|words>|"
                                            "ideal>|excess>|per request: worst>");
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    add_site(table, access->site);
    smb_analyze_add_words(table, access);
  }
  if (analysis->accesses->len + analysis->globals->len > 0)
    smb_spool_puts(cli->out, "\n");
  smb_table_write(table, cli->out, cli->colour);
}

void
smb_analyze_describe_bytes(const SmbOtherTraffic *traffic, char *text, gsize size) {
  const char *least = smb_other_traffic_is_exact(traffic) ? "" : "≥ ";
  if (traffic->kind == SMB_TRAFFIC_SHUFFLE)
    g_strlcpy(text, "-", size);
  else if (traffic->unsized == traffic->executions)
    g_strlcpy(text, "not known", size);
  else
    g_snprintf(text, size, "%s%" G_GUINT64_FORMAT, least, traffic->bytes);
}

static void
write_traffic(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbAnalysis *analysis = report->analysis;
  g_autoptr(SmbTable) table = smb_table_new(smb_arch_say(
      cli->arch, "line>|other shared traffic|op|kind|per launch: executions>|bytes>|wavefronts>"));
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    char bytes[32];
    smb_analyze_describe_bytes(traffic, bytes, sizeof bytes);
    add_site(table, traffic->site);
    smb_table_cell(table, SMB_STYLE_PLAIN, smb_traffic_name(traffic->kind));
    smb_table_number(table, SMB_STYLE_PLAIN, traffic->executions);
    smb_table_cell(table, SMB_STYLE_PLAIN, bytes);
    guint64 wavefronts = 0;
    if (smb_other_traffic_wavefronts(traffic, analysis->vendor, &wavefronts))
      smb_table_number(table, SMB_STYLE_PLAIN, wavefronts);
    else
      smb_table_cell(table, SMB_STYLE_DIM, "-");
  }
  if (analysis->accesses->len + analysis->globals->len + analysis->constants->len > 0)
    smb_spool_puts(cli->out, "\n");
  smb_table_write(table, cli->out, cli->colour);
}

void
smb_analyze_append_meeting(GString *text, const SmbArch *arch, const SmbAccess *access) {
  g_autoptr(GString) meeting = g_string_new(NULL);
  if (!smb_describe_meeting(meeting, arch, &access->worst))
    return;
  g_string_append_printf(text, smb_arch_say(arch, " In warp %u"), access->worst_warp);
  if (access->worst_block > 0)
    g_string_append_printf(text, smb_arch_say(arch, " of block %" G_GUINT64_FORMAT),
                           access->worst_block);
  g_string_append_printf(text, ", %s.", meeting->str);
}

guint64
smb_analyze_uncounted(const SmbAnalysis *analysis) {
  guint64 uncounted = 0;
  for (guint i = 0; i < analysis->accesses->len; i++)
    uncounted += g_array_index(analysis->accesses, SmbAccess, i).uncounted;
  return uncounted;
}

gboolean
smb_analyze_assumes(const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    if (g_array_index(analysis->accesses, SmbAccess, i).data_source)
      return TRUE;
  }
  return FALSE;
}

const char *
smb_analyze_qualify(const SmbAnalysis *analysis) {
  if (smb_analyze_uncounted(analysis))
    return " in the requests that are counted";
  return smb_analyze_assumes(analysis) ? " with the contents assumed" : "";
}

char *
smb_analyze_verdict(const SmbAnalysis *analysis) {
  const SmbTally total = smb_analysis_total(analysis);
  guint64 wavefronts = total.wavefronts, ideal = total.ideal;
  if (analysis->accesses->len == 0)
    return analysis->idle
               ? g_strdup_printf(smb_vendor_say(analysis->vendor,
                                                "The kernel makes no shared-memory requests: %s."),
                                 analysis->idle)
               : g_strdup(smb_vendor_say(analysis->vendor,
                                         "The kernel makes no shared-memory requests."));
  if (total.requests == 0)
    return g_strdup(smb_vendor_say(analysis->vendor, "No shared-memory request is counted."));
  if (wavefronts == ideal)
    return g_strdup_printf(
        "No bank conflicts%s: %s, the minimum for these accesses.", smb_analyze_qualify(analysis),
        smb_count(wavefronts, smb_vendor_say(analysis->vendor, "wavefront")).text);
  return g_strdup_printf(smb_vendor_say(analysis->vendor, "Bank conflicts%s: %" G_GUINT64_FORMAT
                                                          " of %" G_GUINT64_FORMAT
                                                          " wavefronts (%.0f%%) %s in excess."),
                         smb_analyze_qualify(analysis), wavefronts - ideal, wavefronts,
                         100.0 * (double)(wavefronts - ideal) / (double)wavefronts,
                         smb_is_are(wavefronts - ideal));
}

static void
append_worst(GString *text, const SmbArch *arch, const SmbAccess *worst) {
  g_autofree char *place = smb_site_place(worst->site);
  g_string_append_printf(text, "The costliest access is the %s of %s at %s.",
                         smb_op_class_name(worst->site->op_class), worst->site->expression, place);
  smb_analyze_append_meeting(text, arch, worst);
  g_string_append_printf(
      text, smb_arch_say(arch, " That request takes %u wavefronts; without conflicts it takes %u."),
      worst->worst_cost.wavefronts, worst->worst_cost.ideal);
}

// Accesses of one kind: how many there are, and the first.
typedef struct {
  guint n;
  const SmbAccess *first;
} Some;

static void
note(Some *some, gboolean is_one, const SmbAccess *access) {
  some->first = is_one && !some->n ? access : some->first;
  some->n += is_one;
}

static void
append_loops(GString *text, const Some *loops) {
  g_autofree char *place = loops->n ? smb_site_place(loops->first->site) : NULL;
  if (loops->n == 1)
    g_string_append_printf(text, "%sThe atomic at %s is a loop: its count is a lower bound.",
                           text->len ? " " : "", place);
  else if (loops->n > 1)
    g_string_append_printf(text, "%s%u atomics are loops: their counts are lower bounds.",
                           text->len ? " " : "", loops->n);
}

char *
smb_analyze_describe_reason(const SmbAccess *access) {
  g_autofree char *place = smb_site_place(access->site),
                  *reason = smb_text_capitalize(access->reason);
  if (!access->uncounted)
    return g_strconcat(reason, ".", NULL);
  return g_strdup_printf("%s of %s at %s %s not counted: %s.",
                         smb_count(access->uncounted, "request").text, access->site->expression,
                         place, smb_is_are(access->uncounted), access->reason);
}

static void
append_reason(GString *text, const Some *some) {
  g_autofree char *reason = some->n ? smb_analyze_describe_reason(some->first) : NULL;
  if (reason)
    g_string_append_printf(text, "%s%s", text->len ? " " : "", reason);
  if (some->n > 1)
    g_string_append_printf(text, " The same holds for %s.",
                           some->n == 2 ? "another access"
                                        : smb_count(some->n - 1, "other accesse").text);
}

void
smb_analyze_append_bounds(GString *text, const SmbAnalysis *analysis, const SmbAccess *but) {
  Some loops = {0}, data = {0}, uncounted = {0}, others = {0};
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access == but)
      continue;
    note(&loops, access->is_loop, access);
    note(&data, access->data_source && !access->uncounted, access);
    note(&uncounted, access->uncounted > 0, access);
    note(&others,
         !access->exact && !access->is_loop && !access->site->may_merge && !access->uncounted &&
             !smb_access_depends_on_data(access),
         access);
  }
  append_loops(text, &loops);
  append_reason(text, &data);
  append_reason(text, &uncounted);
  append_reason(text, &others);
}

void
smb_analyze_write_bounds(SmbCli *cli, const SmbAnalysis *analysis) {
  g_autoptr(GString) bounds = g_string_new(NULL);
  smb_analyze_append_bounds(bounds, analysis, NULL);
  if (bounds->len > 0)
    smb_text_wrap(cli->out, bounds->str);
}

static const SmbConstantAccess *
find_worst_constant(const SmbAnalysis *analysis) {
  const SmbConstantAccess *worst = NULL;
  for (guint i = 0; i < analysis->constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(analysis->constants, SmbConstantAccess, i);
    if (access->total.requests && (!worst || access->total.excess > worst->total.excess))
      worst = access;
  }
  return worst;
}

char *
smb_analyze_describe_constants(const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbConstantAccess *worst = find_worst_constant(analysis);
  if (!worst)
    return NULL;
  guint cycles = smb_arch_rule(arch, SMB_OP_LD_CONST, 4)->plan.cycles;
  if (!worst->total.excess)
    return g_strdup_printf("Constant memory: %s, and all lanes of each load one word: the minimum.",
                           smb_count(analysis->constant_total.requests, "request").text);
  g_autofree char *place = smb_site_place(worst->site);
  return g_strdup_printf(
      "Constant memory serves the distinct words of a request one after the other, %u cycles each "
      "while its cache has them: the load of %s at %s asks for up to %u words at once.",
      cycles, worst->site->expression, place, worst->total.max_degree);
}

// That nobody needs to swizzle for wgmma.
static void
append_products(GString *text, const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->traffic->len; i++) {
    if (!smb_other_traffic_is_product(&g_array_index(analysis->traffic, SmbOtherTraffic, i)))
      continue;
    g_string_append_printf(
        text,
        smb_vendor_say(
            analysis->vendor,
            "%swgmma reads 128 bytes of its operands in a wavefront, in any layout: swizzling them "
            "does not matter for it, only for who writes them."),
        text->len ? " " : "");
    return;
  }
}

// That nobody knows what a shuffle costs on AMD's chips.
static void
append_shuffles(GString *text, const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->traffic->len && analysis->vendor == SMB_VENDOR_AMD; i++) {
    if (g_array_index(analysis->traffic, SmbOtherTraffic, i).kind != SMB_TRAFFIC_SHUFFLE)
      continue;
    g_string_append_printf(text,
                           "%sA shuffle is compiled to ds_bpermute_b32, which passes through the "
                           "LDS hardware but accesses no bank. Its cycles are not counted: no "
                           "measurement of them is known.",
                           text->len ? " " : "");
    return;
  }
}

// That the pipe takes other wavefronts than profilers count per instruction.
static void
append_pipe(GString *text, const SmbAnalysis *analysis) {
  const SmbTally total = smb_analysis_total(analysis);
  if (total.pipe_wavefronts != total.wavefronts)
    g_string_append_printf(text,
                           "%sThe LSU pipe takes %s for these requests; %s is what Nsight Compute "
                           "counts per instruction (doc/model.md).",
                           text->len ? " " : "", smb_count(total.pipe_wavefronts, "wavefront").text,
                           smb_number(total.wavefronts).text);
}

static char *
describe_worst(const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbAccess *worst = smb_analysis_worst(analysis);
  GString *text = g_string_new(NULL);
  if (worst && worst->worst_cost.excess > 0)
    append_worst(text, arch, worst);
  smb_analyze_append_bounds(text, analysis, NULL);
  append_pipe(text, analysis);
  g_autofree char *constants =
      analysis->constant_total.excess > 0 ? smb_analyze_describe_constants(arch, analysis) : NULL;
  if (constants)
    g_string_append_printf(text, "%s%s", text->len ? " " : "", constants);
  append_products(text, analysis);
  append_shuffles(text, analysis);
  return g_string_free(text, FALSE);
}

char *
smb_analyze_summarize(const SmbArch *arch, const SmbAnalysis *analysis) {
  g_autofree char *verdict = smb_analyze_verdict(analysis);
  g_autofree char *worst = describe_worst(arch, analysis);
  g_autofree char *vendor = smb_analyze_describe_vendor(arch, analysis);
  return g_strconcat(verdict, *worst ? " " : "", worst, *vendor ? " " : "", vendor, NULL);
}

void
smb_analyze_write_verdict(SmbCli *cli, const SmbAnalysis *analysis) {
  g_autofree char *verdict = smb_analyze_verdict(analysis);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, verdict);
  smb_spool_puts(cli->out, "\n\n");
}

void
smb_analyze_write_worst(SmbCli *cli, const SmbAnalysis *analysis) {
  g_autofree char *worst = describe_worst(cli->arch, analysis);
  if (*worst) {
    smb_spool_puts(cli->out, "\n");
    smb_text_wrap(cli->out, worst);
  }
  g_autofree char *vendor = smb_analyze_describe_vendor(cli->arch, analysis);
  if (*vendor)
    smb_spool_puts(cli->out, "\n");
  if (*vendor)
    smb_text_wrap(cli->out, vendor);
  if (analysis->n_blocks_run < analysis->n_blocks)
    smb_spool_printf(cli->out,
                     smb_arch_say(cli->arch, "\nCounted %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                             " blocks: the others make the same requests.\n"),
                     analysis->n_blocks_run, analysis->n_blocks);
}

// Whether a line has an access or declares an array.
static gboolean
is_counted(const SmbAnalyzeReport *report, guint line) {
  const SmbProgram *kernel = report->target->kernel;
  const GArray *accesses = report->analysis->accesses;
  gboolean counted = FALSE;
  for (guint i = 0; i < accesses->len; i++)
    counted |= g_array_index(accesses, SmbAccess, i).site->line == line;
  for (guint i = 0; i < smb_program_n_arrays(kernel); i++)
    counted |= smb_program_array(kernel, i)->line == line;
  return counted;
}

// The lines that are counted, of a kernel that the user did not write: a tile was given by numbers. They begin
// with the function and what stands in it before the first directive.
static void
write_tile_lines(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  gboolean is_head = FALSE;
  for (guint i = 1; i <= smb_source_n_lines(source); i++) {
    g_autofree char *line = smb_source_line(source, i);
    is_head = (is_head || g_str_has_prefix(line, "__global__")) && *line != '#';
    if (is_head || is_counted(report, i))
      smb_spool_printf(cli->out, "%4u  %s\n", i, line);
  }
  smb_spool_puts(cli->out, "\n");
}

void
smb_analyze_write_text(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  smb_analyze_write_heading(cli, report->target, report->analysis);
  smb_analyze_write_verdict(cli, report->analysis);
  if (report->target->tile)
    write_tile_lines(cli, report);
  if (report->analysis->accesses->len > 0)
    write_shared(cli, report);
  if (report->analysis->globals->len > 0)
    write_global(cli, report);
  if (report->analysis->constants->len > 0)
    write_constants(cli, report->analysis);
  if (report->analysis->traffic->len > 0)
    write_traffic(cli, report);
  smb_analyze_write_worst(cli, report->analysis);
  if (report->part)
    smb_shard_write_text(&report->part->shard, cli->out);
}

char *
smb_analyze_describe_warning(const SmbProgram *program, const SmbAnalysisWarning *warning) {
  const SmbSite *site = smb_program_site(program, warning->site);
  return warning->kind == SMB_WARNING_UNCOUNTED
             ? g_strdup_printf("%s is not counted: %s", site->expression, warning->message)
             : g_strdup(warning->message);
}

char *
smb_analyze_describe_idle(const SmbAnalysis *analysis) {
  return analysis->idle_at.opcode
             ? g_strdup(analysis->idle)
             : g_strdup_printf(
                   smb_vendor_say(analysis->vendor, "no access to shared memory is reached: %s"),
                   analysis->idle);
}

// Whether both say that one variable is read before it is written: they begin with its name in quotes.
static gboolean
is_same_unset(const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  gsize length = a->message[0] == '\'' ? strcspn(a->message + 1, "'") + 2 : 0;
  return a->kind == SMB_WARNING_UNSET && b->kind == SMB_WARNING_UNSET && length > 0 &&
         strncmp(a->message, b->message, length) == 0;
}

char *
smb_analyze_tell_warning(const SmbProgram *program, const GArray *warnings, guint index) {
  const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, index);
  g_autofree char *message = smb_analyze_describe_warning(program, warning);
  guint others = 0;
  for (guint i = 0; i < warnings->len; i++) {
    if (i == index || !is_same_unset(warning, &g_array_index(warnings, SmbAnalysisWarning, i)))
      continue;
    if (i < index)
      return NULL;
    others++;
  }
  return others == 0
             ? g_steal_pointer(&message)
             : g_strdup_printf("%s, and at %s", message, smb_count(others, "other place").text);
}

void
smb_analyze_write_warning(const SmbProgram *program, const SmbSite *site, const char *message,
                          SmbSpool *out) {
  g_autofree char *text = g_strconcat("warning: ", message, NULL);
  g_autofree char *placed = smb_program_site_message(program, site, text);
  g_autofree char *shortened = smb_text_shorten_quotes(placed);
  smb_spool_printf(out, "%s\n", shortened);
}

void
smb_analyze_write_warnings(const SmbTarget *target, const SmbAnalysis *analysis, SmbSpool *out) {
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(target->kernel, warning->site);
    g_autofree char *message = smb_analyze_tell_warning(target->kernel, analysis->warnings, i);
    if (message)
      smb_analyze_write_warning(target->kernel, site, message, out);
  }
  if (analysis->idle) {
    g_autofree char *message = smb_analyze_describe_idle(analysis);
    smb_analyze_write_warning(target->kernel, &analysis->idle_at, message, out);
  }
  smb_captured_write_notes(target, out);
  if (target->assumes_block)
    smb_spool_printf(
        out, smb_vendor_say(analysis->vendor, "%s: warning: " SMB_TARGET_ASSUMED_BLOCK "\n"),
        target->file);
  g_auto(GStrv) unused = smb_program_unused_defines(target->kernel);
  for (guint i = 0; unused[i] && !target->shape; i++)
    smb_spool_printf(out, "%s: warning: -D %s: the text has no such macro\n", target->file,
                     unused[i]);
}
