// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// For tests/cli/prove.sh: an access of each verdict.
__global__ void prove(float *out, const float *in, int p) {
  __shared__ float tile[32][33];
  extern __shared__ float pool[];
  int t = threadIdx.x, x = blockIdx.x * 32 + t;
  tile[threadIdx.y][t] = in[x];
  pool[t * p] = 0;
  if (x < p)
    pool[2 * t] = 1;
  __syncthreads();
  for (int i = 0; i < p; i++)
    out[x] += tile[i % 2][t] + pool[i + t] + tile[0][(int)in[x] & 31];
}
