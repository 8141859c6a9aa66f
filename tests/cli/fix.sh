#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# fix: what ncu measured in excess on an H200, why, and what removes it (tests/data/sass/transpose.*: tests/ptx/transpose.cu). With
# a made-up nvcc that gives the same code for the kernel as it is, and none for its other forms.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cp "$srcdir/tests/data/sass/transpose.sm_90.cubin" "$work/transpose.cubin"
cp "$srcdir/tests/data/sass/transpose.ncu.csv" "$work/transpose.csv"
cp "$srcdir/tests/ptx/transpose.cu" "$work"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
cat >nvcc <<'END'
#!/bin/sh
for word; do
  [ "${previous-}" != -o ] || out=$word
  previous=$word
done
PATH=$PATH:/usr/bin:/bin
! grep -q 'PAD + 1' "$word" || { echo "$word(11): error: no"; exit 1; }
cp "$CUBIN" "$out"
END
chmod +x nvcc
SMEMBANK_NVCC=$work/nvcc CUBIN=$work/transpose.cubin
export SMEMBANK_NVCC CUBIN

# fix STATUS FILE NAME OPTION...
fix() {
  wanted=$1 file=$2
  shift 2
  expect "$wanted" fix transpose.csv "$file" --block 32,8 --arg 2=64 "$@"
}

# Machine code: why is told by its own lines; arrays are the bytes of shared memory.
fix 0 transpose.cubin --entry 'transpose<0>' --grid 2,2
quiet
golden fix.txt
fix 0 transpose.cubin --entry 'transpose<0>' --grid 2,2 --format json
is_json
golden fix.json
fix 0 transpose.cubin --entry 'transpose<0>' --grid 2,2 --array 'shared=32x32xf32'
shows 'Pad the rows to 33 elements (float shared[32][33]): 4224 -> 256 wavefronts'
fix 0 transpose.cubin --entry 'transpose<0>' --grid 2,2 --format csv
golden fix.csv
"$SMEMBANK" fix - transpose.cubin --entry 'transpose<0>' --block 32,8 --arg 2=64 --grid 2,2 <transpose.csv >out ||
  die 'from standard input'
grep -q '^Measured (stdin:2): 4224 wavefronts' out || die "standard input: $(cat out)"

# Without conflicts there is nothing to tell.
fix 0 transpose.cubin --entry transpose_swizzled --grid 2,2
shows '256 wavefronts of shared memory, 0 in excess. Predicted: 256'
[ "$(wc -l <"$work/out")" -le 5 ] || die "$last: $(cat "$work/out")"

# CUDA C: what is to be changed, as compiled.
fix 0 transpose.cu --instance 'transpose<0>' --grid 2,2
shows 'float tile[32][32]'
shows 'it does not compile: transpose.cu:11:1: error: no'
# Another launch than was measured is no secret.
fix 0 transpose.cubin --entry 'transpose<0>' --grid 1,2
shows 'Predicted: 2048 wavefronts. Is the launch the one that was measured?'

# Without FILE or --case: each kernel of the profile as the case of the project that has it, the costliest first.
cat >smembank.ini <<'END'
[*]
block=32,8
arg=2=64
grid=2,2
[by swizzle]
file=transpose.cubin
entry=transpose_swizzled
[by columns]
file=transpose.cubin
entry=_Z9transposeILi0EEvPfPKfi
END
expect 0 fix transpose.csv
golden fix-project.txt
says "transpose.csv:134:1: note: no case of smembank.ini has the kernel 'void transpose<(int)1>(float *, const float *, int)': it has by swizzle (transpose_swizzled), by columns (transpose<0>)"
[ "$(wc -l <"$work/err")" -eq 1 ] || die "$last: says: $(cat "$work/err")"
expect 0 fix transpose.csv --format csv
golden fix-project.csv
mkdir below
(cd below && "$SMEMBANK" fix ../transpose.csv --top 1 >../out 2>../err) || die "from another folder: $(cat err)"
grep -q '^\[by columns\]$' out || die "from another folder: $(cat out)"
# What is wrong with a case is its own; one that has the kernel may be among those that cannot be read.
printf '[gone]\nfile=gone.cu\n[tile]\nrows=4\ncols=4\nblock=4,4\n[padded]\nfile=transpose.cu\ninstance=transpose<1>\n' >>smembank.ini
last='fix of a project with cases that fail'
status=0
SMEMBANK_NVCC=no "$SMEMBANK" fix transpose.csv --format json >out 2>err || status=$?
[ "$status" -eq 3 ] || die "$last: status $status"
is_json
golden fix-project.json
says 'smembank fix: case gone: gone.cu: No such file or directory'
says 'smembank fix: case padded: '
says 'no nvcc'
expect 0 fix transpose.csv # no kernel is left for the one that is gone
grep -q '^\[padded\]$' out || die "$last: $(cat out)"
says 'smembank fix: case gone: gone.cu: No such file or directory'
sed 's/^entry=.*/entry=transpose_double/; /^.padded/,$d' smembank.ini >none.ini
expect 3 fix transpose.csv --project none.ini
says "transpose.csv: no case has its kernels: it has 'void transpose<(int)0>(float *, const float *, int)', "
says '; none.ini has by swizzle (transpose_double), by columns (transpose_double); case gone'
says '; case gone cannot be read: gone.cu: No such file or directory'
# Which of two launches was measured is not in the profile.
printf '[larger]\nfile=transpose.cubin\nentry=transpose<0>\ngrid=4,4\n' >>smembank.ini
expect 2 fix transpose.csv
says "transpose.csv:2:1: the kernel 'void transpose<(int)0>(float *, const float *, int)' is in several cases of smembank.ini: choose one with --case: by columns or larger"
expect 0 fix transpose.csv --case 'by columns'
expect 2 fix transpose.csv transpose.cubin --project smembank.ini
says "--project 'smembank.ini': expected --case NAME as well"
expect 2 fix transpose.csv --output smembank.ini
says "would overwrite the input file smembank.ini"
rm smembank.ini
expect 2 fix transpose.csv
says 'no smembank.ini in this folder or above it'

# Bad input.
fix 2 transpose.cubin --entry 'transpose<0>' --grid 2,2 --arch sm_80
expect 2 fix transpose.csv --top 0 transpose.cubin
says "--top"
expect 2 fix
expect 3 fix nosuch.csv transpose.cubin
says 'nosuch.csv'
expect 3 fix transpose.cu transpose.cubin --entry 'transpose<0>' --block 32,8 --arg 2=64
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n' >k.ptx
expect 2 fix transpose.csv k.ptx --block 32
says 'ncu measures machine code: k.ptx is ptx'
SMEMBANK_NVCC=no fix 3 transpose.cu --instance 'transpose<0>' --grid 2,2
says 'no nvcc'
