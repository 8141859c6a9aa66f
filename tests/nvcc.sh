#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Every built-in kernel is CUDA C: nvcc compiles each shape of the catalogue, and the generic tile and the
# kernels of the course in their variants, without a warning. Skipped where configure found no nvcc.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
case ${srcdir:-.} in
/*) kernels=$srcdir/data/kernels ;;
*) kernels=$PWD/${srcdir:-.}/data/kernels ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One line for each compilation: FILE -DNAME=VALUE... Macros that the shape leaves alone keep the
# file's default. Shapes that differ in the launch alone are compiled once.
awk -F= '
  function flush() { if (file != "") print file defines; file = ""; defines = "" }
  /^\[/ { flush() }
  /^file=/ { file = $2 }
  /^defines=/ {
    n = split(substr($0, 9), list, ";")
    for (i = 1; i <= n; i++) defines = defines " -D" list[i]
  }
  END { flush() }' "$kernels/catalog.ini" >"$work/all"
for elem in char double float4; do
  for order in "0 1" "1 0"; do
    echo "tile.cu -DROWS=16 -DCOLS=32 -DPAD=2 -DELEM=$elem -DWRITE_COL=${order% *}" \
      "-DREAD_COL=${order#* } -DDYNAMIC=${order% *}"
  done
done >>"$work/all"
# Every file as it stands, too.
{
  for variant in 'reduction.cu -DNEIGHBOURS=0' 'reduction.cu -DLAST=4' 'swizzle.cu -DSWIZZLE=0 -DPAD=1' \
    'width.cu -DELEM=double -DSTRIDE=2' \
    'constant.cu -DSHARE=1'; do
    echo "../lessons/$variant"
  done
  for file in "$kernels"/*.cu "$kernels"/../lessons/*.cu; do
    echo "${file#"$kernels"/}"
  done
} >>"$work/all"
sort -u "$work/all" >"$work/once"
if ! grep -q '^setRowReadCol.cu -D' "$work/once"; then
  echo "$kernels/catalog.ini: no kernel found"
  exit 1
fi

# Each file once, with the first of its macros, unless all are wanted.
[ "${SMEMBANK_TEST_EFFORT-}" = full ] || { awk '!seen[$1]++' "$work/once" >"$work/each" && mv "$work/each" "$work/once"; }
export NVCC kernels work
# shellcheck disable=SC2016 # the inner shell expands these
if xargs -P 4 -L 1 sh -c '
  file=$1
  shift
  "$NVCC" -arch=sm_90 --ptx -Werror all-warnings -o "$work/$$.ptx" "$@" "$kernels/$file" || {
    echo "failed: $file $*"
    exit 1
  }' sh <"$work/once" >"$work/log" 2>&1; then
  echo "$(wc -l <"$work/once") compilations, no warning"
else
  cat "$work/log"
  exit 1
fi
