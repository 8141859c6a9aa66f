#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What was measured on a device, by small kernels (tests/gpu/time): its file says so, and the clock's model takes as long for
# their machine code as the device did. One row in 20, and one in three of dispatch; SMEMBANK_TEST_EFFORT=full: all.
set -eu
for tool in python3 xz; do
  command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SMEMBANK_RUN_LIBRARIES=${SMEMBANK_RUN_LIBRARIES:-$(dirname "${SMEMBANK:?}")/gpu/driver} # of this build, for what is replayed by "run"
export SMEMBANK_RUN_LIBRARIES
here=${srcdir:?}/tests/gpu/time data=$srcdir/tests/data/time
tar -C "$work" -xJf "$data/sm_90-cubins.tar.xz"
[ "${SMEMBANK_TEST_EFFORT:-}" = full ] && every=1 || every=20
for device in h200 h100; do
  python3 "$here/device.py" compare "$data/$device-facts.txt" "$srcdir/data/devices/$device.ini"
  [ "$device" = h100 ] && [ "$every" != 1 ] && continue # the same machine code
  python3 "$here/replay.py" "${SMEMBANK:?}" "$data/$device-facts.txt" "$work/cubins" "$device" "$every"
done

# What instructions take of the issue slots.
grep -E '^(#|device|dispatch_)' "$data/h200-facts.txt" >"$work/dispatch.txt"
[ "$every" = 1 ] || python3 "$here/replay.py" "${SMEMBANK:?}" "$work/dispatch.txt" "$work/cubins" h200 3

# Generic loads and stores without an active lane take slots of the pipe: as many as the H200 executed (ncu, smsp__inst_executed_op_generic_ld;
# of stores sm__inst_executed_pipe_lsu, less the other 384).
idle() {
  "${SMEMBANK:?}" analyze "$work/cubins/$1.cubin" --entry rate_more --block 512 --grid 1 --arg 2=64 --arg 3=1065353216 --arg 4=1000000 --arg 5=1 --arg 6=1 \
    --arg 7=0 --unknown skip --format json | sed -n 's/.*"idle_issues" : \([0-9]*\).*/\1/p'
}
[ "$(idle ld_off)" = 228352 ] || { echo "FAIL: $(idle ld_off) idle issues of LD"; exit 1; }
[ "$(idle st_off)" = 98304 ] || { echo "FAIL: $(idle st_off) idle issues of ST"; exit 1; }

# The check finds what it is for: a device twice as slow.
sed 's/^interval.lop3 *[0-9.]*/interval.lop3 4.0/' "$data/h200-facts.txt" >"$work/slow.txt"
if python3 "$here/device.py" compare "$work/slow.txt" "$srcdir/data/devices/h200.ini" >"$work/out"; then
  echo 'FAIL: nothing was found'
  exit 1
fi
grep -q '^.*logic=2, but interval.lop3 is 4$' "$work/out"
