// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A made-up driver, with a made-up CUPTI in it: as much of libcuda.so.1 as a small program takes to be captured. Memory of the
// device is the host's. A kernel adds 1 to the first word that its first parameter points at, and takes as many
// nanoseconds as it has threads. As the driver, it loads the injection library when it is initialized, and the image of a
// CUkernel when that is first needed.
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/inject/digest.h"
#include "gpu/inject/protocol.h"
#include "tests/driver/impl.h"

enum {
  INVALID_VALUE = 1,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  MAX_ALLOCATIONS = 1024,
  MAX_RECORDS = 64,
  VARIABLE_BYTES = 64,
  N_VARIABLES = 8,
  N_CALLBACKS = 1024,
};

typedef struct {
  char *base;
  size_t bytes;
} Memory;

struct CuModule {
  const void *image;
  size_t bytes;
  uint32_t number; // once it is loaded; from 1 on
  struct {
    char name[256];
    char bytes[VARIABLE_BYTES];
  } variables[N_VARIABLES]; // by whatever name they are asked for; each byte is 7
};

struct CuFunction {
  bool is_kernel; // a CUkernel, which is no function
  char name[256];
  struct CuModule *module;
  struct CuFunction *function; // of a CUkernel
  struct CuFunction *next;     // of those whose modules are unloaded: handles are used again
};

static size_t n_copied; // from the device, in bytes
static Memory allocations[MAX_ALLOCATIONS];
static size_t n_allocations;
static CuptiCallback callback;
static bool is_enabled[4][N_CALLBACKS];
static bool is_timing;
static CuptiActivityKernel records[MAX_RECORDS];
static size_t n_records;
static CuptiBufferRequested requested;
static CuptiBufferCompleted completed;
static uint64_t now = 1000; // nanoseconds
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char context[1];
static uint32_t n_modules;
static struct CuFunction *functions, *unloaded;

// --- CUPTI

int
cuptiSubscribe(void **subscriber, CuptiCallback the_callback, void *user) {
  (void)user;
  *subscriber = context;
  callback = the_callback;
  return 0;
}

int
cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id) {
  (void)subscriber;
  is_enabled[domain][id] = enable != 0;
  return 0;
}

int
cuptiActivityRegisterCallbacks(CuptiBufferRequested request, CuptiBufferCompleted complete) {
  requested = request;
  completed = complete;
  return 0;
}

int
cuptiActivityEnable(int kind) {
  is_timing = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  return 0;
}

int
cuptiActivityDisable(int kind) {
  (void)kind;
  is_timing = false;
  return 0;
}

int
cuptiActivityFlushAll(uint32_t flag) {
  uint8_t *buffer = NULL;
  size_t size = 0, most = 0;
  (void)flag;
  requested(&buffer, &size, &most);
  memcpy(buffer, records, n_records * sizeof *records);
  size_t valid = n_records * sizeof *records;
  n_records = 0;
  completed(NULL, 0, buffer, size, valid);
  return 0;
}

int
cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record) {
  uint8_t *next = *record ? (uint8_t *)*record + sizeof *records : buffer;
  if (next + sizeof *records > buffer + valid)
    return INVALID_VALUE;
  *record = next;
  return 0;
}

static void
call_back(int domain, uint32_t id, const void *data) {
  if (callback && is_enabled[domain][id])
    callback(NULL, domain, id, data);
}

void
driver_call_back(uint32_t id, int site, const char *symbol, const void *params) {
  const CuptiCallbackData data = {
      .callbackSite = site, .functionParams = params, .symbolName = symbol, .context = context};
  call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

void
driver_call_back_resource(uint32_t id, void *what) {
  const CuptiResourceData data = {.context = context, .resourceDescriptor = what};
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

// --- the machine

int
cuInit(unsigned flags) {
  const char *path = getenv("CUDA_INJECTION64_PATH");
  void *library = path ? dlopen(path, RTLD_NOW) : NULL;
  int (*initialize)(void) = NULL;
  (void)flags;
  if (library) {
    *(void **)&initialize = dlsym(library, "InitializeInjection");
    initialize();
  }
  return 0;
}

int
cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}

int
cuCtxGetCurrent(void **current) {
  *current = context;
  return 0;
}

int
cuCtxSetCurrent(void *current) {
  return current == context ? 0 : INVALID_VALUE;
}

int
cuCtxSynchronize(void) {
  if (getenv("FAKE_DRIVER_BUSY"))
    sleep(3600);
  return getenv("FAKE_DRIVER_FAILED") ? ILLEGAL_ADDRESS : 0;
}

int
cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}

