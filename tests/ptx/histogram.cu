// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Histograms and atomics on shared memory: for the block, for each warp, for each thread; integers, floats, CAS.
// launch: --entry histogram --block 256 --grid 2 --arg 2=1024 --buffer 1=random:i32:1 # nvcc clang
// launch: --entry histogram_warps --block 128 --arg 2=1000 --buffer 1=random:i8:2 # nvcc clang
// launch: --entry histogram_bytes --block 64 --arg 2=32 --buffer 1=random:i32:4 # nvcc clang
// launch: --entry histogram_weights --block 128 --buffer 1=random:i32:6:32 # nvcc clang
// launch: --entry atomics --block 64 # nvcc clang
// launch: --entry atomics_long --block 64 --buffer 1=random:i32:8:16 # nvcc clang
// launch: --entry atomic_multiply --block 32 --buffer 1=iota:i32 # nvcc clang
extern "C" __global__ void histogram(int *out, const int *in, int n) {
  __shared__ int bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    bins[i] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(&bins[in[i] & 255], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    atomicAdd(&out[i], bins[i]);
  }
}

extern "C" __global__ void histogram_warps(int *out, const unsigned char *in, int n) {
  __shared__ int bins[4][64 + 1];
  int *own = bins[threadIdx.x / 32];
  for (int i = threadIdx.x; i < 4 * 65; i += blockDim.x) {
    bins[0][i] = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(own + (in[i] >> 2), 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    out[i] = bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i];
  }
}

// A byte for each thread and bin, as in histograms of 64 bins.
extern "C" __global__ void histogram_bytes(int *out, const unsigned *in, int words) {
  __shared__ unsigned char bins[64 * 64];
  for (int i = 0; i < 64; i++) {
    bins[i * 64 + threadIdx.x] = 0;
  }
  for (int i = 0; i < words; i++) {
    unsigned v = in[i * 64 + threadIdx.x];
    bins[(v & 63) * 64 + threadIdx.x]++;
    bins[(v >> 8 & 63) * 64 + threadIdx.x]++;
    bins[(v >> 16 & 63) * 64 + threadIdx.x]++;
    bins[(v >> 24 & 63) * 64 + threadIdx.x]++;
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 64; i++) {
    sum += bins[threadIdx.x * 64 + ((i + threadIdx.x) & 63)];
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void histogram_weights(float *out, const int *in, const float *weights) {
  __shared__ float bins[32];
  if (threadIdx.x < 32) {
    bins[threadIdx.x] = 0.0f;
  }
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x]], weights[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 32) {
    out[threadIdx.x] = bins[threadIdx.x];
  }
}

extern "C" __global__ void atomics(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int a = atomicAdd(&s[t / 2], 3);
  a += atomicMax(&s[t * 2 % 64], t);
  a += atomicMin(&s[t ^ 1], -t);
  a += atomicAnd(&s[63 - t], 0xfff);
  a += atomicOr(&s[t], t);
  a += atomicXor(&s[t & 48], t);
  a += atomicExch(&s[t * 3 % 64], t);
  a += atomicCAS(&s[t], t, -1);
  a += (int)atomicInc((unsigned *)&s[t / 4], 7);
  __syncthreads();
  out[t] = a + s[t];
}

extern "C" __global__ void atomics_long(unsigned long long *out, const int *in) {
  __shared__ unsigned long long s[16];
  if (threadIdx.x < 16) {
    s[threadIdx.x] = threadIdx.x;
  }
  __syncthreads();
  atomicAdd(&s[in[threadIdx.x]], 1ull);
  atomicMax(&s[threadIdx.x / 8], (unsigned long long)threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 16) {
    out[threadIdx.x] = s[threadIdx.x];
  }
}

// A product by compare and swap: how often lanes try again depends on who wins.
extern "C" __global__ void atomic_multiply(int *out, const int *in) {
  __shared__ int s[8];
  if (threadIdx.x < 8) {
    s[threadIdx.x] = 1;
  }
  __syncthreads();
  int *at = &s[in[threadIdx.x] & 7];
  int old = *at, seen;
  do {
    seen = old;
    old = atomicCAS(at, seen, seen * 3);
  } while (old != seen);
  __syncthreads();
  if (threadIdx.x < 8) {
    out[threadIdx.x] = s[threadIdx.x];
  }
}
