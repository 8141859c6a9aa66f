#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The list of commands, the help of each, and what all of them refuse.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect 0 --version
shows 'smembank 0'
quiet
expect 0 -h
expect 0 --help
shows 'Usage:'
quiet

commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
[ -n "$commands" ] || die "--help lists no commands"
for command in $commands; do
  expect 0 "$command" --help
  shows "smembank $command"
  shows '--help'
  quiet
  # An option that takes a value, without one.
  options=$(sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\)=.*/\2/p' "$work/out")
  for option in $options; do
    expect 2 "$command" "$option"
    says "$option"
    says "see 'smembank $command --help'"
  done
  # All but validate and fuzz want to be told what to work on, and learn, which asks questions.
  case $command in
  fuzz | learn | validate) ;;
  *) expect 2 "$command" ;;
  esac
  expect 2 "$command" --no-such-option
  says "unknown option --no-such-option"
  expect 2 "$command" a b c d e f
  says "see 'smembank $command --help'"
  case $options in
  *--format*)
    expect 2 "$command" --format xml a
    says "--format 'xml': expected one of text, json, csv"
    ;;
  esac
  case $options in
  *--arch*)
    expect 2 "$command" --arch sm_0 a
    says "no architecture 'sm_0': expected one of"
    ;;
  esac
done

expect 2
says 'missing command: expected one of'
expect 2 no-such-command
says "no command 'no-such-command': expected one of"
for command in $commands; do
  says "$command"
done
expect 2 ''
expect 2 --no-such-option
expect 2 --version more
says "unexpected argument 'more'"
