#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run: what kernels have of the device's run-time system (printf, assert, malloc, clocks), pointers in initial data, barriers of
# the grid, and the error of a device for each thing that a kernel must not do. The numbers of errors, and
# what printf makes of each conversion, are those of an H200 (driver 580).
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

need_nvcc
run_libraries
kernels=$srcdir/tests/run/kernel

# prints NAME: the program prints what is in NAME.expected, and returns 0.
prints() {
  status=0
  "$SMEMBANK" run --output ranking "$kernels/$1.cu" >out 2>err || status=$?
  [ "$status" = 0 ] || die "$1: status $status: $(cat out err)"
  cmp out "$kernels/$1.expected" || die "$1: another output: $(cat out err)"
  [ ! -s err ] || die "$1: messages: $(cat err)"
}

prints kernel-print
prints kernel-heap
prints kernel-clock
prints kernel-grid
prints kernel-pointers
prints kernel-locks
prints kernel-waits
prints sparse
prints kernel-quads
prints kernel-pending
status=0
"$SMEMBANK" run --nvcc -rdc=true --output ranking "$kernels/kernel-linked.cu" "$kernels/kernel-linked-more.cu" >out || status=$?
[ "$status" = 0 ] || die "linked: status $status: $(cat out)"
cmp out "$kernels/kernel-linked.expected" || die "linked: another output: $(cat out)"

# --- only PTX, which is compiled, and run as it is where there is no compiler
"$nvcc" -arch=compute_80 -cudart shared -o ptx "$kernels/kernel-grid.cu"
"$SMEMBANK" run --output ranking -- ./ptx >out 2>err || die "compiled PTX: $(cat out err)"
cmp out "$kernels/kernel-grid.expected" || die "compiled PTX: another output: $(cat out err)"
# Several files of it are linked when the program starts, as a driver does; and with the device runtime.
"$nvcc" -gencode arch=compute_90,code=compute_90 -rdc=true -cudart shared -o linked "$kernels/kernel-linked.cu" "$kernels/kernel-linked-more.cu"
"$SMEMBANK" run --output ranking -- ./linked >out 2>err || die "linked PTX: $(cat out err)"
cmp out "$kernels/kernel-linked.expected" || die "linked PTX: another output: $(cat out err)"
"$nvcc" -gencode arch=compute_90,code=compute_90 -rdc=true -cudart shared -o linked "$kernels/dynamic.cu"
"$SMEMBANK" run --output ranking -- ./linked >out 2>err || die "dynamic as PTX: $(cat out err)"
cmp out "$kernels/dynamic.expected" || die "dynamic as PTX: another output: $(diff out "$kernels/dynamic.expected"; cat err)"
status=0
SMEMBANK_NVCC=no "$SMEMBANK" run --output ranking -- ./linked >out 2>err || status=$?
grep -q 'linking needs nvcc' err || die "linked PTX without a compiler: $(cat out err)"
for name in kernel-heap kernel-clock kernel-grid kernel-pointers kernel-locks kernel-waits kernel-quads; do
  one_in 4 || continue
  "$nvcc" -arch=compute_80 -cudart shared -o ptx "$kernels/$name.cu"
  SMEMBANK_NVCC=no "$SMEMBANK" run --output ranking -- ./ptx >out 2>err || die "$name as PTX: $(cat out err)"
  cmp out "$kernels/$name.expected" || die "$name as PTX: another output: $(cat out err)"
done

# States of barriers lie in other bits in machine code.
for code in sm_90a compute_90a sm_120a; do
  "$nvcc" -gencode "arch=compute_${code#*_},code=$code" -cudart shared -o pending "$kernels/kernel-pending.cu"
  SMEMBANK_NVCC=no "$SMEMBANK" run --arch "sm_${code#*_}" --output ranking -- ./pending >out 2>err || die "pending, $code: $(cat out err)"
  cmp out "$kernels/kernel-pending.expected" || die "pending, $code: another output: $(cat out err)"
done

# wmma is counted in PTX as in machine code.
for code in sm_90 compute_90; do
  "$nvcc" -gencode "arch=compute_90,code=$code" -cudart shared -o fragments "$kernels/kernel-fragments.cu"
  SMEMBANK_NVCC=no "$SMEMBANK" run --output ranking -- ./fragments >out 2>err || die "fragments, $code: $(cat out err)"
  grep '^ *[12]  ' ranking >"$code.counts"
