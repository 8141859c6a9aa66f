// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The other text of the program two-first.cu, or its library.
#ifdef SEPARATE
__device__ int
twice(int value) {
  return 2 * value;
}
#endif

__global__ void
increment(int *numbers) {
  numbers[threadIdx.x] += 1;
}

void
add_one(int *numbers) {
  increment<<<1, 32>>>(numbers);
  cudaDeviceSynchronize();
}
