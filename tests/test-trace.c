// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The trace reader: what it accepts, the exact message of what it refuses, and lines at the edges of
// its buffer.
#include "sim/arch/arch.h"
#include "sim/trace/trace.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

// In the cases, @ stands for 32 offsets of 4-byte unit stride.
static char *
expand(const char *text) {
  GString *offsets = g_string_new("0");
  for (guint lane = 1; lane < SMB_NVIDIA_LANES; lane++)
    g_string_append_printf(offsets, " %u", 4 * lane);
  g_auto(GStrv) parts = g_strsplit(text, "@", -1);
  char *expanded = g_strjoinv(offsets->str, parts);
  g_string_free(offsets, TRUE);
  return expanded;
}

static SmbTraceReader *
open_text(const char *text, gsize length, const char *arch_name) {
  g_autoptr(SmbArch) arch = smb_arch_load(arch_name, NULL);
  g_autoptr(GBytes) bytes = g_bytes_new(text, length);
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes(bytes);
  return smb_trace_reader_new(stream, "t", arch);
}

typedef struct {
  const char *text;
  guint64 line;    // of the last request
  gsize n;         // requests
  guint32 mask;    // of the last request
  guint32 offset;  // of its lane 31
  gint64 expected; // its count
} Good;

static const Good good[] = {
    {"ld 4 ffffffff @\n", 1, 1, 0xffffffff, 124, -1},
    {"ld 4 ffffffff @", 1, 1, 0xffffffff, 124, -1},
    {"ld 4 0xFFFFffff @ = 7", 1, 1, 0xffffffff, 124, 7},
    {"ld 4 0 @ =7\n", 1, 1, 0, 124, 7},
    {"# one\n\n  \t\n st 4 1 @ # 3 = 4\n# end", 4, 1, 1, 124, -1},
    {"ld 4 1 @#\r\nld 4 2 @ = 0 # x\r\n", 2, 2, 2, 124, 0},
    {"\tld\t4\t1\t@\t=\t1\t\r\n\r\n", 1, 1, 1, 124, 1},
    {"\xef\xbb\xbfld 4 1 @\n", 1, 1, 1, 124, -1},
    {"ld 4 0000000001 0x0 0X4 0x00000008 00000000000012 16 20 24 28 32 36 40 44 48 52 56 60 "
     "64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 0xfFfffffC",
     1, 1, 1, 0xfffffffc, -1},
    // Only lanes that ask must be aligned.
    {"ld 4 7fffffff 0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 "
     "104 "
     "108 112 116 120 3",
     1, 1, 0x7fffffff, 3, -1},
    {"ldmatrix.x1 16 ffffffff 0 16 32 48 64 80 96 112 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
     "1 1",
     1, 1, 0xffffffff, 1, -1},
};

START_TEST(test_good) {
  const Good *expected = &good[_i];
  g_autofree char *text = expand(expected->text);
  g_autoptr(SmbTraceReader) reader = open_text(text, strlen(text), "sm_90");
  SmbTraceBatch batch;
  g_autoptr(GError) error = NULL;
  ck_assert_msg(smb_trace_reader_next(reader, &batch, &error), "%s", error ? error->message : "");
  ck_assert_uint_eq(batch.n, expected->n);
  ck_assert_uint_eq(batch.lines[batch.n - 1], expected->line);
  ck_assert_uint_eq(batch.requests[batch.n - 1].mask, expected->mask);
  ck_assert_uint_eq(batch.requests[batch.n - 1].offset[31], expected->offset);
  ck_assert_int_eq(batch.expected[batch.n - 1], expected->expected);
  ck_assert(smb_trace_reader_next(reader, &batch, &error));
  ck_assert_uint_eq(batch.n, 0);
}
END_TEST

typedef struct {
  const char *text;
  const char *message;
} Bad;

#define FORM  "OP WIDTH MASK OFF0 … OFF31 [= WAVEFRONTS]"
#define EMPTY "t: no request in it: expected lines of " FORM
#define OPS                                                                                        \
  "ld, st, ld.generic, st.generic, cp.async.ca, cp.async.cg, atom, red.uniform, cas, atom.loop, "  \
  "ld.const, ldmatrix.x1, ldmatrix.x2, ldmatrix.x4, stmatrix.x1, stmatrix.x2, stmatrix.x4"

