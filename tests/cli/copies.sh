#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# cp.async: what a copy takes depends on how the lines of its source are arranged in shared memory.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# kernel KIND BYTES FROM TO: a copy by each lane of a warp, in PTX. FROM and TO compute the offsets %from and %to from %lane.
kernel() {
  cat >"$work/k.ptx" <<END
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in)
{
  .shared .align 128 .b8 tile[16384];
  .reg .b32 %r<9>, %lane, %from, %to;
  .reg .b64 %rd<9>;
  mov.u32 %lane, %tid.x;
  $3
  $4
  ld.param.u64 %rd1, [in];
  cvt.u64.u32 %rd2, %from;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r1, tile;
  add.s32 %r2, %r1, %to;
  cp.async.$1.shared.global [%r2], [%rd3], $2;
  ret;
}
END
}
# takes WAVEFRONTS IDEAL yes|no: by how many the copy is counted, and whether that is certain
takes() {
  expect 0 analyze "$work/k.ptx" --block 32 --format csv
  grep 'cp.async' "$work/out" | grep '^shared' >"$work/row"
  grep -qF ",,1,$1,$2,$(($1 - $2))," "$work/row" || die "not $1 wavefronts, ideally $2: $(cat "$work/row")"
  grep -qF ",,,,$3," "$work/row" || die "certain: not $3: $(cat "$work/row")"
}
straight='mul.lo.s32 %from, %lane, 16;'
same='mov.u32 %to, %from;'

# Line by line: each takes a wavefront. Narrower copies read fewer lines.
kernel cg 16 "$straight" "$same"
takes 4 4 yes
kernel ca 16 "$straight" "$same"
takes 4 4 yes
kernel ca 8 'mul.lo.s32 %from, %lane, 8;' "$same"
takes 2 2 yes
kernel ca 4 'mul.lo.s32 %from, %lane, 4;' "$same"
takes 1 1 yes
# Rows of half a line, from as many lines: no two share a wavefront, as bytes of consecutive lines could.
kernel cg 16 'shr.u32 %r3, %lane, 2; and.b32 %r4, %lane, 3; shl.b32 %r5, %r3, 9; mad.lo.s32 %from, %r4, 16, %r5;' \
  'mul.lo.s32 %to, %lane, 16;'
takes 8 4 yes
# ... of which only the second halves are read.
kernel cg 16 'shr.u32 %r3, %lane, 2; and.b32 %r4, %lane, 3; shl.b32 %r5, %r3, 9; mad.lo.s32 %from, %r4, 16, %r5; add.s32 %from, %from, 64;' \
  'mul.lo.s32 %to, %lane, 16;'
takes 8 4 yes
# A swizzle by XOR keeps sectors together, or swaps their halves, or the sectors: it is free.
for bits in 16 32 80 112; do
  kernel cg 16 "$straight" "xor.b32 %to, %from, $bits;"
  takes 4 4 yes
