#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Project files: --case takes the place of the options that its section has.
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
mkdir -p "$work/p/kernels/deep" "$work/p/include"
cd "$work/p"
cat >kernels/k.cu <<'END_OF_KERNEL'
#include "width.h"
__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[32][WIDTH];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END_OF_KERNEL
cat >include/width.h <<'END_OF_HEADER'
#ifndef WIDTH
#define WIDTH 32
#endif
END_OF_HEADER
printf '\040\0\0\0' >n.bin
cat >smembank.ini <<'END_OF_PROJECT'
# Cases of one kernel, of a tile and of a built-in kernel.
[*]
arch = sm_80
include = include

[k]
file = kernels/k.cu
block = 32,32
arg = n=32
max-ways = 1

[padded]
file = kernels/k.cu
block = 32,32
define = WIDTH=33 ; UNUSED=1
arg = n=@n.bin
max-ways = 1

[tile]
rows = 16
cols = 8
dynamic = true

[transposes]
kernel = transposeSmem
array = tile
END_OF_PROJECT

# same WORDS -- OPTIONS: --case gives what the options give.
same() {
  words=$1
  shift
  # shellcheck disable=SC2086 # several words
  expect "$1" $words --format json
  cp "$work/out" "$work/by-case"
  cp "$work/err" "$work/err-by-case"
  expect "$@"
  cmp -s "$work/out" "$work/by-case" || die "$words is not $last: $(diff "$work/out" "$work/by-case")"
  cmp -s "$work/err" "$work/err-by-case" || die "$words says: $(cat "$work/err-by-case")"
}
same 'analyze --case k' 1 analyze kernels/k.cu --block 32,32 --arg n=32 --max-ways 1 -I include --arch sm_80 --format json
shows '"max_degree" : 32'
same 'analyze --case=padded' 0 analyze kernels/k.cu --block 32,32 --arg n=@n.bin --max-ways 1 -I include -DWIDTH=33 -DUNUSED=1 --arch 80 --format json
same 'analyze --case tile' 0 analyze --rows 16 --cols 8 --dynamic --arch sm_80 --format json -I include
same 'advise --case transposes' 0 advise --kernel transposeSmem --array tile --arch sm_80 --format json -I include
# The limits are not options of explain, nor are arrays of analyze.
same 'explain --case k --op load' 0 explain kernels/k.cu --block 32,32 --arg n=32 -I include --arch sm_80 --op load --format json
same 'analyze --case transposes' 0 analyze --kernel transposeSmem --arch sm_80 --format json -I include

# The user's words win, wherever they stand.
same 'analyze --arch sm_90 --max-ways 32 --case k --arg n=33 --block 32,16' 0 \
  analyze kernels/k.cu --block 32,16 --arg n=33 --max-ways 32 -I include --arch sm_90 --format json
same 'analyze --max-ways 32 kernels/k.cu --case padded -DWIDTH=32' 0 \
  analyze kernels/k.cu --block 32,32 --arg n=@n.bin --max-ways 32 -I include -DWIDTH=32 -DUNUSED=1 --arch 80 --format json
# What only looks like the option is not.
expect 2 analyze --case k --entry --case=tile
says "'--case=tile'"
expect 3 analyze --case k -- --case=tile
says '--case=tile: No such file'

# report and trace have another place for the file.
expect 0 report page.html --case padded
shows 'page.html: 2 shared accesses, 0 with conflicts'
expect 2 report --case padded
says 'missing argument'
expect 0 trace --case padded
cp "$work/out" "$work/by-case"
expect 0 trace --from kernels/k.cu --block 32,32 --arg n=32 -I include -DWIDTH=33 -DUNUSED=1 --arch sm_80
cmp -s "$work/out" "$work/by-case" || die 'trace --case is another trace'
# The architecture of a case is not for what is measured.
expect 4 validate --case k
says 'no usable GPU'
expect 2 validate --case k --arch sm_80
says '--arch is for traces'

