#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# compare: what got worse from one result to another, whatever lines it stands at.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# result NAME ARGUMENT...: the JSON of analyze in $work/NAME.json.
result() {
  name=$1
  shift
  expect 0 analyze "$@" --format json
  cp "$work/out" "$work/$name.json"
}
result pad0 --rows 32 --cols 32
result pad1 --rows 32 --cols 32 --pad 1

expect 1 compare "$work/pad1.json" "$work/pad0.json"
quiet
shows '1 case: 1 worse.'
shows 'tile: worse, 64 -> 1056 wavefronts, 0 -> 992 in excess'
shows 'not the same: defines'
shows 'worse   data/kernels/tile.cu:52  tile[idx % ROWS][idx / ROWS]  load  32 -> 1024  0 -> 992'
expect 0 compare "$work/pad0.json" "$work/pad1.json"
shows '1 case: 1 better.'
expect 0 compare "$work/pad0.json" "$work/pad0.json"
shows 'tile: same, 1056 -> 1056 wavefronts, 992 -> 992 in excess'
[ "$(wc -l <"$work/out")" -eq 3 ] || die 'shows accesses that are the same'

# Matched by content: other lines, another order, a new access, one that is gone.
kernel() { # NAME BODY-LINES
  {
    printf '__global__ void k(int *out) {\n  __shared__ int a[1024], b[1024];\n'
    cat
    printf '  out[threadIdx.x] = a[0] + b[0];\n}\n'
  } >"$work/$1.cu"
  result "$1" "$work/$1.cu" --block 32
}
kernel old <<'END'
  a[threadIdx.x] = 1;
  a[threadIdx.x * 2] = 1;
  b[threadIdx.x * 4] = 1;
END
kernel moved <<'END'
  // A comment.
  b[threadIdx.x * 4] = 1;

  a[threadIdx.x * 2] = 1;
  a[threadIdx.x] = 1;
END
kernel changed <<'END'
  a[threadIdx.x] = 1;
  a[threadIdx.x * 8] = 1;
  b[threadIdx.x * 4] = 1;
  b[threadIdx.x] = 1;
END
kernel conflicts <<'END'
  a[threadIdx.x] = 1;
  a[threadIdx.x * 2] = 1;
  b[threadIdx.x * 4] = 1;
  b[threadIdx.x * 2] = 1;
END
expect 0 compare "$work/old.json" "$work/moved.json" --format csv
[ "$(grep -c ',same,' "$work/out")" -eq 5 ] || die "moved accesses are not the same: $(cat "$work/out")"
shows 'k,same,moved.cu:7,a,store,a[threadIdx.x],1,1,0,0'
expect 1 compare "$work/old.json" "$work/changed.json" --format json
is_json
cp "$work/out" "$work/json"
tr -d '\n' <"$work/json" | tr -s ' ' >"$work/out"
shows '"change" : "worse", "file" : "'
shows '"old_line" : 4, "new_line" : 4, "array" : "a", "op" : "store", "expression" : "a[threadIdx.x * 8]", "old" : { "requests" : 1, "wavefronts" : 2, "excess_wavefronts" : 1 }, "new" : { "requests" : 1, "wavefronts" : 8, "excess_wavefronts" : 7 }'
shows '"change" : "added"'
shows '"worse" : true'
expect 1 compare "$work/old.json" "$work/conflicts.json"
shows 'k: worse, '
shows 'added   conflicts.cu:6  b[threadIdx.x * 2]  store'
expect 0 compare "$work/conflicts.json" "$work/old.json"
shows 'gone    conflicts.cu:6  b[threadIdx.x * 2]  store'
expect 1 compare "$work/old.json" "$work/conflicts.json" --format markdown
shows '| case | change | place | access | op | wavefronts | excess |'
shows '| k | added | '
shows '- k: worse, '

# A case is judged by the sum of its accesses; rows say what rose.
kernel sum <<'END'
  a[threadIdx.x * 2] = 1;
  a[threadIdx.x * 2] = 1;
  b[threadIdx.x] = 1;
END
expect 0 compare "$work/old.json" "$work/sum.json"
shows '1 case: 1 better.'
shows 'k: better, '
shows 'worse   sum.cu:4  a[threadIdx.x * 2]  store      1 -> 2  0 -> 1'
shows 'better  sum.cu:5  b[threadIdx.x]      store      4 -> 1  3 -> 0'
expect 0 compare "$work/old.json" "$work/sum.json" --format github
[ ! -s "$work/out" ] || die "a better case has warnings: $(cat "$work/out")"
expect 1 compare "$work/sum.json" "$work/old.json"

# Compiled code: by opcode, since registers differ.
cubin=$srcdir/tests/data/sass/code.sm_90.cubin
result code "$cubin" --entry changes --block 64 --unknown skip
sed 's/"expression" : "\([A-Z.0-9]*\) /"expression" : "\1 other /' "$work/code.json" >"$work/other.json"
! cmp -s "$work/code.json" "$work/other.json" || die 'no register to change'
expect 0 compare "$work/code.json" "$work/other.json" --format csv
! grep -qE ',(added|gone|worse|better),' "$work/out" || die "compiled code: $(cat "$work/out")"

