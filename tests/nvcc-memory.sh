#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The expressions and programs that the text machine is compared with, through nvcc and clang to PTX, optimised and not, and
# through ptxas to machine code of seven chips, for debuggers and in pieces, too: what is left in memory is what C computes, bit
# for bit. Without contraction to fma, which C has not. Skipped where configure found no nvcc; clang where there is one.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
tests/compare-memory text >"$work/memory.cu"

# make NAME COMMAND...: a compilation to $work/NAME; without a compiler's complaint about what is odd on purpose.
make() {
  name=$1
  shift
  "$@" -o "$work/$name" >"$work/log" 2>&1 && return
  grep error "$work/log" || cat "$work/log"
  status=1
  return 1
}

# check ARCH NAME COMMAND...: a compilation, and what comes of it.
check() {
  arch=$1
  shift
  make "$@" || return 0
  tests/compare-memory check "$work/$name" "$arch" >"$work/out" || status=1
  sed "s/^/$name: /" "$work/out"
}

# As it is by default, and without optimisation.
check sm_90 sm_75.ptx "$NVCC" -ptx -arch=sm_75 -fmad=false "$work/memory.cu"
check sm_90 sm_75-O0.ptx "$NVCC" -ptx -arch=sm_75 -Xcicc -O0 -fmad=false "$work/memory.cu"
if [ "${PTXAS:-no}" != no ]; then
  chips='75 90'
  [ "${SMEMBANK_TEST_EFFORT-}" != full ] || chips='75 80 86 89 90 100 120'
  for chip in $chips; do
    check "sm_$chip" "sm_$chip.cubin" "$PTXAS" "-arch=sm_$chip" -fmad=false "$work/sm_75.ptx"
  done
  for chip in 75 120; do
    check "sm_$chip" "sm_$chip-O0.cubin" "$PTXAS" "-arch=sm_$chip" -fmad=false -O0 "$work/sm_75-O0.ptx"
  done
  check sm_86 sm_86-O1.cubin "$PTXAS" -arch=sm_86 -fmad=false -O1 "$work/sm_75.ptx"
  check sm_90 sm_90-G.cubin "$NVCC" -cubin -G -arch=sm_90 -fmad=false "$work/memory.cu"
  make pieces.cubin "$PTXAS" -arch=sm_80 -fmad=false -c "$work/sm_75.ptx" &&
    check sm_80 sm_80-linked.cubin "${PTXAS%ptxas}nvlink" -arch=sm_80 "$work/pieces.cubin"
fi
clang=$(command -v clang-14 || true)
[ -z "$clang" ] || for level in -O0 -O2; do
  check sm_90 "clang$level.ptx" "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/nonexistent -nocudalib \
    -nocudainc -include "${srcdir:?}/tests/ptx/clang.h" -ffp-contract=off -Wno-c++11-narrowing -S "$level" "$work/memory.cu"
done
exit "$status"
