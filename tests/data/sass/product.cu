template <typename T, int TILE, int PAD>
__global__ void product(T *c, const T *a, const T *b, int n) {
  __shared__ T as[TILE][TILE + PAD], bs[TILE][TILE + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  const T *row = a + (blockIdx.y * TILE + y) * n, *column = b + (blockIdx.x * TILE + y) * n;
  T sum = 0;
  for (int k = 0; k < n; k += TILE) {
    as[y][x] = row[k + x];
    bs[y][x] = column[k + x]; // b is stored by columns
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += as[y][i] * bs[x][i];
    __syncthreads();
  }
  c[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x] = sum;
}