# From below, and by name, with files seen from there.
cd kernels/deep
expect 1 analyze --case k
shows 'k  ../../kernels/k.cu'
cd "$work"
expect 1 analyze --project p/smembank.ini --case k
shows 'k  p/kernels/k.cu'
expect 0 analyze --project p/smembank.ini --case padded
expect 1 analyze --project "$work/p/smembank.ini" --case k
shows "k  $work/p/kernels/k.cu"
expect 2 analyze --case k
says 'no smembank.ini in this folder or above it'
expect 3 analyze --case k --project gone.ini
says 'gone.ini'
expect 2 analyze --project p/smembank.ini kernels/k.cu
says "--project 'p/smembank.ini': expected --case NAME as well"
cd p
expect 2 analyze --case paded
says "no case 'paded' in smembank.ini, which has k, padded, tile and transposes; did you mean 'padded'?"
expect 2 analyze --case '*'
says "no case '*'"
# Where a value comes from is said with what is wrong with it.
expect 2 analyze --case k --block 0
says "--block '0': expected"
says '(--case k, smembank.ini:6)'

# [*] says what a case does not say itself; an option without a value can be taken back.
cat >each.ini <<'END_OF_PROJECT'
[on]
rows = 8
cols = 8
[off]
rows=4
dynamic=false
[*]
cols = 4
dynamic = true
define =
END_OF_PROJECT
expect 0 analyze --project each.ini --case on
shows 'COLS=8'
shows 'DYNAMIC=1'
expect 0 analyze --project each.ini --case off
shows 'COLS=4'
shows 'DYNAMIC=0'

# refuses MESSAGE: what stands on standard input is no project file.
refuses() {
  cat >bad.ini
  expect 3 analyze --project bad.ini --case a
  says "bad.ini:${1%%: *}: error: ${1#*: }"
}
refuses "2: unknown key 'blok'; did you mean 'block'?" <<'END_OF_PROJECT'
[a]
blok = 32
END_OF_PROJECT
refuses "2: unknown key 'case'" <<'END_OF_PROJECT'
[a]
case = b
END_OF_PROJECT
refuses "2: unknown key 'format'" <<'END_OF_PROJECT'
[a]
format = json
END_OF_PROJECT
refuses '4: [a] is already on line 1' <<'END_OF_PROJECT'
[a]
rows = 1
[b]
[a]
END_OF_PROJECT
refuses '4: rows is already set in [a]' <<'END_OF_PROJECT'
# of [a]
[a]
rows = 1
rows = 2
END_OF_PROJECT
refuses '2: dynamic: expected true or false' <<'END_OF_PROJECT'
[a]
dynamic = perhaps
END_OF_PROJECT
refuses '2: nvcc: ' <<'END_OF_PROJECT'
[a]
nvcc = a\xb
END_OF_PROJECT
refuses '2: Key file contains line' <<'END_OF_PROJECT'
[a]
rows
END_OF_PROJECT
refuses '1: ' <<'END_OF_PROJECT'
rows = 1
END_OF_PROJECT
printf '[b]\n' >empty.ini
expect 2 analyze --project empty.ini --case a
says "no case 'a' in empty.ini, which has b"
: >empty.ini
expect 2 analyze --project empty.ini --case a
says "no case 'a' in empty.ini, which has none"
expect 3 analyze --project . --case a

# Names are taken as they are: a file that looks like an option, or like standard input, is a file.
cp kernels/k.cu ./--rows.cu
cp kernels/k.cu ./-
printf '[dashes]\nfile=--rows.cu\ninclude=include\narg=n=1\nblock=32\n[dash]\nfile=-\ninclude=include\narg=n=1\nblock=32\n' >dash.ini
expect 0 analyze --project dash.ini --case dashes
shows './--rows.cu'
expect 0 analyze --project dash.ini --case dash

# A line of the kernel's text has its launch; the user is told that it is used.
cat >k.cu <<'END_OF_KERNEL'
// smembank: --block 8,4 -DWIDTH=33 -Iinclude --arg n=8 --max-ways=8
/* smembank: [wide] --block '16,2' -I include --arg n=16 */
  //smembank:--entry other -Iinclude --block 32 --dynamic-b 8
