#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Descriptors of operands (wgmma) against the boxes of tensors that brought them, and against what threads wrote. tests/run/kernel/descriptor-cases.cu makes one mistake at a time;
# on an H200 its product is right, or not, in each of the cases here as it is said to be (2026-11-28, 2026-11-30), but for 64-halfway and turned-64-stride-double, which were not measured there.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
source=$(cd "$srcdir" && pwd)/tests/run/kernel/descriptor-cases.cu
cd "$work"

run_libraries
need_nvcc
"$nvcc" -gencode arch=compute_90a,code=sm_90a -lineinfo -cudart shared -Wno-deprecated-gpu-targets -o cases "$source"

writer=box
layout= # packed: of a tensor that is as wide as what is copied; widths: one box has all

# run_case CASE OPERAND STATUS RESULT
run_case() {
  last="case $1 $2 $writer $layout"
  status=0
  timeout 60 "$SMEMBANK" run --check -- ./cases "$1" "$2" $writer $layout >out 2>err || status=$?
  [ "$status" = "$3" ] || die "$last: status $status, expected $3: $(cat err)"
  grep -qx "$1: $4" out || die "$last: expected '$4': $(cat out)"
}

# some HOW CASE: the first case of each sort in each layout, and one in six of those that differ from it in the numbers in their names, the writer
# and the operand. In a full run all are.
sorts=
some() {
  fields=$IFS IFS=0123456789
  how=$1
  # shellcheck disable=SC2086 # the words between the numbers
  set -- ${2#turned-}
  IFS=$fields
  case $sorts in *"<$how $* $layout>"*) one_in 6 ;; *) sorts="$sorts<$how $* $layout>" ;; esac
}

fits() {
  some fits "$1" || return 0
  run_case "$1" "$2" 0 right
  says 'nothing found.'
}

# misfits CASE OPERAND TEXT: found, at a line of the product, with that of the copy, or of the store.
misfits() {
  some fits "$1" || return 0
  run_case "$1" "$2" 1 wrong
  case $writer in
  box)
    copied=$2
    [ "$layout" != widths ] || copied="all of $2"
    says "the copy at $source:$(sed -n "\\,// copy of $copied\$,=" "$source")"
    ;;
  *) says "what $source:$(sed -n "\\,// $writer\$,=" "$source") wrote" ;;
  esac
  says 'descriptor that does not fit the copy: '
  says "$3"
}

# doubts CASE OPERAND TEXT RESULT: said, but not for certain.
doubts() {
  some doubts "$1" || return 0
  run_case "$1" "$2" 0 "$4"
  says 'no findings, '
  says 'descriptor that may not fit the copy: '
  says "$3"
}

# slips CASE OPERAND: wrong, and not found: offsets that lead to another copy, or out of it, and what may be meant.
slips() {
  some slips "$1" || return 0
  run_case "$1" "$2" 0 wrong
  says 'nothing found.'
}

