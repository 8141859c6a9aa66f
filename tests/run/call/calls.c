// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls that need no kernel, for machines without nvcc: it is linked with our library, whose types it takes.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/abi-graph.h"

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaFree(void *address);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaHostRegister(void *address, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *address);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *user), void *user);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t bytes, cudaStream_t stream);
cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

static int failures;

static void
check_error(cudaError_t expected, cudaError_t error, int line) {
  if (error == expected)
    return;
  printf("line %d: %s, expected %s\n", line, cudaGetErrorName(error), cudaGetErrorName(expected));
  failures++;
}

static void
check_truth(bool is_true, int line) {
  if (!is_true)
    printf("line %d: not so\n", line);
  failures += !is_true;
}

#define CHECK(call)           check_error(cudaSuccess, call, __LINE__)
#define FAILS(expected, call) check_error(expected, call, __LINE__)
#define EXPECT(what)          check_truth(what, __LINE__)

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int calls;
static cudaError_t inside;

static void
pass_gate(void *user) {
  void *memory;
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  inside = cudaMalloc(&memory, 4);
  calls += *(int *)user;
}

static void
check_order(cudaStream_t stream) {
  cudaEvent_t event;
  char *device, *other, bytes[8];
  int one = 1;
  CHECK(cudaMalloc((void **)&device, 4096));
  CHECK(cudaMalloc((void **)&other, 4096));
  CHECK(cudaEventCreateWithFlags(&event, 0));
  CHECK(cudaMemsetAsync(device, 1, 4096, stream));
  pthread_mutex_lock(&gate);
  CHECK(cudaLaunchHostFunc(stream, pass_gate, &one));
  CHECK(cudaMemsetAsync(device, 2, 4096, stream));
  CHECK(cudaEventRecord(event, stream));
  FAILS(cudaErrorNotReady, cudaStreamQuery(stream));
  FAILS(cudaErrorNotReady, cudaEventQuery(event));
  // The legacy stream does not wait for one that is not blocking.
  CHECK(cudaMemcpy(other, device, 8, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(bytes, other, 8, cudaMemcpyDeviceToHost));
  EXPECT(bytes[7] == 1 && calls == 0);
  pthread_mutex_unlock(&gate);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(bytes, device, 8, cudaMemcpyDeviceToHost));
  EXPECT(bytes[7] == 2 && calls == 1 && inside == cudaErrorNotPermitted);
  CHECK(cudaEventQuery(event));
  CHECK(cudaEventDestroy(event));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventQuery(event));
  CHECK(cudaFree(device));
  FAILS(cudaErrorInvalidValue, cudaFree(device));
  CHECK(cudaFree(other));
}

static void
check_graph(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  char *device, bytes[8];
  void *memory;
  size_t n = 0;
  int ten = 10;
  CHECK(cudaMalloc((void **)&device, 64));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&memory, 64, stream));
  CHECK(cudaMemsetAsync(memory, 5, 64, stream));
  CHECK(cudaMemcpyAsync(device, memory, 64, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaLaunchHostFunc(stream, pass_gate, &ten));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphGetNodes(graph, NULL, &n));
  EXPECT(n == 5 && calls == 1);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(calls == 21);
  CHECK(cudaMemcpy(bytes, device, 8, cudaMemcpyDeviceToHost));
  EXPECT(bytes[0] == 5);
  CHECK(cudaGraphExecDestroy(exec));
  FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 64));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(device, 1, 64, stream));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  CHECK(cudaFree(device));
}

static void
check_registered(void) {
  cudaPointerAttributes attributes;
  char *own = malloc(100000);
  memset(own, 3, 100000);
  CHECK(cudaHostRegister(own, 100000, 0));
  FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own + 5, 10, 0));
  CHECK(cudaPointerGetAttributes(&attributes, own + 10));
  EXPECT(attributes.type == cudaMemoryTypeHost && attributes.devicePointer == own + 10);
  CHECK(cudaHostUnregister(own));
  CHECK(cudaPointerGetAttributes(&attributes, own + 10));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered && own[0] == 3 && own[99999] == 3);
  free(own);
}

int
main(void) {
  cudaStream_t stream;
  int value = 0, version = 0;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceGetAttribute(&value, 10, 0)); // cudaDevAttrWarpSize
  EXPECT(value == 32);
  check_order(stream);
  check_graph(stream);
  check_registered();
  CHECK(cudaRuntimeGetVersion(&version));
  cudaError_t unknown =
      version < 13000 ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  FAILS(unknown, cudaLaunchKernel(&value, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream));
  FAILS(unknown, cudaGetLastError());
  CHECK(cudaGetLastError());
  CHECK(cudaStreamDestroy(stream));
  FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  CHECK(cudaDeviceReset());
  CHECK(cudaDeviceSynchronize());
  printf("%d failures\n", failures);
  return failures != 0;
}
