// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the files of the made-up GPU share. Private to tests/fake-*.c.
#pragma once

#include "sim/analysis/analysis.h"
#include "tests/fake-cuda.h"

typedef enum {
#define FAKE_FAULT(id, name) FAKE_##id,
#include "tests/fake-faults.def"
#undef FAKE_FAULT
  FAKE_N_FAULTS
} FakeFault;

// Errors of CUDA (driver_types.h: cudaError_t).
enum {
  FAKE_INVALID_VALUE = 1,
  FAKE_MEMORY_ALLOCATION = 2,
  FAKE_INVALID_CONFIGURATION = 9,
  FAKE_INSUFFICIENT_DRIVER = 35,
  FAKE_DEVICE_UNAVAILABLE = 46,
  FAKE_NOT_A_DEVICE = 100,
  FAKE_INVALID_IMAGE = 200,
  FAKE_INVALID_PTX = 218,
  FAKE_SYMBOL_NOT_FOUND = 500,
  FAKE_ILLEGAL_ADDRESS = 700,
  FAKE_MISALIGNED_ADDRESS = 716,
  FAKE_FAILED_LAUNCH = 719,
};

// The machine. @allocations: address → bytes. @noted: hashes of the requests that the clock has seen.
typedef struct {
  FakeFault fault;
  char *entry;     // the kernel that has the fault, or NULL: all have
  guint at;        // the launch, or the allocation, that has it, from 1; 0: all have
  guint matching;  // launches of @entry so far
  guint launches;  // all launches so far
  guint requested; // allocations so far
  int broken;      // what every call gives from now on
  gboolean hangs;  // no call ends from now on
  GHashTable *allocations;
  GHashTable *noted;
} FakeMachine;

FakeMachine *fake_machine(void);

// Begins a call that needs the device: what it is to give if the device is broken, else 0.
int fake_begin(void);

// Begins a launch of @entry; 0, or what the launch gives. What breaks at a launch breaks here.
int fake_begin_launch(const char *entry);

// Ends a launch: with an error that every later call gives, or 0.
void fake_end_launch(const char *entry, int error);

// Whether what @entry gives is spoiled in this way.
gboolean fake_spoils(FakeFault fault, const char *entry);

// SmbCuda.allocate, release, upload, download (tests/fake-memory.c).
int fake_allocate(gsize bytes, guint64 *address);
int fake_release(guint64 address);
int fake_upload(guint64 address, gconstpointer bytes, gsize n);
int fake_download(gpointer bytes, guint64 address, gsize n);

// The memory at @address, with the number of bytes that follow it in its allocation; NULL if none is there.
gpointer fake_memory(guint64 address, gsize *bytes);
// Where that allocation begins, or NULL.
gpointer fake_allocation(guint64 address);

// SmbCuda.compile, load, unload, launch, time_launches (tests/fake-launch.c).
int fake_compile(const SmbCudaSource *source, GBytes **image, char **symbol, char **log);
int fake_load(GBytes *image, const char *symbol, gsize dynamic_bytes, SmbCudaFunction **function,
              char **log);
void fake_unload(SmbCudaFunction *function);
int fake_launch(SmbCudaFunction *function, const SmbCudaLaunch *launch);
int fake_time_launches(SmbCudaFunction *function, const SmbCudaLaunch *launch,
                       const SmbCudaTiming *timing);

// What hardware counters count.
typedef enum {
  FAKE_WAVEFRONTS,
  FAKE_EXCESS,
  FAKE_INSTRUCTIONS,
  FAKE_SECTORS,
  FAKE_MATRIX_WAVEFRONTS, // of FAKE_WAVEFRONTS: those of ldmatrix and stmatrix
  FAKE_MATRIX_INSTRUCTIONS,
  FAKE_N_COUNTS
} FakeCount;

// What one launch adds to them.
typedef struct {
  guint64 of[FAKE_N_COUNTS][SMB_N_OP_CLASSES];
} FakeCounts;

// A kernel of gpu/probe.cu, or NULL with a compiler's message if @text is none (tests/fake-probe.c).
typedef struct _FakeProbe FakeProbe;
gboolean fake_is_probe(const char *text);
FakeProbe *fake_probe_new(const char *text, const char *entry, char **log);
void fake_probe_free(FakeProbe *probe);
int fake_probe_run(const FakeProbe *probe, const SmbCudaLaunch *launch, const SmbArch *arch,
                   FakeCounts *counts);

// Any other kernel (tests/fake-kernel.c).
SmbProgram *fake_kernel_new(GBytes *code, const char *name, const char *entry,
                            const char *const *options, char **log);
// @first: what the buffers held at the first launch, or NULL before it
int fake_kernel_run(const SmbProgram *kernel, const SmbCudaLaunch *launch, const SmbArch *arch,
                    char **first, FakeCounts *counts);

// SmbCuda.profiler; whether a range is open; and what a launch adds to it (tests/fake-profiler.c).
const SmbProfiler *fake_profiler(guint index);
gboolean fake_profiler_counts(void);
void fake_profiler_add(const FakeCounts *counts);

// If instructions are counted one by one, counts those of a launch; each with a wavefront more, if it @is_spoilt.
void fake_profiler_add_instructions(const SmbAnalysis *analysis, gboolean is_spoilt);
