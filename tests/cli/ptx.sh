#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# PTX of compilers (tests/ptx), without a compiler: what analyze counts, what it asks for, and what it refuses.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
ptx=${srcdir:?}/tests/ptx

# count FILE OPTION...: analyze, of a file that has the same name everywhere.
count() {
  cp "$ptx/$1.ptx" "$work/$1.ptx"
  file=$1
  shift
  (cd "$work" && "$SMEMBANK" analyze "$file.ptx" "$@") >"$work/out" 2>"$work/err" || die "$file $*: $(cat "$work/err")"
  last="smembank analyze $file.ptx $*"
}

# By the name with its arguments, however they are spaced, by the mangled name, and by its whole type.
count transpose --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64
quiet
golden ptx-transpose.txt
for entry in 'transpose< 0 >' _Z9transposeILi0EEvPfPKfi 'void transpose<0>(float*,float const*,int)'; do
  count transpose --entry "$entry" --block 32,8 --grid 2,2 --arg 2=64
  quiet
  golden ptx-transpose.txt
done
count transpose --entry 'transpose<1>' --block 32,8 --grid 2,2 --arg 2=64 --format csv
quiet
golden ptx-transpose-padded.csv
count transpose --entry transpose_swizzled --block 32,8 --grid 2,2 --arg 2=64
quiet
tells 'No bank conflicts: 256 wavefronts'
# Copies of global memory have a total of their own, which no other holds.
cat >"$work/copy.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 in) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %rd1, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, s;
  mad.lo.u32 %r3, %r1, 8, %r2;
  cp.async.ca.shared.global [%r3], [%rd3], 8;
  cp.async.wait_all;
  ret;
}
END
"$SMEMBANK" analyze "$work/copy.ptx" --block 32 --format json >"$work/copy.json"
tr -d ' \n' <"$work/copy.json" >"$work/copy.line"
for part in '"store":{"requests":0,"wavefronts":0' '"async":{"requests":1,"wavefronts":2,' \
  '"exact":true,"reason":null'; do
  grep -qF "$part" "$work/copy.line" || die "a copy: $part is missing: $(cat "$work/copy.json")"
done
"$SMEMBANK" analyze "$work/copy.ptx" --block 32 | grep -q 'total  *async  *1  *2' || die "no total of copies"
"$SMEMBANK" report "$work/copy.html" "$work/copy.ptx" --block 32
grep -q 'all asynchronous copies' "$work/copy.html" || die "no total of copies in the page"

count sgemm --entry 'sgemm_tiled<16>' --block 16,16 --grid 2,2 --arg 3=64 --format json
quiet
is_json
shows '"level" : "ptx"'
golden ptx-sgemm.json
count reduce --entry reduce_shared --block 256 --grid 3 --arg 2=700
quiet
golden ptx-reduce.txt
count reduce --entry reduce_shuffle --block 256 --grid 3 --arg 2=2000
quiet
golden ptx-shuffle.txt
count tensor --entry 'half_product<false>' --block 32 --grid 2 --arg 3=64
quiet
golden ptx-ldmatrix.txt
count tensor --entry 'half_product<true>' --block 32 --grid 2 --arg 3=64
quiet
golden ptx-ldmatrix-swizzled.txt

# What a histogram counts depends on its input: it is asked for, or left out, or given.
count histogram --block 256 --grid 2 --arg 2=1024 --buffer 1=random:i32:1
quiet
golden ptx-histogram.txt
expect 3 analyze "$ptx/histogram.ptx" --block 256 --arg 2=1024
says "the address depends on the contents of 'in', loaded at histogram.cu:"
says 'give --buffer in='
# Where contents of several buffers are missing, all are told at once; a name that a person gave stands beside the number.
cat >"$work/buffers.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry buffers(.param .u64 keys, .param .u64 buffers_param_1, .param .u64 weights) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 s[256];
  ld.param.u64 %rd1, [keys];
  ld.param.u64 %rd2, [buffers_param_1];
  ld.param.u64 %rd3, [weights];
  mov.u32 %r1, s;
  ld.global.u32 %r2, [%rd1];
  and.b32 %r2, %r2, 252;
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [%r3], %r1;
  ld.global.u32 %r4, [%rd2];
  setp.gt.s32 %p1, %r4, 0;
  @%p1 st.shared.u32 [%r1], %r2;
  ld.global.u32 %r5, [%rd1+4];
  and.b32 %r5, %r5, 252;
  add.u32 %r6, %r1, %r5;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd3], %r7;
  ret;
}
END
expect 3 analyze "$work/buffers.ptx" --block 32
says "the address depends on the contents of parameter 0 ('keys'), loaded at line 13: give --buffer 0=SPEC --buffer 1=SPEC (--unknown skip"
expect 3 analyze "$work/buffers.ptx" --block 32 --buffer 0=zeros
says 'whether it is executed depends on the contents of parameter 1, loaded at line 17: give --buffer 1=SPEC (--unknown skip'
expect 0 analyze "$work/buffers.ptx" --block 32 --buffer 0=zeros --buffer 1=zeros
sed 's/add.u32 %r3, %r1, %r2;/mov.u32 %r3, %clock;/' "$work/buffers.ptx" >"$work/clock.ptx"
expect 3 analyze "$work/clock.ptx" --block 32
! grep -q -e '--buffer' "$work/err" || die "contents do not help: $(cat "$work/err")"
expect 3 trace "$ptx/histogram.ptx"
says "histogram.ptx: expected a trace, but this is a kernel: 'smembank trace --from $ptx/histogram.ptx' writes its requests as a trace"
count histogram --block 256 --arg 2=1024 --unknown skip
says 'is not counted: the address depends on the contents of parameter 1'
golden ptx-histogram-skipped.txt
expect 1 analyze "$ptx/histogram.ptx" --block 256 --arg 2=1024 --unknown skip --max-ways 32

