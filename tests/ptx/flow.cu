// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Control: switches, early exits, divergent loops, functions that are not inlined, recursion, memory carved by pointers.
// launch: --entry switches --block 64 --buffer 1=iota:i32 # nvcc clang
// launch: --entry early --block 96 --grid 2 --arg 2=150 # nvcc clang
// launch: --entry uneven_loops --block 64 --arg 1=20 # nvcc clang
// launch: --entry search --block 64 --buffer 1=random:i32:21:100 --arg 2=100 # nvcc clang
// launch: --entry functions --block 64 --arg 2=3
// launch: --entry recursive --block 32
// launch: --entry carved --block 64 --dynamic-bytes 2048 --arg 2=64 # nvcc clang
// launch: --entry carved_types --block 32 --dynamic-bytes 1024 # nvcc clang
// launch: --entry shapes --block 32,2 --arg 1=raw:0500000002000000 # nvcc clang
// launch: --entry either_space --block 64 --arg 2=7 # nvcc clang
// launch: --entry pointers_to_functions --block 32 --arg 1=1
extern "C" __global__ void switches(int *out, const int *in) {
  __shared__ int s[256];
  int t = threadIdx.x, v = 0;
  for (int i = t; i < 256; i += 64) {
    s[i] = i;
  }
  __syncthreads();
  switch (in[t] & 7) {
  case 0:
    v = s[t * 2];
    break;
  case 1:
    v = s[t + 32];
    s[t] = v;
    break;
  case 2:
    v = s[255 - t];
    break;
  case 3:
    v = s[t * 3];
    break;
  case 4:
    v = s[t / 2];
    // fall through
  case 5:
    v += s[(t + v) & 255];
    break;
  case 6:
    s[t * 4] = t;
    break;
  default:
    v = -1;
  }
  __syncthreads();
  out[t] = v + s[t];
}

extern "C" __global__ void early(float *out, const float *in, int n) {
  __shared__ float s[96];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  s[threadIdx.x] = in[i];
  __syncwarp(__activemask());
  if (threadIdx.x % 3 == 0) {
    return;
  }
  out[i] = s[threadIdx.x ^ 1];
}

extern "C" __global__ void uneven_loops(int *out, int n) {
  __shared__ int s[1024];
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < 1024; i += 64) {
    s[i] = i;
  }
  __syncthreads();
  for (int i = 0; i < n; i++) {
    if (i > t % 7 + 9) {
      break;
    }
    if ((i + t) % 3 == 0) {
      continue;
    }
    for (int j = 0; j < (t & 3); j++) {
      sum += s[(t * 5 + i * j) & 1023];
    }
    s[t * 16 + i % 16] += sum;
  }
  out[t] = sum;
}

// A binary search in a table that the block sorts by counting.
extern "C" __global__ void search(int *out, const int *in, int limit) {
  __shared__ int places[128];
  int t = threadIdx.x;
  for (int i = t; i < 128; i += 64) {
    places[i] = i * limit / 128;
  }
  __syncthreads();
  int key = in[t], low = 0, high = 127;
  while (low < high) {
    int middle = (low + high) / 2;
    if (places[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[t] = low;
}

__device__ __noinline__ int read_far(const int *s, int at) {
  return s[at * 2 & 127];
}
__device__ __noinline__ void write_near(int *s, int at, int v) {
  s[at] = v;
  if (v > 40) {
    s[at + 64] = read_far(s, at + 1);
  }
}
extern "C" __global__ void functions(int *out, const int *in, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  write_near(s, t, t);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += read_far(s, t + i);
  }
  out[t] = sum + in[t];
}

__device__ __noinline__ int tree_sum(const int *s, int from, int count) {
  if (count == 1) {
    return s[from];
  }
  return tree_sum(s, from, count / 2) + tree_sum(s, from + count / 2, count - count / 2);
}
extern "C" __global__ void recursive(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = -t;
  __syncthreads();
  out[t] = tree_sum(s, t, 1 + t % 4);
}

extern "C" __global__ void carved(float *out, const float *in, int n) {
  extern __shared__ unsigned char room[];
  float *a = (float *)room;
  double *b = (double *)(a + n);
  short *c = (short *)(b + n);
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = in[t] * 2.0;
  c[t] = (short)t;
  __syncthreads();
  out[t] = a[n - 1 - t] + (float)b[t * 3 % n] + c[t * 2 % n];
}

extern __shared__ float floats[];
extern __shared__ uint2 pairs[];
extern "C" __global__ void carved_types(float *out) {
  int t = threadIdx.x;
  floats[t] = (float)t;
  pairs[t + 16] = make_uint2(t, t + 1);
  __syncthreads();
  out[t] = floats[31 - t] + pairs[16 + (t ^ 1)].y;
}

struct Shape {
  int stride, skew;
};
extern "C" __global__ void shapes(int *out, Shape shape) {
  __shared__ int s[1024];
  int at = threadIdx.x * shape.stride + threadIdx.y * shape.skew;
  s[at] = at;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x * 2 + threadIdx.y];
}

// One pointer, to shared or to global memory: a generic access.
extern "C" __global__ void either_space(int *out, const int *in, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  const int *p = n > 5 ? s : in;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += p[(t * i) & 63];
  }
  const int *q = t & 1 ? s : in;
  out[t] = sum + q[t];
}

typedef int (*Reader)(const int *, int);
__device__ __noinline__ int read_two(const int *s, int at) {
  return s[at * 2 & 63];
}
__device__ __noinline__ int read_four(const int *s, int at) {
  return s[at * 4 & 63];
}
__device__ Reader readers[2] = {read_two, read_four};
extern "C" __global__ void pointers_to_functions(int *out, int which) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = t;
  __syncthreads();
  out[t] = readers[which](s, t);
}
