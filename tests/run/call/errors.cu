// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What calls return that are wrong, each with the error that is left behind.
#include <cstdio>
#include <cstring>

__global__ void
store(int *p) {
  *p = 3;
}
__global__ void
__launch_bounds__(128) bounded(int *p) {
  *p = threadIdx.x;
}
__global__ void
shared(int *p) {
  __shared__ int s[1024];
  s[threadIdx.x] = *p;
  __syncthreads();
  *p = s[threadIdx.x ^ 1];
}
__device__ int variable;
__constant__ int constants[4];
static int nothing;

static void
tell(const char *call, cudaError_t error) {
  cudaError_t peek = cudaPeekAtLastError(), last = cudaGetLastError(), again = cudaGetLastError();
  printf("%s: %s, left %s %s %s\n", call, cudaGetErrorName(error), cudaGetErrorName(peek),
         cudaGetErrorName(last), cudaGetErrorName(again));
}
#define TELL(call) tell(#call, call)
#define LAUNCH(call)                                                                               \
  do {                                                                                             \
    call;                                                                                          \
    tell(#call, cudaSuccess);                                                                      \
  } while (0)

static void
launches(int *p) {
  LAUNCH((store<<<0, 32>>>(p)));
  LAUNCH((store<<<1, 0>>>(p)));
  LAUNCH((store<<<1, 1025>>>(p)));
  LAUNCH((store<<<1, dim3(32, 33)>>>(p)));
  LAUNCH((store<<<1, dim3(1, 1, 65)>>>(p)));
  LAUNCH((store<<<dim3(1, 65536), 32>>>(p)));
  LAUNCH((store<<<dim3(1u << 31), 1>>>(p)));
  LAUNCH((store<<<1, 32, 49153>>>(p)));
  LAUNCH((store<<<1, 32, 1 << 20>>>(p)));
  LAUNCH((shared<<<1, 32, 49152 - 4096>>>(p)));
  LAUNCH((shared<<<1, 32, 49152 - 4095>>>(p)));
  LAUNCH((bounded<<<1, 129>>>(p)));
  LAUNCH((store<<<1, 32, 0, (cudaStream_t)0>>>(p)));
  void *arguments[] = {&p};
  TELL(cudaLaunchKernel((const void *)store, dim3(0), dim3(32), arguments, 0, 0));
  TELL(cudaLaunchKernel((const void *)store, dim3(1), dim3(2048), arguments, 0, 0));
  TELL(cudaLaunchKernel((const void *)bounded, dim3(1), dim3(256), arguments, 0, 0));
  TELL(cudaLaunchKernel((const void *)store, dim3(1), dim3(32), arguments, 1 << 20, 0));
  TELL(cudaLaunchKernel((const void *)&nothing, dim3(1), dim3(32), arguments, 0, 0));
  TELL(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(32), arguments, 0, 0));
  TELL(cudaLaunchCooperativeKernel((const void *)store, dim3(1), dim3(2048), arguments, 0, 0));
  TELL(
      cudaLaunchCooperativeKernel((const void *)store, dim3(1 << 20), dim3(1024), arguments, 0, 0));
  TELL(cudaLaunchCooperativeKernel((const void *)&nothing, dim3(1), dim3(32), arguments, 0, 0));
  cudaLaunchConfig_t config = {};
  TELL(cudaLaunchKernelExC(&config, (const void *)store, arguments));
  config.gridDim = dim3(1);
  config.blockDim = dim3(1025);
  TELL(cudaLaunchKernelExC(&config, (const void *)store, arguments));
  config.blockDim = dim3(32);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  TELL(cudaLaunchKernelExC(&config, (const void *)store, arguments));
  config.gridDim = dim3(32);
  attribute.val.clusterDim.x = 16;
  TELL(cudaLaunchKernelExC(&config, (const void *)store, arguments));
  TELL(cudaDeviceSynchronize());
}

static void
functions() {
  cudaFuncAttributes a;
  int n = 0;
  const char *name = nullptr;
  cudaFunction_t function;
  cudaKernel_t kernel;
  TELL(cudaFuncGetAttributes(&a, (const void *)&nothing));
  TELL(cudaFuncGetAttributes(&a, (const void *)nullptr));
  TELL(cudaFuncSetAttribute((const void *)&nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            100));
  TELL(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  TELL(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  TELL(cudaFuncSetAttribute(store, (cudaFuncAttribute)99, 1));
  TELL(cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  TELL(cudaFuncSetCacheConfig((const void *)&nothing, cudaFuncCachePreferL1));
  TELL(cudaFuncGetName(&name, (const void *)&nothing));
  TELL(cudaGetFuncBySymbol(&function, (const void *)&nothing));
  TELL(cudaGetKernel(&kernel, (const void *)&nothing));
  TELL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)&nothing, 32, 0));
  TELL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, store, 0, 0));
  TELL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, store, 2048, 0));
  printf("blocks %d\n", n);
  TELL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, store, 128, 1 << 20));
  printf("blocks %d\n", n);
  size_t bytes[4] = {};
  TELL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes[0], store, 1, 128));
  TELL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes[1], store, 2, 128));
  TELL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes[2], store, 3, 128));
  TELL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes[3], shared, 4, 1024));
  printf("bytes %zu %zu %zu %zu\n", bytes[0], bytes[1], bytes[2], bytes[3]);
}

