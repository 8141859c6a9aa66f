#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A function, and a source file, has a name of its own, so that a stack trace, grep and ctags answer with one place.
# tests/names.known lists the names that still stand in several files: it may only get shorter. SMEMBANK_UPDATE_NAMES=1
# removes from it what is no longer needed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shared_names FILE...: "NAME FILE…" of each function that several files define, and of each file whose base name is not its own.
shared_names() {
  awk '
    function add(name) {
      if (seen[name, FILENAME]++) return
      n[name]++
      files[name] = files[name] " " FILENAME
    }
    FNR == 1 { base = FILENAME; sub(/.*\//, "", base); add(base) }
    /^[a-z_][a-z_0-9]*\(/ { name = $0; sub(/\(.*/, "", name); add(name) }
    END { for (name in n) if (n[name] > 1) print name files[name] }' "$@" | LC_ALL=C sort
}

# The check finds what it is for.
mkdir "$work/a" "$work/b"
printf 'static int\nfind_row(int n) {\n}\n\nint\nonly_here(void) {\n}\n' >"$work/a/one.c"
printf 'static int\nfind_row(int n) {\n  return only_here();\n}\n' >"$work/b/one.c"
[ "$(cd "$work" && shared_names a/one.c b/one.c)" = 'find_row a/one.c b/one.c
one.c a/one.c b/one.c' ] || {
  echo "FAIL: finds $(cd "$work" && shared_names a/one.c b/one.c)"
  exit 1
}

cd "${srcdir:?}"
find sim src gpu -name '*.c' ! -name '*resources*' | LC_ALL=C sort >"$work/files"
[ -s "$work/files" ] || { echo 'FAIL: no source found'; exit 1; }
# shellcheck disable=SC2046 # names have no spaces
shared_names $(cat "$work/files") >"$work/found"
sed 's/ .*//' "$work/found" >"$work/names"
grep -v '^#' tests/names.known | LC_ALL=C sort >"$work/known"
LC_ALL=C comm -23 "$work/names" "$work/known" >"$work/new"
LC_ALL=C comm -13 "$work/names" "$work/known" >"$work/gone"
if [ -s "$work/new" ]; then
  echo 'FAIL: these names stand in several files: expected a name of its own, by what the function or the file is about:'
  LC_ALL=C join "$work/new" "$work/found"
  exit 1
fi
if [ -s "$work/gone" ] && [ -n "${SMEMBANK_UPDATE_NAMES:-}" ]; then
  LC_ALL=C comm -12 "$work/names" "$work/known" >"$work/kept"
  { grep '^#' tests/names.known; cat "$work/kept"; } >"$work/list"
  cp "$work/list" tests/names.known
elif [ -s "$work/gone" ]; then
  echo 'No longer in several files (SMEMBANK_UPDATE_NAMES=1 removes them from tests/names.known):'
  cat "$work/gone"
fi
