// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The CUDA runtime and the driver behind the table SmbCuda. Built without a toolkit, it has only what opens libraries.
#include "config.h"
#include "sim/base/error.h"

#include "gpu/cuda.h"
#include "gpu/error.h"
#include "gpu/inject/abi.h"
#include "gpu/symbols.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

// Where each library is looked for: by its name first, then where the toolkit puts it.
static const char *const library_names[SMB_CUDA_N_LIBRARIES][8] = {
    [SMB_CUDA_DRIVER] = {"libcuda.so.1", "libcuda.so"},
    [SMB_CUDA_NVRTC] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                        "/usr/local/cuda/lib64/libnvrtc.so"},
    [SMB_CUDA_CUPTI] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                        "/usr/local/cuda/lib64/libcupti.so"},
};

gpointer
smb_cuda_open_library(SmbCudaLibrary library, char **reason) {
  const char *const *names = library_names[library];
  for (guint i = 0; names[i]; i++) {
    gpointer handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (handle)
      return handle;
  }
  *reason = g_strdup_printf("%s not found", names[0]);
  return NULL;
}

#ifdef HAVE_CUDA
#  include <cuda_runtime_api.h>

// Loading and launching go through the driver, which is opened at run time.

// The functions that are called, by their names without "cu" (cuda.h of CUDA 12 and 13). What they
// return has the numbers of cudaError_t.
typedef struct {
  int (*ModuleLoadDataEx)(void **module, const void *image, unsigned n_options, int *options,
                          void **values);
  int (*ModuleUnload)(void *module);
  int (*ModuleGetFunction)(void **function, void *module, const char *name);
  int (*ModuleGetGlobal)(guint64 *address, gsize *bytes, void *module, const char *name);
  int (*FuncSetAttribute)(void *function, int attribute, int value);
  int (*LaunchKernel)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,
                      void *stream, void **parameters, void **extra);
  int (*LaunchCooperativeKernel)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z,
                                 unsigned dynamic_bytes, void *stream, void **parameters);
  int (*LaunchKernelEx)(const CuLaunchConfig *config, void *function, void **parameters,
                        void **extra); // CUDA 11.8; NULL before
} Driver;

struct _SmbCudaFunction {
  Driver driver;
  void *module;
  void *function;
};

enum {
  ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES = 8, // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  ATTRIBUTE_ANY_CLUSTER = 14,             // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
  STATIC_LIMIT = 48 * 1024,               // more has to be asked for
  JIT_ERROR_LOG_BUFFER = 5,               // CU_JIT_ERROR_LOG_BUFFER
  JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,    // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  LOG_BYTES = 8192,
  ERROR_NOT_FOUND = 500, // cudaErrorSymbolNotFound
};

