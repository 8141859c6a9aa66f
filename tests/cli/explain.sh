#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# explain: every kind of request in every format, which access and which request is chosen, and every kind of
# bad input.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# The tile of 16 x 32: one element of padding does not do, two do.
pad1='--rows 16 --cols 32 --pad 1'
# shellcheck disable=SC2086 # several words
expect 0 explain $pad1
quiet
golden explain-pad1.txt
# shellcheck disable=SC2086 # several words
expect 0 explain $pad1 --format json
is_json
golden explain-pad1.json
# shellcheck disable=SC2086 # several words
expect 0 explain $pad1 --format csv
golden explain-pad1.csv
[ "$(wc -l <"$work/out")" -eq 33 ] || die 'not a row for each lane'
awk -F, 'NF != 12 { exit 1 }' "$work/out" || die 'a row of CSV without all its fields'
expect 0 explain --rows 16 --cols 32 --pad 2 --line 52
golden explain-pad2.txt
tells 'Lanes 0-15 take the 16 even banks and lanes 16-31 the 16 odd banks. They have no bank in common.'

# The present padding is what --pad says, and -D in its place; also of dynamic memory, and if it is large.
expect 0 explain --rows 16 --cols 32 --pad 12
tells 'tile has rows of 32 elements and 12 of padding.'
shows '12   2816'
expect 0 explain --rows 16 --cols 32 --pad 3 -D PAD=1 --dynamic
tells 'dyn_tile has rows of 32 elements and 1 of padding.'

# Kepler's two modes, and the first devices.
expect 0 explain --rows 16 --cols 16 --pad 1 --arch sm_30_4B
golden explain-sm_30_4B.txt
expect 0 explain --rows 16 --cols 32 --pad 1 --arch sm_30_8B
golden explain-sm_30_8B.txt
expect 0 explain --rows 16 --cols 16 --elem char --arch sm_10 --op load
tells 'In each wavefront one word is broadcast to all lanes that access it; each other bank serves one'

expect 0 explain --rows 16 --cols 16 --elem char --arch sm_10 --op store
tells 'lane 0 writes byte 0, lane 1 byte 1, lane 2 byte 2'

# Bytes: lanes share words.
expect 0 explain --rows 16 --cols 64 --elem char
golden explain-char.txt

