// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Marks of NVTX, which only a profiler sees.
#include <nvtx3/nvToolsExt.h>

#include "../check.h"

__global__ void
store(int *p) {
  *p = 8;
}

int
main() {
  int *device, value = 0;
  nvtxNameOsThreadA(1, "main");
  nvtxRangeId_t range = nvtxRangeStartA("range");
  nvtxRangePushA("pushed");
  CHECK(cudaMalloc(&device, sizeof *device));
  store<<<1, 1>>>(device);
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDefault));
  nvtxMarkA("mark");
  nvtxRangePop();
  nvtxRangeEnd(range);
  EXPECT(value == 8);
  return finish("nvtx");
}
