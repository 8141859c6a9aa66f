#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# init: a first project file, of what files say; what they do not say as constants is left open.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

case $SMEMBANK in
/*) ;;
*) SMEMBANK=$PWD/$SMEMBANK ;;
esac
case $srcdir in
/*) ;;
*) srcdir=$PWD/$srcdir ;;
esac
mkdir "$work/p"
cd "$work/p"
cat >app.cu <<'END_OF_APP'
#include <cstdio>
#define TILE 32
#define ROWS (TILE / 4)
#define SQUARE(x) ((x) * (x))
constexpr int width = 1024, height = 512;
// A kernel that a comment launches: no<<<1, 1>>>();
__global__ void __launch_bounds__(TILE * ROWS) transpose(float *out, const float *in, int w, float scale) {
  __shared__ float tile[TILE][TILE + 1];
  int grid = threadIdx.x; // the kernel's own
  tile[threadIdx.y][grid] = in[threadIdx.y * w + threadIdx.x] * scale;
  __syncthreads();
  out[threadIdx.y * w + threadIdx.x] = tile[threadIdx.x % ROWS][threadIdx.y];
}
template <int N, typename T> __global__ void scan(T *data, int n) {
  extern __shared__ int s[];
  s[threadIdx.x] = n + N;
}
__device__ int helper(int width) { width = 3; return width << 3; }
__global__ void lonely(int *p, unsigned k) { __shared__ int s[8]; s[threadIdx.x & 7] = k; }
__global__ void prototype(int *p);
__global__ void open(int *p, int n) { __shared__ int s[8]; s[threadIdx.x & 7] = n; }
int main(int argc, char **argv) {
  dim3 block(TILE, ROWS), grid = dim3(width / TILE, (height + TILE - 1) / TILE);
  int n = 100;
  int threads = 256;
  n = atoi(argv[1]);
  float *a, *b;
  transpose<<<grid, block>>>(a, b, width, 1.5f);
  transpose<<<dim3{4, 2}, dim3(TILE, 8), 0, stream>>>(a, b, n, 2e1);
  scan<ROWS, float><<<(width + threads - 1) / threads, threads, threads * sizeof(int)>>>(a, 7);
  open<<<1, n>>>(nullptr, SQUARE(2));
}
END_OF_APP
expect 0 init app.cu
quiet
shows 'smembank.ini: 5 cases; limited to what they cost today: 2; to be filled in, as comments say: 3'
cp smembank.ini "$work/out"
golden init.ini
# What is known runs as it is.
expect 0 analyze --case transpose --format json
tr -d ' \n' <"$work/out" | grep -q '"block":\[32,8,1\],"grid":\[32,16,1\]' || die "$last: another launch"
expect 0 analyze --case scan
shows 'block 256, grid 4, 1024 bytes of shared memory'
# The file is one of this program's own.
for name in transpose transpose-2 scan lonely open; do
  grep -qF "[$name]" smembank.ini || die "no section $name"
done

# Nothing is written over, unless that is wanted.
echo '# mine' >smembank.ini
expect 2 init app.cu
says 'smembank.ini already exists: --force adds the cases that it lacks, and changes none'
grep -qx '# mine' smembank.ini || die 'a project file is lost'
expect 0 init --force app.cu
shows "smembank.ini: 5 cases added; limited to what they cost today: 2; to be filled in, as comments say: 3; there already: 0"
grep -qx '# mine' smembank.ini || die '--force loses what is there'
# What was edited stays, also what was renamed or filled in; kernels and launches that are new are added, and what is gone is named.
sed -e 's/^# max-cost = 5 %/max-ways = 3/' -e '/^\[open\]/,$s/^# block = .*/block = 64/' -e 's/^\[scan\]/[my scan]/' \
  -e '/^\[lonely\]/a # note' smembank.ini >edited.ini
printf '[old]\nfile = app.cu\nentry = removed\nblock = 32' >>edited.ini
cp edited.ini again.ini
expect 0 init --force app.cu -o again.ini
shows 'again.ini: 0 cases added; there already: 5; kept, though their kernels are gone: old'
echo >>edited.ini
cmp -s edited.ini again.ini || die "--force changes what is there: $(diff edited.ini again.ini)"
sed 's/^int main.*/__global__ void added(int *p) { __shared__ int s[8]; s[threadIdx.x \& 7] = 1; }\n&\n  added<<<2, 64>>>(0); scan<4, int><<<8, 32>>>(0, 1);/' \
  app.cu >more.cu
