// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/grid/hand-out.h"

#include <math.h>

enum {
  STEPS = 60, // halvings of an interval
};

// The time of one of @n multiprocessors, as a part of their mean: they are as far apart as the quantiles of a normal distribution.
static double
find_quantile(guint number, guint n, double spread) {
  double part = (number + 0.5) / n, low = -6, high = 6;
  for (guint i = 0; i < STEPS; i++) {
    double middle = (low + high) / 2;
    if (erfc(-middle / G_SQRT2) / 2 < part)
      low = middle;
    else
      high = middle;
  }
  return 1 + spread * low;
}

static guint
count_ends(const double *ends, guint resident, double pace, double when) {
  guint n = 0;
  while (n < resident && ends[n] * pace <= when)
    n++;
  return n;
}

guint
smb_hand_out_most(const double *ends, guint resident, guint64 rest, guint multiprocessors,
                  double spread) {
  g_autofree double *paces = g_new(double, multiprocessors);
  for (guint p = 0; p < multiprocessors; p++)
    paces[p] = find_quantile(p, multiprocessors, spread);
  double low = 0, high = 2 * ends[resident - 1];
  for (guint i = 0; i < STEPS; i++) {
    double middle = (low + high) / 2;
    guint64 ended = 0;
    for (guint p = 0; p < multiprocessors; p++)
      ended += count_ends(ends, resident, paces[p], middle);
    if (ended < rest)
      low = middle;
    else
      high = middle;
  }
  return count_ends(ends, resident, paces[0], high);
}
