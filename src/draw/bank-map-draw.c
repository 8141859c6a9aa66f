// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The layout of a bank map, once for all kinds of drawing. It is gone through twice: first nothing is
// drawn and the height comes out, then it is drawn. The legend is src/draw/bank-map-legend.c.
#include "src/draw/bank-map.h"

#include <string.h>

#include "sim/arch/rule.h"
#include "src/draw/bank-map-impl.h"

enum {
  MOST_FOLDS = 16,
  WIDEST_CELL = 4, // characters of a word on a terminal, if there is room
  MINI_WIDTH = 6,  // pixels of a word
  MINI_HEIGHT = 6,
};

SmbDrawState
smb_bank_map_state(const SmbBankMap *map, int pass, SmbLanes lanes) {
  gboolean waits = FALSE;
  if (pass < 0 || (guint)pass >= map->passes.n)
    return SMB_DRAW_STILL;
  if (lanes & map->passes.lanes[pass])
    return SMB_DRAW_NOW;
  for (; lanes; lanes &= lanes - 1)
    waits |= map->passes.of_lane[smb_lanes_first(lanes)] > pass;
  return waits ? SMB_DRAW_WAITING : SMB_DRAW_DONE;
}

char *
smb_bank_map_label(SmbLanes lanes) {
  return g_strdup_printf("%u%s", smb_lanes_first(lanes), lanes & (lanes - 1) ? "+" : "");
}

gboolean
smb_bank_map_is_rest(const SmbBankMap *map, const SmbBankMapWord *word) {
  return map->request.width > map->bank_bytes && word->offset % map->request.width != 0;
}

static gboolean
has_gaps(const SmbBankMap *map) {
  for (guint i = 1; i < map->words->len; i++) {
    const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    if (word->row - word[-1].row > map->n_banks * map->bank_bytes)
      return TRUE;
  }
  return FALSE;
}

// Characters that words need: those of the longest label, and a space where two would touch.
static int
measure_words(const SmbBankMap *map, gsize *longest_label) {
  gsize longest = 1;
  gboolean touch = FALSE;
  for (guint i = 0; i < map->words->len; i++) {
    const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    g_autofree char *label = smb_bank_map_label(word->lanes);
    gboolean beside = i > 0 && word->bank > 0 &&
                      word[-1].offset + map->bank_bytes == word->offset &&
                      !smb_bank_map_is_rest(map, &word[-1]);
    if (smb_bank_map_is_rest(map, word))
      continue;
    touch = (touch && strlen(label) <= longest) || (beside && strlen(label) >= MAX(longest, 2));
    longest = MAX(longest, strlen(label));
  }
  *longest_label = longest;
  return MAX((int)longest + touch, 2);
}

static int
measure_margin(const SmbBankMap *map) {
  guint n = map->words->len;
  guint32 last = n ? g_array_index(map->words, SmbBankMapWord, n - 1).row : 0;
  g_autofree char *label = g_strdup_printf("byte %u", last);
  return (int)MAX(strlen(label), strlen("addresses")) + 1;
}

// Chooses how wide words are and how the banks are folded.
static void
fit(Layout *layout) {
  SmbDrawMetrics *metrics = &layout->draw->metrics;
  const SmbBankMap *map = layout->map;
  gsize longest;
  int need = measure_words(map, &longest);
  int margin = measure_margin(map) + (has_gaps(map) && metrics->gap == 0);
  guint most = MIN(MOST_FOLDS, map->n_banks / 4);
  layout->margin = layout->flags & SMB_BANK_MAP_MINI ? 0 : margin * metrics->character;
  layout->folds = 1;
  if (metrics->cell_width == 0) {
    int room = metrics->width > 0 ? metrics->width - layout->margin : G_MAXINT;
    while (layout->folds < most && room < (int)(map->n_banks / layout->folds) * need)
      layout->folds *= 2;
    metrics->cell_width =
        CLAMP(room / (int)(map->n_banks / layout->folds), need, MAX(need, WIDEST_CELL));
  }
  layout->crowded = metrics->plain && metrics->cell_width <= (int)longest;
  layout->banks = map->n_banks / layout->folds;
  layout->width = layout->margin + (int)layout->banks * metrics->cell_width + (metrics->gap > 0);
}

