#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# FILE.cu that is a whole program: analyze, explain, advise and report find its launches by running it, unless something says how a
# kernel is launched; init writes them. What a project file names is not run, unless it is trusted.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

cat >two.cu <<'END'
#include <cstdio>
template <int PAD, typename T>
__global__ void turn(T *out, const T *in, float factor, int n, unsigned char flag, double shift) {
  __shared__ T tile[32][32 + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(y * 32 + x) % n];
  __syncthreads();
  out[y * 32 + x] = tile[x][y] * (T)factor + (T)(flag + shift);
}
__global__ void fill(int *out, long long value, int by) {
  extern __shared__ int part[];
  part[threadIdx.x * by] = (int)value;
  out[threadIdx.x] = part[threadIdx.x * by];
}
int main(int argc, char **argv) {
  int *a, *b;
  FILE *ran = fopen("ran", "a");
  fprintf(ran, "%d\n", argc);
  fclose(ran);
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  int n = argc * 1000, size = 64 * argc;
  for (int i = 0; i < 3; i++)
    turn<1><<<argc * 2, dim3(32, 32 * argc)>>>(b, a, 2.5f, n, 7, -0.125);
  turn<0><<<1, dim3(32, 32)>>>(b, a, 1, n, 0, 1e-3);
  for (int by = 1; by < 12; by++)
    fill<<<1, size, 4096>>>(a, -5 - argc, by);
  puts("output of the program");
  return cudaDeviceSynchronize() ? 1 : 0;
}
END

# --- without a compiler it is read as it is
SMEMBANK_NVCC=no expect 2 analyze two.cu
[ ! -e ran ] || die "it was run"

need_nvcc
run_libraries

# --- several kernels: a ranking; the program's output is not in it
expect 0 analyze --format json two.cu
is_json
shows '"launches" : 15'
says 'output of the program'
[ "$(cat ran)" = 1 ] || die "not run once: $(cat ran)"
expect 0 analyze two.cu
shows '15 launches, '
shows 'void turn<0, int>'
shows '1 +2'
expect 0 analyze --format csv two.cu
[ "$(grep -c '^[0-9]' out)" = 15 ] || die "$(cat out)"

# --- arrays of machine code, before dynamic memory that is aligned
for align in 4 64; do
  cat >arrays.cu <<END
struct Part { short few[3]; };
__global__ void arrays(float *out, int n) {
  extern __shared__ __align__($align) double pool[];
  __shared__ Part part;
  __shared__ float wide[5][7];
  auto put = [&](int i) { wide[i % 5][i % 7] = i; part.few[i % 3] = 1; pool[i] = i; };
  put(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = wide[n % 5][threadIdx.x % 7] + part.few[threadIdx.x % 3] + pool[n];
}
END
  for arch in sm_80 sm_90; do
    "$nvcc" -cubin -lineinfo "-arch=$arch" -o arrays.cubin arrays.cu
    expect 2 advise arrays.cubin --arch "$arch" --block 32 --dynamic-bytes 1024 --arg n=3 --array none
    says "expected one of part.few, wide, pool"
    expect 0 advise arrays.cubin --arch "$arch" --block 32 --dynamic-bytes 1024 --arg n=3
    shows 'float wide[5][7]  140 bytes'
    shows 'double pool[]  1024 bytes'
  done
done

# --- one launch: the worst, or the one that is chosen
expect 1 analyze --max-ways 2 two.cu
says 'has the most excess wavefronts, 992: void turn<0, int>'
says 'is 32-way'
expect 0 analyze --launch 1 two.cu
shows 'block 32x32, grid 2'
expect 0 explain two.cu
shows 'conflict'
says 'launch 4 has the most excess wavefronts'
# Arrays are those of the text, also of a capture whose text is at hand.
tells 'It accesses tile[1][0], at byte (1 * 32 + 0) * 4 = 128'
expect 0 run -o two.capture two.cu
expect 0 explain two.capture --launch 4
tells 'It accesses tile[1][0], at byte (1 * 32 + 0) * 4 = 128'
expect 0 advise two.capture --launch 4
shows 'int tile[32][32]  4096 bytes'
rm -f ran
mkdir elsewhere
sed 's/T tile\[32\]/T tile[16]/' two.cu >elsewhere/two.cu
mv two.cu moved.cu
(cd elsewhere && "$SMEMBANK" explain ../two.capture --launch 4 >../out 2>../err) || die "$(cat err)"
tells 'It accesses tile[128..131], at byte 128 * 1 = 128'
mv moved.cu two.cu
expect 0 advise two.cu
shows 'shared'
# The text is what is rewritten: it is launched as the program does, with what is behind its pointers.
cat >count.cu <<'END'
__global__ void count(int *out, const unsigned *in, int n) {
  __shared__ int bins[64][32];
  for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x)
    bins[i / 32][i % 32] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    bins[in[i]][threadIdx.x / 32] += 1;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = bins[threadIdx.x % 64][threadIdx.x / 64];
}
__global__ void other(int *out) { out[threadIdx.x] = 0; }
int main() {
  unsigned *in, numbers[256];
  int *out;
  for (int i = 0; i < 256; i++)
    numbers[i] = i % 64;
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, 8192);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  other<<<1, 32>>>(out);
  count<<<8, 256>>>(out, in, 256);
}
END
expect 0 advise count.cu --out best.cu
shows 'block 256, grid 8'
shows 'int bins[64][32]  line 2'
says 'wrote best.cu (bins: pad 1)'
grep -q 'bins\[64\]\[32 + 1\]' best.cu || die "wrote $(cat best.cu)"
# --entry says which kernel is meant, not how it is launched.
expect 0 analyze --entry other count.cu
shows 'block 32, grid 1'
expect 0 analyze --entry count -q count.cu
shows 'Bank conflicts'
expect 0 explain --entry count count.cu
shows 'bins'
status=0
"$SMEMBANK" analyze --entry none count.cu >out 2>err || status=$?
[ $status = 2 ] || die "status $status: $(cat out err)"
says "count.cu has no kernel 'none'"
expect 0 report page.html two.cu
shows '15 launches, '
status=0
"$SMEMBANK" analyze --launch 99 two.cu >out 2>err || status=$?
[ $status = 2 ] || die "status $status: $(cat out err)"
says '--launch 99: two.cu launches 15 kernels'

