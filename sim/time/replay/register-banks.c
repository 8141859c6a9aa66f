// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The banks of a sub-partition's registers. Each reads a register in a cycle, and writes one. An instruction has three cycles to read its own
// ("Analyzing Modern NVIDIA GPU cores", arXiv 2503.20481, as the registers that are kept), and those of two instructions are collected at a time
// (tests/gpu/time/registers.cu and dispatch.cu, an H200). Numbers are data of the device: bank-interval, result-lead, result-tries, result-stop.
#include <string.h>

#include "sim/time/replay/multiprocessor-impl.h"

enum {
  WINDOW = 3,       // cycles that an instruction has to read its registers
  SENT_CYCLES = 2,  // in one of which a register is read for the queue
  FULL_RESULTS = 3, // that wait to be written, of 32 or 64 bits
};

// Whether a place of an instruction finds its register kept: by the last one that read a register of that bank there, of the same warp.
static gboolean
is_kept_register(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, guint s) {
  const guint8 number = timing->reads[s];
  KeptRegister *kept = &partition->kept[MIN(s, SMB_SLOT_C)][number % SMB_REGISTER_BANKS];
  gboolean is_kept = kept->warp == warp && kept->number == number;
  *kept = (KeptRegister){timing->keeps >> s & 1 ? warp : NULL, number};
  return is_kept;
}

// What an instruction reads: how many registers of each bank, and from which one (a bit) for each of its places.
typedef struct {
  gboolean has_registers; // it names some, if none has to be read
  guint of_bank[SMB_REGISTER_BANKS];
  guint8 of_slot[SMB_REGISTER_SLOTS];
} RegisterReads;

// What two of its places have to read is read once, but for the second register of C; what one of them finds kept, the other reads nevertheless (registers.cu: 90 of 90
// kernels of one bank).
static RegisterReads
count_register_reads(Partition *partition, const TimedWarp *warp, const SmbTiming *timing) {
  RegisterReads reads = {0};
  guint8 read[SMB_REGISTER_SLOTS] = {0};
  guint n = 0;
  for (guint s = 0; s < SMB_REGISTER_SLOTS; s++) {
    const guint8 number = timing->reads[s];
    if (number == SMB_NO_REGISTER)
      continue;
    reads.has_registers = TRUE;
    if (is_kept_register(partition, warp, timing, s))
      continue;
    reads.of_slot[s] = (guint8)(1 << number % SMB_REGISTER_BANKS);
    gboolean is_read = FALSE;
    for (guint i = 0; i < n && !is_read && s != SMB_SLOT_C_UPPER; i++)
      is_read = read[i] == number;
    if (is_read)
      continue;
    read[n++] = number;
    reads.of_bank[number % SMB_REGISTER_BANKS]++;
  }
  return reads;
}

// --- registers that are read for the queue

static SentRead *
sent_read(SentReads *sent, guint i) {
  return &sent->waiting[(sent->at + i) % MAX_SENT];
}

static void
drop_sent(SentReads *sent) {
  sent->at = (sent->at + 1) % MAX_SENT;
  sent->n--;
}

void
smb_registers_send(Partition *partition, const SmbTiming *timing, double now) {
  double next = MAX(smb_whole_cycle(now), partition->sending);
  for (guint i = 0; i < timing->n_sent; i++) {
    SentReads *sent = &partition->sent[timing->sent >> i & 1];
    if (sent->n == MAX_SENT)
      drop_sent(sent);
    *sent_read(sent, sent->n++) =
        (SentRead){next + timing->sent_late, FALSE, i == 0 && !timing->sent_late};
    next += SENT_CYCLES;
  }
  partition->sending = next;
}

// Reads what has had its cycles before @now.
static void
read_sent(Partition *partition, guint bank, double now) {
  SentReads *sent = &partition->sent[bank];
  for (; sent->n && sent_read(sent, 0)->from + SENT_CYCLES <= now; drop_sent(sent))
    partition->banks[bank] = MAX(partition->banks[bank], sent_read(sent, 0)->from) + 1;
}

// An instruction begins to read banks at @start. Returns: when it does, as a register for the queue that found its bank busy goes first.
static double
go_after_sent(Partition *partition, const RegisterReads *reads, double start) {
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++)
    read_sent(partition, b, start);
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    SentReads *sent = &partition->sent[b];
    if (!reads->of_bank[b] || !sent->n || sent_read(sent, 0)->from + SENT_CYCLES - 1 != start)
      continue;
    gboolean is_late = sent_read(sent, 0)->has_tried;
    read_sent(partition, b, start + 1);
    if (is_late)
      return go_after_sent(partition, reads, start + 1);
  }
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    SentReads *sent = &partition->sent[b];
    for (guint i = 0; i < sent->n && reads->of_bank[b] && sent_read(sent, i)->from <= start; i++)
      sent_read(sent, i)->has_tried |= sent_read(sent, i)->from == start;
  }
  return start;
}

// --- registers that are read at once

// Whether the instruction just before was a load whose first register (the upper half of an address of 64 bits) is of the bank of the second one of C: odd.
static gboolean
follows_load(Partition *partition, const RegisterReads *reads, double now) {
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    SentReads *sent = &partition->sent[b];
    for (guint i = 0; i < sent->n && reads->of_slot[SMB_SLOT_C_UPPER] & 1 << b; i++) {
      if (sent_read(sent, i)->is_first && sent_read(sent, i)->from + 1 == now)
        return TRUE;
    }
  }
  return FALSE;
}

// IMAD.WIDE and IMAD.HI that read two registers of a bank come a cycle later after such a load, and if the instruction just before has read that bank in each
// of their places A, B and C that do.
static gboolean
finds_places_busy(Partition *partition, const RegisterReads *reads, double now) {
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    gboolean is_busy = partition->last_read + 1 >= now;
    for (guint s = 0; s < SMB_SLOT_C_UPPER && is_busy; s++)
      is_busy = !(reads->of_slot[s] & ~partition->last_banks[s] & 1 << b);
    if (reads->of_bank[b] > 1 && (is_busy || follows_load(partition, reads, now)))
      return TRUE;
  }
  return FALSE;
}

double
smb_registers_read(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, double now,
                   double slots, const SmbChip *chip) {
  RegisterReads reads = count_register_reads(partition, warp, timing);
  if (!reads.has_registers)
    return now;
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++)
    read_sent(partition, b, now);
  double later = slots - 1; // it reads in its last slot
  double *collector = &partition->collectors[partition->collector_at];
  double start = MAX(now, *collector - later);
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++)
    start = MAX(start,
                reads.of_bank[b]
                    ? partition->banks[b] + reads.of_bank[b] * chip->bank_interval - WINDOW - later
                    : 0);
  start = smb_whole_cycle(start);
  if (timing->rate == SMB_RATE_MULTIPLY_WIDE && finds_places_busy(partition, &reads, start))
    start++;
  start = go_after_sent(partition, &reads, start + later) - later;
  *collector = start + later;
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    if (!reads.of_bank[b])
      continue;
    partition->banks[b] =
        MAX(partition->banks[b], start + later) + reads.of_bank[b] * chip->bank_interval;
    *collector = MAX(*collector, partition->banks[b]);
  }
  partition->collector_at = (partition->collector_at + 1) % N_COLLECTORS;
  if (timing->rate == SMB_RATE_HALF_MMA) // does not count as the instruction just before
    return start;
  partition->last_read = start + later;
  memcpy(partition->last_banks, reads.of_slot, sizeof(partition->last_banks));
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
