#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Files that are no files: pipes that nobody writes to or reads from, devices. None is waited for, or read, without end; those
# that a user would name work.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK_PIPE_SECONDS=1 SMEMBANK_NVCC=no
export SMEMBANK_PIPE_SECONDS SMEMBANK_NVCC
cat >"$work/k.cu" <<'END'
__global__ void k(int *out, const int *in) {
  __shared__ int s[64];
  s[threadIdx.x * 2] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
cp "$work/k.cu" "$work/own.cu"
printf '#include "none.h"\n__global__ void k() {}\n' >"$work/includes.cu"
printf '#include "/dev/zero"\n__global__ void k() {}\n' >"$work/zero.cu"
printf '[k]\nfile=none.cu\nblock=32\n' >"$work/smembank.ini"
for name in none none.cu none.h none.json none.csv none.trace none.ini; do
  mkfifo "$work/$name"
done

# Without a writer: every command, in every place that takes a file. They wait at the same time.
n=0
while read -r words; do
  n=$((n + 1))
  echo "$words" >"$work/$n.words"
  # shellcheck disable=SC2086 # several words
  (cd "$work" && { "$SMEMBANK" $words >"$n.out" 2>"$n.err" || echo $? >"$n.status"; }) &
done <<END
analyze none
analyze none.cu --block 32
analyze includes.cu
analyze own.cu --block 32 --buffer in=none
explain none.cu
advise none.cu
report - none.cu
trace none.trace
trace --from none.cu
list kernels none
validate none.json
validate none.csv
validate t.cubin --ncu none.csv
fix none.csv
merge none.json none.json
compare none.json own.cu
init none.cu -o /dev/null --force
check --project none.ini
check --project smembank.ini --baseline none.json
END
wait
for i in $(seq $n); do
  last="smembank $(cat "$work/$i.words")"
  [ "$(cat "$work/$i.status")" = 3 ] || die "$last: status $(cat "$work/$i.status"), expected 3"
  mv "$work/$i.out" "$work/out"
  mv "$work/$i.err" "$work/err"
  one_message
  says 'nothing opened this pipe for writing in 1 seconds (SMEMBANK_PIPE_SECONDS sets how many)'
done
# One that has a writer which is silent.
sleep 60 >"$work/none" &
sleeper=$!
expect 3 analyze "$work/none"
says 'nothing was written to this pipe for 1 seconds'
kill $sleeper
# A case is reported, as whatever else is wrong with it.
status=0
(cd "$work" && "$SMEMBANK" check >"$work/out" 2>"$work/err") || status=$?
[ $status -eq 3 ] || die "check: $status"
says 'none.cu: nothing opened this pipe'

# Devices.
while read -r words; do
  # shellcheck disable=SC2086 # several words
  (cd "$work" && expect 3 $words && says '/dev/zero: a device: expected a file or a pipe')
done <<END
analyze /dev/zero
analyze zero.cu
analyze own.cu --block 32 --buffer in=/dev/zero
compare /dev/zero own.cu
merge /dev/zero
trace /dev/zero
validate /dev/zero
fix /dev/zero
check --project /dev/zero
init /dev/zero -o /dev/null --force
END
expect 3 analyze /dev/null
says '/dev/null: no __global__ function in it'

# Results: a pipe that nobody reads, and one that somebody does.
expect 3 analyze --rows 8 --cols 8 --output "$work/none"
says "--output: cannot write $work/none: nothing reads from it"
cat "$work/none" >"$work/read" &
reader=$!
expect 0 analyze --rows 8 --cols 8 --output "$work/none"
wait $reader
expect 0 analyze --rows 8 --cols 8
cmp "$work/out" "$work/read" || die 'another result through a pipe'

# What works: a writer that comes late, one that takes its time, standard input, and what a shell calls <(...).
expect 0 analyze "$work/own.cu" --block 32 --format json
sed 's/"file" : .*/"file"/' "$work/out" >"$work/wanted"
same() {
  sed 's/"file" : .*/"file"/' "$work/out" | cmp -s - "$work/wanted" || die "$last: another result: $(cat "$work/out")"
}
SMEMBANK_PIPE_SECONDS=20
(sleep 0.2 && cat "$work/own.cu" >"$work/none.cu") &
expect 0 analyze "$work/none.cu" --block 32 --format json
same
(head -3 "$work/own.cu" && sleep 0.5 && tail -n +4 "$work/own.cu") >"$work/none" &
expect 0 analyze "$work/none" --block 32 --format json
same
SMEMBANK_PIPE_SECONDS=1
for name in - /dev/stdin /dev/fd/0; do
  (sleep 0.2 && cat "$work/own.cu") | {
    expect 0 analyze $name --block 32 --format json
    same
  }
done
(sleep 2 && cat "$work/own.cu") | {
  expect 0 analyze - --block 32 --format json
  same
}
expect 0 analyze /dev/stdin --block 32 --format json <"$work/own.cu"
same
: | expect 3 analyze /dev/stdin
