#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# analyze: tiles, built-in kernels and files, in every format, and every kind of bad input.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# One word of padding does not do for a 16 x 32 tile read by columns, two do.
pad1='--rows 16 --cols 32 --pad 1'
# shellcheck disable=SC2086 # several words
tile() {
  expect 0 analyze $pad1 "$@"
  quiet
}
tile
golden pad1.txt
tile --warps
golden pad1-warps.txt
tile --annotate
golden pad1-annotate.txt
tile --format json
is_json
golden pad1.json
tile --format csv
golden pad1.csv
tile --format csv --warps
awk -F, 'NF != 31 { exit 1 }' "$work/out" || die 'a row of CSV without all its fields'
expect 0 analyze --rows 16 --cols 32 --pad 2
golden pad2.txt
expect 0 analyze --rows 8 --cols 8 --elem float4 --dynamic
golden float4.txt
expect 0 analyze --rows 32 --cols 32 --write col --read row
shows 'tile[idx % ROWS][idx / ROWS]    store        32        1024     32     992  32-way'
expect 0 analyze --rows 32 --cols 32 --arch sm_30_8B --elem int
shows '16-way'
expect 0 analyze --rows 1 --cols 1
expect 0 analyze --rows 1024 --cols 1 --elem char
expect 0 analyze --rows 1 --cols 1024 --elem double

# What a person sees of it: the verdict alone, some rows, some tables, in another order.
view='--kernel transposeSmem --shape ragged'
# shellcheck disable=SC2086
views() { # ARGUMENT...
  expect 0 analyze $view "$@"
  quiet
}
views -q
[ "$(wc -l <"$work/out")" -eq 1 ] || die "$last: $(cat "$work/out")"
shows 'Bank conflicts: '
views --format markdown --quiet
grep -q '^|' "$work/out" && die "$last: a table: $(cat "$work/out")"
views --tables global
grep -q 'shared access' "$work/out" && die "$last: $(cat "$work/out")"
shows 'global access'
tells 'The costliest access is '
views --tables shared,other
grep -q 'global access' "$work/out" && die "$last: $(cat "$work/out")"
views --top 1
[ "$(grep -c ' more row not shown: --top 1' "$work/out")" -eq 2 ] || die "$last: $(cat "$work/out")"
grep -E 'tile\[.*(store|load)' "$work/out" | head -n 1 | grep -q store || die "$last: not the first line: $(cat "$work/out")"
views --top 1 --sort excess
grep -E 'tile\[.*(store|load)' "$work/out" | head -n 1 | grep -q '16-way' || die "$last: not the worst: $(cat "$work/out")"
views --top 1 --sort excess --format markdown
shows '1 more row not shown: --top 1'
shows '16-way'
# shellcheck disable=SC2086
{
  expect 2 analyze $view --top 0
  says "--top '0': expected a whole number from 1"
  expect 2 analyze $view --sort bytes
  says "--sort 'bytes'"
  expect 2 analyze $view --tables shared,banks
  says "--tables 'shared,banks': expected some of shared,global,constant,other"
  expect 2 analyze $view --top 1 --format json
  says '--top is for --format text or markdown'
  expect 2 analyze $view -q --annotate
  says 'not with --quiet'
}

# Built-in kernels: many blocks, global memory in sectors and in lines, shapes by block.
expect 0 analyze --kernel transposeSmem --shape ragged
golden transpose-ragged.txt
expect 0 analyze --kernel naiveGmem --shape 32x16
golden naive.txt
expect 0 analyze --kernel naiveGmem --shape 32x16 --arch sm_20
golden naive-sm_20.txt
expect 0 analyze --kernel setRowReadColPad --block 32,16 -D IPAD=1
shows '2-way'
expect 0 analyze --kernel setRowReadColPad --block 32,16 -DIPAD=2 --grid 7,2
shows 'grid 7x2'
shows 'No bank conflicts: '
for threads in 1 3; do
  expect 0 analyze --kernel transposeSmemPad --shape 16x16 --threads "$threads" --format json
  cp "$work/out" "$work/threads$threads"
done
cmp "$work/threads1" "$work/threads3" || die 'the result depends on the number of threads'

