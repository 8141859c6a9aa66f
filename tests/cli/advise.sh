#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise: layouts of tiles, built-in kernels and files in every format; what is rewritten, and what is
# refused; --check, --tune, and --measure on a made-up GPU.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# A tile in every format.
for format in text json csv; do
  expect 0 advise --rows 16 --cols 32 --format "$format"
  quiet
  case $format in
  text) golden advise-tile.txt ;;
  json)
    is_json
    golden advise-tile.json
    ;;
  csv)
    golden advise-tile.csv
    # The fields that may hold commas stand in quotes.
    sed 's/"[^"]*"/x/g' "$work/out" | awk -F, 'NF != 18 { exit 1 }' || die 'a row of CSV without all its fields'
    ;;
  esac
done
expect 0 advise --rows 16 --cols 32 --pad 2
shows 'No bank conflicts: 32 wavefronts, the minimum for these accesses.'
# The verdict comes first, with one layout of each kind; the rest with --all, what columns mean with -v.
expect 0 advise --rows 32 --cols 32
shows 'Change line 44 to [COLS + PAD + 1]: 1056 -> 64 wavefronts, +128 bytes of shared memory.'
shows 'Or apply Swizzle<5,0,5> in lines 48 and 52: 1056 -> 64 wavefronts.'
shows 'Searched 2950 layouts. Best: 64 wavefronts (now 1056), reached by 895.'
! grep -q 'pad 3' "$work/out" || die "$last: shows a layout that is no better"
! grep -q 'Wavefronts of each access' "$work/out" || die "$last: shows what --all shows"
! grep -q 'not run times' "$work/out" || die "$last: explains the columns"
[ "$(wc -l <"$work/out")" -lt 35 ] || die "$last: is long"
expect 0 advise --rows 32 --cols 32 --all
shows 'pad 3'
shows 'Wavefronts of each access'
expect 0 advise --rows 32 --cols 32 -v
shows 'Wavefront counts are not run times'
expect 0 advise --rows 32 --cols 32 --only pad --top 5
shows 'pad 9'
! grep -q Swizzle "$work/out" || die "$last: shows a swizzle"
expect 0 advise --rows 32 --cols 32 --only both --top 2
shows 'pad 1 + Swizzle<1,0,1>'
expect 0 advise --rows 32 --cols 32 --arch sm_20
expect 0 advise --rows 32 --cols 32 --elem double --arch sm_30_8B

# Dynamic shared memory: its rows are named, or not.
expect 0 advise --kernel setRowReadColDynPad --shape rect -D IPAD=1 --row 33
golden advise-dynamic.txt
expect 0 advise --rows 32 --cols 32 --dynamic
shows 'Launch it with 4224 bytes of dynamic shared memory instead of 4096.'
expect 0 advise --rows 32 --cols 32 --elem float4 --dynamic
shows 'fits'

# Vectors stay whole.
cat >"$work/float4.cu" <<'END'
__global__ void rows(float *out, const float4 *in) {
  __shared__ float s[32][32];
  unsigned t = threadIdx.x;
  for (int k = 0; k < 8; k++)
    *(float4 *)&s[t][k * 4] = in[t * 8 + k];
  __syncthreads();
  for (int k = 0; k < 32; k++)
    out[k * 32 + t] = s[k][t];
}
END
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
expect 0 advise float4.cu
golden advise-float4.txt
shows 'they would split or misalign a vector access'