mv app.cu first.cu && mv more.cu app.cu
expect 0 init --force app.cu -o again.ini
shows 'again.ini: 2 cases added; limited to what they cost today: 1; without a limit, as comments say: 1; there already: 5; kept, though their kernels are gone: old'
head -n "$(wc -l <edited.ini)" again.ini | cmp -s - edited.ini || die '--force changes what is there'
[ "$(sed "1,$(wc -l <edited.ini)d" again.ini | sed 's/^# max-excess = ?.*shared memory.*/unlimited/' | paste -sd ' ')" = ' [scan] file = app.cu instance = scan<4,int> block = 32 grid = 8 arg = n=1 unlimited  [added] file = app.cu entry = added block = 64 grid = 2 max-excess = 0' ] ||
  die "$last: $(cat again.ini)"
mv first.cu app.cu
# A section that names no kernel is of the only one of its file; of a file with several it is not known to be gone.
echo '__global__ void turn(float *out, int pitch) { __shared__ float s[32]; s[threadIdx.x] = pitch; }' >one.cu
printf '[mine]\nfile = one.cu\nblock = 32\narg = pitch=4\n[turn]\nfile = one.cu\nblock = 64\narg = pitch=8\n[any]\nfile = app.cu\n' >unnamed.ini
cp unnamed.ini added.ini
expect 0 init --force one.cu -o added.ini
shows 'added.ini: 0 cases added; there already: 1'
cmp -s unnamed.ini added.ini || die "--force changes what is there: $(cat added.ini)"
expect 0 init --force app.cu -o added.ini
shows 'added.ini: 5 cases added; limited to what they cost today: 2; to be filled in, as comments say: 3; there already: 0'
echo '[broken' >broken.ini
expect 3 init --force app.cu -o broken.ini
says 'broken.ini:1: '
grep -qx '\[broken' broken.ini || die 'a broken file is lost'
expect 2 init app.cu --output app.cu --force
says '--output'
grep -q '__global__' app.cu || die 'the kernel is lost'
# Elsewhere files have absolute names.
mkdir ../q
expect 0 init app.cu -o ../q/cases.ini
grep -qF "file = $(pwd -P)/app.cu" ../q/cases.ini || die "$last: $(cat ../q/cases.ini)"
expect 0 analyze --project ../q/cases.ini --case transpose

# Compiled code, with the launch that a text has.
expect 0 init "$srcdir/tests/data/ptx/transpose.ptx" -o ptx.ini
grep -q '^entry = ' ptx.ini || die 'no entry'
grep -q '^# block = ?  grid = ?  (no launch was found)' ptx.ini || die "$last: $(cat ptx.ini)"
expect 0 init "$srcdir/tests/data/ptx/transpose.ptx" "$srcdir/tests/data/sass/transpose.sm_90.cubin" -o both.ini
shows 'both.ini: 6 cases'
# What is written can be read, and a case of it runs with what was open.
expect 0 analyze --project ptx.ini --case transpose --block 32,32 --arg 2=1024
expect 2 analyze --project both.ini --case none
says "no case 'none' in both.ini, which has transpose"

# What cannot be read writes nothing.
expect 3 init gone.cu -o new.ini
says 'gone.cu'
echo 'int main() { return 0; }' >host.cu
expect 3 init host.cu -o new.ini
says 'no kernel in host.cu'
echo '__global__ void k() { /* ' >open.cu
expect 3 init open.cu -o new.ini
[ ! -e new.ini ] || die 'a file is written'

