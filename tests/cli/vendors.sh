#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Of AMD's chips every command speaks in AMD's words: what NVIDIA calls a wavefront is a cycle there, and a wavefront is a wave.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

cat >"$work/column.cu" <<'END'
__global__ void column(float *out) {
  __shared__ float tile[128][32];
  tile[threadIdx.x][0] = threadIdx.x;
  out[threadIdx.x] = tile[threadIdx.x ^ 64][1];
}
END
cat >"$work/smembank.ini" <<'END'
[column]
file = column.cu
block = 64
arch = gfx942
max-ways = 2
max-excess = 0
max-wavefronts = 1
END
cd "$work"

# foreign ARGUMENT...: what the program writes, messages as well, has no word of NVIDIA's that AMD has another for. Its options
# and its own name may.
foreign() {
  status=0
  "$SMEMBANK" "$@" >"$work/out" 2>&1 || status=$?
  last="smembank $*"
  [ "$status" -le 1 ] || die "$last: status $status: $(cat "$work/out")"
  [ -s "$work/out" ] || die "$last: wrote nothing"
  found=$(sed 's/--[a-z-]*//g' "$work/out" |
    grep -iwE 'warps?|wavefronts?|lane groups?|shared memory|shared access(es)?|blocks?|multiprocessors?' || :)
  [ -z "$found" ] || die "$last says: $found"
}

column='column.cu --block 64 --arch gfx942'
for command in analyze explain advise 'trace --from' 'analyze --warps' 'analyze --format markdown' 'analyze --format github' \
  'analyze --max-ways 2 --max-excess 10% --max-wavefronts 3'; do
  # shellcheck disable=SC2086
  foreign $command $column
done
foreign analyze --rows 32 --cols 32 --arch gfx950
foreign explain --rows 32 --cols 32 --arch gfx1100 --passes
foreign advise --rows 32 --cols 32 --arch gfx950
foreign analyze column.cu --block 128 --arch gfx942 # a race
foreign list archs gfx942
foreign list archs gfx1100
for format in text markdown github; do
  foreign check --format "$format"
done

expect 1 check --format json --output now.json
sed 's/tile\[threadIdx.x\]\[0\]/tile[0][threadIdx.x]/' column.cu >row.cu
mv row.cu column.cu
expect 1 check --format json --output before.json
for format in text markdown github; do
  foreign compare before.json now.json --format "$format"
done
sed 's/tile\[0\]\[threadIdx.x\]/tile[threadIdx.x][0]/' column.cu >row.cu
mv row.cu column.cu
foreign check --baseline before.json

# Chips of both vendors in one table.
cat >>smembank.ini <<'END'
[other]
file = column.cu
block = 64
arch = sm_90
max-excess = 0
END
status=0
"$SMEMBANK" check >"$work/out" 2>"$work/err" || status=$?
last='check of two vendors'
[ "$status" -eq 1 ] || die "$last: status $status: $(cat "$work/err")"
shows 'wavefronts or cycles'
