#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What a count is exact of, and what of a text it cannot be: what atomics return depends on the order of threads.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
export SMEMBANK_NVCC=no

# exact FILE LINE OP yes|no OPTION...: what is said of the access.
exact() {
  file=$1 line=$2 op=$3 claim=$4
  shift 4
  expect 0 analyze "$file" --format csv "$@"
  python3 - "$work/out" "$line" "$op" "$claim" <<'END' || die "$last: line $line: not '$claim': $(cat "$work/out")"
import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["memory"] == "shared" and row["line"] == sys.argv[2] and row["op"] == sys.argv[3]]
reasons = [row["reason"] for row in rows if row["exact"] == "no"]
ok = rows and all((row["exact"] == "yes") == (sys.argv[4] == "yes") for row in rows)
sys.exit(not ok or any("depend" not in reason for reason in reasons))
END
}

# Insertion into and search of an open hash table: who comes first has the slot.
cat >hash.cu <<'END'
__device__ unsigned mix(unsigned k) { k ^= k >> 16; k *= 0x85ebca6bu; k ^= k >> 13; k *= 0xc2b2ae35u; return k ^ (k >> 16); }
__global__ void table(unsigned *out, const unsigned *keys) {
  __shared__ unsigned slot[512];
  int t = threadIdx.x;
  for (int i = t; i < 512; i += blockDim.x) slot[i] = 0xffffffffu;
  __syncthreads();
  unsigned k = keys[t], h = mix(k) & 511;
  while (true) {
    unsigned old = atomicCAS(&slot[h], 0xffffffffu, k);
    if (old == 0xffffffffu || old == k) break;
    h = (h + 1) & 511;
  }
  __syncthreads();
  h = mix(k) & 511;
  unsigned p = 0;
  while (slot[h] != k) { h = (h + 1) & 511; p++; }
  out[t] = p;
}
END
exact hash.cu 5 store yes --block 256 --buffer keys=random:u32:1
exact hash.cu 9 atomic no --block 256 --buffer keys=random:u32:1
exact hash.cu 16 load no --block 256 --buffer keys=random:u32:1
grep -qF 'slot[h]: its address depends on the order in which threads execute atomics' "$work/out" || die "$last: no reason"
says 'hash.cu:9:20: warning: atomicCAS(&slot[h], 0xffffffffu, k): its address depends on the order in which threads execute atomics'
expect 1 analyze hash.cu --block 256 --buffer keys=random:u32:1 --max-excess 100000
# Without the keys, that comes first.
exact hash.cu 16 load no --block 256
grep -qF "depend on the contents of 'keys'" "$work/out" || die "$last: another reason"
# The parts of a launch say the same.
expect 0 analyze hash.cu --block 256 --grid 2 --buffer keys=random:u32:1 --format json
cp "$work/out" whole.json
for part in 1 2; do
  expect 0 analyze hash.cu --block 256 --grid 2 --buffer keys=random:u32:1 --format json --shard $part/2
  cp "$work/out" part$part.json
done
expect 0 merge part1.json part2.json --format json
cmp -s "$work/out" whole.json || die "$last: not the whole: $(diff "$work/out" whole.json | head -5)"

# A place that an atomic gives out; a loop that swaps until it has; what decides whether something is done; sums.
cat >order.cu <<'END'
__global__ void places(int *out) {
  __shared__ int n, list[64], sums[32];
  int t = threadIdx.x;
  if (t == 0) n = 0;
  sums[t & 31] = 0;
  __syncthreads();
  list[atomicAdd(&n, 1)] = t;
  atomicAdd(&sums[t & 3], 1);
  __syncthreads();
  out[t] = list[t] + sums[t & 31] + sums[sums[0] & 31];
}
__global__ void swaps(float *out, float x) {
  __shared__ unsigned s[32], flag[32];
  s[threadIdx.x] = 0;
  __syncthreads();
  unsigned old = s[0], seen;
  do {
    seen = old;
    old = atomicCAS(&s[0], seen, __float_as_uint(__uint_as_float(seen) + x));
  } while (seen != old);
  if (atomicExch(&s[1], 1u) == 0u)
    flag[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
exact order.cu 5 store yes --entry places --block 64
exact order.cu 7 store no --entry places --block 64
exact order.cu 7 atomic yes --entry places --block 64
exact order.cu 8 atomic yes --entry places --block 64
exact order.cu 10 load yes --entry places --block 64
exact order.cu 14 store yes --entry swaps --block 32 --arg x=1
exact order.cu 19 atomic no --entry swaps --block 32 --arg x=1
exact order.cu 22 store no --entry swaps --block 32 --arg x=1
exact order.cu 24 load yes --entry swaps --block 32 --arg x=1

# Of what.
ptx=$srcdir/tests/ptx/transpose.ptx
expect 0 analyze "$ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64
shows 'exact for the PTX as written: ptxas may merge, split, reorder or remove accesses'
expect 0 analyze "$ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64 --format json
shows '"exact_of" : "the PTX as written: ptxas may merge, split, reorder or remove accesses"'
expect 0 explain "$ptx" --entry 'transpose<0>' --block 32,8 --arg 2=64 --format json
shows '"exact_of" : "the PTX as written'
expect 0 analyze --rows 32 --cols 32 --format json
shows '"exact_of" : "the text as written: a compiler may merge'
expect 0 analyze "$srcdir/tests/data/sass/constants.sm_90.cubin" --block 32 --unknown skip --format json
shows '"exact_of" : "the machine code: what a device executes"'