# Blocks that make the same requests as others are not run, unless one of them differs.
cat >"$work/many.cu" <<'END'
__global__ void transpose(float *out, const float *in, int w, int h) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[(size_t)y * w + x];
  __syncthreads();
  if (x < h && y < w) out[(size_t)y * h + x] = tile[threadIdx.x][threadIdx.y];
}
END
expect 0 analyze "$work/many.cu" --block 32,32 --grid 1000,1000 --arg w=32000 --arg h=32000
shows 'store  32000000    32000000  32000000          0   1-way'
shows 'load   32000000  1024000000  32000000  992000000  32-way'
shows 'Counted 1 of 1000000 blocks: the others make the same requests.'
expect 0 analyze "$work/many.cu" --block 32,32 --grid 1000,1000 --arg w=32000 --arg h=32000 --max-blocks 1 --format json
shows '"blocks_counted" : 1,'
is_json
expect 0 analyze "$work/many.cu" --block 32,32 --grid 1000,1000 --arg w=31999 --arg h=31000 --annotate
shows ' of 1000000 blocks: the others'
expect 0 analyze "$work/many.cu" --block 32,32 --grid 67108863 --arg w=9 --arg h=9
shows ' of 67108863 blocks: the others'
printf '__global__ void k(int *o) { __shared__ int s[32]; s[threadIdx.x] = o[threadIdx.x]; }' >"$work/many.cu"
expect 0 analyze "$work/many.cu" --grid 2147483647
shows 'Counted 1 of 2147483647 blocks'
expect 2 analyze "$work/many.cu" --grid 2147483647,3
says 'a grid of 6442450941 blocks: at most 1048576 are run (--max-blocks allows more)'
printf '__global__ void k(int *o) { __shared__ int s[32]; s[o[blockIdx.x] %% 32] = 1; }' >"$work/data.cu"
expect 0 analyze "$work/data.cu" --grid 1000
shows 'grid 1000'
grep -q '^Counted' "$work/out" && die 'a kernel whose requests depend on data is not run in all blocks'
expect 2 analyze "$work/data.cu" --grid 3000000

# The user's own file.
cat >"$work/kernels.cu" <<'END'
#define STRIDE 1
__global__ void strided(float *out, const float *in, int n) {
  __shared__ float t[1024];
  t[threadIdx.x * STRIDE] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n)
    out[threadIdx.x] = t[threadIdx.x * STRIDE];
}
__global__ void count(int *out, const int *in) {
  extern __shared__ int bins[];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 8 * 32], in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}
END
file=$work/kernels.cu
expect 0 analyze "$file" --entry strided --arg n=32
shows 'No bank conflicts: 2 wavefronts'
expect 0 analyze "$file" --entry strided --arg n=8 -D STRIDE=8
shows '8-way'
expect 0 analyze "$file" --entry count --block 256 --dynamic-bytes '256 * 4' --format json
is_json
shows '"atomic"'
expect 0 analyze "$file" --entry count --block 256 --dynamic-bytes 1024
shows 'which serves one lane at a time'
# The copy of a structure is counted as far as its address is known: if that is in a pointer, as an upper bound.
cat >"$work/copies.cu" <<'END'
struct F { float x, y, z, w; };
__global__ void k(const F *in) {
  __shared__ F s[32];
  F *p = s + threadIdx.x;
  *p = in[threadIdx.x];
  s[0] = *p;
}
END
expect 0 analyze "$work/copies.cu" --block 32
says 'copies.cu:5:3: warning: *p copies a structure in accesses of 4 bytes; a compiler may merge them into wider ones: an upper bound, as of 1 other'
expect 0 analyze "$work/copies.cu" --block 32 --format json
shows '"kind" : "merge"'
shows '"exact" : false'
cat >"$work/loops.cu" <<'END'
__global__ void sum(float *out, const float *in) {
  __shared__ float s[32];
  s[threadIdx.x] = 0;
  atomicAdd(&s[threadIdx.x / 2], in[threadIdx.x]);
  out[threadIdx.x] = s[threadIdx.x];
}
END
expect 0 analyze "$work/loops.cu"
tells 'The atomic at line 4 is a loop: its count is a lower bound.'
says 'loops.cu:4:3: warning: atomicAdd(&s[threadIdx.x / 2], in[threadIdx.x]) is a loop of loads and swaps'
expect 0 analyze "$work/loops.cu" --format json
is_json
shows '"exact" : false'
shows '"exact" : true'
shows '"kind" : "loop"'
shows 'lanes 0-1 conflict in bank 0, which lets one lane through in each round of the loop'
tells 'The atomic at line 4 is a loop: its count is a lower bound.'
expect 0 analyze --format csv -D STRIDE=4 --entry strided --arg n=32 --block 32 -- "$file"
quiet
expect 0 analyze "$file" --entry strided --arg n=32 -D NO_SUCH=1
says 'warning: -D NO_SUCH: the text has no such macro'
printf '__global__ void nothing(int *out) { out[threadIdx.x] = 1; }\n' >"$work/global.cu"
expect 0 analyze "$work/global.cu"
shows 'The kernel makes no shared-memory requests.'
printf '__global__ void r(int *o) { __shared__ int t[64]; t[threadIdx.x] = 1; o[0] = t[63 - threadIdx.x]; }\n' \
  >"$work/race.cu"
