#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Blocks that wait for each other (tests/data/resident/grid.cu), in PTX and in machine code of three chips: they are
# counted, and if they wait in vain, that is told, with the place.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=${srcdir:?}/tests/data/resident

# sum FILE ARCH OPTION...: requests and wavefronts of shared memory, by operation: "load 2/4 store 1/1"; the messages are
# in $work/err.
sum() {
  file=$1
  arch=$2
  shift 2
  last="smembank analyze $file --arch $arch $*"
  "$SMEMBANK" analyze "$data/$file" --arch "$arch" --format csv "$@" >"$work/out" 2>"$work/err" || die "$last: $(cat "$work/err")"
  sed 's/"[^"]*"/x/g' "$work/out" | awk -F, '
    $1 == "shared" { requests[$5] += $9; wavefronts[$5] += $10 }
    END { for (op in requests) print op " " requests[op] "/" wavefronts[op] }' | sort | tr '\n' ' '
}

# counts "FILE:ARCH..." EXPECTED OPTION...
counts() {
  files=$1
  expected=$2
  shift 2
  for one in $files; do
    found=$(sum "${one%:*}" "${one#*:}" "$@")
    [ "$found" = "$expected " ] || die "$one $*: expected $expected, counted $found"
  done
}

ptx=grid.ptx:sm_90
three="$ptx grid.sm_75.cubin:sm_75 grid.sm_90.cubin:sm_90"
all="$three grid.sm_100.cubin:sm_100"

# Barriers of the grid, once, twice and in a loop, and one made by hand. ptxas keeps some words of 'total' in registers
# for sm_100.
counts "$three" 'load 116/164 store 96/99' --entry total --block 128 --grid 4 --arg 3=4096
counts grid.sm_100.cubin:sm_100 'load 116/164 store 66/69' --entry total --block 128 --grid 4 --arg 3=4096
counts "$all" 'load 180/180 store 120/120' --entry jacobi --block 64 --grid 6 --arg 2=5
counts "$all" 'load 10/80 store 10/80' --entry handmade --block 64 --grid 5
counts "$ptx" 'load 2/16 store 2/16' --entry handmade --block 64

# Blocks that wait for the one before them need no more than the order in which they run; others do. What they add up
# decides where the last loads go: each of 8 blocks has 24 such loads less than the others, and the sums before them are 0, 255, …
counts "$all" 'load 496/592 store 264/264' --entry behind --block 128 --grid 8
counts "$all" 'load 496/592 store 264/264' --entry ahead --block 128 --grid 8 --buffer 1=zeros
counts "$ptx" 'load 62/74 store 33/33' --entry ahead --block 128

# The number of rounds is what all blocks find together: value 255 is 127, 63, … after each.
counts "$all" 'load 96/96 store 48/48' --entry until --block 64 --grid 4 --arg 1=8 --buffer 0=zeros
says 'depends on the order in which threads execute atomics or poll memory'

# What depends on who comes first is counted, and marked; polling itself is of global memory, and needs no word.
counts "$all" 'load 16/24 store 12/20' --entry ticket --block 64 --grid 4 --buffer 0=zeros
says 'the address depends on the order in which threads execute atomics or poll memory'
counts "$ptx" 'load 116/164 store 96/99' --entry total --block 128 --grid 4 --arg 3=4096
quiet

# The order is the same on each run, and with any number of threads; a device may have as many blocks at once.
for entry in behind ahead; do
  sum grid.ptx sm_90 --entry "$entry" --block 128 --grid 40 --buffer 1=zeros >/dev/null
  mv "$work/out" "$work/first"
  sum grid.ptx sm_90 --entry "$entry" --block 128 --grid 40 --buffer 1=zeros --threads 3 >/dev/null
  cmp -s "$work/first" "$work/out" || die "$entry: other counts with three threads"
done
counts "$ptx" 'load 37200/44400 store 19800/19800' --entry ahead --block 128 --grid 600 --buffer 1=zeros

# Who waits in vain says where, soon: for a block that has ended, for a value that nobody stores, for blocks that no
# device has room for at once.
for one in $all; do
  expect 3 analyze "$data/${one%:*}" --arch "${one#*:}" --entry early --block 64 --grid 4 --arg 1=2
  says 'thread (0,0,0) of block (0,0,0) waits here forever for other blocks: 3 blocks of the grid wait, 1 has ended'
  expect 3 analyze "$data/${one%:*}" --arch "${one#*:}" --entry early --block 64 --grid 2 --arg 1=0
  says 'thread (0,0,0) of block (1,0,0) waits here forever for other blocks: 1 block of the grid waits, 1 has ended'
done
expect 3 analyze "$data/grid.ptx" --entry early --block 64 --grid 4 --arg 1=2
says 'ld.acquire.gpu.u32'
expect 3 analyze "$data/grid.ptx" --entry vain --block 64 --grid 2 --arg 2=4000000000 --buffer 0=zeros
says '2 blocks of the grid wait, 0 have ended; nothing changed in global memory in 4096 rounds'
counts "$all" 'load 4/4 store 4/4' --entry vain --block 64 --grid 2 --arg 2=20 --buffer 0=zeros
expect 3 analyze "$data/grid.sm_75.cubin" --arch sm_75 --entry early --block 64 --grid 200 --dynamic-bytes 40000 --arg 1=-1
says '192 blocks of the grid wait, 0 have ended, and 8 cannot start, since at most 192 are resident at once'

# Such a launch is not cut.
expect 2 analyze "$data/grid.ptx" --entry jacobi --block 64 --grid 4 --arg 2=2 --shard 1/2 --format json
says "blocks of 'jacobi' wait for each other: the launch cannot be split into parts"

# A trace has the requests of a block wherever it goes on.
expect 0 trace --from "$data/grid.ptx" --entry jacobi --block 64 --grid 2 --arg 2=1
[ "$(grep -c '^# block 0,0,0' "$work/out")" -eq 1 ] || die "block 0 is not one piece: $(cat "$work/out")"
[ "$(grep -vc '^#' "$work/out")" -eq 20 ] || die "not 20 requests: $(cat "$work/out")"

# What ncu counted of cooperative launches on an H200, instruction by instruction (tests/gpu/ncu-cubin.sh).
mkdir "$work/h200"
tar -xJf "$data/h200.tar.xz" -C "$work/h200"
n=0
for launch in "$work/h200"/*.launch; do
  # shellcheck disable=SC2046
  expect 0 validate "$work/h200/grid.cubin" $(cat "$launch") --ncu "${launch%.launch}.csv"
  shows ', 0 differ.'
  n=$((n + 1))
done
[ "$n" -eq 5 ] || die "$n launches compared, expected 5"

# Blocks that wait take no more memory than is allowed.
expect 3 analyze "$data/grid.sm_90.cubin" --arch sm_90 --entry total --block 128 --grid 64 --arg 3=4096 --max-memory 1
says '1 block of the grid waits, 0 have ended, and 63 cannot start, since at most 1 are resident at once, for lack of memory (--max-memory allows more)'
