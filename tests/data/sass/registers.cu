// More registers, which code asks for until it has them: nvcc -cubin -arch=sm_90a.
extern "C" __global__ void __launch_bounds__(128, 1) asks(int *o) {
  __shared__ int s[128];
  asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  o[threadIdx.x] = s[127 - threadIdx.x];
}
