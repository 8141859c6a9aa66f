#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Of AMD's chips every command speaks in AMD's words: what NVIDIA calls a wavefront is a cycle there, and a wavefront is a wave.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

ptx=$(cd "$srcdir" && pwd)/tests/data/ptx/transpose.ptx sass=$(cd "$srcdir" && pwd)/tests/data/sass
cat >"$work/column.cu" <<'END'
__global__ void column(float *out) {
  __shared__ float tile[128][32];
  tile[threadIdx.x][0] = threadIdx.x;
  out[threadIdx.x] = tile[threadIdx.x ^ 64][1];
}
END
cat >"$work/smembank.ini" <<'END'
[column]
file = column.cu
block = 64
arch = gfx942
max-ways = 2
max-excess = 0
max-wavefronts = 1
END
cd "$work"

# foreign ARGUMENT...: what the program writes, messages as well, has no word of NVIDIA's that AMD has another for. Its options
# and its own name may.
foreign() {
  status=0
  "$SMEMBANK" "$@" >"$work/out" 2>&1 || status=$?
  last="smembank $*"
  [ "$status" -le 1 ] || die "$last: status $status: $(cat "$work/out")"
  [ -s "$work/out" ] || die "$last: wrote nothing"
  found=$(sed 's/--[a-z-]*//g' "$work/out" |
    grep -iwE 'warps?|wavefronts?|lane groups?|shared memory|shared access(es)?|blocks?|multiprocessors?' || :)
  [ -z "$found" ] || die "$last says: $found"
}

column='column.cu --block 64 --arch gfx942'
for command in analyze explain advise 'trace --from' 'analyze --warps' 'analyze --format markdown' 'analyze --format github' \
  'analyze --max-ways 2 --max-excess 10% --max-wavefronts 3'; do
  # shellcheck disable=SC2086
# shellcheck disable=SC2086 # words
  foreign $command $column
done
foreign analyze --rows 32 --cols 32 --arch gfx950
foreign explain --rows 32 --cols 32 --arch gfx1100 --passes
foreign advise --rows 32 --cols 32 --arch gfx950
foreign analyze column.cu --block 128 --arch gfx942 # a race
foreign list archs gfx942
foreign list archs gfx1100
for format in text markdown github; do
  foreign check --format "$format"
done
# shellcheck disable=SC2086 # words
foreign advise $column --all
foreign analyze column.cu --arch gfx942 # a workgroup of one wave is assumed
# shellcheck disable=SC2086 # words
foreign analyze $column --format callgrind
shows 'events: Cycles Ideal Excess Requests Lines'
# What is read aloud of a page, too; classes and data of its elements are nobody's words.
# shellcheck disable=SC2086 # words
foreign report page.html $column
sed 's/ \(class\|id\|for\|data-[a-z]*\)="[^"]*"//g; /<style/,/<\/style>/d; /<script/,/<\/script>/d' page.html >"$work/out"
last='report'
shows 'aria-label="bank map of wave 0;'
! grep -iwE 'warps?|wavefronts?|lane groups?|shared memory|shared access(es)?|blocks?|multiprocessors?|nvprof' "$work/out" ||
  die 'the page has words of NVIDIA'

# Errors, too. unlike STATUS ARGUMENT...: the command fails, in AMD's words.
unlike() {
  expect "$@"
  ! sed 's/--[a-z-]*//g' "$work/err" | grep -iwE 'warps?|wavefronts?|shared memory|blocks?' || die "$last: words of NVIDIA"
}
# shellcheck disable=SC2086 # words
unlike 3 analyze $column --dynamic-bytes 100000
echo '__global__ void k(float *o) { __shared__ float s[64]; if (threadIdx.x) __syncthreads(); o[0] = s[70]; }' >bad.hip
unlike 3 analyze bad.hip --block 64 --arch gfx942
sed -i 's/if (threadIdx.x) //' bad.hip
unlike 3 analyze bad.hip --block 64 --arch gfx942
echo "ld 4 1 $(seq -s ' ' 0 4 252) = many" >bad.trace
unlike 3 trace bad.trace --arch gfx942
# Compiled code is for chips of the other vendor.
expect 2 analyze "$ptx" --arch gfx942
says 'is compiled for chips of NVIDIA, which gfx942 is not: expected HIP or CUDA C'
expect 3 analyze "$SMEMBANK" --arch mi300x
says 'an object file without GPU code'
for file in bundle.object bundle.lz4.fatbin bundle.zstd.fatbin transpose.sm_90.cubin; do
  expect 2 analyze "$sass/$file" --block 64 --arch mi300x
  says "$file is compiled for chips of NVIDIA, which gfx942 is not"
