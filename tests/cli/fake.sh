#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The devices of a made-up machine, whole and with each part missing, and the process that measures.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

SMEMBANK=${SMEMBANK_ON_FAKE:?}
export SMEMBANK_FAKE

faults='no-runtime no-driver no-device no-nvrtc no-cupti no-permission'
for format in text json csv; do
  for SMEMBANK_FAKE in '' $faults; do
    expect 0 list devices --format "$format"
    quiet
    [ "$format" != json ] || is_json
    printf '== %s\n' "${SMEMBANK_FAKE:-nothing is missing}"
    cat "$work/out"
  done >"$work/all"
  mv "$work/all" "$work/out"
  [ "$format" != text ] || format=txt
  golden "devices.$format"
done

# What is no fault of a device's parts leaves the list as it is.
SMEMBANK_FAKE=
expect 0 list devices
cp "$work/out" "$work/whole"
for SMEMBANK_FAKE in crash hang launch-failure wrong-values; do
  expect 0 list devices
  cmp -s "$work/whole" "$work/out" || die "$last: differs under $SMEMBANK_FAKE"
done

# The process that measures is in no help, takes no words, and has nothing to say to nobody.
SMEMBANK_FAKE=
expect 0 --help
! grep -q gpu-worker "$work/out" || die 'the help lists gpu-worker'
expect 0 gpu-worker </dev/null
[ ! -s "$work/out" ] || die 'gpu-worker answers nobody'
quiet
expect 2 gpu-worker --help
expect 0 gpu-worker <"$srcdir/HACKING.md"
[ ! -s "$work/out" ] || die 'gpu-worker answers what is no message'

# On a terminal it says what it is.
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  script -qec "$SMEMBANK gpu-worker" /dev/null </dev/null >"$work/out" 2>&1 || true
  shows 'start this part, which measures'
fi
