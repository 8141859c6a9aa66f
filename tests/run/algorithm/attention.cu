// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Attention of one head with a running maximum, compared with the host's to a tolerance.
#include <cmath>

#include "../check.h"

enum {
  N = 64,
  D = 32,
  TILE = 16
};

__global__ void
attend(const float *q, const float *k, const float *v, float *out) {
  __shared__ float keys[TILE][D], values[TILE][D];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -INFINITY, sum = 0, result[D], query[D];
  for (int d = 0; d < D; d++) {
    query[d] = q[row * D + d] * rsqrtf((float)D);
    result[d] = 0;
  }
  for (int first = 0; first < N; first += TILE) {
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * D; i += blockDim.x) {
      keys[i / D][i % D] = k[first * D + i];
      values[i / D][i % D] = v[first * D + i];
    }
    __syncthreads();
    for (int j = 0; j < TILE; j++) {
      float score = 0;
      for (int d = 0; d < D; d++)
        score += query[d] * keys[j][d];
      float larger = fmaxf(most, score), scale = expf(most - larger), weight = expf(score - larger);
      sum = sum * scale + weight;
      for (int d = 0; d < D; d++)
        result[d] = result[d] * scale + weight * values[j][d];
      most = larger;
    }
  }
  for (int d = 0; d < D; d++)
    out[row * D + d] = result[d] / sum;
}

int
main() {
  static float q[N][D], k[N][D], v[N][D], out[N][D];
  float *device[4];
  for (int i = 0; i < N * D; i++) {
    q[0][i] = (float)(i * 13 % 29 - 14) / 7;
    k[0][i] = (float)(i * 7 % 31 - 15) / 8;
    v[0][i] = (float)(i * 5 % 23 - 11) / 6;
  }
  for (int i = 0; i < 4; i++)
    CHECK(cudaMalloc(&device[i], sizeof q));
  CHECK(cudaMemcpy(device[0], q, sizeof q, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device[1], k, sizeof k, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device[2], v, sizeof v, cudaMemcpyHostToDevice));
  attend<<<N / 32, 32>>>(device[0], device[1], device[2], device[3]);
  CHECK(cudaMemcpy(out, device[3], sizeof out, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < N; i++) {
    double scores[N], sum = 0;
    for (int j = 0; j < N; j++) {
      scores[j] = 0;
      for (int d = 0; d < D; d++)
        scores[j] += (double)q[i][d] * k[j][d] / sqrt((double)D);
      sum += scores[j] = exp(scores[j]);
    }
    for (int d = 0; d < D; d++) {
      double expected = 0;
      for (int j = 0; j < N; j++)
        expected += scores[j] / sum * v[j][d];
      worst = fmax(worst, fabs(out[i][d] - expected));
    }
  }
  EXPECT(worst < 1e-4);
  return finish("attention");
}
