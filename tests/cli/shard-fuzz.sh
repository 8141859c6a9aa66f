#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# fuzz --shard and merge: the parts of any division of the requests, measured on a made-up GPU and merged in any order, are the
# whole, to the last byte, but for times.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"
SMEMBANK=$SMEMBANK_ON_FAKE

# untimed FORMAT: a result without what the clock of this machine says.
untimed() {
  case $1 in
  text) sed '/^instruction /,/^total /s/  *[0-9.]*  *[0-9.]*$//' ;;
  json) grep -v '"\(device_\)\{0,1\}\(seconds\|patterns_per_second\)" : ' ;;
  csv) sed 's/,[0-9]*,[0-9]*,\([^,]*\)$/,\1/' ;;
  esac
}

# in_parts N STATUS ARGUMENT...: fuzz in N parts and in one, which has that status; the last part comes first.
in_parts() {
  n=$1 whole=$2
  shift 2
  parts=
  for k in $(seq "$n"); do
    status=0
    "$SMEMBANK" fuzz "$@" --shard "$k/$n" --format json >"$work/part-$k.json" 2>"$work/err" || status=$?
    [ "$status" -le "$whole" ] || die "part $k of fuzz $*: status $status: $(cat "$work/err")"
    parts="$work/part-$k.json $parts"
  done
  for format in text json csv; do
    one_in 2 || continue
    expect "$whole" fuzz "$@" --format "$format"
    untimed "$format" <"$work/out" >"$work/whole"
    mv "$work/err" "$work/messages"
    # shellcheck disable=SC2086 # several files
    expect "$whole" merge $parts --format "$format"
    untimed "$format" <"$work/out" | diff "$work/whole" - >&2 ||
      die "$n parts are not the whole of fuzz $* --format $format"
    cmp "$work/messages" "$work/err" || die "other messages: fuzz $* --format $format"
  done
}

# on FAULT: the machine of the next runs.
on() {
  SMEMBANK_FAKE=$1
  export SMEMBANK_FAKE
}

# Pieces are of 4096 requests: here 3 of each instruction, the last of them short, and 7 of one.
on ''
for n in 3 $(quick || echo 1 2 7); do
  in_parts "$n" 0 --count 9000 --counted 7 --op ld
done
expect 0 fuzz --count 9000 --counted 7 --op ld --format csv
grep -q '^ld.u32,ld,4,9000,0,0,7,0,' "$work/out" || die 'not all requests were measured'
in_parts 3 0 --count 28000 --counted 0 --op ld.4 --seed 18446744073709551615
in_parts 12 0 --count 5 --op ld.4 --op st.16
# Mismatches: those that are shown, and how many were counted for that, do not depend on the parts.
on more-cycles
for n in 12 $(quick || echo 2 3); do
  in_parts "$n" 1 --count 9000 --counted 5 --op ld --op st --op atom
done
expect 1 fuzz --count 9000 --counted 5 --op ld --op st --op atom --format csv
grep -qF 'ld.u32,ld,4,9000,9000,0,7,0,' "$work/out" || die "not the sample and what is shown: $(cat "$work/out")"
on more-wavefronts
in_parts 5 1 --count 20000 --counted 11 --op ld
# Without counters, and on a device that cannot do everything.
on no-permission
in_parts 2 0 --count 5000 --op ld
on no-stsm
in_parts 3 0 --count 5000 --counted 1

# The requests of the parts are those of the whole: each once.
on more-cycles
expect 1 fuzz --count 4098 --counted 0 --op ld.4 --shard 2/2 --format json
[ "$(grep -c '"cycles" : ' "$work/out")" -eq 4 ] || die "$last: not the two requests of the second piece, twice: $(cat "$work/out")"
on ''

# A part says which one it is, and has the exit status of its own requests.
expect 0 fuzz --count 5 --op ld.4 --shard 2/2
shows "Only part 2 of 2: 'smembank merge' combines the JSON of all parts."
shows '5 patterns, 0 mismatches.'
expect 0 fuzz --count 5 --op ld.4 --shard 1/2
shows '0 patterns, 0 mismatches.'
expect 2 fuzz --count 5 --shard 3/2
says "--shard '3/2': expected K/N, part K of N parts"
expect 2 fuzz --count 5 --shard 1/2 --record "$work/r.json"
says '--record is for all requests: it cannot be combined with --shard'

