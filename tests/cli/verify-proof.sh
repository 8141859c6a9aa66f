#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# verify-proof: certificates of analyze, check and layout hold; each number that is changed is found; what is no certificate is refused.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

kernel=$(cd "$srcdir" && pwd)/tests/data/proof.cu
cd "$work"
launch='--block 32,2 --arg p=3 --dynamic-bytes 16384'
# shellcheck disable=SC2086
expect 1 analyze $launch --prove --format json "$kernel"
cp out proof.json
expect 0 verify-proof proof.json
shows '- line 9, store of tile[threadIdx.y][t]: proved: holds: 2 requests, 2 cases'
shows '- line 10, store of pool[t * p]: proved for some: p % 2 is 1: holds: 1 request, 32 cases'
shows '- line 15, load of tile[0][(int)in[x] & 31]: not proved: open: nothing is claimed'
shows 'proof.json: 6 claims: 5 hold, 1 open, 0 differ'

# changed FILE SED WHAT: a certificate in which something is changed differs.
changed() {
  sed "$2" "$1" >wrong.json
  cmp -s "$1" wrong.json && die "$2 changes nothing"
  expect 1 verify-proof wrong.json
  tells "$3"
}
changed proof.json 's/"max_degree" : 32/"max_degree" : 16/' 'p % 2 is 1: differs: it takes 32 ways'
changed proof.json 's/"residues_with_conflicts" : 16/"residues_with_conflicts" : 15/' 'differs: it has conflicts in 16 cases'
changed proof.json 's/"residues" : \[1, 3/"residues" : [1, 2, 3/' 'differs: it has conflicts in a case of which there are said to be none'
changed proof.json 's/"modulus" : 32/"modulus" : 16/' 'differs: the residues do not decide the banks'
changed proof.json 's/"mask" : "0xffffffff"/"mask" : "0xfffffff"/' 'differs: a request cannot be read'
changed proof.json 's/"not free"/"proved"/' 'line 12, store of pool[2 * t]: proved: differs: it has conflicts in a case'
changed proof.json 's/(124 + 1 \* base)/(256 + 1 * base)/' 'differs: it'
changed proof.json 's/(0 + 1 \* base)/(0 + 1 * elsewhere)/' 'differs: a request cannot be read'
changed proof.json 's/"access" : 0/"access" : 5/' 'line 9, store of tile[threadIdx.y][t]: proved: differs: the certificate has no request of it'

# Wide requests: loads that merge, and those that do not.
cat >wide.cu <<'END'
__global__ void wide(float4 *out, int p) {
  extern __shared__ float4 s[];
  s[threadIdx.x] = make_float4(0, 0, 0, 0);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x / 2 + p];
  out[threadIdx.x + 32] = s[threadIdx.x * 2];
}
END
expect 1 analyze --block 32 --arg p=1 --dynamic-bytes 4096 --prove --format json wide.cu
cp out wide.json
expect 0 verify-proof wide.json proof.json
shows 'wide.json: 3 claims: 3 hold, 0 open, 0 differ'
shows 'proof.json: 6 claims: 5 hold, 1 open, 0 differ'

# AMD's rules are known, too: parts of a wave, and rows of 64 banks. Those of old chips are not: their proofs are open.
for chip in gfx942 gfx950 gfx1201; do
  expect 1 analyze --arch $chip --block 64 --arg p=1 --dynamic-bytes 16384 --prove --format json "$kernel"
  cp out amd.json
  expect 0 verify-proof amd.json
  shows 'amd.json: 6 claims: 3 hold, 3 open, 0 differ'
done
expect 1 analyze --arch sm_30_4B --block 64 --arg p=1 --dynamic-bytes 16384 --prove --format json "$kernel"
cp out old.json
expect 0 verify-proof old.json
tells 'open: the rules of its chip are not known here'

