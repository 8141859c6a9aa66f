// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One warp issues one copy through the first-level cache for each line of tests/data/copies.txt, for ncu: copies FILE
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Lanes {
  unsigned mask, to[32], from[32];
};

template <int BYTES> __global__ void copy(Lanes lanes, const char *in, unsigned *out) {
  extern __shared__ __align__(1024) char memory[];
  unsigned lane = threadIdx.x, on = lanes.mask >> lane & 1;
  unsigned to = (unsigned)__cvta_generic_to_shared(memory) + lanes.to[lane];
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p cp.async.ca.shared.global [%0], [%1], %2; }" ::"r"(to),
               "l"(in + lanes.from[lane]), "n"(BYTES), "r"(on)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
  out[lane] = *(unsigned *)(memory + 4 * lane);
}

int main(int, char **arguments) {
  const unsigned bytes = 1 << 20, shared = 1 << 15;
  FILE *file = fopen(arguments[1], "r");
  char line[4096], *in;
  unsigned *out;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, 32 * sizeof *out);
  cudaMemset(in, 0, bytes);
  while (file && fgets(line, sizeof line, file)) {
    Lanes lanes;
    unsigned width, wavefronts, ideal;
    int length;
    if (sscanf(line, "%u %x %u %u%n", &width, &lanes.mask, &wavefronts, &ideal, &length) != 4)
      continue;
    char *at = line + length;
    for (int lane = 0; lane < 32; lane++) {
      lanes.to[lane] = (unsigned)strtoul(at, &at, 16);
      lanes.from[lane] = (unsigned)strtoul(at + 1, &at, 16);
    }
    auto kernel = width == 4 ? copy<4> : width == 8 ? copy<8> : copy<16>;
    kernel<<<1, 32, shared>>>(lanes, in, out);
  }
  cudaError_t error = cudaDeviceSynchronize();
  if (error)
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
