// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What this machine has to measure with, with the counters, which are there only if they can be read.
#pragma once

#include "gpu/device.h"

/** smb_measure_inventory: Returns: (transfer full): that of gpu/device.h, and the part "hardware counters", which were tried on the
 * first device */
SmbGpuInventory *smb_measure_inventory(const SmbCuda *cuda);
