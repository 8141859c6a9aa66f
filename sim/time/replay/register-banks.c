// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The banks of a sub-partition's registers. Each reads a register in a cycle, and writes one. An instruction has three cycles to read its own
// ("Analyzing Modern NVIDIA GPU cores", arXiv 2503.20481, as the registers that are kept), and those of two instructions are collected at a time
// (tests/gpu/time/registers.cu, an H200). Numbers are data of the device: bank-interval, result-lead, result-tries, result-stop.
#include <string.h>

#include "sim/time/replay/multiprocessor-impl.h"

enum {
  WINDOW = 3,       // cycles that an instruction has to read its registers
  FULL_RESULTS = 3, // that wait to be written, of 32 or 64 bits
};

// Whether a place of an instruction finds its register kept: by the last one that read a register of that bank there, of the same warp.
static gboolean
is_kept_register(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, guint s) {
  const guint8 number = timing->reads[s];
  KeptRegister *kept = &partition->kept[s][number % SMB_REGISTER_BANKS];
  gboolean is_kept = kept->warp == warp && kept->number == number;
  *kept = (KeptRegister){timing->keeps >> s & 1 ? warp : NULL, number};
  return is_kept;
}

// How many registers of each bank an instruction reads. What two of its places have to read is read once; what one of them finds kept, the other
// reads nevertheless (registers.cu: 90 of 90 kernels of one bank). Returns whether it names registers at all.
static gboolean
count_register_reads(Partition *partition, const TimedWarp *warp, const SmbTiming *timing,
                     guint reads[SMB_REGISTER_BANKS]) {
  guint8 read[SMB_REGISTER_SLOTS] = {0};
  guint n = 0;
  gboolean has_registers = FALSE;
  for (guint s = 0; s < SMB_REGISTER_SLOTS; s++) {
    const guint8 number = timing->reads[s];
    if (number == SMB_NO_REGISTER)
      continue;
    has_registers = TRUE;
    gboolean is_read = is_kept_register(partition, warp, timing, s);
    for (guint i = 0; i < n && !is_read; i++)
      is_read = read[i] == number;
    if (is_read)
      continue;
    read[n++] = number;
    reads[number % SMB_REGISTER_BANKS]++;
  }
  return has_registers;
}

double
smb_registers_read(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, double now,
                   double interval) {
  guint reads[SMB_REGISTER_BANKS] = {0};
  if (!count_register_reads(partition, warp, timing, reads))
    return now;
  double *collector = &partition->collectors[partition->collector_at];
  double start = MAX(now, *collector);
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++)
    start = MAX(start, reads[b] ? partition->banks[b] + reads[b] * interval - WINDOW : 0);
  start = smb_whole_cycle(start);
  *collector = start;
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    if (!reads[b])
      continue;
    partition->banks[b] = MAX(partition->banks[b], start) + reads[b] * interval;
    *collector = MAX(*collector, partition->banks[b]);
  }
  partition->collector_at = (partition->collector_at + 1) % N_COLLECTORS;
  return start;
}

// --- results that come at any time

// Writes the first result once more.
static void
put_result(ResultQueue *results, guint8 turns) {
  results->tries = 0;
  results->waiting[0].turns -= turns;
  if (!results->waiting[0].turns)
    memmove(results->waiting, results->waiting + 1, --results->n * sizeof(Result));
}

void
smb_registers_return(Partition *partition, const SmbTiming *timing, double from) {
  ResultQueue *results = &partition->results;
  if (!timing->writes)
    return;
  if (results->n == MAX_RESULTS)
    put_result(results, results->waiting[0].turns);
  guint at = results->n++;
  for (; at > 0 && results->waiting[at - 1].from > from; at--)
    results->waiting[at] = results->waiting[at - 1];
  results->waiting[at] = (Result){from, timing->writes, timing->turns};
}

// Cycles in which the sub-partition issued nothing.
static void
write_meanwhile(ResultQueue *results, double until) {
  double cycle = results->next;
  while (results->n) {
    const Result *first = &results->waiting[0];
    cycle = MAX(cycle, smb_whole_cycle(first->from));
    if (cycle >= until)
      return;
    guint8 turns = (guint8)MIN(first->turns, smb_whole_cycle(until - cycle));
    cycle += turns;
    put_result(results, turns);
  }
}

// Whether more cannot wait: no more than two such results of 64 bits do. One of 32 bits that comes between those is written first.
static gboolean
has_full_results(const ResultQueue *results, double now) {
  if (results->tries < 2)
    return FALSE;
  guint turns = 0;
  for (guint i = 0; i < results->n && results->waiting[i].from <= now; i++)
    turns += results->waiting[i].turns;
  return turns >= FULL_RESULTS;
}

double
smb_registers_write(Partition *partition, guint8 writes, double now, const SmbChip *chip) {
  ResultQueue *results = &partition->results;
  write_meanwhile(results, now);
  results->next = now + 1;
  if (!results->n || results->waiting[0].from > now)
    return now + 1;
  if (!(results->waiting[0].banks & writes)) {
    put_result(results, 1);
    return now + 1;
  }
  results->tries++;
  if (results->tries < chip->result_tries && !has_full_results(results, now))
    return now + 1;
  results->tries = 0;
  return now + 1 + chip->result_stop;
}
