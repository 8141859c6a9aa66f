// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels that launch kernels: streams, events, errors, memory and copies of the device runtime, and the order of what it does.
// nvcc: -rdc=true
#include "../check.h"

struct Wide {
  char first;
  double second;
  int third[5];
};

enum { N = 1024 };

__device__ int numbers[N], more[N], results[64], count;
__device__ char trace[64];
__device__ int traced;

// --- parameters and shared memory

__global__ void fill(int *out, Wide wide, short factor, const int *other) {
  extern __shared__ int shared[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = i * factor + wide.third[4] + (int)wide.second + wide.first;
  __syncthreads();
  out[i] = shared[blockDim.x - 1 - threadIdx.x] + other[0];
}

__global__ void fills(int *out, const int *other) {
  Wide wide = {'a', 2.5, {0, 0, 0, 0, 7}};
  if (threadIdx.x == 0)
    fill<<<N / 128, 128, 128 * sizeof(int)>>>(out, wide, -3, other);
}

static void
check_parameters() {
  int *out, *other, host[N], seven = 7;
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMalloc(&other, sizeof *other));
  CHECK(cudaMemcpy(other, &seven, sizeof seven, cudaMemcpyHostToDevice));
  fills<<<1, 32>>>(out, other);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  bool are_right = true;
  for (int i = 0; i < N; i++)
    are_right = are_right && host[i] == (i / 128 * 128 + 127 - i % 128) * -3 + 7 + 2 + 'a' + 7;
  EXPECT(are_right);
  CHECK(cudaFree(out));
  CHECK(cudaFree(other));
}

// --- a tree: all threads of all blocks launch

__global__ void grow(int depth) {
  atomicAdd(&count, 1);
  if (depth > 0)
    grow<<<2, 2>>>(depth - 1);
}

// A sum of halves, which the tail launch adds up.
__global__ void add_halves(int *sum, int *left, int *right) {
  *sum = *left + *right;
  free(left);
  free(right);
}

__global__ void sum_range(int *sum, int first, int n) {
  if (n == 1) {
    *sum = first;
    return;
  }
  int *left = (int *)malloc(sizeof *left), *right = (int *)malloc(sizeof *right);
  sum_range<<<1, 1>>>(left, first, n / 2);
  sum_range<<<1, 1, 0, cudaStreamFireAndForget>>>(right, first + n / 2, n - n / 2);
  add_halves<<<1, 1, 0, cudaStreamTailLaunch>>>(sum, left, right);
}

static void
check_trees() {
  int got = 0, *sum;
  grow<<<2, 2>>>(3);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&got, count, sizeof got));
  EXPECT(got == 4 + 16 + 64 + 256);
  CHECK(cudaMalloc(&sum, sizeof *sum));
  sum_range<<<1, 1>>>(sum, 1, 100);
  CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 5050);
  CHECK(cudaFree(sum));
}

// --- order

__global__ void note(char c) {
  trace[traced++] = c;
}

__global__ void notes(char c) {
  note<<<1, 1>>>(c);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(c + 1);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(c + 2);
}

__global__ void in_order() {
  notes<<<1, 1, 0, cudaStreamTailLaunch>>>('d');
  note<<<1, 1, 0, cudaStreamTailLaunch>>>('g');
  notes<<<1, 1>>>('a');
}

// Two streams, of which the second waits for the first.
__global__ void in_streams() {
  cudaStream_t first, second;
  cudaEvent_t event;
  results[0] = cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  results[1] = cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  results[2] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  note<<<1, 1, 0, first>>>('h');
  note<<<1, 1, 0, first>>>('i');
  results[3] = cudaEventRecord(event, first);
  results[4] = cudaStreamWaitEvent(second, event, 0);
  note<<<1, 1, 0, second>>>('j');
  results[5] = cudaEventDestroy(event);
  results[6] = cudaStreamDestroy(first);
  results[7] = cudaStreamDestroy(second);
}

__global__ void say(const char *what, int number) {
  printf("%s %d\n", what, number);
}

__global__ void speak() {
  printf("the parent\n");
  say<<<1, 1>>>("child", 1);
  say<<<1, 1>>>("child", 2);
  say<<<1, 1, 0, cudaStreamTailLaunch>>>("tail", 3);
}