# Several arrays, each by itself and all together; the text that is written is the one that was evaluated.
cat >matmul.cu <<'END'
#define T 32
__global__ void matmul(float *c, const float *a, const float *b) {
  __shared__ float as[T][T];
  __shared__ float bs[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  as[y][x] = a[y * T + x];
  bs[x][y] = b[y * T + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < T; k++)
    sum += as[x][k] * bs[k][y];
  c[y * T + x] = sum;
}
END
expect 0 advise matmul.cu --block 32,32 --out better.cu
shows 'Together, as: pad 4, bs: pad 1, as CUDA C:'
# Each lane reads a row of as, which a compiler merges into loads of 16 bytes: layouts that let it come first.
shows 'Change line 3 to [T + 4]: 32800 -> 4128 wavefronts, 3072 of them in excess, +512 bytes of shared'
shows '    3+   __shared__ float as[T][T + 4];'
shows '   11+     sum += as[x][k] * bs[k][y ^ k];'
shows '5184 wavefronts for all shared accesses'
shows 'The lanes of as[x][k] at line 11 read consecutive elements. A compiler may merge these into loads of'
shows 'up to 16 bytes: now 8224 wavefronts, instead of 32800 in the text.'
expect 0 advise better.cu --block 32,32 --out same.cu
shows 'Pad 1 is not recommended: 74 % fewer wavefronts in the text, as many with adjacent accesses merged,'
says 'same.cu was not written: no rewritten kernel is better'
[ ! -e same.cu ] || die "$last: wrote a file"
expect 0 advise matmul.cu --block 32,32 --array bs
! grep -q 'as\[32\]' "$work/out" || die "$last: tells of another array"
expect 3 advise matmul.cu --block 32,32 --out missing/better.cu
# The kernel's own file is not written over, and lines that no longer fit the new text are told.
cp matmul.cu own.cu
ln -s own.cu link.cu
for out in own.cu ./own.cu link.cu; do
  expect 2 advise own.cu --block 32,32 --out "$out"
  says "--out '$out' would overwrite the input file own.cu: expected another file"
done
cmp own.cu matmul.cu || die "$last: the kernel's own file has changed"
cat >two.cu <<'END'
__shared__ int s[32][32];
__global__ void first(int *out) {
  s[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
__global__ void second(int *out) {
  out[0] = s[1][0];
}
END
expect 0 advise two.cu --entry first --block 32,32 --out two-better.cu
says 'two-better.cu: Line 8 mentions s in code that was not run'

# One line.
expect 0 advise --rows 32 --cols 32 -q
shows 'tile: pad 1: 1056 -> 64 wavefronts.'
expect 0 advise --rows 32 --cols 32 --pad 1 -q
shows 'Nothing is recommended: there are no bank conflicts.'
expect 2 advise --rows 32 --cols 32 -q --all
says '--quiet shows one line: it cannot be combined with'

# What cannot be rewritten from its text, and branches that are not evaluated.
cat >hand.cu <<'END'
__global__ void hand(float *out, const float *in) {
  extern __shared__ float s[];
  float *p = threadIdx.x < 64 ? s + threadIdx.x : out;
  p[threadIdx.x * 31] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 32];
}
END
expect 0 advise hand.cu --dynamic-bytes 4096
golden advise-hand.txt
expect 0 advise hand.cu --dynamic-bytes 4096 --format json
is_json
shows '"holds" : false'
expect 0 advise --rows 32 --cols 32
shows 'Lines 46 and 54 mention tile in code that was not run'

# Columns that this launch leaves alone are no padding to take away: the next launch may need them.
cat >guard.cu <<'END'
__global__ void guard(float *out, const float *in, int n) {
  __shared__ float s[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  if (x < n && y < n)
    s[y][x] = in[y * n + x];
  __syncthreads();
  if (x < n && y < n)
    out[y * n + x] = s[x][y];
}
END
for n in 28 30 31 32; do
  expect 0 advise guard.cu --block 32,32 --arg "n=$n" --out "guard-$n.cu"
  ! grep -q 'no padding' "$work/out" || die "$last: takes columns for padding"
  expect 0 analyze "guard-$n.cu" --block 32,32 --arg n=32
  shows 'No bank conflicts: '
done

# A vector access that this launch does not make stays whole as well, or the rewriting is refused.
cat >other.cu <<'END'
__global__ void other(float *out, const float *in, int vectors) {
  __shared__ float s[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  if (vectors) {
    if (x < 8)
      *(float4 *)&s[y][x * 4] = *(const float4 *)&in[y * 32 + x * 4];
  } else {
    s[y][x] = in[y * 32 + x];
  }
  __syncthreads();
  out[y * 32 + x] = s[x][y];
}
END
expect 0 advise other.cu --block 32,32 --arg vectors=0
shows "other.cu:6:19: this 16-byte access to 's' would be split or misaligned"
! grep -q 'as CUDA C' "$work/out" || die "$last: tears a vector"
expect 0 advise other.cu --block 32,32 --arg vectors=1
shows 'as CUDA C'

# More than a static array may take.
cat >big.cu <<'END'
__global__ void big(float *out, const float *in) {
  __shared__ float a[384][32];
  a[threadIdx.x][0] = in[threadIdx.x];
  a[threadIdx.x][31] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x][0] + a[threadIdx.x][31];
}
END
expect 0 advise big.cu --block 384 --only pad
shows 'opt-in'
shows 'a block has at most 49152 bytes of static shared memory: declare a as a one-dimensional extern array'
# Functions, a file-scope array, an index that is not written twice, and a linkage before the kernel.
cat >calls.cu <<'END'
__shared__ int g[32][32];
__device__ int get(int r, int c) { return g[r][c]; }
extern "C" __global__ void calls(int *out, const int *in) {
  int k = threadIdx.x;
  g[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  int next = g[k++][threadIdx.y];
  out[threadIdx.y * 32 + threadIdx.x] = get(threadIdx.x, threadIdx.y) + next + k;
}
END
expect 0 advise calls.cu --block 32,32
golden advise-calls.txt

# Lines that end in carriage returns: new ones do, too.
cat >dos.cu <<'END'
__global__ void dos(int *out) {
  __shared__ int s[1024];
  s[threadIdx.y * 32 + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x * 32 + threadIdx.y];
}
END
return=$(printf '\r')
sed "s/\$/$return/" dos.cu >dos-lines.cu
expect 0 advise dos-lines.cu --block 32,32 --out dos-better.cu
! grep -q "$return" "$work/out" || die "$last: shows carriage returns"
grep -q s_place dos-better.cu || die "$last: adds no function"
! grep -qv "$return\$" dos-better.cu || die "$last: mixes ends of lines"

# A rewriting that the text allows and that would be wrong is found by its evaluation.
cat >alias.cu <<'END'
__global__ void alias(int *out, const int *in) {
  __shared__ int a[32][32];
  int *row = &a[threadIdx.y][0];
  row[threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  int *next = &a[threadIdx.y][threadIdx.x];
  out[threadIdx.y * 32 + threadIdx.x] = a[threadIdx.x][threadIdx.y] + (threadIdx.y < 31 ? next[32] : 0);
}
END
expect 0 advise alias.cu --block 32,32 --only pad
shows 'failed its check and is not shown:'

# A swizzle of the user's: right, too narrow for the access, of the wrong bits, of too few.
expect 0 advise --kernel setRowReadCol --check 'Swizzle<5,0,5>'
golden advise-check-right.txt
expect 0 advise float4.cu --check 'Swizzle<3,1,4>'
golden advise-check-width.txt
for format in text json csv; do
  expect 0 advise --kernel setRowReadCol --check 'cute::Swizzle<3, 3, 3>' --format "$format"
  quiet
  [ "$format" != json ] || is_json
  [ "$format" = text ] && format=txt
  golden "advise-check.$format"
done
cat >odd.cu <<'END'
__global__ void odd(float *out, const float *in) {
  __shared__ float s[36];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[35 - threadIdx.x];
}
END
expect 0 advise odd.cu --block 36 --check 'Swizzle<3,0,3>'
shows 'It moves elements of s beyond its end: 160 bytes are needed, and there are 144.'
expect 0 advise odd.cu --block 36 --check 'Swizzle<2,0,2>'
! grep -q 'beyond its end' "$work/out" || die "$last: the swizzle keeps to the array"
expect 0 advise --kernel naiveGmem --check 'Swizzle<3,0,3>'
shows 'The kernel makes no shared-memory requests.'
for swizzle in '' 'Swizzle' 'Swizzle<3,3>' 'Swizzle<3,3,2>' 'Swizzle<3,-1,3>' 'Swizzle<3,3,3> x'; do
  expect 2 advise --rows 32 --cols 32 --check "$swizzle"
done

# Macros of the kernel's own.
for format in text json csv; do
  expect 0 advise --kernel setRowReadColPad --shape rect --tune IPAD=0..4 --format "$format"
  quiet
  [ "$format" != json ] || is_json
  [ "$format" = text ] && format=txt
  golden "advise-tune.$format"
done
expect 0 advise --kernel setRowReadColDynPad --shape rect --dynamic-bytes 2112 --tune IPAD=0..3
shows 'cannot be run'
expect 0 advise --kernel setRowReadColPad --tune IPAD=0..2 --tune BDIMX=32..33 --top 2
shows 'Tried 6 combinations'
for range in '' IPAD IPAD=1 IPAD=1.. IPAD=..2 IPAD=2..1 IPAD=a..b =1..2; do
  expect 2 advise --kernel setRowReadColPad --tune "$range"
  says "--tune '$range': expected NAME=LO..HI"
done
expect 2 advise --kernel setRowReadColPad --tune NO_SUCH=1..2
says '--tune NO_SUCH: the text has no such macro'
expect 2 advise --kernel setRowReadColPad --tune IPAD=0..1 --tune IPAD=0..1
expect 2 advise --kernel setRowReadColPad --tune IPAD=0..5000
says 'more than 4096 combinations'
expect 3 advise --kernel setRowReadColDynPad --dynamic-bytes 4 --tune IPAD=0..1

# Wrong usage, and what has no layout.
expect 2 advise
expect 2 advise --rows 32 --cols 32 --only diagonal
says "--only 'diagonal': expected pad, swizzle or both"
expect 2 advise --rows 32 --cols 32 --array other
says "--array 'other': expected one of tile"
expect 2 advise --rows 32 --cols 32 --top 0
expect 2 advise --rows 32 --cols 32 --row 0
expect 2 advise --rows 32 --cols 32 --check 'Swizzle<1,0,1>' --tune PAD=0..1
expect 2 advise --rows 32 --cols 32 --check 'Swizzle<1,0,1>' --out x.cu
expect 2 advise --rows 32 --cols 32 --check 'Swizzle<1,0,1>' --top 2
expect 2 advise --rows 32 --cols 32 --check 'Swizzle<1,0,1>' --all
expect 2 advise --rows 32 --cols 32 --check 'Swizzle<1,0,1>' -v
expect 2 advise --rows 32 --cols 32 --tune PAD=0..1 --all
expect 2 advise --rows 32 --cols 32 --check 'Swizzle<1,0,1>' --measure
expect 2 advise --rows 32 --cols 32 --tune PAD=0..1 --row 2
expect 2 advise --rows 32 --cols 32 --device 0
expect 2 advise --rows 32 --cols 32 --measure --arch sm_90
expect 2 advise --rows 32 --cols 32 --measure --format csv
expect 0 advise --kernel naiveGmem
shows 'The kernel makes no shared-memory requests.'

# More requests than are kept: nothing is said of a part of them.
cat >many.cu <<'END'
__global__ void many(int *out) {
  __shared__ int s[4096];
  for (int i = 0; i < 4500; i++)
    s[(threadIdx.x * i + i) % 4096] = i;
  out[0] = s[0];
}
END
expect 3 advise many.cu --block 1024
says 'many makes more than 131072 different shared-memory requests'

# A search that would take too long is given up, not cut short.
expect 3 advise --rows 32 --cols 32 --max-counts 1000
says "the search for 'tile' stopped after 1000 counts of requests"
says '--only pad'
expect 0 advise --rows 32 --cols 32 --only pad --max-counts 10000
expect 2 advise --rows 32 --cols 32 --max-counts 0
expect 2 advise --rows 32 --cols 32 --max-counts 5 --tune PAD=0..1

# Requests that differ by a shift alone are counted once: a triangular solve takes few counts.
cat >solve.cu <<'END'
__global__ void solve(float *x, const float *l) {
  __shared__ float s[110][110];
  int t = threadIdx.x;
  for (int k = 0; k < 110; k++)
    for (int i = k + 1; i < 110; i++)
      if (t > k)
        s[t][i] -= s[t][k] * s[k][i];
}
END
expect 0 advise solve.cu --block 110 --max-counts 8000000
shows 'Swizzle<1,0,5>'

# Many accesses take no more counts than few.
many() {
  awk -v n="$1" 'BEGIN {
    print "__global__ void many(int *out) {"
    print "  __shared__ int s[4096];"
    print "  int t = threadIdx.x;"
    for (i = 0; i < n; i++)
      printf "  s[(t * 32 + %d) %% 2048] = t;\n", i % 512 # a call of a function in each form
    print "}" }' >many-accesses.cu
}
many 20
expect 0 advise many-accesses.cu --max-counts 30000
many 20000
expect 0 advise many-accesses.cu --max-counts 60000
expect 0 report page.html many-accesses.cu
shows '20000 shared accesses, 20000 with conflicts'

# Dynamic shared memory that pointers divide among them: an array for each.
cat >flash.cu <<'END'
__global__ void flash(const float *Q, const float *K, const float *V, int N, int d, int Tc, int Tr, int Bc, int Br,
                      float scale, float *l, float *m, float *O) {
  int tx = threadIdx.x, base = (blockIdx.x * gridDim.y + blockIdx.y) * N;
  extern __shared__ float sram[];
  int tile = Bc * d;
  float *Qi = sram;
  float *Kj = &sram[tile];
  float *Vj = Kj + tile;
  float *S = &sram[tile * 3];
  for (int j = 0; j < Tc; j++) {
    for (int x = 0; x < d; x++) {
      Kj[(tx * d) + x] = K[base * d + (tile * j) + (tx * d) + x];
      Vj[(tx * d) + x] = V[base * d + (tile * j) + (tx * d) + x];
    }
    __syncthreads();
    for (int i = 0; i < Tr; i++) {
      for (int x = 0; x < d; x++)
        Qi[(tx * d) + x] = Q[base * d + (tile * i) + (tx * d) + x];
      float last_m = m[base + (Br * i) + tx], last_l = l[base + (Br * i) + tx], row_m = -3.0e38f, row_l = 0;
      for (int y = 0; y < Bc; y++) {
        float sum = 0;
        for (int x = 0; x < d; x++)
          sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
        sum *= scale;
        S[(Bc * tx) + y] = sum;
        row_m = max(row_m, sum);
      }
      for (int y = 0; y < Bc; y++) {
        S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
        row_l += S[(Bc * tx) + y];
      }
      float new_m = max(last_m, row_m);
      float new_l = __expf(last_m - new_m) * last_l + __expf(row_m - new_m) * row_l;
      for (int x = 0; x < d; x++) {
        float pv = 0;
        for (int y = 0; y < Bc; y++)
          pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
        O[base * d + (tile * i) + (tx * d) + x] = 1 / new_l * (last_l * __expf(last_m - new_m) * O[base * d + (tile * i) + (tx * d) + x] + __expf(row_m - new_m) * pv);
      }
      m[base + (Br * i) + tx] = new_m;
      l[base + (Br * i) + tx] = new_l;
    }
    __syncthreads();
  }
}
END
flash() {
  expect 0 advise flash.cu --block 32 --dynamic-bytes '(3 * 32 * 64 + 32 * 32) * 4' --arg N=64 --arg d=64 \
    --arg Tc=2 --arg Tr=2 --arg Bc=32 --arg Br=32 --arg scale=0.125 "$@"
}
flash --only pad --out flash-better.cu
for array in 'Qi\[\]  line 6, 8192' 'Kj\[\]  line 7, 8192' 'Vj\[\]  line 8, 8192' 'S\[\]  line 9, 4096'; do
  grep -q "float $array bytes" "$work/out" || die "$last: no array $array"
done
shows 'pad 1 after 64'
shows 'pad 1 after 32'
shows '    7+   float *Kj = &sram[tile] + 32;'
shows '    8+   float *Vj = Kj + tile + 32;'
shows '    9+   float *S = &sram[tile * 3] + 32 + 32 + 32;'
shows 'Launch it with 29184 bytes of dynamic shared memory instead of 28672. This form was run: 33792'
expect 0 analyze flash-better.cu --block 32 --dynamic-bytes 29184 --arg N=64 --arg d=64 \
  --arg Tc=2 --arg Tr=2 --arg Bc=32 --arg Br=32 --arg scale=0.125
shows '33792'
! grep -q 'in excess' "$work/out" || die "$last: conflicts remain"
flash --array Qi
# Nobody merges loads of a loop whose bound the text does not say.
! grep -q 'consecutive elements' "$work/out" || die "$last: merges loads"
flash --array Qi --row Qi=64 --row 32
shows 'float Qi[]'
shows '[i + i / 64]'
! grep -q 'float Kj' "$work/out" || die "$last: tells of another array"
expect 2 advise flash.cu --row Qi=0
says "--row '0'"
flash --array S --check 'Swizzle<5,0,5>'
shows 'free of conflicts with it'
# Used by its own name as well, it stays one array; so it does if an offset is not the same in all threads.
sed 's/float pv = 0;/float pv = sram[0] * 0;/' flash.cu >flash-both.cu
sed 's/float \*S = &sram\[tile \* 3\];/float *S = \&sram[tile * 3 + tx * 0];/' flash.cu >flash-thread.cu
for file in flash-both.cu flash-thread.cu; do
  expect 0 advise $file --block 32 --dynamic-bytes '(3 * 32 * 64 + 32 * 32) * 4' --arg N=64 --arg d=64 \
    --arg Tc=2 --arg Tr=2 --arg Bc=32 --arg Br=32 --arg scale=0.125 --only pad
  shows 'float sram[]'
done

# The last part may grow by what its padding takes; those behind another one stay in their banks.
cat >parts.cu <<'END'
__global__ void parts(float *out) {
  extern __shared__ float all[];
  float *a = all, *b = &all[256];
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  a[y * 16 + x] = x;
  b[y * 16 + x] = y;
  __syncthreads();
  out[threadIdx.x] = a[x * 16 + y] + b[x * 16 + y];
}
END
expect 0 advise parts.cu --block 256 --dynamic-bytes 2048 --array b --only pad
shows 'wavefronts, +64 bytes of shared memory'
shows 'Launch it with 2112 bytes of dynamic shared memory instead of 2048.'
expect 0 advise parts.cu --block 256 --dynamic-bytes 2048 --array a --only pad
shows 'wavefronts, +128 bytes of shared memory'
shows 'Launch it with 2176 bytes of dynamic shared memory instead of 2048.'

# A row that gets shorter is told.
expect 0 advise --rows 16 --cols 32 --pad 1
shows 'Rows of tile are 1 element shorter than now'
expect 0 advise --rows 16 --cols 32
! grep -q 'shorter' "$work/out" || die "$last: no row gets shorter"

# What is suspicious is told, as analyze tells it.
expect 0 advise --rows 32 --cols 32 -D NO_SUCH=1
says 'warning: -D NO_SUCH: the text has no such macro'

# Every built-in kernel: no layout is worse than the present one, and what is shown holds.
expect 0 list kernels --format csv
tail -n +2 "$work/out" | cut -d , -f 1,2 | tr , ' ' >kernels
while read -r name shape; do
  expect 0 advise --kernel "$name" --shape "$shape" --format csv
  # By array and rank: what is shown as CUDA C holds, and takes fewer wavefronts than there are now.
  sed 's/"[^"]*"/x/g' "$work/out" | awk -F, 'NR > 1 {
    sum[$1 "," $2] += $16
    if ($10 == "no") wrong = $0
    if ($10 == "yes") better[$1 "," $2] = $1
  } END {
    for (key in better) if (sum[key] >= sum[better[key] ",0"]) wrong = key
    if (wrong) { print wrong; exit 1 }
  }' >"$work/wrong" || die "$last: does not hold, or is not better: $(cat "$work/wrong")"
done <kernels
for tile in '--rows 33 --cols 31' '--rows 7 --cols 13 --elem double' '--rows 8 --cols 8 --elem float4' \
  '--rows 24 --cols 40 --elem short' '--rows 64 --cols 4 --elem char --write col --read row' \
  '--rows 20 --cols 50 --pad 2 --dynamic'; do
  # shellcheck disable=SC2086 # several words
  expect 0 advise $tile
  ! grep -q 'failed its check' "$work/out" || die "$last: a rewritten kernel does not hold"
done

# On a GPU: the kernel as it is, and each of its forms.
expect 4 advise --rows 16 --cols 32 --measure
expect 4 advise --rows 16 --cols 32 --tune PAD=0..2 --measure
# What is wrong with the input comes before what the machine lacks.
for words in '' '--tune PAD=0..2'; do
  # shellcheck disable=SC2086
  expect 3 advise "$work/nothing.cu" --measure $words
  says 'No such file or directory'
done
SMEMBANK=${SMEMBANK_ON_FAKE:?}
export SMEMBANK_FAKE=''
expect 0 advise --rows 16 --cols 32 --measure
golden advise-measure.txt
expect 0 advise matmul.cu --block 32,32 --measure
shows 'the best of each array'
expect 0 advise --rows 16 --cols 32 --measure --format json
is_json
shows '"values_equal" : true'
expect 0 advise --kernel setRowReadColPad --shape rect -D IPAD=0 --tune IPAD=0..4 --top 2 --measure
golden advise-tune-measure.txt
expect 0 advise --rows 16 --cols 32 --tune PAD=0..2 --measure --format json
is_json
SMEMBANK_FAKE=no-permission
expect 0 advise --rows 16 --cols 32 --measure
shows 'Cycles of the launch, predicted/measured'
SMEMBANK_FAKE=merged
expect 1 advise --rows 16 --cols 32 --measure
shows 'as it is: the compiler changed the number of loads (12 executed, 16 predicted)'
for SMEMBANK_FAKE in wrong-values launch-failure; do
  expect 1 advise --rows 16 --cols 32 --tune PAD=0..2 --measure
  expect 1 advise --rows 16 --cols 32 --measure
done
shows 'was not run: '

# What two instances of a function say at one place of the text is rewritten once.
cat >"$work/instances.cu" <<'END'
__shared__ float s[1024];
__device__ void f(float &a, int i) { a += s[i * 32]; }
__global__ void k(float *o) { float x = 0, y = 1; int t = threadIdx.x; s[t * 32] = 1; __syncthreads(); f(x, t); f(y, t); o[t] = x + y; }
END
expect 0 advise "$work/instances.cu" --block 32 --row 32 --out "$work/instances-better.cu"
[ "$(grep -c . "$work/instances-better.cu")" -ge 3 ] || die 'the rewritten kernel'

# Members of a structure are arrays of their own.
cat >"$work/members.cu" <<'END'
struct Smem { float a[32][32]; struct { double n; float b[32][33]; } in; };
__global__ void k(float *o, const float *in) {
  __shared__ Smem s;
  int x = threadIdx.x, y = threadIdx.y;
  s.a[y][x] = in[y * 32 + x];
  s.in.b[y][x] = in[y * 32 + x];
  __syncthreads();
  o[y * 32 + x] = s.a[x][y] + s.in.b[x][y];
}
END
expect 0 advise "$work/members.cu" --block 32,32
shows 'float s.a[32][32]  line 3, 4096 bytes'
shows '    1+ struct Smem { float a[32][32 + 1]; struct { double n; float b[32][33]; } in; };'
shows '    5+   s.a[y][x ^ y] = in[y * 32 + x];'
shows 'float s.in.b[32][33]  line 3, 4224 bytes'
expect 0 advise "$work/members.cu" --block 32,32 --array s.in.b
expect 0 explain "$work/members.cu" --block 32,32
tells 'It accesses s.a[1][0], at byte (1 * 32 + 0) * 4 = 128'

# Padding that no index skips.
cat >"$work/forgot.cu" <<'END'
__global__ void forgot(float *out, const float *in) {
  __shared__ float s[32 * 33];
  int x = threadIdx.x, y = threadIdx.y;
  s[y * 32 + x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = s[x * 32 + y];
}
END
expect 0 advise "$work/forgot.cu" --block 32,32
tells 'Its last 32 elements are not accessed in this launch: if they are to pad rows, no index skips them.'
sed 's/y \* 32 + x\]/y * 33 + x]/; s/s\[x \* 32/s[x * 33/' "$work/forgot.cu" >"$work/skipped.cu"
expect 0 advise "$work/skipped.cu" --block 32,32 --all
! grep -q 'not accessed in this launch' "$work/out" || die "$last: takes padding for what an index forgot"

# Of blocks that do not, a few stand for all.
cat >"$work/walk.cu" <<'END'
__global__ void walk(int *out, const int *in) {
  __shared__ int s[32][32];
  int t = threadIdx.x, n = (blockIdx.x * 2654435761u >> 28) + 1;
  for (int i = 0; i < n; i++)
    s[t][i] = in[t * 32 + i];
  __syncthreads();
  out[blockIdx.x * 32 + t] = s[n][t];
}
END
expect 0 advise "$work/walk.cu" --block 32 --grid 4096
shows 'The blocks of the grid are not known to repeat each other: 16 of 4096 stand for all'
shows 'in global memory after these 16 of 4096 blocks.'
expect 0 advise "$work/walk.cu" --block 32 --grid 4096 --format json
is_json
shows '"sample" : 16'
expect 0 advise "$work/walk.cu" --block 32 --grid 64 --format json
shows '"sample" : null'

# Of a grid of blocks that repeat each other few are run, before and after.
cat >"$work/turn.cu" <<'END'
__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END
expect 0 advise "$work/turn.cu" --block 32,32 --grid 128,128 --arg n=4096
shows 'in global memory after the 1 of 16384 blocks that the others repeat.'
expect 0 advise "$work/turn.cu" --block 32,32 --grid 128,128 --arg n=4096 --format json
shows '"compared_blocks" : 1'

# --- an array without rows: a tensor map may have the layout, if it has rows of so many bytes
cat >"$work/flat.cu" <<'END'
__global__ void flat(uint4 *out) {
  extern __shared__ uint4 s[];
  for (int i = threadIdx.x; i < 256; i += 32)
    s[i] = out[i];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 8];
}
END
expect 0 advise "$work/flat.cu" --block 32 --dynamic-bytes 4096 --arch sm_90
tr '\n' ' ' <"$work/out" | grep -q 'If a tensor map is to bring this layout, it has CU_TENSOR_MAP_SWIZZLE_128B, and if wgmma is to read it, its descriptor has the value 1 in bits 62-63 (128-byte swizzle); the array begins at a multiple of 1024 bytes then and its rows have 128\.' ||
  die "$last: no mode of a tensor map: $(cat "$work/out")"
expect 0 advise "$work/flat.cu" --block 32 --dynamic-bytes 4096 --arch sm_90 --format json
is_json
shows '"tensor_map_swizzle" : 128'
