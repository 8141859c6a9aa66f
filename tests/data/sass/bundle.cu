// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel for bundles: with "nvcc -fatbin --compress-mode=size" and code of sm_75, sm_90a and compute_90 bundle.zstd.fatbin;
// with "--compress-mode=speed" and code of compute_80 bundle.lz4.fatbin; with "-c -arch=sm_90" (and no host code) bundle.object.
__global__ void rotate(int *data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}
