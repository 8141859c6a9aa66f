#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Copies to shared memory that are touched before they are waited for (tests/data/pending/pending.cu), in PTX and in machine code.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
data=${srcdir:?}/tests/data/pending

# run FILE ENTRY: analyzes it for the chip in its name.
run() {
  chip=${1#pending.} chip=${chip%.*}
  [ "$chip" != "${chip#sm_}" ] || chip=sm_90
  case $2 in
  piped | late | overwritten) expect 0 analyze "$data/$1" --arch "$chip" --entry "$2" --block 64 --buffer 1=iota:i32 --arg 2=60 --format json ;;
  *) expect 0 analyze "$data/$1" --arch "$chip" --entry "$2" --block 64 --buffer 1=iota:i32 --format json ;;
  esac
}

# pending ENTRY LINE VERB COPY [RACES]: each file says at LINE that it VERB what the copy at the line COPY brings.
pending() {
  for file in $files; do
    run "$file" "$1"
    grep -qE "pending.cu:$2:[0-9]+: warning: the copy at .*pending.cu:$4 may not be complete: this [a-z]+ by warp [01] $3 " "$work/err" ||
      die "$file $1: $(cat "$work/err")"
    shows '"kind" : "pending"'
    [ -n "${5:-}" ] || ! grep -q 'race on' "$work/err" || die "$file $1: $(cat "$work/err")"
  done
}

# fine ENTRY: no file says that a copy is pending, or that there is a race.
fine() {
  for file in $files; do
    run "$file" "$1"
    ! grep -qE 'may not be complete|race' "$work/err" || die "$file $1: $(cat "$work/err")"
  done
}

files='pending.ptx pending.sm_80.cubin pending.sm_90.cubin pending.sm_120.cubin'
fine piped
fine awaited
fine arrived
pending late 35 reads 29 races
pending late 35 reads 37 races
says 'to wait for it, leave at most 1 group pending'
pending alone 58 reads 57
says 'it is in no group yet'
pending overwritten 87 overwrites 85
pending unseen 78 reads 75 races
says 'a barrier must follow the wait'

# What depends on such values is not exact.
pending decides 103 reads 100 races
says 'the address depends on'
shows '"exact" : false'
pending disputed 114 overwrites 113 races
says 'the address depends on'

# A copy is told once to a reader; as a finding it has a rule of its own.
expect 0 analyze "$data/pending.sm_90.cubin" --arch sm_90 --entry late --block 64 --arg 2=60
[ "$(grep -c 'may not be complete' "$work/err")" -eq 2 ] || die "late: $(cat "$work/err")"
says 'other place'
expect 0 analyze "$data/pending.sm_90.cubin" --arch sm_90 --entry alone --block 64 --format sarif
shows '"ruleId" : "pending-copy"'