# HIP's launches, beside CUDA's.
cat >two.hip <<'END_OF_HIP'
#include <hip/hip_runtime.h>
template <int N> __global__ void t(float *out, int n) { __shared__ float tile[N]; tile[hipThreadIdx_x] = n; }
__global__ void u(float *out, int n) { HIP_DYNAMIC_SHARED(float, s) s[threadIdx.x] = n; }
template <int B, int W> __global__ void v(float *out, int n) { __shared__ float tile[B]; tile[threadIdx.x] = n + W; }
void f(float *a) {
  dim3 block(32, 8);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(t<32>), dim3(16, 4), block, 0, 0, a, 5);
  hipLaunchKernelGGL(u, 4, 64, 256, 0, a, 7);
  hipLaunchKernelGGL(v<128, 64>, dim3(4), dim3(128), 0, 0, a, 9);
  hipLaunchKernelGGL((v<2 * 64, 32>), dim3(4), dim3(128), 0, 0, a, 9);
  hipLaunchKernelGGL(
}
END_OF_HIP
expect 0 init two.hip -o hip.ini
tr -d ' ' <hip.ini >hip.flat
for line in '[t]' 'instance=t<32>' 'grid=16,4' 'block=32,8' 'arg=n=5' '[u]' 'block=64' 'dynamic-bytes=256' 'arg=n=7' '[v]' 'instance=v<128,64>' 'instance=v<128,32>' 'grid=4' 'block=128' 'arg=n=9'; do
  grep -qxF "$line" hip.flat || die "no line '$line': $(cat hip.ini)"
done
expect 0 analyze --project hip.ini --case u
shows 'workgroup 64, grid 4, 256 bytes of LDS, gfx942'

# HIP is counted for a chip of AMD's; beside CUDA each for its own. What includes both is CUDA.
[ "$(grep -c '^arch = gfx942$' hip.ini)" -eq 1 ] || die "another architecture: $(cat hip.ini)"
echo '#include <cuda_runtime.h>
__global__ void c(float *out) { out[0] = 1; }' >one.cu
sed 's/#include.*/#include "cuda_runtime.h"\n#include "hip\/hip_runtime.h"/' one.cu >portable.cu
echo 'void g() { hipMalloc(0, 4); }  __global__ void m(float *out) { out[0] = 1; }' >plain.cpp
expect 0 init one.cu portable.cu -o cuda.ini
[ "$(grep '^arch' cuda.ini)" = 'arch = sm_90' ] || die "another architecture: $(cat cuda.ini)"
expect 0 init one.cu two.hip plain.cpp -o mixed.ini
[ "$(sed -n '/^\[/h; /^arch/{x;p;x;p;}' mixed.ini | paste -sd ' ')" = \
  '[*] arch = sm_90 [t] arch = gfx942 [u] arch = gfx942 [v] arch = gfx942 [v-2] arch = gfx942 [m] arch = gfx942' ] || die "$last: $(cat mixed.ini)"

