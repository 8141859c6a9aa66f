#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# PTX that compilers make, run and counted: every launch that an H200 has measured counts as it did; the kernels of
# tests/ptx run, from nvcc and from clang, and count as their text does where the compiler keeps its accesses; what
# llc makes of LLVM's assembly runs. Skipped where configure found no nvcc; clang and llc where there are any.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
command -v python3 >/dev/null || {
  echo "no python3"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

check() {
  python3 "${srcdir:?}/tests/nvcc-ptx.py" "$1" "${SMEMBANK:?}" "$2" "$srcdir" "$work" || status=1
}

REAL_NVCC=$NVCC
export REAL_NVCC
check measured "$srcdir/tests/quick-nvcc.sh"
check kernels "$srcdir/tests/quick-nvcc.sh"
clang=$(command -v clang-14 || true)
[ -z "$clang" ] || check kernels "$clang"

# Each .ll names its launch and the requests and wavefronts of its loads and stores.
llc=$(command -v llc-14 || true)
[ -z "$llc" ] || for source in "$srcdir"/tests/ptx/*.ll; do
  name=$(basename "$source" .ll)
  "$llc" -march=nvptx64 -mcpu=sm_80 -o "$work/$name.ptx" "$source"
  options=$(sed -n 's/^; launch: //p' "$source")
  # shellcheck disable=SC2086 # several words
  "$SMEMBANK" analyze "$work/$name.ptx" $options --format csv >"$work/$name.csv"
  sed -n 's/^; counts: //p' "$source" >"$work/expected"
  awk -F, '$1 == "shared" { n[$5] += $(NF - 22); w[$5] += $(NF - 21) }
    END { print "load " n["load"] "/" w["load"] ", store " n["store"] "/" w["store"] }' "$work/$name.csv" >"$work/counted"
  cmp -s "$work/expected" "$work/counted" || {
    echo "$name.ll: $(cat "$work/counted"), expected $(cat "$work/expected")"
    status=1
  }
done
exit "$status"
