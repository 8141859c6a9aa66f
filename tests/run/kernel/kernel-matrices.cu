// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// ldmatrix and stmatrix of numbers of 8 bits and fewer (sm_100a, sm_120a) of random rows, compared with what the host makes of the PTX ISA. Each access is
// one of the text, so that machine code makes the same requests.
#include <cstdint>
#include <cstring>

#include "../check.h"

enum { LANES = 32, WORDS = 4, MOST_STRIDE = 144, FORMS = 12, LOADS = 9 };

// Words of a lane's row, and registers of the lane.
struct Lane {
  uint32_t words[WORDS];
};

#define LOAD_1(form) asm volatile("ldmatrix.sync.aligned." form " {%0}, [%1];" : "=r"(r[0]) : "r"(row) : "memory")
#define LOAD_2(form) asm volatile("ldmatrix.sync.aligned." form " {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory")
#define LOAD_4(form) asm volatile("ldmatrix.sync.aligned." form " {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory")

template <int form> __global__ void move(const Lane *from, Lane *to, int stride) {
  __shared__ __align__(128) unsigned char rows[LANES * MOST_STRIDE];
  uint32_t row = (uint32_t)__cvta_generic_to_shared(rows) + (threadIdx.x * 5 % LANES) * stride;
  const uint32_t *in = from[threadIdx.x].words;
  uint32_t r[WORDS] = {};
  if (form < LOADS) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]) : "memory");
    __syncwarp();
    switch (form) {
    case 0: LOAD_2("m16n16.x1.trans.shared.b8"); break;
    case 1: LOAD_4("m16n16.x2.trans.shared.b8"); break;
    case 2: LOAD_2("m16n16.x1.trans.shared.b8x16.b6x16_p32"); break;
    case 3: LOAD_4("m16n16.x2.trans.shared.b8x16.b6x16_p32"); break;
    case 4: LOAD_4("m16n16.x2.trans.shared.b8x16.b4x16_p64"); break;
    case 5: LOAD_1("m8n16.x1.shared.b8x16.b6x16_p32"); break;
    case 6: LOAD_4("m8n16.x4.shared.b8x16.b6x16_p32"); break;
    case 7: LOAD_2("m8n16.x2.shared.b8x16.b4x16_p64"); break;
    case 8: LOAD_4("m8n16.x4.shared.b8x16.b4x16_p64"); break;
    }
  } else {
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(row), "r"(0) : "memory");
    __syncwarp();
    switch (form) {
    case 9: asm volatile("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};" ::"r"(row), "r"(in[0]) : "memory"); break;
    case 10: asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0], {%1, %2};" ::"r"(row), "r"(in[0]), "r"(in[1]) : "memory"); break;
    case 11: asm volatile("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]) : "memory"); break;
    }
    __syncwarp();
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
  }
  for (int i = 0; i < WORDS; i++)
    to[threadIdx.x].words[i] = r[i];
}

// How many registers a form moves, the bits of its numbers in memory, and whether it transposes.
static const struct {
  int registers, bits;
  bool is_transposed;
} forms[FORMS] = {{2, 8, true}, {4, 8, true}, {2, 6, true}, {4, 6, true}, {4, 4, true}, {1, 6, false}, {4, 6, false}, {2, 4, false}, {4, 4, false}, {1, 8, true}, {2, 8, true}, {4, 8, true}};

static unsigned take_number(const Lane *lane, int bits, int i) {
  const unsigned char *bytes = (const unsigned char *)lane;
  unsigned number = 0;
  for (int bit = 0; bit < bits; bit++)
    number |= (bytes[(i * bits + bit) / 8] >> (i * bits + bit) % 8 & 1u) << bit;
  return number;
}

static void expect_loaded(int form, const Lane *from, const Lane *to) {
  for (int t = 0; t < LANES; t++)
    for (int j = 0; j < forms[form].registers; j++)
      for (int e = 0; e < 4; e++) {
        int row = forms[form].is_transposed ? j / 2 * 16 + t % 4 * 4 + e : 8 * j + t / 4;
        int column = forms[form].is_transposed ? t / 4 + j % 2 * 8 : t % 4 * 4 + e;
        EXPECT((to[t].words[j] >> 8 * e & 255) == take_number(&from[row], forms[form].bits, column));
      }
}

static void expect_stored(int form, const Lane *from, const Lane *to) {
  Lane rows[LANES] = {};
  for (int t = 0; t < LANES; t++)
    for (int j = 0; j < forms[form].registers; j++)
      for (int e = 0; e < 4; e++)
        ((unsigned char *)&rows[8 * j + t % 4 * 2 + e % 2])[t / 4 + e / 2 * 8] = (unsigned char)(from[t].words[j] >> 8 * e);
  EXPECT(memcmp(rows, to, sizeof rows) == 0);
}

template <int form> static void run(Lane *from, Lane *to) {
  static const int strides[] = {16, 80, 128};
  for (int i = 0; i < 3; i++) {
    for (int lane = 0; lane < LANES; lane++)
      for (int word = 0; word < WORDS; word++)
        from[lane].words[word] = (uint32_t)rand() * 65599u ^ (uint32_t)rand();
    move<form><<<1, LANES>>>(from, to, strides[i]);
    CHECK(cudaDeviceSynchronize());
    (form < LOADS ? expect_loaded : expect_stored)(form, from, to);
  }
}

int main() {
  Lane *from, *to;
  CHECK(cudaMallocManaged(&from, LANES * sizeof *from));
  CHECK(cudaMallocManaged(&to, LANES * sizeof *to));
  run<0>(from, to);
  run<1>(from, to);
  run<2>(from, to);
  run<3>(from, to);
  run<4>(from, to);
  run<5>(from, to);
  run<6>(from, to);
  run<7>(from, to);
  run<8>(from, to);
  run<9>(from, to);
  run<10>(from, to);
  run<11>(from, to);
  return finish("kernel-matrices");
}
