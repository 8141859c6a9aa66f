#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code is counted as profilers count its instructions; where the pipe takes other wavefronts, both are told
# (tests/data/sass/wide.cu, doc/model.md).
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cp "$srcdir/tests/data/sass/wide.sm_90.cubin" "$work/wide.cubin"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

# Lanes 0 and 16 load one address: the pipe serves each half for itself.
corner='wide.cubin --entry corner --block 16,16'
# shellcheck disable=SC2086 # several words, here and below
{
  expect 0 analyze $corner
  golden sass-counter-corner.txt
  expect 0 analyze $corner --format json
  is_json
  golden sass-counter-corner.json
  cp out corner.json
  expect 0 analyze $corner --max-wavefronts 18
  expect 1 analyze $corner --max-wavefronts 17
}

# Pairs of lanes that merge, and conflict: the pipe serves a half at once, in two passes.
pairs='wide.cubin --entry pairs --block 32'
# shellcheck disable=SC2086
{
  expect 0 analyze $pairs
  golden sass-counter-pairs.txt
  expect 0 analyze $pairs --format json
  cp out pairs.json
  # Of a lane by itself both numbers are the same.
  expect 0 analyze wide.cubin --entry pairs --block 1
  ! grep -q 'The LSU pipe' out || die "$last: two numbers: $(cat out)"
  # A request is explained as the pipe takes it.
  expect 0 explain $pairs
  tells ': 4 wavefronts'
  expect 0 explain $pairs --format json
  is_json
  shows '"pipe_wavefronts" : 4'
}

# Parts of a launch have both numbers, and the whole again.
for k in 1 2 3; do
  # shellcheck disable=SC2086
  expect 0 analyze $corner --grid 3,2 --shard "$k/3" --format json
  cp out "part-$k.json"
done
# shellcheck disable=SC2086
expect 0 analyze $corner --grid 3,2 --format json
shows '"pipe_wavefronts" : 192'
cp out whole.json
expect 0 merge part-2.json part-3.json part-1.json --format json
cmp whole.json out || die 'the parts are not the whole'

# Results are compared by what is counted.
expect 0 compare corner.json corner.json
sed 's/"wavefronts" : 8,/"wavefronts" : 9,/; s/"excess_wavefronts" : 0/"excess_wavefronts" : 1/' corner.json >more.json
expect 1 compare corner.json more.json
expect 0 compare more.json corner.json
printf '[corner]\nfile = wide.cubin\nentry = corner\nblock = 16,16\nmax-wavefronts = 18\n' >smembank.ini
expect 0 check
sed -i 's/= 18/= 17/' smembank.ini
expect 1 check

# A table as ncu writes it, with the counts per instruction, and with what the pipe takes.
table() {
  "$SMEMBANK" analyze wide.cubin --entry corner --block 16,16 --annotate >listing
  printf '"Kernel Name","corner(float *)",\n"Address","Source","Instructions Executed","Predicated-On Thread Instructions Executed","L1 Wavefronts Shared","L1 Wavefronts Shared Ideal"\n'
  sed -nE 's/^.* ([0-9a-f]{4})  (.*[A-Z].*)$/"0x\1","\2","8","16","0","0"/p' listing |
    sed -E "/LDS\\.128/s/\"0\",\"0\"\$/\"$1\",\"8\"/; /STS\\.128/s/\"8\",\"16\",\"0\",\"0\"\$/\"1\",\"16\",\"2\",\"2\"/"
}
table 8 >counter.csv
table 16 >pipe.csv
# shellcheck disable=SC2086
{
  expect 0 validate $corner --ncu counter.csv
  tells '9 compared: 9 match, 0 differ.'
  expect 1 validate $corner --ncu pipe.csv
  tells '9 compared: 7 match, 2 differ.'
}
