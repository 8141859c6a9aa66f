// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One wave that executes one LDS instruction over and over, for rocprofv3 to count: tests/gpu/lds-record.py builds and
// runs it. Arguments: the number of repetitions, and a file of requests, a line each: instruction, mask of active
// lanes (hexadecimal), bytes from lane to lane. One dispatch a line, in their order. Addresses wrap within the LDS.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { LDS_BYTES = 65536 };

#if defined(__GFX12__)
#define WAIT "s_wait_dscnt 0x0"
#else
#define WAIT "s_waitcnt lgkmcnt(0)"
#endif

using Words1 = unsigned;
using Words2 = unsigned __attribute__((ext_vector_type(2)));
using Words3 = unsigned __attribute__((ext_vector_type(3)));
using Words4 = unsigned __attribute__((ext_vector_type(4)));

#define READ(name, type)                                                                           \
  __global__ void name(unsigned long long mask, unsigned apart, int repeat) {                      \
    extern __shared__ char lds[];                                                                  \
    unsigned lane = threadIdx.x, at = lane * apart % LDS_BYTES;                                    \
    type value;                                                                                    \
    if (repeat < 0)                                                                                \
      lds[lane] = 0; /* keeps the allocation */                                                    \
    if (mask >> lane & 1)                                                                          \
      for (int i = 0; i < repeat; i++)                                                             \
        asm volatile(#name " %0, %1\n\t" WAIT : "=v"(value) : "v"(at) : "memory");                 \
  }
#define WRITE(name, type)                                                                          \
  __global__ void name(unsigned long long mask, unsigned apart, int repeat) {                      \
    extern __shared__ char lds[];                                                                  \
    unsigned lane = threadIdx.x, at = lane * apart % LDS_BYTES;                                    \
    type value = {};                                                                               \
    if (repeat < 0)                                                                                \
      lds[lane] = 0;                                                                               \
    if (mask >> lane & 1)                                                                          \
      for (int i = 0; i < repeat; i++)                                                             \
        asm volatile(#name " %0, %1\n\t" WAIT : : "v"(at), "v"(value) : "memory");                 \
  }

#define INSTRUCTIONS(READ, WRITE)                                                                  \
  READ(ds_read_u8, Words1)                                                                         \
  READ(ds_read_u16, Words1)                                                                        \
  READ(ds_read_b32, Words1)                                                                        \
  READ(ds_read_b64, Words2)                                                                        \
  READ(ds_read_b96, Words3)                                                                        \
  READ(ds_read_b128, Words4)                                                                       \
  WRITE(ds_write_b8, Words1)                                                                       \
  WRITE(ds_write_b16, Words1)                                                                      \
  WRITE(ds_write_b32, Words1)                                                                      \
  WRITE(ds_write_b64, Words2)                                                                      \
  WRITE(ds_write_b96, Words3)                                                                      \
  WRITE(ds_write_b128, Words4)

INSTRUCTIONS(READ, WRITE)

static const struct {
  const char *name;
  void (*kernel)(unsigned long long, unsigned, int);
} instructions[] = {
#define ROW(name, type) {#name, name},
    INSTRUCTIONS(ROW, ROW)
};

static int
fail(const char *what, const char *why) {
  fprintf(stderr, "lds-probe: %s: %s\n", what, why);
  return 1;
}

int
main(int argc, char **argv) {
  FILE *file = argc == 3 ? fopen(argv[2], "r") : nullptr;
  if (!file)
    return fail("usage", "lds-probe REPETITIONS FILE");
  hipDeviceProp_t device;
  if (hipGetDeviceProperties(&device, 0) != hipSuccess)
    return fail("device", "none");
  printf("%s\n%s\n%d\n", device.name, device.gcnArchName, device.warpSize);
  char name[32];
  unsigned long long mask;
  unsigned apart;
  while (fscanf(file, "%31s %llx %u", name, &mask, &apart) == 3) {
    bool found = false;
    for (const auto &instruction : instructions) {
      if (strcmp(instruction.name, name) != 0)
        continue;
      found = true;
      instruction.kernel<<<1, device.warpSize, LDS_BYTES>>>(mask, apart, atoi(argv[1]));
      hipError_t error = hipDeviceSynchronize();
      if (error != hipSuccess)
        return fail(name, hipGetErrorString(error));
    }
    if (!found)
      return fail(name, "no such instruction");
  }
  fclose(file);
  return 0;
}
