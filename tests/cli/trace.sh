#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# trace: counts, comparisons and every kind of bad input.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

recorded=$srcdir/data/measured/h200-requests.txt
n_recorded=$(grep -c " = " "$recorded")
offsets='0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124'
columns='0 128 256 384 512 640 768 896 1024 1152 1280 1408 1536 1664 1792 1920 2048 2176 2304 2432 2560 2688 2816 2944 3072 3200 3328 3456 3584 3712 3840 3968'

# Every request that an H200 was measured on.
expect 0 trace --counts "$recorded"
quiet
sed -n 's/^[^#].*= //p' "$recorded" | cmp - "$work/out" || die 'counts differ from the recording'
expect 0 trace "$recorded"
shows "compared $n_recorded: $n_recorded match, 0 differ"
quiet

# From standard input, a pipe and with other line ends.
expect 0 trace --counts "$recorded"
cp "$work/out" "$work/counts"
"$SMEMBANK" trace --counts - <"$recorded" | cmp - "$work/counts" || die 'standard input'
sed 's/$/\r/' "$recorded" | "$SMEMBANK" trace --counts - | cmp - "$work/counts" || die 'CRLF'
tr ' ' '\t' <"$recorded" | "$SMEMBANK" trace --counts - | cmp - "$work/counts" || die 'tabs'
printf '# no line end\n\nld 4 ffffffff %s' "$columns" | "$SMEMBANK" trace --counts - >"$work/out"
[ "$(cat "$work/out")" = 32 ] || die 'last line without a line end'

# The formats.
expect 0 trace --format json "$recorded"
is_json
shows "\"compared\" : $n_recorded"
shows '"mismatches" : []'
expect 0 trace --format csv "$recorded"
shows 'op,width,requests,wavefronts,ideal_wavefronts,excess_wavefronts,max_degree,cycles'
shows 'cas,4,24,186,48,138,4,186'
expect 2 trace --counts --format json "$recorded"
says '--counts is for --format text'

# A difference is shown in every format, and the status is 1.
{
  echo "ld 4 ffffffff $offsets = 1"
  echo "ld 4 ffffffff $columns = 31"
  echo "st 4 ffffffff $columns"
} >"$work/wrong.txt"
expect 1 trace "$work/wrong.txt"
shows 'compared 2: 1 match, 1 differ'
shows 'wrong.txt:2:1: warning: ld 4: predicted 32, recorded 31'
expect 1 trace --counts "$work/wrong.txt"
[ "$(tr '\n' ' ' <"$work/out")" = '1 32 32 ' ] || die 'counts beside a difference'
says 'wrong.txt:2:1: warning: ld 4: predicted 32, recorded 31'
expect 1 trace --format json "$work/wrong.txt"
is_json
shows '{"line":2,"op":"ld","width":4,"predicted":32,"recorded":31}'
expect 1 trace --format csv "$work/wrong.txt"
says 'wrong.txt:2:1: warning: ld 4: predicted 32, recorded 31'

# An operation that the architecture's chips lack is counted, and it is said.
expect 0 trace --arch sm_70 "$recorded"
shows 'note: stmatrix.x4 came with sm_90'
expect 0 trace --arch sm_90 "$recorded"
! grep -q '^note' "$work/out" || die 'a note without a reason'
expect 3 trace --arch sm_20 "$recorded"
says ':269:1: error: sm_20 has no rule for ldmatrix.x1 of 16 bytes'

# A count that is a lower bound says what adds to it; one that goes elsewhere is 0.
{
  echo "atom.loop 4 ffffffff $offsets = 3"
  echo "atom.loop 4 ffffffff $columns = 592"
  echo "cp.async.ca 4 ffffffff $columns = 32"
  echo "cp.async.cg 16 ffffffff $columns = 0"
  echo "ld.generic 4 ffffffff $columns = 32"
} >"$work/new.txt"
expect 0 trace "$work/new.txt"
shows 'compared 5: 5 match, 0 differ'
shows 'note: atom.loop 4: a lower bound: swaps that fail because of other warps add to it'
shows 'note: cp.async.ca 4: a lower bound: other lines and bank conflicts of the source add to it'
expect 0 trace --arch sm_75 --format json "$work/new.txt"
is_json
shows '"cp.async.cg came with sm_80; counted by the rule of its family"'
expect 3 trace --arch sm_10 "$work/new.txt"
says ':1:1: error: sm_10 has no rule for atom.loop of 4 bytes'

# Bad input: named with its place, nothing on standard output, however late it comes.
expect 2 trace
expect 2 trace "$recorded" "$recorded"
expect 3 trace "$work/missing"
says "$work/missing: No such file or directory"
expect 3 trace ''
expect 3 trace "$work"
says "$work: Is a directory"
: >"$work/empty"
expect 3 trace "$work/empty"
says 'no request in it'
expect 3 trace - <"$work/empty"
says 'stdin: no request in it'
printf '# a\n#b\n\n' >"$work/comments"
expect 3 trace "$work/comments"
says 'no request in it'
printf 'ld 4 zz %s\n' "$offsets" >"$work/mask"
expect 3 trace "$work/mask"
says "/mask:1:6: error: 'zz' is not a mask: expected hexadecimal digits"
head -c 100000 "$SMEMBANK" >"$work/binary"
expect 3 trace "$work/binary"
printf '\377\376l\000d\000 \0004\000\n' >"$work/utf16"
expect 3 trace "$work/utf16"
says '/utf16:1:4: error: byte 0x00: not a text'
truncate -s 100M "$work/zeros" 2>/dev/null || head -c 104857600 /dev/zero >"$work/zeros"
expect 3 trace "$work/zeros"
says 'a line of more than 4096 bytes'
if [ "$(id -u)" -ne 0 ]; then
  cp "$recorded" "$work/unreadable"
  chmod 0 "$work/unreadable"
  expect 3 trace "$work/unreadable"
  says 'Permission denied'
