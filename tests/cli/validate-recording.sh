#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate of a recording: tests/data/recording.json was made by hand and has one launch of each kind: a
# match, instructions that the compiler explains, mismatches, a digest that differs, a failure.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

recording=$srcdir/tests/data/recording.json
# From a pipe, so that the name of the file is the same everywhere.
expect_recording() {
  wanted=$1
  shift
  expect "$wanted" validate "$@" - <"$recording"
}

# The text: what matches in a line, what does not with its numbers; --all has every number.
expect_recording 1 --recorded
golden recording.txt
quiet
expect_recording 1 --all
golden recording-all.txt
expect_recording 1 --format csv
golden recording.csv
expect_recording 1 --kernel setRowReadColPad --format json
is_json
golden recording.json

# The name of a file says what it is, and so does what is in it.
cp "$recording" "$work/r.json"
cp "$recording" "$work/r"
for file in "$work/r.json" "$work/r"; do
  expect 1 validate "$file"
  shows '37 compared: 29 match, 2 explained, 6 differ. 1 not measured. 1 launch failed: see above.'
  shows "source: $file"
done
echo 'ld 4 1' >"$work/t.json"
expect 3 validate "$work/t.json"
says "t.json:1:"

# Each outcome decides the exit status: a match and what the compiler explains are fine, a launch that failed
# is not, also when it was recorded.
one() {
  awk -v wanted="$1" '
    /^    {"kernel"/ { if (++n == wanted) { sub(/,$/, ""); print } next }
    /^    {"request"/ { next }
    { print }' "$recording" >"$work/one.json"
}
for case in '1 0 7 match, 0 differ.' '2 0 5 match, 2 explained, 0 differ.' \
  '3 1 4 match, 3 differ.' '4 1 6 match, 1 differ.' '5 1 0 match, 0 differ. 1 launch failed: see above.'; do
  rest=${case#* }
  one "${case%% *}"
  expect "${rest%% *}" validate "$work/one.json"
  shows ": ${rest#* }"
done
shows 'reduceSmem 128, not measured: the launch took longer than 10 seconds'

# A kernel alone, and one that is not there.
expect 0 validate "$work/r.json" --kernel setRowReadCol
shows '7 compared: 7 match, 0 differ.'
expect 2 validate "$work/r.json" --kernel transposeSmem
says "no kernel 'transposeSmem' in $work/r.json"
expect 2 validate "$work/r.json" --arch sm_80
says '--arch is for traces'

# A kernel of the user's is read from its file, from the folder where the program runs.
sed -n '1,/"kernels"/p' "$recording" >"$work/own.json"
cat >>"$work/own.json" <<'END'
    {"kernel": "own", "shape": null, "file": "own.cu", "block": [32, 2, 1], "grid": [1, 1, 1], "defines": ["N=2"], "args": [], "dynamic_bytes": 0, "measured": {"wavefronts_ld": 4}, "time": null, "buffers": [], "failure": null}
  ],
  "requests": []
}
END
cat >"$work/own.cu" <<'END'
__global__ void own(int *out) {
  __shared__ int a[64 * N];
  int i = threadIdx.y * 32 + threadIdx.x;
  a[i * N] = i;
  __syncthreads();
  out[i] = a[i * N];
}
END
(cd "$work" && "$SMEMBANK" validate own.json >own.txt) || die 'a kernel of the user: differs'
grep -q '^own  *32x2  *N=2  *4/4  *4/-  *yes$' "$work/own.txt" || die "own kernel: $(cat "$work/own.txt")"
rm "$work/own.cu"
status=0
(cd "$work" && "$SMEMBANK" validate own.json >own.txt 2>own.err) || status=$?
[ "$status" -eq 3 ] || die "a file that is not there: status $status"
grep -qF 'own.json: kernels[0] (own): own.cu: No such file or directory' "$work/own.err" ||
  die "a file that is not there: $(cat "$work/own.err")"

# Recordings of data/measured/ come first, and published counts stand beside theirs.
mkdir -p "$work/data/measured"
cp "$recording" "$work/data/measured/made-up.json"
SMEMBANK_DATADIR=$work/data
export SMEMBANK_DATADIR
expect 1 validate
shows 'source: data/measured/made-up.json'
shows '1024/32 RTX 3080'
shows 'recorded and published values'
! grep -q 'setRowReadCol  .*wavefronts_ld .* 1024  yes' "$work/out" || die 'a published count twice'
! grep -E '.{101}' "$work/out" || die 'a line of more than 100 columns'
expect 0 validate --kernel setRowReadCol
golden recording-published.txt
expect 0 validate --kernel setRowReadCol --format json
is_json
shows '"value" : 1024'
expect 0 list recordings
grep -q 'kernels, requests *10 ' "$work/out" || die 'not 5 kernels and 5 requests'
# A published count that is wrong is not hidden beside a recorded one.
mkdir "$work/data/published"
sed 's/\(square,setRowReadCol,0,wavefronts_ld\),1024/\1,1023/' "$srcdir/data/published/published.csv" \
  >"$work/data/published/published.csv"
expect 1 validate --kernel setRowReadCol
shows '1023 (RTX 3080)'
grep -q 'wavefronts_ld  *1024  *1023  *NO' "$work/out" || die 'the difference is not shown'
sed 's/"program"/"programme"/' "$recording" >"$work/data/measured/made-up.json"
expect 3 validate
says 'data/measured/made-up.json: programme: no such member'
