#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate of machine code on a made-up device (tests/fake-cuda.c): the image is loaded as it is, also out of a file with
# several, and gets the same arguments and buffers as the prediction.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
# shellcheck disable=SC2034
SMEMBANK=${SMEMBANK_ON_FAKE:?the program on a made-up GPU}
data=${srcdir:?}/tests/data/sass
inlined="$data/inlined.sm_90.cubin --entry inlined --block 32"
rotate="$data/bundle.object --block 64"

# row METRIC,PREDICTED,MEASURED,MATCH: the last run's CSV has this row.
row() {
  grep -q ",$1," "$work/out" || die "$last: no row $1: $(cat "$work/out")"
}

# shellcheck disable=SC2086 # several words, here and below
expect 0 validate $inlined --format csv
says 'buffers without --buffer hold zeros on the GPU'
row 'wavefronts_st,33,33,yes'
row 'instructions_ld,1,1,yes'
row 'sectors_ld,4,4,yes'
# shellcheck disable=SC2086
expect 0 validate $rotate --buffer 0=iota:i32 --format csv --record "$work/rotate.json"
quiet
row 'values,256,256,yes'
# Replayed without a device, from the file.
expect 0 validate --recorded "$work/rotate.json"
shows '0 differ'
# Parameters by number; the machine code for the device, out of several images; PTX where there is none.
expect 0 validate "$data/code.sm_90.cubin" --entry divides --block 64 --arg 1=6 --format csv
row 'wavefronts_st,32,32,yes'
expect 0 validate "$data/bundle.zstd.fatbin" --block 64 --format csv
row 'wavefronts_ld,2,2,yes'
expect 0 validate "$data/bundle.lz4.fatbin" --block 64 --format csv
row 'wavefronts_ld,2,2,yes'
expect 0 validate "$data/bundle.object" --block 64 --format csv
row 'wavefronts_ld,2,2,yes'

# Not every chip counts the instructions that store matrices: the others say nothing of them.
SMEMBANK_FAKE=no-stsm
export SMEMBANK_FAKE
expect 0 validate "$data/code.sm_90.cubin" --entry moves --block 64 --arg 2=9 --format csv
! grep -q ',instructions_st,[0-9]*,[0-9]' "$work/out" || die "$last: $(cat "$work/out")"
grep -q ',wavefronts_st,[0-9]*,[0-9]*,yes,' "$work/out" || die "$last: $(cat "$work/out")"
SMEMBANK_FAKE=

# What does not run on the device; what the device finds otherwise.
expect 2 validate "$data/code.sm_80.cubin" --entry divides --block 64 --arg 1=6
says 'is machine code of sm_80, which does not run on sm_90'
head -c 3000 "$data/code.sm_90.cubin" >"$work/cut.cubin"
expect 3 validate "$work/cut.cubin"
says 'cut.cubin: '
SMEMBANK_FAKE=wrong-values
export SMEMBANK_FAKE
# shellcheck disable=SC2086
expect 1 validate $rotate --buffer 0=iota:i32
tells 'of parameter 0 is'

# --- instruction by instruction
SMEMBANK_FAKE=
# shellcheck disable=SC2086
expect 0 validate $rotate --buffer 0=iota:i32 --format csv
grep -q ',wavefronts@0x[0-9a-f]*,\([0-9]*\),\1,yes,Made-up GPU,' "$work/out" || die "$last: $(cat "$work/out")"
SMEMBANK_FAKE=more-wavefronts
# shellcheck disable=SC2086
expect 1 validate $rotate --buffer 0=iota:i32
grep -q '^metric .* instruction .* predicted  measured  match' "$work/out" || die "$last: $(cat "$work/out")"
grep -q '^wavefronts@0x.* NO' "$work/out" || die "$last: $(cat "$work/out")"
# shellcheck disable=SC2086
expect 1 validate $rotate --buffer 0=iota:i32 --format json
grep -q '"instruction" *: *"[A-Z]' "$work/out" || die "$last: $(cat "$work/out")"
SMEMBANK_FAKE=no-sass
# shellcheck disable=SC2086
expect 0 validate $rotate --buffer 0=iota:i32 --all
says 'only sums were measured, not single instructions: the made-up GPU has no metric'
grep -q '@0x' "$work/out" && die "$last: $(cat "$work/out")"
exit 0