static void
memory() {
  void *p = (void *)1, *q = nullptr;
  char host[64] = {};
  size_t pitch = 0;
  TELL(cudaMalloc(&p, 0));
  printf("null %d\n", p == nullptr);
  p = (void *)1;
  TELL(cudaMallocManaged(&p, 0));
  printf("null %d\n", p == nullptr);
  p = (void *)1;
  TELL(cudaMallocHost(&p, 0));
  printf("null %d\n", p == nullptr);
  TELL(cudaMalloc(nullptr, 16));
  TELL(cudaMalloc(&p, (size_t)1 << 50));
  TELL(cudaMalloc(&p, ~(size_t)0));
  TELL(cudaMallocManaged(&p, 16, 77));
  TELL(cudaMallocPitch(&p, &pitch, 0, 4));
  TELL(cudaMalloc(&p, 1024));
  TELL(cudaMalloc(&q, 1024));
  TELL(cudaFree(nullptr));
  TELL(cudaFree((char *)p + 4));
  TELL(cudaFree(host));
  TELL(cudaFreeHost(host));
  TELL(cudaFreeHost(nullptr));
  TELL(cudaFreeHost(p));
  TELL(cudaMemcpy(p, host, 64, cudaMemcpyDeviceToHost));
  TELL(cudaMemcpy(host, p, 64, cudaMemcpyHostToDevice));
  TELL(cudaMemcpy(p, host, 64, cudaMemcpyDeviceToDevice));
  TELL(cudaMemcpy(p, host, 64, (cudaMemcpyKind)7));
  TELL(cudaMemcpy(p, nullptr, 64, cudaMemcpyHostToDevice));
  TELL(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
  TELL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  TELL(cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice));
  TELL(cudaMemcpy(host, host + 32, 16, cudaMemcpyHostToHost));
  TELL(cudaMemcpy(host, host + 32, 16, cudaMemcpyDefault));
  TELL(cudaMemset(host, 0, 16));
  TELL(cudaMemset(nullptr, 0, 16));
  TELL(cudaMemset(p, 0, 0));
  TELL(cudaMemset2D(p, 16, 0, 32, 2));
  TELL(cudaMemcpy2D(p, 16, host, 32, 32, 2, cudaMemcpyHostToDevice));
  TELL(cudaMemcpyToSymbol(variable, host, 8));
  TELL(cudaMemcpyToSymbol(variable, host, 4, 4));
  TELL(cudaMemcpyToSymbol(constants, host, 16));
  TELL(cudaMemcpyToSymbol((const void *)&nothing, host, 4, 0, cudaMemcpyHostToDevice));
  TELL(cudaMemcpyFromSymbol(host, variable, 4, 0, cudaMemcpyHostToDevice));
  TELL(cudaGetSymbolAddress(&q, (const void *)&nothing));
  TELL(cudaGetSymbolSize(&pitch, (const void *)&nothing));
  cudaPointerAttributes a;
  TELL(cudaPointerGetAttributes(&a, host));
  printf("type %d\n", a.type);
  TELL(cudaPointerGetAttributes(&a, nullptr));
  printf("type %d\n", a.type);
  TELL(cudaPointerGetAttributes(&a, (char *)p + 5));
  printf("type %d %d\n", a.type, a.devicePointer == (char *)p + 5);
  static char page[8192];
  TELL(cudaHostUnregister(page));
  TELL(cudaHostRegister(page, 4096, 0));
  TELL(cudaHostRegister(page, 4096, 0));
  TELL(cudaHostUnregister(page));
  TELL(cudaHostUnregister(page));
  TELL(cudaHostRegister(page, 0, 0));
  TELL(cudaHostRegister(nullptr, 16, 0));
  TELL(cudaHostGetDevicePointer(&q, host, 0));
  TELL(cudaHostAlloc(&q, 16, 1 << 20));
  TELL(cudaMemPrefetchAsync(p, 16, {cudaMemLocationTypeDevice, 0}, 0, 0));
  TELL(cudaMemAdvise(host, 16, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}));
  TELL(cudaFree(p));
  TELL(cudaFree(p));
  TELL(cudaMallocAsync(&p, 0, 0));
  TELL(cudaMallocAsync(&p, 64, 0));
  TELL(cudaFreeAsync(p, 0));
  TELL(cudaFreeAsync(p, 0));
  TELL(cudaFreeAsync(nullptr, 0));
}

