#define ONE 1
__global__ void row(float *out, const float *in) {
  __shared__ float s[64][64];
  int t = threadIdx.x;
  for (int j = 0; j < 64; j++)
    s[t][j] = in[t * 64 + j];
  __syncthreads();
  float sum = 0;
  // here
  for (int j = 0; j < 32; j++)
    sum += s[t][j];
  out[t] = sum;
}
