// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose memory lies at addresses of a process (SmbLaunch.memory). memory.ptx and memory.sm_90.cubin are made of it,
// in this folder:
//   nvcc -arch=sm_90 -ptx -o memory.ptx memory.cu
//   ptxas -arch=sm_90 -o memory.sm_90.cubin memory.ptx

__device__ int table[64];
__constant__ int factors[32];

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// The numbers of in[] decide which banks are asked for.
extern "C" __global__ void gather(int *out, const int *in) {
  __shared__ int s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[s[threadIdx.x] & 31];
}

// The same as far as they do not.
extern "C" __global__ void copy(int *out, const int *in) {
  __shared__ int s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x ^ 1] = in[i];
  __syncwarp();
  out[i] = s[threadIdx.x];
}

// Vectors, from a place inside of what in points into.
extern "C" __global__ void before(int *out, const int *in) {
  __shared__ int4 s[32];
  s[threadIdx.x] = ((const int4 *)in)[-(int)threadIdx.x - 1];
  __syncwarp();
  out[threadIdx.x] = s[s[threadIdx.x].x & 31].w;
}

// Pointers in memory.
extern "C" __global__ void rows(int *const *rows, int *out) {
  __shared__ int s[32];
  const int *row = rows[blockIdx.x];
  s[row[threadIdx.x] & 31] = threadIdx.x;
  __syncwarp();
  out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

struct Node {
  Node *next;
  int stride;
};

extern "C" __global__ void list(const Node *node, int *out) {
  __shared__ int s[1024];
  int sum = 0;
  for (; node; node = node->next)
    sum += ((volatile int *)s)[threadIdx.x * node->stride] + node->stride;
  out[threadIdx.x] = sum;
}

// The variables above, by their names and by their addresses.
extern "C" __global__ void variables(int *by_address, const int *constants, int *out) {
  __shared__ int s[1024];
  by_address[threadIdx.x] += 1;
  __syncwarp();
  s[threadIdx.x * constants[1]] = table[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x * factors[1]];
}

extern "C" __global__ void tickets(unsigned *counter, int *out) {
  __shared__ int s[1024];
  unsigned ticket = atomicAdd(counter, 2u);
  s[ticket & 1023] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = s[(threadIdx.x * 2) & 1023];
}

extern "C" __global__ void stages(int *out, const int *in) {
  __shared__ __align__(16) int s[128];
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(s + 4 * threadIdx.x)), "l"(in + 8 * threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
  out[threadIdx.x] = s[s[threadIdx.x] & 127];
}

extern "C" __global__ void bulk(int *out, const int *in) {
  __shared__ __align__(128) int s[128];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(shared_address(s)), "l"(in), "r"(shared_address(&barrier)) : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_address(&barrier)) : "memory");
  s[threadIdx.x] = s[s[threadIdx.x] & 127] + 1;
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(out), "r"(shared_address(s)) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// What lies where a number of memory says.
extern "C" __global__ void chase(int *out, const long *offsets) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const int *p = (const int *)((const char *)offsets + offsets[0]);
  out[threadIdx.x] = s[p[threadIdx.x] & 31];
}
