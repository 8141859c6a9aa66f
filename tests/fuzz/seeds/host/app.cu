#include <cstdio>
#define TILE 32
#define ROWS (TILE / 4)
#define SQUARE(x) ((x) * (x))
constexpr int width = 1024, height = 512;
// A kernel that a comment launches: no<<<1, 1>>>();
__global__ void __launch_bounds__(TILE * ROWS) transpose(float *out, const float *in, int w, float scale) {
  __shared__ float tile[TILE][TILE + 1];
  int grid = threadIdx.x; // the kernel's own
  tile[threadIdx.y][grid] = in[threadIdx.y * w + threadIdx.x] * scale;
  __syncthreads();
  out[threadIdx.y * w + threadIdx.x] = tile[threadIdx.x % ROWS][threadIdx.y];
}
template <int N, typename T> __global__ void scan(T *data, int n) {
  extern __shared__ int s[];
  s[threadIdx.x] = n + N;
}
__device__ int helper(int width) { width = 3; return width << 3; }
__global__ void lonely(int *p, unsigned k) { __shared__ int s[8]; s[threadIdx.x & 7] = k; }
__global__ void prototype(int *p);
__global__ void open(int *p, int n) { __shared__ int s[8]; s[threadIdx.x & 7] = n; }
int main(int argc, char **argv) {
  dim3 block(TILE, ROWS), grid = dim3(width / TILE, (height + TILE - 1) / TILE);
  int n = 100;
  int threads = 256;
  n = atoi(argv[1]);
  float *a, *b;
  transpose<<<grid, block>>>(a, b, width, 1.5f);
  transpose<<<dim3{4, 2}, dim3(TILE, 8), 0, stream>>>(a, b, n, 2e1);
  scan<ROWS, float><<<(width + threads - 1) / threads, threads, threads * sizeof(int)>>>(a, 7);
  open<<<1, n>>>(nullptr, SQUARE(2));
}
