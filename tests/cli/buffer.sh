#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# --buffer: what the buffers of pointer parameters hold, in every command that takes a kernel, and on a device.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Shared addresses depend on the contents of index, and a neighbour is read before the pointer.
cat >"$work/k.cu" <<'END'
__global__ void k(float *out, const float *in, const int *index, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  s[index[t] * n] = in[t - 8];
  __syncthreads();
  out[t] = s[t];
}
END
run() {
  wanted=$1
  shift
  expect "$wanted" "$@" "$work/k.cu" --block 32 --arg n=32
}
run 3 analyze
says "in[t - 8]: out of bounds: byte -32 of 'in', by thread (0,0,0); if the pointer starts inside its buffer, give --buffer in=@8"
run 0 analyze --buffer in=@8
shows '32-way'
run 0 analyze --buffer in=@8 --buffer index=zeros
shows '1-way'
run 0 analyze --buffer 1=iota:f32@8 --buffer 2=random:i32:5:8
shows '8-way'
run 0 analyze --format json --buffer in=@8 --buffer index=zeros --buffer index=random:i32:5:8
is_json
shows '"in" : "@8"'
shows '"index" : "random:i32:5:8"'
! grep -q 'zeros' "$work/out" || die 'what was said first counts as well'
run 0 analyze --format json --buffer in=@8
run 0 explain --buffer in=@8 --buffer index=random:i32:5:8
shows '8-way'
run 0 explain --format json --buffer in=@8
is_json
shows '"buffers"'
run 0 advise --buffer in=@8 --format json
is_json
shows '"buffers"'
run 0 advise --buffer in=@8
expect 0 report "$work/page.html" "$work/k.cu" --block 32 --arg n=32 --buffer in=@8
grep -q '"buffers"' "$work/page.html" || die 'no buffers in the page'
# Without the option the key is not there.
expect 0 analyze --kernel setRowReadCol --format json
! grep -q '"buffers"' "$work/out" || die 'buffers, and none were given'
expect 2 analyze --rows 32 --cols 32 --buffer in=zeros
says '--arg and --buffer are for kernels'
expect 0 analyze --kernel setRowReadCol --buffer 0=zeros

# A file: the same as what it holds. Beyond its end is out of bounds.
i=0
while [ $i -lt 32 ]; do
  # shellcheck disable=SC2059 # an octal byte
  printf "\\$(printf %o $((i % 4)))\\000\\000\\000"
  i=$((i + 1))
done >"$work/four@.bin"
run 0 analyze --buffer in=@8 --buffer "index=$work/four@.bin@0"
shows '4-way'
head -c 124 "$work/four@.bin" >"$work/short.bin"
run 3 analyze --buffer in=@8 --buffer "index=$work/short.bin"
says "index[t]: out of bounds: byte 124 of 'index', which has 124 bytes, by thread (31,0,0)"
run 3 analyze --buffer in=@8 --buffer "index=$work/four@.bin@4"
says "index[t]: out of bounds: byte 112 of 'index', which has 112 bytes, by thread (28,0,0)"
run 2 analyze --buffer in=@8 --buffer "index=$work/short.bin@32"
says 'the pointer starts beyond the end of the file, which has 124 bytes'
run 3 analyze --buffer in=@8 --buffer index=/no/such/file
says '/no/such/file: No such file or directory'
run 3 analyze --buffer in=@8 --buffer "index=$work"
says 'Is a directory'

# Wrong ones.
for wrong in in in= =zeros in=@ in=@-1 in=zeros@x in=iota in=iota:u4 in=random in=random: in=random:i8:1:129 in=random:u8:1:257 in=random:i32:1:0; do
  run 2 analyze --buffer "$wrong"
  says "buffer '$wrong': "
done
run 2 analyze --buffer n=zeros
says "buffer 'n=zeros': 'n' is not a pointer: give --arg n=VALUE"
for wrong in m=zeros 4=zeros; do
  run 2 analyze --buffer "$wrong"
  says "'k' has no pointer parameter"
done

