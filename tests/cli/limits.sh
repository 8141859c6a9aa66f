#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The limits of analyze: of the launch, an array and a line; which fail, what is said of them, and where.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# s: 32 wavefronts, 31 of them in excess; t: 1 and 1, and an atomic of 32, 31 of them in excess.
cat >"$work/two.cu" <<'END'
__global__ void two(int *out) {
  __shared__ int s[1024];
  __shared__ int t[32];
  s[threadIdx.x * 32] = 1;
  t[threadIdx.x] = 2;
  __syncthreads();
  atomicAdd(&t[0], threadIdx.x);
  out[threadIdx.x] = t[threadIdx.x];
}
END

# kept LIMIT...: with these analyze succeeds, says nothing, and lists no failed limit.
kept() {
  expect 0 analyze "$work/two.cu" --block 32 "$@"
  quiet
  expect 0 analyze "$work/two.cu" --block 32 "$@" --format json
  is_json
  shows '"failed_limits" : []'
}

# broken MESSAGE LIMIT...: these fail, and that is said on a line of its own; the result is the same.
broken() {
  message=$1
  shift
  expect 0 analyze "$work/two.cu" --block 32
  cp "$work/out" "$work/without"
  expect 1 analyze "$work/two.cu" --block 32 "$@"
  cmp "$work/out" "$work/without" || die "a limit changes the result: $*"
  grep -qxF -e "$message" "$work/err" || die "$*: no line '$message' but: $(cat "$work/err")"
  lines=$(grep -c 'warning\|nothing was checked' "$work/err")
  expect 1 analyze "$work/two.cu" --block 32 "$@" --format json
  is_json
  [ "$(grep -c '"option" : "--max' "$work/out")" = "$lines" ] || die "$*: not $lines failed limits: $(cat "$work/out")"
}

two=$work/two.cu
kept --max-ways 32 --max-excess 62 --max-excess 100% --max-wavefronts 66
broken "$two:4:3: warning: the store of s[threadIdx.x * 32] is 32-way: more than --max-ways 31" --max-ways 31
broken "$two:7:3: warning: the atomic of atomicAdd(&t[0], threadIdx.x) queues 32 deep in a bank: more than --max-ways 31" --max-ways 31
broken "$two:4:3: warning: kernel 'two' takes 62 excess wavefronts: more than --max-excess 61" --max-excess 61
broken "$two:4:3: warning: kernel 'two' takes 66 wavefronts: more than --max-wavefronts 65" --max-wavefronts 65
broken "$two:4:3: warning: 93.9% of the wavefronts of kernel 'two' are in excess: more than --max-excess 93%" --max-excess 93%
kept --max-excess 94%

# An array, a line, a line of a file. A limit of a place is one more for sums; of ways, the place has its own.
kept --max-excess s=31 --max-excess t=31 --max-wavefronts s=32 --max-wavefronts t=34 --max-ways s=32 --max-ways t=32
broken "$two:4:3: warning: array 's' takes 31 excess wavefronts: more than --max-excess s=30" --max-excess s=30
broken "$two:7:3: warning: array 't' takes 34 wavefronts: more than --max-wavefronts t=33" --max-wavefronts t=33
broken "$two:4:3: warning: 96.9% of the wavefronts of array 's' are in excess: more than --max-excess s=0%" --max-excess s=0%
kept --max-excess 5=0 --max-wavefronts 8=1 --max-ways 5=1
broken "$two:7:3: warning: line 7 takes 31 excess wavefronts: more than --max-excess 7=30" --max-excess 7=30
broken "$two:7:3: warning: line two.cu:7 takes 31 excess wavefronts: more than --max-excess two.cu:7=30" --max-excess two.cu:7=30
kept --max-ways 1 --max-ways s=32 --max-ways two.cu:7=32
broken "$two:4:3: warning: the store of s[threadIdx.x * 32] is 32-way: more than --max-ways 4=8" --max-ways 1 --max-ways t=32 --max-ways 4=8

# The last limit of a kind for a place holds; each that fails is told.
kept --max-ways 1 --max-ways 32
broken "$two:4:3: warning: kernel 'two' takes 62 excess wavefronts: more than --max-excess 1" --max-excess 99 --max-excess 1
expect 1 analyze "$two" --block 32 --max-ways 2 --max-excess 3 --max-wavefronts 4 --format json
[ "$(grep -c warning "$work/err")" = 4 ] || die "not all limits that fail are told: $(cat "$work/err")"
is_json
shows '"max_ways" : 2,'
shows '"value" : 62,'

# Where nothing is counted, nothing is kept: a name mistyped, a line without an access.
nothing='nothing was checked: no access to shared memory there is counted'
broken "smembank analyze: --max-excess u=9: $nothing" --max-excess u=9
broken "smembank analyze: --max-ways 6=9: $nothing" --max-ways 6=9
broken "smembank analyze: --max-wavefronts other.cu:4=99: $nothing" --max-wavefronts other.cu:4=99
broken "smembank analyze: --max-wavefronts wo.cu:4=99: $nothing" --max-wavefronts wo.cu:4=99
printf '__global__ void k(float *o) { o[0] = 1; }\n' >"$work/none.cu"
expect 0 analyze "$work/none.cu" --block 32 --max-ways 1 --max-excess 0 --max-excess 0% --max-wavefronts 0

# A sum of which a part is not certain: an atomic that is a loop is a lower bound, an upper bound is fine.
cat >"$work/loop.cu" <<'END'
__global__ void sum(float *out, const float *in) {
  __shared__ float s[32];
  s[threadIdx.x] = 0;
  atomicAdd(&s[threadIdx.x], in[threadIdx.x]);
  out[threadIdx.x] = s[threadIdx.x];
}
struct F { float x, y, z, w; };
__global__ void copy(const F *in) {
  __shared__ F s[32];
  F *p = s + threadIdx.x;
  *p = in[threadIdx.x];
}
__global__ void data(const int *in) {
  __shared__ int s[32];
  s[in[threadIdx.x]] = 1;
}
END
loop=$work/loop.cu
expect 1 analyze "$loop" --entry sum --block 32 --max-wavefronts 1000
says "loop.cu:4:3: warning: --max-wavefronts 1000 cannot be checked: atomicAdd(&s[threadIdx.x], in[threadIdx.x]) is a loop of loads and swaps"
expect 1 analyze "$loop" --entry sum --block 32 --max-wavefronts 1
says 'wavefronts: more than --max-wavefronts 1'
expect 0 analyze "$loop" --entry sum --block 32 --max-wavefronts 3=1
expect 0 analyze "$loop" --entry copy --block 32 --max-wavefronts 1000
expect 1 analyze "$loop" --entry data --block 32 --max-excess 1000 --format json
says "loop.cu:15:3: warning: --max-excess 1000 cannot be checked: the addresses of 's[in[threadIdx.x]]' depend on the contents of 'in'"
is_json
shows '"value" : null,'
expect 0 analyze "$loop" --entry data --block 32 --buffer in=iota:i32 --max-excess 0

# Compiled code: lines of its source, where they are known.
expect 1 analyze "${srcdir:?}/tests/ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=32 --max-excess 0
grep -qE '^[^ ]*transpose\.cu:[0-9]+:[0-9]+: warning: kernel .* takes [0-9]+ excess wavefronts: more than --max-excess 0$' "$work/err" ||
  die "compiled code: $(cat "$work/err")"

# What is no limit.
for limit in max-ways max-excess max-wavefronts; do
  for value in '' x -1 = s= =4 s=x 4.5 's=1=' 99999999999999999999 '%' 5%% '%5'; do
    expect 2 analyze --rows 4 --cols 4 "--$limit=$value"
    says "--$limit '$value': expected a whole number from "
  done
done
expect 2 analyze --rows 4 --cols 4 --max-ways 0
expect 2 analyze --rows 4 --cols 4 --max-ways 5%
expect 2 analyze --rows 4 --cols 4 --max-wavefronts 5%
expect 2 analyze --rows 4 --cols 4 --max-excess 101%
says "--max-excess '101%': expected a whole number from 0 or a percentage, or PLACE=NUMBER where PLACE is an array, LINE or FILE:LINE"