expect 0 analyze "$work/race.cu" --block 64
says 'race.cu:1:78: warning: race on'
expect 0 analyze "$work/race.cu" --block 64 --format json
shows '"kind" : "race"'

# A limit: the result is written, and the status is 1.
# shellcheck disable=SC2086 # several words
expect 1 analyze $pad1 --max-ways 1
golden pad1.txt
says '/tile.cu:52:14: warning: the load of tile[idx % ROWS][idx / ROWS] is 2-way: more than --max-ways 1'
# shellcheck disable=SC2086 # several words
expect 1 analyze $pad1 --max-ways 1 --format json
is_json
shows '"max_ways" : 1'
shows '"ways" : 2'
tile --max-ways 2
golden pad1.txt
# Lanes that wait for each other on one word are a queue, though their words are the same.
cat >"$work/queue.cu" <<'END'
__global__ void queue(int *out) {
  __shared__ int c[1];
  atomicAdd(&c[0], threadIdx.x);
}
END
expect 1 analyze "$work/queue.cu" --block 32 --max-ways 31
says 'queue.cu:3:3: warning: the atomic of atomicAdd(&c[0], threadIdx.x) queues 32 deep in a bank: more than --max-ways 31'
expect 1 analyze "$work/queue.cu" --block 32 --max-ways 31 --format json
is_json
shows '"ways" : 32'
expect 0 analyze "$work/queue.cu" --block 32 --max-ways 32 --format json
shows '"exceeded" : []'
expect 0 analyze "$work/global.cu" --max-ways 1

# What stands in the margin adds up to what the program counts, for every built-in kernel.
expect 0 list kernels --format csv
tail -n +2 "$work/out" | cut -d , -f 1,2 | tr , ' ' >"$work/kernels"
while read -r name shape; do
  expect 0 analyze --kernel "$name" --shape "$shape" --format csv
  # The expression is the one field that may hold commas: it is taken out with its quotes.
  counted=$(sed 's/"[^"]*"//' "$work/out" | awk -F, 'NR > 1 {
    if ($1 == "shared") { requests += $9; wavefronts += $10; excess += $12 } else segments += $15
  } END { print requests + 0, wavefronts + 0, excess + 0, segments + 0 }')
  expect 0 analyze --kernel "$name" --shape "$shape" --annotate
  # margin FIRST LAST: columns by the place of their heading: each number ends where its heading ends.
  margin=$(awk '
    function number(name) { return substr($0, start[name], end[name] - start[name] + 1) + 0 }
    /^ *requests +wavefronts/ {
      split("requests wavefronts excess sectors worst", names, " ")
      for (i = 1; i <= 5; i++) {
        end[names[i]] = index($0, names[i]) + length(names[i]) - 1
        start[names[i]] = i == 1 ? 1 : end[names[i - 1]] + 1
      }
      table = 1
      next
    }
    !table { next }
    /^-/ { rules++; next }
    rules == 1 { r += number("requests"); w += number("wavefronts"); e += number("excess"); s += number("sectors") }
    rules == 2 && / total$/ { total = number("requests") " " number("wavefronts") " " number("excess") " " number("sectors") }
    END { print r + 0, w + 0, e + 0, s + 0 "; " total }' "$work/out")
  [ "$margin" = "$counted; $counted" ] || die "$name $shape: counted $counted, annotated $margin"
done <"$work/kernels"

# The traps: a column order in a tile of the other shape, and the dynamic size of another block.
cat >"$work/trap.cu" <<'END'
#define BDIMX 32
#define BDIMY 16
__global__ void setColReadCol(int *out) {
  __shared__ int tile[BDIMY][BDIMX];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.x][threadIdx.y];
}
END
expect 3 analyze "$work/trap.cu" --block 32,16
says "trap.cu:6:3: error: tile[threadIdx.x][threadIdx.y]: out of bounds: byte 2048 of 'tile', which has 2048 bytes, by thread (16,0,0)"
says '    6 |   tile[threadIdx.x][threadIdx.y] = idx;'
says '      |   ^'
expect 3 analyze --kernel setRowReadColDynPad --shape rect --dynamic-bytes '(BDIMX + 1) * BDIMY * 4'
says "out of bounds: byte 2112 of 'tile', which has 2112 bytes"
expect 3 analyze --kernel setRowReadColDyn --dynamic-bytes 0

