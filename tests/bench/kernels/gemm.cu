// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices in four ways, as machine code: gemm.sm_90.cubin is made by nvcc -cubin -arch=sm_90 (CUDA 13.0).
#include <cuda_fp16.h>

extern "C" __global__ void tiled(int n, const float *a, const float *b, float *c) {
  __shared__ float as[32][32], bs[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    as[y][x] = a[row * n + k0 + x];
    bs[y][x] = b[(k0 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// 128 x 128 x 8, an 8 x 8 tile of each thread, 16 bytes at once.
extern "C" __global__ void vectorised(int n, const float *a, const float *b, float *c) {
  __shared__ float as[8][128], bs[8][128];
  int t = threadIdx.x, row = t / 16 * 8, column = t % 16 * 8;
  a += blockIdx.y * 128 * n;
  b += blockIdx.x * 128;
  float sum[8][8] = {}, ra[8], rb[8];
  for (int k0 = 0; k0 < n; k0 += 8) {
    float4 v = *(const float4 *)&a[t / 2 * n + k0 + t % 2 * 4];
    as[t % 2 * 4][t / 2] = v.x;
    as[t % 2 * 4 + 1][t / 2] = v.y;
    as[t % 2 * 4 + 2][t / 2] = v.z;
    as[t % 2 * 4 + 3][t / 2] = v.w;
    *(float4 *)&bs[t / 32][t % 32 * 4] = *(const float4 *)&b[(k0 + t / 32) * n + t % 32 * 4];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
      for (int i = 0; i < 8; i += 4) {
        *(float4 *)&ra[i] = *(float4 *)&as[k][row + i];
        *(float4 *)&rb[i] = *(float4 *)&bs[k][column + i];
      }
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          sum[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j += 4)
      *(float4 *)&c[(blockIdx.y * 128 + row + i) * n + blockIdx.x * 128 + column + j] = *(float4 *)&sum[i][j];
}

static __device__ void copy(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

// Three stages of cp.async, 64 x 64 x 32 halves, ldmatrix and mma: four warps of 32 x 32.
extern "C" __global__ void pipelined(int n, const __half *a, const __half *b, float *c) {
  extern __shared__ __half stages[]; // of 2 x 64 x 40
  const int width = 40, stage = 2 * 64 * width;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  a += (size_t)blockIdx.y * 64 * n;
  b += (size_t)blockIdx.x * 64 * n;
  float sum[2][4][4] = {};
  auto load = [&](int k) {
    __half *s = stages + k % 3 * stage;
    for (int i = 0; i < 2 && k * 32 < n; i++) {
      int row = (t + 128 * i) / 4, column = t % 4 * 8;
      copy(&s[row * width + column], &a[row * n + k * 32 + column]);
      copy(&s[(64 + row) * width + column], &b[row * n + k * 32 + column]);
    }
    asm volatile("cp.async.commit_group;");
  };
  load(0);
  load(1);
  for (int k = 0; k * 32 < n; k++) {
    load(k + 2);
    asm volatile("cp.async.wait_group 2;");
    __syncthreads();
    __half *s = stages + k % 3 * stage;
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[2][4], fb[2][4];
      for (int i = 0; i < 2; i++) {
        unsigned pa = (unsigned)__cvta_generic_to_shared(&s[(warp / 2 * 32 + i * 16 + lane % 16) * width + kk + lane / 16 * 8]);
        unsigned pb = (unsigned)__cvta_generic_to_shared(&s[(64 + warp % 2 * 32 + i * 16 + lane % 16) * width + kk + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(pa));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[i][0]), "=r"(fb[i][1]), "=r"(fb[i][2]), "=r"(fb[i][3]) : "r"(pb));
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j / 2][j % 2]), "r"(fb[j / 2][j % 2 + 2]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      for (int e = 0; e < 4; e++)
        c[(size_t)(blockIdx.y * 64 + warp / 2 * 32 + i * 16 + lane / 4 + e / 2 * 8) * n + blockIdx.x * 64 + warp % 2 * 32 + j * 8 + lane % 4 * 2 + e % 2] = sum[i][j][e];
}
