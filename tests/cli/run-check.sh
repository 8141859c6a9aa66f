#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run --check: tests/run/kernel/check-cases.cu makes one mistake at a time, product-cases.cu of products of warpgroups and copies in bulk, and tensor-cases.cu of tcgen05. Each is found, at its line and by its kind; the same program
# without it has nothing to say. Right programs that synchronise in less common ways have nothing to say either.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
source=$srcdir/tests/run/kernel/check-cases.cu
cd "$work"

run_libraries

# Without nvcc: a program that is checked and makes no mistake, with the runtime alone.
library=$SMEMBANK_RUN_LIBRARIES/libcudart.so.13
if [ ! -e "$library" ]; then
  echo "no $library: not built for this machine"
  exit 0
fi
cat >host.c <<'END'
#include <stddef.h>
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t), cudaFree(void *);
int main(int argc, char **argv) {
  char host[64];
  void *p;
  (void)argv;
  cudaMalloc(&p, 64);
  cudaMemset(p, 0, argc > 1 ? 60 : 64);
  cudaMemcpy(host, p, 64, 2);
  cudaMemcpy(host, p, argc > 1 ? 65 : 64, 2);
  if (argc < 3)
    cudaFree(p);
  return 0;
}
END
"${CC:-cc}" -o host host.c "$library"
expect 0 run --check -- ./host
says 'Checked 0 launches: nothing found.'
expect 1 run --check --format json -- ./host wrong
is_json
shows '"kind" : "unset-copy"'
shows '"function" : "cudaMemcpy"'
shows '"kind" : "call"'
shows '"error" : 1,'
expect 1 run --check -- ./host wrong more
says '2 findings'
says 'cudaMemcpy() returned cudaErrorInvalidValue'
says '1 allocation not freed: 64 bytes'
# The text and the document of one run.
expect 1 run --check --json both.json -- ./host wrong
says '2 findings'
[ "$(grep -c '"kind" : ' both.json)" = 2 ] || die "--json: $(cat both.json)"
expect 2 run --json both.json --output both.json -- ./host
expect 0 run -- ./host wrong more
expect 2 run --check --kernels skip -- ./host

need_nvcc
"$nvcc" -arch=sm_90 -lineinfo -cudart shared -Wno-deprecated-gpu-targets -diag-suppress 20054 -o cases "$source"

# checked STATUS CASE: runs a case; what it says of it is in err.
checked() {
  last="case $2"
  status=0
  timeout 60 "$SMEMBANK" run --check ${arch:+--arch $arch} -- ./cases "$2" >out 2>err || status=$?
  [ "$status" = "$1" ] || die "$2: status $status, expected $1: $(cat err)"
}

