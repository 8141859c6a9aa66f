// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tiles, and their other layouts, as text.
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/advise/text.h"

// "operand A of the product at gemm.cu:41": of several alike the first
static void
append_part(GString *text, const SmbPlacedRows *part) {
  g_autofree char *where = smb_site_place(part->site);
  if (part->name == SMB_PLACED_BOX)
    g_string_append_printf(text, "a box of the tensor that the copy at %s moves", where);
  else
    g_string_append_printf(text, "operand %c of the product at %s", part->name, where);
}

// What describes a tile: each of its kinds once.
static void
append_parts(GString *text, const SmbPlacedTile *tile) {
  g_autoptr(GPtrArray) kinds = g_ptr_array_new();
  for (guint i = 0; i < tile->parts->len; i++) {
    const SmbPlacedRows *part = g_ptr_array_index(tile->parts, i);
    gboolean is_known = FALSE;
    for (guint j = 0; j < kinds->len; j++)
      is_known |= ((const SmbPlacedRows *)g_ptr_array_index(kinds, j))->name == part->name &&
                  (part->name != SMB_PLACED_BOX ||
                   ((const SmbPlacedRows *)g_ptr_array_index(kinds, j))->site == part->site);
    if (!is_known)
      g_ptr_array_add(kinds, (gpointer)part);
  }
  for (guint i = 0; i < kinds->len; i++) {
    g_string_append(text, smb_comma_and(i, kinds->len));
    append_part(text, g_ptr_array_index(kinds, i));
  }
}

static gboolean
has_wgmma(const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->traffic->len; i++)
    if (smb_other_traffic_is_product(&g_array_index(analysis->traffic, SmbOtherTraffic, i)))
      return TRUE;
  return FALSE;
}

void
smb_advise_append_tile(GString *text, const SmbAdviseReport *report, const SmbArrayUse *use) {
  const SmbPlacedTile *tile = use->tile;
  const SmbPlacement *now = &tile->placement;
  g_string_append_printf(text, " It is ");
  append_parts(text, tile);
  if (tile->is_torn) {
    g_string_append(text, ", which do not agree on how it lies: its memory is used for several "
                          "things, or a description is wrong. No other layout was searched.");
    return;
  }
  if (tile->is_misread) {
    g_string_append(text, ", which does not fit what was written there (see the warning). No "
                          "other layout was searched.");
    return;
  }
  g_string_append_printf(text, ", %u %s of %u bytes", now->lines, now->is_turned ? "k" : "rows",
                         now->line_bytes);
  if (now->span)
    g_string_append_printf(text, " with a %u-byte swizzle", now->span);
  g_string_append_printf(text,
                         ". Only what %s can say was searched: no other padding or swizzle is "
                         "possible. The requests are those of the present code, to where their "
                         "bytes lie then: what other indices take is not counted.",
                         !tile->is_operand               ? "a tensor map"
                         : smb_placed_tile_has_box(tile) ? "a tensor map and a descriptor"
                                                         : "a descriptor");
  if (tile->is_operand && has_wgmma(report->analysis))
    g_string_append(text, " wgmma itself takes a wavefront for 128 bytes in each of these.");
}

void
smb_advise_append_mode_time(GString *text, const SmbAdviseReport *report,
                            const SmbLaunchTime *then) {
  const SmbLaunchTime *now = smb_advise_time(report);
  if (!now || !now->time || !then || !then->time)
    return;
  g_autofree char *times = smb_launch_time_compare(now, then);
  g_autofree char *device = smb_time_device(now->chip->title, smb_chip_is_measured(now->chip));
  g_string_append_printf(text, " Predicted on %s: %s.", device, times);
}

void
smb_advise_write_mode(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array,
                      const SmbAdviseLayout *layout, const char *title) {
  g_autoptr(GArray) changes = smb_mode_changes(report, array, layout);
  g_autofree char *heading = g_strconcat("\n", title, NULL);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, heading);
  smb_spool_puts(cli->out, ", to be written by hand, all of it:\n");
  for (guint i = 0; i < changes->len; i++) {
    const SmbModeChange *change = &g_array_index(changes, SmbModeChange, i);
    g_autofree char *where = smb_mode_places(change);
    smb_text_wrap_printf(cli->out, "- %s%s%s.", where, *where ? ": " : "", change->text);
  }
}

void
smb_advise_write_modes(SmbCli *cli, const SmbAdviseReport *report) {
  g_autoptr(GString) names = g_string_new(NULL);
  g_autoptr(GString) time = g_string_new(NULL);
  if (!report->modes)
    return;
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    const SmbAdviseLayout *best = smb_advise_best_mode(array);
    if (best)
      g_string_append_printf(names, "%s%s: %s", names->len ? ", " : "",
                             array->search->use->array->name, best->name);
  }
  smb_advise_append_mode_time(time, report, report->modes);
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap_printf(cli->out, "Together, %s.%s", names->str, time->str);
}
