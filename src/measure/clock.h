// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel's requests take by the clock, where no hardware counter can be read.
#pragma once

#include "gpu/meter.h"
#include "src/target/target.h"

/**
 * smb_measure_requests:
 * @cycles: (array fixed-size=SMB_N_OP_CLASSES) (out caller-allocates): by the SmbOpClass of the access: cycles
 *   of all requests of the kernel, or %SMB_NOT_MEASURED if the device cannot time one of them
 * @error: as smb_meter_clock(), and that of smb_block_run()
 *
 * Evaluates the kernel, and times each different request that it makes under saturation: what the device
 * needs for the requests that the model says there are. Requests that differ in whole rows of banks only
 * are one. The clock reads up to 0.3 above the whole number of cycles, which is what counts.
 */
gboolean smb_measure_requests(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch,
                              double *cycles, GError **error);
