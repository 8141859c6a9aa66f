#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# --time: how long a launch takes, what limits it, and what its conflicts cost. transpose<0> and transpose<1> are the same kernel
# without and with a padding, so that the first one without its conflicts has to take as long as the second one.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cp "$srcdir/tests/data/sass/transpose.sm_90.cubin" "$srcdir/tests/data/sass/members.sm_80.cubin" "$srcdir/tests/data/sass/product.4.cubin.gz" \
  "$srcdir/tests/data/sass/inlined.sm_90.cubin" "$srcdir/tests/data/sass/code.sm_90.cubin" "$srcdir/tests/ptx/transpose.ptx" "$srcdir/data/devices/h200.ini" \
  "$srcdir/data/archs/nvidia/sm_90.ini" "$srcdir/tests/data/time/turns.sm_90.cubin" "$work"
cd "$work"
launch='--block 32,8 --grid 64,64 --arg 2=2048'

# turn ENTRY COMMAND ARGUMENT...: of a transpose that fills the device.
turn() {
  entry=$1 command=$2
  shift 2
  # shellcheck disable=SC2086
  expect "${wanted_status:-0}" "$command" transpose.cubin --entry "$entry" $launch "$@"
}
mv transpose.sm_90.cubin transpose.cubin

# member NAME: the first number that JSON has under this name.
member() {
  grep -oE "\"$1\" *: *[0-9.]+" "$work/out" | head -n 1 | sed 's/.*: *//'
}

# near A B PERCENT
near() {
  awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a > 0 && b > 0 && (a > b ? a / b : b / a) <= 1 + most / 100) }' ||
    die "$last: $1 and $2 differ by more than $3 %"
}

# draw ENTRY ARGUMENT...: the page of it.
draw() {
  entry=$1
  shift
  # shellcheck disable=SC2086
  expect 0 report page.html transpose.cubin --entry "$entry" $launch "$@"
}

# --- report: the picture has a bar for each unit that works, with conflicts and without; what a line costs is what analyze says.

draw 'transpose<0>'
tells 'limited by shared memory (busy '
grep -q 'shared memory is busy .* Without bank conflicts L2 limits: ' page.html || die "$last: the page does not say what limits"
bars() {
  grep -oE "<div class=\"share $1( limit)?\"><i style=\"--share: [01]\.[0-9]+\"></i>" page.html | wc -l
}
{ [ "$(bars with)" -ge 4 ] && [ "$(bars with)" = "$(bars without)" ]; } || die "$last: $(bars with) and $(bars without) bars"
grep -q '<th scope="row" class="limit">shared memory</th><td><div class="share with limit">' page.html || die "$last: does not mark what limits"
grep -q '<th scope="row" class="limit">L2</th>.*<div class="share without limit">' page.html || die "$last: does not mark what limits then"
# Four alike loads of a line are explained once, by the worst of them.
[ "$(grep -c '<article class="access"' page.html)" = 1 ] || die "$last: not one article"
grep -q '<code>4 × LDS</code>, the worst of them <code>LDS R' page.html || die "$last: does not name the loads"
[ "$(grep -c 'aria-label="what conflicts cost"' page.html)" = 1 ] || die "$last: no table of costs"
cost=$(grep -oE '<td class="bad">[0-9.]+ %</td><td class="bar">' page.html | head -n 1 | grep -oE '[0-9.]+')
turn 'transpose<0>' analyze --time --format json
sed -n '/"time"/,$p' "$work/out" | grep '"cycles"' | grep -oE '[0-9]+' >cycles
awk -v a="$(sed -n 1p cycles)" -v b="$(sed -n 2p cycles)" -v c="$cost" 'BEGIN { exit !(c > 0 && c <= 100 * (1 - b / a) + 0.1) }' ||
  die "a line costs $cost % of the launch: $(cat cycles)"
