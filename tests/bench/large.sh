#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# large.sh SMEMBANK MAKE-CAPTURE SRCDIR: processor time of what grows with a file, for a file and for one that is four times as large: what takes
# much more than four times as long is quadratic.
set -eu

smembank=$1 make_capture=$2 srcdir=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SMEMBANK_NVCC=no SMEMBANK_CACHE_SIZE=0

# launches N: a kernel and its launches
launches() {
  awk -v n="$1" 'BEGIN {
    print "__global__ void k(float *o, int n) { __shared__ float s[32]; s[threadIdx.x] = n; }\nint main() {"
    for (i = 0; i < n; i++) printf "  k<<<%d, 32>>>(o, %d);\n", i % 7 + 1, i
    print "}"
  }'
}

# kernels N: PTX
kernels() {
  awk -v n="$1" 'BEGIN {
    print ".version 8.0\n.target sm_90\n.address_size 64"
    for (i = 0; i < n; i++)
      printf ".visible .entry k%d(.param .u64 k%d_p)\n{\n.shared .align 4 .b8 s%d[128];\nret;\n}\n", i, i, i
  }'
}

# accesses N: PTX that stores
accesses() {
  awk -v n="$1" 'BEGIN {
    print ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_p)\n{"
    print ".reg .b32 %r<3>;\n.shared .align 4 .b8 s[8192];\nmov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 3;"
    print "mov.u32 %r2, s;\nadd.s32 %r2, %r2, %r1;"
    for (i = 0; i < n; i++) printf "st.shared.u32 [%%r2+%d], %d;\n", 4 * (i % 200), i
    print "ret;\n}"
  }'
}

# arrays N: a kernel with so many
arrays() {
  awk -v n="$1" 'BEGIN {
    print "__global__ void k(float *o) {\n  int t = threadIdx.x;"
    for (i = 0; i < n; i++) printf "  __shared__ float s%d[24];\n", i
    for (i = 0; i < n; i++) printf "  s%d[t * 2 %% 24] = %d;\n", i, i
    print "}"
  }'
}

# captured N: a capture of so many launches of one image
captured() {
  "$make_capture" "$folder/capture" "$srcdir" many "$1"
  cat "$folder/capture"
}

# seconds COMMAND…: of user and system time
seconds() {
  sh -c '"$@" >/dev/null && times' sh "$@" |
    awk 'NR == 2 { split($1 $2, part, /[ms]/); printf "%.2f", (part[1] + part[3]) * 60 + part[2] + part[4] }'
}

# measure NAME FILE N COMMAND…: for N and four times as many; the file is the last argument
measure() {
  name=$1 file=$2 n=$3
  shift 3
  "$name" "$n" >"$folder/1$file"
  "$name" $((4 * n)) >"$folder/4$file"
  printf '%-9s %7s %6d %7s s %7d %7s s\n' "$1" "$name" "$n" "$(seconds "$smembank" "$@" "$folder/1$file")" \
    $((4 * n)) "$(seconds "$smembank" "$@" "$folder/4$file")"
}

measure launches .cu 12000 init --force --output "$folder/smembank.ini"
measure kernels .ptx 8000 list kernels
measure accesses .ptx 8000 analyze --block 32
measure arrays .cu 100 advise --block 32
measure captured .capture 50 analyze