# Names that are defined by each other, brackets that are not closed: no value, and an end.
cat >odd.cu <<'END_OF_ODD'
#define A B + B
#define B A + A
#define C D * D
#define D 99999999999
#define E (((((
#define F 1 / 0
__global__ void k(int a, int b, int c, int d, int e, int f, int g) {}
void f() { k<<<dim3(1, 2, 3, 4), 0>>>(A, C, 1 / 0, F, -1, 0x10, 5u); k<<<E, 1>>>(); k<<<; k<< <1; >>>( <<<
END_OF_ODD
expect 0 init odd.cu -o odd.ini
grep -q "^# grid = ?  (line 8 of odd.cu has 'dim3(1, 2, 3, 4)')" odd.ini || die "$last: $(cat odd.ini)"
grep -q "^# block = ?  (line 8 of odd.cu has '0')" odd.ini || die "$last: $(cat odd.ini)"
grep -qx 'arg = e=-1; f=16; g=5' odd.ini || die "$last: $(cat odd.ini)"

# Names are those of their function, then of their file: what other functions and files call so says nothing of them.
cat >"$work/first.cu" <<'END'
namespace app {
const int rows = 64;
static int changed = 8;
__global__ void one(int *out, int n) { out[threadIdx.x] = n; }
void run(int *a) {
  const int n = 1024;
  dim3 block(32, 2), grid(n / 32, n / rows);
  one<<<grid, block>>>(a, n);
}
void other(int *a, int n, dim3 block) { one<<<rows, block>>>(a, n); }
void last(int *a) { changed = 9; one<<<rows, changed>>>(a, rows); }
}
END
cat >"$work/second.cu" <<'END'
extern "C" {
__global__ void two(int *out, int n) { out[threadIdx.x] = n; }
int rows = 3;
void go(int *a) {
  int n = 5;
  dim3 block(128);
  two<<<rows, block>>>(a, n);
}
}
END
cat >"$work/third.cu" <<'END'
__global__ void three(int *out) { out[threadIdx.x] = 1; }
void go(int *a) { three<<<1, width>>>(a); three<<<1, rows>>>(a); }
END
printf 'const int width = 96;\n' >"$work/widths.cu"
(cd "$work" && "$SMEMBANK" init --output names.ini first.cu second.cu third.cu widths.cu >out 2>err) || die "init of names: $(cat "$work/err")"
sed -n '/^\[one\]/,$p' "$work/names.ini" | grep -v '^$\|^max-excess' >"$work/got"
cat >"$work/wanted" <<'END'
[one]
file = first.cu
entry = one
block = 32,2
grid = 32,16
arg = n=1024
[one-2]
file = first.cu
entry = one
# block = ?  (line 10 of first.cu has 'block')
grid = 64
# arg: n (int) is unknown: the launch has 'n'
[one-3]
file = first.cu
entry = one
# block = ?  (line 11 of first.cu has 'changed')
grid = 64
arg = n=64
[two]
file = second.cu
entry = two
block = 128
grid = 3
arg = n=5
[three]
file = third.cu
entry = three
block = 96
grid = 1
[three-2]
file = third.cu
entry = three
# block = ?  (line 2 of third.cu has 'rows')
grid = 1
END
diff "$work/wanted" "$work/got" >&2 || die 'names of other functions or files are taken'

# What a file launches that has a kernel of the name is its own; what another one launches may be of each.
mkdir "$work/same"
echo '__global__ void k(int *o, int n) { o[0] = n; }  void f(int *o) { k<<<1, 32>>>(o, 2); }' >"$work/same/a.cu"
echo '__global__ void k(int *o, int n) { o[0] = n; }  void f(int *o) { k<<<1, 64>>>(o, 4); }' >"$work/same/b.cu"
echo '#include "k.cuh"
void g(int *o) { k<<<1, 128>>>(o, 8); }' >"$work/same/c.cu"
echo '__global__ void k(int *o, int n) { o[0] = n; }' >"$work/same/k.cuh"
echo 'void h(int *o) { k<<<1, 256>>>(o, 16); }' >"$work/same/d.cu"
(cd "$work/same" && SMEMBANK_NVCC=no "$SMEMBANK" init a.cu b.cu c.cu >out 2>err) || die "init of names: $(cat "$work/same/err")"
[ "$(grep '^file\|^block\|^arg' "$work/same/smembank.ini" | paste -sd ' ')" = \
  'file = a.cu block = 32 arg = n=2 file = b.cu block = 64 arg = n=4 file = c.cu block = 128 arg = n=8' ] || die "$(cat "$work/same/smembank.ini")"
(cd "$work/same" && SMEMBANK_NVCC=no "$SMEMBANK" init a.cu d.cu -o others.ini >out 2>err) || die "init of names: $(cat "$work/same/err")"
[ "$(grep '^file\|^block\|^arg' "$work/same/others.ini" | paste -sd ' ')" = \
  'file = a.cu block = 32 arg = n=2 file = a.cu block = 256 arg = n=16' ] || die "$(cat "$work/same/others.ini")"

# Constants of every kind, and what is made of them; a template whose parameters have defaults; blocks of their own.
cp "$srcdir/tests/fuzz/seeds/host/constant.cu" "$work"
(cd "$work" && "$SMEMBANK" init -o constant.ini constant.cu >out 2>err) || die "init of constants: $(cat "$work/err")"
sed -n '/^\[red\]/,$p' "$work/constant.ini" | grep -v '^file = constant.cu\|max-excess =' | paste -sd ' ' | sed 's/  \[/\n[/g' >"$work/got"
cat >"$work/wanted" <<'END'
[red] instance = red<float,256> block = 256 grid = 3907 arg = n=1000000
[red-2] instance = red<double,64> block = 256 grid = 4096 arg = n=342
[tr] # instance = ?  (line 13 of constant.cu has 'tr<TILE>') block = 32 # grid = ?  (line 13 of constant.cu has 'TILE') arg = n=1
[tr-2] instance = tr<32,8> block = 32,8 grid = 32,32 arg = n=1024
[tr-3] instance = tr<32,8> block = 32,8 grid = 32,32 dynamic-bytes = 1024 arg = n=1048575
[all] instance = all<64> block = 32 grid = 11 arg = scale=1.5; m=-5
[all-2] instance = all<65> block = 4 grid = 8 arg = scale=1e-3; m=8
[all-3] instance = all<16> block = 16 grid = 1 arg = scale=16; m=16
[all-4] instance = all<32> # block = ?  (line 31 of constant.cu has 'changed') grid = 1 # arg: scale (float) is unknown: the launch has 'argc' arg = m=32
END
diff "$work/wanted" "$work/got" >&2 || die 'constants of the host'
# A header in another folder of the project: its constants and kernels are known, and the key that finds it is written.
mkdir -p "$work/tree/src/deep" "$work/tree/include/lib" "$work/tree/common"
echo '#pragma once
#include "shape.h"
template <int N> __global__ void in_header(float *o) { __shared__ float s[N]; s[threadIdx.x] = *o; o[N] = s[0]; }
__global__ void not_launched(float *o) { *o = 1; }' >"$work/tree/include/lib/kernel.cuh"
echo 'constexpr int WIDTH = 64;' >"$work/tree/common/shape.h"
cat >"$work/tree/src/deep/main.cu" <<'END'
#include <lib/kernel.cuh>
#include <vector>
#include "no_such_file.h"
__global__ void own(float *o) { o[threadIdx.x] = WIDTH; }
void go(float *a) { in_header<WIDTH><<<2, WIDTH>>>(a); own<<<1, WIDTH>>>(a); }
END
(cd "$work/tree/src" && "$SMEMBANK" init deep/main.cu >../out 2>../err) || die "init with includes: $(cat "$work/tree/err")"
sed -n '/^\[in_header\]/,$p' "$work/tree/src/smembank.ini" | grep -v 'max-excess =' | paste -sd ' ' >"$work/got"
[ "$(cat "$work/got")" = '[in_header] file = deep/main.cu include = ../include; ../common instance = in_header<64> block = 64 grid = 2  [own] file = deep/main.cu include = ../include; ../common entry = own block = 64 grid = 1' ] ||
  die "includes: $(cat "$work/got")"

# --- limits of what is counted today

mkdir "$work/today"
cd "$work/today"
cat >tiles.cu <<'END_OF_TILES'
__global__ void worse(float *out, int step) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = step;
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x * step];
}
__global__ void broken(float *out) { out[0] = undeclared; }
__global__ void uncertain(float *out, float *in) { __shared__ float s[32]; atomicAdd(&s[threadIdx.x / 2], in[0]); out[0] = s[0]; }
void go(float *a) { worse<<<2, 32>>>(a, 1); broken<<<1, 32>>>(a); uncertain<<<1, 32>>>(a, a); }
END_OF_TILES
SMEMBANK_NVCC=no expect 0 init tiles.cu
shows 'smembank.ini: 3 cases; limited to what they cost today: 1; without a limit, as comments say: 2'
grep -A1 'arg = step=1' smembank.ini | grep -qx 'max-excess = 62' || die "$last: $(cat smembank.ini)"
grep -qF "# max-excess = ?  (tiles.cu:7:" smembank.ini || die "$last: $(cat smembank.ini)"
# What is limited passes, and fails once it got worse.
SMEMBANK_NVCC=no expect 0 check worse
shows 'Passed: 1 case.'
sed 's/x \* step/x * 2/' tiles.cu >edited && mv edited tiles.cu
SMEMBANK_NVCC=no expect 1 check worse
says '64 excess wavefronts: more than --max-excess 62'