# What does not belong together.
expect 0 fuzz --count 9000 --op ld --shard 1/2 --format json
cp "$work/out" "$work/a.json"
refuses() { # MESSAGE ARGUMENT...: the second part is that of another run
  message=$1
  shift
  expect 0 fuzz "$@" --shard 2/2 --format json
  cp "$work/out" "$work/c.json"
  expect 3 merge "$work/a.json" "$work/c.json"
  says "$message"
}
expect 3 merge "$work/a.json"
says 'a.json: part 1 of 2: part 2 is missing'
refuses "c.json: its 'count' is not that of " --count 9001 --op ld
refuses "c.json: its 'seed' is not that of " --count 9000 --op ld --seed 2
refuses "c.json: its 'shard.counted' is not that of " --count 9000 --op ld --counted 1
refuses "c.json: its 'shard.instructions' is not that of " --count 9000 --op st
on no-permission
refuses "c.json: its 'counter' is not that of " --count 9000 --op ld
on ''

# What could be measured nowhere, or in one part only.
on compile-error
for k in 1 2; do
  expect 0 fuzz --count 9000 --op ld.4 --shard "$k/2" --format json
  cp "$work/out" "$work/$k.json"
done
expect 4 merge "$work/1.json" "$work/2.json"
says 'nothing could be measured: ld.u32: the probe does not compile'
on ''
expect 0 fuzz --count 9000 --op ld.4 --shard 2/2 --format json
cp "$work/out" "$work/2.json"
expect 3 merge "$work/1.json" "$work/2.json"
says 'ld.u32 could be measured in some parts and not in others: '

# Counts that nobody wrote.
on more-cycles
expect 1 fuzz --count 50 --counted 0 --op ld.4 --shard 1/1 --format json
cp "$work/out" "$work/a.json"
expect 1 merge "$work/a.json"
spoils() { # sed's command MESSAGE
  sed "$1" "$work/a.json" >"$work/c.json"
  ! cmp -s "$work/a.json" "$work/c.json" || die "nothing to spoil: $1"
  expect 3 merge "$work/c.json"
  says "c.json: $2"
}
spoils 's/"count" : 50/"count" : 0/' 'count: 0: expected one request at least'
spoils 's/"count" : 50/"count" : 51/' 'instructions: not as fuzz writes it'
spoils 's/"seed" : "1"/"seed" : "x"/' 'seed: "x": expected a number in a text'
spoils 's/"device" : "[^"]*"/"device" : null/' 'device: missing'
spoils 's/"compute_capability" : "[^"]*"/"compute_capability" : "9"/' 'compute_capability: "9": expected a compute capability such as "9.0"'
spoils 's/"name" : "sm_90"/"name" : 90/' 'arch.name: 90: expected a text'
spoils 's/"patterns" : 50/"patterns" : -1/' 'instructions[0].patterns: -1: expected a whole number from 0'
spoils 's/"seconds" : /"seconds" : -/' 'instructions[0].seconds: -'
spoils 's/"instruction" : "ld.u32"/"instruction" : "no"/' 'instructions[0].instruction: "no": expected the name of an instruction'
spoils 's/"counted" : 0$/"counted" : -1/; s/"counted" : 0,/"counted" : -1,/' 'shard.counted: -1: expected a whole number from 0'
spoils 's/^\( *\)"ld.u32"$/\1"no"/' 'shard.instructions: not as fuzz writes it'
spoils 's/"request" : "ld /"request" : "no /' 'shard.mismatches: not as fuzz writes it'
spoils 's/"request" : "/"request" : "#/' 'shard.mismatches: not as fuzz writes it'
spoils 's/"mismatches" : \[/"mismatches" : 1, "more" : [/' 'shard.mismatches: 1: expected an array'
