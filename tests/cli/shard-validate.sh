#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate --shard and merge: the parts of any division of launches, requests and published numbers, compared with recordings or with a made-up
# GPU and merged in any order, are the whole, to the last byte but for the date of what is measured.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"

undated() {
  sed 's/"date" : "[^"]*"/"date" : ""/; s/^Measured [0-9-]* by /Measured by /'
}

# in_parts 'N...' STATUS ARGUMENT...: validate in N parts, for each N, and in one, which has that status; the last part comes first.
in_parts() {
  numbers=$1 whole=$2
  shift 2
  some=
  for format in text json csv; do
    one_in 2 || continue
    some="$some $format"
    expect "$whole" validate "$@" --format "$format"
    undated <"$work/out" >"$work/whole.$format"
  done
  for n in $numbers; do
    parts=
    for k in $(seq "$n"); do
      status=0
      "$SMEMBANK" validate "$@" --shard "$k/$n" --format json >"$work/part-$k.json" 2>"$work/err" || status=$?
      [ "$status" -le "$whole" ] || die "part $k of validate $*: status $status: $(cat "$work/err")"
      parts="$work/part-$k.json $parts"
    done
    for format in $some; do
      # shellcheck disable=SC2086 # several files
      expect "$whole" merge $parts --format "$format"
      quiet
      undated <"$work/out" | diff "$work/whole.$format" - >&2 || die "$n parts are not the whole of validate $* --format $format"
    done
  done
}

# What comes with the program.
divisions=3 few='--kernel transposeSmem'
[ "${SMEMBANK_TEST_EFFORT-}" != full ] || divisions='1 2 3 7'
quick || few=
in_parts "$divisions" 0 --recorded
in_parts 4 0 --recorded --kernel transposeSmem
# shellcheck disable=SC2086 # two words, or none
in_parts 3 0 --recorded --all $few
# A recording with every kind of row, among them a launch that failed, and a trace with requests that were never counted.
in_parts 2 1 "$srcdir/tests/data/recording.json"
in_parts 9 1 "$srcdir/tests/data/recording.json" --all
zeros=$(printf ' 0%.0s' $(seq 32))
rows=$(seq -s ' ' 0 128 3968)
for line in "ld 4 f$zeros = 1" "ld 4 f $rows = 4" "st 4 ffffffff $rows = 31" "ld 16 1$zeros"; do
  echo "$line"
