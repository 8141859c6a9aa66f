#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# CUDA C that goes through a compiler: with a made-up nvcc that does as it is told, and with the real one where configure
# found it.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
TMPDIR=$work/tmp
mkdir "$TMPDIR"
export TMPDIR
cd "$work"

# What it is to do is in the file 'task'; it writes down how it was called.
made_nvcc <<'END'
[ -z "$host" ] || tr -d '\\' <"$host" | tr '\n' ' ' >>"$NVCC_CALLS.host"
cp "$word" "$NVCC_CALLS.cu"
PATH=$PATH:/usr/bin:/bin
. "$NVCC_TASK"
END
NVCC_TASK=$work/task
export NVCC_TASK

# A folder of its own is removed whatever has happened, by the keeper if the program was killed.
check_clean() {
  for wait in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$(ls "$TMPDIR")" ] || return 0
    sleep "0.$wait"
  done
  die "$last: left $(ls "$TMPDIR")"
}

# pairs N: PTX of a kernel whose lanes store N bytes apart, in line 3 of the text.
pairs() {
  cat <<END
cat >"\$out" <<PTX
.version 8.0
.target sm_70
.address_size 64
.visible .entry pairs() {
  .reg .b32 %r<3>;
  .shared .align 4 .b8 s[4096];
  .loc 1 3 5
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, $1;
  st.shared.u32 [%r2], %r1;
  ret;
}
.file 1 "\$word"
PTX
END
}

# Outside of the kernel language: compiled, if there is a compiler.
cat >pairs.cu <<'END'
class Words { static constexpr int n = 2; };
__global__ void pairs() {
  Words::use();
}
END
pairs 8 >task
expect 0 analyze pairs.cu -I here -DN=f\(1,2\) --block 32
quiet
shows 'pairs  pairs.cu'
shows "compiled: nvcc -cubin -lineinfo -arch=sm_90 '-DN=f(1\\,2)' -Ihere"
shows 'pairs.cu:3'
shows '2-way'
grep -q '^-cubin -lineinfo -arch=sm_90 -Xcompiler=@.*/words -o .*/kernel.out .*/kernel.cu$' calls ||
  die "called as $(cat calls)"
grep -q '^-DN=f(1,2) -Ihere -iquote[.] -MD ' calls.host || die "host: called as $(cat calls.host)"
cmp -s pairs.cu calls.cu || die 'another text was compiled'
check_clean
expect 0 analyze pairs.cu --arch sm_80 --block 32 --format json
is_json
shows '"compiled" : "nvcc -cubin -lineinfo -arch=sm_80"'
shows '"level" : "ptx"'
shows '"file" : "pairs.cu"'
"$SMEMBANK" analyze - --block 32 <pairs.cu >out || die 'from standard input'
grep -q 'stdin:3' out || die "standard input: $(cat out)"
mkdir sub && cp pairs.cu sub
expect 0 explain sub/pairs.cu --block 32
shows 'sub/pairs.cu:3'
grep -q -e "-iquotesub " calls.host || die "sub: called as $(cat calls.host)"

# A text in the kernel language is read as it is, and compiled beside that (compiled-count.sh); an architecture among the flags wins.
cat >good.cu <<'END'
__global__ void pairs() {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
}
END
rm calls
expect 0 analyze good.cu --block 32 --text
[ ! -e calls ] || die 'compiled what needs no compiler'
expect 0 analyze good.cu --block 32 --nvcc "-O1 '-DA=\"a b\"' --gpu-architecture=sm_89"
shows "compiled: nvcc -cubin -lineinfo -O1 '-DA=\"a b\"' --gpu-architecture=sm_89"
grep -q -e '-DA="a b" ' calls.host || die "called as $(cat calls.host)"
# What it is compiled for is what is counted, unless --arch says otherwise.
for flags in -arch=sm_80 '-arch sm_80' '-gencode arch=compute_80,code=sm_80'; do
  expect 0 analyze good.cu --block 32 --nvcc "$flags"
  shows 'sm_80; counted: PTX'