# finds CASE TITLE [TEXT]: the mistake is found, at a line that has its name, and nothing is without it. $alike: of so many cases one, which the
# same program had in its other form.
alike=1
finds() {
  one_in $alike || return 0
  checked 1 "$1"
  [ $# -lt 3 ] || says "$3"
  grep -nE "//( .*)? $1( |$)" "$source" | sed 's/:.*//' >lines
  while read -r line; do
    grep -q "${source##*/}:$line: $2: " err && found=$line
  done <lines
  [ -n "${found:-}" ] || die "$1: no '$2' at line $(tr '\n' ' ' <lines): $(cat err)"
  found=
  checked 0 "$1-not"
  grep -q 'nothing found' err || die "$1-not: $(cat err)"
}

for case in store-behind load-before shared-behind local-behind null heap-behind heap-freed freed peer-ended peer-behind; do
  finds $case 'out of bounds'
done
finds misaligned 'misaligned access'
finds free-twice "wrong use of the device's heap"
finds free-foreign "wrong use of the device's heap"
for case in read-early overwrite write-twice in-warp in-half with-atomic named-barrier flag copied-by-others bulk-copy bulk-reduction block-barrier \
  counted reduced two-buffers elected in-part dropped parity counter ticket wide-tile in-turn; do
  finds $case race
done
finds pending-copy 'access to a pending copy'
finds unset 'uninitialized device memory'
finds unset-atomic 'uninitialized device memory'
finds unset-heap 'uninitialized device memory'
finds unset-shared 'uninitialized shared memory'
finds peer-unset 'uninitialized shared memory' 'of block 1 of the cluster is read by thread (0,0,0), but no thread has written there'
for case in some-threads two-barriers too-few; do
  finds $case 'divergent threads at a barrier'
done
for case in wrong-mask wrong-constant wrong-half; do
  finds $case 'threads of a warp that do not meet'
done
finds no-barrier 'wrong use of an mbarrier'
check_dependent() {
  for case in dependent dependent-quiet dependent-write dependent-overwrite; do
    finds $case 'missing wait for the previous kernel'
  done
  checked 1 dependent-late
  says 'thread (0,0,0) reads 4 bytes at 0x'
  says 'that first_kernel(int*, int const*) writes, the previous kernel of the stream, and has not waited for it'
  for case in told serial spare synchronized behind-copy; do
    checked 0 dependent-$case
    says 'nothing found.'
  done
}
check_dependent
finds arrive-often 'wrong use of an mbarrier'

# --- what the host does
checked 1 unset-copy
says 'cudaMemcpy() copies 256 bytes to the host, but nothing was written to the byte at'
checked 1 call
says 'cudaMemcpy() returned cudaErrorInvalidValue'
checked 1 launch
says 'cudaLaunchKernel() returned cudaErrorInvalidValue'
checked 0 leak
says 'leak: 1000 bytes at'
checked 0 heap-left
says 'leak: 72 bytes at'
says 'of malloc() (memcheck)'
for case in unset-copy call launch leak heap-left; do
  checked 0 $case-not
  says 'nothing found.'
done

# --- right as they are
for case in tiles locked same-value fragments ended peers; do
  checked 0 $case
  says 'nothing found.'
done

# --- how often, who, and how many lanes
checked 1 store-behind
says '4 bytes at'
says '4 times'
checked 1 read-early
says 'is read by thread (32,0,0) and written by thread (31,0,0) at'

# --- a mask that the assembler left out: nothing says that it is wrong, unless the code is for debuggers, or PTX
checked 0 wrong-together
"$nvcc" -G -arch=sm_90 -cudart shared -Wno-deprecated-gpu-targets -diag-suppress 20054 -o cases "$source"
checked 1 wrong-together
says 'threads of a warp that do not meet: thread (16,0,0), lane 16, waits for the lanes of the mask 0x0000ffff'
checked 0 wrong-together-not

# --- the same kernels as PTX, which is run as it is where there is no compiler: arrays have their names
SMEMBANK_NVCC=no
export SMEMBANK_NVCC
"$nvcc" -arch=compute_90 -lineinfo -cudart shared -diag-suppress 20054 -o cases "$source"
for case in read-early-not in-warp-not flag-not bulk-copy-not bulk-reduction-not named-barrier-not counter-not wide-tile-not tiles locked fragments peers; do
  checked 0 $case
done
finds wide-tile race
checked 1 wrong-together
says 'threads of a warp that do not meet: thread (16,0,0), lane 16, waits for the lanes of the mask 0x0000ffff'
checked 0 wrong-together-not
checked 1 formatted
says "'sust.p.1d.b32.trap' is not supported"
checked 1 read-early
says "'tile' (byte 124 of shared memory)"
finds in-half race
alike=2
check_dependent
alike=1
finds inlined-twice race
checked 1 inlined-twice
says 'Checked 1 launch: 2 findings.'
for call in first second; do
  says "in inlined_twice(int*, bool), inlined at $source:$(grep -n "// $call call" "$source" | sed 's/:.*//'), block (0,0,0), 64 times"
done
finds unset-shared 'uninitialized shared memory'
checked 1 wrong-mask
says 'lane 4, waits for the lanes of the mask 0x0000000f'

# --- what products of warpgroups read, in PTX and in machine code
check_products() {
  finds early race "read by a wgmma and written by thread (0,0,0) at $source:"
  finds unfenced race 'with no fence.proxy.async between them'
  finds hole 'uninitialized shared memory' 'is read by a wgmma, but no thread'
  finds beyond 'out of bounds' 'byte 8192 of shared memory, which has '
  finds copied race 'with no wait for its mbarrier between them'
  finds one-waits race
  finds replaced race 'with no wgmma.wait_group, and barrier behind it, between them'
  finds recopied race
  finds two-groups race
  finds sent-unfenced race 'with no fence.proxy.async between them'
  finds sent-early race 'with no __syncwarp() or barrier between them'
  finds partial 'product that not all of its warps make' '3 of the 4 warps of the warpgroup from warp 0 on: warp 2 never comes'
  finds resent race 'with no cp.async.bulk.wait_group.read, and barrier behind it, between them'
  for case in short ended part unlike unordered fewer; do
    finds pool-$case 'wrong use of setmaxnreg'
  done
  checked 1 pool-short
  says 'waits here forever for 2304 registers (setmaxnreg.inc: 240 a thread instead of 168): of the 64512 that the block was launched with, 1280 are free'
  checked 1 pool-part
  says 'warp 0 never executes this setmaxnreg, as others of its warpgroup do'
  for case in fenced-late own-rows sent-late sent-on pool-in-turn; do
    checked 0 $case
    says 'nothing found.'
  done
}

# Each with what is said to be missing.
check_tensor() {
  while read -r case missing; do
    finds "$case" race "with $missing between them"
  done <<'END'
unfenced no fence.proxy.async
copy-early no fence.proxy.async
early no __syncwarp() or barrier
unbrought no wait for its mbarrier
replaced no wait for the mbarrier of a tcgen05.commit
brought-again no wait for the mbarrier of a tcgen05.commit
uncommitted no wait for the mbarrier of a tcgen05.commit
one-waits no wait for the mbarrier of a tcgen05.commit
other-form no wait for the mbarrier of a tcgen05.commit
chained no wait for the mbarrier of a tcgen05.commit
copy-over no wait for the mbarrier of a tcgen05.commit
store-over no wait for the mbarrier of a tcgen05.commit
unordered no barrier
stored-early no tcgen05.wait::st
unstored no tcgen05.wait::st
unstored-left no tcgen05.wait::st
given-back no barrier
pair-uncommitted no wait for the mbarrier of a tcgen05.commit
pair-brought-again no wait for the mbarrier of a tcgen05.commit
END
  # In machine code, whoever is behind a load waits for its registers: the barrier does.
  if [ "$1" = compute_100a ]; then
    finds unloaded race 'with no tcgen05.wait::ld, and barrier behind it, between them'
  else
    checked 0 unloaded
  fi
  finds beyond 'out of bounds' 'byte 6272 of shared memory, which has 6272 bytes, read by a tcgen05.mma'
  checked 1 chained
  says 'lane 0, column 0 of tensor memory is read by a tcgen05.mma and written by a tcgen05.mma'
  checked 1 given-back
  says 'lane 0, column 0 of tensor memory is given back by thread (96,0,0) and'
  checked 0 in-turn
  says 'nothing found.'
}
mv cases check-cases
source=$srcdir/tests/run/kernel/product-cases.cu
"$nvcc" -gencode arch=compute_90a,code=compute_90a -lineinfo -cudart shared -o cases "$source"
check_products
"$nvcc" -gencode arch=compute_90a,code=sm_90a -lineinfo -cudart shared -o cases "$source"
alike=2
check_products
alike=1
source=$srcdir/tests/run/kernel/tensor-cases.cu
arch=sm_100
for code in compute_100a sm_100a; do
  "$nvcc" -gencode arch=compute_100a,code=$code -lineinfo -cudart shared -o cases "$source"
  check_tensor $code
done
arch=
mv check-cases cases

# --- who waits forever: bytes that never come are named in whichever block of the cluster they are missing, and barriers that are short of threads
cat >forever.cu <<'END'
#include <cstdlib>
__global__ void __cluster_dims__(2) forever(const int *from, int which) {
  __shared__ alignas(128) int tile[32];
  __shared__ unsigned long long barrier;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile), rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(b) : "memory");
  __syncthreads();
  if (which != 1)
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0 && rank == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], %3;" // multicast
                 ::"r"(to), "l"(from), "r"(b), "h"((short)(which >= 2 ? 1 : 3)) : "memory");
  if (which == 3 && threadIdx.x >= 32)
    asm volatile("bar.sync 1, 128;" ::: "memory"); // short
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W; }" ::"r"(b) : "memory"); // wait
  if (which != 1)
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
int main(int, char **words) {
  int *from;
  cudaMalloc(&from, 128);
  cudaMemset(from, 0, 128);
  forever<<<2, 96>>>(from, atoi(words[1]));
  cudaDeviceSynchronize();
  cudaFree(from);
}
END
"$nvcc" -arch=sm_90 -lineinfo -cudart shared -Wno-deprecated-gpu-targets -o forever forever.cu
expect 0 run --check -- ./forever 0
expect 1 run --check -- ./forever 1
says 'not an mbarrier in another block of the cluster: expected its mbarrier.init first'
expect 1 run --check -- ./forever 2
says 'of block 1 of the cluster waits here forever: the mbarrier at byte '
says 'still expects 0 arrivals and 128 bytes'
expect 1 run --check -- ./forever 3
says 'waits here forever: the mbarrier at byte '
says 'divergent threads at a barrier: barrier 1 waits for 128 threads, but 64 reach it'

# --- other formats
expect 1 run --check --format json -- ./cases unset-shared
is_json
shows '"kind" : "unset-shared"'
shows '"tool" : "initcheck"'
shows '"inlined_at" : ['
shows '"findings" : ['
expect 1 run --check --format markdown -- ./cases unset-shared
shows '| unset-shared |'
expect 1 run --check --format csv -- ./cases unset-shared
says 'uninitialized shared memory'
expect 1 run --check --output report -- ./cases unset-shared
if grep -q 'Checked' err; then die "--output: the report is among the messages: $(cat err)"; fi
grep -q 'uninitialized shared memory' report || die "--output: $(cat report)"
