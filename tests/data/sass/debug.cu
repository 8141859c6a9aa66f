// For debuggers: nvcc -cubin -G -arch=sm_90. An atomic of floats through a pointer to any memory, and dynamic arrays of two kernels.
extern __shared__ float floats[];
extern __shared__ char chars[];

extern "C" __global__ void adds(float *o) {
  floats[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(o, floats[threadIdx.x ^ 1]);
}

extern "C" __global__ void moves(char *o) {
  __shared__ int s[24];
  s[threadIdx.x % 24] = 1;
  chars[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = chars[threadIdx.x ^ 1] + s[0];
}
