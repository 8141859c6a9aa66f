// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the made-up driver has that a program calls. Where the driver's own function would take more than is needed, there is
// one of ours in its place.
#pragma once

#include "gpu/inject/abi.h"

struct CuModule;
struct CuFunction;
struct CuGraph;
struct CuNode;

// A stream whose launches are taken down in place of being run.
#define FAKE_CAPTURING_STREAM ((void *)0x100)

int cuInit(unsigned flags);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
// What was copied from the device since it was asked last, in bytes.
size_t fake_driver_copied(void);
int cuModuleGetFunction(struct CuFunction **function, struct CuModule *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned bytes, void *stream, void **parameters, void **extra);
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned bytes, void *stream,
                              void **parameters);
int cuLaunchKernelEx(const CuLaunchConfig *config, void *function, void **parameters, void **extra);
int cuGraphLaunch(void *exec, void *stream);

// cuModuleLoadData(): @image stays where it is.
int fake_driver_load(struct CuModule **module, const void *image, size_t bytes);
int cuModuleUnload(struct CuModule *module);
// cuLibraryLoadData() and cuLibraryGetKernel(): nothing is loaded yet.
int fake_driver_kernel(struct CuFunction **kernel, const void *image, size_t bytes,
                       const char *name);
// cuGraphCreate(), cuGraphAddNode() behind all others, cuGraphInstantiate().
int fake_driver_graph(struct CuGraph **graph);
struct CuNode *fake_driver_add(struct CuGraph *graph, int type, const CuKernelNodeParams *params);
struct CuNode *fake_driver_add_child(struct CuGraph *graph, const struct CuGraph *child);
int cuGraphChildGraphNodeGetGraph(void *node, void **graph);
int cuGraphGetNodes(void *graph, void **nodes, size_t *n);
int fake_driver_instantiate(struct CuGraph **exec, struct CuGraph *graph);
// The functions that change an executable graph, each by its number. @what: a node, or the graph that it is updated from; @to:
// parameters, a graph, or whether the node is enabled: NULL or not.
int fake_driver_change(uint32_t id, struct CuGraph *exec, void *what, const void *to);
