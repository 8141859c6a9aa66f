#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code (tests/data/sass) in the commands other than analyze: arrays that have no names, lines of inlined code, and
# places that have no line.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=$(cd "$srcdir/tests/data/sass" && pwd)
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cp "$data/inlined.sm_90.cubin" "$data/code.sm_90.cubin" "$work"
cd "$work" || exit

# inlined writes 32 rows of 32 floats by columns, behind as many that it writes by rows.
inlined='inlined.sm_90.cubin --entry inlined --block 32'
code='code.sm_90.cubin --entry moves --block 64 --arg 2=9'

# Static memory has the names of the PTX that is kept for debuggers; all of it is 'shared', whose parts --array names.
# shellcheck disable=SC2086 # several words, here and below
{
  expect 0 advise $inlined
  shows 'char tile[8192]  8192 bytes'
  tells 'Compiled code does not have the arrays of tile'
  tells 'change the array where its source declares and indexes it'
  expect 0 advise $inlined --array shared=32x32xf32 --array shared+4096=32x32xf32
  golden sass-advise.txt
  expect 0 advise $inlined --array shared+4096=32x32xf32 --format json
  is_json
  shows '"name" : "shared+4096"'
  expect 0 advise $inlined --array shared=64x32xf32 --check 'Swizzle<5,0,5>'
  tells '/src/inlined.cu:6'
  expect 0 analyze $inlined --format json
  shows '"array" : "tile"'
  expect 2 advise $inlined --array tiles=32x32xf32
  says "array 'tiles=32x32xf32': expected one of tile, dynamic"
  expect 2 advise $inlined --array dynamic=32x32xf32
  says "it takes 4096 bytes, and there are 0 of dynamic shared memory; give the kernel dynamic shared memory with --dynamic-bytes 4096"
  expect 2 advise $inlined --out new.cu
  says "'inlined.sm_90.cubin' is compiled code, which is not rewritten"
  expect 2 advise $inlined --tune PAD=0..3
  says 'has no macros'
}

# Explained with the line of the source, where that is beside the file, and in the terms of the array.
# shellcheck disable=SC2086
{
  expect 0 explain $inlined --array shared+4096=32x32xf32
  shows 'inlined.sm_90.cubin: inlined+0xd0: store of STS [R7+0x1000], R0'
  shows 'shared+4096[1][0]'
  tells 'shared+4096 has rows of 32 elements. With a padding of 1 all accesses'
  shows 'compiled from /src/inlined.cu:6'
  shows 'inlined at /src/inlined.cu:11'
  ! grep -q 'tile\[at\]' out || die "$last: a source that is not there"
  cp "$data/inlined.cu" .
  expect 0 explain $inlined
  shows '/src/inlined.cu:6: tile[at] = value; // line 6'
  shows 'inlined at /src/inlined.cu:11: put(tile, 32 * at + 1024, value); // line 11'
  shows 'inlined at /src/inlined.cu:16: put_twice('
  expect 0 explain $inlined --frames outer
  shows '/src/inlined.cu:16: put_twice('
  expect 0 explain $inlined --format json
  is_json
  shows '"expression" : "STS [R7+0x1000], R0"'
  expect 0 explain $code
  shows 'code.sm_90.cubin: moves+0x'
}

# The page: with the source and without.
# shellcheck disable=SC2086
{
  expect 0 report page.html $inlined
  grep -qF '<section id="source">' page.html || die "$last: no source"
  grep -qF 'href="#file-1-line-6"' page.html || die "$last: no way to line 6"
  grep -qF 'id="file-1-line-6"' page.html || die "$last: no line 6"
  expect 0 report page.html $code
  ! grep -qF '#source' page.html || die "$last: leads to a source that there is none of"
  expect 0 report - $inlined --array shared+4096=32x32xf32
  shows 'float shared+4096[32][32]'
}

# The requests as a trace count as the kernel does.
# shellcheck disable=SC2086
expect 0 trace --from $inlined
shows '# /src/inlined.cu:6, warp 0'
cp out requests.txt
expect 0 trace requests.txt --format json
shows '"wavefronts" : 33'
# shellcheck disable=SC2086
expect 0 trace --from $code
shows '# 0x'
# shellcheck disable=SC2086
expect 1 analyze $inlined --max-ways 31
says 'is 32-way: more than --max-ways 31'
# shellcheck disable=SC2086
expect 0 analyze $inlined --max-ways 32
