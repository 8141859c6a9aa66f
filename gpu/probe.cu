// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Issues one warp request over and over, so that what it costs can be measured. It is compiled once for
// each operation, with ACCESS(a, l, v, g) for the instruction: lane l asks for address a and may
// leave something in v; g is the address of 64 KiB of global memory. The address is advanced by a zero that the
// compiler cannot know: so it neither merges nor moves the accesses. A lane that is not active skips them all.

typedef struct {
  unsigned offset[32];
  unsigned mask;
  unsigned unused;
} Request;

// What loads of constant memory find; SMB_CONSTANT_PROBE_BYTES.
__constant__ __align__(16) unsigned char constants[CONSTANT_BYTES];

__device__ __forceinline__ unsigned shared_base(void) {
  extern __shared__ uint4 memory[];
  return (unsigned)__cvta_generic_to_shared(memory);
}

__device__ __forceinline__ unsigned issue(unsigned address, unsigned zero, unsigned rounds,
                                          const unsigned *sink) {
  unsigned lane = threadIdx.x % 32, sum = 0;
  for (unsigned r = 0; r < rounds; r++) {
    unsigned value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      value[u] = lane;
      ACCESS(address, lane, value[u], sink);
      address += zero;
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      sum ^= value[u];
  }
  return sum;
}

// The clock: every warp of the block issues the request, so that nothing but the pipe limits them.
// cycles[i]: clock cycles of request i, for all that the block issued. The clock is read between two
// barriers, when the pipe is empty and no warp has begun; at the end each warp waits for all that it loaded, and for a
// load of its own, which comes behind all that it issued: the barrier takes what was loaded, so that no warp is there
// before. The first request of a block is issued once more before it counts, since the first time waits for the code.
extern "C" __global__ void probe_clock(const Request *requests, unsigned n, unsigned zero, unsigned rounds,
                                       unsigned *cycles, unsigned *sink) {
  unsigned lane = threadIdx.x % 32, sum = 0;
  for (unsigned turn = 0;; turn++) {
    unsigned i = blockIdx.x + (turn ? turn - 1 : 0) * gridDim.x;
    if (i >= n)
      break;
    unsigned address = shared_base() + requests[i].offset[lane], last;
    bool active = WHOLE_WARP || (requests[i].mask >> lane & 1);
    __syncthreads();
    long long start = clock64();
    __syncthreads();
    if (active)
      sum ^= issue(address, zero, rounds, sink);
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(last) : "r"(shared_base() + (sum & zero)));
    bool late = __syncthreads_or(last & zero);
    if (threadIdx.x == 0 && turn)
      cycles[i] = (unsigned)(clock64() - start) + late;
  }
  if (sum == 0x12345678)
    *sink = sum;
}

// The counters: one warp issues one request.
extern "C" __global__ void probe_count(const Request *requests, unsigned which, unsigned zero, unsigned rounds,
                                       unsigned *sink) {
  unsigned lane = threadIdx.x % 32, sum = 0;
  unsigned address = shared_base() + requests[which].offset[lane];
  if (WHOLE_WARP || (requests[which].mask >> lane & 1))
    sum = issue(address, zero, rounds, sink);
  if (sum == 0x12345678)
    *sink = sum;
}
