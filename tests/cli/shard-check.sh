#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# check --shard and merge: the parts of any division of the cases, merged in any order, are the whole, to the last byte.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

case $SMEMBANK in
/*) ;;
*) SMEMBANK=$PWD/$SMEMBANK ;;
esac
cd "$work"

# runs STATUS ARGUMENT...: as expect, of a result that is written whatever the status is.
runs() {
  wanted=$1
  shift
  last="smembank $*"
  status=0
  "$SMEMBANK" "$@" >out 2>err || status=$?
  [ "$status" -eq "$wanted" ] || die "$last: status $status, expected $wanted: $(cat err)"
}

cat >k.cu <<'END'
__global__ void k(float *out) {
  __shared__ float s[1024];
  s[threadIdx.x * STEP] = 1;
  out[threadIdx.x] = s[threadIdx.x];
}
END
cat >smembank.ini <<'END'
[*]
max-ways = 2
[padded]
rows = 32
cols = 32
pad = 1
[plain]
rows = 32
cols = 32
[gone]
file = gone.cu
[one]
file = k.cu
define = STEP=1
block = 256
[four]
file = k.cu
define = STEP=4
block = 256
[rule]
file = k.cu
define = STEP=2
block = 64
END

# in_parts N STATUS ARGUMENT...: check in N parts and in one, which has that status; the last part comes first.
in_parts() {
  n=$1 whole=$2
  shift 2
  parts=
  for k in $(seq "$n"); do
    status=0
    "$SMEMBANK" check "$@" --shard "$k/$n" --format json >"part-$k.json" 2>err || status=$?
    [ "$status" -le "$whole" ] || die "part $k of check $*: status $status: $(cat err)"
    parts="part-$k.json $parts"
  done
  for format in text json csv sarif github gitlab markdown; do
    runs "$whole" check "$@" --format "$format"
    mv out whole
    mv err messages
    # shellcheck disable=SC2086 # several files
    runs "$whole" merge $parts --format "$format"
    cmp whole out || die "$n parts are not the whole of check $* --format $format"
    cmp messages err || die "other messages: check $* --format $format"
  done
}
for n in 1 2 3 7; do
  in_parts "$n" 3
done
in_parts 3 0 rule padded one
in_parts 2 1 four plain padded
in_parts 20 0 padded

# With a baseline, which is the same for all.
runs 3 check --format json
cp out baseline.json
sed 's/STEP=2/STEP=8/' smembank.ini >worse.ini
mv smembank.ini kept.ini
mv worse.ini smembank.ini
in_parts 2 1 one rule plain --baseline baseline.json
grep -q 'Failed: rule' whole || die 'what got worse does not fail'
mv kept.ini smembank.ini

# A part has the verdicts of its own cases, and says which part it is.
runs 0 check --shard 1/6
shows "Only part 1 of 6: 'smembank merge' combines the JSON of all parts."
shows 'Passed: 1 case.'
runs 1 check --shard 2/6
shows 'Limits failed: plain.'
runs 3 check --shard 3/6 --format json
shows '"cases" : 6,'
runs 0 check --shard 7/7
expect 2 check --shard 3/2
says "--shard '3/2': expected K/N, part K of N parts"

# What does not belong together.
runs 1 check padded plain --shard 2/2 --format json
cp out b.json
runs 0 check padded plain --shard 1/2 --format json
cp out a.json
expect 3 merge a.json
says 'a.json: part 1 of 2: part 2 is missing'
expect 3 merge a.json b.json a.json
says 'a.json: part 1 is a duplicate of a.json'
refuses() { # MESSAGE ARGUMENT...: the second part is that of another run
  message=$1
  shift
  "$SMEMBANK" check "$@" --shard 2/2 --format json >c.json 2>err || true
  expect 3 merge a.json c.json
  says "$message"
}
refuses "c.json: its 'shard.digest' is not that of a.json" padded four
refuses "c.json: its 'shard.digest' is not that of a.json" padded plain --baseline baseline.json
cp smembank.ini other.ini
refuses "c.json: its 'project' is not that of a.json" padded plain --project other.ini
runs 0 check one rule --shard 1/2 --format json
mv out a.json
echo '// another text' >>k.cu
refuses "c.json: its 'shard.digest' is not that of a.json" one rule
runs 0 check one rule --shard 1/2 --format json
mv out a.json
sed -i 's/pad = 1/pad = 2/' smembank.ini
refuses "c.json: its 'shard.digest' is not that of a.json" padded rule
expect 0 analyze --rows 4 --cols 4 --shard 2/2 --format json
cp "$work/out" c.json
expect 3 merge a.json c.json
says "c.json: its 'command' is not that of a.json"
expect 2 merge a.json b.json --format callgrind
says "--format 'callgrind'"
expect 0 analyze --rows 4 --cols 4 --shard 1/1 --format json
cp "$work/out" c.json
expect 2 merge c.json --format sarif
says 'analyze is for --format text, json or csv'

# Cases that nobody wrote.
runs 1 check plain --shard 1/1 --format json
mv out a.json
spoils() { # sed's command MESSAGE
  sed "$1" a.json >c.json
  ! cmp -s a.json c.json || die "nothing to spoil: $1"
  expect 3 merge c.json
  says "$2"
}
spoils 's/"verdict" : "failed"/"verdict" : "no"/' 'c.json: cases[0].verdict: "no": expected one of passed, failed, no limit, error'
spoils 's/"name" : "plain"/"name" : 1/' 'c.json: cases[0].name: 1: expected a text'
spoils 's/"cases" : 1$/"cases" : 2/; s/"cases" : 1,$/"cases" : 2,/' 'c.json: cases: 1, which are not those of part 1 of 1 of 2 cases'
spoils 's/"cases" : \[/"cases" : 1, "case" : [/' 'c.json: cases: 1: expected an array'
spoils 's/"accesses" : \[/"accesses" : 1, "access" : [/' 'c.json: not as analyze --format json writes it'
spoils 's/"project" : "[^"]*"/"project" : null/' 'c.json: project: missing'
# Numbers and findings of another type are none.
sed 's/"findings" : \[/"findings" : [1, {"rule" : "x"},/; s/"load" : {/"load" : 1, "loaded" : {/' a.json >c.json
! cmp -s a.json c.json || die 'nothing to spoil'
runs 1 merge c.json --format sarif
runs 1 merge c.json
