// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The findings of an analysis: limits that are not kept, accesses that cost more than they must, and warnings.
#include "src/finding/finding.h"

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "src/analysis/limit.h"
#include "src/analysis/row.h"
#include "src/analysis/warning.h"
#include "src/analyze/report.h"

// What findings are made of.
typedef struct {
  const SmbAnalyzeReport *report;
  const SmbProgram *program;
  GPtrArray *findings;
} Collection;

// What a finding is about. A compiler chooses the registers of an instruction anew each time: its opcode is what stays.
static const char *
find_lasting_name(const SmbSite *site) {
  return site->opcode && site->file ? site->opcode : site->expression;
}

// Adds a finding of @kind at @site; @text: (transfer full): what it says.
static void
add_collected(const Collection *to, SmbFindingKind kind, const SmbSite *site, const char *subject,
              guint64 cost, char *text) {
  SmbFinding finding = {.kind = kind, .cost = cost, .line = site->line, .column = site->column};
  const char *file = site->file ? site->file : smb_program_file(to->program);
  smb_findings_add(
      to->findings, file, &finding,
      g_strdup_printf("%s: %s %s", to->report->target->name, subject, find_lasting_name(site)),
      text);
}

// The same of an access to shared memory: where the text has it, if that is one place.
static void
add_access(const Collection *to, SmbFindingKind kind, const SmbAccess *access, const char *subject,
           guint64 cost, char *text) {
  const SmbSite *written = smb_compiled_count_written(to->report->compiled, access);
  const SmbSite *site = written ? written : access->site;
  add_collected(to, kind, site, subject, cost, text);
}

static void
add_failed(const Collection *to) {
  for (guint i = 0; i < to->report->failed->len; i++) {
    const SmbFailedLimit *failure = &g_array_index(to->report->failed, SmbFailedLimit, i);
    g_autofree char *limit = smb_limit_describe(failure->limit);
    const SmbFinding nowhere = {.kind = SMB_FINDING_LIMIT};
    if (failure->access)
      add_access(to, SMB_FINDING_LIMIT, failure->access, limit, 0, g_strdup(failure->message));
    else
      smb_findings_add(to->findings, smb_program_file(to->program), &nowhere,
                       g_strdup_printf("%s: %s", to->report->target->name, limit),
                       g_strdup(failure->message));
  }
}

// "the load of tile[x][y]" or, of several instructions of a line, "4 × LDS.128"
static char *
describe_found(const SmbSite *site, guint n) {
  g_autofree char *text = smb_analyze_row_text(site, n);
  return n == 1 ? g_strdup_printf("the %s of %s takes", smb_op_class_name(site->op_class), text)
                : g_strdup_printf("%s takes", text);
}

static void
add_shared_finding(const Collection *to) {
  g_autoptr(GArray) rows = smb_analyze_gather(smb_analyze_told(to->report)->accesses, FALSE);
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeRow *row = &g_array_index(rows, SmbAnalyzeRow, i);
    const SmbSite *site = row->access->site;
    gboolean queues = site->op_class == SMB_OP_CLASS_ATOMIC;
    if (row->total.excess == 0)
      continue;
    g_autofree char *what = smb_compiled_count_name(to->report->compiled, row->access, row->n);
    g_autofree char *ways =
        queues && row->total.max_queue > row->total.max_degree
            ? g_strdup_printf("queues up to %u deep in a bank", row->total.max_queue)
            : g_strdup_printf("up to %u-way", row->total.max_degree);
    add_access(to, queues ? SMB_FINDING_CONTENTION : SMB_FINDING_BANK_CONFLICT, row->access,
               smb_op_class_name(site->op_class), row->total.excess,
               g_strdup_printf("%s takes %s, %" G_GUINT64_FORMAT " of them in excess (%s)", what,
                               smb_count(row->total.wavefronts,
                                         smb_vendor_say(to->report->analysis->vendor, "wavefront"))
                                   .text,
                               row->total.excess, ways));
  }
}