cat >"$work/kernels.cu" <<'END'
__global__ void rows(float4 *out, const float4 *in) {
  __shared__ __align__(16) float a[64][64];
  int t = threadIdx.x;
  *(float4 *)&a[t][0] = in[t];
  __syncthreads();
  out[t] = *(float4 *)&a[t / 2][0];
}
__global__ void stream(float4 *out, const float4 *in) {
  __shared__ float4 a[32];
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  out[t] = a[t / 2];
}
__global__ void reduce(int *out, const int *in) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int i = 2 * d * t;
    if (i < 256)
      s[i] += s[i + d];
    __syncthreads();
  }
  out[t] = s[0];
}
__global__ void atomics(int *out, const int *in) {
  __shared__ int bins[64];
  __shared__ float sums[64];
  int t = threadIdx.x;
  bins[t] = bins[t + 32] = 0;
  sums[t] = sums[t + 32] = 0;
  __syncthreads();
  atomicAdd(&bins[t % 4 * 16], in[t]);
  atomicCAS(&bins[t % 2], 0, t);
  atomicAdd(&bins[t % 4], 1);
  atomicAdd(&sums[t / 2], 1.0f);
  __syncthreads();
  out[t] = bins[t] + (int)sums[t];
}
__global__ void swizzle(int *out, const int *in) {
  __shared__ int tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x ^ y] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x][y ^ x];
}
__global__ void one(int *out) {
  __shared__ int n;
  if (threadIdx.x == 0)
    n = 1;
  __syncthreads();
  out[threadIdx.x] = n;
}
__global__ void global(int *out) {
  out[threadIdx.x] = 1;
}
__global__ void pairs(float *out) {
  __shared__ float4 a[64];
  float4 v = a[threadIdx.x / 2 % 4 * (threadIdx.x / 2 % 4 == 1 ? 8 : 1)];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
END
file=$work/kernels.cu
# in_place NAME: as golden, with the name of the file as it is everywhere.
in_place() {
  sed "s|$file|kernels.cu|" "$work/out" >"$work/out.fixed"
  mv "$work/out.fixed" "$work/out"
  golden "$1"
}
# 128 bits: quarter-warps, alignment, merged pairs and the two ideals.
expect 0 explain "$file" --entry rows --line 4
in_place explain-float4.txt
tells '8 lanes of 16 bytes fill all 32 banks'
tells 'invalid: misaligns the 16-byte access of line 4'
expect 0 explain "$file" --entry stream --line 13
in_place explain-merged.txt
expect 0 explain "$file" --entry pairs --block 32
tells 'uses the merged ones, 2, as here; the Source view of Nsight Compute uses the bytes that lanes access, 4.'
expect 0 explain "$file" --entry stream --line 11
tells 'No conflict'
tells 'that is 4.0-way here, and 4.0-way without a conflict.'

cat >"$work/cube.cu" <<'END'
__global__ void cube(int *out) {
  __shared__ int before[3];
  __shared__ int cube[4][5][6];
  before[0] = 1;
  cube[threadIdx.z][threadIdx.y][threadIdx.x] = 1;
  out[0] = cube[threadIdx.z][threadIdx.y][threadIdx.x] + before[0];
}
END
expect 0 explain "$work/cube.cu" --block 6,5,4 --line 5 --warp 1
tells 'It accesses cube[1][0][2], at byte 12 + ((1 * 5 + 0) * 6 + 2) * 4 = 140: word 140 / 4 = 35, bank 35 mod 32 = 3.'

# Numbers are told once, and in the singular where they are one.
cat >"$work/even.cu" <<'END'
__global__ void even(int *out) {
  __shared__ int a[64];
  a[threadIdx.x * 2] = 1;
}
END
expect 0 explain "$work/even.cu"
tells 'The 16 even banks need more than one wavefront, at most 2.'
tells 'With a padding of 1 all accesses of a together take 1 wavefront instead of 2.'

# A reduction: an array of one dimension, several accesses on one line, loads and stores in one place.
expect 0 explain "$file" --entry reduce --block 256
in_place explain-reduce.txt
expect 0 explain "$file" --entry reduce --block 256 --row 32
tells 's has rows of 32 elements.'
expect 2 explain "$file" --entry reduce --block 256 --row 256
says "--row '256': expected less than the 256 elements of s"
expect 2 explain "$file" --entry rows --row 32
says "--row '32': a already has rows"
expect 2 explain --rows 16 --cols 32 --dynamic --row 8
says "--row '8': dyn_tile already has rows"
expect 0 explain "$file" --entry reduce --block 256 --line 23
tells 'Of the 3 accesses asked for, the one with the most excess wavefronts'
expect 0 explain "$file" --entry reduce --block 256 --line 23 --op store
shows 'store of s[i]'
tells 'The access is this store.'
expect 0 explain "$file" --entry reduce --block 256 --line 23 --column 15
shows 'load of s[i + d]'
expect 0 explain "$file" --entry reduce --block 256 --line 18 --warp 5
tells 'Lane 0 of warp 5 is thread (160,0,0). It accesses s[160], at byte 160 * 4 = 640:'
expect 0 explain "$file" --entry reduce --block 256 --grid 4 --line 18
tells 'Below is the request of warp 0, made 4 times'
expect 0 explain "$file" --entry reduce --block 256 --line 23 --op store
tells 'Below is the costliest request of warp 0: 8 wavefronts instead of 1.'
expect 0 explain "$file" --entry reduce --block 256 --grid 4 --line 18
tells 'If one multiprocessor ran all 4 blocks, the requests of this access would keep its shared-memory pipe busy for at least 32 cycles'

# Atomics: they queue, twice as long for a swap; additions of one are free; of floats a loop.
expect 0 explain "$file" --entry atomics --line 35
in_place explain-atomic.txt
expect 0 explain "$file" --entry atomics --line 36
tells 'Each pass takes 2 wavefronts.'
expect 0 explain "$file" --entry atomics --line 37
tells 'Their additions are made at once'
expect 0 explain "$file" --entry atomics --line 38
in_place explain-loop.txt
says 'is a loop of loads and swaps'

cat >"$work/max.cu" <<'END'
__global__ void most(unsigned long long *out) {
  __shared__ unsigned long long u[32];
  u[threadIdx.x] = 0;
  atomicMax(&u[threadIdx.x / 8], 5ull);
  atomicAdd(&u[threadIdx.x / 2], 5ull);
  out[threadIdx.x] = u[threadIdx.x];
}
END
expect 0 explain "$work/max.cu" --line 4
tells 'only its first load is counted. A load of 8 bytes per lane'
tells 'It is read once and given to all of them'
tells 'These counts are lower bounds: the access is a loop.'
expect 0 explain "$work/max.cu" --line 5
tells 'they swap by half-warps, one after the other.'
tells 'the load is served by the warp.'

# No reason is made up where there is no structure; nothing to pad; nothing at all.
expect 0 explain "$file" --entry swizzle --block 32,32 --line 47 --warp 5
tells 'The offsets have neither one stride nor runs of lanes with one'
tells 'No conflict'
expect 0 explain "$file" --entry one
tells 'n is a single variable: there are no rows to pad.'
tells 'Only one lane is active: there is no stride.'
expect 0 explain "$file" --entry global
tells 'The kernel makes no shared-memory requests.'
expect 0 explain "$file" --entry global --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || die 'rows of CSV without an access'
expect 0 explain "$file" --entry global --format json
is_json

# What is shown.
# shellcheck disable=SC2086 # several words
expect 0 explain $pad1 --all-lanes
[ "$(grep -cE '^ +[0-9]+  \([0-9]+,0,0\)  ' "$work/out")" -eq 32 ] || die 'not all lanes'
# shellcheck disable=SC2086 # several words
expect 0 explain $pad1 --lanes 31,0-2
[ "$(grep -cE '^ +(0|1|2|31)  \([0-9]+,0,0\)  ' "$work/out")" -eq 4 ] || die 'not these lanes'
shows '28 more lanes'
expect 0 explain "$work/even.cu" --block 20 --lanes 20-31
shows 'None of the lanes asked for is active.'
# shellcheck disable=SC2086 # several words
expect 0 explain $pad1 --passes --svg "$work/map.svg"
shows 'wavefront 1 of 2'
shows 'wavefront 2 of 2'
grep -q '^<svg ' "$work/map.svg" || die 'no picture'

# Every access of every built-in kernel can be explained.
expect 0 list kernels --format csv
tail -n +2 "$work/out" | cut -d , -f 1,2 | tr , ' ' >"$work/kernels"
while read -r name shape; do
  expect 0 analyze --kernel "$name" --shape "$shape" --format csv
  grep '^shared' "$work/out" | cut -d , -f 2,3,5- | sed 's/"[^"]*"//' >"$work/accesses" || true
  while IFS=, read -r line column op rest; do
    expect 0 explain --kernel "$name" --shape "$shape" --line "$line" --column "$column" --op "$op"
    shows "${name}.cu:$line:$column: $op of"
    [ -n "$rest" ]
  done <"$work/accesses"
done <"$work/kernels"

# Wrong usage.
expect 2 explain
says 'nothing to analyse'
for option in line column warp row; do
  for value in -1 x '' 99999999999999999999; do
    expect 2 explain --rows 4 --cols 4 "--$option" "$value"
    says "--$option '$value'"
  done
done
expect 2 explain --rows 4 --cols 4 --line 0
expect 2 explain --rows 4 --cols 4 --line 1
says "--line '1': no access to shared memory on it is counted: expected one of 48, 52"
expect 2 explain --rows 4 --cols 4 --column 3
says "--column '3': expected --line N as well"
expect 2 explain --rows 4 --cols 4 --line 48 --column 99
says 'line 48 has no such access to shared memory: expected a store at column 3'
expect 2 explain --rows 4 --cols 4 --line 48 --op load
says 'expected a store at column 3'
expect 2 explain --rows 4 --cols 4 --op atomic
says "--op 'atomic': the kernel makes no such request of shared memory"
expect 2 explain --rows 4 --cols 4 --op move
says "--op 'move': expected load, store or atomic"
expect 2 explain --rows 16 --cols 32 --warp 16
says "--warp '16': it makes no request at line 52: expected one of 0, 1, 2"
expect 2 explain --rows 16 --cols 32 --warp 32
expect 2 explain "$file" --entry global --line 3
says 'the kernel makes no shared-memory requests at all'
expect 2 explain "$file"
says 'choose one with --entry'
for lanes in '' x 32 3-1 1- -1 1,,2 0-1-2; do
  expect 2 explain --rows 4 --cols 4 --lanes "$lanes"
  says "--lanes '$lanes': expected lanes from 0 to 31"
done
expect 2 explain --rows 4 --cols 4 --lanes 0 --format csv
says '--lanes is for --format text'
for option in all-lanes passes; do
  expect 2 explain --rows 4 --cols 4 "--$option" --format json
  says "--$option is for --format text"
done

# Bad input, and a picture that cannot be written.
expect 3 explain "$work/missing.cu"
says "$work/missing.cu: No such file or directory"
expect 3 explain --rows 4 --cols 4 --svg "$work/no/such/folder.svg"
says '--svg: '
mkdir "$work/folder.svg"
expect 3 explain --rows 4 --cols 4 --svg "$work/folder.svg"
cp "$file" "$work/kept.cu"
for name in "$file" /dev/null '' x.svg.cu; do
  expect 2 explain "$file" --entry stream --svg "$name"
  says "--svg '$name': expected a name that ends in .svg"
done
cmp -s "$file" "$work/kept.cu" || die 'the kernel was written over'
expect 2 explain "$file" --entry global --svg "$work/none.svg"
says 'there is nothing to draw'
# A link stays one, and so does a pipe (or a device: root could put a file in its place).
ln -s map.svg "$work/link.svg"
expect 0 explain --rows 4 --cols 4 --svg "$work/link.svg"
[ -L "$work/link.svg" ] || die 'the link is none any more'
grep -q '^<svg ' "$work/map.svg" || die 'no picture behind the link'
mkfifo "$work/pipe.svg"
cat "$work/pipe.svg" >"$work/piped" &
expect 0 explain --rows 4 --cols 4 --svg "$work/pipe.svg"
[ -p "$work/pipe.svg" ] || { kill $!; die 'the pipe is none any more'; }
wait
grep -q '^<svg ' "$work/piped" || die 'no picture from the pipe'

# A verdict holds for what is counted, and the rest is told, in the result as well as in warnings.
cat >"$work/depends.cu" <<'END'
__global__ void depends(int *out, const unsigned *in) {
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 64], 1);
}
END
expect 0 explain "$work/depends.cu" --block 64
tells 'No access has bank conflicts with the contents assumed; the first is this store.'
tells 'all shared accesses take 4 with the contents assumed.'
tells "Other accesses The addresses of 'atomicAdd(&bins[in[threadIdx.x] % 64], 1)' depend on the contents of 'in', which are not known"
expect 0 explain "$work/depends.cu" --block 64 --buffer in=iota:i32
tells 'No access has bank conflicts; the first is this store.'
! grep -q 'Other accesses' "$work/out" || die "explain: all is known: $(cat "$work/out")"
cat >"$work/skipped.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry skipped(.param .u64 in) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .shared .u32 s[32];
  ld.param.u64 %rd1, [in];
  ld.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra END;
  st.shared.u32 [s], %r1;
