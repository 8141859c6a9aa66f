// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory and events that two processes use: the parent gives its handles to a process that it has forked before.
#include "check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

struct Handles {
  cudaIpcMemHandle_t memory, inner;
  cudaIpcEventHandle_t event;
};

__global__ void
fill(int *to, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = first + i;
}

__global__ void
triple(int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] *= 3;
}

enum {
  N = 3000,
};

static int
work_in_child(int in, int out) {
  Handles handles;
  int *memory, *again, *own, values[N];
  cudaEvent_t event;
  cudaStream_t stream;
  EXPECT(read(in, &handles, sizeof handles) == (ssize_t)sizeof handles);
  FAILS(cudaErrorInvalidValue, cudaIpcOpenMemHandle((void **)&memory, handles.memory, 0));
  CHECK(cudaIpcOpenMemHandle((void **)&memory, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle((void **)&again, handles.inner, cudaIpcMemLazyEnablePeerAccess));
  EXPECT(again == memory);
  CHECK(cudaIpcOpenEventHandle(&event, handles.event));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  triple<<<(N + 127) / 128, 128, 0, stream>>>(memory, N);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventQuery(event));
  CHECK(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
  printf("child: %d %d\n", values[0], values[N - 1]);
  CHECK(cudaMalloc(&own, sizeof values)); // memory of its own is elsewhere
  fill<<<(N + 127) / 128, 128>>>(own, N, -1);
  CHECK(cudaMemcpy(memory + 1, own, sizeof(int), cudaMemcpyDeviceToDevice));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(own));
  CHECK(cudaIpcCloseMemHandle(memory));
  CHECK(cudaIpcCloseMemHandle(memory));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  fflush(stdout);
  EXPECT(write(out, &failures, sizeof failures) == (ssize_t)sizeof failures);
  return failures;
}

static void
refused(int *memory, const Handles *handles) {
  int *managed, *opened, *pinned;
  cudaEvent_t event;
  cudaIpcMemHandle_t handle;
  cudaIpcEventHandle_t event_handle;
  EXPECT(memcmp(&handles->memory, &handles->inner, sizeof handles->memory) == 0);
  FAILS(cudaErrorDeviceUninitialized, cudaIpcOpenMemHandle((void **)&opened, handles->memory,
                                                           cudaIpcMemLazyEnablePeerAccess));
  FAILS(cudaErrorInvalidValue, cudaIpcCloseMemHandle(memory));
  CHECK(cudaMallocManaged(&managed, 64));
  FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, managed));
  CHECK(cudaMallocHost(&pinned, 64));
  FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, pinned));
  FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, NULL));
  CHECK(cudaEventCreate(&event));
  FAILS(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&event_handle, event));
  CHECK(cudaEventDestroy(event));
  FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
}

static int
work_in_parent(int in, int out) {
  Handles handles;
  int *memory, values[N], failed = -1;
  cudaEvent_t event;
  CHECK(cudaMalloc(&memory, sizeof values));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  fill<<<(N + 127) / 128, 128>>>(memory, N, 5);
  CHECK(cudaEventRecord(event));
  CHECK(cudaIpcGetMemHandle(&handles.memory, memory));
  CHECK(cudaIpcGetMemHandle(&handles.inner, memory + 1));
  CHECK(cudaIpcGetEventHandle(&handles.event, event));
  refused(memory, &handles);
  EXPECT(write(out, &handles, sizeof handles) == (ssize_t)sizeof handles);
  EXPECT(read(in, &failed, sizeof failed) == (ssize_t)sizeof failed);
  EXPECT(failed == 0);
  CHECK(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
  printf("parent: %d %d %d\n", values[0], values[1], values[N - 1]);
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(memory));
  return finish("processes");
}

int
main() {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0)
    return 1;
  pid_t child = fork();
  if (child == 0)
    _exit(work_in_child(down[0], up[1]));
  close(up[1]);
  int status = work_in_parent(up[0], down[1]);
  waitpid(child, NULL, 0);
  return status;
}