# Cases of a project, by the option and by the key.
cat >smembank.ini <<END
[case free]
file = $kernel
block = 32,2
arg = p=3
dynamic-bytes = 16384
END
expect 0 check
expect 1 check --prove --format json
is_json
cp out check.json
expect 0 verify-proof check.json
shows 'check.json: 6 claims: 5 hold, 1 open, 0 differ'
cat >row.cu <<'END'
__global__ void row(float *out, int n) {
  __shared__ float s[64][33];
  if (threadIdx.x < n)
    s[threadIdx.y][threadIdx.x] = out[n];
}
END
cat >smembank.ini <<'END'
[*]
prove = true
[case row]
file = row.cu
block = 32,8
arg = n=7
END
expect 0 check
shows 'passed'
expect 0 check --format json
cp out check.json
expect 0 verify-proof check.json
shows 'check.json: 1 claim: 1 holds, 0 open, 0 differ'
sed 's/\[33\]/[32]/; s/\[threadIdx.y\]\[threadIdx.x\]/[threadIdx.x][threadIdx.y]/' row.cu >column.cu
sed 's/row.cu/column.cu/' smembank.ini >column.ini
expect 1 check --project column.ini
says 'is not proved to be free of conflicts for all parameters: at most 32-way'
expect 1 check --project column.ini --format github
shows 'title=Not proved::case row: the store of'

# The best layout: by rank, without conflicts, and because all were tried.
lanes='[0, 2], [0, 4], [0, 8], [0, 16]'
expect 0 layout 2x32xf32 --access row --access "#ttg.linear<{register = [], lane = [$lanes, [1, 0]], warp = [], block = []}>" \
  --access "#ttg.linear<{register = [], lane = [$lanes, [1, 1]], warp = [], block = []}>" --find swizzle --format json
cp out rank.json
expect 0 verify-proof rank.json
shows '- the best layout: 4 wavefronts, by rank: holds: 3 requests, 64 cases'
changed rank.json 's/"basis" : \[2, 4, 8, 16, 33\]/"basis" : [1, 2, 4, 8, 32]/' 'differs: its lane groups are not those of the requests'
changed rank.json 's/"least" : 4/"least" : 5/' 'differs: that is not the least that it shows'
# Less is shown than is claimed, and vectors of a lane group that are no basis.
changed rank.json 's/"least" : 4/"least" : 0/' 'differs: that is not the least that it shows'
changed rank.json 's/"least" : 4/"least" : 5/; s/"wavefronts" : 4,/"wavefronts" : 5,/' 'differs: it takes 4 wavefronts'
changed rank.json 's/"basis" : \[2, 4, 8, 16, 33\]/"basis" : [2, 4, 8, 16, 33, 33]/' \
  'differs: its lane groups are not those of the requests'
changed rank.json 's/"kernel" : \[1\]/"kernel" : [2]/' 'differs: with K it takes 6 wavefronts'
changed rank.json 's/"weight" : 1/"weight" : 2/' 'differs: its lane groups are not those of the requests'
expect 0 layout 64x64xf16 --access row --find pad --format json
cp out ideal.json
expect 0 verify-proof ideal.json
shows '- the best layout: 1 wavefront, by ideal: holds: 1 request, 1 case'
changed ideal.json 's/"wavefronts" : 1,/"wavefronts" : 2,/' 'differs: it takes 1 wavefront'
expect 0 layout 32x32xf32 --access 'store row vec=4' --access column --find pad --format json
cp out pad.json
expect 0 verify-proof pad.json
shows 'by exhaustive: holds: '
changed pad.json 's/"pad" : [0-9]*/"pad" : 0/' 'differs: it takes '
changed pad.json 's/"pad" : [0-9]*/"pad" : 1/' 'differs: a lane does not have side by side what it moves'
changed pad.json 's/"elements" : 1024/"elements" : 16/' 'differs: the certificate cannot be read'
# A worse layout that is said to be the best: the one that takes fewer is found.
changed pad.json 's/"pad" : [0-9]*/"pad" : 0/; s/"wavefronts" : '"$(sed -n 's/^    "wavefronts" : \([0-9]*\).*/\1/p' pad.json | head -1)"',/"wavefronts" : 36,/' \
  'differs: another layout takes '
