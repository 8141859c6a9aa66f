// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/heading.h"
#include "src/analysis/peer-access.h"
#include "src/analysis/placed.h"
#include "src/analysis/verdict.h"

#include "sim/arch/words.h"
#include "src/explain/lane.h"
#include "src/explain/report.h"
#include "src/explain/words.h"
#include "src/out/table.h"
#include "src/target/origin.h"

static void
write_title(SmbCli *cli, const char *title) {
  smb_spool_puts(cli->out, "\n");
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, title);
  smb_spool_puts(cli->out, "\n");
}

// The line of the source that an instruction was compiled from, or that it was inlined at.
static void
write_origin(SmbCli *cli, SmbOrigins *origins, const SmbSite *site, const char *what) {
  g_autofree char *line = smb_origins_line(origins, site);
  g_autofree char *from = smb_site_place(site);
  if (line)
    smb_spool_printf(cli->out, "%s%s: %s\n", what, from, line);
  else if (site->opcode && site->file)
    smb_spool_printf(cli->out, "%s%s\n", *what ? what : "compiled from ", from);
}

// A text, which is released; NULL is nothing.
static void
write_word_list(SmbCli *cli, char *text) {
  if (text)
    smb_text_wrap(cli->out, text);
  g_free(text);
}

static void
write_place(SmbCli *cli, const SmbExplanation *e) {
  const SmbSite *site = e->access->site;
  g_autofree char *what =
      g_strdup_printf("%s of %s", smb_op_class_name(site->op_class), site->expression);
  g_autofree char *place = smb_program_message(e->target->kernel, site->offset, what);
  smb_spool_printf(cli->out, "%-s\n", place);
  g_autoptr(SmbOrigins) origins = smb_origins_new(e->target->kernel, e->target->files);
  write_origin(cli, origins, site, "");
  for (guint i = 0; i < site->n_frames; i++) {
    const SmbSite call = {
        .file = site->frames[i].file, .line = site->frames[i].line, .opcode = site->opcode};
    write_origin(cli, origins, &call, "inlined at ");
  }
  smb_spool_puts(cli->out, "\n");
}

