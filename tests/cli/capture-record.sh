#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# capture: a small program on a made-up driver, whole and with everything that can go wrong, and what the file has of it.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

SMEMBANK=${SMEMBANK_ON_FAKE:?}
SMEMBANK_FAKE=
SMEMBANK_CAPTURE_CUPTI=${FAKE_DRIVER:?}/libcuda.so.1
export SMEMBANK_FAKE SMEMBANK_CAPTURE_CUPTI
[ -r "${SMEMBANK_INJECTION:?}" ] || die "no $SMEMBANK_INJECTION"
application=$FAKE_DRIVER/application
cubin=$srcdir/tests/data/sass/constants.sm_90.cubin
kernel=$(strings -a "$cubin" | sed -n 's/^\.text\.//p' | head -n 1)
file=$work/c

# record STATUS OPTION... -- WHAT...: captures the program while it does that; its own words are not ours.
record() {
  wanted=$1
  options=
  shift
  while [ "$1" != -- ]; do
    options="$options $1"
    shift
  done
  shift
  status=0
  # shellcheck disable=SC2086 # words
  timeout 100 "$SMEMBANK" capture -o "$file" $options -- "$application" "$cubin" "$kernel" "$@" >"$work/out" 2>"$work/err" ||
    status=$?
  last="capture$options: $*"
  [ "$status" -eq "$wanted" ] || die "$last: status $status, expected $wanted: $(cat "$work/err")"
}

# has N: the file has that many launches, and can be read.
has() {
  n=$(tar tf "$file" | grep -c '^launches/')
  [ "$n" -eq "$1" ] || die "$last: $n launches, expected $1"
}

# launch N TEXT: launch N of the file says TEXT.
launch() {
  tar xOf "$file" "$(printf 'launches/%06d.json' "$1")" | tr '\n' ' ' | grep -qF -e "$2" ||
    die "$last: launch $1 does not say '$2': $(tar xOf "$file" "$(printf 'launches/%06d.json' "$1")")"
}

# --- launches of every kind
record 0 -- plain lazy buffer cluster graph taken-down nested child
grep -q '^application: ends$' "$work/out" || die "$last: the program did not end: $(cat "$work/out")"
has 8
says 'recorded 8 of 8 launches of 1 kernel in'
says 'ended with status 0'
[ "$(stat -c %a "$file")" = 600 ] || die "$last: mode $(stat -c %a "$file")"
launch 1 '"grid": [2, 1, 1]'
launch 1 '"block": [32, 32, 1]'
launch 1 '"nanoseconds": 2048'
launch 1 '"graph": null'
launch 1 '"device": {"index": 0, "name": "Made-up GPU"}'
launch 1 '"bytes": 65536, "kind": "device", "pieces": [   {"offset": 0, "bytes": 65536, "memory": "'
launch 3 '"grid": [1, 1, 1]'
launch 4 '"cluster": [2, 1, 1]'
launch 5 '"graph": {"launch": 1, "node": 1}'
launch 6 '"graph": {"launch": 1, "node": 2}'
# What the first node of a graph finds is known, and what the second one finds is not.
launch 5 '"notes": []'
launch 6 'memory that other nodes of its graph may write before it runs is not recorded'
# What memory points into is there, too.
launch 7 '"bytes": 4096, "kind": "device"'
launch 7 '"bytes": 65536, "kind": "device"'
tar xOf "$file" end.json | grep -q '"launches": 8, "recorded": 8' || die "$last: $(tar xOf "$file" end.json)"
# The kernel changes a word: what was there before is recorded, each time.
[ "$(tar tf "$file" | grep -c '^memory/')" -ge 6 ] || die "$last: memory is not that before each launch"

# --- several modules with a kernel of one name
record 0 -- modules
has 5
for i in 1 2 3 4 5; do
  launch $i '"notes": []'
  tar xOf "$file" "launches/00000$i.json" | sed -n 's/^ *"image": "\(.*\)",*$/\1/p'
done >"$work/images"
[ "$(sort "$work/images" | uniq -c | awk '{ print $1 }' | sort | tr -d '\n')" = 113 ] ||
  die "$last: the images are $(cat "$work/images")"
