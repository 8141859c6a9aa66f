// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An application to capture on a GPU (capture.sh): launches of every kind, from memory of every kind.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>
#include <vector>
namespace cg = cooperative_groups;

__constant__ float coefficient[32];
__device__ unsigned seen[64];
__device__ int *table_of[4];

template <int PAD>
__global__ void transpose(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32 + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 32 + y) * pitch + blockIdx.x * 32 + x] * coefficient[y];
  __syncthreads();
  out[(blockIdx.x * 32 + y) * pitch + blockIdx.y * 32 + x] = tile[x][y];
}

// Which banks are asked depends on the data.
__global__ void histogram(unsigned *bins, const unsigned char *values, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[values[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
  if (threadIdx.x < 64)
    atomicAdd(&seen[threadIdx.x], 1);
}

struct Node {
  Node *next;
  int stride;
};

// The stride is at the end of a list.
__global__ void follow(int *out, const Node *node, int steps) {
  extern __shared__ int words[];
  while (node->next)
    node = node->next;
  for (int i = 0; i < steps; i++) {
    words[(threadIdx.x * node->stride + i) & 2047] = i;
    __syncthreads();
    out[threadIdx.x] += words[(threadIdx.x * node->stride + 32 * i) & 2047];
    __syncthreads();
  }
}

struct Job {
  const int *rows[2];
  int n;
  short shift;
};

// Structures by value, with pointers in them; a table in a variable.
__global__ void gather(int *out, Job job) {
  __shared__ int words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    words[i] = table_of[1][i & 63] + i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < job.n; i++)
    sum += words[(job.rows[i & 1][threadIdx.x] << job.shift) & 1023];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void in_turns(int *values, int n) {
  __shared__ int own[512];
  cg::grid_group grid = cg::this_grid();
  for (int step = 1; step < 64; step *= 4) {
    own[threadIdx.x * (step | 1) * 2 & 511] = values[grid.thread_rank() % n];
    grid.sync();
    values[grid.thread_rank() % n] += own[threadIdx.x * 2];
    grid.sync();
  }
}

__global__ void clustered(int *out) {
  __shared__ int words[1024];
  cg::cluster_group cluster = cg::this_cluster();
  words[threadIdx.x * 4 & 1023] = cluster.block_rank();
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x * (1 + cluster.num_blocks()) & 1023];
}

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (cudaError_t error = call) {                                                                \
      printf("%s: %s\n", #call, cudaGetErrorString(error));                                        \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static void *mapped_memory(size_t pieces) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t bytes;
  CUdeviceptr address;
  CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  cuMemAddressReserve(&address, 8 * bytes, 0, 0, 0);
  for (size_t i = 0; i < pieces; i++) {
    CUmemGenericAllocationHandle handle;
    cuMemCreate(&handle, bytes, &properties, 0);
    cuMemMap(address + i * bytes, bytes, 0, handle, 0);
  }
  cuMemSetAccess(address, pieces * bytes, &access, 1);
  return (void *)address;
}

static void run_graph(float *out, float *in, unsigned *bins, unsigned char *values, int n) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  transpose<0><<<dim3(4, 4), dim3(32, 32), 0, stream>>>(out, in, 128);
  transpose<1><<<dim3(4, 4), dim3(32, 32), 0, stream>>>(in, out, 128);
  histogram<<<4, 256, 0, stream>>>(bins, values, n);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

static void launch_in_thread(float *out, float *in, int which) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++)
    if (which)
      transpose<1><<<dim3(4, 4), dim3(32, 32), 0, stream>>>(out, in, 128);
    else
      transpose<0><<<dim3(4, 4), dim3(32, 32), 0, stream>>>(out, in, 128);
  CHECK(cudaStreamSynchronize(stream));
}

int main() {
  const int n = 1 << 16;
  float host[32], *in, *out;
  unsigned *bins;
  unsigned char *values;
  int *numbers;
  for (int i = 0; i < 32; i++)
    host[i] = 1 + i;
  CHECK(cudaMemcpyToSymbol(coefficient, host, sizeof host));
  CHECK(cudaMalloc(&in, 128 * 128 * 4));
  CHECK(cudaMallocAsync(&out, 128 * 128 * 4, 0));
  CHECK(cudaMemset(in, 0, 128 * 128 * 4));
  transpose<0><<<dim3(4, 4), dim3(32, 32)>>>(out, in, 128);
  transpose<1><<<dim3(4, 4), dim3(32, 32)>>>(out, in, 128);
  CHECK(cudaMallocManaged(&values, n));
  for (int i = 0; i < n; i++)
    values[i] = (unsigned char)(i * i >> 5);
  CHECK(cudaMalloc(&bins, 1024));
  CHECK(cudaMemset(bins, 0, 1024));
  histogram<<<8, 256>>>(bins, values, n);

  std::vector<Node> nodes(8);
  Node *list = (Node *)mapped_memory(2);
  for (int i = 0; i < 8; i++)
    nodes[i] = {i < 7 ? list + i + 1 : nullptr, i < 7 ? 1 : 6};
  CHECK(cudaMemcpy(list, nodes.data(), 8 * sizeof(Node), cudaMemcpyDefault));
  CHECK(cudaMalloc(&numbers, 1 << 16));
  CHECK(cudaMemset(numbers, 0, 1 << 16));
  follow<<<2, 128, 8192>>>(numbers, list, 4);

  int rows[2][256], *device_rows, *table, *pointers[4];
  for (int i = 0; i < 256; i++) {
    rows[0][i] = i * 7 % 64;
    rows[1][i] = i / 2;
  }
  CHECK(cudaMalloc(&device_rows, sizeof rows));
  CHECK(cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyDefault));
  CHECK(cudaMallocHost(&table, 4096));
  for (int i = 0; i < 1024; i++)
    table[i] = i ^ 5;
  for (int i = 0; i < 4; i++)
    pointers[i] = table + 64 * i;
  CHECK(cudaMemcpyToSymbol(table_of, pointers, sizeof pointers));
  Job job = {{device_rows, device_rows + 256}, 5, 3};
  gather<<<3, 256>>>(numbers, job);

  int count = 1024; // of all threads: none meets another
  void *parameters[] = {&numbers, &count};
  CHECK(cudaLaunchCooperativeKernel((void *)in_turns, 4, 256, parameters, 0, 0));
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  config.gridDim = 8;
  config.blockDim = 256;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, clustered, numbers));
  run_graph(out, in, bins, values, n);
  std::thread other(launch_in_thread, out, in, 1);
  launch_in_thread(out, in, 0);
  other.join();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceReset());
  puts("done");
  return 0;
}
