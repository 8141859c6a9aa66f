#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# nvcc compiles gpu/probe.cu for every instruction of gpu/instructions.def, down to machine code (what
# inline PTX says is looked at by the assembler only), without a warning. Skipped where configure found
# no nvcc.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${PRINT_PROBES:?}" 90 "$(realpath "${srcdir:?}")/gpu/probe.cu" >"$work/probes.cu"
"$NVCC" -arch=sm_90 --cubin -Werror all-warnings -o "$work/probes.cubin" "$work/probes.cu"
echo "$(grep -c '^namespace' "$work/probes.cu") probes, no warning"