# --- something says how it is launched: nothing is run
rm ran
expect 0 analyze --entry fill --block 64 --dynamic-bytes 4096 --arg value=1 --arg by=2 two.cu
[ ! -e ran ] || die "it was run"

# --- a project file runs nothing, unless it is trusted
cat >smembank.ini <<'END'
[k]
file = two.cu
END
expect 2 analyze --case k
[ ! -e ran ] || die "a project file has run it"
"$SMEMBANK" check >out 2>err && die "check has counted it: $(cat out)"
[ ! -e ran ] || die "a project file has run it"
expect 0 check --trust
[ -e ran ] || die "it was not run, though it was trusted"
rm ran smembank.ini

# --- what cannot be run is taken as it is
cat >broken.cu <<'END'
__global__ void k(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
int main() {
  k<<<1, 32>>>(nothing);
}
END
expect 0 analyze broken.cu
says 'was not run to find its launches'
shows 'tile'
sed 's/k<<<.*/return 0;/' broken.cu >idle.cu
expect 0 analyze idle.cu
says 'no launch was recorded'

# --- init
expect 0 init two.cu broken.cu
says 'output of the program'
shows 'smembank.ini: '
grep -q '^instance = turn<1, *int>$' smembank.ini || die "$(cat smembank.ini)"
grep -q '^instance = turn<0, *int>$' smembank.ini || die "$(cat smembank.ini)"
grep -q '^block = 32,32$' smembank.ini || die "$(cat smembank.ini)"
grep -q '^grid = 2$' smembank.ini || die "$(cat smembank.ini)"
grep -q '^arg = factor=2.5; n=1000; flag=7; shift=-0.125$' smembank.ini || die "$(cat smembank.ini)"
grep -q '^arg = value=-6; by=1$' smembank.ini || die "$(cat smembank.ini)"
grep -q '^dynamic-bytes = 4096$' smembank.ini || die "$(cat smembank.ini)"
[ "$(grep -c '^entry = fill' smembank.ini)" = 8 ] || die "$(cat smembank.ini)"
grep -q '^# 3 more launches' smembank.ini || die "$(cat smembank.ini)"
rm ran
expect 0 check
[ ! -e ran ] || die "check has run it"

# Each program launches its own kernel of a name.
for block in 32 64; do
  cat >own$block.cu <<END
__global__ void k(int *out, int n) {
  out[threadIdx.x] = n;
}
int main() {
  int *out;
  cudaMalloc(&out, 1024);
  k<<<1, $block>>>(out, $block / 16);
}
END
done
expect 0 init own32.cu own64.cu -o own.ini
[ "$(grep '^file\|^block\|^arg' own.ini | paste -sd ' ')" = \
  'file = own32.cu block = 32 arg = n=2 file = own64.cu block = 64 arg = n=4' ] || die "$(cat own.ini)"

# A program of several files is made of those that are given; alone it says what it lacks.
mkdir parts
cat >parts/main.cu <<'END'
void go(int n);
__global__ void own(int *out) {
  out[0] = 1;
}
int main(int argc, char **) {
  go(6 + argc);
}
END
cat >parts/kernels.cu <<'END'
__global__ void part(int *out, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = n;
  out[threadIdx.x] = s[threadIdx.x];
}
void go(int n) {
  int *out;
  cudaMalloc(&out, 1024);
  part<<<n, 8 * n + 8>>>(out, 2 * n);
}
END
expect 0 init parts/main.cu parts/kernels.cu -o parts.ini
[ "$(sed -n '/^\[part\]/,$p' parts.ini | grep '^file\|^block\|^grid\|^arg' | paste -sd ' ')" = \
  'file = parts/kernels.cu block = 64 grid = 7 arg = n=14' ] || die "$(cat parts.ini)"
expect 0 init parts/main.cu -o main.ini
says "parts/main.cu was not run to find its launches: undefined reference to \`go(int)'"
says "a program of several files is run by 'smembank run parts/main.cu OTHER.cu'"
