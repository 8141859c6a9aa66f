#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Formats for other programs: SARIF, GitHub, GitLab, Markdown and callgrind, each read by its own validator.
# Debian: python3-jsonschema, cmark-gfm (what GitHub renders Markdown with), valgrind.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
python=
for program in /usr/bin/python3 python3; do
  if [ -z "$python" ] && "$program" -c 'import jsonschema' 2>/dev/null; then
    python=$program
  fi
done
if [ -z "$python" ] || ! command -v callgrind_annotate >/dev/null || ! command -v cmark-gfm >/dev/null; then
  echo 'no python3-jsonschema, cmark-gfm or valgrind: skipped'
  exit 77
fi
reader=$(cd "$srcdir" && pwd)/tests/formats.py
srcdir=$(cd "$srcdir" && pwd)
export srcdir

# finds RESULT FORMAT: the last run wrote what the reader of FORMAT finds to be RESULT.
finds() {
  echo "$2" >>"$work/checked"
  "$python" "$reader" "$2" "$work/out" >"$work/found" || die "$last: no $2: $(cat "$work/out")"
  [ "$1" = "$(cat "$work/found")" ] || die "$last: finds $(cat "$work/found"), not $1"
}

# A repository with a file whose name and whose text have characters that formats escape.
repository="$work/a repository"
file="src/odd, 100%: name.cu"
mkdir -p "$repository/.git" "$repository/src"
cat >"$repository/$file" <<'END'
__global__ void odd(int *out, int n) {
  __shared__ int s[1024], t[32];
  s[(threadIdx.x | 0) * 32 % 1024] = n;
  __syncthreads();
  atomicAdd(&t[0], threadIdx.x);
  out[threadIdx.x * 8] = s[0], t[0];
}
END
odd() {
  wanted=$1
  shift
  expect "$wanted" analyze "$repository/$file" --block 32 --arg n=1 "$@"
}
queue='the atomic of atomicAdd(&t[0], threadIdx.x) takes 32 wavefronts, 31 of them in excess (queues up to 32 deep in a bank)'
conflict='the store of s[(threadIdx.x | 0) * 32 % 1024] takes 32 wavefronts, 31 of them in excess (up to 32-way)'
stride='the store of out[threadIdx.x * 8] takes 32 sectors of global memory; coalesced, its bytes fit in 4'
failed='the store of s[(threadIdx.x | 0) * 32 % 1024] is 32-way: more than --max-ways s=1'
unset="$("$SMEMBANK" analyze "$repository/$file" --block 32 --arg n=1 2>&1 >/dev/null | sed -n 's/.*:5:3: warning: //p')"
[ -n "$unset" ] || die 'no warning'

odd 1 --max-ways s=1 --format sarif
finds "limit-exceeded error $file 3 3 $failed
bank-conflict warning $file 3 3 $conflict
atomic-contention warning $file 5 3 $queue
uncoalesced warning $file 6 3 $stride
uninitialized warning $file 5 3 $unset" sarif
odd 1 --max-ways s=1 --format github
finds "Limit exceeded error $file 3 3 $failed
Bank conflict warning $file 3 3 $conflict
Atomic contention warning $file 5 3 $queue
Uncoalesced access warning $file 6 3 $stride
Read before any write warning $file 5 3 $unset" github
shows '::error file=src/odd%2C 100%25%3A name.cu,line=3,col=3,title=Limit exceeded::the store of s[(threadIdx.x | 0) * 32 %25 1024] is'
odd 1 --max-ways s=1 --format gitlab
finds "limit-exceeded critical $file 3 0 $failed
bank-conflict major $file 3 0 $conflict
atomic-contention major $file 5 0 $queue
uncoalesced minor $file 6 0 $stride
uninitialized major $file 5 0 $unset" gitlab
odd 1 --max-ways s=1 --format markdown
tab=$(printf '\t')
finds "place${tab}shared access${tab}op${tab}requests${tab}wavefronts${tab}ideal${tab}excess${tab}worst
line 3${tab}s[(threadIdx.x | 0) * 32 % 1024]${tab}store${tab}1${tab}32${tab}1${tab}31${tab}32-way
line 5${tab}atomicAdd(&t[0], threadIdx.x)${tab}atomic${tab}1${tab}32${tab}1${tab}31${tab}1-way
line 6${tab}s[0]${tab}load${tab}1${tab}1${tab}1${tab}0${tab}1-way
line 6${tab}t[0]${tab}load${tab}1${tab}1${tab}1${tab}0${tab}1-way
${tab}total${tab}load${tab}2${tab}2${tab}2${tab}0${tab}1-way
${tab}total${tab}store${tab}1${tab}32${tab}1${tab}31${tab}32-way
${tab}total${tab}atomic${tab}1${tab}32${tab}1${tab}31${tab}1-way" markdown
shows 'Failed limits:'

