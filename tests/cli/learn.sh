#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# learn: the whole course as text, each command line that it shows, and talks through a pipe and a terminal.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
TMPDIR=$work
export TMPDIR
unset VISUAL EDITOR

expect 0 learn --list
quiet
golden learn-list.txt
steps=$(grep -c '' "$work/out")
[ "$steps" -eq "$(find "$srcdir/data/lessons" -name '*.lesson' | wc -l)" ] || die 'not every lesson is listed'
expect 0 learn --all
quiet
cp "$work/out" "$work/all"
# What steps say of times changes with each device's numbers; tests/test-lesson.c checks it.
awk '/^Step [0-9]+ of / { timed = / A conflict that costs / } !timed' "$work/all" >"$work/out"
golden learn-all.txt
[ "$(tr "\n" " " <"$work/all" | grep -o "takes [0-9]* µs" | grep -c "")" -eq 3 ] || die "no step predicts a time"
cp "$work/all" "$work/out"
! grep -E '.{101}' "$work/out" || die 'a line of more than 100 columns'
[ "$(grep -c '^Answer: [0-9]*\.$' "$work/out")" -eq "$steps" ] || die 'not an answer to each step'
expect 0 learn -a "$steps"
tail -n "$(grep -c '' "$work/out")" "$work/all" | cmp -s - "$work/out" || die "--all $steps is not the last step"

# In 80 columns half a warp takes a line.
COLUMNS=80 "$SMEMBANK" learn --all 2 >"$work/out"
grep -q '^lane 16 17 .* 31$' "$work/out" || die 'lanes 16-31 have no line of their own'
! grep -E '^(lane|bank).{77}' "$work/out" || die 'lanes are wider than 80 columns'

# The machine code beside kernels of the course, of which their times are predicted, makes the requests of their texts.
srcdir=$(cd "$srcdir" && pwd)
lessons=$srcdir/data/lessons
same_counts() {
  file=$1 entry=$2
  shift 2
  for form in "$lessons/$file.cu --arg n=2048" "$lessons/$file.cubin --arg 2=2048"; do
    # shellcheck disable=SC2086
    expect 0 analyze $form --text --entry "$entry" "$@" --format json
    sed -n '/"totals"/,/^  }/p' "$work/out" | tr -d ' \n' >"$work/totals.${form##*.}"
  done
  [ "$(sort -u "$work"/totals.* | grep -c wavefronts)" = 1 ] || die "$entry: $(cat "$work"/totals.*)"
}
same_counts sum sum --block 256 --grid 8
same_counts sum sum_dense --block 256 --grid 8
same_counts turn turn --block 32,8 --grid 64,64
same_counts turn turn_padded --block 32,8 --grid 64,64

# The texts hold no number of their own: the course says what the model says, of other rules too.
grep -q '^A row has 32 words, as many as there are banks' "$work/all" || die 'no claim about banks'

# Every command line gives, for every access, the counts that stand below it; those of the course's kernels, too.
mkdir "$work/shown"
awk -v folder="$work/shown" '
  / \$ smembank / {
    if (!listing) { block++; n = 0 }
    listing = 1
    if ($2 == "$") { name = $1 } else { name = "" }
    line = $0
    sub(/.*\$ smembank /, "", line)
    print line >(folder "/" block ".commands")
    if (name != "") print name "\t" line >(folder "/" block ".runs")
    next
  }
  NF { listing = 0 }
  /^run .* shared access / { table = 1; next }
  /^run .* global access / { table = 0; next }
  NF == 0 { if (seen) { table = 0; seen = 0 } }
  table && /-way$/ {
    seen = 1
    print $1, $2, $(NF - 5), $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1) >(folder "/" block ".rows")
  }' "$work/all"
repeated=0
cd "$work/shown"
for commands in *.commands; do
  while read -r line; do
    # shellcheck disable=SC2086 # as a user would type them
    case $line in
    learn*) eval "\"\$SMEMBANK\" $line" ;;
    *) eval "\"\$SMEMBANK\" $line" >/dev/null ;;
    esac || die "smembank $line fails"
  done <"$commands"
