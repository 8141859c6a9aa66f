#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Compiled code has no names of parameters: those of its text are given and shown, also members of structures.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")

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
says "'gather' has no parameter 'bases'"
expect 2 analyze gather.cu --nvcc '' --block 32 --arg base=1.5 --arg p.lda=4 --arg p.last=0
says "argument 'base=1.5': expected a number"
# A pointer in a structure has a buffer, which is named, too.
expect 3 analyze gather.cu --nvcc '' --block 32 --arg base=0 --arg p.lda=4 --arg p.last=0
says 'give --buffer p.index=SPEC'
expect 3 analyze gather.cu --nvcc '' --block 32 --arg base=0 --arg p.lda=4 --buffer p.index=iota:i32
says "depends on 'p.last', which has no value: give --arg p.last=VALUE"
