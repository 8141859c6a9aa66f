#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Places at the ends of what there is (tests/data/bounds): what is added to one may wrap.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=${srcdir:?}/tests/data/bounds

# Two warps store just below shared memory, where the system's part lies since sm_90: a race like any other.
expect 0 analyze "$data/race-store-below.ptx" --block 32,2 --format csv
says "race on 'reserved' (byte 1276 of shared memory): this store by warp 1 and the store at line 11 by warp 0"
expect 0 analyze "$data/below.sm_90.cubin" --block 64 --format csv
says 'out of bounds: byte -4 of shared memory, in the 1024 bytes below it'
expect 0 analyze "$data/decides-below.ptx" --block 64 --format csv
says 'st.shared.u32 [%r5], %r0: the address depends on the order in which threads execute atomics or poll memory, or on which thread wins a race'
# What is loaded there may be half of a barrier of chips before sm_90, but is outside.
expect 3 analyze "$data/arrive-below.sm_80.cubin" --block 32 --arch sm_80
says 'LDS R5, [R0.X4]: out of bounds: byte -4 of shared memory, which has 64 bytes, by thread (0,0,0)'

# Arrays of more than 4 GiB together, which 32 bits cannot tell from small ones.
cat >"$work/large.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b8 a[4294967296];
.shared .align 4 .b8 b[16];
.visible .entry k() {
  .reg .b32 %r<3>;
  mov.u32 %r1, b;
  st.shared.u32 [%r1], 0;
  mov.u32 %r2, a;
  st.shared.u32 [%r2], 0;
  ret;
}
END
expect 3 analyze "$work/large.ptx" --block 32
says "'k' declares 4294967312 bytes of static shared memory: a block on sm_90 has at most 49152"

# Parameters that no memory holds.
sed 's/^.visible .entry k()/.visible .entry k(.param .b8 p[1099511627776])/; s/a\[4294967296\]/a[16]/' "$work/large.ptx" >"$work/wide.ptx"
expect 3 analyze "$work/wide.ptx" --block 32 --buffer 0.0=zeros
says "'k' has more than 32764 bytes of parameters"
