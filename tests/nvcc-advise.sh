#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What advise writes is CUDA C: nvcc compiles the rewritten forms of the built-in kernels, of tiles and of a
# kernel with calls and vectors, without a warning. Skipped where configure found no nvcc.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
n=0

# compile DEFINES ARGUMENT...: the best form of each kind, where it is better than the kernel.
compile() {
  defines=$1
  shift
  for kind in pad swizzle both; do
    rm -f best.cu
    "${SMEMBANK:?}" advise "$@" --only "$kind" --out best.cu >out 2>err || {
      echo "advise $*: $(cat err)"
      exit 1
    }
    [ -e best.cu ] || continue
    # shellcheck disable=SC2086 # several words
    "$NVCC" -arch=sm_90 --ptx -Werror all-warnings -o best.ptx $defines best.cu || {
      echo "failed: advise $* --only $kind"
      cat best.cu
      exit 1
    }
    n=$((n + 1))
  done
}

for kernel in setRowReadCol setColReadRow setColReadCol2; do
  compile '-DBDIMX=32 -DBDIMY=32' --kernel "$kernel" --block 32,32 -D BDIMX=32 -D BDIMY=32
done
compile '-DBDIMX=32 -DBDIMY=16' --kernel transposeSmem --shape 32x16
compile '' --kernel transposeSmemPadDyn --shape 32x16 -D IPAD=0 --row 32
compile '-DBDIMX=32 -DBDIMY=16 -DIPAD=1' --kernel setRowReadColDynPad --shape rect -D IPAD=1 --row 33
compile '-DROWS=20 -DCOLS=50 -DELEM=float4' --rows 20 --cols 50 --elem float4
compile '-DROWS=33 -DCOLS=31 -DELEM=short -DDYNAMIC=1' --rows 33 --cols 31 --elem short --dynamic
cat >forms.cu <<'END'
__shared__ int g[32][32];
__device__ int get(int r, int c) { return g[r][c]; }
extern "C" __global__ void forms(int *out, const int *in) {
  __shared__ float s[32][32];
  int k = threadIdx.x;
  reinterpret_cast<float4 *>(&s[threadIdx.x][0])[threadIdx.y / 4] = make_float4(k, 1, 2, 3);
  g[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  int next = g[k++][threadIdx.y];
  out[threadIdx.y * 32 + threadIdx.x] = get(threadIdx.x, threadIdx.y) + next + k + (int)s[threadIdx.y][threadIdx.x];
}
END
compile '' forms.cu --block 32,32
# Of a template that a program has one instance of, that one is read, and what is recommended is compiled.
cat >instance.cu <<'END'
template <int SIDE, typename T> __global__ void turn(T *out, const T *in) {
  __shared__ T tile[SIDE * SIDE];
  tile[threadIdx.y * SIDE + threadIdx.x] = in[threadIdx.y * SIDE + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x * SIDE + threadIdx.y];
}
int main() {
  float *p;
  cudaMalloc(&p, 8192);
  turn<32, float><<<64, dim3(32, 32)>>>(p, p + 1024);
}
END
SMEMBANK_NVCC=$NVCC "$SMEMBANK" advise instance.cu --block 32,32 --grid 64 >out
for words in '^turn<32, float>  instance.cu' 'counted: the text' '^As compiled' '^Apply '; do
  grep -q "$words" out || {
    cat out
    exit 1
  }
done
[ "$n" -ge 20 ] || {
  echo "$n compilations: too few"
  exit 1
}
echo "$n compilations, no warning"