# Fingerprints stay when lines are added above.
prints() {
  odd 0 --format sarif
  grep -o '"smembank/v1" : "[0-9a-f]*"' "$work/out"
}
prints >"$work/before"
printf '//\n//\n' | cat - "$repository/$file" >"$work/longer"
cp "$work/longer" "$repository/$file"
prints >"$work/after"
[ -s "$work/before" ] || die 'no fingerprints'
cmp "$work/before" "$work/after" || die 'fingerprints depend on line numbers'

# Nothing to find; a limit without a place; a file outside of any repository, and compiled code.
expect 0 analyze --rows 32 --cols 32 --pad 1 --format gitlab
finds '' gitlab
expect 0 analyze --rows 32 --cols 32 --pad 1 --format sarif
finds '' sarif
expect 0 analyze --rows 32 --cols 32 --pad 1 --format github
[ ! -s "$work/out" ] || die "$last: finds $(cat "$work/out")"
odd 1 --max-ways no=1 --format sarif
"$python" "$reader" sarif "$work/out" >"$work/found"
grep -qF "limit-exceeded error $file 0 0 --max-ways no=1: nothing was checked" "$work/found" || die "$(cat "$work/found")"
for format in sarif github gitlab markdown; do
  for code in "tests/ptx/transpose.ptx --entry transpose<0> --block 32,8 --arg 2=32" "tests/data/sass/inlined.sm_90.cubin --entry inlined --block 32"; do
    # shellcheck disable=SC2086 # several words
    expect 0 analyze "$srcdir"/$code --format "$format"
    if [ "$format" != gitlab ]; then
      "$python" "$reader" "$format" "$work/out" >"$work/found" || die "$last: $(cat "$work/out")"
      [ -s "$work/found" ] || die "$last: finds nothing"
    fi
  done
done

# The cases of a project together: what is found in each, and one that cannot be counted.
cat >"$repository/smembank.ini" <<END
[odd]
file=$repository/$file
block=32
arg=n=1
max-ways=s=1
[gone]
file=$work/gone.cu
END
# checks FORMAT: a case that cannot be counted is status 3, and the others are in the result.
checks() {
  last="smembank check --format $1"
  status=0
  "$SMEMBANK" check --project "$repository/smembank.ini" --format "$1" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq 3 ] || die "$last: status $status: $(cat "$work/err")"
}
for format in sarif github gitlab; do
  checks "$format"
  "$python" "$reader" "$format" "$work/out" >"$work/found" || die "$last: $(cat "$work/out")"
  [ "$(wc -l <"$work/found")" -eq 6 ] || die "$last: finds $(cat "$work/found")"
  grep -qF "src/odd, 100%: name.cu 5 " "$work/found" || die "$last: finds $(cat "$work/found")"
  grep -qF ' odd: the store of s[' "$work/found" || die "$last: finds $(cat "$work/found")"
  grep -qE 'smembank.ini 6 [0-9] case gone: ' "$work/found" || die "$last: finds $(cat "$work/found")"
done
checks markdown
finds "case${tab}kernel${tab}requests${tab}wavefronts${tab}ideal${tab}excess${tab}worst${tab}verdict
odd${tab}odd${tab}4${tab}66${tab}4${tab}62${tab}32-way${tab}failed
gone${tab}${tab}${tab}${tab}${tab}${tab}${tab}error" markdown

