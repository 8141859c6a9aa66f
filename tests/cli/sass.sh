#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code (tests/data/sass/code.cu, compiled for five chips), without a compiler: what analyze counts, what it asks
# for, and what it refuses. What a kernel asks for is the same on all chips and in PTX, but where a chip has no such instruction.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=${srcdir:?}/tests/data/sass

# sum CHIP OPTION...: requests and wavefronts of shared memory, by operation: "load 2/4 store 1/1".
sum() {
  chip=$1
  shift
  "$SMEMBANK" analyze "$data/$file.sm_$chip.cubin" --arch "sm_$chip" --format csv "$@" >"$work/out" 2>"$work/err" ||
    die "sm_$chip $*: $(cat "$work/err")"
  sed 's/"[^"]*"/x/g' "$work/out" | awk -F, '
    $1 == "shared" { requests[$5] += $9; wavefronts[$5] += $10 }
    END { for (op in requests) print op " " requests[op] "/" wavefronts[op] }' | sort | tr '\n' ' '
}

# counts "CHIP..." EXPECTED OPTION...
counts() {
  chips=$1
  expected=$2
  shift 2
  for chip in $chips; do
    found=$(sum "$chip" --block 64 "$@")
    [ "$found" = "$expected " ] || die "sm_$chip $*: expected $expected, counted $found"
  done
}

all="75 80 90 100 120"
file=code
counts "$all" 'load 12/12 store 26/32' --entry divides --arg 1=6
counts "$all" 'load 6/6 store 7/7' --entry calls --arg 1=123456789012
counts "$all" 'load 2/2 store 4/11' --entry reads --arg 1=3
counts "$all" 'atomic 2/4 load 2/2 store 2/2' --entry points --arg 1=40
counts "$all" 'load 2/2 store 6/8' --entry waits
counts "$all" 'load 4/4 store 2/2' --entry provides
# sm_75 has no instruction that increments, sm_80 none that stores matrices, and sm_75 no copies.
counts 75 'atomic 36/150 load 29/37 store 4/4' --entry changes
counts "80 90 100 120" 'atomic 36/148 load 29/37 store 4/4' --entry changes
counts 75 'load 8/18 store 8/20' --entry moves --arg 2=9
counts 80 'load 8/18 store 10/30' --entry moves --arg 2=9
counts "90 100 120" 'load 8/18 store 12/34' --entry moves --arg 2=9
counts "90 100 120" 'load 2/2 store 2/2' --entry copies
# Variables in constant memory that one instruction loads are known each by itself: a thread stores 4 words behind the last.
file=constants
counts 90 'load 2/2 store 2/8' --buffer stride=random:i32:2:9 --buffer offset=random:i32:3:100
# A swap of 64 bits says in two registers that it was made: the loop ends, after as many turns as there are threads.
file=doubles
counts "75 90" 'atomic 64/192 load 66/66 store 2/4' --entry doubles --buffer 1=iota:f64
# The swaps of one warp may come between the load and the swap of another, and then there are more of them.
counts "75 90" 'atomic 2/8 load 4/8 store 1/2' --entry many --buffer 1=iota:f64
grep -q 'ATOMS.CAST.SPIN.64.*order in which threads execute atomics' "$work/err" || die "swaps: $(cat "$work/err")"
# Tiles of several warps meet, and exchange values, in the system's part of shared memory; how often they look there is a
# matter of time, and here as seldom as it can be. A block gets shared memory in pieces of 128 bytes.
file=tiles
counts "80 90" 'load 2/8 store 2/8' --entry sizes --dynamic-bytes 520
"$SMEMBANK" analyze "$data/tiles.sm_100.cubin" --arch sm_100 --entry sizes --dynamic-bytes 520 >"$work/out" 2>"$work/err" &&
  die "sizes on sm_100: not refused"
