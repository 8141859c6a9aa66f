// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Device code that the program loads itself: its own, from the file of the program.
#include <cstdint>
#include <cstring>
#include <vector>

#include "../check.h"

extern "C" __global__ void
twice(int *p) {
  p[threadIdx.x] *= 2;
}

extern "C" {
__device__ int offset = 5;
}

extern "C" __global__ void
shift(int *p) {
  p[threadIdx.x] += offset;
}

// The first one of the bundles of code that nvcc has put there that has kernels: it begins with these bytes.
static cudaLibrary_t
load_code(const std::vector<char> &file) {
  const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
  for (size_t i = 0; i + sizeof magic < file.size(); i += 8) {
    cudaLibrary_t library;
    unsigned n = 0;
    if (memcmp(&file[i], magic, sizeof magic) == 0 &&
        cudaLibraryLoadData(&library, &file[i], nullptr, nullptr, 0, nullptr, nullptr, 0) ==
            cudaSuccess &&
        cudaLibraryGetKernelCount(&n, library) == cudaSuccess && n > 0)
      return library;
  }
  return nullptr;
}

int
main() {
  std::vector<char> file;
  FILE *self = fopen("/proc/self/exe", "rb");
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, self)) > 0;)
    file.insert(file.end(), part, part + n);
  fclose(self);
  cudaLibrary_t library = load_code(file);
  EXPECT(library != nullptr);
  cudaGetLastError();
  cudaKernel_t kernel, moved;
  CHECK(cudaLibraryGetKernel(&kernel, library, "twice"));
  CHECK(cudaLibraryGetKernel(&moved, library, "shift"));
  FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&moved, library, "nothing"));
  unsigned n = 0;
  CHECK(cudaLibraryGetKernelCount(&n, library));
  EXPECT(n == 2);
  void *variable;
  size_t bytes = 0;
  CHECK(cudaLibraryGetGlobal(&variable, &bytes, library, "offset"));
  EXPECT(bytes == 4);
  int *device, values[32];
  CHECK(cudaMalloc(&device, sizeof values));
  for (int i = 0; i < 32; i++)
    values[i] = i;
  CHECK(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
  void *arguments[] = {&device};
  CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0));
  int changed = 100;
  CHECK(cudaMemcpy(variable, &changed, sizeof changed, cudaMemcpyHostToDevice));
  CHECK(cudaLibraryGetKernel(&moved, library, "shift"));
  CHECK(cudaLaunchKernel((const void *)moved, dim3(1), dim3(32), arguments, 0, 0));
  CHECK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
  EXPECT(values[0] == 100 && values[31] == 162);
  // The variable of the program is another one.
  shift<<<1, 32>>>(device);
  CHECK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
  EXPECT(values[31] == 167);
  CHECK(cudaLibraryUnload(library));
  cudaGetLastError();
  return finish("library");
}
