#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Completion in shells: the scripts are made of the tables of options, and shells take them.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect 2 completion
says 'expected one of bash|zsh|fish'
expect 2 completion tcsh
says "completion 'tcsh': expected bash, zsh or fish"

# Every option of every command is in each of them.
for shell in bash zsh fish; do
  expect 0 completion "$shell"
  quiet
  cp "$work/out" "$work/$shell"
done
expect 0 --help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
for command in $commands; do
  grep -q "$command" "$work/zsh" || die "zsh: no $command"
  expect 0 "$command" --help
  # shellcheck disable=SC2013 # an option is one word
  for option in $(sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' "$work/out"); do
    grep -qF -e "--$option" "$work/zsh" || die "zsh: no --$option of $command"
    grep -q -e "from $command' -l $option " "$work/fish" || die "fish: no --$option of $command"
  done
done

SMEMBANK=$(realpath "$SMEMBANK")
mkdir "$work/here"
cd "$work/here"
: >tile.cu
if command -v bash >/dev/null; then
  # complete WORD...: what bash offers for the last word.
  cat >"$work/complete" <<'END'
. "$1"
shift
PATH=$1:$PATH
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
[[ $(complete -p smembank) == *'-F _smembank'* ]] || exit 9
_smembank smembank "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
END
  mkdir -p "$work/bin"
  ln -sf "$SMEMBANK" "$work/bin/smembank"
  offers() {
    wanted=$1
    shift
    last="bash: $*"
    bash "$work/complete" "$work/bash" "$work/bin" "$@" >"$work/out" 2>"$work/err" || die "$last: $(cat "$work/err")"
    quiet
    [ "$(sort "$work/out" | tr '\n' ' ')" = "$wanted " ] || die "$last: offers $(cat "$work/out")"
  }
  offers 'advise analyze' smembank a
  offers '--max-blocks --max-compile --max-cost --max-depth --max-excess --max-memory --max-steps --max-tokens --max-wavefronts --max-ways' smembank analyze --max
  offers 'callgrind csv github gitlab json markdown sarif text' smembank analyze --format ''
  offers 'json' smembank analyze --format = j
  offers 'sm_80 sm_86 sm_87 sm_89' smembank explain --arch sm_8
  offers 'reduceGmem reduceShfl reduceSmem reduceSmemUnroll reduceSmemUnrollDyn' smembank advise --kernel red
  offers 'recordings' smembank list r
  offers 'col row' smembank report page.html --read ''
  offers 'tile.cu' smembank analyze ti
  offers 'tile.cu trace' smembank t
  offers 'tile.cu' smembank x.cu ti
  offers 'layout learn list lsp' smembank help l
  # A program in the place of a command is not started.
  echo '#include <stdio.h>
int main(void) { return !fopen("started", "w"); }' >program.c
  if cc -o program program.c 2>/dev/null; then
    offers '' smembank ./program --si
    [ ! -e started ] || die 'a program was started'
  fi
  rm -f program program.c
  offers 'bash fish zsh' smembank completion ''
  offers 'tile.cu' smembank advise x.cu --out ti
fi
if command -v zsh >/dev/null; then
  zsh -n "$work/zsh" || die 'zsh does not read its script'
fi
if command -v fish >/dev/null; then
  # fish offers a word and what it is, with a tab between.
  fish_offers() {
    HOME=$work XDG_CONFIG_HOME=$work fish -c "source $work/fish; complete -C '$1'" 2>/dev/null | cut -f 1 | sort | tr '\n' ' '
  }
  [ "$(fish_offers 'smembank help l')" = 'layout learn list lsp ' ] || die "fish offers $(fish_offers 'smembank help l')"
  [ "$(fish_offers 'smembank ti')" = 'tile.cu ' ] || die "fish offers $(fish_offers 'smembank ti')"
  [ "$(fish_offers 'smembank ana')" = 'analyze ' ] || die "fish offers $(fish_offers 'smembank ana')"
  [ "$(fish_offers 'smembank analyze --format ')" = 'callgrind csv github gitlab json markdown sarif text ' ] ||
    die "fish offers $(fish_offers 'smembank analyze --format ')"
fi
