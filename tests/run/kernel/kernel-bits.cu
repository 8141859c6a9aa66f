// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of single bits (mma with .b1) in all shapes, of random bits, compared with sums of the host. ptxas makes them of others: BMMA of sm_80 and sm_90, IMMA later.
#include <cstdint>

#include "../check.h"

enum { LANES = 32, ROUNDS = 4 };

struct Lane {
  uint32_t a[4], b[2];
  int c[4];
};

#define PRODUCT(shape, operation)                                                                  \
  asm volatile("mma.sync.aligned." shape ".row.col.s32.b1.b1.s32." operation ".popc "
#define WIDE(operation)                                                                            \
  PRODUCT("m16n8k256", operation) "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(l.a[0]), "r"(l.a[1]), "r"(l.a[2]), "r"(l.a[3]), "r"(l.b[0]), "r"(l.b[1]))
#define NARROW(operation)                                                                          \
  PRODUCT("m16n8k128", operation) "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(l.a[0]), "r"(l.a[1]), "r"(l.b[0]))
#define SMALL(operation)                                                                           \
  PRODUCT("m8n8k128", operation) "{%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(d[0]), "+r"(d[1]) : "r"(l.a[0]), "r"(l.b[0]))

template <int form> __global__ void multiply(const Lane *lanes, int *out) {
  Lane l = lanes[threadIdx.x];
  int *d = l.c;
  switch (form) {
  case 0: WIDE("and"); break;
  case 1: WIDE("xor"); break;
  case 2: NARROW("and"); break;
  case 3: NARROW("xor"); break;
  case 4: SMALL("and"); break;
  case 5: SMALL("xor"); break;
  }
  for (int i = 0; i < 4; i++)
    out[4 * threadIdx.x + i] = d[i];
}

// The word of row @i of A, or column @j of B, that has bits 32 * @word and the following ones.
static uint32_t word_of_a(const Lane *lanes, int form, int i, int word) { return lanes[i % 8 * 4 + word % 4].a[form < 4 ? i / 8 + word / 4 * 2 : 0]; }
static uint32_t word_of_b(const Lane *lanes, int j, int word) { return lanes[j * 4 + word % 4].b[word / 4]; }

template <int form> static void run(Lane *lanes, int *out) {
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t *words = (uint32_t *)lanes;
    for (unsigned i = 0; i < LANES * sizeof *lanes / 4; i++)
      words[i] = (uint32_t)rand() * 65599u ^ (uint32_t)rand();
    multiply<form><<<1, LANES>>>(lanes, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < (form < 4 ? 16 : 8); i++)
      for (int j = 0; j < 8; j++) {
        int lane = i % 8 * 4 + j / 2, at = i / 8 * 2 + j % 2;
        uint32_t sum = (uint32_t)lanes[lane].c[at];
        for (int word = 0; word < (form < 2 ? 8 : 4); word++) {
          uint32_t a = word_of_a(lanes, form, i, word), b = word_of_b(lanes, j, word);
          sum += __builtin_popcount(form % 2 ? a ^ b : a & b);
        }
        EXPECT(out[4 * lane + at] == (int)sum);
      }
  }
}

int main() {
  Lane *lanes;
  int *out;
  CHECK(cudaMallocManaged(&lanes, LANES * sizeof *lanes));
  CHECK(cudaMallocManaged(&out, LANES * 4 * sizeof *out));
  run<0>(lanes, out);
  run<1>(lanes, out);
  run<2>(lanes, out);
  run<3>(lanes, out);
  run<4>(lanes, out);
  run<5>(lanes, out);
  return finish("kernel-bits");
}
