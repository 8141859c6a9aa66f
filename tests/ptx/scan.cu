// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Prefix sums: Hillis-Steele, Blelloch with and without padding, by warps, over blocks by decoupled look-back.
// launch: --entry scan_steps --block 256 --grid 2
// launch: --entry 'scan_tree<false>' --block 128 --grid 2
// launch: --entry 'scan_tree<true>' --block 128 --grid 2 # nvcc clang
// launch: --entry scan_warps --block 256 --grid 2 # nvcc clang
// launch: --entry scan_segments --block 128 --buffer 2=random:i32:7:2
// launch: --entry scan_look_back --block 64 --grid 4
extern "C" __global__ void scan_steps(int *out, const int *in) {
  __shared__ int s[2][256];
  int t = threadIdx.x, from = 0;
  s[0][t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    s[from ^ 1][t] = t >= step ? s[from][t] + s[from][t - step] : s[from][t];
    from ^= 1;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = s[from][t];
}

template <bool PADDED> __device__ __forceinline__ int spread(int i) {
  return PADDED ? i + i / 32 : i;
}

template <bool PADDED> __global__ void scan_tree(int *out, const int *in) {
  __shared__ int s[256 + 8];
  int t = threadIdx.x, offset = 1;
  s[spread<PADDED>(t)] = in[blockIdx.x * 256 + t];
  s[spread<PADDED>(t + 128)] = in[blockIdx.x * 256 + t + 128];
  for (int count = 128; count > 0; count /= 2, offset *= 2) {
    __syncthreads();
    if (t < count) {
      int a = spread<PADDED>(offset * (2 * t + 1) - 1), b = spread<PADDED>(offset * (2 * t + 2) - 1);
      s[b] += s[a];
    }
  }
  if (t == 0) {
    s[spread<PADDED>(255)] = 0;
  }
  for (int count = 1; count < 256; count *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < count) {
      int a = spread<PADDED>(offset * (2 * t + 1) - 1), b = spread<PADDED>(offset * (2 * t + 2) - 1);
      int left = s[a];
      s[a] = s[b];
      s[b] += left;
    }
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[spread<PADDED>(t)];
  out[blockIdx.x * 256 + t + 128] = s[spread<PADDED>(t + 128)];
}
template __global__ void scan_tree<false>(int *, const int *);
template __global__ void scan_tree<true>(int *, const int *);

extern "C" __global__ void scan_warps(int *out, const int *in) {
  __shared__ int sums[8];
  int t = threadIdx.x, lane = t & 31, v = in[blockIdx.x * 256 + t];
  for (int step = 1; step < 32; step <<= 1) {
    int left = __shfl_up_sync(0xffffffff, v, step);
    if (lane >= step) {
      v += left;
    }
  }
  if (lane == 31) {
    sums[t >> 5] = v;
  }
  __syncthreads();
  if (t < 8) {
    int sum = sums[t];
    for (int step = 1; step < 8; step <<= 1) {
      int left = __shfl_up_sync(0xff, sum, step);
      sum += t >= step ? left : 0;
    }
    sums[t] = sum;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = v + (t < 32 ? 0 : sums[(t >> 5) - 1]);
}

// Sums begin anew where a flag is set: the flags decide which lanes read.
extern "C" __global__ void scan_segments(int *out, const int *in, const int *flags) {
  __shared__ int s[128];
  __shared__ int start[128];
  int t = threadIdx.x;
  s[t] = in[t];
  start[t] = flags[t] ? t : 0;
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    int sum = s[t], from = start[t];
    if (t >= step) {
      from = max(from, start[t - step]);
      if (start[t] <= t - step) {
        sum += s[t - step];
      }
    }
    __syncthreads();
    s[t] = sum;
    start[t] = from;
    __syncthreads();
  }
  out[t] = s[t];
}

// Each block waits for the one before it.
extern "C" __global__ void scan_look_back(int *out, const int *in, volatile int *ready, volatile int *sums) {
  __shared__ int s[64];
  __shared__ int before;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int i = 0; i < 64; i++) {
      sum += s[i];
      s[i] = sum;
    }
    before = 0;
    if (blockIdx.x > 0) {
      while (ready[blockIdx.x - 1] == 0) {
      }
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + sum;
    __threadfence();
    ready[blockIdx.x] = 1;
  }
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[t] + before;
}
