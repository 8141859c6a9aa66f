// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How busy a server was of late, and how long those wait who come to it when they like.
#pragma once

#include <math.h>

#include <glib.h>

// Of a server that is busier, its own queue says how long requests wait.
#define SMB_MOST_LOAD   0.8
#define SMB_LOAD_CYCLES 4096 // of the average

typedef struct {
  double average; // of its time that it was busy
  double at;
} SmbLoad;

/** smb_load_add: Of its time, @cycles are taken at @now; 0: only time has passed */
static inline void
smb_load_add(SmbLoad *load, double now, double cycles) {
  double passed = MAX(0, now - load->at);
  load->average = load->average * exp(-passed / SMB_LOAD_CYCLES) + cycles / SMB_LOAD_CYCLES;
  load->at = MAX(load->at, now);
}

/** smb_load_wait: Returns: cycles that a request waits: that of a queue whose server takes as long for each (M/D/1); @scale: for each unit of load / 2 (1 - load) */
static inline double
smb_load_wait(const SmbLoad *load, double scale) {
  double busy = MIN(load->average, SMB_MOST_LOAD);
  return scale * busy / (2 * (1 - busy));
}
