// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Two arrays that are better laid out together, a race, and constants: what JSON has members for (tests/json-documents.def).
__constant__ float weights[32];

__global__ void
advised(float *out) {
  __shared__ float a[32][32], b[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = out[y * 32 + x];
  b[y][x] = out[x * 32 + y];
  float sum = 0;
  for (int i = 0; i < 32; i++)
    sum += weights[x] * a[x][i];
  out[y * 32 + x] = sum + b[x][y];
}
