// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What tuning and its writers share. Private to them.
#pragma once

#include "sim/arch/occupancy.h"
#include "src/advise/measure.h"
#include "src/advise/tune.h"

// Macros that are tuned at once, and combinations of their values.
enum {
  MAX_RANGES = 4,
  MAX_TRIALS = 4096
};

typedef struct {
  char *name;
  gint64 low, high;
} Range;

// One combination of values, and what the kernel takes with it.
typedef struct {
  gint64 values[MAX_RANGES];
  SmbTally total;
  SmbTally classes[SMB_N_OP_CLASSES];
  gsize shared_bytes;
  SmbOccupancy occupancy;
  gboolean is_present;
  char *failure;         // why it does not run
  SmbAnalysis *analysis; // of one that is measured, or NULL
} Trial;

typedef struct {
  SmbCli *cli;
  const SmbTargetOptions *options;
  const char *file;
  Range ranges[MAX_RANGES];
  guint n_ranges;
  guint n_classes; // of access that are shown: atomics if there are any
  gboolean present_known;
  gint64 present[MAX_RANGES];
  GPtrArray *trials; // Trial
  guint top;         // trials that are shown in text, and measured; the present one besides
  SmbAdviseMeasured *measured; // or NULL
} Tuning;

// The target with the macros set to the values of a trial; NULL: as they are.
SmbTarget *smb_tuning_target(const Tuning *tuning, const gint64 *values, GError **error);

// Whether a trial is among those that are shown in text.
gboolean smb_tuning_shows(const Tuning *tuning, guint trial);
