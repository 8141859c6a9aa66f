#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise of tiles, which tensor maps and descriptors find. tiles.capture is what 'smembank run -o tiles.capture -- ./tile-modes pool 264' leaves of
# tests/run/kernel/tile-modes.cu (nvcc 13.0, for sm_90a, -lineinfo). With an nvcc, what is said of each kernel of that file is done by hand.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
source=$srcdir/tests/run/kernel/tile-modes.cu
cp "$srcdir/tests/data/capture/tiles.capture" "$work"
cd "$work"

# --- one array, of which tiles are a part each: those that have no conflicts are told so, A is not asked for by threads
expect 0 advise tiles.capture --launch 1 --no-time
golden advise-tiles.txt
expect 0 advise tiles.capture --launch 1 --format json --top 1
sed -E 's/"(cycles|microseconds|speedup|busy|share|waves|instructions)" : [0-9.e-]+/"\1" : 1/' out >masked
mv masked out
is_json
golden advise-tiles.json
expect 0 advise tiles.capture --launch 1 --format csv
shows 'tiles+8192,1,swizzle,128-byte swizzle,'
expect 0 advise tiles.capture --launch 1 --quiet
shows 'tiles+8192: 128-byte swizzle, by hand: 135168 -> 16896 wavefronts. Predicted on'
expect 0 advise tiles.capture --launch 1
tells 'Together, tiles+8192: 128-byte swizzle, tiles+16384: 128-byte swizzle. Predicted on'

# Only padding: that of a descriptor; none of a tensor map.
expect 0 advise tiles.capture --launch 1 --only pad
shows 'leading byte offset 1040'
tells 'Searched 1 layout. None takes fewer than the present 135168 wavefronts. 118272 remain in excess: none of those searched removes all conflicts. It is a box'
expect 0 advise tiles.capture --launch 1 --array tiles+16384
[ "$(grep -c '^char ' out)" = 1 ] || die "one tile: $(cat out)"
expect 0 advise tiles.capture --launch 1 --array tiles
[ "$(grep -c '^char ' out)" -gt 1 ] || die "all tiles of an array: $(cat out)"

run_libraries
need_nvcc

# --- nothing of it is written
sed "s,../check.h,$srcdir/tests/run/check.h," "$source" >tiles.cu
expect 0 advise tiles.cu --arch sm_90a --out other.cu
says 'other.cu was not written: what is recommended changes tensor maps or descriptors together with the indices of threads, and is to be written by hand'
[ ! -e other.cu ] || die "a text was written"
shows '128-byte swizzle'

# Rows of an array that an operand is in are not made longer in the text either.
cat >rows.cu <<'KERNEL'
#include <cuda_fp16.h>
__global__ void __launch_bounds__(128) rows(const __half *in, float *out) {
  __shared__ __align__(1024) __half tile[64][64];
  float d[4] = {};
  for (unsigned i = threadIdx.x; i < 4096; i += 128)
    tile[i % 64][i / 64] = in[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned long long matrix = (unsigned)__cvta_generic_to_shared(&tile[0][0]) >> 4 | 8ull << 16 | 16ull << 32;
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %4, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(matrix) : "memory");
  out[blockIdx.x * 128 + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
int main() {
  __half *in;
  float *out;
  cudaMallocManaged(&in, 8192);
  cudaMallocManaged(&out, 1024);
  rows<<<2, 128>>>(in, out);
  return cudaDeviceSynchronize();
}
KERNEL
expect 0 advise rows.cu --arch sm_90a --format json
shows '"tried" : []'

# --- each mode done by hand: right, and the wavefronts of each line are those that were predicted
command -v python3 >/dev/null || exit 0
by_hand() {
  python3 "$srcdir/tests/cli/advise-tiles.py" "$SMEMBANK" "$nvcc" "$source" "$@" >out || die "by hand: $*: $(cat out)"
}
by_hand pool
[ "$(grep -c 'as predicted$' out)" = 5 ] || die "modes of pool: $(cat out)"
one_in 4 && by_hand box BOX_ROW=64
one_in 4 && by_hand box BOX_ROW=32
one_in 4 && by_hand box BOX_ROW=256
one_in 4 && by_hand box
one_in 4 && by_hand turned
one_in 4 && by_hand operand
one_in 4 && by_hand again
exit 0