# Which kernel, and with which arguments: all that is missing at once.
expect 2 analyze "$ptx/transpose.ptx" --block 32,8
says "has several kernels: 'transpose<0>(float*, float const*, int)', "
expect 2 analyze "$ptx/transpose.ptx" --entry transpose --block 32,8
says "$ptx/transpose.ptx has 2 kernels 'transpose': 'transpose<0>(float*, float const*, int)', 'transpose<1>(float*, float const*, int)' ("
expect 2 analyze "$ptx/transpose.ptx" --entry matmul --block 32,8
says "has no kernel 'matmul': expected one of"
says transpose_swizzled
expect 2 analyze "$ptx/reduce.ptx" --entry reduce_shared --block 256
says "parameter 'n' (int) of 'reduce_shared' needs a value: give --arg n=VALUE ("
sed 's/_param_1,/&\n\t.param .f32 scale, .param .align 4 .b8 shape[12],/' "$ptx/reduce.ptx" >"$work/values.ptx"
expect 2 analyze "$work/values.ptx" --entry reduce_shared
says "parameters 2 (.f32), 3 (12 bytes), 4 (.u32) of 'reduce_shared' need values, and the launch needs a block: give --arg 2=VALUE --arg 3=VALUE (or its fields: --arg 3+OFFSET=VALUE) --arg 4=VALUE --block X,Y,Z; their names are in reduce.cu, which is not here or has changed ("

# The block that a kernel is compiled for is its own, and no other one is taken.
for bound in .reqntid .maxntid; do
  sed "s/^{/$bound 16, 4, 4\n&/" "$ptx/reduce.ptx" >"$work/$bound.ptx"
done
expect 0 analyze "$work/.reqntid.ptx" --entry reduce_shared --arg 2=700
shows 'block 16x4x4, grid 1'
expect 2 analyze "$work/.reqntid.ptx" --entry reduce_shared --arg 2=700 --block 256
says "a block of 256 x 1 x 1 threads: 'reduce_shared' is compiled for blocks of 16 x 4 x 4"
expect 0 analyze "$work/.maxntid.ptx" --entry reduce_shared --arg 2=700
quiet
shows 'block 256, grid 1'
expect 0 analyze "$work/.maxntid.ptx" --entry reduce_shared --arg 2=700 --block 32,8
expect 2 analyze "$work/.maxntid.ptx" --entry reduce_shared --arg 2=700 --block 257
says "a block of 257 x 1 x 1 = 257 threads: 'reduce_shared' is compiled for at most 256 (__launch_bounds__)"
expect 2 analyze "$ptx/transpose.ptx" --entry transpose_double --block 16,16 --arg 7=1
says "'transpose_double' has no parameter '7'"
sed '/^[^/]*ret;/,$d' "$ptx/transpose.ptx" >"$work/cut.ptx"
expect 3 analyze "$work/cut.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64
sed 's/%r22+32/%r9922+32/' "$ptx/transpose.ptx" >"$work/wrong.ptx"
expect 3 analyze "$work/wrong.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64
says "'%r9922'"

