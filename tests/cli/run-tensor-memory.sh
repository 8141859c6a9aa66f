#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run: tensor memory (tcgen05), by PTX as it is. The program compares with what its host makes of the documents; none of it was compared with a
# device.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

need_nvcc
run_libraries
kernels=$srcdir/tests/run/kernel

"$nvcc" -std=c++17 -gencode arch=compute_100a,code=compute_100a -cudart shared -o tensor "$kernels/tensor-memory.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 --output ranking -- ./tensor >out 2>err || die "status $?: $(cat out err)"
cmp out "$kernels/tensor-memory.expected" || die "another output: $(diff out "$kernels/tensor-memory.expected"; cat err)"
[ ! -s err ] || die "messages: $(cat err)"
# The text is taken also where a compiler is, and where there is machine code beside it.
"$SMEMBANK" run --arch sm_100 --output ranking -- ./tensor >out 2>err || die "with a compiler: status $?: $(cat out err)"
cmp out "$kernels/tensor-memory.expected" || die "with a compiler: another output"

# --- what a program must not do
cat >wrong.cu <<'EOF'
#include <cstdio>
__global__ void wrong(int how) {
  __shared__ unsigned where;
  unsigned to = (unsigned)__cvta_generic_to_shared(&where), word, columns = how == 0 ? 48 : 64;
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to), "r"(columns) : "memory");
  __syncthreads();
  unsigned at = where + (how == 1 ? 64 : how == 2 ? 96 << 16 : 0);
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(at));
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(where), "r"(how == 3 ? 32 : 64));
}
int main(int, char **argv) {
  wrong<<<1, 32>>>(argv[1][0] - '0');
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
"$nvcc" -gencode "arch=compute_100a,code=[sm_100a,compute_100a]" -cudart shared -o wrong wrong.cu 2>nvcc.log || die "$(cat nvcc.log)"
wrong() {
  "$SMEMBANK" run --arch sm_100 --output ranking -- ./wrong "$1" >out 2>err || true
  grep -qF "$2" err || die "wrong $1: expected '$2': $(cat out err)"
}
wrong 0 '48 columns of tensor memory: expected a power of two, of at least 32, of which as many are free'
wrong 1 'columns 64 to 64 of tensor memory: they are not allocated'
wrong 2 'lane 96 of tensor memory, by warp 0: expected lane 0'
wrong 3 'no 32 columns of tensor memory were allocated at 0x0'
"$SMEMBANK" run --arch sm_100 --output ranking -- ./wrong 4 >out 2>err
grep -qx cudaSuccess out || die "right: $(cat out err)"

# --- descriptors against what threads copied: rows of 128 bytes as they are, which a descriptor reads with a swizzle, or without one
cat >copied.cu <<'EOF'
#include <cstdio>
__global__ void product(const char *in, unsigned *out, unsigned long long mode) {
  __shared__ __align__(1024) char tile[128 * 128];
  __shared__ unsigned where;
  __shared__ unsigned long long barrier;
  unsigned base = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&barrier), word;
  for (int i = threadIdx.x; i < 128 * 8; i += 128) {
    int row = i / 8, chunk = mode == 2 ? i % 8 ^ row % 8 : i % 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + row * 128 + chunk * 16), "l"(in + row * 256 + i % 8 * 16) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"((unsigned)__cvta_generic_to_shared(&where)) : "memory");
  __syncthreads();
  unsigned long long matrix = base >> 4 | 64ull << 32 | 1ull << 46 | 2ull << 61;
  if (threadIdx.x == 0) {
    asm volatile("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, 0;" ::"r"(where), "l"(matrix), "r"(0x08080010)); // product
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at) : "memory");
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(at) : "memory");
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(where));
  out[threadIdx.x] = word;
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(where));
}
int main(int, char **argv) {
  char *in;
  unsigned *out;
  cudaMallocManaged(&in, 128 * 256);
  cudaMallocManaged(&out, 512);
  for (int i = 0; i < 128 * 256; i++)
    in[i] = 0;
  product<<<1, 128>>>(in, out, argv[1][0] - '0');
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
}
EOF
"$nvcc" -lineinfo -gencode arch=compute_100a,code=compute_100a -cudart shared -o copied copied.cu
"$SMEMBANK" run --check --arch sm_100 -- ./copied 2 >out 2>err || die "swizzled: status $?: $(cat out err)"
says 'nothing found.'
status=0
"$SMEMBANK" run --check --arch sm_100 -- ./copied 0 >out 2>err || status=$?
[ "$status" = 1 ] || die "not swizzled: status $status: $(cat out err)"
says 'operand A is read with a 128-byte swizzle'
says 'has rows of 128 bytes without a swizzle'