fi
i=0
while [ "$i" -lt 1000 ]; do
  cat "$recorded"
  i=$((i + 1))
done >"$work/long"
expect 0 trace "$work/long"
shows 'compared 504000: 504000 match, 0 differ'
echo 'ld 4 ffffffff 1' >>"$work/long"
expect 3 trace --counts "$work/long"
says "/long:508001:16: error: 1 offset: expected one for each of 32 lanes"
rm "$work/long"

# 100 MB of comments, and a comment of 100 MB before the only request.
head -c 104857600 /dev/zero | tr '\0' '#' >"$work/comment"
expect 3 trace "$work/comment"
says 'no request in it'
printf '\nld 4 1 %s = 1\n' "$offsets" >>"$work/comment"
expect 0 trace "$work/comment"
shows 'compared 1: 1 match, 0 differ'

# The requests of a kernel as a trace: counted, they give what analyze says.
# same_counts FILE OPTION...
same_counts() {
  expect 0 analyze "$@" --format csv
  awk -F , '$1 == "shared" { gsub(/"[^"]*"/, "-"); if ($8 != "") next; requests[$5] += $9; waves[$5] += $10; excess[$5] += $12 }
    END { for (op in requests) print op, requests[op], waves[op], excess[op] }' "$work/out" | sort >"$work/analyzed"
  [ -s "$work/analyzed" ] || die "$last: no access"
  expect 0 trace --from "$@"
  cp "$work/out" "$work/written"
  expect 0 trace "$work/written" --format csv
  awk -F , 'NR > 1 { op = $1 ~ /^ld/ ? "load" : $1 ~ /^st/ ? "store" : "atomic"
      requests[op] += $3; waves[op] += $4; excess[op] += $6 }
    END { for (op in requests) print op, requests[op], waves[op], excess[op] }' "$work/out" | sort >"$work/traced"
  cmp -s "$work/analyzed" "$work/traced" || die "$last: $(cat "$work/analyzed"), but traced: $(cat "$work/traced")"
}
ptx=${srcdir:?}/tests/ptx
same_counts "$ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64
[ "$(grep -c '^ld 4 ffffffff' "$work/written")" -eq 128 ] || die 'not 128 loads'
[ "$(grep -c '^# block ' "$work/written")" -eq 4 ] || die 'not 4 blocks'
grep -q '^# block 1,1,0$' "$work/written" || die 'no last block'
grep -q ' # transpose.cu:[0-9]*, warp 7$' "$work/written" || die 'no place'
same_counts "$ptx/histogram.ptx" --block 256 --grid 2 --arg 2=1024 --buffer 1=random:i32:1
same_counts "$ptx/tensor.ptx" --entry 'half_product<true>' --block 32 --grid 2 --arg 3=64
grep -q '^ldmatrix.x4 16 ffffffff' "$work/written" || die 'no matrix'
cat >"$work/own.cu" <<'END'
__global__ void own(int *out) {
  __shared__ int t[64];
  if (threadIdx.x & 1) t[N * threadIdx.x % 64] = blockIdx.x;
  __syncthreads();
  out[threadIdx.x] = t[3];
}
__global__ void none(int *out) { out[threadIdx.x] = 1; }
END
same_counts "$work/own.cu" --entry own -D N=3 --block 64 --grid 3
grep -q '^st 4 aaaaaaaa 0 12 0 36 0 ' "$work/written" || die "offsets of lanes that ask nothing: $(cat "$work/written")"
expect 0 trace --from "$work/own.cu" --entry none
says 'none makes no shared-memory requests'
expect 0 trace --from "$ptx/histogram.ptx" --block 256 --arg 2=1024 --unknown skip
says 'is not counted: the address depends on the contents'
cat >"$work/launched.cu" <<'END'
__global__ void own(int *out, int n) {
  __shared__ int t[64];
  t[threadIdx.x] = n;
  __syncthreads();
  out[threadIdx.x] = t[3];
}
void run(int *out) { own<<<2, 64>>>(out, 3); }
END
expect 0 trace --from "$work/launched.cu"
shows 'block 64,1,1, grid 2,1,1'
says 'launched as line 7 of'
"$SMEMBANK" trace --from - --entry own -D N=1 <"$work/own.cu" >"$work/out" || die 'a kernel from standard input'
shows '# own of stdin, block 32,1,1'
expect 3 trace --from "$ptx/histogram.ptx" --block 256 --arg 2=1024
expect 2 trace --from "$work/own.cu"
says 'has several kernels'
expect 2 trace --from "$work/own.cu" --entry own -D N=1 "$recorded"
says "unexpected argument '"
for option in --counts --requests --measure '--format json'; do
  # shellcheck disable=SC2086
  expect 2 trace --from "$work/own.cu" $option
done
expect 2 trace "$recorded" --block 32
says 'options of a kernel and its launch go with --from'
expect 2 trace
says 'expected a trace, FILE or -, or --from and a kernel'
