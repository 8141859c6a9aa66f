#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The answers that doc/layout.md gives to questions of public threads are what the program counts.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

sed -n "s/^| .* | \`\('.*\)\` | \([0-9]*\) wavefronts*, \([0-9]*\) in excess |\$/\2,\3 \1/p" "$srcdir/doc/layout.md" >"$work/questions"
[ "$(wc -l <"$work/questions")" -ge 16 ] || die "too few questions: $(cat "$work/questions")"
while read -r answer words; do
  eval "expect 0 layout $words --format json"
  counted=$(python3 -c '
import json, sys
totals = json.load(open(sys.argv[1]))["totals"].values()
print(sum(one["wavefronts"] for one in totals), sum(one["excess_wavefronts"] for one in totals), sep=",")' "$work/out")
  [ "$counted" = "$answer" ] || die "$words: $counted, in the page $answer"
done <"$work/questions"
