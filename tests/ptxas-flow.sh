#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The barriers that sim/exec/converge places against those that ptxas does: control-flow graphs at random as kernels,
# compiled for sm_90, and their machine code executed (ptxas-flow.py). How many kernels are alike is what was measured
# (ptxas of CUDA 13.0); the graphs are harder than what compilers make. Skipped without ptxas or python3.
set -eu
if [ "${PTXAS:-no}" = no ]; then
  echo 'no ptxas'
  exit 77
fi
if ! command -v python3 >/dev/null; then
  echo 'no python3'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check KIND KERNELS ALIKE WITHIN: at least so many of so many.
check() {
  tests/print-flow ptx "$1" "$2" >"$work/flow.ptx"
  tests/print-flow counts "$1" "$2" >"$work/counts"
  "$PTXAS" -arch=sm_90 -o "$work/flow.cubin" "$work/flow.ptx"
  python3 "${srcdir:?}/tests/ptxas-flow.py" "$work/flow.cubin" "$work/counts" >"$work/result"
  tail -1 "$work/result" | sed "s/^/graphs of kind $1: /"
  set -- "$@" "$(tail -1 "$work/result" | sed 's/[^0-9 ]//g')"
  # shellcheck disable=SC2086
  set -- "$1" "$2" "$3" "$4" $5
  if [ "$6" -lt "$3" ] || [ "$7" -lt "$4" ] || [ "$5" -ne "$2" ]; then
    echo "FAIL: at least $3 alike and $4 within the range were expected"
    exit 1
  fi
}

check 0 150 106 147
check 2 150 134 140
