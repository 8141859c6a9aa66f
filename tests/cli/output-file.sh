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
: >"$work/map.svg"
expect 2 explain --rows 8 --cols 8 --svg "$work/map.svg" --output "$work/map.svg"

# A folder, a place that is none.
expect 3 analyze --rows 8 --cols 8 --output "$work"
expect 3 analyze --rows 8 --cols 8 --output "$work/none/result"
says '--output: cannot write'
expect 2 learn --output "$work/result"
