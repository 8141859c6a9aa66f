#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Architectures of the user's, as files; chips that have the rules of another; and those that are not known, of which the nearest is named.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
export SMEMBANK_NVCC=no

# The nearest chip: of the vendor and, of AMD's, of the family.
nearest() {
  expect 2 analyze --rows 32 --cols 32 --arch "$1"
  says "no architecture '$1': expected one of "
  says "; the nearest is '$2', "
  says "whose rules may not be those of '$1'; --arch FILE.ini adds one of your own"
}
nearest gfx906 gfx90a
nearest gfx908 gfx90a
nearest gfx940 gfx942
nearest gfx1030 gfx1100
nearest gfx1151 gfx1100
nearest gfx1250 gfx1201
nearest sm_88 sm_87
expect 0 list archs --format csv
nearest sm_999 "$(sed -n 's/^\(sm_[0-9]*\),.*/\1/p' "$work/out" | sort -u -t _ -k 2n | tail -n 1)"
expect 2 analyze --rows 32 --cols 32 --arch sm_9O
says "; did you mean 'sm_90'?"
expect 2 analyze --rows 32 --cols 32 --arch gfx
says "no architecture 'gfx': expected one of "

# All chips of a generation whose rules are one file; Kepler in the mode that it starts in.
for chip in sm_13:sm_10 sm_21:sm_20 sm_35:sm_30_4B 35:sm_30_4B compute_37:sm_30_4B k40:sm_30_4B; do
  expect 0 analyze --rows 16 --cols 16 --arch "${chip%:*}"
  shows "bytes of shared memory, ${chip#*:}"
done

# One that is like another: what it does not say is that one's, and all of it is the user's word.
cat >half.ini <<'END'
# half of the banks
[arch]
like = sm_90
banks = 16
row-bytes = 64
END
expect 0 analyze --rows 32 --cols 32 --pad 1 --arch half.ini --format json
shows '"name" : "half.ini"'
shows '"evidence" : "user"'
shows '"banks" : 16'
shows '"wavefronts" : 64'
expect 0 analyze --rows 32 --cols 32 --pad 1 --arch "$work/half.ini"
shows ", $work/half.ini"
expect 0 explain --rows 32 --cols 32 --pad 1 --arch half.ini
tells 'This rule is yours: half.ini.'
tells 'bank = word mod 16'
expect 0 list archs half.ini
shows 'user'
! grep -q measured "$work/out" || die "$last: evidence that is not the user's"
expect 0 list archs half.ini --format json
is_json
# Every command that has --arch.
printf 'ld 4 ffffffff%s\n' "$(i=0; while [ $i -lt 32 ]; do printf ' %d' $((i * 64)); i=$((i + 1)); done)" >t.trace
expect 0 trace t.trace --counts --arch half.ini
[ "$(cat "$work/out")" = 32 ] || die "$last: $(cat "$work/out")"
expect 0 advise --rows 32 --cols 32 --arch half.ini
expect 0 report page.html --rows 32 --cols 32 --arch half.ini
grep -qF half.ini page.html || die "$last: is not marked"
expect 0 compare --help
printf '[k]\nkernel = transposeSmem\narch = half.ini\n' >smembank.ini
expect 0 check
expect 0 analyze --case k
shows ', half.ini'
rm smembank.ini
# Another compiler would make code for it as for what it is like.
expect 0 analyze "$srcdir/tests/ptx/transpose.ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64 --arch half.ini

# One of its own, of another vendor.
cat >own.ini <<'END'
[arch]
vendor = amd
lanes = 64
banks = 32
bank-bytes = 4
row-bytes = 128
static-shared-bytes = 65536
max-shared-bytes = 65536
max-threads = 1024
global-segment-bytes = 128
[ld 4]
group = half
conflict = words
[st 4]
group = half
conflict = words
evidence = measured
END
expect 0 analyze --rows 32 --cols 32 --arch own.ini --format json
shows '"evidence" : "user"'
expect 2 analyze --rows 32 --cols 32 --arch own.ini --wave 32
says "--wave '32': own.ini says that a wave has 64 lanes"

# What is wrong is told with its line.
wrong() {
  printf '%b' "$1" >bad.ini
  expect 3 analyze --rows 32 --cols 32 --arch bad.ini
  says "$2"
}
wrong '' 'bad.ini:1:1: error: [arch] compute-capability: expected MAJOR.MINOR'
wrong '[arch]\nlike=sm_90\nbanks=33\n' 'bad.ini:3:1: error: [arch] banks: 33: expected a power of two'
wrong '[arch]\nlike=sm_90\n\nbanks = many\n' "bad.ini:4:1: error: [arch] banks: 'many' is not a number from 1 to 1024"
wrong '[arch]\nlike=sm_9\n' "bad.ini:2:1: error: [arch] like: no architecture 'sm_9'"
wrong '[arch]\nlike=sm_90\nbank=3\n' 'bad.ini:3:1: error: [arch] bank: unknown key'
wrong '[arch]\nlike=sm_90\nlanes=16\n' 'bad.ini:3:1: error: [arch] lanes: 16: expected 32 or 64'
wrong '[arch]\nlike=sm_90\n[ld 3]\ngroup=warp\n' "bad.ini:3:1: error: [ld 3] : '3' is not a width of ld"
wrong '[arch]\nlike=sm_90\n[ld 4]\ngroup=warp\n' "bad.ini:4:1: error: [ld 4] group: a rule needs 'group' and 'conflict'"
wrong '[arch]\nlike=sm_90\n[ld 4]\ngroup=warp\nconflict=none\n' "bad.ini:5:1: error: [ld 4] conflict: 'none' is none of"
wrong '[arch]\nlike=sm_90\nrow-bytes=1048576\nbanks=64\nbank-bytes=8\n[ld 4]\ngroup=warp\nconflict=words\nunit-bytes=3\n' 'bad.ini:9:1: error: [ld 4] unit-bytes'
wrong '[arch\nlike=sm_90\n' 'bad.ini:1'
wrong '[arch]\nlike=../../etc/passwd\n' 'bad.ini:2:1: error: [arch] like: no architecture'
expect 3 analyze --rows 32 --cols 32 --arch none.ini
says 'none.ini: '
expect 3 analyze --rows 32 --cols 32 --arch "$work/.ini"
head -c 2000000 /dev/zero | tr '\0' '#' >large.ini
expect 3 analyze --rows 32 --cols 32 --arch large.ini
# It is read, so it is not written over.
expect 2 analyze --rows 32 --cols 32 --arch half.ini --output half.ini
says 'would overwrite the input file half.ini'