static const Bad bad[] = {
    {"", EMPTY},
    {"\n\n", EMPTY},
    {"# only\n# comments", EMPTY},
    {"ld 4 zz @", "t:1:6: 'zz' is not a mask: expected hexadecimal digits"},
    {"ld 4 0x @", "t:1:6: '0x' is not a mask: expected hexadecimal digits"},
    {"ld 4 1ffffffff @",
     "t:1:6: '1ffffffff' is more than 32 bits: expected a bit for each of 32 lanes"},
    {"ld 4 ffffffff @\n\n  foo 4 1 @", "t:3:3: 'foo' is not an operation: expected one of " OPS},
    {"LD 4 1 @", "t:1:1: 'LD' is not an operation: expected one of " OPS},
    {"ld", "t:1:3: the line ends before the width: expected " FORM},
    {"ld 4 # mask", "t:1:6: the line ends before the mask: expected " FORM},
    {"ld four 1 @", "t:1:4: 'four' is not a width: expected 1, 2, 4, 8, 12 or 16"},
    {"ld -4 1 @", "t:1:4: '-4' is not a width: expected 1, 2, 4, 8, 12 or 16"},
    {"ld 260 1 @", "t:1:4: '260' is not a width: expected 1, 2, 4, 8, 12 or 16"},
    {"ld 3 1 @", "t:1:4: 'ld' cannot be 3 bytes wide: expected 1, 2, 4, 8, 12 or 16"},
    {"ld 0 1 @", "t:1:4: 'ld' cannot be 0 bytes wide: expected 1, 2, 4, 8, 12 or 16"},
    {"cas 2 1 @", "t:1:5: 'cas' cannot be 2 bytes wide: expected 4 or 8"},
    {"ld 4 1", "t:1:7: 0 offsets: expected one for each of 32 lanes"},
    {"ld 4 1 0 4 8 = 1", "t:1:14: 3 offsets: expected one for each of 32 lanes"},
    {"ld 4 1 @ 128",
     "t:1:108: '128' is one word too many: expected '= WAVEFRONTS' or the end of the "
     "line after 32 offsets"},
    {"ld 4 1 0 x4 @", "t:1:10: 'x4' is not an offset: expected a whole number, decimal or 0x…"},
    {"ld 4 1 0 -4 @", "t:1:10: '-4' is not an offset: expected a whole number, decimal or 0x…"},
    {"ld 4 1 4294967296 @",
     "t:1:8: '4294967296' is not below 4 GiB: expected an offset of 32 bits"},
    {"ld 4 1 0x100000000 @",
     "t:1:8: '0x100000000' is not below 4 GiB: expected an offset of 32 bits"},
    {"ld 4 1 99999999999999999999999999999999999999999999 @",
     "t:1:8: '9999999999999999999999999999999999999999…' is not below 4 GiB: expected an offset of "
     "32 bits"},
    {"ld 8 3 @", "t:1:10: offset 4 of lane 1 is misaligned: expected a multiple of 8"},
    {"ld 4 1 @ =", "t:1:109: the line ends before the count: expected " FORM},
    {"ld 4 1 @=7", "t:1:104: '124=7' is not an offset: expected a whole number, decimal or 0x…"},
    {"ld 4 1 @ = x", "t:1:110: 'x' is not a count: expected a whole number of wavefronts"},
    {"ld 4 1 @ = 1 2", "t:1:112: '2' is one word too many: expected the end of the line"},
    {"ld 4 1\x01 @", "t:1:7: byte 0x01: not a text"},
    {"ld 4 \x7f", "t:1:6: byte 0x7f: not a text"},
    {"ld 4 \xff\xfe @",
     "t:1:6: '\xef\xbf\xbd\xef\xbf\xbd' is not a mask: expected hexadecimal digits"},
};

START_TEST(test_bad) {
  g_autofree char *text = expand(bad[_i].text);
  g_autoptr(SmbTraceReader) reader = open_text(text, strlen(text), "sm_90");
  SmbTraceBatch batch;
  g_autoptr(GError) error = NULL;
  ck_assert(!smb_trace_reader_next(reader, &batch, &error));
  ck_assert_ptr_nonnull(error);
  ck_assert_str_eq(error->message, bad[_i].message);
}
END_TEST

START_TEST(test_arch) {
  g_autofree char *text = expand("ld 4 1 @\n ldmatrix.x1 16 0 @");
  g_autoptr(SmbTraceReader) reader = open_text(text, strlen(text), "sm_20");
  SmbTraceBatch batch;
  g_autoptr(GError) error = NULL;
  ck_assert(!smb_trace_reader_next(reader, &batch, &error));
  ck_assert_str_eq(error->message, "t:2:2: sm_20 has no rule for ldmatrix.x1 of 16 bytes");
}
END_TEST

