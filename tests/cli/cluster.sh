#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# --cluster: what compiled code is told of its cluster (tests/data/sass/cluster.ptx, and machine code of it); a barrier that begins with an odd phase.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=$srcdir/tests/data/sass

# wavefronts EXPECTED FILE OPTION...: of the accesses to shared memory, in their order.
wavefronts() {
  expected=$1
  shift
  expect 0 analyze "$@" --block 32 --grid 8,4 --format csv
  found=$(sed -n 's/^shared,.*".*",,\([0-9]*\),\([0-9]*\),.*/\2/p' "$work/out" | tr '\n' ' ')
  [ "$found" = "$expected " ] || die "$last: $found wavefronts, expected $expected"
}

# Of ranks 0 to 7, 2 and 6 are strides of two-way conflicts, 4 of four-way ones. The last load is of the next block: nothing of
# it is counted here.
sed 's/^\.visible .*/&\n.explicitcluster .reqnctapercluster 4, 2, 1/' "$data/cluster.ptx" >"$work/own.ptx"
for file in "$data/cluster.ptx" "$data/cluster.sm_90.cubin" "$data/cluster.sm_100.cubin"; do
  arch=sm_90
  [ "$file" != "$data/cluster.sm_100.cubin" ] || arch=sm_100
  wavefronts '52 32 32 32 64' "$file" --arch $arch --cluster 4,2
  # Without clusters each block is one of its own: it is of rank 0, and the next block is itself.
  wavefronts '32 32 52 64 32' "$file" --arch $arch
  # One of its own that is said to be one.
  wavefronts '32 32 52 32 64 32' "$file" --arch $arch --cluster 1
done
wavefronts '52 32 32 32 64' "$work/own.ptx"
wavefronts '52 32 32 32 64' "$work/own.ptx" --cluster 4,2

expect 0 analyze "$data/cluster.sm_90.cubin" --block 32 --grid 8,4 --cluster 4,2
grep -qE 'LD.E R[0-9]+, \[R[0-9]+\] +load +cluster +32 +4096 +- +32 +32' "$work/out" || die "$last: $(cat "$work/out")"
expect 0 analyze "$data/cluster.sm_90.cubin" --block 32 --grid 8,4 --cluster 4,2 --format json
shows '"ideal_packets" : 32,'

# --- explain: which block is asked, by packets of 32 bytes
cat >"$work/asks.ptx" <<'END'
.version 8.7
.target sm_90
.address_size 64
.entry k() .explicitcluster .reqnctapercluster 4, 1, 1 {
  .shared .align 16 .b8 s[4096];
  .shared .align 8 .b64 arrived;
  .reg .b32 %r<8>; .reg .pred %p0;
  mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [arrived], 1; mov.u32 %r1, s; mov.u32 %r2, arrived; mov.u32 %r3, %cluster_ctarank; xor.b32 %r3, %r3, 2; and.b32 %r4, %r0, 1; xor.b32 %r4, %r3, %r4;
  mad.lo.u32 %r5, %r0, 128, %r1; mapa.shared::cluster.u32 %r5, %r5, %r3; mad.lo.u32 %r6, %r0, 8, %r1; mapa.shared::cluster.u32 %r6, %r6, %r4; mapa.shared::cluster.u32 %r2, %r2, %r3;
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared::cluster.u32 %r7, [%r5];
  st.shared::cluster.u32 [%r6], %r7;
  atom.shared::cluster.add.u32 %r7, [%r5], 1;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r0, [%r2];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r0, [%r2];
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
}
END
explains() {
  expect 0 explain "$work/asks.ptx" --block 32 --grid 4 --line "$(grep -n "^  $1" "$work/asks.ptx" | sed 's/:.*//')"
  tr '\n' ' ' <"$work/out" >"$work/line"
  shift
  for text; do
    grep -qF "$text" "$work/line" || die "$last: not '$text': $(cat "$work/out")"
  done
}
explains ld.shared 'Warp 0 of block 0 loads 4 bytes a lane, in 32 lanes, from block 2 of its cluster: lane 0 accesses byte 0, lane 1 byte 128, lane 2 byte 256, and so on.' \
  'one for each sector that the lanes read. This request takes 32; if its 128 bytes followed each other it would take 4.' 'a packet takes 1.87 cycles (H200), and the request 60.'
