#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# compare of kernels: of two files, which are analyzed alike, and of revisions of a git repository.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

case $SMEMBANK in
/*) ;;
*) SMEMBANK=$PWD/$SMEMBANK ;;
esac
srcdir=$(cd "$srcdir" && pwd)
mkdir "$work/a repository"
cd "$work/a repository"

# tile NAME PAD: a transposed tile whose padding a header defines
tile() {
  mkdir -p src/include
  echo "#define PAD $2" >src/include/pad.cuh
  cat >"$1" <<'END'
#include "pad.cuh"
__global__ void t(float *out, const float *in) {
  __shared__ float tile[32][32 + PAD];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END
}
worse='t: worse, 64 -> 1056 wavefronts, 0 -> 992 in excess'

# Two files, with the options of analyze.
tile old.cu 1
{
  echo '// A line more.'
  sed 's/#include.*/#define PAD 0/' old.cu
} >new.cu
expect 1 compare old.cu new.cu --block 32,32 -I src/include
shows '1 case: 1 worse.'
shows "$worse"
shows 'worse   new.cu:7  tile[threadIdx.x][threadIdx.y]'
quiet
expect 1 compare old.cu new.cu --block 32,32 -I src/include --format json
golden compare.json
expect 0 compare new.cu old.cu --block 32,32 -I src/include --format json
is_json
shows '"old" : "new.cu"'
shows '"change" : "better"'
expect 1 compare old.cu new.cu -I src/include # a note of analyze about the new one
says "a block of one warp is assumed"
[ "$(wc -l <"$work/err")" -le 4 ] || die "$last: says: $(cat "$work/err")"
expect 0 compare old.cu old.cu --block 32,32 -I src/include --arch sm_20
expect 1 compare old.cu new.cu --block 32,32 -I src/include --format github
shows '::warning file=new.cu,line=7,col=41,title=Worse than before::t: the load of tile[threadIdx.x][threadIdx.y] takes 1024 wavefronts, 992 in excess: 32, and 0 in excess, in old.cu'
# Beside a result, which may come from a pipe.
expect 0 analyze old.cu --block 32,32 -I src/include --format json
cp "$work/out" old.txt
expect 1 compare old.txt new.cu --block 32,32
shows "$worse"
expect 0 compare new.cu old.txt --block 32,32
mkfifo pipe
cat old.txt >pipe &
expect 0 compare pipe old.txt
wait

# A case of a project, and one that the text holds.
printf '[t]\nfile=new.cu\nblock=32,32\ninclude=src/include\nmax-ways=1\n' >smembank.ini
expect 1 compare old.cu new.cu --case t
shows "$worse"
says 'new.cu:7:41: warning: the load of tile[threadIdx.x][threadIdx.y] is 32-way: more than --max-ways 1'
expect 1 compare old.cu new.cu --case t --block 32,8
shows 't: worse, 16 -> 264 wavefronts'
sed '1i // smembank: --block 32,32 -I src/include' old.cu >said.cu
expect 0 compare said.cu said.cu
shows 't: same, 64 -> 64 wavefronts'
expect 2 compare old.cu new.cu --case t --output smembank.ini
says "--output 'smembank.ini' would overwrite the input file smembank.ini"
# PTX and machine code, of the same kind each.
expect 0 compare "$srcdir/tests/ptx/transpose.ptx" "$srcdir/tests/ptx/transpose.ptx" --entry transpose_swizzled --block 32,8 --arg 2=32
shows 'transpose_swizzled: same'
expect 3 compare "$srcdir/tests/ptx/transpose.ptx" "$srcdir/tests/data/sass/transpose.sm_90.cubin" --entry transpose_swizzled --block 32,8 --arg 2=32
says "counts of 'ptx' and of 'sass'"

# What is wrong is said as analyze says it.
sed 's/tile\[threadIdx.x\]/tile[q]/' new.cu >broken.cu
expect 3 compare old.cu broken.cu --block 32,32 -I src/include
head -n 1 "$work/err" | grep -q '^broken.cu:7:46: error: .*q' || die "$last: says: $(cat "$work/err")"
expect 3 compare none.cu new.cu --block 32,32
says 'smembank compare: none.cu: No such file'
expect 3 compare old.cu . --block 32,32 -I src/include
expect 2 compare old.cu new.cu --block 0
says "smembank compare: --block '0': "
says "(see 'smembank compare --help')"
! grep -q 'analyze --help' "$work/err" || die "$last: $(cat "$work/err")"
expect 2 compare old.cu new.cu --case no
says "no case 'no' in smembank.ini, which has t"
expect 2 compare old.txt old.txt --block 32
says '--block is for kernels: old.txt and old.txt are results'
expect 2 compare old.cu
says 'missing argument: expected OLD NEW, or --git A..B'
expect 2 compare
expect 2 compare old.cu new.cu --block 32,32 -I src/include --output new.cu
says "--output 'new.cu' would overwrite the input file new.cu"
rm -r -- *

# Without git --git ends with status 3, as without a compiler.
mkdir empty
status=0
PATH=$work/empty "$SMEMBANK" compare --git main >"$work/out" 2>"$work/err" || status=$?
last='compare --git without git'
[ "$status" -eq 3 ] || die "$last: status $status: $(cat "$work/err")"
says '--git needs the program git, which is not installed'
rmdir empty
command -v git >/dev/null || {
  echo 'no git: revisions are not compared'
  exit 0
}
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$work
TMPDIR=$work/temporary
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CEILING_DIRECTORIES TMPDIR
mkdir "$TMPDIR"

