#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# trace --measure: the requests of a trace on a made-up GPU, beside the predictions.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"

recorded=$srcdir/data/measured/h200-requests.txt
n_recorded=$(grep -c " = " "$recorded")
near=$(seq -s ' ' 0 4 124)
far=$(seq -s ' ' 300000 4 300124)
rows=$(seq -s ' ' 0 16 496)
# One that is fine, one of which the line says otherwise, three that no device executes, an empty one.
{
  echo "ld 4 ffffffff $near"
  echo "# a comment"
  echo "st 4 ffffffff $near = 2"
  echo "ld 4 ffffffff $far"
  echo "ldmatrix.x1 16 ff $rows"
  echo "ld 4 0 $near"
} >"$work/mixed.txt"

# Wrong usage and a bad file come before the device.
expect 2 trace --measure
expect 2 trace --measure --counts "$recorded"
says 'expected one of --counts, --requests, --measure and --from'
expect 2 trace --measure --requests "$recorded"
for option in --all -a '--device 0' '--timeout 1'; do
  # shellcheck disable=SC2086 # an option and its value
  expect 2 trace "$recorded" $option
  says '--all, --device and --timeout go with --measure'
done
expect 2 trace --measure --device x "$recorded"
expect 3 trace --measure "$work/missing"
says 'No such file or directory'

# Without a device: one message that says what is missing.
for format in text json csv; do
  expect 4 trace --measure --format $format "$recorded"
  says 'no usable GPU ('
done

SMEMBANK=$SMEMBANK_ON_FAKE
# on FAULT: the machine of the next runs.
on() {
  SMEMBANK_FAKE=$1
  export SMEMBANK_FAKE
}
on ''

# Every recorded request, and in the order of the trace whatever the order of measuring.
expect 0 trace --measure "$recorded"
quiet
shows 'Made-up GPU (compute capability 9.0, driver 100.01), by the rules of sm_90'
shows 'Wavefronts were counted by l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.'
shows "$n_recorded measured, 0 unmeasured: 0 differ, 0 unsteady."
! grep -E '.{101}' "$work/out" || die 'a line of more than 100 columns'
grep -v '^#' "$recorded" | tac >"$work/backwards.txt"
expect 0 trace --measure --format csv "$work/backwards.txt"
sed 1d "$work/out" | cut -d , -f 1 >"$work/lines"
seq "$n_recorded" | cmp - "$work/lines" || die 'not in the order of the trace'
sed 1d "$work/out" | cut -d , -f 2,3 | tr ',' ' ' >"$work/ops"
cut -d ' ' -f 1,2 "$work/backwards.txt" | cmp - "$work/ops" || die 'not the requests of the trace'
expect 0 trace --measure - <"$recorded"
shows "$n_recorded measured"

# What a device cannot execute is told with its line, and is no mismatch; a count of the line that differs is.
expect 1 trace --measure "$work/mixed.txt"
golden measure-mixed.txt
shows 'line 4 was not measured: it reaches byte 300003: a block has 232448 bytes of shared memory'
shows 'line 5 was not measured: ldmatrix.x1 needs all lanes of the warp'
shows '3 measured, 2 unmeasured: 1 differ, 0 unsteady.'
expect 1 trace --measure --all "$work/mixed.txt"
golden measure-mixed-all.txt
expect 1 trace --measure --format json - <"$work/mixed.txt"
is_json
golden measure-mixed.json
expect 1 trace --measure --format csv "$work/mixed.txt"
golden measure-mixed.csv
grep -v '= 2' "$work/mixed.txt" >"$work/fine.txt"
expect 0 trace --measure "$work/fine.txt"
shows '2 measured, 2 unmeasured: 0 differ'
# Only the first of many are told; if nothing could be measured, nothing was confirmed.
i=0
while [ $i -lt 30 ]; do
  echo "ld 4 ffffffff $far"
  i=$((i + 1))
done >"$work/far.txt"
expect 1 trace --measure "$work/far.txt"
shows 'and 10 more (--all shows them)'
shows '0 measured, 30 unmeasured: 0 differ'

# Bad input late in the trace leaves nothing behind.
{
  cat "$recorded"
  echo "ld 4 zz $near"
} >"$work/bad.txt"
expect 3 trace --measure "$work/bad.txt"
says "'zz' is not a mask"

# The rules of another architecture, if the user asks for them.
expect 0 trace --measure --arch sm_80 "$work/fine.txt"
shows 'by the rules of sm_80'
expect 3 trace --measure --arch sm_20 "$recorded"
says 'sm_20 has no rule'

# More requests than are counted: a regular sample is.
awk -v near="$near" 'BEGIN { for (i = 0; i < 12000; i++) print (i % 2 ? "ld" : "st") " 4 ffffffff " near }' \
  >"$work/long.txt"
expect 0 trace --measure --format json "$work/long.txt"
is_json
shows '"measured" : 12000'
shows '"counted" : 5000'
shows 'More than 5000 requests'
expect 0 trace --measure "$work/long.txt"
shows 'More than 5000 requests: all were timed'
shows '12000 measured, 0 unmeasured: 0 differ'

# Mismatches, by the clock and by the counters; readings that differ once.
on more-cycles
expect 1 trace --measure "$work/fine.txt"
shows '2 measured, 2 unmeasured: 2 differ'
grep -q '^ *1  ld 4  *1  *1.00  *1  *2.10  NO' "$work/out" || die 'the mismatch is not shown'
on more-wavefronts
expect 1 trace --measure --format csv "$work/fine.txt"
shows '1,ld,4,1,2.00,1,1.10,,no,no,'
on noisy-clock
expect 0 trace --measure "$recorded"
! grep -q ' 0 unsteady' "$work/out" || die 'no reading was unsteady'

# Counters that are refused, with the reason once; then the clock decides.
on no-permission
expect 0 trace --measure --all "$work/fine.txt"
shows 'Wavefronts were not counted: this user may not read hardware counters (made up).'
grep -q '^ *1  ld 4  *1  *-  *1  *1.10  yes' "$work/out" || die 'no row without a count'
expect 0 trace --measure --format json "$work/fine.txt"
shows '"counted":null'
shows '"counter" : null'

# A device that fails in the middle.
for fault in lost-device@2 launch-failure@2 crash@2; do
  on $fault
  for format in text json csv; do
    expect 4 trace --measure --format $format "$recorded"
  done
  says ': ld.u8: '
done
on hang@2
expect 4 trace --measure --timeout 1 "$recorded"
says 'timed out after 1 second'
# What the compiler refuses cannot be measured.
on compile-error
expect 1 trace --measure "$work/fine.txt"
shows 'line 1 was not measured: ld.u32: the probe does not compile'
shows '0 measured, 4 unmeasured'
