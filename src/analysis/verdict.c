// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an analysis says in sentences: its verdict, its costliest access, and what is not exact.
#include "src/analysis/verdict.h"

#include <string.h>

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/row.h"
#include "src/analysis/vendor.h"
#include "src/out/describe.h"
#include "src/out/table.h"

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

// The access with the most excess wavefronts of the row that has the most: a compiler makes many instructions of an access. @n: (out): how
// many the row stands for. Returns: (nullable)
static const SmbAccess *
find_costliest(const SmbAnalysis *analysis, guint *n) {
  g_autoptr(GArray) rows = smb_analyze_gather(analysis->accesses, FALSE);
  const SmbAnalyzeRow *most = NULL;
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeRow *row = &g_array_index(rows, SmbAnalyzeRow, i);
    most = !most || row->total.excess > most->total.excess ? row : most;
  }
  *n = most ? most->n : 0;
  return most ? smb_analyze_row_worst(analysis->accesses, most) : NULL;
}

// @n: how many alike instructions there are
static void
append_worst(GString *text, const SmbArch *arch, const SmbAccess *worst, guint n,
             const SmbCompiledCount *compiled) {
  const SmbSite *written = smb_compiled_count_written(compiled, worst);
  g_autofree char *place = smb_site_place(written ? written : worst->site);
  g_autofree char *name = smb_compiled_count_name(compiled, worst, n);
  gboolean is_one = n == 1 || written;
  g_string_append_printf(text, "The costliest %s %s at %s.", is_one ? "access is" : "accesses are",
                         name, place);
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
note_verdict(Some *some, gboolean is_one, const SmbAccess *access) {
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
    g_string_append_printf(text, " The same is true of %s.",
                           some->n == 2 ? "another access"
                                        : smb_count(some->n - 1, "other access").text);
}

// What is not exact, by why.
typedef struct {
  Some loops, data, uncounted, others;
} Bounds;

static Bounds
collect_bounds(const SmbAnalysis *analysis, const SmbAccess *but) {
  Bounds bounds = {0};
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access == but)
      continue;
    note_verdict(&bounds.loops, access->is_loop, access);
    note_verdict(&bounds.data, access->data_source && !access->uncounted, access);
    note_verdict(&bounds.uncounted, access->uncounted > 0, access);
    note_verdict(&bounds.others,
                 !access->exact && !access->is_loop && !access->site->may_merge &&
                     !access->uncounted && !smb_access_depends_on_data(access),
                 access);
  }
  return bounds;
}

void
smb_analyze_append_bounds(GString *text, const SmbAnalysis *analysis, const SmbAccess *but) {
  const Bounds bounds = collect_bounds(analysis, but);
  append_loops(text, &bounds.loops);
  append_reason(text, &bounds.data);
  append_reason(text, &bounds.uncounted);
  append_reason(text, &bounds.others);
}

// Whether the first of these has its reason of a warning of this kind.
static gboolean
is_told_first(const Some *some, const SmbAnalysis *analysis, SmbWarning kind) {
  for (guint i = 0; some->n && i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    if (warning->kind == kind && warning->message == some->first->reason)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_analyze_bounds_tell(const SmbAnalysis *analysis, const SmbAnalysisWarning *warning) {
  const Bounds bounds = collect_bounds(analysis, NULL);
  gboolean is_reason = FALSE;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    is_reason |= access->reason == warning->message && !access->is_loop && !access->site->may_merge;
  }
  return is_reason && (is_told_first(&bounds.data, analysis, warning->kind) ||
                       is_told_first(&bounds.uncounted, analysis, warning->kind) ||
                       is_told_first(&bounds.others, analysis, warning->kind));
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
      "while its cache has them: the load of %s at %s accesses up to %u words at once.",
      cycles, worst->site->expression, place, worst->total.max_degree);
}

// That swizzling does not matter for wgmma.
static void
append_products(GString *text, const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->traffic->len; i++) {
    if (!smb_other_traffic_is_product(&g_array_index(analysis->traffic, SmbOtherTraffic, i)))
      continue;
    g_string_append_printf(
        text,
        smb_vendor_say(analysis->vendor,
                       "%swgmma reads 128 bytes of its operands in a wavefront, in any layout: "
                       "swizzling them does not matter for it, only for whatever writes them."),
        text->len ? " " : "");
    return;
  }
}

// That the cost of a shuffle on AMD's chips is unknown.
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
  if (total.pipe_wavefronts == total.wavefronts)
    return;
  g_string_append_printf(text, "%sThe LSU pipe takes %s for these requests", text->len ? " " : "",
                         smb_count(total.pipe_wavefronts, "wavefront").text);
  if (total.idle_issues > 0)
    g_string_append_printf(text, ", %s of them for instructions that no lane of a warp executes",
                           smb_number(total.idle_issues).text);
  g_string_append_printf(text, "; %s is what Nsight Compute counts per instruction (doc/model.md).",
                         smb_number(total.wavefronts).text);
}

static char *
describe_worst(const SmbArch *arch, const SmbAnalysis *analysis, const SmbCompiledCount *compiled) {
  guint n;
  const SmbAccess *worst = find_costliest(analysis, &n);
  GString *text = g_string_new(NULL);
  if (worst && worst->worst_cost.excess > 0)
    append_worst(text, arch, worst, n, compiled);
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
smb_analyze_summarize(const SmbArch *arch, const SmbAnalysis *analysis,
                      const SmbCompiledCount *compiled) {
  g_autofree char *verdict = smb_analyze_verdict(analysis);
  g_autofree char *worst = describe_worst(arch, analysis, compiled);
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
smb_analyze_write_worst(SmbCli *cli, const SmbAnalysis *analysis, const SmbCompiledCount *compiled,
                        gboolean *is_first) {
  g_autofree char *worst = describe_worst(cli->arch, analysis, compiled);
  if (!*worst)
    return;
  smb_spool_puts(cli->out, *is_first ? "" : "\n");
  smb_text_wrap(cli->out, worst);
  *is_first = FALSE;
}

void
smb_analyze_write_end(SmbCli *cli, const SmbAnalysis *analysis) {
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

const char *
smb_analyze_exact_of(const SmbProgram *program) {
  const char *level = smb_program_level(program);
  return strcmp(level, "text") == 0
             ? "the text as written: a compiler may merge, split, reorder or remove accesses"
         : strcmp(level, "ptx") == 0
             ? "the PTX as written: ptxas may merge, split, reorder or remove accesses"
         : strcmp(level, "layout") == 0
             ? "the accesses as written: a compiler may choose other vectors"
             : "the machine code: what a device executes";
}