# A plain and B turned; with all effort both.
for operand in A B; do
  case ${SMEMBANK_TEST_EFFORT:-}$operand in full*) kinds='plain turned-' ;; A) kinds=plain ;; *) kinds=turned- ;; esac
  for turned in $kinds; do
    turned=${turned#plain}
    for span in 128 64 32 16; do
      fits "$turned$span"-right $operand
      fits "$turned$span"-moved $operand
      for read in 128 64 32 16; do
        [ $read = $span ] || misfits "$turned$span-read-$read" $operand "operand $operand is read with"
      done
      misfits "$turned$span"-stride-half $operand "byte offset of operand $operand is"
    done
    for span in 128 64 32; do
      misfits "$turned$span"-unswizzled $operand "$span-byte swizzle, and the copy"
      misfits "$turned$span"-base $operand "the base offset of operand $operand is 1"
      misfits "$turned$span"-start $operand "operand $operand "
      misfits "$turned$span"-stride-double $operand "the stride byte offset of operand $operand is"
    done
  done
  misfits 16-leading-128 $operand "the leading byte offset of operand $operand is 128"
  misfits 16-leading-zero $operand "the leading byte offset of operand $operand is 0, so that what"
  fits 128-leading-zero $operand # which has a meaning without a swizzle only
  misfits 128-stride-half-alone $operand "the stride byte offset of operand $operand is 512"
  misfits 128-stride-zero $operand "the stride byte offset of operand $operand is 0, so that what"
  slips 128-eight $operand # of a box of eight rows
  misfits 16-exchanged $operand "the leading byte offset of operand $operand is 128"
  misfits 128-exchanged $operand "the stride byte offset of operand $operand is 8192, which leads out of the box that the copy at"
  slips turned-16-stride-double $operand
done

# One box that has all rows for one width after the other.
layout=widths
for operand in A B; do
  fits 16-right $operand
  misfits 16-exchanged $operand "the leading byte offset of operand $operand is 128, which leads to another row of the box"
  misfits 16-leading-zero $operand "the leading byte offset of operand $operand is 0, so that what"
  misfits 16-leading-half $operand "the leading byte offset of operand $operand is 512, which leads to another row of the box"
  misfits 16-leading-double $operand "the leading byte offset of operand $operand is 2048, which leads to another row of the box"
  fits turned-64-right $operand
  misfits turned-64-exchanged $operand "the leading byte offset of operand $operand is 512, which leads to another row of the box"
  misfits turned-64-leading-half $operand "the leading byte offset of operand $operand is 2048, which leads to another row of the box"
  misfits turned-64-leading-zero $operand "the leading byte offset of operand $operand is 0, so that what"
  misfits turned-64-stride-double $operand "the stride byte offset of operand $operand is 1024, and eight rows of the box"
  fits 64-right $operand
  misfits 64-stride-double $operand "the stride byte offset of operand $operand is 1024, and eight rows of the box"
  doubts 64-next-row $operand "operand $operand leads out of a slice of the box" wrong
done

# From the second row on, and behind the last one, which initcheck finds as well.
layout=bare
for operand in A B; do
  fits 128-right $operand
  run_case 128-next-row $operand 1 wrong
  says "operand $operand leads out of the box that the copy at"
  says 'and nothing wrote bytes 0 to 15 of '
done
layout=

# What threads wrote: copies that go on meanwhile, what they loaded and stored, rows of matrices in registers.
for writer in copied stored matrix; do
  for operand in A B; do
    case ${SMEMBANK_TEST_EFFORT:-}$operand in full*) kinds='plain turned-' ;; A) kinds=plain ;; *) kinds=turned- ;; esac
    for turned in $kinds; do
      turned=${turned#plain}
      for span in 128 64 32; do
        fits "$turned$span"-right $operand
        for read in 128 64 32; do
          [ $read = $span ] || misfits "$turned$span-read-$read" $operand "operand $operand is read with a $read-byte swizzle, and what"
        done
        misfits "$turned$span"-unswizzled $operand "wrote has rows of $span bytes without a swizzle: what is read as bytes"
      done
      fits "$turned"16-right $operand
      fits "$turned"128-moved $operand
      for bits in 128-swizzled-64 128-swizzled-32 64-swizzled-32; do
        misfits "$turned$bits" $operand "chunks are exchanged by (byte / 128) % $((${bits##*-} / 16)), not % $((${bits%%-*} / 16)): what is read as bytes"
      done
      misfits "$turned"128-shifted $operand "chunks are exchanged by (byte / 256) % 8, not (byte / 128) % 8: what is read as bytes"
      misfits "$turned"64-shifted $operand "chunks are exchanged by (byte / 64) % 4, not (byte / 128) % 4: what is read as bytes"
      misfits "$turned"128-read-16 $operand "operand $operand is read without a swizzle, and what"
      misfits "$turned"128-base $operand "the base offset of operand $operand is 1, and what"
    done
    slips 16-read-128 $operand
    case $writer in
    matrix)
      slips 128-halfway $operand
      slips 128-stride-half $operand
      ;;
    *)
      misfits 128-stride-half $operand "the stride byte offset of operand $operand is 512, so that what"
      misfits turned-64-stride-double $operand "leads past what"
      misfits 128-stride-half-alone $operand "the stride byte offset of operand $operand is 512, so that what"
      misfits 128-stride-zero $operand "the stride byte offset of operand $operand is 0, so that what"
      fits 128-leading-zero $operand
      misfits 16-leading-zero $operand "the leading byte offset of operand $operand is 0, so that what"
      misfits 16-leading-128 $operand "the leading byte offset of operand $operand is 128, so that what"
      misfits 16-leading-double $operand "the leading byte offset of operand $operand is 2048, which leads past what"
      misfits 16-exchanged $operand "the leading and stride byte offsets of operand $operand, 128 and 1024, are exchanged for what"
      misfits 128-halfway $operand "the base offset of operand $operand is 4, and what"
      ;;
    esac
    case $writer in
    copied) fits 64-halfway $operand ;; # of 64 bytes two bits of the base offset count
    esac
  done
