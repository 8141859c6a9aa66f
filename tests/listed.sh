#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Each source, test, data file and document is named in a Makefile-inc.am: what is not is neither built nor run, nor in the tarball. A suite is named
# without its .c, tests/test-NAME. What the build makes, and folders of examples that are read whole, are left out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# unlisted FRAGMENTS FILES: the lines of FILES that are no word of FRAGMENTS.
unlisted() {
  tr -s ' \t=' '\n' <"$1" | LC_ALL=C sort -u >"$work/words"
  while read -r file; do
    case $file in
    tests/test-*.c) echo "${file%.c}" ;;
    *) echo "$file" ;;
    esac
  done <"$2" | LC_ALL=C sort | LC_ALL=C comm -23 - "$work/words"
}

# The check finds what it is for.
printf 'smb_sources += src/a/one.c \\\n  src/a/one.h\nsmb_unit_tests = tests/test-one\n' >"$work/made-up"
printf '%s\n' src/a/one.c src/a/two.c src/a/one.h tests/test-one.c tests/test-two.c >"$work/files"
[ "$(unlisted "$work/made-up" "$work/files" | tr '\n' ' ')" = 'src/a/two.c tests/test-two ' ] || {
  echo "FAIL: finds $(unlisted "$work/made-up" "$work/files")"
  exit 1
}

cd "${srcdir:?}"
find . -name Makefile-inc.am -exec cat {} + >"$work/fragments"
{
  find sim src gpu tests \( -name '*.[ch]' -o -name '*.def' -o -name '*.cu' \) ! -path 'tests/data/*' ! -path 'tests/fuzz/seeds/*' ! -path 'tests/ptx/*'
  find data -type f ! -name Makefile-inc.am ! -name '.*'
  find doc -name '*.1' -o -name '*.md' -o -name '*.json'
  find tests -name '*.sh' -o -name '*.py'
} | grep -vE '/(smb-resources|smb-gpu-resources)\.|^tests/suites\.def$|/\.deps/|__pycache__|\.l?o$' >"$work/files"
[ "$(wc -l <"$work/files")" -gt 500 ] || { echo 'FAIL: no source found'; exit 1; }
unlisted "$work/fragments" "$work/files" >"$work/found"
if [ -s "$work/found" ]; then
  echo 'FAIL: these files are in no Makefile-inc.am:'
  cat "$work/found"
  exit 1
fi
