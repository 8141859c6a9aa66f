// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a stream does: one call of the program, or one node of a graph. A call is made, checked, and then run at once, queued, or put
// in a graph, whatever it does.
#pragma once

#include "gpu/driver/abi-graph.h"
#include "gpu/driver/kernel/module.h"
#include "gpu/driver/stream/stream.h"
#include "sim/texture/descriptor.h"

typedef struct {
  Kernel *kernel;
  const void *function; // as the program named it
  dim3 grid, block, cluster;
  unsigned dynamic_bytes;
  bool is_cooperative;
  uint64_t stopped; // number of the launch that has begun, and waits; 0: it has not begun, or ended
  unsigned char *parameters; // all of them, as the kernel gets them
  void **places;             // where each is among them
  SmbTexture *bound;         // (nullable): what references of the module are bound to
  size_t n_bound;
  cudaLaunchAttributeValue attributes[cudaLaunchAttributeEnd];
  cudaLaunchAttributeValue *
      updatable; // (nullable): of a launch that is captured: where the program is told what kernels change its node by
} KernelCall;

typedef struct {
  cudaMemsetParams rows;
  size_t depth, slice_bytes;
} FillCall;

// Graphs that run as the value of a condition says.
typedef struct {
  uint64_t handle;
  cudaGraphConditionalNodeType type;
  unsigned size;
  cudaGraph_t bodies[]; // as many as @size
} ConditionCall;

typedef struct {
  cudaGraphNodeType kind;
  union {
    KernelCall *kernel;
    cudaMemcpy3DParms copy;
    FillCall fill;
    cudaHostNodeParams host;
    cudaGraph_t child; // its own
    cudaGraphExec_t
        run; // of a call that is no node: a graph that is launched; kind is that of a child
    Event *event;
    cudaMemAllocNodeParams allocation;
    void *freed;
    ConditionCall *condition;
    MemoryCall *memory;
  };
  bool is_launch; // @run, not @child
} Call;

// Whether a call can be made. Its parts are its own from here on.
cudaError_t call_check(const Call *call);

// Takes a call: it is run, queued, or put in the graph that the stream is captured into; @waits: it has been run when that returns.
// Returns what the program is told, kept as the last error.
cudaError_t call_submit(Call *call, cudaStream_t stream, bool waits);

cudaError_t call_run(const Call *call);
bool call_copy(Call *to, const Call *from);
void call_clear(Call *call);

// --- parts of calls
cudaError_t copy_check(const cudaMemcpy3DParms *copy);
cudaError_t copy_run(const cudaMemcpy3DParms *copy);
bool copy_is_empty(const cudaMemcpy3DParms *copy);
bool copy_is_pageable(
    const cudaMemcpy3DParms
        *copy); // of the host's memory, that the program may change when the call returns
// Copies of a batch (cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync).
cudaError_t copy_batch(void *const *to, const void *const *from, const size_t *bytes, size_t n,
                       const void *attributes, const size_t *firsts, size_t n_attributes,
                       cudaStream_t stream);
cudaError_t copy_boxes(size_t n, const cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                       cudaStream_t stream);
cudaError_t fill_check(const FillCall *fill);
void fill_run(const FillCall *fill);

// A launch (@call: out). Its cluster is that of the function unless attributes say another.
cudaError_t launch_make(Call *call, const void *function, const cudaLaunchConfig_t *configuration,
                        void **arguments);
cudaError_t launch_check(const KernelCall *launch);
// Runs a launch until it has ended, or waits for others to write (KernelCall.stopped): only with @may_stop. @overlaps: it may begin before the launch
// before it has ended.
void launch_begin(KernelCall *launch, uint64_t stream, bool may_stop, bool overlaps);
// Whether it may begin before the kernel ahead of it in its stream has ended (programmatic stream serialization).
bool launch_may_overlap(const KernelCall *launch);
// Begins a launch, or continues one, and returns when it has ended.
void launch_run(KernelCall *launch);
KernelCall *launch_call_copy(const KernelCall *launch);
void launch_call_free(KernelCall *launch);

// A node with a condition (graph-condition.c), whose bodies are told.
cudaError_t condition_make(Call *call, cudaConditionalNodeParams *parameters);
cudaError_t condition_run(const ConditionCall *call);
ConditionCall *condition_call_copy(const ConditionCall *call);
void condition_call_free(ConditionCall *call);
