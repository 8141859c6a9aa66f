#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Compiled code has no names of parameters: those of its text are given and shown, also members of structures.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
top=$(cd "$srcdir" && pwd)

# What nvcc makes of the kernel below.
made_nvcc <<'END'
cat >"$out" <<PTX
.version 8.0
.target sm_70
.address_size 64
.visible .entry gather(.param .u64 .ptr .align 1 gather_param_0, .param .u32 gather_param_1, .param .align 8 .b8 gather_param_2[24]) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 s[4096];
  .loc 1 4 5
  ld.param.u64 %rd1, [gather_param_2+8];
  ld.param.u32 %r1, [gather_param_1];
  ld.param.u32 %r2, [gather_param_2];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r4, [%rd3];
  mad.lo.u32 %r5, %r4, %r2, %r1;
  st.shared.u32 [%r5], %r3;
  ld.param.u32 %r6, [gather_param_2+16];
  st.shared.u32 [%r6], %r3;
  ret;
}
.file 1 "$word"
PTX
END

cd "$work"
cat >gather.cu <<'END'
struct P { int lda; const int *index; unsigned last; };
__global__ void gather(float *out, unsigned base, P p) {
  __shared__ int s[1024];
  auto at = [&](int i) { return p.index[i] * p.lda + base; }; s[at(threadIdx.x) / 4] = threadIdx.x; s[p.last / 4] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END

# All that is missing is named at once.
expect 2 analyze gather.cu --nvcc '' --block 32
says "parameters 'base' (unsigned int), 'p.lda', 'p.last' (P) of 'gather' need values: give --arg base=VALUE --arg p.lda=VALUE --arg p.last=VALUE"
expect 2 analyze gather.cu --nvcc '' --block 32 --arg bases=1
says "'gather' has no parameter 'bases': expected 'base' (unsigned int), 'p.lda', 'p.last' (P)"
expect 2 analyze gather.cu --nvcc '' --block 32 --arg base=1.5 --arg p.lda=4 --arg p.last=0
says "argument 'base=1.5': expected a number"
# A pointer in a structure has a buffer, which is named, too.
expect 3 analyze gather.cu --nvcc '' --block 32 --arg base=0 --arg p.lda=4 --arg p.last=0
says 'give --buffer p.index=SPEC'
expect 3 analyze gather.cu --nvcc '' --block 32 --arg base=0 --arg p.lda=4 --buffer p.index=iota:i32
says "depends on 'p.last', which has no value: give --arg p.last=VALUE"

# PTX and machine code have the names of the text that their line table names, where that is at hand and declares the kernel alike.
cat >made.ptx <<END
.version 8.0
.target sm_70
.address_size 64
.visible .entry _Z6gatherPfj1P(.param .u64 g_0, .param .u32 g_1, .param .align 8 .b8 g_2[24]) {
  .reg .b32 %r<5>;
  .shared .align 4 .b8 s[4096];
  .loc 1 4 5
  ld.param.u32 %r1, [g_1];
  ld.param.u32 %r2, [g_2+16];
  st.shared.u32 [%r1], %r2;
  st.shared.u32 [%r2], %r2;
  ret;
}
.file 1 "/nowhere/gather.cu"
END
expect 2 analyze made.ptx --block 32
says "parameters 'base' (unsigned int), 'p.lda', 'p.last' (P) of 'gather' need values: give --arg base=VALUE --arg p.lda=VALUE --arg p.last=VALUE"
expect 0 analyze made.ptx --block 32 --arg base=0 --arg p.last=128 --arg p.lda=0
expect 0 analyze made.ptx --block 32 --arg 1=0 --arg 2+16=i32:128
# In the current folder, too.
mkdir -p away
cp made.ptx away
expect 0 analyze away/made.ptx --block 32 --arg base=0 --arg p.last=128 --arg p.lda=0
unnamed="parameters 1 (.u32), 2 (24 bytes) of 'gather' need values: give --arg 1=VALUE --arg 2=VALUE (or its fields: --arg 2+OFFSET=VALUE); their names are in /nowhere/gather.cu, which is not here or has changed"
cp gather.cu kept.cu
for change in 's/unsigned base/long base/' 's/unsigned base/int base/' 's/int lda;/int lda, ldb, ldc;/' 's/float \*out, //' 's/gather/gathers/' 's/P/Q/g'; do
  sed "$change" kept.cu >gather.cu
  expect 2 analyze made.ptx --block 32
  says "$unnamed"
done
rm gather.cu
expect 2 analyze made.ptx --block 32
says "$unnamed"
expect 2 analyze made.ptx --block 32 --arg base=0
says "'gather' has no parameter 'base': expected 1 (.u32), 2 (24 bytes); this code has no names of parameters: they are numbered from 0; their names are in /nowhere/gather.cu, which is not here or has changed"
# A type that the text does not explain has its size alone, and the reason.
sed 's/int lda;/virtual int f(); int lda;/; s/unsigned last;/short last;/' kept.cu >gather.cu
expect 2 analyze made.ptx --block 32
says "'base' (unsigned int), 'p' (24 bytes; its fields are not known: ./gather.cu:1:12: it has virtual functions) of 'gather' need values"

# The text alone takes members, too; the rest of a structure may be given as bytes.
cat >plain.cu <<'END'
struct Q { int lda; float scale; struct { short by[2]; } in; };
struct R { float *out; int n; };
__global__ void plain(float *out, Q q) {
  __shared__ float s[1024];
  s[threadIdx.x * q.lda] = q.scale;
  s[threadIdx.x * q.in.by[1]] = q.scale;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
worst() { sed -n 's/.*"max_degree" : \([0-9]*\).*/\1/p' out | head -n 2 | tr '\n' ' '; }
expect 0 analyze plain.cu --text --block 32 --format json --arg q.lda=32 --arg q.scale=0.5 --arg 'q.in.by[0]=0' --arg 'q.in.by[1]=2'
[ "$(worst)" = '32 2 ' ] || die "$(cat out)"
expect 0 analyze plain.cu --text --block 32 --format json --arg q=raw:200000000000000000000400 --arg q.lda=8
[ "$(worst)" = '8 4 ' ] || die "$(cat out)"
expect 2 analyze plain.cu --text --block 32
says "parameters 'q.lda', 'q.scale', 'q.in.by[0]', 'q.in.by[1]' (Q) of 'plain' need values"
expect 2 analyze plain.cu --text --block 32 --arg q.lda=1 --arg q.scale=1 --arg 'q.in.by[1]=2'
says "'q.in.by[0]' of 'plain' needs a value"
expect 2 analyze plain.cu --text --block 32 --arg q.lda=1.5
says "argument 'q.lda=1.5': expected a number"

# Shared arrays have the types and the members that it declares, if they are as large.
sed 's/struct P {/struct Smem { int tile[16][33]; short rest[2][496]; }; &/; s/int s\[1024\]/Smem s/; s/ s\[/ s.tile[0][/g' kept.cu >gather.cu
expect 0 explain made.ptx --block 32 --arg base=136 --arg p.last=2112 --arg p.lda=0 --all-lanes
tells 'It accesses s.tile[1][1], at byte (1 * 33 + 1) * 4 = 136'
expect 0 explain made.ptx --block 32 --arg base=2112 --arg p.last=4 --arg p.lda=0
tells 'It accesses s.rest[0][0..1], at byte 2112 + (0 * 496 + 0) * 2 = 2112'
expect 0 explain made.ptx --block 32 --arg base=2112 --arg p.last=4 --arg p.lda=0 --array s+2112=496xi32
tells 'It accesses s+2112[0], at byte 2112 + 0 * 4 = 2112'
expect 2 explain made.ptx --block 32 --arg base=0 --arg p.last=4 --arg p.lda=0 --array t=496xi32
says "array 't=496xi32': expected one of s.tile, s.rest"
expect 0 advise made.ptx --block 32 --arg base=0 --arg p.last=4 --arg p.lda=0 --array s.tile
sed -i 's/496/495/' gather.cu
expect 0 explain made.ptx --block 32 --arg base=136 --arg p.last=4 --arg p.lda=0
tells 'It accesses s[136..139]'

# Members of unions have names, which set their bytes; a byte that several of them have is of the union.
sed 's/unsigned last;/union { unsigned last; double d; } u;/; s/p\.last/p.u.last/' kept.cu >gather.cu
expect 2 analyze made.ptx --block 32
says "parameters 'base' (unsigned int), 'p.lda', 'p.u' (P) of 'gather' need values: give --arg base=VALUE --arg p.lda=VALUE --arg p.u.last=VALUE"
expect 0 analyze made.ptx --block 32 --arg base=0 --arg p.lda=0 --arg p.u.last=128
expect 0 analyze made.ptx --block 32 --arg base=0 --arg p.lda=0 --arg p.u.d=1.5
expect 0 analyze made.ptx --block 32 --arg base=0 --arg p.u+0=i32:128
expect 0 analyze made.ptx --block 32 --arg base=0 --arg p.u=raw:80000000
expect 2 analyze made.ptx --block 32 --arg base=0 --arg p.u=128
says "field 'p.u=128': expected a type and a number such as i32:128"
expect 3 analyze made.ptx --block 32 --arg base=0 --arg p.lda=0
says "depends on 'p.u+0', which has no value: give --arg p.u+0=VALUE"
sed 's/unsigned last;/union { unsigned last; float f; };/' kept.cu >gather.cu
expect 3 analyze made.ptx --block 32 --arg base=0 --arg p.lda=0
says "depends on 'p+16', which has no value: give --arg p+16=VALUE"
expect 0 analyze made.ptx --block 32 --arg base=0 --arg p.lda=0 --arg p.f=0

# In shared memory, the member is named that has values as wide as the access.
sed 's/int s\[1024\]/union { int tile[16][33]; double wide[512]; } s/; s/ s\[/ s.tile[0][/g' kept.cu >gather.cu
expect 0 explain made.ptx --block 32 --arg base=136 --arg p.last=2112 --arg p.lda=0 --all-lanes
tells 'It accesses s.tile[1][1], at byte (1 * 33 + 1) * 4 = 136'
expect 0 explain made.ptx --block 32 --arg base=2112 --arg p.last=4 --arg p.lda=0
tells 'It accesses s+2112, at byte 2112 = 2112'
expect 0 explain made.ptx --block 32 --arg base=2112 --arg p.last=4 --arg p.lda=0 --array s+2112=496xi32
tells 'It accesses s+2112[0], at byte 2112 + 0 * 4 = 2112'
expect 0 explain made.ptx --block 32 --arg base=136 --arg p.last=4 --arg p.lda=0 --array s.wide=16x32xf64
tells 'It accesses s.wide[0][17], at byte (0 * 32 + 17) * 8 = 136'
expect 2 explain made.ptx --block 32 --arg base=0 --arg p.last=4 --arg p.lda=0 --array t=496xi32
says "array 't=496xi32': expected one of s, s.tile, s.wide"
expect 0 advise made.ptx --block 32 --arg base=0 --arg p.last=4 --arg p.lda=0
tells 'int s.tile[16][33]'
expect 0 advise made.ptx --block 32 --arg base=2112 --arg p.last=4 --arg p.lda=0 --array s.tile
tells 'int s.tile[16][33]'
# Two floats may be read at once, so 8 bytes may be a member of either type; a pair of 4 bytes in PTX is not a double.
sed 's/int tile/float tile/' gather.cu >both.cu && mv both.cu gather.cu
for wide in 'b64 [%r1], %rd1;s+136' 'v2.b32 [%r1], {%r2, %r2};s.tile[1][1..2]' 'f64 [%r1], %fd1;s.wide[17]'; do
  sed "s/  st.shared.u32 \[%r1\], %r2;/  .reg .b64 %rd<2>; .reg .f64 %fd<2>; cvt.u64.u32 %rd1, %r2; mov.b64 %fd1, %rd1; st.shared.${wide%;*};/; /\[%r2\], %r2/d" made.ptx >wide.ptx
  expect 0 explain wide.ptx --block 32 --arg base=136 --arg p.last=4 --arg p.lda=0
  tells "It accesses ${wide##*;}, at byte"
done

# Arrays of machine code have the names of the PTX that is kept with it; "shared" and "dynamic" are all of them.
expect 2 advise "$top/tests/data/sass/inlined.sm_90.cubin" --entry inlined --block 32 --array none=32x32xf32
says "array 'none=32x32xf32': expected one of tile, dynamic"