draw 'transpose<1>'
if grep -q '>without bank conflicts<\|what conflicts cost' page.html; then die "$last: has no conflicts to draw"; fi
grep -q '<th scope="row" class="limit">L2</th>' page.html || die "$last: does not mark L2"
# A launch of one block, or of PTX, has no picture; of an unknown device nothing is written.
expect 0 report page.html transpose.cubin --entry 'transpose<0>' --block 32,8 --arg 2=32
if grep -q 'id="time"' page.html; then die "$last: draws the time of one block"; fi
expect 0 report page.html transpose.cubin --entry 'transpose<0>' --block 32,8 --arg 2=32 --time
grep -q 'id="time"' page.html || die "$last: does not draw what is asked for"
expect 2 report other.html transpose.cubin --entry 'transpose<0>' --block 32,8 --arg 2=32 --device h1000
[ ! -e other.html ] || die "$last: wrote a page"

# --- analyze

turn 'transpose<0>' analyze --time
tells 'limited by shared memory (busy '
tells 'Without bank conflicts: '
shows 'cost in cycles'
turn 'transpose<1>' analyze --time
tells 'limited by L2'
tells 'It has no bank conflicts.'

# From DRAM the order of loads differs a little, and with it the time: up to 5 % for a launch of this size.
turn 'transpose<1>' analyze --time --cache warm --format json
padded=$(sed -n '/"time"/,$p' "$work/out" | grep -m 1 '"cycles"' | grep -oE '[0-9]+')
turn 'transpose<0>' analyze --time --cache warm --format json
near "$(sed -n '/"time"/,$p' "$work/out" | grep '"cycles"' | grep -oE '[0-9]+' | sed -n 2p)" "$padded" 1
# A warm cache holds no more than fits into it: of 2 GB hardly anything.
for cache in warm cold; do
  expect 0 analyze transpose.cubin --entry 'transpose<1>' --block 32,8 --grid 512,512 --arg 2=16384 --time --device h200 --cache $cache --format json
  sed -n '/"time"/,$p' "$work/out" | grep -m 1 '"cycles"' | grep -oE '[0-9]+' >large.$cache
done
near "$(cat large.warm)" "$(cat large.cold)" 5
turn 'transpose<0>' analyze --time --format json
sed -n '/"time"/,$p' "$work/out" | grep '"cycles"' | grep -oE '[0-9]+' >cycles
all=$(sed -n 1p cycles) without=$(sed -n 2p cycles)
# What was replayed, and how long that took: some of the launch, which goes on as it does.
sed -n '/"simulated"/,/}/p' "$work/out" >simulated
simulated=$(grep '"cycles"' simulated | grep -oE '[0-9]+')
{ [ "$simulated" -gt 0 ] && [ "$simulated" -le "$all" ]; } || die "replayed $simulated of $all cycles: $(cat simulated)"
# Four loads have conflicts, and the stores have none; no access costs more than all of them.
grep -oE '"cost_cycles" *: *[0-9]+' "$work/out" | grep -oE '[0-9]+' >costs
{ [ "$(grep -vcx 0 costs)" = 4 ] && [ "$(grep -cx 0 costs)" = 4 ]; } || die "costs of accesses: $(cat costs)"
while read -r cost; do
  [ "$cost" -le $((all - without)) ] || die "an access costs $cost of $((all - without)) cycles"
done <costs

# The sum of the table is what all conflicts cost together.
turn 'transpose<0>' analyze --time --annotate
shows 'cost in cycles'
[ "$(awk '$NF == "total" { print $(NF - 1) }' "$work/out")" = $((all - without)) ] || die "the total: $(tail -n 9 "$work/out")"
[ "$(grep -cE '32-way +[0-9]+ +[0-9a-f]{4} +LDS ' "$work/out")" = 4 ] || die "the loads: $(cat "$work/out")"
turn 'transpose<0>' analyze --time --format csv
[ "$(head -n 1 "$work/out" | sed 's/.*,cost/cost/')" = cost_cycles,idle_issues ] || die "no column of costs"
costs() { grep '^shared' "$work/out" | sed 's/,[0-9]*$//; s/.*,//' | sort -u; }
[ "$(costs)" = "$(sort -u costs)" ] || die "costs in CSV: $(cat "$work/out")"
turn 'transpose<0>' analyze --time --format markdown
shows '| cost in cycles |'
turn 'transpose<0>' analyze --format csv
[ -z "$(costs)" ] || die "costs that nobody asked for"

