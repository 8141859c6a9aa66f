#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# layout: counts, reasons and other layouts of a tile without a kernel, in every format; limits; and the same text as a FILE of the
# commands that take a kernel.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# The tile of a transpose, and what removes its conflicts.
expect 0 layout '(32,32):(32,1)' --access row --access column
quiet
golden layout-tile.txt
expect 0 layout '(32,32):(33,1)' --access row --access column --max-excess 0
quiet
tells 'No bank conflicts: 2 wavefronts'

# A tile of ldmatrix: the same layout in the notations of CuTe, Triton, TMA and as formulas.
for layout in 'Swizzle<3,3,3> o (64,64):(64,1)' 'Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)' 'tma:128B 64x64' \
  '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> 64x64' \
  'addr ^ ((addr % 1024) >> 7 << 4) 64x64' 'r*64 + (c ^ r%8*8) 64x64'; do
  expect 0 layout "$layout" --element f16 --access 'store row vec=8' --access ldmatrix.x4.trans --format csv
  grep -v '^memory' "$work/out" | cut -d, -f 5-14 >"$work/counts"
  [ -s "$work/first" ] || cp "$work/counts" "$work/first"
  cmp -s "$work/first" "$work/counts" || die "$layout: counts differ: $(cat "$work/counts")"
done
expect 1 layout '(64,64):(64,1) xf16' --access 'store row vec=8' --access ldmatrix.x4 --max-excess 0
says 'takes 28 excess wavefronts'
tells 'Swizzle<3,3,3> o (64,64):(64,1)'

# A formula in r and c needs no shape: the tile is as large as the accesses ask for, and counts as one of that shape.
for shape in '' ' 32x64'; do
  expect 0 layout "r*64 + (c ^ r%8*8)$shape" --element f16 --access 'store column vec=8' --access 'ldmatrix.x4 @(16,48)' --format csv
  cut -d, -f 5-14 "$work/out" >"$work/counts$shape"
done
cmp -s "$work/counts" "$work/counts 32x64" || die "a shape that is not said: counts differ: $(cat "$work/counts")"
expect 0 layout 'r*72 + (c ^ (r%8*8))' --access column --access '((4,8),(2,2)):((32,1),(16,8)) of 16x8'
tells '32 x 8 elements of type f32 in 9184 bytes. The accesses ask for this shape, as none was given.'

# Elements are called by their coordinates.
expect 0 layout '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> 64x64xf16' --access 'column vec=8'
tells 'It accesses tile[1][0..7], at byte 144: word'
expect 0 layout '(4,32):(0,1)' --access column
tells '96 elements lie where another one does'

# Each format, and each architecture: lane groups of AMD, and warps of 64 lanes.
expect 0 layout '(32,32):(32,1)' --access row --access 'store column' --format json
is_json
golden layout-tile.json
for format in csv sarif github gitlab markdown; do
  expect 0 layout '(32,32):(32,1)' --access row --access column --format $format
done
expect 0 layout '(64,64):(64,1)' --access 'column vec=4' --arch gfx942
tells 'gfx942'
expect 2 layout '(64,64):(64,1)' --access row --access column --arch sm_999