# Of all vendors; tiles that are no power of two, and elements of each width.
for chip in sm_90 gfx942 gfx950 gfx1100; do
  for tile in 48x40xf32 64x64xf16 16x64xi8 32x16xf64; do
    for find in swizzle pad; do
      expect 0 layout $tile --access row --access column --find $find --arch $chip --format json
      cp out best.json
      expect 0 verify-proof best.json
      shows 'best.json: 1 claim: 1 holds, 0 open, 0 differ'
    done
  done
done
expect 0 layout 32x32xf32 --access column --find pad --arch sm_20 --format json
cp out best.json
expect 0 verify-proof best.json
tells 'open: the rules of its chip are not known here'

# What has no proof, and what is none.
# shellcheck disable=SC2086
expect 0 analyze $launch --format json "$kernel"
cp out counts.json
expect 3 verify-proof counts.json
says 'counts.json: expected what analyze --prove, check --prove or layout --find writes'
echo '[1]' >list.json
expect 3 verify-proof list.json
echo '{"proof": {"accesses": [7, {"verdict": "proved"}], "certificate": [7, {"access": 1, "width": 4}]}, "arch": {"name": "sm_90"}}' >odd.json
expect 1 verify-proof odd.json
tells 'line 0, ? of ?: proved: differs: a request cannot be read'
expect 2 verify-proof

# Small files that would take long: one that runs through a million residues over and over, and one of whose spaces are large. The work is
# bounded by their size.
request='{"access": 0, "op": "st", "width": 4, "mask": "3", "lanes": ["(0 + 1 * p)", "(4 + 1 * p)"], "residues": [{"name": "p", "modulus": 1048576}]}'
echo '{"proof": {"accesses": [{"verdict": "proved", "op": "store"}], "certificate": ['"$request, $request, $request, $request"']}, "arch": {"name": "sm_90"}}' >hostile.json
expect 3 verify-proof hostile.json
says 'hostile.json: it is no certificate of this program: checking it takes more than 65536 steps for each of its bytes'
bits=$(awk 'BEGIN { for (i = 1; i < 524288; i *= 2) printf "%s%d", (i > 1 ? ", " : ""), i }')
cat >many.json <<END
{"arch": {"name": "sm_90"}, "found": {"wavefronts": 2, "proof": {"by": "rank", "certificate": {"element_bytes": 4, "elements": 1048576, "columns": 1024,
  "requests": [{"op": "ld", "width": 4, "mask": "3", "times": 1, "lanes": [0, 32]}], "layout": {"pad": 0, "bits": 0, "base": 0, "shift": 0}, "bits": 20,
  "row_bits": 19, "unit_bits": 0, "empty": 0, "least": 2, "kernel": [1], "groups": [{"weight": 1, "basis": [$bits]}]}}}}
END
expect 3 verify-proof many.json
says 'takes more than 65536 steps'

# Of compiled code the certificate says which instruction asks: rows of ldmatrix do not merge, as those of a load do.
cat >matrix.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry matrix(.param .u32 rows)
{
  .reg .b32 %r<12>;
  .shared .align 16 .b8 tile[8192];
  ld.param.u32 %r1, [rows];
  mov.u32 %r2, %tid.x;
  shr.u32 %r3, %r2, 1;
  shl.b32 %r4, %r3, 8;
  shl.b32 %r5, %r1, 8;
  mov.u32 %r6, tile;
  add.u32 %r7, %r6, %r4;
  add.u32 %r7, %r7, %r5;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r7];
  ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r7];
  ret;
}
END
expect 1 analyze --block 32 --arg rows=1 --prove --format json matrix.ptx
cp out matrix.json
grep -q '"op" : "ldmatrix.x4"' matrix.json || die "no ldmatrix: $(cat matrix.json)"
grep -q '"op" : "ld"' matrix.json || die "no load: $(cat matrix.json)"
expect 0 verify-proof matrix.json
shows 'matrix.json: 2 claims: 2 hold, 0 open, 0 differ'
changed matrix.json 's/"op" : "ldmatrix.x4"/"op" : "ld"/' 'differs: it takes 8 ways'
changed matrix.json 's/"op" : "ldmatrix.x4"/"op" : "stmatrix.x4"/' 'differs: a request cannot be read'
