#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run: programs of CUDA C, compiled here, run without a GPU: their results are right, and their launches are ranked.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

expect 2 run
expect 2 run --kernels some -- true
says 'expected count or skip'
expect 2 run --kernel '(' -- true
expect 2 run --launches 3..2 -- true
expect 3 run -- ./nowhere
says 'No such file'
echo 'import triton' >script.py
expect 3 run -- script.py
says "'script.py' is a file that cannot be executed: give the program that runs it as well, such as 'python3 script.py'"
chmod +x script.py
expect 3 run -- script.py
says "'script.py' is in this folder, which is not searched for programs: give './script.py'"
# A program for RISC-V (243, in its header): no shell is to read it as a script.
cp "$(command -v env)" foreign
printf '\363\000' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
expect 3 run -- ./foreign
says './foreign: is a program for another processor than this smembank is'
expect 5 run -- sh -c 'exit 5'
says 'no launch was counted'
expect 3 run 'a;b.cu'
says 'expected letters'

need_nvcc
run_libraries

# --- a text: its input, output and status are its own
cp "$srcdir/tests/run/algorithm/transpose.cu" .
status=0
echo 42 | "$SMEMBANK" run --format csv --output ranking.csv transpose.cu -- one two >out 2>err || status=$?
[ "$status" = 7 ] || die "status $status: $(cat out err)"
cat >expected <<'END'
0 wrong, total 325, then: cudaErrorInvalidValue
after the launch cudaSuccess, waiting cudaErrorIllegalAddress, later cudaErrorIllegalAddress, managed 7
3 words, the last 'two'; read 42
END
cmp out expected || die "another output: $(cat out err)"
grep -q '^smembank run: stray(int\*): .*illegal address: a store of 4 bytes at 0x.*, at .*transpose.cu:' err || die "$(cat err)"
[ "$(wc -l <err)" = 1 ] || die "more messages: $(cat err)"
grep -q '^1,"transpose(.*,3968,' ranking.csv || die "another ranking: $(cat ranking.csv)"
grep -q '^2,count()' ranking.csv || die "another ranking: $(cat ranking.csv)"

# --- a program that is there; what it has launched is kept
"$nvcc" -arch=sm_90 -cudart shared -o transpose transpose.cu
expect 7 run --kernel transpose -o kept.capture -- ./transpose </dev/null
shows '0 wrong, total 325'
shows '1 launch'
expect 0 analyze kept.capture --launch 1
shows '4224 wavefronts'
expect 7 run --format json --output ranking.json -- ./transpose </dev/null
cp ranking.json out
is_json
shows '"file" : null'
expect 1 run --kernels skip -- ./transpose </dev/null
shows 'wrong, total 5,'
says 'kernels were not run'
