// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/grid/balance.h"

#include <math.h>

// Ends that are as near each other are at the same time.
#define SAME_TIME (1 + 1e-9)

enum {
  FIT_STEPS = 40, // halvings of an interval
};

// A multiprocessor. All of its blocks are as fast: @done is what each has executed that is there from the beginning on.
typedef struct {
  double now; // until when @done is counted
  double done;
  double next;  // when its next block ends
  double *ends; // of its blocks, in terms of @done, the first one at the front (a heap)
  guint n;
  guint64 dealt; // blocks that it has had
} Processor;

static void
swap_ends(double *a, double *b) {
  double held = *a;
  *a = *b;
  *b = held;
}

static void
push_end(Processor *processor, double end) {
  guint at = processor->n++;
  processor->ends[at] = end;
  for (; at > 0 && processor->ends[at] < processor->ends[(at - 1) / 2]; at = (at - 1) / 2)
    swap_ends(&processor->ends[at], &processor->ends[(at - 1) / 2]);
}

static void
pop_end(Processor *processor) {
  processor->ends[0] = processor->ends[--processor->n];
  for (guint at = 0, child; (child = 2 * at + 1) < processor->n; at = child) {
    if (child + 1 < processor->n && processor->ends[child + 1] < processor->ends[child])
      child++;
    if (processor->ends[at] <= processor->ends[child])
      return;
    swap_ends(&processor->ends[at], &processor->ends[child]);
  }
}

// Instructions a cycle of each of its blocks.
static double
find_pace(const SmbBalance *balance, guint n) {
  return MIN(balance->alone, balance->together / n);
}

static void
expect_end(const SmbBalance *balance, Processor *processor) {
  processor->next = processor->n ? processor->now + (processor->ends[0] - processor->done) /
                                                        find_pace(balance, processor->n)
                                 : INFINITY;
}

static void
deal_block(const SmbBalance *balance, Processor *processor, double length) {
  double brief = MIN(length, balance->brief);
  double lasts = length - brief + brief * balance->brief_part + balance->begin;
  processor->dealt++;
  push_end(processor, processor->done + lasts);
  expect_end(balance, processor);
}

// Where the next block ends; of several at the same time, the one that has had the fewest: it is the one that is dealt the next.
static Processor *
find_next_processor(Processor *processors, guint n) {
  Processor *first = &processors[0];
  for (guint i = 1; i < n; i++) {
    Processor *other = &processors[i];
    if (other->next * SAME_TIME < first->next ||
        (other->next <= first->next * SAME_TIME && other->dealt < first->dealt))
      first = other;
  }
  return first;
}

double
smb_balance_cycles(const SmbBalance *balance, const double *lengths, guint64 n,
                   guint multiprocessors) {
  g_autofree Processor *processors = g_new0(Processor, multiprocessors);
  g_autofree double *ends = g_new(double, (gsize)multiprocessors *(balance->resident + 1));
  guint64 begun = 0;
  double end = 0;
  for (guint p = 0; p < multiprocessors; p++) {
    processors[p].ends = ends + (gsize)p * (balance->resident + 1);
    processors[p].next = INFINITY;
  }
  for (guint round = 0; round < balance->resident; round++) {
    for (guint p = 0; p < multiprocessors && begun < n; p++)
      deal_block(balance, &processors[p], lengths[begun++]);
  }
  for (guint64 ended = 0; ended < n; ended++) {
    Processor *processor = find_next_processor(processors, multiprocessors);
    processor->now = end = processor->next;
    processor->done = processor->ends[0];
    pop_end(processor);
    if (begun < n)
      deal_block(balance, processor, lengths[begun++]);
    else
      expect_end(balance, processor);
  }
  return end;
}

void
smb_balance_fit(SmbBalance *balance, const double *lengths, guint64 n, double cycles) {
  double low = 0, high = balance->alone * cycles;
  balance->begin = balance->brief = 0;
  double least = smb_balance_cycles(balance, lengths, n, 1);
  if (least >= cycles) { // these blocks are faster than their lengths say
    for (guint64 i = 0; i < n; i++)
      balance->brief = MAX(balance->brief, lengths[i]);
    balance->brief_part = cycles / least;
    return;
  }
  for (guint i = 0; i < FIT_STEPS; i++) {
    balance->begin = (low + high) / 2;
    if (smb_balance_cycles(balance, lengths, n, 1) > cycles)
      high = balance->begin;
    else
      low = balance->begin;
  }
}
