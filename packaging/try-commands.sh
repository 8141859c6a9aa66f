#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# try-commands.sh PROGRAM [APPLICATION...]: runs the tests of the commands that need no compiler with a PROGRAM that is installed somewhere
# (each command has one, tests/cli/COMMAND.sh), and the applications, which are programs of CUDA, with `smembank run`. $srcdir is the source tree.
set -eu
SMEMBANK=$1
shift
cd "${srcdir:?}"
srcdir=.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No compiler, and nothing of the build tree.
SMEMBANK_NVCC=no SMEMBANK_CACHE_SIZE=0
export SMEMBANK srcdir SMEMBANK_NVCC SMEMBANK_CACHE_SIZE
unset SMEMBANK_LIBRARY SMEMBANK_RUN_LIBRARIES

# The tests of these want a device that is made up, or (merge) is a part of another: they are asked here.
in_other_tests='advise capture fuzz merge'
tests='shard'
for command in $("$SMEMBANK" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
  case " $in_other_tests " in
  *" $command "*) "$SMEMBANK" help "$command" >/dev/null ;;
  *) tests="$tests $command" ;;
  esac
done
[ "$(echo "$tests" | wc -w)" -ge 18 ] || {
  echo "FAIL: there are only the commands $tests"
  exit 1
}

for test in $tests; do
  start=$(date +%s)
  sh "tests/cli/$test.sh" >"$work/log" 2>&1 || {
    status=$?
    cat "$work/log"
    echo "FAIL: tests/cli/$test.sh: status $status"
    exit 1
  }
  echo "$test: $(($(date +%s) - start)) s"
done

fail() {
  cat "$work/out" "$work/err"
  echo "FAIL: $*"
  exit 1
}

"$SMEMBANK" advise --kernel transposeSmem >"$work/out" 2>"$work/err" || fail "advise: status $?"
grep -qF 'Apply Swizzle<3,1,4> in lines 24 and 27: 1152 -> 256 wavefronts.' "$work/out" || fail advise
if [ -z "$(find /dev -maxdepth 1 -name 'nvidia[0-9]*')" ]; then
  for command in 'fuzz --count 10' 'capture -- true'; do
    status=0
    # shellcheck disable=SC2086 # words
    "$SMEMBANK" $command >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = 4 ] || fail "$command without a GPU: status $status"
  done
fi

# The runtimes of CUDA that the program brings along: results that are right, and what they cost (tests/run/algorithm/transpose.cu).
for application; do
  status=0
  echo 42 | "$SMEMBANK" run --format csv --output "$work/ranking.csv" -- "$application" one >"$work/out" 2>"$work/err" || status=$?
  [ "$status" = 7 ] || fail "run -- $application: status $status"
  head -n 1 "$work/out" | grep -q '^0 wrong, total 325' || fail "run -- $application: wrong results"
  grep -qF '_Z9transposePfPKffi,4,32x32,0,256,4224,256,3968' "$work/ranking.csv" || {
    cat "$work/ranking.csv"
    fail "run -- $application: other counts"
  }
  echo "run -- $application: $(head -n 1 "$work/out")"
done
