// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose time is measured: arithmetic of all kinds, chains of it, few warps, and threads that part.
#include "launch.h"
#include <cuda_fp16.h>

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

template <int CHAINS> __global__ void multiply_add(float *o, int n, float y, float z) {
  float v[CHAINS];
  for (int c = 0; c < CHAINS; c++) v[c] = threadIdx.x + c;
#pragma unroll 8
  for (int k = 0; k < n; k++)
    for (int c = 0; c < CHAINS; c++) v[c] = v[c] * y + z;
  float s = 0;
  for (int c = 0; c < CHAINS; c++) s += v[c];
  o[ME] = s;
}
template <int CHAINS> __global__ void multiply_add_double(double *o, int n, double y, double z) {
  double v[CHAINS];
  for (int c = 0; c < CHAINS; c++) v[c] = threadIdx.x + c;
#pragma unroll 4
  for (int k = 0; k < n; k++)
    for (int c = 0; c < CHAINS; c++) v[c] = v[c] * y + z;
  double s = 0;
  for (int c = 0; c < CHAINS; c++) s += v[c];
  o[ME] = s;
}
__global__ void multiply_add_half2(half2 *o, int n, half2 y, half2 z) {
  half2 v[4];
  for (int c = 0; c < 4; c++) v[c] = __float2half2_rn((float)threadIdx.x + c);
#pragma unroll 8
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 4; c++) v[c] = __hfma2(v[c], y, z);
  o[ME] = __hadd2(__hadd2(v[0], v[1]), __hadd2(v[2], v[3]));
}
__global__ void multiply_add_integer(int *o, int n, int y, int z) {
  int v[4];
  for (int c = 0; c < 4; c++) v[c] = threadIdx.x + c;
#pragma unroll 8
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 4; c++) v[c] = v[c] * y + z;
  o[ME] = v[0] ^ v[1] ^ v[2] ^ v[3];
}
__global__ void mandelbrot(unsigned *o, int width, int most) {
  int x = ME % width, y = ME / width;
  float cr = x * 3.0f / width - 2, ci = y * 2.0f / width - 1, zr = 0, zi = 0;
  int k = 0;
  while (k < most && zr * zr + zi * zi < 4) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci, zr = t;
    k++;
  }
  o[ME] = k;
}
__global__ void collatz(unsigned *o, int most) {
  unsigned x = ME + 1, k = 0;
  while (x != 1 && k < (unsigned)most) x = x & 1 ? 3 * x + 1 : x / 2, k++;
  o[ME] = k;
}
__global__ void xorshift(unsigned *o, int n) {
  unsigned x = ME + 1, s = 0;
  for (int k = 0; k < n; k++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    s += x;
  }
  o[ME] = s;
}
__global__ void crc_bits(unsigned *o, int n) {
  unsigned c = ME;
  for (int k = 0; k < n; k++)
    for (int b = 0; b < 8; b++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  o[ME] = c;
}
// Rounds as those of SHA-256, with constants by a formula.
__global__ void rounds(unsigned *o, int n) {
  unsigned a = ME, b = a ^ 0x6a09e667, c = a ^ 0xbb67ae85, d = a + 1, e = a * 3, f = a * 5, g = a * 7, h = a * 9, w[16];
  for (int i = 0; i < 16; i++) w[i] = a * (2 * i + 1);
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 16; i++) {
#define R(x, s) __funnelshift_r(x, x, s)
      unsigned t1 = h + (R(e, 6) ^ R(e, 11) ^ R(e, 25)) + (e & f ^ ~e & g) + w[i], t2 = (R(a, 2) ^ R(a, 13) ^ R(a, 22)) + (a & b ^ a & c ^ b & c);
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
      w[i] += (R(w[(i + 14) & 15], 17) ^ w[(i + 14) & 15] >> 10) + w[(i + 9) & 15] + (R(w[(i + 1) & 15], 7) ^ w[(i + 1) & 15] >> 3);
    }
  o[ME] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}
