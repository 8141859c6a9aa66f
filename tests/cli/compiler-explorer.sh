#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The tool of Compiler Explorer, in a folder as its compilers leave it: machine code, PTX, or neither; and, if there is an nvcc, with what that
# makes there. The text says a launch, and nothing else.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
tool=$(cd "$srcdir/editors/compiler-explorer" && pwd)/smembank-annotate.sh

# annotate STATUS ARGUMENT...
annotate() {
  wanted=$1
  shift
  last="smembank-annotate.sh $*"
  status=0
  "$tool" "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq "$wanted" ] || die "$last: status $status, expected $wanted: $(cat "$work/err")"
}

mkdir "$work/a b" "$work/ptx" "$work/none" "$work/nvcc"
cp "$srcdir/tests/data/sass/transpose.sm_90.cubin" "$work/a b/example.sm_90.cubin"
cat >"$work/a b/example.cu" <<'END'
// smembank: --entry 'transpose<0>' --block 32,8 --grid=64,64 --arg 2=2048 --output=written --nvcc '-ccbin ./x' --max-ways 1
END
cp "$srcdir/tests/ptx/transpose.ptx" "$work/ptx/output.s"
cd "$work"
annotate 0 "$work/a b/example.cu"
shows 'block 32x8, grid 64x64'
shows 'counted: machine code'
grep -qE '32-way +[0-9a-f]{4}  LDS ' out || die "$last: no load with conflicts: $(cat out)"
[ ! -e written ] || die 'the text named a file to write'
# What the user says takes the place of the text's launch.
annotate 0 --entry 'transpose<1>' --block 32,8 --grid 2,2 --arg 2=2048 "$work/a b/example.cu"
shows 'grid 2x2'
annotate 2 --block 32,8 "$work/a b/example.cu"
annotate 2 --no-such "$work/a b/example.cu"

cp 'a b/example.cu' ptx
annotate 0 ptx/example.cu
shows 'counted: PTX'
echo 'main: ret' >none/output.s
cp ptx/example.cu none
annotate 3 none/example.cu
says 'no cubin and no PTX was made'
annotate 2

case ${NVCC-no} in
no | '') ;;
*)
  cat >nvcc/example.cu <<'END'
// smembank: --block 32,32 --grid 4,4 --arg n=128
__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END
  "$NVCC" -arch=sm_90 -o nvcc/output.s -g -lineinfo -c -keep -keep-dir nvcc -Xcompiler=-S nvcc/example.cu
  annotate 0 nvcc/example.cu
  shows '15872 of 16896 wavefronts (94%) are in excess'
  grep -qE '512 +16384 +512 +15872 +32-way +[0-9a-f]{4}  LDS ' out || die "$last: no load with conflicts: $(cat out)"
  ;;
esac
