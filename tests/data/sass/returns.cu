// For debuggers: nvcc -cubin -G -arch=sm_75, and sm_90. Functions save where they return to in local memory, of which nothing is known any
// more once a store is skipped and it is not known where it goes.
__device__ __noinline__ float square(float x) { return x * x; }

__device__ __noinline__ float keep(float *o, float x) {
  if (x > 1)
    o[3] = x;
  return square(x);
}

extern "C" __global__ void once(float *o, const float *in) {
  __shared__ float s[128];
  o[threadIdx.x] = keep(o + threadIdx.x, in[threadIdx.x]);
  s[threadIdx.x * 2] = 1;
}

// Calls itself, as often as it is known to.
__device__ __noinline__ float nest(float *o, float x, int n) { return n ? nest(o, keep(o, x), n - 1) + x : x; }

extern "C" __global__ void often(float *o, const float *in) {
  __shared__ float s[128];
  o[threadIdx.x] = nest(o + threadIdx.x, in[threadIdx.x], 3);
  s[threadIdx.x * 2] = 1;
}