static void
devices() {
  int n = 0;
  cudaDeviceProp p;
  TELL(cudaSetDevice(5));
  TELL(cudaSetDevice(-1));
  TELL(cudaGetDeviceProperties(&p, 5));
  TELL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
  TELL(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 3));
  TELL(cudaDeviceCanAccessPeer(&n, 0, 0));
  TELL(cudaDeviceCanAccessPeer(&n, 0, 1));
  TELL(cudaDeviceEnablePeerAccess(0, 0));
  TELL(cudaDeviceEnablePeerAccess(1, 0));
  TELL(cudaDeviceDisablePeerAccess(0));
  TELL(cudaDeviceDisablePeerAccess(1));
  TELL(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
  TELL(cudaDeviceSetLimit((cudaLimit)99, 1));
  TELL(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30));
  TELL(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  TELL(cudaGetDevice(nullptr));
  TELL(cudaGetDeviceCount(nullptr));
  TELL(cudaSetDevice(0));
}

static void
streams() {
  cudaStream_t stream = nullptr;
  cudaEvent_t a, b, untimed;
  float ms = 0;
  TELL(cudaStreamCreate(nullptr));
  TELL(cudaStreamCreateWithFlags(&stream, 77));
  TELL(cudaStreamCreate(&stream));
  TELL(cudaStreamDestroy(nullptr));
  TELL(cudaStreamQuery(stream));
  TELL(cudaEventCreateWithFlags(&a, 0x80));
  TELL(cudaEventCreate(&a));
  TELL(cudaEventCreate(&b));
  TELL(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  TELL(cudaEventQuery(a));
  TELL(cudaEventElapsedTime(&ms, a, b));
  TELL(cudaEventRecord(a, stream));
  TELL(cudaEventElapsedTime(&ms, a, b));
  TELL(cudaEventRecord(untimed, stream));
  TELL(cudaStreamSynchronize(stream));
  TELL(cudaEventElapsedTime(&ms, a, untimed));
  TELL(cudaEventElapsedTime(nullptr, a, a));
  TELL(cudaEventRecord(nullptr, stream));
  TELL(cudaEventDestroy(nullptr));
  TELL(cudaStreamWaitEvent(stream, nullptr, 0));
  TELL(cudaStreamWaitEvent(stream, a, 5));
  TELL(cudaLaunchHostFunc(stream, nullptr, nullptr));
  TELL(cudaStreamAddCallback(stream, nullptr, nullptr, 0));
  TELL(cudaStreamEndCapture(stream, nullptr));
  cudaGraph_t graph = nullptr, other = nullptr;
  cudaGraphExec_t exec;
  TELL(cudaStreamEndCapture(stream, &graph));
  TELL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  TELL(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)9));
  TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  TELL(cudaStreamQuery(stream));
  TELL(cudaStreamEndCapture(stream, &graph));
  TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  TELL(cudaStreamSynchronize(stream));
  TELL(cudaStreamEndCapture(stream, &graph));
  TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void *p;
  TELL(cudaMalloc(&p, 16));
  TELL(cudaStreamEndCapture(stream, &graph));
  TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  TELL(cudaDeviceSynchronize());
  TELL(cudaStreamEndCapture(stream, &graph));
  TELL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  TELL(cudaMalloc(&p, 16));
  TELL(cudaMemset(p, 0, 16));
  TELL(cudaStreamEndCapture(stream, &graph));
  TELL(cudaGraphCreate(&graph, 1));
  TELL(cudaGraphCreate(&graph, 0));
  TELL(cudaGraphInstantiate(&exec, nullptr, 0));
  TELL(cudaGraphLaunch(nullptr, stream));
  TELL(cudaGraphDestroy(nullptr));
  cudaGraphNode_t first, second;
  TELL(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  TELL(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  TELL(cudaGraphAddEmptyNode(&second, graph, nullptr, 1));
  TELL(cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  TELL(cudaGraphInstantiate(&exec, graph, 0));
  TELL(cudaGraphClone(&other, nullptr));
  TELL(cudaGraphExecDestroy(nullptr));
}

static void
order(int *p) {
  void *q;
  cudaError_t a = cudaMalloc(&q, (size_t)1 << 50), b = cudaMalloc(&q, 64),
              c = cudaDeviceSynchronize();
  printf("%s %s %s %s ", cudaGetErrorName(a), cudaGetErrorName(b), cudaGetErrorName(c),
         cudaGetErrorName(cudaPeekAtLastError()));
  store<<<1, 1>>>(p);
  printf("%s ", cudaGetErrorName(cudaPeekAtLastError()));
  printf("%s ", cudaGetErrorName(cudaGetLastError()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  store<<<1, 2048>>>(p);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice);
  cudaSetDevice(7);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

int
main() {
  int *p;
  cudaMalloc(&p, 4096);
  launches(p);
  functions();
  memory();
  devices();
  streams();
  order(p);
  return 0;
}
