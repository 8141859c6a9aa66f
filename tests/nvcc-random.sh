#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Straight-line PTX at random: ptxas accepts all of it, for each target as far as that has the instructions, and our
# machine runs it and knows the results. Of the machine code that ptxas makes of it all registers are the same. What a device computes is compared by tests/gpu/random-ptx.sh. Skipped without ptxas.
set -eu

if [ "${PTXAS:-no}" = no ]; then
  echo 'no ptxas'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# check TARGET KERNELS OPCODES: at least so many opcodes.
check() {
  if ! "$PTXAS" --help | grep -q "'$1'"; then
    echo "$1: not a target of this ptxas"
    return
  fi
  "${srcdir:?}/tests/gpu/random-ptx.sh" opcodes "$1" >"$work/opcodes"
  n=$(wc -l <"$work/opcodes")
  tests/compare-ptx self "$work/opcodes" "$1" 1 "$2" >"$work/out" || status=1
  grep -v '^not tried' "$work/out" || true
  echo "$1: $n opcodes"
  if grep -q '^unknown' "$work/out" || [ "$n" -lt "$3" ]; then
    echo "FAIL: all results are known, and there are at least $3 opcodes"
    status=1
  fi
}

# machine TARGET KERNELS: those that ptxas has otherwise than PTX are left out: doc/compiled.md; also, it compares what set makes of
# halves as if it were a whole register, and extends the absolute value of -32768 by no sign.
machine() {
  if ! "$PTXAS" --help | grep -q "'$1'"; then
    return
  fi
  "${srcdir:?}/tests/gpu/random-ptx.sh" opcodes "$1" | grep -v -e '^bf[ei]\.[bsu]64' -e '^fns' -e '^abs\.s16' \
    -e '^set\..*\.b*f16\.[a-z0-9]*$' >"$work/opcodes"
  tests/compare-ptx machine "$work/opcodes" "$1" 1 "$2" >"$work/out" || status=1
  grep -A 3 '^DIFFERENT' "$work/out" || true
  tail -n 3 "$work/out" | sed "s/^/$1, machine code: /"
}

check sm_90 12 4500
chips='75 120'
if [ "${SMEMBANK_TEST_EFFORT-}" = full ]; then
  chips='75 80 86 89 90 100 120'
  check sm_75 3 3500
  check sm_80 3 3500
  check sm_100 3 4500
  check sm_120 3 4500
fi
for chip in $chips; do
  machine "sm_$chip" 4
done
exit "$status"