grep -qF 'the address depends on the result of an instruction that smembank does not model' "$work/err" || die "$(cat "$work/err")"
counts "80 90 100" 'atomic 8/8 load 7/7 store 3/3' --entry tiles
for chip in 80 90 100; do
  sum $chip --entry tiles --block 128 --grid 2 --buffer 1=iota:i32 >"$work/sum"
  [ "$(grep '^"\?shared' "$work/out" | grep -c ,reserved, || true)" -ge 9 ] || die "sm_$chip: $(cat "$work/out")"
  grep -v ,reserved, "$work/out" | grep -qE '^shared,.*LDS.*,4,4,4,0,' || die "sm_$chip: $(cat "$work/out")"
  ! grep -q 'race on' "$work/err" || die "sm_$chip: $(cat "$work/err")"
done
# Barriers in shared memory are words that the code loads itself before sm_90, a warp twice to test one, and since then
# hardware's; numbers of arrivals that differ by lane are stored since sm_100.
file=arrives
counts 80 'atomic 3/3 load 8/10 store 4/4' --entry arrives --buffer 1=iota:i32
grep -q 'LDS R2, .0x4. is repeated while a loop polls an mbarrier' "$work/err" || die "polls: $(cat "$work/err")"
! grep -q 'race on' "$work/err" || die "polls: $(cat "$work/err")"
counts "90 100" 'load 4/6 store 2/2' --entry arrives --buffer 1=iota:i32
counts 80 'load 5/5 store 3/3' --entry counts
counts 90 'load 2/2 store 2/2' --entry counts
counts 100 'load 2/2 store 3/3' --entry counts
counts "90 100" 'load 2/2 store 2/2' --entry announces --buffer 1=iota:i32
# What linkers leave for the driver to do; what they have not done.
file=linked
counts "75 90" 'load 94/94 store 94/94'
# Halves with a parameter, which is in constant memory or in a uniform register; atomics of floats through a pointer to any
# memory, and dynamic arrays of two kernels, for debuggers; a loop that asks for registers until it has them.
file=refused
counts "80 90 120" 'load 2/2 store 2/2' --entry scale --arg 2=raw:003c --arg 3=raw:0040
counts "80 90 120" 'load 2/2 store 2/2' --entry scale2 --arg 2=raw:003c0040
file=debug
counts 90 'load 2/2 store 2/2' --entry adds --dynamic-bytes 256
counts 90 'load 4/4 store 4/4' --entry moves --dynamic-bytes 64
# Where functions return to is known, though nothing is of what they saved.
file=returns
counts "75 90" 'store 2/4' --entry once --unknown skip
counts "75 90" 'store 2/4' --entry often --unknown skip
"$SMEMBANK" analyze "$data/registers.sm_90a.cubin" --block 128 --arch sm_90 >"$work/out" 2>&1 || die "$(cat "$work/out")"
grep -q '^No bank conflicts: 8 wavefronts' "$work/out" || die "$(cat "$work/out")"
"$SMEMBANK" analyze "$data/pieces.sm_75.cubin" --block 64 --arch sm_75 >"$work/out" 2>"$work/err" && die "pieces run"
grep -qF "'linked' is not linked yet" "$work/err" || die "$(cat "$work/err")"

# Boxes of tensors and operands of matrix products are no requests: they are listed apart. A product of 64x16x16 halves
# takes 64x16 and 16x16 of them, a quarter for each warp.
"$SMEMBANK" analyze "$data/tensors.sm_90a.cubin" --block 128 --arg "0=raw:$(printf '00%.0s' $(seq 128))" >"$work/out" 2>"$work/err" ||
  die "$(cat "$work/err")"
apart() {
  grep -E "$1 " "$work/out" | grep -qE " $2 +$3 +$4 +$5\$" || die "$1: not '$2 $3 $4 $5' in: $(cat "$work/out")"
}
apart UTMALDG.2D tensor 1 'not known' -
apart UTMASTG.2D tensor 1 'not known' -
apart UTMAREDG.2D.ADD tensor 1 'not known' -
apart HGMMA.64x16x16.F32 matrix 4 2560 20
grep -qE 'total +store +36 +36 ' "$work/out" || die "$(cat "$work/out")"
mv "$work/out" "$work/zeros"
"$SMEMBANK" analyze "$data/tensors.sm_90a.cubin" --block 128 >"$work/out" 2>"$work/err" || die "a tensor map that is not given: $(cat "$work/err")"
cmp "$work/zeros" "$work/out" || die "a tensor map that is not given: $(cat "$work/out")"

# What threads do depends on contents that are not known, or where they meet again is not.
unsure() {
  "$SMEMBANK" analyze "$data/unsure.sm_90.cubin" --block 64 "$@" >"$work/out" 2>"$work/err"
}
unsure --entry leaves || die "$(cat "$work/err")"
grep -qE 'total +load +2 +2 ' "$work/out" || die "$(cat "$work/out")"
unsure --entry misses && die "misses: not refused"
grep -qF "LDS R5, [R0]: whether it is executed depends on the contents of parameter 1" "$work/err" || die "$(cat "$work/err")"
unsure --entry misses --unknown skip || die "$(cat "$work/err")"
grep -qF "2 requests of LDS R5, [R0] at 0x130 are not counted" "$work/out" || die "$(cat "$work/out")"
unsure --entry recurses --format json || die "$(cat "$work/err")"
grep -q '"exact" : false' "$work/out" || die "$(cat "$work/out")"
! grep -q '"exact" : true' "$work/out" || die "$(cat "$work/out")"

for kernel in stops asserts; do
  unsure --entry $kernel || die "$kernel: $(cat "$work/err")"
  grep -qE 'total +load +2 +2 ' "$work/out" || die "$kernel: $(cat "$work/out")"
done

# What depends on the order of blocks is counted as if they ran one after the other: here the last one asks for more.
for blocks in 1 2 40; do
  unsure --entry last --grid $blocks --format csv || die "$blocks blocks: $(cat "$work/err")"
  found=$(sed 's/"[^"]*"/x/g' "$work/out" |
    awk -F, '$1 == "shared" { requests[$5] += $9 } END { print requests["load"] " " requests["store"] }')
  [ "$found" = "$((blocks * 4 + 2)) $((blocks * 3 + 2))" ] || die "$blocks blocks: $found requests"
done
for blocks in 1 4 64; do
  unsure --entry meets --grid $blocks --unknown skip || die "$blocks blocks that meet: $(cat "$work/err")"
  grep -qE "total +load +$((4 * blocks)) +$((4 * blocks)) " "$work/out" || die "$(cat "$work/out")"
done
unsure --entry last --grid 8 --format json || die "$(cat "$work/err")"
grep -q 'depends on the order in which threads execute atomics' "$work/out" || die "$(cat "$work/out")"
grep -q '"exact" : true' "$work/out" || die "$(cat "$work/out")"

# Without lines of a source a place is a byte offset in the function; opcodes are those of the disassembly.
run() {
  "$SMEMBANK" analyze "$data/code.sm_90.cubin" --arch sm_90 "$@" >"$work/out" 2>"$work/err"
}
run --entry divides --block 64 --arg 1=6 --format json || die "$(cat "$work/err")"
grep -q '"level" : "sass"' "$work/out" || die "level"
grep -q '"opcode" : "LDS"' "$work/out" || die "opcode"
grep -q '"pc" : [1-9]' "$work/out" || die "pc"

# What decides is not known; what the kernel is launched with is not complete, or does not fit.
refused() {
  message=$1
  shift
  run "$@" && die "$*: not refused"
  grep -qF -- "$message" "$work/err" || die "$*: expected '$message' in: $(cat "$work/err")"
}
refused '(choose one with --entry)' --block 64
refused "has no kernel 'nothing': expected one of" --entry nothing --block 64
refused "parameter 1 (4 bytes) of 'divides' needs a value: give --arg 1=VALUE" --entry divides --block 64
refused 'which has no macros' --entry waits --block 64 -D N=1
refused 'which has no #include' --entry waits --block 64 -I .
refused "out of bounds" --entry divides --block 128 --arg 1=6
"$SMEMBANK" analyze "$data/code.sm_90.cubin" --arch sm_80 --entry waits --block 64 >"$work/out" 2>"$work/err" &&
  die "machine code of sm_90 runs on sm_80"
grep -qF 'which does not run on sm_80' "$work/err" || die "$(cat "$work/err")"

# No thread reaches an access to shared memory.
gunzip -c "$data/product.0.cubin.gz" >"$work/product.cubin"
expect 1 analyze "$work/product.cubin" --block 16,16 --arg 3=0 --max-ways 1
says 'kernel.cu:8:1: warning: no thread reaches any of the 70 accesses to shared memory; the first is STS ['
says 'smembank analyze: --max-ways 1: nothing was checked'
expect 0 analyze "$work/product.cubin" --block 16,16 --arg 3=16 --max-ways 4
quiet
