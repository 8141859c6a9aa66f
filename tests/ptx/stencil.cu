// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Stencils in two and three dimensions with a halo, convolutions with a constant filter.
// launch: --entry stencil_2d --block 32,8 --grid 2,2 --arg 2=64 --arg 3=16 # nvcc
// launch: --entry stencil_3d --block 32,4 --grid 2,2 --arg 2=64 --arg 3=8 --arg 4=6 # nvcc clang
// launch: --entry 'convolve<2>' --block 16,16 --grid 2,2 --arg 2=32 # nvcc clang
// launch: --entry 'convolve<3>' --block 16,16 --grid 2,2 --arg 2=32 # nvcc clang
// launch: --entry convolve_rows --block 64 --grid 2 # nvcc clang
extern "C" __global__ void stencil_2d(float *out, const float *in, int nx, int ny) {
  __shared__ float s[8 + 2][32 + 2];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  s[ly][lx] = in[y * nx + x];
  if (threadIdx.x == 0) {
    s[ly][0] = x > 0 ? in[y * nx + x - 1] : 0.0f;
  }
  if (threadIdx.x == 31) {
    s[ly][33] = x + 1 < nx ? in[y * nx + x + 1] : 0.0f;
  }
  if (threadIdx.y == 0) {
    s[0][lx] = y > 0 ? in[(y - 1) * nx + x] : 0.0f;
  }
  if (threadIdx.y == 7) {
    s[9][lx] = y + 1 < ny ? in[(y + 1) * nx + x] : 0.0f;
  }
  __syncthreads();
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) {
    out[y * nx + x] = 0.25f * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] + s[ly][lx + 1]);
  }
}

// A plane in shared memory; the planes before and behind it in registers.
extern "C" __global__ void stencil_3d(float *out, const float *in, int nx, int ny, int nz) {
  __shared__ float s[4 + 2][32 + 2];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, plane = nx * ny;
  const float *p = in + y * nx + x;
  float below = 0.0f, here = *p, above;
  for (int z = 0; z < nz; z++) {
    above = z + 1 < nz ? p[(z + 1) * plane] : 0.0f;
    __syncthreads();
    s[threadIdx.y + 1][threadIdx.x + 1] = here;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 6 * 34; i += 128) {
      int sx = i % 34, sy = i / 34, gx = (int)blockIdx.x * 32 + sx - 1, gy = (int)blockIdx.y * 4 + sy - 1;
      if (sx == 0 || sx == 33 || sy == 0 || sy == 5) {
        s[sy][sx] = gx >= 0 && gx < nx && gy >= 0 && gy < ny ? in[z * plane + gy * nx + gx] : 0.0f;
      }
    }
    __syncthreads();
    float sum = s[threadIdx.y][threadIdx.x + 1] + s[threadIdx.y + 2][threadIdx.x + 1];
    sum += s[threadIdx.y + 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x + 2];
    out[z * plane + y * nx + x] = (sum + below + above) / 6.0f - here;
    below = here;
    here = above;
  }
}

__constant__ float weights[64];

template <int R> __global__ void convolve(float *out, const float *in, int n) {
  constexpr int side = 16 + 2 * R;
  __shared__ float s[side][side];
  for (int i = threadIdx.y * 16 + threadIdx.x; i < side * side; i += 256) {
    int x = (int)blockIdx.x * 16 + i % side - R, y = (int)blockIdx.y * 16 + i / side - R;
    s[i / side][i % side] = in[min(max(y, 0), n - 1) * n + min(max(x, 0), n - 1)];
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int dy = 0; dy <= 2 * R; dy++) {
#pragma unroll
    for (int dx = 0; dx <= 2 * R; dx++) {
      sum += weights[dy * (2 * R + 1) + dx] * s[threadIdx.y + dy][threadIdx.x + dx];
    }
  }
  out[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = sum;
}
template __global__ void convolve<2>(float *, const float *, int);
template __global__ void convolve<3>(float *, const float *, int);

__constant__ int taps[5] = {-4, -1, 0, 1, 4};
extern "C" __global__ void convolve_rows(short *out, const short *in) {
  __shared__ short s[64 + 8];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 4] = in[i + 4];
  if (t < 4) {
    s[t] = in[i];
    s[t + 68] = in[i + 68];
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 5; k++) {
    sum += s[t + 4 + taps[k]];
  }
  out[i] = (short)(sum / 5);
}