done

# The same by parts of 16 bytes, or after each number was computed; rows with a gap, and rotated ones.
for writer in parts computed; do
  for operand in A B; do
    fits 128-right $operand
    fits turned-64-right $operand
    misfits turned-128-unswizzled $operand "wrote has rows of 128 bytes without a swizzle: what is read as bytes"
    misfits 128-read-64 $operand "operand $operand is read with a 64-byte swizzle, and what"
    misfits turned-128-swizzled-64 $operand 'chunks are exchanged by (byte / 128) % 4, not % 8: what is read as bytes'
    misfits 128-stride-half $operand "the stride byte offset of operand $operand is 512, so that what"
  done
done
for writer in copied stored parts computed matrix; do
  for kind in 128- turned-128-; do
    misfits ${kind}padded B 'wrote has rows of 128 bytes without a swizzle, 144 bytes apart: what is read as bytes'
    misfits ${kind}rotated B 'chunks are rotated by (byte / 128) % 8: what is read as bytes'
  done
done
writer=box
for operand in A B; do
  run_case 128-halfway $operand 1 wrong
  says "the base offset of operand $operand is 4, and what $source:"
  says 'wrote is swizzled as with one of 0, other than the other operand: what is read as bytes 0 to 15 of'
done

# Rows that lie swizzled in global memory, and are copied as they are. No address tells them from rows that somebody forgot to swizzle: it is said what makes
# them right.
layout=swizzled
for writer in box copied stored; do
  for kind in 128- turned-128-; do
    run_case ${kind}unswizzled A 1 right
    says 'wrong unless the data is swizzled in global memory already'
  done
done
layout=

# Rows without a gap: if they were copied as they are, the tensor may have its own swizzle.
layout=packed
for writer in box copied stored; do
  for operand in A B; do
    fits 128-right $operand
    fits turned-64-right $operand
    fits 16-right $operand
  done
done
for writer in copied stored; do
  for operand in A B; do
    slips 128-unswizzled $operand
    misfits 128-swizzled-64 $operand 'chunks are exchanged by (byte / 128) % 4, not % 8: what is read as bytes'
    misfits 128-shifted $operand 'chunks are exchanged by (byte / 256) % 8, not (byte / 128) % 8: what is read as bytes'
    misfits 128-read-16 $operand "operand $operand is read without a swizzle, and what"
    misfits 128-stride-half $operand "the stride byte offset of operand $operand is 512, so that what"
    misfits 128-stride-zero $operand "the stride byte offset of operand $operand is 0, so that what"
    misfits 16-exchanged $operand "the leading and stride byte offsets of operand $operand, 128 and 1024, are exchanged for what"
    misfits 16-leading-double $operand "the leading byte offset of operand $operand is 2048, which leads past what"
  done
done
layout=
writer=box

# Rows that are not there are zeros, and what follows the others in memory is another operand.
"$nvcc" -arch=sm_90a -cubin -o tail.cubin "$(dirname "$source")/descriptor-tail.cu"
for rows in 8 40 64; do
  expect 0 analyze tail.cubin --block 128 --arg "2=$rows" --dynamic-bytes 17408
  ! grep -q 'operand [AB]' out err || die "$rows rows: $(cat err)"
