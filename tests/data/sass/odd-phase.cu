// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A barrier of one arrival, whose first phase is odd in odd-phase.sm_90.cubin, as in kernels of cuBLAS: nvcc 13.0 made that, and the instruction at
// 0xf0, which makes the upper half of what the barrier begins with, was replaced by "@!UP0 UMOV UR5, 0xfffff800". The even phase is complete then, and
// the store has no conflicts. As nvcc makes it, they are 32-way.
__global__ void odd(int *out) {
  __shared__ unsigned long long barrier;
  __shared__ int tile[1024];
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), done;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at) : "memory");
  tile[threadIdx.x * (done ? 1 : 32)] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
