#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise where there is a compiler: layouts are ranked by what they take as compiled. With a made-up nvcc that does as it is
# told; tests/nvcc-layouts.sh does so with the real one.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
TMPDIR=$work/tmp
mkdir "$TMPDIR"
export TMPDIR
cd "$work"
cp "$srcdir"/tests/data/layouts/*.cu .

made_nvcc <<'END'
PATH=$PATH:/usr/bin:/bin
. "$NVCC_TASK"
END
NVCC_TASK=$work/task
export NVCC_TASK

# Lanes that store N bytes apart: what the form of the text is said to become.
cat >pairs.sh <<'END'
stores() {
  cat >"$out" <<PTX
.version 8.0
.target sm_90
.address_size 64
.visible .entry turn(.param .u64 turn_param_0, .param .u64 turn_param_1, .param .u32 turn_param_2) {
  .reg .b32 %r<4>;
  .shared .align 4 .b8 s[8192];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, $1;
  ld.param.u32 %r3, [turn_param_2];
  st.shared.u32 [%r2], %r3;
  ret;
}
PTX
}
END
cat >turn.cu <<'END'
#define T 32
extern "C" __global__ void turn(float *out, const float *in, int n) {
  __shared__ float s[T][T];
  for (int y = 0; y < n; y++)
    s[y][threadIdx.x] = in[y * T + threadIdx.x];
  __syncthreads();
  for (int y = 0; y < n; y++)
    out[y * T + threadIdx.x] = s[threadIdx.x][y];
}
END
cat >task <<'END'
. ./pairs.sh
case $(cat "$word") in
*"T + 1"*) stores 8 ;;
*"^"*) stores 64 ;;
*) stores 32 ;;
esac
END
expect 0 advise turn.cu --block 32 --arg n=32
quiet
golden advise-compiled.txt
expect 0 advise turn.cu --block 32 --arg n=32 --format json
is_json
golden advise-compiled.json
expect 0 advise turn.cu --block 32 --arg n=32 --out best.cu
grep -q 'T + 1' best.cu || die "$last: wrote $(cat best.cu)"
# What no form is better than is left alone.
sed 's/stores 8/stores 128/' task >worse && mv worse task
expect 0 advise turn.cu --block 32 --arg n=32 --out none.cu
says 'none.cu was not written: no rewritten kernel is better'
shows 'Pad 1 is not recommended: 94 % fewer wavefronts in the text, 300 % more as compiled.'

# A form that does not compile; none that does; a compiler that hangs.
cat >task <<'END'
. ./pairs.sh
grep -q 'T + 1' "$word" && { echo "$word(3): error: no"; exit 1; }
grep -q '\^' "$word" && stores 4 || stores 32
END
expect 0 advise turn.cu --block 32 --arg n=32
shows 'Pad 1 is not recommended: it does not compile: turn.cu:3:1: error: no'
shows 'Apply Swizzle<5,0,5> in lines 5 and 8: 1056 -> 64 wavefronts.'
# shellcheck disable=SC2016
echo 'echo "$word(3): error: no"; exit 1' >task
expect 0 advise turn.cu --block 32 --arg n=32
shows 'It cannot be counted as compiled, and is ranked by its text:'
shows 'turn.cu:3:1: error: no'
shows 'Change line 3 to [T + 1]: 1056 -> 64 wavefronts, +128 bytes of shared memory.'
# shellcheck disable=SC2016
echo 'sleep 1000 & wait' >task
expect 0 advise turn.cu --block 32 --arg n=32 --only pad --max-compile 1
shows 'turn.cu: nvcc was stopped: it took more than 1 second (--max-compile)'
[ -z "$(ls "$TMPDIR")" ] || die "$last: left $(ls "$TMPDIR")"

# What keeps vectors whole is compiled, too, and stays if it is better than the others of its kind.
cat >task <<'END'
. ./pairs.sh
case $(cat "$word") in
*"T + 4"*) stores 4 ;;
*"T + 1"*) stores 8 ;;
*) stores 32 ;;
esac
END
expect 0 advise turn.cu --block 32 --arg n=32 --only pad --out wide.cu
shows 'Change line 3 to [T + 4]: 1056 -> 160 wavefronts'
shows 'Or change line 3 to [T + 1]: 1056 -> 64 wavefronts'
grep -q 'T + 4' wide.cu || die "$last: wrote $(cat wide.cu)"
sed 's/stores 4 /stores 16 /' task >worse && mv worse task
expect 0 advise turn.cu --block 32 --arg n=32 --only pad
! grep -q 'T + 4' "$work/out" || die "$last: shows what was tried in vain"
# The page recommends what advise does.
expect 0 report page.html turn.cu --block 32 --arg n=32
grep -q 'As compiled, all shared accesses: 8 -&gt; 2 wavefronts' page.html || die "$last: not as compiled"
sed 's/stores 8/stores 128/' task >worse && mv worse task
expect 0 report page.html turn.cu --block 32 --arg n=32
grep -q 'Pad 1 is not recommended: 94 % fewer wavefronts in the text, 300 % more as compiled' page.html ||
  die "$last: recommends what advise does not"

# What the kernel language does not have: rows are made longer where the source declares them, as long as all indices are given.
cat >task <<'END'
. ./pairs.sh
case $(cat "$word") in
*"s[T][T + 2]"*"u[T][T + 4]"*) stores 4 ;;
*"s[T][T + 1]"*) stores 64 ;;
*"s[T][T + 2]"*) stores 8 ;;
*"s[T][T + 4]"*) echo "$word(2): error: no"; exit 1 ;;
*"u[T][T + 4]"*) stores 16 ;;
*) stores 32 ;;
esac
END
beyond="beyond.cu --block 32 --arg 2=3"
# shellcheck disable=SC2086 # several words
expect 0 advise $beyond --nvcc '' --entry turn --out best.cu
[ "$(cat err)" = 'smembank advise: wrote best.cu (s: pad 2, u: pad 4)' ] || die "$last: says $(cat err)"
golden advise-written.txt
grep -qF 'float s[T][T + 2], u[T][T + 4];' best.cu || die "$last: wrote $(cat best.cu)"
# shellcheck disable=SC2086
expect 0 advise $beyond --nvcc '' --entry turn --format json
is_json
golden advise-written.json
# Elements whose address is taken: what the kernel leaves is compared; it writes nothing here. Rows that are named are left alone.
sed 's/return s/return *\&s/; s/= in/= u[0] == 0 ? 0 : in/' beyond.cu >address.cu
expect 0 advise address.cu --block 32 --arg 2=3 --nvcc '' --entry turn
shows 'None is recommended.'
tells 'Not recommended, since the kernel does not leave, or is not known to leave, the same in global memory: s: pad 2'
shows 'Left alone: u, which the text uses without all indices.'
# What is said of the length of a row to wmma changes with it.
sed 's/float s\[T\]\[T\]/float s[T][T]; load_matrix_sync(f, \&s[0][0], T)/' beyond.cu >matrix.cu
cat >task <<'END'
. ./pairs.sh
case $(cat "$word") in
*"s[T][T + 8]"*"&s[0][0], T + 8)"*) stores 4 ;;
*"s[T][T + "*) stores 2 ;;
*) stores 32 ;;
esac
END
expect 0 advise matrix.cu --block 32 --arg 2=3 --nvcc '' --entry turn --out matrix-best.cu
tells 'Rows of s became 8 elements longer only, and with them the leading dimensions that wmma is given.'
tells 'only the lengths of rows change'
grep -qF 's[T][T + 8]; load_matrix_sync(f, &s[0][0], T + 8)' matrix-best.cu || die "$last: wrote $(cat matrix-best.cu)"

# A text that cannot be run: its forms are, as the compiler makes them. What only indices change has to leave the same in global memory.
cat >task <<'END'
forms() {
  cat >"$out" <<PTX
.version 8.0
.target sm_90
.address_size 64
.visible .entry turn(.param .u64 turn_param_0, .param .u64 turn_param_1, .param .u32 turn_param_2) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<5>;
  .shared .align 4 .b8 s[$2];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, $1;
  ld.param.u64 %rd1, [turn_param_0];
  ld.param.u64 %rd2, [turn_param_1];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd1, %rd1, %rd3;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.u32 %r3, [%rd2+$3];
  st.shared.u32 [%r2], %r3;
  st.global.u32 [%rd1], %r3;
  ret;
}
PTX
}
case $(cat "$word") in
*"[T][T + 1]"*) forms 8 4224 0 ;;
*"[T][T + "*) forms 128 4608 0 ;;
*"^"*) forms 4 4096 "$(cat other)" ;;
*) forms 128 4096 0 ;;
esac
END
echo 0 >other
expect 0 advise turn.cu --block 32 --arg n=32 --max-steps 50 --out best.cu
says 'note: the text cannot be run, but what nvcc makes of it can'
says 'turn.cu:4:3: still running after 50 statements'
tells 'Layouts that were found for s were written into the text, compiled, and counted.'
shows 'Recommended: s: Swizzle<5,0,5>: 32 -> 1 wavefront;'
tells 'with numbers in its buffers the kernel leaves the same 256 bytes in global memory.'
grep -qF 's[threadIdx.x][y ^ threadIdx.x]' best.cu || die "$last: wrote $(cat best.cu)"
expect 0 advise turn.cu --block 32 --arg n=32 --max-steps 50 --format json
is_json
shows '"rewritten" : ['
shows '"text_failure" : "turn.cu:4:3: still running'
echo 4 >other
expect 0 advise turn.cu --block 32 --arg n=32 --max-steps 50 --out best.cu
shows 'Recommended: s: pad 1: 32 -> 2 wavefronts'
tells 'the same in global memory: s: Swizzle<5,0,5>.'
grep -qF 's[T][T + 1]' best.cu || die "$last: wrote $(cat best.cu)"
# Where the machine code cannot be run either, and where there is no compiler, the text says why.
echo 'exit 9' >task
expect 3 advise turn.cu --block 32 --arg n=32 --max-steps 50
says 'turn.cu:4:3: error: still running after 50 statements'
SMEMBANK_NVCC=no expect 3 advise turn.cu --block 32 --arg n=32 --max-steps 50
says 'turn.cu:4:3: error: still running after 50 statements'

# A kernel of an included file is not rewritten, so there is nothing to compile; a namespace in front of a template is understood.
cp turn.cu turn.h
echo '#include "turn.h"' >main.cu
expect 0 advise main.cu --block 32 --arg n=32
shows "'s' is declared in the included file turn.h, so it cannot be rewritten automatically"
shows 'No layout can be written into the text automatically, so none was compiled'
expect 0 advise space.cu --instance 'lib::turn<32>' --block 32 --only pad
shows 'float s[32][32]'

# Options of the compiler are for each form; with macros the text is another one, which only the compiler knows.
cat >task <<'END'
. ./pairs.sh
case " $* " in
*' -O1 '*) grep -q 'T + 1' "$word" && stores 4 || stores 8 ;;
*) exit 9 ;;
esac
END
expect 0 advise turn.cu --block 32 --arg n=32 --nvcc -O1 --only pad
shows 'Change line 3 to [T + 1]: 1056 -> 64 wavefronts'
shows 'As compiled (nvcc -cubin -lineinfo -arch=sm_90 -O1): 2 wavefronts for all shared accesses.'
expect 0 advise turn.cu --block 32 --arg 2=32 --nvcc '-O1 -DT=32'
shows 'compiled: nvcc -cubin -lineinfo -arch=sm_90 -O1 -DT=32'

# Without a compiler, and of what is no file of CUDA C, none is asked.
echo 'exit 9' >task
expect 0 advise --rows 32 --cols 32
! grep -q ompiled "$work/out" || die "$last: a tile was compiled"
SMEMBANK_NVCC=no expect 0 advise turn.cu --block 32 --arg n=32
! grep -q 'As compiled' "$work/out" || die "$last: compiled without a compiler"

# Rows that each lane reads in an unrolled loop: what a compiler merges is counted, too.
SMEMBANK_NVCC=no expect 0 advise product.cu --block 16,16 --arg n=32
golden advise-product.txt
SMEMBANK_NVCC=no expect 0 advise sgemm.cu --block 256 --arg n=16 --format json
is_json
shows '"as_merged" : {'

# What compilers do not merge: what is volatile, and what is not unrolled. They merge what is read downwards.
merges() {
  SMEMBANK_NVCC=no expect 0 advise "$1" --block 64
  grep -q 'read consecutive elements' "$work/out"
}
merges row.cu || die "$last: merges nothing"
shows 'No compiler was found: layouts'
for line in '#pragma unroll' '#pragma unroll 4' '#pragma unroll(ONE + 1)'; do
  sed "s/.*here/$line/" row.cu >unroll.cu
  merges unroll.cu || die "$last: $line: merges nothing"
done
for line in '#pragma unroll 1' '#pragma unroll (ONE)' '#pragma nounroll' '_Pragma("unroll 1")'; do
  sed "s/.*here/$line/" row.cu >unroll.cu
  ! merges unroll.cu || die "$last: $line: merges a loop that is not unrolled"
done
sed 's/__shared__/volatile __shared__/' row.cu >volatile.cu
! merges volatile.cu || die "$last: merges loads of what is volatile"
sed 's/.*here/volatile float *p = s[t];/; s/sum += s\[t\]/sum += p/' row.cu >volatile.cu
! merges volatile.cu || die "$last: merges loads through a pointer to what is volatile"
sed 's/j = 0; j < 32; j++/j = 31; j >= 0; j--/' row.cu >down.cu
merges down.cu || die "$last: does not merge what is read downwards"
shows ' 1536 wavefronts'
sed 's/j = 0; j < 32; j++/j = 30; j >= 0; j--/' row.cu >down.cu
merges down.cu || die "$last: does not merge what is read downwards"

# The first sentence is the first row of the table; what gains nothing with loads merged is not recommended.
cat >flat.cu <<'END'
// 128x128x8 SGEMM, 8x8 results per thread, 256 threads
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
__global__ void sgemm(int M, int N, int K, const float *A, const float *B, float *C) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const unsigned cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const int innerRowA = threadIdx.x / (BK / 4);
  const int innerColA = threadIdx.x % (BK / 4);
  const int innerRowB = threadIdx.x / (BN / 4);
  const int innerColB = threadIdx.x % (BN / 4);
  float res[TM * TN] = {0.0f};
  float regM[TM], regN[TN];
  for (int bk = 0; bk < K; bk += BK) {
    float4 tmp = reinterpret_cast<const float4 *>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
        reinterpret_cast<const float4 *>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) regM[i] = As[k * BM + threadRow * TM + i];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[k * BN + threadCol * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) res[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; m++)
    for (int n = 0; n < TN; n++) C[(threadRow * TM + m) * N + threadCol * TN + n] = res[m * TN + n];
}
END
SMEMBANK_NVCC=no expect 0 advise flat.cu --block 256 --grid 2,2 --arg M=256 --arg N=256 --arg K=16
shows 'Apply pad 4 after 128 in lines'
shows '  1  pad 4 after 128 '
shows 'Apply pad 4 after 32 in lines'
shows '  1  pad 4 after 32 '
shows 'Pad 4 after 64 is not recommended: 49 % fewer wavefronts in the text, as many with adjacent accesses'

# What was written into the text and compiled is not said to be untried, array by array. wgmma and tensor maps are a possibility only.
SMEMBANK_NVCC=no
need_nvcc
cat >wmma.cu <<'END'
#include <mma.h>
using namespace nvcuda;
__global__ void gemm(float *c, const half *a, const half *b) {
  __shared__ half as[16][16];
  __shared__ half bs[16][16];
  for (int i = threadIdx.x; i < 256; i += 32) {
    as[i / 16][i % 16] = a[i];
    bs[i / 16][i % 16] = b[i];
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, &as[0][0], 16);
  wmma::load_matrix_sync(fb, &bs[0][0], 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
END
expect 0 advise wmma.cu --block 32
tells 'Recommended: as: pad 8, bs: pad 8: 32 -> 24 wavefronts'
for array in as bs; do
  tells "Pad the rows to 24 elements (half ${array}[16][24]): 16 -> 12 wavefronts, +256 bytes of shared memory. As compiled, all shared accesses: 32 -> 28 wavefronts"
done
tells 'If a tensor map is to bring this layout, it has CU_TENSOR_MAP_SWIZZLE_32B, and if wgmma is to read it, its descriptor has the value 3 in bits 62-63 (32-byte swizzle); the array begins at a multiple of 256 bytes then.'
