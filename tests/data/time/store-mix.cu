// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Stores to parts of sectors: which of them leave a multiprocessor together, and what DRAM brings beside them. The arguments are pointers to MEMORY (4 times as much
// as 64 KiB for each block) and BIG, and how often.
// nvcc -O3 -arch=sm_90 -cubin -o store-mix.sm_90.cubin store-mix.cu

enum { PART = 65536 }; // words of a block

// Each warp stores a word to each sector of LINES lines of its own, then the next word of each, until they are whole, and goes on to other lines.
template <int LINES>
__device__ void
in_turns(unsigned *memory, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  unsigned *own = memory + (size_t)blockIdx.x * PART;
  for (int i = 0; i < n; i++) {
    unsigned *at = own + (((i * warps + warp) * LINES + lane / 4) * 32 + lane % 4 * 8) % PART;
#pragma unroll
    for (int word = 0; word < 8; word++)
      if (lane < 4 * LINES)
        *(volatile unsigned *)(at + word) = i;
  }
}
#define IN_TURNS(lines)                                                                            \
  extern "C" __global__ void in_turns_##lines(unsigned *memory, const unsigned *, int n) {         \
    in_turns<lines>(memory, n);                                                                    \
  }
IN_TURNS(1)
IN_TURNS(3)
IN_TURNS(4)
IN_TURNS(6)
IN_TURNS(8)

// A warp stores PARTS times a word of each of 32 sectors, and WHOLE lines, and loads LINES lines.
template <int PARTS, int WHOLE, int LINES>
__device__ void
beside(unsigned *memory, const unsigned *big, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  unsigned *own = memory + (size_t)blockIdx.x * PART;
  const unsigned *from = big + ((size_t)blockIdx.x * warps + warp) * n * LINES * 32;
  unsigned sum = 0;
  for (int i = 0; i < n; i++) {
    unsigned got[LINES + 1];
#pragma unroll
    for (int l = 0; l < LINES; l++)
      got[l] = __ldcs(from + (i * LINES + l) * 32 + lane);
#pragma unroll
    for (int p = 0; p < PARTS; p++)
      own[((i * PARTS + p) * warps + warp) * 256 % (PART / 2) + lane * 8 + i % 8] = i;
#pragma unroll
    for (int w = 0; w < WHOLE; w++)
      own[PART / 2 + ((i * WHOLE + w) * warps + warp) * 32 % (PART / 2) + lane] = i;
#pragma unroll
    for (int l = 0; l < LINES; l++)
      sum ^= got[l];
  }
  if (sum == 0x12345678)
    own[0] = sum;
}
#define BESIDE(parts, whole, lines)                                                                \
  extern "C" __global__ void beside_##parts##_##whole##_##lines(                                   \
      unsigned *memory, const unsigned *big, int n) {                                              \
    beside<parts, whole, lines>(memory, big, n);                                                   \
  }
BESIDE(1, 0, 0)
BESIDE(1, 0, 3)
BESIDE(1, 0, 6)
BESIDE(1, 2, 4)
BESIDE(2, 0, 5)
BESIDE(0, 3, 6)

// Blocks of eight warps, of which four each store two words of all sectors of the same 16 lines, and end; or all end together.
template <bool MEETS>
__device__ void
quarters(unsigned *memory, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned *own = memory + (size_t)blockIdx.x % 2048 * 2 * 1024 + warp % 2 * 512;
  own += lane / 2 * 8 + lane % 2 + warp / 2 * 2;
#pragma unroll
  for (int i = 0; i < 4; i++)
    own[i * 128] = n + i;
  if (MEETS)
    __syncthreads();
}
extern "C" __global__ void quarters_end(unsigned *memory, const unsigned *, int n) { quarters<false>(memory, n); }
extern "C" __global__ void quarters_meet(unsigned *memory, const unsigned *, int n) { quarters<true>(memory, n); }
