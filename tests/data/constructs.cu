// Every construct of doc/kernel-language.md in one kernel that runs, for tests/test-kernel-mutations.c.
#include <cuda_runtime.h>
#define SIZE 32
#define TWICE(x) ((x) + (x))
#if defined(SIZE) && SIZE > 8 ? 1 : 0
typedef float real, *reals;
#elif SIZE == 4 || !defined SIZE
typedef double real;
#else
#error "which size?"
#endif
using word = unsigned int;
namespace kinds {
enum class Kind : int { first, second = 4, third, };
}
enum { LAST = SIZE - 1 };
struct __align__(8) Pair {
  float x;
  int y, z[2];
};
static_assert(sizeof(int) == 4, "an int");
__device__ const int offsets[2] = {1, 2};
__constant__ float weights[4] = {1, 2, 3};
__device__ int counter = 3;
__shared__ real outside[SIZE];
__device__ __forceinline__ void nothing() {}
__device__ float scale(const float *values, int i) { return values[i] * 2.0f; }
__device__ void add(float &to, float (&all)[SIZE], int by) {
  to += all[by % SIZE];
}
template <int N, typename T> __device__ T sum(T first, T *rest) {
  T total = first;
#pragma unroll
  for (int i = 0; i < N; ++i)
    total = total + rest[i];
  return total;
}
template <typename T> __device__ inline T larger(T a, T b) { return a > b ? a : b; }
__device__ Pair make(float x) {
  Pair p = {x, 1, {2, 3}};
  return p;
}

extern "C" __global__ void __launch_bounds__(SIZE * 2, 1)
constructs(float *__restrict__ out, const int *in, const float4 *quads, Pair *pairs, int n) {
  __shared__ float tile[SIZE][SIZE + 1];
  __shared__ int ints[SIZE], *unused;
  __shared__ double wide;
  __shared__ unsigned long long longs[SIZE];
  extern __shared__ float4 dynamic[];
  [[maybe_unused]] int t = threadIdx.x, lane(t & 31), odd{t % 2};
  constexpr unsigned mask = 0xffffffffu;
  const bool even = !odd;
  char letter = 'a';
  long big = 1L << 40;
  float list[4] = {1.5f, .5f, 1e2f}, grid[2][2] = {{1, 2}, {3, 4}};
  __shared__ float columns[SIZE];
  columns[t % SIZE] = 0;
  float(*row)[SIZE + 1] = &tile[1];
  float *line = tile[2] + t;
  auto half = n / 2;
  word bits = static_cast<word>(letter) ^ ~0u;
  kinds::Kind kind = kinds::Kind::second;
  Pair pair = make(1), other{2, 3};
  Pair &same = pair;
  float &element = list[1];
  float4 quad = quads[t];
  int2 two = make_int2(in[t], t);
  _Pragma("unroll") for (int i = 0, j = 4; i < 4; i++, j--) {
    if (i == 2)
      continue;
    list[i] += (float)j * quad.x;
  }
  ints[t] = in[t] + offsets[odd] + LAST + TWICE(half);
  tile[t][0] = *line, tile[t][1] = row[0][t] = 0;
  longs[t] = (unsigned long long)big | 1ull;
  dynamic[t].y = quad.w - -quad.z;
  outside[t] = weights[t & 3];
  wide = 1;
  __syncthreads();
  other = same;
  pair.z[1] = other.z[0]++;
  pairs[t] = pair;
  (&pairs[t])->x = element;
  two.x <<= 2, two.y %= 7, two.x >>= 1, two.y &= 15, two.x |= 1, two.y ^= 3, two.x *= 2, two.y /= 2, two.x -= 1;
  switch (static_cast<int>(kind) + (t > 40)) {
  case 4:
  case 5: {
    two.x++;
    break;
  }
  default:
    ++two.y;
  }
  do {
    bits >>= 1;
  } while (bits > 1 && even || bits > 2);
  while (true) {
    if constexpr (sizeof(real) == 4) {
      bits--;
      if (bits < 5)
        break;
    } else
      break;
  }
  if (n > 100 || !in)
    return;
  else if (out == nullptr)
    ;
  atomicAdd(&ints[0], 1), atomicAdd(&tile[0][0], 1.0f), atomicMax(ints + 1, t), atomicExch(&longs[0], 7ull);
  int before = atomicCAS(&ints[2], 0, 1) + (int)atomicInc(reinterpret_cast<unsigned *>(ints) + 3, 9u);
  atomicAdd(&counter, 1);
  __syncthreads();
  float moved = __shfl_down_sync(mask, list[0], 1) + __shfl_xor_sync(mask, quad.y, 4, 16);
  unsigned votes = __ballot_sync(mask, t > 3) + __popc(__activemask()) + __any_sync(mask, odd);
  __syncwarp();
  nothing();
  add(list[2], columns, t);
  float result = scale(tile[0], lane) + sum<2>(1.0f, list) + larger(two.x, two.y) + fmaxf(moved, sqrtf(2.0f)) + __ldg(&in[t]);
  result += min(t, n) + (even ? ints[t], 1 : 2) + (float)wide + grid[1][0] + sizeof tile / sizeof(float) + warpSize + blockDim.x * blockIdx.y + gridDim.z;
  printf("%d %f\n", t, result);
  assert(t >= 0);
  out[t] = result + before + votes + __float_as_int(moved) + (n > 0 ? +INT_MAX : 'b') + outside[t] + dynamic[t].y + FLT_MAX * 0;
}
