// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies to shared memory that are waited for, and that are not; of 64 threads. pending.ptx and pending.sm_*.cubin are
// made of it, in this folder:
//   nvcc -arch=compute_80 -lineinfo -ptx -o pending.ptx pending.cu
//   sed -i "s|\"$PWD/|\"|" pending.ptx
//   for chip in 80 90 120; do ptxas -arch=sm_$chip -lineinfo -o pending.sm_$chip.cubin pending.ptx; done

enum { THREADS = 64, STAGES = 3 };

__device__ static inline unsigned
at(const void *shared) {
  return (unsigned)__cvta_generic_to_shared(shared);
}

#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory")
#define COMMIT()       asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)        asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_ALL()     asm volatile("cp.async.wait_all;" ::: "memory")

// A pipeline, of which LEFT groups are pending while the oldest one is read.
template <int LEFT>
__device__ static void
pipeline(int *out, const int *in, int n) {
  __shared__ int s[STAGES][THREADS];
  int i = threadIdx.x, sum = 0;
  for (int k = 0; k < STAGES - 1; k++) {
    COPY(&s[k][i], in + k * THREADS + i);
    COMMIT();
  }
  for (int k = 0; k < n; k++) {
    WAIT(LEFT);
    __syncthreads();
    sum += s[k % STAGES][i ^ 32];
    if (k + STAGES - 1 < n)
      COPY(&s[(k + STAGES - 1) % STAGES][i], in + (k + STAGES - 1) * THREADS + i);
    COMMIT();
  }
  out[i] = sum;
}

extern "C" __global__ void
piped(int *out, const int *in, int n) {
  pipeline<STAGES - 2>(out, in, n);
}

extern "C" __global__ void
late(int *out, const int *in, int n) {
  pipeline<STAGES - 1>(out, in, n);
}

extern "C" __global__ void
alone(int *out, const int *in) {
  __shared__ int s[THREADS];
  int i = threadIdx.x;
  COPY(&s[i], in + i);
  out[i] = s[i];
}

extern "C" __global__ void
awaited(int *out, const int *in) {
  __shared__ int s[THREADS];
  int i = threadIdx.x;
  COPY(&s[i], in + i);
  WAIT_ALL();
  out[i] = s[i];
}

// The barrier stands before the wait.
extern "C" __global__ void
unseen(int *out, const int *in) {
  __shared__ int s[THREADS];
  int i = threadIdx.x;
  COPY(&s[i], in + i);
  __syncthreads();
  WAIT_ALL();
  out[i] = s[i ^ 32];
}

extern "C" __global__ void
overwritten(int *out, const int *in, int n) {
  __shared__ int s[THREADS];
  int i = threadIdx.x;
  COPY(&s[i], in + i);
  if (i >= n)
    s[i] = 0;
  WAIT_ALL();
  __syncthreads();
  out[i] = s[i ^ 32];
}

// What is read too early says where the next load goes.
extern "C" __global__ void
decides(int *out, const int *in) {
  __shared__ int s[THREADS], t[2048];
  int i = threadIdx.x;
  for (int k = i; k < 2048; k += THREADS)
    t[k] = k;
  COPY(&s[i], in + i);
  COMMIT();
  __syncthreads();
  out[i] = t[s[i] * 4];
}

// What is stored too early is left, or what is copied.
extern "C" __global__ void
disputed(int *out, const int *in) {
  __shared__ int s[THREADS], t[2048];
  int i = threadIdx.x;
  for (int k = i; k < 2048; k += THREADS)
    t[k] = k;
  COPY(&s[i], in + i);
  s[i] = 3 * i;
  WAIT_ALL();
  __syncthreads();
  out[i] = t[s[i] * 4];
}

// A barrier in shared memory waits for the copies of all threads.
extern "C" __global__ void
arrived(int *out, const int *in) {
  __shared__ int s[THREADS];
  __shared__ unsigned long long barrier;
  int i = threadIdx.x;
  if (i == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at(&barrier)) : "memory");
  __syncthreads();
  COPY(&s[i], in + i);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&barrier)) : "memory");
  int done = 0;
  unsigned long long state = 0;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&barrier)) : "memory");
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at(&barrier)), "l"(state)
                 : "memory");
  out[i] = s[i ^ 32];
}
