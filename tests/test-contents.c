// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What buffers hold: random numbers are those of SplitMix64, and are the same however many are read at once.
#include "sim/program/contents.h"

#include <check.h>
#include <string.h>

#include "tests/suite.h"

enum {
  N_BYTES = 4096,
  N_READS = 400,
};

// The first outputs of the generator's reference implementation for the seed 1234567.
START_TEST(test_reference) {
  static const guint64 outputs[] = {
      G_GUINT64_CONSTANT(6457827717110365317), G_GUINT64_CONSTANT(3203168211198807973),
      G_GUINT64_CONSTANT(9817491932198370423), G_GUINT64_CONSTANT(4593380528125082431),
      G_GUINT64_CONSTANT(16408922859458223821)};
  SmbContents contents = {.fill = SMB_FILL_RANDOM, .scalar = SMB_SCALAR_U64, .seed = 1234567};
  guint64 found[G_N_ELEMENTS(outputs)];
  smb_contents_read(&contents, 0, (guchar *)found, sizeof found);
  ck_assert_mem_eq(found, outputs, sizeof found);
  contents.scalar = SMB_SCALAR_U32;
  guint32 words[64];
  smb_contents_read(&contents, 0, (guchar *)words, sizeof words);
  for (guint i = 0; i < G_N_ELEMENTS(outputs); i++)
    ck_assert_uint_eq(words[i], (guint32)outputs[i]);
}
END_TEST

START_TEST(test_pieces) {
  static const SmbScalar scalars[] = {SMB_SCALAR_I32, SMB_SCALAR_U32, SMB_SCALAR_F32,
                                      SMB_SCALAR_U8};
  static const guint64 limits[] = {0, 1, 128, 100};
  g_autoptr(GRand) random = g_rand_new_with_seed(11);
  for (guint i = 0; i < G_N_ELEMENTS(scalars) * G_N_ELEMENTS(limits); i++) {
    SmbContents contents = {.fill = i % 7 == 6 ? SMB_FILL_IOTA : SMB_FILL_RANDOM,
                            .scalar = scalars[i % G_N_ELEMENTS(scalars)],
                            .seed = g_rand_int(random),
                            .below = limits[i / G_N_ELEMENTS(scalars)]};
    guchar whole[N_BYTES], piece[N_BYTES];
    smb_contents_read(&contents, 0, whole, N_BYTES);
    for (guint n = 0; n < N_READS; n++) {
      guint start = (guint)g_rand_int_range(random, 0, N_BYTES);
      guint length = (guint)g_rand_int_range(random, 0, (gint32)(N_BYTES - start) + 1);
      guint step = n % 2 ? 4 : 1; // words are read in a way of their own
      start -= start % step;
      length -= length % step;
      smb_contents_read(&contents, start, piece, length);
      ck_assert_mem_eq(piece, whole + start, length);
    }
    // One by one, as no vector reads.
    for (guint at = 0; at < N_BYTES; at += 4)
      smb_contents_read(&contents, at, piece + at, 4);
    ck_assert_mem_eq(piece, whole, N_BYTES);
  }
}
END_TEST

Suite *
suite_contents(void) {
  Suite *suite = suite_create("contents");
  TCase *tests = tcase_create("read");
  tcase_add_test(tests, test_reference);
  tcase_add_test(tests, test_pieces);
  suite_add_tcase(suite, tests);
  return suite;
}
