// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long tests go on. The seeds of those at random are fixed, so that fewer rounds are the first of all rounds.
#pragma once

#include <glib.h>

// Rounds of a test that has @full of them with SMEMBANK_TEST_EFFORT=full in the environment (.ci/full): a tenth without, and a fortieth with "few"
// (the sanitizers of .ci/run, after the others), one at least.
static inline guint
effort(guint full) {
  const char *wanted = g_getenv("SMEMBANK_TEST_EFFORT");
  if (g_strcmp0(wanted, "full") == 0)
    return full;
  return MAX(1, full / (g_strcmp0(wanted, "few") == 0 ? 40 : 10));
}

// Whether case @i of a loop over cases that are alike is left out: with "few", one in @n is taken.
static inline gboolean
is_left_out(int i, int n) {
  return g_strcmp0(g_getenv("SMEMBANK_TEST_EFFORT"), "few") == 0 && i % n != 0;
}
