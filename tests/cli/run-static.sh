#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run of programs that have CUDA's runtime inside: its functions are redirected. The runtime is one of our own, with the names of
# nvcc's (tests/run/link/inside.c): no nvcc is needed.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
run_libraries
[ -e "$SMEMBANK_RUN_LIBRARIES/smembank-redirect.so" ] || { echo "not for this machine"; exit 77; }
cd "$work"

# --- programs without CUDA: as they are
expect 0 run -- sh -c 'echo one; env >environment'
shows one
grep -qx "LD_PRELOAD=$SMEMBANK_RUN_LIBRARIES/smembank-redirect.so" environment || die "$(grep LD_ environment)"
expect 5 run -- sh -c 'cat /proc/self/maps >maps; exit 5'
grep -q smembank-redirect maps || die 'the library is not in every process'
! grep -q libcudart maps || die 'a process without CUDA has a runtime'

# A folder with a space: the loader divides its list there.
mkdir 'a b'
cp "$SMEMBANK_RUN_LIBRARIES"/*.so* 'a b'
SMEMBANK_RUN_LIBRARIES=$work/'a b' expect 0 run -- cat /proc/self/maps
shows 'a b/smembank-redirect.so'

compiler=${CC:-cc}
command -v "${compiler%% *}" >/dev/null || { echo "no compiler: programs were not compiled"; exit 0; } # nvcc needs one, too
# compile OUT WORD...
compile() {
  compiled=$1
  shift
  # shellcheck disable=SC2086 # a compiler is words
  $compiler -O2 -w -o "$compiled" "$@"
}
sources=$srcdir/tests/run/link
program=$sources/static.c
compile inside.o -c -fPIC "$sources/inside.c"
compile inside12.o -c -DTWELVE "$sources/inside.c"
compile inside11.o -c -DELEVEN "$sources/inside.c"

# redirected WHERE MAJOR: the last run called our functions only.
redirected() {
  cat >wanted <<END
constructor: 1
$1: cudaMalloc 0, cudaMemset_ptds 0, 7 7, cudaFree 0, version 0 $2, own 1
refused 801, last 801, then 0
refused 801, last 801, then 0
newer 801, last 801
END
  cmp -s out wanted || die "$last: $(cat out err)"
  [ "$(grep -c 'cudaImportExternalMemory is not supported' err)" = 1 ] || die "$last: not once: $(cat err)"
  says 'cudaNewerThanAll is not supported: newer than CUDA'
}

# --- each kind of program
compile pie -fPIE -pie "$program" inside.o
compile fixed -fno-pie -no-pie "$program" inside.o
compile twelve "$program" inside12.o
compile eleven "$program" inside11.o
./pie >out || true
grep -q '^main: cudaMalloc 35' out || die "without redirection: $(cat out)"
expect 0 run -- ./pie
redirected main 13
expect 1 run -- ./fixed more
redirected main 13
expect 0 run -- sh -c './pie; exit $?'
redirected main 13
expect 0 run -- ./twelve
redirected main 12
expect 3 run -- ./eleven
says 'eleven: error: has the runtime of CUDA 11 or older inside'

# --- a library of the program that has it
compile libinside.so -shared -fPIC -DLIBRARY "$program" inside.o
compile caller -DCALLER "$program" ./libinside.so
expect 0 run -- ./caller
redirected main 13

# The same, opened by the program; twice, at other addresses perhaps.
compile opener -DOPENER "$program" -ldl
expect 0 run -- ./opener ./libinside.so
[ "$(grep -c 'cudaMalloc 0,' out)" = 2 ] || die "opened: $(cat out err)"
says 'cudaNewerThanAll is not supported'
sed -i '6,$d' out
redirected main 13
LD_PRELOAD=$SMEMBANK_RUN_LIBRARIES/smembank-redirect.so ./opener /nowhere.so && die 'opened nothing'

# --- what the user preloads stays
compile own.so -shared -fPIC -x c - <<'END'
#include <unistd.h>
__attribute__((constructor)) static void begin(void) { write(2, "own\n", 4); }
END
status=0
LD_PRELOAD=$work/own.so "$SMEMBANK" run -- ./pie >out 2>err || status=$?
last='with a library of the user'
[ "$status" = 0 ] || die "$(cat out err)"
says own
redirected main 13

# --- stripped: the program is refused, a library is named when it is used
strip -o stripped pie
expect 3 run -- ./stripped
says "stripped: error: is stripped, so that the CUDA runtime inside it cannot be replaced"
expect 3 run -- sh -c ./stripped
mkdir lib
strip -o lib/libinside.so libinside.so
compile caller -DCALLER "$program" -L lib -linside -Wl,-rpath,"$work/lib"
expect 0 run -- ./caller
! grep -q libinside err || die "it was not used: $(cat err)"
shows 'main: cudaMalloc 35'

# --- the loader does not start it
if compile alone -static "$program" inside.o 2>alone.log; then
  expect 3 run -- ./alone
  says 'alone: is linked with -static'
fi

# --- no room for a jump
compile short.o -c -x assembler - <<'END'
  .text
  .globl __cudaRegisterFatBinary, cudaFree
  .type __cudaRegisterFatBinary, %function
  .type cudaFree, %function
__cudaRegisterFatBinary:
  ret
  .size __cudaRegisterFatBinary, . - __cudaRegisterFatBinary
cudaFree:
  ret
  .skip 64
  .size cudaFree, . - cudaFree
  .section .note.GNU-stack, "", %progbits
END
echo 'int main(void) { return 0; }' >main.c
compile short main.c short.o
expect 3 run -- ./short
says 'there is no room for a jump at __cudaRegisterFatBinary'

# --- symbols that are damaged name nothing
cp pie damaged
size=$(wc -c <pie)
for at in 40 $((size - 64)) $((size - 320)) $((size - 1000)); do
  cp pie damaged
  printf '\377\377\377\377\377\377\377\177' | dd of=damaged bs=1 seek="$at" conv=notrunc 2>dd.log
  status=0
  "$SMEMBANK" run -- ./damaged >out 2>err || status=$?
  [ "$status" -lt 128 ] || die "damaged at $at: status $status: $(cat err)"
done

# --- programs of nvcc
need_nvcc

# runs NAME WORD...: what nvcc makes of WORDS and runs here, with the ranking left out.
runs() {
  made=$1
  shift
  "$nvcc" -arch=sm_90 -o "$made" "$@"
  expect 0 run --output ranking -- "./$made"
}

# Two texts, each with a kernel; a device function of the one that the other calls is linked on the device.
cat >both.expected <<'END'
managed 31: 62, then 63
event after 0 or more ms, halves 20 1800, stream idle
last cudaSuccess
END
for words in '-Xcompiler -fno-pie -Xlinker -no-pie -default-stream per-thread' '-G -rdc=true -DSEPARATE' ''; do
  # shellcheck disable=SC2086 # words
  runs both $words "$sources/two-first.cu" "$sources/two-second.cu"
  cmp -s out both.expected || die "nvcc $words: $(cat out err)"
  quiet
  [ "$(grep -c '^ *[0-9]' ranking)" = 4 ] || die "nvcc $words: launches: $(cat ranking)"
done

strip both
expect 3 run -- ./both
says 'both: error: is stripped'

# A library of nvcc's has a runtime of its own.
"$nvcc" -arch=sm_90 -shared -Xcompiler -fPIC -o libsecond.so "$sources/two-second.cu"
runs both "$sources/two-first.cu" -L. -lsecond -Xlinker "-rpath=$work"
cmp -s out both.expected || die "a library: $(cat out err)"
strip libsecond.so
status=0
"$SMEMBANK" run -- ./both >out 2>err || status=$?
says 'libsecond.so needs a GPU: the CUDA runtime inside it cannot be replaced'

# A toolkit's libcudart that the program insists on.
[ -e "$toolkit/lib64/libcudart.so" ] || die "no libcudart in $toolkit"
runs both -cudart shared "$sources/two-first.cu" "$sources/two-second.cu" -Xlinker --disable-new-dtags -Xlinker "-rpath=$toolkit/lib64"
cmp -s out both.expected || die "an RPATH: $(cat out err)"
