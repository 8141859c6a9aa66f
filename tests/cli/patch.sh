#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise: what it writes of the rewritten kernel, and where: a file, its own file, or a patch; and that it says so.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
export SMEMBANK_NVCC=no
mkdir -p 'a folder/below'
cat >k.cu <<'END'
// A tile that is read by columns.
__global__ void k(int *out) {
  __shared__ int tile[32][32];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  // 1
  // 2
  // 3
  // 4
  // 5
  // 6
  // 7
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END
expect 0 advise k.cu --block 32,32 --out padded.cu
says 'smembank advise: wrote padded.cu (tile: '
shows 'tile[32][32]'
! cmp -s k.cu padded.cu || die "$last: nothing changed"

# A patch: the result is that and nothing else, and applies.
for kind in pad swizzle; do
  expect 0 advise k.cu --block 32,32 --only $kind --out $kind.cu
  expect 0 advise k.cu --block 32,32 --only $kind --patch
  quiet
  cp "$work/out" $kind.patch
  head -n 2 $kind.patch >names
  printf -- '--- a/k.cu\n+++ b/k.cu\n' | cmp -s - names || die "$last: names: $(cat names)"
  rm -rf apply && mkdir apply && cp k.cu apply/
  if command -v patch >/dev/null; then
    patch -s -p1 -d apply <$kind.patch || die "$last: patch fails"
    cmp -s apply/k.cu $kind.cu || die "$last: the patch makes another text"
  fi
  cp k.cu apply/
  if command -v git >/dev/null; then
    (cd apply && GIT_CEILING_DIRECTORIES=$work git apply <../$kind.patch) || die "$last: git apply fails"
    cmp -s apply/k.cu $kind.cu || die "$last: git makes another text"
  fi
done
# Names with spaces and quotes, folders above, an end without a line feed, line ends of DOS.
for name in 'a folder/below/k 1.cu' 'a folder/k"2.cu'; do
  printf %s "$(cat k.cu)" | sed 's/$/\r/' >"$name"
  (cd 'a folder/below' && "$SMEMBANK" advise "$work/$name" --block 32,32 --patch) >p 2>err || die "$name: $(cat err)"
  (cd 'a folder/below' && "$SMEMBANK" advise "$work/$name" --block 32,32 --out "$work/new.cu") >/dev/null 2>&1
  if command -v git >/dev/null; then
    folder=/
    case $name in */below/*) folder='a folder/below' ;; esac
    (cd "$folder" && GIT_CEILING_DIRECTORIES=/ git apply --unsafe-paths "$work/p") || die "$name: git apply fails: $(cat p)"
    cmp -s "$name" new.cu || die "$name: the patch makes another text"
  fi
done

# In place; a link stays a link.
cp k.cu own.cu
chmod 640 own.cu
ln -s own.cu link.cu
expect 0 advise link.cu --block 32,32 -i
says 'smembank advise: wrote link.cu (tile: '
[ -L link.cu ] || die "$last: replaced the link"
cmp -s own.cu padded.cu || die "$last: not what --out writes"
[ "$(stat -c %A own.cu)" = -rw-r----- ] || die "$last: another mode"
# Nothing better: nothing changes.
expect 0 advise own.cu --block 32,32 --in-place
says 'was not written: no rewritten kernel is better'
cmp -s own.cu padded.cu || die "$last: changed"
expect 0 advise own.cu --block 32,32 --patch
[ ! -s "$work/out" ] || die "$last: a patch"
says 'a patch was not written: no rewritten kernel is better'

expect 2 advise k.cu --block 32,32 --patch --out x.cu
says 'expected one of --out, --in-place and --patch'
expect 2 advise k.cu --block 32,32 --out -
says "--out '-': expected a file (--patch writes to standard output)"
expect 2 advise k.cu --block 32,32 --patch --format json
says '--patch replaces the result'
expect 2 advise --rows 32 --cols 32 -i
says "is not a file: expected a FILE, or --out FILE"
expect 2 advise --kernel transposeSmem --patch
says "is not a file"
expect 2 advise - --block 32,32 --patch <k.cu
says "is not a file"
expect 2 advise "$srcdir/tests/ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64 -i
says '--in-place: '
cmp -s k.cu apply/k.cu && die 'the kernel was written over'
# Other files beside the result.
expect 0 explain k.cu --block 32,32 --svg map.svg
says 'smembank explain: wrote map.svg'
