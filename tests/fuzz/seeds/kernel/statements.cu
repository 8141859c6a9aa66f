#define STEP(x, y) ((x) + (y) * 2)
#if N > 8 && defined(N)
#define M 16
#elif 0
#else
#define M 4
#endif
__device__ int twice(int x) { if (x > 3) return x * 2; return x - 1; }
__device__ void fill(float *row, int n, float v) { for (int i = 0; i < n; i++) row[i] = v; }
extern "C" __global__ void __launch_bounds__(256, 2) k(int *out, const float *__restrict__ in, int n) {
  __shared__ float tile[M][M + 1];
  __shared__ int count;
  extern __shared__ __align__(16) char bytes[];
  int t = threadIdx.x + threadIdx.y * blockDim.x, sum = 0;
  if (t == 0) count = 0;
  __syncthreads();
#pragma unroll
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t % 3 == s % 3) continue;
    if (t > n) break;
    sum += STEP(s, t);
  }
  do { sum -= 3; } while (sum > 20);
  while (sum < 0) sum = sum + twice(t) + 1;
  tile[t % M][t / M % M] = in[t];
  atomicAdd(&count, 1);
  atomicMax(&count, t);
  __syncthreads();
  float4 v = make_float4(1, 2, 3.5f, t);
  *(float4 *)&bytes[t % 8 * 16] = v;
  reinterpret_cast<int2 *>(bytes)[t % 16].y ^= 0x55u;
  fill(tile[0], 3, v.z);
  int local[3][2] = {{1, 2}, {3}};
  local[t % 3][1] += count ? local[0][0]++ : --sum;
  out[t] = (sum << 2 | ~t & 7) + __shfl_xor_sync(0xffffffff, local[t % 3][1], 1) + (int)tile[t % M][0];
}