done >"$work/trace.txt"
in_parts '2 3 12' 1 "$work/trace.txt" --arch sm_80
in_parts 2 1 "$work/trace.txt" --all
for file in "$srcdir"/data/measured/*.csv; do
  in_parts 3 0 "$file"
done

# A device: what is measured in other parts is not measured here.
real=$SMEMBANK
SMEMBANK=$SMEMBANK_ON_FAKE
# on FAULT: the machine of the next runs.
on() {
  SMEMBANK_FAKE=$1
  export SMEMBANK_FAKE
}
on ''
in_parts 3 0
in_parts 5 0 --kernel setRowReadColPad --all
in_parts 12 0 --kernel naiveGmem
expect 0 validate --kernel setRowReadColPad --shard 2/2 --format csv
cut -d , -f 1-3 "$work/out" | sort -u | grep -c ^setRowReadColPad >"$work/launches"
expect 0 validate --kernel setRowReadColPad --format csv
cut -d , -f 1-3 "$work/out" | sort -u | grep -c ^setRowReadColPad >"$work/all"
[ "$(cat "$work/launches")" -lt "$(cat "$work/all")" ] || die 'a part measures all launches'
for fault in wrong-values more-wavefronts launch-refused no-permission; do
  on "$fault"
  whole=1
  [ "$fault" != no-permission ] || whole=0
  in_parts 4 "$whole" --kernel setRowReadColPad
done
on ''

# A part says which one it is, and one launch has none.
expect 0 validate --recorded --shard 2/3
shows "Only part 2 of 3: 'smembank merge' combines the JSON of all parts."
expect 2 validate --recorded --shard 4/3
says "--shard '4/3': expected K/N, part K of N parts"
expect 2 validate --rows 32 --cols 32 --shard 1/2
says '--shard is for the built-in kernels, recordings and traces: one launch has no parts'
expect 2 validate --shard 1/2 --record "$work/r.json"
says '--record is for all launches: it cannot be combined with --shard'
SMEMBANK=$real

# What does not belong together.
expect 0 validate --recorded --kernel transposeSmem --shard 1/2 --format json
cp "$work/out" "$work/a.json"
expect 3 merge "$work/a.json"
says 'a.json: part 1 of 2: part 2 is missing'
refuses() { # MESSAGE ARGUMENT...: the second part is that of another run
  message=$1
  shift
  status=0
  "$SMEMBANK" validate "$@" --shard 2/2 --format json >"$work/c.json" 2>"$work/err" || status=$?
  [ "$status" -le 1 ] || die "validate $*: status $status: $(cat "$work/err")"
  expect 3 merge "$work/a.json" "$work/c.json"
  says "c.json: $message"
}
refuses "its 'shard.digest' is not that of " --recorded --kernel naiveGmem
refuses "its 'shard.digest' is not that of " "$srcdir/tests/data/recording.json"
expect 0 validate --recorded --shard 1/2 --format json
cp "$work/out" "$work/a.json"
refuses "its 'shard.kernels' is not that of " --recorded --all
SMEMBANK=$SMEMBANK_ON_FAKE
refuses "its 'device' is not that of " --kernel naiveGmem
expect 0 validate --kernel naiveGmem --shard 1/2 --format json
cp "$work/out" "$work/a.json"
on no-permission
refuses "its 'recordings[0]' is not that of " --kernel naiveGmem
on ''
SMEMBANK=$real
"$SMEMBANK" validate "$work/trace.txt" --shard 1/2 --format json >"$work/a.json" || :
echo '# another text' >>"$work/trace.txt"
refuses "its 'shard.digest' is not that of " "$work/trace.txt"
sed "s/by hand for/by hand in/" "$srcdir/tests/data/recording.json" >"$work/recording.json"
"$SMEMBANK" validate "$work/recording.json" --shard 1/2 --format json >"$work/a.json" || :
cp "$srcdir/tests/data/recording.json" "$work/recording.json"
refuses "its 'shard.digest' is not that of " "$work/recording.json"

# Rows that nobody wrote.
"$SMEMBANK" validate "$work/recording.json" --shard 1/1 --format json >"$work/a.json" || :
expect 1 merge "$work/a.json"
spoils() { # sed's command MESSAGE
  sed "$1" "$work/a.json" >"$work/c.json"
  ! cmp -s "$work/a.json" "$work/c.json" || die "nothing to spoil: $1"
  expect 3 merge "$work/c.json"
  says "c.json: $2"
}
spoils 's/"recordings" : \[/"recordings" : 1, "more" : [/' 'recordings: 1: expected an array'
spoils 's/"method" : "[^"]*"/"method" : 1/' 'recordings[0].method: 1: expected a text'
spoils 's/"rows" : \[/"rows" : 1, "more" : [/' 'rows: 1: expected an array'
spoils 's/"index" : 0/"index" : -1/' 'rows[0].shard.index: -1: expected a whole number from 0'
spoils 's/"kind" : "request"/"kind" : "instruction"/' 'rows[29].shard.kind: "instruction": expected one of published, kernel, request'
spoils 's/"outcome" : "match"/"outcome" : "no"/' 'rows[0].shard.outcome: "no": expected one of match, explained, mismatch, unmeasured, shown'
spoils 's/"metric" : "[^"]*"/"metric" : null/' 'rows[0].metric: missing'
spoils 's/"op" : "[^"]*"/"op" : "no"/' 'rows[29].op: "no": expected an operation'
spoils 's/"width" : 4/"width" : 5/' 'rows: not as validate writes it'
spoils 's/"recording" : 0/"recording" : 9/' 'rows: not as validate writes it'
spoils 's/"block" : \[/"block" : 1, "more" : [/' 'rows[0].shard.more: no such member'
spoils 's/"variant" : "[^"]*"/"variant" : null/' 'rows[0].shard.variant: missing'
