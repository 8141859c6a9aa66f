#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# trace --requests: what each request costs, and which lanes meet.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# request OP WIDTH MASK STRIDE: a line of a trace whose lanes are STRIDE bytes apart.
request() {
  awk -v head="$1 $2 $3" -v stride="$4" 'BEGIN {
    printf "%s", head
    for (lane = 0; lane < 32; lane++) printf " %d", lane * stride
    printf "\n"
  }'
}

{
  request ld 4 ffffffff 4
  request ld 4 ffffffff 128
  request st 16 ffffffff 16
  request ld 16 ffffffff 32
  request atom 4 ffffffff 0
  request cas 4 3 0
  request ldmatrix.x4 16 ffffffff 128
  request ld 4 0 4
} >"$work/trace"

# The numbers are those of the rules: line, op, width, active lanes, wavefronts, ideal, excess, degree,
# cycles under saturation.
expect 0 trace --requests --format csv "$work/trace"
cut -d, -f1-9 "$work/out" | tail -n +2 >"$work/rows"
cat >"$work/wanted" <<'END'
1,ld,4,32,1,1,0,1,1
2,ld,4,32,32,1,31,32,32
3,st,16,32,4,4,0,1,4
4,ld,16,32,8,4,4,2,8
5,atom,4,32,32,1,31,1,32
6,cas,4,2,4,2,2,1,4
7,ldmatrix.x4,16,32,32,4,28,8,32
8,ld,4,0,0,0,0,0,0
END
cmp "$work/rows" "$work/wanted" || die "$last: $(diff "$work/rows" "$work/wanted")"

# Who meets whom: in the group that is served together, and for what.
shows 'lanes 0-31 conflict in bank 0: lane 0 reads byte 0, lane 1 byte 128'
shows 'lanes 0 and 4 (of the quarter-warp of lanes 0-7, which is served on its own) conflict in bank 0'
shows 'lanes 0-31 conflict in bank 0, which serves one lane at a time'
shows 'lanes 0-7 (of the matrix of lanes 0-7, which is served on its own) conflict in bank 0'
{
  request atom.loop 4 ffffffff 8
  request cp.async.cg 16 ffffffff 128
} >"$work/loop"
expect 0 trace --requests --format csv "$work/loop"
shows 'lanes 0 and 16 conflict in bank 0, which lets one lane through in each round of the loop: lane 0 up'
shows '2,cp.async.cg,16,32,0,0,0,8,1,,'
expect 0 trace --requests "$work/trace"
shows '     2  ld               4     32          32      1      31  32-way      32  lanes 0-31 conf'
expect 0 trace --requests --format json "$work/trace"
is_json

# The sum over the rows is the summary, on every recorded request.
recorded=$srcdir/data/measured/h200-requests.txt
"$SMEMBANK" trace --requests --format csv "$recorded" | awk -F, 'NR > 1 { w += $5; i += $6; e += $7 }
  END { print w, i, e }' >"$work/rows"
"$SMEMBANK" trace --format csv "$recorded" | awk -F, 'NR > 1 { w += $4; i += $5; e += $6 }
  END { print w, i, e }' | cmp - "$work/rows" || die 'rows do not add up to the summary'

# A count that differs is shown beside the row, and fails.
sed '2s/$/ = 7/' "$work/trace" >"$work/wrong"
expect 1 trace --requests "$work/wrong"
shows '(recorded: 7)'
says '/wrong:2:1: warning: ld 4: predicted 32, recorded 7'

expect 2 trace --requests --counts "$work/trace"
says 'expected one of --counts, --requests, --measure and --from'
echo 'ld 4 zz' >>"$work/trace"
expect 3 trace --requests "$work/trace"
says ':9:6: error: '
