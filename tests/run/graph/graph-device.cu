// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs that kernels launch: fire and forget, as a sibling, and when all is done; one that launches itself; and nodes that kernels change.
// nvcc: -rdc=true
#include "../check.h"

#define TELL(call) (printf("%s: %s\n", #call, cudaGetErrorName(call)), cudaGetLastError())

struct Log {
  int n;
  int entries[60];
  int errors[60];
};
static Log *log_;

static void
show(const char *title) {
  CHECK(cudaDeviceSynchronize());
  Log host;
  CHECK(cudaMemcpy(&host, log_, sizeof host, cudaMemcpyDeviceToHost));
  printf("%s:", title);
  for (int i = 0; i < host.n; i++)
    printf(" %d", host.entries[i]);
  for (int i = 0; i < 8; i++)
    if (host.errors[i])
      printf(" error[%d]=%d", i, host.errors[i]);
  printf("\n");
  CHECK(cudaMemset(log_, 0, sizeof host));
}

// One entry for the grid, which says how many blocks it has.
__global__ void
note(Log *log, int what) {
  if (blockIdx.x == 0)
    log->entries[atomicAdd(&log->n, 1)] = what + 1000 * (gridDim.x - 1);
}

__global__ void
launch(Log *log, cudaGraphExec_t graph, unsigned long long stream, int what) {
  log->entries[atomicAdd(&log->n, 1)] = what;
  log->errors[0] = cudaGraphLaunch(graph, (cudaStream_t)stream);
}

__global__ void
launch_often(Log *log, cudaGraphExec_t graph) {
  for (int i = 0; i < 3; i++)
    log->errors[i] = cudaGraphLaunch(graph, cudaStreamGraphTailLaunch);
}

__global__ void
again(Log *log, int *count) {
  log->entries[atomicAdd(&log->n, 1)] = 50 + *count;
  if (--*count > 0)
    log->errors[1] = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

__global__ void
current(Log *log, cudaGraphExec_t graph) {
  log->entries[atomicAdd(&log->n, 1)] = cudaGetCurrentGraphExec() == graph;
  log->entries[atomicAdd(&log->n, 1)] = cudaGetCurrentGraphExec() == 0;
}

__global__ void
change(cudaGraphDeviceNode_t node, int what, Log *log, int blocks, int enabled) {
  log->errors[2] = cudaGraphKernelNodeSetParam(node, 8, what);
  log->errors[3] = cudaGraphKernelNodeSetGridDim(node, dim3(blocks));
  log->errors[4] = cudaGraphKernelNodeSetEnabled(node, enabled);
}

__global__ void
change_all(cudaGraphDeviceNode_t node, int what, Log *log, int blocks) {
  alignas(8) char room[2 * sizeof(cudaGraphKernelNodeUpdate)] = {}; // it has no constructor
  cudaGraphKernelNodeUpdate *u = (cudaGraphKernelNodeUpdate *)room;
  u[0].node = node;
  u[0].field = cudaGraphKernelNodeFieldGridDim;
  u[0].updateData.gridDim = dim3(blocks);
  u[1].node = node;
  u[1].field = cudaGraphKernelNodeFieldParam;
  u[1].updateData.param.pValue = &what;
  u[1].updateData.param.offset = 8;
  u[1].updateData.param.size = 4;
  log->errors[5] = cudaGraphKernelNodeUpdatesApply(u, 2);
}

template <class... A>
static cudaGraphNode_t
add(cudaGraph_t graph, cudaGraphNode_t after, void *kernel, A... a) {
  void *arguments[] = {&a...};
  cudaKernelNodeParams k = {};
  k.func = kernel;
  k.gridDim = dim3(1);
  k.blockDim = dim3(1);
  k.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddKernelNode(&node, graph, after ? &after : nullptr, after ? 1 : 0, &k));
  return node;
}

static cudaGraphExec_t
make(cudaGraph_t graph, unsigned long long flags) {
  cudaGraphExec_t exec = nullptr;
  TELL(cudaGraphInstantiate(&exec, graph, flags));
  return exec;
}

static const unsigned long long tail = 0x0100000000000000, forget = 0x0200000000000000,
                                sibling = 0x0300000000000000;

