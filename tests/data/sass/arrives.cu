// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers in shared memory (mbarrier), which before sm_90 are words that the code stores and loads itself; and some whose
// lanes expect different numbers of arrivals.
// nvcc -cubin -arch=sm_80 (sm_90, sm_100)
__device__ __forceinline__ unsigned address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void init(unsigned long long *barrier, unsigned n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(barrier)), "r"(n) : "memory");
}
__device__ __forceinline__ unsigned long long arrive(unsigned long long *barrier) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(barrier)) : "memory");
  return state;
}
__device__ __forceinline__ void wait(unsigned long long *barrier, unsigned long long state) {
  unsigned done;
  do
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(address(barrier)), "l"(state)
                 : "memory");
  while (!done);
}

// Half of the threads leave the barrier after one phase; copies arrive as well.
__global__ void arrives(int *out, const int *in) {
  __shared__ unsigned long long barrier, copied;
  __shared__ int values[64];
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    init(&copied, blockDim.x);
  }
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(values + threadIdx.x)), "l"(in + threadIdx.x));
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(address(&copied)) : "memory");
  wait(&copied, arrive(&copied));
  int value = values[63 - threadIdx.x];
  if (threadIdx.x >= 32)
    asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(address(&barrier)) : "memory");
  else
    for (int i = 0; i < 2; i++) {
      wait(&barrier, arrive(&barrier));
      value += values[2 * threadIdx.x];
    }
  out[threadIdx.x] = value;
}

__global__ void counts(int *out, const int *in) {
  __shared__ unsigned long long barriers[4];
  __shared__ int values[64];
  if (threadIdx.x < 4)
    init(&barriers[threadIdx.x], 32 + 32 * (threadIdx.x & 1));
  __syncthreads();
  values[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32)
    wait(&barriers[0], arrive(&barriers[0]));
  wait(&barriers[1], arrive(&barriers[1]));
  out[threadIdx.x] = values[63 - threadIdx.x];
}

// Several arrivals at once, and bytes that are announced; since sm_90.
__global__ void announces(int *out, const int *in) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned long long barrier;
  __shared__ int values[64];
  unsigned long long state = 0;
  unsigned at = address(&barrier), four = in[0] + 4, bytes = in[0] + 16;
  if (threadIdx.x == 0)
    init(&barrier, 6);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(four) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(2 * bytes) : "memory");
  }
  if (threadIdx.x == 32)
    asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(bytes) : "memory");
  if (threadIdx.x == 33)
    state = arrive(&barrier);
  if (threadIdx.x == 0 || threadIdx.x == 32)
    wait(&barrier, state);
  __syncthreads();
  if (threadIdx.x == 40)
    asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0], %1;" ::"r"(at), "r"(four + 1) : "memory");
  out[threadIdx.x] = values[63 - threadIdx.x];
#endif
}
