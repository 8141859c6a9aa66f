// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long tests at random go on. Their seeds are fixed, so that fewer rounds are the first of all rounds.
#pragma once

#include <glib.h>

// Rounds of a test that has @full of them with SMEMBANK_TEST_EFFORT=full in the environment (.ci/full): a tenth without, one at least.
static inline guint
effort(guint full) {
  return g_strcmp0(g_getenv("SMEMBANK_TEST_EFFORT"), "full") == 0 ? full : MAX(1, full / 10);
}