# Half the clock: shared memory keeps its cycles.
turn 'transpose<0>' analyze --clock 0.99 --format json
near "$(sed -n '/"time"/,$p' "$work/out" | grep -m 1 '"cycles"' | grep -oE '[0-9]+')" "$all" 10
for wrong in '--clock 0' '--clock x' '--cache hot' '--device gtx'; do
  # shellcheck disable=SC2086
  wanted_status=2 turn 'transpose<0>' analyze $wrong
done

# --- explain

turn 'transpose<0>' explain --time
tells 'On an H100 the launch takes '
tells 'shared memory is busy '
tells 'Without bank conflicts L2 limits: '
tells 'Without those of this access alone: '
turn 'transpose<0>' explain --time --format json
shows '"bound_by" : "L2"'
cost=$(member cost_cycles)
grep -qx "$cost" costs || die "explain has another cost: $cost"
turn 'transpose<1>' explain --time
tells 'L2 is busy '
tells 'It has no bank conflicts.'
turn 'transpose<0>' explain
grep -q '^Time' "$work/out" && die 'a time that nobody asked for'
tells '4 × LDS of one line have the most excess wavefronts; none of them has more than this load. '

# --- compare: the launch got slower, and by how much

turn 'transpose<1>' analyze --time --format json
cp "$work/out" padded.json
turn 'transpose<0>' analyze --time --format json
cp "$work/out" flat.json
expect 1 compare padded.json flat.json
tells 'Time on an H100: '
tells ' times as long; bank conflicts cost 0 µs -> '
expect 0 compare flat.json padded.json
tells ' times as fast; bank conflicts cost '
expect 1 compare padded.json flat.json --format markdown
tells '. Time on an H100: '
expect 1 compare padded.json flat.json --format github
shows ': the launch takes '
# The time is what counts: a launch that is slower is worse, whatever its wavefronts are; within a percent the sums decide.
slower() { # FACTOR: flat.json, which takes so many times as long
  awk -v by="$1" '/"microseconds"/ && !done { sub(/[0-9.]+/, by * $3); done = 1 } { print }' flat.json >slower.json
}
slower 1.02
expect 1 compare flat.json slower.json
shows '1 case: 1 worse.'
expect 1 compare flat.json slower.json --format sarif
expect 0 compare slower.json flat.json
shows '1 case: 1 better.'
slower 1.005
expect 0 compare flat.json slower.json
shows '1 case: 1 same.'
sed 's/"clock_ghz" : [0-9.]*/"clock_ghz" : 1.5/' flat.json >slower.json
expect 0 compare padded.json padded.json
expect 0 compare slower.json flat.json
shows '1 case: 1 same.'
expect 1 compare padded.json flat.json --format json
shows '"conflict_microseconds"'
# shellcheck disable=SC2086
expect 0 compare transpose.cubin transpose.cubin --entry 'transpose<0>' $launch --time
tells ', as before; bank conflicts cost '

# --- --max-cost

