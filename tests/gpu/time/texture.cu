// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose time is measured: textures and surfaces. First what a texture unit takes for an instruction of a warp, whatever its format, its
// filter, its shape, its lanes and the distance of its texels, in the first-level cache; then how long one is on its way; then arrays that are
// read and written once.
#include "launch.h"
#include <cuda_fp16.h>

enum How { FETCH_2D, FETCH_BUFFER, FETCH_1D, FETCH_3D, FETCH_LAYER, FETCH_CUBE, FETCH_GATHER, FETCH_LEVEL, FETCH_GRADIENT };

static __device__ float sum(float v) { return v; }
static __device__ float sum(float2 v) { return v.x + v.y; }
static __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
static __device__ float sum(unsigned v) { return __uint_as_float(v); }
static __device__ float sum(uint2 v) { return __uint_as_float(v.x ^ v.y); }
static __device__ float sum(uint4 v) { return __uint_as_float(v.x ^ v.y ^ v.z ^ v.w); }

// Where the lanes of a warp are: @columns of them at a distance, below each other.
struct Lanes {
  int columns;
  float across, down, first, step;
  int n, every; // that are active
};

template <typename T, How HOW> static __device__ T fetch(cudaTextureObject_t t, float x, float y) {
  if constexpr (HOW == FETCH_2D) return tex2D<T>(t, x, y);
  if constexpr (HOW == FETCH_BUFFER) return tex1Dfetch<T>(t, __float_as_int(x));
  if constexpr (HOW == FETCH_1D) return tex1D<T>(t, x);
  if constexpr (HOW == FETCH_3D) return tex3D<T>(t, x, y, 1.25f);
  if constexpr (HOW == FETCH_LAYER) return tex2DLayered<T>(t, x, y, 1);
  if constexpr (HOW == FETCH_CUBE) return texCubemap<T>(t, 1, x, y);
  if constexpr (HOW == FETCH_GATHER) return tex2Dgather<T>(t, x, y, 0);
  if constexpr (HOW == FETCH_LEVEL) return tex2DLod<T>(t, x, y, 0.f);
  if constexpr (HOW == FETCH_GRADIENT) return tex2DGrad<T>(t, x, y, make_float2(x, x), make_float2(y, y));
}

// Samples again and again: every warp the same texels.
template <typename T, How HOW> __global__ void sample(float *o, cudaTextureObject_t t, Lanes lanes, int n) {
  int lane = threadIdx.x % 32;
  float x = lanes.first + lane % lanes.columns * lanes.across, y = lanes.first + lane / lanes.columns * lanes.down, s[8] = {};
  if constexpr (HOW == FETCH_BUFFER) x = __int_as_float((int)x);
  if (lane < lanes.n && lane % lanes.every == 0)
    for (int i = 0; i < n; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) {
        s[j] += sum(fetch<T, HOW>(t, x, y));
        if constexpr (HOW == FETCH_BUFFER) x = __int_as_float(__float_as_int(x) + (int)lanes.step);
        else x += lanes.step;
      }
  o[blockIdx.x * blockDim.x + threadIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}
// One after the other: each says where the next one is.
template <typename T, How HOW> __global__ void follow(float *o, cudaTextureObject_t t, float y, int n) {
  float x = threadIdx.x;
  if constexpr (HOW == FETCH_BUFFER) x = 0;
  for (int i = 0; i < n; i++) x += sum(fetch<T, HOW>(t, x, y));
  o[threadIdx.x] = x;
}
// Beside loads of shared memory: as many of each as said.
template <int TEXTURES, int LOADS> __global__ void beside(float *o, cudaTextureObject_t t, float step, int n) {
  __shared__ float s[2048];
  s[threadIdx.x] = s[threadIdx.x + 1024] = 0;
  __syncthreads();
  float x = threadIdx.x % 32 + 0.5f, a = 0;
  int at = threadIdx.x % 32;
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int j = 0; j < TEXTURES; j++) a += tex2D<float>(t, x, 0.5f), x += step;
#pragma unroll
    for (int j = 0; j < LOADS; j++) a += s[at + 32 * j];
    at += (int)step;
  }
  o[blockIdx.x * 1024 + threadIdx.x] = a;
}
// Every element once.
template <typename T> __global__ void whole_2d(T *o, cudaTextureObject_t t, int width, float dx, float dy) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  o[y * width + x] = tex2D<T>(t, x + dx, y + dy);
}
template <typename T> __global__ void whole_buffer(T *o, cudaTextureObject_t t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = tex1Dfetch<T>(t, i);
}
__global__ void whole_1d(float *o, cudaTextureObject_t t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = tex1D<float>(t, i + 0.5f);
}
__global__ void whole_3d(float *o, cudaTextureObject_t t, int width, int height, float d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  o[(z * height + y) * width + x] = tex3D<float>(t, x + d, y + d, z + d);
}
template <typename T> __global__ void surface_copy(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  surf2Dwrite(surf2Dread<T>(from, x * (int)sizeof(T), y), to, x * (int)sizeof(T), y);
}
template <typename T> __global__ void surface_loads(float *o, cudaSurfaceObject_t from, int n, int step) {
  int lane = threadIdx.x % 32, y = 0;
  float s = 0;
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) s += sum(surf2Dread<T>(from, lane * (int)sizeof(T), y)), y += step;
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
template <typename T> __global__ void surface_stores(cudaSurfaceObject_t to, T v, int n) {
  int x = threadIdx.x % 32, y = (blockIdx.x * 32 + threadIdx.x / 32) % 256;
  for (int i = 0; i < n; i++) surf2Dwrite(v, to, (x + i % 32 * 32) * (int)sizeof(T), y);
}