# The best layout: CuTe's, one that no swizzle of CuTe's is, and one that cannot be without conflicts.
expect 0 layout 64x64xf16 --access 'store row vec=8' --access ldmatrix.x4.trans --find swizzle
tells 'CuTe      Swizzle<3,3,3> o (64,64):(64,1)'
tells '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>'
tells 'i ^ (i >> 6 & 7) << 3'
tells 'Each lane group takes a wavefront in any layout'
expect 0 layout 64x64xf16 --access 'store row vec=8' --access ldmatrix.x4.trans --find swizzle --format csv
shows 'wavefronts,excess_wavefronts,cute,triton,c,proved,by,holds_for'
shows '8,0,"Swizzle<3,3,3> o (64,64):(64,1)","#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",i ^ (i >> 6 & 7) << 3,yes,ideal,'
expect 0 layout 64x64xf16 --access 'store row vec=8' --access ldmatrix.x4.trans --find swizzle --format markdown
# shellcheck disable=SC2016 # no command: what Markdown writes
shows '| CuTe | `Swizzle<3,3,3> o (64,64):(64,1)` |'
shows 'Proved for every layout that keeps what one lane moves together. Each lane group takes a wavefront in any layout'
expect 0 layout 64x64xf16 --access 'store row vec=8' --access ldmatrix.x4.trans --find pad
tells '#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>'
diagonal='#ttg.linear<{register = [], lane = [[1, 1], [2, 2], [4, 4], [8, 8], [16, 16]], warp = [], block = []}>'
expect 0 layout 32x32xf32 --access row --access column --access "$diagonal" --find swizzle
tells '3 wavefronts, 0 in excess'
tells 'offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 2], [2, 3]'
offsets='[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 2], [2, 3], [4, 8], [8, 16], [16, 12]]'
expect 0 layout "#ttg.shared_linear<{offset = $offsets, block = []}>" --access row --access column \
  --access "$diagonal" --max-excess 0
expect 0 layout '(i & 31) ^ (i >> 5 & 1) * 34 ^ (i >> 6 & 1) * 67 ^ (i >> 7 & 1) * 136 ^ (i >> 8 & 1) * 272 ^ (i >> 9 & 1) * 524' \
  --shape 32x32 --access row --access column --access "$diagonal" --max-excess 0
lanes='[0, 2], [0, 4], [0, 8], [0, 16]'
expect 0 layout 2x32xf32 --access row --access "#ttg.linear<{register = [], lane = [$lanes, [1, 0]], warp = [], block = []}>" \
  --access "#ttg.linear<{register = [], lane = [$lanes, [1, 1]], warp = [], block = []}>" --find swizzle --format json
is_json
shows '"by" : "rank"'
golden layout-rank.json
expect 0 layout 64x64xf16 --access 'store row vec=8' --access 'column vec=8' --access column --find swizzle --arch gfx942
tells 'every other K takes 24 or more'
expect 0 layout 48x48xf32 --access row --access column --find swizzle
tells 'Proved for'

# The verdict alone, and what was found.
expect 0 layout 64x64xf16 --access ldmatrix.x4 -q
[ "$(cat "$work/out")" = 'Bank conflicts: 28 of 32 wavefronts (88%) are in excess.' ] || die "$last: $(cat "$work/out")"
expect 0 layout 64x64xf16 --access ldmatrix.x4 -q --find swizzle
shows 'Swizzle<3,3,3> o (64,64):(64,1)'
! grep -qE 'shared access|bank map' "$work/out" || die "$last: is not quiet: $(cat "$work/out")"
expect 0 layout 64x64xf16 --access row --access ldmatrix.x4 --top 1 --sort excess
shows '1 more row not shown'
expect 2 layout 64x64xf16 --access ldmatrix.x4 -q --format json
says '--quiet is for --format text or markdown'

# Matrices of ldmatrix have elements of 16 bits: so has a tile that nothing else reads, and whose type nobody says.
expect 0 layout 'Swizzle<3,3,3> o (64,64):(64,1)' --access ldmatrix.x4
tells '64 x 64 elements of type f16 in 8192 bytes. The type is that of ldmatrix and stmatrix, as none was given.'
tells 'No bank conflicts'
shows '6%'
expect 0 layout 'Swizzle<3,3,3> o (64,64):(64,1)' --access ldmatrix.x4 --access row
tells 'elements of type f32 in'
shows '<1%'
expect 0 layout 64x64 --element f32 --access ldmatrix.x4
tells 'elements of type f32 in'

# A chip that does not have the instruction.
while read -r arch access message; do
  expect 3 layout 64x64xf16 --arch "$arch" --access "$access"
  says "access:1: error: $message"
done <<'END'
sm_61 ldmatrix.x4 sm_61 has no ldmatrix: sm_75 and later chips have it
sm_80 stmatrix.x4 sm_80 has no stmatrix: sm_90 and later chips have it
sm_80 wgmma.C sm_80 has no wgmma: sm_90 alone has it
sm_100 wgmma.C sm_100 has no wgmma: sm_90 alone has it
END