END:
  ret;
}
END
missing="1 request of st.shared.u32 [s], %r1 at line 13 is not counted: whether it is executed depends on the contents of parameter 0 ('in'), loaded at line 10: give --buffer 0=SPEC."
for command in explain advise; do
  expect 0 $command "$work/skipped.ptx" --block 32 --unknown skip
  tells 'No shared-memory request is counted.'
  tells "$missing"
done
# A trace says so in a comment.
expect 0 trace --from "$work/skipped.ptx" --block 32 --unknown skip
says 'no shared-memory request of skipped is counted'
shows "# $missing"
sed 's/^  @%p bra END;/  st.shared.u32 [s+4], 1;\n&/' "$work/skipped.ptx" >"$work/partly.ptx"
expect 0 trace --from "$work/partly.ptx" --block 32 --unknown skip
[ "$(tail -n 1 "$work/out" | cut -c 1-38)" = '# 1 request of st.shared.u32 [s], %r1 ' ] || die "trace: $(cat "$work/out")"
cp "$work/out" "$work/partly.trace"
expect 0 trace "$work/partly.trace" --format json
shows '"requests" : 1'
expect 0 explain "$work/partly.ptx" --block 32 --unknown skip --format json
shows 'No access has bank conflicts in the requests that are counted; the first is this store.'
is_json

