#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# run --time: launches are predicted on the memory that they find, and the program computes what it computes without that.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

expect 2 run --clock 99 -- true
says "--clock '99': expected GHz"

need_nvcc
run_libraries

# Kernels that change what they read: one block more would be seen.
cat >app.cu <<'END'
#include <cstdio>
__global__ void turn(float *a, int n) {
  __shared__ float s[32][32];
  int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * 1024;
  s[y][x] = a[base + y * 32 + x];
  __syncthreads();
  a[base + y * 32 + x] = s[x][y] + n;
}
__device__ int calls;
__global__ void count(int *c) {
  atomicAdd(c, 1);
  atomicAdd(&calls, 1);
}
int main() {
  float *a, sum = 0;
  int *c, counted, called;
  cudaMalloc(&a, 1024 * 1024 * 4);
  cudaMalloc(&c, 4);
  cudaMemset(a, 0, 1024 * 1024 * 4);
  cudaMemset(c, 0, 4);
  count<<<8, 64>>>(c);
  for (int i = 0; i < 3; i++)
    turn<<<1024, dim3(32, 32)>>>(a, i + 1);
  count<<<8, 64>>>(c);
  float *h = new float[1024 * 1024];
  cudaMemcpy(h, a, 1024 * 1024 * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&counted, c, 4, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&called, calls, 4);
  for (int i = 0; i < 1024 * 1024; i++)
    sum += h[i] != 6;
  printf("%g wrong, %d counted, %d called\n", sum, counted, called);
}
END
"$SMEMBANK" run --time --format json --output ranking.json app.cu >out 2>err || die "$(cat err)"
grep -qx '0 wrong, 1024 counted, 1024 called' out || die "memory has changed: $(cat out)"
[ "$(grep -c '"without_conflicts"' ranking.json)" = 2 ] || die "not each kernel once: $(cat ranking.json)"
[ "$(grep -m 1 -oE '"symbol" : "[^"]*"' ranking.json)" = '"symbol" : "_Z4turnPfi"' ] || die "order: $(cat ranking.json)"

# As the same launch of a capture.
"$SMEMBANK" run --time --format csv --output ranking.csv --capture app.capture app.cu >out 2>err || die "$(cat err)"
grep '^[0-9]*,"turn' ranking.csv | cut -d , -f 17- | sed 1q >ran
expect 0 analyze app.capture --time --format csv
grep '^[0-9]*,"turn' "$work/out" | cut -d , -f 17- | sed 1q | cmp -s - ran || die "another time: $(cat ran ranking.csv "$work/out")"

# Launches with equal arguments that do not do the same have times of their own, as the memory that each finds says: what a launch has
# overwritten is not what it found. Those that do the same have one time.
cat >rounds.cu <<'END'
__global__ void rounds(unsigned *left, unsigned *sum) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x, x = at, n = left[at];
  for (unsigned i = 0; i < n; i++)
    x = x * 1664525 + 1013904223;
  sum[at] += x;
  left[at] = n > 2 ? n / 8 : n;
}
int main() {
  unsigned *left, *sum, h[64 * 256];
  for (int i = 0; i < 64 * 256; i++)
    h[i] = 1024;
  cudaMalloc(&left, sizeof h);
  cudaMalloc(&sum, sizeof h);
  cudaMemcpy(left, h, sizeof h, cudaMemcpyHostToDevice);
  for (int i = 0; i < 6; i++)
    rounds<<<64, 256>>>(left, sum);
  cudaDeviceSynchronize();
}
END
"$SMEMBANK" run --time --format csv --output rounds.csv --capture rounds.capture rounds.cu >out 2>err || die "$(cat err)"
rounds_times() { grep '^[0-9]*,"rounds' "$1" | sort -n | cut -d '"' -f 3 | cut -d , -f 15; }
rounds_times rounds.csv >ran
expect 0 analyze rounds.capture --time --format csv
rounds_times "$work/out" | cmp -s - ran || die "other times than of the memory that each launch found: $(cat ran rounds.csv "$work/out")"
[ "$(sort -u ran | wc -l)" = 4 ] || die "not four different times: $(cat ran)"

# There was no device: nothing says how long the launches ran there.
expect 0 analyze app.capture --time --format markdown
shows '| % | predicted | conflicts | % | remark |'
expect 0 analyze app.capture --time
grep -q duration "$work/out" && die "$last: a column without durations: $(cat "$work/out")"
expect 0 report page.html app.capture --time
grep -q '<th scope="col">duration' page.html && die "$last: a column without durations"
grep -q '<th scope="col">predicted</th><th scope="col">conflicts</th>' page.html || die "$last: no predicted times"

# Counting all blocks of a launch takes longer than predicting its time: predicted, unless that is not wanted.
cat >dear.cu <<'END'
__global__ void dear(const int *where, int *out, int n) {
  __shared__ int s[1024];
  for (int i = threadIdx.x; i < 1024; i += 256)
    s[i] = i;
  __syncthreads();
  int at = where[blockIdx.x] % 32;
  for (int i = 0; i < n; i++)
    at = s[(at * 32 + threadIdx.x) % 1024] % 32;
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
END
"$nvcc" -cubin -arch=sm_90 -lineinfo -o dear.cubin dear.cu
dear() { expect 0 "$@" dear.cubin --block 256 --grid 4096 --arg 2=400 --buffer 0=random:u32; }
dear analyze
shows 'Time on an H100: '
dear analyze --no-time
! grep -q 'Time on an H100' "$work/out" || die "a time that is not wanted"
dear analyze --no-time --time
! grep -q 'Time on an H100' "$work/out" || die "a time that is not wanted"

# Textures: the unit that looks them up takes 32 turns for a warp that weighs texels of 16 bytes (tests/gpu/time/texture.cu). A capture does not
# have them, so what it has is not predicted.
cat >textures.cu <<'END'
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void sample(cudaTextureObject_t t, float *o, float step, int n) {
  float x = threadIdx.x % 32 + 0.75f, s = 0;
  for (int i = 0; i < n; i++, x += step) {
    float4 v = tex2D<float4>(t, x, 0.75f);
    s += v.x + v.y + v.z + v.w;
  }
  o[threadIdx.x] = s;
}
int main() {
  cudaResourceDesc from = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  float *o;
  from.resType = cudaResourceTypeArray;
  how.filterMode = cudaFilterModeLinear;
  if (cudaMallocArray(&from.res.array.array, &format, 64, 64) || cudaCreateTextureObject(&t, &from, &how, NULL) || cudaMalloc(&o, 1024))
    return 1;
  void *zeros = calloc(64 * 64, 16);
  cudaMemcpy2DToArray(from.res.array.array, 0, 0, zeros, 1024, 1024, 64, cudaMemcpyHostToDevice);
  sample<<<1, 256>>>(t, o, 0, 64);
  return cudaDeviceSynchronize() != cudaSuccess;
}
END
"$SMEMBANK" run --time --device h200 --clock 1 --format csv --output ranking.csv --capture textures.capture textures.cu >out 2>err || die "$(cat err)"
took=$(sed -n 's/^1,"sample.*,\([0-9]*\),[0-9]*$/\1/p' ranking.csv)
turns=$((8 * 64 * 32)) # of 8 warps
{ [ "$took" -ge $turns ] && [ "$took" -le $((turns + 5000)) ]; } || die "$turns turns: $(cat ranking.csv)"
expect 0 analyze textures.capture --time
grep -q 'launch 1: Time not known: what the textures are is not known' "$work/out" || die "a texture is known: $(cat "$work/out")"

# Each other way to ask: turns of a warp whose texels are words side by side. Which level gradients choose is not known to the last digit.
cat >kinds.cu <<'END'
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void gather(cudaTextureObject_t t, float *o, int step) {
  float x = threadIdx.x % 32 + 1, s = 0;
  for (int i = 0; i < 64; i++) {
    float4 v = tex2Dgather<float4>(t, x, 1, 0);
    s += v.x + v.y + v.z + v.w, x += step;
  }
  o[threadIdx.x] = s;
}
__global__ void element(cudaTextureObject_t t, float *o, int step) {
  float s = 0;
  for (int i = 0; i < 64; i++)
    s += tex1Dfetch<float>(t, threadIdx.x % 32 + i * step);
  o[threadIdx.x] = s;
}
__global__ void gradient(cudaTextureObject_t t, float *o, int step) {
  float x = (threadIdx.x % 32 + 0.5f) / 64, s = 0;
  for (int i = 0; i < 64; i++)
    s += tex2DGrad<float>(t, x + i * step, 0.5f / 64, make_float2(2.0f / 64, 0), make_float2(0, 2.0f / 64));
  o[threadIdx.x] = s;
}
__global__ void load(cudaSurfaceObject_t f, float *o, int step) {
  float s = 0;
  for (int i = 0; i < 64; i++)
    s += surf2Dread<float>(f, 4 * (threadIdx.x % 32), i * step);
  o[threadIdx.x] = s;
}
__global__ void store(cudaSurfaceObject_t f, float *o, int step) {
  for (int i = 0; i < 64; i++)
    surf2Dwrite(o[0] + i, f, 4 * (threadIdx.x % 32), i & 1);
}
int main() {
  cudaResourceDesc of = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t gathered, elements, levels;
  cudaSurfaceObject_t surface;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t pyramid;
  cudaArray_t level;
  float *o, ones[64 * 64], result[1024];
  for (float &one : ones)
    one = 1;
  of.resType = cudaResourceTypeArray;
  if (cudaMalloc(&o, 8192) || cudaMemset(o, 0, 8192) ||
      cudaMallocArray(&of.res.array.array, &format, 64, 64, cudaArrayTextureGather | cudaArraySurfaceLoadStore) ||
      cudaMemcpy2DToArray(of.res.array.array, 0, 0, ones, 256, 256, 64, cudaMemcpyHostToDevice) ||
      cudaCreateTextureObject(&gathered, &of, &how, NULL) || cudaCreateSurfaceObject(&surface, &of))
    return 1;
  of.resType = cudaResourceTypeLinear;
  of.res.linear.devPtr = o;
  of.res.linear.desc = format;
  of.res.linear.sizeInBytes = 4096;
  if (cudaCreateTextureObject(&elements, &of, &how, NULL))
    return 2;
  how.normalizedCoords = 1;
  how.maxMipmapLevelClamp = 1;
  of.resType = cudaResourceTypeMipmappedArray;
  if (cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(64, 64, 0), 2) || cudaGetMipmappedArrayLevel(&level, pyramid, 1) ||
      cudaMemcpy2DToArray(level, 0, 0, ones, 128, 128, 32, cudaMemcpyHostToDevice))
    return 3;
  of.res.mipmap.mipmap = pyramid;
  if (cudaCreateTextureObject(&levels, &of, &how, NULL))
    return 4;
  gather<<<1, 1024>>>(gathered, o + 1024, 0);
  load<<<1, 1024>>>(surface, o + 1024, 0);
  element<<<1, 1024>>>(elements, o + 1024, 0);
  gradient<<<1, 1024>>>(levels, o + 1024, 0);
  cudaMemcpy(result, o + 1024, 4096, cudaMemcpyDeviceToHost);
  printf("%g\n", result[5]);
  store<<<1, 1024>>>(surface, o, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
END
"$SMEMBANK" run --time --device h200 --clock 1 --format csv --output ranking.csv kinds.cu >out 2>err || die "$(cat err)"
[ "$(cat out)" = 64 ] || die "64 texels of the second level: $(cat out)"
[ "$(grep -c . err)" = 1 ] || die "levels: $(cat err)"
grep -q 'gradient(.*: how sm_90 chooses levels of textures is not known to the last digit' err || die "levels: $(cat err)"
while read -r kind turns; do
  took=$(sed -n "s/^[0-9]*,\"$kind(.*,\([0-9]*\),[0-9]*\$/\1/p" ranking.csv)
  turns=$((32 * 64 * turns)) # of 32 warps
  { [ "$took" -ge $turns ] && [ "$took" -le $((turns + 5000)) ]; } || die "$kind: $turns turns: $(cat ranking.csv)"
done <<'END'
gather 16
load 4
element 4
gradient 32
store 4
END

# What the last block does depends on what the others have left: a thread divides where they have left something. With another input it took 122,159
# cycles on an H200 (Nsight Compute, 2026-11-28); 24,800 were predicted without that. The counter is what it was before the launch.
cat >last.cu <<'END'
#include <cooperative_groups.h>
__global__ void last(const float *in, float *part, float *out, int *count, int n) {
  __shared__ float s[256];
  __shared__ bool am;
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    am = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (am && threadIdx.x == 0) {
    float w = 0;
    for (int i = 0; i < gridDim.x; i++) {
      float p = ((volatile float *)part)[i];
      if (p != 0)
        for (int k = 0; k < 8; k++)
          w += p / (i + k + 1);
    }
    *out = w;
  }
}
__global__ void meet(int rounds, int *o) {
  __shared__ int s[32];
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int i = 0; i < rounds; i++)
    grid.sync();
  s[threadIdx.x] = rounds;
  o[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void pass(volatile int *there, int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    while (blockIdx.x && !there[blockIdx.x - 1])
      ;
    there[blockIdx.x] = 1;
    out[blockIdx.x] = s[blockIdx.x % 32];
  }
}
__global__ void rows(volatile int *there, int *out) {
  __shared__ int s[32];
  int place = blockIdx.y * gridDim.x + blockIdx.x;
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    while (blockIdx.x && !there[place - 1])
      ;
    there[place] = 1;
    out[place] = s[place % 32];
  }
}
__global__ void take(volatile int *there, int *next, int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    int place = atomicAdd(next, 1);
    while (place && !there[place - 1])
      ;
    there[place] = 1;
    out[place] = s[place % 32];
  }
}
__global__ void look(volatile int *there, int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    there[blockIdx.x] = 1;
    while (blockIdx.x && !there[blockIdx.x - 1])
      ;
    there[blockIdx.x] = 2;
    out[blockIdx.x] = s[blockIdx.x % 32];
  }
}
int main() {
  static float ones[1 << 20];
  float *in, *part;
  int *count;
  for (float &one : ones)
    one = 1;
  cudaMalloc(&in, sizeof ones);
  cudaMalloc(&part, 4096);
  cudaMalloc(&count, 4096);
  cudaMemset(count, 0, 4096);
  cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
  last<<<128, 256>>>(in, part, part + 512, count, 1 << 20);
  for (int rounds = 10; rounds <= 40; rounds += 30) {
    void *arguments[] = {&rounds, &count};
    cudaLaunchCooperativeKernel((void *)meet, 132, 32, arguments, 0, 0);
  }
  int *there = (int *)in;
  for (int blocks : {132, 528}) {
    cudaMemset(there, 0, 4096);
    pass<<<blocks, 32>>>(there, there + 1024);
  }
  cudaMemset(there, 0, 4096);
  look<<<528, 32>>>(there, there + 1024);
  cudaMemset(there, 0, 8192);
  take<<<528, 32>>>(there, there + 1500, there + 2048);
  cudaMemset(there, 0, 8192);
  rows<<<dim3(33, 16), 32>>>(there, there + 1024);
  cudaDeviceSynchronize();
}
END
"$SMEMBANK" run --time --device h200 --clock 1 --format csv --output last.csv last.cu >out 2>err || die "$(cat err)"
cycles() { grep "^$1," last.csv | rev | cut -d , -f 2 | rev; }
{ [ "$(cycles 1)" -gt 110000 ] && [ "$(cycles 1)" -lt 134000 ]; } || die "the last block: $(cat last.csv)"
# Between two barriers of the grid there are 1,867 cycles there.
barrier=$((($(cycles 3) - $(cycles 2)) / 30))
{ [ "$barrier" -gt 1680 ] && [ "$barrier" -lt 2050 ]; } || die "a barrier: $barrier, $(cat last.csv)"
# Blocks of which each waits for the one before: an H200 takes 434 to 465 cycles from one to the next (clock64(), 2026-11-28). Those that store
# what others wait for before they wait themselves do not wait in a row.
passes=$((($(cycles 5) - $(cycles 4)) / (528 - 132)))
{ [ "$passes" -gt 415 ] && [ "$passes" -lt 480 ]; } || die "from block to block: $passes, $(cat last.csv)"
{ [ "$(cycles 7)" -gt $((415 * 528)) ] && [ "$(cycles 7)" -lt $((480 * 528)) ]; } || die "places from a counter: $(cat last.csv)"
[ "$(cycles 8)" -lt $((480 * 33 + 5000)) ] || die "rows of 33 blocks: $(cat last.csv)"
[ "$(cycles 8)" -gt $((415 * 33)) ] || die "rows of 33 blocks: $(cat last.csv)"
[ "$(cycles 6)" -lt 10000 ] || die "blocks that do not wait in a row: $(cat last.csv)"
# Of a kernel alone nobody knows what its blocks find: no time, and why.
"$nvcc" -arch=sm_90 -cubin -o last.cubin last.cu
for entry in pass rows; do
  expect 0 analyze last.cubin --entry "$entry" --block 32 --grid 528 --time
  tr '\n' ' ' <"$work/out" | grep -q 'Time: not known: its blocks wait for each other; ' || die "$last: $(cat "$work/out")"
