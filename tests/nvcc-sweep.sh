#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Functions and operators of CUDA's headers through nvcc and ptxas, beside the host's (sass-sweep.py): some of them on two chips, and with
# SMEMBANK_TEST_EFFORT=full all of them on all chips, at -O3, -O0 and -G, which takes 20 minutes of a processor. Skipped without nvcc or python3.
set -eu
if [ "${NVCC:-no}" = no ] || [ "${PTXAS:-no}" = no ]; then
  echo 'no nvcc'
  exit 77
fi
if ! command -v python3 >/dev/null; then
  echo 'no python3'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
set -- --chips 80,120 --levels O3 --only '^__frsqrt_rn$|^__h(fma|mul|lt)2?$|^__hcmadd|^__vsub[24]$|^i128-|to_fp8,__NV_SATFINITE|^u64%'
[ "${SMEMBANK_TEST_EFFORT:-}" != full ] || set --
python3 "${srcdir:?}/tests/sass-sweep.py" "$NVCC" tests/sweep-values "$work" "$@"
