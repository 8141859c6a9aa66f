#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2016 # $word is that of the made-up nvcc
#
# --shard and merge of a text beside what a compiler makes of it: the parts are the whole, to the last byte, in both. With a made-up nvcc,
# and with the real one.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
formats='text csv json'

# makes BODY: nvcc makes PTX whose line 4 is what the text has there, and whose line 5 is not. The block is in %r3.
made_nvcc <<'END'
. "$NVCC_TASK"
END
NVCC_TASK=$work/task
export NVCC_TASK
makes() {
  cat >task <<END
/bin/cat >"\$out" <<PTX
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  .reg .pred %p;
  .shared .align 4 .b8 s[16384];
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, %ctaid.x;
  shl.b32 %r2, %r1, 2;
  ld.param.u64 %rd1, [in];
  $1
  ret;
}
.file 1 "\$word"
PTX
END
}
cat >k.cu <<'END'
__global__ void k(const int *in, int n) {
  __shared__ int s[4096];
  int t = threadIdx.x;
  s[t * (blockIdx.x % 3 + 1)] = n;
  s[0] = in[t];
}
END
# Blocks that repeat others, and that do not.
makes '.loc 1 4 3
  rem.u32 %r4, %r3, 5; add.u32 %r4, %r4, 1; mul.lo.u32 %r4, %r4, %r2;
  st.shared.u32 [%r4], %r1;
  .loc 1 5 3
  setp.gt.u32 %p, %r3, 6;
  @%p ld.shared.u32 %r5, [%r2];'
for n in 1 2 3 11; do
  in_parts "$n" 0 k.cu --block 64 --grid 11 --arg n=3
done
# shellcheck disable=SC2086,SC2154 # in_parts sets it: several files
expect 0 merge $parts
tells 'what nvcc makes of it takes 46, 16 in excess, and that is what the verdict and limits are of.'
grep -qE '^ +5 +@%p ld\.shared\.u32 %r5, \[%r2\] +load +- +- +- +- +- +8 +0$' out || die "$last: $(cat out)"
expect 0 analyze k.cu --block 64 --grid 11 --arg n=3 --shard 2/2
shows 'counted: PTX, beside the text'
shows 'Only part 2 of 2: '
in_parts 2 0 k.cu --block 64 --grid 11 --arg n=3 --warps
in_parts 3 0 k.cu --block 64 --grid 11 --arg n=3 --text
! grep -q 'compiled" : {' out || die "$last: a compiler was asked"
# Limits of the whole: nothing is 4-way in the text, and no part has so many in excess.
in_parts 2 1 k.cu --block 64 --grid 11 --arg n=3 --max-ways 3
in_parts 5 1 k.cu --block 64 --grid 11 --arg n=3 --max-excess 15 --max-wavefronts 4=1000 --max-ways s=2
in_parts 5 0 k.cu --block 64 --grid 11 --arg n=3 --max-excess 16 --max-ways 4

# Nothing is left of the accesses; some parts have one.
makes 'setp.eq.u32 %p, %r3, 99; @%p st.shared.u32 [%r2], %r1;'
in_parts 3 0 k.cu --no-cache --block 64 --grid 11 --arg n=3
makes '.loc 1 4 3
  setp.eq.u32 %p, %r3, 9; @%p st.shared.u32 [%r2], %r1;'
in_parts 3 0 k.cu --no-cache --block 64 --grid 11 --arg n=3

# What cannot be compiled, or counted, in one part: the whole is of the text alone, and says why.
alone() { # PARTS REASON ARGUMENT...
  n=$1 reason=$2
  shift 2
  in_parts "$n" 0 k.cu --no-cache --block 64 --arg n=3 "$@"
  grep -qF "warning: the text alone is counted: $reason" err || die "$last: $(cat err)"
}
echo 'echo "$word(3): error: no such thing"; exit 1' >task
alone 2 'k.cu:3:1: error: no such thing' --grid 4
makes '.loc 1 4 3
  shl.b32 %r4, %r3, 13; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4], %r1;'
alone 3 'k.cu:' --grid 4
makes '.loc 1 4 3
  setp.lt.u32 %p, %r3, 3; @%p bra END;
  mov.u32 %r4, %clock; shl.b32 %r4, %r4, 2; st.shared.u32 [%r4], %r1;
  END:'
alone 2 'not all of its requests can be counted' --grid 4 --unknown skip
expect 0 analyze k.cu --no-cache --block 64 --grid 4 --arg n=3 --shard 2/2

# Parts of other code, of a text that one machine has no compiler for, and what no part has.
makes '.loc 1 4 3
  st.shared.u32 [%r2], %r1;'
part() { # N/M FILE [OPTION...]
  which=$1 to=$2
  shift 2
  expect 0 analyze k.cu --no-cache --block 64 --grid 4 --arg n=3 --shard "$which" --format json "$@"
  cp out "$to"
}
part 1/2 a.json
part 2/2 b.json
expect 0 merge a.json b.json
part 2/2 c.json --text
expect 3 merge a.json c.json
says "c.json: its 'shard.compiled' is not that of a.json"
expect 3 merge c.json a.json
says "c.json: its 'shard.compiled' is not that of a.json"
makes '.loc 1 4 3
  st.shared.u32 [%r2 + 4], %r1;'
part 2/2 c.json
expect 3 merge a.json c.json
says "c.json: its 'shard.compiled.digest' is not that of a.json"
for spoilt in 's/"command" : "nvcc/"command" : "other/' 's/"error" : null/"error" : 5/'; do
  sed "$spoilt" b.json >c.json
  expect 3 merge a.json c.json
  says 'c.json: '
done
sed 's/"counts" : {/"counts" : null, "other" : {/' b.json >c.json
expect 3 merge a.json c.json

# The real one, with a folder of its own each time: as if several machines shared the work.
SMEMBANK_NVCC=no
need_nvcc
SMEMBANK_NVCC=$nvcc
cat >turn.cu <<'END'
__global__ void turn(unsigned *io, int n) {
  __shared__ unsigned s[128];
  int l = threadIdx.x;
  unsigned v[4];
  for (int i = 0; i < 4; i++) s[i * 32 + l] = io[blockIdx.x * 128 + i * 32 + l];
  __syncwarp();
  for (int i = 0; i < 4; i++) v[i] = s[i * 32 + l];
  __syncwarp();
  for (int i = 0; i < 4; i++) s[l * 4 + i] = v[i];
  __syncwarp();
  if (blockIdx.x % 3 == 1) s[l * 2] = n;
  __syncwarp();
  for (int i = 0; i < 4; i++) io[blockIdx.x * 128 + i * 32 + l] = s[i * 32 + l];
}
END
in_parts 2 1 turn.cu --no-cache --block 32 --grid 7 --arg n=3 --max-excess 0
shows '"level" : "sass"'
in_parts 2 1 turn.cu --no-cache --block 32 --grid 7 --arg n=3 --max-excess 0 --nvcc=-O3