static int
bank_x(const Layout *layout, guint bank) {
  return layout->margin + (int)(bank % layout->banks) * layout->draw->metrics.cell_width;
}

// What a row is, left of it.
static void
paint_label(const Layout *layout, const char *text) {
  const SmbDrawMetrics *metrics = &layout->draw->metrics;
  SmbDrawMark mark = {.role = SMB_DRAW_LABEL, .bank = -1};
  SmbDrawBox box = {0, layout->y, layout->margin - metrics->character, metrics->cell_height};
  if (layout->paints && !(layout->flags & SMB_BANK_MAP_MINI))
    layout->draw->methods->text(layout->draw, box, text, &mark);
}

// The number of each bank; of every other where they would touch.
static void
paint_head(Layout *layout, guint first) {
  SmbDraw *draw = layout->draw;
  const SmbDrawMetrics *metrics = &draw->metrics;
  guint step = metrics->cell_width > 2 * metrics->character ? 1 : 2;
  if (layout->flags & SMB_BANK_MAP_MINI)
    return;
  for (guint i = 0; i < layout->banks && layout->paints; i++) {
    SmbDrawMark mark = {.role = SMB_DRAW_HEAD, .bank = (int)(first + i)};
    SmbDrawBox box = {bank_x(layout, i), layout->y, metrics->cell_width, metrics->cell_height};
    g_autofree char *number = g_strdup_printf("%u", first + i);
    mark.collides = layout->map->banks[first + i].collides;
    draw->methods->open(draw, &mark);
    draw->methods->box(draw, box, &mark);
    if (i % step == 0)
      draw->methods->text(draw, box, number, &mark);
    draw->methods->close(draw);
  }
  paint_label(layout, "bank");
  layout->y += metrics->cell_height;
}

// What a word is, for whoever points at it.
static char *
describe_word(const SmbBankMap *map, const SmbBankMapWord *word) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "bank %u, byte %u: ", word->bank, word->offset);
  smb_describe_lanes(text, word->lanes);
  if (map->passes.n == 0)
    return g_string_free(text, FALSE);
  g_string_append_printf(text, ", %s", smb_describe_turn(map->plan));
  SmbLanes passes = 0;
  for (SmbLanes rest = word->lanes; rest; rest &= rest - 1)
    passes |= G_GUINT64_CONSTANT(1) << map->passes.of_lane[smb_lanes_first(rest)];
  for (SmbLanes rest = passes; rest; rest &= rest - 1)
    g_string_append_printf(text, "%s%u", rest == passes ? " " : ", ", smb_lanes_first(rest) + 1);
  return g_string_free(text, FALSE);
}

// The boxes of a word: side by side for the lane groups that ask for it, where there is room for that.
static void
paint_boxes(const Layout *layout, SmbDrawBox box, SmbDrawMark mark, SmbLanes lanes) {
  SmbDraw *draw = layout->draw;
  guint groups[SMB_MAX_GROUPS] = {0}, n = 0;
  for (guint group = 0; group < smb_plan_n_groups(layout->map->plan); group++) {
    if (lanes & smb_plan_group_lanes(layout->map->plan, group))
      groups[n++] = group;
  }
  if (draw->metrics.character == 1)
    n = 1;
  for (guint i = 0; i < n; i++) {
    int from = box.width * (int)i / (int)n, to = box.width * (int)(i + 1) / (int)n;
    SmbDrawBox part = {box.x + from, box.y, to - from, box.height};
    mark.group = groups[i];
    draw->methods->box(draw, part, &mark);
  }
}

// A word where there is no room for more than that there is one.
static void
paint_spot(const Layout *layout, const SmbBankMapWord *word) {
  const SmbDrawMetrics *metrics = &layout->draw->metrics;
  SmbDrawMark mark = {.role = SMB_DRAW_KEY, .bank = -1, .collides = word->collides};
  SmbDrawBox box = {bank_x(layout, word->bank), layout->y, metrics->cell_width,
                    metrics->cell_height};
  paint_boxes(layout, box, mark, word->lanes);
}

