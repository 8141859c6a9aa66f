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
grep -qE 'LD.E R[0-9]+, \[R[0-9]+\] +load +cluster +32 +4096' "$work/out" || die "$last: $(cat "$work/out")"

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

# A barrier whose first phase is odd: a test of the even one succeeds.
expect 0 analyze "$data/odd-phase.sm_90.cubin" --block 32 --format csv
shows '"STS [R0], R7",,1,1,1,0,1'