done

# A box of pixels has no slices.
"$nvcc" -gencode arch=compute_90a,code=sm_90a -lineinfo -cudart shared -o pixels "$(dirname "$source")/descriptor-pixels.cu"
"$SMEMBANK" run --check -- ./pixels >out 2>err || die "pixels: status $?: $(cat out err)"
grep -q '^cudaSuccess right$' out || die "pixels: $(cat out)"
says 'nothing found.'

# PTX that is run as it is, without an nvcc.
"$nvcc" -gencode arch=compute_90a,code=compute_90a -lineinfo -cudart shared -Wno-deprecated-gpu-targets -o cases-ptx "$source"
for writer in box copied stored matrix; do
  status=0
  SMEMBANK_NVCC=no timeout 60 "$SMEMBANK" run --check -- ./cases-ptx 128-read-64 A $writer >out 2>err || status=$?
  [ "$status" = 1 ] || die "PTX, $writer: status $status: $(cat out err)"
  says 'operand A is read with a 64-byte swizzle, and '
  SMEMBANK_NVCC=no timeout 60 "$SMEMBANK" run --check -- ./cases-ptx 128-right A $writer >out 2>err || die "PTX, $writer: $(cat out err)"
done
writer=box

# --- without --check: a launch of a capture, in all its forms
expect 0 run -o cases.zip --output ranking -- ./cases 128-unswizzled A
grep -q 'Operand A is read with a 128-byte swizzle' ranking || die "the ranking: $(cat ranking)"
expect 0 analyze cases.zip --launch 1
says 'warning: operand A is read with a 128-byte swizzle, and the copy at'
expect 0 analyze cases.zip --launch 1 --format json
is_json
shows '"kind" : "descriptor"'
expect 0 analyze cases.zip --launch 1 --format sarif
shows '"ruleId" : "descriptor"'
expect 0 explain cases.zip --launch 1
says 'warning: operand A is read with a 128-byte swizzle, and the copy at'

# --- boxes that begin at any byte of shared memory: a multiple of 128, as on an H200 (13 offsets, loads and stores, all swizzles)
cat >aligned.cu <<'END'
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void load(const __grid_constant__ CUtensorMap map, int at, int *out) {
  extern __shared__ __align__(1024) char tile[];
  __shared__ unsigned long long barrier;
  unsigned b = __cvta_generic_to_shared(&barrier), s = __cvta_generic_to_shared(tile) + at;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;\n"
                 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2, {0, 0}], [%0];"
                 :: "r"(b), "r"(s), "l"(&map) : "memory");
  }
  __syncwarp();
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W; }" :: "r"(b) : "memory");
  out[threadIdx.x] = ((int *)(tile + at))[threadIdx.x];
}
__global__ void store(const __grid_constant__ CUtensorMap map, int at) {
  extern __shared__ __align__(1024) char tile[];
  unsigned s = __cvta_generic_to_shared(tile) + at;
  for (int i = threadIdx.x; i < 512; i += 32)
    ((int *)tile)[i] = i;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncwarp();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, 0}], [%1];\ncp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" :: "l"(&map), "r"(s) : "memory");
}
int main(int, char **words) {
  int at = atoi(words[2]), *o, *p;
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  CUtensorMap map;
  cuuint64_t size[] = {32, 32}, stride[] = {128};
  cuuint32_t box[] = {32, 8}, step[] = {1, 1};
  cudaMalloc(&p, 4096);
  cudaMemset(p, 1, 4096);
  cudaMalloc(&o, 128);
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (words[1][0] == 'l')
    load<<<1, 32, 2048>>>(map, at, o);
  else
    store<<<1, 32, 2048>>>(map, at);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(o), cudaFree(p);
}
END
"$nvcc" -gencode arch=compute_90a,code=sm_90a -cudart shared -o aligned aligned.cu
for way in load store; do
  for at in 4 16 64 96; do
    timeout 60 "$SMEMBANK" run --check -- ./aligned $way $at >out 2>err && die "aligned $way $at: nothing was found"
    [ "$(head -n 1 out)" = cudaErrorMisalignedAddress ] || die "aligned $way $at: $(cat out err)"
    grep -q 'misaligned access: byte .* of shared memory is not a multiple of 128, by thread (0,0,0)' err || die "aligned $way $at: $(cat err)"
  done
  timeout 60 "$SMEMBANK" run --check -- ./aligned $way 128 >out 2>err || die "aligned $way 128: $(cat out err)"
