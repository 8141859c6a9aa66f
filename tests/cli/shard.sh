#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# --shard and merge: the parts of any division, merged in any order, are the whole, to the last byte.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Text: blocks that repeat others, that do not, and that depend on earlier ones.
cat >"$work/blocks.cu" <<'END'
__global__ void differ(int *out, const int *in, int n) {
  __shared__ int s[256];
  if (blockIdx.x % 3 == 1) s[(threadIdx.x * (blockIdx.x + 1)) % 256] = n;
  if (blockIdx.x > 4) s[threadIdx.x] += s[(threadIdx.x * 2) % 256];
  __syncthreads();
  atomicAdd(&s[in[threadIdx.x] % 16], 1);
}
__global__ void last(int *count, int n) {
  __shared__ int s[256];
  __shared__ int before;
  if (threadIdx.x == 0) before = atomicAdd(count, 1);
  __syncthreads();
  if (before % n == 3) s[threadIdx.x * before % 256] = 1;
}
__global__ void idle(int n) {
  __shared__ int s[256];
  if (n > 5) s[threadIdx.x] = 1;
}
__global__ void merges(const float4 *in, float *out) {
  __shared__ float4 s[64];
  struct Pair { float x, y; };
  __shared__ Pair pairs[64];
  s[threadIdx.x * 2 % 64] = in[threadIdx.x];
  pairs[threadIdx.x] = pairs[threadIdx.x + 1 - blockIdx.x % 2];
  out[threadIdx.x] = pairs[threadIdx.x].x;
}
END
for n in 1 2 5 13; do
  in_parts "$n" 0 "$work/blocks.cu" --entry differ --block 64 --grid 11 --arg n=3
done
in_parts 3 0 "$work/blocks.cu" --entry last --block 64 --grid 17 --arg n=5 --buffer count=zeros
grep -q '"expression" : "s\[threadIdx.x' "$work/out" || die 'the blocks behind the first do not see what it left'
in_parts 2 0 "$work/blocks.cu" --entry idle --block 64 --grid 9 --arg n=1
in_parts 4 0 "$work/blocks.cu" --entry merges --block 63 --grid 9
in_parts 3 0 --kernel transposeSmem --shape ragged --warps
in_parts 2 0 --rows 32 --cols 32 --elem float4 --arch sm_80 --rows 16
in_parts 4 0 --kernel reduceSmem --grid 4000
in_parts 2 1 "$work/blocks.cu" --entry differ --block 64 --grid 11 --arg n=3 --max-ways 1 --max-excess 5% --max-wavefronts s=10

# PTX, with ranges where lanes meet, and machine code.
ptx=$srcdir/tests/data/ptx
in_parts 3 0 "$ptx/histogram.ptx" --block 256 --grid 9,2 --arg 2=4000 --unknown skip
# No part reaches an access to shared memory.
printf '%s\n' .version\ 8.0 .target\ sm_90 .address_size\ 64 '.visible .entry idle(.param .u32 n) {' '.reg .pred %p; .reg .b32 %r<3>; .shared .u32 s[64];' \
  'ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra END;' 'st.shared.u32 [s], %r1;' 'END: ret; }' >"$work/idle.ptx"
in_parts 3 1 "$work/idle.ptx" --block 64 --grid 9 --arg 0=0 --max-ways 1
in_parts 3 0 "$work/idle.ptx" --block 64 --grid 9 --arg 0=1 --max-ways 1
in_parts 5 0 "$ptx/transpose.ptx" --block 32,8 --grid 4,4 --arg 2=128
# Of a capture the whole says which launch it was.
in_parts 2 0 "$srcdir/tests/data/capture/own.capture" --launch 3
sass=$srcdir/tests/data/sass/code.sm_90.cubin
for entry in copies waits calls changes; do
  in_parts 4 0 "$sass" --entry "$entry" --block 64 --grid 5,3 --unknown skip
done

