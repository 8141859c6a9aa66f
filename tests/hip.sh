#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# HIP kernels, those of the catalogue and tests/hip/widths.hip, through clang to assembly of gfx90a, in which each access has the
# width that the text says. ds_read2_b32 and ds_read2st64_b32 are two accesses of 4 bytes, one address after the other. Skipped
# without clang for AMD's GPUs.
set -eu

clang=$(command -v clang-14 || command -v clang || true)
[ -n "$clang" ] && "$clang" -print-targets 2>/dev/null | grep -q amdgcn || exit 77
source=${srcdir:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
  echo "FAIL: $*"
  exit 1
}

# assemble FILE [CHIP]: into $work/s. The header that is included is -include's.
assemble() {
  sed '/#include/d' "$1" >"$work/kernel.hip"
  "$clang" -x hip --cuda-device-only --cuda-gpu-arch="${2:-gfx90a}" -nogpuinc -nogpulib -include "$source/tests/hip/names.h" -O2 -w -S -o "$work/s" \
    "$work/kernel.hip" 2>"$work/err" || die "$1: $(cat "$work/err")"
}

# compiled KERNEL: its accesses of LDS in $work/s, "load 4", each once.
compiled() {
  awk -v label="$1:" '
    BEGIN {
      split("u8 1 i8 1 b8 1 u16 2 i16 2 b16 2 b32 4 b64 8 b96 12 b128 16", words, " ")
      for (i = 1; i in words; i += 2) bytes[words[i]] = words[i + 1]
    }
    /^[A-Za-z_].*:/ { inside = $1 == label }
    inside && $1 ~ /^ds_(read|write)/ {
      n = split($1, part, "_")
      if (!(part[n] in bytes)) { print "what is " $1 "?"; exit }
      print ($1 ~ /^ds_read/ ? "load " : "store ") bytes[part[n]]
    }' "$work/s" | sort -u
}

# of_text ARGUMENTS...: those that analyze counts, likewise.
of_text() {
  ./smembank analyze "$@" --arch gfx90a --format csv 2>"$work/err" >"$work/csv" || die "analyze $*: $(cat "$work/err")"
  awk -F, '$1 == "shared" { print $5, $6 }' "$work/csv" | sort -u
}

kernels=0
# same KERNEL ARGUMENTS...: text and assembly of a kernel have the same accesses.
same() {
  kernel=$1
  shift
  compiled "$kernel" >"$work/compiled"
  of_text "$@" >"$work/text"
  cmp -s "$work/text" "$work/compiled" || die "$kernel: the text has '$(paste -sd, "$work/text")', the assembly '$(paste -sd, "$work/compiled")'"
  kernels=$((kernels + 1))
}

assemble "$source/tests/hip/widths.hip"
for kernel in bytes shorts words doubles longs pairs quads; do
  same "$kernel" "$source/tests/hip/widths.hip" --entry "$kernel" --block 256
done
same dynamic "$source/tests/hip/widths.hip" --entry dynamic --block 256 --dynamic-bytes 1024

for file in "$source"/data/kernels/*.cu; do
  name=$(basename "$file" .cu)
  case $name in
  tile) continue ;; # no kernel of the catalogue: analyze makes it of --rows and --cols
  reduceShfl) continue ;; # shuffles with masks of 32 lanes
  esac
  assemble "$file"
  label=$(sed -n "s/^\([A-Za-z_0-9]*${name}[A-Za-z_0-9]*\):.*/\1/p" "$work/s" | head -n 1)
  case $name in
  stencil*)
    # Neighbours are loaded in an unrolled loop: clang makes one load of 8 bytes of two.
    [ "$(compiled "${label:-$name}" | paste -sd,)" = 'load 8,store 4' ] || die "$name: other merged loads"
    [ "$(of_text --kernel "$name" | paste -sd,)" = 'load 4,store 4' ] || die "$name: other loads of the text"
    kernels=$((kernels + 1))
    ;;
  *) same "${label:-$name}" --kernel "$name" ;;
  esac
done
# Sums are one instruction where single-atomics of the architecture says so, and a loop with a compare-and-swap elsewhere.
sum() {
  echo "__global__ void k($1 *o) { __shared__ $1 s[64];
    __hip_atomic_fetch_add(&s[threadIdx.x], ($1)1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); *o = s[3]; }" >"$work/sum.hip"
  assemble "$work/sum.hip" "$2"
  grep -oE 'ds_(add|cmpst)[a-z_]*[0-9]+' "$work/s" | paste -sd, || true
}
[ "$(sum float gfx90a)" = ds_add_f32 ] || die 'the sum of floats is no instruction of gfx90a'
[ "$(sum double gfx90a)" = ds_add_f64 ] || die 'the sum of doubles is no instruction of gfx90a'
[ "$(sum 'unsigned long' gfx90a)" = ds_add_u64 ] || die 'the sum of 64 bits is no instruction of gfx90a'
[ "$(sum float gfx1030)" = ds_add_f32 ] || die 'the sum of floats is no instruction of gfx1030'
[ "$(sum double gfx1030)" = ds_cmpst_rtn_b64 ] || die 'the sum of doubles is no loop on gfx1030'
[ "$kernels" -ge 30 ] || die "only $kernels kernels"
echo "$kernels kernels"
