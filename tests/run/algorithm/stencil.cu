// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A stencil of two dimensions with a halo in shared memory, several times, between two arrays.
#include "../check.h"

enum {
  WIDTH = 96,
  HEIGHT = 64,
  TILE = 16,
  STEPS = 4
};

__global__ void
step(const float *in, float *out) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int ty = threadIdx.y; ty < TILE + 2; ty += TILE)
    for (int tx = threadIdx.x; tx < TILE + 2; tx += TILE) {
      int gx = (int)(blockIdx.x * TILE) + tx - 1, gy = (int)(blockIdx.y * TILE) + ty - 1;
      bool inside = gx >= 0 && gx < WIDTH && gy >= 0 && gy < HEIGHT;
      tile[ty][tx] = inside ? in[gy * WIDTH + gx] : 0;
    }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  out[y * WIDTH + x] = 0.5f * tile[ty][tx] + 0.125f * (tile[ty - 1][tx] + tile[ty + 1][tx] +
                                                       tile[ty][tx - 1] + tile[ty][tx + 1]);
}

static float in[HEIGHT][WIDTH], out[HEIGHT][WIDTH], other[HEIGHT][WIDTH];

static float
at(float (*image)[WIDTH], int y, int x) {
  return x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT ? image[y][x] : 0;
}

int
main() {
  float *one, *two;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      in[y][x] = other[y][x] = (float)((x * 3 + y * 5) % 64) * 4096;
  CHECK(cudaMalloc(&one, sizeof in));
  CHECK(cudaMalloc(&two, sizeof in));
  CHECK(cudaMemcpy(one, in, sizeof in, cudaMemcpyHostToDevice));
  for (int i = 0; i < STEPS; i++) {
    step<<<dim3(WIDTH / TILE, HEIGHT / TILE), dim3(TILE, TILE)>>>(one, two);
    float *swap = one;
    one = two;
    two = swap;
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        out[y][x] = 0.5f * at(other, y, x) + 0.125f * (at(other, y - 1, x) + at(other, y + 1, x) +
                                                       at(other, y, x - 1) + at(other, y, x + 1));
    for (int j = 0; j < HEIGHT * WIDTH; j++)
      other[0][j] = out[0][j];
  }
  CHECK(cudaMemcpy(out, one, sizeof out, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < HEIGHT * WIDTH; i++)
    wrong += out[0][i] != other[0][i]; // exact: few bits are used
  EXPECT(wrong == 0);
  return finish("stencil");
}
