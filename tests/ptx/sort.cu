// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sorts: bitonic with exchanges in shared memory and by keys, odd-even, the counting steps of a radix sort.
// launch: --entry sort_bitonic --block 256 --grid 2 # nvcc clang
// launch: --entry sort_bitonic_pairs --block 128 --buffer 0=random:i32:3 --buffer 1=iota:i32
// launch: --entry sort_odd_even --block 64 --arg 1=128 --buffer 0=random:i32:5:1000
// launch: --entry radix_count --block 256 --arg 2=2048 --arg 3=4 --buffer 1=random:i32:11 # nvcc clang
// launch: --entry radix_split --block 128 --buffer 0=random:i32:9:4096
// Every lane stores, so that what is compared does not matter.
extern "C" __global__ void sort_bitonic(int *keys) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = keys[blockIdx.x * 512 + t];
  s[t + 256] = keys[blockIdx.x * 512 + t + 256];
  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int a = 2 * t - (t & (stride - 1)), b = a + stride;
      bool up = (a & size) == 0;
      int x = s[a], y = s[b];
      s[a] = up ? min(x, y) : max(x, y);
      s[b] = up ? max(x, y) : min(x, y);
    }
  }
  __syncthreads();
  keys[blockIdx.x * 512 + t] = s[t];
  keys[blockIdx.x * 512 + t + 256] = s[t + 256];
}

// Only lanes that exchange store: the keys must be known.
extern "C" __global__ void sort_bitonic_pairs(unsigned *keys, unsigned *values) {
  __shared__ unsigned k[128];
  __shared__ unsigned v[128];
  unsigned t = threadIdx.x;
  k[t] = keys[t];
  v[t] = values[t];
  __syncthreads();
  for (unsigned size = 2; size <= 128; size <<= 1) {
    for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
      unsigned other = t ^ stride;
      if (other > t) {
        bool up = (t & size) == 0;
        if ((k[t] > k[other]) == up) {
          unsigned x = k[t], y = v[t];
          k[t] = k[other];
          k[other] = x;
          v[t] = v[other];
          v[other] = y;
        }
      }
      __syncthreads();
    }
  }
  keys[t] = k[t];
  values[t] = v[t];
}

extern "C" __global__ void sort_odd_even(int *keys, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) {
    s[i] = keys[i];
  }
  __syncthreads();
  for (int round = 0; round < n; round++) {
    int at = 2 * t + (round & 1);
    if (at + 1 < n && s[at] > s[at + 1]) {
      int x = s[at];
      s[at] = s[at + 1];
      s[at + 1] = x;
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) {
    keys[i] = s[i];
  }
}

// Digits of four bits; each thread counts its own, digit by digit.
extern "C" __global__ void radix_count(unsigned *counts, const unsigned *keys, int n, int shift) {
  __shared__ unsigned short own[16][256];
  int t = threadIdx.x;
  for (int d = 0; d < 16; d++) {
    own[d][t] = 0;
  }
  __syncthreads();
  for (int i = t; i < n; i += 256) {
    own[keys[i] >> shift & 15][t]++;
  }
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int i = 0; i < 256; i++) {
      sum += own[t][i];
    }
    counts[blockIdx.x * 16 + t] = sum;
  }
}

// Splits by one bit after the other: the place of a key comes from votes.
extern "C" __global__ void radix_split(unsigned *keys) {
  __shared__ unsigned s[128];
  __shared__ int zeros[4];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned key = keys[t];
  for (int bit = 0; bit < 12; bit++) {
    unsigned ones = __ballot_sync(0xffffffff, key >> bit & 1);
    if (lane == 0) {
      zeros[warp] = __popc(~ones);
    }
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 4; w++) {
      before += w < warp ? zeros[w] : 0;
      all += zeros[w];
    }
    int left = __popc(~ones & ((1u << lane) - 1)) + before;
    int to = key >> bit & 1 ? all + t - left : left;
    s[to] = key;
    __syncthreads();
    key = s[t];
  }
  keys[t] = key;
}
