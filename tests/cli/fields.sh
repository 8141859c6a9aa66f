#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Fields of structures that are parameters: --arg and --buffer NAME+OFFSET, of PTX and of machine code.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# The kernel gather of fields.cu.
cat >"$work/k.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.visible .entry gather(.param .align 8 .b8 gather_param_0[24])
{
  .reg .pred %p<2>;
  .reg .f32 %f<3>;
  .reg .b32 %r<15>;
  .reg .b64 %rd<10>;
  .shared .align 4 .b8 tile[4096];
  ld.param.v2.u32 {%r3, %r4}, [gather_param_0+16];
  ld.param.u64 %rd3, [gather_param_0+8];
  ld.param.u64 %rd2, [gather_param_0];
  mov.u32 %r5, %tid.x;
  cvt.rn.f32.s32 %f1, %r5;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.u32 %r6, [%rd6];
  mul.lo.s32 %r7, %r6, %r4;
  shl.b32 %r8, %r7, 2;
  mov.u32 %r9, tile;
  add.s32 %r10, %r9, %r8;
  st.shared.f32 [%r10], %f1;
  bar.sync 0;
  setp.ge.s32 %p1, %r5, %r3;
  @%p1 bra END;
  shl.b32 %r12, %r5, 2;
  add.s32 %r14, %r9, %r12;
  ld.shared.f32 %f2, [%r14];
  add.s64 %rd9, %rd2, %rd5;
  st.global.f32 [%rd9], %f2;
END:
  ret;
}
EOF
cubin=$srcdir/tests/data/sass/fields.sm_90.cubin

# check FILE PARAMETER
check() {
  parameter=$2
  run() {
    wanted=$1
    shift
    expect "$wanted" analyze "$file" --entry gather --block 32 "$@"
  }
  file=$1
  # Each field that something depends on is asked for; nothing depends on the pointer to the result.
  run 2
  says '--arg 0=VALUE (or its fields: --arg 0+OFFSET=VALUE)'
  run 3 --arg 0+16=i32:32
  says 'the address depends on '
  # Of what is loaded together, each field is asked for by its own place, and all that are needed at once.
  run 3 --buffer 0+8=iota:i32
  says 'byte 20 of parameter 0, which has no value: give --arg 0+20=VALUE --arg 0+16=VALUE'
  run 3 --arg 0+16=i32:32 --arg 0+20=i32:32
  says 'the address depends on byte 8 of parameter 0, which has no value: give --arg 0+8=VALUE'
  run 3 --arg 0+16=i32:32 --arg 0+20=i32:32 --arg 0+8=pointer
  says 'the address depends on the contents of the buffer of 0+8, loaded at '
  says 'give --buffer 0+8=SPEC'
  run 0 --arg 0+16=i32:32 --arg 0+20=i32:32 --arg 0+8=pointer --buffer 0+8=iota:i32
  shows '32-way'
  run 0 --arg 0+16=i32:32 --arg 0+20=i32:1 --buffer 0+8=iota:i32 --arg 0+0=pointer
  cp "$work/out" "$work/wanted"
  shows 'No bank conflicts'
  run 0 --arg "$parameter+0x10=raw:2000000001000000" --buffer 0+8=iota:i32@4 --arg 0+0=pointer
  shows 'No bank conflicts'
  # On top of the whole; the last one counts.
  zeros=$(printf '00%.0s' $(seq 24))
  run 0 --arg "0=raw:$zeros" --arg 0+16=i32:32 --arg 0+20=i32:7 --arg 0+20=i32:1 --buffer 0+8=iota:i32 --arg 0+0=pointer
  sed 1,2d "$work/out" >"$work/got"
  sed 1,2d "$work/wanted" | cmp - "$work/got" || die 'not the same on top of all bytes'
  # Contents of a file, and what lies beyond its end.
  printf '\003\000\000\000%.0s' $(seq 32) >"$work/threes"
  run 0 --arg 0+16=i32:32 --arg 0+20=i32:1 --buffer "0+8=$work/threes"
  run 3 --arg 0+16=i32:32 --arg 0+20=i32:1 --buffer "0+8=$work/threes@4"
  says 'give --buffer 0+8=SPEC'
  run 2 --arg 0+16=i32:32 --buffer "0+8=$work/threes@129"
  says 'the pointer starts beyond the end of the file, which has 128 bytes'
  # What is wrong is said.
  run 2 --arg 0+16=32
  says "field '0+16=32': expected a type and a number such as i32:32, raw: and hexadecimal digits, @FILE, or pointer"
  run 2 --arg 0+16=i8:300
  says "argument '0+16=300' does not fit into 1 byte"
  run 2 --arg 0+20=i64:1
  says "field '0+20=i64:1': 8 bytes at offset 20: the parameter has 24 bytes"
  run 2 --arg 0+24=i8:1
  says "field '0+24=i8:1': 1 byte at offset 24: the parameter has 24 bytes"
  run 2 --buffer 0+20=zeros
  says "field '0+20': 8 bytes at offset 20: the parameter has 24 bytes"
  run 2 --arg 0+16=raw:
  says "has 0 bytes"
  run 2 --arg 1+0=i32:1
  says "has no parameter '1+0'"
  run 2 --arg 0+x=i32:1
  says "has no parameter '0+x'"
}
check "$work/k.ptx" gather_param_0
check "$cubin" _Z6gather6Params_param_0

# Fields of CUDA C have names, and offsets as well.
cat >"$work/k.cu" <<'EOF'
struct P { int stride, by; };
__global__ void p(P p) {
  __shared__ int s[64];
  s[threadIdx.x * p.stride] = 1;
}
EOF
expect 2 analyze "$work/k.cu" --block 32 --arg p+0=i32:2
says "'p.by' of 'p' needs a value"
expect 0 analyze "$work/k.cu" --block 32 --arg p+0=i32:2 --arg p.by=0
shows '2-way'

# Stores to the other block of the cluster are listed with their bytes, and not counted; without a grid there is one cluster.
expect 0 analyze "$cubin" --entry scatter --block 32
for bytes in STAS,256 STAS.64,64 STAS.128,1024 REDAS.ADD,256 REDAS.ADD.64,512; do
  grep -q " ${bytes%,*} \[.* store  cluster  *2  *${bytes#*,}  *-  *[0-9]*  *[0-9]*\$" "$work/out" || die "no $bytes: $(cat "$work/out")"
done

# Differences of bytes are those of PTX.
expect 0 analyze "$cubin" --entry differences --block 32 --buffer 0=random:i32:2 --format csv
wavefronts=$(sed -n 's/^shared,[^"]*"[^"]*",,1,\([0-9]*\),.*/\1/p' "$work/out" | tr '\n' ' ')
[ "$wavefronts" = '3 3 4 4 ' ] || die "differences: $wavefronts"

# A device is given no such parameters.
"${SMEMBANK_ON_FAKE:?the program on a made-up GPU}" validate "$cubin" --entry gather --block 32 --arg 0+16=i32:32 --arg 0+20=i32:1 \
  --buffer 0+8=iota:i32 >"$work/out" 2>&1 || true
tells 'fields of parameter 0 were given: they are for predictions only'
