#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The paddings that explain and report count beside an access, and why some cannot be.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

cat >"$work/k.cu" <<'END'
// A vector of four words, rows of 16: padding that is not a multiple of four splits or misaligns it.
__global__ void wide(float *out) {
  __shared__ float s[64][16];
  float4 v = *(float4 *)&s[threadIdx.x % 64][0];
  out[threadIdx.x] = v.x;
}
// 47 KiB: more padding needs dynamic shared memory.
__global__ void large(int *out) {
  __shared__ int s[376][32];
  s[threadIdx.x][0] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x][0];
}
// As much as a block of sm_50 can have.
__global__ void full(int *out) {
  __shared__ int s[384][32];
  s[threadIdx.x][0] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x][0];
}
// A single variable.
__global__ void one(int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 1;
  __syncthreads();
  out[threadIdx.x] = s;
}
// One dimension, no conflict.
__global__ void flat(int *out) {
  __shared__ int s[1024];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
END

# paddings ENTRY OPTIONS... WORDS: both say WORDS of the kernel ENTRY.
paddings() {
  entry=$1
  words=$2
  page_words=$3
  shift 3
  expect 0 explain "$work/k.cu" --entry "$entry" --block 32 "$@"
  shows "$words"
  expect 0 report "$work/page.html" "$work/k.cu" --entry "$entry" --block 32 "$@"
  grep -qF "$page_words" "$work/page.html" || die "the page of $entry lacks: $page_words"
}

paddings wide 'invalid: misaligns the 16-byte access of line 4' 'invalid: it would misalign a vector access'
paddings large 'needs dynamic shared memory with opt-in' 'needs dynamic shared memory, opted in'
paddings full 'invalid: sm_50 has at most 49152 bytes' 'invalid: more shared memory than a block can have' --arch sm_50

# The page has those of accesses with conflicts only.
expect 0 explain "$work/k.cu" --entry one --block 32
shows 's is a single variable: there are no rows to pad.'
expect 0 explain "$work/k.cu" --entry flat --block 32
tells 'takes no fewer'