done
cmp sm_90.counts compute_90.counts || die "fragments: other counts: $(diff sm_90.counts compute_90.counts)"

# --- what only one chip has: with the letter that a compiler is told, and without it where the text cannot do without
cat >features.cu <<'END'
#include <cstdio>
__global__ void k(int *o) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *o = 1;
#else
  *o = 2;
#endif
#ifdef PRODUCT
  asm volatile("wgmma.fence.sync.aligned;");
#endif
}
int main() {
  int *o;
  cudaMallocManaged(&o, 4);
  k<<<1, 128>>>(o);
  cudaDeviceSynchronize();
  printf("%d\n", *o);
}
END
for words in '2' '1 --arch sm_90a' '1 --nvcc -DPRODUCT' '1 --arch 90a --nvcc -DPRODUCT'; do
  # shellcheck disable=SC2086 # several words
  "$SMEMBANK" run --output ranking ${words#?} features.cu >out 2>err || die "features, $words: $(cat err)"
  [ "$(cat out)" = "${words%% *}" ] || die "features, $words: $(cat out err)"
done

# --- what ran as PTX is counted again from a capture, with its parameters, variables and memory
cat >given.cu <<'END'
struct Given { char one; double two; short stride; };
__device__ int strides[32];
__constant__ int places[32];
__global__ void given(int *p, Given by, char one, long long n) {
  __shared__ int tile[1024];
  tile[threadIdx.x * strides[threadIdx.x]] = 1;
  __syncwarp();
  if (n == 7)
    p[threadIdx.x] = tile[threadIdx.x * by.stride] + tile[places[threadIdx.x]] + tile[p[threadIdx.x]] + one;
}
int main() {
  int host[32], *p;
  for (int i = 0; i < 32; i++)
    host[i] = 32;
  cudaMemcpyToSymbol(strides, host, sizeof host);
  for (int i = 0; i < 32; i++)
    host[i] = i * 8;
  cudaMemcpyToSymbol(places, host, sizeof host);
  cudaMalloc(&p, sizeof host);
  for (int i = 0; i < 32; i++)
    host[i] = i * 2;
  cudaMemcpy(p, host, sizeof host, cudaMemcpyDefault);
  given<<<1, 32>>>(p, {1, 2.0, 16}, 3, 7);
  return cudaDeviceSynchronize();
}
END
"$nvcc" -arch=compute_90 -cudart shared -o given given.cu
SMEMBANK_NVCC=no "$SMEMBANK" run -o given.zip --output ranking -- ./given >out 2>err || die "given, as PTX: $(cat out err)"
grep -q '1  *32  *4  *58  *54 ' ranking || die "given, as PTX: $(cat ranking)"
expect 0 analyze given.zip
grep -q '1  *32  *4  *58  *54 ' out || die "given, of a capture: $(cat out)"
expect 0 analyze given.zip --launch 1
shows '54 of 58 wavefronts'
shows 'counted: PTX'
expect 0 explain given.zip --launch 1
shows 'given.zip:'
expect 0 advise given.zip --launch 1
shows 'pad 4 after 128'
expect 0 report given.html given.zip --launch 1

# --- what is not exact is said once of several accesses in a ranking
cat >order.cu <<'END'
__global__ void order(int *next, int *p) {
  __shared__ int tile[64];
  int own = atomicAdd(next, 1);
  tile[threadIdx.x] = own;
  __syncthreads();
  if (own % 3 == 0)
    tile[threadIdx.x ^ 1] = own;
  if (own % 5 == 0)
    p[threadIdx.x] = tile[threadIdx.x / 2];
}
int main() {
  int *p;
  cudaMalloc(&p, 65 * sizeof *p);
  cudaMemset(p, 0, 65 * sizeof *p);
  order<<<1, 64>>>(p + 64, p);
  return cudaDeviceSynchronize();
}
END
"$nvcc" -arch=sm_90 -cudart shared -o order order.cu
"$SMEMBANK" run --output ranking -- ./order >out 2>err || die "order: $(cat out err)"
tr '\n' ' ' <ranking | grep -q 'The same is true of another access\.' || die "order: $(cat ranking)"
[ "$(tr '\n' ' ' <ranking | grep -o 'whether it is executed' | wc -l)" = 1 ] || die "order: $(cat ranking)"

# --- a wait that nobody ends: it is told, once no thread of the program can end it, also when the program ends first
cat >vain.cu <<'END'
#include <cstdio>
__global__ void wait(const volatile int *flag) { while (*flag == 0); }
int main(int argc, char **argv) {
  int *flag;
  cudaMallocManaged(&flag, sizeof *flag);
  wait<<<1, 1>>>(flag);
  if (argc == 1)
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
END
"$nvcc" -arch=sm_90 -cudart shared -o vain vain.cu
"$SMEMBANK" run --output ranking -- ./vain >out 2>err || die "in vain: $(cat out err)"
[ "$(cat out)" = 'unspecified launch failure' ] || die "in vain: another output: $(cat out)"
grep -q 'waits here forever: neither the kernel nor anybody else writes what it polls' err || die "in vain: $(cat err)"
"$SMEMBANK" run --output ranking -- ./vain leave >out 2>err || die "in vain, and left: $(cat out err)"
if [ -s out ] || [ -s err ]; then die "in vain, and left: messages: $(cat out err)"; fi
# Which comes first, the end of the program or that its kernel is seen to wait in vain, is a matter of time.
grep -Eq 'neither the kernel nor anybody else writes what it polls|: Not counted: interrupted' ranking || die "in vain, and left: $(cat ranking)"

# --- faults: the error that the program sees, and what a person reads
"$nvcc" -arch=sm_90 -lineinfo -cudart shared -o faults "$kernels/kernel-faults.cu"

# Of sm_90 tanh is known, of later chips it is not.
"$SMEMBANK" run --output ranking -- ./faults approximates 0 >out 2>err || die "approximates: $(cat out err)"
if [ -s err ]; then die "approximates: messages: $(cat err)"; fi
"$nvcc" -arch=sm_100 -cudart shared -o faults-100 "$kernels/kernel-faults.cu"
"$SMEMBANK" run --arch sm_100 --output ranking -- ./faults-100 approximates 0 >out 2>err || die "approximates: $(cat out err)"
grep -q 'approximates.*: how sm_100 computes functions such as tanh is not known' err || die "approximates on sm_100: $(cat err)"

# fails ERROR MESSAGE FAULT [PLACE]
fails() {
  expected="$1 $2" message=$3
  shift 3
  status=0
  "$SMEMBANK" run --output ranking -- ./faults "$@" >out 2>err || status=$?
  [ "$status" = 0 ] || die "$*: status $status: $(cat out err)"
  grep -q -x -F "$expected" out || die "$*: not '$expected': $(cat out err)"
  grep -q "$message" err || die "$*: not '$message': $(cat err)"
}

fails 710 710 'kernel-faults.cu:[0-9]*: void asserts(int \*, long): block: \[1,0,0\], thread: \[3,0,0\] Assertion `p\[threadIdx.x\] < at && "many". failed.' asserts 0
fails 719 719 'traps(int\*, long): .*a trap was executed, by thread (1,0,0) of block (0,0,0), lane 1 of warp 0' traps 0
fails 719 719 'breaks' breaks 0
fails 700 700 'illegal address: a store of 4 bytes at 0x.*, 0 bytes behind an allocation that ends at 0x.*, by thread (0,0,0) of block (0,0,0), lane 0 of warp 0, at .*kernel-faults.cu:[0-9]*' stores 63
fails 700 700 'a store of 4 bytes' stores 10000000000
fails 700 700 'a store of 4 bytes .* 4 bytes before an allocation' stores -1
fails 700 700 'a store of 16 bytes at 0x.*, the last 4 behind an allocation that ends at 0x.*, by' wide 60
fails 700 700 'a load of 4 bytes' loads 10000000000
fails 700 700 'an atomic of 4 bytes' adds 10000000000
fails 716 716 'misaligned: the address 0x.* is not a multiple of 4' misaligned 2
fails 716 716 'misaligned: byte 1 of shared memory is not a multiple of 4' misaligned_shared 1
fails 700 700 'out of bounds: byte 1200 of shared memory, which has 80 bytes' shared 300
fails 700 700 'out of bounds: byte 4000 of shared memory, which has 64 bytes' dynamic 1000
fails 719 719 'free of 0x.*, where nothing is that malloc gave' frees 0
fails 700 700 'local memory' recurses 100000

# --- textures and surfaces: one for the other, and between two elements
cat >mistaken.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void sample(cudaTextureObject_t t, float *o) { o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }
__global__ void load(cudaSurfaceObject_t f, float *o, int x) { o[threadIdx.x] = surf2Dread<float>(f, 4 * threadIdx.x + x, 0); }
__global__ void store(cudaSurfaceObject_t f, int x) { surf2Dwrite(1.0f, f, 4 * threadIdx.x + x, 0); }
int main(int, char **argv) {
  cudaResourceDesc of = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  float *o;
  of.resType = cudaResourceTypeArray;
  if (cudaMalloc(&o, 128) || cudaMallocArray(&of.res.array.array, &format, 64, 64, cudaArraySurfaceLoadStore) ||
      cudaCreateTextureObject(&texture, &of, &how, NULL) || cudaCreateSurfaceObject(&surface, &of))
    return 1;
  switch (atoi(argv[1])) {
  case 0: sample<<<1, 32>>>(texture, o), load<<<1, 32>>>(surface, o, 0), store<<<1, 32>>>(surface, 0); break;
  case 1: sample<<<1, 32>>>(surface, o); break;
  case 2: load<<<1, 32>>>(texture, o, 0); break;
  case 3: load<<<1, 32>>>(surface, o, 2); break;
  case 4: store<<<1, 32>>>(surface, 2); break;
  }
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
END
"$nvcc" -arch=sm_90 -cudart shared -o mistaken mistaken.cu
while IFS=: read -r case error message; do
  "$SMEMBANK" run --output ranking -- ./mistaken "$case" >out 2>err || die "mistaken $case: $(cat out err)"
  [ "$(cat out)" = "$error" ] || die "mistaken $case: $(cat out err)"
  grep -q "$message" err || [ -z "$message" ] || die "mistaken $case: not '$message': $(cat err)"
done <<'END'
0:cudaSuccess:
1:cudaErrorLaunchFailure:a surface is taken for a texture
2:cudaErrorLaunchFailure:a texture is taken for a surface
3:cudaErrorMisalignedAddress:an access to a surface is not aligned to its width
4:cudaErrorMisalignedAddress:an access to a surface is not aligned to its width
END

# --- calls through pointers that lead to no function: nvcc 13.0 looks them up in a table, whose entries beyond the last one are zeros
cat >called.cu <<'END'
#include <cstdio>
#include <cstdlib>
typedef void Function(int *);
__device__ __noinline__ void one(int *p) { *p += 1; }
__global__ void find(Function **f) { *f = one; }
__global__ void call(Function *f, int *p) { f(p); }
int main(int, char **argv) {
  int *p;
  Function **f, *found;
  if (cudaMalloc(&p, 4) || cudaMalloc(&f, sizeof *f))
    return 1;
  find<<<1, 1>>>(f);
  cudaMemcpy(&found, f, sizeof found, cudaMemcpyDeviceToHost);
  call<<<1, 1>>>(argv[1][0] == 'o' ? found : (Function *)strtoull(argv[1], NULL, 0), p);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
END
"$nvcc" -arch=sm_90 -cudart shared -o called called.cu
"$SMEMBANK" run --output ranking -- ./called one >out 2>err || die "called: $(cat out err)"
[ "$(cat out)" = cudaSuccess ] || die "called: $(cat out err)"
for pointer in 0 0x1230; do
  "$SMEMBANK" run --output ranking -- ./called $pointer >out 2>err || die "called $pointer: $(cat out err)"
  grep -qxE 'cudaErrorIllegalAddress|cudaErrorLaunchFailure' out || die "called $pointer: $(cat out err)"
  grep -qE 'call\(.*: (a call through a null pointer|a jump to 0x[0-9a-f]+, which is not an address of code), by thread \(0,0,0\)' err || die "called $pointer: $(cat err)"
done

# Programs see the first device of the architecture, or, where none is known, one that says what it stands for.
cat >seen.cu <<'END'
#include <cstdio>
int main() {
  cudaDeviceProp seen;
  cudaGetDeviceProperties(&seen, 0);
  printf("%s, %d multiprocessors, %d.%d\n", seen.name, seen.multiProcessorCount, seen.major, seen.minor);
}
END
"$nvcc" -cudart shared -o seen seen.cu
[ "$("$SMEMBANK" run --arch sm_80 -- ./seen 2>/dev/null | head -n 1)" = 'NVIDIA A100-SXM4-80GB, 108 multiprocessors, 8.0' ] || die 'an A100'
[ "$("$SMEMBANK" run --arch sm_61 -- ./seen 2>/dev/null | head -n 1)" = 'smembank, as sm_61, 132 multiprocessors, 6.1' ] || die 'no device of sm_61'