# Lines are those of the files that the code was compiled from; a name says which file is meant.
transpose() {
  status=$1
  shift
  expect "$status" explain "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64 "$@"
}
cat >"$work/inline.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry lines() {
  .reg .b32 %r<4>;
  .shared .align 4 .b8 s[4096];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 7;
  mov.u32 %r3, s;
  add.u32 %r2, %r2, %r3;
  .loc 1 7 3
  st.shared.u32 [%r2], %r1;
  .loc 2 7 5
  ld.shared.u32 %r1, [%r3];
  ret;
}
.file 1 "/src/kernel.cu"
.file 2 "/src/lib/tile.h"
END
expect 0 explain "$work/inline.ptx" --block 32 --line tile.h:7
shows 'ld.shared.u32 %r1, [%r3]'
expect 0 explain "$work/inline.ptx" --block 32 --line lib/tile.h:7 --format json
shows '"file" : "/src/lib/tile.h"'
shows '"source" : null'
expect 0 explain "$work/inline.ptx" --block 32 --line 7
shows 'st.shared.u32 [%r2], %r1'
for other in ile.h:7 kernel.cu:8; do
  expect 2 explain "$work/inline.ptx" --block 32 --line $other
  says "--line '$other': no access to shared memory on it is counted: expected one of /src/kernel.cu:7, /src/lib/tile.h:7 ("
done
expect 2 explain "$work/inline.ptx" --block 32 --line 9
says "--line '9': no access to shared memory on it is counted: expected one of /src/kernel.cu:7, /src/lib/tile.h:7 ("
for bad in tile.h: tile.h:0 tile.h:x :7 0; do
  expect 2 explain "$work/inline.ptx" --block 32 --line "$bad"
  says "--line '$bad': expected "
done
transpose 0 --line transpose.cu:21 --format json
is_json
shows '"opcode" : "ld.shared.f32"'
shows '"source" : "out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];"'
transpose 2 --line other.cu:21
says "--line 'other.cu:21': no access to shared memory on it is counted: expected one of transpose.cu:15, transpose.cu:21 ("

# What is for compilers has no meaning for what they have compiled.
for command in analyze explain advise; do
  expect 2 "$command" "$ptx/histogram.ptx" --block 256 --arg 2=1024 -D N=3
  says "histogram.ptx is PTX, which has no macros: 'N=3' cannot be defined"
  expect 2 "$command" "$ptx/histogram.ptx" --block 256 --arg 2=1024 -I "$work"
  says 'histogram.ptx is PTX, which has no #include: -I cannot be used'
done
expect 2 report "$work/page.html" "$ptx/histogram.ptx" --block 256 --arg 2=1024 -D N=3
expect 2 advise "$ptx/histogram.ptx" --block 256 --arg 2=1024 --tune N=1..2
says 'which has no macros'
count transpose --instance 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64
golden ptx-transpose.txt

# A kernel in Triton's cache is launched as Triton does: machine code for its chip, PTX for others.
cache=$work/triton
mkdir -p "$cache/AAAA" "$cache/BBBB"
cat >"$cache/AAAA/rows.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry rows() {
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 3;
  mov.u32 %r3, global_smem;
  add.u32 %r2, %r2, %r3;
  st.shared.u32 [%r2], %r1;
  ret;
}
END
sed 's/%tid.x;/&\n  add.u32 %r1, %r1, 0;/' "$cache/AAAA/rows.ptx" >"$cache/AAAA/rows.cubin"
cat >"$cache/AAAA/rows.json" <<'END'
{"name": "rows", "target": {"backend": "cuda", "arch": 80, "warp_size": 32}, "num_warps": 4, "num_ctas": 1, "shared": 1024}
END
echo '{"child_paths": {"rows.ptx": "rows.ptx"}}' >"$cache/AAAA/__grp__rows.json"
expect 0 analyze --triton "$cache"
quiet
shows 'block 128, grid 1, 1024 bytes of shared memory, sm_90'
tells 'Bank conflicts: 4 of 8 wavefronts (50%) are in excess.'
shows 'AAAA/rows.ptx'
expect 0 analyze --triton "$cache/AAAA" --arch sm_80
shows 'AAAA/rows.cubin'
expect 0 explain --triton "$cache/AAAA" --block 64 --dynamic-bytes 2048
shows 'block 64, grid 1, 2048 bytes'
expect 3 analyze --triton "$cache/AAAA" --dynamic-bytes 512
says 'out of bounds: byte 512 of shared memory'
expect 2 analyze --triton "$cache" "$ptx/reduce.ptx"
says 'expected one of: a tile (--rows, --cols), --kernel NAME, --triton FOLDER, or a FILE'
expect 3 analyze --triton "$cache/BBBB"
says 'triton/BBBB: not a kernel compiled by Triton: expected KERNEL.json next to KERNEL.ptx or KERNEL.cubin'
expect 3 analyze --triton "$work/none"
says 'none: No such file or directory'
sed 's/rows()/columns()/' "$cache/AAAA/rows.ptx" >"$cache/BBBB/columns.ptx"
cp "$cache/AAAA/rows.json" "$cache/BBBB/columns.json"
expect 2 analyze --triton "$cache"
says "has several kernels: rows ($cache/AAAA/rows), columns ($cache/BBBB/columns) (choose one with --entry)"
expect 0 analyze --triton "$cache" --entry columns
shows 'BBBB/columns.ptx'
expect 2 analyze --triton "$cache" --entry cells
says "$cache has no kernel 'cells': expected one of rows ("
for wrong in '{"shared": 0}|num_warps: missing' '{"num_warps": 4}|shared: missing' '[4]|expected an object' '{|Parse error' \
  '{"num_warps": 33, "shared": 0}|num_warps: expected a number from 0 to 32' \
  '{"num_warps": "4", "shared": 0}|num_warps: "4": expected a whole number from 0'; do
  echo "${wrong%%|*}" >"$cache/BBBB/columns.json"
  expect 3 analyze --triton "$cache/BBBB"
  says "${wrong#*|}"
