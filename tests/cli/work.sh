#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code that does not end (tests/data/work: our own kernels, mutated): it is told after so much work, be it in few
# instructions that take long or in many that do not; and at once where nothing changes any more.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=${srcdir:?}/tests/data/work

# One thread polls for a bit that others would set: the lanes that there are not hold what nobody put there.
for block in 1 8 31 32; do
  expect 3 analyze "$data/tiles-poll.sm_90.cubin" --arch sm_90 --entry tiles --block "$block"
  says "an endless loop: it only polls 'LD.E.STRONG.SM R10, desc[UR6][R2.64]'"
done

# Each of its accesses goes below shared memory, lane by lane: fewer instructions than others are as much work.
expect 3 analyze "$data/linked-endless.sm_90.cubin" --arch sm_90 --block 32
steps=$(sed -n 's/.*still running after \([0-9]*\) warp instructions.*/\1/p' "$work/err")
{ [ "$steps" -gt 1000000 ] && [ "$steps" -lt $((1 << 26)) ]; } || die "$last: $(cat "$work/err")"
says '(--max-steps allows more)'

# A loop that goes to an argument: a smaller one would do.
printf '__global__ void k(int *o, int n, int m) { __shared__ int s[32]; for (int i = 0; i < n * m; i++) s[threadIdx.x] += o[i]; }' >"$work/long.cu"
expect 3 analyze "$work/long.cu" --text --block 32 --arg n=1000 --arg m=30000 --max-steps 100000
says '(--max-steps allows more); less work may show the same: try --arg m=VALUE with less than 30000'
