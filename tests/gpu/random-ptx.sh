#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Straight-line PTX at random, run by our machine and by a GPU: all registers compared.
#
#   random-ptx.sh opcodes TARGET >LIST     those opcodes of ours that ptxas has for TARGET (sm_90)
#   random-ptx.sh pack FOLDER TARGET       in a built tree: what the other machine needs, about 5 MB
#   FOLDER/random-ptx.sh run RESULTS SECONDS [SEED]    where the GPU is: compares for so long; RESULTS tells
#
# 'opcodes' and 'pack' want COMPARE_PTX, the path of tests/compare-ptx (default: that), 'opcodes' and 'run' ptxas (PTXAS).
set -eu

usage='usage: random-ptx.sh opcodes TARGET | pack FOLDER TARGET | run RESULTS SECONDS [SEED]'
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
PTXAS=${PTXAS-ptxas}
export PATH PTXAS
compare=${COMPARE_PTX-tests/compare-ptx}

# An assembler refuses what it has not line by line; all the rest of the probe is good.
opcodes() {
  work=$(mktemp -d)
  "$compare" opcodes >"$work/all"
  "$compare" probe "$1" >"$work/probe.ptx"
  "$PTXAS" -arch="$1" -o "$work/probe.cubin" "$work/probe.ptx" >"$work/refused" 2>&1 || true
  sed -n 's/.*, line \([0-9]*\); error .*/\1/p' "$work/refused" | sort -u >"$work/lines"
  if ! [ -s "$work/lines" ]; then
    head -n 3 "$work/refused" >&2
    exit 1
  fi
  awk 'NR == FNR { refused[$1] = 1; next } !((FNR + 6) in refused)' "$work/lines" "$work/all"
  rm -r "$work"
}

pack() {
  mkdir -p "$1/lib"
  cp "$here/random-ptx.sh" "$compare" "$1"
  ldd "$compare" | sed -n 's/.*=> \(.*\) (.*/\1/p' | grep -v -e '/libc\.' -e '/libm\.' -e '/ld-linux' -e '/libdl\.' \
    -e '/libpthread\.' -e '/librt\.' -e '/libstdc' -e '/libgcc' | while read -r library; do
    cp -L "$library" "$1/lib"
  done
  opcodes "$2" >"$1/opcodes"
  echo "$2" >"$1/target"
}

run() {
  LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  status=0
  "$here/compare-ptx" device "$here/opcodes" "$(cat "$here/target")" "${3:-1}" 1000000 "$2" >"$1" 2>"$1.errors" || status=$?
  head -n 20 "$1.errors"
  tail -n 3 "$1"
  return "$status"
}

case ${1-} in
opcodes) opcodes "${2:?$usage}" ;;
pack) pack "${2:?$usage}" "${3:?$usage}" ;;
run) run "${2:?$usage}" "${3:?$usage}" "${4-}" ;;
*)
  echo "$usage" >&2
  exit 2
  ;;
esac
