#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A function has at most 60 lines, a file at most 600.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# too_long FILE...: what is longer. The name of a function begins a line, and so does the brace that ends it.
too_long() {
  awk '
    FNR == 1 { start = 0 }
    FNR == 601 { print FILENAME ": more than 600 lines" }
    /^[a-z_0-9]+\(/ { start = FNR; name = $0; sub(/\(.*/, "", name) }
    /^}/ {
      if (start && FNR - start >= 60) print FILENAME ":" start ": " name "() has " FNR - start + 1 " lines"
      start = 0
    }' "$@"
}

# The check finds what it is for.
{
  printf 'static void\nlong_one(int n,\n         int m) {\n'
  seq 58
  printf '}\n\nstatic void\nlast(void) {\n'
  seq 58
  echo '}'
} >"$work/long.c"
[ "$(cd "$work" && too_long long.c)" = 'long.c:2: long_one() has 61 lines' ] || {
  echo "FAIL: finds $(too_long "$work/long.c")"
  exit 1
}
seq 601 >"$work/file.c"
[ "$(cd "$work" && too_long file.c)" = 'file.c: more than 600 lines' ] || {
  echo "FAIL: finds $(too_long "$work/file.c")"
  exit 1
}

cd "${srcdir:?}"
find sim src gpu tests \( -name '*.c' -o -name '*.h' \) ! -name '*resources*' >"$work/files"
[ -s "$work/files" ] || { echo 'FAIL: no source found'; exit 1; }
# shellcheck disable=SC2046 # names have no spaces
too_long $(cat "$work/files") >"$work/found"
if [ -s "$work/found" ]; then
  echo 'FAIL: too long:'
  cat "$work/found"
  exit 1
fi
