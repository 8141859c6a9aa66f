// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Stands in for a runtime of CUDA that is linked into a program: functions with the names that such a one has. Each says that it was
// called. tests/cli/run-static.sh has them redirected.
#include <stdio.h>

#define INSIDE(name)                                                                               \
  __attribute__((visibility("hidden"))) int name(void) {                                           \
    printf("inside: %s\n", #name);                                                                 \
    return 35;                                                                                     \
  }

INSIDE(__cudaRegisterFatBinary)
INSIDE(cudaMalloc)
INSIDE(cudaNewerThanAll)
INSIDE(cudaMemset_ptds)
INSIDE(cudaImportExternalMemory)
INSIDE(cudaRuntimeGetVersion)
INSIDE(cudaGetLastError)
INSIDE(cudaLaunchKernelExC)
#ifdef TWELVE
INSIDE(cudaGetDeviceProperties_v2)
#endif
#ifdef ELEVEN
INSIDE(cudaBindTexture)
#endif
INSIDE(cudaFree)
