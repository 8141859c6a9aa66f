// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One picture, drawn with both sets of methods: what the terminal shows with and without colour, and what
// the SVG says.
#include "src/draw/draw.h"

#include <check.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/suite.h"

static char *
drain(SmbDraw *draw) {
  g_autoptr(SmbSpool) spool = smb_spool_new();
  g_autofree char *path = NULL;
  char *text = NULL;
  draw->methods->finish(draw, spool);
  int fd = g_file_open_tmp("smembank-test-XXXXXX", &path, NULL);
  ck_assert_int_ge(fd, 0);
  ck_assert(smb_spool_flush(spool, fd, NULL));
  close(fd);
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_unlink(path);
  return text;
}

// A title, a row of two banks and a word in the second.
static void
draw_picture(SmbDraw *draw, SmbDrawMark word, const char *label) {
  int cell = draw->metrics.cell_width ? draw->metrics.cell_width : 3;
  int high = draw->metrics.cell_height, line = draw->metrics.line;
  SmbDrawMark title = {.role = SMB_DRAW_TITLE, .bank = -1},
              row = {.role = SMB_DRAW_GRID, .bank = -1};
  draw->metrics.cell_width = cell;
  draw->methods->begin(draw, 2 * cell, line + high, "a <picture> & more");
  draw->methods->text(draw, (SmbDrawBox){0, 0, 2 * cell, line}, "a<b", &title);
  draw->methods->box(draw, (SmbDrawBox){0, line, 2 * cell, high}, &row);
  draw->methods->open(draw, &word);
  draw->methods->box(draw, (SmbDrawBox){cell, line, cell, high}, &word);
  draw->methods->text(draw, (SmbDrawBox){cell, line, cell, high}, label, &word);
  draw->methods->close(draw);
  draw->methods->line(draw, 0, line, 2 * cell, line, &row);
}

#define WORD(...)                                                                                  \
  { .role = SMB_DRAW_WORD, .bank = 1, .lanes = 0x80, __VA_ARGS__ }

typedef struct {
  gboolean colour;
  SmbDrawMark word;
  const char *want;
} Case;

static const Case cases[] = {
    {FALSE, WORD(0), "a<b\n  .  7\n"},
    {FALSE, WORD(.collides = TRUE), "a<b\n  . !7\n"},
    {FALSE, WORD(.state = SMB_DRAW_NOW, .collides = TRUE), "a<b\n  .  7\n"},
    {FALSE, WORD(.state = SMB_DRAW_DONE), "a<b\n  .  -\n"},
    {FALSE, WORD(.state = SMB_DRAW_WAITING), "a<b\n  .  o\n"},
    {FALSE, {.role = SMB_DRAW_REST, .bank = 1, .lanes = 0x80, .collides = TRUE}, "a<b\n  .  =\n"},
    {TRUE, WORD(0), "\033[1ma<b\033[0m\n  \033[2m.\033[0m  \033[36m7\033[0m\n"},
    {TRUE, WORD(.group = 3), "\033[1ma<b\033[0m\n  \033[2m.\033[0m  \033[32m7\033[0m\n"},
    {TRUE, WORD(.collides = TRUE), "\033[1ma<b\033[0m\n  \033[2m.\033[0m\033[1;7;36m  7\033[0m\n"},
    {TRUE, WORD(.state = SMB_DRAW_NOW, .group = 1),
     "\033[1ma<b\033[0m\n  \033[2m.\033[0m\033[1;7;33m  7\033[0m\n"},
    {TRUE, WORD(.state = SMB_DRAW_DONE), "\033[1ma<b\033[0m\n  \033[2m.\033[0m  \033[2m7\033[0m\n"},
    {TRUE, WORD(.state = SMB_DRAW_WAITING),
     "\033[1ma<b\033[0m\n  \033[2m.\033[0m  \033[36m7\033[0m\n"},
};

START_TEST(test_text) {
  const Case *c = &cases[_i];
  g_autoptr(SmbDraw) draw = smb_draw_text_new(80, c->colour);
  ck_assert_int_eq(draw->metrics.width, 80);
  draw_picture(draw, c->word, "7");
  g_autofree char *got = drain(draw);
  ck_assert_str_eq(got, c->want);
}
END_TEST

// What lies outside of the picture is cut off, and an empty picture is one.
START_TEST(test_text_clipped) {
  g_autoptr(SmbDraw) draw = smb_draw_text_new(80, FALSE);
  SmbDrawMark note = {.role = SMB_DRAW_NOTE, .bank = -1};
  draw->methods->begin(draw, 3, 2, "");
  draw->methods->text(draw, (SmbDrawBox){1, 1, 2, 1}, "long", &note);
  draw->methods->text(draw, (SmbDrawBox){0, 7, 2, 1}, "below", &note);
  g_autofree char *got = drain(draw);
  ck_assert_str_eq(got, "\n lo\n");
  draw->methods->begin(draw, 0, 0, "");
  g_autofree char *nothing = drain(draw);
  ck_assert_str_eq(nothing, "");
}
END_TEST

static const char *const svg_parts[] = {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bank-map\" role=\"img\"",
    "<title>a &lt;picture&gt; &amp; more</title>",
    "<text class=\"title\" x=\"0\" y=\"14\">a&lt;b</text>",
    ("<g class=\"word g2 clash wait\" data-bank=\"1\" data-byte=\"132\" data-lanes=\"3 5\" "
     "data-passes=\"0 4\"><title>bank 1</title>"),
    "<rect class=\"g2\" x=\"25\" y=\"20\" width=\"25\" height=\"20\"/>",
    "<text x=\"37\" y=\"34\">3+</text></g>",
    "<line class=\"grid\" x1=\"0\" y1=\"20\" x2=\"50\" y2=\"20\"/>",
    "</svg>\n",
};

START_TEST(test_svg) {
  guint8 pass[SMB_NVIDIA_LANES] = {0};
  pass[5] = 4;
  SmbDrawMark word = {.role = SMB_DRAW_WORD,
                      .state = SMB_DRAW_WAITING,
                      .group = 2,
                      .collides = TRUE,
                      .bank = 1,
                      .offset = 132,
                      .lanes = 0x28,
                      .pass = pass,
                      .title = "bank 1"};
  g_autoptr(SmbDraw) draw = smb_draw_svg_new(_i ? ".word { fill: red }\n" : NULL);
  draw_picture(draw, word, "3+");
  g_autofree char *got = drain(draw);
  for (guint i = 0; i < G_N_ELEMENTS(svg_parts); i++)
    ck_assert_msg(strstr(got, svg_parts[i]) != NULL, "%s is not in %s", svg_parts[i], got);
  ck_assert_int_eq(strstr(got, "<style>\n.word { fill: red }\n</style>") != NULL, _i);
  ck_assert_int_eq(strstr(got, "class=\"paper\"") != NULL, _i);
  GMarkupParser parser = {0};
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, NULL, NULL);
  ck_assert(g_markup_parse_context_parse(context, got, -1, NULL));
  ck_assert(g_markup_parse_context_end_parse(context, NULL));
  g_markup_parse_context_free(context);
}
END_TEST

Suite *
suite_draw(void) {
  Suite *suite = suite_create("draw");
  TCase *tcase = tcase_create("draw");
  tcase_add_loop_test(tcase, test_text, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_text_clipped);
  tcase_add_loop_test(tcase, test_svg, 0, 2);
  suite_add_tcase(suite, tcase);
  return suite;
}