# Wrong usage.
expect 2 analyze
says 'nothing to analyse'
for option in --rows --cols; do
  for value in 0 -1 1025 99999999999999999999 '' x 1e3 0x10; do
    expect 2 analyze --rows 4 --cols 4 "$option" "$value"
    says "$option '$value': expected a whole number from 1 to 1024"
  done
done
for value in -1 1048577 99999999999999999999 '' x; do
  expect 2 analyze --rows 4 --cols 4 --pad "$value"
  says "--pad '$value'"
done
for value in 0 -1 1025 1,1025 1,1,65 99999999999 '' x 1,2,3,4; do
  expect 2 analyze "$file" --entry count --block "$value"
  says "--block '$value'"
done
expect 2 analyze "$file" --entry count --grid 0
expect 2 analyze "$file" --entry count --grid 1,65536
for limit in max-ways max-steps max-depth max-tokens max-memory max-blocks threads; do
  for value in 0 -1 x '' 99999999999999999999; do
    expect 2 analyze --rows 4 --cols 4 "--$limit" "$value"
    says "--$limit '$value'"
  done
done
expect 2 analyze --rows 4
says 'a tile needs both --rows and --cols'
expect 2 analyze --rows 33 --cols 32
says 'a block of 32 x 33 x 1 = 1056 threads: sm_90 has at most 1024'
expect 2 analyze --rows 4 --cols 4 --elem int3
expect 2 analyze --rows 4 --cols 4 --elem ''
expect 2 analyze --rows 4 --cols 4 --elem 'int; int'
expect 2 analyze --rows 4 --cols 4 --write diagonal
says "--write 'diagonal': expected row or col"
expect 2 analyze --rows 4 --cols 4 --block 4,4
expect 2 analyze --rows 4 --cols 4 "$file"
expect 2 analyze --rows 4 --cols 4 --kernel setRowReadRow
expect 2 analyze --kernel setRowReadRow "$file"
expect 2 analyze --kernel nothing
says "no built-in kernel 'nothing'"
expect 2 analyze --kernel setRowReadRow --shape round
says "has no shape 'round': expected one of square, rect"
expect 2 analyze "$file" --kernel count
says 'a kernel of FILE is chosen with --entry NAME'
expect 3 analyze setRowReadCol
says 'the built-in kernel is --kernel setRowReadCol'
printf 'template <int N, typename T = float> __global__ void k(T *o) { __shared__ T s[N * 32]; s[threadIdx.x * N] = 1; o[0] = s[0]; }\n' >"$work/t.cu"
expect 0 analyze "$work/t.cu" --instance 'k<4>' --format csv
shows 'store'
expect 0 analyze "$work/t.cu" --entry k --instance 'k<2,double>'
shows 'k<2, double>'
expect 0 analyze "$work/t.cu" -D N=4
expect 3 analyze "$work/t.cu"
says "choose one with --instance 'k<N, T>'"
expect 2 analyze "$work/t.cu" --instance k
says 'expected NAME<ARGUMENTS>'
expect 2 analyze "$work/t.cu" --entry j --instance 'k<2>'
says 'expected j<ARGUMENTS>'
expect 2 analyze --kernel setRowReadRow --entry setRowReadRow
says '--entry is for a FILE'
expect 2 analyze "$file" --shape square
expect 2 analyze "$file"
says 'has several kernels: strided, count (choose one with --entry)'
expect 2 analyze "$file" --entry nothing
says "has no kernel 'nothing': expected one of strided, count"
expect 2 analyze "$file" --entry strided
says "parameter 'n' (int) of 'strided' needs a value, and the launch needs a block: give --arg n=VALUE --block X,Y,Z"
expect 2 analyze "$file" --entry strided --arg n=32 --arg m=1
says "has no parameter 'm'"
expect 2 analyze "$file" --entry strided --arg n=
expect 2 analyze "$file" --entry strided --arg n=many
expect 2 analyze "$file" --entry strided --arg n
expect 2 analyze "$file" --entry strided --arg n=32 --arg out=1
says "parameter 'out' is a pointer"
# A number that does not fit is refused, never cut.
cat >"$work/numbers.cu" <<'END'
__global__ void numbers(int *out, int n, long m, unsigned long long u, float f) {
  __shared__ int s[32];
  s[threadIdx.x] = n + (int)m + (int)u + (int)f;
  out[threadIdx.x] = s[threadIdx.x];
}
END
set -- --arg n=1 --arg m=1 --arg u=1 --arg f=1
for wrong in n=99999999999999999999 n=0x7fffffffffffffffff n=2147483648 m=18446744073709551615 \
  m=-9223372036854775809 u=-1 u=18446744073709551616 f=1e99 f=1e999; do
  expect 2 analyze "$work/numbers.cu" "$@" --arg "$wrong"
  says "argument '$wrong' does not fit its type, "