done
for rows in *.rows; do
  : >told
  tab=$(printf '\t')
  while IFS=$tab read -r name line; do
    eval "\"\$SMEMBANK\" $line --format csv" >quoted || die "smembank $line fails"
    sed 's/"[^"]*"/x/g' quoted >csv
    awk -F, -v name="$name" '
      NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
      $at["memory"] == "shared" {
        print name, $at["line"], $at["op"], $at["requests"], $at["wavefronts"], $at["ideal_wavefronts"], $at["excess_wavefronts"]
      }' csv >>told
    repeated=$((repeated + 1))
  done <"${rows%.rows}.runs"
  sort "$rows" >a
  sort told >b
  cmp -s a b || {
    diff a b >&2 || true
    die "learn shows other counts than $(cat "${rows%.rows}.runs")"
  }
done
cd - >/dev/null
[ "$repeated" -ge 30 ] || die "only $repeated command lines were repeated"

# talk ANSWER...: the course with these answers through a pipe.
talk() {
  printf '%s\n' "$@" >"$work/answers"
  last="smembank learn <<$*"
  "$SMEMBANK" learn <"$work/answers" >"$work/out.raw" 2>"$work/err" || die "$last: status $?: $(cat "$work/err")"
  sed "s#$work/smembank-learn-[^/]*/#TMP/#g" "$work/out.raw" >"$work/out"
  quiet
}

# Right; wrong, with and without something to say to it; skipped; a hint; back; not understood; the end of the input.
talk 1 '' 16 '' '' '' 3 b 1 x '?' h ''
golden learn-talk.txt
shows 'Right: 1.'
shows 'Not quite: it is 32.'
shows 'That is right for devices whose banks are twice as wide'
shows "'x': expected Enter, NAME=VALUE or a command ('help' lists them)"
talk 1 '' 1 q
shows 'To go on from here: smembank learn 2'
shows 'You predicted 1 of 2 right.'
talk b q
shows 'This is the first step.'
# Words for the same, at each prompt, in any case.
for word in quit exit QUIT q; do
  for before in '' 1; do
    # shellcheck disable=SC2086
    talk $before "$word"
    shows 'To go on from here: smembank learn 1'
  done
done
talk help 1 HELP back hint quit
[ "$(grep -c '  h, help      this list' "$work/out")" -eq 3 ] || die 'help does not help at each prompt'
shows 'Hint: '
# explain and advise: of the step's kernel, with what was set; of a kernel of the student's; of none.
printf '%s\n' '__global__ void mine(float *o) {' '  __shared__ float s[32][32];' \
  '  s[threadIdx.x][threadIdx.y] = 1; o[threadIdx.x] = s[threadIdx.y][threadIdx.x]; }' >"$work/mine.cu"
"$SMEMBANK" learn 6 >"$work/out" 2>"$work/err" <<END
explain
IPAD=0
explain
advise
explain $work/mine.cu --block 32,32
advise '$work/mine.cu' --block 32,32
explain '
quit
END
last='learn 6 with explain and advise'
shows 'setRowReadColPad.cu'
shows 'mine.cu:3:3: store of s[threadIdx.x][threadIdx.y]'
shows 'float s[32][32]'
shows '__shared__ float s[32][32 + 1];'
shows 'Text ended before matching quote'
[ -z "$(find "$work" -path '*smembank-learn-*' -name setRowReadColPad.cu)" ] || die 'a copy that nobody changed stays'
for answer in 32x -1 '1 2' 99999999999999999999 A= =1 '1=2' "$(printf '\033[2J')"; do
  talk "$answer"
  shows "expected a number, Enter, NAME=VALUE or a command ('help' lists them)"
  ! grep -qF "$(printf '\033')" "$work/out" || die 'a talk steers the terminal'
