#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run: the same results for any number of threads; memory that is full; values that are not known; an interrupted program,
# whose launches are ranked; many launches, in one row.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

expect 2 run --device-memory many -- true
expect 2 run --device-memory 1K -- true
says 'expected at least 1M'
expect 2 run --unknown perhaps -- true
expect 2 run --threads 0 -- true

need_nvcc
run_libraries
for name in blocks limits; do
  "$nvcc" -arch=sm_90 -cudart shared -o $name "$srcdir/tests/run/kernel/$name.cu"
done

# --- any number of threads; the rows are those of a capture
for threads in 1 2 5; do
  expect 0 run --threads $threads --format json --output "$threads.json" -- ./blocks
  shows '0 wrong, total 0x1.edfb2ep+22, 80934107'
  mv out "$threads.out"
done
cmp 1.out 2.out || die "other results with 2 threads"
cmp 1.out 5.out || die "other results with 5 threads"
expect 0 run -o blocks.capture --format json --output run.json -- ./blocks
expect 0 analyze blocks.capture --format json
for part in run.json out; do
  grep -v '"command" : "\(run\|analyze\)",\|"file" :\|"started" :' $part >$part.same
done
cmp run.json.same out.same || die "other rows: $(diff run.json.same out.same)"
grep -v '"started" :\|"file" :' run.json >run.rest
for threads in 1 2 5; do
  grep -v '"started" :\|"file" :' "$threads.json" | cmp - run.rest || die "other counts with $threads threads"
done

# --- memory of the device, and what is not known
expect 0 run --device-memory 5M -- ./limits
shows '3 failed, 0 of 5 MiB left, cudaErrorMemoryAllocation; cudaErrorLaunchFailure'
says 'no room for 1048576 bytes: of the 5242880 bytes'
says 'the address depends on uninitialized memory'
shows '1 is not counted'
[ "$(grep -c 'no room' err)" = 1 ] || die "said more than once: $(cat err)"
expect 0 run --device-memory 5120K --unknown skip -- ./limits
shows '3 failed, 0 of 5 MiB left, cudaErrorMemoryAllocation; cudaSuccess'
says '256 of the bytes that it wrote have unknown values'

# --- an interrupted program
mkfifo told
"$SMEMBANK" run --output ranking -- ./limits forever >told 2>err &
pid=$!
read -r line <told
[ "${line#*; }" = looping ] || die "$line"
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 143 ] || die "status $status: $(cat err)"
grep -q '^ *1 .*loop(int\*, int)' ranking || die "$(cat ranking)"
# Here the second one has begun, unless the machine is very busy.
if grep -q '^2 launches' ranking; then
  grep -q '^launch 2: Not counted: .*interrupted' ranking || die "$(cat ranking)"
fi

# --- many launches
cat >many.cu <<'END'
__global__ void touch(int *p, int by) {
  __shared__ int s[64];
  s[threadIdx.x * 2] = p[threadIdx.x];
  p[threadIdx.x] = s[threadIdx.x * 2] + by;
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  for (int i = 0; i < 3000; i++)
    touch<<<1, 32>>>(p, i);
  return cudaDeviceSynchronize();
}
END
expect 0 run --arch sm_90 many.cu
shows '3000 launches, 1 different: 3000 of 6000 wavefronts (50%) are in excess.'
shows '1 +2999  touch(int*, int)'
expect 0 run --launches 11..20 --every 5 --format csv --output many.csv many.cu
[ "$(wc -l <many.csv)" = 3 ] || die "$(cat many.csv)"
expect 0 run --kernel nothing many.cu
says 'no launch was counted'
