#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Which kernel of a compiled text is meant, and what macros and architectures on the command line mean to a compiler.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

# A functor is named as what is outside of the language; HIP has no compiler here.
cat >functor.hip <<'END'
#include <hip/hip_runtime.h>
template <class Op> __global__ void fold(int *v, Op op) { __shared__ int s[64]; s[threadIdx.x] = op(v[threadIdx.x], 3); __syncthreads(); v[0] = s[0]; }
struct Larger {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct Plain { int n; };
END
for arch in gfx942 sm_90; do
  expect 3 analyze functor.hip --arch $arch --block 64 --instance 'fold<Larger>'
  says "'Larger' has functions (a functor), which are outside the subset"
  ! grep -q nvcc "$work/err" || die "$last: asks nvcc about HIP"
done
expect 3 analyze functor.hip --arch gfx942 --block 64 --instance 'fold<Plain>'
says "the type 'Plain' is declared only behind this"

need_nvcc
run_libraries
# T is the name of parameters in CUDA's headers; names of instances begin alike; a structure and a constant are in a namespace; a library
# has a kernel of its own.
mkdir lib
echo 'template <int N> __global__ void of_library(float *o) { __shared__ float s[N]; s[threadIdx.x] = o[0]; o[1] = s[2]; }
template __global__ void of_library<32>(float *);' >lib/library.cuh
cat >names.cu <<'END'
#include <library.cuh>
#include <cstdio>
#ifndef T
#define T 8
#endif
namespace app {
struct Plain { static constexpr int step = 2; };
constexpr int WIDTH = 64;
template <class P, int N> __global__ void step(float *o) { __shared__ float s[N]; s[threadIdx.x * P::step % N] = o[threadIdx.x]; __syncthreads(); o[threadIdx.x] = s[N - 1 - threadIdx.x]; }
}
template <class...> struct list_of_compile_time_settings_for_a_tile {};
template <int N> struct rows_of {};
template <class L> __global__ void turn(float *o) { __shared__ float s[T][T]; s[threadIdx.x][threadIdx.y] = o[0]; __syncthreads(); o[threadIdx.x * T + threadIdx.y] = s[threadIdx.y][threadIdx.x]; }
using One = list_of_compile_time_settings_for_a_tile<float, double, long long, unsigned long long, rows_of<1>>;
using Two = list_of_compile_time_settings_for_a_tile<float, double, long long, unsigned long long, rows_of<2>>;
template __global__ void turn<One>(float *);
template __global__ void turn<Two>(float *);
int main() {
  float *d;
  cudaMalloc(&d, 4096);
  turn<One><<<1, dim3(T, T)>>>(d);
  printf("T %d, %d\n", T, (int)cudaDeviceSynchronize());
}
END
expect 2 analyze names.cu --block 64 --nvcc '-O3 -Ilib'
says "'turn<…rows_of<1> > >(float*)'"
says "'turn<…rows_of<2> > >(float*)'"
! grep -q of_library "$work/err" || die "$last: lists a kernel of a library"
# What is listed names one.
expect 0 analyze names.cu --block 8,8 --nvcc '-O3 -Ilib' --entry 'turn<…rows_of<2> > >(float*)'
shows 'rows_of<2>'
expect 0 analyze names.cu --block 8,8 --nvcc '-O3 -Ilib' --entry 'turn<…long long…rows_of<1> > >(float*)'
shows 'rows_of<1>'
expect 0 analyze names.cu --block 32 --nvcc '-O3 -Ilib' --entry of_library
expect 0 analyze names.cu --block 64 --nvcc '-O3 -Ilib' --instance 'step<Plain, WIDTH>'
shows 'step<app::Plain, 64>'
# A macro T, and an architecture for the compiler alone.
for flags in '-arch=sm_80 -DT=16 -Ilib' '-Ilib -arch=compute_80 -DT=16'; do
  expect 0 run --nvcc "$flags" names.cu
  shows 'T 16, 0'
done
