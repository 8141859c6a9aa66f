#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# On a machine with a GPU, nvcc and ncu: measures every copy of tests/data/copies.txt again. OUT gets the same lines with the
# wavefronts and the ideal ones that the source page shows.
#
#   tests/gpu/copies.sh OUT
set -eu

out=${1:?usage: tests/gpu/copies.sh OUT}
here=$(cd "$(dirname "$0")" && pwd)
cases=$here/../data/copies.txt
PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -arch=native -o "$work/copies" "$here/copies.cu"
ncu --section SourceCounters -f -o "$work/copies" "$work/copies" "$cases" >"$work/log" 2>&1 || {
  tail "$work/log" >&2
  exit 1
}
ncu --import "$work/copies.ncu-rep" --page source --csv --print-source sass >"$work/page.csv"
python3 - "$work/page.csv" "$cases" >"$out" <<'END'
import csv, sys

rows, header = [], {}
for row in csv.reader(open(sys.argv[1], newline="")):
    if "Source" in row and "Address" in row:
        header = {name: i for i, name in enumerate(row)}
    elif header and len(row) >= len(header) and "LDGSTS" in row[header["Source"]]:
        rows.append([row[header["L1 Wavefronts Shared" + which]] for which in ("", " Ideal")])
cases = [line.split() for line in open(sys.argv[2]) if not line.startswith("#")]
each = len(rows) // len(cases)  # ncu may show a launch more than once
assert each * len(cases) == len(rows), (len(rows), len(cases))
for i, case in enumerate(cases):
    print(*case[:2], *rows[i * each], *case[4:])
END
grep -v '^#' "$cases" | diff - "$out" >"$work/diff" && echo "all $(grep -c '' "$out") as recorded" ||
  echo "$(grep -c '^>' "$work/diff") of $(grep -c '' "$out") differ from what is recorded"