# --- lines of a text come before its launches, and a limit is what check then measures
mkdir "$work/lines" "$work/elsewhere"
cd "$work/lines"
cat >lines.cu <<'END'
// smembank: --block 32,32 --arg n=64 --arg scale=1.5 --max-ways 1 --buffer 'out=a;b.bin' --include ../elsewhere
// smembank: --block 32,32 --entry t --max-ways 32 --arg n=1 --arg scale=2
// smembank: [wide] --block 64,8 --arg n=64 --text --entry t --arg scale=1
// smembank: --instance 'u<4>' --block 32 --grid 2 --max-excess 5
__global__ void t(float *out, int n, float scale) {
  __shared__ float tile[32][33];
  tile[threadIdx.y % 32][threadIdx.x % 32] = scale;
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x % 32][threadIdx.y];
}
template <int N> __global__ void u(float *out) { __shared__ float s[32 * N]; s[threadIdx.x * N] = out[0]; }
__global__ void v(float *out, int n, float scale) { __shared__ float s[64]; s[threadIdx.x * 2 % 64] = n + scale; }
void go(float *a) { t<<<2, 64>>>(a, 7, 1); u<2><<<1, 32>>>(a); u<4><<<1, 32>>>(a); v<<<1, 32>>>(a, 1, 2); }
END
head -c 4096 /dev/zero >'a;b.bin'
SMEMBANK_NVCC=no expect 0 init lines.cu
grep -v '^$' smembank.ini | sed -n '/^\[t\]/,$p' >"$work/got"
cat >"$work/wanted" <<'END'
[t]
file = lines.cu
block = 32,32
entry = t
max-ways = 32
arg = n=1; scale=2
max-excess = 0
[wide]
file = lines.cu
block = 64,8
arg = n=64; scale=1
text = true
entry = t
max-excess = 0
[u]
file = lines.cu
instance = u<4>
block = 32
grid = 2
max-excess = 5
[v]
file = lines.cu
include = ../elsewhere
entry = v
block = 32,32
arg = n=64; scale=1.5
max-ways = 1
buffer = out=a\;b.bin
max-excess = 32
END
diff "$work/wanted" "$work/got" >&2 || die 'lines of a text'
# Limits of the lines stay: u takes 6, and v is not free of conflicts.
SMEMBANK_NVCC=no expect 1 check t wide u
says '6 excess wavefronts: more than --max-excess 5'
SMEMBANK_NVCC=no expect 1 check v
says '2-way: more than --max-ways 1'
SMEMBANK_NVCC=no expect 0 init lines.cu --force
shows 'smembank.ini: 0 cases added; there already: 4'
SMEMBANK_NVCC=no expect 0 init lines.cu -o ../elsewhere/cases.ini
grep -qF "buffer = out=$(pwd -P)/a\\;b.bin" ../elsewhere/cases.ini || die "$last: $(cat ../elsewhere/cases.ini)"
echo '// smembank: [*] --block 32 --entry u' | cat - lines.cu >every.cu
SMEMBANK_NVCC=no expect 0 init every.cu -o every.ini
[ "$(grep -cx '\[\*\]' every.ini)" -eq 1 ] || die "$last: $(cat every.ini)"
cat >spaces.cu <<'END'
// smembank: --entry a::k --block 32
// smembank: --entry b::k --block 64
namespace a { __global__ void k(int *out) { __shared__ int s[64]; s[threadIdx.x] = 1; } }
namespace b { __global__ void k(int *out) { __shared__ int s[64]; s[threadIdx.x] = 2; } }
END
SMEMBANK_NVCC=no expect 0 init spaces.cu -o spaces.ini
[ "$(grep '^entry\|^block' spaces.ini | paste -sd ' ')" = 'entry = a::k block = 32 entry = b::k block = 64' ] || die "$last: $(cat spaces.ini)"
echo '// smembank: --nonsense' | cat - lines.cu >wrong.cu
expect 3 init wrong.cu -o wrong.ini
says 'wrong.cu:1: error: unknown option --nonsense'