share=$(awk -v a="$all" -v b="$without" 'BEGIN { print int(100 * (a - b) / a) }')
wanted_status=1 turn 'transpose<0>' analyze --max-cost "$share%"
says "bank conflicts cost $(awk -v a="$all" -v b="$without" 'BEGIN { printf "%.1f%%", 100 * (a - b) / a }')"
says "of the time of kernel 'transpose<0>' on an H100: more than --max-cost $share%"
turn 'transpose<0>' analyze --max-cost "$((share + 1))%"
turn 'transpose<1>' analyze --max-cost '0 %' --max-cost transpose.cu:21=0%
wanted_status=1 turn 'transpose<0>' analyze --max-cost 21=1% --max-cost 15=0% --format json
shows '"--max-cost"'
[ "$(grep -c '"option"' "$work/out")" = 1 ] || die "line 15 has no conflicts: $(cat "$work/out")"
wanted_status=1 turn 'transpose<0>' analyze --max-cost 5% --format sarif
shows 'limit-exceeded'
for wrong in 5 101% -1% % 21=5 =5% '5 % %'; do
  wanted_status=2 turn 'transpose<0>' analyze --max-cost "$wrong"
  says "--max-cost '$wrong': expected a whole number from 0 to 100 and %, or PLACE=NUMBER"
done
for several in tile=5%,keys=1% 5%,tile=1%; do
  wanted_status=2 turn 'transpose<1>' analyze --max-cost $several
  says "--max-cost '$several': expected one limit: --max-cost can be given several times"
done
# What is sorted by what conflicts cost asks for that.
turn 'transpose<0>' analyze --sort cost
tells 'Time on an H100: '
wanted_status=2 turn 'transpose<0>' analyze --sort cost --no-time
says '--sort cost needs the predicted time: not with --no-time'
expect 2 layout 32x32 --access column --sort cost
says '--sort cost: a layout without a kernel has no predicted time'
# A time that is not known keeps no limit; what accesses no shared memory keeps all of them.
expect 1 analyze transpose.ptx --entry 'transpose<1>' --block 32,8 --arg 2=32 --max-cost 5%
says '--max-cost 5% cannot be checked: only machine code has a time, and the kernel was not compiled'

cat >smembank.ini <<'END'
[*]
file = transpose.cubin
block = 32,8
grid = 64,64
arg = 2=2048
device = h200
max-cost = 5 %

[flat]
entry = transpose<0>

[padded]
entry = transpose<1>
END
expect 1 check
shows '1 of 2 cases passed. Limits failed: flat. Times are predicted for an H200.'
says "of the time of kernel 'transpose<0>' on an H200: more than --max-cost 5%"
shows ' predicted'
shows 'conflicts cost'
expect 0 check padded
shows 'Passed: 1 case. Times are predicted for an H200.'
expect 0 check padded --format markdown
shows 'Passed: 1 case. Times are predicted for an H200.'
expect 0 check padded --format csv --device h100
tail -n 1 "$work/out" | grep -qE 'passed,,[0-9]+,0$' || die "no time of the case: $(cat "$work/out")"
# A command line asks for the times of cases without a limit of it.
grep -vE 'max-cost|device' smembank.ini >free.ini
expect 0 check --project free.ini
grep -q predicted "$work/out" && die "a time that nobody asked for: $(cat "$work/out")"
expect 0 check --project free.ini --time --no-time
expect 0 check --project free.ini --time --format markdown
shows '| predicted time | conflicts cost | verdict |'
status=0
"$SMEMBANK" check --project free.ini --device none >"$work/out" 2>"$work/err" || status=$?
[ "$status" -eq 3 ] || die "a device that is not there: status $status"
# The device of a prediction is not that of a measurement.
"$SMEMBANK" validate --case padded --recorded >"$work/out" 2>"$work/err" || true
grep -q 'h200' "$work/err" && die "validate: $(cat "$work/err")"

# A device that nobody has measured: from documents, and nowhere without saying so.
for command in analyze explain; do
  expect 0 "$command" members.sm_80.cubin --arch sm_80 --entry tiles --block 32 --grid 1024 --time
  tr '\n' ' ' <"$work/out" | grep -q 'n an A100, which was not measured[:,]' || die "$last: $(cat "$work/out")"