done
expect 0 analyze "$work/numbers.cu" --arg n=-2147483648 --arg m=-9223372036854775808 --arg u=18446744073709551615 --arg f=1e-999
for wrong in '65536*65536*65536*65536' '1<<64' '0x7fffffffffffffff+1' '-9223372036854775807-2'; do
  expect 2 analyze "$file" --entry count --dynamic-bytes "$wrong"
  says "--dynamic-bytes '$wrong' is not an integer expression: the value does not fit 64 bits"
done
expect 2 analyze "$file" --entry count --dynamic-bytes 99999999999999999999
says "does not fit 64 bits"
expect 2 analyze "$file" --entry count --dynamic-bytes '1 +'
expect 2 analyze "$file" --entry count --dynamic-bytes -1
expect 2 analyze --rows 4 --cols 4 --annotate --format json
says '--annotate is for --format text'
expect 2 analyze --rows 4 --cols 4 --dynamic=yes
expect 2 analyze "$file" "$file"

# Bad input: shared memory that no block has, files that are no kernels.
expect 3 analyze --rows 4 --cols 4 --pad 1000000
says 'a block on sm_90 has at most 49152'
expect 3 analyze --rows 32 --cols 32 --elem int4 --pad 1000 --dynamic
printf '__global__ void k(int *o) { __shared__ int t[20000]; t[threadIdx.x] = 1; o[0] = t[0]; }\n' >"$work/large.cu"
expect 3 analyze "$work/large.cu"
says "80000 bytes of static shared memory"
expect 3 analyze "$work/missing.cu"
says "$work/missing.cu: No such file or directory"
expect 3 analyze ''
expect 3 analyze "$work"
says "$work: Is a directory"
: >"$work/empty.cu"
expect 3 analyze "$work/empty.cu"
says 'no __global__ function in it'
tail -c 10000 "$SMEMBANK" >"$work/binary.cu"
expect 3 analyze "$work/binary.cu"
says 'not a text'
truncate -s 100M "$work/huge.cu" 2>/dev/null || head -c 104857600 /dev/zero >"$work/huge.cu"
expect 3 analyze "$work/huge.cu"
says 'the file is larger than 67108864 bytes'
rm "$work/huge.cu"
if [ "$(id -u)" -ne 0 ]; then
  cp "$file" "$work/unreadable.cu"
  chmod 0 "$work/unreadable.cu"
  expect 3 analyze "$work/unreadable.cu"
  says 'Permission denied'
fi

# kernel TEXT: a kernel whose shared array is filled with an expression.
kernel() {
  printf '%s\n__global__ void k(int *o) { __shared__ int t[32]; t[threadIdx.x] = %s; }\n' "$1" "$2" >"$work/k.cu"
}
kernel "$(printf '#define A B\n#define B A')" A
expect 3 analyze "$work/k.cu"
says "'A' is not declared"
kernel '#define F(x) F(F(x))' 'F(F(F(F(1))))'
expect 3 analyze "$work/k.cu"
kernel '#define D0 1' D40
i=1
while [ "$i" -le 40 ]; do
  echo "#define D$i (D$((i - 1)) + D$((i - 1)))"
  i=$((i + 1))