# What nvcc loads at once is one request: the text alone has more, and that is said.
find_nvcc
if [ -n "$nvcc" ]; then
  cat >quads.cu <<'END'
// smembank: --block 32 --grid 2
__global__ void quads(float *out) {
  __shared__ __align__(16) float s[32 * 64];
  for (int i = 0; i < 36; i++) s[threadIdx.x * 64 + i] = i * out[i];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 64] + s[threadIdx.x * 64 + 1] + s[threadIdx.x * 64 + 2] + s[threadIdx.x * 64 + 3];
}
END
  SMEMBANK_NVCC=$nvcc expect 0 init quads.cu -o quads.ini
  SMEMBANK_NVCC=$nvcc expect 0 check --project quads.ini
  SMEMBANK_NVCC=no expect 1 check --project quads.ini
  SMEMBANK_NVCC=$nvcc expect 0 init --text quads.cu -o text.ini
  SMEMBANK_NVCC=$nvcc expect 0 check --project text.ini
  SMEMBANK_NVCC=no expect 0 check --project text.ini
  limit=$(sed -n 's/^max-excess = //p' quads.ini)
  [ "$limit" -gt 0 ] || die "no limit: $(cat quads.ini)"
  grep -qx '# of what nvcc makes of it; the text alone has [0-9]*' quads.ini || die "$(cat quads.ini)"
  sed "s/^max-excess = .*/max-excess = $((limit - 1))/" quads.ini >less.ini
  SMEMBANK_NVCC=$nvcc expect 1 check --project less.ini