done
expect 0 analyze members.sm_80.cubin --arch sm_80 --entry tiles --block 32 --grid 1024 --time --format json
shows '"device" : "a100"'
shows '"evidence" : "documented"'
grep -q '"typical"' "$work/out" && die "$last: an error that nobody has measured"
turn 'transpose<0>' analyze --time --format json
shows '"evidence" : "measured"'
shows '"typical"'

# A warp that is woken between two cycles, while what loads bring waits for banks of registers: that ends.
gunzip -c product.4.cubin.gz >product.cubin
timeout 60 "$SMEMBANK" analyze product.cubin --block 16,16 --grid 32,20 --arg 3=1024 --time --device h200 -q >out || die "a product: $?"
grep -q '^Time on an H200: ' out || die "a product: $(cat out)"

# Two blocks of a product in tiles: the older one goes first, and its warps take turns. An H200 (Nsight Compute, 2026-11-30): 3.65 million cycles; warps
# wait for barriers for 9 % of their time, and for the queue to shared memory, or another warp's instruction, for 70 %.
# share REASON FROM TO: of the time of warps, in percent
share() {
  awk -v reason="\"$1\"" -v from="$2" -v to="$3" '/"reason"/ { now = index($0, reason) } now && /"share"/ { percent = 100 * $3; exit !(percent >= from && percent <= to) }' "$work/out" ||
    die "$last: $1 is not $2 to $3 %"
}
expect 0 analyze turns.sm_90.cubin --entry tiles --block 1024 --grid 4096 --arg 3=2048 --unknown skip --time --device h200 --format json
near "$(sed -n '/"time"/,$p' "$work/out" | grep -m 1 '"cycles"' | grep -oE '[0-9]+')" 3647374 5
share barrier 5 11
share mio_throttle 60 75

# What has no time says so in a sentence.
expect 0 analyze transpose.ptx --entry 'transpose<0>' --block 32,8 --arg 2=32 --time
tells 'Time: not known: only machine code has a time, and the kernel was not compiled.'
expect 0 analyze --rows 32 --cols 32 --time --arch gfx942
tells 'Time: not known: no device of gfx942 is known.'
expect 0 analyze --rows 32 --cols 32 --time --format json
shows '"unknown"'
# A kernel that prints: it waits for the host, 30 µs and more (an H200).
expect 0 analyze code.sm_90.cubin --entry provides --block 32 --time --unknown skip
tells 'Time: not known: how long vprintf() takes is not modelled.'

# Files of the user's ask for no more than the clock has room for.
mkdir -p own/devices own/archs/nvidia
SMEMBANK_DATADIR=$work/own
export SMEMBANK_DATADIR
sed 's/^queue-entries=.*/queue-entries=200/' h200.ini >own/devices/h200.ini
wanted_status=3 turn 'transpose<0>' analyze --time --device h200
says "devices/h200.ini:$(grep -n '^queue-entries=' h200.ini | cut -d: -f1): error: [time] queue-entries: expected 1 to 64"
sed 's/^multiprocessors=.*/multiprocessors=0.5/' h200.ini >own/devices/h200.ini
wanted_status=3 turn 'transpose<0>' analyze --time --device h200
says "devices/h200.ini:$(grep -n '^multiprocessors=' h200.ini | cut -d: -f1): error: [device] multiprocessors: expected 1 or more"
sed '/^shared-latency=/d' h200.ini >own/devices/h200.ini
wanted_status=3 turn 'transpose<0>' analyze --time --device h200
says "devices/h200.ini:$(grep -n '^.time.$' h200.ini | cut -d: -f1): error: [time] shared-latency: missing: expected a positive number"
rm own/devices/h200.ini
sed 's/^sm-warps=.*/sm-warps=512/; s/^sm-blocks=.*/sm-blocks=512/' sm_90.ini >own/archs/nvidia/sm_90.ini
expect 0 analyze inlined.sm_90.cubin --entry plain --block 64 --grid 100000 --time --device h200
tells 'Time: not known: how 128 resident warps share a multiprocessor is not modelled.'
