#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A tool of Compiler Explorer: annotates the machine code (or, without any, the PTX) that it has just made of a text with what each
# instruction costs. Usage: smembank-annotate.sh [OPTION…] SOURCE. The launch is said by options of 'smembank analyze', or by a line of
# SOURCE, "// smembank: --block 32,8 --arg n=64", of which only the launch is taken. Nothing is compiled or run.
set -eu
: "${SMEMBANK:=smembank}"
SMEMBANK_NVCC=no SMEMBANK_RUN=no
export SMEMBANK_NVCC SMEMBANK_RUN

[ $# -ge 1 ] || {
  echo 'smembank-annotate.sh: expected the source as the last argument' >&2
  exit 2
}
given=$(($# - 1)) # options of the user
for source; do :; done

# The words of the first launch line, a line each.
launch_words() {
  sed -n 's|^[[:space:]]*//[[:space:]]*smembank:[[:space:]]*||p' "$source" | head -n 1 | xargs -n 1 printf '%s\n'
}

# Behind the source: what the text says. If the user says something, the text is not asked.
option=
while [ "$given" -eq 0 ] && IFS= read -r word; do
  case $word in
  --block | --grid | --cluster | --arg | --buffer | --dynamic-bytes | --entry | --instance | --unknown)
    option=$word
    continue
    ;;
  --block=* | --grid=* | --cluster=* | --arg=* | --buffer=* | --dynamic-bytes=* | --entry=* | --instance=* | --unknown=*)
    set -- "$@" "$word"
    ;;
  *) [ -z "$option" ] || set -- "$@" "$option=$word" ;;
  esac
  option=
done <<END
$(launch_words)
END

# The source itself is no argument: the user's options, or those behind it, are.
i=0 all=$#
while [ "$i" -lt "$all" ]; do
  [ "$i" -eq "$given" ] || set -- "$@" "$1"
  shift
  i=$((i + 1))
done

folder=$(dirname "$source")
status=0 found=
for kind in cubin ptx s; do
  for file in "$folder"/*."$kind"; do
    [ -f "$file" ] || continue
    [ "$kind" = cubin ] || grep -q '^\.version' "$file" || continue
    found=yes
    "$SMEMBANK" analyze --annotate "$@" -- "$file" || status=$?
  done
  [ -z "$found" ] || exit "$status"
done
echo 'no cubin and no PTX was made: choose a CUDA compiler, and an architecture (-arch=sm_90)' >&2
exit 3
