#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Captures, replayed beside what ncu counted of another run of the same program, instruction by instruction. Nothing that is called exact
# differs, and what is equal stays so.
# own: tests/gpu/capture-own.cu, captured and measured on an H100.
# hopper: tests/run/kernel/hopper.cu, captured by 'smembank run' and measured on an H200 (2026-11-28; gpu/programs.sh).
set -eu
for tool in python3 xz c++filt; do
  command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${srcdir:?}/tests/data/capture

# replay NAME EQUAL: of so many instructions at least the wavefronts are equal.
replay() {
  xz -dc "$data/$1.ncu.csv.xz" >"$work/$1.csv"
  cp "$data/$1.capture" "$work/$1.capture"
  python3 "$srcdir/tests/gpu/capture-ncu.py" "${SMEMBANK:?}" "$work/$1.capture" "$work/$1.csv" >"$work/out" || {
    cat "$work/out"
    exit 1
  }
  echo "$1: $(tail -n 1 "$work/out")"
  equal=$(sed -n 's/^instructions: \([0-9]*\) equal.*/\1/p' "$work/out")
  [ "${equal:-0}" -ge "$2" ] || { cat "$work/out"; exit 1; }
}

replay own 44
replay hopper 71
