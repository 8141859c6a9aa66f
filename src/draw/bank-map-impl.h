// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the drawing of a bank map and of its legend share. Private to src/draw/bank-map*.c.
#pragma once

#include "src/draw/bank-map.h"
#include "src/out/describe.h"

// Where things are. Widths and heights are in the units of the drawing.
typedef struct {
  const SmbBankMap *map;
  SmbDraw *draw;
  int pass;
  SmbBankMapFlags flags;
  guint folds, banks; // parts that the banks are folded into, and banks of each
  int margin;         // width of what is left of the banks
  int width;
  int y;            // where the next thing goes
  gboolean paints;  // whether things are drawn: in the second walk
  gboolean gaps;    // whether rows were left out
  gboolean crowded; // no room in a word for a sign that it collides, where there is no colour
} Layout;

// When a word that @lanes access is served, seen from @pass.
G_GNUC_INTERNAL SmbDrawState smb_bank_map_state(const SmbBankMap *map, int pass, SmbLanes lanes);

// "3", or "3+" for several lanes (transfer full).
G_GNUC_INTERNAL char *smb_bank_map_label(SmbLanes lanes);

// Whether a word is not the first one of its lanes' accesses.
G_GNUC_INTERNAL gboolean smb_bank_map_is_rest(const SmbBankMap *map, const SmbBankMapWord *word);

// A text below what is there, broken between its words, and an empty line.
G_GNUC_INTERNAL void smb_bank_map_paint_text(Layout *layout, const char *text,
                                             const SmbDrawMark *mark);

// What the signs mean: of those that appear.
G_GNUC_INTERNAL void smb_bank_map_paint_legend(Layout *layout);
