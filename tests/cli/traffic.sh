#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What takes slots of the pipe of shared memory and makes no request: shuffles, operands of wgmma; in every format.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Five shuffles of a warp; of 8 bytes each is two.
cat >"$work/k.cu" <<'END'
__global__ void k(float *out, double *sums) {
  float v = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_down_sync(0xffffffff, v, offset);
  out[threadIdx.x] = v;
  sums[threadIdx.x] = __shfl_xor_sync(0xffffffff, (double)v, 1);
}
END
expect 0 analyze "$work/k.cu" --block 64 --format csv
shows 'other,4,10,shuffle,load,4,"__shfl_down_sync(0xffffffff, v, offset)",,10,10,10,0,,,,,,yes,'
shows 'other,6,23,shuffle,load,8,"__shfl_xor_sync(0xffffffff, (double)v, 1)",,4,4,4,0,,,,,,yes,'
expect 0 analyze "$work/k.cu" --block 64
shows 'other shared traffic'
expect 0 report "$work/page.html" "$work/k.cu" --block 64
grep -q '<td>shuffle</td>' "$work/page.html" || die 'no shuffles in the page'

# On AMD's chips a shuffle is ds_bpermute_b32, of whose cycles nothing is known; readlane and readfirstlane are not LDS traffic.
cat >"$work/k.hip" <<'END'
#include <hip/hip_runtime.h>
__global__ void k(int *out, double *sums) {
  int wave = __builtin_amdgcn_readfirstlane(threadIdx.x / warpSize);
  int fifth = __builtin_amdgcn_readlane(threadIdx.x, 5);
  out[threadIdx.x] = wave + fifth + __builtin_amdgcn_ds_bpermute((threadIdx.x ^ 1) * 4, threadIdx.x);
  sums[threadIdx.x] = __shfl_xor((double)threadIdx.x, 1);
}
END
expect 0 analyze "$work/k.hip" --block 128 --arch gfx942 --format csv
! grep -q '^other,[34],' "$work/out" || die "$last: readlane is LDS traffic: $(cat "$work/out")"
grep -q '^other,5,.*,shuffle,load,.*,2,,,,,' "$work/out" || die "$last: no ds_bpermute without cycles: $(cat "$work/out")"
shows 'other,6,23,shuffle,load,8,"__shfl_xor((double)threadIdx.x, 1)",,4,,,,,,,,,yes,'
expect 0 analyze "$work/k.hip" --block 128 --arch gfx942 --format json
is_json
[ "$(grep -c '"wavefronts" : null' "$work/out")" -eq 2 ] || die "$last: cycles of a shuffle"
for command in analyze "report $work/hip.html"; do
  # shellcheck disable=SC2086 # a command and a file
  expect 0 $command "$work/k.hip" --block 128 --arch gfx1100
  tells 'A shuffle is compiled to ds_bpermute_b32'
  tells 'Its cycles are not counted'
done
grep -q 'ds_bpermute_b32' "$work/hip.html" || die 'the page does not say what a shuffle is'

# PTX: one that is skipped with a branch may be executed or not.
cat >"$work/k.ptx" <<'END'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in)
{
  .shared .align 128 .b8 tile[16384];
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, 0xffffffff;
  ld.param.u64 %rd1, [in];
  ld.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra END;
  shfl.sync.bfly.b32 %r4, %r1, 2, 31, 0xffffffff;
END:
  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd2, %rd3, 1, 1, 1, 0, 0;
  ret;
}
END
expect 0 analyze "$work/k.ptx" --block 128 --format csv
shows 'shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, 0xffffffff",,4,4,4,0,,,,,,yes,'
grep 'bfly.b32 %r4' "$work/out" | grep -q ',no,' || die 'a shuffle that may be skipped is certain'
shows 'other,19,3,matrix,load,'
# A warpgroup reads 64x16 and 16x8 numbers of 2 bytes: 18 wavefronts.
expect 0 analyze "$work/k.ptx" --block 128
tells 'swizzling them does not matter for it'
expect 0 analyze "$work/k.ptx" --block 128 --format json
is_json
shows '"wavefronts" : 18'
expect 0 analyze "$work/k.ptx" --block 128 --buffer 0=zeros --format csv
! grep -q 'bfly.b32 %r4' "$work/out" || die 'a shuffle that is jumped over is listed'