done
expect 0 analyze good.cu --block 32 --nvcc -arch=sm_80 --arch sm_90
shows 'sm_90; counted: PTX'
expect 0 analyze good.cu --block 32 --nvcc -ptx
shows 'compiled: nvcc -lineinfo -arch=sm_90 -ptx'
expect 0 analyze good.cu --block 32 --nvcc '' --arch sm_70
shows 'compiled: nvcc -ptx -lineinfo -arch=sm_70'
expect 2 analyze good.cu --nvcc "'"
says "--nvcc ''': "
for several in '-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90' '-gencode=arch=compute_90,code=[sm_90,compute_90]' \
  '-arch=compute_90 -code=sm_90,compute_90' '-O3 -arch=all-major'; do
  expect 2 analyze good.cu --block 32 --nvcc "$several"
  says "--nvcc '$several' names several architectures: expected one, or none for that of --arch, sm_90"
done
expect 0 analyze good.cu --block 32 --nvcc '-gencode code=[sm_90],arch=compute_90 -Dencode=1,2'
sed -n '/^\.version/,/^PTX/p' task | grep -v '^PTX' >pairs.ptx
expect 2 analyze pairs.ptx --nvcc ''
says '--nvcc is for CUDA C: pairs.ptx is compiled'
expect 2 analyze good.cu --nvcc '' --arch sm_30_4B
says '--nvcc: no compiler makes code for sm_30_4B'

# An instance of a template is made behind the text, and found by the name that the compiler gave it.
cat >instance.cu <<'END'
class Words { static constexpr int n = 2; };
template <int N> __global__ void pairs() { Words::use(); }
END
{
  pairs 4 | sed 's/pairs/_Z5pairsILi7EEvi/'
  # shellcheck disable=SC2016
  echo 'sed -i "4i .global .u8 _Z17smembank_instanceIFviEXadL_Z5pairsILi7EEviEEE;" "$out"'
} >task
expect 0 analyze instance.cu --instance 'pairs< seven >' --block 32
shows 'pairs<7>  instance.cu'
grep -qF 'smembank_instance<decltype(pairs< seven >), pairs< seven >>' calls.cu || die 'no instance was asked for'
head -n 2 calls.cu | cmp -s - instance.cu || die 'the text of a template was changed'

# What it says when it fails, with the places that messages have; both refusals of a text that nothing reads.
cat >task <<'END'
echo "nvcc warning : an old architecture" >&2
echo "$word(2): error: identifier \"Words\" is undefined" >&2
echo "    Words::use();" >&2
echo "1 error detected in the compilation of \"$word\"." >&2
exit 2
END
expect 3 analyze pairs.cu --block 32
says 'pairs.cu:1:1: error: '
says 'nvcc does not compile it either:'
says 'pairs.cu:2:1: error: identifier "Words" is undefined'
says 'pairs.cu: failed: nvcc -cubin -lineinfo -arch=sm_90'
! grep -q 'warning\|detected' "$work/err" || die "$last: says what is not needed: $(cat "$work/err")"
check_clean
expect 3 analyze good.cu --nvcc ''
says 'good.cu:2:1: error: identifier "Words" is undefined'
cat >task <<'END'
printf "%s(2): error: long\n%5000d\n" "$word" 1
exit 2
END
expect 3 analyze good.cu --nvcc ''
says 'good.cu:2:1: error: long'
[ "$(wc -c <"$work/err")" -lt 400 ] || die "$last: quotes a whole line: $(cat "$work/err")"
echo 'exit 7' >task
expect 3 analyze good.cu --nvcc ''
says 'smembank analyze: good.cu: failed with status 7: nvcc -cubin'
# shellcheck disable=SC2016
echo 'kill -SEGV $$' >task
expect 3 analyze good.cu --nvcc ''
says 'smembank analyze: good.cu: killed by signal 11: nvcc -cubin'
echo 'exit 0' >task
expect 3 analyze good.cu --nvcc ''
says 'kernel.out'
SMEMBANK_NVCC=$work/none expect 3 analyze good.cu --nvcc ''
says 'none cannot be started: No such file or directory'
TMPDIR=$work/none expect 3 analyze good.cu --nvcc ''
says "$work/none/smembank-compile-"

