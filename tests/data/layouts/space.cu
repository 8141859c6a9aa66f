namespace lib {
template <int T> __global__ void turn(float *out, const float *in) {
  __shared__ float s[T][T];
  for (int y = 0; y < T; y++)
    s[y][threadIdx.x] = in[y * T + threadIdx.x];
  __syncthreads();
  for (int y = 0; y < T; y++)
    out[y * T + threadIdx.x] = s[threadIdx.x][y];
}
}