static void
write_neighbours(SmbCli *cli, const SmbExplanation *e) {
  g_autofree char *columns = g_strdup_printf(
      smb_arch_say(e->arch, "padding>|bytes>|wavefronts>|excess>|worst>|all of %s>|"),
      e->array->name);
  g_autoptr(SmbTable) table = smb_table_new(columns);
  guint64 now = e->access->total.wavefronts;
  for (guint i = 0; i < e->neighbours->all->len; i++) {
    const SmbNeighbour *neighbour = g_ptr_array_index(e->neighbours->all, i);
    const SmbCandidate *candidate = neighbour->candidate;
    const SmbTally *tally = &g_array_index(candidate->accesses, SmbTally, e->index);
    gboolean is_good = tally->excess == 0 || tally->wavefronts < now; // what is better is not red
    SmbStyle style = is_good ? SMB_STYLE_GOOD : SMB_STYLE_BAD;
    g_autofree char *fit = smb_explain_fit(e, neighbour);
    smb_table_number(table, SMB_STYLE_PLAIN, candidate->layout.pad);
    smb_table_number(table, SMB_STYLE_PLAIN, neighbour->shared_bytes);
    if (candidate->fit == SMB_LAYOUT_FITS) {
      smb_table_number(table, SMB_STYLE_PLAIN, tally->wavefronts);
      smb_table_number(table, style, tally->excess);
      smb_table_printf(table, style, "%u-way", tally->max_degree);
      smb_table_number(table, SMB_STYLE_PLAIN, candidate->total.wavefronts);
    } else {
      for (guint empty = 0; empty < 4; empty++)
        smb_table_cell(table, SMB_STYLE_DIM, "-");
    }
    smb_table_printf(table, neighbour->present ? SMB_STYLE_BOLD : SMB_STYLE_DIM, "%s%s%s",
                     neighbour->present ? "present" : "", neighbour->present && *fit ? "; " : "",
                     fit);
  }
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_map(SmbCli *cli, const SmbExplanation *e, gboolean passes) {
  g_autoptr(SmbBankMap) map = smb_bank_map_new(e->arch, &e->request);
  smb_bank_map_write_text(map, SMB_BANK_MAP_ALL, cli->columns, cli->colour, cli->out);
  for (guint pass = 0; passes && pass < map->passes.n; pass++) {
    smb_spool_puts(cli->out, "\n");
    smb_bank_map_write_text(map, (int)pass, cli->columns, cli->colour, cli->out);
  }
}

static void
write_tiles(SmbCli *cli, const SmbExplainReport *report) {
  for (guint i = 0; report->tiles && i < report->tiles->len; i++) {
    const SmbPlacedRows *tile = &g_array_index(report->tiles, SmbPlacedRows, i);
    g_autofree char *name = smb_placed_rows_name(tile);
    g_autoptr(SmbBankMap) map = smb_bank_map_new(cli->arch, &tile->request);
    write_title(cli, name);
    write_word_list(cli, smb_placed_rows_describe(cli->arch, tile));
    smb_spool_puts(cli->out, "\n");
    smb_bank_map_write_text(map, SMB_BANK_MAP_ALL, cli->columns, cli->colour, cli->out);
  }
}

static void
write_peers(SmbCli *cli, const SmbExplainReport *report) {
  for (guint i = 0; report->peers && i < report->peers->len; i++) {
    const SmbPeerAccess *access = &g_array_index(report->peers, SmbPeerAccess, i);
    g_autofree char *name = smb_peer_access_name(access);
    write_title(cli, name);
    write_word_list(cli, smb_peer_access_describe(access));
  }
}

static void
write_explained_constants(SmbCli *cli, const SmbAnalysis *analysis) {
  char *text = smb_analyze_describe_constants(cli->arch, analysis);
  if (text)
    write_title(cli, "Constant memory");
  write_word_list(cli, text);
}

// What is not exact of the accesses that are not explained.
static void
write_others(SmbCli *cli, const SmbExplanation *e) {
  g_autoptr(GString) bounds = g_string_new(NULL);
  smb_analyze_append_bounds(bounds, e->analysis, e->access);
  if (bounds->len == 0)
    return;
  write_title(cli, "Other accesses");
  smb_text_wrap(cli->out, bounds->str);
}

char *
smb_explain_time(const SmbExplainReport *report) {
  const SmbExplanation *e = report->explanation;
  if (!report->time)
    return NULL;
  double own = e ? smb_access_cost(report->time, report->compiled, e->access) : 0;
  return smb_launch_time_explain(report->time, e && e->access->total.excess ? &own : NULL);
}

static void
write_explained_time(SmbCli *cli, const SmbExplainReport *report) {
  char *text = smb_explain_time(report);
  if (text)
    write_title(cli, "Time");
  write_word_list(cli, text);
}

void
smb_explain_write_text(SmbCli *cli, gconstpointer result) {
  const SmbExplainReport *report = result;
  const SmbExplanation *e = report->explanation;
  smb_analyze_write_careful_heading(cli, report->target, report->analysis, report->compiled);
  if (!e) {
    smb_analyze_write_verdict(cli, report->analysis);
    smb_analyze_write_bounds(cli, report->analysis);
    write_tiles(cli, report);
    write_peers(cli, report);
    write_explained_time(cli, report);
    write_explained_constants(cli, report->analysis);
    return;
  }
  write_place(cli, e);
  write_word_list(cli, smb_explain_choice(e));
  if (smb_compiled_count_has(report->compiled)) {
    write_title(cli, "What nvcc makes of it");
    write_word_list(cli, smb_compiled_count_tell_line(report->compiled, e->access));
    write_word_list(cli, smb_compiled_count_tell(report->compiled, report->analysis));
    smb_text_wrap(cli->out, "What follows explains the request as the text makes it.");
  }
  write_title(cli, "From the thread to the bank");
  write_word_list(cli, smb_explain_rule(e));
  write_word_list(cli, smb_explain_example(e));
  smb_spool_puts(cli->out, "\n");
  smb_explain_write_chain(cli, e, report->all_lanes ? G_MAXUINT64 : report->lanes);
  write_title(cli, e->collides || e->cost.excess ? "The conflict" : "No conflict");
  write_word_list(cli, smb_explain_meeting(e));
  write_word_list(cli, smb_explain_sharing(e));
  if (!smb_explain_is_copy(e)) {
    write_title(cli, "Why");
    write_word_list(cli, smb_explain_reason(e));
  }
  write_title(cli, "The bank map");
  write_map(cli, e, report->passes);
  write_tiles(cli, report);
  write_peers(cli, report);
  write_title(cli, "Other paddings");
  write_word_list(cli, smb_explain_padding(e));
  if (e->neighbours && e->neighbours->rows != SMB_ROWS_UNKNOWN) {
    smb_spool_puts(cli->out, "\n");
    write_neighbours(cli, e);
  }
  write_title(cli, "What it costs");
  write_word_list(cli, smb_explain_describe_cost(e));
  write_explained_time(cli, report);
  write_others(cli, e);
  write_explained_constants(cli, report->analysis);
}
