#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A capture as FILE: its launches listed, ranked, chosen, and what is said of those that cannot be counted. The capture is made by the
# tests (tests/make-capture.c).
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
"$MAKE_CAPTURE" app.capture "$srcdir"
"$MAKE_CAPTURE" early.capture "$srcdir" early

# --- what is in it
expect 0 list launches app.capture
golden capture-launches.txt
expect 0 list launches app.capture --format csv
golden capture-launches.csv
expect 0 list launches app.capture --format json
is_json
shows '"cluster" : [2, 1, 1]'
shows '"seen" : 40'
expect 0 list kernels app.capture --format csv
shows '_Z9transposeILi0EEvPfPKfi'
shows gather
expect 2 list launches
says 'expected FILE, the capture'
expect 2 list launches "$srcdir/tests/ptx/transpose.cu"
says 'is not a capture'
expect 3 list launches nowhere.capture
says 'No such file'

# --- all of it, the costliest first
expect 0 analyze app.capture
golden capture-ranking.txt
expect 0 analyze app.capture --format markdown
golden capture-ranking.md
expect 0 analyze app.capture --format csv
golden capture-ranking.csv
[ "$(cut -d , -f 1 out | tr '\n' ' ')" = 'launch 2 7 5 1 3 4 6 ' ] || die "$last: in another order: $(cat out)"
expect 0 analyze app.capture --top 2
[ "$(grep -cE '^ +[0-9]+ .* (exact|see below)$' out)" -eq 2 ] || die "$last: $(cat out)"
shows '4 more rows not shown: --top 2'
expect 0 analyze app.capture -q
grep -q '^launch' out && die "$last: a table: $(cat out)"
shows ' wavefronts ('
expect 0 analyze app.capture --top 1 --format markdown
[ "$(grep -c '^|' out)" -eq 3 ] || die "$last: $(cat out)"
expect 2 analyze app.capture --top 1 --format csv
says '--top is for --format text and markdown'
expect 2 analyze app.capture --sort cost
says '--sort and --tables are for one launch'
expect 0 analyze app.capture --format json
is_json
golden capture-ranking.json
# Whatever the number of threads.
expect 0 analyze app.capture --format json --threads 1
cmp -s out "$srcdir/tests/cli/golden/capture-ranking.json" || die "$last: other counts"
# With --time those first whose conflicts cost most; a launch is predicted with its memory, and one that cannot be counted is not.
expect 0 analyze app.capture --time
tells 'Predicted on an H100: '
grep -qE '^ +2 \+1 .* 94% +9.0 µs +[0-9.]+ µs +0\.[0-9]+ µs +[0-9]+% +exact$' out || die "$last: $(cat out)"
grep -qE '^ +1 .* 0% +5.0 µs +[0-9.]+ µs +0 +0% +exact$' out || die "$last: $(cat out)"
expect 0 analyze app.capture --time --format csv
[ "$(cut -d , -f 1 out | tr '\n' ' ')" = 'launch 2 7 5 1 3 4 6 ' ] || die "$last: in another order: $(cat out)"
[ -z "$(sed -n 's/.*,not counted.*,\([0-9]*\)$/\1/p' out)" ] || die "$last: $(cat out)"
[ "$(grep -c ',[0-9]*,[1-9][0-9]*$' out)" = 3 ] || die "$last: conflicts of three launches: $(cat out)"
expect 0 analyze app.capture --time --format json
is_json
[ "$(grep -c '"without_conflicts"' out)" = 4 ] || die "$last: $(cat out)"
expect 0 analyze app.capture --time --format markdown
shows '| predicted | conflicts | % | remark |'
expect 2 analyze app.capture --clock 99
expect 0 analyze "$srcdir/tests/data/capture/own.capture" --time --format csv
sed -n 's/.*,\([0-9][0-9]*\)$/\1/p' out >costs
sort -rnc costs || die "$last: not the costliest first: $(cat costs)"
# What was left out is left out.
expect 0 analyze app.capture --unknown skip --format csv
grep -q '^4,gather.*not counted' out || die "$last: $(cat out)"
for option in '--annotate' '--warps' '--shard 1/2' '--max-excess 1' '--format sarif' '--block 32' '--launch 1 --worst'; do
  # shellcheck disable=SC2086 # several words
  expect 2 analyze app.capture $option
done

