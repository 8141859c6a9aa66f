#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# --output: the file holds what standard output would, and is never a file that the command reads or writes otherwise.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
case $SMEMBANK in
/*) program=$SMEMBANK ;;
*) program=$PWD/$SMEMBANK ;;
esac

cat >"$work/k.cu" <<'END'
#include "k.h"
__global__ void k(int *out, const int *in) {
  __shared__ int s[WORDS];
  s[threadIdx.x * 2] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
echo '#define WORDS 64' >"$work/k.h"
head -c 128 /dev/zero >"$work/in.bin"
printf 'st 4 1' >"$work/t.trace"
seq -s ' ' 0 4 124 | sed 's/^/ /' >>"$work/t.trace"
kernel="$work/k.cu --block 32 --buffer in=$work/in.bin"

# Every command that has formats, in all of them.
while read -r command; do
  for format in text json csv; do
    # shellcheck disable=SC2086 # several words
    expect 0 $command --format "$format"
    cp "$work/out" "$work/wanted"
    # shellcheck disable=SC2086
    expect 0 $command --format "$format" --output "$work/result"
    [ ! -s "$work/out" ] || die "$last: writes to standard output, too"
    cmp "$work/wanted" "$work/result" || die "$last: another result"
  done
done <<END
analyze $kernel
explain $kernel
advise $kernel
trace $work/t.trace
list archs
validate --recorded --kernel setRowReadColPad
END

# A status of 1 comes with the result; a failure leaves the file alone; no colour but on demand.
expect 1 analyze --rows 32 --cols 32 --max-ways 1 --output "$work/result"
[ -s "$work/result" ] || die 'no result of a limit that fails'
cp "$work/result" "$work/before"
expect 3 analyze "$work/missing.cu" --output "$work/result"
expect 2 analyze --rows 32 --output "$work/result"
cmp "$work/before" "$work/result" || die 'a failure changes the file'
expect 0 analyze --rows 32 --cols 32 --output "$work/result" --color always
grep -q "$(printf '\033')" "$work/result" || die 'no colour'

# Over no file that the command reads: the kernel, what it includes, what a buffer holds, a trace, a project.
printf '[k]\nfile=k.cu\nblock=32\n' >"$work/smembank.ini"
cp -r "$work" "$work.copy"
while read -r file words; do
  # shellcheck disable=SC2086 # several words
  expect 2 $words --output "$work/$file"
  says "--output '$work/$file' would overwrite the input file"
  cmp "$work.copy/$file" "$work/$file" || die "$last: overwrites it"
done <<END
k.cu analyze $kernel
k.h analyze $kernel
in.bin analyze $kernel
k.h explain $kernel
k.h trace --from $kernel
k.cu trace --from $kernel
t.trace trace $work/t.trace
smembank.ini analyze --project $work/smembank.ini --case k
k.cu analyze --project $work/smembank.ini --case k
END
# The project that is found, from a folder below it, and all that its cases name.
printf 'buffer=in=%s@4\n[of tiles]\nrows=8\ncols=8\n' in.bin >>"$work/smembank.ini"
cp "$work/smembank.ini" "$work.copy"
mkdir "$work/below"
while read -r file words; do
  status=0
  # shellcheck disable=SC2086 # several words
  (cd "$work/below" && "$program" $words --output "../$file" >../out 2>../err) || status=$?
  last="$words --output $file, below the project"
  [ "$status" -eq 2 ] || die "$last: status $status: $(cat "$work/err")"
  says "--output '../$file' would overwrite the input file ../$file"
  cmp "$work.copy/$file" "$work/$file" || die "$last: overwrites it"
done <<END
smembank.ini analyze --case k
smembank.ini explain --case k
smembank.ini check
k.cu check
in.bin check k
END
# A run that fails leaves what was there.
echo old >"$work/old"
expect 3 analyze "$work/none.cu" --output "$work/old"
expect 3 check --project "$work/none.ini" --output "$work/old"
[ "$(cat "$work/old")" = old ] || die "a failed run: $(cat "$work/old")"
[ -z "$(find "$work" -name '.smembank-*')" ] || die 'a failed run leaves a temporary file'
rm -r "$work.copy"
expect 0 explain --rows 8 --cols 8 --svg "$work/map.svg"
expect 2 explain --rows 8 --cols 8 --svg "$work/map.svg" --output "$work/map.svg"

# Each result has a file of its own, by whatever name, whether it is there or not; and not that of standard output.
rm "$work/map.svg"
ln -s map.svg "$work/link.svg"
for name in map.svg ./map.svg link.svg; do
  expect 2 explain --rows 8 --cols 8 --svg "$work/map.svg" --output "$work/$name"
  says "--svg '$work/map.svg' and --output '$work/$name' name one file: expected one for each result"
  [ ! -e "$work/map.svg" ] || die "$last: wrote"
done
expect 2 advise "$work/k.cu" --block 32 --out "$work/new.cu" --output "$work/new.cu"
says 'name one file'
status=0
# shellcheck disable=SC2094 # that it is one file is what is refused
(cd "$work" && "$program" explain --rows 8 --cols 8 --svg shown.svg >shown.svg 2>err) || status=$?
last='explain --svg F >F'
[ "$status" -eq 2 ] || die "$last: status $status"
says "--svg 'shown.svg' would overwrite standard output"
(cd "$work" && "$program" analyze --rows 8 --cols 8 --output /dev/stdout >shown.txt) || die 'the file of standard output'
[ -s "$work/shown.txt" ] || die 'no result by /dev/stdout'

# What is known once the work is done: headers, of a case, too, and of one that cannot be read; what a recording, a line table name.
echo '#define WORDS 64' >"$work/k.h"
printf '[k]\nfile=k.cu\nblock=32\n[bad]\nfile=bad.cu\nblock=32\n' >"$work/cases.ini"
printf '#include "other.h"\n__global__ void k() { int x = ; }\n' >"$work/bad.cu"
echo '#define OTHER' >"$work/other.h"
sed "s,data/kernels/setRowReadCol.cu,k.cu,g; s/\"setRowReadCol\"/\"k\"/g" "$srcdir/tests/data/recording.json" >"$work/recording.json"
cp "$srcdir/tests/data/sass/inlined.cu" "$srcdir/tests/data/sass/inlined.sm_90.cubin" "$work"
chmod u+w "$work/inlined.cu" # of a tarball's tree that cannot be written
cp -r "$work" "$work.copy"
cd "$work"
export SMEMBANK_NVCC=no
while read -r file words; do
  # shellcheck disable=SC2086 # several words
  SMEMBANK=$program expect 2 $words --output "$file"
  says "would overwrite the input file"
  cmp "$work.copy/$file" "$work/$file" || die "$last: overwrites it"
done <<END
k.h check --project cases.ini
other.h check --project cases.ini
other.h check bad --project cases.ini
k.h compare k.cu k.cu --block 32
k.h advise k.cu --block 32
inlined.cu analyze inlined.sm_90.cubin --entry inlined --annotate --block 32 --unknown skip
inlined.cu explain inlined.sm_90.cubin --entry inlined --block 32 --unknown skip
END
unset SMEMBANK_NVCC
if command -v nvcc >/dev/null; then
  SMEMBANK=$program expect 2 analyze k.cu --block 32 --nvcc= --output k.h
  says "--output 'k.h' would overwrite the input file"
  SMEMBANK=$program expect 3 analyze bad.cu --block 32 --nvcc= --output k.h
fi
grep -q WORDS k.h || die 'the header is lost'
cd - >/dev/null
rm -r "$work.copy"
last=

# A folder, a place that is none.
expect 3 analyze --rows 8 --cols 8 --output "$work"
expect 3 analyze --rows 8 --cols 8 --output "$work/none/result"
says '--output: cannot write'
expect 2 learn --output "$work/result"
