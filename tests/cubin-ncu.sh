#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code of our own kernels and of the catalogue beside what ncu measured of each instruction on an H200, and what
# they left in memory there (tests/gpu/ncu-cubin.sh made the recording): the table, and each difference, stand in
# doc/compiled.md. Needs Python; SMEMBANK_UPDATE_GOLDEN=1 writes them there.
set -eu

command -v python3 >/dev/null || exit 77
source=${srcdir:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Status 1: something differs, which is then in the table.
sh "$source/tests/gpu/ncu-cubin.sh" check ./smembank "$source/tests/data/sass/h200.tar.xz" tests/compare-memory \
  >"$work/found" || [ $? -eq 1 ]
begin='<!-- beside ncu -->'
end='<!-- end -->'
if [ -n "${SMEMBANK_UPDATE_GOLDEN-}" ]; then
  sed "/^$begin\$/q" "$source/doc/compiled.md" >"$work/new"
  cat "$work/found" >>"$work/new"
  sed -n "/^$end\$/,\$p" "$source/doc/compiled.md" >>"$work/new"
  cp "$work/new" "$source/doc/compiled.md"
fi
sed -n "/^$begin\$/,/^$end\$/p" "$source/doc/compiled.md" | sed '1d;$d' >"$work/expected"
diff "$work/expected" "$work/found"