# callgrind: the totals of a kernel, its lines, and what was inlined.
annotate() {
  echo callgrind >>"$work/checked"
  callgrind_annotate --threshold=100 "$@" "$work/out" >"$work/annotated" 2>"$work/errors" || die "$last: $(cat "$work/errors")"
  [ ! -s "$work/errors" ] || die "$last: callgrind_annotate says $(cat "$work/errors")"
}
cp "$repository/$file" "$work/plain.cu"
expect 0 analyze "$work/plain.cu" --block 32 --arg n=1 --format callgrind
annotate
grep -qE '^ *66 \(100\.0%\) *4 \(100\.0%\) *62 \(100\.0%\) *4 \(100\.0%\) *32 \(100\.0%\) *PROGRAM TOTALS' "$work/annotated" ||
  die "$last: $(cat "$work/annotated")"
grep -q 'plain\.cu:odd$' "$work/annotated" || die "$last: $(cat "$work/annotated")"
annotate --auto=yes
grep -qE '^ *32 \([0-9.]+%\) *1 .* 31 .* s\[\(threadIdx' "$work/annotated" || die "$last: $(cat "$work/annotated")"

# Of machine code each instruction; what was inlined is called from where it was, and the kernel includes all of it.
code="$srcdir/tests/data/sass/inlined.sm_90.cubin --entry inlined --block 32"
# shellcheck disable=SC2086 # several words
expect 0 analyze $code --frames leaf --format csv
awk -F, 'NR > 1 && $1 == "shared" { gsub(/"[^"]*"/, "x"); w += $10 } END { print w }' "$work/out" >"$work/wavefronts"
# shellcheck disable=SC2086
expect 0 analyze $code --frames leaf --format callgrind
shows 'positions: instr line'
shows 'cfn=inlined at inlined.cu:'
annotate --inclusive=yes --tree=calling
grep -qE "^ *$(cat "$work/wavefronts") \(100\.0%\).* \* .*inlined\.cu:inlined" "$work/annotated" || die "$last: $(cat "$work/wavefronts") $(cat "$work/annotated")"

# What got worse from one result to another, at its place in the new one; a case that cannot be counted any more.
odd 0 --format json
cp "$work/out" "$work/before.json"
sed -i 's/^  out\[.*/  s[threadIdx.x * 4] = 1;\n  s[threadIdx.x] = 1;\n&/' "$repository/$file"
odd 0 --format json
cp "$work/out" "$work/after.json"
# compares RESULT FORMAT
compares() {
  expect 1 compare "$work/before.json" "$work/after.json" --format "$2"
  finds "$1" "$2"
}
added="odd: the store of s[threadIdx.x * 4] takes 4 wavefronts, 3 in excess: $work/before.json does not have it"
compares "regression warning $file 8 3 $added" sarif
compares "Worse than before warning $file 8 3 $added" github
compares "regression major $file 8 0 $added" gitlab
# Another expression, matched by its array; the added store is less than what that gains, so that the other way round is better.
sed -i 's/| 0) \* 32/\& ~1) * 16/' "$repository/$file"
odd 0 --format json
cp "$work/out" "$work/after.json"
expect 0 compare "$work/before.json" "$work/after.json" --format sarif
finds '' sarif
expect 1 compare "$work/after.json" "$work/before.json" --format github
finds "Worse than before warning $file 5 3 odd: the store of s[(threadIdx.x | 0) * 32 % 1024] takes 32 wavefronts, 31 in excess: 16, and 15 in excess, in $work/after.json" github
expect 0 compare "$work/before.json" "$work/before.json" --format sarif
finds '' sarif
"$SMEMBANK" check --project "$repository/smembank.ini" --format json >"$work/now.json" 2>"$work/err" || :
sed -i '/^max-ways/d; /^file/!b; s/=.*gone.cu/=odd.cu\narg=n=1/' "$repository/smembank.ini"
cp "$repository/$file" "$repository/odd.cu"
"$SMEMBANK" check --project "$repository/smembank.ini" --format json >"$work/before.json" 2>"$work/err" || :
expect 1 compare "$work/before.json" "$work/now.json" --format sarif
finds 'not-counted error smembank.ini 0 0 case gone: it can no longer be counted: '"$work/gone.cu: No such file or directory" sarif

# Each format of analyze has its reader here, but for text, and for json and csv, which other tests read.
expect 0 analyze --help
for format in $(sed -n 's/^  --format=text|json|csv|\([a-z|]*\).*/\1/p' "$work/out" | tr '|' ' '); do
  grep -qx "$format" "$work/checked" || die "tests/formats.py, tests/cli/formats.sh: no reader of --format $format"
done