done
expect 0 analyze column.cu --block 64 --arch GFX950
expect 2 validate "$srcdir/data/measured/mi250-lds.csv" --arch gfx1201
says 'names its architecture'
# HIP is counted for its own default by every command, unless something says another architecture.
cp column.cu column.hip
{ echo '#include <hip/hip_runtime.h>'; cat column.cu; } >included.cu
{ echo '#include <cuda_runtime.h>'; cat included.cu; } >portable.cu
printf '[c]\nfile = column.hip\nblock = 32\n[other]\nfile = column.hip\nblock = 32\narch = sm_80\n' >hip.ini
for words in 'analyze column.hip --block 32' 'analyze included.cu --block 32' 'explain column.hip --block 32' 'advise column.hip --block 32' \
  'trace --from column.hip --block 32' 'analyze --project hip.ini --case c'; do
  # shellcheck disable=SC2086 # words
  expect 0 $words
  shows gfx942
done
for words in 'column.hip --arch sm_90' 'portable.cu' 'column.cu'; do
  # shellcheck disable=SC2086 # words
  expect 0 analyze $words --block 32 --text
  shows 'block 32, grid 1'
done
expect 0 analyze --project hip.ini --case other
shows sm_80
# Clang's macros say which chip it is; HIP_KERNEL_NAME takes several arguments; a line in the text has options.
cat >chip.hip <<'END'
// smembank: --arch gfx950 --block 64,4
#if defined(__gfx950__) && defined(__GFX9__) && !defined(__gfx942__)
template <int W, int H> __global__ void chip(int *o) { __shared__ int s[H][W]; s[threadIdx.y][threadIdx.x] = 1; }
void launch(int *p) { hipLaunchKernelGGL(HIP_KERNEL_NAME(chip<64, 4>), dim3(1), dim3(64, 4), 0, 0, p); }
#endif
END
expect 0 analyze chip.hip --instance 'chip<64, 4>'
shows 'workgroup 64x4, grid 1, 1024 bytes of LDS, gfx950'
expect 3 analyze chip.hip --instance 'chip<64, 4>' --arch gfx942
# Attributes of a kernel stand on both sides of its type.
for attribute in '__cluster_dims__(2,1,1)' '__launch_bounds__(64)'; do
  for words in "$attribute void" "void $attribute"; do
    echo "__global__ $words k(int *o) { __shared__ int s[64]; s[threadIdx.x] = 1; }" >attribute.cu
    expect 0 analyze attribute.cu --block 64
  done
done
# A step of the course is tried on its own chip.
printf 'advise\nquit\n' | "$SMEMBANK" learn 14 >"$work/out"
shows 'workgroup 32x32, grid 1, 4096 bytes of LDS, gfx942'
unlike 2 analyze column.hip --block 32 --arch gfx942 --grid 3 --max-blocks 1
unlike 2 analyze column.hip --block 32 --arch gfx942 --dynamic-bytes 99999999999
# Atomics that Clang makes one instruction of are one; what they take is a lower bound, and not exact.
for kind in int float 'unsigned long long' double; do
  echo "__global__ void k($kind *o) { __shared__ $kind s[64]; s[threadIdx.x] = 0; __syncthreads();
    atomicAdd(&s[threadIdx.x], ($kind)1); __syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }" >atomic.hip
  expect 0 analyze atomic.hip --block 64 --arch gfx942
  tells 'Counts of atomics are lower bounds: lanes on one word'
  expect 0 analyze atomic.hip --block 64 --arch gfx942 --format csv
  grep -q '^shared,2,.*,atomic,.*,no,' "$work/out" || die "$last: an exact count: $(cat "$work/out")"
done
expect 3 analyze atomic.hip --block 64 --arch gfx1100
says 'gfx1100 has no rule for this atomic on LDS'
# Lanes beyond the 32nd are lanes.
echo "ld 2 0x8000000000000001 $(seq -s ' ' 0 4 252)" >two.trace
expect 3 trace two.trace --arch gfx1100
says 'expected a bit for each of 32 lanes (--wave 64)'
expect 0 trace two.trace --arch gfx942 --requests --format csv
shows '1,ld,2,2,2,2,0,1,'

expect 1 check --format json --output now.json
sed 's/tile\[threadIdx.x\]\[0\]/tile[0][threadIdx.x]/' column.cu >row.cu
mv row.cu column.cu
expect 1 check --format json --output before.json
for format in text markdown github; do
  foreign compare before.json now.json --format "$format"
  shows 'counted by rules that are assumed, not measured: st 4'
done
sed 's/tile\[0\]\[threadIdx.x\]/tile[threadIdx.x][0]/' column.cu >row.cu
mv row.cu column.cu
foreign check --baseline before.json

# Chips of both vendors in one table.
cat >>smembank.ini <<'END'
[other]
file = column.cu
block = 64
arch = sm_90
max-excess = 0
END
status=0
"$SMEMBANK" check >"$work/out" 2>"$work/err" || status=$?
last='check of two vendors'
[ "$status" -eq 1 ] || die "$last: status $status: $(cat "$work/err")"
shows 'wavefronts or cycles'