done
awk -v n="$((2 * steps))" 'BEGIN { while (n-- > 0) print "" }' >"$work/answers"
expect 0 learn <"$work/answers"
shows "You skipped $steps."
! grep -q 'To go on from here' "$work/out" || die 'the course does not end'
expect 0 learn "$steps" </dev/null
shows "Step $steps of $steps"
shows "To go on from here: smembank learn $steps"
printf 1 | "$SMEMBANK" learn >"$work/out"
shows 'Right: 1.'
head -c 3000000 /dev/zero | "$SMEMBANK" learn >"$work/out"
shows 'The answer is 1.'

# An architecture needs no copy, whose file would be gone afterwards.
echo arch=sm_70 | "$SMEMBANK" learn 4 >"$work/out"
last='learn 4 for another architecture'
shows 'after   $ smembank analyze --kernel setRowReadCol --shape rect --arch sm_70'

# How it is launched.
"$SMEMBANK" learn 2 >"$work/out" 2>"$work/err" <<'END'
block=16,16
grid=2
arch=sm_30_8B
block=BDIMX
block=0
arch=none
END
last='learn 2 with launches'
quiet
shows 'setRowReadCol.cu --block 16,16'
shows 'setRowReadCol.cu --block 16,16 --grid 2 --arch sm_30_8B'
shows 'setRowReadCol.cu --block BDIMX --grid 2 --arch sm_30_8B'
shows 'Wavefronts in excess: 992 before, 128 after.'
shows 'Wavefronts in excess: 992 before, 112 after.'
shows 'Wavefronts in excess: 992 before, 0 after.'
shows "--block '0': expected X, X,Y or X,Y,Z"
shows "no architecture 'none': expected one of"

# A macro: set, set again, unknown, and one with which the kernel cannot run.
"$SMEMBANK" learn 6 >"$work/out" 2>"$work/err" <<'END'
IPAD=2
IPAD=4
NOPAD=1
BDIMX=x
1
END
last='learn 6 with macros'
quiet
shows '-D IPAD=4'
! grep -qF -e '-D IPAD=2 -D IPAD=4' "$work/out" || die 'a macro is set twice'
shows 'Wavefronts in excess: 0 before, 32 after.'
shows 'Wavefronts in excess: 0 before, 96 after.'
shows "'NOPAD=1': the kernel has no such macro or parameter"
shows '^'
shows 'It does not count, since you had run the kernel.'
! grep -q 'predicted' "$work/out" || die 'what was seen counts as predicted'

# What the steps suggest to try can be tried.
awk '
  /^Step / { step = $2 }
  /^To try:/ { on = 1 }
  NF == 0 { on = 0 }
  on {
    gsub(/[,;.]/, " ")
    for (i = 1; i <= NF; i++) if ($i ~ /^[A-Z]+=[a-z0-9]+$/) print step, $i
  }' "$work/all" >"$work/tried"
while read -r step setting; do
  last="learn $step with $setting"
  echo "$setting" | "$SMEMBANK" learn "$step" >"$work/out"
  shows ' in excess: '
done <"$work/tried"
[ "$(grep -c '' "$work/tried")" -ge 8 ] || die 'few suggestions were tried'

# A parameter; and sectors, where there are no accesses to shared memory.
"$SMEMBANK" learn 11 >"$work/out" 2>"$work/err" <<'END'
nrows=32
nrows=x
out=1
END
last='learn 11 with parameters'
quiet
shows '$ smembank analyze --kernel naiveGmem --shape 32x16 --arg nrows=32'
shows 'Sectors in excess: 3584 before, 1792 after.'
! grep -q 'Wavefronts in excess' "$work/out" || die 'a table of nothing'

