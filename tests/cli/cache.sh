#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What was compiled is kept, and taken only if everything is the same that was read: doc/security.md and smembank(1), "Files". With
# a made-up nvcc that counts its calls: it preprocesses with cc and makes PTX whose stores are as far apart as the macro STRIDE says.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
command -v cc >/dev/null || {
  echo 'no cc: skipped'
  exit 77
}
cd "$work"

made_nvcc <<'END'
[ -z "${NVCC_SLEEP-}" ] || sleep "$NVCC_SLEEP"
cc -E -x c++ "@$host" "$word" -o "$out.ii" || exit 1
stores $((4 * $(sed -n 's/.*stride = \([0-9]*\) *;.*/\1/p' "$out.ii"))) 2
END
cache=$XDG_CACHE_HOME/smembank

# counts CALLS WAYS ARGUMENT...: as many calls of the compiler, and a store that is so bad.
counts() {
  calls=$1
  ways=$2
  shift 2
  : >"$NVCC_CALLS"
  expect 0 "$@"
  shows "$ways-way"
  [ "$(wc -l <"$NVCC_CALLS")" -eq "$calls" ] || die "$last: nvcc was called $(wc -l <"$NVCC_CALLS") times, not $calls"
}

mkdir src inc other
echo '#define STRIDE 2' >inc/stride.h
cat >src/k.cu <<'END'
#include "stride.h"
class A {
  static constexpr int stride = STRIDE;
};
__global__ void k() { A::use(); }
END
sleep 0.1
set -- analyze src/k.cu --block 32 -I inc
counts 1 2 "$@"
cp "$work/out" first
counts 0 2 "$@"
cmp -s first "$work/out" || die "$last: differs from what was compiled"
[ "$(find "$cache" -type f | wc -l)" -eq 1 ] || die "the folder has $(ls "$cache")"
[ "$(stat -c %a "$cache")" = 700 ] || die "the folder can be read: $(ls -ld "$cache")"
[ "$(stat -c %a "$cache"/*)" = 600 ] || die "a file can be read: $(ls -l "$cache")"
# Of all commands.
for command in explain advise 'trace --from' 'report page.html'; do
  rm -f calls
  # shellcheck disable=SC2086 # words of a command
  expect 0 $command src/k.cu --block 32 -I inc
  [ ! -s calls ] || die "$last: nvcc was called"
done

# Everything that is read, and every option.
counts 1 2 "$@" --no-cache
counts 1 2 "$@" -D X=1
counts 0 2 "$@" -D X=1
counts 1 2 "$@" --nvcc -O1
counts 1 2 "$@" --arch sm_80
counts 0 2 "$@"
echo '#define STRIDE 4' >inc/stride.h
sleep 0.1
counts 1 4 "$@"
counts 0 4 "$@"
echo '#define STRIDE 2' >inc/stride.h # what was there before is known
counts 0 2 "$@"
sed -i 's/use()/run()/' src/k.cu
sleep 0.1
counts 1 2 "$@"
counts 0 2 "$@"
# A header that appears where it is found first: beside the text, or in a folder that comes before.
echo '#define STRIDE 8' >src/stride.h
sleep 0.1
counts 1 8 "$@"
counts 0 8 "$@"
rm src/stride.h
counts 0 2 "$@"
set -- analyze src/k.cu --block 32 -I other -I inc
counts 1 2 "$@"
echo '#define STRIDE 16' >other/stride.h
sleep 0.1
counts 1 16 "$@"
rm other/stride.h
counts 0 2 "$@"
# One that the text only asks for.
cat >src/asks.cu <<'END'
#if __has_include("more.h")
#include "more.h"
#endif
#ifndef STRIDE
#define STRIDE 2
#endif
class A {
  static constexpr int stride = STRIDE;
};
__global__ void k() { A::use(); }
END
sleep 0.1
set -- analyze src/asks.cu --block 32 -I inc
counts 1 2 "$@"
counts 0 2 "$@"
echo '#define STRIDE 4' >inc/more.h
sleep 0.1
counts 1 4 "$@"
rm inc/more.h
counts 0 2 "$@"
# The compiler and its environment.
set -- analyze src/k.cu --block 32 -I inc
counts 0 2 "$@"
echo '# another one' >>nvcc
counts 1 2 "$@"
counts 0 2 "$@"
CPATH=$work/other counts 1 2 "$@"
NVCC_APPEND_FLAGS=-O1 counts 1 2 "$@"
NVCC_APPEND_FLAGS=-O1 counts 0 2 "$@"
# What is not understood is not kept: options that may read or run anything, a text that asks for the time.
NVCC_PREPEND_FLAGS='--options-file x' counts 1 2 "$@"
NVCC_PREPEND_FLAGS='--options-file x' counts 1 2 "$@"
counts 1 2 "$@" --nvcc '-Xcompiler -fplugin=x'
counts 1 2 "$@" --nvcc '-Xcompiler -fplugin=x'
echo '// __TIME__' >>src/k.cu
counts 1 2 "$@"
counts 1 2 "$@"
sed -i '$d' src/k.cu
# The macros that the text defines itself are told each time.
sed 's/.include.*/#define STRIDE 4/' src/k.cu >src/own.cu
for i in 1 2; do
  expect 2 analyze src/own.cu --block 32 -D STRIDE=2
  says "-D STRIDE=2: src/own.cu:1 also defines STRIDE"
done
last="own $i"