done

# Memory of the host comes and goes over PCIe, in both directions at the same time: an H200 takes 701 µs (Nsight Compute, 2026-11-29). What is copied to
# the device first does not. Of managed memory it is said that its way is not in the time.
cat >host.cu <<'END'
template <int N> __global__ void add(const float *a, const float *b, float *c) {
  size_t i = blockIdx.x * 256 + threadIdx.x;
  c[i] = a[i] + b[i];
}
int main() {
  const size_t n = 4 << 20;
  float *host, *device, *managed;
  cudaHostAlloc(&host, 12 * n, cudaHostAllocMapped);
  cudaMalloc(&device, 12 * n);
  add<1><<<n / 256, 256>>>(host, host + n, host + 2 * n);
  add<1><<<n / 256, 256>>>(device, device + n, device + 2 * n);
  cudaMallocManaged(&managed, 12 * n);
  add<2><<<n / 256, 256>>>(managed, managed + n, managed + 2 * n);
  return cudaDeviceSynchronize();
}
END
"$SMEMBANK" run --time --device h200 --format json --output host.json host.cu >out 2>err || die "$(cat err)"
"$SMEMBANK" run --time --device h200 --format csv --output last.csv host.cu >out 2>err || die "$(cat err)"
{ [ "$(cycles 1)" -gt 650000 ] && [ "$(cycles 1)" -lt 750000 ]; } || die "memory of the host: $(cat last.csv)"
[ "$(cycles 2)" -lt 30000 ] || die "memory of the device: $(cat last.csv)"
[ "$(grep -c '"bound_by" : "PCIe"' host.json)" = 2 ] || die "$(cat host.json)"
[ "$(cycles 3)" -lt 30000 ] || die "managed memory: $(cat last.csv)"
[ "$(grep -c '"managed_memory" : "taken to be on the device"' host.json)" = 1 ] || die "$(cat host.json)"
