#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Everything fits the terminal, from 80 columns up: tables, sentences and pictures. Source text, command lines
# and messages stay as they are.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

recorded=$srcdir/data/measured/h200-requests.txt

# too_wide COLUMNS: lines of the last result that are wider, but for source text (a number and two spaces, or a changed
# line), command lines, and lines of one word, such as a path.
too_wide() {
  sed 's/[…×─│┌┐└┘├┤┬┴┼█▓▒░·]/./g' "$work/out" | awk -v most="$1" '
    length > most && !/^ *[0-9]+[-+ ] .*[;{}()]/ && !/^ *[-+] / && !/\$ smembank/ && !/^ *[^ ]+$/ { print length ": " $0; exit }'
}

for columns in 80 93 120; do
  for words in 'analyze --rows 32 --cols 32' 'analyze --kernel transposeSmemUnrollPad' \
    'analyze --kernel transposeSmemUnrollPad --warps' 'explain --rows 32 --cols 32' 'explain --kernel reduceSmem' \
    'advise --rows 32 --cols 32' 'advise --kernel transposeSmemUnrollPad' \
    'advise --rows 32 --cols 32 --check Swizzle<3,2,3>' 'advise --kernel setRowReadColPad --tune IPAD=0..8' \
    'list kernels' 'list archs' 'list archs sm_90' 'list archs -v' 'list ops' 'list devices' 'list recordings' 'validate --recorded' \
    "trace $recorded" "trace --requests $recorded" 'learn --list' '--help' 'advise --help' 'analyze --help' \
    'explain --help' 'fuzz --help' 'learn --help' 'list --help' 'report --help' 'trace --help' 'validate --help'; do
    # shellcheck disable=SC2086 # words are split on purpose
    COLUMNS=$columns expect 0 $words
    wide=$(too_wide "$columns")
    [ -z "$wide" ] || die "$last: wider than $columns: $wide"
  done
done

# Numbers are never cut: where a terminal is narrower than they are, the columns stand in parts.
numbers() {
  grep -oE '[0-9]+' "$work/out" | sort -u
}
expect 0 analyze --kernel transposeSmemUnrollPad
sed -n '/^line  shared/,/^line  global/p' "$work/out" >"$work/wide"
mv "$work/wide" "$work/out"
awk '{ for (i = 3; i <= NF; i++) if ($i ~ /^[0-9]+(-way)?$/) print $i }' "$work/out" | sort -u >"$work/wide"
COLUMNS=50 expect 0 analyze --kernel transposeSmemUnrollPad
numbers >"$work/narrow"
while read -r number; do
  grep -qx "${number%-way}" "$work/narrow" || die "$last: lacks $number"
done <"$work/wide"

# Without a terminal and COLUMNS, nothing is cut.
expect 0 trace --requests "$recorded"
! grep -q '…$' "$work/out" || die "$last: cuts a line"
expect 0 analyze --kernel transposeSmemUnrollPad
shows 'tile[threadIdx.y][threadIdx.x]'