#include "width.h"
__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[32][WIDTH];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x]; // smembank: not a line of its own
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
__global__ void other(float *out) {
  extern __shared__ float s[];
  s[threadIdx.x & 1] = 0;
}
END_OF_KERNEL
expect 0 analyze k.cu --entry k
[ "$(cat "$work/err")" = 'k.cu:1:1: note: options of this line are used' ] || die "$last: says: $(cat "$work/err")"
shows 'k  k.cu  WIDTH=33'
shows 'block 8x4, grid 1'
expect 0 analyze k.cu --entry k --block 4,2 -DWIDTH=40
shows 'k  k.cu  WIDTH=40'
shows 'block 4x2, grid 1'
expect 0 analyze k.cu --entry other
says 'k.cu:3:1: note:'
shows '8 bytes of shared memory'
expect 0 analyze k.cu --entry k --case wide
quiet
shows 'block 16x2, grid 1'
cd kernels
expect 0 explain ../k.cu --entry k --case wide
quiet
expect 0 advise ../k.cu --entry k
says '../k.cu:1:1: note:'
expect 0 report page.html ../k.cu --entry k
says '../k.cu:1:1: note:'
expect 0 trace --from ../k.cu --entry k
shows 'block 8,4,1'
says '../k.cu:1:1: note:'
cd ..
# A limit of the line holds, and a case of a project that has no such name in the file is the project's.
sed 's/threadIdx.y\]\[threadIdx.x\];/threadIdx.x][threadIdx.y];/; s/=33/=32/' k.cu >slow.cu
expect 1 analyze slow.cu --entry k --block 16,2
says 'more than --max-ways 8'
expect 0 analyze slow.cu --entry k --block 16,2 --max-ways 16
expect 0 analyze k.cu --entry k --case k
shows 'block 32x32, grid 1'
expect 2 analyze k.cu --entry k --case wild
says "no case 'wild' in smembank.ini"
expect 2 analyze k.cu --entry k --block x
says '(k.cu:1)'

# refuses_line MESSAGE: the line on standard input cannot be read.
refuses_line() {
  { echo; cat; } >bad.cu
  expect 3 analyze bad.cu
  says "bad.cu:2: error: $1"
}
echo '// smembank:' | refuses_line "expected options after 'smembank:'"
echo '// smembank: 32' | refuses_line "expected an option, not '32'"
echo '// smembank: --blok 32' | refuses_line "unknown option --blok; did you mean '--block'?"
echo '// smembank: --nvcc -O3' | refuses_line 'unknown option --nvcc'
echo '// smembank: --kernel tile' | refuses_line 'unknown option --kernel'
echo '// smembank: --case k' | refuses_line 'unknown option --case'
echo "// smembank: --block '32" | refuses_line 'Text ended before'
echo '/* smembank: --max 1 */' | refuses_line 'ambiguous option --max'
echo '// smembank: --block' | refuses_line 'missing argument for --block'

# How texts are read is said of all cases for those that have one: not of machine code, PTX, and what is built in.
cp "$srcdir/tests/data/sass/code.sm_90.cubin" "$srcdir/tests/data/ptx/transpose.ptx" "$work"
mkdir "$work/headers"
echo '#define ROWS 32' >"$work/headers/rows.h"
cat >"$work/text.cu" <<'END_OF_KERNEL'
#include "rows.h"
__global__ void k(int *out) {
  __shared__ int s[ROWS * COLS];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = s[threadIdx.x];
}
END_OF_KERNEL
cat >"$work/mixed.ini" <<'END_OF_PROJECT'
[*]
include = headers
define = COLS=4
[text]
file = text.cu
block = 128
[code]
file = code.sm_90.cubin
entry = waits
block = 64
unknown = skip
[ptx]
file = transpose.ptx
block = 32,8
grid = 2,2
arg = 2=64
[tile]
rows = 8
cols = 8
[mine]
file = transpose.ptx
define = COLS=4
block = 32,8
END_OF_PROJECT
cd "$work"
expect 0 check --project mixed.ini text code ptx tile
shows 'Nothing was checked: no case has a limit'
expect 2 analyze --project mixed.ini --case mine
says "transpose.ptx is PTX, which has no macros: 'COLS=4' cannot be defined"
expect 2 analyze --project mixed.ini --case ptx -Iheaders
says 'transpose.ptx is PTX, which has no #include: -I cannot be used'
sed -i 's/^define = COLS=4$/nvcc = -O3/' mixed.ini
expect 0 check --project mixed.ini code ptx tile
