// A transposed tile, for tests/producers.sh. Also in producers.rs.
extern "C" __global__ void tile(float *out, const float *in, int n) {
  __shared__ float s[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = s[x][y];
}