[ "$(sed -n '1p; 3p; 5p' "$work/images" | sort -u | wc -l)" -eq 1 ] || die "$last: the images are $(cat "$work/images")"
says 'recorded 5 of 5 launches of 1 kernel in'

# --- graphs that are changed once they are made, and graphs in them
record 0 -- graph-changed graph-updated
has 9
n=0
for blocks in 1 2 3 4 6 4 7 8 9; do
  n=$((n + 1))
  launch $n "\"grid\": [$blocks, 1, 1]"
done
launch 4 '"graph": {"launch": 2, "node": 1}'
launch 4 '"notes": []'
launch 5 '"graph": {"launch": 2, "node": 3}'
launch 9 '"graph": {"launch": 4, "node": 1}'
record 0 -- graph-lost
has 1
says 'was not recorded: its graph was changed in an unsupported way (2×)'
says 'a launch of a graph was not recorded: the driver does not say which kernels a node of it runs (1×)'

# --- which launches
record 0 --launches 2..6 --every 2 -- plain plain plain plain plain plain plain
has 3
launch 1 '"launch": 2,'
launch 3 '"launch": 6,'
says 'recorded 3 of 7 launches'
record 0 --launches 2 -- plain plain plain
has 1
record 0 --kernel "^$kernel" -- plain
has 1
record 3 --kernel no.such.kernel -- plain
says 'no launch was recorded: '
has 1
rm "$file"
record 3 --kernel no.such.kernel -- plain
[ -z "$(find "$work" -name '.smembank-*' -o -name c)" ] || die "$last: left a file"
record 0 -- threads
has 32
says 'recorded 32 of 32 launches'

# --- memory
record 0 --memory none -- plain
launch 1 '"pieces": []'
[ "$(tar tf "$file" | grep -c '^memory/')" -eq 0 ] || die "$last: has memory"

# (Each time 128 bytes of variables are copied.) What has not changed since it was recorded last is not copied again, and is in the file as if it were. The kernel changes the first piece.
record 0 -- large plain plain
has 6
[ "$(grep -c . "$work/out")" -ge 4 ]
[ "$(sed -n 's/^application: copied //p' "$work/out" | paste -sd ' ')" = '3145956 1048704 2097280 1048804' ] ||
  die "$last: copied $(cat "$work/out")"
for i in 1 2 3 4; do
  tar xOf "$file" "launches/00000$i.json" | tr -d '\n' | grep -o '"memory": "[0-9a-f]*"' | sed "s/^/$i /" >"$work/pieces$i"
  [ "$(grep -c . "$work/pieces$i")" -eq 4 ] || die "$last: launch $i has $(cat "$work/pieces$i")"
done
cat "$work"/pieces? >"$work/pieces"
# Four contents of the first piece, one of the second, two of the third and the last one.
[ "$(awk '{ print $3 }' "$work/pieces" | sort -u | wc -l)" -eq 9 ] || die "$last: $(cat "$work/pieces")"
# shellcheck disable=SC2046 # several words
tar xOf "$file" $(tar tf "$file" | grep '^launches/00000[1-4]') | tr -d '\n' | grep -o '"memory": "[0-9a-f]*"' >"$work/with"
FAKE_DRIVER_OLD=1
export FAKE_DRIVER_OLD
record 0 -- large
[ "$(sed -n 's/^application: copied //p' "$work/out" | paste -sd ' ')" = '3145956 3145956 3145956 3145956' ] ||
  die "$last: copied $(cat "$work/out")"
# shellcheck disable=SC2046 # several words
tar xOf "$file" $(tar tf "$file" | grep '^launches/00000[1-4]') | tr -d '\n' | grep -o '"memory": "[0-9a-f]*"' >"$work/without"
cmp -s "$work/with" "$work/without" || die "$last: other contents than with digests"
unset FAKE_DRIVER_OLD

# The last lines say what the limit left out.
record 0 --memory 1 -- large plain
says 'of 4 launches the memory is not all recorded: more than 1 MiB (--memory)'

# --- programs that end badly leave what came before
for end in exit abort kill; do
  record 0 -- plain plain "$end"
  has 2
done
says 'ended by signal 9'
FAKE_DRIVER_FAULT=1
export FAKE_DRIVER_FAULT
record 0 -- plain plain
has 1
launch 1 '"nanoseconds": null'
launch 1 'the process ended before the kernel did'
unset FAKE_DRIVER_FAULT

