#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The parts of a launch and of a project, made by GNU parallel as doc/fleet.md says, are the whole. Skipped without it.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
parallel --version 2>/dev/null | grep -q '^GNU parallel' || exit 77

# The commands of the document, with the program that is tested.
# shellcheck disable=SC2016 # awk's own
sed -n '/^## GNU parallel/,/^## /s/^    //p' "$srcdir/doc/fleet.md" >"$work/commands"
[ "$(grep -c '^parallel ' "$work/commands")" -eq 2 ] || die 'doc/fleet.md does not have two commands for GNU parallel'
cat >"$work/scan.cu" <<'END'
__global__ void scan(int *out, const int *in) {
  __shared__ int s[512];
  s[threadIdx.x * (1 + blockIdx.x % 5) % 512] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
case $SMEMBANK in
/*) program=$SMEMBANK ;;
*) program=$PWD/$SMEMBANK ;;
esac
mkdir "$work/bin"
ln -s "$program" "$work/bin/smembank"
cat >"$work/smembank.ini" <<'END'
[padded]
rows = 32
cols = 32
pad = 1
max-ways = 1
[plain]
rows = 32
cols = 32
max-ways = 1
[scan]
file = scan.cu
block = 256
grid = 7
[gone]
file = gone.cu
END
cd "$work"
PATH=$work/bin:$PATH
export PATH
status=0
HOME=$work sh -e commands >merged 2>messages || status=$?
[ "$status" -eq 3 ] || die "the commands of doc/fleet.md: status $status: $(cat messages)"
{
  smembank analyze scan.cu --block 256 --grid 1000 --format json 2>unread
  smembank check --format markdown 2>wanted || :
} >whole
cmp whole merged || die 'the parts are not the whole'
tail -n "$(wc -l <wanted)" messages | cmp wanted - >&2 || die "other messages: $(cat messages)"
