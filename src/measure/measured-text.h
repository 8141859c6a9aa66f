// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the results of measuring single requests share: the device, the counters, and the numbers.
#pragma once

#include <json-glib/json-glib.h>

#include "gpu/meter.h"
#include "src/cli/cli.h"

/** smb_measured_text: Returns: (transfer full): a measured number with two digits after the point, or "-"
 * if it was not measured */
char *smb_measured_text(double number);

/** Writes a line that names the device and whose rules are compared. */
void smb_measured_write_device(SmbCli *cli, const SmbMeterDevice *device, const SmbArch *arch);

/** Writes how wavefronts were counted; @refusal: (nullable): why they were not */
void smb_measured_write_counters(SmbCli *cli, const char *refusal);

/** "device", "compute_capability", "driver", "toolkit", "counter", "counters_refused". */
void smb_measured_json_device(JsonBuilder *json, const SmbMeterDevice *device, const char *refusal);

/** "wavefronts", "counted", "cycles", "measured": numbers of a request; null if it was not measured. */
void smb_measured_json(JsonBuilder *json, guint wavefronts, double counted, guint cycles,
                       double measured);