#  define SYMBOL(name)                                                                             \
    { "cu" #name, G_STRUCT_OFFSET(Driver, name) }

static int
find_driver(Driver *driver) {
  static const SmbSymbol symbols[] = {
      SYMBOL(ModuleLoadDataEx),
      SYMBOL(ModuleUnload),
      SYMBOL(ModuleGetFunction),
      SYMBOL(FuncSetAttribute),
      {"cuModuleGetGlobal_v2", G_STRUCT_OFFSET(Driver, ModuleGetGlobal)},
      SYMBOL(LaunchKernel),
      SYMBOL(LaunchCooperativeKernel)};
  g_autofree char *reason = NULL;
  gpointer handle = smb_cuda_open_library(SMB_CUDA_DRIVER, &reason);
  if (handle)
    *(void **)&driver->LaunchKernelEx = dlsym(handle, "cuLaunchKernelEx");
  return handle && !smb_symbols_find(handle, symbols, G_N_ELEMENTS(symbols), driver)
             ? SMB_CUDA_SUCCESS
             : ERROR_NOT_FOUND;
}

static void
driver_unload(SmbCudaFunction *function) {
  if (!function)
    return;
  if (function->module)
    function->driver.ModuleUnload(function->module);
  g_free(function);
}

static int
load_module(SmbCudaFunction *loaded, GBytes *image, char **log) {
  int options[] = {JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  g_autofree char *said = g_malloc0(LOG_BYTES + 1);
  void *values[] = {said, (void *)(guintptr)LOG_BYTES};
  int error = loaded->driver.ModuleLoadDataEx(&loaded->module, g_bytes_get_data(image, NULL),
                                              G_N_ELEMENTS(options), options, values);
  if (error != SMB_CUDA_SUCCESS && *said)
    *log = g_steal_pointer(&said);
  return error;
}

static int
driver_load(GBytes *image, const char *symbol, gsize dynamic_bytes, SmbCudaFunction **function,
            char **log) {
  SmbCudaFunction *loaded = g_new0(SmbCudaFunction, 1);
  int error = find_driver(&loaded->driver);
  if (error == SMB_CUDA_SUCCESS)
    error = load_module(loaded, image, log);
  if (error == SMB_CUDA_SUCCESS)
    error = loaded->driver.ModuleGetFunction(&loaded->function, loaded->module, symbol);
  if (error == SMB_CUDA_SUCCESS && dynamic_bytes > STATIC_LIMIT)
    error = loaded->driver.FuncSetAttribute(loaded->function, ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES,
                                            (int)dynamic_bytes);
  if (error == SMB_CUDA_SUCCESS)
    *function = loaded;
  else
    driver_unload(loaded);
  return error;
}

static int
find_device_variable(SmbCudaFunction *function, const char *name, guint64 *address, gsize *bytes) {
  return function->driver.ModuleGetGlobal(address, bytes, function->module, name);
}

// A launch with attributes. Clusters of more than 8 blocks have to be allowed.
static int
launch_cluster(SmbCudaFunction *function, const SmbCudaLaunch *launch) {
  CuLaunchAttribute attributes[2] = {{.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION},
                                     {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE}};
  CuLaunchConfig config = {.sharedMemBytes = (unsigned)launch->dynamic_bytes,
                           .attrs = attributes,
                           .numAttrs = G_N_ELEMENTS(attributes)};
  if (!function->driver.LaunchKernelEx)
    return ERROR_NOT_FOUND;
  memcpy(config.grid, launch->grid, sizeof config.grid);
  memcpy(config.block, launch->block, sizeof config.block);
  memcpy(attributes[0].value.clusterDim, launch->cluster, sizeof launch->cluster);
  attributes[1].value.cooperative = launch->is_cooperative;
  function->driver.FuncSetAttribute(function->function, ATTRIBUTE_ANY_CLUSTER, 1);
  return function->driver.LaunchKernelEx(&config, function->function, launch->parameters, NULL);
}

static int
driver_launch(SmbCudaFunction *function, const SmbCudaLaunch *launch) {
  if (launch->cluster[0] > 0)
    return launch_cluster(function, launch);
  if (launch->is_cooperative)
    return function->driver.LaunchCooperativeKernel(
        function->function, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
        launch->block[1], launch->block[2], (unsigned)launch->dynamic_bytes, NULL,
        launch->parameters);
  return function->driver.LaunchKernel(function->function, launch->grid[0], launch->grid[1],
                                       launch->grid[2], launch->block[0], launch->block[1],
                                       launch->block[2], (unsigned)launch->dynamic_bytes, NULL,
                                       launch->parameters, NULL);
}

static int
get_device_count(int *count) {
  return (int)cudaGetDeviceCount(count);
}

static int
get_device_name(int device, char *name, gsize size) {
  struct cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess)
    g_strlcpy(name, properties.name, size);
  return (int)error;
}

static int
get_attribute(int device, SmbCudaAttribute attribute, int *value) {
  static const enum cudaDeviceAttr attributes[SMB_CUDA_N_ATTRIBUTES] = {
      [SMB_CUDA_CAPABILITY_MAJOR] = cudaDevAttrComputeCapabilityMajor,
      [SMB_CUDA_CAPABILITY_MINOR] = cudaDevAttrComputeCapabilityMinor,
      [SMB_CUDA_MULTIPROCESSORS] = cudaDevAttrMultiProcessorCount,
      [SMB_CUDA_SHARED_PER_BLOCK_OPTIN] = cudaDevAttrMaxSharedMemoryPerBlockOptin,
      [SMB_CUDA_L2_BYTES] = cudaDevAttrL2CacheSize,
  };
  return (int)cudaDeviceGetAttribute(value, attributes[attribute], device);
}

static int
get_versions(int *runtime, int *driver) {
  cudaError_t error = cudaRuntimeGetVersion(runtime);
  return error == cudaSuccess ? (int)cudaDriverGetVersion(driver) : (int)error;
}

static const char *
get_error_text(int error) {
  return cudaGetErrorString((cudaError_t)error);
}

static int
bind_device(int device) {
  cudaError_t error = cudaSetDevice(device);
  return error == cudaSuccess ? (int)cudaFree(NULL) : (int)error; // makes the context
}

static int
allocate_device_memory(gsize bytes, guint64 *address) {
  void *memory = NULL;
  cudaError_t error = cudaMalloc(&memory, bytes);
  *address = (guint64)(guintptr)memory;
  return (int)error;
}

static int
release_device_memory(guint64 address) {
  return (int)cudaFree((void *)(guintptr)address);
}

static int
upload(guint64 address, gconstpointer bytes, gsize n) {
  return (int)cudaMemcpy((void *)(guintptr)address, bytes, n, cudaMemcpyHostToDevice);
}

static int
download(gpointer bytes, guint64 address, gsize n) {
  return (int)cudaMemcpy(bytes, (const void *)(guintptr)address, n, cudaMemcpyDeviceToHost);
}

static int
synchronize(void) {
  return (int)cudaDeviceSynchronize();
}

enum {
  N_EVENTS = 3 // around the two launches of a pair
};

// The events lie close around each launch. All of the pair is submitted before anything is waited for.
static int
time_pair(SmbCudaFunction *function, const SmbCudaLaunch *launch, const SmbCudaTiming *timing,
          const cudaEvent_t events[N_EVENTS], guint pair) {
  float milliseconds[N_EVENTS - 1] = {0, 0};
  cudaError_t error = cudaSuccess;
  if (timing->flush)
    error = cudaMemsetAsync((void *)(guintptr)timing->flush, 0, timing->flush_bytes, NULL);
  for (guint i = 0; error == cudaSuccess && i < N_EVENTS; i++) {
    if (i > 0)
      error = (cudaError_t)driver_launch(function, launch);
    if (error == cudaSuccess)
      error = cudaEventRecord(events[i], NULL);
  }
  if (error == cudaSuccess)
    error = cudaEventSynchronize(events[N_EVENTS - 1]);
  for (guint i = 0; error == cudaSuccess && i + 1 < N_EVENTS; i++)
    error = cudaEventElapsedTime(&milliseconds[i], events[i], events[i + 1]);
  timing->cold_us[pair] = 1000.0 * (double)milliseconds[0];
  timing->warm_us[pair] = 1000.0 * (double)milliseconds[1];
  return (int)error;
}

static int
time_launches(SmbCudaFunction *function, const SmbCudaLaunch *launch, const SmbCudaTiming *timing) {
  cudaEvent_t events[N_EVENTS] = {NULL, NULL, NULL};
  int error = SMB_CUDA_SUCCESS;
  for (guint i = 0; error == SMB_CUDA_SUCCESS && i < N_EVENTS; i++)
    error = (int)cudaEventCreate(&events[i]);
  for (guint i = 0; error == SMB_CUDA_SUCCESS && i < timing->n; i++)
    error = time_pair(function, launch, timing, events, i);
  for (guint i = 0; i < N_EVENTS; i++) {
    if (events[i])
      cudaEventDestroy(events[i]);
  }
  return error;
}
#endif

static int
get_library_version(SmbCudaLibrary library, gpointer handle) {
  int (*nvrtc_version)(int *, int *);
  int (*cupti_version)(uint32_t *);
  int major = 0, minor = 0;
  uint32_t version = 0;
  switch (library) {
  case SMB_CUDA_NVRTC:
    *(void **)&nvrtc_version = dlsym(handle, "nvrtcVersion");
    return nvrtc_version && nvrtc_version(&major, &minor) == 0 ? major * 1000 + minor * 10 : 0;
  case SMB_CUDA_CUPTI:
    // Counts its own interface, as YYMMPP or by the toolkit; only its presence is of use.
    *(void **)&cupti_version = dlsym(handle, "cuptiGetVersion");
    return cupti_version && cupti_version(&version) == 0 ? (int)version : 0;
  case SMB_CUDA_DRIVER:
  case SMB_CUDA_N_LIBRARIES:
    return 0;
  }
  g_assert_not_reached();
}

// Where Linux tells the version of a loaded module.
static char *
get_driver_release(void) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/sys/module/nvidia/version", &text, NULL, NULL))
    return NULL;
  return g_strdup(g_strstrip(text));
}

