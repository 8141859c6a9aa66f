#include <cuda_runtime.h>
#define ELEMENTS 1 << 20
#define UP(a, b) (((a) + (b)-1) / (b))
enum { LEAST = 4, NEXT, SIZE = 1 << 5, BEHIND };
enum class Mode : int { one = 3, two };
namespace cfg { constexpr int TILE = 32; struct Big { static constexpr int rows = 8; }; }
template <class T, int N = 256> __global__ void red(const T *in, T *out, const uint n) { __shared__ T s[N]; s[threadIdx.x] = in[n]; }
template <int B, int R = B / 4> __global__ void tr(float *o, const float *i, int n) { __shared__ float t[B][B]; t[R][threadIdx.x] = n; }
template <int N = 64> __global__ void __launch_bounds__(N) all(float *o, float scale, long m) { o[threadIdx.x] = scale; }
template <> __global__ void all<2>(float *o, float scale, long m) { if (m) { o[0] = 1; } }
static inline __host__ __device__ int half_of(int a) { return a / 2; }
template <typename T> T ceil_div(T a, T b) { return (a + b - 1) / b; }
template <int TILE> void inner(float *a) { tr<TILE><<<TILE, 32>>>(a, a, 1); }
void go(float *a, float *b, int argc) {
  const int n{1 << 10};
  constexpr int T = 32, R(8);
  int m = 1e6;
  const uint64_t most = ELEMENTS;
  auto third = [](int x) { return x / 3; };
  const unsigned threads = n > 512 ? 256u : 128u;
  float alpha = 0.5f, beta = alpha * 3;
  dim3 block(T, R), changed = block, grid{ceil_div(n, T), n / T};
  tr<T, R><<<dim3(n / T, n / T), dim3(T, R)>>>(a, b, n);
  tr<cfg::TILE><<<grid, block, block.x * block.y * sizeof(float)>>>(a, b, most - 1);
  red<float><<<(m + 255) / 256, 256>>>(a, b, m);
  red<double, (T > 8 ? 64 : 32)><<<std::min(4096, m), threads>>>(a, b, static_cast<int>(ceil(n / 3.0)));
  all<<<UP(n, 100), half_of(third(192))>>>(a, beta, -NEXT);
  all<SIZE + BEHIND><<<(unsigned)cfg::Big::rows, (int)Mode::two>>>(a, 1e-3f, 2 * LEAST);
  { const int T = 16; all<T><<<1, T>>>(a, T, T); }
  if (argc > 1) changed.x = argc;
  all<T><<<1, changed>>>(a, argc, T);
}
