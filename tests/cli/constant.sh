#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Constant memory: the distinct words of each load, of CUDA C and PTX, in every format, and how they are measured.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Loads at places that are computed; what is at a fixed place (w[3], p.n, p.k[2]) is an operand.
cat >"$work/k.cu" <<'END'
__constant__ float w[64];
__constant__ double2 d[64];
struct P { int n; float k[32]; };
__global__ void k(float *out, P p, int n) {
  int i = threadIdx.x;
  float sum = w[i];
  for (int j = 0; j < n; j++)
    sum += w[j];
  out[i] = sum + w[i / 4] + w[3] + p.n + p.k[2] + p.k[i % 8] + (float)d[i % 3].x;
}
END
zeros=$(printf '%0264d' 0)
set -- "$work/k.cu" --block 64 --arg n=9 --arg "p=raw:$zeros"
expect 0 analyze "$@"
sed -i "s|$work/||" "$work/out"
golden constant.txt
expect 0 analyze --format csv "$@"
shows 'constant,6,15,w,load,4,w[i],,2,64,2,62,32,128,,,,yes,'
expect 0 analyze --format json "$@"
is_json
shows '"max_words" : 32'
expect 0 explain "$@"
tells 'the load of w[i] at line 6 accesses up to 32 words at once.'
expect 0 report "$work/page.html" "$@"
grep -q 'Constant memory, whole launch' "$work/page.html" || die 'no constant memory in the page'
# Older architectures have no rule.
expect 0 analyze "$@" --arch sm_20
! grep -q 'constant access' "$work/out" || die 'a rule for sm_20'

# One word for each request.
cat >"$work/uniform.cu" <<'END'
__constant__ float w[64];
__global__ void k(float *out, int n) {
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += w[j];
  out[threadIdx.x] = sum;
}
END
expect 0 explain "$work/uniform.cu" --block 32 --arg n=9
tells 'Constant memory: 9 requests, and all lanes of each load one word: the minimum.'

# PTX: a vector of 16 bytes is four loads; where an address is not known, the requests are missing.
cat >"$work/k.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.const .align 16 .b8 table[1024];
.visible .entry k(.param .u64 in)
{
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 16;
  mov.u64 %rd2, table;
  add.s64 %rd3, %rd2, %rd1;
  ld.const.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];
  ld.const.u8 %r6, [table+3];
  ld.param.u64 %rd4, [in];
  ld.global.u32 %r7, [%rd4];
  mul.wide.u32 %rd5, %r7, 4;
  add.s64 %rd6, %rd2, %rd5;
  ld.const.u32 %r8, [%rd6];
  setp.eq.u32 %p1, %r7, 0;
  @%p1 ld.const.u32 %r9, [%rd3];
  ret;
}
END
expect 0 analyze "$work/k.ptx" --block 32 --format csv
shows 'ld.const.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3]",,4,128,4,124,32,256,,,,yes'
shows 'ld.const.u32 %r8, [%rd6]",,0,0,0,0,0,0,,,,no'
shows '[%rd3]",,0,0,0,0,0,0,,,,no'
! grep -q 'table+3' "$work/out" || die 'an operand is listed as a request'
expect 0 analyze "$work/k.ptx" --block 32
shows '≥ 0'
expect 0 analyze "$work/k.ptx" --block 32 --buffer 0=zeros --format csv
shows 'ld.const.u32 %r8, [%rd6]",,1,1,1,0,1,2,,,,yes'

# Of less than 4 bytes, each address is served by itself; a scalar of 8 bytes is one load.
cat >"$work/narrow.cu" <<'END'
__constant__ unsigned char bytes[64];
__constant__ double doubles[64];
__global__ void k(double *out) {
  out[threadIdx.x] = bytes[threadIdx.x] + doubles[threadIdx.x / 2];
}
END
expect 0 analyze "$work/narrow.cu" --block 32 --format csv
shows 'bytes[threadIdx.x],,1,32,1,31,32,64,,,,yes'
shows 'doubles[threadIdx.x / 2],,1,16,1,15,16,32,,,,yes'

# The assembler decides whether lanes that did not jump load with those that did: 3 words of one request, or of two.
cat >"$work/diverged.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.const .align 4 .u32 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<9>, %lane;
  .reg .b64 %rd<9>;
  .reg .pred %p;
  mov.u32 %lane, %tid.x;
  and.b32 %r5, %lane, 3;
  mul.wide.u32 %rd2, %r5, 4;
  mov.u64 %rd3, table;
  add.s64 %rd4, %rd3, %rd2;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd5, %lane, 4;
  add.s64 %rd5, %rd5, %rd1;
  setp.eq.u32 %p, %r5, 0;
  @%p bra A;
  ld.const.u32 %r7, [%rd4+8];
  setp.eq.u32 %p, %r5, 1;
  @%p bra B;
A:
  ld.const.u32 %r6, [%rd4];
B:
  add.u32 %r6, %r6, %r7;
  st.global.u32 [%rd5], %r6;
  ret;
}
END
expect 0 analyze "$work/diverged.ptx" --block 32 --grid 2 --format csv
shows 'table,load,4,"ld.const.u32 %r7, [%rd4+8]",,2,6,2,4,3,12,,,,yes,'
shows 'table,load,4,"ld.const.u32 %r6, [%rd4]",,2,6,2,4,3,12,,,,no,'
expect 0 analyze "$work/diverged.ptx" --block 32 --grid 2 --format json
shows '"reason" : "depends on where the assembler lets diverged lanes reconverge"'

# Requests of a trace.
{
  printf 'ld.const 4 ffffffff'
  i=0
  while [ $i -lt 32 ]; do
    printf ' %d' $((i * 2 / 4 * 4))
    i=$((i + 1))
  done
  printf ' = 16\n'
} >"$work/t"
expect 0 trace --counts "$work/t"
[ "$(cat "$work/out")" = 16 ] || die 'not 16 words'

# On a device: timed, and not counted. What lies beyond the first-level cache is not measured.
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"
SMEMBANK=$SMEMBANK_ON_FAKE
expect 0 fuzz --op ld.const --count 300 --record "$work/r.json"
shows ' patterns, 0 mismatches'
grep -q 'ld.const 8 ' "$work/r.json" || die 'not recorded'
expect 0 validate --recorded "$work/r.json"
shows 'cycles'
expect 0 trace --measure "$work/t"
printf 'ld.const 4 00000001 2048%s\n' "$(printf ' 0%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)" >"$work/far"
expect 1 trace --measure "$work/far"
shows 'it reaches byte 2051: the probe has 2048 bytes of constant memory'