START_TEST(test_zero_byte) {
  static const char text[] = "ld 4 1 \0";
  g_autoptr(SmbTraceReader) reader = open_text(text, sizeof text - 1, "sm_90");
  SmbTraceBatch batch;
  g_autoptr(GError) error = NULL;
  ck_assert(!smb_trace_reader_next(reader, &batch, &error));
  ck_assert_str_eq(error->message, "t:1:8: byte 0x00: not a text");
}
END_TEST

// A line of blanks as long as the limit is one; a byte more is not, unless a comment begins before.
START_TEST(test_line_limit) {
  static const struct {
    gsize blanks, comment;
    gboolean fails;
  } cases[] = {
      {SMB_TRACE_MAX_LINE_BYTES, 0, FALSE},           {SMB_TRACE_MAX_LINE_BYTES + 1, 0, TRUE},
      {SMB_TRACE_MAX_LINE_BYTES - 1, 1, FALSE},       {SMB_TRACE_MAX_LINE_BYTES - 1, 9000, FALSE},
      {SMB_TRACE_MAX_LINE_BYTES - 1, 1 << 20, FALSE}, {1 << 20, 0, TRUE},
      {SMB_TRACE_MAX_LINE_BYTES, 1 << 20, TRUE},      {0, 1 << 20, FALSE},
  };
  for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
    const gsize blanks = cases[i / 2].blanks, comment = cases[i / 2].comment;
    g_autofree char *spaces = g_strnfill(blanks, ' ');
    g_autofree char *hashes = g_strnfill(comment, '#');
    g_autofree char *request = expand("ld 4 1 @\n");
    g_autofree char *text = i % 2 ? g_strconcat(request, spaces, hashes, NULL)
                                  : g_strconcat(spaces, hashes, "\n", request, NULL);
    g_autoptr(SmbTraceReader) reader = open_text(text, strlen(text), "sm_90");
    SmbTraceBatch batch;
    g_autoptr(GError) error = NULL;
    ck_assert_msg(smb_trace_reader_next(reader, &batch, &error) == !cases[i / 2].fails, "case %d",
                  (int)i);
    if (cases[i / 2].fails) {
      ck_assert_str_eq(error->message, i % 2 ? "t:2: a line of more than 4096 bytes: not a trace"
                                             : "t:1: a line of more than 4096 bytes: not a trace");
      continue;
    }
    ck_assert_uint_eq(batch.n, 1);
    ck_assert_uint_eq(batch.lines[0], i % 2 ? 1 : 2);
  }
}
END_TEST

// Comments of every length shift the lines over the edges of the buffer.
START_TEST(test_long) {
  enum {
    LINES = 20000
  };
  g_autofree char *request = expand("ld 4 ffffffff @ = ");
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < LINES; i++) {
    g_autofree char *comment = g_strnfill(i % 97, '#');
    g_string_append_printf(text, "%s%u%s\n", i % 3 ? request : "#", i, comment);
  }
  g_autoptr(SmbTraceReader) reader = open_text(text->str, text->len, "sm_90");
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  guint line = 1;
  do {
    ck_assert(smb_trace_reader_next(reader, batch, NULL));
    for (gsize i = 0; i < batch->n; i++) {
      line += line % 3 == 1; // every third line, from the first, is a comment
      ck_assert_uint_eq(batch->lines[i], line);
      ck_assert_int_eq(batch->expected[i], line - 1);
      ck_assert_uint_eq(batch->requests[i].offset[31], 124);
      line++;
    }
  } while (batch->n > 0);
  ck_assert_uint_eq(line, LINES + 1);
}
END_TEST

Suite *
suite_trace(void) {
  Suite *suite = suite_create("trace");
  TCase *tcase = tcase_create("trace");
  tcase_add_loop_test(tcase, test_good, 0, G_N_ELEMENTS(good));
  tcase_add_loop_test(tcase, test_bad, 0, G_N_ELEMENTS(bad));
  tcase_add_test(tcase, test_arch);
  tcase_add_test(tcase, test_zero_byte);
  tcase_add_test(tcase, test_line_limit);
  tcase_add_test(tcase, test_long);
  suite_add_tcase(suite, tcase);
  return suite;
}
