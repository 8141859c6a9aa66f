// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The functions of the driver and of CUPTI that the injection library calls in the process that it is loaded into. Both
// are there when it is loaded: the driver has loaded it.
#pragma once

#include "gpu/inject/abi.h"

// Of the driver. Those at the end are %NULL where the driver is older than they are: what is theirs is left out.
typedef struct {
  int (*version)(int *version);
  int (*get_context)(void **context);
  int (*set_context)(void *context);
  int (*synchronize)(void);
  int (*get_device)(int *device);
  int (*device_name)(char *name, int size, int device);
  int (*device_attribute)(int *value, int attribute, int device);
  int (*function_attribute)(int *value, int attribute, void *function);
  int (*function_module)(void **module, void *function);
  int (*module_global)(uint64_t *address, size_t *bytes, void *module, const char *name);
  int (*address_range)(uint64_t *base, size_t *bytes, uint64_t address);
  int (*pointer_attribute)(void *value, int attribute, uint64_t address);
  int (*download)(void *to, uint64_t address, size_t bytes);
  int (*stream_capturing)(void *stream, int *status);
  int (*exchange_capture_mode)(int *mode);
  int (*graph_nodes)(void *graph, void **nodes, size_t *n);
  int (*node_type)(void *node, int *type);
  int (*node_kernel)(void *node, CuKernelNodeParams *params);
  int (*node_graph)(void *node, void **graph);
  int (*node_attribute)(void *node, int attribute, CuLaunchAttributeValue *value);
  int (*node_dependencies)(void *node, void **dependencies, size_t *n);
  int (*retain_handle)(uint64_t *handle, void *address);
  int (*release_handle)(uint64_t handle);
  int (*load_module)(void **module, const void *image); // these: for digests (digest.h)
  int (*get_function)(void **function, void *module, const char *name);
  int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
                void **parameters, void **extra);
  int (*create_stream)(void **stream, unsigned flags);
  int (*synchronize_stream)(void *stream);
  int (*allocate_host)(void **memory, size_t bytes, unsigned flags);
  int (*kernel_function)(void **function, void *kernel);                              // CUDA 12.0
  int (*function_name)(const char **name, void *function);                            // CUDA 12.3
  int (*function_parameter)(void *function, size_t i, size_t *offset, size_t *bytes); // CUDA 12.4
} InjectDriver;

// Of CUPTI.
typedef struct {
  int (*subscribe)(void **subscriber, CuptiCallback callback, void *user);
  int (*enable_callback)(uint32_t enable, void *subscriber, int domain, uint32_t id);
  int (*activity_register)(CuptiBufferRequested requested, CuptiBufferCompleted completed);
  int (*activity_enable)(int kind);
  int (*activity_disable)(int kind);
  int (*activity_flush)(uint32_t flag);
  int (*activity_next)(uint8_t *buffer, size_t valid, void **record);
} InjectCupti;

// Finds the functions. Returns (nullable) (transfer none): what is missing.
const char *inject_driver_find(InjectDriver *driver);

// The same in CUPTI, which is at @path.
const char *inject_cupti_find(InjectCupti *cupti, const char *path);
