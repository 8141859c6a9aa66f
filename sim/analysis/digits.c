// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// By which numbers blockIdx is divided. What is found here decides how many blocks are run, never what is counted.
#include "sim/analysis/digits.h"

#include <string.h>

enum {
  AXES = 3,
  MIN_REPEATS = 2, // of a period along an axis
};

void
smb_digits_plain(Digits *digits, const guint *grid) {
  digits->n = 0;
  for (guint axis = 0; axis < AXES; axis++)
    digits->digit[digits->n++] = (Digit){axis, 1, grid[axis]};
}

static guint64
find_divisor(guint64 a, guint64 b) {
  while (b) {
    guint64 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The fraction of least denominator that is as good as @numerator / @denominator, of which the low bits are rounded:
// dividing by 1000 is multiplying with 4294968 / 2^32.
static guint64
find_denominator(guint64 numerator, guint64 denominator) {
  enum {
    SLACK = 4
  };
  guint64 above = numerator, below = denominator;
  guint64 p[2] = {0, 1}, q[2] = {1, 0};
  if (denominator == 0 || denominator > G_MAXUINT32 + G_GUINT64_CONSTANT(1) ||
      numerator > G_MAXUINT32)
    return 0;
  while (below) {
    guint64 whole = above / below, rest = above % below;
    guint64 next[2] = {whole * p[1] + p[0], whole * q[1] + q[0]};
    p[0] = p[1];
    q[0] = q[1];
    p[1] = next[0];
    q[1] = next[1];
    above = below;
    below = rest;
    guint64 exact = numerator * q[1], near = denominator * p[1];
    if (p[1] > 0 && (exact > near ? exact - near : near - exact) <= SLACK * q[1])
      break;
  }
  return q[1];
}

// After how many blocks an exact quotient has the same fraction again; 0: never, or it is always the same.
static guint64
find_quotient_period(const SmbQuotient *here, const SmbQuotient *next) {
  gint64 slope = (gint64)((guint64)next->x - (guint64)here->x);
  if (slope == 0 || here->numerator != next->numerator || here->denominator != next->denominator)
    return 0;
  guint64 denominator = here->numerator == 1 ? here->denominator
                                             : find_denominator(here->numerator, here->denominator);
  guint64 size = slope < 0 ? -(guint64)slope : (guint64)slope;
  return denominator ? denominator / find_divisor(denominator, size) : 0;
}

static int
compare_periods(gconstpointer a, gconstpointer b) {
  const guint64 *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static GArray *
find_periods(const SmbSignature *a, const SmbSignature *b, guint64 largest) {
  GArray *periods = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (guint i = 0; i < a->n_hints; i++) {
    for (guint j = 0; j < b->n_hints; j++) {
      if (a->hints[i].place != b->hints[j].place)
        continue;
      guint64 period = find_quotient_period(&a->hints[i], &b->hints[j]);
      if (period > 1 && period <= largest)
        g_array_append_val(periods, period);
    }
  }
  g_array_sort(periods, compare_periods);
  return periods;
}

void
smb_digits_divide(Digits *digits, const guint *grid, guint axis, const SmbSignature *a,
                  const SmbSignature *b) {
  guint64 largest = grid[axis] / MIN_REPEATS, stride = 1, before = 0;
  g_autoptr(GArray) periods = find_periods(a, b, largest);
  guint room = MAX_DIGITS - digits->n - (AXES - axis); // one is left for each axis
  for (guint i = 0; i < periods->len; i++) {
    guint64 period = g_array_index(periods, guint64, i);
    guint64 both = stride / find_divisor(stride, period) * period;
    if (both == stride || both > largest)
      continue;
    if (period % stride == 0 && room > 0) {
      digits->digit[digits->n++] = (Digit){axis, (guint)stride, (guint)(period / stride)};
      before = stride;
      room--;
    } else if (before) // the digit below is that of both
      digits->digit[digits->n - 1].count = (guint)(both / before);
    else
      continue;
    stride = both;
  }
  guint count = (guint)(grid[axis] / stride);
  digits->digit[digits->n++] = (Digit){axis, (guint)stride, count};
}

guint64
smb_digits_index(const Digits *digits, const guint *grid, const guint *at) {
  guint64 block[AXES] = {0};
  for (guint i = 0; i < digits->n; i++)
    block[digits->digit[i].axis] += (guint64)at[i] * digits->digit[i].stride;
  return (block[2] * grid[1] + block[1]) * grid[0] + block[0];
}

// Of @box, in which digits of @axis are 0, the parts that make up the whole axis.
static void
add_parts(const Digits *digits, const guint *grid, guint axis, const Box *box, GArray *boxes) {
  Box rest = *box;
  guint left = grid[axis];
  for (guint i = digits->n; i-- > 0;) {
    const Digit *digit = &digits->digit[i];
    if (digit->axis != axis || left < digit->stride)
      continue;
    Box part = rest;
    part.high[i] = left / digit->stride - 1;
    for (guint j = 0; j < i; j++) {
      if (digits->digit[j].axis == axis)
        part.high[j] = digits->digit[j].count - 1;
    }
    g_array_append_val(boxes, part);
    rest.low[i] = rest.high[i] = left / digit->stride;
    left %= digit->stride;
  }
}

GArray *
smb_digits_boxes(const Digits *digits, const guint *grid) {
  GArray *boxes = g_array_new(FALSE, FALSE, sizeof(Box));
  Box first;
  memset(&first, 0, sizeof first);
  g_array_append_val(boxes, first);
  for (guint axis = 0; axis < AXES; axis++) {
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(Box));
    for (guint i = 0; i < boxes->len; i++)
      add_parts(digits, grid, axis, &g_array_index(boxes, Box, i), parts);
    g_array_unref(boxes);
    boxes = parts;
  }
  return boxes;
}
