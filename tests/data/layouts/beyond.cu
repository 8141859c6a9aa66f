template <int T> __global__ void beyond(float *out, const float *in, int n) {
  __shared__ float s[T][T], u[T][T];
  auto at = [&](int y, int x) -> float & { return s[y][x]; };
  at(threadIdx.y, threadIdx.x) = in[threadIdx.y * T + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * T + threadIdx.x] = at(threadIdx.x, threadIdx.y) + n;
}
