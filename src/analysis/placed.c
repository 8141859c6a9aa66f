// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Boxes of tensors (TMA) and operands of products on the bank map: where eight rows of them lie, as ldmatrix would read them. The copy and the
// product make no request; whoever writes or reads the same rows by threads has these conflicts.
#include "src/analysis/placed.h"

#include "sim/arch/words.h"
#include "sim/base/request.h"
#include "sim/count/wavefront.h"

#define ROWS 8u // of a tile

static gboolean
are_tiles_alike(const SmbPlacedRows *one, const SmbPlacedRows *other) {
  return one->name == other->name && smb_site_shares_line(one->site, other->site);
}

GArray *
smb_placed_rows_choose(const SmbProgram *program, const SmbAnalysis *analysis, const char *file,
                       guint line) {
  GArray *chosen = g_array_new(FALSE, FALSE, sizeof(SmbPlacedRows));
  for (guint i = 0; analysis->tiles && i < analysis->tiles->len; i++) {
    const SmbPlacedRows *tile = &g_array_index(analysis->tiles, SmbPlacedRows, i);
    gboolean is_new = TRUE;
    for (guint j = 0; j < chosen->len; j++)
      is_new = is_new && !are_tiles_alike(&g_array_index(chosen, SmbPlacedRows, j), tile);
    if (is_new &&
        (!line || (tile->site->line == line && smb_program_site_is_in(program, tile->site, file))))
      g_array_append_val(chosen, *tile);
  }
  return chosen;
}

char *
smb_placed_rows_name(const SmbPlacedRows *tile) {
  g_autofree char *place = smb_site_place(tile->site);
  return tile->name == '-'
             ? g_strdup_printf("The box that %s copies at %s", tile->site->opcode, place)
             : g_strdup_printf("Operand %c of %s at %s", tile->name, tile->site->opcode, place);
}

char *
smb_placed_rows_describe(const SmbArch *arch, const SmbPlacedRows *tile) {
  const guint n = smb_lanes_count(smb_request_lanes(&tile->request)) / ROWS;
  const SmbWavefronts cost = smb_wavefronts_count(arch, &tile->request);
  GString *text = g_string_new("Lanes 0-7 stand for the first 16 bytes of eight rows");
  for (guint i = 1; i < n; i++)
    g_string_append_printf(text, "%s lanes %u-%u for %s 16", i + 1 == n ? " and" : ",", i * ROWS,
                           (i + 1) * ROWS - 1, i == 1 ? "the next" : "another");
  g_string_append_printf(
      text,
      smb_arch_say(arch, ". The %s itself makes no request of a warp. If threads read these rows "
                         "by ldmatrix, or write them by stmatrix, that takes %u wavefront%s, %u of "
                         "them in excess."),
      tile->name == '-' ? "copy" : "product", cost.wavefronts, cost.wavefronts == 1 ? "" : "s",
      cost.excess);
  return g_string_free(text, FALSE);
}