# A device that never comes to rest is not waited for.
FAKE_DRIVER_BUSY=1
export FAKE_DRIVER_BUSY
record 3 -- plain plain
says 'the device did not become idle'
unset FAKE_DRIVER_BUSY

# Nor is one that nothing can be copied from any more.
FAKE_DRIVER_FAILED=1
export FAKE_DRIVER_FAILED
record 3 -- plain
says 'the device reports an earlier failure'
unset FAKE_DRIVER_FAILED

# --- limits
record 0 --max-file 1 -- threads threads threads threads
says 'not everything was recorded: the file is larger than 1 MiB (--max-file)'

# --- interrupted: the program is told, and what it did before is kept
rm -f "$file"
"$SMEMBANK" capture -o "$file" -- "$application" "$cubin" "$kernel" plain sleep sleep sleep >/dev/null 2>"$work/err" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  tar tf "$file" 2>/dev/null | grep -q '^launches/' && break
  sleep 0.2
done
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
last='capture, ended by SIGTERM'
[ "$status" -eq 0 ] || die "$last: status $status"
has 1
says 'ended by signal 15'

# --- killed itself, with no chance to do anything, as to remove its folder: what was written is a capture
rm -f "$file"
mkdir "$work/left"
TMPDIR=$work/left "$SMEMBANK" capture -o "$file" -- "$application" "$cubin" "$kernel" plain plain sleep >/dev/null 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  tar tf "$file" 2>/dev/null | grep -q '^launches/000002' && break
  sleep 0.2
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
last='capture, killed'
has 2

# --- two at once
"$SMEMBANK" capture -o "$work/other" -- "$application" "$cubin" "$kernel" plain plain plain >"$work/out2" 2>&1 &
pid=$!
record 0 -- plain plain
wait "$pid" || die "the second capture: $(cat "$work/out2")"
has 2
[ "$(tar tf "$work/other" | grep -c '^launches/')" -eq 3 ] || die 'the other capture does not have 3 launches'

# --- no room
(
  ulimit -f 64
  trap '' XFSZ
  record 3 -- threads
  says 'recorded before this'
)
[ ! -e "$file" ] || tar tf "$file" >/dev/null || die 'a full disk leaves no capture'

# --- what is missing
for SMEMBANK_FAKE in no-driver no-cupti; do
  given=$SMEMBANK_CAPTURE_CUPTI
  [ "$SMEMBANK_FAKE" = no-driver ] || unset SMEMBANK_CAPTURE_CUPTI
  expect 4 capture -o "$file" -- true
  [ "$SMEMBANK_FAKE" != no-driver ] || says "'smembank run -o FILE -- COMMAND' captures without a GPU"
  SMEMBANK_CAPTURE_CUPTI=$given
  export SMEMBANK_CAPTURE_CUPTI
done
SMEMBANK_FAKE=
expect 3 capture -o "$file" -- "$work/no-such-program"
says 'no-such-program'
expect 3 capture -o "$file" -- true
says 'no launch was recorded: true ended with status 0'
expect 2 capture
expect 2 capture --launches 5..2 -- true
expect 2 capture --launches x -- true
expect 2 capture --every 0 -- true
expect 2 capture --memory some -- true
expect 2 capture --kernel '(' -- true
expect 3 capture -o "$work/no/such/folder" -- true

# --- a launch with clusters is replayed with them: of the two blocks of one, the second one stores with a stride of 1
cubin=$srcdir/tests/data/sass/cluster.sm_90.cubin
kernel=cluster
record 0 -- plain plain cluster
expect 0 analyze "$file" --launch 3
grep -qE 'LD.E .* load +cluster' "$work/out" || die "$last: $(cat "$work/out")"

# --- parts of two launches of one kernel, whose memory differs, are not parts of one
for part in 1 2; do
  expect 0 analyze "$file" --launch 1 --shard $part/2 --format json
  cp "$work/out" "$work/$part.json"
done
expect 0 merge "$work/1.json" "$work/2.json"
expect 0 analyze "$file" --launch 2 --shard 2/2 --format json
cp "$work/out" "$work/other.json"
expect 3 merge "$work/1.json" "$work/other.json"
says "its 'launch' is not that of"
