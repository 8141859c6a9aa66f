#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# How many texts are run as steps (sim/cuda/lower): all that the kernel tests read, and all come out as the walker has them
# (tests/engines.c). Then the suites that read texts by themselves, with steps. As long as there are two executors.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count SUITE WANTED: texts of a suite, all of which are lowered.
count() {
  SMEMBANK_ENGINES=$work/$1 tests/unit "$1" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
  }
  lowered=$(grep -c '^lowered$' "$work/$1" || true)
  grep -v '^lowered$' "$work/$1" | sort | uniq -c | sort -rn >"$work/others" || true
  if [ "$lowered" -lt "$2" ] || [ -s "$work/others" ]; then
    echo "FAIL: $1: $lowered texts have steps, expected $2 and no others:"
    cat "$work/others"
    exit 1
  fi
  echo "$1: $lowered texts as steps"
}

count kernel 290
count kernel-arith 18
count kernel-flow 128

for suite in repeat kernel-catalog rewrite; do
  SMEMBANK_ENGINE=steps tests/unit "$suite" >"$work/out" 2>&1 || {
    cat "$work/out"
    echo "FAIL: $suite, with steps"
    exit 1
  }
done
