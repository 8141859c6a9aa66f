#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The man page has a section for every command and names every option that --help shows, and no other.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

page=$srcdir/doc/smembank.1
# As a reader sees it: \- is a hyphen, \fB and its kin are nothing.
sed 's/\\-/-/g; s/\\f.//g' "$page" >"$work/page"

# section TITLE: the lines of one subsection.
section() {
  awk -v title=".SS $1" '/^\.S[SH]/ { inside = $0 == title } inside' "$work/page"
}

names() {
  grep -oE -e '--[a-z][a-z-]+' | sort -u
}

section 'Options of all commands' | names >"$work/shared"
expect 0 --help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
for command in $commands; do
  section "smembank $command" >"$work/section"
  [ -s "$work/section" ] || die "the man page has no section 'smembank $command'"
  expect 0 "$command" --help
  sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$work/out" | sort -u >"$work/options"
  names <"$work/section" | sort -u - "$work/shared" >"$work/told"
  missing=$(comm -23 "$work/options" "$work/told")
  [ -z "$missing" ] || die "the man page of '$command' lacks: $missing"
  names <"$work/section" | sort -u >"$work/own"
  sort -u "$work/options" "$work/shared" >"$work/known"
  extra=$(comm -23 "$work/own" "$work/known")
  [ -z "$extra" ] || die "the man page tells '$command' has: $extra"
  # Each value of an option that has a list of them.
  sed -n 's/^  \(-., \)\{0,1\}--[a-z-]*=\([a-z|]*|[a-z|]*\).*/\2/p' "$work/out" | tr '|' '\n' | sort -u >"$work/values"
  # Options that commands share are described with analyze.
  { section 'Options of all commands' && section 'smembank analyze'; } | cat "$work/section" - >"$work/both"
  while read -r value; do
    grep -qw -e "$value" "$work/both" || die "the man page of '$command' lacks the value $value"
  done <"$work/values"
  # One-letter options.
  sed -n 's/^  \(-[A-Za-z]\), --.*/\1/p' "$work/out" | while read -r letter; do
    grep -qE "^\.(B|BR|BI) $letter( |\$)" "$work/page" || die "the man page lacks $letter"
  done
done

for word in SMEMBANK_DATADIR NO_COLOR; do
  grep -q "$word" "$work/page" || die "the man page lacks $word"
done
expect 0 --version
grep -qF "\"$(cat "$work/out")\"" "$page" || die 'the man page is of another version'

# No warning from the formatter, where there is one.
if command -v groff >/dev/null; then
  groff -ww -man -Tutf8 "$page" >/dev/null 2>"$work/err" || die 'groff fails'
  last='groff -ww'
  quiet
fi
