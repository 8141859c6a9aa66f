// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the GPU side of a machine offers, as a table of functions: the CUDA runtime, which is linked
// in, and the libraries that are opened at run time. Tests put their own functions into the table, so
// that every failure can be tried without a GPU. No type of the CUDA headers appears here.
#pragma once

#include "gpu/profiler.h"

/** What the functions of SmbCuda return when they succeed; other values are CUDA's error codes. */
#define SMB_CUDA_SUCCESS 0

/** Attributes of a device that are asked for. */
typedef enum {
  SMB_CUDA_CAPABILITY_MAJOR,
  SMB_CUDA_CAPABILITY_MINOR,
  SMB_CUDA_MULTIPROCESSORS,
  SMB_CUDA_SHARED_PER_BLOCK_OPTIN, /* bytes */
  SMB_CUDA_L2_BYTES,
  SMB_CUDA_N_ATTRIBUTES
} SmbCudaAttribute;

/** Libraries that are opened at run time. */
typedef enum {
  SMB_CUDA_DRIVER, /* libcuda: comes with the driver */
  SMB_CUDA_NVRTC,  /* compiles kernels */
  SMB_CUDA_CUPTI,  /* reads hardware counters */
  SMB_CUDA_N_LIBRARIES
} SmbCudaLibrary;

/**
 * SmbCudaSource: a text to compile.
 * @text: CUDA C
 * @name: how messages of the compiler call it
 * @entry: its __global__ function
 * @options: (array zero-terminated=1): such as "-DN=4", "--gpu-architecture=sm_90"
 */
typedef struct {
  const char *text;
  const char *name;
  const char *entry;
  const char *const *options;
} SmbCudaSource;

/** A compiled kernel on the device: what SmbCuda.load made. */
typedef struct _SmbCudaFunction SmbCudaFunction;

/**
 * SmbCudaLaunch:
 * @grid, @block: x, y, z
 * @dynamic_bytes: dynamic shared memory
 * @parameters: address of the value of each kernel parameter
 * @is_cooperative: whether all blocks have to be resident at once, as those that wait for each other have to
 * @cluster: blocks of a cluster in x, y, z; zeros: what the kernel itself says
 */
typedef struct {
  guint grid[3];
  guint block[3];
  gsize dynamic_bytes;
  void **parameters;
  gboolean is_cooperative;
  guint cluster[3];
} SmbCudaLaunch;

/**
 * SmbCudaTiming: launches that are timed in pairs: one with cold caches, and one right after it.
 * @flush: memory, larger than the L2 cache, that is overwritten before each pair; 0: nothing is, and the
 *   first of a pair is no colder than the second
 * @flush_bytes: its size
 * @n: pairs
 * @cold_us, @warm_us: (array length=n): microseconds on the device, in the order of the pairs
 */
typedef struct {
  guint64 flush;
  gsize flush_bytes;
  guint n;
  double *cold_us;
  double *warm_us;
} SmbCudaTiming;

/**
 * SmbCuda:
 * @has_runtime: whether the program was built with a CUDA Toolkit; all that follow up to @time_launches
 *   are %NULL if not
 * @device_count: number of devices
 * @device_name: writes the terminated name of a device
 * @attribute: one attribute of a device
 * @versions: version of the runtime, and the newest that the driver has (0: no driver), as CUDA
 *   writes them: 13000
 * @error_text: an error in words (transfer none)
 * @bind: makes a device the one that everything below is about
 * @allocate, @release: memory of the device, by its address
 * @upload, @download: copies to and from the device, after all that was launched
 * @load: makes an image executable, which is machine code, or PTX with a 0 at its end, and finds the function @symbol
 *   in it, with room for @dynamic_bytes of shared memory. @log: what the driver says of PTX that it does not assemble
 *   (transfer full), or %NULL
 * @variable: the address and size of a variable of the image that a function is of
 * @unload: ends the use of a function and of its image
 * @launch: starts a kernel
 * @synchronize: waits for all that was launched: the first error of it
 * @time_launches: launches pairs, one after another, and times each launch. While the flush runs, the pair behind
 *   it is submitted, so that what the host takes for that is in neither time
 * @compile: compiles a text: @image, the @symbol of its entry (both transfer full, on success), and what
 *   the compiler said (transfer full, may be %NULL)
 * @open: opens a library: its handle, or %NULL with a reason (transfer full)
 * @library_version: version of an open library as MAJOR * 1000 + MINOR * 10, or 0 if it does not say
 * @driver_release: version of the kernel's driver, such as "580.159.04", or %NULL (transfer full)
 * @profiler: ways to read hardware counters, the best first; %NULL after the last. Those of this machine
 *   can be narrowed down to one by the environment variable SMEMBANK_PROFILER
 */
typedef struct {
  gboolean has_runtime;
  int (*device_count)(int *count);
  int (*device_name)(int device, char *name, gsize size);
  int (*attribute)(int device, SmbCudaAttribute attribute, int *value);
  int (*versions)(int *runtime, int *driver);
  const char *(*error_text)(int error);

  int (*bind)(int device);
  int (*allocate)(gsize bytes, guint64 *address);
  int (*release)(guint64 address);
  int (*upload)(guint64 address, gconstpointer bytes, gsize n);
  int (*download)(gpointer bytes, guint64 address, gsize n);
  int (*load)(GBytes *image, const char *symbol, gsize dynamic_bytes, SmbCudaFunction **function,
              char **log);
  int (*variable)(SmbCudaFunction *function, const char *name, guint64 *address, gsize *bytes);
  void (*unload)(SmbCudaFunction *function);
  int (*launch)(SmbCudaFunction *function, const SmbCudaLaunch *launch);
  int (*synchronize)(void);
  int (*time_launches)(SmbCudaFunction *function, const SmbCudaLaunch *launch,
                       const SmbCudaTiming *timing);

  int (*compile)(const SmbCudaSource *source, GBytes **image, char **symbol, char **log);
  gpointer (*open)(SmbCudaLibrary library, char **reason);
  int (*library_version)(SmbCudaLibrary library, gpointer handle);
  char *(*driver_release)(void);
  const SmbProfiler *(*profiler)(guint index);
} SmbCuda;

/** smb_cuda_open_library: SmbCuda.open of this machine */
gpointer smb_cuda_open_library(SmbCudaLibrary library, char **reason);

/** smb_nvrtc_compile: SmbCuda.compile of this machine: machine code, or PTX if the architecture of the
 * options is a virtual one */
int smb_nvrtc_compile(const SmbCudaSource *source, GBytes **image, char **symbol, char **log);

/** The functions of this machine (transfer none). */
const SmbCuda *smb_cuda_real(void);