# Copies, of which it is known where they come from, and a branch behind which the assembler decides where lanes meet: variants.
cat >"$work/copy.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in)
{
  .shared .align 128 .b8 tile[16384];
  .reg .b32 %r<9>, %lane, %from, %to;
  .reg .b64 %rd<9>;
  .reg .pred %p;
  mov.u32 %lane, %tid.x;
  mul.lo.s32 %from, %lane, 16;
  mov.u32 %to, %from;
  ld.param.u64 %rd1, [in];
  cvt.u64.u32 %rd2, %from;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r1, tile;
  add.s32 %r2, %r1, %to;
  cp.async.cg.shared.global [%r2], [%rd3], 16;
  mov.u32 %r3, %ctaid.x;
  add.u32 %r4, %r3, %lane;
  and.b32 %r5, %r4, 3;
  setp.eq.u32 %p, %r5, 0;
  @%p bra A;
  st.shared.u32 [%r2+8192], %r5;
  setp.eq.u32 %p, %r5, 1;
  @%p bra B;
A:
  st.shared.u32 [%r2+8192], %r4;
B:
  ld.shared.u32 %r6, [%r2+8192];
  st.global.u32 [%rd3], %r6;
  ret;
}
END
in_parts 3 0 "$work/copy.ptx" --block 32 --grid 9
for member in variants source; do
  grep -q "\"$member\" : \[" "$work/part-1.json" || die "a part without $member"
done
# Calls that are inlined.
in_parts 2 0 "$srcdir/tests/data/sass/inlined.sm_90.cubin" --entry inlined --block 32 --grid 4
shows '"inlined_at" : ['

# A part says which one it is.
expect 0 analyze --rows 16 --cols 16 --shard 1/2
shows "Only part 1 of 2: 'smembank merge' combines the JSON of all parts."
for value in 0/2 3/2 1 1/0 a/b 1/2/3 '' /2 1/ -1/2 1/1000001; do
  expect 2 analyze --rows 16 --cols 16 --shard "$value"
  says "--shard '$value': expected K/N, part K of N parts"
done

# What does not belong together.
expect 0 analyze --rows 16 --cols 16 --shard 1/2 --format json
cp "$work/out" "$work/a.json"
expect 0 analyze --rows 16 --cols 16 --shard 2/2 --format json
cp "$work/out" "$work/b.json"
expect 0 merge "$work/b.json" "$work/a.json"
shows 'Bank conflicts: '
expect 3 merge "$work/a.json"
says "a.json: part 1 of 2: part 2 is missing"
expect 3 merge "$work/b.json"
says "b.json: part 2 of 2: part 1 is missing"
cp "$work/a.json" "$work/c.json"
expect 3 merge "$work/a.json" "$work/b.json" "$work/c.json"
says 'part 1 is a duplicate of '
refuses() { # the second part is replaced by that of another run
  message=$1
  shift
  expect 0 analyze "$@" --format json
  cp "$work/out" "$work/c.json"
  expect 3 merge "$work/a.json" "$work/c.json"
  says "$message"
}
refuses "c.json: its 'kernel' is not that of " --rows 16 --cols 16 --pad 1 --shard 2/2
refuses "c.json: its 'arch' is not that of " --rows 16 --cols 16 --arch sm_20 --shard 2/2
refuses "c.json: its 'shard.warps' is not that of " --rows 16 --cols 16 --warps --shard 2/2
refuses "c.json: its 'shard.limits' is not that of " --rows 16 --cols 16 --max-ways 2 --shard 2/2
refuses "c.json: a part of 3: " --rows 16 --cols 16 --shard 2/3
refuses "c.json: not a part: it was made without --shard" --rows 16 --cols 16
sed 's/"version" : "[^"]*"/"version" : "0.0.1"/' "$work/b.json" >"$work/c.json"
expect 3 merge "$work/a.json" "$work/c.json"
says 'c.json: made by smembank 0.0.1: this is '
sed 's/"schema_version" : 1/"schema_version" : 2/' "$work/b.json" >"$work/c.json"
expect 3 merge "$work/a.json" "$work/c.json"
says 'c.json: schema_version 2: this program reads 1'
sed 's/"command" : "analyze"/"command" : "explain"/' "$work/b.json" >"$work/c.json"
expect 3 merge "$work/a.json" "$work/c.json"
says "c.json: its 'command' is not that of "
echo '{"schema_version": 1}' >"$work/c.json"
expect 3 merge "$work/a.json" "$work/c.json"
says 'c.json: not a result of smembank'
expect 3 merge "$work/a.json" "$work/none.json"
says 'none.json'

