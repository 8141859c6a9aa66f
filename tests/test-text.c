// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Text as a terminal shows it.
#include "sim/base/text.h"

#include <check.h>
#include <string.h>

#include "tests/suite.h"

static const struct {
  const char *text, *shown;
  guint width;
} texts[] = {
    {"plain", "plain", 5},
    {"", "", 0},
    {"…é漢", "…é漢", 4},
    {"e\xcc\x81", "e\xcc\x81", 1},              // a letter and its accent
    {"\x1b[31m", "\\x1b[31m", 8},               // ESC
    {"\a\b\r\x7f", "\\x07\\x08\\x0d\\x7f", 16}, // other controls
    {"\xc2\x9b"
     "31m",
     "\\xc2\\x9b31m", 11}, // C1: CSI in one character
    {"\xe2\x80\xae"
     "abc",
     "\\xe2\\x80\\xae"
     "abc",
     15}, // right to left
    {"\xe2\x81\xa6x\xe2\x81\xa9", "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9", 25},
    {"\xe2\x80\xa8", "\\xe2\\x80\\xa8", 12},   // a line that ends
    {"\xef\xbb\xbfx", "\\xef\\xbb\\xbfx", 13}, // a byte-order mark
    {"caf\xe9", "caf\\xe9", 7},                // Latin-1
    {"\xe9", "\\xe9", 4},                      // the first byte of three
    {"\xf0\x9f\x98", "\\xf0\\x9f\\x98", 12},   // three of four
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", 12},   // half of a pair
    {"\xff\xfe", "\\xff\\xfe", 8},
    // Commands to who runs the program: at the beginning of a line, or anywhere.
    {"::error ::x", "\\x3a:error ::x", 11},
    {"a\n \t\xc2\xa0::x", "a\n \t\xc2\xa0\\x3a:x", 11},
    {"a ::x :y", "a ::x :y", 8},
    {"a ##[error]", "a ##\\x5berror]", 14},
    {"##vso[x", "##vso\\x5bx", 10},
    {"#[x #a[ a##b[", "#[x #a[ a##b\\x5b", 16},
};

START_TEST(test_show) {
  // In memory of its own, so that a sanitizer sees whoever reads beyond the end.
  g_autofree char *text = g_strdup(texts[_i].text);
  g_autofree char *shown = smb_text_show(text);
  ck_assert_str_eq(shown, texts[_i].shown);
  ck_assert_uint_eq(smb_text_width(text), texts[_i].width);
  g_autofree char *again = smb_text_show(shown);
  ck_assert_str_eq(again, shown);
  ck_assert(g_utf8_validate(shown, -1, NULL));
}
END_TEST

// Lines are those of the format, but for "%-s".
G_GNUC_PRINTF(1, 2)
static char *
format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = smb_text_format(format, arguments);
  va_end(arguments);
  return text;
}

START_TEST(test_format) {
  g_autofree char *lines = format("%s:%u\n%-s|%-4s|%4s|%.2s|%.*s", "a\n::b\r", 7u, "two\nlines",
                                  "x", "y\n", "abc", 1, "z\n");
  ck_assert_str_eq(lines, "a\\n::b\\r:7\ntwo\nlines|x   | y\\n|ab|z");
  g_autofree char *numbers =
      format("%d %+5d %-5u| %05x %" G_GUINT64_FORMAT " %lld %zu %c %.2f %5.1e %*d %% %hhx", -1, 2,
             3u, 0xau, G_MAXUINT64, -4LL, (gsize)5, 'c', 0.125, 12345.0, 4, 6, (guchar)0x41);
  g_autofree char *wanted = g_strdup_printf(
      "%d %+5d %-5u| %05x %" G_GUINT64_FORMAT " %lld %zu %c %.2f %5.1e %*d %% %hhx", -1, 2, 3u,
      0xau, G_MAXUINT64, -4LL, (gsize)5, 'c', 0.125, 12345.0, 4, 6, (guchar)0x41);
  ck_assert_str_eq(numbers, wanted);
}
END_TEST

// What a compiler quotes is told from what it says.
START_TEST(test_quote_source) {
  g_autofree char *said =
      smb_text_quote_source("k.cu:2:1: error: no\n  ::error ::x\n  ^\n::error ::y\n"
                            "    2 | code\nptxas fatal   : no\n1 error detected in \"k.cu\".",
                            TRUE);
  ck_assert_str_eq(said,
                   "k.cu:2:1: error: no\n      |   ::error ::x\n      |   ^\n      | ::error ::y\n"
                   "    2 | code\nptxas fatal   : no\n1 error detected in \"k.cu\".");
  g_autofree char *first = smb_text_quote_source("a\nb", TRUE);
  g_autofree char *behind = smb_text_quote_source("a\nb", FALSE);
  ck_assert_str_eq(first, "      | a\n      | b");
  ck_assert_str_eq(behind, "a\n      | b");
}
END_TEST

