// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel that NVRTC compiles, as PTX and as machine code, launched by the driver's interface.
// nvcc: -lcuda -lnvrtc
#include "driver.h"

#include <nvrtc.h>
#include <string>
#include <vector>

static const char text[] = R"(
template <typename T>
__global__ void columns(T *out, const T *in) {
  __shared__ T tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
)";

static void
transpose(bool is_machine_code) {
  nvrtcProgram program;
  const char *options[] = {
      is_machine_code ? "--gpu-architecture=sm_90" : "--gpu-architecture=compute_90", "-lineinfo"};
  size_t bytes = 0;
  const char *lowered = NULL;
  EXPECT(nvrtcCreateProgram(&program, text, "columns.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
  EXPECT(nvrtcAddNameExpression(program, "columns<float>") == NVRTC_SUCCESS);
  EXPECT(nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
  EXPECT((is_machine_code ? nvrtcGetCUBINSize : nvrtcGetPTXSize)(program, &bytes) == NVRTC_SUCCESS);
  std::vector<char> image(bytes);
  EXPECT((is_machine_code ? nvrtcGetCUBIN : nvrtcGetPTX)(program, image.data()) == NVRTC_SUCCESS);
  EXPECT(nvrtcGetLoweredName(program, "columns<float>", &lowered) == NVRTC_SUCCESS);

  CUmodule module;
  CUfunction columns;
  CUdeviceptr in, out;
  std::vector<float> host(1024), back(1024);
  for (int i = 0; i < 1024; i++)
    host[i] = (float)i;
  CHECK(cuModuleLoadData(&module, image.data()));
  CHECK(cuModuleGetFunction(&columns, module, lowered));
  CHECK(cuMemAlloc(&in, 4096));
  CHECK(cuMemAlloc(&out, 4096));
  CHECK(cuMemcpyHtoD(in, host.data(), 4096));
  void *arguments[] = {&out, &in};
  CHECK(cuLaunchKernel(columns, 1, 1, 1, 32, 32, 1, 0, NULL, arguments, NULL));
  CHECK(cuMemcpyDtoH(back.data(), out, 4096));
  int wrong = 0;
  for (int i = 0; i < 1024; i++)
    wrong += back[i] != host[i % 32 * 32 + i / 32];
  EXPECT(wrong == 0);
  CHECK(cuMemFree(in));
  CHECK(cuMemFree(out));
  CHECK(cuModuleUnload(module));
  nvrtcDestroyProgram(&program);
}

int
main() {
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  transpose(false);
  transpose(true);
  CHECK(cuDevicePrimaryCtxRelease(0));
  return finish("driver-nvrtc");
}
