// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Threads that change one word by compare-and-swap until each has succeeded, and launches of which a few blocks have all the work.
// nvcc -O3 -arch=sm_90 -cubin -o shared-words.sm_90.cubin shared-words.cu

extern "C" __global__ void
swaps(unsigned *word) {
  unsigned guess = *(volatile unsigned *)word, found;
  while ((found = atomicCAS(word, guess, guess + 1)) != guess)
    guess = found;
}

// Each thread copies a row of a square into a column: its lanes load from lines that are all of the same banks.
extern "C" __global__ void
rows(float *out, const float *in, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n)
    for (int i = 0; i < n; i++)
      out[i * n + row] = in[row * n + i];
}

// The first threads store a word after the other to lines that others of them store to as well.
extern "C" __global__ void
parts(int *out, int threads, int n) {
  int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < threads)
    for (int k = 0; k < n; k++)
      out[(number + k) % 1024 * 32 + k % 8] = k;
}