done

# An opcode at the beginning of a sentence is written as in the code.
cat >"$work/polls.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry polls() {
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .shared .align 8 .b8 s[16];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p0, %r1, 0;
  @%p0 mbarrier.init.shared.b64 [s+8], 64;
  bar.sync 0;
  mbarrier.arrive.shared.b64 _, [s+8];
AGAIN:
  ld.shared.u32 %r2, [s];
  mbarrier.test_wait.parity.shared.b64 %p1, [s+8], 0;
  @!%p1 bra AGAIN;
  ret;
}
END
expect 0 analyze "$work/polls.ptx" --block 64
tells ' ld.shared.u32 %r2, [s] is repeated while a loop polls an mbarrier: '

# Columns: of two instructions on a line of PTX each its own; of a line of the source that others are inlined into that of the call.
cat >"$work/places.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.file 1 "a.cu"
.file 2 "/usr/local/cuda/include/cub/b.h"
.visible .entry places() {
  .reg .b32 %r<3>;
  .shared .u32 s[32];
  st.shared.u32 [s], 1; ld.shared.u32 %r1, [s];
  .loc 1 7 3
  .loc 2 5 9, function_name $i, inlined_at 1 7 11
  ld.shared.u32 %r2, [s+4];
  ret;
}
END
expect 0 analyze "$work/places.ptx" --block 1 --format csv
for place in 9,3,s,store 9,25,s,load 7,11,s,load; do
  shows "shared,$place,"
done
expect 0 explain "$work/places.ptx" --block 1 --line 9 --column 25
shows 'places.ptx:9:25: load of ld.shared.u32 %r1, [s]'

# No thread reaches an access to shared memory: limits are not kept by what does not run.
cat >"$work/idle.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry idle(.param .u64 out, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 s[256];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra END;
  shl.b32 %r3, %r2, 2;
  st.shared.u32 [%r3], %r2;
  ld.shared.u32 %r3, [s];
  st.global.u32 [%rd1], %r3;
END:
  ret;
}
END
idle='no thread reaches any of the 2 accesses to shared memory; the first is st.shared.u32 [%r3], %r2 at line 15'
expect 1 analyze "$work/idle.ptx" --block 32 --arg 1=0 --max-ways 1
says "idle.ptx:15:3: warning: $idle"
says 'smembank analyze: --max-ways 1: nothing was checked'
shows "The kernel makes no shared-memory requests: $idle."
expect 1 analyze "$work/idle.ptx" --block 32 --arg 1=0 --max-excess 0 --format json
tells 'nothing was checked'
shows '"kind" : "idle"'
is_json
expect 0 analyze "$work/idle.ptx" --block 32 --arg 1=0 --format github
shows "line=15,"
for words in explain advise; do
  expect 0 $words "$work/idle.ptx" --block 32 --arg 1=0
  shows "The kernel makes no shared-memory requests: $idle."
done
expect 0 analyze "$work/idle.ptx" --block 32 --arg 1=1 --max-ways 1
quiet
# A kernel without such an access keeps every limit, whatever it does elsewhere.
grep -v 'shared\.' "$work/idle.ptx" >"$work/none.ptx"
expect 0 analyze "$work/none.ptx" --block 32 --arg 1=0 --max-ways 1
quiet

# A wait that never ends.
expect 3 analyze "$ptx/poll.ptx" --block 32 --max-steps 1000
says 'still running after 1000 '

# Nothing, and a mark of byte order, which ptxas does not read either.
: >"$work/empty.ptx"
printf '\357\273\277.version 8.7\n' >"$work/marked.ptx"
expect 3 analyze "$work/empty.ptx"
says "$work/empty.ptx:1:1: error: expected '.version'"
expect 3 analyze "$work/marked.ptx"
says "$work/marked.ptx:1:1: error: this is not part of PTX"
