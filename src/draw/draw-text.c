// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Drawing in cells of a terminal: a canvas of ASCII characters, each in a style. Where there is no colour,
// what colour would say is said by characters: '!' before what collides, '-' for what was served,
// 'o' for what waits.
#include "src/draw/draw.h"

#include <string.h>

// Those of lane groups begin with GROUP and STRONG.
enum {
  N_COLOURS = 4
};
typedef enum {
  STYLE_PLAIN,
  STYLE_DIM,
  STYLE_BOLD,
  STYLE_BAD,
  STYLE_GROUP,
  STYLE_STRONG = STYLE_GROUP + N_COLOURS,
} Style;

// Select Graphic Rendition of ECMA-48; lane groups: cyan, yellow, magenta, green.
static const char *const sequences[] = {
    [STYLE_PLAIN] = "",
    [STYLE_DIM] = "\033[2m",
    [STYLE_BOLD] = "\033[1m",
    [STYLE_BAD] = "\033[1;31m",
    [STYLE_GROUP] = "\033[36m",
    "\033[33m",
    "\033[35m",
    "\033[32m",
    [STYLE_STRONG] = "\033[1;7;36m",
    "\033[1;7;33m",
    "\033[1;7;35m",
    "\033[1;7;32m",
};

typedef struct {
  char character;
  guint8 style;
} Cell;

typedef struct {
  SmbDraw draw;
  int width, height;
  Cell *cells;
} TextDraw;

static gboolean
is_word(const SmbDrawMark *mark) {
  return mark->role == SMB_DRAW_WORD || mark->role == SMB_DRAW_REST || mark->role == SMB_DRAW_KEY;
}

static Style
choose_style(const SmbDrawMark *mark) {
  static const Style styles[] = {
      [SMB_DRAW_TITLE] = STYLE_BOLD, [SMB_DRAW_HEAD] = STYLE_DIM, [SMB_DRAW_LABEL] = STYLE_DIM,
      [SMB_DRAW_GRID] = STYLE_DIM,   [SMB_DRAW_GAP] = STYLE_DIM,  [SMB_DRAW_COUNT] = STYLE_PLAIN,
      [SMB_DRAW_NOTE] = STYLE_PLAIN,
  };
  gboolean strong =
      mark->state == SMB_DRAW_NOW || (mark->state == SMB_DRAW_STILL && mark->collides);
  if (!is_word(mark))
    return mark->role == SMB_DRAW_COUNT && mark->collides ? STYLE_BAD : styles[mark->role];
  if (mark->state == SMB_DRAW_DONE)
    return STYLE_DIM;
  return (strong ? STYLE_STRONG : STYLE_GROUP) + mark->group % N_COLOURS;
}

static void
put_cell(TextDraw *text, int x, int y, char character, Style style) {
  if (x < 0 || y < 0 || x >= text->width || y >= text->height)
    return;
  text->cells[y * text->width + x] = (Cell){character, (guint8)style};
}

static void
begin_cells(SmbDraw *draw, int width, int height, G_GNUC_UNUSED const char *title) {
  TextDraw *text = (TextDraw *)draw;
  g_free(text->cells);
  text->width = width;
  text->height = height;
  text->cells = g_new(Cell, (gsize)width * (gsize)height);
  for (int i = 0; i < width * height; i++)
    text->cells[i] = (Cell){' ', STYLE_PLAIN};
}

static void
open_cells_thing(G_GNUC_UNUSED SmbDraw *draw, G_GNUC_UNUSED const SmbDrawMark *mark) {
}

static void
close_cells_thing(G_GNUC_UNUSED SmbDraw *draw) {
}

// A row of memory shows where its banks are.
static void
draw_cells_box(SmbDraw *draw, SmbDrawBox box, const SmbDrawMark *mark) {
  TextDraw *text = (TextDraw *)draw;
  Style style = choose_style(mark);
  if (mark->role == SMB_DRAW_GRID) {
    for (int x = box.x + draw->metrics.cell_width - 1; x < box.x + box.width;
         x += draw->metrics.cell_width)
      put_cell(text, x, box.y, '.', style);
  } else if (is_word(mark)) {
    for (int x = box.x; x < box.x + box.width; x++)
      put_cell(text, x, box.y, ' ', style);
  }
}

// What stands for a word where there is no colour to tell when it is served.
static const char *
plain_label(const char *label, const SmbDrawMark *mark) {
  if (mark->state == SMB_DRAW_DONE)
    return "-";
  if (mark->state == SMB_DRAW_WAITING)
    return "o";
  return label;
}

static void
draw_cells_text(SmbDraw *draw, SmbDrawBox box, const char *label, const SmbDrawMark *mark) {
  TextDraw *text = (TextDraw *)draw;
  Style style = choose_style(mark);
  if (mark->role == SMB_DRAW_REST)
    label = "=";
  if (draw->metrics.plain && is_word(mark))
    label = plain_label(label, mark);
  int length = (int)strlen(label);
  gboolean left = mark->role == SMB_DRAW_TITLE || mark->role == SMB_DRAW_NOTE;
  int x = left ? box.x : box.x + box.width - length;
  for (int i = 0; i < length; i++)
    put_cell(text, x + i, box.y, label[i], style);
  if (draw->metrics.plain && is_word(mark) && mark->collides && mark->state == SMB_DRAW_STILL &&
      mark->role != SMB_DRAW_REST && x > box.x)
    put_cell(text, x - 1, box.y, '!', style);
}

static void
draw_cells_line(G_GNUC_UNUSED SmbDraw *draw, G_GNUC_UNUSED int x1, G_GNUC_UNUSED int y1,
                G_GNUC_UNUSED int x2, G_GNUC_UNUSED int y2, G_GNUC_UNUSED const SmbDrawMark *mark) {
}

// Reversed spaces show, others at the end of a line do not.
static gboolean
shows(const Cell *cell) {
  return cell->character != ' ' || cell->style >= STYLE_STRONG;
}

static void
write_sequence(SmbSpool *out, const char *sequence) {
  smb_spool_write(out, sequence, strlen(sequence));
}

static void
finish_cells(SmbDraw *draw, SmbSpool *out) {
  TextDraw *text = (TextDraw *)draw;
  for (int y = 0; y < text->height; y++) {
    const Cell *row = &text->cells[y * text->width];
    Style style = STYLE_PLAIN;
    int end = text->width;
    while (end > 0 && !shows(&row[end - 1]))
      end--;
    for (int x = 0; x < end; x++) {
      Style next = shows(&row[x]) ? (Style)row[x].style : STYLE_PLAIN;
      if (!draw->metrics.plain && next != style) {
        write_sequence(out, style == STYLE_PLAIN ? "" : "\033[0m");
        write_sequence(out, sequences[next]);
      }
      style = next;
      smb_spool_write(out, &row[x].character, 1);
    }
    write_sequence(out, !draw->metrics.plain && style != STYLE_PLAIN ? "\033[0m\n" : "\n");
  }
}

static void
free_cells(SmbDraw *draw) {
  g_free(((TextDraw *)draw)->cells);
  g_free(draw);
}

static const SmbDrawMethods methods = {begin_cells,    open_cells_thing, close_cells_thing,
                                       draw_cells_box, draw_cells_text,  draw_cells_line,
                                       finish_cells,   free_cells};

SmbDraw *
smb_draw_text_new(guint columns, gboolean colour) {
  TextDraw *text = g_new0(TextDraw, 1);
  text->draw.methods = &methods;
  text->draw.metrics = (SmbDrawMetrics){
      .character = 1, .line = 1, .cell_height = 1, .width = (int)columns, .plain = !colour};
  return &text->draw;
}
