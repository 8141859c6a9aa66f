#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# fuzz: random requests against a made-up GPU that does what the model says, or not quite.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"

# Wrong usage comes before the device.
expect 2 fuzz --count 0
says "--count '0': expected a whole number from 1 to 1000000000000"
expect 2 fuzz --count x
expect 2 fuzz --count 1 --seed -1
says "--seed '-1'"
expect 2 fuzz --count 1 --counted 1000001
expect 2 fuzz --count 1 --device x
expect 2 fuzz --count 1 --timeout 0
expect 2 fuzz --count 1 a
for op in nothing ld.3 ld.32 ld. .4 ldmatrix.x4.8 red.uniform.8 '' LD; do
  expect 2 fuzz --count 1 --op ld --op "$op"
  says "--op '$op': expected an operation (ld, st, "
done

# Without a device: one message that says what is missing, and no file.
expect 4 fuzz --count 10 --record "$work/none.json"
says 'no usable GPU ('
[ ! -e "$work/none.json" ] || die 'a recording of nothing'

real=$SMEMBANK
SMEMBANK=$SMEMBANK_ON_FAKE
# The lines of the table: instruction, operation, width, patterns, mismatches, unsteady, counted, mismatches.
rows() {
  sed -n '/^---/,/^---/p' "$work/out" | sed 's/  *[0-9.]*  *[0-9.]*$//; s/  */ /g' | grep -v '^-'
}
row_is() {
  rows | grep -qxF -e "$1" || die "$last: no row '$1': $(rows)"
}

# Everything is as the model says: every operation and width that the device has.
expect 0 fuzz --count 500 --seed 7
quiet
shows 'Made-up GPU (compute capability 9.0, driver 100.01), by the rules of sm_90'
shows '500 random requests of each instruction, seed 7'
shows 'Wavefronts were counted by l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.'
shows ' patterns, 0 mismatches.'
row_is 'ld.u8 ld 1 500 0 0 200 0'
row_is 'stmatrix.x4 stmatrix.x4 16 500 0 0 200 0'
! grep -E '.{101}' "$work/out" || die 'a line of more than 100 columns'

# Without --count there are 10000.
expect 0 fuzz --op ld.4 --counted 0
row_is 'ld.u32 ld 4 10000 0 0 0 0'

# What --op selects, each once.
selects() {
  selected=$1
  shift
  expect 0 fuzz --count 5 --counted 0 "$@"
  [ "$(rows | cut -d ' ' -f 1 | tr '\n' ' ')" = "$selected " ] || die "$last: selects $(rows)"
}
selects 'ld.u8 ld.u16 ld.u32 ld.v2.u32 ld.v4.u32' --op ld
selects 'ld.v4.u32' --op ld.16
selects 'st.v2.u32 atom.max.u32 atom.add.u32 atom.exch.b64' --op st.8 --op atom.max.u32 --op atom
selects 'ldmatrix.x2' --op ldmatrix.x2.16 --op ldmatrix.x2
expect 0 fuzz --count 2 --counted 1 --op all-instructions
[ "$(rows | wc -l)" -ge 50 ] || die 'not all instructions'

# More than a batch, and the sample of all of it.
expect 0 fuzz --count 300000 --counted 7 --op ld.4
row_is 'ld.u32 ld 4 300000 0 0 7 0'
expect 0 fuzz --count 3 --counted 100 --op ld.4
row_is 'ld.u32 ld 4 3 0 0 3 0'

# The same seed measures the same requests, another one others; with any number of threads.
sample() {
  expect 0 fuzz --count 140000 --counted 30 --op ld.8 --op atom.or.b32 --record "$work/$1.json" --seed "$2"
  grep '"request"' "$work/$1.json" >"$work/$1.txt"
}
sample a 1
sample b 1
sample c 2
cmp "$work/a.txt" "$work/b.txt" || die 'the same seed gives other requests'
! cmp -s "$work/a.txt" "$work/c.txt" || die 'another seed gives the same requests'
[ "$(wc -l <"$work/a.txt")" -eq 60 ] || die 'not 30 requests of each'
[ "$(grep -c '"instruction": "atom.or.b32"' "$work/a.txt")" -eq 30 ] || die 'instructions are not named'
[ "$(grep -c '"instruction"' "$work/a.txt")" -eq 30 ] || die 'what stands for its operation is named'
SMEMBANK=$real
expect 0 validate "$work/a.json"
shows '120 compared: 120 match, 0 differ'
SMEMBANK=$SMEMBANK_ON_FAKE

