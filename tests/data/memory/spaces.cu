// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where a generic pointer points. spaces.ptx and spaces.sm_90.cubin are made of it as memory.cu's are.

// Whether a pointer points into global, or into shared memory.
extern "C" __global__ void spaces(int *out, const int *in) {
  __shared__ int s[32];
  const int *p = threadIdx.x & 1 ? in : s;
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = (__isGlobal(p) ? 1 : 0) + (__isShared(p) ? 2 : 0) + (__isLocal(p) ? 4 : 0) + p[threadIdx.x / 2 * 2];
}
