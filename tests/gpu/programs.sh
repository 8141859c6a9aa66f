#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What programs print on a GPU, and what Nsight Compute says of their shared memory, to be set beside 'smembank run'.
#
#   programs.sh build RESULTS NAME.cu...  anywhere: compiles for sm_90 into RESULTS/NAME
#   programs.sh measure RESULTS NAME...     on a machine with a GPU: RESULTS/NAME.out, .status, .page.csv.xz
#   programs.sh compare RESULTS NAME...     anywhere: runs them by 'smembank run' ($SMEMBANK), and says where output, status or counts differ
#
# A NAME may have its arguments in RESULTS/NAME.args. Counts are compared pc by pc, by capture-ncu.py.
set -u
what=$1 results=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin

build() {
  for source; do
    name=$(basename "$source" .cu)
    # shellcheck disable=SC2046 # several words
    nvcc -arch=sm_90 -lineinfo $(sed -n 's,^// nvcc: ,,p' "$source") -o "$results/$name" "$source" || echo "$name: not compiled"
  done
}

# in_folder COMMAND...: in the folder of the results, a minute at the most.
in_folder() {
  (cd "$results" && timeout 60 "$@")
}

measure() {
  for name; do
    arguments=$(cat "$results/$name.args" 2>/dev/null)
    # shellcheck disable=SC2086 # several words
    in_folder "./$name" $arguments >"$results/$name.out" 2>"$results/$name.err" </dev/null
    echo $? >"$results/$name.status"
    # shellcheck disable=SC2086 # several words
    in_folder ncu --section SourceCounters -f -o "$name" "./$name" $arguments >"$results/$name.log" 2>&1 </dev/null
    [ -e "$results/$name.ncu-rep" ] || continue # no kernel
    ncu --import "$results/$name.ncu-rep" --page source --csv --print-source sass | xz -T0 >"$results/$name.page.csv.xz"
    rm "$results/$name.ncu-rep"
  done
}

compare() {
  for name; do
    arguments=$(cat "$results/$name.args" 2>/dev/null)
    # shellcheck disable=SC2086 # several words
    in_folder "$SMEMBANK" run -o "$name.capture" --output "$name.ranking" -- "./$name" $arguments >"$results/$name.ours" \
      2>"$results/$name.ours.err" </dev/null
    status=$?
    echo "== $name: status $(cat "$results/$name.status") on a GPU, $status here"
    diff "$results/$name.out" "$results/$name.ours"
    if [ ! -e "$results/$name.page.csv.xz" ] || [ ! -e "$results/$name.capture" ]; then
      continue # no kernel
    fi
    xz -dc "$results/$name.page.csv.xz" >"$results/$name.page.csv"
    python3 "$here/capture-ncu.py" "$SMEMBANK" "$results/$name.capture" "$results/$name.page.csv"
    rm "$results/$name.page.csv" "$results/$name.capture"
  done
}

case $what in
build) build "$@" ;;
measure) measure "$@" ;;
compare) compare "$@" ;;
*)
  sed -n '5,11s,^# ,,p' "$0" >&2
  exit 2
  ;;
esac
