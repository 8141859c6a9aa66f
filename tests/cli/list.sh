#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# list: every thing that can be listed, in every format.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

things=$("$SMEMBANK" list --help | sed -n 's/.*\[OPTION…\] \([a-z|]*\).*/\1/p' | tr '|' ' ')
[ -n "$things" ] || die "list --help names nothing"
for thing in $things; do
  # Those of a file: tests/cli/capture.sh.
  [ "$thing" != launches ] || continue
  expect 0 list "$thing"
  quiet
  expect 0 list "$thing" --format json
  is_json
  shows "\"$thing\" : ["
  expect 0 list "$thing" --format csv
  quiet
  # As many rows in CSV as objects in JSON.
  rows=$(($(grep -c '' "$work/out") - 1))
  [ "$rows" -gt 0 ] || die "list $thing: no rows"
done

expect 0 list archs
for arch in "${srcdir:?}"/data/archs/nvidia/*.ini; do
  name=$(basename "$arch" .ini)
  shows "$name "
  expect 0 list archs "$name" --format csv
  # Every rule says how it is known and from where.
  ! tail -n +2 "$work/out" | grep -vE ',(measured|documented|assumed),.' || die "$name: no source"
  expect 0 list archs
done
expect 0 list archs sm_90
shows 'data/measured/h200-requests.txt'
expect 0 list archs sm_90 --format csv
shows 'for machine code, wavefronts per instruction are counted differently (measured): tests/data/instructions.txt'
expect 0 list archs sm_80 --format csv
shows 'for machine code, wavefronts per instruction are counted differently (assumed)'
expect 0 list archs --verbose
shows 'sm_10 '
shows 'sm_121 '
expect 0 list ops
shows 'ldmatrix.x4'
expect 0 list ops --format json
shows '"address_lanes" : 16'
# With or without a GPU, each part that measuring needs is told, and each missing one has its reason.
expect 0 list devices
quiet
for part in 'CUDA runtime' driver devices NVRTC CUPTI; do
  shows "$part"
done
expect 0 list devices --format json
is_json
expect 0 list devices --format csv
[ "$(grep -c -E '^(CUDA runtime|driver|devices|NVRTC|CUPTI|hardware counters),(yes|no),.' "$work/out")" -eq 6 ] ||
  die 'list devices: not six parts'
expect 2 list devices 0
expect 0 list recordings
n_recorded=$(grep -c ' = ' "$srcdir/data/measured/h200-requests.txt")
grep -q "measured/h200-requests.txt *requests *$n_recorded " "$work/out" || die 'not all recorded requests'

# Every built-in kernel can be analysed in each of its shapes, and what is listed is the catalogue.
expect 0 list kernels
golden kernels.txt
expect 0 list kernels --format csv
[ "$(grep -c '' "$work/out")" -eq $(($(grep -c '^\[' "$srcdir/data/kernels/catalog.ini") + 1)) ] ||
  die 'list kernels is not the catalogue'
tail -n +2 "$work/out" | cut -d , -f 1,2 | tr , ' ' >"$work/kernels"
while read -r name shape; do
  expect 0 analyze --kernel "$name" --shape "$shape"
  quiet
  expect 0 analyze --kernel "$name" --shape "$shape" --arch sm_30_8B
done <"$work/kernels"
# A line of a listing fits a terminal, but where the columns in front leave no room.
for thing in kernels ops recordings; do
  expect 0 list "$thing"
  ! grep -E '.{101}' "$work/out" || die "list $thing: a line of more than 100 columns"
done

# The kernels of a file of PTX: with the shared memory of what they call, and what a launch has to have.
cat >"$work/three.ptx" <<'END'
.version 8.0
.target sm_90a
.address_size 64
.shared .align 16 .b8 used[256];
.shared .align 4 .b8 unused[4];
.extern .shared .align 16 .b8 pool[];
.func deep() {
  .shared .align 4 .b8 inner[8];
  .reg .b32 %r1;
  ld.shared.u32 %r1, [inner];
  ret;
}
.func helper() {
  .reg .b32 %r1;
  .reg .b64 %p;
  mov.u32 %r1, used;
  add.u32 %r1, %r1, used;
  calls: .calltargets deep;
  mov.u64 %p, deep;
  call %p, (), calls;
  ret;
}
.visible .entry _Z1kIfEvPT_(.param .u64 .ptr .global .align 4 a) .maxntid 64, 2, 1 {
  call helper, ();
  ret;
}
.visible .entry _Z1kIfEvi(.param .u32 a, .param .align 8 .b8 b[24], .param .f64 c) .reqntid 128 {
  .shared .v4 .f32 own[2][3];
  .reg .b32 %r1;
  mov.u32 %r1, pool;
  ld.shared.f32 %r1, [own];
  ret;
}
.visible .entry nothing() { ret; }
END
expect 0 list kernels "$work/three.ptx"
quiet
sed "s,$work/,," "$work/out" >"$work/named" && mv "$work/named" "$work/out"
golden list-entries.txt
expect 0 list kernels - <"$work/three.ptx"
shows 'stdin: PTX for sm_90a'
expect 0 list kernels "$work/three.ptx" --format csv
golden list-entries.csv
expect 0 list kernels "$work/three.ptx" --format json
is_json
shows '"entries" : ['
shows '"max_threads" : 128'
shows '"dynamic" : true'
expect 3 list kernels "${srcdir:?}/data/kernels/tile.cu"
says 'expected PTX or machine code: the kernels of compiled code are listed'
expect 3 list kernels setRowReadRow
expect 2 list kernels "$work/three.ptx" more
expect 2 list kernels --verbose
sed '/entry/,$d' "$work/three.ptx" >"$work/none.ptx"
expect 3 list kernels "$work/none.ptx"
says 'none.ptx: no kernel'
sed 's/pool;/pol;/' "$work/three.ptx" >"$work/wrong.ptx"
expect 3 list kernels "$work/wrong.ptx"
says "wrong.ptx:30:16: error: unknown"

expect 2 list nothing
says "'nothing': expected kernels, launches"
expect 2 list archs sm_0
says "no architecture 'sm_0'"
expect 2 list ops ld
says "unexpected argument 'ld' after 'ops'"
expect 2 list ops --verbose
expect 2 list archs sm_90 more

# The user's own data comes first; a broken file is told with its place.
mkdir -p "$work/data/archs"
sed 's/^title=.*/title=My own chip/' "$srcdir/data/archs/nvidia/sm_90.ini" >"$work/data/archs/sm_90.ini"
SMEMBANK_DATADIR=$work/data
export SMEMBANK_DATADIR
expect 0 list archs
shows 'My own chip'
printf '[arch]\ntitle=x\ncompute-capability=9.0\nmax-threads=1\nbanks=7\n' >"$work/data/archs/sm_90.ini"
expect 3 list archs
says 'sm_90.ini: [arch] banks: 7: expected a power of two from 1 to 64'
