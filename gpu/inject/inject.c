// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The injection library of `smembank capture`: the driver loads it into each process that uses CUDA
// (CUDA_INJECTION64_PATH), and calls InitializeInjection(). CUPTI's callbacks then say which modules are loaded and
// which kernels are launched; that needs no permission. It is plain C, brings no library with it, prints nothing, and
// gives way: if nobody listens, or anything is missing, the application runs as it does without it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/inject/digest.h"
#include "gpu/inject/graph.h"
#include "gpu/inject/module.h"

#define EXPORT __attribute__((visibility("default")))

static InjectDriver driver;
static InjectCupti cupti;

static const uint32_t launch_callbacks[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled,
};

static const uint32_t resource_callbacks[] = {
    CUPTI_CBID_RESOURCE_MODULE_LOADED,
    CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
};

// Functions that may load a module, and give it, or a function of it.
static const uint32_t module_callbacks[] = {
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,        CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,  CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule,  CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction,
    CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction,
};

// Kernels are named when they are looked up, also by cuModuleGetFunction(): until one is wanted, launches need not be
// looked at, and cost nothing more.
static const uint32_t name_callbacks[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryEnumerateKernels,
    CUPTI_DRIVER_TRACE_CBID_cuModuleEnumerateFunctions,
};

static void *subscriber;
static bool looks_at_launches;

#define N_CALLBACKS(ids) (sizeof(ids) / sizeof *(ids))

static void
enable(int domain, const uint32_t *ids, size_t n, bool is_on) {
  for (size_t i = 0; i < n; i++)
    cupti.enable_callback(is_on, subscriber, domain, ids[i]);
}

static void
look_at_launches(void) {
  enable(CUPTI_CB_DOMAIN_DRIVER_API, name_callbacks, N_CALLBACKS(name_callbacks), false);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, launch_callbacks, N_CALLBACKS(launch_callbacks), true);
  __atomic_store_n(&looks_at_launches, true, __ATOMIC_RELEASE);
}

static void
notice_wanted_name(uint32_t id, const CuptiCallbackData *data) {
  const CuGetFunctionParams *given = data->functionParams;
  if (__atomic_load_n(&looks_at_launches, __ATOMIC_ACQUIRE))
    return;
  bool has_name = id == CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction ||
                  id == CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel;
  if (!has_name || kernel_is_wanted(given->name))
    look_at_launches();
}

// Numbers of modules are from 1 on here.
static void
take_module(const CuptiModuleResourceData *module) {
  SmbPayload payload = {0};
  module_loaded(module->moduleId + 1);
  smb_payload_add_number(&payload, module->moduleId + 1);
  smb_payload_add_bytes(&payload, module->pCubin, module->cubinSize);
  channel_send(INJECT_IMAGE, &payload);
  smb_payload_clear(&payload);
}

static void
drop_module(const CuptiModuleResourceData *module) {
  SmbPayload payload = {0};
  module_unloaded(module->moduleId + 1);
  kernel_unloaded(module->moduleId + 1);
  smb_payload_add_number(&payload, module->moduleId + 1);
  channel_send(INJECT_UNLOAD, &payload);
  smb_payload_clear(&payload);
}

static void
take_resource(uint32_t id, const CuptiResourceData *data) {
  const CuptiGraphData *graph = data->resourceDescriptor;
  if (!graph)
    return;
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    take_module(data->resourceDescriptor);
  else if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
    drop_module(data->resourceDescriptor);
  else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
    graph_made(graph->graphExec, graph->graph);
  else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING)
    graph_destroyed(graph->graphExec);
}

// The attributes of a launch by cuLaunchKernelEx().
static void
read_launch_attributes(const CuLaunchConfig *config, Launch *launch) {
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const CuLaunchAttribute *attribute = &config->attrs[i];
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      memcpy(launch->cluster, attribute->value.clusterDim, sizeof launch->cluster);
    else if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      launch->is_cooperative = attribute->value.cooperative != 0;
  }
}

// A launch is recorded, or it is only counted.
static void
record_or_count_launch(const char *symbol, void *handle, Launch *launch, void *const *parameters,
                       void *const *extra) {
  Kernel *kernel = symbol ? kernel_find(&driver, handle, symbol) : NULL;
  if (!kernel || !kernel->is_wanted || record_is_capturing(launch->stream))
    return;
  __atomic_add_fetch(&kernel->seen, 1, __ATOMIC_RELAXED);
  if (!record_chooses(&launch->number) || !record_begin(kernel))
    return;
  if (!kernel->has_image)
    kernel_complete(&driver, kernel);
  const Place alone = {0};
  unsigned char *bytes = kernel_gather(kernel, parameters, extra, &launch->parameter_bytes);
  launch->kernel = kernel;
  launch->parameters = bytes;
  record_launch(launch, &alone);
  free(bytes);
}

static void
enter_launch(const CuptiCallbackData *data, bool is_cooperative) {
  const CuLaunchKernelParams *given = data->functionParams;
  Launch launch = {.dynamic_bytes = given->sharedMemBytes,
                   .is_cooperative = is_cooperative,
                   .stream = given->hStream};
  memcpy(launch.grid, given->grid, sizeof launch.grid);
  memcpy(launch.block, given->block, sizeof launch.block);
  record_or_count_launch(data->symbolName, given->f, &launch, given->kernelParams,
                         is_cooperative ? NULL : given->extra);
}

