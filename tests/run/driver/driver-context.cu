// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: devices, contexts and errors, alone and with the runtime.
// nvcc: -lcuda
#include "driver.h"

#include <cuda_runtime.h>
#include <thread>

__device__ int value = 3;

__global__ void
add(int *data, int n) {
  data[threadIdx.x] += n + value;
}

static void
before_init() {
  CUdevice device;
  CUcontext context;
  CUdeviceptr memory;
  int version = 0;
  FAILS(NOT_INITIALIZED, cuDeviceGet(&device, 0));
  FAILS(NOT_INITIALIZED, cuMemAlloc(&memory, 4));
  FAILS(NOT_INITIALIZED, cuCtxGetCurrent(&context));
  CHECK(cuDriverGetVersion(&version));
  EXPECT(version >= 12000);
  FAILS(INVALID_VALUE, cuInit(1));
  CHECK(cuInit(0));
  CHECK(cuInit(0));
}

static void
devices() {
  CUdevice device = -1;
  int n = 0, value = 0, major = 0, minor = 0;
  char name[256] = "";
  size_t bytes = 0;
  CUuuid uuid;
  CHECK(cuDeviceGetCount(&n));
  EXPECT(n >= 1);
  CHECK(cuDeviceGet(&device, 0));
  EXPECT(device == 0);
  FAILS(INVALID_DEVICE, cuDeviceGet(&device, 100));
  FAILS(INVALID_DEVICE, cuDeviceGet(&device, -1));
  FAILS(INVALID_VALUE, cuDeviceGet(NULL, 0));
  CHECK(cuDeviceGetName(name, sizeof name, 0));
  EXPECT(strlen(name) > 3);
  CHECK(cuDeviceGetName(name, 4, 0));
  EXPECT(strlen(name) == 3);
  CHECK(cuDeviceTotalMem(&bytes, 0));
  EXPECT(bytes > (size_t)1 << 30);
  CHECK(cuDeviceGetUuid(&uuid, 0));
  CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT(value == 32);
  CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0));
  EXPECT(value == 49152);
  CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  EXPECT(value == 1);
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  CHECK(cuDeviceComputeCapability(&n, &minor, 0));
  EXPECT(n == major && major >= 7);
  FAILS(INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)5000, 0));
  FAILS(INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 7));
  FAILS(INVALID_VALUE, cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
}

static void
names() {
  const char *text = "";
  const CUresult results[] = {CUDA_SUCCESS,
                              CUDA_ERROR_INVALID_VALUE,
                              CUDA_ERROR_OUT_OF_MEMORY,
                              CUDA_ERROR_NOT_INITIALIZED,
                              CUDA_ERROR_INVALID_IMAGE,
                              CUDA_ERROR_INVALID_CONTEXT,
                              CUDA_ERROR_CONTEXT_ALREADY_CURRENT,
                              CUDA_ERROR_NO_BINARY_FOR_GPU,
                              CUDA_ERROR_INVALID_PTX,
                              CUDA_ERROR_FILE_NOT_FOUND,
                              CUDA_ERROR_INVALID_HANDLE,
                              CUDA_ERROR_NOT_FOUND,
                              CUDA_ERROR_NOT_READY,
                              CUDA_ERROR_ILLEGAL_ADDRESS,
                              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                              CUDA_ERROR_CONTEXT_IS_DESTROYED,
                              CUDA_ERROR_LAUNCH_FAILED,
                              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                              CUDA_ERROR_NOT_SUPPORTED,
                              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                              CUDA_ERROR_UNKNOWN};
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    CHECK(cuGetErrorString(results[i], &text));
    printf("%d %s: %s\n", results[i], result_name(results[i]), text);
  }
  FAILS(INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
  EXPECT(text == NULL);
  FAILS(INVALID_VALUE, cuGetErrorString((CUresult)9, &text));
}

