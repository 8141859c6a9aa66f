#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate: predicted beside measured, and what happens when they differ.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

recorded=$srcdir/data/measured/h200-requests.txt
n_recorded=$(grep -c " = " "$recorded")

# All that was published and all that was recorded; the file says who, where and whether it matches.
expect 0 validate --recorded
golden validate.txt
grep -q '^[0-9]* compared: [0-9]* match, .*0 differ\.' "$work/out" || die 'something differs'
shows 'no GPU was used'
shows 'NVIDIA H200'
quiet
cp "$work/out" "$work/recorded"
# Without a device that is what is compared anyway, and it is told why.
expect 0 validate
says 'no usable GPU'
says 'comparing with recordings'
cmp "$work/recorded" "$work/out" || die 'validate is not validate --recorded'
! grep -E '.{101}' "$work/out" || die 'a line of more than 100 columns'

expect 0 validate --recorded --kernel setRowReadColPad
golden validate-kernel.txt
expect 0 validate --recorded --kernel setRowReadColPad --format csv
golden validate-kernel.csv
expect 0 validate --recorded --kernel setRowReadColPad --format json
is_json
golden validate-kernel.json
expect 0 validate --format csv
[ "$(grep -c ',yes,.*h200-requests.txt:' "$work/out")" -eq "$n_recorded" ] || die 'not all requests that match'
# Every published number is there, and every count of them matches.
published=$srcdir/data/published/published.csv
grep -v -e '^#' -e '^source,' "$published" >"$work/rows"
n_rows=$(grep -c '' "$work/rows")
n_times=$(grep -c ',time_us,' "$work/rows")
{ [ "$n_times" -gt 0 ] && [ "$n_rows" -gt "$n_times" ]; } || die 'no published counts or no times'
grep ',sm_[0-9B_]*,study note [0-9] ' "$work/out" >"$work/published"
[ "$(grep -c '' "$work/published")" -eq "$n_rows" ] || die "not $n_rows published numbers"
[ "$(grep -c ',time_us,' "$work/published")" -eq "$n_times" ] || die "not $n_times published times"
[ "$(grep -c ',yes,' "$work/published")" -eq $((n_rows - n_times)) ] ||
  die 'a published count does not match'
expect 0 validate --all
[ "$(grep -c 'yes  *sm_90  *data/measured/h200-requests.txt:' "$work/out")" -eq "$n_recorded" ] ||
  die 'not all requests'
expect 0 validate -a

# A recording of the user's.
expect 0 validate "$recorded"
shows "$n_recorded compared: $n_recorded match, 0 differ."
expect 0 validate --recorded - <"$recorded"
shows "$n_recorded compared"
grep '^ld 4 ' "$recorded" | head -n 3 | sed 's/= .*/= 77/' >"$work/wrong"
grep '^st 16 ' "$recorded" | head -n 2 >>"$work/wrong"
expect 1 validate "$work/wrong"
shows '5 compared: 2 match, 3 differ.'
shows "$work/wrong:1"
expect 1 validate "$work/wrong" --format json
is_json
shows '"mismatched" : 3'
expect 1 validate "$work/wrong" --format csv
[ "$(grep -c ',no,' "$work/out")" -eq 3 ] || die 'not 3 rows that differ'
# Without a count there is nothing to compare: no match, and no difference.
sed 's/ = .*//' "$recorded" | grep '^ld 4 ' >"$work/counts"
expect 0 validate "$work/counts" --format json
shows '"compared" : 0'
shows '"unmeasured" : 24'

# The user's own numbers come first: a wrong one is a mismatch, a broken one bad input.
mkdir -p "$work/data/published"
sed '0,/wavefronts_ld,1024/s//wavefronts_ld,1023/' "$srcdir/data/published/published.csv" \
  >"$work/data/published/published.csv"
SMEMBANK_DATADIR=$work/data
export SMEMBANK_DATADIR
expect 1 validate
shows ' 1 differ.'
grep -q '1024  *1023  NO' "$work/out" || die 'the difference is not shown'
sed 's/,1024,/,x,/' "$srcdir/data/published/published.csv" >"$work/data/published/published.csv"
expect 3 validate
says 'published.csv'
unset SMEMBANK_DATADIR

# Bad input.
expect 2 validate --kernel nothing
says "no built-in kernel 'nothing'"
expect 2 validate --kernel setRowReadCol "$recorded"
expect 2 validate --kernel
expect 2 validate "$recorded" "$recorded"
expect 2 validate --recorded=x
expect 2 validate --format xml
expect 3 validate "$work/missing"
says 'No such file or directory'
expect 3 validate "$work"
says 'Is a directory'
: >"$work/empty"
expect 3 validate "$work/empty"
says 'no request in it'
head -c 4096 "$SMEMBANK" >"$work/binary"
expect 3 validate "$work/binary"
expect 2 validate --arch sm_20
says '--arch is for traces'
expect 3 validate --arch sm_20 "$srcdir/data/measured/h200-requests.txt"
says 'sm_20 has no rule'