done | cat - "$work/k.cu" >"$work/doubling.cu"
expect 3 analyze "$work/doubling.cu"
parentheses=$(head -c 20000 /dev/zero | tr '\0' '(')1$(head -c 20000 /dev/zero | tr '\0' ')')
kernel '' "$parentheses"
expect 3 analyze "$work/k.cu"
says 'nested more than 200 levels deep'
expect 3 analyze "$work/k.cu" --max-depth 2000
says 'nested more than 2000 levels deep'
printf '#if %s\n#endif\n' "$parentheses" | cat - "$file" >"$work/condition.cu"
expect 3 analyze "$work/condition.cu" --entry count
kernel '' "$(head -c 40000 /dev/zero | tr '\0' '-' | sed 's/--/- /g')1"
expect 3 analyze "$work/k.cu"
printf '__global__ void k(int *o) { while (1) ; }\n' >"$work/endless.cu"
expect 3 analyze "$work/endless.cu"
says 'endless.cu:1:'
printf '__global__ void k(int *o) { if (threadIdx.x) __syncthreads(); }\n' >"$work/divergent.cu"
expect 3 analyze "$work/divergent.cu"
printf 'template <int N> __global__ void k(int *o) { }\n' >"$work/template.cu"
expect 3 analyze "$work/template.cu"
says 'template.cu:1:1:'

# Deep nesting does not need the shell's stack; in as many threads as there are blocks.
awk 'BEGIN { printf "__global__ void k(int *o) { __shared__ int s[32]; "; for (i = 0; i < 600; i++) printf "if (1) ";
  printf "s[0] = "; for (i = 0; i < 1500; i++) printf "(1 + "; printf "s[1]"; for (i = 0; i < 1500; i++) printf ")"; print "; }" }' >"$work/deep.cu"
# shellcheck disable=SC3045 # every sh at hand has ulimit -s
(ulimit -s 64; "$SMEMBANK" analyze "$work/deep.cu" --max-depth 2000 --grid 4 --threads 4 --block 32) >"$work/out" 2>"$work/err" ||
  die "64 KiB of stack: $(cat "$work/err")"
shows 's[1]'

# No thread reaches an access: which condition says so, and the values in it.
printf '__global__ void k(float *o, int n, float f) { __shared__ float s[32]; int i = threadIdx.x; if (f > 9) o[1] = 2; if (i >= n) return; s[i] = f; }\n' >"$work/idle.cu"
expect 0 analyze "$work/idle.cu" --block 32 --arg n=-5 --arg f=9.5
shows "The kernel makes no shared-memory requests: 'i >= n' is true for all threads (n = -5)."
says "idle.cu:1:117: warning: no thread reaches an access to shared memory: 'i >= n' is true for all threads (n = -5)"
! grep -q 'nothing was checked' "$work/err" || die "analyze: speaks of a limit"
# A limit is not kept by what does not run; explain and advise say why, too.
expect 1 analyze "$work/idle.cu" --block 32 --arg n=-5 --arg f=9.5 --max-ways 1
says 'smembank analyze: --max-ways 1: nothing was checked'
expect 1 analyze "$work/idle.cu" --block 32 --arg n=-5 --arg f=9.5 --max-ways 1 --format json
shows '"vacuous" : true'
is_json
for words in explain advise 'advise --check Swizzle<3,2,3>'; do
  # shellcheck disable=SC2086 # words are split on purpose
  expect 0 $words "$work/idle.cu" --block 32 --arg n=-5 --arg f=9.5
  shows "The kernel makes no shared-memory requests: 'i >= n' is true for all threads (n = -5)."
  # shellcheck disable=SC2086
  expect 0 $words "$work/idle.cu" --block 32 --arg n=-5 --arg f=9.5 --format json
  shows '"kind" : "idle"'
  is_json
