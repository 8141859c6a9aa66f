#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2016 # $@ is that of the script
#
# Programs that smembank run compiles are kept: the compiler is called again only if something that it reads, or is told, has changed.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
need_nvcc
run_libraries
{
  echo '#!/bin/sh'
  echo "echo called >>'$work/calls'"
  echo "exec '$nvcc' \"\$@\""
} >counted-nvcc
chmod +x counted-nvcc
SMEMBANK_NVCC=$work/counted-nvcc
cache=$XDG_CACHE_HOME/smembank

# counts CALLS OUTPUT ARGUMENT...: runs a program, which prints that, with so many calls of the compiler.
counts() {
  calls=$1 prints=$2
  shift 2
  : >"$work/calls"
  status=0
  "$SMEMBANK" run --output ranking "$@" >out 2>err || status=$?
  [ "$status" -eq 0 ] || die "run $*: status $status: $(cat err)"
  [ "$(cat out)" = "$prints" ] || die "run $*: prints $(cat out), not $prints: $(cat err)"
  [ "$(wc -l <"$work/calls")" -eq "$calls" ] || die "run $*: nvcc was called $(wc -l <"$work/calls") times, not $calls"
}

echo '#define VALUE 5' >value.h
cat >app.cu <<'END'
#include <cstdio>
#include "value.h"
#ifndef MORE
#define MORE 0
#endif
__global__ void k(int *o) { *o = VALUE + MORE; }
int main(int n, char **words) {
  int *o, h = 0;
  cudaMalloc(&o, 4);
  k<<<1, 1>>>(o);
  cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost);
  printf("%d %s\n", h, n > 1 ? words[1] : "-");
}
END
sleep 0.1
counts 1 '5 -' app.cu
cp ranking first
counts 0 '5 -' app.cu
cmp ranking first || die 'another ranking'
counts 0 '5 word' app.cu -- word
[ "$(find "$cache" -type f | wc -l)" -eq 1 ] || die "the folder has $(ls "$cache")"
# Its launches are what commands ask about.
: >calls
expect 0 analyze app.cu
[ ! -s calls ] || die "$last: nvcc was called"
# What is read, and every option.
echo '#define VALUE 6' >value.h
sleep 0.1
counts 1 '6 -' app.cu
counts 1 '7 -' --nvcc=-DMORE=1 app.cu
counts 0 '7 -' --nvcc=-DMORE=1 app.cu
counts 1 '6 -' --arch sm_80 app.cu
counts 0 '6 -' app.cu
echo '#define VALUE 5' >value.h
sleep 0.1
counts 0 '5 -' app.cu
mkdir first-found
echo '#define VALUE 8' >first-found/value.h
sed 's/"value.h"/<value.h>/' app.cu >angle.cu
sleep 0.1
counts 1 '5 -' --nvcc='-Inone -I.' angle.cu
counts 0 '5 -' --nvcc='-Inone -I.' angle.cu
mv first-found none
counts 1 '8 -' --nvcc='-Inone -I.' angle.cu
# Not what is not understood, or not wanted.
counts 1 '5 -' --no-cache app.cu
counts 1 '5 -' --nvcc=-lm app.cu
counts 1 '5 -' --nvcc=-lm app.cu
export SMEMBANK_CACHE_SIZE=0
counts 1 '5 -' app.cu
unset SMEMBANK_CACHE_SIZE
# A program that is damaged is compiled again.
for file in "$cache"/*; do
  printf X >>"$file"
done
counts 1 '5 -' app.cu
counts 0 '5 -' app.cu
# Several files, one of which changes.
echo 'int more() { return 1; }' >more.cu
sed 's/^__global__/int more();\n&/; s/h = 0/h = more()/' app.cu >several.cu
sleep 0.1
counts 3 '5 -' several.cu more.cu
counts 0 '5 -' several.cu more.cu
echo 'int more() { return 2; }' >more.cu
sleep 0.1
counts 3 '5 -' several.cu more.cu
# Another folder is other files.
mkdir elsewhere
cp app.cu elsewhere
echo '#define VALUE 9' >elsewhere/value.h
sleep 0.1
cd elsewhere
counts 1 '9 -' app.cu
cd ..
counts 0 '5 -' app.cu