explains st.shared 'stores 4 bytes a lane, in 32 lanes, to blocks 2 and 3 of its cluster: lane 0 accesses byte 0 of block 2, lane 1 byte 8 of block 3' 'two for one in which the lanes leave gaps. This request takes 32'
explains atom.shared 'updates 4 bytes a lane, in 32 lanes, of block 2' 'This request takes 32'
explains st.async 'stores 4 bytes a lane, in 32 lanes, to block 2' 'each lane is taken to send its own, 32 in all, which was not measured.'
explains red.async 'updates 4 bytes a lane, in 32 lanes, of block 2' 'each lane is taken to send its own'
expect 0 explain "$work/asks.ptx" --block 32 --grid 4 --format json
shows '"cluster_accesses" : ['
shows '"packets" : 32'

# --- the answer to clusterlaunchcontrol comes to all blocks of the cluster: no block is taken over, so that all run
cat >"$work/declined.ptx" <<'END'
.version 8.7
.target sm_100
.address_size 64
.entry k(.param .u64 out) {
  .shared .align 16 .b8 s[64];
  .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b128 %q0;
  mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0;
  @%p1 mbarrier.init.shared.b64 [s+32], 1;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+32], 16;
  barrier.cluster.arrive; barrier.cluster.wait;
  mov.u32 %r1, %cluster_ctarank; setp.eq.and.u32 %p1, %r1, 0, %p1;
  @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [s], [s+32];
W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [s+32], 0; @!%p2 bra W;
  ld.shared.b128 %q0, [s];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q0;
  @!%p3 bra E;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %q0;
  st.shared.u32 [%r2], %r0;
E: ret;
}
END
expect 0 analyze "$work/declined.ptx" --arch sm_100 --block 32 --grid 6 --cluster 2
grep -qE 'ld.shared.b128 %q0, \[s\] +load +6 ' "$work/out" || die "$last: $(cat "$work/out")"
! grep -q 'st.shared' "$work/out" || die "$last: a block was taken over: $(cat "$work/out")"
grep -q 'depends on the order' "$work/err" || die "$last: $(cat "$work/err")"
tr '\n' ' ' <"$work/out" | grep -q 'assumed, not measured: clusterlaunchcontrol (no block' || die "$last: not said to be assumed: $(cat "$work/out")"

# --- tensor maps were compared with sm_90 alone
cat >"$work/box.ptx" <<'END'
.version 8.7
.target sm_90
.address_size 64
.entry k(.param .align 64 .b8 map[128]) {
  .shared .align 128 .b8 s[4096];
  .shared .align 8 .b64 arrived;
  .reg .b64 %rd<2>; .reg .b32 %r0;
  mov.b64 %rd0, map; cvta.param.u64 %rd1, %rd0; mov.u32 %r0, 0;
  mbarrier.init.shared.b64 [arrived], 1;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1, {%r0, %r0}], [arrived];
  ret;
}
END
dd if=/dev/zero of="$work/map" bs=128 count=1 2>/dev/null
for arch in sm_100 sm_120; do
  expect 0 analyze "$work/box.ptx" --arch $arch --block 1 --arg "0=@$work/map"
  grep -q 'assumed, not measured: tensor maps' "$work/out" || die "$last: not said to be assumed: $(cat "$work/out")"
done
! grep -q 'list archs' "$work/out" || die "$last: the file of the chip has no tensor maps: $(cat "$work/out")"
expect 0 analyze "$work/box.ptx" --arch sm_90 --block 1 --arg "0=@$work/map"
! grep -q 'assumed' "$work/out" || die "$last: $(cat "$work/out")"

# --- what is refused
expect 2 analyze "$data/cluster.ptx" --block 32 --grid 8,4 --cluster 3
says 'a grid of 8 blocks in x: expected a multiple of the cluster size, 3'
expect 2 analyze "$data/cluster.ptx" --block 32 --grid 8,4 --cluster 8,4
says 'clusters of 8 x 4 x 1 blocks: expected 1 to 16 blocks'
expect 2 analyze "$data/cluster.ptx" --block 32 --grid 8,4 --cluster 17
says "--cluster '17'"
expect 2 analyze "$data/cluster.ptx" --block 32 --grid 8,4 --cluster 2 --arch sm_80
says 'sm_80 has no thread block clusters'
expect 2 analyze "$work/own.ptx" --block 32 --grid 8,4 --arch sm_80
says 'sm_80 has no thread block clusters'
expect 2 analyze "$work/own.ptx" --block 32 --grid 8,4 --cluster 2,2
says "'cluster' is compiled for clusters of 4 x 2 x 1"
expect 2 analyze "$work/own.ptx" --block 32 --grid 8,3
says 'a grid of 3 blocks in y: expected a multiple of the cluster size, 2'
# Without a grid there is one cluster.
expect 0 analyze "$work/own.ptx" --block 32
shows 'grid 4x2'

