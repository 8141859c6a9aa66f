// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was measured on one device, as it is kept in data/measured/*.json: kernels and single requests.
// A measurement that has just been made is a recording too; so there is one way to compare. A recording
// holds what the device said, and nothing that the model says.
#pragma once

#include <glib.h>

#include "sim/base/request.h"
#include "sim/measured/metric.h"

G_BEGIN_DECLS

/** Version of the layout of a recording's file. */
#define SMB_RECORDING_SCHEMA_VERSION 1

/** What a recording that was made a moment ago calls its source. */
#define SMB_RECORDING_THIS_DEVICE "this device"

/** A number that was not measured. */
#define SMB_NOT_MEASURED (-1.0)

/**
 * SmbRecordedBuffer: what a kernel left in the buffer of a pointer parameter.
 * @parameter: its name
 * @bytes: length
 * @sha256: digest of all its bytes, in hexadecimal
 * @equal: elements that were equal to the model's when it was measured
 * @elements: elements of the buffer
 * @difference: (nullable): the first difference in words: "out[5] is 7, the model says 3"
 */
typedef struct {
  char *parameter;
  guint64 bytes;
  char *sha256;
  guint64 equal;
  guint64 elements;
  char *difference;
} SmbRecordedBuffer;

/** What the caches held when a launch was timed. */
typedef enum {
  SMB_CACHE_WARM, /* what the same launch left there just before */
  SMB_CACHE_COLD, /* nothing of the launch: more than the L2 cache was overwritten before */
  SMB_N_CACHES
} SmbCache;

/** Times of launches of a kernel, in microseconds. */
typedef struct {
  double median; /* SMB_NOT_MEASURED: the others mean nothing */
  double min;
  double max;
  guint n_launches;
} SmbRecordedTime;

/**
 * SmbRecordedKernel: one launch.
 * @name, @shape: as in the catalogue; of a user's file the name of the __global__ function, and %NULL
 * @file: where its text is: "data/kernels/..." for a built-in kernel
 * @block, @grid, @defines, @args, @dynamic_bytes: how it was compiled and launched (never %NULL)
 * @contents: what the buffers held, NAME=SPEC[@OFFSET] (never %NULL; what is not said has its default)
 * @unknown: (nullable): "skip" if requests that are not known are left out of predictions; %NULL: there are none
 * @launch: of a capture: the number of the launch in @file; 0: @file is none
 * @measured: by SmbMetric; %SMB_NOT_MEASURED where there is no number, as for those that stand in @times and
 *   @buffers (smb_metric_is_counted())
 * @times: by SmbCache
 * @buffers: (element-type SmbRecordedBuffer)
 * @instructions: (nullable) (element-type SmbProfileInstruction): what was measured of each of them just now; no file
 *   has it
 * @is_compared: whether it is in a comparison already; no file has it
 * @failure: (nullable): why it could not be measured, in a sentence without its full stop
 */
typedef struct {
  char *name;
  char *shape;
  char *file;
  guint block[3];
  guint grid[3];
  GStrv defines;
  GStrv args;
  GStrv contents;
  char *unknown;
  guint64 launch;
  guint64 dynamic_bytes;
  double measured[SMB_N_METRICS];
  SmbRecordedTime times[SMB_N_CACHES];
  GPtrArray *buffers;
  GArray *instructions;
  gboolean is_compared;
  char *failure;
} SmbRecordedKernel;

/**
 * SmbRecordedRequest: one warp request.
 * @wavefronts: of the counter, per request: a whole number but for noise, or %SMB_NOT_MEASURED
 * @cycles: per request under saturation, or %SMB_NOT_MEASURED
 * @instruction: (nullable): what was issued, as PTX calls it without ".shared": "atom.max.u32"; interned
 *   (g_intern_string()). %NULL: the instruction that stands for the operation
 */
typedef struct {
  SmbRequest request;
  double wavefronts;
  double cycles;
  const char *instruction;
} SmbRecordedRequest;

/**
 * SmbRecording:
 * @source: its file, or %SMB_RECORDING_THIS_DEVICE
 * @program: name and version of the program that measured
 * @date: in UTC, ISO 8601
 * @gpu: name of the device
 * @capability_major, @capability_minor: its compute capability
 * @multiprocessors: number of them
 * @driver: version of the driver, such as "580.159.04", or %NULL
 * @cuda_driver: newest CUDA that the driver has, such as "13.0"
 * @toolkit: version of the compiler (NVRTC)
 * @arch: name of the architecture whose rules are to give the numbers
 * @method: how wavefronts were counted, in a sentence without its full stop: which counters, or the clock
 *   and why
 * @counters: by SmbMetric: name of the hardware metric that was read, or %NULL
 * @request_counter: the hardware metric behind SmbRecordedRequest.wavefronts, or %NULL
 * @kernels: (element-type SmbRecordedKernel)
 * @requests: (element-type SmbRecordedRequest): an array of values, since there may be many
 */
typedef struct {
  char *source;
  char *program;
  char *date;
  char *gpu;
  guint capability_major;
  guint capability_minor;
  guint multiprocessors;
  char *driver;
  char *cuda_driver;
  char *toolkit;
  char *arch;
  char *method;
  char *counters[SMB_N_METRICS];
  char *request_counter;
  GPtrArray *kernels;
  GArray *requests;
} SmbRecording;

/** smb_recording_new: Returns: (transfer full): one with nothing in it but empty arrays */
SmbRecording *smb_recording_new(void);
void smb_recording_free(SmbRecording *recording);

/** smb_recorded_kernel_new: Returns: (transfer full): a kernel of which nothing is measured yet */
SmbRecordedKernel *smb_recorded_kernel_new(void);
void smb_recorded_kernel_free(SmbRecordedKernel *kernel);

/**
 * smb_recorded_buffer_new:
 * @sha256: (transfer full) (nullable): the digest
 *
 * Returns: (transfer full): a buffer to be added to SmbRecordedKernel.buffers, which frees it
 */
SmbRecordedBuffer *smb_recorded_buffer_new(const char *parameter, guint64 bytes, char *sha256);

/**
 * smb_recording_new_from_data:
 * @source: how messages call the text
 * @text: a recording in JSON (doc/json-schema/recording.json)
 * @length: its length in bytes
 * @error: SMB_ERROR_INPUT, naming @source and the place: the line of a syntax error, or the member
 *
 * Returns: (transfer full): the recording
 */
SmbRecording *smb_recording_new_from_data(const char *source, const char *text, gsize length,
                                          GError **error);

/**
 * smb_recording_load_all:
 * @error: as smb_recording_new_from_data(), or that of smb_data_load()
 *
 * Returns: (transfer full) (element-type SmbRecording): those of data/measured/, by name
 */
GPtrArray *smb_recording_load_all(GError **error);

/** smb_recording_to_json: Returns: (transfer full): the text of the file: a request or kernel a line */
char *smb_recording_to_json(const SmbRecording *recording);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRecording, smb_recording_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRecordedKernel, smb_recorded_kernel_free)

G_END_DECLS
