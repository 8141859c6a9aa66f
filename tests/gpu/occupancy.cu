// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whether the device has as many resident blocks as the model says, for a kernel that needs hardly any
// register: lines of tests/print-occupancy on the standard input. Ends with the number of differences.
//
//   make tests/print-occupancy && nvcc -o occupancy tests/gpu/occupancy.cu
//   tests/print-occupancy sm_90 | ./occupancy
#include <cstdio>
#include <cstdlib>

__global__ void
nothing() {}

static void
check(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "occupancy: %s\n", cudaGetErrorString(status));
  exit(EXIT_FAILURE);
}

int
main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  printf("%s, compute capability %d.%d: %d blocks, %d threads, %zu bytes of shared memory, %zu reserved\n",
         device.name, device.major, device.minor, device.maxBlocksPerMultiProcessor,
         device.maxThreadsPerMultiProcessor, device.sharedMemPerMultiprocessor,
         device.reservedSharedMemPerBlock);
  check(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)device.sharedMemPerBlockOptin));
  unsigned compared = 0, different = 0;
  int threads, bytes, blocks, measured;
  while (scanf("%d %d %d", &threads, &bytes, &blocks) == 3) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&measured, nothing, threads, (size_t)bytes));
    compared++;
    if (measured == blocks)
      continue;
    if (different++ < 20)
      printf("%d threads, %d bytes: %d blocks, the device says %d\n", threads, bytes, blocks, measured);
  }
  printf("%u compared, %u different\n", compared, different);
  return compared == 0 || different > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
