#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code beside what ncu measured on an H200, instruction by instruction, and its disassembly with the counts
# (tests/data/sass/transpose.*: tests/ptx/transpose.cu, and columns of the table that ncu wrote).
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cp "$srcdir/tests/data/sass/transpose.sm_90.cubin" "$work/transpose.cubin"
cp "$srcdir/tests/data/sass/transpose.ncu.csv" "$work/transpose.csv"
cp "$srcdir/tests/ptx/transpose.cu" "$work"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

# compare STATUS ENTRY FILE OPTION...: validate --ncu.
compare() {
  wanted=$1 entry=$2 file=$3
  shift 3
  expect "$wanted" validate transpose.cubin --entry "$entry" --block 32,8 --grid 2,2 --arg 2=64 --ncu "$file" "$@"
}

compare 0 'transpose<0>' transpose.csv
quiet
golden validate-ncu-match.txt
compare 0 'transpose<0>' transpose.csv --all
golden validate-ncu.txt
compare 0 'transpose<1>' transpose.csv --format csv
golden validate-ncu.csv
compare 0 transpose_swizzled transpose.csv --format json
is_json
golden validate-ncu.json
"$SMEMBANK" validate transpose.cubin --entry transpose_swizzled --block 32,8 --grid 2,2 --arg 2=64 --ncu - <transpose.csv >out ||
  die 'from standard input'
tail -n 1 out | grep -q '^6 compared: 6 match, 0 differ.$' || die "standard input: $(cat out)"

# Another count: the row says so, and the exit status.
sed '/Kernel Name.*transpose_swizzled/,$s/"Shared","1","0","128","128"/"Shared","2","64","192","128"/
     /Kernel Name.*transpose_swizzled/,$s/\(LDS .*\)"128","4096","Shared","2","64","192"/\1"144","4096","Shared","1","0","128"/' transpose.csv >other.csv
cmp -s transpose.csv other.csv && die 'the file was not changed'
compare 1 transpose_swizzled other.csv
golden validate-ncu-other.txt
# Another number of active lanes.
sed 's/^\(.*STS \[R16\], R7","32",\)"1024"/\1"1023"/' transpose.csv >lanes.csv
cmp -s transpose.csv lanes.csv && die 'the file was not changed'
compare 1 'transpose<0>' lanes.csv
grep -q '^active_lanes@0x220  *STS \[R16\], R7  *1024  *1023  *NO' out || die "lanes: $(cat out)"
# Two launches with different counts: which one?
sed '4s/"32","1024"/"33","1024"/' transpose.csv >two.csv
compare 2 'transpose<0>' two.csv
says "two.csv has 2 launches of 'transpose<0>', with different counts: choose one with --ncu-launch"
compare 0 'transpose<0>' two.csv --ncu-launch 2
compare 2 'transpose<0>' two.csv --ncu-launch 3
says "--ncu-launch 3: two.csv has 2 launches of 'transpose<0>'"

# Of another kernel, of other code, of what is no machine code.
compare 3 transpose_double transpose.csv
says "transpose.csv: no launch of 'transpose_double': it has 'void transpose<(int)0>(float *, const float *, int)', 'void"
sed 's/S2R R3, SR_CTAID.X/S2UR UR3, SR_CTAID.X/' transpose.csv >code.csv
compare 3 'transpose<0>' code.csv
says "code.csv:2:1: error: not the code of transpose.cubin: its instruction 1 is 'S2UR UR3, SR_CTAID.X', not 'S2R R3, SR_CTAID.X'"
sed 's/STS \[R16\], R7"/STS [R16+0x4], R7"/' transpose.csv >code.csv
compare 3 'transpose<0>' code.csv
says "is 'STS [R16+0x4], R7', not 'STS [R16], R7'"
sed 's/LEA R7, R3, R6, 0x5/LEA R7, R3.reuse, R6, 0x6/' transpose.csv >code.csv
compare 3 'transpose<0>' code.csv
says "is 'LEA R7, R3.reuse, R6, 0x6', not 'LEA R7, R3, R6, 0x5'"
sed 's/LEA R7, R3, R6, 0x5/LEA R7, R3.reuse, R6, 0x5/' transpose.csv >code.csv
compare 0 'transpose<0>' code.csv
awk '/transpose_swizzled/ { on = 1 } on && n++ < 20' transpose.csv >cut.csv
compare 3 transpose_swizzled cut.csv
says "cut.csv:1:1: error: not the code"
expect 2 validate transpose.cu --entry transpose_swizzled --block 32,8 --ncu transpose.csv --arg n=64
says "ncu measures machine code: transpose.cu is text (--nvcc '' compiles CUDA C)"
compare 2 transpose_swizzled transpose.csv --recorded
says '--ncu uses no GPU'
compare 3 transpose_swizzled none.csv
says 'none.csv: No such file'