START_TEST(test_show_line) {
  g_autofree char *line = smb_text_show_line("a\tb\nc\r");
  ck_assert_str_eq(line, "a    b c\\x0d");
}
END_TEST

// No text of bytes at all is shown otherwise than as characters that are seen.
START_TEST(test_show_random) {
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  for (guint i = 0; i < 20000; i++) {
    gsize length = (gsize)g_rand_int_range(random, 0, 12);
    g_autofree char *text = g_malloc0(length + 1);
    for (gsize j = 0; j < length; j++)
      text[j] = (char)g_rand_int_range(random, 1, 256);
    g_autofree char *shown = smb_text_show(text);
    gboolean good = g_utf8_validate(shown, -1, NULL);
    for (const char *at = shown; good && *at; at = g_utf8_next_char(at))
      good = smb_text_is_visible(g_utf8_get_char(at));
    if (!good)
      ck_abort_msg("round %u: %s", i, shown);
  }
}
END_TEST

static const struct {
  const char *clause, *sentence;
} sentences[] = {
    {"the address depends on 's'", "The address depends on 's'"},
    {"so-called code", "So-called code"},
    {"what", "What"},
    {"it's, too", "It's, too"},
    {"st.shared.u32 [%r4+128] is not counted", "st.shared.u32 [%r4+128] is not counted"},
    {"tile[i].x copies a structure", "tile[i].x copies a structure"},
    {"s2 is a loop", "s2 is a loop"},
    {"'s' is read", "'s' is read"},
    {"4 lanes", "4 lanes"},
    {"", ""},
};

START_TEST(test_capitalize) {
  g_autofree char *sentence = smb_text_capitalize(sentences[_i].clause);
  ck_assert_str_eq(sentence, sentences[_i].sentence);
}
END_TEST

START_TEST(test_shorten_quotes) {
  g_autofree char *digits = g_strnfill(1000000, '1');
  g_autofree char *message =
      g_strdup_printf("k.cu:1:2: '%s' does not fit; it's 'short', don't 'x", digits);
  g_autofree char *kept = g_strnfill(60, '1');
  g_autofree char *expected =
      g_strdup_printf("k.cu:1:2: '%s…' does not fit; it's 'short', don't 'x", kept);
  g_autofree char *shortened = smb_text_shorten_quotes(message);
  ck_assert_str_eq(shortened, expected);
  // What is as long as may be stays.
  g_autofree char *most = g_strnfill(SMB_TEXT_MAX_QUOTE, 'a');
  g_autofree char *whole = g_strdup_printf("('%s')", most);
  g_autofree char *same = smb_text_shorten_quotes(whole);
  ck_assert_str_eq(same, whole);
}
END_TEST

static const struct {
  guint64 n;
  const char *noun, *form;
} nouns[] = {
    {0, "wavefront", "0 wavefronts"}, {1, "wavefront", "1 wavefront"},  {2, "access", "2 accesses"},
    {1, "access", "1 access"},        {4, "matrix", "4 matrices"},      {1, "matrix", "1 matrix"},
    {3, "launch", "3 launches"},      {2, "half-warp", "2 half-warps"}, {2, "pass", "2 passes"},
    {2, "address", "2 addresses"},    {5, "case", "5 cases"},           {2, "box", "2 boxes"},
};

START_TEST(test_nouns) {
  ck_assert_str_eq(smb_count(nouns[_i].n, nouns[_i].noun).text, nouns[_i].form);
  ck_assert_str_eq(smb_noun(nouns[_i].n, nouns[_i].noun).text, strchr(nouns[_i].form, ' ') + 1);
}
END_TEST

Suite *
suite_text(void) {
  Suite *suite = suite_create("text");
  TCase *tcase = tcase_create("text");
  tcase_add_loop_test(tcase, test_show, 0, G_N_ELEMENTS(texts));
  tcase_add_test(tcase, test_show_line);
  tcase_add_test(tcase, test_format);
  tcase_add_test(tcase, test_quote_source);
  tcase_add_loop_test(tcase, test_nouns, 0, G_N_ELEMENTS(nouns));
  tcase_add_test(tcase, test_show_random);
  tcase_add_test(tcase, test_shorten_quotes);
  tcase_add_loop_test(tcase, test_capitalize, 0, G_N_ELEMENTS(sentences));
  suite_add_tcase(suite, tcase);
  return suite;
}