done
# A kernel without shared memory keeps every limit.
printf '__global__ void k(float *o) { o[0] = 1; }\n' >"$work/none.cu"
expect 0 analyze "$work/none.cu" --block 32 --max-ways 1
expect 0 analyze "$work/none.cu" --block 32 --max-ways 1 --format json
shows '"vacuous" : false'
printf '__global__ void k(float *o, unsigned n) { __shared__ float s[32]; for (unsigned i = 0; i < n && n < 4; i++) s[i] = 1; }\n' >"$work/idle.cu"
expect 0 analyze "$work/idle.cu" --arg n=4 --format json
shows "'i < n && n < 4' is false for all threads (n = 4, n = 4)"
shows '"kind" : "idle"'
shows '"kind" : "block"'
says 'warning: a block of one warp is assumed'
is_json
expect 0 analyze "$work/idle.cu" --arg n=3 --block 1
quiet

# Without --block, a kernel's __launch_bounds__ give its block; what cannot be evaluated here gives none.
bounds() {
  printf '#define ROWS 4\n__global__ void __launch_bounds__(%s) k(float *o) { __shared__ float s[2048]; s[threadIdx.x] = 1; }\n' "$1" >"$work/bounds.cu"
}
bounds 'ROWS * 24, 2'
expect 0 analyze "$work/bounds.cu"
shows 'block 96, grid 1'
quiet
expect 0 analyze "$work/bounds.cu" --block 64
shows 'block 64, grid 1'
quiet
for unknown in 'Traits::threads' 'ROWS * 1000' 0; do
  bounds "$unknown"
  expect 0 analyze "$work/bounds.cu"
  shows 'block 32, grid 1'
  says 'warning: a block of one warp is assumed'
done

# The user's own kernels and architectures come before those that are compiled in.
mkdir -p "$work/data/kernels"
sed 's/\[ROWS\]\[COLS + PAD\]/[ROWS][COLS + PAD + 1]/' "$srcdir/data/kernels/tile.cu" >"$work/data/kernels/tile.cu"
SMEMBANK_DATADIR=$work/data
export SMEMBANK_DATADIR
tile
shows 'No bank conflicts: '
shows '2176 bytes of shared memory'
echo 'no kernel' >"$work/data/kernels/tile.cu"
# shellcheck disable=SC2086 # several words
expect 3 analyze $pad1
says 'tile.cu: no __global__ function in it'
SMEMBANK_DATADIR=$work/nowhere
tile
golden pad1.txt

# --- the launch in the text, if nothing else says how the kernel is launched
cat >"$work/launched.cu" <<'END'
constexpr int T = 32;
__global__ void turned(float *out, int n, int m) {
  __shared__ float s[T][T];
  s[threadIdx.x][threadIdx.y] = n + m;
}
template <int N> __global__ void other() {}
void go(float *out, int m) {
  turned<<<dim3(2, 3), dim3(T, T)>>>(out, 4 * T, 5);
}
END
expect 0 analyze "$work/launched.cu" --text -q --entry turned
shows 'Bank conflicts: 5952 of 6144 wavefronts (97%) are in excess.'
says "smembank analyze: launched as line 8 of $work/launched.cu says: --block 32,32 --grid 2,3 --arg n=128 --arg m=5"
! grep -q 'is assumed' "$work/err" || die "$last: $(cat "$work/err")"
expect 0 explain "$work/launched.cu" --text --entry turned
shows 'block 32x32, grid 2x3'
# Not with something that is said, nor if it is not known, or one of several.
expect 0 analyze "$work/launched.cu" --text --entry turned --grid 1 --arg n=1 --arg m=2
says 'a block of one warp is assumed'
expect 0 analyze "$work/launched.cu" --text --entry turned -D OTHER=1 --arg n=1 --arg m=2
says 'a block of one warp is assumed'
sed 's/5);/m);/' "$work/launched.cu" >"$work/open.cu"
expect 2 analyze "$work/open.cu" --text --entry turned
says "parameter 'm' (int) of 'turned' needs a value"
expect 0 analyze "$work/open.cu" --text --entry turned --arg m=4
says "says: --block 32,32 --grid 2,3 --arg n=128"
sed 's/dim3(T, T)/dim3(T, m)/' "$work/launched.cu" >"$work/open.cu"
expect 2 analyze "$work/open.cu" --text --entry turned
says "parameters 'n' (int), 'm' (int) of 'turned' need values, and the launch needs a block"
echo 'void more(float *out) { turned<<<1, 32>>>(out, 1, 2); }' | cat "$work/launched.cu" - >"$work/several.cu"
expect 2 analyze "$work/several.cu" --text --entry turned
says 'the launch needs a block'