# The cases of check, matched by name.
mkdir "$work/project"
cp "$work/old.cu" "$work/project/k.cu"
cat >"$work/project/smembank.ini" <<'END'
[one]
file=k.cu
block=32
[two]
file=k.cu
block=64
END
check() { # NAME STATUS
  expect "$2" check --project "$work/project/smembank.ini" --format json
  cp "$work/out" "$work/$1.json"
}
check before 0
cp "$work/changed.cu" "$work/project/k.cu"
check after 0
expect 1 compare "$work/before.json" "$work/after.json"
shows '2 cases: 2 worse.'
sed -i 's/^\[two\]/[three]/' "$work/project/smembank.ini"
check renamed 0
expect 0 compare "$work/after.json" "$work/renamed.json"
shows '3 cases: 1 same, 1 added, 1 gone.'
# --baseline: what got worse fails, and nothing else.
cp "$work/conflicts.cu" "$work/project/k.cu"
baseline() { # STATUS FILE
  expect "$1" check --project "$work/project/smembank.ini" --baseline "$2"
}
baseline 1 "$work/before.json"
shows '0 of 2 cases passed. Failed: one. Without a limit: three.'
says 'k.cu:6:3: warning: the store of b[threadIdx.x * 2] takes 2 wavefronts, 1 in excess: the baseline does not have it'
check now 0
printf 'max-ways=1\n' >>"$work/project/smembank.ini"
expect 1 check --project "$work/project/smembank.ini"
baseline 0 "$work/now.json"
shows 'Passed: 2 cases.'
cp "$work/changed.cu" "$work/project/k.cu"
baseline 1 "$work/now.json"
says 'k.cu:4:3: warning: the store of a[threadIdx.x * 8] takes 8 wavefronts, 7 in excess: 2, and 1 in excess, in the baseline'
sed 's/"name" : "sm_90"/"name" : "sm_80"/' "$work/now.json" >"$work/arch.json"
status=0
"$SMEMBANK" check --project "$work/project/smembank.ini" --baseline "$work/arch.json" >"$work/out" 2>"$work/err" || status=$?
[ "$status" -eq 3 ] || die "a baseline of another architecture: status $status"
says 'counted for sm_80 and for sm_90'
expect 3 check --project "$work/project/smembank.ini" --baseline "$work/none.json"
says 'none.json'

echo 'int' >"$work/project/k.cu"
"$SMEMBANK" check --project "$work/project/smembank.ini" --format json >"$work/broken.json" 2>"$work/err" || true
[ -s "$work/broken.json" ] || die "check: $(cat "$work/err")"
expect 1 compare "$work/renamed.json" "$work/broken.json"
shows '2 cases: 2 not counted.'

# A case that cannot be compared is told apart: the others are, and the exit status is 3, as of check.
cp "$work/before.json" "$work/mixed.json"
sed -i '0,/"name" : "sm_90"/s//"name" : "sm_80"/' "$work/mixed.json"
mixed() {
  status=0
  last="compare mixed.json after.json $*"
  "$SMEMBANK" compare "$work/mixed.json" "$work/after.json" "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq 3 ] || die "$last: status $status"
}
mixed
shows '2 cases: 1 worse, 1 not compared.'
shows 'one: not compared'
tells 'one: counted for sm_80 and for sm_90: only counts of one architecture can be compared'
mixed --format json
is_json
shows '"change" : "not compared"'
mixed --format markdown
shows '- one: not compared; one: counted for sm\_80 and for sm\_90'
mixed --format github
shows '::error file='
shows 'title=Case that could not be counted::one: counted for sm_80 and for sm_90'

# What cannot be compared.
result sm_20 --rows 32 --cols 32 --arch sm_20
expect 3 compare "$work/pad0.json" "$work/sm_20.json"
says 'tile: counted for sm_90 and for sm_20: only counts of one architecture can be compared'
expect 3 compare "$work/old.json" "$work/code.json"
says "counts of 'text' and of '"
expect 0 analyze --rows 4 --cols 4 --shard 1/2 --format json
cp "$work/out" "$work/part.json"
expect 3 compare "$work/pad0.json" "$work/part.json"
says "part.json: a part of a launch: 'smembank merge' combines all parts"
sed 's/"schema_version" : 1/"schema_version" : 7/' "$work/pad0.json" >"$work/version.json"
expect 3 compare "$work/version.json" "$work/pad0.json"
says 'version.json: schema_version 7: this program reads 1'
for text in '' '[]' '{}' '{"schema_version": 1, "command": "list"}' '{"schema_version": 1, "command": "analyze"}' \
  '{"schema_version": 1, "command": "check", "cases": [1]}' '{'; do
  printf '%s' "$text" >"$work/bad.json"
  expect 3 compare "$work/pad0.json" "$work/bad.json"
  says 'bad.json'
done
expect 3 compare "$work/pad0.json" "$work/none.json"
says 'none.json'
expect 2 compare "$work/pad0.json"