# --- what is wrong among the blocks of a cluster, where the instruction is

# wrong BODY MESSAGE: of two blocks that have met; %r6 is the thread's word in the other one, %r7 where that begins.
wrong() {
  cat >"$work/wrong.ptx" <<END
.version 8.7
.target sm_90
.address_size 64
.entry k(.param .u64 out) {
  .shared .align 16 .b8 s[1024];
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;
  mov.u32 %r0, %tid.x; shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; setp.eq.u32 %p1, %r0, 0;
  mov.u32 %r9, %cluster_ctarank; setp.eq.u32 %p2, %r9, 0; xor.b32 %r8, %r9, 1;
  mapa.shared::cluster.u32 %r6, %r3, %r8; sub.u32 %r7, %r6, %r2;
  @%p1 mbarrier.init.shared.b64 [s+1000], 1; st.shared.u32 [%r3], 0; barrier.cluster.arrive; barrier.cluster.wait;
  $1
  ret;
}
END
  expect 3 analyze "$work/wrong.ptx" --block 64 --grid 2 --cluster 2
  says "wrong.ptx:11:"
  says "$2"
}
other='of the shared memory of block 0 of the cluster'
of_bytes="$other, which has 1024 bytes, by thread (0,0,0) of block (1,0,0)"
wrong 'ld.shared::cluster.u32 %r4, [%r6+2]; st.shared.u32 [%r4], %r0;' "misaligned: byte 2 $other is not a multiple of 4"
wrong 'mapa.shared::cluster.u32 %r6, %r3, 5; ld.shared::cluster.u32 %r4, [%r6]; st.shared.u32 [%r4], %r0;' \
  'out of bounds: the shared memory of block 5 of a cluster that has 2'
wrong 'st.shared::cluster.u32 [%r6+4096], %r0;' "out of bounds: byte 4096 $of_bytes"
wrong 'atom.shared::cluster.add.u32 %r4, [%r6+4096], %r0; st.shared.u32 [%r4], %r0;' "out of bounds: byte 4096 $of_bytes"
wrong '@%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6+4096], %r0, [%r7+1000];' "out of bounds: byte 4096 $of_bytes"
wrong '@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+4096], %r0, [%r7+1000];' \
  "out of bounds: byte 4096 $of_bytes"
wrong '@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7+4096], [s], 64, [%r7+1000];' \
  "out of bounds: byte 4096 $of_bytes"
wrong '@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [s], 64, [%r7+9000];' \
  "out of bounds: byte 9000 $of_bytes"
wrong '@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7+9000];' "out of bounds: byte 9000 $of_bytes"
wrong '@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7+900];' "misaligned: byte 900 $other is not a multiple of 8"
# Waits that nobody ends.
wrong 'setp.lt.u32 %p3, %r0, 32; @%p3 bra A; bar.sync 1, 64; bra E; A: barrier.cluster.arrive; barrier.cluster.wait; E:' \
  'the barrier of the cluster is not reached by all of its threads: thread (32,0,0) of block (0,0,0) does not reach it'
wrong '@%p2 bra E; L: mbarrier.try_wait.parity.shared::cta.b64 %p4, [s+1000], 0; @!%p4 bra L; E: barrier.cluster.arrive; barrier.cluster.wait;' \
  'warp 0 of block 1 of the cluster waits here forever: the mbarrier at byte 1000 of shared memory still expects 1 arrival and 0 bytes'
wrong '@%p2 bra E; L: mbarrier.try_wait.parity.shared::cta.b64 %p4, [s+1000], 0; @!%p4 bra L; E:' \
  'warp 0 waits here forever: the mbarrier at byte 1000 of shared memory still expects 1 arrival and 0 bytes'
wrong 'L: ld.volatile.shared::cluster.u32 %r4, [%r6]; setp.eq.u32 %p4, %r4, 0; @%p4 bra L;' \
  'thread (0,0,0) of block (0,0,0) waits here forever for other blocks of its cluster: 2 blocks of the grid wait, 0 have ended'
# A store to somewhere in the other block leaves nothing there that is known.
wrong 'ld.param.u64 %d1, [out]; ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, %r6; st.shared::cluster.u32 [%r4], %r0;' \
  "the address depends on the contents of parameter 0 ('out')"
# A barrier whose first phase is odd: a test of the even one succeeds.
expect 0 analyze "$data/odd-phase.sm_90.cubin" --block 32 --format csv
shows '"STS [R0], R7",,1,1,1,0,1'
