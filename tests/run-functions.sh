#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# gpu/driver/functions.def says which functions of CUDA's runtime there are, and cu/driver-functions.def which of the driver: each library has
# those, and no others. The tables in doc/functions.md are made of them.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
form=${srcdir:?}/gpu/driver/functions.sh
def=$srcdir/gpu/driver/functions.def
driver=$srcdir/gpu/driver/cu/driver-functions.def
status=0

# differ WHAT WANTED FOUND: says what differs.
differ() {
  LC_ALL=C sort "$2" >"$work/wanted"
  LC_ALL=C sort "$3" >"$work/found"
  missing=$(LC_ALL=C comm -23 "$work/wanted" "$work/found" | tr '\n' ' ')
  more=$(LC_ALL=C comm -13 "$work/wanted" "$work/found" | tr '\n' ' ')
  [ -n "$missing$more" ] || return 0
  echo "FAIL: $1: only in the table: ${missing:-none}; without a line there: ${more:-none}"
  status=1
}

# What a line says is what is there: a made-up table and the functions of a made-up library.
printf 'DONE(cudaOne, CUDA_12_13, PTSZ)\nACCEPTED(cudaTwo, CUDA_13, PLAIN, "x")\nREFUSED(cudaThree, CUDA_12, PTDS, "y (z, 1)")\n' >"$work/made-up.def"
[ "$(sh "$form" names 13 "$work/made-up.def" | tr '\n' ' ')" = 'cudaOne cudaOne_ptsz cudaTwo ' ] || status=1
[ "$(sh "$form" names 12 "$work/made-up.def" | tr '\n' ' ')" = 'cudaOne cudaOne_ptsz cudaThree cudaThree_ptds ' ] || status=1
# shellcheck disable=SC2016 # a mark of the table
sh "$form" table "$work/made-up.def" | grep -qxF '| `cudaThree`, `_ptds` | 12 | refused | y (z, 1) |' || status=1
[ "$status" = 0 ] || { echo 'FAIL: functions.sh reads a table wrongly'; exit 1; }

awk '/^[A-Z]+\(/ && !/^SECTION\("[^"]+"\)$/ && !/^DONE\([_a-zA-Z0-9]+, CUDA_(12|13|12_13), (PLAIN|PTSZ|PTDS)\)$/ &&
  !/^(ACCEPTED|REFUSED)\([_a-zA-Z0-9]+, CUDA_(12|13|12_13), (PLAIN|PTSZ|PTDS), "[^"|]+"\)$/' "$def" >"$work/strange"
[ ! -s "$work/strange" ] || { echo "FAIL: functions.def: not a line that its head describes: $(cat "$work/strange")"; status=1; }

awk '/^[A-Z]+\(/ && !/^SECTION\("[^"]+"\)$/ &&
  !/^DONE\(cu[A-Z][_a-zA-Z0-9]+, [0-9]+, (PLAIN|PTSZ|PTDS), (NOTHING|INIT|CONTEXT), [_a-zA-Z0-9]+(\([_a-zA-Z0-9]+, [_a-zA-Z0-9]+\))?\)$/ &&
  !/^ACCEPTED\(cu[A-Z][_a-zA-Z0-9]+, [0-9]+, (PLAIN|PTSZ|PTDS), (NOTHING|INIT|CONTEXT), [_a-zA-Z0-9]+(\([_a-zA-Z0-9]+, [_a-zA-Z0-9]+\))?, "[^"|]+"\)$/ &&
  !/^REFUSED\(cu[A-Z][_a-zA-Z0-9]+, [0-9]+, (PLAIN|PTSZ|PTDS), "[^"|]+"\)$/' "$driver" >"$work/strange"
[ ! -s "$work/strange" ] || { echo "FAIL: driver-functions.def: not a line that its head describes: $(cat "$work/strange")"; status=1; }

if [ -e gpu/driver/libcuda.so.1 ]; then
  sh "$form" driver-names "$driver" >"$work/rows"
  [ "$(wc -l <"$work/rows")" -gt 600 ] || { echo "FAIL: $(wc -l <"$work/rows") functions of the driver"; status=1; }
  nm -D --defined-only gpu/driver/libcuda.so.1 | awk '{ print $3 }' >"$work/exported"
  differ 'libcuda.so.1 exports' "$work/rows" "$work/exported"
fi

for major in 12 13; do
  library=gpu/driver/libcudart.so.$major
  [ -e "$library" ] || continue # of another machine
  sh "$form" names "$major" "$def" >"$work/rows"
  [ "$(wc -l <"$work/rows")" -gt 400 ] || { echo "FAIL: $(wc -l <"$work/rows") functions of CUDA $major"; status=1; }
  # All functions of the library, exported or not: one without a line is not exported. The folder keeps its own names without a prefix.
  nm "$library" | awk '$2 ~ /^[tT]$/ && $3 ~ /^(__)?cuda[A-Z]/ { sub(/@.*/, "", $3); print $3 }' >"$work/functions"
  differ "$library" "$work/rows" "$work/functions"
  nm -D --defined-only "$library" | awk '$3 ~ /^(__)?cuda/ { print $3 }' >"$work/exported"
  grep -v "@@libcudart\.so\.$major\$" "$work/exported" >"$work/strange" || true
  [ ! -s "$work/strange" ] || { echo "FAIL: $library: another version: $(cat "$work/strange")"; status=1; }
  sed -i 's/@.*//' "$work/exported"
  differ "$library exports" "$work/rows" "$work/exported"
done

# What is called done is a function of its own, not one that is made of the table.
# Macros begin with the names of the functions that they define.
grep -hoE '^(__)?cuda[A-Za-z0-9_]+\(|^[A-Z_]+\(cuda[A-Za-z0-9_]+(, cuda[A-Za-z0-9_]+)?' "$srcdir"/gpu/driver/*.c "$srcdir"/gpu/driver/*/*.c |
  grep -oE '(__)?cuda[A-Za-z0-9_]+' | LC_ALL=C sort -u >"$work/written"
sed -nE 's/^(DONE|ACCEPTED)\(([A-Za-z0-9_]+),.*/\2/p' "$def" >"$work/rows"
differ 'sources' "$work/rows" "$work/written"

# The same of the driver, whose rows name the functions of this folder and of the runtime.
sed -nE 's/^(cu[A-Z][A-Za-z0-9_]+)\(.*/\1/p; s/^[A-Z]+\((cu[A-Z].*)\)$/\1/p' "$srcdir"/gpu/driver/cu/*.c |
  tr ',' '\n' | sed -n 's/^ *\(cu[A-Z][A-Za-z0-9_]*\)$/\1/p' | LC_ALL=C sort -u >"$work/written"
sed -nE 's/^(DONE|ACCEPTED)\([^,]+,[^,]+,[^,]+,[^,]+, (cu[A-Z][A-Za-z0-9_]+).*/\2/p' "$driver" | LC_ALL=C sort -u >"$work/rows"
differ 'sources of the driver' "$work/rows" "$work/written"

sh "$form" page "$def" "$driver" "$srcdir/doc/functions.md" >"$work/functions.md"
cmp -s "$work/functions.md" "$srcdir/doc/functions.md" || {
  echo 'FAIL: doc/functions.md has other tables than functions.def and driver-functions.def: write them with gpu/driver/functions.sh page (HACKING.md)'
  diff "$srcdir/doc/functions.md" "$work/functions.md" | head -20
  status=1
}
exit "$status"
