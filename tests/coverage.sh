#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# coverage.sh SOURCE BUILD FOLDER=FLOOR...: builds SOURCE in BUILD anew with gcc's --coverage, without optimization, runs
# all tests, with all cases, and says which lines of each folder none of them executed and what share they did. The status is 1 if a
# share is below its FLOOR (percent). Lines that say of themselves that they cannot be reached do not count.
set -eu
source=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
build=$(cd "$2" && pwd)
shift 2
command -v gcovr >/dev/null || {
  echo "coverage: gcovr is missing (Debian: gcovr)" >&2
  exit 1
}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cd "$build"
# With -pthread, gcc counts by atomic instructions unless told not to; whether a line was executed needs none.
"$source/configure" --disable-shared CFLAGS="-g -O0 --coverage -fprofile-update=single" >configure.log ||
  { cat configure.log; exit 1; }
make -j "$jobs" >make.log 2>&1 || { tail -n 50 make.log; exit 1; }
SMEMBANK_TEST_EFFORT=cases make -j "$jobs" check >check.log 2>&1 || { grep -E '^(FAIL|ERROR|# )' check.log; exit 1; }
# Threads count without waiting for each other, so a branch may seem to be taken, or a function to return, less than never. gcovr takes that for an error; lines do not
# need it. The run-time library is compiled twice, and gcovr does not know a function that stands in other lines then: one of them is enough.
find . -name 'libcudart_so_12-*.gc??' -delete
gcovr --root "$source" --object-directory . --gcov-ignore-parse-errors --json lines.json --exclude-directories '.*conftest.*' \
  --exclude '.*resources\.c' --exclude-lines-by-pattern '.*g_assert_not_reached' . 2>gcovr.log ||
  { cat gcovr.log; exit 1; }
! grep 'UnknownLineType: ' gcovr.log |
  grep -vE 'UnknownLineType: ((branch|call) .* (taken|returned) -[0-9]+( \(fallthrough\))?|function .* returned -[0-9]+% blocks executed [0-9]+%)$' || exit 1
status=0
for floor in "$@"; do
  folder=${floor%=*}
  echo
  gcovr --root "$source" --add-tracefile lines.json --filter "$source/$folder/" --sort-percentage >"$folder.txt"
  # The files that are not covered whole, with the lines that are not.
  grep -v '100%' "$folder.txt"
done
echo
for floor in "$@"; do
  folder=${floor%=*}
  share=$(awk '$1 == "TOTAL" { print 100 * $3 / $2 }' "$folder.txt")
  verdict=
  awk "BEGIN { exit !($share < ${floor#*=}) }" && { verdict=": too little" && status=1; }
  printf 'coverage: %s: %.1f %% of the lines (at least %s %%)%s\n' "$folder" "$share" "${floor#*=}" "$verdict"
done
exit "$status"