# --- one launch is what the kernel is with the same launch
cp "$srcdir/tests/data/sass/transpose.sm_90.cubin" transpose.cubin
expect 0 analyze transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --arch sm_90 --format csv
cut -d , -f 1-14 out >expected
expect 0 analyze app.capture --launch 2 --format csv
cut -d , -f 1-14 out >actual
cmp -s expected actual || die "$last: $(diff expected actual)"
expect 0 analyze app.capture --worst --format json
is_json
golden capture-worst.json
says 'launch 2 has the most excess wavefronts'
# --arch is what was captured on, unless one is given.
expect 0 analyze app.capture --launch 2
shows sm_90
expect 2 analyze app.capture --launch 2 --arch sm_80
says 'does not run on sm_80'

# --- memory decides
expect 0 analyze app.capture --launch 3
expect 3 analyze app.capture --launch 4
expect 0 analyze app.capture --launch 4 --unknown skip
says 'launch 4: 256 bytes of its memory are not in the capture'
shows 'not counted'
expect 0 analyze app.capture --launch 5
says 'launch 5: memory at 0x7f3a50000000 may have been changed by earlier nodes of the graph'
expect 3 analyze app.capture --launch 6
says "has no kernel 'gone'"

# --- every command that takes a kernel
expect 0 explain app.capture --launch 2
expect 0 explain app.capture --worst --format json
shows '"number" : 2'
expect 0 advise app.capture --launch 2 --array 'shared=32x32xf32'
expect 0 trace --from app.capture --launch 2
[ "$(grep -vc '^#' out)" -gt 0 ] || die "$last: no request"
expect 2 trace app.capture --launch 2
says 'go with --from'
expect 0 report page.html app.capture --launch 2
grep -q 'launch</dt><dd>2<' page.html || die "$last: no launch in the page"

# --- what is wrong
expect 2 explain app.capture
says 'choose a launch with --launch N or --worst'
expect 2 advise app.capture
says 'choose a launch'
for option in '--block 32' '--grid 2' '--arg 0=1' '--buffer 0=zeros' '--entry gather' '--dynamic-bytes 4' '-D N=1' '--nvcc -O1'; do
  # shellcheck disable=SC2086 # several words
  expect 2 analyze app.capture --launch 2 $option
  says 'cannot be combined with a capture'
done
expect 2 analyze app.capture --launch 8
says "--launch '8'"
expect 2 analyze app.capture --launch 0
expect 2 analyze transpose.cubin --launch 1
says "is for a capture, and 'transpose.cubin' is not a capture"
expect 2 analyze --launch 1
says 'expected FILE, the capture'
expect 3 analyze nowhere.capture --launch 1
says 'No such file'

# --- one that ends early
expect 0 analyze early.capture --format csv
says 'the capture ends early'
expect 0 list launches early.capture
says 'the capture ends early'
head -c 1500 app.capture >short.capture
expect 0 list launches short.capture
says 'the capture ends early'
head -c 700 app.capture >short.capture
expect 3 analyze short.capture
says 'smembank-capture.json is missing'

# --- a page of the application
expect 0 report app.html app.capture --top 2
shows 'KiB'
grep -q 'id="launch-2-accesses"' app.html || die "$last: no report of launch 2"
grep -q 'id="launch-5"' app.html || die "$last: no report of launch 5"
! grep -q 'id="launch-3"' app.html || die "$last: three reports"
grep -q 'Not counted' app.html || die "$last: a launch that is not counted is not said"
grep -oE 'id="[^"]*"' app.html | sort | uniq -d >twice
[ ! -s twice ] || die "$last: names that are there twice: $(cat twice)"
grep -oE 'href="#[^"]*"' app.html | sed 's/href="#/id="/' | sort -u >links
grep -oE 'id="[^"]*"' app.html | sort -u >places
[ -z "$(comm -23 links places)" ] || die "$last: links that lead nowhere: $(comm -23 links places)"
expect 2 report page.html transpose.cubin --top 2
expect 0 report - early.capture --top 0
shows 'the capture ends early'

# --- a project file
printf '[two]\nfile=app.capture\nlaunch=2\n[worst]\nfile=app.capture\nworst=true\nmax-excess=0\n' >smembank.ini
expect 0 analyze --case two --format csv
cut -d , -f 1-14 out | cmp -s - expected || die "$last: another launch: $(cat out)"
expect 1 check
says worst