static bool
are_zeros(int n) {
  int host[64];
  CHECK(cudaMemcpyFromSymbol(host, results, sizeof host));
  for (int i = 0; i < n; i++)
    if (host[i])
      return false;
  return true;
}

static void
check_order() {
  char host[64] = "";
  in_order<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  in_streams<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(are_zeros(8));
  CHECK(cudaMemcpyFromSymbol(host, trace, sizeof host - 1));
  printf("in order: %s\n", host);
  speak<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
}

// --- errors, each of its thread

__global__ void __launch_bounds__(128) bounded() {
  atomicAdd(&count, 1);
}

__global__ void fail() {
  int error = cudaSuccess;
  if (threadIdx.x == 0)
    bounded<<<1, 0>>>();
  else if (threadIdx.x == 1)
    bounded<<<1, 129>>>();
  else if (threadIdx.x == 2)
    bounded<<<1, 1, 1 << 20>>>();
  else if (threadIdx.x == 3)
    bounded<<<dim3(1, 1 << 20), 1>>>();
  else if (threadIdx.x == 4) {
    error = cudaStreamDestroy(0);
    bounded<<<1, 1, 0, (cudaStream_t)0x1234>>>();
  } else
    bounded<<<1, 1>>>();
  results[4 * threadIdx.x] = error;
  results[4 * threadIdx.x + 1] = cudaPeekAtLastError();
  results[4 * threadIdx.x + 2] = cudaGetLastError();
  results[4 * threadIdx.x + 3] = cudaGetLastError();
}

__global__ void name_errors() {
  printf("%s, %s, %s\n", cudaGetErrorName(cudaErrorInvalidConfiguration),
         cudaGetErrorString(cudaErrorInvalidConfiguration), cudaGetErrorString(cudaSuccess));
}

static void
check_errors() {
  int host[64], before = 0, after = 0;
  CHECK(cudaMemcpyFromSymbol(&before, count, sizeof before));
  fail<<<1, 8>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&after, count, sizeof after));
  CHECK(cudaMemcpyFromSymbol(host, results, sizeof host));
  EXPECT(after - before == 3);
  for (int i = 0; i < 8; i++)
    printf("thread %d: %d %d %d %d\n", i, host[4 * i], host[4 * i + 1], host[4 * i + 2],
           host[4 * i + 3]);
  name_errors<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
}

// --- memory

__global__ void use(int *memory, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    memory[i] = i;
}

__global__ void give_back(int *memory, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += memory[i];
  results[1] = sum;
  results[2] = cudaFree(memory);
}

__global__ void allocate() {
  int *memory = NULL;
  results[0] = cudaMalloc(&memory, 1000 * sizeof *memory);
  use<<<1, 64>>>(memory, 1000);
  give_back<<<1, 1, 0, cudaStreamTailLaunch>>>(memory, 1000);
  results[3] = cudaMalloc(&memory, (size_t)1 << 40);
  results[4] = cudaGetLastError();
  results[5] = cudaFree(NULL);
}

// The device's fills of CUDA 13.0 write zeros, whatever they are asked for.
__global__ void copy() {
  cudaStream_t stream;
  cudaMemcpy3DParms box = {};
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  results[0] = cudaMemsetAsync(numbers, 0, 61, stream);
  results[1] = cudaMemcpyAsync(numbers + 16, numbers, 64, cudaMemcpyDeviceToDevice, stream);
  // 2 rows of 12 bytes, from every 32 to every 16
  results[2] = cudaMemset2DAsync(numbers + 64, 32, 0, 12, 2, stream);
  results[3] =
      cudaMemcpy2DAsync(numbers + 128, 16, numbers + 64, 32, 12, 2, cudaMemcpyDeviceToDevice, stream);
  // 2 slices of 2 rows of 8 bytes
  cudaPitchedPtr from = {numbers + 256, 16, 16, 4}, to = {more, 32, 32, 2};
  cudaExtent extent = {8, 2, 2};
  results[4] = cudaMemset3DAsync(from, 0, extent, stream);
  box.srcPtr = from;
  box.dstPtr = to;
  box.dstPos.x = 4;
  box.extent = extent;
  box.kind = cudaMemcpyDeviceToDevice;
  results[5] = cudaMemcpy3DAsync(&box, stream);
  cudaStreamDestroy(stream);
}