static void
contexts() {
  CUcontext one, other, current = (CUcontext)1;
  CUdevice device = 9;
  CUdeviceptr memory;
  unsigned flags = 9;
  size_t limit = 0;
  unsigned long long id_one = 0, id_other = 0;
  FAILS(INVALID_CONTEXT, cuMemAlloc(&memory, 4));
  FAILS(INVALID_CONTEXT, cuCtxSynchronize());
  FAILS(INVALID_CONTEXT, cuCtxGetDevice(&device));
  FAILS(INVALID_CONTEXT, cuCtxPopCurrent(&current));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == NULL);
  FAILS(INVALID_DEVICE, cuCtxCreate(&one, NULL, 0, 55));
  FAILS(INVALID_VALUE, cuCtxCreate(&one, NULL, 3, 0));
  CHECK(cuCtxCreate(&one, NULL, CU_CTX_SCHED_BLOCKING_SYNC, 0));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == one);
  CHECK(cuCtxGetDevice(&device));
  EXPECT(device == 0);
  CHECK(cuCtxGetFlags(&flags));
  EXPECT((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
  CHECK(cuCtxCreate(&other, NULL, 0, 0));
  CHECK(cuCtxGetId(one, &id_one));
  CHECK(cuCtxGetId(NULL, &id_other));
  EXPECT(id_one != id_other);
  CHECK(cuMemAlloc(&memory, 1024));
  CHECK(cuCtxPopCurrent(&current));
  EXPECT(current == other);
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == one);
  CHECK(cuCtxPushCurrent(other));
  CHECK(cuCtxSetCurrent(one));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == one);
  CHECK(cuCtxGetLimit(&limit, CU_LIMIT_PRINTF_FIFO_SIZE));
  EXPECT(limit > 0);
  FAILS(INVALID_VALUE, cuCtxGetLimit(&limit, (CUlimit)77));
  FAILS(UNSUPPORTED_LIMIT, cuCtxGetLimit(&limit, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  CHECK(cuCtxSynchronize());
  std::thread([&] {
    CHECK(cuCtxGetCurrent(&current));
    EXPECT(current == NULL);
    FAILS(INVALID_CONTEXT, cuMemAlloc(&memory, 4));
    CHECK(cuCtxSetCurrent(other));
    CHECK(cuMemAlloc(&memory, 64));
    CHECK(cuMemFree(memory));
  }).join();
  CHECK(cuCtxDestroy(other));
  CHECK(cuCtxDestroy(one));
  CHECK(cuCtxSetCurrent(NULL));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == NULL || current == one);
  FAILS(INVALID_VALUE, cuCtxCreate(NULL, NULL, 0, 0));
}

// The runtime makes the primary context current, and both see the same memory, streams and functions.
static void
mixed() {
  CUcontext primary, current;
  CUstream stream;
  CUfunction function;
  cudaFunction_t named;
  CUdeviceptr memory;
  int *data, n = 4, result[32] = {0}, is_active = 0;
  unsigned flags;
  while (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current)
    CHECK(cuCtxPopCurrent(&current));
  CHECK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  EXPECT(!is_active);
  EXPECT(cudaMalloc(&data, 128) == cudaSuccess);
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current != NULL);
  CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT(primary == current);
  CHECK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  EXPECT(is_active);
  CHECK(cuMemsetD32((CUdeviceptr)data, 100, 32));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT(cudaGetFuncBySymbol(&named, (const void *)add) == cudaSuccess);
  function = named;
  void *arguments[] = {&data, &n};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
  add<<<1, 32, 0, stream>>>(data, 1);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cuMemcpyDtoH(result, (CUdeviceptr)data, sizeof result));
  EXPECT(result[0] == 111 && result[31] == 111);
  CHECK(cuMemAlloc(&memory, 128));
  EXPECT(cudaMemcpy((void *)memory, data, 128, cudaMemcpyDeviceToDevice) == cudaSuccess);
  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, (void *)memory) == cudaSuccess &&
         attributes.type == cudaMemoryTypeDevice);
  EXPECT(cudaFree((void *)memory) == cudaSuccess);
  CHECK(cuMemFree((CUdeviceptr)data));
  // Errors of the driver are not the runtime's last one.
  FAILS(INVALID_VALUE, cuMemAlloc(&memory, 0));
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cuDevicePrimaryCtxRelease(0));
}

// Functions by name, of the driver and of the runtime.
static void
entry_points() {
  CUresult (*alloc)(CUdeviceptr *, size_t) = NULL;
  CUdriverProcAddressQueryResult found;
  cudaDriverEntryPointQueryResult status;
  CUdeviceptr memory;
  void *function = NULL;
  CHECK(
      cuGetProcAddress("cuMemAlloc", (void **)&alloc, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
  EXPECT(found == CU_GET_PROC_ADDRESS_SUCCESS);
  CHECK(alloc(&memory, 4));
  CHECK(cuMemFree(memory));
  cuGetProcAddress("cuNothingOfTheKind", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found);
  EXPECT(found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && function == NULL);
  cuGetProcAddress("cuGraphCreate", &function, 9000, CU_GET_PROC_ADDRESS_DEFAULT, &found);
  EXPECT(found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT && function == NULL);
  CHECK(cuGetProcAddress("cuStreamQuery", &function, 12000,
                         CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
  CHECK(((CUresult(*)(CUstream))function)(NULL));
  EXPECT(cudaGetDriverEntryPointByVersion("cuMemFree", &function, 12000, cudaEnableDefault,
                                          &status) == cudaSuccess &&
         function && status == cudaDriverEntryPointSuccess);
  CHECK(cuMemAlloc(&memory, 4));
  CHECK(((CUresult(*)(CUdeviceptr))function)(memory));
}

int
main() {
  before_init();
  devices();
  names();
  contexts();
  mixed();
  entry_points();
  return finish("driver-context");
}
