#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Each command has a man page, which names every option that --help shows, and no other, and has its example. smembank(1) is an overview of
# two screens with the same summary of each command as --help and its page.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# As a reader sees it: \- is a hyphen, \fB and its kin are nothing.
plain() {
  sed 's/\\-/-/g; s/\\f.//g' "$srcdir/doc/$1.1"
}

# Not those of a program, which follow " -- ".
names() {
  sed 's/ -- .*//' | grep -oE -e '--[a-z][a-z-]+' | sort -u
}

# tags PAGE: the options that it describes, not those that it only lists.
tags() {
  plain "$1" | awk 'tag { print } { tag = $0 == ".TP" }' | names
}

expect 0 --help
cp "$work/out" "$work/overview"
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/overview")
tags smembank-analyze >"$work/shared"
for command in $commands; do
  page=smembank-$command
  [ -s "$srcdir/doc/$page.1" ] || die "there is no man page doc/$page.1"
  plain "$page" >"$work/page"
  summary=$(sed -n "s/^  $command  *//p" "$work/overview")
  grep -qxF "$page - $summary" "$work/page" || die "$page(1): its summary is not that of --help: $summary"
  plain smembank | grep -qE "^$command  *$summary\$" || die "smembank(1) lacks: $command: $summary"
  expect 0 "$command" --help
  shows "man $page"
  example=$(sed -n '/^Example:/{n;s/^  //p}' "$work/out")
  plain "$page" | sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' | grep -qxF -e "$example" || die "$page(1): its examples lack that of --help: $example"
  sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$work/out" | sort -u >"$work/options"
  names <"$work/page" >"$work/told"
  missing=$(comm -23 "$work/options" "$work/told")
  [ -z "$missing" ] || die "$page(1) lacks: $missing"
  # These pages also name options of analyze: in the line that launches a kernel, of the parts that are merged, and of proofs.
  case $command in
  check) printf '%s\n' --case --entry >>"$work/options" ;;
  merge) echo --shard >>"$work/options" ;;
  verify-proof) printf '%s\n' --find --prove | tee -a "$work/shared" >>"$work/options" ;;
  esac
  extra=$(sort -u "$work/options" | comm -13 - "$work/told")
  [ -z "$extra" ] || die "$page(1) says that '$command' has: $extra"
  # What the page only lists is described with analyze.
  described=$(tags "$page" | sort -u - "$work/shared" | comm -23 "$work/told" -)
  [ -z "$described" ] || die "neither $page(1) nor smembank-analyze(1) describes: $described"
  # Each value of an option that has a list of them.
  sed -n 's/^  \(-., \)\{0,1\}--[a-z-]*=\([a-z|]*|[a-z|]*\).*/\2/p' "$work/out" | tr '|' '\n' | sort -u >"$work/values"
  plain smembank-analyze | cat "$work/page" - >"$work/both"
  while read -r value; do
    grep -qw -e "$value" "$work/both" || die "$page(1) lacks the value $value"
  done <"$work/values"
  # One-letter options.
  sed -n 's/^  \(-[A-Za-z]\), --.*/\1/p' "$work/out" | while read -r letter; do
    grep -qE "(^|[ ,])$letter(,| |\$)" "$work/page" || die "$page(1) lacks $letter"
  done
done

for word in SMEMBANK_DATADIR NO_COLOR; do
  plain smembank-analyze | grep -q "$word" || die "smembank-analyze(1) lacks $word"
done

# Each page is of a command and of this version, is built, and gets no warning from the formatter, where there is one.
expect 0 --version
version=$(cat "$work/out")
for file in "$srcdir"/doc/smembank*.1; do
  page=$(basename "$file" .1)
  case " smembank smembank-completion $(echo "$commands" | sed 's/^/smembank-/' | tr '\n' ' ')" in
  *" $page "*) ;;
  *) die "doc/$page.1 is of no command" ;;
  esac
  grep -qE "doc/$page\.1( |\$)" "$srcdir/doc/Makefile-inc.am" || die "doc/$page.1 is not installed"
  grep -qF "\"$version\"" "$file" || die "doc/$page.1 is of another version"
  ! command -v groff >/dev/null || {
    groff -ww -man -Tutf8 "$file" >"$work/text" 2>"$work/err" || die 'groff fails'
    last="groff -ww $page.1"
    quiet
    [ "$page" != smembank ] || [ "$(wc -l <"$work/text")" -le 110 ] || die 'smembank(1) is longer than two screens'
  }
  ! command -v mandoc >/dev/null || mandoc -Tlint -Wwarning "$file" || die "mandoc -Tlint $page.1"
done