static void
paint_word(const Layout *layout, const SmbBankMapWord *word) {
  SmbDraw *draw = layout->draw;
  const SmbBankMap *map = layout->map;
  const SmbDrawMetrics *metrics = &draw->metrics;
  int inset = metrics->character > 1;
  SmbDrawState state = smb_bank_map_state(map, layout->pass, word->lanes);
  SmbLanes lanes =
      state == SMB_DRAW_NOW ? word->lanes & map->passes.lanes[layout->pass] : word->lanes;
  g_autofree char *label = smb_bank_map_label(lanes);
  g_autofree char *title = describe_word(map, word);
  SmbDrawMark mark = {.role = smb_bank_map_is_rest(map, word) ? SMB_DRAW_REST : SMB_DRAW_WORD,
                      .state = state,
                      .group = smb_plan_group(map->plan, smb_lanes_first(lanes)),
                      .collides = word->collides && !layout->crowded,
                      .bank = (int)word->bank,
                      .offset = word->offset,
                      .lanes = word->lanes,
                      .pass = map->passes.n ? map->passes.of_lane : NULL,
                      .title = title};
  SmbDrawBox box = {bank_x(layout, word->bank) + inset, layout->y + inset,
                    metrics->cell_width - 2 * inset, metrics->cell_height - 2 * inset};
  draw->methods->open(draw, &mark);
  paint_boxes(layout, box, mark, lanes);
  draw->methods->text(draw, box, label, &mark);
  draw->methods->close(draw);
}

// Rows were left out above this one.
static void
paint_gap(Layout *layout) {
  SmbDraw *draw = layout->draw;
  SmbDrawMark mark = {.role = SMB_DRAW_GAP, .bank = -1};
  int middle = layout->y + draw->metrics.gap / 2;
  SmbDrawBox box = {0, layout->y, 1, 1};
  layout->gaps = TRUE;
  if (layout->paints && draw->metrics.gap > 0)
    draw->methods->line(draw, layout->margin, middle, layout->width, middle, &mark);
  else if (layout->paints)
    draw->methods->text(draw, box, "~", &mark);
  layout->y += draw->metrics.gap;
}

static void
paint_row(Layout *layout, guint32 start) {
  SmbDraw *draw = layout->draw;
  const SmbDrawMetrics *metrics = &draw->metrics;
  SmbDrawMark mark = {.role = SMB_DRAW_GRID, .bank = -1};
  SmbDrawBox box = {layout->margin, layout->y, (int)layout->banks * metrics->cell_width,
                    metrics->cell_height};
  g_autofree char *label = g_strdup_printf("byte %u", start);
  if (layout->paints)
    draw->methods->box(draw, box, &mark);
  paint_label(layout, label);
}

// The rows that are asked for in the banks from @first on. Returns whether there are any.
static gboolean
paint_rows(Layout *layout, guint first) {
  const SmbBankMap *map = layout->map;
  const SmbDrawMetrics *metrics = &layout->draw->metrics;
  const SmbBankMapWord *last = NULL;
  for (guint i = 0; i < map->words->len; i++) {
    const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    if (word->bank - first >= layout->banks)
      continue;
    if (!last)
      paint_head(layout, first);
    if (!last || last->row != word->row) {
      layout->y += last ? metrics->cell_height : 0;
      if (last && word->row - last->row > map->n_banks * map->bank_bytes)
        paint_gap(layout);
      paint_row(layout, word->row);
    }
    last = word;
    if (layout->paints && layout->flags & SMB_BANK_MAP_MINI)
      paint_spot(layout, word);
    else if (layout->paints)
      paint_word(layout, word);
  }
  layout->y += last ? metrics->cell_height : 0;
  return last != NULL;
}

