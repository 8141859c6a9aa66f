// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What DRAM does for a multiprocessor. It is a server that has an even part of the bandwidth of all, and so much to do in the time of a load. What is loaded
// waits for others who have come before, and for what is written; loads that go out together come at different times (tests/gpu/time/dram.cu).
#include <math.h>

#include "sim/time/replay/multiprocessor-impl.h"

// Multiprocessors ask at different times: what DRAM has not done for this one since a load began that comes now, it does for it at once. @start: of
// what it is asked for
static void
occupy_dram(Multiprocessor *sm, double start, double seconds) {
  double cycles = seconds * sm->chip_cycles;
  double idle = MAX(sm->head_start, sm->dram_latency);
  sm->dram = MAX(start - idle, sm->dram) + cycles;
  smb_load_add(&sm->dram_load, start, cycles);
  sm->busy[SMB_UNIT_DRAM] += cycles;
}

void
smb_dram_path_read(Multiprocessor *sm, double start, double bytes) {
  sm->reads_dram = TRUE;
  occupy_dram(sm, start, bytes / sm->chip->dram_read);
}

// It writes faster while it reads nothing in between.
void
smb_dram_path_write(Multiprocessor *sm, double start, double bytes, double longer) {
  const SmbChip *chip = sm->chip;
  double rate = sm->reads_dram ? chip->dram_write : chip->dram_write_alone;
  double seconds = bytes / rate + (longer - 1) * bytes / chip->dram_write_alone;
  occupy_dram(sm, start, seconds);
  smb_load_add(&sm->dram_writes, start, seconds * sm->chip_cycles);
}

// How long a load waits for others of all multiprocessors. DRAM writes much at a time: who comes meanwhile waits for the rest of that, and for those who have
// come since it began.
static double
find_wait(Multiprocessor *sm, double now) {
  smb_load_add(&sm->dram_writes, now, 0);
  double writes = MIN(sm->dram_writes.average, SMB_MOST_LOAD);
  double reads = CLAMP(sm->dram_load.average - writes, 0, SMB_MOST_LOAD);
  return smb_load_wait(&sm->l2_write_load, sm->chip->l2_write_wait) +
         smb_load_wait(&sm->dram_load, sm->chip->dram_wait) +
         sm->chip->dram_write_wait * writes / (1 - reads);
}

// What DRAM loads goes through the second-level cache. The times of loads are spread as those between events at random, the more, the longer they wait.
double
smb_dram_path_arrival(Multiprocessor *sm, double start, double luck) {
  double wait = MAX(0, MAX(sm->dram, sm->l2_writes) - start) + find_wait(sm, start);
  double spread = sm->chip->dram_spread + sm->chip->dram_wait_spread * wait;
  double late = luck > 0 ? -log1p(-luck) - 1 : 0;
  return start + sm->dram_latency + wait + spread * late;
}
