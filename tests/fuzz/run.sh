#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# run.sh SOURCE BUILD CORPUS SECONDS [TARGET...]: builds SOURCE in BUILD anew with libFuzzer and both sanitizers, and fuzzes each TARGET,
# by default all of tests/fuzz/targets.def, for SECONDS, from its seeds and from what CORPUS/TARGET keeps of earlier runs. The status is
# 1 if one of them found something: the input lies in CORPUS/TARGET-found-*.
set -eu
source=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2" "$3"
build=$(cd "$2" && pwd)
corpus=$(cd "$3" && pwd)
seconds=$4
shift 4
if [ $# -eq 0 ]; then
  # shellcheck disable=SC2046 # a word for each target
  set -- $(sed -n 's/^TARGET(\([^)]*\)).*/\1/p' "$source/tests/fuzz/targets.def")
fi
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cd "$build"
cc=${FUZZ_CC:-clang}
! command -v ccache >/dev/null || cc="ccache $cc"
"$source/configure" --disable-shared CC="$cc" \
  CFLAGS="-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" >configure.log 2>&1 ||
  { cat configure.log; exit 1; }
make -j "$jobs" tests/fuzz/fuzz >make.log 2>&1 || { tail -n 50 make.log; exit 1; }

# Inputs that a target starts from beside its seeds: the files that come with the program.
list_seeds() {
  case $1 in
  kernel) echo "$source/data/kernels" ;;
  arch) echo "$source/data/archs" ;;
  lesson) echo "$source/data/lessons" ;;
  esac
  [ ! -d "$source/tests/fuzz/seeds/$1" ] || echo "$source/tests/fuzz/seeds/$1"
}

status=0
for target in "$@"; do
  ln -sf tests/fuzz/fuzz "fuzz-$target"
  mkdir -p "$corpus/$target"
  dictionary=
  [ ! -e "$source/tests/fuzz/$target.dict" ] || dictionary=-dict=$source/tests/fuzz/$target.dict
  # shellcheck disable=SC2046,SC2086 # one word for each folder, and none for no dictionary
  if "./fuzz-$target" $dictionary -timeout=10 -rss_limit_mb=2048 -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -print_final_stats=1 \
    -artifact_prefix="$corpus/$target-found-" "$corpus/$target" $(list_seeds "$target") >"$target.log" 2>&1; then
    echo "fuzz: $target: $(awk '/number_of_executed_units/ { print $2 }' "$target.log") inputs in $seconds s, nothing found"
  else
    status=1
    echo "fuzz: $target: found:"
    tail -n 60 "$target.log"
  fi
done
exit "$status"