# What only one architecture has is tried for that one.
{
  # shellcheck disable=SC2016
  echo 'case $* in *sm_90a*) ;; *) echo "ptxas x.ptx, line 3; error : not supported on .target '\''sm_90'\''"; exit 1 ;; esac'
  pairs 4
} >task
expect 0 analyze good.cu --nvcc '' --block 32
shows 'compiled: nvcc -cubin -lineinfo -arch=sm_90a'
expect 3 analyze good.cu --nvcc '' --block 32 --arch sm_80
says 'error : not supported on'

# A macro that the text defines itself is not what -D says.
{
  # shellcheck disable=SC2016
  echo 'echo "$word:1: warning: \"N\" redefined" >&2'
  pairs 4
} >task
expect 2 analyze good.cu --nvcc '' --block 32 -D N=4
says "-D N=4: good.cu:1 also defines N, and that definition wins in a compiled text: put '#ifndef N' around it"
expect 0 analyze good.cu --nvcc '' --block 32 -D M=4

# It writes without end; what it has started goes on without it; it hangs, with what it has started.
{
  echo 'yes | head -c 20000000 >&2'
  pairs 4
} >task
expect 0 analyze good.cu --nvcc '' --block 32
{
  # shellcheck disable=SC2016
  echo 'sleep 1000 & echo $! >"$NVCC_CALLS.pid"'
  pairs 4
} >task
gone() {
  for wait in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$(cat calls.pid)" 2>/dev/null || return 0
    sleep "0.$wait"
  done
  die "$last: left $(ls "$TMPDIR")"
}
expect 0 analyze good.cu --nvcc '' --block 32
gone
check_clean
# shellcheck disable=SC2016
echo 'sleep 1000 & echo $! >"$NVCC_CALLS.pid"; wait' >task
expect 3 analyze good.cu --nvcc '' --max-compile 1
says 'good.cu: nvcc was stopped: it took more than 1 second (--max-compile)'
gone
check_clean

# Whatever ends the program ends the compiler.
for signal in INT TERM KILL; do
  rm -f calls.pid
  last="killed by $signal"
  # A shell starts what runs beside it without SIGINT.
  env --default-signal=INT "$SMEMBANK" analyze good.cu --nvcc '' >out 2>&1 &
  program=$!
  while [ ! -s calls.pid ]; do sleep 0.05; done
  kill -s "$signal" "$program"
  wait "$program" && die "$last: status 0"
  gone
  check_clean
done

# Without a compiler the refusal says what to do.
SMEMBANK_NVCC=no expect 3 analyze pairs.cu --block 32
says 'With nvcc (none was found) it would be compiled.'
says '--cuda-gpu-arch=sm_90'
SMEMBANK_NVCC=no expect 3 analyze good.cu --nvcc '' --block 32
says 'good.cu: no nvcc in '
# It is found in $PATH and in $CUDA_HOME.
pairs 8 >task
unset SMEMBANK_NVCC
(PATH=$work:$PATH && expect 0 analyze pairs.cu --block 32)
mkdir -p home/bin && cp nvcc home/bin
env PATH=/nowhere CUDA_HOME="$work/home" "$SMEMBANK" analyze pairs.cu --block 32 >out || die 'not found in CUDA_HOME'

