// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Drawing as an <svg> element. Shapes carry classes and data- attributes only: how they look is CSS
// (data/report/map.css), in the picture itself or in the page around it.
#include "src/draw/draw.h"

#include "sim/base/text.h"

enum {
  EDGE = 16,    // pixels around a picture that stands alone
  BASELINE = 4, // from the middle of a digit of 11 or 12 pixels to its foot
};

typedef struct {
  SmbDraw draw;
  char *style;
  GString *svg;
} SvgDraw;

static GString *
text_of(SmbDraw *draw) {
  return ((SvgDraw *)draw)->svg;
}

static void
append_svg_escaped(GString *svg, const char *text) {
  g_autofree char *valid = smb_text_show_line(text);
  g_autofree char *escaped = g_markup_escape_text(valid, -1);
  g_string_append(svg, escaped);
}

static void
begin_svg(SmbDraw *draw, int width, int height, const char *title) {
  GString *svg = text_of(draw);
  const SvgDraw *self = (const SvgDraw *)draw;
  int edge = self->style ? EDGE : 1; // lines are half outside of what they surround
  width += 2 * edge;
  height += 2 * edge;
  g_string_append_printf(
      svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bank-map\" "
      "role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n<title>",
      width, height, -edge, -edge, width, height);
  append_svg_escaped(svg, title);
  g_string_append(svg, "</title>\n");
  if (self->style)
    g_string_append_printf(svg,
                           "<style>\n%s</style>\n"
                           "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                           self->style, -edge, -edge, width, height);
}

static void
append_class(GString *svg, const SmbDrawMark *mark) {
  static const char *const roles[] = {"title", "head", "label", "grid", "gap",
                                      "word",  "word", "count", "key",  "note"};
  static const char *const states[] = {"", " now", " done", " wait"};
  gboolean grouped =
      mark->role == SMB_DRAW_WORD || mark->role == SMB_DRAW_REST || mark->role == SMB_DRAW_KEY;
  g_string_append_printf(svg, " class=\"%s", roles[mark->role]);
  if (grouped)
    g_string_append_printf(svg, " g%u", mark->group % 4);
  g_string_append_printf(svg, "%s%s\"", mark->collides ? " clash" : "", states[mark->state]);
}

// The lanes with a space between, or, if @pass is given, the pass of each.
static void
append_lanes(GString *svg, const char *name, SmbLanes lanes, const guint8 *pass) {
  g_string_append_printf(svg, " data-%s=\"", name);
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    g_string_append_printf(svg, "%s%u", rest == lanes ? "" : " ", pass ? pass[lane] : lane);
  }
  g_string_append_c(svg, '"');
}

static void
open_svg_thing(SmbDraw *draw, const SmbDrawMark *mark) {
  GString *svg = text_of(draw);
  g_string_append(svg, "<g");
  append_class(svg, mark);
  if (mark->bank >= 0)
    g_string_append_printf(svg, " data-bank=\"%d\"", mark->bank);
  if (mark->lanes) {
    g_string_append_printf(svg, " data-byte=\"%u\"", mark->offset);
    append_lanes(svg, "lanes", mark->lanes, NULL);
    if (mark->pass)
      append_lanes(svg, "passes", mark->lanes, mark->pass);
  }
  g_string_append_c(svg, '>');
  if (mark->title) {
    g_string_append(svg, "<title>");
    append_svg_escaped(svg, mark->title);
    g_string_append(svg, "</title>");
  }
}

static void
close_svg_thing(SmbDraw *draw) {
  g_string_append(text_of(draw), "</g>\n");
}

// Several boxes of one thing may belong to several lane groups, so that each says its own.
static void
draw_svg_box(SmbDraw *draw, SmbDrawBox box, const SmbDrawMark *mark) {
  GString *svg = text_of(draw);
  gboolean word = mark->role == SMB_DRAW_WORD || mark->role == SMB_DRAW_REST;
  g_string_append(svg, "<rect");
  if (word)
    g_string_append_printf(svg, " class=\"g%u\"", mark->group % 4);
  else
    append_class(svg, mark);
  g_string_append_printf(svg, " x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", box.x, box.y,
                         box.width, box.height);
  if (!word)
    g_string_append_c(svg, '\n');
}

static void
draw_svg_text(SmbDraw *draw, SmbDrawBox box, const char *text, const SmbDrawMark *mark) {
  GString *svg = text_of(draw);
  gboolean left = mark->role == SMB_DRAW_TITLE || mark->role == SMB_DRAW_NOTE;
  gboolean right = mark->role == SMB_DRAW_LABEL || mark->role == SMB_DRAW_GAP;
  gboolean inside =
      mark->role == SMB_DRAW_WORD || mark->role == SMB_DRAW_REST || mark->role == SMB_DRAW_HEAD;
  int x = left ? box.x : right ? box.x + box.width : box.x + box.width / 2;
  g_string_append(svg, "<text");
  if (!inside)
    append_class(svg, mark);
  g_string_append_printf(svg, " x=\"%d\" y=\"%d\">", x, box.y + box.height / 2 + BASELINE);
  append_svg_escaped(svg, text);
  g_string_append(svg, inside ? "</text>" : "</text>\n");
}

static void
draw_svg_line(SmbDraw *draw, int x1, int y1, int x2, int y2, const SmbDrawMark *mark) {
  GString *svg = text_of(draw);
  g_string_append(svg, "<line");
  append_class(svg, mark);
  g_string_append_printf(svg, " x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", x1, y1, x2, y2);
}

static void
finish_svg(SmbDraw *draw, SmbSpool *out) {
  smb_spool_puts(out, text_of(draw)->str);
  smb_spool_puts(out, "</svg>\n");
}

static void
free_svg(SmbDraw *draw) {
  SvgDraw *self = (SvgDraw *)draw;
  g_string_free(self->svg, TRUE);
  g_free(self->style);
  g_free(self);
}

static const SmbDrawMethods methods = {begin_svg,     open_svg_thing, close_svg_thing, draw_svg_box,
                                       draw_svg_text, draw_svg_line,  finish_svg,      free_svg};

SmbDraw *
smb_draw_svg_new(const char *style) {
  SvgDraw *self = g_new0(SvgDraw, 1);
  self->draw.methods = &methods;
  self->draw.metrics =
      (SmbDrawMetrics){.character = 8, .line = 20, .cell_width = 25, .cell_height = 20, .gap = 8};
  self->style = g_strdup(style);
  self->svg = g_string_new(NULL);
  return &self->draw;
}
