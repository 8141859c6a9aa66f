#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The expressions and programs that the text machine is compared with, through nvcc and clang to PTX, optimised and not: what
# the PTX machine leaves in memory is what C computes, bit for bit. Without contraction to fma, which C has not. Skipped
# where configure found no nvcc; clang where there is one.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
tests/compare-memory text >"$work/memory.cu"

# check NAME COMMAND...: a compilation to PTX, and what comes of it.
check() {
  name=$1
  shift
  if "$@" -o "$work/$name.ptx" "$work/memory.cu" >"$work/log" 2>&1; then
    tests/compare-memory check "$work/$name.ptx" >"$work/out" || status=1
    sed "s/^/$name: /" "$work/out"
  else
    grep error "$work/log" || cat "$work/log"
    status=1
  fi
}

# As it is by default, and without optimisation.
check nvcc-sm_90 "$NVCC" -ptx -arch=sm_90 -fmad=false
check nvcc-sm_75-O0 "$NVCC" -ptx -arch=sm_75 -Xcicc -O0 -fmad=false
clang=$(command -v clang-14 || true)
[ -z "$clang" ] || for level in -O0 -O2; do
  check "clang$level" "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/nonexistent -nocudalib \
    -nocudainc -include "${srcdir:?}/tests/ptx/clang.h" -ffp-contract=off -Wno-c++11-narrowing -S "$level"
done
exit "$status"