# The same in a file, for the commands that take a kernel.
cat >"$work/tile.layout" <<'END'
// The swizzle of a 64 x 64 tile of half.
element f16
layout Swizzle<3,3,3> o (64,64):(64,1)
access store row vec=8
access ldmatrix.x4.trans
END
cd "$work"
expect 0 analyze tile.layout
tells 'No bank conflicts: 8 wavefronts'
expect 0 explain tile.layout --line 5
tells 'tile[1][0..7]'
expect 0 report page.html tile.layout
[ -s page.html ] || die 'no page'
sed 's/^layout .*/layout (64,64):(64,1)/' tile.layout >rows.layout
for file in rows tile; do
  expect 0 analyze $file.layout --format json
  cp out $file.json
done
expect 1 compare tile.json rows.json
tells 'in excess'
expect 0 compare rows.json tile.json
printf '[case tile]\nfile = tile.layout\nmax-excess = 0\n' >smembank.ini
expect 0 check
shows 'passed'
sed 's/tile.layout/rows.layout/' smembank.ini >rows.ini
expect 1 check --project rows.ini
shows 'failed'

# An array of compiled code in such a layout: elements are called by their coordinates.
cat >swizzled.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<6>;
  .shared .align 16 .b8 pool[8192];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 7;
  and.b32 %r3, %r1, 7;
  shl.b32 %r3, %r3, 4;
  or.b32 %r4, %r2, %r3;
  mov.u32 %r5, pool;
  add.s32 %r5, %r5, %r4;
  st.shared.u32 [%r5], %r1;
  ret;
}
END
expect 0 explain swizzled.ptx --block 32 --array 'pool=Swizzle<3,3,3> o (64,64):(64,1) xf16'
tells 'accesses pool[8][0..1], at byte 1024: word'
shows 'pool[1][0..1]    144'
expect 2 explain swizzled.ptx --block 32 --array 'pool=Swizzle<3,3,2> o (64,64):(64,1) xf16'
says 'the bits of the swizzle overlap'

# Bad input: one message with its place; the exact ones are in tests/tile-refusals.def.
expect 3 layout '(32,32):(33,1' --access row
says "layout:14: error: expected ')'"
expect 3 layout '(32,32):(33,1)' --access diagonal
says 'access:1: error: expected row, column, '
expect 3 layout '(32,32):(33,1)' --element f32 --access row --access 'store column @(40,0)'
says 'access 2:16: error: expected a number from 0 to 31'
says '  store column @(40,0)'
expect 3 layout 32x32 --element f15 --access row
says 'element:1: error: expected a type'
expect 3 layout 'i + c' --access row
says "expected a shape after the layout, as 64x64xf16: 'i' depends on how many columns there are"
expect 0 layout 'r*72 + c' --shape 64x64 --element f16 --access row
expect 2 layout '(32,32):(33,1)'
says 'missing --access'
expect 2 layout '(32,32):(33,1)' --access row --max-cost 5%
says 'has no predicted time'
expect 2 layout
says 'expected LAYOUT'

# Elements of 4 bits: named by their coordinates, and no other layouts.
expect 0 layout 'Swizzle<3,5,3> o (64,256):(256,1) xf4' --access 'column vec=32'
tells 'It accesses tile[1][0..31], at byte 144'
tells 'None were searched: layouts are not searched of elements of less than a byte'
expect 3 layout 64x256xf4 --access row --find swizzle
says 'layouts are not searched of elements of less than a byte'

# A tile may be dynamic shared memory, of which a block has more.
expect 0 layout 128x128xf32 --access 'row vec=4' --max-excess 0
expect 3 layout 512x512xf32 --access row
says 'a block on sm_90 has at most 232448'
expect 0 layout '#ttg.swizzled_shared<{vec=16, perPhase=1, maxPhase=4, order=[1,0]}> 64x64xf8E4M3FN' --access 'row vec=16'
