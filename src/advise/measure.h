// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// advise --measure: the kernel as it is and as it was rewritten, on a device.
#pragma once

#include <json-glib/json-glib.h>

#include "src/advise/report.h"
#include "src/measure/measure.h"

/**
 * SmbAdviseMeasured:
 * @meter, @arch: (transfer none): the device, and its rules
 * @recording: the device, and how it counts
 * @launches: what was measured of each form, in the order in which they were added
 * @mismatches: launches that could not be run, or whose counts or values are not as predicted
 */
typedef struct {
  SmbMeter *meter;
  SmbArch *arch;
  SmbRecording *recording;
  GPtrArray *launches;
  guint mismatches;
} SmbAdviseMeasured;

/** smb_advise_measured_new: Returns: (transfer full): no launch yet, on the device of @meter, whose @arch it is */
SmbAdviseMeasured *smb_advise_measured_new(SmbMeter *meter, SmbArch *arch);
void smb_advise_measured_free(SmbAdviseMeasured *measured);

/**
 * smb_advise_measured_add:
 * @target: the form of the kernel
 * @array: (nullable): the array that lies otherwise in it
 * @name: what it is
 * @analysis: (transfer none): what the model says of it; must outlive @measured
 * @error: as smb_measure_kernel()
 *
 * Runs one more form.
 */
gboolean smb_advise_measured_add(SmbAdviseMeasured *measured, const SmbTarget *target,
                                 const char *array, const char *name, const SmbAnalysis *analysis,
                                 GError **error);

/**
 * smb_advise_measure:
 * @report: of the device's architecture; must outlive the result
 * @error: as smb_measure_kernel()
 *
 * Returns: (transfer full): what the device says of the kernel as it is, and of every form that holds
 */
SmbAdviseMeasured *smb_advise_measure(SmbMeter *meter, const SmbAdviseReport *report,
                                      GError **error);

/**
 * smb_advise_write_measured: writes a table of the launches
 * @what: heading of the column of their names
 */
void smb_advise_write_measured(SmbCli *cli, const char *what, const SmbAdviseMeasured *measured);

/** Adds the member "measured"; null if @measured is %NULL. */
void smb_advise_json_measured(JsonBuilder *json, const SmbAdviseMeasured *measured);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdviseMeasured, smb_advise_measured_free)
