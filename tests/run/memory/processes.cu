// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory and events that two processes use: the parent gives its handles to a process that it has forked before.
// nvcc: -lcuda
#include "../check.h"

#include <cstring>
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct Handles {
  cudaIpcMemHandle_t memory, inner;
  cudaIpcEventHandle_t event;
  cudaMemPoolPtrExportData pooled;
};

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

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
  PHYSICAL_BYTES = 2 << 20,
};

// Descriptors of files go through a socket.
static void
send_fds(int socket, const int fds[2]) {
  char byte = 'x', room[CMSG_SPACE(2 * sizeof(int))] = {0};
  iovec part = {&byte, 1};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(2 * sizeof(int));
  memcpy(CMSG_DATA(header), fds, 2 * sizeof(int));
  EXPECT(sendmsg(socket, &message, 0) == 1);
}

static void
take_fds(int socket, int fds[2]) {
  char byte, room[CMSG_SPACE(2 * sizeof(int))] = {0};
  iovec part = {&byte, 1};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  EXPECT(recvmsg(socket, &message, 0) == 1);
  memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), 2 * sizeof(int));
}

// Memory without an address, at one.
static CUdeviceptr
map_physical(CUmemGenericAllocationHandle physical) {
  CUdeviceptr address = 0;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  DRIVER(cuMemAddressReserve(&address, PHYSICAL_BYTES, 0, 0, 0));
  DRIVER(cuMemMap(address, PHYSICAL_BYTES, 0, physical, 0));
  DRIVER(cuMemSetAccess(address, PHYSICAL_BYTES, &access, 1));
  return address;
}

static void
unmap_physical(CUdeviceptr address, CUmemGenericAllocationHandle physical) {
  DRIVER(cuMemUnmap(address, PHYSICAL_BYTES));
  DRIVER(cuMemAddressFree(address, PHYSICAL_BYTES));
  DRIVER(cuMemRelease(physical));
}

static void
use_files(int socket, const Handles *handles) {
  int fds[2], *pooled, values[N];
  cudaMemPool_t pool;
  cudaMemAccessDesc access = {};
  CUmemGenericAllocationHandle physical;
  take_fds(socket, fds);
  CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(uintptr_t)fds[0],
                                             cudaMemHandleTypePosixFileDescriptor, 0));
  access.location.type = cudaMemLocationTypeDevice;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK(cudaMemPoolImportPointer((void **)&pooled, pool,
                                 const_cast<cudaMemPoolPtrExportData *>(&handles->pooled)));
  triple<<<(N + 127) / 128, 128>>>(pooled, N);
  CHECK(cudaMemcpy(values, pooled, sizeof values, cudaMemcpyDeviceToHost));
  CHECK(cudaFreeAsync(pooled, 0));
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaMemPoolDestroy(pool));
  printf("pool: %d %d\n", values[0], values[N - 1]);
  DRIVER(cuMemImportFromShareableHandle(&physical, (void *)(uintptr_t)fds[1],
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUdeviceptr address = map_physical(physical);
  triple<<<1, 128>>>((int *)address, 128);
  CHECK(cudaMemcpy(values, (void *)address, 128 * sizeof *values, cudaMemcpyDeviceToHost));
  printf("physical: %d %d\n", values[0], values[127]);
  unmap_physical(address, physical);
}

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
  FAILS(cudaErrorInvalidValue, cudaFree(memory)); // it is closed
  CHECK(cudaIpcCloseMemHandle(memory));
  CHECK(cudaIpcCloseMemHandle(memory));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  use_files(in, &handles);
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

// A pool, what is allocated in it, and physical memory, as files.
static void
make_files(int fds[2], int **pooled, cudaMemPool_t *pool, CUmemGenericAllocationHandle *physical,
           CUdeviceptr *address) {
  cudaMemPoolProps wanted = {};
  CUmemAllocationProp properties = {};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  wanted.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(pool, &wanted));
  CHECK(cudaMallocFromPoolAsync((void **)pooled, N * sizeof(int), *pool, 0));
  fill<<<(N + 127) / 128, 128>>>(*pooled, N, 100);
  CHECK(cudaMemPoolExportToShareableHandle(&fds[0], *pool, cudaMemHandleTypePosixFileDescriptor,
                                           0));
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  EXPECT(cuMemCreate(physical, PHYSICAL_BYTES, &properties, 0) == CUDA_SUCCESS);
  EXPECT(cuMemExportToShareableHandle(&fds[1], *physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      0) == CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemRelease(*physical));
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  DRIVER(cuMemCreate(physical, PHYSICAL_BYTES, &properties, 0));
  *address = map_physical(*physical);
  fill<<<1, 128>>>((int *)*address, 128, 7);
  DRIVER(cuMemExportToShareableHandle(&fds[1], *physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      0));
  CHECK(cudaDeviceSynchronize());
}

static int
work_in_parent(int in, int out) {
  int fds[2], *pooled;
  cudaMemPool_t pool;
  CUmemGenericAllocationHandle physical;
  CUdeviceptr address;
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
  make_files(fds, &pooled, &pool, &physical, &address);
  CHECK(cudaMemPoolExportPointer(&handles.pooled, pooled));
  EXPECT(write(out, &handles, sizeof handles) == (ssize_t)sizeof handles);
  send_fds(out, fds);
  EXPECT(read(in, &failed, sizeof failed) == (ssize_t)sizeof failed);
  EXPECT(failed == 0);
  CHECK(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
  printf("parent: %d %d %d\n", values[0], values[1], values[N - 1]);
  CHECK(cudaMemcpy(values, (void *)address, 2 * sizeof *values, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(values + 2, pooled, sizeof *values, cudaMemcpyDeviceToHost));
  printf("parent: %d %d %d\n", values[0], values[1], values[2]);
  unmap_physical(address, physical);
  CHECK(cudaFreeAsync(pooled, 0));
  CHECK(cudaMemPoolDestroy(pool));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(memory));
  return finish("processes");
}

int
main() {
  int down[2], up[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, down) != 0 || pipe(up) != 0)
    return 1;
  pid_t child = fork();
  if (child == 0)
    _exit(work_in_child(down[0], up[1]));
  close(up[1]);
  int status = work_in_parent(up[0], down[1]);
  waitpid(child, NULL, 0);
  return status;
}
