#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A copy of a structure is counted in the accesses that nvcc makes of it: each structure below is copied to static
# and to dynamic shared memory, and the stores of the PTX are compared with those of analyze. Skipped where configure
# found no nvcc.
set -eu

if [ -z "${NVCC-}" ] || [ "$NVCC" = no ]; then
  echo "no nvcc"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
n=0

# add DEFINITION DECLARATION: a kernel, with names of its own for T, A and S.
add() {
  n=$((n + 1))
  sed "s/\\b[TAS]\\b/&$n/g" <<END
$1
__global__ void k$n(const T *in, T *out, int n) {
  $2
  S[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = S[n];
}
END
}

while read -r definition; do
  add "$definition" '__shared__ T S[32];'
  add "$definition" '__shared__ __align__(16) T S[32];'
  add "$definition" 'extern __shared__ T S[];'
done >copies.cu <<'END'
struct T { float x, y; };
struct __align__(8) T { float x, y; };
struct T { float x, y, z; };
struct __align__(16) T { float x, y, z; };
struct T { float x, y, z, w; };
struct alignas(8) T { float x, y, z, w; };
struct __align__(16) T { float x, y, z, w; };
typedef struct { float x, y; } __align__(8) T;
struct T { float v[4]; int n; };
struct T { float a, b, c, d, e, f, g, h; };
struct __align__(16) T { float a, b, c, d, e, f, g, h; };
struct __align__(32) T { float a, b, c, d, e, f, g, h; };
struct T { char a, b; short c; int d; };
struct T { char c; int i; };
struct T { int i; char a, b; };
struct T { int i; short a, b; };
struct T { short s; char c; };
struct T { short a, b; };
struct T { unsigned char r, g, b; };
struct __align__(4) T { unsigned char r, g, b; };
struct T { double a, b; };
struct T { double d; int i; };
struct T { double d; char c; };
struct T { double d; short a, b, c; };
struct T { double d; int i; float f; };
struct T { double d; float a, b, c, e; };
struct T { float x; double d; };
struct T { long long l; float x, y, z; };
struct T { float *p; int n; };
struct T { float4 v; int i; };
struct T { float4 v; float a, b, c, d; };
struct T { float2 a; float b; };
struct T { float3 a; float b; };
struct __align__(16) T { float3 a; float b; };
struct T { __align__(16) float x; float y; };
struct A { float x, y; }; struct T { A a; int n; A b; };
struct __align__(8) A { float x, y; }; struct T { A a; int n; };
typedef float3 T;
typedef double3 T;
END
# An array of char is a word where the alignment allows that, which may be one with its neighbours then.
add 'struct T { int i; char c[4]; };' '__shared__ T S[32];' >>copies.cu
"$NVCC" -arch=sm_90 --ptx -o copies.ptx copies.cu

i=0
while [ "$i" -lt "$n" ]; do
  i=$((i + 1))
  # st.shared.v2.f32: 8 bytes
  sed -n "/\\.entry .*k${i}P/,/^}/s/.*st\\.shared\\.\\([^ 	]*\\).*/\\1/p" copies.ptx | awk -F. '{
    lanes = NF > 1 ? substr($1, 2) : 1
    bytes = lanes * substr($NF, 2) / 8
    count[bytes]++
  } END { for (b in count) print count[b], "of", b }' | sort >measured
  "${SMEMBANK:?}" analyze copies.cu --entry "k$i" --block 32 --dynamic-bytes 2048 --arg n=0 --format csv |
    awk -F, '$1 == "shared" && $5 == "store" { print $9, "of", $6 }' | sort >counted
  if ! cmp -s measured counted; then
    grep -B 1 -A 1 "k$i(" copies.cu
    echo "nvcc stores:"
    cat measured
    echo "counted:"
    cat counted
    exit 1
  fi
done
[ -s measured ] || exit 1
echo "$n copies"
