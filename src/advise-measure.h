// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// advise --measure: the kernel as it is and as it was rewritten, on a device.
#pragma once

#include "src/advise-report.h"
#include "src/measure.h"

G_BEGIN_DECLS

/**
 * SmbAdviseLaunch: one form of the kernel on the device.
 * @array: (nullable): the array that lies otherwise; %NULL: none, or all of them
 * @name: of its layout
 * @analysis: (transfer none): what the model says
 * @recorded: what the device says
 */
typedef struct {
  const char *array;
  const char *name;
  const SmbAnalysis *analysis;
  SmbRecordedKernel *recorded;
} SmbAdviseLaunch;

/**
 * SmbAdviseMeasured:
 * @recording: the device, and how it counts
 * @launches: (element-type SmbAdviseLaunch): the kernel as it is first
 * @mismatches: launches that could not be run, or whose counts or values are not as predicted
 */
typedef struct {
  SmbRecording *recording;
  GPtrArray *launches;
  guint mismatches;
} SmbAdviseMeasured;

/**
 * smb_advise_measure:
 * @report: of the device's architecture; must outlive the result
 * @error: as smb_measure_kernel()
 *
 * Returns: (transfer full): what the device says of every form that holds
 */
SmbAdviseMeasured *smb_advise_measure(SmbMeter *meter, const SmbAdviseReport *report,
                                      GError **error);
void smb_advise_measured_free(SmbAdviseMeasured *measured);

/** Whether a number of a launch is as predicted; a lower bound may be exceeded. One that was not measured
 * is. */
gboolean smb_advise_matches(const SmbAdviseLaunch *launch, SmbMetric metric);

/** Whether every value that a launch left is the model's. */
gboolean smb_advise_values_match(const SmbAdviseLaunch *launch);

/** Writes a table of the launches. */
void smb_advise_write_measured(SmbCli *cli, const SmbAdviseMeasured *measured);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdviseMeasured, smb_advise_measured_free)

G_END_DECLS