int
cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "Made-up GPU");
  return 0;
}

int
cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return 0;
}

// --- memory

static Memory *
find_memory(uint64_t address) {
  for (size_t i = 0; i < n_allocations; i++)
    if (address - (uint64_t)(uintptr_t)allocations[i].base < allocations[i].bytes)
      return &allocations[i];
  return NULL;
}

int
cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  char *base = aligned_alloc(512, (bytes + 511) / 512 * 512);
  memset(base, 0, bytes);
  pthread_mutex_lock(&lock);
  allocations[n_allocations++] = (Memory){base, bytes};
  pthread_mutex_unlock(&lock);
  *address = (uint64_t)(uintptr_t)base;
  return 0;
}

int
cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address) {
  const Memory *memory = find_memory(address);
  if (!memory)
    return NOT_FOUND;
  *base = (uint64_t)(uintptr_t)memory->base;
  *bytes = memory->bytes;
  return 0;
}

int
cuPointerGetAttribute(void *value, int attribute, uint64_t address) {
  (void)address;
  *(unsigned *)value = attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? 2 : 0;
  return 0;
}

int
cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}

int
cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  (void)flags;
  *memory = calloc(1, bytes);
  return 0;
}

size_t
fake_driver_copied(void) {
  size_t bytes = n_copied;
  n_copied = 0;
  return bytes;
}

int
cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  n_copied += bytes;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return 0;
}

int
cuMemRetainAllocationHandle(uint64_t *handle, void *address) {
  (void)handle, (void)address;
  return INVALID_VALUE;
}

int
cuMemRelease(uint64_t handle) {
  (void)handle;
  return 0;
}

// --- the kernel of digests, which the injection library loads as PTX

static char digest_module[1], digest_function[1];

int
cuModuleLoadData(void **module, const char *image) {
  *module = digest_module;
  return getenv("FAKE_DRIVER_OLD") || strncmp(image, ".version", strlen(".version")) != 0
             ? INVALID_VALUE
             : 0;
}

int
cuStreamCreate(void **stream, unsigned flags) {
  (void)flags;
  *stream = digest_module;
  return 0;
}

int
cuStreamSynchronize(void *stream) {
  (void)stream;
  return 0;
}

static int
run_digest(unsigned n, void *const *parameters) {
  uint64_t address, bytes, out;
  memcpy(&address, parameters[0], sizeof address);
  memcpy(&bytes, parameters[1], sizeof bytes);
  memcpy(&out, parameters[2], sizeof out);
  for (unsigned i = 0; i < n; i++) {
    uint64_t at = (uint64_t)i * INJECT_FRAME_BYTES, left = bytes - at;
    ((Digest *)(uintptr_t)out)[i] =
        digest_of((const void *)(uintptr_t)(address + at),
                  left < INJECT_FRAME_BYTES ? left : INJECT_FRAME_BYTES);
  }
  return 0;
}

// --- modules and functions

static void
load(struct CuModule *module) {
  if (module->number)
    return;
  module->number = ++n_modules;
  CuptiModuleResourceData data = {module->number, module->bytes, module->image};
  driver_call_back_resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

static struct CuModule *
make_module(const void *image, size_t bytes) {
  struct CuModule *module = calloc(1, sizeof *module);
  module->image = image;
  module->bytes = bytes;
  for (int i = 0; i < N_VARIABLES; i++)
    memset(module->variables[i].bytes, 7, VARIABLE_BYTES);
  return module;
}

// The real one finds the size in the image.
int
fake_driver_load(struct CuModule **module, const void *image, size_t bytes) {
  const CuGiveParams params = {(void **)module};
  driver_call_back(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, CUPTI_API_ENTER, NULL, &params);
  *module = make_module(image, bytes);
  load(*module);
  driver_call_back(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, CUPTI_API_EXIT, NULL, &params);
  return 0;
}

int
cuModuleUnload(struct CuModule *module) {
  CuptiModuleResourceData data = {module->number, module->bytes, module->image};
  driver_call_back_resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &data);
  for (struct CuFunction **link = &functions; *link;) {
    struct CuFunction *function = *link;
    if (function->module != module) {
      link = &function->next;
      continue;
    }
    *link = function->next;
    function->next = unloaded;
    unloaded = function;
  }
  free(module);
  return 0;
}

