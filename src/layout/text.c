// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch/words.h"
#include "src/draw/bank-map.h"
#include "src/explain/lane.h"
#include "src/explain/words.h"
#include "src/layout/report.h"
#include "src/out/table.h"

static void
write_layout_title(SmbCli *cli, const char *title) {
  smb_spool_puts(cli->out, "\n");
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, title);
  smb_spool_puts(cli->out, "\n");
}

static char *
describe_tile(const SmbTile *tile) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s: ", tile->text);
  for (guint i = 0; i < tile->rank; i++)
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i ? " x " : "", tile->extent[i]);
  g_string_append_printf(text, " elements of type %s in %s.", tile->element->name,
                         smb_count(tile->bytes, "byte").text);
  if (tile->is_measured)
    g_string_append(text, " The accesses ask for this shape, as none was given.");
  if (tile->is_assumed)
    g_string_append(text, " The type is that of ldmatrix and stmatrix, as none was given.");
  if (tile->n_shared)
    g_string_append_printf(text, " %s %s where another one does.",
                           smb_count(tile->n_shared, "element").text,
                           tile->n_shared == 1 ? "lies" : "lie");
  return g_string_free(text, FALSE);
}

// Who asks for how much of the tile.
static void
write_coverage(SmbCli *cli, const SmbLayoutReport *report) {
  const SmbProgram *program = report->counts.target->kernel;
  const SmbTile *tile = smb_layout_program_tile(program);
  const GPtrArray *accesses = smb_layout_program_accesses(program);
  g_autofree char *described = describe_tile(tile);
  g_autoptr(SmbTable) table = smb_table_new(smb_arch_say(
      cli->arch,
      "access|op|bytes per lane>|warps>|elements>|of the tile>|threads on one element>"));
  write_layout_title(cli, "The layout");
  smb_text_wrap(cli->out, described);
  smb_spool_puts(cli->out, "\n");
  for (guint i = 0; i < accesses->len; i++) {
    const SmbTileAccess *access = accesses->pdata[i];
    const SmbTileCoverage coverage = smb_tile_access_coverage(access, tile);
    smb_table_cell(table, SMB_STYLE_PLAIN, access->text);
    smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_name(access->op));
    smb_table_number(table, SMB_STYLE_PLAIN, smb_program_site(program, i)->width);
    smb_table_number(table, SMB_STYLE_PLAIN, access->n_warps);
    smb_table_number(table, SMB_STYLE_PLAIN, coverage.elements);
    if (coverage.elements * 100 < tile->n)
      smb_table_cell(table, SMB_STYLE_PLAIN, "<1%");
    else
      smb_table_printf(table, SMB_STYLE_PLAIN, "%" G_GUINT64_FORMAT "%%",
                       coverage.elements * 100 / tile->n);
    smb_table_number(table, SMB_STYLE_PLAIN, coverage.most_threads);
  }
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_why(SmbCli *cli, const SmbExplanation *e) {
  g_autofree char *rule = smb_explain_rule(e), *meeting = smb_explain_meeting(e);
  g_autofree char *reason = smb_explain_reason(e), *example = smb_explain_example(e);
  g_autofree char *title =
      g_strdup_printf("%s: %s", e->collides || e->cost.excess ? "The conflict" : "No conflict",
                      e->access->site->expression);
  write_layout_title(cli, title);
  smb_text_wrap(cli->out, rule);
  smb_text_wrap(cli->out, example);
  smb_text_wrap(cli->out, meeting);
  smb_text_wrap(cli->out, reason);
  write_layout_title(cli, "The bank map");
  g_autoptr(SmbBankMap) map = smb_bank_map_new(e->arch, &e->request);
  smb_bank_map_write_text(map, SMB_BANK_MAP_ALL, cli->columns, cli->colour, cli->out);
}

static void
write_candidate(SmbTable *table, const SmbTile *tile, const SmbCandidate *candidate,
                const char *name) {
  const SmbTally *total = &candidate->total;
  g_autofree char *own = name ? NULL : smb_layout_name(tile, &candidate->layout);
  SmbStyle style = total->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_cell(table, SMB_STYLE_PLAIN, name ? name : own);
  smb_table_number(table, SMB_STYLE_PLAIN, candidate->bytes);
  smb_table_number(table, SMB_STYLE_PLAIN, total->wavefronts);
  smb_table_number(table, style, total->excess);
  smb_table_printf(table, style, "%u-way", total->max_degree);
}

static void
write_other_layouts(SmbCli *cli, const SmbLayoutReport *report) {
  const SmbLayoutOthers *others = report->others;
  const SmbTile *tile = smb_layout_program_tile(report->counts.target->kernel);
  write_layout_title(cli, "Other layouts");
  if (others->failure) {
    smb_text_wrap(cli->out, smb_element_is_packed(tile->element)
                                ? "None were searched:"
                                : "None were searched: the same accesses cannot be made of rows "
                                  "without padding:");
    smb_spool_printf(cli->out, "%-s\n", others->failure);
    return;
  }
  const SmbAdvice *advice = others->advice;
  g_autoptr(SmbTable) table =
      smb_table_new(smb_arch_say(cli->arch, "layout|bytes>|wavefronts>|excess>|worst>"));
  g_autofree char *rows = smb_layout_name(tile, &advice->original->layout);
  write_candidate(table, tile, advice->original, rows);
  for (guint i = 0; i < advice->best->len; i++) {
    const SmbCandidate *candidate = g_ptr_array_index(advice->best, i);
    if (candidate->layout.pad || candidate->layout.bits)
      write_candidate(table, tile, candidate, NULL);
  }
  smb_text_wrap_printf(cli->out,
                       "Searched %s of rows, padded, swizzled, or both, for all accesses "
                       "together. %s %s as few wavefronts as the best.",
                       smb_count(advice->searched, "layout").text,
                       smb_count(advice->ties, "layout").text,
                       advice->ties == 1 ? "takes" : "take");
  smb_spool_puts(cli->out, "\n");
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_form(SmbTable *table, const char *notation, const char *layout) {
  if (!layout)
    return;
  smb_table_cell(table, SMB_STYLE_DIM, notation);
  smb_table_cell(table, SMB_STYLE_PLAIN, layout);
}

static void
write_found(SmbCli *cli, const SmbLayoutFound *found) {
  g_autoptr(SmbTable) table = smb_table_new("notation|layout");
  write_layout_title(cli, "The best layout");
  smb_text_wrap_printf(
      cli->out, "%s, %s in excess. With i for the number of an element row by row:",
      smb_count(found->wavefronts, "wavefront").text, smb_number(found->excess).text);
  smb_spool_puts(cli->out, "\n");
  write_form(table, "CuTe", found->cute);
  write_form(table, "Triton", found->triton);
  write_form(table, "C", found->c);
  smb_table_wrap(table);
  smb_table_write(table, cli->out, cli->colour);
  write_layout_title(cli, found->is_proved ? "Why none is better"
                                           : "Whether one is better is not known");
  smb_text_wrap_printf(cli->out, "%s for %s.", found->is_proved ? "Proved" : "Not proved",
                       found->holds_for);
  smb_text_wrap(cli->out, found->proof);
}

void
smb_layout_write_text(SmbCli *cli, const SmbLayoutReport *report) {
  gboolean is_quiet = smb_analyze_view(&report->counts)->quiet;
  smb_analyze_write_text(cli, &report->counts);
  if (!is_quiet)
    write_coverage(cli, report);
  if (!is_quiet && report->explanation)
    write_why(cli, report->explanation);
  if (report->found)
    write_found(cli, report->found);
  else if (!is_quiet)
    write_other_layouts(cli, report);
}
