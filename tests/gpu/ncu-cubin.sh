#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What is counted of machine code beside what ncu measures, instruction by instruction: for every launch that
# tests/ptx/*.cu name at their head, and for every shape of the catalogue.
#
#   ncu-cubin.sh pack FOLDER              compiles them for sm_90, and writes FOLDER for the machine with the GPU
#   FOLDER/ncu-cubin.sh run RESULTS       there: measures; RESULTS.tar.xz has all that 'check' wants
#   ncu-cubin.sh check SMEMBANK RESULTS [COMPARE-MEMORY]
#                                         anywhere: compares; RESULTS is that file, or one that was recorded
#                                         (tests/data/sass/h200.tar.xz). With tests/compare-memory, which 'make check'
#                                         builds, also what the launches leave in memory
#
# 'pack' needs nvcc and Python, 'run' the CUDA Toolkit, gcc, ncu and Python, 'check' Python.
set -eu

usage='usage: ncu-cubin.sh pack FOLDER | run RESULTS | check SMEMBANK RESULTS [COMPARE-MEMORY]'
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
export PATH

pack() {
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
  cp "$here/ncu-cubin.sh" "$here/ncu-cubin.py" "$here/launches.py" "$here/launch-ptx.c" "$folder"
  python3 "$here/ncu-cubin.py" sources "$here/.." "$here/../../data" "$folder"
  for source in "$folder"/*.cu; do
    grep -q '^// launch:' "$source" || continue
    name=$(basename "$source" .cu)
    (
      cd "$folder"
      nvcc -arch=sm_90 -lineinfo -ptx -o "$name.ptx" "$name.cu"
      sed -i "s|\"$folder/|\"|" "$name.ptx" # lines are of files, wherever they lie
      ptxas -arch=sm_90 -lineinfo -o "$name.cubin" "$name.ptx"
      python3 ncu-cubin.py list "$name.ptx" >"$name.list"
    )
  done
}

measure() {
  mkdir -p "$1"
  results=$(cd "$1" && pwd)
  nvcc -o "$here/launch-ptx" "$here/launch-ptx.c" -lcuda
  for list in "$here"/*.list; do
    name=$(basename "$list" .list)
    report=$here/$name
    timeout 20 "$here/launch-ptx" "$here/$name.cubin" "$here/$name.list" "$results/$name" || continue
    timeout 60 ncu --section SourceCounters -f -o "$report" "$here/launch-ptx" "$here/$name.cubin" "$list" >"$report.log" 2>&1 || {
      echo "$name: ncu failed: $(tail -n 1 "$report.log")"
      continue
    }
    ncu --import "$report.ncu-rep" --page source --csv --print-source sass >"$report.csv"
    python3 "$here/ncu-cubin.py" split "$here/$name.ptx" "$report.csv" "$results/$name" && cp "$here/$name.cubin" "$results"
  done
  python3 "$here/ncu-cubin.py" archive "$results" "$results.tar.xz"
}

case ${1-} in
pack) pack "${2:?$usage}" ;;
run) measure "${2:?$usage}" ;;
check)
  shift
  python3 "$here/ncu-cubin.py" check "$@"
  ;;
*)
  echo "$usage" >&2
  exit 2
  ;;
esac
