#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate on a device: a made-up one (tests/fake-cuda.c), sound and with each fault that a kernel can meet.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
# shellcheck disable=SC2034
SMEMBANK=${SMEMBANK_ON_FAKE:?the program on a made-up GPU}

# on FAULT: the made-up GPU has this fault from now on.
on() {
  SMEMBANK_FAKE=$1
  export SMEMBANK_FAKE
}

# Every built-in kernel in every shape, those with padding with 0, 1 and 2 elements of it.
on ''
expect 0 validate --record "$work/r.json"
quiet
shows 'this GPU, Made-up GPU'
shows '1024/32 RTX 3080'
! grep -q 'Quadro' "$work/out" || die 'counts of other devices beside what is measured now'
[ "$(grep -c '^transposeSmemPad .*IPAD=[012] .* yes ' "$work/out")" -eq 9 ] || die 'not 3 shapes in 3 pads'
grep -q '^[0-9]* compared: [0-9]* match, 0 differ\.$' "$work/out" || die 'something differs'
kernels=$(grep -c '"kernel"' "$work/r.json")
"$SMEMBANK" list kernels --format csv | sed '1d; s/,.*//' >"$work/catalog"
launches=0
while read -r name; do
  ! grep -q '^#ifndef IPAD' "$srcdir/data/kernels/$name.cu" || launches=$((launches + 2))
  launches=$((launches + 1))
done <"$work/catalog"
{ [ "$launches" -gt 0 ] && [ "$kernels" -eq "$launches" ]; } || die "$kernels kernels recorded, not $launches"

[ "$(grep -c '"time_cold": {"median_us": 4.5,' "$work/r.json")" -eq "$launches" ] || die 'no times with cold caches'

# What was recorded is replayed without a device, number for number.
tail -n 1 "$work/out" >"$work/summary"
expect 0 validate --recorded "$work/r.json"
[ "$(tail -n 1 "$work/out" | cut -d ' ' -f 1-4)" != '' ] || die 'no summary'
shows ' differ.'
shows 'Made-up GPU'

# One kernel, a tile, a file of the user's with a main program of its own, a macro that the file sets too.
expect 0 validate --kernel setRowReadCol --format json
is_json
shows '"device" : "Made-up GPU"'
shows '"metric" : "instructions_ld"'
expect 0 validate --rows 16 --cols 32 --pad 1
shows '32/32   16/16  yes'
# Effective bandwidth: 64 x 64 int are loaded and stored, at 3 and 4.5 us.
expect 0 validate --kernel transposeSmem --shape 32x16 --format json
is_json
shows '"metric" : "time_cold_us"'
shows '"bytes" : 32768'
shows '"gb_per_s" : 10.92266'
shows '"gb_per_s" : 7.28177'
expect 0 validate --rows 4 --cols 32
shows 'GB/s: effective bandwidth'
cat >"$work/own.cu" <<'END'
#include <cstdio>
#define N 1
__global__ void own(float *out, const float *in, int scale) {
  __shared__ float t[32 * N];
  t[threadIdx.x * N] = in[threadIdx.x] * scale;
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x * N];
}
__global__ void other(int *out) { asm("not for us"); }
int main() { printf("%d\n", 1); return 0; }
END
expect 0 validate "$work/own.cu" --entry own -D N=2 --arg scale=3 --format csv
grep -q '^own,,N=2,.*,wavefronts_ld,2,2,' "$work/out" || die "not 2 wavefronts: $(cat "$work/out")"
grep -q ',values,32,32,' "$work/out" || die 'no values'
expect 2 validate "$work/own.cu" --entry own
says "parameter 'scale' (int) of 'own' needs a value"
# What a kernel includes goes with it, wherever that stands.
printf '#pragma once\n#define WIDTH 32\n__device__ float twice(float x) { return 2 * x; }\n' >"$work/parts.h"
printf '  t[threadIdx.x * 2] = twice(in[threadIdx.x]);\n' >"$work/body.h"
cat >"$work/parts.cu" <<'END'
#include "parts.h"
__global__ void parts(float *out, const float *in) {
  __shared__ float t[2 * WIDTH];
#include "body.h"
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x * 2];
}
#include "parts.h"
END
expect 0 validate "$work/parts.cu" --block 32 --format csv
grep -q '^parts,.*,wavefronts_st,2,2,' "$work/out" || die "not 2 wavefronts: $(cat "$work/out")"
grep -q ',values,32,32,' "$work/out" || die 'no values'
# Comments and names of files may be in any encoding; a comment may begin behind an #include; scalars of all sizes.
odd=$(printf '%s/caf\351.cu' "$work")
cat >"$odd" <<'END'
#include <cstdio> /* for the program that
 is not here */
