#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Every function that the tables call done or accepted is called by a program of tests/run. Versions of a function (_v2) count as one, as the
# headers choose among them. What host code of nvcc calls by itself is not looked for. A line of the list below is a function that no program
# calls, with the reason.
set -eu
srcdir=${srcdir:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Words of the programs, without their comments.
called() {
  sed 's,//.*,,' "$@" | grep -oE '\b_*cu(da)?[A-Z][A-Za-z0-9_]*' | sed 's/_v[0-9]$//' | LC_ALL=C sort -u
}

# rows FILE.def: what is done or accepted
rows() {
  awk -F '[(), ]+' '/^(DONE|ACCEPTED)\(/ { print $2 }' "$1" | grep -v '^__' | sed 's/_v[0-9]$//' | LC_ALL=C sort -u
}

printf 'cudaOne(1); // cudaTwo(2)\nx = cuThree_v2(cudaFour);\n' >"$work/made-up.cu"
printf 'DONE(cudaOne, CUDA_13, PLAIN)\nACCEPTED(cudaTwo, CUDA_13, PLAIN, "x")\nREFUSED(cudaFive, CUDA_13, PLAIN, "x")\nDONE(cuThree_v2, 3020, PLAIN, INIT, cuThree)\n' >"$work/made-up.def"
called "$work/made-up.cu" >"$work/called"
[ "$(rows "$work/made-up.def" | LC_ALL=C comm -23 - "$work/called")" = cudaTwo ] || { echo 'FAIL: a made-up table is read wrongly'; exit 1; }

called "$srcdir"/tests/run/*/*.cu "$srcdir"/tests/run/*/*.c "$srcdir"/tests/run/*/*.h "$srcdir"/tests/run/*/*.py "$srcdir"/tests/run/*.h >"$work/called"
for def in "$srcdir/gpu/driver/functions.def" "$srcdir/gpu/driver/cu/driver-functions.def"; do
  rows "$def"
done | LC_ALL=C sort -u >"$work/rows"

cat >"$work/excepted" <<'END'
cuGetExportTable not documented; a program that calls it is told that it needs a GPU
cuProfilerInitialize not in CUDA 13, whose headers the programs are compiled with
cudaSetDoubleForDevice not in CUDA 13
cudaSetDoubleForHost not in CUDA 13
cudaThreadExit not in CUDA 13
cudaThreadGetCacheConfig not in CUDA 13
cudaThreadGetLimit not in CUDA 13
cudaThreadSetCacheConfig not in CUDA 13
cudaThreadSetLimit not in CUDA 13
cudaThreadSynchronize not in CUDA 13
END
LC_ALL=C sort "$work/excepted" | sed 's/ .*//' >"$work/names"
LC_ALL=C comm -23 "$work/rows" "$work/called" >"$work/missing"
uncalled=$(LC_ALL=C comm -23 "$work/missing" "$work/names" | tr '\n' ' ')
needless=$(LC_ALL=C comm -23 "$work/names" "$work/missing" | tr '\n' ' ')
[ -z "$uncalled" ] || { echo "FAIL: no program of tests/run calls $uncalled"; exit 1; }
[ -z "$needless" ] || { echo "FAIL: called after all, or not in the tables: $needless"; exit 1; }