# Kernels of one name: ncu writes their parameters, and the code tells which is meant.
cp "$srcdir/tests/data/sass/overloads.sm_90.cubin" overloads.cubin
for type in int double; do
  "$SMEMBANK" analyze overloads.cubin --entry "turn($type*)" --block 32 --annotate >out
  printf '"Kernel Name","turn(%s *)",\n"Address","Source","Instructions Executed","Predicated-On Thread Instructions Executed","L1 Wavefronts Shared"\n' $type
  sed -nE 's/^.* ([0-9a-f]{4})  ([A-Z].*)$/"0x\1","\2","1","32","0"/p' out | sed -E '/(LDS|STS) /s/"0"$/"1"/; /(LDS|STS)\.64/s/"0"$/"2"/'
done >overloads.csv
for type in int double; do
  expect 0 validate overloads.cubin --entry "turn($type*)" --block 32 --ncu overloads.csv
  shows '6 compared: 6 match, 0 differ.'
done

# Other options of ncu: names as they are mangled, and those of functions alone, where only one kernel has it; and what a
# spreadsheet makes of the file.
sed 's/^"Kernel Name","void transpose<(int)1>.*/"Kernel Name","_Z9transposeILi1EEvPfPKfi",/' transpose.csv >names.csv
cmp -s transpose.csv names.csv && die 'the file was not changed'
compare 0 'transpose<1>' names.csv
sed 's/^"Kernel Name","void transpose<(int)0>.*/"Kernel Name","transpose",/' transpose.csv >names.csv
compare 3 'transpose<0>' names.csv
says "names.csv: no launch of 'transpose<0>': it has 'transpose', 'void transpose<(int)1>"
zcat "$srcdir/tests/data/sass/product.1.cubin.gz" >product.cubin
expect 0 analyze product.cubin --block 16,16 --arg 3=64 --annotate
{
  printf '"Kernel Name","product",\n"Address","Source","Instructions Executed","Predicated-On Thread Instructions Executed"\n'
  sed -nE 's/^.* ([0-9a-f]{4})  ([A-Z@].*)$/"0x\1","\2","1","32"/p' out
} >product.csv
expect 1 validate product.cubin --block 16,16 --arg 3=64 --ncu product.csv
shows ' compared: '
sed 1d transpose.csv >bare.csv
printf '\357\273\277' | cat - bare.csv | sed 's/"Kernel Name"/Kernel Name/; s/"Address"/Address/' >names.csv
compare 0 transpose_swizzled names.csv
compare 0 'transpose<0>' names.csv

# What is no such table.
refuse() {
  printf '%b' "$1" >bad.csv
  compare 3 transpose_swizzled bad.csv
  says "$2"
}
columns='"Address","Source","Instructions Executed","Predicated-On Thread Instructions Executed","L1 Wavefronts Shared","L1 Wavefronts Shared Ideal"'
refuse '' 'bad.csv: no table of a kernel: expected what'
refuse ',\n,,\n' 'bad.csv: no table of a kernel: expected what'
refuse '"Kernel Name","k",\n' 'bad.csv:1:1: error: no instruction of this kernel'
refuse '"Kernel Name","k",\n"Address","Source"\n' 'bad.csv:2:1: error: no column "Instructions Executed"'
refuse "\"Kernel Name\",\"k\",\n$columns\n\"0x10\",\"NOP\",\"1\"\n" 'bad.csv:3:1: error: fewer cells than the table has columns'
refuse "\"Kernel Name\",\"k\",\n$columns\n\"x\",\"NOP\",\"1\",\"1\",\"1\",\"1\"\n" 'bad.csv:3:1: error: "x" under "Address": expected a whole number'
refuse "\"Kernel Name\",\"k\",\n$columns\n\"0x10\",\"NOP\",\"1,024\",\"1\",\"-\",\"1\"\n" 'bad.csv:3:1: error: "-" under "L1 Wavefronts Shared"'
refuse "\"Kernel Name\",\"k\",\n$columns\n\"0x10\",\"A\",1,1,1,1\n\"0x10\",\"A\",1,1,1,1\n" 'bad.csv:4:1: error: an address that is not above the previous one'
refuse "\"Kernel Name\",\"k\"x,\n" 'bad.csv:1:1: error: expected a comma after a cell in quotes'
refuse "\"Kernel Name\",\"k\",\n$columns\n\"0x10\",\"NOP\",\"1\",\"1\",\"1\",\"1" 'bad.csv:3:1: error: a cell in quotes that does not end'

# ncu leaves out the columns of shared memory of a kernel that has none: there is nothing to compare, or all is different.
sed 's/"L1 Wavefronts Shared"/"Other"/; s/"L1 Wavefronts Shared Ideal"/"Other Ideal"/' transpose.csv >bare.csv
compare 1 transpose_swizzled bare.csv
shows '6 compared: 4 match, 2 differ.'

# The disassembly, with counts in the margin.
expect 0 analyze transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --annotate
quiet
golden annotate-code.txt
