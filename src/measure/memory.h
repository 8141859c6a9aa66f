// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The memory of a captured launch, as a device is given it.
#pragma once

#include "gpu/meter.h"
#include "sim/launch/launch.h"

/**
 * smb_measure_memory:
 *
 * Returns: (transfer full) (nullable) (element-type SmbMeterMemory): the allocations and variables that @launch was captured
 *   with, each whole: what was not recorded of it is zeros. %NULL: it was not captured
 */
GArray *smb_measure_memory(const SmbLaunch *launch);