static cudaTextureObject_t object(const cudaResourceDesc &from, bool is_linear, bool is_normalized = false, bool reads_float = false) {
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  for (int i = 0; i < 3; i++) how.addressMode[i] = cudaAddressModeClamp;
  how.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = reads_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = is_normalized;
  CHECK(cudaCreateTextureObject(&t, &from, &how, NULL));
  return t;
}
static cudaResourceDesc array(cudaChannelFormatDesc format, int width, int height, int depth, int flags) {
  cudaResourceDesc made = {};
  made.resType = cudaResourceTypeArray;
  CHECK(cudaMalloc3DArray(&made.res.array.array, &format, make_cudaExtent(width, height, depth), flags));
  return made;
}
static cudaResourceDesc linear(cudaChannelFormatDesc format, size_t bytes) {
  cudaResourceDesc made = {};
  made.resType = cudaResourceTypeLinear;
  made.res.linear.devPtr = in_a, made.res.linear.desc = format, made.res.linear.sizeInBytes = bytes;
  return made;
}
static cudaResourceDesc pitched(int width, int height) {
  cudaResourceDesc made = {};
  made.resType = cudaResourceTypePitch2D;
  made.res.pitch2D.devPtr = in_a, made.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  made.res.pitch2D.width = width, made.res.pitch2D.height = height, made.res.pitch2D.pitchInBytes = width * 4;
  return made;
}