# Counts that nobody wrote.
spoils() { # sed's command MESSAGE
  sed "$1" "$work/b.json" >"$work/c.json"
  ! cmp -s "$work/b.json" "$work/c.json" || die "nothing to spoil: $1"
  expect 3 merge "$work/a.json" "$work/c.json"
  says "$2"
}
spoils 's/"counts" : {/"counts" : {"more":1,/' 'shard.counts.more: no such member'
spoils 's/"sites" : \[/"sites" : 1, "site" : [/' 'c.json: '
spoils 's/"op_class" : [0-9]*/"op_class" : 7/' 'c.json: shard.counts.sites[0].op_class: 7: expected a whole number from 0 to 2'
spoils 's/"worst" : "st /"worst" : "no /' "c.json: "
spoils 's/"idle_place" : \[0/"idle_place" : [0, 0/' 'expected an array of 4 values'
spoils 's/"idle_place" : \[0, 0, 0, 0/"idle_place" : [0, 0, 0, 999/' 'a place that no part of a launch has'
spoils 's/"site" : [0-9]*/"site" : 999999999/' '.site: 999999999: expected a whole number from 0 to 262143'
counts='/"counts" : {/,$'
spoils "$counts"'s/"constant" : \[\]/"constant" : 1/' 'c.json: shard.counts.constant: 1: expected an array'
spoils "$counts"'s/"warnings" : \[\]/"warnings" : 1/' 'c.json: shard.counts.warnings: 1: expected an array'
spoils "$counts"'s/"warnings" : \[\]/"warnings" : [{"kind":0,"site":0,"other":99,"block":0,"message":"m"}]/' 'c.json: shard.counts.warnings[0]: a place that no part of a launch has'
spoils 's/"worst" : "st .*"/"worst" : 1/' 'c.json: shard.counts.shared[0].worst: 1: expected a text'
spoils 's/"worst" : "st .*"/"worst" : "# none"/' 'c.json: shard.counts.shared[0].worst: "# none": expected a request'
spoils 's/"tally" : \[1, /"tally" : [0, /' 'c.json: shard.counts.shared[0]: numbers of requests that no part of a launch has'
spoils 's/"block" : \[[0-9]*/"block" : [[1]/' "c.json: its 'kernel' is not that of "
# Requests that are missing, of which no warning says why.
sed 's/"uncounted" : 0/"uncounted" : 5/' "$work/b.json" >"$work/d.json"
expect 0 merge "$work/a.json" "$work/d.json"
shows 'not counted: requests are missing'
sed 's/"block" : \[[0-9]*/"block" : [[1]/' "$work/a.json" >"$work/d.json"
expect 3 merge "$work/d.json" "$work/c.json"
says 'd.json: kernel.block[0]: [1]: expected a whole number from 1'
[ "$(wc -l <"$work/err")" -eq 1 ] || die "more than one message: $(cat "$work/err")"
# Where copies come from, and variants.
for k in 1 2; do
  expect 0 analyze "$work/copy.ptx" --block 32 --grid 9 --shard "$k/2" --format json
  cp "$work/out" "$work/$([ "$k" -eq 1 ] && echo a || echo b).json"
done
spoils 's/"source" : \[0/"source" : ["x"/' '.source[0]: "x": expected a whole number from 0 to 65535'
spoils "$counts"'s/"variants" : \[\]/"variants" : 1/' 'variants: 1: expected an array'
# shellcheck disable=SC2016 # up to the last line
spoils '/"variants" : \[/,$s/"blocks" : [0-9]*/"blocks" : -1/' 'c.json: shard.counts.variants[0].blocks: -1: expected a whole number from 0'
# shellcheck disable=SC2016
spoils '/"variants" : \[/,$s/"column" : 3,/"column" : 4,/' 'the parts are of different kernels'
spoils "$counts"'s/"column" : 3,/"column" : 4,/' 'the parts are of different kernels'