# --arg: bytes, of a file too; --unknown and --frames do nothing to CUDA C.
cat >"$work/p.cu" <<'END'
struct P { int stride, by; };
__global__ void p(P p, int *out, short n) {
  __shared__ int s[64];
  s[threadIdx.x * p.stride] = n;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * p.stride];
}
END
printf '\002\000\000\000\003\000\000\000' >"$work/p.bin"
expect 0 analyze "$work/p.cu" --block 32 --arg p=raw:0200000003000000 --arg n=3
cp "$work/out" "$work/wanted"
shows '2-way'
expect 0 analyze "$work/p.cu" --block 32 --arg "p=@$work/p.bin" --arg 2=3 --unknown skip --frames leaf
cmp "$work/out" "$work/wanted" || die 'not the same by number and from a file'
expect 0 explain "$work/p.cu" --block 32 --arg "p=@$work/p.bin" --arg 2=raw:0300 --unknown error --frames outer
expect 2 analyze "$work/p.cu" --block 32
says "parameters 'p.stride', 'p.by' (P), 'n' (short) of 'p' need values: give --arg p.stride=VALUE --arg p.by=VALUE --arg n=VALUE"
expect 2 analyze "$work/p.cu" --block 32 --arg "0=@$work/p.bin" --arg "n=@$work/p.bin"
says "the file has 8 bytes, the parameter 2"
expect 3 analyze "$work/p.cu" --block 32 --arg 0=@/no/such/file --arg n=1
says '/no/such/file: No such file or directory'
expect 2 analyze "$work/p.cu" --unknown maybe
says "--unknown 'maybe': expected error or skip"
expect 2 analyze "$work/p.cu" --frames mine
says "--frames 'mine': expected leaf, own or outer"
cp "$work/p.bin" "$work/kept.bin"
expect 2 explain "$work/p.cu" --block 32 --arg "p=@$work/p.bin" --arg n=1 --svg "$work/p.bin"
cmp "$work/p.bin" "$work/kept.bin" || die 'a file with a value was written over'

# A histogram: which lanes conflict depends on what is counted, and every command says so.
cat >"$work/hist.cu" <<'END'
__global__ void count(int *out, const int *in) {
  __shared__ int hist[256];
  hist[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&hist[in[threadIdx.x] & 255], 1);
  __syncthreads();
  out[threadIdx.x] = hist[threadIdx.x];
}
END
depends="addresses of 'atomicAdd(&hist[in[threadIdx.x] & 255], 1)' depend on the contents of 'in', which are not known (counted with in[i] = i): give --buffer in=SPEC"
run_hist() {
  expect 0 "$@" "$work/hist.cu" --block 256
  says "warning: the $depends"
}
run_hist analyze
shows 'No bank conflicts with the contents assumed: 24 wavefronts'
tells "The $depends."
run_hist analyze --format json
is_json
[ "$(grep -c '"depends_on_data" : true' "$work/out")" -eq 1 ] || die "not one access: $(cat "$work/out")"
[ "$(grep -c '"exact" : false' "$work/out")" -eq 1 ] || die "not one access: $(cat "$work/out")"
shows "\"reason\" : \"the $depends\""
shows '"kind" : "data"'
run_hist analyze --buffer in=@4
# A limit holds for the contents that were given only.
expect 1 analyze "$work/hist.cu" --block 256 --max-ways 32
says "warning: --max-ways 32 cannot be checked: the $depends."
expect 1 analyze "$work/hist.cu" --block 256 --max-ways 32 --format json
grep -A 6 '"limit"' "$work/out" | grep -q '"depends_on_data" : true' || die "no reason: $(cat "$work/out")"
expect 0 analyze "$work/hist.cu" --block 256 --buffer in=iota:i32 --max-ways 32
run_hist explain --op atomic
tells "The $depends."
run_hist explain --op atomic --format json
shows '"depends_on_data" : true'
run_hist advise
shows 'No bank conflicts as far as contents are known: 24 wavefronts'
run_hist advise --format json
shows '"kind" : "data"'
run_hist report "$work/hist.html"
grep -q 'No bank conflicts with the contents assumed' "$work/hist.html" || die 'the page has a clean verdict'
grep -q "addresses of 'atomicAdd(&amp;hist" "$work/hist.html" || grep -q 'depend on the contents of' "$work/hist.html" ||
  die 'the page does not say why'
