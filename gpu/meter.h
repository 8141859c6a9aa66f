// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measuring on a device, from outside of it: a process of its own does the work (gpu/worker.h), so that a
// kernel that faults, hangs or corrupts its context takes neither the program nor the next measurement
// with it. A process that was lost is replaced when it is needed again.
#pragma once

#include "gpu/instruction.h"
#include "sim/measured/profile.h"
#include "sim/measured/recording.h"

/** How long a measurement may take, in milliseconds, unless the user says otherwise. */
#define SMB_METER_TIMEOUT_MS 30000

typedef struct _SmbMeter SmbMeter;

/**
 * SmbMeterDevice: what measures.
 * @index: number of the device
 * @name: its name
 * @capability_major, @capability_minor: compute capability
 * @multiprocessors: their number
 * @shared_bytes: most shared memory of a block
 * @driver: version of the driver, or %NULL
 * @cuda_driver: newest CUDA that the driver has: "13.0"
 * @toolkit: version of the compiler: "13.0"
 * @profiler: (nullable): what reads hardware counters; %NULL if nothing can
 * @refusal: (nullable): why no counter can be read, in a sentence without its full stop
 */
typedef struct {
  int index;
  char *name;
  guint capability_major;
  guint capability_minor;
  guint multiprocessors;
  gsize shared_bytes;
  char *driver;
  char *cuda_driver;
  char *toolkit;
  char *profiler;
  char *refusal;
} SmbMeterDevice;

/**
 * smb_meter_new:
 * @worker: (array zero-terminated=1): command line of a program that calls smb_worker_run()
 * @device: number of the device
 * @timeout_ms: how long one measurement may take
 * @error: SMB_GPU_ERROR_UNAVAILABLE with the reason
 *
 * Starts the process and asks it for the device.
 */
SmbMeter *smb_meter_new(const char *const *worker, int device, guint timeout_ms, GError **error);
void smb_meter_free(SmbMeter *meter);

/** The device (transfer none). */
const SmbMeterDevice *smb_meter_device(const SmbMeter *meter);

/**
 * SmbMeterArgument: a parameter of a kernel.
 * @name: its name
 * @is_pointer: whether it is a buffer
 * @bytes: the bytes of its value, or the initial contents of the buffer
 * @start: for a buffer: where in it the pointer points, in bytes
 */
typedef struct {
  char *name;
  gboolean is_pointer;
  GBytes *bytes;
  guint64 start;
} SmbMeterArgument;

/**
 * SmbMeterMemory: memory of the process that a launch was captured in.
 * @address: where it was
 * @bytes: what it held
 * @variable: (nullable): the variable of the image that it is; %NULL: an allocation
 */
typedef struct {
  guint64 address;
  GBytes *bytes;
  const char *variable;
} SmbMeterMemory;

/**
 * SmbMeterLaunch: a kernel to measure.
 * @code: (transfer none): CUDA C, PTX with a 0 after it, or a cubin
 * @file: how messages call it
 * @entry: its __global__ function
 * @symbol: (nullable): of compiled code the kernel's name in it; %NULL: it is CUDA C
 * @defines: (array zero-terminated=1): NAME=VALUE
 * @grid, @block: x, y, z
 * @dynamic_bytes: dynamic shared memory
 * @is_cooperative: whether all blocks have to be resident at once
 * @arguments: (element-type SmbMeterArgument): in the order of the parameters
 * @cluster: blocks of a cluster; zeros: what the kernel itself says
 * @memory: (nullable) (element-type SmbMeterMemory): for a captured launch: addresses in it and in the arguments are
 *   moved to where it lies on the device
 * @n_times: launches that are timed, with warm caches and with cold ones
 */
typedef struct {
  GBytes *code;
  const char *file;
  const char *entry;
  const char *symbol;
  const char *const *defines;
  guint grid[3];
  guint block[3];
  gsize dynamic_bytes;
  gboolean is_cooperative;
  guint cluster[3];
  const GPtrArray *arguments;
  const GArray *memory;
  guint n_times;
} SmbMeterLaunch;

/**
 * SmbMeterResult: what a kernel did.
 * @measured: by SmbMetric: wavefronts, instructions, sectors; %SMB_NOT_MEASURED if counters are refused
 * @times: (element-type double): by SmbCache: microseconds of each timed launch; of cold caches there may be none
 * @contents: (element-type GBytes): what is in each buffer after one launch, in the order of the arguments; %NULL
 *   for a scalar
 */
typedef struct {
  double measured[SMB_N_METRICS];
  GArray *times[SMB_N_CACHES];
  GPtrArray *contents;
} SmbMeterResult;

void smb_meter_result_clear(SmbMeterResult *result);

/**
 * smb_meter_kernel:
 * @result: (out caller-allocates): to be cleared in any case
 * @error: SMB_GPU_ERROR_COMPILE, SMB_GPU_ERROR_LAUNCH, SMB_GPU_ERROR_TIMEOUT: the meter continues;
 *   SMB_GPU_ERROR_UNAVAILABLE: it cannot
 *
 * Compiles and runs a kernel: once for its values, then in pairs for the times, with cold caches and right
 * after that with warm ones, then again from the initial contents for each pass of the counters.
 */
gboolean smb_meter_kernel(SmbMeter *meter, const SmbMeterLaunch *launch, SmbMeterResult *result,
                          GError **error);

/**
 * smb_meter_instructions:
 * @launch: of machine code
 * @error: as smb_meter_kernel(), or SMB_GPU_ERROR_COUNTERS: they cannot be counted. It is reported once: from then on
 *   %NULL is returned without an error
 *
 * Returns: (transfer full) (element-type SmbProfileInstruction) (nullable): what each instruction of the kernel did, by
 *   its place, without its text: warps that executed it, and wavefronts. Launches it for each of these numbers
 */
GArray *smb_meter_instructions(SmbMeter *meter, const SmbMeterLaunch *launch, GError **error);

/** Name of the hardware metric behind one of ours, or %NULL (transfer none): of what was measured last. */
const char *smb_meter_counter(const SmbMeter *meter, SmbMetric metric);

/** The hardware metric behind counts of single requests (transfer none). */
const char *smb_meter_request_counter(void);

/**
 * smb_meter_supports:
 * @instruction: index of smb_instruction()
 * @request: a request
 *
 * Returns: (transfer full) (nullable): why the device cannot execute the request, in a sentence without
 *   its full stop; %NULL if it can
 */
char *smb_meter_supports(const SmbMeter *meter, guint instruction, const SmbRequest *request);

/**
 * smb_meter_clock:
 * @instruction: index of smb_instruction()
 * @requests: (array length=n): that smb_meter_supports(), of that instruction's operation and width
 * @cycles: (array length=n) (out caller-allocates): of each, under saturation
 * @error: as smb_meter_kernel()
 */
gboolean smb_meter_clock(SmbMeter *meter, guint instruction, const SmbRequest *requests, gsize n,
                         double *cycles, GError **error);

/**
 * smb_meter_count: as smb_meter_clock()
 * @wavefronts: (array length=n) (out caller-allocates): what the counter says of one execution
 * @error: SMB_GPU_ERROR_COUNTERS if counters are refused
 *
 * About 2 ms a request.
 */
gboolean smb_meter_count(SmbMeter *meter, guint instruction, const SmbRequest *requests, gsize n,
                         double *wavefronts, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbMeterResult, smb_meter_result_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbMeter, smb_meter_free)
