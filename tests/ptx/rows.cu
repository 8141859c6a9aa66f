// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A row of a matrix for each block or warp: softmax, layer norm in one pass, products with a vector, bodies.
// launch: --entry softmax --block 128 --grid 2 --arg 2=300
// launch: --entry layer_norm --block 128 --grid 2 --arg 3=512 # nvcc clang
// launch: --entry matrix_vector --block 32,4 --grid 4 --arg 3=100 # nvcc clang
// launch: --entry matrix_vector_columns --block 64 --grid 2 --arg 3=128 # nvcc clang
// launch: --entry bodies --block 64 --grid 2 --arg 2=128 --arg 3=0.01 # nvcc
extern "C" __global__ void softmax(float *out, const float *in, int n) {
  __shared__ float most[4], sums[4];
  const float *row = in + blockIdx.x * n;
  float m = -1e30f, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float next = fmaxf(m, row[i]);
    sum = sum * __expf(m - next) + __expf(row[i] - next);
    m = next;
  }
  for (int step = 16; step > 0; step >>= 1) {
    float other = __shfl_xor_sync(0xffffffff, m, step), rest = __shfl_xor_sync(0xffffffff, sum, step);
    float next = fmaxf(m, other);
    sum = sum * __expf(m - next) + rest * __expf(other - next);
    m = next;
  }
  if (threadIdx.x % 32 == 0) {
    most[threadIdx.x / 32] = m;
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  m = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
  sum = 0.0f;
  for (int w = 0; w < 4; w++) {
    sum += sums[w] * __expf(most[w] - m);
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[blockIdx.x * n + i] = __expf(row[i] - m) / sum;
  }
}

// Count, mean and squares (Welford), merged pair by pair.
struct Moments {
  float count, mean, squares;
};
__device__ __noinline__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count, delta = b.mean - a.mean, part = count > 0.0f ? b.count / count : 0.0f;
  return {count, a.mean + delta * part, a.squares + b.squares + delta * delta * a.count * part};
}
extern "C" __global__ void layer_norm(float *out, const float *in, const float *scale, int n) {
  __shared__ Moments s[128];
  const float4 *row = (const float4 *)(in + blockIdx.x * n);
  Moments own = {0.0f, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
    float4 v = row[i];
    float x[4] = {v.x, v.y, v.z, v.w};
    for (int j = 0; j < 4; j++) {
      own.count += 1.0f;
      float delta = x[j] - own.mean;
      own.mean += delta / own.count;
      own.squares += delta * (x[j] - own.mean);
    }
  }
  s[threadIdx.x] = own;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      s[threadIdx.x] = merge(s[threadIdx.x], s[threadIdx.x + half]);
    }
    __syncthreads();
  }
  float mean = s[0].mean, inverse = rsqrtf(s[0].squares / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[blockIdx.x * n + i] = (in[blockIdx.x * n + i] - mean) * inverse * scale[i];
  }
}

extern "C" __global__ void matrix_vector(float *out, const float *a, const float *x, int n) {
  __shared__ float s[4][33];
  int row = blockIdx.x * 4 + threadIdx.y;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) {
    sum += a[row * n + i] * x[i];
  }
  s[threadIdx.y][threadIdx.x] = sum;
  __syncwarp();
  for (int half = 16; half > 0; half >>= 1) {
    if (threadIdx.x < half) {
      s[threadIdx.y][threadIdx.x] += s[threadIdx.y][threadIdx.x + half];
    }
    __syncwarp();
  }
  if (threadIdx.x == 0) {
    out[row] = s[threadIdx.y][0];
  }
}

extern "C" __global__ void matrix_vector_columns(double *out, const double *a, const double *x, int n) {
  __shared__ double part[64];
  double sum = 0.0;
  for (int k = 0; k < n; k += 64) {
    part[threadIdx.x] = x[k + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 64; i++) {
      sum += a[(k + i) * n + blockIdx.x * 64 + threadIdx.x] * part[i];
    }
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

extern "C" __global__ void bodies(float4 *pull, const float4 *at, int n, float soft) {
  __shared__ float4 s[64];
  float4 own = at[blockIdx.x * 64 + threadIdx.x], sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int tile = 0; tile < n; tile += 64) {
    s[threadIdx.x] = at[tile + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 64; i++) {
      float4 b = s[i];
      float x = b.x - own.x, y = b.y - own.y, z = b.z - own.z;
      float r = rsqrtf(x * x + y * y + z * z + soft);
      float f = b.w * r * r * r;
      sum.x += x * f;
      sum.y += y * f;
      sum.z += z * f;
    }
    __syncthreads();
  }
  pull[blockIdx.x * 64 + threadIdx.x] = sum;
}