expect 2 compare --git main
says 'not a git repository'
git init -q -b main .
git config user.name nobody
git config user.email nobody@example.com
commit() {
  git add -A
  git commit -q -m "$1"
  git tag "$1"
}
# First a padded tile and its case; then without the padding; then the case is called otherwise and lies elsewhere.
tile src/t.cu 1
printf '[tile]\nfile=src/t.cu\ninclude=src/include\nblock=32,32\n' >smembank.ini
commit padded
tile src/t.cu 0
commit plain
rm smembank.ini
printf '[transpose]\nfile=t.cu\ninclude=include\nblock=32,32\n[new]\nfile=t.cu\ninclude=include\nblock=8,8\n' >src/smembank.ini
commit moved
git ls-files -s >"$work/before"

# compare STATUS ARGUMENT...: below, in the folder src
compare() {
  wanted=$1
  shift
  last="compare --git $*, in src"
  status=0
  (cd src && "$SMEMBANK" compare --git "$@" >"$work/out" 2>"$work/err") || status=$?
  [ "$status" -eq "$wanted" ] || die "$last: status $status: $(cat "$work/err")"
}
# The case of a revision is its own; where it has none such, that of the working tree.
compare 1 padded --case transpose
shows '1 case: 1 worse.'
shows "$worse"
shows 't.cu:6'
compare 1 padded --case transpose --format json
is_json
shows '"old" : "padded"'
shows '"new" : "the working tree"'
shows '"file" : "'
! grep -q smembank-git "$work/out" || die "$last: $(cat "$work/out")"
compare 0 plain --case transpose
compare 1 padded..moved --case transpose
compare 1 padded... --case transpose
compare 0 moved..padded --case transpose
shows 't: better, 1056 -> 64 wavefronts'
compare 0 ..
shows '2 cases: 2 same.'
compare 0 ...
# All cases.
compare 0 plain
shows '3 cases: 2 added, 1 gone.'
# A file, with options, that is named from anywhere.
compare 1 padded t.cu --block 32,32 -I include
shows "$worse"
compare 1 padded "$PWD/src/t.cu" --block 32,32 -I include
shows "$worse"
sed -i '1i // smembank: --block 32,32 -I include' src/t.cu # which revisions do not say yet
compare 1 padded t.cu
shows "$worse"
git checkout -q src/t.cu
# From the top: the project of each.
expect 1 compare --git padded..plain
shows "tile: ${worse#t: }"
expect 0 compare --git plain..plain
shows '1 case: 1 same.'
[ -z "$(git status --porcelain)" ] || die "changed: $(git status --porcelain)"
git ls-files -s | cmp "$work/before" - || die 'the index is not as it was'

# What is wrong says in which revision.
sed -i 's/tile\[threadIdx.x\]/tile[q]/' src/t.cu
commit broken
compare 3 padded..broken --case transpose
head -n 1 "$work/err" | grep -q '^t.cu:6:46: error: .*q.* (in broken)$' || die "$last: says: $(cat "$work/err")"
# All cases: those that are not counted any more, and one that never was.
compare 1 moved..broken
shows '2 cases: 2 not counted.'
shows "t.cu:6:46: error: "
compare 1 padded..broken
shows '3 cases: 1 gone, 2 not counted.'
compare 0 broken..broken
printf '[transpose]\nblok=1\n' >src/smembank.ini
commit unknown
compare 3 moved..unknown --case transpose
says "smembank.ini:2: error: unknown key 'blok'; did you mean 'block'? (in unknown)"
git checkout -q moved -- src
compare 2 padded --case no
compare 3 padded none.cu
says 'none.cu: No such file or directory (in padded)'
compare 2 nothing
says "--git: no revision 'nothing' in "
compare 2 padded..nothing
compare 2 padded t.cu t.cu
says "unexpected argument 't.cu': --git compares revisions of one"
compare 2 padded --block 32
says '--block: expected FILE or --case NAME as well'
compare 2 padded ../../t.cu
says '../../t.cu is outside the repository'
expect 2 compare --git=--all
says "expected revisions, A..B, not '--all'"

# Nothing is left behind, not even by a signal.
left() {
  find "$TMPDIR" -mindepth 1 -maxdepth 1
}
[ -z "$(left)" ] || die "left behind: $(left)"
cat >slow.cu <<'END'
__global__ void k(int *a) {
  __shared__ int s[32];
  for (int i = 0; i < 1000000000; i++)
    s[threadIdx.x] = a[i & 31];
}
END
commit slow
steps=9000$$ # which no other process has
"$SMEMBANK" compare --git slow slow.cu --block 32 --max-steps "$steps" >"$work/out" 2>"$work/err" &
parent=$!
until [ -n "$(left)" ] && [ -e "$(left)/0/slow.cu" ]; do
  kill -0 $parent 2>/dev/null || die "compare of a slow kernel has ended: $(cat "$work/err")"
  sleep 0.1
done
kill -TERM $parent
wait $parent 2>/dev/null || :
while [ -n "$(left)" ]; do
  sleep 0.1
done
while grep -qzxF -- "--max-steps=$steps" /proc/[0-9]*/cmdline 2>/dev/null; do
  sleep 0.1
done
