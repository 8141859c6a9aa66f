#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The parts of a launch, made by GNU parallel as doc/fleet.md says, are the whole. Skipped without it.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
parallel --version 2>/dev/null | grep -q '^GNU parallel' || exit 77

# The commands of the document, with the program that is tested.
# shellcheck disable=SC2016 # awk's own
sed -n '/^## GNU parallel/,/^## /s/^    //p' "$srcdir/doc/fleet.md" >"$work/commands"
grep -q '^parallel ' "$work/commands" || die 'doc/fleet.md has no command for GNU parallel'
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
expect 0 analyze "$work/scan.cu" --block 256 --grid 1000 --format json
cp "$work/out" "$work/whole"
(
  cd "$work"
  PATH=$work/bin:$PATH HOME=$work sh -e commands >merged 2>messages
) || die "the commands of doc/fleet.md fail: $(cat "$work/messages")"
sed "s|\"file\" : \"[^\"]*scan.cu\"|\"file\" : \"scan.cu\"|" "$work/whole" | cmp - "$work/merged" ||
  die 'the parts are not the whole'