#include <cmath> // */ and /* this one
__global__ void odd(double *out, unsigned long long n, char c, double scale, short s, bool b) {
  __shared__ double t[32];
  t[threadIdx.x] = out[threadIdx.x] * scale + n + c + s;
  __syncthreads();
  out[threadIdx.x] = b ? t[threadIdx.x] : 0;
}
END
printf '// caf\351\n' >>"$odd"
expect 0 validate "$odd" --block 32 --arg n=7 --arg c=-3 --arg scale=0.5 --arg s=-300 --arg b=1 --format csv
quiet
grep -q ',values,32,32,yes,' "$work/out" || die "no values: $(cat "$work/out")"
# An atomic that is a loop: hardware counts its loads as loads.
cat >"$work/loop.cu" <<'END'
__global__ void loop(float *out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  out[threadIdx.x] = sum;
}
END
expect 0 validate "$work/loop.cu" --format csv
grep -q ',wavefronts_ld,33,33,' "$work/out" || die "not 33 load wavefronts: $(cat "$work/out")"
grep -q ',wavefronts_atom,64,64,' "$work/out" || die "not 64 atomic wavefronts: $(cat "$work/out")"

# Where counters are refused, the clock takes their place, and the output says so.
on no-permission
expect 0 validate --rows 16 --cols 32 --pad 1
shows 'clock64 under saturation, because this user'
shows 'loads and stores: cycles of the launch, predicted/measured'
shows '32/32   16/16  yes'
# Of a maximum that is a loop the first load is the atomic's, here as in the prediction.
cat >"$work/max.cu" <<'END'
__global__ void max64(unsigned long long *out) {
  __shared__ unsigned long long most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  atomicMax(&most, out[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = most;
}
END
expect 0 validate "$work/max.cu" --block 64 --format csv
grep -q ',cycles_atom,\([0-9]*\),\1,yes,' "$work/out" || die "other cycles: $(cat "$work/out")"

# A difference is shown and is exit status 1.
on more-wavefronts
expect 1 validate --rows 16 --cols 32
shows 'wavefronts_ld'
shows 'NO'
on wrong-values
expect 1 validate --rows 16 --cols 32
shows 'the model says'
on merged
expect 1 validate --rows 16 --cols 32
shows 'merged or removed 4 of 16 accesses'

# A recording with failures replaces no file; where there is none yet, it is written.
expect_kept() {
  expect "$@" --record "$work/good.json"
  says "$work/good.json was kept as it was: "
  cmp -s "$work/good.json" "$work/kept.json" || die "$last: replaced a good recording"
}
on ''
expect 0 validate --kernel setColReadCol --record "$work/good.json"
quiet
cp "$work/good.json" "$work/kept.json"
for fault in crash launch-failure launch-refused; do
  on "$fault:setColReadCol@30"
  expect_kept 1 validate --kernel setColReadCol
  says '1 of 2 launches failed'
done
on hang:setColReadCol@30
expect_kept 1 validate --kernel setColReadCol --timeout 1
on lost-device:setColReadCol
SMEMBANK_FAKE_LOST=$work/gone expect 4 validate --kernel setColReadCol --record "$work/good.json"
says "$work/good.json was not written: "
cmp -s "$work/good.json" "$work/kept.json" || die 'a lost device replaced a good recording'
on crash:setColReadCol@30
expect 1 validate --kernel setColReadCol --record "$work/bad.json"
quiet
shows ' 1 launch failed: see above.'
# Its replay confirms less than all, and says so.
expect 1 validate "$work/bad.json"
shows 'killed by signal 9'
shows ' 1 launch failed: see above.'
expect 1 validate "$work/bad.json" --format json
shows '"failed" : 1'

# A kernel that cannot be run is told in its row, and the others are measured.
for fault in crash:setColReadCol launch-failure:setColReadCol compile-error:setColReadCol; do
  on "$fault"
  expect 1 validate
  grep -q '^setColReadCol square, not measured' "$work/out" || die "$fault: the kernel is not told"
  grep -q '^setRowReadCol  *square .* yes ' "$work/out" || die "$fault: took another kernel with it"
  shows ' 2 launches failed: see above.'
done
on hang:setColReadCol
expect 1 validate --kernel setColReadCol --shape rect --timeout 1
shows 'not measured: timed out after 1 second'

# Whoever ends the program ends the process that measures: it must not go on with a kernel that hangs. It
# has the same standard error, which is closed when both are gone.
mkfifo "$work/fifo"
on hang
timeout 20 cat "$work/fifo" >"$work/open" &
reader=$!
"$SMEMBANK" validate --rows 16 --cols 32 --timeout 3600 >"$work/out" 2>"$work/fifo" &
program=$!
sleep 1
kill -KILL "$program"
wait "$program" && die 'the program was not ended'
wait "$reader" || die 'the process that measures lives on'

# Without a device: told, and recordings in its place; status 4 where only a device will do.
on no-device
expect 0 validate --kernel setRowReadCol
says 'comparing with recordings'
for words in '--device 0' "--record $work/none.json" "$work/loop.cu" '--rows 4 --cols 4'; do
  # shellcheck disable=SC2086
  expect 4 validate $words
  says 'no usable GPU'
done
[ ! -e "$work/none.json" ] || die 'a recording of nothing'
# What is wrong with the input comes before what the machine lacks.
expect 3 validate "$work/nothing.cu"
says 'nothing.cu: No such file or directory'
echo '__global__ void k() { int a = ; }' >"$work/broken.cu"
expect 3 validate "$work/broken.cu"
says 'broken.cu:1:'
expect 2 validate "$work/own.cu" --entry nothing
expect 2 validate --rows 4000 --cols 4
on ''
expect 4 validate --device 7
says 'there is no device 7'
# A device that is lost half way.
on lost-device:setColReadCol
SMEMBANK_FAKE_LOST=$work/lost expect 4 validate
says 'no usable GPU'

# Wrong usage.
expect 2 validate --recorded --device 0
expect 2 validate --recorded "$work/own.cu"
expect 2 validate --device x
says "smembank validate: --device 'x': expected"
expect 2 validate --timeout 0
expect 2 validate "$srcdir/data/measured/h200-requests.txt" --device 0
says 'holds measurements'
expect 2 validate "$srcdir/data/measured/h200-requests.txt" --block 64
says 'holds measurements'
# Where nothing can be recorded, nothing is measured first.
on hang
for path in "$work/no/such/folder.json" "$work"; do
  expect 3 validate --record "$path" --timeout 1
  says "cannot write $path: "
done

# A capture: each of its launches, on the memory that it found. One fails on the device; two cannot be predicted, and are left out.
on ''
"${MAKE_CAPTURE:?}" "$work/app.capture" "$srcdir"
expect 1 validate "$work/app.capture" --record "$work/captured.json"
shows 'list          32x1                    -        -  -'
shows 'not measured: could not run the kernel: an illegal memory access was encountered'
shows 'compared: 59 match, 0 differ. 1 launch failed: see above.'
says 'smembank validate: launch 4 is left out: '
says 'the address depends on the contents of unrecorded memory'
says "smembank validate: launch 6 is left out: "
expect 3 validate "$work/app.capture" --launch 6
says "has no kernel 'gone'"
# Recorded, it is counted again from the capture.
expect 1 validate --recorded "$work/captured.json"
shows 'match, 0 differ. 1 launch failed: see above.'
sed 's/"launch": 3,/"launch": 30,/' "$work/captured.json" >"$work/beyond.json"
! cmp -s "$work/captured.json" "$work/beyond.json" || die 'no launch 3'
expect 3 validate --recorded "$work/beyond.json"
says 'app.capture has no launch 30'
rm "$work/app.capture"
expect 3 validate --recorded "$work/captured.json"
says 'app.capture: No such file or directory'

# A command is captured, and its launches compared: the only one of this program is given addresses that are not its kernel's.
SMEMBANK_CAPTURE_CUPTI=${FAKE_DRIVER:?}/libcuda.so.1
export SMEMBANK_CAPTURE_CUPTI
cubin=$srcdir/tests/data/sass/constants.sm_90.cubin
kernel=$(strings -a "$cubin" | sed -n 's/^\.text\.//p' | head -n 1)
status=0
"$SMEMBANK" validate -- "$FAKE_DRIVER/application" "$cubin" "$kernel" plain >"$work/out" 2>"$work/err" || status=$?
last='validate -- application'
[ "$status" -eq 3 ] || die "$last: status $status: $(cat "$work/err")"
shows 'application: ends'
says 'none of its launches can be compared: '
expect 3 validate -- false
says 'no launch was recorded: false ended with status 1'
expect 2 validate --
says 'expected a COMMAND after --'
expect 2 validate "$work/own.cu" -- true
says 'expected a FILE or a COMMAND, not both'
