// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels of texture-unit.py, which says what they are for. One block; each thread leaves when it began and ended, by clock64().

struct Stamps {
  long long from, to;
  float sum;
};

// Lanes side by side: every warp the same texels, again and again, as STEP is zero.
extern "C" __global__ void sample(Stamps *out, cudaTextureObject_t t, int n, float step) {
  float x = threadIdx.x % 32 + 0.5f, s[8] = {};
  __syncthreads();
  long long from = clock64();
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) s[j] += tex2D<float>(t, x, 0.5f), x += step;
  out[threadIdx.x] = {from, clock64(), s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]};
}

// One after the other: each result says where the next texel is. All of them are zero.
extern "C" __global__ void follow_elements(Stamps *out, cudaTextureObject_t t, int n, float) {
  float x = 0;
  long long from = clock64();
#pragma unroll 4
  for (int i = 0; i < n; i++) x += tex1Dfetch<float>(t, __float_as_int(x));
  out[threadIdx.x] = {from, clock64(), x};
}
extern "C" __global__ void follow_words(Stamps *out, cudaTextureObject_t t, int n, float apart) {
  float x = threadIdx.x * apart + 0.5f;
  long long from = clock64();
#pragma unroll 4
  for (int i = 0; i < n; i++) x += tex2D<float>(t, x, 0.5f);
  out[threadIdx.x] = {from, clock64(), x};
}
extern "C" __global__ void follow_weighed(Stamps *out, cudaTextureObject_t t, int n, float) {
  float x = threadIdx.x + 0.75f;
  long long from = clock64();
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    float4 v = tex2D<float4>(t, x, 0.75f);
    x += v.x + v.y + v.z + v.w;
  }
  out[threadIdx.x] = {from, clock64(), x};
}