int
main() {
  CHECK(cudaMalloc(&log_, sizeof *log_));
  CHECK(cudaMemset(log_, 0, sizeof *log_));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  // a graph of two kernels
  cudaGraph_t work;
  CHECK(cudaGraphCreate(&work, 0));
  cudaGraphNode_t first = add(work, nullptr, (void *)note, log_, 1);
  add(work, first, (void *)note, log_, 2);
  cudaGraphExec_t child = make(work, cudaGraphInstantiateFlagDeviceLaunch);
  unsigned long long flags = 99;
  TELL(cudaGraphExecGetFlags(child, &flags));
  printf("flags %llu\n", flags);
  cudaGraph_t thrice;
  CHECK(cudaGraphCreate(&thrice, 0));
  add(thrice, nullptr, (void *)launch_often, log_, child);
  cudaGraphExec_t often = make(thrice, cudaGraphInstantiateFlagDeviceLaunch);
  CHECK(cudaGraphLaunch(often, stream));
  show("not uploaded");
  TELL(cudaGraphUpload(child, stream));
  CHECK(cudaGraphLaunch(often, stream));
  show("three times");
  CHECK(cudaStreamSynchronize(stream));
  unsigned long long ways[] = {tail, forget, sibling, 0, 0x0400000000000000};
  for (unsigned long long way : ways) {
    cudaGraph_t parent;
    CHECK(cudaGraphCreate(&parent, 0));
    add(parent, nullptr, (void *)launch, log_, child, way, 10);
    cudaGraphExec_t exec = make(parent, cudaGraphInstantiateFlagDeviceLaunch);
    CHECK(cudaGraphLaunch(exec, stream));
    char title[30];
    snprintf(title, sizeof title, "way %llx", way >> 56);
    show(title);
    CHECK(cudaGraphExecDestroy(exec));
  }
  // tail launches wait for the whole graph
  cudaGraph_t parent;
  CHECK(cudaGraphCreate(&parent, 0));
  cudaGraphNode_t l = add(parent, nullptr, (void *)launch, log_, child, tail, 10);
  add(parent, l, (void *)note, log_, 11);
  cudaGraphExec_t exec = make(parent, cudaGraphInstantiateFlagDeviceLaunch);
  CHECK(cudaGraphLaunch(exec, stream));
  show("tail and more");
  // not instantiated for the device
  cudaGraphExec_t plain = make(parent, 0);
  CHECK(cudaGraphLaunch(plain, stream));
  show("from a graph of the host");
  // itself
  int *count, three = 3;
  CHECK(cudaMalloc(&count, 4));
  CHECK(cudaMemcpy(count, &three, 4, cudaMemcpyHostToDevice));
  cudaGraph_t loop;
  CHECK(cudaGraphCreate(&loop, 0));
  add(loop, nullptr, (void *)again, log_, count);
  cudaGraphExec_t looping = make(loop, cudaGraphInstantiateFlagDeviceLaunch);
  CHECK(cudaGraphLaunch(looping, stream));
  show("itself");
  // current
  cudaGraph_t c;
  CHECK(cudaGraphCreate(&c, 0));
  add(c, nullptr, (void *)current, log_, (cudaGraphExec_t) nullptr);
  cudaGraphExec_t ce = make(c, cudaGraphInstantiateFlagDeviceLaunch), cp = make(c, 0);
  CHECK(cudaGraphLaunch(ce, stream));
  show("current of a device graph");
  CHECK(cudaGraphLaunch(cp, stream));
  show("current of a graph");
  current<<<1, 1>>>(log_, nullptr);
  show("current of none");
  // what may not be in it
  cudaGraph_t bad;
  CHECK(cudaGraphCreate(&bad, 0));
  cudaGraphNode_t e;
  CHECK(cudaGraphAddEmptyNode(&e, bad, nullptr, 0));
  make(bad, cudaGraphInstantiateFlagDeviceLaunch);
  cudaMemsetParams m = {};
  m.dst = log_;
  m.elementSize = 4;
  m.width = m.height = 1;
  CHECK(cudaGraphAddMemsetNode(&e, bad, nullptr, 0, &m));
  make(bad, cudaGraphInstantiateFlagDeviceLaunch);
  cudaHostNodeParams h = {[](void *) {}, nullptr};
  CHECK(cudaGraphAddHostNode(&e, bad, nullptr, 0, &h));
  cudaGraphInstantiateParams ip = {};
  ip.flags = cudaGraphInstantiateFlagDeviceLaunch;
  cudaGraphExec_t none;
  TELL(cudaGraphInstantiateWithParams(&none, bad, &ip));
  printf("result %d, node is the host's %d\n", ip.result_out, ip.errNode_out == e);
  cudaGraph_t empty;
  CHECK(cudaGraphCreate(&empty, 0));
  make(empty, cudaGraphInstantiateFlagDeviceLaunch);
  make(work, cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch);
  ip = {};
  ip.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUpload;
  ip.uploadStream = stream;
  TELL(cudaGraphInstantiateWithParams(&none, work, &ip));
  printf("result %d\n", ip.result_out);
  TELL(cudaGraphInstantiateWithParams(&none, work, &ip));
  TELL(cudaGraphExecDestroy(none));
  // nodes that kernels change
  cudaGraph_t updated;
  CHECK(cudaGraphCreate(&updated, 0));
  cudaGraphNode_t target = add(updated, nullptr, (void *)note, log_, 31);
  cudaLaunchAttributeValue v = {};
  v.deviceUpdatableKernelNode.deviceUpdatable = 1;
  TELL(cudaGraphKernelNodeSetAttribute(target, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
  printf("node %d\n", v.deviceUpdatableKernelNode.devNode != nullptr);
  cudaGraphDeviceNode_t node = v.deviceUpdatableKernelNode.devNode;
  v.deviceUpdatableKernelNode.deviceUpdatable = 0;
  TELL(cudaGraphKernelNodeSetAttribute(target, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
  TELL(cudaGraphDestroyNode(target));
  TELL(cudaGraphKernelNodeCopyAttributes(first, target));
  cudaGraph_t clone;
  TELL(cudaGraphClone(&clone, updated));
  cudaGraphExec_t ux = make(updated, 0);
  make(updated, 0);
  TELL(cudaGraphUpload(ux, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphLaunch(ux, stream));
  show("as it was");
  change<<<1, 1, 0, stream>>>(node, 32, log_, 3, 1);
  CHECK(cudaGraphLaunch(ux, stream));
  show("changed");
  change<<<1, 1, 0, stream>>>(node, 33, log_, 1, 0);
  CHECK(cudaGraphLaunch(ux, stream));
  show("disabled");
  change_all<<<1, 1, 0, stream>>>(node, 34, log_, 2);
  CHECK(cudaGraphLaunch(ux, stream));
  show("still disabled");
  change<<<1, 1, 0, stream>>>(node, 35, log_, 1, 1);
  CHECK(cudaGraphLaunch(ux, stream));
  show("enabled");
  change_all<<<1, 1, 0, stream>>>(node, 36, log_, 4);
  CHECK(cudaGraphLaunch(ux, stream));
  show("changed together");
  // within one graph: a kernel changes one that follows
  cudaGraph_t both;
  CHECK(cudaGraphCreate(&both, 0));
  // the target first, to have its handle, then the kernel that changes it and comes before
  cudaGraphNode_t second = add(both, nullptr, (void *)note, log_, 41);
  v = {};
  v.deviceUpdatableKernelNode.deviceUpdatable = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
  cudaGraphNode_t changing =
      add(both, nullptr, (void *)change, v.deviceUpdatableKernelNode.devNode, 42, log_, 2, 1);
  CHECK(cudaGraphAddDependencies(both, &changing, &second, nullptr, 1));
  cudaGraphExec_t bx = make(both, 0);
  CHECK(cudaGraphLaunch(bx, stream));
  show("changed on the way");
  // a node that was captured
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaGraph_t captured;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaLaunchKernelEx(&config, note, log_, 51));
  CHECK(cudaStreamEndCapture(stream, &captured));
  cudaGraphExec_t cx = make(captured, 0);
  CHECK(cudaGraphUpload(cx, stream));
  change<<<1, 1, 0, stream>>>(attribute.val.deviceUpdatableKernelNode.devNode, 52, log_, 2, 1);
  CHECK(cudaGraphLaunch(cx, stream));
  show("captured and changed");
  return finish("graph-device");
}
