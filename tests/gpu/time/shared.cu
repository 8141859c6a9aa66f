// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose time is measured: shared memory, with conflicts and without, beside barriers, arithmetic and atomics.
#include "launch.h"

// N loads at a stride, each with M multiply-adds.
template <int STRIDE, int M> __global__ void mix(float *o, int n) {
  __shared__ float s[1056];
  for (int i = threadIdx.x; i < 1056; i += blockDim.x) s[i] = i;
  __syncthreads();
  int at = threadIdx.x % 32 * STRIDE % 1024;
  float a = threadIdx.x, b = 0;
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int j = 0; j < 8; j++) {
      float w = s[(at + j * 4) & 1023];
#pragma unroll
      for (int m = 0; m < M; m++)
        if (m & 1) a = a * 1.0001f + w;
        else b = b * 0.999f + w;
    }
    at = (at + 32) & 1023;
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}
// Loads and stores of several widths, lanes STRIDE elements apart.
template <typename T, int STRIDE> __global__ void wide(float *o, int n) {
  extern __shared__ char memory[];
  T *s = (T *)memory;
  int elements = 32 * STRIDE, me = threadIdx.x % 32 * STRIDE;
  for (int i = threadIdx.x; i < elements * (int)sizeof(T) / 4; i += blockDim.x) ((float *)s)[i] = i;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; k++) {
    T v = s[(me + k) % elements];
    sum += ((float *)&v)[0] + ((float *)&v)[sizeof(T) / 4 - 1];
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template <typename T, int STRIDE> __global__ void wide_store(float *o, int n) {
  extern __shared__ char memory[];
  T *s = (T *)memory, v;
  int elements = 32 * STRIDE, me = threadIdx.x % 32 * STRIDE;
  for (int w = 0; w < (int)sizeof(T) / 4; w++) ((float *)&v)[w] = threadIdx.x + w;
  for (int k = 0; k < n; k++) {
    s[(me + k) % elements] = v;
    ((float *)&v)[0] += 1;
  }
  __syncthreads();
  o[blockIdx.x * blockDim.x + threadIdx.x] = ((float *)s)[threadIdx.x % 32];
}
// A tile turned over many times in shared memory.
template <int PAD> __global__ void flip(float *o, const float *in, int n) {
  __shared__ float t[32][32 + PAD], u[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int r = 0; r < 32; r += 8) t[y + r][x] = in[(y + r) * 32 + x];
  __syncthreads();
  for (int k = 0; k < n; k++) {
    for (int r = 0; r < 32; r += 8) u[y + r][x] = t[x][y + r];
    __syncthreads();
    for (int r = 0; r < 32; r += 8) t[y + r][x] = u[x][y + r] + 1;
    __syncthreads();
  }
  float s = 0;
  for (int r = 0; r < 32; r += 8) s += t[y + r][x];
  o[(blockIdx.x * 8 + y) * 32 + x] = s;
}
enum Kind { INTERLEAVED, SEQUENTIAL, MODULO, SHUFFLED };
template <Kind KIND, int B> __global__ void reduce(float *o, const float *in) {
  __shared__ float s[B];
  int t = threadIdx.x;
  float v = in[blockIdx.x * B + t];
  if (KIND == SHUFFLED) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
      v = t < B / 32 ? s[t] : 0;
      for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
      if (t == 0) o[blockIdx.x] = v;
    }
    return;
  }
  s[t] = v;
  __syncthreads();
  if (KIND == SEQUENTIAL) {
    for (int d = B / 2; d; d /= 2) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
  } else {
    for (int d = 1; d < B; d *= 2) {
      int i = KIND == INTERLEAVED ? 2 * d * t : t;
      if (KIND == INTERLEAVED ? i < B : t % (2 * d) == 0) s[i] += s[i + d];
      __syncthreads();
    }
  }
  if (t == 0) o[blockIdx.x] = s[0];
}
// Prefix sums: step by step, and by a tree whose indices are padded or not.
template <int B> __global__ void scan_steps(float *o, const float *in) {
  __shared__ float s[2][B];
  int t = threadIdx.x, from = 0;
  s[0][t] = in[blockIdx.x * B + t];
  __syncthreads();
  for (int d = 1; d < B; d *= 2) {
    s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  o[blockIdx.x * B + t] = s[from][t];
}
template <int B, int PADDED> __device__ int place(int i) { return PADDED ? i + i / 32 : i; }
template <int B, int PADDED> __global__ void scan_tree(float *o, const float *in) {
  __shared__ float s[B + B / 32];
  int t = threadIdx.x, base = blockIdx.x * B;
#define S(i) s[place<B, PADDED>(i)]
  S(2 * t) = in[base + 2 * t], S(2 * t + 1) = in[base + 2 * t + 1];
  int d, gap = 1;
  for (d = B / 2; d; d /= 2, gap *= 2) {
    __syncthreads();
    if (t < d) S(gap * (2 * t + 2) - 1) += S(gap * (2 * t + 1) - 1);
  }
  if (t == 0) S(B - 1) = 0;
  for (d = 1; d < B; d *= 2) {
    gap /= 2;
    __syncthreads();
    if (t < d) {
      float x = S(gap * (2 * t + 1) - 1);
      S(gap * (2 * t + 1) - 1) = S(gap * (2 * t + 2) - 1);
      S(gap * (2 * t + 2) - 1) += x;
    }
  }
  __syncthreads();
  o[base + 2 * t] = S(2 * t), o[base + 2 * t + 1] = S(2 * t + 1);
#undef S
}
template <int B> __global__ void bitonic(float *o, const float *in) {
  __shared__ float s[2 * B];
  int t = threadIdx.x, base = blockIdx.x * 2 * B;
  s[t] = in[base + t], s[t + B] = in[base + t + B];
  for (int size = 2; size <= 2 * B; size *= 2)
    for (int d = size / 2; d; d /= 2) {
      __syncthreads();
      int i = 2 * t - (t & (d - 1));
      bool up = (i & size) == 0;
      float x = s[i], y = s[i + d];
      if ((x > y) == up) s[i] = y, s[i + d] = x;
    }
  __syncthreads();
  o[base + t] = s[t], o[base + t + B] = s[t + B];
}
// Counts of what a hash says: one table, or one for each warp; or of what stands in memory.
template <int BINS, int COPIES> __global__ void histogram(unsigned *o, int n) {
  __shared__ unsigned h[BINS * COPIES];
  for (int i = threadIdx.x; i < BINS * COPIES; i += blockDim.x) h[i] = 0;
  __syncthreads();
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1, w = threadIdx.x / 32 % COPIES;
  for (int k = 0; k < n; k++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    atomicAdd(&h[(x >> 7) % BINS * COPIES + w], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
    unsigned s = 0;
    for (int c = 0; c < COPIES; c++) s += h[i * COPIES + c];
    atomicAdd(&o[i], s);
  }
}
__global__ void histogram_image(unsigned *o, const uchar4 *i, int n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int at = blockIdx.x * 256 + threadIdx.x; at < n; at += gridDim.x * 256) {
    uchar4 v = i[at];
    atomicAdd(&h[v.x], 1), atomicAdd(&h[v.y], 1), atomicAdd(&h[v.z], 1), atomicAdd(&h[v.w], 1);
  }
  __syncthreads();
  atomicAdd(&o[threadIdx.x], h[threadIdx.x]);
}
// Atomics on shared memory whose results are used.
template <int STRIDE> __global__ void tickets(unsigned *o, int n) {
  __shared__ unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0;
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < n; k++) sum += atomicAdd(&s[(threadIdx.x * STRIDE + k) & 1023], sum & 1);
  o[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void nbody(float4 *o, const float4 *p, int n) {
  __shared__ float4 s[256];
  float4 me = p[blockIdx.x * 256 + threadIdx.x];
  float ax = 0, ay = 0, az = 0;
  for (int b = 0; b < n; b += 256) {
    s[threadIdx.x] = p[b + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; j++) {
      float4 q = s[j];
      float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      r = q.w * r * r * r;
      ax += dx * r, ay += dy * r, az += dz * r;
    }
    __syncthreads();
  }
  o[blockIdx.x * 256 + threadIdx.x] = make_float4(ax, ay, az, 0);
}
// FFT of 256 points a block of 128 threads, radix 2, in shared memory; PAD words after each 32.
template <int PAD> __global__ void fft256(float2 *o, const float2 *in) {
  __shared__ float re[256 + 8 * PAD], im[256 + 8 * PAD];
  int t = threadIdx.x, base = blockIdx.x * 256;
#define AT(i) ((i) + (i) / 32 * PAD)
  for (int k = t; k < 256; k += 128) {
    int r = __brev(k) >> 24;
    float2 v = in[base + k];
    re[AT(r)] = v.x, im[AT(r)] = v.y;
  }
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    int j = t % half, i = t / half * 2 * half + j;
    float s, c;
    __sincosf(-3.14159265f * j / half, &s, &c);
    float xr = re[AT(i + half)], xi = im[AT(i + half)], yr = c * xr - s * xi, yi = c * xi + s * xr;
    float zr = re[AT(i)], zi = im[AT(i)];
    re[AT(i)] = zr + yr, im[AT(i)] = zi + yi, re[AT(i + half)] = zr - yr, im[AT(i + half)] = zi - yi;
  }
  __syncthreads();
  for (int k = t; k < 256; k += 128) o[base + k] = make_float2(re[AT(k)], im[AT(k)]);
#undef AT
}
// LU of small matrices, one a warp, N x N, rows PAD words longer.
template <int N, int PAD> __global__ void lu(float *o, const float *in) {
  __shared__ float m[4][N][N + PAD];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  size_t base = ((size_t)blockIdx.x * 4 + w) * N * N;
  for (int i = lane; i < N * N; i += 32) m[w][i / N][i % N] = in[base + i] + (i / N == i % N ? N : 0);
  __syncwarp();
  for (int k = 0; k < N - 1; k++) {
    int row = k + 1 + lane;
    if (row < N) {
      float f = m[w][row][k] / m[w][k][k];
      m[w][row][k] = f;
      for (int c = k + 1; c < N; c++) m[w][row][c] -= f * m[w][k][c];
    }
    __syncwarp();
  }
  for (int i = lane; i < N * N; i += 32) o[base + i] = m[w][i / N][i % N];
}
// A chain of dependent loads.
template <int STRIDE> __global__ void chase(int *o, int n) {
  __shared__ int s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = (i + STRIDE * 32) & 1023;
  __syncthreads();
  int at = threadIdx.x % 32 * STRIDE & 1023;
  for (int k = 0; k < n; k++) at = s[at];
  o[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
// Tables: CRC-32 by bytes, whose table is made in the block; lanes at random places.
__global__ void crc(unsigned *o, int n) {
  __shared__ unsigned table[256];
  unsigned c = threadIdx.x & 255;
  for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  table[threadIdx.x & 255] = c;
  __syncthreads();
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, sum = ~0u;
  for (int k = 0; k < n; k++) {
    x = x * 1664525 + 1013904223;
    for (int b = 0; b < 32; b += 8) sum = table[(sum ^ x >> b) & 255] ^ sum >> 8;
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void barriers(float *o, int n) {
  __shared__ float s[1024];
  float v = threadIdx.x;
  for (int k = 0; k < n; k++) {
    s[threadIdx.x] = v;
    __syncthreads();
    v += s[(threadIdx.x + 33) % blockDim.x];
    __syncthreads();
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void barriers_only(float *o, int n) {
  for (int k = 0; k < n; k++) __syncthreads();
  o[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
// One warp works, the others wait.
__global__ void one_warp(float *o, int n) {
  __shared__ float s[32];
  float v = threadIdx.x;
  for (int k = 0; k < n; k++) {
    if (threadIdx.x / 32 == k % (blockDim.x / 32)) {
      s[threadIdx.x % 32] = v;
      for (int j = 0; j < 16; j++) v = v * 1.01f + 1;
    }
    __syncthreads();
    v += s[0];
    __syncthreads();
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
template <int W> __global__ void structures(float *o, int n) {
  __shared__ float s[256 * W];
  int t = threadIdx.x;
  for (int i = t; i < 256 * W; i += 256) s[i] = i;
  __syncthreads();
  float a = 0;
  for (int k = 0; k < n; k++) {
    int e = (t + k) & 255;
    for (int w = 0; w < W; w++) a += s[e * W + w];
    for (int w = 0; w < 2; w++) s[t * W + w] = a;
    __syncthreads();
  }
  o[blockIdx.x * 256 + t] = a;
}
__global__ void shuffles(float *o, int n) {
  float v = threadIdx.x, w = v + 1;
  for (int k = 0; k < n; k++)
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, w, d), w += __shfl_xor_sync(~0u, v, d);
  o[blockIdx.x * blockDim.x + threadIdx.x] = v + w;
}
// Shuffles, shared memory and L1 in turns: all of one pipe.
__global__ void three_ways(float *o, const float *in, int n) {
  __shared__ float s[1024];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float v = 0;
  for (int k = 0; k < n; k++) {
    int at = (threadIdx.x + k * 32) & 1023;
    v += s[at] + in[at] + __shfl_xor_sync(~0u, v, 1 + (k & 15));
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void softmax(float *o, const float *in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  const float *r = in + (size_t)blockIdx.x * n;
  float m = -1e30f, a = 0;
  for (int i = t; i < n; i += 256) m = fmaxf(m, r[i]);
  s[t] = m;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  for (int i = t; i < n; i += 256) a += __expf(r[i] - m);
  s[t] = a;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  a = 1 / s[0];
  for (int i = t; i < n; i += 256) o[(size_t)blockIdx.x * n + i] = __expf(r[i] - m) * a;
}
__global__ void layer_norm(float4 *o, const float4 *in, int n) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const float4 *r = in + (size_t)row * n;
  float sum = 0, square = 0;
  for (int i = lane; i < n; i += 32) {
    float4 v = r[i];
    sum += v.x + v.y + v.z + v.w, square += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d), square += __shfl_xor_sync(~0u, square, d);
  float mean = sum / (4 * n), scale = rsqrtf(square / (4 * n) - mean * mean + 1e-5f);
  for (int i = lane; i < n; i += 32) {
    float4 v = r[i];
    o[(size_t)row * n + i] = make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
  }
}
// Attention of one head in tiles of 32 keys, 64 wide, rows of keys PAD words longer.
template <int PAD> __global__ void attention(float *o, const float *q, const float *k, int n) {
  __shared__ float keys[32][64 + PAD], scores[8][32];
  int lane = threadIdx.x, w = threadIdx.y, row = blockIdx.x * 8 + w;
  float q0 = q[row * 64 + lane], q1 = q[row * 64 + lane + 32], a0 = 0, a1 = 0, most = -1e30f, total = 0;
  for (int base = 0; base < n; base += 32) {
    for (int i = w * 32 + lane; i < 32 * 64; i += 256) keys[i / 64][i % 64] = k[base * 64 + i];
    __syncthreads();
    float s = 0;
    for (int d = 0; d < 32; d++) s += __shfl_sync(~0u, q0, d) * keys[lane][d] + __shfl_sync(~0u, q1, d) * keys[lane][d + 32];
    float m = s;
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    m = fmaxf(m, most);
    float p = __expf(s - m), old = __expf(most - m);
    most = m;
    scores[w][lane] = p;
    for (int d = 16; d; d /= 2) p += __shfl_xor_sync(~0u, p, d);
    total = total * old + p;
    a0 *= old, a1 *= old;
    __syncwarp();
    for (int j = 0; j < 32; j++) a0 += scores[w][j] * keys[j][lane], a1 += scores[w][j] * keys[j][lane + 32];
    __syncthreads();
  }
  o[row * 64 + lane] = a0 / total, o[row * 64 + lane + 32] = a1 / total;
}

int main() {
  make_memory();
  unsigned *u = (unsigned *)out_a;
#define MIX(S, M) launch(mix<S, M>, 264, 1024, 0, out_a, 48)
  MIX(1, 1), MIX(1, 4), MIX(1, 16), MIX(2, 1), MIX(2, 4), MIX(2, 8), MIX(4, 1), MIX(4, 4), MIX(4, 16), MIX(8, 4), MIX(8, 16), MIX(8, 32), MIX(32, 4), MIX(32, 32);
  launch(mix<1, 4>, 132, 128, 0, out_a, 256), launch(mix<8, 16>, 132, 128, 0, out_a, 128), launch(mix<2, 8>, 264, 256, 0, out_a, 128);
  launch(mix<32, 4>, 132, 64, 0, out_a, 128);
  launch(wide<float2, 1>, 528, 256, 32 * 8, out_a, 256), launch(wide<float2, 2>, 528, 256, 64 * 8, out_a, 256), launch(wide<float2, 8>, 264, 256, 256 * 8, out_a, 128);
  launch(wide<float4, 1>, 528, 256, 32 * 16, out_a, 256), launch(wide<float4, 2>, 528, 256, 64 * 16, out_a, 256), launch(wide<float4, 4>, 264, 256, 128 * 16, out_a, 128);
  launch(wide_store<float, 1>, 528, 256, 32 * 4, out_a, 256), launch(wide_store<float, 4>, 528, 256, 128 * 4, out_a, 128);
  launch(wide_store<float2, 1>, 528, 256, 32 * 8, out_a, 256), launch(wide_store<float4, 1>, 528, 256, 32 * 16, out_a, 256), launch(wide_store<float4, 4>, 264, 256, 128 * 16, out_a, 128);
  dim3 rows(32, 8);
  launch(flip<0>, 528, rows, 0, out_a, in_a, 24), launch(flip<1>, 528, rows, 0, out_a, in_a, 48), launch(flip<2>, 528, rows, 0, out_a, in_a, 48), launch(flip<8>, 528, rows, 0, out_a, in_a, 32);
  launch(flip<0>, 132, rows, 0, out_a, in_a, 48), launch(flip<1>, 132, rows, 0, out_a, in_a, 96);
  launch(reduce<INTERLEAVED, 256>, 16384, 256, 0, out_a, in_a), launch(reduce<SEQUENTIAL, 256>, 16384, 256, 0, out_a, in_a), launch(reduce<MODULO, 256>, 16384, 256, 0, out_a, in_a);
  launch(reduce<SHUFFLED, 256>, 16384, 256, 0, out_a, in_a), launch(reduce<INTERLEAVED, 1024>, 4096, 1024, 0, out_a, in_a), launch(reduce<SEQUENTIAL, 1024>, 4096, 1024, 0, out_a, in_a);
  launch(reduce<SHUFFLED, 1024>, 4096, 1024, 0, out_a, in_a);
  launch(scan_steps<256>, 8192, 256, 0, out_a, in_a), launch(scan_steps<1024>, 2048, 1024, 0, out_a, in_a);
  launch(scan_tree<512, 0>, 8192, 256, 0, out_a, in_a), launch(scan_tree<512, 1>, 8192, 256, 0, out_a, in_a), launch(scan_tree<2048, 0>, 1024, 1024, 0, out_a, in_a), launch(scan_tree<2048, 1>, 1024, 1024, 0, out_a, in_a);
  launch(bitonic<256>, 1056, 256, 0, out_a, in_a), launch(bitonic<512>, 528, 512, 0, out_a, in_a), launch(bitonic<1024>, 264, 1024, 0, out_a, in_a);
  launch(histogram<256, 1>, 528, 256, 0, u, 128), launch(histogram<256, 8>, 528, 256, 0, u, 128), launch(histogram<32, 1>, 528, 256, 0, u, 64), launch(histogram<32, 32>, 528, 1024, 0, u, 32);
  launch(histogram_image, 528, 256, 0, u, (uchar4 *)in_a, 2 << 20), launch(histogram_image, 1056, 256, 0, u, (uchar4 *)in_a, 4 << 20);
  launch(tickets<1>, 264, 512, 0, u, 128), launch(tickets<8>, 264, 512, 0, u, 64), launch(tickets<32>, 132, 256, 0, u, 64);
  launch(nbody, 264, 256, 0, (float4 *)out_a, (float4 *)in_a, 2048), launch(nbody, 528, 256, 0, (float4 *)out_a, (float4 *)in_a, 1024);
  launch(fft256<0>, 8192, 128, 0, (float2 *)out_a, (float2 *)in_a), launch(fft256<1>, 8192, 128, 0, (float2 *)out_a, (float2 *)in_a);
  launch(lu<16, 0>, 4096, 128, 0, out_a, in_a), launch(lu<16, 1>, 4096, 128, 0, out_a, in_a), launch(lu<32, 0>, 1056, 128, 0, out_a, in_a), launch(lu<32, 1>, 1056, 128, 0, out_a, in_a);
  launch(chase<1>, 132, 1024, 0, (int *)out_a, 512), launch(chase<8>, 132, 1024, 0, (int *)out_a, 256), launch(chase<1>, 132, 32, 0, (int *)out_a, 1024), launch(chase<4>, 264, 128, 0, (int *)out_a, 512);
  launch(crc, 528, 256, 0, u, 64), launch(crc, 264, 1024, 0, u, 32);
  launch(barriers, 264, 1024, 0, out_a, 128), launch(barriers, 528, 256, 0, out_a, 128), launch(barriers, 1056, 64, 0, out_a, 256);
  launch(barriers_only, 264, 1024, 0, out_a, 512), launch(barriers_only, 1056, 128, 0, out_a, 512);
  launch(one_warp, 264, 512, 0, out_a, 64), launch(one_warp, 132, 1024, 0, out_a, 64);
  launch(structures<3>, 528, 256, 0, out_a, 64), launch(structures<4>, 528, 256, 0, out_a, 64), launch(structures<5>, 528, 256, 0, out_a, 64), launch(structures<8>, 528, 256, 0, out_a, 64), launch(structures<9>, 528, 256, 0, out_a, 64);
  launch(shuffles, 264, 1024, 0, out_a, 64), launch(shuffles, 132, 128, 0, out_a, 128);
  launch(three_ways, 132, 1024, 0, out_a, in_a, 256), launch(three_ways, 264, 1024, 0, out_a, in_a, 128);
  launch(softmax, 4096, 256, 0, out_a, in_a, 1024), launch(softmax, 2048, 256, 0, out_a, in_a, 4096), launch(layer_norm, 2048, 256, 0, (float4 *)out_a, (float4 *)in_a, 256), launch(layer_norm, 8192, 128, 0, (float4 *)out_a, (float4 *)in_a, 64);
  launch(attention<0>, 264, rows, 0, out_a, in_a, in_b, 512), launch(attention<1>, 264, rows, 0, out_a, in_a, in_b, 512), launch(attention<1>, 1056, rows, 0, out_a, in_a, in_b, 128);
  return 0;
}