__global__ void divide_integer(unsigned *o, int n, unsigned by) {
  unsigned x = ME + 12345, s = 0;
  for (int k = 0; k < n; k++) s += x / (by + k) + x % (by + s % 7), x += 77777;
  o[ME] = s;
}
__global__ void divide_float(float *o, int n) {
  float x = ME + 1.5f, s = 1;
  for (int k = 0; k < n; k++) s = x / (s + 1.25f) + sqrtf(s);
  o[ME] = s;
}
__global__ void power_mod(unsigned long long *o, int n, unsigned long long m) {
  unsigned long long x = ME + 3, s = 1;
  for (int k = 0; k < n; k++) s = s * x % m, x = x * x % m;
  o[ME] = s;
}
__global__ void functions(float *o, int n) {
  float x = ME * 1e-5f, s = 0;
  for (int k = 0; k < n; k++) s += __sinf(x) * __expf(-x) + __logf(x + 1.5f), x += 0.01f;
  o[ME] = s;
}
__global__ void functions_exact(float *o, int n) {
  float x = ME * 1e-5f, s = 0;
  for (int k = 0; k < n; k++) s += sinf(x) * expf(-x) + powf(x + 1.5f, 0.3f), x += 0.01f;
  o[ME] = s;
}
__global__ void functions_double(double *o, int n) {
  double x = ME * 1e-5, s = 0;
  for (int k = 0; k < n; k++) s += exp(-x) * sqrt(x + 1), x += 0.01;
  o[ME] = s;
}
__device__ float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float c = 0.39894228f * __expf(-0.5f * d * d) * k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1 - c : c;
}
__global__ void options(float *calls, float *puts, const float *price, const float *strike, float r, float v, int n) {
  for (int at = ME; at < n; at += gridDim.x * blockDim.x) {
    float s = price[at] * 20, x = strike[at] * 25, t = 1.5f, q = sqrtf(t), d1 = (__logf(s / x) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
    float e = __expf(-r * t), c1 = normal(d1), c2 = normal(d2);
    calls[at] = s * c1 - x * e * c2, puts[at] = x * e * (1 - c2) - s * (1 - c1);
  }
}
__global__ void pi_by_chance(unsigned *o, int n) {
  unsigned x = ME * 2654435761u + 1, hits = 0;
  for (int k = 0; k < n; k++) {
    x = x * 1664525 + 1013904223;
    float a = (x >> 8) * (1.0f / (1 << 24));
    x = x * 1664525 + 1013904223;
    float b = (x >> 8) * (1.0f / (1 << 24));
    hits += a * a + b * b < 1;
  }
  for (int d = 16; d; d /= 2) hits += __shfl_xor_sync(~0u, hits, d);
  if (threadIdx.x % 32 == 0) atomicAdd(o, hits);
}
__global__ void bits(unsigned *o, int n) {
  unsigned x = ME * 2654435761u, s = 0;
  for (int k = 0; k < n; k++) s += __popc(x) + __clz(x ^ s) + (__brev(x) & 15), x = x * 5 + 1;
  o[ME] = s;
}
// Each lane, or each warp, takes one of WAYS ways.
template <int BY_LANE> __global__ void ways(float *o, int n) {
  float v = threadIdx.x;
  int way = BY_LANE ? threadIdx.x % 8 : threadIdx.x / 32 % 8;
  for (int k = 0; k < n; k++) switch (way) {
    case 0: v = v * 1.1f + 1; break;
    case 1: v = sqrtf(v + 1); break;
    case 2: v = v * v * 0.001f; break;
    case 3: v = __expf(v * -0.01f); break;
    case 4: v = v - 0.5f * v * v * 1e-6f; break;
    case 5: v = fabsf(v - 3) * 0.9f; break;
    case 6: v = __sinf(v); break;
    default: v = v / 1.5f; break;
    }
  o[ME] = v;
}
// Lanes leave a loop one after another.
__global__ void leave(float *o, int n) {
  float v = threadIdx.x;
  for (int k = 0; k < n * (int)(threadIdx.x % 32 + 1); k++) v = v * 1.001f + 0.5f;
  o[ME] = v;
}
__global__ void __launch_bounds__(256) polynomial(float *o, const float *in, int n) {
  // Many registers: the coefficients of 64 powers stay in them.
  float c[64], x = in[ME], s = 0;
  for (int i = 0; i < 64; i++) c[i] = in[i] * 0.001f;
  for (int k = 0; k < n; k++) {
    float p = c[63];
#pragma unroll
    for (int i = 62; i >= 0; i--) p = p * x + c[i];
    s += p, x += 0.001f;
  }
  o[ME] = s;
}
// A local array by an unknown index: local memory.
__global__ void local_array(int *o, int n) {
  int a[32];
  for (int i = 0; i < 32; i++) a[i] = threadIdx.x * i;
  int at = threadIdx.x & 31;
  for (int k = 0; k < n; k++) a[at] += k, at = (at + a[(at + k) & 31]) & 31;
  o[ME] = at + a[0];
}
__global__ void nothing() {}
__global__ void one_store(float *o) { o[ME] = 1; }

int main() {
  make_memory();
  unsigned *u = (unsigned *)out_a;
  launch(multiply_add<1>, 264, 1024, 0, out_a, 2048, 1.001f, 0.5f), launch(multiply_add<4>, 264, 1024, 0, out_a, 512, 1.001f, 0.5f), launch(multiply_add<4>, 132, 128, 0, out_a, 2048, 1.001f, 0.5f);
  launch(multiply_add<1>, 132, 128, 0, out_a, 4096, 1.001f, 0.5f), launch(multiply_add<2>, 132, 256, 0, out_a, 2048, 1.001f, 0.5f), launch(multiply_add<8>, 1056, 256, 0, out_a, 256, 1.001f, 0.5f);
  for (int g : {66, 145, 1188, 1320}) launch(multiply_add<4>, g, 256, 0, out_a, 1024, 1.001f, 0.5f);
  launch(multiply_add_double<1>, 264, 512, 0, (double *)out_a, 512, 1.001, 0.5), launch(multiply_add_double<4>, 264, 512, 0, (double *)out_a, 256, 1.001, 0.5), launch(multiply_add_double<2>, 132, 64, 0, (double *)out_a, 2048, 1.001, 0.5);
  half2 y = __float2half2_rn(1.001f), z = __float2half2_rn(0.5f);
  launch(multiply_add_half2, 528, 512, 0, (half2 *)out_a, 256, y, z), launch(multiply_add_half2, 132, 256, 0, (half2 *)out_a, 1024, y, z);
  launch(multiply_add_integer, 528, 512, 0, (int *)out_a, 256, 3, 7), launch(multiply_add_integer, 132, 128, 0, (int *)out_a, 1024, 3, 7);
  launch(mandelbrot, 4096, 256, 0, u, 1024, 128), launch(mandelbrot, 1024, 128, 0, u, 512, 512);
  launch(collatz, 1024, 256, 0, u, 200), launch(xorshift, 1056, 256, 0, u, 512), launch(crc_bits, 528, 256, 0, u, 64), launch(rounds, 528, 256, 0, u, 8), launch(rounds, 132, 1024, 0, u, 4);
  launch(divide_integer, 528, 256, 0, u, 32, 9u), launch(divide_float, 528, 256, 0, out_a, 64), launch(power_mod, 264, 128, 0, (unsigned long long *)out_a, 16, 1000000007ull);
  launch(functions, 528, 256, 0, out_a, 128), launch(functions_exact, 528, 256, 0, out_a, 32), launch(functions_double, 264, 256, 0, (double *)out_a, 16);
  launch(options, 1056, 256, 0, out_a, out_b, in_a, in_b, 0.02f, 0.3f, 4 << 20), launch(options, 132, 1024, 0, out_a, out_b, in_a, in_b, 0.02f, 0.3f, 1 << 20);
  launch(pi_by_chance, 1056, 256, 0, u, 256), launch(bits, 528, 256, 0, u, 128), launch(ways<0>, 528, 256, 0, out_a, 128), launch(ways<1>, 528, 256, 0, out_a, 64);
  launch(leave, 528, 256, 0, out_a, 16), launch(polynomial, 528, 256, 0, out_a, in_a, 32), launch(local_array, 528, 256, 0, (int *)out_a, 64);
  for (int g : {1, 132, 1320, 13200}) launch(nothing, g, 32, 0);
  launch(nothing, 1320, 1024, 0), launch(nothing, 13200, 256, 0), launch(one_store, 13200, 256, 0, out_a), launch(one_store, 4224, 1024, 0, out_a), launch(one_store, 33792, 64, 0, out_a);
  return 0;
}