# The formats.
expect 0 fuzz --count 50 --counted 5 --op ld.4 --format json --seed 18446744073709551615
is_json
shows '"seed" : "18446744073709551615"'
shows '"patterns" : 50'
shows '"count_mismatches" : 0'
shows '"counters_refused" : null'
shows '"mismatches" : []'
expect 0 fuzz --count 50 --counted 5 --op ld.4 --op st.4 --format csv
shows 'instruction,op,width,patterns,mismatches,unsteady,counted,count_mismatches,patterns_per_second'
shows 'st.u32,st,4,50,0,0,5,0,'

# on FAULT: the machine of the next runs.
on() {
  SMEMBANK_FAKE=$1
  export SMEMBANK_FAKE
}

# Every clock reading is one too many: a mismatch, as a trace that the real program counts otherwise.
on more-cycles
expect 1 fuzz --count 50 --counted 5 --op ld --op st
row_is 'ld.u32 ld 4 50 50 0 7 0'
shows '500 patterns, 500 mismatches by the clock'
grep -A 100 'lines of a trace' "$work/out" | tail -n +2 >"$work/mismatches.txt"
[ "$(wc -l <"$work/mismatches.txt")" -eq 20 ] || die 'not 20 mismatches are shown'
SMEMBANK=$real
expect 0 trace "$work/mismatches.txt"
shows 'compared 20: 20 match'
SMEMBANK=$SMEMBANK_ON_FAKE
expect 1 fuzz --count 50 --op ld.4 --format json
is_json
shows '"mismatches" : 50'
shows '"request" : "ld 4 '
expect 1 fuzz --count 50 --op ld.4 --format csv
says '# ld.u32: wavefronts: predicted '

# Every count is one too many.
on more-wavefronts
expect 1 fuzz --count 50 --counted 5 --op ld.4
row_is 'ld.u32 ld 4 50 0 0 5 5'
shows '50 patterns, 0 mismatches by the clock, 5 by counters.'
grep -A 100 'lines of a trace' "$work/out" | tail -n +2 >"$work/mismatches.txt"
SMEMBANK=$real
expect 1 trace "$work/mismatches.txt"
shows 'compared 3: 0 match, 3 differ'
SMEMBANK=$SMEMBANK_ON_FAKE

# A reading that differs once is told, and no mismatch.
on noisy-clock
expect 0 fuzz --count 2000 --op ld.4 --format json
unsteady=$(sed -n 's/.*"unsteady" : \([0-9]*\).*/\1/p' "$work/out" | head -n 1)
[ "$unsteady" -gt 50 ] || die "$unsteady unsteady requests"
shows '"mismatches" : 0'

# No counters: the clock alone.
on no-permission
expect 0 fuzz --count 50 --op ld.4 --record "$work/clock.json"
row_is 'ld.u32 ld 4 50 0 0 0 0'
shows 'Wavefronts were not counted: this user may not read hardware counters'
grep '"cycles"' "$work/clock.json" >/dev/null || die 'no cycles were recorded'
! grep '"wavefronts"' "$work/clock.json" || die 'wavefronts that nobody counted'
on no-cupti
expect 0 fuzz --count 50 --op ld.4 --format json
is_json
shows '"counter" : null'

# A device that fails leaves nothing behind.
for fault in lost-device@3 launch-failure@3 crash@3 out-of-memory@4; do
  on "$fault"
  expect 4 fuzz --count 300000 --op ld.4 --op st.4 --record "$work/lost.json"
  says 'ld.u32: '
  [ ! -e "$work/lost.json" ] || die "$fault: half a recording"
done
on hang@3
expect 4 fuzz --count 300000 --op ld.4 --timeout 1
says 'ld.u32: timed out after 1 second'
on compile-error
expect 4 fuzz --count 5 --op ld.4
says 'nothing could be measured: ld.u32: the probe does not compile'
for fault in no-runtime no-driver no-device no-nvrtc; do
  on "$fault"
  expect 4 fuzz --count 5
  says 'no usable GPU ('
done

# make record: both files, or no word of them.
on ''
sh "$srcdir/tests/gpu/record.sh" "$SMEMBANK" "$work/recorded" 70 >"$work/out" 2>"$work/err" || die "make record: $(cat "$work/err")"
shows "send both"
for what in kernels requests; do
  [ -f "$work/recorded/made-up-gpu-$what.json" ] || die "make record: no $what: $(ls "$work/recorded")"
done
on lost-device:probe_clock
status=0
sh "$srcdir/tests/gpu/record.sh" "$SMEMBANK" "$work/lost" 70 >"$work/out" 2>"$work/err" || status=$?
[ "$status" -eq 4 ] || die "make record on a lost device: status $status"
! grep -q 'send both' "$work/out" || die 'make record: names a file that is not there'

# A recording that cannot be written is bad news, and there is no result.
on ''
expect 3 fuzz --count 5 --op ld.4 --record "$work/missing/x.json"
says "$work/missing/x.json"
