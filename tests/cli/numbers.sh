#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Numbers of a launch as expressions over what the text defines.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

cat >k.cu <<'END'
#define BDIMX 32
#define BDIMY (BDIMX / 4)
constexpr int ROWS = 1 << 3, UNUSED = 4;
const unsigned rows = ROWS * 2u;

__global__ void k(float *out, int n, float scale) {
  extern __shared__ float s[];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t < n)
    out[t] = s[(t * 2) % (BDIMX * BDIMY)] * scale;
}
int main() { return 0; }
END

# same WORDS... -- WORDS...: both launches are counted alike.
same() {
  "$SMEMBANK" analyze k.cu --format csv --arg scale=2 --block 32,8 --grid 2 --dynamic-bytes 1024 --arg n=4096 >plain.csv 2>err ||
    die "$(cat err)"
  expect 0 analyze k.cu --format csv --arg scale=2 "$@"
  cmp -s "$work/out" plain.csv || die "$last: other counts"
}
same --block BDIMX,BDIMY --grid 2 --dynamic-bytes 'BDIMX*BDIMY*sizeof(float)' --arg 'n=1<<12'
same --block 'BDIMX, ROWS' --grid 'rows / 8' --dynamic-bytes 'BDIMX*ROWS*4' --arg n=4096u
same --block '(4 * 8),(BDIMX > 8 ? 8 : 1)' --grid 1+1 --dynamic-bytes 1024 --arg 'n=BDIMX << 7'
same --block 32x8 --grid 2 --dynamic-bytes 0x400 --arg n=0x1000
expect 0 analyze k.cu --format csv -D BDIMX=16 --block BDIMX,BDIMY --arg n=BDIMX --arg scale=1 --dynamic-bytes 256
quiet
grep -q '^shared,.*,2,' "$work/out" || die "$last: not two warps: $(cat "$work/out")"
# A macro that only the launch uses is used.
expect 0 analyze k.cu -D THREADS=256 --block THREADS --arg n=1 --arg scale=1 --dynamic-bytes 1024
quiet
expect 0 analyze k.cu --block 32 --arg n=ROWS --arg scale=1e-3 --dynamic-bytes 128 --format csv

# Compiled code defines nothing; numbers are numbers there, too.
cat >k.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<4>;
  .shared .b8 tile[4096];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  st.shared.u32 [%r2], %r1;
  ret;
}
END
expect 0 analyze k.ptx --block 4*8 --grid '1<<2' --arg '1=1<<20' --format csv
grep -q '^shared,.*,4,' "$work/out" || die "$last: not four requests: $(cat "$work/out")"
expect 2 analyze k.ptx --block BDIMX
says "--block 'BDIMX': expected X, X,Y or X,Y,Z: whole numbers from 1 to 1024, 1024 and 64: 'BDIMX' is not an integer expression: 'BDIMX' is not defined as a constant"

# Of a text that is compiled, its definitions hold as well; what is wrong is told before it is.
cat >nvcc <<'END'
#!/bin/sh
for word; do
  [ "${previous-}" != -o ] || out=$word
  previous=$word
done
echo called >>calls
cp k.ptx "$out"
END
chmod +x nvcc
export SMEMBANK_NVCC="$work/nvcc"
expect 0 analyze k.cu --nvcc '' --block 'BDIMX / ROWS * 8' --grid BDIMY --arg '1=rows << 4' --dynamic-bytes 'rows * sizeof(float4)' --format csv
grep -q '^shared,.*,8,' "$work/out" || die "$last: not eight requests: $(cat "$work/out")"
rm calls
expect 2 analyze k.cu --nvcc '' --block BDIMZ --arg 1=2
says "'BDIMZ' is not defined as a constant"
[ ! -e calls ] || die "$last: compiled"
unset SMEMBANK_NVCC

# What is no constant, or none that a launch can have.
expect 2 analyze k.cu --block BDIMZ
says "'BDIMZ' is not defined as a constant"
expect 2 analyze k.cu --block BDIMX,BDIMY,BDIMX,1
says "--block 'BDIMX,BDIMY,BDIMX,1': expected X, X,Y or X,Y,Z: whole numbers from 1 to 1024, 1024 and 64, and it is 32,8,32,1"
expect 2 analyze k.cu --block BDIMX-32
says "and it is 0"
expect 2 analyze k.cu --block '1<<40'
says "and it is 1099511627776"
expect 2 analyze k.cu --block '1<<'
says "'1<<' is not an integer expression: expected an integer expression"
expect 2 analyze k.cu --block 'BDIMX/(BDIMX-32)'
says 'divides by zero'
expect 2 analyze k.cu --block 32 --arg n=m --arg scale=1 --dynamic-bytes 128
says "argument 'n=m': expected a number, raw:HEXBYTES or @FILE: 'm' is not an integer expression: 'm' is not defined as a constant"
expect 2 analyze k.cu --block 32 --arg n=1 --arg scale=1 --dynamic-bytes BYTES
says "--dynamic-bytes 'BYTES' is not an integer expression: 'BYTES' is not defined as a constant"
# Names that stand for each other have no value, and do not hang.
printf 'constexpr int a = b, b = a + 1, c0 = 1;\n' >loop.cu
i=0
while [ $i -lt 200 ]; do
  printf 'constexpr int c%d = c%d + c%d;\n' $((i + 1)) $i $i
  i=$((i + 1))
done >>loop.cu
echo '__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }' >>loop.cu
for name in a b c200; do
  expect 2 analyze loop.cu --block $name
  says "'$name' is not defined as a constant"
done
expect 0 analyze loop.cu --block 'c5'