done

# --- maps that no copy takes, and boxes
cat >maps.cu <<'END'
#include <cuda.h>
#include <cstdio>
#include <cstdlib>

#define BEGIN                                                                                                                                      \
  __shared__ __align__(128) int tile[1024];                                                                                                        \
  __shared__ unsigned long long barrier;                                                                                                           \
  unsigned to = (unsigned)__cvta_generic_to_shared(tile), b = (unsigned)__cvta_generic_to_shared(&barrier);                                        \
  tile[threadIdx.x] = 0;                                                                                                                           \
  if (threadIdx.x == 0)                                                                                                                            \
    asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(b) : "memory");                     \
  asm volatile("fence.proxy.async;" ::: "memory");                                                                                                 \
  __syncwarp();
#define FINISH                                                                                                                                     \
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@p bra D;\nbra W;\nD: }" ::"r"(b) : "memory");                \
  *out = tile[threadIdx.x];
#define LOAD(at) ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " at "], [%2];" :: "r"(to), "l"(&map), "r"(b), "r"(x), "r"(0) : "memory"

__global__ void flat(const __grid_constant__ CUtensorMap map, int x, int *out) {
  BEGIN
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d" LOAD("{%3, %4}")); // flat
  FINISH
}
__global__ void deep(const __grid_constant__ CUtensorMap map, int x, int *out) {
  BEGIN
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.3d" LOAD("{%3, %4, %4}")); // deep
  FINISH
}
__global__ void copied(const CUtensorMap map, int x, int *out) {
  BEGIN
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d" LOAD("{%3, %4}")); // copied
  FINISH
}
__global__ void stored(const __grid_constant__ CUtensorMap map, int x, int *) {
  BEGIN
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" :: "l"(&map), "r"(x), "r"(0), "r"(to) : "memory"); // stored
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
int main(int, char **words) {
  int x = atoi(words[2]), *o, *p;
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  CUtensorMap map = {};
  cuuint64_t size[] = {32, 32}, stride[] = {128};
  cuuint32_t box[] = {32, 8}, step[] = {1, 1};
  cudaMalloc(&p, 4096);
  cudaMemset(p, 1, 4096);
  cudaMalloc(&o, 128);
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
  if (words[1][0] != 'z')
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  (words[1][0] == 'd' ? deep : words[1][0] == 'c' ? copied : words[1][0] == 's' ? stored : flat)<<<1, 32>>>(map, x, o);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(o), cudaFree(p);
}
END
for code in sm_90a compute_90a; do
  "$nvcc" -gencode arch=compute_90a,code=$code -lineinfo -cudart shared -o maps maps.cu
  # tells_map KERNEL AT TITLE TEXT [CASE]: the copy of a kernel, at column AT, is what is wrong
  tells_map() {
    SMEMBANK_NVCC=no timeout 60 "$SMEMBANK" run --check -- ./maps "${5-$1}" "$2" >out 2>err && die "maps $1 $2: nothing was found"
    grep -qF "maps.cu:$(grep -n "// $1\$" maps.cu | sed 's/:.*//'): $3: $4" err || die "maps $code $1 $2: $(cat out err)"
  }
  tells_map deep 0 'descriptor that does not fit the copy' 'the tensor map has 2 dimensions, the copy 3'
  tells_map flat 0 'descriptor that does not fit the copy' 'these 128 bytes are no tensor map' zeros
  tells_map copied 0 'descriptor that does not fit the copy' 'the tensor map is in local memory'
  tells_map flat 1 'illegal instruction' 'the first coordinate of the box is not at a multiple of 16 bytes, by thread (0,0,0)'
  tells_map stored -4 'illegal instruction' 'the box is stored, and a coordinate is negative, by thread (0,0,0)'
  SMEMBANK_NVCC=no timeout 60 "$SMEMBANK" run --check -- ./maps flat 0 >out 2>err || die "maps $code: $(cat out err)"
done

# Two copies that the same is wrong with, for two products: one warning.
expect 0 run -o cases.zip --output ranking -- ./cases 64-read-32 A
expect 0 analyze cases.zip --launch 1
[ "$(grep -c 'warning: operand A' err)" = 1 ] || die "one warning for one mistake: $(cat err)"
says ', and at 1 other place'

# --- layouts of what tensor maps and descriptors name: nothing that these cannot say, and nothing where they are wrong
expect 0 run -o cases.zip --output ranking -- ./cases 128-unswizzled A matrix
expect 0 advise cases.zip --launch 1
tr '\n' ' ' <out | grep -q 'Searched 1 layout. None takes fewer .* It is operand A of the product at [^ ]*, which does not fit what was written there' ||
  die "advise of an operand: $(cat out)"
expect 0 run -o cases.zip --output ranking -- ./cases 128-unswizzled A
expect 0 advise cases.zip --launch 1 --all
tr '\n' ' ' <out | grep -q 'It is a box of the tensor that the copy at [^ ]* moves and operand A of the product at [^ ]*, which do not agree on how it lies' ||
  die "advise of an operand and its box: $(cat out)"
sed -e 's/^  out\[threadIdx.x\] = .*/  int4 x = ((int4 *)(tile + at))[threadIdx.x % 8 * 8];\n  out[threadIdx.x] = x.x + x.y + x.z + x.w;/' \
  -e 's/CU_TENSOR_MAP_SWIZZLE_NONE/words[3] ? CU_TENSOR_MAP_SWIZZLE_128B : &/' aligned.cu >boxes.cu
"$nvcc" -gencode arch=compute_90a,code=sm_90a -lineinfo -cudart shared -o boxes boxes.cu
expect 0 run -o boxes.zip --output ranking -- ./boxes load 0
expect 0 advise boxes.zip --launch 1
tells 'Searched 2 layouts. Best: '
tells 'Only what a tensor map can say was searched'
tells 'its tensor map has CU_TENSOR_MAP_SWIZZLE_128B in place of CU_TENSOR_MAP_SWIZZLE_NONE.'
expect 0 advise boxes.zip --launch 1 --format json
is_json
shows '"tensor_map_swizzle" : 128'
expect 0 run -o boxes.zip --output ranking -- ./boxes load 0 swizzled
expect 0 advise boxes.zip --launch 1
tells ' with a 128-byte swizzle. Only what a tensor map can say was searched'

# Of a program's text: forms that are compiled find the tensor that the map is of.
sed -e 's/atoi(words\[2\])/0/' -e "s/words\[1\]\[0\] == 'l'/true/" -e 's/words\[3\] ? [A-Z0-9_]* : //' boxes.cu >load.cu
expect 0 advise load.cu --arch sm_90a
tells '128-byte swizzle (index r * 128 + (x ^ r % 8 * 16)): 32 -> 4 wavefronts'
tells 'its tensor map has CU_TENSOR_MAP_SWIZZLE_128B in place of'

# Of an array that threads use, they are named as a possibility.
cat >both.cu <<'END'
__global__ void __launch_bounds__(128) both(const float4 *in, float *out) {
  __shared__ __align__(1024) float s[32][32];
  __shared__ __align__(1024) int4 operand[128];
  float d[4] = {};
  operand[threadIdx.x] = int4();
  if (threadIdx.x < 32)
    for (int i = 0; i < 8; i++)
      *(float4 *)&s[threadIdx.x][i * 4] = in[threadIdx.x * 8 + i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned long long matrix = (unsigned)__cvta_generic_to_shared(operand) >> 4 | 64ull << 16 | 8ull << 32;
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %4, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(matrix) : "memory");
  if (threadIdx.x < 32)
    for (int i = 0; i < 32; i++)
      out[i * 32 + threadIdx.x] = s[i][threadIdx.x] + s[threadIdx.x][i] + d[0];
}
END
expect 0 advise both.cu --arch sm_90a --block 128
tr '\n' ' ' <out | grep -q 'it has CU_TENSOR_MAP_SWIZZLE_128B, and if wgmma is to read it, its descriptor has the value 1 in bits 62-63 (128-byte swizzle); the array begins' ||
  die "advise of a kernel with wgmma: $(cat out)"

# --- boxes that are stored, of rows that threads wrote
cat >stores.cu <<'END'
#include <cuda.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
__global__ void store(const __grid_constant__ CUtensorMap map, const __half *in, int swizzle, int by_matrix) {
  extern __shared__ __align__(1024) char tile[];
  unsigned to = (unsigned)__cvta_generic_to_shared(tile);
  for (unsigned i = threadIdx.x; i < 512 && !by_matrix; i += 128) {
    unsigned row = i / 8, chunk = i % 8;
    *(uint4 *)(tile + row * 128 + (chunk ^ (row & swizzle)) * 16) = *(const uint4 *)(in + row * 128 + chunk * 8); // stored
  }
  for (unsigned chunk = 0, lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16; chunk < 8 && by_matrix; chunk += 2) {
    unsigned x[4], r = row + lane % 16;
    for (unsigned j = 0; j < 4; j++)
      x[j] = *(const unsigned *)(in + (row + j % 2 * 8 + lane / 4) * 128 + (chunk + j / 2) * 8 + lane % 4 * 2);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" :: "r"(to + r * 128 + ((chunk + lane / 16) ^ (r & swizzle)) * 16), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory"); // matrix
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, 0}], [%1];\ncp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" :: "l"(&map), "r"(to) : "memory");
}
int main(int, char **words) {
  __half *in, *out;
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  CUtensorMap map;
  cuuint64_t size[] = {64, 64}, stride[] = {128};
  cuuint32_t box[] = {64, 64}, step[] = {1, 1};
  int wrong = 0;
  cudaMallocManaged(&in, 64 * 256);
  cudaMallocManaged(&out, 64 * 128);
  for (int i = 0; i < 64 * 128; i++)
    in[i] = (__half)(float)(i * 29 % 2039);
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, out, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
         (CUtensorMapSwizzle)atoi(words[1]), CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  store<<<1, 128, 8192>>>(map, in, atoi(words[2]), words[3][0] == 'm');
  cudaDeviceSynchronize();
  for (int i = 0; i < 64 * 64; i++)
    wrong += (float)out[i] != (float)in[i / 64 * 128 + i % 64];
  puts(wrong ? "wrong" : "right");
  cudaFree(in), cudaFree(out);
}
END
"$nvcc" -gencode arch=compute_90a,code=sm_90a -lineinfo -cudart shared -o stores stores.cu
# stores_box MAP THREADS WRITER STATUS RESULT TEXT: a swizzle of a map, and the bits of the row by which threads exchange chunks
stores_box() {
  last="stores $1 $2 $3"
  status=0
  timeout 60 "$SMEMBANK" run --check -- ./stores "$1" "$2" "$3" >out 2>err || status=$?
  [ "$status" = "$4" ] || die "$last: status $status, expected $4: $(cat out err)"
  grep -qx "$5" out || die "$last: $(cat out)"
  says "$6"
}
for writer in stored matrix; do
  line=$(grep -n "// $writer\$" stores.cu | sed 's/:.*//')
  stores_box 3 7 $writer 0 right 'nothing found.'
  stores_box 0 0 $writer 0 right 'nothing found.'
  stores_box 3 3 $writer 1 wrong "the box is stored with a 128-byte swizzle, and what $PWD/stores.cu:$line wrote has rows of 128 bytes whose chunks are exchanged by (byte / 128) % 4, not % 8: what is read as"
