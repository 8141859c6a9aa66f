#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What a file, a file name or a command line holds cannot steer a terminal, hide in a result, or fill a screen.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
source=$(cd "$srcdir" && pwd)
cd "$work"

escape=$(printf '\033')
# ESC, DEL, CSI as one character of C1, right-to-left override, isolate, Latin-1, a line separator.
printf 'evil\033[31m\177\302\233\342\200\256\342\201\246caf\351\342\200\250' >evil
evil=$(cat evil)

# clean FILE: holds UTF-8 only, and no character that a terminal would obey or not show.
clean() {
  # The text of a kernel has tabs and line feeds; nothing else below a space.
  LC_ALL=C tr -d '\t\n\040-\176\200-\377' <"$1" >"$work/controls"
  [ ! -s "$work/controls" ] || die "$last: control characters: $(od -c "$work/controls" | head -3)"
  iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || die "$last: not UTF-8: $(od -c "$1" | head -5)"
  for hidden in '\302\233' '\342\200\256' '\342\201\246' '\342\200\250'; do
    # shellcheck disable=SC2059 # the format is the character
    ! LC_ALL=C grep -qF "$(printf "$hidden")" "$1" || die "$last: $hidden is not escaped"
  done
}

# A kernel whose comments stand inside an index, and lines for which there are warnings.
kernel() {
  printf '// %s\n' "$evil" | tr -d '\033\177'
  printf '__global__ void k(float *out) {\n  __shared__ float s[32][33];\n'
  printf '  s[threadIdx.y][threadIdx.x /* carr\351 \302\233\342\200\256x */] = 1;\n  __syncthreads();\n'
  printf '  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x /* \351 */][threadIdx.y /*\342*/];\n}\n'
}
kernel >"$evil.cu"
for words in analyze 'analyze --annotate' 'analyze --warps' explain advise 'advise --check Swizzle<3,2,3>' \
  'analyze --format csv' 'explain --format csv' 'advise --format csv' 'analyze --format json' \
  'explain --format json' 'advise --format json'; do
  # shellcheck disable=SC2086 # words are split on purpose
  expect 0 $words "$evil.cu" --block 32,32
  clean "$work/out"
  clean "$work/err"
  case $words in
  *json*) is_json ;;
  esac
done
expect 0 report page.html "$evil.cu" --block 32,32
clean "$work/out"
clean page.html

# Errors and warnings, of each command that names what it was given.
for words in analyze explain advise trace validate 'learn' 'list' 'list archs' 'analyze --arch' 'analyze --kernel' \
  'analyze --rows' 'analyze --elem' 'learn --kernel' 'fuzz --op'; do
  status=0
  # shellcheck disable=SC2086
  "$SMEMBANK" $words "$evil" </dev/null >"$work/out" 2>"$work/err" || status=$?
  last="$words EVIL"
  [ "$status" -ge 2 ] || die "$last: status $status"
  clean "$work/err"
  case $words in
  fuzz* | *elem | *rows) ;;
  *) [ -s "$work/err" ] || die "$last: says nothing" ;;
  esac
done
printf 'ld 4 ffffffff %s\n' "$evil" >"$evil.trace"
expect 3 trace "$evil.trace"
clean "$work/err"
printf '__global__ void k(int *out) {\n  __shared__ int s[4];\n  out[0] = s[caf\351 /* \033 */];\n}\n' | tr -d '\033' >wrong.cu
expect 3 analyze wrong.cu
clean "$work/err"
expect 2 "$evil"
clean "$work/err"
expect 2 analyze "--$evil"
clean "$work/err"

# A word of the command line with line feeds leaves the message one line.
lines=$(printf 'a\nb\nc\td')
for words in 'analyze wrong.cu -D' 'analyze wrong.cu --block' 'analyze --cols 1 --rows' 'analyze --kernel' 'analyze --arch' \
  'analyze --format' 'explain --kernel reduceSmem --lanes' 'advise --kernel reduceSmem --check' 'fuzz --op' list \
  'learn' 'report x.html --color' ''; do
  # shellcheck disable=SC2086 # words are split on purpose
  expect 2 $words "$lines"
  [ "$(wc -l <"$work/err")" -eq 1 ] || die "$last: $(cat "$work/err")"
  says 'a\nb\nc    d'
done
expect 2 analyze wrong.cu -D "$(printf 'N=1\n2')"
[ "$(cat "$work/err")" = \
  "smembank analyze: 'N=1\\n2': the value is not CUDA C: it has more than one line (see 'smembank analyze --help')" ] ||
  die "$last: $(cat "$work/err")"

# One of a kind is in the singular, wherever it is counted.
singular() {
  wrong=$(sed 's/<[^>]*>/ /g' "$1" | tr -s ' \n' ' ' | grep -oE '(^|[^-+0-9.,x=(])\b1 (of [0-9]+ wavefronts \([0-9]+%\) are|(of them )?(are|remain)|wavefronts|requests|layouts|bytes|lanes|banks|accesses|offsets|arguments|maps|patterns|mismatches)\b' || true)
  [ -z "$wrong" ] || die "$last: $wrong"
}
cat >one.cu <<'END'
__global__ void one(int *out) {
  __shared__ int s[2][32];
  s[threadIdx.x][0] = out[threadIdx.x];
  __syncthreads();
  out[0] = s[0][0];
}
END
for words in analyze 'analyze --warps' explain advise 'advise --all' 'report one.html'; do
  # shellcheck disable=SC2086
  expect 0 $words one.cu --block 2
  singular "$work/out"
done
singular one.html
tells 'Bank conflicts: 1 of 3 wavefronts (33%) is in excess.'
expect 0 analyze one.cu --block 1
shows 'No bank conflicts: 2 wavefronts'
printf 'ld 4 1 0\n' >one.trace
expect 3 trace one.trace
says '1 offset: expected'

# The caret stands below its character, though others in front of it are shown as several.
printf '__global__ void k(int *out) { /* \351\351\302\233 */ out[0] = nothing; }\n' >caret.cu
expect 3 analyze caret.cu
[ "$(sed -n 2p "$work/err" | sed 's/nothing.*//' | wc -m)" -eq "$(sed -n 3p "$work/err" | sed 's/\^.*//' | wc -m)" ] ||
  die "the caret stands elsewhere: $(cat "$work/err")"

# A quote is short, however long what it quotes.
digits=$(head -c 100000 /dev/zero | tr '\0' 1)
printf '__global__ void k(int *out) {\n  out[0] = %s;\n}\n' "$digits" >digits.cu
expect 3 analyze digits.cu
says '1…'
[ "$(wc -c <"$work/err")" -lt 1000 ] || die "a message of $(wc -c <"$work/err") bytes"
expect 2 analyze --rows "$digits" --cols 1
[ "$(wc -c <"$work/err")" -lt 1000 ] || die "a message of $(wc -c <"$work/err") bytes"
expect 2 analyze --kernel "$digits"
[ "$(wc -c <"$work/err")" -lt 1000 ] || die "a message of $(wc -c <"$work/err") bytes"

# The lessons show kernels and expressions of the course; theirs are of the data folder.
mkdir data
cp -r "$source/data/." data/
for lesson in data/kernels/*.cu; do
  printf '// caf\351 \302\233\n' >>"$lesson"
done
SMEMBANK_DATADIR=$work/data expect 0 learn --all
clean "$work/out"
! grep -qF "$escape" "$work/out" || die 'learn: an escape'

# Lists of numbers stand on one line in JSON.
expect 0 analyze "$evil.cu" --block 32,32 --format json
shows '"block" : [32, 32, 1],'