expect 0 analyze "$work/hist.cu" --block 256 --buffer in=random:i32:1:256
quiet
shows 'Bank conflicts: '
! grep -q 'contents' "$work/out" || die 'what is given is not known'
expect 0 analyze "$work/hist.cu" --block 256 --buffer 1=zeros --format json
! grep -q '"depends_on_data" : true' "$work/out" || die 'what is given is not known'

# What is read is never written over.
cp "$work/four@.bin" "$work/in.bin"
run 2 explain --svg "$work/in.bin" --buffer in=@8 --buffer "index=$work/in.bin"
expect 2 report "$work/in.bin" "$work/k.cu" --block 32 --arg n=32 --buffer in=@8 --buffer "index=$work/in.bin"
run 2 advise --out "$work/in.bin" --buffer in=@8 --buffer "index=$work/in.bin"
cmp "$work/in.bin" "$work/four@.bin" || die 'a buffer was written over'

# On a device: the same bytes, and pointers into them. What was recorded is replayed with the same contents.
# shellcheck disable=SC2034
SMEMBANK=${SMEMBANK_ON_FAKE:?the program on a made-up GPU}
run 0 validate --buffer in=random:f32:3@8 --buffer "index=$work/four@.bin@0" --record "$work/r.json" --format csv
grep -q ',wavefronts_st,4,4,' "$work/out" || die "not 4 wavefronts: $(cat "$work/out")"
grep -q ',values,32,32,yes,.*,in,' "$work/out" || die "not all values: $(cat "$work/out")"
grep -qF '"contents": ["in=random:f32:3@8", "index=' "$work/r.json" || die "not recorded: $(cat "$work/r.json")"
expect 0 validate --recorded "$work/r.json" --format csv
grep -q ',wavefronts_st,4,4,' "$work/out" || die "not replayed: $(cat "$work/out")"
run 3 validate
says 'give --buffer in=@8'
cp "$work/four@.bin" "$work/in.bin"
run 2 validate --buffer in=@8 --buffer "index=$work/in.bin" --record "$work/in.bin"
cmp "$work/in.bin" "$work/four@.bin" || die 'a buffer was written over'
sed 's/"in=random:f32:3@8"/"in=random"/' "$work/r.json" >"$work/bad.json"
expect 3 validate --recorded "$work/bad.json"
says "buffer 'in=random': expected random:TYPE[:SEED[:BELOW]]"
# A value that differs is named by its index behind the pointer.
cat >"$work/neg.cu" <<'END'
__global__ void neg(int *out) { out[-2] = 7; out[1] = 8; }
END
SMEMBANK_FAKE='wrong-values'
export SMEMBANK_FAKE
expect 1 validate "$work/neg.cu" --block 1 --buffer out=zeros@2
shows 'out[-2] is '

# A structure reaches the device as it is.
SMEMBANK_FAKE=
expect 0 validate "$work/p.cu" --block 32 --arg "p=@$work/p.bin" --arg n=3 --format csv
grep -q ',wavefronts_st,2,2,' "$work/out" || die "not 2 wavefronts: $(cat "$work/out")"

# What is said of a variable is not put on a device.
cat >"$work/data.cu" <<'END'
__constant__ int table[32];
__global__ void data(int *out) { out[table[threadIdx.x]] = 1; }
END
SMEMBANK_FAKE=
expect 0 validate "$work/data.cu" --block 32
expect 1 validate "$work/data.cu" --block 32 --buffer table=iota:i32
shows "'table' is a variable: --buffer sets it for predictions only"

# Numbers of 16 bits, as parameters and in buffers.
cat >"$work/half.cu" <<'END'
#include <cuda_fp16.h>
__global__ void twice(half *out, const half *in, half by, float2 *f) {
  out[threadIdx.x] = in[threadIdx.x] * by;
  f[threadIdx.x] = __half22float2(__half2half2(by));
}
END
expect 0 validate "$work/half.cu" --block 32 --arg by=0.5 --format csv
grep -q ',values,32,32,yes,.*,out,' "$work/out" || die "not all values: $(cat "$work/out")"
expect 2 validate "$work/half.cu" --block 32 --arg by=65520
says "argument 'by=65520' does not fit its type, half"
SMEMBANK_FAKE='wrong-values'
expect 1 validate "$work/half.cu" --block 32 --arg by=0.5
shows 'the model says 0'
