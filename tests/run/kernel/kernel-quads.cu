// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// mma.sync.m8n8k4 of halves (PTX ISA, "Matrix Fragments for mma.m8n8k4"): four products, of eight lanes each. From sm_80 on, ptxas makes shuffles and sums of them. Each sum is
// compared with that of the host, and all bits are in a checksum.
// nvcc: -std=c++17
#include <cmath>
#include <cstdio>
#include <cstring>

#include <cuda_fp16.h>

#include "../check.h"

static unsigned long long state = 1;
static unsigned next_random(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

#define A_B "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1])
#define C_FLOATS "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(c[5]), "r"(c[6]), "r"(c[7])
#define C_HALVES "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
#define D_FLOATS "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
#define D_HALVES "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
// Operands are floats in any register: the opcode alone says which they are.
#define FROM_FLOATS(layouts)                                                                                                                                \
  asm volatile("{ .reg .f32 x<8>, y<8>; mov.b32 x0, %12; mov.b32 x1, %13; mov.b32 x2, %14; mov.b32 x3, %15; mov.b32 x4, %16; mov.b32 x5, %17; mov.b32 x6, %18; mov.b32 x7, %19;" \
               "mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f32 {y0, y1, y2, y3, y4, y5, y6, y7}, {%8, %9}, {%10, %11}, {x0, x1, x2, x3, x4, x5, x6, x7};"      \
               "mov.b32 %0, y0; mov.b32 %1, y1; mov.b32 %2, y2; mov.b32 %3, y3; mov.b32 %4, y4; mov.b32 %5, y5; mov.b32 %6, y6; mov.b32 %7, y7; }"                     \
               : D_FLOATS                                                                                                                                    \
               : A_B, C_FLOATS)
#define TO_FLOATS(layouts)                                                                                                                                  \
  asm volatile("{ .reg .f32 y<8>; mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f16 {y0, y1, y2, y3, y4, y5, y6, y7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15};"  \
               "mov.b32 %0, y0; mov.b32 %1, y1; mov.b32 %2, y2; mov.b32 %3, y3; mov.b32 %4, y4; mov.b32 %5, y5; mov.b32 %6, y6; mov.b32 %7, y7; }"                     \
               : D_FLOATS                                                                                                                                    \
               : A_B, C_HALVES)
#define HALVES(layouts)                                                                                                                                     \
  asm volatile("mma.sync.aligned.m8n8k4." layouts ".f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};" : D_HALVES : A_B, C_HALVES)

// @in: of each lane two registers of A, two of B, eight of C; @out: eight of D.
__global__ void product(const unsigned *in, unsigned *out, int form, int layouts) {
  const unsigned *mine = in + threadIdx.x * 12, *a = mine, *b = mine + 2, *c = mine + 4;
  unsigned d[8] = {};
  switch (form * 4 + layouts) {
  case 0: FROM_FLOATS("row.row"); break;
  case 1: FROM_FLOATS("row.col"); break;
  case 2: FROM_FLOATS("col.row"); break;
  case 3: FROM_FLOATS("col.col"); break;
  case 4: TO_FLOATS("row.row"); break;
  case 5: TO_FLOATS("row.col"); break;
  case 6: TO_FLOATS("col.row"); break;
  case 7: TO_FLOATS("col.col"); break;
  case 8: HALVES("row.row"); break;
  case 9: HALVES("row.col"); break;
  case 10: HALVES("col.row"); break;
  case 11: HALVES("col.col"); break;
  }
  for (int i = 0; i < 8; i++)
    out[threadIdx.x * 8 + i] = d[i];
}

static float half_at(const unsigned *registers, int i) {
  unsigned short bits = (unsigned short)(registers[i / 2] >> i % 2 * 16);
  __half half;
  memcpy(&half, &bits, 2);
  return __half2float(half);
}

// The number of row @row and column @column (of A: the depth @k) that lanes of a quad and of the one 16 further have.
static float find_a(const unsigned *in, int quad, bool is_column, int row, int k) {
  int lane = quad * 4 + row / 4 * 16 + (is_column ? k : row % 4);
  return half_at(in + lane * 12, is_column ? row % 4 : k);
}

static float find_b(const unsigned *in, int quad, bool is_column, int k, int column) {
  int lane = quad * 4 + column / 4 * 16 + (is_column ? column % 4 : k);
  return half_at(in + lane * 12 + 2, is_column ? k : column % 4);
}

static void find_place(bool is_float, int lane, int i, int *row, int *column) {
  *row = (is_float ? (lane & 1) + (i & 2) : lane % 4) + lane / 16 * 4;
  *column = is_float ? (i & 4) + (lane & 2) + (i & 1) : i;
}

static float find_c(const unsigned *in, int quad, bool is_float, int row, int column) {
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 8 && lane % 16 / 4 == quad; i++) {
      int r, c;
      float value;
      find_place(is_float, lane, i, &r, &c);
      if (r != row || c != column)
        continue;
      if (!is_float)
        return half_at(in + lane * 12 + 4, i);
      memcpy(&value, in + lane * 12 + 4 + i, 4);
      return value;
    }
  return NAN;
}

int main() {
  static const char *const forms[] = {"f32 of f32", "f32 of f16", "f16"}, *const layouts[] = {"row.row", "row.col", "col.row", "col.col"};
  unsigned *in, *out;
  CHECK(cudaMallocManaged(&in, 32 * 12 * 4));
  CHECK(cudaMallocManaged(&out, 32 * 8 * 4));
  for (int form = 0; form < 3; form++)
    for (int layout = 0; layout < 4; layout++) {
      unsigned checksum = 0;
      int wrong = 0;
      for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 32 * 12; i++) {
          if (i % 12 < 4 || form)
            for (int h = in[i] = 0; h < 2; h++) // halves near 1, and zeros
              in[i] |= (next_random(2) << 15 | (next_random(3) ? (11 + next_random(8)) << 10 | next_random(1024) : 0)) << 16 * h;
          else
            in[i] = next_random(2) << 31 | (next_random(3) ? (121 + next_random(10)) << 23 | next_random(1 << 23) : 0);
        }
        product<<<1, 32>>>(in, out, form, layout);
        CHECK(cudaDeviceSynchronize());
        for (int lane = 0; lane < 32; lane++)
          for (int i = 0; i < 8; i++) {
            int row, column, quad = lane % 16 / 4;
            float found;
            find_place(form < 2, lane, i, &row, &column);
            double sum = find_c(in, quad, form == 0, row, column), size = fabs(sum);
            for (int k = 0; k < 4; k++) {
              double term = (double)find_a(in, quad, layout / 2, row, k) * find_b(in, quad, layout % 2, k, column);
              sum += term;
              size += fabs(term);
            }
            if (form < 2)
              memcpy(&found, out + lane * 8 + i, 4);
            else
              found = half_at(out + lane * 8, i);
            wrong += !(fabs(found - sum) <= size * (form < 2 ? 0x1p-21 : 0x1p-9));
          }
        for (int i = 0; i < 32 * 8; i++)
          checksum = checksum * 31 + out[i];
      }
      printf("%s, %s: %d wrong, checksum %08x\n", forms[form], layouts[layout], wrong, checksum);
    }
}
