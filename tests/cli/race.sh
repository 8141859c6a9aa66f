#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Races in compiled code (tests/data/race/race.cu): what a race decides about later requests makes them inexact, and no others.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=${srcdir:?}/tests/data/race

# decides ENTRY [WHAT]: each file says once that the last load of shared memory depends on a race; no WHAT: it does not.
decides() {
  for file in race.ptx race.sm_90.cubin; do
    expect 0 analyze "$data/$file" --arch sm_90 --entry "$1" --block 64 --format json
    [ "$(grep -c 'race on ' "$work/err")" -gt 0 ] || die "$file $1: no race"
    says=$(grep -c 'which thread wins a race' "$work/err" || :)
    [ "$says" -eq $(($# - 1)) ] || die "$file $1: $(cat "$work/err")"
    [ -z "${2:-}" ] || grep -qi "ld.*: $2 depends on the order in which threads .*, or on which thread wins a race" "$work/err" ||
      die "$file $1: $(cat "$work/err")"
  done
}
decides overtaken 'the address'
decides awaited 'whether it is executed'
decides disputed 'the address'
decides agreed
decides harmless
