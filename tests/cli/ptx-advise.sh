#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What advise, explain and report say of PTX: layouts of arrays that the user names, what is refused, and the lines of the
# source where that is at hand.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cp "$srcdir/tests/data/ptx/sgemm-pool.ptx" "$srcdir/tests/ptx/transpose.ptx" "$work"
cd "$work"
SMEMBANK=$(cd "$OLDPWD" && realpath "$SMEMBANK")
case $srcdir in
/*) ;;
*) srcdir=$OLDPWD/$srcdir ;;
esac

# A vectorised SGEMM whose tiles are parts of dynamic memory: of bytes, and of the arrays that they are. Vectors of 16
# bytes stay whole: no padding but of 4 floats is right.
pool="sgemm-pool.ptx --arg 3=64 --dynamic-bytes 8192"
# shellcheck disable=SC2086 # several words
expect 0 advise $pool
quiet
shows 'char pool[]'
tells 'Compiled code does not have the rows of pool: padding was tried after every power-of-two number of elements (--array pool[+OFFSET]=ROWSxCOLUMNSxTYPE sets them)'
# shellcheck disable=SC2086
expect 0 advise $pool --array pool=16x64xf32 --array pool+4096=16x64xf32
quiet
golden ptx-advise-pool.txt
# shellcheck disable=SC2086
expect 0 advise $pool --array pool=16x64xf32 --only pad --all --top 100 --format csv
quiet
[ "$(cut -d, -f4 out | sort -u | grep -c '^pad')" -ge 3 ] || die "$last: $(cat out)"
cut -d, -f4 out | grep '^pad' | sort -u | while read -r layout; do
  layout=${layout#pad }
  [ $((${layout%% *} % 4)) -eq 0 ] || die "$last: $layout tears vectors of 16 bytes"
done
# shellcheck disable=SC2086
expect 0 advise $pool --array pool=16x64xf32 --array pool+4096=16x64xf32 --array pool
quiet
shows 'float pool[16][64]'
! grep -qF 'pool+4096' out || die "$last: $(cat out)"

# Of a static array; and together with what it is searched for.
transpose="transpose.ptx --entry transpose<0> --block 32,8 --arg 2=64"
# shellcheck disable=SC2086
expect 0 advise $transpose --array tile=32x32xf32 --only pad
quiet
tells 'Pad the rows to 33 elements (float tile[32][33]): 1056 -> 64 wavefronts, +128 bytes of shared memory.'
# shellcheck disable=SC2086
expect 0 advise $transpose --array tile=32x32xf32 --format json
quiet
is_json
shows '"element" : "float"'
shows "'transpose.ptx' is compiled code: write the layout into its source, and compile it again"
# shellcheck disable=SC2086
expect 0 advise $transpose --array tile=32x32xf32 --check 'Swizzle<5,0,5>'
tells 'float tile[32][32]'

# What cannot be.
# shellcheck disable=SC2086
{
  expect 2 advise $transpose --array tile=64x64xf32
  says "array 'tile=64x64xf32': it takes 16384 bytes, and there are 4096"
  expect 2 advise $transpose --array til
  says "--array 'til': expected one of tile"
  expect 2 explain $transpose --array tile
  says "--array 'tile': expected NAME=SHAPE"
  expect 2 advise $transpose --out new.cu
  says "--out: 'transpose.ptx' is compiled code, which is not rewritten: write the layout into its source"
  expect 2 advise $transpose --tune PAD=0..3
}
# Parameters are called as the user calls them, memory as it is called.
expect 2 analyze sgemm-pool.ptx --arg 3=x --dynamic-bytes 8192
says "argument '3=x': expected a number"
expect 2 analyze sgemm-pool.ptx --arg 3=64 --dynamic-bytes 8192 --buffer 3=zeros
says "parameter 3 is not a pointer: give --arg 3=VALUE"
expect 3 analyze sgemm-pool.ptx --arg 3=64
says 'out of bounds: shared memory has no bytes, by thread (0,0,0); give the kernel dynamic shared memory with --dynamic-bytes N'
sed 's/\[%r27\], %f97/[%r27+8192], %f97/' sgemm-pool.ptx >beyond.ptx
expect 3 analyze beyond.ptx --arg 3=64 --dynamic-bytes 8192
says 'of shared memory, which has 8192 bytes'
expect 2 advise --rows 4 --cols 4 --array tile=2x2xf32
says 'declares its arrays itself'

# Lines of the source: those of the PTX where it is not at hand, as in a folder of its own, else its text, beside the PTX.
# shellcheck disable=SC2086
expect 0 explain $transpose --array tile=32x32xf32
quiet
shows 'compiled from transpose.cu:'
tells 'padding of 1'
# shellcheck disable=SC2086
expect 0 report page.html $transpose --array tile=32x32xf32
grep -qF '>transpose.cu:' page.html || die "$last: no place"
! grep -qF 'class="origin"' page.html || die "$last: a line that is not at hand"
grep -qF 'float tile[32][32]' page.html || die "$last: no shape"
! grep -qF 'The changed kernel was run' page.html || die "$last: nothing was rewritten"
cp "$srcdir/tests/ptx/transpose.cu" .
# shellcheck disable=SC2086
expect 0 explain $transpose
quiet
golden ptx-explain.txt
# shellcheck disable=SC2086
expect 0 report page.html $transpose --array tile=32x32xf32
grep -qF '<span class="origin">' page.html || die "$last: no line of the source"
grep -qF '<a href="#file-1-line-' page.html || die "$last: no link to the source"
grep -qF '<h3><code>transpose.cu</code></h3>' page.html || die "$last: no source"
# The counts beside the lines of the source are those of the analysis.
rows=$(grep -c '<tr id="file-1-line-' page.html)
[ "$rows" -eq "$(wc -l <transpose.cu)" ] || die "$last: $rows lines"

# As it is named: from the folder of the PTX, and from the root.
mkdir -p src below
sed "s,\"transpose.cu\",\"../src/transpose.cu\"," transpose.ptx >below/transpose.ptx
sed "s,\"transpose.cu\",\"$work/src/transpose.cu\"," transpose.ptx >below/rooted.ptx
mv transpose.cu src
for name in transpose rooted; do
  expect 0 explain "below/$name.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64
  shows 'src/transpose.cu:'
  ! grep -qF 'compiled from' out || die "$last: $(cat out)"
done
