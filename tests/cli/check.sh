#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# check: every case of a project, each on its own, with a verdict.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

case $SMEMBANK in
/*) ;;
*) SMEMBANK=$PWD/$SMEMBANK ;;
esac
case $srcdir in
/*) ;;
*) srcdir=$PWD/$srcdir ;;
esac
cd "$work"

# checks STATUS ARGUMENT...: as expect, of a result that is written whatever the status is.
checks() {
  wanted=$1
  shift
  last="smembank check $*"
  status=0
  "$SMEMBANK" check "$@" >out 2>err || status=$?
  [ "$status" -eq "$wanted" ] || die "$last: status $status, expected $wanted: $(cat err)"
}

cat >smembank.ini <<'END_OF_PROJECT'
[*]
max-ways = 2
[padded]
rows = 32
cols = 32
pad = 1
[plain]
rows = 32
cols = 32
max-excess = 10%
[half]
rows = 32
cols = 16
pad = 1
elem = double
END_OF_PROJECT
checks 1
golden check.txt
says 'data/kernels/tile.cu:52:14: warning: the load of tile[idx % ROWS][idx / ROWS] is 32-way: more than --max-ways 2'
says 'more than --max-excess 10%'
[ "$(grep -c ': warning: ' err)" -eq 2 ] || die "$last: not both limits: $(cat err)"
# In whatever order they end, the result is the same.
for jobs in 1 2 7; do
  checks 1 --jobs $jobs
  golden check.txt
done
checks 1 --format json
is_json
quiet
shows '"project" : "smembank.ini"'
shows '"data/kernels/tile.cu:52:14: warning: the load of tile[idx % ROWS][idx / ROWS] is 32-way: more than --max-ways 2",'
[ "$(grep -c '"verdict" : "passed"' out)" -eq 2 ] || die "$last: not two passed"
tr -d ' \n' <out | grep -q '"summary":{"cases":3,"passed":2,"failed":1,"without_limit":0,"errors":0}' || die "$last: another summary"
# The result of a case is what analyze writes of it.
expect 0 analyze --case padded --format json
tr -d ' \n' <out >one
checks 0 padded --format json
tr -d ' \n' <out | grep -qF "\"result\":$(cat one)," || die 'the result is not that of analyze'

# What has no place in the kernel is about the case, and has its place in the project file.
printf '[none]\nrows = 4\ncols = 4\nmax-ways = other=1\n' >place.ini
checks 1 --project place.ini
grep -qx 'place.ini:1: warning: case none: --max-ways other=1: nothing was checked: .*' err || die "$last: says: $(cat err)"

# Some cases, each once.
checks 0 half padded half
shows 'Passed: 2 cases.'
[ "$(grep -cE '^(padded|half) ' out)" -eq 2 ] || die "$last: $(cat out)"
head -n 4 out | tail -n 1 | grep -q '^half ' || die "$last: in another order: $(cat out)"
quiet
checks 1 plain --format csv
shows 'plain,tile,64,1056,64,992,32,failed,,,'
says 'more than --max-ways 2'

# What is wrong with one case is its own.
cat >broken.ini <<'END_OF_PROJECT'
[gone]
file = gone.cu
[wrong]
rows = 32
cols = 0
[text]
file = bad.cu
[fine]
rows = 4
cols = 4
max-ways = 4
END_OF_PROJECT
echo '__global__ void k(int *a) { __shared__ int s[4]; s[threadIdx.x] = a[q]; }' >bad.cu
checks 3 --project broken.ini
shows '1 of 4 cases passed. Not counted: gone, wrong and text.'
grep -qx 'broken.ini:1: error: case gone: gone.cu: No such file or directory' err || die "$last: says: $(cat err)"
grep -qx "broken.ini:3: error: case wrong: --cols '0': expected a whole number from 1 to 1024" err || die "$last: says: $(cat err)"
grep -q '^bad.cu:1:[0-9]*: error: ' err || die "$last: no error with its place: $(cat err)"
grep -q '^fine .* passed$' out || die "$last: the others are not checked: $(cat out)"
checks 3 --project broken.ini --format json
is_json
shows '"result" : null'
shows '"error" : "gone.cu: No such file or directory"'
tr -d ' \n' <out | grep -q '"summary":{"cases":4,"passed":1,"failed":0,"without_limit":0,"errors":3}' || die "$last: another summary"
checks 3 --project broken.ini --format markdown
grep -qx 'Not counted: gone: gone\.cu: No such file or directory' out || die "$last: does not say why: $(cat out)"
[ "$(grep -c '^Not counted: ' out)" -eq 3 ] || die "$last: not all reasons: $(cat out)"
checks 3 --project broken.ini --format csv
shows 'gone,,,,,,,error,gone.cu: No such file or directory,,'
checks 0 --project broken.ini fine

# A case without a limit is counted, whatever conflicts it has: it neither passes nor fails.
printf '[free]\nrows = 32\ncols = 32\n[kept]\nrows = 32\ncols = 32\npad = 1\nmax-ways = 1\n' >free.ini
checks 0 --project free.ini
grep -qE '^free .* 32-way +no limit$' out || die "$last: $(cat out)"
shows '1 of 2 cases passed. Without a limit: free.'
checks 0 --project free.ini free
shows 'Nothing was checked: no case has a limit, such as max-cost or max-ways.'
checks 0 --project free.ini --format json
is_json
shows '"verdict" : "no limit"'
tr -d ' \n' <out | grep -q '"summary":{"cases":2,"passed":1,"failed":0,"without_limit":1,"errors":0}' || die "$last: another summary"
checks 0 --project free.ini --format csv
shows 'free,tile,64,1056,64,992,32,no limit,,,'
checks 0 --project free.ini --format markdown
shows '| 64 | 1056 | 64 | 992 | 32-way | no limit |'

expect 2 check --project broken.ini fin
says "no case 'fin' in broken.ini, which has gone, wrong, text and fine; did you mean 'fine'?"
: >empty.ini
expect 2 check --project empty.ini
says 'empty.ini has no case: nothing to check'
expect 2 check --jobs 0
says "--jobs '0': expected a whole number from 1"
expect 3 check --project gone.ini
says 'gone.ini'
mkdir empty
(cd empty && "$SMEMBANK" check --project ../smembank.ini padded >out) || die 'not from another folder'

# A case that is killed is an error, and others go on; when check is killed, its cases end.
cat >slow.cu <<'END_OF_KERNEL'
__global__ void k(int *a) {
  __shared__ int s[32];
  for (int i = 0; i < 1000000000; i++)
    s[threadIdx.x] = a[i & 31];
}
END_OF_KERNEL
printf '[slow]\nfile = slow.cu\nblock = 32\nmax-steps = 9000000000\n[quick]\nrows = 4\ncols = 4\nmax-ways = 4\n' >slow.ini

# start: check of slow.ini runs as $parent, and the slow case as $child.
start() {
  "$SMEMBANK" check --project "$work/slow.ini" "$@" >out 2>err &
  parent=$!
  child=
  while [ -z "$child" ]; do
    kill -0 "$parent" 2>/dev/null || die "check has ended: $(cat err)"
    child=$(cat /proc/$parent/task/*/children 2>/dev/null) || : # a thread may be gone by the time it is read
    child=${child%% *}
  done
}
if [ -e "/proc/$$/task/$$/children" ]; then
  start --jobs 1
  kill -KILL "$child" # no sanitizer catches this one
  status=0
  wait "$parent" || status=$?
  [ "$status" -eq 3 ] || die "a case that is killed: status $status"
  last='check, of which a case is killed'
  says 'slow.ini:1: error: case slow: analyze ended by signal 9 ('
  shows '1 of 2 cases passed. Not counted: slow.'

  start slow
  until grep -qzxF -- "--project=$work/slow.ini" "/proc/$child/cmdline"; do
    sleep 0.1 # it has not begun to be another program
  done
  kill -KILL "$parent"
  wait "$parent" 2>/dev/null || :
  # It is gone, or about to be: a process that has ended and is not waited for yet has state Z.
  while grep -q '^State:.*[RSDT]' "/proc/$child/status" 2>/dev/null; do
    sleep 0.1
  done

  # Ctrl-C ends check with a message of how far it came, and its cases with it.
  if ! has_terminal; then
    echo 'Ctrl-C is not tried: no terminal can be opened: no python3, or no /dev/pts'
  else
    last='smembank check on a terminal, interrupted'
    TERM=dumb timeout 300 python3 "$srcdir/tests/cli/terminal.py" --interrupt 'smembank check: 1 of 2 cases' "$SMEMBANK" \
      check --project "$work/slow.ini" --jobs 2 | tr '\r' '\n' >out
    shows 'interrupted after'
    shows 'signal 2'
    while grep -qzxF -- "--project=$work/slow.ini" /proc/[0-9]*/cmdline 2>/dev/null; do
      sleep 0.1
    done
  fi
fi
