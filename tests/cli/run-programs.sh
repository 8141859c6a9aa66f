#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run: the programs of tests/run check themselves, and print here what they print on an H100, which is in NAME.expected.
# Each is compiled by nvcc and linked with the shared runtime. RUN_PROGRAMS="NAME NAME" runs only those.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

run_libraries

# Without nvcc: calls that need no kernel, of both runtimes.
for major in 12 13; do
  library=$SMEMBANK_RUN_LIBRARIES/libcudart.so.$major
  if [ ! -e "$library" ]; then
    echo "no $library: not built for this machine"
    exit 0
  fi
  "${CC:-cc}" -pthread -I"$srcdir" -o calls "$srcdir/tests/run/call/calls.c" "$library"
  timeout 100 "$SMEMBANK" run -- ./calls >calls.out 2>calls.err || die "calls, CUDA $major: $(cat calls.out calls.err)"
done
# Its name says that it is a text, and it is none.
mv calls calls.cu
timeout 100 "$SMEMBANK" run -- ./calls.cu >calls.out 2>calls.err || die "an executable calls.cu: $(cat calls.out calls.err)"

# The driver's interface, in C and in Python.
cubin=$srcdir/tests/data/memory/memory.sm_90.cubin
references=$srcdir/tests/data/memory/references
for library in '' "$SMEMBANK_RUN_LIBRARIES/libcudart.so.12"; do # alone, and in a program that has a runtime
  "${CC:-cc}" -Wl,--no-as-needed -o driver-calls "$srcdir/tests/run/driver/driver-calls.c" ${library:+"$library"} -ldl
  timeout 100 "$SMEMBANK" run --output ranking -- ./driver-calls "$cubin" "$references.ptx" "$references.sm_90.cubin" >calls.out 2>calls.err || die "driver-calls $library: $(cat calls.out calls.err)"
  grep -q 'cuMulticastCreate is not supported: ' calls.err || die "refused without a word: $(cat calls.err)"
done
grep -q '^ *3  copy ' ranking || die "other launches: $(cat ranking)"
if command -v python3 >/dev/null; then
  timeout 100 "$SMEMBANK" run --output ranking -- python3 "$srcdir/tests/run/driver/driver-launch.py" "$cubin" >calls.out 2>calls.err || die "driver-launch.py: $(cat calls.out calls.err)"
  [ "$(cat calls.out)" = True ] || die "driver-launch.py: $(cat calls.out calls.err)"
  grep -q '^ *1  copy ' ranking || die "other launches: $(cat ranking)"
fi

need_nvcc

# Functions of the driver are those of the toolkit's header, if it is the one that the table is made of.
if grep -q '^#define CUDA_VERSION 13000$' "$toolkit/include/cuda.h"; then
  grep -oE 'CUDAAPI cu[A-Z][A-Za-z0-9_]*' "$toolkit/include/cuda.h" | sed 's/.* //' | LC_ALL=C sort -u >driver-header
  sh "$srcdir/gpu/driver/functions.sh" driver-names "$srcdir/gpu/driver/cu/driver-functions.def" | LC_ALL=C sort >driver-rows
  missing=$(LC_ALL=C comm -23 driver-header driver-rows | tr '\n' ' ')
  [ -z "$missing" ] || die "without a row: $missing"
fi

# The sizes of our types, and where their members are, are those of the toolkit.
"${CC:-cc}" -I"$srcdir" -o types-ours "$srcdir/tests/run/call/types.c"
"$nvcc" -DTOOLKIT -o types-toolkit "$srcdir/tests/run/call/types.c"
./types-ours >types-ours.txt
./types-toolkit >types-toolkit.txt
cmp types-ours.txt types-toolkit.txt || die "other types: $(diff types-ours.txt types-toolkit.txt)"

failed=
for expected in "$srcdir"/tests/run/*/*.expected; do
  name=$(basename "$expected" .expected)
  case " ${RUN_PROGRAMS:-$name} " in *" $name "*) ;; *) continue ;; esac
  case $name in kernel-*) continue ;; esac # run-device.sh, run-tensor-memory.sh
  [ -n "${RUN_PROGRAMS-}" ] || one_in 3 || continue
  source=${expected%.expected}.cu
  flags=$(sed -n 's,^// nvcc: ,,p' "$source")
  case $flags in *-gencode*) ;; *) flags="-arch=sm_90 $flags" ;; esac
  # Some have PTX only. It is compiled when the program starts, and where there is no compiler, it is run as it is.
  as_ptx=
  case $name in
  attention | bulk-reduce | cluster | map-replace | products | surfaces | tensor-maps | textures | warpgroup)
    as_ptx=yes
    flags="-gencode arch=compute_90a,code=compute_90a"
    ;;
  driver-references) as_ptx=yes ;;
  esac
  # shellcheck disable=SC2086 # several words
  "$nvcc" -cudart shared $flags -o "$name" "$source" >compiler 2>&1 || die "$name: $(cat compiler)"
  status=0
  timeout 100 "$SMEMBANK" run --output "$name.ranking" -- "./$name" >"$name.out" 2>"$name.err" || status=$?
  if [ "$status" != 0 ] || ! cmp -s "$name.out" "$expected"; then
    echo "FAIL: $name: status $status"
    diff "$expected" "$name.out" | head -20
    head -5 "$name.err"
    failed="$failed $name"
  fi
  if [ -n "$as_ptx" ]; then
    SMEMBANK_NVCC=no timeout 100 "$SMEMBANK" run --output "$name.ranking" -- "./$name" >"$name.out" 2>"$name.err" || true
    cmp -s "$name.out" "$expected" || failed="$failed $name-as-PTX"
  fi
  rm -f "$name"
done
[ -z "$failed" ] || die "other results:$failed"