// Placeholder for a requested profiler that does not exist.
static SmbProfilerSession *
refuse_choice(G_GNUC_UNUSED int device, G_GNUC_UNUSED const char *const *metrics,
              G_GNUC_UNUSED guint n_metrics, G_GNUC_UNUSED guint max_ranges, GError **error) {
  smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
           "SMEMBANK_PROFILER is '%s': expected 'range' or 'legacy'",
           g_getenv("SMEMBANK_PROFILER"));
  return NULL;
}

static const SmbProfiler *
get_profiler(guint index) {
  static const SmbProfiler unknown = {.name = "none", .open = refuse_choice};
  const char *chosen = g_getenv("SMEMBANK_PROFILER");
  if (!chosen || !*chosen)
    return index == 0 ? smb_profiler_range() : index == 1 ? smb_profiler_legacy() : NULL;
  if (index > 0)
    return NULL;
  if (strcmp(chosen, "range") == 0)
    return smb_profiler_range();
  return strcmp(chosen, "legacy") == 0 ? smb_profiler_legacy() : &unknown;
}

const SmbCuda *
smb_cuda_real(void) {
  static const SmbCuda real = {
#ifdef HAVE_CUDA
      .has_runtime = TRUE,
      .device_count = get_device_count,
      .device_name = get_device_name,
      .attribute = get_attribute,
      .versions = get_versions,
      .error_text = get_error_text,
      .bind = bind_device,
      .allocate = allocate_device_memory,
      .release = release_device_memory,
      .upload = upload,
      .download = download,
      .load = driver_load,
      .variable = find_device_variable,
      .unload = driver_unload,
      .launch = driver_launch,
      .synchronize = synchronize,
      .time_launches = time_launches,
#endif
      .compile = smb_nvrtc_compile,
      .open = smb_cuda_open_library,
      .library_version = get_library_version,
      .driver_release = get_driver_release,
      .profiler = get_profiler,
  };
  return &real;
}
