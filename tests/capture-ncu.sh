#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A capture that was made on an H100, of tests/gpu/capture-own.cu, replayed: what ncu counted of another run of the same program,
# instruction by instruction. Nothing that is called exact differs, and what is equal stays so.
set -eu
for tool in python3 xz c++filt; do
  command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${srcdir:?}/tests/data/capture
xz -dc "$data/own.ncu.csv.xz" >"$work/own.csv"
cp "$data/own.capture" "$work/own.capture"
python3 "$srcdir/tests/gpu/capture-ncu.py" "${SMEMBANK:?}" "$work/own.capture" "$work/own.csv" >"$work/out" || {
  cat "$work/out"
  exit 1
}
tail -n 1 "$work/out"
equal=$(sed -n 's/^instructions: \([0-9]*\) equal.*/\1/p' "$work/out")
[ "${equal:-0}" -ge 44 ] || { cat "$work/out"; exit 1; }
