#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate FILE.ptx or FILE.cubin on a GPU, for launches that tests/ptx/*.cu name at their head: the driver assembles the PTX as
# it does for any program, so accesses may be merged or removed (ncu-ptx.sh compares without that, instruction by instruction);
# machine code runs as it is.
#
#   validate-ptx.sh pack SMEMBANK FOLDER [ptx|cubin]   where nvcc is: FOLDER gets the compiled kernels, the launches, the program,
#       its libraries
#   FOLDER/validate-ptx.sh run RESULTS [SECONDS [SMEMBANK]]    where the GPU is: validates and records, the first launch of
#       each file, then the second of each, and so on, until SECONDS are over (85); RESULTS.txt has a line for each
#
# 'run' ends with status 1 if a launch fails, or the program does: numbers that differ are listed, and are what we look for.
set -eu

usage='usage: validate-ptx.sh pack SMEMBANK FOLDER [ptx|cubin] | validate-ptx.sh run RESULTS [SECONDS [SMEMBANK]]'
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
export PATH

# The launches of a file that are not there to be refused, one a line: "NUMBER FILE OPTION...".
launches_of() {
  awk -v name="$2" '
    /^\/\/ refused:/ { held = "" }
    /^\/\/ launch:/ { flush(); held = $0; sub(/^\/\/ launch: */, "", held); sub(/ *#[^#]*$/, "", held) }
    !/^\/\/ (refused|launch):/ { flush() }
    END { flush() }
    function flush() { if (held != "") printf "%03d %s %s\n", ++n, name, held; held = "" }' "$1"
}

pack() {
  program=$(command -v "$1")
  mkdir -p "$2/lib"
  folder=$(cd "$2" && pwd)
  cp "$here/validate-ptx.sh" "$folder"
  cp "$program" "$folder/smembank"
  # All but what belongs to the C library and the compiler, which have to be the machine's own.
  ldd "$program" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|ld-linux.*|libstdc\+\+|libgcc_s)\.so/ { print $3 }' |
    while read -r library; do cp -L "$library" "$folder/lib"; done
  for source in "$here"/../ptx/*.cu; do
    name=$(basename "$source" .cu)
    ${NVCC:-nvcc} -arch=sm_90 -lineinfo "-$3" -o "$folder/$name.$3" "$source"
    launches_of "$source" "$name.$3"
  done | sort >"$folder/launches"
  echo "packed $(grep -c '' "$folder/launches") launches into $folder"
}

# What a launch came to, of the CSV that validate wrote: metric, predicted and measured of what differs.
summarize() {
  sed 's/"[^"]*"/-/g' "$1" | awk -F , 'NR > 1 && $9 == "yes" { same++ }
    NR > 1 && $9 != "yes" && $9 != "" && $15 == "yes" { explained = explained " " $6 " " $7 "/" $8 }
    NR > 1 && $9 == "no" && $15 != "yes" { differ = differ " " $6 " " $7 "/" $8 }
    NR > 1 && $6 == "launch" { failed = " failed: " $0 }
    END {
      printf "%d match", same
      if (explained != "") printf "; explained:%s", explained
      if (differ != "") printf "; differ:%s", differ
      print failed
    }'
}

# validate_launch NUMBER FILE OPTION...: a line of the results; whether it could be measured.
validate_launch() {
  number=$1
  name=$2
  shift 2
  out=$results/$name-$number
  status=0
  (cd "$here" && timeout 40 "$program" validate "$name" "$@" --timeout 30 --format csv --record "$out.json") \
    >"$out.csv" 2>"$out.log" || status=$?
  if [ "$status" -gt 1 ] || grep -q ',launch,' "$out.csv"; then
    echo "$name $*: status $status: $(tail -n 1 "$out.log") $(summarize "$out.csv")"
    return 1
  fi
  echo "$name $*: $(summarize "$out.csv")"
}

run() {
  results=$1
  end=$(($(date +%s) + ${2:-85}))
  program=${3:-$here/smembank}
  [ -n "${3-}" ] || {
    LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
  }
  mkdir -p "$results"
  results=$(cd "$results" && pwd)
  program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
  failed=0
  left=0
  : >"$results.txt"
  while read -r line; do
    if [ "$(date +%s)" -ge "$end" ]; then
      left=$((left + 1))
      continue
    fi
    eval "set -- $line"
    validate_launch "$@" >>"$results.txt" </dev/null || failed=$((failed + 1))
  done <"$here/launches"
  echo "$(grep -c ' match$' "$results.txt") launches match in all, $(grep -c '; explained:' "$results.txt") are explained in part, \
$(grep -c '; differ:' "$results.txt") differ, $failed failed, $left left out for want of time" | tee -a "$results.txt"
  [ "$failed" -eq 0 ]
}

case ${1-} in
pack) pack "${2:?$usage}" "${3:?$usage}" "${4:-ptx}" ;;
run) run "${2:?$usage}" "${3-}" "${4-}" ;;
*)
  echo "$usage" >&2
  exit 2
  ;;
esac
