// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose parameters, limits and variables are known: what a reader of cubins must find in them.
struct Mixed {
  int first[5];
  double second;
  char third;
};

__constant__ int table[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
__device__ int filled[4] = {5, 6, 7, 8};
__device__ int zeros[4];
__device__ int *pointer = filled + 1;

__global__ void __launch_bounds__(128)
    several(int *data, char small, Mixed mixed, short middle, float real) {
  __shared__ int tile[77];
  tile[threadIdx.x % 77] = data[0] + small + mixed.first[2] + middle;
  __syncthreads();
  data[threadIdx.x] = tile[(threadIdx.x + 1) % 77] + table[threadIdx.x % 10] + pointer[1] + zeros[data[9] & 3] +
                      (int)real;
}

__device__ __noinline__ int twice(int *data) {
  return data[1] * 2;
}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1)
#else
__global__ void
#endif
    one(int *data) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = twice(data);
  __syncthreads();
  data[2] = dynamic[threadIdx.x ^ 1];
}

struct Large {
  int field[1025];
};

__global__ void large(Large large, int *data, int last) {
  data[0] = large.field[data[1]] + last;
}