static void
enter_launch_ex(const CuptiCallbackData *data) {
  const CuLaunchKernelExParams *given = data->functionParams;
  const CuLaunchConfig *config = given->config;
  Launch launch = {.dynamic_bytes = config->sharedMemBytes, .stream = config->hStream};
  memcpy(launch.grid, config->grid, sizeof launch.grid);
  memcpy(launch.block, config->block, sizeof launch.block);
  read_launch_attributes(config, &launch);
  record_or_count_launch(data->symbolName, given->f, &launch, given->kernelParams, given->extra);
}

static void
enter(uint32_t id, const CuptiCallbackData *data) {
  const CuGraphLaunchParams *graph = data->functionParams;
  switch (id) {
  case CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction:
    module_begin();
    notice_wanted_name(id, data);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad:
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule:
  case CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction:
    module_begin();
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryEnumerateKernels:
  case CUPTI_DRIVER_TRACE_CBID_cuModuleEnumerateFunctions:
    notice_wanted_name(id, data);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    enter_launch(data, false);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
    enter_launch(data, true);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    enter_launch_ex(data);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
    if (!record_is_capturing(graph->hStream))
      graph_launched(graph->hGraphExec, graph->hStream);
    return;
  default:
    return;
  }
}

// The functions that change an executable graph: what they share first.
typedef struct {
  void *exec;
  void *node; // or the graph that it is updated from
  union {
    const CuKernelNodeParams *kernel;
    const CuGraphNodeParams *any;
    void *graph;
    unsigned is_enabled;
  } to;
} GraphChange;

static void
change_node(const GraphChange *change) {
  const CuGraphNodeParams *to = change->to.any;
  if (to->type == CU_GRAPH_NODE_TYPE_KERNEL)
    graph_changed(change->exec, change->node, &to->of.kernel);
  else if (to->type == CU_GRAPH_NODE_TYPE_GRAPH)
    graph_child_changed(change->exec, change->node, to->of.graph);
}

// The first version has no @kern and @ctx.
static void
change_first(const GraphChange *change) {
  CuKernelNodeParams params = {0};
  memcpy(&params, change->to.kernel, offsetof(CuKernelNodeParams, kern));
  graph_changed(change->exec, change->node, &params);
}

static void
change_graph(uint32_t id, const GraphChange *change) {
  switch (id) {
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
    change_first(change);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
    graph_changed(change->exec, change->node, change->to.kernel);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams:
    change_node(change);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams:
    graph_child_changed(change->exec, change->node, change->to.graph);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled:
    graph_enabled(change->exec, change->node, change->to.is_enabled != 0);
    return;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:
    graph_updated(change->exec, change->node);
    return;
  default:
    return;
  }
}

// A function that was given is of the module that was loaded for it.
static void
take_given(uint32_t id, void *given) {
  bool is_function = id == CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction ||
                     id == CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction;
  void *module = given;
  if (!is_function || driver.function_module(&module, given) == CU_SUCCESS)
    module_found(module);
}

static void
leave_callback(uint32_t id, const CuptiCallbackData *data) {
  const int *result = data->functionReturnValue;
  const CuGiveParams *params = data->functionParams;
  bool is_done = !result || *result == CU_SUCCESS;
  for (size_t i = 0; i < N_CALLBACKS(module_callbacks); i++) {
    if (id != module_callbacks[i])
      continue;
    if (is_done)
      take_given(id, *params->given);
    return;
  }
  if (record_is_open())
    record_end();
  if (is_done)
    change_graph(id, data->functionParams);
}

static void
take_callback(void *user, int domain, uint32_t id, const void *data) {
  const CuptiCallbackData *call = data;
  (void)user;
  if (digest_is_busy())
    return;
  // What was begun is ended, even if no process listens any longer: others wait for it.
  if (!channel_is_open() && !record_is_open())
    return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    take_resource(id, data);
  else if (call->callbackSite == CUPTI_API_ENTER)
    enter(id, call);
  else
    leave_callback(id, call);
}

static void
say_hello(void) {
  SmbPayload payload = {0};
  int version = 0;
  driver.version(&version);
  smb_payload_add_number(&payload, INJECT_PROTOCOL);
  smb_payload_add_number(&payload, (uint64_t)getpid());
  smb_payload_add_number(&payload, (uint64_t)version);
  channel_send(INJECT_HELLO, &payload);
  smb_payload_clear(&payload);
}

static bool
read_record_options(RecordOptions *options) {
  const char *bytes = getenv(INJECT_BYTES), *range = getenv(INJECT_RANGE);
  return bytes && range && sscanf(bytes, "%" SCNu64, &options->memory_bytes) == 1 &&
         sscanf(range, "%lu %lu %lu", &options->first, &options->last, &options->every) == 3 &&
         options->every > 0;
}

EXPORT int InitializeInjection(void);

EXPORT int
InitializeInjection(void) {
  RecordOptions options;
  if (!read_record_options(&options) || inject_driver_find(&driver) ||
      inject_cupti_find(&cupti, getenv(INJECT_CUPTI)) || !channel_open(getenv(INJECT_SOCKET)))
    return 1;
  say_hello();
  if (cupti.subscribe(&subscriber, take_callback, NULL) != CU_SUCCESS)
    return 1;
  graph_start(&driver);
  record_start(&driver, &cupti, &options);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, module_callbacks, N_CALLBACKS(module_callbacks), true);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, name_callbacks, N_CALLBACKS(name_callbacks), true);
  enable(CUPTI_CB_DOMAIN_RESOURCE, resource_callbacks, N_CALLBACKS(resource_callbacks), true);
  atexit(kernel_send_counts);
  return 1;
}
