#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise ranks what it has compiled by predicted time. The nvcc is made up: it copies what the real one (13.0, -arch=sm_90) made of
# tests/data/layouts/turn.cu and stream.cu, and of the two forms of each that advise writes.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
layouts=$srcdir/tests/data/layouts
TMPDIR=$work/tmp
mkdir "$TMPDIR"
export TMPDIR layouts
cd "$work"
cp "$layouts/turn.cu" "$layouts/stream.cu" .
made_nvcc <<'END'
PATH=$PATH:/usr/bin:/bin
kernel=turn form=
grep -q 'void stream' "$word" && kernel=stream
grep -q 'tile.*\^\|s\[.*\^ (t' "$word" && form=-swizzle
if grep -q '32 + [248]\]' "$word"; then exit 1; fi
grep -q '32 + 1\]\|512 + 16' "$word" && form=-pad
cp "$layouts/$kernel$form.sm_90.cubin" "$out"
END

# golden_times NAME: the last result, with 1 for each number that the model of a device gives.
golden_times() {
  sed -E 's/"(cycles|microseconds|speedup|busy|share|waves|instructions)" : [0-9.e-]+/"\1" : 1/' "$work/out" >masked
  mv masked "$work/out"
  golden "$1"
}

turn='turn.cu --block 32,8 --grid 64,64 --arg n=2048'
stream='stream.cu --block 256 --grid 16384 --arg n=4194304'

# What limits is shared memory now, and L2 then: as predicted of the padded kernel itself.
# shellcheck disable=SC2086
expect 0 advise $turn --out best.cu
says 'wrote best.cu (tile: pad 1)'
tells 'limited by shared memory'
tells 'Layouts are ranked by the time that is predicted of each.'
tells 'times as fast; L2 limits then.'
grep -qF '[32 + 1]' best.cu || die "wrote $(cat best.cu)"
# shellcheck disable=SC2086
expect 0 advise $turn --device h200 --format json
is_json
grep -oE '"microseconds" *: *[0-9.]+' "$work/out" | grep -oE '[0-9.]+$' | sort -un >predicted
golden_times advise-time.json
expect 0 analyze "$layouts/turn-pad.sm_90.cubin" --block 32,8 --grid 64,64 --arg 2=2048 --time --device h200 --format json
padded=$(grep -m 1 -oE '"microseconds" *: *[0-9.]+' "$work/out" | grep -oE '[0-9.]+$')
grep -qxF "$padded" predicted || die "advise predicts $(cat predicted), analyze $padded"

# So it is with rows of a source that only a compiler reads.
sed 's/__syncthreads();/__syncthreads(); asm volatile("");/' turn.cu >asm.cu
# shellcheck disable=SC2086
expect 0 advise asm${turn#turn} --device h200 --format json --out best.cu
says 'wrote best.cu (tile: pad 1)'
is_json
grep -q "\"microseconds\" : $padded" "$work/out" || die "$last: does not predict $padded"
golden_times advise-written-time.json
# shellcheck disable=SC2086
expect 0 advise asm${turn#turn}
tells 'Recommended: tile: pad 1: '
tells 'times as fast; L2 limits then.'

# --device, --clock: a device of another clock takes longer.
# shellcheck disable=SC2086
expect 0 advise $turn --device h200 --clock 1
tells 'Time on an H200: '
# The device of a case is that of its predictions; without them layouts are ranked by what is counted.
printf '[turn]\nfile = turn.cu\nblock = 32,8\ngrid = 64,64\narg = n=2048\ndevice = h200\n' >case.ini
expect 0 advise --project case.ini --case turn --time
tells 'Time on an H200: '
expect 0 advise --project case.ini --case turn --no-time
tells 'Layouts are ranked by these numbers.'
grep -q 'Time on \|Predicted on ' "$work/out" && die "$last: a time: $(cat "$work/out")"
expect 2 advise --rows 32 --cols 32 --device h1000
says "no device 'h1000': expected one of a100, a6000, b200, b300, gb10, h100, h200, orin, rtx3090, rtx4090, rtx5090, t4, thor"
expect 2 advise --rows 32 --cols 32 --clock 0
expect 2 advise --rows 32 --cols 32 --cache hot

# Half as many wavefronts gain nothing where DRAM limits: nothing is recommended, or written.
# shellcheck disable=SC2086
expect 0 advise $stream --out none.cu
says 'none.cu was not written: no rewritten kernel is better'
tells 'limited by DRAM'
tells 'Bank conflicts cost nothing here. Typical error: '
tells ' Leave the layout as it is.'
tells 'Pad 1 after 32 is not recommended: 50 % fewer wavefronts in the text, 50 % fewer as compiled,'
tells 'bank conflicts cost nothing here.'
[ ! -e none.cu ] || die "$last: wrote none.cu"
# shellcheck disable=SC2086
expect 0 advise $stream --format json
if grep -q '"recommended" : true' "$work/out"; then die "$last: recommends what gains nothing"; fi

# One block says little of times: wavefronts rank.
expect 0 advise stream.cu --block 256 --arg n=4194304
tells 'Layouts are ranked by these numbers.'
if grep -q 'Time on' "$work/out"; then die "$last: has a time"; fi