// A row below the banks: a number of each, or a mark of those that collide.
static void
paint_counts(Layout *layout, guint first, const char *label, gsize field) {
  SmbDraw *draw = layout->draw;
  const SmbDrawMetrics *metrics = &draw->metrics;
  for (guint i = 0; i < layout->banks && layout->paints; i++) {
    const SmbBankMapBank *bank = &layout->map->banks[first + i];
    SmbDrawMark mark = {
        .role = SMB_DRAW_COUNT, .bank = (int)(first + i), .collides = bank->collides};
    SmbDrawBox box = {bank_x(layout, i), layout->y, metrics->cell_width, metrics->cell_height};
    guint count = *(const guint *)((const char *)bank + field);
    g_autofree char *number = g_strdup_printf("%u", count);
    gboolean marks = field == G_STRUCT_OFFSET(SmbBankMapBank, collides);
    if (count == 0)
      continue;
    draw->methods->open(draw, &mark);
    draw->methods->text(draw, box, marks ? "!" : number, &mark);
    draw->methods->close(draw);
  }
  paint_label(layout, label);
  layout->y += metrics->cell_height;
}

static void
paint_fold(Layout *layout, guint first) {
  const SmbBankMap *map = layout->map;
  gboolean differ = FALSE, collide = FALSE;
  if (!paint_rows(layout, first) || layout->flags & SMB_BANK_MAP_MINI)
    return;
  for (guint i = first; i < first + layout->banks; i++) {
    collide |= map->banks[i].collides;
    differ |=
        map->passes.n > 0 && !map->passes.is_copy && map->banks[i].passes != map->banks[i].words;
  }
  paint_counts(layout, first, map->plan->conflict == SMB_CONFLICT_ADDRESSES ? "addresses" : "words",
               G_STRUCT_OFFSET(SmbBankMapBank, words));
  if (differ)
    paint_counts(layout, first, map->plan->conflict == SMB_CONFLICT_LOOP ? "rounds" : "passes",
                 G_STRUCT_OFFSET(SmbBankMapBank, passes));
  if (collide)
    paint_counts(layout, first, "conflict", G_STRUCT_OFFSET(SmbBankMapBank, collides));
  if (!(layout->flags & SMB_BANK_MAP_BARE))
    layout->y += layout->draw->metrics.line;
}

static void
paint(Layout *layout) {
  SmbDrawMark title = {.role = SMB_DRAW_TITLE, .bank = -1};
  g_autofree char *caption = smb_bank_map_caption(layout->map, layout->pass);
  gboolean whole = !(layout->flags & (SMB_BANK_MAP_BARE | SMB_BANK_MAP_MINI));
  layout->y = 0;
  if (whole)
    smb_bank_map_paint_text(layout, caption, &title);
  for (guint first = 0; first < layout->map->n_banks; first += layout->banks)
    paint_fold(layout, first);
  if (whole)
    smb_bank_map_paint_legend(layout);
}

static void
draw_map(const SmbBankMap *map, int pass, SmbBankMapFlags flags, SmbDraw *draw) {
  Layout layout = {.map = map, .draw = draw, .pass = pass, .flags = flags};
  g_autofree char *caption = smb_bank_map_caption(map, SMB_BANK_MAP_ALL);
  g_autofree char *title = g_strconcat("bank map: ", caption, NULL);
  fit(&layout);
  if (pass >= 0 && (guint)pass >= map->passes.n)
    layout.pass = SMB_BANK_MAP_ALL;
  paint(&layout);
  draw->methods->begin(draw, MAX(layout.width, draw->metrics.width), layout.y, title);
  layout.paints = TRUE;
  paint(&layout);
}

void
smb_bank_map_write_text(const SmbBankMap *map, int pass, guint columns, gboolean colour,
                        SmbSpool *out) {
  g_autoptr(SmbDraw) draw = smb_draw_text_new(columns, colour);
  draw_map(map, pass, 0, draw);
  draw->methods->finish(draw, out);
}

void
smb_bank_map_write_svg(const SmbBankMap *map, int pass, SmbBankMapFlags flags, SmbSpool *out) {
  g_autofree char *style = flags & SMB_BANK_MAP_STANDALONE ? smb_bank_map_style() : NULL;
  g_autoptr(SmbDraw) draw = smb_draw_svg_new(style);
  if (flags & SMB_BANK_MAP_MINI)
    draw->metrics = (SmbDrawMetrics){
        .character = 2, .line = 2, .cell_width = MINI_WIDTH, .cell_height = MINI_HEIGHT, .gap = 2};
  draw_map(map, pass, flags, draw);
  draw->methods->finish(draw, out);
}
