#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# analyze --prove: each verdict. tests/cli/verify-proof.sh has the certificates.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

kernel=$srcdir/tests/data/proof.cu
launch='--block 32,2 --arg p=3 --dynamic-bytes 16384'
# shellcheck disable=SC2086
expect 1 analyze $launch --prove "$kernel"
tells 'Proof, for every grid and all parameters, in blocks of 32,2,1:'
tells 'line 9, store of tile[threadIdx.y][t]: free of conflicts'
tells 'line 10, store of pool[t * p]: free of conflicts if p % 2 is 1; else up to 32-way'
tells 'line 12, store of pool[2 * t]: at most 2-way'
tells 'line 15, load of pool[i + t]: free of conflicts'
tells 'line 15, load of tile[0][(int)in[x] & 31]: not proved: it depends on too many values'
says 'is not proved to be free of conflicts for all parameters: it depends on too many values'

# A counter-example is a command line that works: p=3 has no conflicts at these lines, and these launches have.
sed -n 's/^    conflicts: smembank //p' "$work/out" >"$work/examples"
[ "$(wc -l <"$work/examples")" -eq 2 ] || die "not two counter-examples: $(cat "$work/out")"
for line in 10 12; do
  words=$(sed -n "$((line / 2 - 4))p" "$work/examples")
  # shellcheck disable=SC2086
  expect 0 $words --text --format csv
  excess=$(grep "^shared,$line," "$work/out" | cut -d, -f 12)
  [ "$excess" -gt 0 ] || die "$last: no conflict at line $line: $(cat "$work/out")"
done

# shellcheck disable=SC2086
expect 2 analyze $launch --prove --shard 1/2 --format json "$kernel"
says 'not with --shard'

# Atomics that are one instruction wait for lanes, also on one word; those that are loops are not proved.
cat >"$work/atomics.ptx" <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry atomics(.param .u32 p)
{
  .reg .b32 %r<8>;
  .reg .f32 %f<2>;
  .shared .align 4 .b8 counts[8192];
  ld.param.u32 %r1, [p];
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 2;
  shl.b32 %r4, %r1, 2;
  mov.u32 %r5, counts;
  add.u32 %r6, %r5, %r4;
  add.u32 %r7, %r6, %r3;
  red.shared.add.u32 [%r7], 3;
  red.shared.max.u32 [%r6], %r2;
  mov.f32 %f1, 0f3F800000;
  red.shared.add.f32 [%r7], %f1;
  ret;
}
END
expect 1 analyze --block 32 --arg p=1 --prove "$work/atomics.ptx"
tells 'line 16, atomic of red.shared.add.u32 [%r7], 3: free of conflicts'
tells 'line 17, atomic of red.shared.max.u32 [%r6], %r2: at most one wavefront for each lane, all on one word'
tells 'line 19, atomic of red.shared.add.f32 [%r7], %f1: not proved: it is an atomic that is a loop'
expect 1 analyze --block 32 --arg p=1 --prove --format json "$work/atomics.ptx"
cp "$work/out" "$work/proof.json"
expect 0 verify-proof "$work/proof.json"
tells ': 3 claims: 2 hold, 1 open, 0 differ'

# The same of compiled code: PTX and machine code of one text, s[t * p] (tests/proof-compile.py), and a table of branch targets.
for level in ptx sm_90.cubin; do
  gunzip -c "$srcdir/tests/data/sass/proof.$level.gz" >"$work/proof.$level"
  expect 1 analyze --block 32,2 --entry proof_97f7a047 --arg 2=3 --arg 3=1 --dynamic-bytes 65536 --prove "$work/proof.$level"
  tells 'free of conflicts if proof_97f7a047_param_2 % 2 is 1; else up to 32-way'
  sed -n 's/^    conflicts: smembank //p' "$work/out" >"$work/examples"
  words=$(cat "$work/examples")
  # shellcheck disable=SC2086
  expect 0 $words --format csv
  grep -q '^shared,.*,store,' "$work/out" || die "no store: $(cat "$work/out")"
  expect 1 analyze --block 32,2 --entry proof_97f7a047 --arg 2=3 --arg 3=1 --dynamic-bytes 65536 --prove --format json "$work/proof.$level"
  cp "$work/out" "$work/proof.json"
  expect 0 verify-proof "$work/proof.json"
  tells 'proof_97f7a047_param_2 % 2 is 1: holds: 1 request, 32 cases'
done

# Machine code of each chip: what threads whose warp is divided access, and the lanes that meet again. (tests/data/sass/code.cu: s[t] and s[63 - t] are free;
# which lanes of a warp store the other words follows from what others count, or from how often they went round.)
for chip in 75 80 90 100 120; do
  code=$srcdir/tests/data/sass/code.sm_$chip.cubin
  expect 1 analyze --arch sm_$chip --block 64 --entry waits --prove "$code"
  [ "$(grep -cE '(store|load) of (LD|ST)S.*: free of conflicts$' "$work/out")" -eq 3 ] || die "waits, sm_$chip: $(cat "$work/out")"
  [ "$(grep -c 'not proved: it depends on too many values' "$work/out")" -eq 1 ] || die "waits, sm_$chip: $(cat "$work/out")"
  expect 1 analyze --arch sm_$chip --block 64 --arg 1=3 --entry divides --prove "$code"
  grep -qE 'store of STS.*: free of conflicts$' "$work/out" || die "divides, sm_$chip: $(cat "$work/out")"
  grep -E 'load of LDS.*: free of conflicts$' "$work/out" >/dev/null || die "divides, sm_$chip: $(cat "$work/out")"
done
# Sums of 64 bits.
expect 1 analyze --block 64 --entry changes --prove "$srcdir/tests/data/sass/code.sm_90.cubin"
tells 'store of @!P1 STS.64 [R6], RZ: free of conflicts'
tells 'atomic of ATOMS.POPC.INC.32 RZ, [R7+UR8]: free of conflicts'
