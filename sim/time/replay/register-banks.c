// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The banks of a sub-partition's registers. Each reads registers one after the other; an instruction has three cycles for it ("Analyzing Modern
// NVIDIA GPU cores", arXiv 2503.20481, as the registers that are kept). How long a read takes is data of the device (bank-interval).
#include <math.h>

#include "sim/time/replay/multiprocessor-impl.h"

// Whether an instruction reads the register of slot @s in an earlier slot as well.
static gboolean
is_read_before(const SmbTiming *timing, guint s) {
  for (guint earlier = 0; earlier < s; earlier++) {
    if (timing->reads[earlier] == timing->reads[s])
      return TRUE;
  }
  return FALSE;
}

// How many registers of each bank an instruction reads. One that it names twice is read once: FFMA of one register, and of two of a bank, take
// one cycle and two (an H200, 2026-11-29). One that an earlier instruction has kept is not read again: it stays until an instruction reads
// another one of that bank in the same place.
static void
count_register_reads(Partition *partition, const TimedWarp *warp, const SmbTiming *timing,
                     guint reads[SMB_REGISTER_BANKS]) {
  for (guint s = 0; s < SMB_REGISTER_SLOTS; s++) {
    const guint8 number = timing->reads[s];
    if (number == SMB_NO_REGISTER)
      continue;
    guint bank = number % SMB_REGISTER_BANKS;
    KeptRegister *kept = &partition->kept[s][bank];
    reads[bank] += (kept->warp != warp || kept->number != number) && !is_read_before(timing, s);
    *kept = (KeptRegister){timing->keeps >> s & 1 ? warp : NULL, number};
  }
}

double
smb_registers_read(Partition *partition, const TimedWarp *warp, const SmbTiming *timing, double now,
                   double interval) {
  enum {
    WINDOW = 3
  };
  guint reads[SMB_REGISTER_BANKS] = {0};
  double next = now;
  count_register_reads(partition, warp, timing, reads);
  for (guint b = 0; b < SMB_REGISTER_BANKS; b++) {
    partition->banks[b] = MAX(partition->banks[b], now) + reads[b] * interval;
    next = MAX(next, partition->banks[b] - WINDOW + 1);
  }
  return ceil(next);
}