static void
add_global_finding(const Collection *to, const SmbArch *arch) {
  const char *segments = smb_analyze_segment_name(arch);
  g_autoptr(GArray) rows = smb_analyze_gather_global(to->report->analysis->globals);
  for (guint i = 0; i < rows->len; i++) {
    const SmbAnalyzeGlobalRow *row = &g_array_index(rows, SmbAnalyzeGlobalRow, i);
    const SmbSite *site = row->total.site;
    guint64 excess = row->total.segments - row->total.ideal;
    if (excess == 0)
      continue;
    g_autofree char *what = describe_found(site, row->n);
    add_collected(
        to, SMB_FINDING_UNCOALESCED, site, smb_op_class_name(site->op_class), excess,
        g_strdup_printf("%s %" G_GUINT64_FORMAT
                        " %s of global memory; coalesced, its bytes fit in %" G_GUINT64_FORMAT,
                        what, row->total.segments, segments, row->total.ideal));
  }
}

static void
add_constants(const Collection *to) {
  const GArray *constants = to->report->analysis->constants;
  for (guint i = 0; i < constants->len; i++) {
    const SmbConstantAccess *access = &g_array_index(constants, SmbConstantAccess, i);
    if (access->total.excess == 0)
      continue;
    g_autofree char *what = describe_found(access->site, 1);
    add_collected(
        to, SMB_FINDING_CONSTANT, access->site, "load", access->total.excess,
        g_strdup_printf("%s up to %u words of constant memory at once, served one after the other",
                        what, access->total.max_degree));
  }
}

static SmbFindingKind
find_finding_rule(SmbWarning kind) {
  return kind == SMB_WARNING_RACE         ? SMB_FINDING_RACE
         : kind == SMB_WARNING_PENDING    ? SMB_FINDING_PENDING
         : kind == SMB_WARNING_UNSET      ? SMB_FINDING_UNSET
         : kind == SMB_WARNING_RESERVED   ? SMB_FINDING_RESERVED
         : kind == SMB_WARNING_DESCRIPTOR ? SMB_FINDING_DESCRIPTOR
                                          : SMB_FINDING_INEXACT;
}

static void
add_warning_findings(const Collection *to) {
  const SmbAnalysis *analysis = to->report->analysis;
  for (guint i = 0; i < analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(to->program, warning->site);
    add_collected(to, find_finding_rule(warning->kind), site, smb_op_class_name(site->op_class), 0,
                  smb_analyze_describe_warning(to->program, warning));
  }
  const SmbSite *idle = &analysis->idle_at;
  const SmbFinding finding = {
      .kind = SMB_FINDING_UNREACHED, .line = idle->line, .column = idle->column};
  if (analysis->idle)
    smb_findings_add(to->findings, idle->file ? idle->file : smb_program_file(to->program),
                     &finding, g_strdup(to->report->target->name),
                     smb_analyze_describe_idle(analysis));
}

static void
add_unproved(const Collection *to) {
  const SmbKernelProof *proof = to->report->proof;
  for (guint i = 0; proof && i < proof->sites->len; i++) {
    const SmbProvedSite *proved = proof->sites->pdata[i];
    const SmbSite *site = smb_program_site(to->program, proved->site);
    char *message = smb_analyze_tell_unproved(to->report, proved);
    if (message)
      add_collected(to, SMB_FINDING_UNPROVED, site, smb_op_class_name(site->op_class), 0, message);
  }
}

GPtrArray *
smb_analyze_findings(const SmbAnalyzeReport *report, const SmbArch *arch) {
  GPtrArray *findings = smb_findings_new();
  const Collection to = {report, report->target->kernel, findings};
  add_failed(&to);
  add_unproved(&to);
  add_shared_finding(&to);
  add_global_finding(&to, arch);
  add_constants(&to);
  add_warning_findings(&to);
  return findings;
}

void
smb_analyze_write_findings(SmbCli *cli, gconstpointer result) {
  const SmbFindingsFormat *format = cli->format->methods;
  g_autoptr(GPtrArray) findings = smb_analyze_findings(result, cli->arch);
  smb_findings_finish(findings);
  format->write(findings, cli->out);
}
