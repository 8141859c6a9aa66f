// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies from global to shared memory by cp.async, in pipelines of 2 to 4 stages, of 4, 8 (.ca) and 16 (.cg) bytes.
// launch: --entry 'pipeline<2,16>' --block 128 --grid 2 --arg 2=6
// launch: --entry 'pipeline<3,8>' --block 128 --grid 2 --arg 2=6
// launch: --entry 'pipeline<4,4>' --block 128 --grid 2 --arg 2=6
// launch: --entry pipeline_rows --block 64 --arg 2=3
template <int BYTES> __device__ __forceinline__ void copy_async(void *to, const void *from) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  if (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(BYTES) : "memory");
  }
}
__device__ __forceinline__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LEFT> __device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

template <int STAGES, int BYTES> __global__ void pipeline(float *out, const float *in, int tiles) {
  constexpr int floats = 128 * BYTES / 4;
  __shared__ __align__(16) float ring[STAGES][floats];
  const int each = BYTES / 4;
  in += blockIdx.x * tiles * floats;
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < tiles) {
      copy_async<BYTES>(&ring[s][threadIdx.x * each], &in[s * floats + threadIdx.x * each]);
    }
    commit();
  }
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; tile++) {
    wait<STAGES - 2>();
    __syncthreads();
    int next = tile + STAGES - 1;
    if (next < tiles) {
      copy_async<BYTES>(&ring[next % STAGES][threadIdx.x * each], &in[next * floats + threadIdx.x * each]);
    }
    commit();
    for (int i = 0; i < each; i++) {
      sum += ring[tile % STAGES][(threadIdx.x * 5 + i) % floats];
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template __global__ void pipeline<2, 16>(float *, const float *, int);
template __global__ void pipeline<3, 8>(float *, const float *, int);
template __global__ void pipeline<4, 4>(float *, const float *, int);

// Rows of 64 bytes: four lanes write a row, and rows are 80 bytes apart.
extern "C" __global__ void pipeline_rows(float *out, const float *in, int tiles) {
  __shared__ __align__(16) unsigned char rows[2][16 * 80];
  int row = threadIdx.x / 4, part = threadIdx.x % 4;
  float sum = 0.0f;
  copy_async<16>(&rows[0][row * 80 + part * 16], &in[row * 16 + part * 4]);
  commit();
  for (int tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles) {
      copy_async<16>(&rows[(tile + 1) & 1][row * 80 + part * 16], &in[(tile + 1) * 256 + row * 16 + part * 4]);
    }
    commit();
    wait<1>();
    __syncthreads();
    float4 v = *(const float4 *)&rows[tile & 1][threadIdx.x % 16 * 80 + threadIdx.x / 16 * 16];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
