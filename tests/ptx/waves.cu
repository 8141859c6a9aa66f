// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Fast Fourier transforms, panels of an LU decomposition, edit distance and knapsack in waves.
// launch: --entry 'fourier<256>' --block 128 --grid 2
// launch: --entry fourier_parts --block 64 # nvcc clang
// launch: --entry lu_panel --block 16,16 # nvcc clang
// launch: --entry edit_distance --block 64 # nvcc clang
// launch: --entry knapsack --block 128 --arg 3=10 --arg 4=200 --buffer 1=random:i32:12:30 # nvcc clang
template <int N> __global__ void fourier(float2 *data) {
  __shared__ float2 s[N];
  int t = threadIdx.x, bits = 31 - __clz(N);
  float2 *own = data + blockIdx.x * N;
  for (int i = t; i < N; i += N / 2) {
    s[__brev(i) >> (32 - bits)] = own[i];
  }
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    int k = t & (half - 1), a = 2 * t - k, b = a + half;
    float sine, cosine;
    sincospif(-(float)k / half, &sine, &cosine);
    float2 x = s[a], y = s[b];
    float re = y.x * cosine - y.y * sine, im = y.x * sine + y.y * cosine;
    s[a] = make_float2(x.x + re, x.y + im);
    s[b] = make_float2(x.x - re, x.y - im);
  }
  __syncthreads();
  own[t] = s[t];
  own[t + N / 2] = s[t + N / 2];
}
template __global__ void fourier<256>(float2 *);

// Radix 4, real and imaginary parts apart, from one buffer to the other.
extern "C" __global__ void fourier_parts(float *re, float *im) {
  __shared__ float r[2][256], i[2][256];
  int t = threadIdx.x, from = 0;
  for (int j = 0; j < 4; j++) {
    r[0][t + 64 * j] = re[t + 64 * j];
    i[0][t + 64 * j] = im[t + 64 * j];
  }
  for (int stride = 1; stride < 256; stride *= 4, from ^= 1) {
    __syncthreads();
    float x[4], y[4];
    for (int j = 0; j < 4; j++) {
      x[j] = r[from][t + 64 * j];
      y[j] = i[from][t + 64 * j];
    }
    float a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = y[1] - y[3];
    int to = t / stride * stride * 4 + t % stride;
    r[from ^ 1][to] = a + c;
    r[from ^ 1][to + stride] = b + d;
    r[from ^ 1][to + 2 * stride] = a - c;
    r[from ^ 1][to + 3 * stride] = b - d;
    i[from ^ 1][to] = y[0] + y[1];
    i[from ^ 1][to + stride] = y[0] - y[1];
    i[from ^ 1][to + 2 * stride] = y[2] + y[3];
    i[from ^ 1][to + 3 * stride] = y[2] - y[3];
  }
  __syncthreads();
  for (int j = 0; j < 4; j++) {
    re[t + 64 * j] = r[from][t + 64 * j];
    im[t + 64 * j] = i[from][t + 64 * j];
  }
}

extern "C" __global__ void lu_panel(float *a) {
  __shared__ float s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = a[y * 16 + x];
  __syncthreads();
  for (int k = 0; k < 15; k++) {
    if (x == k && y > k) {
      s[y][k] /= s[k][k];
    }
    __syncthreads();
    if (x > k && y > k) {
      s[y][x] -= s[y][k] * s[k][x];
    }
    __syncthreads();
  }
  a[y * 16 + x] = s[y][x];
}

// Antidiagonals of a table of 64 x 64, three of them at a time.
extern "C" __global__ void edit_distance(int *out, const char *a, const char *b) {
  __shared__ int wave[3][65];
  __shared__ char word[64];
  int t = threadIdx.x;
  char own = a[t];
  word[t] = b[t];
  wave[0][t] = wave[1][t] = wave[2][t] = 0;
  __syncthreads();
  for (int d = 0; d < 127; d++) {
    int now = d % 3, last = (d + 2) % 3, before = (d + 1) % 3, j = d - t;
    if (j >= 0 && j < 64) {
      int up = t == 0 ? j + 1 : wave[last][t - 1], left = j == 0 ? t + 1 : wave[last][t];
      int corner = t == 0 || j == 0 ? t + j : wave[before][t - 1];
      wave[now][t] = min(min(up, left) + 1, corner + (own != word[j]));
    }
    __syncthreads();
  }
  if (t == 63) {
    *out = wave[126 % 3][63];
  }
}

// The weights decide which cell is read.
extern "C" __global__ void knapsack(int *out, const int *weight, const int *value, int items, int limit) {
  __shared__ int best[2][256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    best[0][i] = 0;
  }
  __syncthreads();
  for (int item = 0; item < items; item++) {
    const int w = weight[item], v = value[item];
    for (int i = threadIdx.x; i <= limit; i += blockDim.x) {
      int without = best[item & 1][i];
      best[item & 1 ^ 1][i] = i >= w ? max(without, best[item & 1][i - w] + v) : without;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *out = best[items & 1][limit];
  }
}
