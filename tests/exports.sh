#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What a program that links libsmembank sees: the static library has names that begin with smb_ only, the shared
# one what the installed headers declare (sim/libsmembank.map).
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# Names that LIBRARY defines for others; those of instrumented builds begin with an underscore.
list_names() {
  ${NM:-nm} "$@" --defined-only | awk 'NF == 3 && $2 ~ /[A-Z]/ && $3 !~ /^_/ { print $3 }' | LC_ALL=C sort -u
}

folder=$(dirname "$SMEMBANK")
if [ -e "$folder/libsmembank.a" ]; then
  list_names -g "$folder/libsmembank.a" >"$work/static"
  [ -s "$work/static" ] || die 'no names in the static library'
  ! grep -v '^smb_' "$work/static" || die 'the static library defines names without smb_'
fi
if [ -e "$folder/libsmembank.so.0" ]; then
  list_names -D "$folder/libsmembank.so.0" >"$work/shared"
  # Inline functions are declared and not exported.
  sed -n 's/^\(smb_.*\);$/\1/p' "$folder/sim/libsmembank.map" | LC_ALL=C comm -23 "$work/shared" - >"$work/more"
  [ -s "$work/shared" ] || die 'no names in the shared library'
  [ ! -s "$work/more" ] || die "the shared library exports what no header declares: $(cat "$work/more")"
fi
