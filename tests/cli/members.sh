#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Lanes that run together and name different members (tests/ptx/members.cu): votes, matches and sums are of each set by
# itself, in PTX and in machine code. What they answer decides where the lanes store; that is worked out here a second time.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

data=$srcdir/tests/data/sass

# expected ENTRY: the offsets of each store, a line each.
expected() {
  awk -v entry="$1" '
    # Whether lanes a and b name each other.
    function together(a, b) { return entry == "tiles" ? int(a / 8) == int(b / 8) : a % 5 == b % 5 }
    function answer(store, t,    u, n, most, bits) {
      n = most = bits = 0
      for (u = 0; u < 32; u++) {
        if (!together(t, u)) continue
        if (entry == "tiles" && store == 1) n += u == 11
        if (entry == "tiles" && store == 2) bits += u % 3 == 0 ? 2 ^ (u % 8) : 0
        if (entry == "tiles" && store == 3) n += u >= 16
        if (entry == "tiles" && store == 4) n += u % 4 == t % 4
        if (entry == "keys" && store == 1) n += u
        if (entry == "keys" && store == 2) n += u % 2
        if (entry == "keys" && store == 3 && u * 7 % 32 > most) most = u * 7 % 32
      }
      if (entry == "tiles")
        return store == 1 ? (n ? 100 + t : t) : store == 2 ? bits * 8 + t % 8 : store == 3 ? (n ? t : 200 + t) : n * 100 + t
      return store == 1 ? n : store == 2 ? n * 32 + t : most * 32 + t
    }
    BEGIN {
      for (store = 1; store <= (entry == "tiles" ? 4 : 3); store++) {
        line = "st 1 ffffffff"
        for (t = 0; t < 32; t++) line = line " " answer(store, t)
        print line
      }
    }'
}

for entry in tiles keys; do
  expected "$entry" >"$work/expected"
  for file in members.ptx members.sm_80.cubin members.sm_90.cubin members.sm_120.cubin; do
    arch=$(echo "$file" | sed -n 's/.*\(sm_[0-9]*\).*/\1/p')
    expect 0 trace --from "$data/$file" --entry "$entry" --block 32 --arch "${arch:-sm_90}"
    sed -n 's/^\(st .*[0-9]\) #.*/\1/p' "$work/out" >"$work/found"
    diff "$work/expected" "$work/found" || die "$file, $entry: other lanes take part"
  done
done

# Who the members are may depend on data: then nothing is known of the answer, and nothing is made up.
cat >"$work/unknown.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  match.any.sync.b32 %r3, %r2, 0xffffffff;
  redux.sync.add.u32 %r4, %r1, %r3;
  mov.u32 %r5, s; and.b32 %r4, %r4, 1023; add.u32 %r6, %r5, %r4;
  st.shared.u8 [%r6], %r1;
  ret;
}
END
expect 3 analyze "$work/unknown.ptx" --block 32
says 'depends on'
expect 0 analyze "$work/unknown.ptx" --block 32 --buffer 0=iota:i32