done
# One that rotates by an odd number of 16 bytes brings two sectors into each column (measured: twice as many).
kernel cg 16 "$straight" 'and.b32 %r3, %from, 127; sub.s32 %r4, %from, %r3; add.s32 %r3, %r3, 48; and.b32 %r3, %r3, 127; add.s32 %to, %r4, %r3;'
takes 8 4 yes
# Sectors that are half a line apart go to columns that are not half a row apart, and the other way around.
kernel cg 16 "$straight" 'and.b32 %r3, %from, 64; shr.u32 %r3, %r3, 1; and.b32 %r4, %from, 32; shl.b32 %r4, %r4, 1; or.b32 %r3, %r3, %r4; and.b32 %r4, %from, -97; or.b32 %to, %r3, %r4;'
takes 8 4 yes
# Rows of 64 bytes, 80 bytes apart: 15 on an H200, 4 of them the least (tests/ptx/pipeline.cu).
kernel cg 16 "$straight" 'shr.u32 %r3, %lane, 2; and.b32 %r4, %lane, 3; mul.lo.s32 %r5, %r3, 80; mad.lo.s32 %to, %r4, 16, %r5;'
takes 15 4 yes
expect 0 explain "$work/k.ptx" --block 32
tells 'The lanes read 4 lines of the source, which take 15 wavefronts; without conflicts they take 4.'
tells 'A line needs one wavefront if its 32-byte sectors land in one 128-byte row of shared memory'
tells 'The line that lanes 0-7 read takes 4 wavefronts instead of 1, since it goes to 2 rows of shared memory: first lanes 0-3, then lanes 4 and 6, then lane 5, then lane 7.'
# The map shows what waits, and each wavefront by itself.
shows 'cp.async.cg, 16 bytes per lane: 15 wavefronts, ideal 4'
shows " conflict  ! ! "
expect 0 explain "$work/k.ptx" --block 32 --passes
shows 'wavefront 2 of 15: lanes 4 and 6'
# What is in excess is N-way, for limits as well.
expect 0 analyze "$work/k.ptx" --block 32
shows ' 4-way'
expect 1 analyze "$work/k.ptx" --block 32 --max-ways 3
expect 0 explain "$work/k.ptx" --block 32 --format json
is_json
expect 0 report "$work/page.html" "$work/k.ptx" --block 32
# Through L1: lanes that write to one bank take turns, and so do those that read from one.
kernel ca 4 'mul.lo.s32 %from, %lane, 4;' 'mul.lo.s32 %to, %lane, 128;'
takes 32 1 yes
expect 0 explain "$work/k.ptx" --block 32
tells 'Lanes that write to one bank take turns, and so do lanes that read from one bank of the source (its address / 4, modulo 32)'
tells 'The lanes read 1 line of the source, which takes 32 wavefronts; without conflicts it takes 1. Lanes 0-31 write to one bank, which takes 32 wavefronts instead of 1: first lane 0, then lane 1, '
kernel ca 4 'mul.lo.s32 %from, %lane, 128;' 'mul.lo.s32 %to, %lane, 4;'
takes 32 1 yes
expect 0 explain "$work/k.ptx" --block 32
tells 'Lanes 0-31 read from one bank of the source, which takes 32 wavefronts'
# Lines that are read in part have no conflicts, and an excess.
kernel cg 16 'shr.u32 %r3, %lane, 2; and.b32 %r4, %lane, 3; shl.b32 %r5, %r3, 9; mad.lo.s32 %from, %r4, 16, %r5;' \
  'mul.lo.s32 %to, %lane, 16;'
expect 0 explain "$work/k.ptx" --block 32
tells 'No line has conflicts. There is excess because lines are only partly read: the request moves 512 bytes, which would fit into 4 wavefronts.'
expect 0 analyze "$work/k.ptx" --block 32
shows ' 2-way'
kernel ca 4 'mov.u32 %from, 0;' 'mul.lo.s32 %to, %lane, 4;'
takes 32 1 yes
# Both at once: each lane meets 15 others on both sides, or 15 here and 15 there.
kernel ca 4 'mul.lo.s32 %from, %lane, 64;' 'mul.lo.s32 %to, %lane, 64;'
takes 16 1 yes
kernel ca 4 'and.b32 %from, %lane, 15; shl.b32 %from, %from, 6;' 'shr.u32 %r3, %lane, 4; mul.lo.s32 %r4, %r3, 4; and.b32 %r3, %lane, 15; mad.lo.s32 %to, %r3, 128, %r4;'
takes 24 1 yes
# Lanes copy the same bytes to several places: in rounds, in which each copies other ones.
kernel cg 16 'and.b32 %from, %lane, 1; shl.b32 %from, %from, 4;' 'mul.lo.s32 %to, %lane, 16;'
takes 16 4 yes
# All lanes copy the same bytes to the same place.
kernel cg 16 'mov.u32 %from, 48;' 'mov.u32 %to, 48;'
takes 1 1 yes
# Another layout of the array changes what the copy takes: the search knows where it comes from.
kernel cg 16 "$straight" 'shr.u32 %r3, %lane, 2; and.b32 %r4, %lane, 3; mul.lo.s32 %r5, %r3, 80; mad.lo.s32 %to, %r4, 16, %r5;'
expect 0 advise "$work/k.ptx" --block 32 --array tile=204x20xf32 --format json
is_json
shows '"wavefronts" : 15'
