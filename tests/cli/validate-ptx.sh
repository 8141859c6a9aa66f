#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate of PTX on a made-up device (tests/fake-cuda.c): the driver assembles it, and the same arguments and buffers are
# given to it as to the prediction.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
# shellcheck disable=SC2034
SMEMBANK=${SMEMBANK_ON_FAKE:?the program on a made-up GPU}
ptx=${srcdir:?}/tests/ptx

# on FAULT: the made-up GPU has this fault from now on.
on() {
  SMEMBANK_FAKE=$1
  export SMEMBANK_FAKE
}

# row METRIC,PREDICTED,MEASURED,MATCH: the last run's CSV has this row.
row() {
  grep -q ",$1," "$work/out" || die "$last: no row $1: $(cat "$work/out")"
}

on ''
# Told by its contents, whatever its name; a mangled template; contents that are not given are zeros, which is said.
cp "$ptx/transpose.ptx" "$work/kernel.txt"
expect 0 validate "$work/kernel.txt" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --format csv
says 'buffers without --buffer hold zeros on the GPU; no predicted shared-memory request depends on'
row 'wavefronts_ld,4096,4096,yes'
row 'instructions_ld,128,128,yes'
row 'sectors_st,512,512,yes'
! grep -q ',values,' "$work/out" || die 'values that nobody knows are compared'
# With contents, what the kernel leaves in memory is compared as well.
expect 0 validate "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --buffer 0=zeros \
  --buffer 1=iota:f32 --format csv
quiet
row 'values,4096,4096,yes'
expect 0 validate "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64
shows '4096/4096  128/128  yes'
# Loads of matrices are counted by a counter of their own.
expect 0 validate "$ptx/tensor.ptx" --entry 'half_product<false>' --block 32 --grid 2 --arg 3=64 --format csv
row 'wavefronts_ld,384,384,yes'
on no-sass
expect 0 validate "$ptx/tensor.ptx" --entry 'half_product<false>' --block 32 --grid 2 --arg 3=64 --format csv
row 'wavefronts_ld,384,384,yes'
on ''
expect 0 validate "$ptx/histogram.ptx" --block 256 --grid 2 --arg 2=1024 --buffer 1=random:i32:1 --format csv
row 'wavefronts_atom,100,100,yes'

# Blocks that wait for each other are launched so that they can: a barrier of the grid, of one block as well, and one made by
# hand. What others leave is not compared.
resident=${srcdir:?}/tests/data/resident
for grid in 1 4; do
  expect 0 validate "$resident/grid.ptx" --entry total --block 128 --grid "$grid" --arg 3=4096 --format csv
  row "wavefronts_st,$((35 + 16 * grid)),$((35 + 16 * grid)),yes"
done
expect 0 validate "$resident/grid.sm_90.cubin" --entry jacobi --block 64 --grid 6 --arg 2=5 --format csv
row 'wavefronts_ld,180,180,yes'
expect 0 validate "$resident/grid.ptx" --entry handmade --block 64 --grid 5 --format csv
row 'wavefronts_st,80,80,yes'
expect 0 validate "$resident/grid.ptx" --entry ahead --block 128 --grid 8 --buffer 1=zeros --format csv
row 'wavefronts_ld,592,592,yes'
! grep -q ',values,' "$work/out" || die 'values that depend on the order of blocks are compared'

# A race is told: a device may leave other values.
cat >"$work/race.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry race() {
  .reg .b32 %r<2>;
  .shared .align 4 .b8 s[4];
  mov.u32 %r1, %tid.x;
  st.shared.u32 [s], %r1;
  ret;
}
END
expect 0 validate "$work/race.ptx" --block 64 --format csv
says "race.ptx:8:3: warning: race on 's' (byte 0 of shared memory): this store by warp 1 and the store at line 8 by warp 0"

# Structures are passed as bytes, reals and numbers of all sizes as they are; a pointer that has a value is one.
cat >"$work/own.ptx" <<'END'
// A kernel with parameters of all kinds; the name of another one begins like its own.
.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z1kIiEvi(.param .u32 a) { ret; }
.visible .entry _Z1kIiEvPi(.param .u64 out, .param .align 4 .b8 pair[8], .param .f32 real, .param .u16 small,
                           .param .u64 number, .param .u64 in) {
  .reg .b32 %r<9>;
  .reg .b16 %h1;
  .reg .f32 %f<3>;
  .reg .b64 %d<9>;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %d1, [out];
  ld.param.u64 %d2, [number];
  ld.param.u32 %r1, [pair+4];
  ld.param.f32 %f1, [real];
  ld.param.u16 %h1, [small];
  mov.u32 %r2, %tid.x;
  cvt.u32.u16 %r3, %h1;
  mul.lo.u32 %r3, %r3, %r2;
  shl.b32 %r3, %r3, 2;
  mov.u32 %r4, tile;
  add.u32 %r4, %r4, %r3;
  cvt.rn.f32.u32 %f2, %r2;
  mul.f32 %f2, %f2, %f1;
  st.shared.f32 [%r4], %f2;
  mul.wide.u32 %d3, %r2, 4;
  add.u64 %d3, %d3, %d1;
  cvt.u32.u64 %r5, %d2;
  add.u32 %r5, %r5, %r1;
  st.global.u32 [%d3], %r5;
  ld.param.u64 %d4, [in];
  ld.global.u32 %r6, [%d4];
  mul.wide.u32 %d5, %r6, 4;
  add.u64 %d5, %d5, %d4;
  ld.global.u32 %r7, [%d5+4];
  ret;
}
END
arguments='--block 32 --arg 1=raw:0700000009000000 --arg 2=0.5 --arg 3=2 --arg 4=30'
# shellcheck disable=SC2086
expect 0 validate "$work/own.ptx" --entry _Z1kIiEvPi $arguments --record "$work/own.json" --format csv
row 'wavefronts_st,2,2,yes'
row 'values,128,128,yes'
# Loads at addresses that are not known are not predicted, so they are not compared.
row 'sectors_ld,,2,'
grep -q '^_Z1kIiEvPi,' "$work/out" || die "not the name that chooses it: $(cat "$work/out")"
# The recording is replayed from the file, without a device.
expect 0 validate --recorded "$work/own.json"
shows '0 differ'
on wrong-values
# shellcheck disable=SC2086
expect 1 validate "$work/own.ptx" --entry _Z1kIiEvPi $arguments
tells 'byte 0 of parameter 0 is 103, the model says 39'