# A file that is changed is not believed; nor is one that is cut, or of another key.
counts 0 2 "$@"
for damage in flip cut empty other pipe; do
  for file in "$cache"/*; do
    case $damage in
    flip) printf X | dd of="$file" bs=1 seek=900 conv=notrunc 2>/dev/null ;;
    cut) truncate -s -1 "$file" ;;
    empty) : >"$file" ;;
    other)
      cp "$cache"/*.0 "$file" 2>/dev/null || cat "$cache"/*.0 >"$file"
      ;;
    pipe) rm "$file" && mkfifo "$file" ;;
    esac
  done
  [ "$damage" != other ] || rm -rf "$cache"
  counts 1 2 "$@"
  [ "$damage" != pipe ] || rm -rf "$cache"
done
counts 1 2 "$@"
file=$(ls "$cache"/*.0)
mv "$file" "$cache/$(basename "$file" | tr 0123 3210)"
counts 1 2 "$@"

# A folder that is missing, cannot be made, is not the user's own or takes nothing costs time only.
XDG_CACHE_HOME=/dev/null counts 1 2 "$@"
quiet
SMEMBANK_CACHE=/dev/null/x counts 1 2 "$@"
SMEMBANK_CACHE_SIZE=0 counts 1 2 "$@"
mkdir -m 777 open
SMEMBANK_CACHE=$work/open counts 1 2 "$@"
[ -z "$(ls open)" ] || die "$last: kept in a folder of all"
if [ -w /dev/full ] && mkdir full && mount -t tmpfs -o size=4k tmpfs full 2>/dev/null; then
  SMEMBANK_CACHE=$work/full counts 1 2 "$@"
  umount full
fi
SMEMBANK_CACHE=$work/named counts 1 2 "$@"
SMEMBANK_CACHE=$work/named counts 0 2 "$@"

# It is bounded: what was of no use for longest goes.
SMEMBANK_CACHE=$work/small SMEMBANK_CACHE_SIZE=1
export SMEMBANK_CACHE SMEMBANK_CACHE_SIZE
head -c 300000 /dev/zero | tr '\0' '/' | fold -w 100 | sed 's/^/\/\//' >src/long.h # the image stays small
counts 1 2 "$@"
for i in 1 2 3 4; do
  head -c 300000 /dev/urandom >"small/$(printf '%064d' "$i").0"
  touch -d "$i minutes ago" "small/$(printf '%064d' "$i").0"
done
counts 0 2 "$@"
counts 1 2 "$@" -D Y=1
[ "$(du -sb small | cut -f1)" -le 1060000 ] || die "the folder has $(du -sb small)"
[ ! -e "small/$(printf '%064d' 4).0" ] || die 'what was of no use for longest is still there'
[ -e "small/$(printf '%064d' 1).0" ] || die 'what was of use is gone'
counts 0 2 "$@"
unset SMEMBANK_CACHE SMEMBANK_CACHE_SIZE

# Several at once.
rm -rf "$cache"
for i in 1 2 3 4 5 6; do
  "$SMEMBANK" "$@" >"out.$i" 2>&1 &
done
wait
for i in 1 2 3 4 5 6; do
  grep -q 2-way "out.$i" || die "of several at once: $(cat "out.$i")"
done
counts 0 2 "$@"

# What is cut by a limit is not kept.
rm -rf "$cache"
NVCC_SLEEP=5 expect 3 "$@" --max-compile 1
[ -z "$(ls "$cache")" ] || die "$last: kept $(ls "$cache")"

# check compiles a text once for all cases with the same options; with --no-cache, too, and where nothing can be kept.
for i in 1 2 3 4 5; do
  printf '[case%d]\nfile = src/k.cu\ninclude = inc\nblock = %d\n' "$i" $((i * 32))
done >smembank.ini
printf '[other]\nfile = src/k.cu\ninclude = inc\nblock = 32\nnvcc = -O1\n' >>smembank.ini
rm -rf "$cache"
counts 2 2 check --jobs 4
counts 0 2 check --jobs 4
counts 2 2 check --jobs 4 --no-cache
SMEMBANK_CACHE_SIZE=0 counts 2 2 check
XDG_CACHE_HOME=/dev/null counts 2 2 check

# The real one, behind a script.
[ "${NVCC-no}" != no ] || exit 0
# shellcheck disable=SC2016
printf '#!/bin/sh\necho run >>"$NVCC_CALLS"\nexec "%s" "$@"\n' "$NVCC" >nvcc
cat >src/real.cu <<'END'
#include <cuda_fp16.h>
#include "stride.h"
class A {
public:
  static constexpr int stride = STRIDE;
};
__global__ void k(int *out) {
  __shared__ int s[1024];
  s[threadIdx.x * A::stride] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
sleep 0.1
set -- analyze src/real.cu --block 32 -I inc --nvcc ''
counts 1 2 "$@"
cp "$work/out" first
counts 0 2 "$@"
cmp -s first "$work/out" || die "$last: differs from what was compiled"
echo '#define STRIDE 4' >inc/stride.h
sleep 0.1
counts 1 4 "$@"
counts 0 4 "$@"
# Places are seen from where a command runs.
mkdir below && cp -r src inc below
cd below
counts 1 4 "$@" --no-cache
cp "$work/out" "$work/first"
counts 0 4 "$@"
cmp -s "$work/first" "$work/out" || {
  diff "$work/first" "$work/out" >&2
  die "$last: differs from what was compiled"
}
