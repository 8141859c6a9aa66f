// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Finds the driver's and CUPTI's functions at run time; older drivers lack some of them.
#include "gpu/inject/driver.h"

#include <dlfcn.h>
#include <string.h>

typedef struct {
  const char *name;
  size_t member;
} Symbol;

#define DRIVER(name, member)                                                                       \
  { name, offsetof(InjectDriver, member) }
#define CUPTI(name, member)                                                                        \
  { name, offsetof(InjectCupti, member) }

static const Symbol driver_symbols[] = {
    DRIVER("cuDriverGetVersion", version),
    DRIVER("cuCtxGetCurrent", get_context),
    DRIVER("cuCtxSetCurrent", set_context),
    DRIVER("cuCtxSynchronize", synchronize),
    DRIVER("cuCtxGetDevice", get_device),
    DRIVER("cuDeviceGetName", device_name),
    DRIVER("cuDeviceGetAttribute", device_attribute),
    DRIVER("cuFuncGetAttribute", function_attribute),
    DRIVER("cuFuncGetModule", function_module),
    DRIVER("cuModuleGetGlobal_v2", module_global),
    DRIVER("cuMemGetAddressRange_v2", address_range),
    DRIVER("cuPointerGetAttribute", pointer_attribute),
    DRIVER("cuMemcpyDtoH_v2", download),
    DRIVER("cuStreamIsCapturing", stream_capturing),
    DRIVER("cuThreadExchangeStreamCaptureMode", exchange_capture_mode),
    DRIVER("cuGraphGetNodes", graph_nodes),
    DRIVER("cuGraphNodeGetType", node_type),
    DRIVER("cuGraphKernelNodeGetParams_v2", node_kernel),
    DRIVER("cuGraphChildGraphNodeGetGraph", node_graph),
    DRIVER("cuGraphKernelNodeGetAttribute", node_attribute),
    DRIVER("cuGraphNodeGetDependencies", node_dependencies),
    DRIVER("cuMemRetainAllocationHandle", retain_handle),
    DRIVER("cuMemRelease", release_handle),
};

static const Symbol newer_symbols[] = {
    DRIVER("cuModuleLoadData", load_module),
    DRIVER("cuModuleGetFunction", get_function),
    DRIVER("cuLaunchKernel", launch),
    DRIVER("cuStreamCreate", create_stream),
    DRIVER("cuStreamSynchronize", synchronize_stream),
    DRIVER("cuMemHostAlloc", allocate_host),
    DRIVER("cuKernelGetFunction", kernel_function),
    DRIVER("cuFuncGetName", function_name),
    DRIVER("cuFuncGetParamInfo", function_parameter),
};

static const Symbol cupti_symbols[] = {
    CUPTI("cuptiSubscribe", subscribe),
    CUPTI("cuptiEnableCallback", enable_callback),
    CUPTI("cuptiActivityRegisterCallbacks", activity_register),
    CUPTI("cuptiActivityEnable", activity_enable),
    CUPTI("cuptiActivityDisable", activity_disable),
    CUPTI("cuptiActivityFlushAll", activity_flush),
    CUPTI("cuptiActivityGetNextRecord", activity_next),
};

// The first name that is missing, or NULL.
static const char *
find_driver_functions(void *library, const Symbol *symbols, size_t n, void *functions) {
  const char *missing = NULL;
  for (size_t i = 0; i < n; i++) {
    void *symbol = dlsym(library, symbols[i].name);
    if (!symbol && !missing)
      missing = symbols[i].name;
    memcpy((char *)functions + symbols[i].member, &symbol, sizeof symbol);
  }
  return missing;
}

const char *
inject_driver_find(InjectDriver *driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library)
    return "libcuda.so.1";
  find_driver_functions(library, newer_symbols, sizeof newer_symbols / sizeof *newer_symbols,
                        driver);
  return find_driver_functions(library, driver_symbols,
                               sizeof driver_symbols / sizeof *driver_symbols, driver);
}

const char *
inject_cupti_find(InjectCupti *cupti, const char *path) {
  void *library = path ? dlopen(path, RTLD_NOW) : NULL;
  if (!library)
    return path ? path : "CUPTI";
  return find_driver_functions(library, cupti_symbols, sizeof cupti_symbols / sizeof *cupti_symbols,
                               cupti);
}
