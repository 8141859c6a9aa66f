// Kernels that were refused, each for one instruction. nvcc -cubin -arch=sm_80, sm_90 and sm_120: scale and scale2.
#include <cuda_fp16.h>

// Halves times a parameter: an operand in constant memory, and on later chips in a uniform register.
extern "C" __global__ void scale(__half *o, const __half *in, __half alpha, __half beta) {
  __shared__ __half s[64];
  int t = threadIdx.x;
  s[t] = __hmul(in[t], alpha);
  __syncthreads();
  o[t] = __hfma(s[63 - t], beta, in[t]);
}

extern "C" __global__ void scale2(__half2 *o, const __half2 *in, __half2 alpha) {
  __shared__ __half2 s[64];
  int t = threadIdx.x;
  s[t] = __hmul2(in[t], alpha);
  __syncthreads();
  o[t] = s[63 - t];
}