fi

# --- extents as expressions, beside what the host's compiler makes of them
mkdir "$work/expressions"
cd "$work/expressions"
cat >expressions <<'END'
(int)ceil(1000 / 256.0)
(int)(1.5 * 20)
(int)ceilf(n * 0.1f)
(int)floor(-2.5 + 10)
(unsigned)(100 / 3)
static_cast<int>(7.9)
static_cast<unsigned int>(n + 1)
sizeof(double) * 2
min(3, 7) + max(2, 9)
max(2.5, 1) * 4
min(2.5, 3.5) * 2
-(-8)
(int)-(-8.5)
~(-9)
!0 + 3
(2.5 > 1) + 4
(2.5 >= 2.5) + 4
(1.5 < 1) + 4
(1.5 <= 1) + 4
(1.5 == 1.5) + 4
(1.5 != 1.5) + 4
(1.5 && 2) + 4
(0.0 || 0) + 4
n > 50 ? 6 : 7
(n % -1) + 5
(n / -1) + 200
(1 << 4) | 3
(0x10 ^ 3) & 0xff
1e2
2.0
(int)(1 ? 2.5 : 3)
(n + 31) >> 5
(int)(float)0.1 + 3
(int)((float)n * 0.01f + 1)
(int)ceil(n * 0.1)
(int)ceil(n * 0.1f)
(int)ceilf(n / 10 * 0.7f)
sizeof(char)
sizeof(unsigned) * 3
sizeof(unsigned long long int) + sizeof(short int)
sizeof(const float*) + sizeof(std::uint16_t)
(n >> 1) + 2
((n + 31) >> 5) * 2
n / 3 >> 1
END
{
  echo 'constexpr int n = 100;'
  awk '{ print "__global__ void k" NR "() {}" }' expressions
  echo 'int main() {'
  awk '{ print "  k" NR "<<<" $0 ", 32>>>();" }' expressions
  echo '}'
} >app.cu
{
  echo '#include <cstdint>'
  echo '#include <math.h>'
  echo '#include <stdio.h>'
  echo 'constexpr int n = 100;'
  echo 'template <class A, class B> auto min(A a, B b) { return a < b ? a : b; }'
  echo 'template <class A, class B> auto max(A a, B b) { return a < b ? b : a; }'
  echo 'int main() {'
  awk '{ print "  printf(\"grid = %u\\n\", (unsigned)(" $0 "));" }' expressions
  echo '}'
} >host.cpp
if command -v "${CXX:-g++}" >/dev/null; then
  "${CXX:-g++}" -w -o host host.cpp
  ./host >wanted
  SMEMBANK_NVCC=no "$SMEMBANK" init app.cu >"$work/out" 2>"$work/err" || die "init of expressions: $(cat "$work/err")"
  grep 'grid' smembank.ini >found
  cmp -s wanted found || die "other numbers: $(paste wanted found expressions | awk -F '\t' '$1 != $2')"
fi
