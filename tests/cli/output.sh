#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Where the result goes: full disks, closed pipes and descriptors, terminals.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

if [ -w /dev/full ]; then
  status=0
  "$SMEMBANK" list archs >/dev/full 2>"$work/err" || status=$?
  last='list archs >/dev/full'
  [ "$status" -eq 3 ] || die "$last: status $status"
  says 'cannot write the result'
fi

status=0
"$SMEMBANK" list archs >&- 2>"$work/err" || status=$?
last='list archs >&-'
[ "$status" -eq 3 ] || die "$last: status $status"
says 'cannot write the result'

# A reader that leaves early ends the program without a word.
"$SMEMBANK" list archs --verbose --format json 2>"$work/err" | head -n 1 >"$work/out"
last='list archs | head'
shows '{'
quiet

# No colour where no terminal is; on one, unless NO_COLOR or TERM say otherwise.
escape=$(printf '\033')
recorded=$srcdir/data/measured/h200-requests.txt
expect 0 trace "$recorded"
! grep -qF "$escape" "$work/out" || die 'colour in a file'
if command -v script >/dev/null && TERM=xterm script -qec true /dev/null >/dev/null 2>&1; then
  terminal() {
    env "$@" script -qec "'$SMEMBANK' trace '$recorded'" /dev/null </dev/null >"$work/out" 2>&1
  }
  last='trace on a terminal'
  terminal TERM=xterm
  shows "${escape}[31m"
  terminal TERM=xterm NO_COLOR=1
  ! grep -qF "$escape" "$work/out" || die 'colour under NO_COLOR'
  terminal TERM=dumb
  ! grep -qF "$escape" "$work/out" || die 'colour on a dumb terminal'
fi

# Numbers are written the same way everywhere, and a message cannot steer a terminal.
LC_ALL=C expect 0 trace --format json "$recorded"
is_json
expect 3 trace "$work/no${escape}[31m"
says '\x1b[31m'

# Pictures are as wide as COLUMNS says: the banks are folded where they do not fit.
for case in '60 15' '110 31'; do
  status=0
  COLUMNS=${case% *} "$SMEMBANK" explain --rows 32 --cols 32 >"$work/out" 2>"$work/err" || status=$?
  last="explain, ${case% *} columns"
  [ "$status" -eq 0 ] || die "$last: status $status"
  grep -qE "^ *bank +0 .* ${case#* }\$" "$work/out" || die "$last: the first row of banks does not end with ${case#* }"
done

# Sentences are broken to fit it as well, as long as it is wide enough to read.
for case in '60 60' '20 40' '300 100'; do
  COLUMNS=${case% *} "$SMEMBANK" analyze --rows 16 --cols 32 --pad 1 >"$work/out"
  last="analyze, ${case% *} columns"
  sed -n '/^The costliest/,$p' "$work/out" | awk -v most="${case#* }" '
    length > most || (NR == 1 && length < most - 14) { exit bad = 1 } END { exit bad || NR < 2 }' ||
    die "$last: sentences do not fit: $(cat "$work/out")"
done

# Few descriptors are an error like any other: nothing ends the program but itself.
for limit in 4 5 6 8; do
  for words in 'analyze --rows 32 --cols 32' "trace $recorded" "trace - " "validate $recorded" 'validate' 'list archs' \
    'list devices' 'learn --all' "report $work/page.html --rows 32 --cols 32" 'advise --rows 32 --cols 32'; do
    status=0
    # shellcheck disable=SC2086,SC3045 # words are split on purpose; every sh at hand has ulimit -n
    (exec <"$recorded" >"$work/out" 2>"$work/err" && ulimit -n "$limit" && exec "$SMEMBANK" $words) || status=$?
    [ "$status" -le 4 ] || die "ulimit -n $limit: $words: status $status: $(cat "$work/err")"
  done
done
