// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The errors of the GPU side. Each message is a sentence without its full stop: it is shown as the
// reason why something was not measured.
#pragma once

#include "sim/base/error.h"

#define SMB_GPU_ERROR (smb_gpu_error_quark())

/**
 * SmbGpuError:
 * @SMB_GPU_ERROR_UNAVAILABLE: no device can be used, or it was lost: nothing can be measured
 * @SMB_GPU_ERROR_COMPILE: the compiler refused the kernel; the message has what it said
 * @SMB_GPU_ERROR_LAUNCH: the kernel could not be launched, or it failed
 * @SMB_GPU_ERROR_TIMEOUT: the kernel did not end in time
 * @SMB_GPU_ERROR_COUNTERS: hardware counters cannot be read
 * @SMB_GPU_ERROR_NO_PROFILER: nor tried: what would read them is not on this machine
 */
typedef enum {
  SMB_GPU_ERROR_UNAVAILABLE,
  SMB_GPU_ERROR_COMPILE,
  SMB_GPU_ERROR_LAUNCH,
  SMB_GPU_ERROR_TIMEOUT,
  SMB_GPU_ERROR_COUNTERS,
  SMB_GPU_ERROR_NO_PROFILER,
} SmbGpuError;

GQuark smb_gpu_error_quark(void);