# What depends on contents is a lower bound, if it is asked for, also when it is replayed.
on ''
expect 3 validate "$ptx/histogram.ptx" --block 256 --arg 2=1024
says "the address depends on the contents of 'in'"
expect 0 validate "$ptx/histogram.ptx" --block 256 --arg 2=1024 --unknown skip --record "$work/part.json"
tells 'A lower bound is predicted where requests that depend on unknown data are not counted'
shows '2 explained, 0 differ'
expect 0 validate --recorded "$work/part.json"
shows '2 explained, 0 differ'
sed 's/"unknown": "skip"/"unknown": "leave"/' "$work/part.json" >"$work/wrong.json"
expect 3 validate "$work/wrong.json"
says 'kernels[0].unknown: "leave": expected "skip"'
sed 's/"unknown": "skip", //' "$work/part.json" >"$work/none.json"
expect 3 validate "$work/none.json"

# A range: what is measured lies in it, or it does not.
cat >"$work/range.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .b32 %r<9>;
  .reg .pred %p<9>;
  .shared .align 4 .b8 tile[512];
  mov.u32 %r0, %tid.x;
  shl.b32 %r3, %r0, 2;
  setp.lt.u32 %p1, %r0, 16;
  @%p1 bra A;
  setp.lt.u32 %p2, %r0, 24;
  @%p2 bra B;
  bra C;
A:
  setp.lt.u32 %p3, %r0, 8;
  @%p3 bra B;
C:
  st.shared.u32 [%r3], 1;
B:
  ret;
}
END
expect 0 validate "$work/range.ptx" --block 32 --format json --record "$work/range.json"
is_json
shows '"predicted_min" : 1'
shows '"predicted_max" : 2'
on more-wavefronts
expect 0 validate "$work/range.ptx" --block 32
shows '1 to 2         2'
tells 'A range is predicted where the assembler decides where diverged lanes reconverge'
sed 's/"wavefronts_st": 1/"wavefronts_st": 3/' "$work/range.json" >"$work/beyond.json"
expect 1 validate "$work/beyond.json"
shows ' 1 differ'
expect 1 validate "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64
shows 'wavefronts_ld'

# What the driver and the device refuse is told in the row, with the line of the file.
on compile-error
expect 1 validate "$work/range.ptx" --block 32
tells 'the driver rejects it:'
tells 'range.ptx:3: error: this is the fault of the made-up GPU'
on launch-refused
# shellcheck disable=SC2086
expect 1 validate "$work/own.ptx" --entry _Z1kIiEvPi $arguments
tells 'it reaches global memory at addresses that depend on unknown data: --buffer gives contents'
expect 1 validate "$work/range.ptx" --block 32
tells 'could not launch the kernel: invalid configuration argument'
on no-permission
expect 0 validate "$work/range.ptx" --block 32
shows 'clock64 under saturation'

# advise measures the kernel as it is; of buffers without contents no value is compared.
on ''
expect 0 advise --measure "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64
shows 'as it is  4096/4096  128/128  -'
expect 0 advise --measure "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --format json
is_json
shows '"values_equal" : null'
on more-wavefronts
expect 0 advise --measure "$work/range.ptx" --block 32
expect 1 advise --measure "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64

# Wrong usage, and no device.
on ''
expect 2 validate "$work/range.ptx" --block 32 -D N=1
says 'which has no macros'
expect 2 validate "$work/range.ptx" --block 32 --entry other
says "no kernel 'other'"
expect 2 validate "$work/range.ptx" --block 32 --record "$work/range.ptx"
"$SMEMBANK" validate - --block 32 <"$work/range.ptx" >"$work/out" 2>"$work/err" && die 'a kernel from standard input'
expect 2 validate "$work/range.ptx" --block 32 --recorded
status=0
"$SMEMBANK" validate - <"$work/range.ptx" >"$work/out" 2>"$work/err" || status=$?
last='smembank validate -'
[ "$status" -eq 2 ] || die "$last: status $status"
says 'stdin: a kernel that is measured must be in a file'
on no-device
expect 4 validate "$work/range.ptx" --block 32
says 'no usable GPU'