int main() {
  make_memory();
  const Lanes side = {32, 1, 0, 0.5f, 0, 32, 1}, between = {32, 1, 0, 0.75f, 0, 32, 1};
  const int turns = 48;
  typedef cudaChannelFormatDesc F;
  const F f1 = cudaCreateChannelDesc<float>(), f2 = cudaCreateChannelDesc<float2>(), f4 = cudaCreateChannelDesc<float4>();
  const F h1 = {16, 0, 0, 0, cudaChannelFormatKindFloat}, h2 = {16, 16, 0, 0, cudaChannelFormatKindFloat}, h4 = {16, 16, 16, 16, cudaChannelFormatKindFloat};
  const F c1 = cudaCreateChannelDesc<uchar1>(), c2 = cudaCreateChannelDesc<uchar2>(), c4 = cudaCreateChannelDesc<uchar4>(), s4 = cudaCreateChannelDesc<ushort4>();
  const F u1 = cudaCreateChannelDesc<unsigned>(), u2 = cudaCreateChannelDesc<uint2>(), u4 = cudaCreateChannelDesc<uint4>();
#define SAMPLE(T, HOW, texture, lanes) launch(sample<T, HOW>, 132, 1024, 0, out_a, texture, lanes, turns)
  // Formats
#define FORMATS(T, f, reads, filtered)                                                             \
  for (int l = 0; l <= filtered; l++)                                                              \
  SAMPLE(T, FETCH_2D, object(array(f, 512, 512, 0, 0), l, false, reads), l ? between : side)
  FORMATS(float, f1, false, 1); FORMATS(float2, f2, false, 1); FORMATS(float4, f4, false, 1);
  FORMATS(float, h1, false, 1); FORMATS(float2, h2, false, 1); FORMATS(float4, h4, false, 1);
  FORMATS(float, c1, true, 1); FORMATS(float2, c2, true, 1); FORMATS(float4, c4, true, 1); FORMATS(float4, s4, true, 1);
  FORMATS(unsigned, u1, false, 0); FORMATS(uint2, u2, false, 0); FORMATS(uint4, u4, false, 0); FORMATS(uint4, c4, false, 0);
  // Where the lanes are
  const Lanes places[] = {{32, 0, 0, 0, 0, 32, 1}, {32, 0.25, 0, 0, 0, 32, 1}, {32, 2, 0, 0, 0, 32, 1}, {32, 4, 0, 0, 0, 32, 1}, {32, 8, 0, 0, 0, 32, 1}, {32, 16, 0, 0, 0, 32, 1},
                          {1, 0, 1, 0, 0, 32, 1}, {1, 0, 2, 0, 0, 32, 1}, {1, 0, 8, 0, 0, 32, 1}, {2, 1, 1, 0, 0, 32, 1}, {8, 1, 1, 0, 0, 32, 1}, {16, 1, 1, 0, 0, 32, 1}, {4, 8, 8, 0, 0, 32, 1},
                          {32, 1, 0, 0, 0, 1, 1}, {32, 1, 0, 0, 0, 8, 1}, {32, 1, 0, 0, 0, 16, 1}, {32, 1, 0, 0, 0, 32, 4}, {32, 1, 0, 0, 0, 32, 2}};
  cudaResourceDesc a1 = array(f1, 1024, 1024, 0, cudaArrayTextureGather), a4 = array(f4, 1024, 1024, 0, 0), b4 = array(c4, 1024, 1024, 0, 0);
  for (Lanes l : places) {
    l.first = 0.5f;
    SAMPLE(float, FETCH_2D, object(a1, false), l);
    l.first = 0.75f;
    SAMPLE(float, FETCH_2D, object(a1, true), l);
  }
  for (int i : {0, 2, 4, 6, 10, 12}) {
    Lanes l = places[i];
    l.first = 0.75f;
    SAMPLE(float4, FETCH_2D, object(a4, false), l);
    SAMPLE(float4, FETCH_2D, object(a4, true), l);
    SAMPLE(float4, FETCH_2D, object(b4, true, false, true), l);
  }
  // Shapes
  cudaTextureObject_t buffers[] = {object(linear(f1, 1 << 20), false), object(linear(f2, 1 << 20), false), object(linear(f4, 1 << 20), false), object(linear(c4, 1 << 20), false)};
  for (int across : {0, 1, 2, 4, 8, 32}) SAMPLE(float, FETCH_BUFFER, buffers[0], (Lanes{32, (float)across, 0, 0, 0, 32, 1}));
  SAMPLE(float2, FETCH_BUFFER, buffers[1], side); SAMPLE(float4, FETCH_BUFFER, buffers[2], side); SAMPLE(uint4, FETCH_BUFFER, buffers[3], side);
  SAMPLE(float, FETCH_BUFFER, buffers[0], (Lanes{32, 1, 0, 0, 0, 1, 1})); SAMPLE(float, FETCH_BUFFER, buffers[0], (Lanes{32, 1, 0, 0, 0, 8, 1}));
  cudaResourceDesc line = array(f1, 131072, 0, 0, 0), solid = array(f1, 256, 256, 128, 0), layers = array(f1, 256, 256, 4, cudaArrayLayered), cube = array(f1, 256, 256, 6, cudaArrayCubemap), solid4 = array(f4, 64, 64, 64, 0);
  for (int l = 0; l < 2; l++) {
    Lanes small = {32, 1.f / 256, 0, 0.1f, 0, 32, 1};
    SAMPLE(float, FETCH_1D, object(line, l), between); SAMPLE(float, FETCH_3D, object(solid, l), between); SAMPLE(float, FETCH_LAYER, object(layers, l), between);
    SAMPLE(float, FETCH_CUBE, object(cube, l, true), small); SAMPLE(float, FETCH_LEVEL, object(a1, l), between); SAMPLE(float, FETCH_GRADIENT, object(a1, l), between);
    SAMPLE(float4, FETCH_3D, object(solid4, l), between);
    SAMPLE(float, FETCH_2D, object(pitched(1024, 1024), l), between); SAMPLE(float, FETCH_2D, object(pitched(1024, 1024), l), (Lanes{8, 1, 1, 0.75f, 0, 32, 1}));
  }
  SAMPLE(float4, FETCH_GATHER, object(a1, false), between);
  // One after the other, of one warp
  cudaMemset(in_a, 0, 1 << 20);
#define FOLLOW(T, HOW, texture, y) launch(follow<T, HOW>, 1, 32, 0, out_a, texture, y, 400)
  FOLLOW(float, FETCH_BUFFER, buffers[0], 0.5f); FOLLOW(float, FETCH_2D, object(a1, false), 0.5f); FOLLOW(float, FETCH_2D, object(a1, true), 0.75f);
  FOLLOW(float4, FETCH_2D, object(a4, false), 0.5f); FOLLOW(float4, FETCH_2D, object(a4, true), 0.75f); FOLLOW(float, FETCH_3D, object(solid, true), 0.75f);
  // Beside shared memory
  cudaTextureObject_t near = object(a1, false);
  launch(beside<4, 0>, 132, 1024, 0, out_a, near, 0.f, 64); launch(beside<4, 8>, 132, 1024, 0, out_a, near, 0.f, 64);
  launch(beside<4, 16>, 132, 1024, 0, out_a, near, 0.f, 64); launch(beside<4, 32>, 132, 1024, 0, out_a, near, 0.f, 64); launch(beside<0, 32>, 132, 1024, 0, out_a, near, 0.f, 64);
  // Surfaces
  cudaResourceDesc to = array(f1, 2048, 2048, 0, cudaArraySurfaceLoadStore), from = array(f1, 2048, 2048, 0, cudaArraySurfaceLoadStore), to4 = array(f4, 1024, 1024, 0, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t st, sf, st4;
  CHECK(cudaCreateSurfaceObject(&st, &to)); CHECK(cudaCreateSurfaceObject(&sf, &from)); CHECK(cudaCreateSurfaceObject(&st4, &to4));
  launch(surface_loads<float>, 132, 1024, 0, out_a, sf, turns, 0); launch(surface_loads<float4>, 132, 1024, 0, out_a, st4, turns, 0);
  launch(surface_stores<float>, 132, 1024, 0, st, 1.f, turns); launch(surface_stores<float4>, 132, 1024, 0, st4, make_float4(1, 2, 3, 4), turns);
  dim3 wide(32, 8), square(16, 16), tall(8, 32), row(256, 1);
  for (dim3 b : {wide, square, tall, row}) launch(surface_copy<float>, dim3(2048 / b.x, 2048 / b.y), b, 0, st, sf);
  // Arrays that are read once
  cudaResourceDesc big = array(f1, 4096, 4096, 0, 0);
  for (int l = 0; l < 2; l++)
    for (dim3 b : {wide, square, tall, row}) launch(whole_2d<float>, dim3(4096 / b.x, 4096 / b.y), b, 0, out_a, object(big, l), 4096, l ? 1.25f : 0.5f, l ? 1.25f : 0.5f);
  launch(whole_2d<float4>, dim3(1024 / 32, 1024 / 8), wide, 0, (float4 *)out_a, object(a4, false), 1024, 0.5f, 0.5f);
  launch(whole_2d<float>, dim3(4096 / 32, 4096 / 8), wide, 0, out_a, object(pitched(4096, 4096), false), 4096, 0.5f, 0.5f);
  launch(whole_2d<float>, dim3(4096 / 8, 4096 / 32), tall, 0, out_a, object(pitched(4096, 4096), false), 4096, 0.5f, 0.5f);
  launch(whole_buffer<float>, 65536, 256, 0, out_a, object(linear(f1, 64 << 20), false)); launch(whole_buffer<float4>, 16384, 256, 0, (float4 *)out_a, object(linear(f4, 64 << 20), false));
  launch(whole_1d, 512, 256, 0, out_a, object(line, false));
  launch(whole_3d, dim3(8, 32, 128), wide, 0, out_a, object(solid, false), 256, 256, 0.5f); launch(whole_3d, dim3(8, 32, 128), wide, 0, out_a, object(solid, true), 256, 256, 0.75f);
  return 0;
}