__global__ void copy_wrong() {
  results[0] = cudaMemcpyAsync(more, numbers, 4, cudaMemcpyHostToDevice, 0);
  results[1] = cudaMemcpy2DAsync(more, 8, numbers, 16, 12, 2, cudaMemcpyDeviceToDevice, 0);
  results[2] = cudaMemset2DAsync(more, 8, 0, 12, 2, 0);
  results[3] = cudaMemsetAsync(NULL, 0, 4, 0);
  results[4] = cudaMemcpyAsync(more, &results[5], 0, cudaMemcpyDefault, 0);
}

// The bytes that are zeros, of all that were ones.
static int
count_zeros(const int *memory, int n) {
  int zeros = 0;
  for (int i = 0; i < n * 4; i++)
    zeros += ((const unsigned char *)memory)[i] == 0;
  return zeros;
}

static void
check_memory() {
  int host[N];
  void *address;
  allocate<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(host, results, 64 * sizeof(int)));
  EXPECT(host[0] == 0 && host[1] == 499500 && host[2] == 0);
  EXPECT(host[3] == cudaErrorMemoryAllocation && host[4] == cudaErrorMemoryAllocation && host[5] == 0);
  CHECK(cudaGetSymbolAddress(&address, numbers));
  CHECK(cudaMemset(address, 1, sizeof host));
  CHECK(cudaGetSymbolAddress(&address, more));
  CHECK(cudaMemset(address, 1, sizeof host));
  copy<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(are_zeros(6));
  CHECK(cudaMemcpyFromSymbol(host, numbers, sizeof host));
  EXPECT(count_zeros(host, 16) == 61 && count_zeros(host + 16, 48) == 61 && host[31] == 0x01010100);
  EXPECT(count_zeros(host + 64, 64) == 24 && host[72] == 0 && host[75] == 0x01010101);
  EXPECT(count_zeros(host + 128, 128) == 24 && host[130] == 0 && host[134] == 0);
  EXPECT(count_zeros(host + 256, N - 256) == 32 && host[272] == 0 && host[276] == 0);
  CHECK(cudaMemcpyFromSymbol(host, more, sizeof host));
  EXPECT(count_zeros(host, N) == 32 && host[1] == 0 && host[9] == 0 && host[17] == 0);
  copy_wrong<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(host, results, 64 * sizeof(int)));
  printf("wrong: %d %d %d %d %d\n", host[0], host[1], host[2], host[3], host[4]);
}

// --- questions, and a kernel by its pointer

typedef void (*Kernel)();
__device__ Kernel kernels[] = {bounded, bounded};

__global__ void ask(int which) {
  int value = -1;
  cudaFuncAttributes attributes;
  results[0] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
  results[1] = value;
  results[2] = cudaGetDevice(&value);
  results[3] = value;
  results[4] = cudaFuncGetAttributes(&attributes, bounded);
  results[5] = attributes.maxThreadsPerBlock;
  results[6] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, bounded, 128, 0);
  results[7] = value;
  kernels[which]<<<1, 5>>>();
  results[8] = cudaGetLastError();
}

static void
check_questions() {
  int host[64], before = 0, after = 0;
  CHECK(cudaMemcpyFromSymbol(&before, count, sizeof before));
  ask<<<1, 1>>>(1);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&after, count, sizeof after));
  CHECK(cudaMemcpyFromSymbol(host, results, sizeof host));
  EXPECT(after - before == 5);
  printf("asked: %d %d, %d %d, %d %d, %d %d, %d\n", host[0], host[1], host[2], host[3], host[4],
         host[5], host[6], host[7], host[8]);
}

// --- a child that faults ends the context

__global__ void write(int *where) {
  *where = 1;
}

__global__ void write_wrong() {
  write<<<1, 1>>>((int *)16);
  printf("launched: %d\n", cudaGetLastError());
}

int
main() {
  check_parameters();
  check_trees();
  check_order();
  check_errors();
  check_memory();
  check_questions();
  write_wrong<<<1, 1>>>();
  FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  return finish("dynamic");
}