static void
make_function(uint32_t id, struct CuFunction **function, struct CuModule *module,
              const char *name) {
  const CuGetFunctionParams params = {(void **)function, module, name};
  driver_call_back(id, CUPTI_API_ENTER, NULL, &params);
  struct CuFunction *made = unloaded;
  unloaded = made ? made->next : NULL;
  made = made ? made : malloc(sizeof *made);
  *made = (struct CuFunction){.next = functions};
  functions = *function = made;
  snprintf((*function)->name, sizeof(*function)->name, "%s", name);
  (*function)->module = module;
  driver_call_back(id, CUPTI_API_EXIT, NULL, &params);
}

int
cuModuleGetFunction(struct CuFunction **function, struct CuModule *module, const char *name) {
  if ((const void *)module == digest_module)
    *function = (struct CuFunction *)(void *)digest_function;
  else
    make_function(CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, function, module, name);
  return 0;
}

int
fake_driver_kernel(struct CuFunction **kernel, const void *image, size_t bytes, const char *name) {
  make_function(CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel, kernel, make_module(image, bytes),
                name);
  (*kernel)->is_kernel = true;
  return 0;
}

int
cuKernelGetFunction(void **function, void *kernel) {
  struct CuFunction *of = kernel;
  if (!of->is_kernel)
    return INVALID_HANDLE;
  load(of->module);
  if (!of->function)
    cuModuleGetFunction(&of->function, of->module, of->name);
  *function = of->function;
  return 0;
}

int
cuFuncGetName(const char **name, void *function) {
  const struct CuFunction *of = function;
  if (of->is_kernel)
    return INVALID_HANDLE;
  *name = of->name;
  return 0;
}

int
cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)attribute;
  *value = 0;
  return ((struct CuFunction *)function)->is_kernel ? INVALID_HANDLE : 0;
}

int
cuFuncGetModule(void **module, void *function) {
  *module = ((struct CuFunction *)function)->module;
  return 0;
}

int
cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name) {
  struct CuModule *of = module;
  int i = 0;
  while (of->variables[i].name[0] && strcmp(of->variables[i].name, name) != 0)
    if (++i == N_VARIABLES)
      return NOT_FOUND;
  snprintf(of->variables[i].name, sizeof of->variables[i].name, "%s", name);
  *address = (uint64_t)(uintptr_t)of->variables[i].bytes;
  *bytes = VARIABLE_BYTES;
  return 0;
}

// --- launches

int
cuStreamIsCapturing(void *stream, int *status) {
  *status = stream == FAKE_CAPTURING_STREAM;
  return 0;
}

int
cuThreadExchangeStreamCaptureMode(int *mode) {
  (void)mode;
  return 0;
}

void
driver_run(void *handle, const unsigned *grid, const unsigned *block, void *const *parameters) {
  struct CuFunction *function = handle;
  const Memory *memory;
  load(function->module);
  pthread_mutex_lock(&lock);
  memory = parameters ? find_memory(*(uint64_t *)parameters[0]) : NULL;
  if (memory)
    ++*(uint32_t *)(uintptr_t)(*(uint64_t *)parameters[0]);
  uint64_t took = (uint64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
  if (is_timing && n_records < MAX_RECORDS)
    records[n_records++] = (CuptiActivityKernel){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                 .start = now,
                                                 .end = now + took,
                                                 .name = function->name};
  now += took + 1;
  pthread_mutex_unlock(&lock);
}

static int
launch(uint32_t id, const CuLaunchKernelParams *params) {
  struct CuFunction *function = params->f;
  driver_call_back(id, CUPTI_API_ENTER, function->name, params);
  if (params->hStream != FAKE_CAPTURING_STREAM)
    driver_run(function, params->grid, params->block, params->kernelParams);
  if (getenv("FAKE_DRIVER_FAULT"))
    abort();
  driver_call_back(id, CUPTI_API_EXIT, function->name, params);
  return 0;
}

int
cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
               unsigned bz, unsigned bytes, void *stream, void **parameters, void **extra) {
  const CuLaunchKernelParams params = {function, {gx, gy, gz}, {bx, by, bz}, bytes,
                                       stream,   parameters,   extra};
  if (function == digest_function)
    return run_digest(gx, parameters);
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params);
}

int
cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned bytes, void *stream,
                          void **parameters) {
  const CuLaunchKernelParams params = {function, {gx, gy, gz}, {bx, by, bz}, bytes,
                                       stream,   parameters,   NULL};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &params);
}

int
cuLaunchKernelEx(const CuLaunchConfig *config, void *function, void **parameters, void **extra) {
  const CuLaunchKernelExParams params = {config, function, parameters, extra};
  const char *name = ((struct CuFunction *)function)->name;
  driver_call_back(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_ENTER, name, &params);
  driver_run(function, config->grid, config->block, parameters);
  driver_call_back(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_EXIT, name, &params);
  return 0;
}