# An edited copy, as the first two steps suggest: with other counts, with a macro on top, with an error in it, and with an editor that fails.
# editor SCRIPT: what edits from now on is sed with this script.
editor() {
  echo "$1" >"$work/edit.sed"
  EDITOR="sed -i -f $work/edit.sed"
  export EDITOR
}
editor 's/BDIMX + *//; s/tile.BDIMY..BDIMX./tile[BDIMY][BDIMX + 1]/'
"$SMEMBANK" learn 2 >"$work/out" 2>"$work/err" <<'END'
32
e
BDIMX=33
e
q
END
last='learn 2 with an edit'
quiet
shows 'Wavefronts in excess: 992 before, 0 after.'
shows 'Wavefronts in excess: 992 before, 32 after.'
editor 's/tile.icol..irow./tile[icol][irow ^ icol]/'
printf 'e\n' | "$SMEMBANK" learn 2 >"$work/out"
shows 'Wavefronts in excess: 992 before, 0 after.'
editor 's/= tile.threadIdx.y..threadIdx.x./= tile[threadIdx.x][threadIdx.y]/'
talk e
shows 'Wavefronts in excess: 0 before, 992 after.'
copies=$(find "$work" -path '*smembank-learn-*' -name setRowReadCol.cu | wc -l)
[ "$copies" -eq 2 ] || die 'the edited copy is gone'
editor 's/= idx;/= idx/'
talk 1 e 1 '' q
golden learn-edit-error.txt
EDITOR=true
talk 1 e q
shows 'Wavefronts in excess: 0 before, 0 after.'
[ "$(find "$work" -path '*smembank-learn-*' -name setRowReadRow.cu | wc -l)" -eq 2 ] || die 'a copy that nobody changed stays'
EDITOR=false
talk 1 e q
shows "the editor 'false': "
VISUAL=true talk e q
shows 'Wavefronts in excess: 0 before, 0 after.'

# The kernels of the course.
expect 0 learn --kernel word.cu
cmp -s "$work/out" "$srcdir/data/lessons/word.cu" || die "$last: not the file"
expect 2 learn --kernel words.cu
says "no kernel 'words.cu' in the course: expected one of constant.cu, counter.cu, pitch.cu"
expect 2 learn 0
says "STEP '0': expected a whole number from 1 to $steps"
expect 2 learn "$((steps + 1))"
expect 2 learn x
expect 2 learn 1 2
expect 2 learn --all --list
says 'expected one of --all, --list, --kernel'
expect 2 learn --list 1
if [ -w /dev/full ]; then
  status=0
  "$SMEMBANK" learn >/dev/full 2>"$work/err" </dev/null || status=$?
  last='learn >/dev/full'
  [ "$status" -eq 3 ] || die "$last: status $status"
  says 'cannot write the result'
fi

# A claim that does not hold is an error with its place, and not a sentence.
mkdir -p "$work/data/lessons"
sed 's/rows.load.degree == 1 &&/rows.load.degree == 2 \&\&/' "$srcdir/data/lessons/01-bank.lesson" >"$work/data/lessons/01-bank.lesson"
line=$(grep -n 'degree == 2' "$work/data/lessons/01-bank.lesson" | cut -d : -f 1)
SMEMBANK_DATADIR=$work/data expect 3 learn --all
says "data/lessons/01-bank.lesson:$line:35: error: 'Each lane has a bank of its own' does not hold: 1 == 2 && 1 == 1"
# Other rules give other numbers, or break a claim.
mkdir -p "$work/data/archs"
rm "$work/data/lessons/01-bank.lesson"
sed 's/^banks=.*/banks=16/' "$srcdir/data/archs/nvidia/sm_30_8B.ini" >"$work/data/archs/sm_30_8B.ini"
SMEMBANK_DATADIR=$work/data expect 3 learn --all

# On a terminal: what is typed is not written again, and there is colour. Into a file from one: all of it.
if command -v script >/dev/null && TERM=xterm script -qec true /dev/null >/dev/null 2>&1; then
  last='learn on a terminal'
  (sleep 1; printf '1\n'; sleep 1; printf 'q\n'; sleep 1) | TERM=xterm script -qec "'$SMEMBANK' learn" /dev/null >"$work/out" 2>&1
  shows "$(printf '\033')[32mRight:"
  shows "$(printf '\033')[1m"
  shows 'You predicted 1 of 1 right.'
  TERM=xterm script -qec "'$SMEMBANK' learn >'$work/file'" /dev/null </dev/null >/dev/null 2>&1
  cmp -s "$work/file" "$work/all" || die 'learn >FILE from a terminal is not --all'
fi
