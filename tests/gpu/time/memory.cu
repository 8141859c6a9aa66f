// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose time is measured: global memory, with caches, coalesced or not, and what is staged through shared memory.
#include "launch.h"
#include <cuda_fp16.h>

template <typename T> __global__ void copy(T *o, const T *i) {
  size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  o[at] = i[at];
}
// The same by a grid that goes around.
template <typename T> __global__ void copy_loop(T *o, const T *i, int n) {
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) o[at] = i[at];
}
__global__ void triad(float *o, const float *a, const float *b, float s) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  o[at] = a[at] + s * b[at];
}
__global__ void fill_by(float4 *o, float v) { o[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(v, v, v, v); }
template <int STRIDE> __global__ void copy_stride(float *o, const float *i, int mask) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  o[at] = i[(size_t)at * STRIDE & mask];
}
template <int OFFSET> __global__ void copy_offset(float *o, const float *i) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  o[at] = i[at + OFFSET];
}
__global__ void gather(float *o, const float *i, const unsigned *index) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  o[at] = i[index[at & 0xfffff]];
}
__global__ void scatter(float *o, const float *i, const unsigned *index) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  o[index[at & 0xfffff]] = i[at];
}
// Random reads of a part of memory, by a hash.
__global__ void random_read(float *o, const float *i, unsigned mask, int n) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  float s = 0;
  for (int k = 0; k < n; k++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    s += i[x & mask];
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// Each thread follows indices.
__global__ void chase_global(unsigned *o, const unsigned *index, int n) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x & 0xfffff;
  for (int k = 0; k < n; k++) at = index[at];
  o[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
struct Particle {
  float x, y, z, w, vx, vy, vz;
};
__global__ void particles(Particle *p, float t) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  Particle q = p[at];
  q.x += t * q.vx, q.y += t * q.vy, q.z += t * q.vz;
  p[at] = q;
}
__global__ void sum_all(float *o, const float4 *i, int n) {
  float s = 0;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
    float4 v = i[at];
    s += v.x + v.y + v.z + v.w;
  }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(o, s);
}
__global__ void histogram_global(unsigned *o, const float *i, int bins) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&o[(unsigned)(i[at] * 4096) % bins], 1);
}
// Transpositions: by one block of threads without shared memory, or by tiles of T.
__global__ void transpose_naive(float *o, const float *i, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  o[(size_t)x * n + y] = i[(size_t)y * n + x];
}
template <typename T, int TILE, int ROWS, int PAD> __global__ void transpose(T *o, const T *i, int n) {
  __shared__ T t[TILE][TILE + PAD];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int r = 0; r < TILE; r += ROWS) t[threadIdx.y + r][threadIdx.x] = i[(size_t)(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  for (int r = 0; r < TILE; r += ROWS) o[(size_t)(y + r) * n + x] = t[threadIdx.x][threadIdx.y + r];
}
__global__ void stencil5(float *o, const float *i, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x && y && x < n - 1 && y < n - 1) o[y * n + x] = 0.2f * (i[y * n + x] + i[y * n + x - 1] + i[y * n + x + 1] + i[(y - 1) * n + x] + i[(y + 1) * n + x]);
}
template <int B> __global__ void stencil5_shared(float *o, const float *i, int n) {
  __shared__ float t[B + 2][B + 2];
  int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  for (int at = threadIdx.y * B + threadIdx.x; at < (B + 2) * (B + 2); at += B * B) {
    int gx = (int)(blockIdx.x * B) + at % (B + 2) - 1, gy = (int)(blockIdx.y * B) + at / (B + 2) - 1;
    t[at / (B + 2)][at % (B + 2)] = gx >= 0 && gy >= 0 && gx < n && gy < n ? i[gy * n + gx] : 0;
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  o[y * n + x] = 0.2f * (t[ty][tx] + t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx]);
}
__global__ void stencil7_3d(float *o, const float *i, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!x || !y || x >= n - 1 || y >= n - 1) return;
  size_t plane = (size_t)n * n, at = plane + (size_t)y * n + x;
  float below = i[at - plane], here = i[at];
  for (int z = 1; z < n - 1; z++, at += plane) {
    float above = i[at + plane];
    o[at] = below + above + i[at - 1] + i[at + 1] + i[at - n] + i[at + n] - 6 * here;
    below = here, here = above;
  }
}
template <int R> __global__ void stencil1(float *o, const float *i) {
  __shared__ float t[256 + 2 * R];
  int at = blockIdx.x * 256 + threadIdx.x;
  t[threadIdx.x + R] = i[at + R];
  if (threadIdx.x < R) t[threadIdx.x] = i[at], t[threadIdx.x + 256 + R] = i[at + 256 + R];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int k = -R; k <= R; k++) s += t[threadIdx.x + R + k];
  o[at] = s;
}
__constant__ float weights[25];
__global__ void convolve5(float *o, const float *i, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
#pragma unroll
  for (int dy = 0; dy < 5; dy++)
#pragma unroll
    for (int dx = 0; dx < 5; dx++) s += weights[dy * 5 + dx] * i[min(y + dy, n - 1) * n + min(x + dx, n - 1)];
  o[y * n + x] = s;
}
// Matrix by vector: a warp, or a block, a row.
__global__ void gemv_warp(float *o, const float4 *a, const float4 *v, int n) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float s = 0;
  for (int k = threadIdx.x % 32; k < n / 4; k += 32) {
    float4 x = a[(size_t)row * (n / 4) + k], y = v[k];
    s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) o[row] = s;
}
__global__ void gemv_block(float *o, const float *a, const float *v, int n) {
  __shared__ float part[256];
  float s = 0;
  for (int k = threadIdx.x; k < n; k += 256) s += a[(size_t)blockIdx.x * n + k] * v[k];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = part[0];
}
// Work in a few elements a thread, with much or little shared memory taken: occupancy.
__global__ void scale_occupancy(float *o, const float *i, int n) {
  extern __shared__ float t[];
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
    t[threadIdx.x] = i[at] * 2;
    __syncthreads();
    o[at] = t[threadIdx.x ^ 1];
    __syncthreads();
  }
}
// Rows of a matrix summed through L2: each block reads what the others read.
__global__ void shared_reads(float *o, const float4 *i, int n, int turns) {
  float s = 0;
  for (int turn = 0; turn < turns; turn++)
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
      float4 v = i[k];
      s += v.x + v.y + v.z + v.w;
    }
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// Reads that hit in L1: each block goes over a few KiB of its own.
__global__ void l1_reads(float *o, const float *i, int n, int turns) {
  float s = 0;
  const float *mine = i + (size_t)blockIdx.x * n;
  for (int turn = 0; turn < turns; turn++)
    for (int k = threadIdx.x; k < n; k += blockDim.x) s += mine[k] * turn;
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

int main() {
  make_memory();
  float w[25];
  for (int k = 0; k < 25; k++) w[k] = 1.0f / (k + 1);
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  for (int b : {128, 256, 1024}) launch(copy<float>, (8 << 20) / b, b, 0, out_a, in_a);
  launch(copy<float2>, (4 << 20) / 256, 256, 0, (float2 *)out_a, (float2 *)in_a);
  for (int b : {64, 256, 512}) launch(copy<float4>, (4 << 20) / b, b, 0, (float4 *)out_a, (float4 *)in_a);
  launch(copy<half>, (8 << 20) / 256, 256, 0, (half *)out_a, (half *)in_a);
  launch(copy<char>, (8 << 20) / 256, 256, 0, (char *)out_a, (char *)in_a);
  for (int g : {132, 528, 1056}) launch(copy_loop<float>, g, 512, 0, out_a, in_a, 8 << 20);
  for (int g : {132, 264}) launch(copy_loop<float4>, g, 1024, 0, (float4 *)out_a, (float4 *)in_a, 4 << 20);
  launch(triad, (8 << 20) / 256, 256, 0, out_a, in_a, in_b, 3.0f);
  launch(triad, (8 << 20) / 1024, 1024, 0, out_a, in_a, in_b, 3.0f);
  launch(fill_by, (4 << 20) / 256, 256, 0, (float4 *)out_a, 1.0f);
  launch(copy_stride<2>, (4 << 20) / 256, 256, 0, out_a, in_a, (16 << 20) - 1);
  launch(copy_stride<8>, (2 << 20) / 256, 256, 0, out_a, in_a, (16 << 20) - 1);
  launch(copy_stride<32>, (1 << 20) / 256, 256, 0, out_a, in_a, (16 << 20) - 1);
  launch(copy_offset<1>, (8 << 20) / 256, 256, 0, out_a, in_a);
  launch(copy_offset<16>, (8 << 20) / 256, 256, 0, out_a, in_a);
  launch(gather, (4 << 20) / 256, 256, 0, out_a, in_a, indices);
  launch(gather, (1 << 20) / 128, 128, 0, out_a, in_a, indices);
  launch(scatter, (4 << 20) / 256, 256, 0, out_a, in_a, indices);
  for (unsigned mib : {1, 8, 64}) launch(random_read, 1056, 256, 0, out_a, in_a, (mib << 18) - 1, 32);
  launch(random_read, 264, 128, 0, out_a, in_a, (16u << 18) - 1, 32);
  for (int b : {32, 256, 1024}) launch(chase_global, 264, b, 0, (unsigned *)out_a, indices, 64);
  launch(particles, (2 << 20) / 256, 256, 0, (Particle *)out_a, 0.5f);
  launch(sum_all, 264, 512, 0, out_a, (float4 *)in_a, 4 << 20);
  launch(sum_all, 2112, 256, 0, out_a, (float4 *)in_a, 4 << 20);
  for (int bins : {64, 1024}) launch(histogram_global, (1 << 20) / 256, 256, 0, (unsigned *)out_a, in_a, bins);
  launch(transpose_naive, dim3(128, 256), dim3(32, 16), 0, out_a, in_a, 4096);
  launch(transpose_naive, dim3(64, 256), dim3(32, 8), 0, out_a, in_a, 2048);
  launch(transpose<float, 32, 8, 0>, dim3(128, 128), dim3(32, 8), 0, out_a, in_a, 4096);
  launch(transpose<float, 32, 8, 1>, dim3(128, 128), dim3(32, 8), 0, out_a, in_a, 4096);
  launch(transpose<float, 32, 32, 0>, dim3(96, 96), dim3(32, 32), 0, out_a, in_a, 3072);
  launch(transpose<float, 32, 32, 1>, dim3(96, 96), dim3(32, 32), 0, out_a, in_a, 3072);
  launch(transpose<float, 32, 2, 0>, dim3(64, 64), dim3(32, 2), 0, out_a, in_a, 2048);
  launch(transpose<float, 32, 2, 1>, dim3(64, 64), dim3(32, 2), 0, out_a, in_a, 2048);
  launch(transpose<float, 64, 16, 0>, dim3(64, 64), dim3(64, 16), 0, out_a, in_a, 4096);
  launch(transpose<float, 64, 16, 1>, dim3(64, 64), dim3(64, 16), 0, out_a, in_a, 4096);
  launch(transpose<float, 16, 16, 0>, dim3(192, 192), dim3(16, 16), 0, out_a, in_a, 3072);
  launch(transpose<float, 16, 16, 1>, dim3(192, 192), dim3(16, 16), 0, out_a, in_a, 3072);
  launch(transpose<double, 32, 8, 0>, dim3(80, 80), dim3(32, 8), 0, (double *)out_a, (double *)in_a, 2560);
  launch(transpose<double, 32, 8, 1>, dim3(80, 80), dim3(32, 8), 0, (double *)out_a, (double *)in_a, 2560);
  launch(transpose<half, 32, 8, 0>, dim3(128, 128), dim3(32, 8), 0, (half *)out_a, (half *)in_a, 4096);
  launch(transpose<half, 32, 8, 2>, dim3(128, 128), dim3(32, 8), 0, (half *)out_a, (half *)in_a, 4096);
  launch(transpose<float4, 16, 16, 0>, dim3(120, 120), dim3(16, 16), 0, (float4 *)out_a, (float4 *)in_a, 1920);
  launch(transpose<float4, 16, 16, 1>, dim3(120, 120), dim3(16, 16), 0, (float4 *)out_a, (float4 *)in_a, 1920);
  launch(stencil5, dim3(96, 384), dim3(32, 8), 0, out_a, in_a, 3072);
  launch(stencil5_shared<16>, dim3(192, 192), dim3(16, 16), 0, out_a, in_a, 3072);
  launch(stencil5_shared<32>, dim3(96, 96), dim3(32, 32), 0, out_a, in_a, 3072);
  launch(stencil7_3d, dim3(6, 48), dim3(32, 4), 0, out_a, in_a, 192);
  launch(stencil7_3d, dim3(8, 32), dim3(32, 8), 0, out_a, in_a, 256);
  launch(stencil1<3>, 16384, 256, 0, out_a, in_a);
  launch(stencil1<16>, 8192, 256, 0, out_a, in_a);
  launch(convolve5, dim3(64, 256), dim3(32, 8), 0, out_a, in_a, 2048);
  launch(gemv_warp, 512, 256, 0, out_a, (float4 *)in_a, (float4 *)in_b, 4096);
  launch(gemv_block, 4096, 256, 0, out_a, in_a, in_b, 4096);
  for (int kib : {2, 48, 100, 200}) launch(scale_occupancy, 528, 512, (size_t)kib << 10, out_a, in_a, 8 << 20);
  for (int g : {66, 132, 145, 264, 290}) launch(scale_occupancy, g, 1024, 64 << 10, out_a, in_a, 4 << 20);
  launch(shared_reads, 264, 512, 0, out_a, (float4 *)in_a, 65536, 2);
  launch(shared_reads, 132, 1024, 0, out_a, (float4 *)in_a, 8192, 16);
  launch(l1_reads, 528, 256, 0, out_a, in_a, 2048, 64);
  launch(l1_reads, 132, 1024, 0, out_a, in_a, 8192, 64);
  return 0;
}
