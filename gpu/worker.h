// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The process that measures: it reads jobs and writes results (gpu/message.h) until its input ends.
#pragma once

#include "gpu/cuda.h"

/** What counts single requests: all shared wavefronts, of whatever instruction. */
#define SMB_REQUEST_COUNTER "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"

/**
 * smb_worker_run:
 * @cuda: what the machine offers
 * @in, @out: the pipe of the jobs, and that of the results
 *
 * Jobs are dictionaries with a "job": "device", "kernel", "instructions", "clock", "count". A result has "error" and
 * "code" (an SmbGpuError), or what was measured. After an error of the device the process must be
 * replaced: it says so and ends.
 *
 * Returns: the exit status of the process
 */
int smb_worker_run(const SmbCuda *cuda, int in, int out);
