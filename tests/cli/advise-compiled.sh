#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# advise where there is a compiler: layouts are ranked by what they take as compiled. With a made-up nvcc that does as it is
# told, and with the real one where configure found it.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
TMPDIR=$work/tmp
mkdir "$TMPDIR"
export TMPDIR
cd "$work"

cat >nvcc <<'END'
#!/bin/sh
for word; do
  [ "${previous-}" != -o ] || out=$word
  previous=$word
done
PATH=$PATH:/usr/bin:/bin
. "$NVCC_TASK"
END
chmod +x nvcc
SMEMBANK_NVCC=$work/nvcc NVCC_TASK=$work/task
export SMEMBANK_NVCC NVCC_TASK

# Lanes that store N bytes apart: what the form of the text is said to become.
cat >pairs.sh <<'END'
stores() {
  cat >"$out" <<PTX
.version 8.0
.target sm_90
.address_size 64
.visible .entry turn(.param .u64 turn_param_0, .param .u64 turn_param_1, .param .u32 turn_param_2) {
  .reg .b32 %r<4>;
  .shared .align 4 .b8 s[8192];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, $1;
  ld.param.u32 %r3, [turn_param_2];
  st.shared.u32 [%r2], %r3;
  ret;
}
PTX
}
END
cat >turn.cu <<'END'
#define T 32
extern "C" __global__ void turn(float *out, const float *in, int n) {
  __shared__ float s[T][T];
  for (int y = 0; y < n; y++)
    s[y][threadIdx.x] = in[y * T + threadIdx.x];
  __syncthreads();
  for (int y = 0; y < n; y++)
    out[y * T + threadIdx.x] = s[threadIdx.x][y];
}
END
cat >task <<'END'
. ./pairs.sh
case $(cat "$word") in
*"T + 1"*) stores 8 ;;
*"^"*) stores 64 ;;
*) stores 32 ;;
esac
END
expect 0 advise turn.cu --block 32 --arg n=32
quiet
golden advise-compiled.txt
expect 0 advise turn.cu --block 32 --arg n=32 --format json
is_json
golden advise-compiled.json
expect 0 advise turn.cu --block 32 --arg n=32 --out best.cu
grep -q 'T + 1' best.cu || die "$last: wrote $(cat best.cu)"
# What no form is better than is left alone.
sed 's/stores 8/stores 128/' task >worse && mv worse task
expect 0 advise turn.cu --block 32 --arg n=32 --out none.cu
says 'none.cu was not written: no rewritten kernel is better'
shows 'Pad 1 is not recommended: 94 % fewer wavefronts in the text, 300 % more as compiled.'

# A form that does not compile; none that does; a compiler that hangs.
cat >task <<'END'
. ./pairs.sh
grep -q 'T + 1' "$word" && { echo "$word(3): error: no"; exit 1; }
grep -q '\^' "$word" && stores 4 || stores 32
END
expect 0 advise turn.cu --block 32 --arg n=32
shows 'Pad 1 is not recommended: it does not compile: turn.cu:3:1: error: no'
shows 'Apply Swizzle<5,0,5> in lines 5 and 8: 1056 -> 64 wavefronts.'
# shellcheck disable=SC2016
echo 'echo "$word(3): error: no"; exit 1' >task
expect 0 advise turn.cu --block 32 --arg n=32
shows 'It cannot be counted as compiled, and is ranked by its text:'
shows 'turn.cu:3:1: error: no'
shows 'Change line 3 to [T + 1]: 1056 -> 64 wavefronts, +128 bytes of shared memory.'
# shellcheck disable=SC2016
echo 'sleep 1000 & wait' >task
expect 0 advise turn.cu --block 32 --arg n=32 --only pad --max-compile 1
shows 'turn.cu: nvcc was ended: it took more than 1 second (--max-compile)'
[ -z "$(ls "$TMPDIR")" ] || die "$last: left $(ls "$TMPDIR")"

# Options of the compiler are for each form; with macros the text is another one, which only the compiler knows.
cat >task <<'END'
. ./pairs.sh
case " $* " in
*' -O1 '*) grep -q 'T + 1' "$word" && stores 4 || stores 8 ;;
*) exit 9 ;;
esac
END
expect 0 advise turn.cu --block 32 --arg n=32 --nvcc -O1 --only pad
shows 'Change line 3 to [T + 1]: 1056 -> 64 wavefronts'
shows 'As compiled (nvcc -cubin -lineinfo -arch=sm_90 -O1): 2 wavefronts for all shared accesses.'
expect 0 advise turn.cu --block 32 --arg 2=32 --nvcc '-O1 -DT=32'
shows 'compiled: nvcc -cubin -lineinfo -arch=sm_90 -O1 -DT=32'

# Without a compiler, and of what is no file of CUDA C, none is asked.
echo 'exit 9' >task
expect 0 advise --rows 32 --cols 32
! grep -q ompiled "$work/out" || die "$last: a tile was compiled"
SMEMBANK_NVCC=no expect 0 advise turn.cu --block 32 --arg n=32
! grep -q ompiled "$work/out" || die "$last: compiled without a compiler"

# Rows that each lane reads in an unrolled loop: what a compiler merges is counted, too.
cp "$srcdir"/tests/data/layouts/*.cu .
SMEMBANK_NVCC=no expect 0 advise product.cu --block 16,16 --arg n=32
golden advise-product.txt
SMEMBANK_NVCC=no expect 0 advise sgemm.cu --block 256 --arg n=16 --format json
is_json
shows '"as_merged" : {'

# The real one: times of both kernels at 4096^3 on an H200 are in doc/compiled.md; what is recommended there was faster.
[ "${NVCC-no}" != no ] || exit 0
SMEMBANK_NVCC=$NVCC
expect 0 advise sgemm.cu --block 256 --arg n=128 --out best.cu
shows 'Change line 12 to [BM + 4]: 12288 -> 8704 wavefronts, +128 bytes of shared memory. As compiled, all'
shows 'is not recommended: '
diff sgemm.cu best.cu >changes && die 'nothing was written'
[ "$(grep -c '^>' changes)" = 1 ] || die "wrote $(cat changes)"
grep -q 'BM + 4' changes || die "wrote $(cat changes)"
expect 0 advise product.cu --block 16,16 --arg n=128 --out best.cu
grep -q 'bs\[TILE\]\[TILE + [24]\]' best.cu || die "$last: wrote $(cat best.cu)"
