#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A command that takes long says on a terminal how far it is; interrupted, it ends at once and says how far it came.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
if ! has_terminal; then
  echo 'no terminal can be opened: no python3, or no /dev/pts'
  exit 77
fi

cat >"$work/slow.cu" <<'END'
__global__ void slow(int *out, int n) {
  __shared__ int s[32];
  for (int i = 0; i < n; i++)
    s[(threadIdx.x + blockIdx.x) % 32] = i; // no block repeats another
  out[threadIdx.x] = s[(threadIdx.x + blockIdx.x) % 32];
}
END

# on_terminal ARGUMENT...: what a terminal gets, with its carriage returns as line feeds.
on_terminal() {
  last="smembank $* on a terminal"
  TERM=dumb python3 "$srcdir/tests/cli/terminal.py" "$SMEMBANK" "$@" | tr '\r' '\n' >"$work/out"
}

# interrupt NAME COMMAND ARGUMENT...: begins the same, to be interrupted as soon as it says how far it is; what is left to do is more
# than can be done. All are run at the same time: nothing here depends on how fast the machine is.
interrupt() {
  name=$1
  shift
  echo "smembank $* on a terminal, interrupted" >"$work/$name.words"
  (TERM=dumb timeout 300 python3 "$srcdir/tests/cli/terminal.py" --interrupt "smembank $1: " "$SMEMBANK" "$@" |
    tr '\r' '\n' >"$work/$name.out") &
}

# interrupted NAME PATTERN: it ended by the signal, and said how far it came.
interrupted() {
  last=$(cat "$work/$1.words")
  mv "$work/$1.out" "$work/out"
  shows 'signal 2'
  grep -qE "$2" "$work/out" || die "$last: does not say how far it came: $(cat "$work/out")"
}

# long_enough N COMMAND...: N, or what N has to be so that the command, which takes it as $n, runs for three seconds.
long_enough() {
  n=$1
  shift
  start=$(date +%s%N)
  "$@"
  took=$((($(date +%s%N) - start) / 1000000))
  n=$((n + n * 3000 / (took + 1)))
}

# The launch is so long that it says how far it is; longer, if it does not.
analyze_blocks() {
  on_terminal analyze "$work/slow.cu" --block 32 --arg n=20000 --grid "$n" --threads 1 --max-steps 100000000
  shows 'status 0'
}
n=50
while :; do
  long_enough "$n" analyze_blocks
  blocks=$n
  analyze_blocks
  ! grep -qE "^smembank analyze: [0-9]+ of $blocks blocks, [0-9]+%, about [0-9]+ s left" "$work/out" || break
  [ "$blocks" -lt 1000000 ] || die "$last: does not say how far it is: $(head -5 "$work/out")"
done
# The line is cleared before the result.
awk '/^smembank analyze: / { last = NR; next } NR == last + 1 { after = $0 } END { exit after !~ /^ +$/ }' "$work/out" ||
  die "$last: the line stays"
shows 'No bank conflicts'

# The cases of a project: how many are done. The more of them, the longer it takes, until it says so.
check_cases() {
  {
    printf '[*]\nfile = slow.cu\nblock = 32\narg = n=20000\nmax-steps = 100000000\n'
    seq -f '[case%.0f]
grid = 5' "$n"
  } >"$work/slow.ini"
  on_terminal check --project "$work/slow.ini" --jobs 1
  shows 'status 0'
}
n=10
while :; do
  long_enough "$n" check_cases
  cases=$n
  check_cases
  ! grep -qE "^smembank check: [0-9]+ of $cases cases, [0-9]+%, about [0-9]+ s left" "$work/out" || break
  [ "$cases" -lt 10000 ] || die "$last: does not say how far it is: $(head -5 "$work/out")"
done
shows "Nothing was checked: no case has a limit"

# Nothing of it where standard error is not a terminal, nor for what is done soon.
expect 0 analyze "$work/slow.cu" --block 32 --arg n=20000 --grid "$blocks" --threads 1 --max-steps 100000000
quiet
on_terminal analyze "$work/slow.cu" --block 32 --arg n=10
! grep -q '^smembank' "$work/out" || die "$last: says: $(grep '^smembank' "$work/out")"

# Ctrl-C ends it at once, by the signal, and nothing is written.
i=0
for words in 'analyze' 'explain' 'advise' "advise --out $work/better.cu" "report $work/page.html"; do
  i=$((i + 1))
  # shellcheck disable=SC2086 # words are split on purpose
  interrupt "text$i" $words "$work/slow.cu" --block 32 --arg n=20000 --grid 100000 --threads 2 --max-steps 100000000
done

# Compiled code; the blocks by which it is found out which of them repeat others are the first.
cat >"$work/slow.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry slow(.param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .shared .align 4 .b8 s[128];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, 0;
L:
  mad.lo.u32 %r4, %r2, %r3, %r3;
  and.b32 %r4, %r4, 124;
  st.shared.u32 [%r4], %r3;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra L;
  ret;
}
END
interrupt samples analyze "$work/slow.ptx" --block 32 --arg 0=2000000000 --grid 1000 --max-steps 100000000000
interrupt block analyze "$work/slow.ptx" --block 32 --arg 0=2000000000 --max-steps 100000000000

# A compiler that takes its time.
printf '#!/bin/sh\nexec sleep 1000\n' >"$work/nvcc"
chmod +x "$work/nvcc"
for words in 'analyze' 'trace --from'; do
  # shellcheck disable=SC2086 # words are split on purpose
  SMEMBANK_NVCC=$work/nvcc TMPDIR=$work interrupt "compiling-${words%% *}" $words "$work/slow.cu" --nvcc '' --block 32
done

# A trace of unknown length.
mkfifo "$work/trace"
exec 9<>"$work/trace" # never at its end
printf 'ld 4 1 %s\n' "$(seq -s ' ' 0 4 124)" >&9
interrupt trace trace "$work/trace"

# Measuring: a launch that never ends is interrupted; until then the line says how much is left to do.
recorded=$srcdir/data/measured/h200-requests.txt
SMEMBANK=${SMEMBANK_ON_FAKE:?the program on a made-up GPU} SMEMBANK_FAKE=hang interrupt measure trace --measure "$recorded"

wait
exec 9>&-
i=0
for command in analyze explain advise advise report; do
  i=$((i + 1))
  interrupted "text$i" "smembank $command: interrupted after [0-9]+ s: [0-9]+ (of 100000|sample) blocks"
  ! grep -q 'shared memory' "$work/out" || die "$last: wrote a part of its result"
done
{ [ ! -e "$work/better.cu" ] && [ ! -e "$work/page.html" ]; } || die 'an interrupted command wrote a file'
interrupted samples 'smembank analyze: interrupted after [0-9]+ s: 0 sample blocks'
interrupted block 'smembank analyze: interrupted after [0-9]+ s: 0 of 1 blocks'
for command in analyze trace; do
  interrupted "compiling-$command" "smembank $command: interrupted after [0-9]+ s: compiling"
done
interrupted trace 'smembank trace: interrupted after '
n=$((2 * $(grep -c ' = ' "$recorded")))
interrupted measure "smembank trace: interrupted after [0-9]+ s: 0 of $n measurements"
shows "smembank trace: 0 of $n measurements, 0%, "