# The real one.
[ "${NVCC-no}" != no ] || exit 0
SMEMBANK_NVCC=$NVCC
export SMEMBANK_NVCC
cat >tile.h <<'END'
template <int N> struct Shape { static constexpr int pitch = N; };
END
cat >tile.cu <<'END'
#include "tile.h"
#ifndef PAD
#define PAD 0
#endif
using real = float;
namespace ns {
template <class S, typename T> __global__ void turn(T *out, const T *in) {
  __shared__ T tile[S::pitch][S::pitch + PAD];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * S::pitch + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * S::pitch + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
} // namespace ns
END
expect 0 analyze tile.cu --instance 'ns::turn<Shape<32>, real>' --block 32,32 --format csv
quiet
grep -q '^shared,9,.*,store,.*,32,32,32,0,1,.*,tile.cu,' "$work/out" || die "$last: no store: $(cat "$work/out")"
grep -q '^shared,11,.*,load,.*,32,1024,32,992,32,.*,tile.cu,' "$work/out" || die "$last: no load: $(cat "$work/out")"
expect 0 analyze tile.cu --instance 'ns::turn<Shape<32>, real>' -DPAD=1 --block 32,32
shows 'turn<Shape<32>, float>  tile.cu  PAD=1'
shows 'No bank conflicts: 64 wavefronts'
expect 3 analyze tile.cu --instance 'ns::turn<Shape<32>, none>' --block 32,32
says 'error: identifier "none" is undefined'
check_clean
# The namespace may be left out where that tells which template is meant, in the text itself.
cat >spaces.cu <<'END'
namespace outer { extern "C++" { namespace inner::core { namespace {
template <int N> __global__ void turn(int *p) { __shared__ int s[N]; s[threadIdx.x] = p[threadIdx.x]; p[threadIdx.x] = s[threadIdx.x ^ 1]; }
} } }
template <int N> __global__ void twice(int *p) { p[threadIdx.x] = N; }
struct Other { int n; };
}
namespace other { template <int N> __global__ void twice(int *p) { p[threadIdx.x] = N; } }
template <int N> __global__ void once(int *p) { __shared__ int s[N]; s[threadIdx.x] = p[threadIdx.x]; p[threadIdx.x] = s[threadIdx.x ^ 2]; }
namespace other { template <int N> __global__ void once(int *p) { p[threadIdx.x] = N; } }
END
for name in turn core::turn inner::core::turn outer::inner::core::turn once; do
  expect 0 analyze spaces.cu --instance "$name<32>" --block 32
  shows "${name##*:}<32>  spaces.cu"
  shows 'No bank conflicts: 2 wavefronts'
done
expect 2 analyze spaces.cu --instance 'twice<32>' --block 32
says "--instance 'twice<32>' is ambiguous in spaces.cu: outer::twice, other::twice"
# A folder with what is no header, and with a name that a shell would take apart.
mkdir "it's, a \\folder"
cp tile.h tile.cu "it's, a \\folder"
for name in new cstdlib utility; do echo "no header" >"it's, a \\folder/$name"; done
expect 0 analyze "it's, a \\folder/tile.cu" --instance 'ns::turn<Shape<32>, real>' -DPAD=1 --block 32,32
shows 'No bank conflicts: 64 wavefronts'
# CUDA's own headers have a parameter of templates that is called T.
cat >define.cu <<'END'
#ifndef T
#define T 32
#endif
__global__ void turn(float *out, const float *in) {
  __shared__ float s[T][T + 1];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * T + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * T + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
END
expect 0 analyze define.cu --nvcc '' -D T=16 --block 16,16
shows 'block 16x16, grid 1, 1088 bytes of shared memory'
expect 0 advise define.cu -D T=16 --block 16,16
shows 'As compiled (nvcc -cubin -lineinfo -arch=sm_90 -DT=16)'
expect 3 analyze define.cu --nvcc '' -D T=none --block 16,16
says 'define.cu:5:1: error: identifier "none" is undefined'
expect 0 analyze --kernel setRowReadCol --nvcc '' --format csv
grep -q ',32,1024,32,992,32,' "$work/out" || die "$last: $(cat "$work/out")"