# Boxes of tensors and operands of products: of a kernel without requests all of them, else those of a line.
expect 0 explain "$srcdir/tests/data/capture/hopper.capture" --launch 4
sed "1s,$srcdir/,," "$work/out" >"$work/named" && mv "$work/named" "$work/out"
golden explain-boxes.txt
expect 0 explain "$srcdir/tests/data/capture/hopper.capture" --launch 3 --line 70 --svg "$work/box.svg"
shows 'The box that UTMALDG.2D copies at /src/kernel/hopper.cu:70'
tells 'If threads read these rows by ldmatrix, or write them by stmatrix, that takes 4 wavefronts, 0 of them in excess.'
grep -q 'data-byte="0"' "$work/box.svg" || die "the picture: $(cat "$work/box.svg")"
expect 0 explain "$srcdir/tests/data/capture/hopper.capture" --launch 3 --line hopper.cu:119
shows 'Operand B of HGMMA.64x64x16.F32 at /src/kernel/hopper.cu:119'
expect 0 explain "$srcdir/tests/data/capture/hopper.capture" --launch 3
shows 'store of STSM.16.M88.4'
if grep -q Operand "$work/out"; then die "boxes of other lines: $(cat "$work/out")"; fi
expect 2 explain "$srcdir/tests/data/capture/hopper.capture" --launch 3 --line 71