done
stores_box 3 0 stored 0 wrong 'which is wrong unless the data is to lie swizzled in global memory'
stores_box 0 7 stored 0 wrong "the box is stored without a swizzle, and what $PWD/stores.cu:"

# --- swizzles of other chunks than those of 16 bytes (sm_100), by the documents, and an operand of tcgen05 that names them of a box that has them not
cat >atoms.cu <<'END'
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#define LOAD(to, map) asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" :: "r"(to), "l"(&map), "r"(b) : "memory") // copy
__global__ void load(const __grid_constant__ CUtensorMap map, unsigned char *out, int mode) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ unsigned long long barrier, done;
  __shared__ unsigned memory;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile);
  unsigned d = (unsigned)__cvta_generic_to_shared(&done), m = (unsigned)__cvta_generic_to_shared(&memory);
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" :: "r"(m) : "memory");
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nmbarrier.init.shared.b64 [%1], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [%0], 16384;" :: "r"(b), "r"(d) : "memory");
    LOAD(to, map); // copy
  }
  __syncwarp();
  asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@p bra D;\nbra W;\nD: }" :: "r"(b) : "memory");
  for (unsigned i = threadIdx.x; i < 16384; i += 32)
    out[i] = tile[i];
  unsigned long long matrix = to >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 46;
  if (threadIdx.x == 0 && mode) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" // product
                 :: "r"(memory), "l"(matrix | (unsigned long long)mode << 61), "l"(matrix | 2ull << 61), "r"(1 << 4 | 4 << 17 | 8 << 24) : "memory");
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(d) : "memory");
  }
  __syncwarp();
  if (mode)
    asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@p bra D;\nbra W;\nD: }" :: "r"(d) : "memory");
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" :: "r"(memory) : "memory");
}
int main(int, char **words) {
  int atom = atoi(words[1]), wrong = 0;
  unsigned char *in, *out;
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  CUtensorMap map;
  cuuint64_t size[] = {64, 128}, stride[] = {128};
  cuuint32_t box[] = {64, 128}, step[] = {1, 1};
  cudaMallocManaged(&in, 16384);
  cudaMallocManaged(&out, 16384);
  for (int i = 0; i < 16384; i++)
    in[i] = i * 29 % 59;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, in, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)atom,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    puts("no map");
  load<<<1, 32, 16384>>>(map, out, atoi(words[2]));
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 16384; i++) {
    int row = i / 128, by = atom == 3 ? row % 8 * 16 : atom == 4 ? row % 4 * 32 : atom == 5 ? row % 4 * 32 + row % 2 * 8 : row % 2 * 64;
    wrong += out[i ^ by] != in[i];
  }
  puts(wrong ? "wrong" : "right");
  cudaFree(in), cudaFree(out);
}
END
"$nvcc" -gencode arch=compute_100a,code=compute_100a -lineinfo -cudart shared -o atoms atoms.cu
for atom in 3 4 5 6; do
  SMEMBANK_NVCC=no timeout 60 "$SMEMBANK" run --check --arch sm_100a -- ./atoms $atom 0 >out 2>err || die "atoms $atom: $(cat out err)"
  grep -qx right out || die "atoms $atom: $(cat out err)"
done
for pair in '3 1' '4 2'; do
  # shellcheck disable=SC2086
  SMEMBANK_NVCC=no timeout 60 "$SMEMBANK" run --check --arch sm_100a -- ./atoms $pair >out 2>err && die "atoms $pair: nothing was found"
  case $pair in
  3*) says "operand A is read with a 128-byte swizzle of 32-byte units, and the copy at $PWD/atoms.cu:" && says 'brought it with a 128-byte swizzle; in' ;;
  *) says "operand A is read with a 128-byte swizzle, and the copy at $PWD/atoms.cu:" && says 'brought it with a 128-byte swizzle of 32-byte units: ' ;;
  esac
done
