#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise with the real nvcc: layouts are ranked by what they take as compiled. Times of both kernels at 4096^3 on an H200 are in
# doc/compiled.md; what is recommended there was faster. Skipped without nvcc. Each of these compiles ten forms or more: all but the
# first only with SMEMBANK_TEST_EFFORT=full.
set -eu

if [ "${NVCC:-no}" = no ]; then
  echo "no nvcc"
  exit 77
fi
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
quick_nvcc "$NVCC"
NVCC=$nvcc SMEMBANK_NVCC=$nvcc
export NVCC SMEMBANK_NVCC
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
cp "$srcdir"/tests/data/layouts/*.cu .

expect 0 advise sgemm.cu --block 256 --arg n=128 --out best.cu
shows 'Change line 12 to [BM + 4]: 12288 -> 8704 wavefronts, +128 bytes of shared memory. As compiled, all'
shows 'is not recommended: '
diff sgemm.cu best.cu >changes && die 'nothing was written'
[ "$(grep -c '^>' changes)" = 4 ] || die "wrote $(cat changes)"
grep -qF '[BM + 4]' changes || die "wrote $(cat changes)"
grep -qF 'bs[kk][column + column / 32 * 4 + j]' changes || die "wrote $(cat changes)"

# A swizzle of c alone gains too little. With those of a and b it costs nothing more: their indices are the same.
cat >trees.cu <<'END'
__global__ void trees(float *out, const float *in) {
  __shared__ float a[1024], b[1024], c[1024];
  int t = threadIdx.x, g = blockIdx.x * 3072;
  for (int i = t; i < 1024; i += 256) {
    a[i] = in[g + i];
    b[i] = in[g + 1024 + i];
    c[i] = in[g + 2048 + i];
  }
  for (int s = 1; s < 1024; s *= 2) {
    __syncthreads();
    for (int i = 2 * s * t; i < 1024; i += 2 * s * 256) {
      a[i] += a[i + s] * b[i];
      b[i] += b[i + s];
      if (s == 2)
        c[i] += c[i + s];
    }
  }
  if (t == 0)
    out[blockIdx.x] = a[0] + b[0] + c[0];
}
END
expect 0 advise trees.cu --block 256 --grid 4096 --device h200 --only swizzle --out best.cu
shows 'Swizzle<2,0,5> is not recommended: '
shows 'Together, a: Swizzle<5,0,5>, b: Swizzle<5,0,5>, c: Swizzle<2,0,5>, as CUDA C:'
grep -qF 'c[i ^ (i >> 5 & 3)]' best.cu || die "$last: wrote $(cat best.cu)"

# Forms are compiled by one call, and say what each says alone: macros of the command line, a file that is included, linkage of C, a
# main(). Of the second text a copy is other code, since a max() of its own hides that of the headers; several copies of the third one
# do not fit into constant memory.
cat >alone <<'END'
#!/bin/sh
for word; do :; done
grep -q smembank_form_ "$word" && { echo "$word(1): error: together"; exit 1; }
exec "$NVCC" "$@"
END
cat >calls <<END
#!/bin/sh
echo >>"$work/called"
exec "$NVCC" "\$@"
END
chmod +x alone calls
cat >step.cuh <<'END'
#pragma once
__device__ inline int step(int i) { return i * 32; }
END
cat >first.cu <<'END'
#include "step.cuh"
#ifndef N
#define N 16
#endif
#define SIZE (N * N)
__device__ float larger(float a, float b, float c) { return max(max(a, b), c); }
extern "C" __global__ void turn(float *out, const float *in) {
  __shared__ float s[N][N];
  int x = threadIdx.x % N, y = threadIdx.x / N;
  s[y][x] = in[blockIdx.x * SIZE + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * SIZE + threadIdx.x] = larger(s[x][y], s[y][x], float(step(x)));
}
#undef SIZE
int main() {
  turn<<<4096, N * N>>>(nullptr, nullptr);
}
END
sed 's/float larger(.*/int max(short a, short b) { return a > b ? a : b; }/; s/larger(.*/s[x][y] + max(x, step(y));/' first.cu >second.cu
sed '6i __constant__ float table[4096];' first.cu >third.cu
sed 's/float(step(x))/table[x]/' third.cu >table.cu && mv table.cu third.cu
for text in first second third; do
  for how in calls alone; do
    : >called
    SMEMBANK_NVCC=$work/$how
    expect 0 advise $text.cu -D N=32 --block 1024 --grid 4096 --device h200 --out $text.$how --format json
    cp out $text.$how.json
    [ "$text.$how" != first.calls ] || [ "$(wc -l <called)" = 2 ] || die "called nvcc $(wc -l <called) times"
  done
  if ! cmp $text.calls $text.alone || ! cmp $text.calls.json $text.alone.json; then
    die "$text: together is not as alone"
  fi
  [ "${SMEMBANK_TEST_EFFORT-}" = full ] || exit 0
done
SMEMBANK_NVCC=$NVCC

expect 0 advise flat.cu --block 256 --arg n=512 --out best.cu
shows "too small a gain: nvcc's scheduling of the rest may cost as much."
shows 'as[kk * (BM + 4) + row + i]'
shows 'It is valid only while ay < 128 and row + i < 128, as in this launch.'
grep -qF 'bs[kk * (BN + 16) + column + column / 32 * 4 + j]' best.cu || die "$last: wrote $(cat best.cu)"
expect 0 advise product.cu --block 16,16 --arg n=128 --out best.cu
grep -q 'bs\[TILE\]\[TILE + [24]\]' best.cu || die "$last: wrote $(cat best.cu)"
sed 's/n) {/n) {\n  __shared__ float4 f[8];\n  f[0] = make_float4(n, n, n, n);/; s/return s/return *\&s/' beyond.cu >address.cu
expect 0 advise address.cu --instance 'beyond<32>' --block 32,32 --arg 2=3 --out best.cu
shows 'Recommended: s: pad 1: '
tells 'with numbers in its buffers the kernel leaves the same 8192 bytes in global memory.'
grep -qF 's[T][T + 1]' best.cu || die "$last: wrote $(cat best.cu)"
expect 0 advise space.cu --instance 'lib::turn<32>' --block 32 --only pad
shows 'Change line 3 to [T + 4]: 1056 -> 160 wavefronts'
shows 'As compiled (nvcc'
sed 's/j = 0; j < 32; j++/j = 31; j >= 0; j--/' row.cu >down.cu
expect 0 advise down.cu --block 64 --only pad
shows 'Change line 3 to [64 + 4]'
