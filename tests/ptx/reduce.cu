// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reductions: in shared memory, by shuffles, of pairs, by atomics; a maximum with its place.
// launch: --entry reduce_shared --block 256 --grid 3 --arg 2=700 # nvcc
// launch: --entry reduce_interleaved --block 256 --grid 2 --arg 2=512 # nvcc clang
// launch: --entry reduce_shuffle --block 256 --grid 3 --arg 2=2000 # nvcc clang
// launch: --entry 'reduce_dot<double>' --block 128 --grid 2 --arg 3=300 # nvcc clang
// launch: --entry reduce_argmax --block 192 --arg 3=1000 # nvcc
// launch: --entry reduce_atomic --block 96 --grid 2 --arg 2=500 # nvcc clang
extern "C" __global__ void reduce_shared(float *out, const float *in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) {
      s[t] += s[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

// The stride doubles: lanes meet in ever fewer banks.
extern "C" __global__ void reduce_interleaved(int *out, const int *in, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    int at = 2 * stride * t;
    if (at < blockDim.x) {
      s[at] += s[at + stride];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

extern "C" __global__ void reduce_shuffle(float *out, const float *in, int n) {
  __shared__ float warps[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, step);
  }
  if (lane == 0) {
    warps[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) {
      sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    if (lane == 0) {
      out[blockIdx.x] = sum;
    }
  }
}

template <class T> __global__ void reduce_dot(T *out, const T *a, const T *b, int n) {
  __shared__ T s[128];
  T sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    sum += a[i] * b[i];
  }
  s[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      s[threadIdx.x] += s[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s[0];
  }
}
template __global__ void reduce_dot<double>(double *, const double *, const double *, int);

struct Best {
  float value;
  int at;
};
extern "C" __global__ void reduce_argmax(Best *out, const float *in, const float *weights, int n) {
  __shared__ Best s[192];
  Best best = {-1e30f, -1};
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = in[i] * weights[i];
    best = v > best.value ? Best{v, i} : best;
  }
  s[threadIdx.x] = best;
  __syncthreads();
  for (int count = 192; count > 1;) {
    int half = (count + 1) / 2;
    if (threadIdx.x + half < count) {
      Best a = s[threadIdx.x], b = s[threadIdx.x + half];
      bool first = a.value >= b.value;
      s[threadIdx.x].value = first ? a.value : b.value;
      s[threadIdx.x].at = first ? a.at : b.at;
    }
    __syncthreads();
    count = half;
  }
  if (threadIdx.x == 0) {
    *out = s[0];
  }
}

extern "C" __global__ void reduce_atomic(float *out, const float *in, int n) {
  __shared__ float sum;
  __shared__ int most;
  if (threadIdx.x == 0) {
    sum = 0.0f;
    most = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&sum, in[i]);
    atomicMax(&most, i);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = sum + most;
  }
}
