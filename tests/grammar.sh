#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# doc/kernel-language.md names what the parser knows: each function that is built in, each word that a production takes,
# and each production that stands above a function that reads it.
set -eu
doc=${srcdir:?}/doc/kernel-language.md
missing=

# Those of float, and of 64 bits, stand for two: "with and without f", "and with ll".
# shellcheck disable=SC2013 # names are words
for name in $(sed -n 's/^SMB_[BR][A-Z]*([^,]*, "\([^"]*\)".*/\1/p' "$srcdir/sim/cuda/builtin/builtin.def"); do
  grep -qw -e "$name" -e "${name%f}" -e "${name%ll}" "$doc" || missing="$missing $name"
done

words=$({
  sed -n 's/.*smb_parser_\(take\|is\|expect\)(parser, "\([A-Za-z_][A-Za-z_0-9]*\)").*/\2/p' "$srcdir"/sim/cuda/*/*.c
  # and of the tables: words of statements, and those that set a flag
  grep -oh '{"[a-z_]*", \(parse_\|G_STRUCT_OFFSET(Specifiers\)' "$srcdir"/sim/cuda/parse/*.c | cut -d'"' -f2
} | sort -u)
[ "$(echo "$words" | wc -w)" -gt 30 ] || {
  echo "few words: $words"
  exit 1
}
for word in $words; do
  grep -qw -e "$word" "$doc" || missing="$missing $word"
done

# Not those of the preprocessor, and of what is looked for outside functions.
productions=$(for file in file template specifier declare initial statement expression primary call; do
  sed -n 's|^// \([a-z][a-z-]*\) = .*|\1|p' "$srcdir/sim/cuda/parse/$file.c"
done | sort -u)
[ "$(echo "$productions" | wc -w)" -gt 15 ] || {
  echo "few productions: $productions"
  exit 1
}
for production in $productions; do
  grep -qE "^    $production +=" "$doc" || missing="$missing $production="
done

[ -z "$missing" ] || {
  echo "doc/kernel-language.md lacks:$missing"
  exit 1
}
