// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lanes of one warp that go different ways. The counts, requests/wavefronts, are those that an H200 measured (ncu) for n = 6, with
// nvcc 13.0 -arch=sm_90; ptxas' own barriers decide them. What depends on shared memory that nobody wrote is left out.
// launch: --entry andor --block 32 --arg 1=6
// counts: load 2/2, store 6/6
// launch: --entry gotos --block 32 --arg 1=6
// counts: load 2/2, store 24/24
// launch: --entry breaks --block 32 --arg 1=6
// counts: load 19/23, store 18/22
// launch: --entry predicates --block 32 --arg 1=6
// counts: load 3/3, store 2/2
// Of 24 stores of the device 6 are counted; of 8 loads 7.
// launch: --entry switches --block 32 --arg 1=6 --unknown skip
// counts: load 4/4, store 6/6, uncounted 18
// launch: --entry early --block 32 --arg 1=6 --unknown skip
// counts: load 7/7, store 7/7, uncounted 1
// Some stores go below the array, into memory that is reserved for the system.
// launch: --entry below --block 32 --arg 1=6
// counts: load 2/3, store 9/9
__device__ int pattern[64] = {2, 1, 4, 1, 7, 7, 7, 6, 3, 1, 7, 0, 6, 6, 0, 7, 4, 3, 1, 5, 0, 0, 0, 0, 6, 3, 6, 0, 3, 7, 7, 3,
                              5, 3, 3, 7, 4, 0, 6, 1, 2, 4, 1, 5, 6, 3, 4, 4, 7, 6, 0, 7, 3, 6, 6, 2, 5, 5, 1, 7, 1, 2, 6, 5};

extern "C" __global__ void below(int *out, int n) {
  __shared__ int s[1024];
  int t = threadIdx.x, v;
  if (t % 3 == 0) {
    for (int i = 0; i < n; i++) {
      s[t + i] = i;
    }
    v = s[t];
  } else {
    for (int i = 0; i < n; i += 2) {
      s[t - i] = i;
    }
    v = s[t + 1];
  }
  out[t] = v + s[t ^ 5];
}

extern "C" __global__ void andor(int *out, int n) {
  __shared__ int s[1024];
  const int *o = pattern;
  int t = threadIdx.x, v = 0;
  if ((t < n && o[t] > 3) || o[t + 5] == n) {
    for (int i = 0; i < n; i++) {
      s[t + i * 2] = i;
    }
    v = s[t + 2];
  }
  out[t] = v + s[t ^ 5];
}

extern "C" __global__ void breaks(int *out, int n) {
  __shared__ int s[1024];
  const int *o = pattern;
  int t = threadIdx.x, v = 0;
  for (int i = 0; i < n; i++) {
    if (o[i + t] == 7) {
      s[t + i] = 9;
      v = s[i];
      break;
    }
    s[t] += i;
    if (o[i] == t) {
      continue;
    }
    s[t * 2] += 3;
  }
  out[t] = v + s[t ^ 5];
}

extern "C" __global__ void early(int *out, int n) {
  __shared__ int s[1024];
  const int *o = pattern;
  int t = threadIdx.x, v = 0;
  if (t >= n) {
    return;
  }
  for (int i = 0; i < o[t]; i++) {
    s[t + i] = i;
    v += s[i ^ t];
  }
  if (v == 3) {
    return;
  }
  out[t] = v + s[t ^ 5];
}

extern "C" __global__ void switches(int *out, int n) {
  __shared__ int s[1024];
  const int *o = pattern;
  int t = threadIdx.x, v = 0;
  switch (o[t] & 3) {
  case 0:
    for (int i = 0; i < n; i++) {
      s[i + t] = 1;
    }
    // fall through
  case 1:
    v = s[t + 1];
    for (int i = 0; i < n; i++) {
      s[i + t + v] = 1;
    }
    break;
  case 2:
    v = s[t + 2];
    for (int i = 0; i < n; i++) {
      s[i + t - v] = 1;
    }
    break;
  default:
    v = s[t + 3];
    for (int i = 0; i < n; i++) {
      s[i * t + v] = 1;
    }
  }
  out[t] = v + s[t ^ 5];
}

extern "C" __global__ void gotos(int *out, int n) {
  __shared__ int s[1024];
  const int *o = pattern;
  int t = threadIdx.x, v = 0;
  if (o[t] == 1) {
    goto a;
  }
  for (int i = 0; i < n; i++) {
    s[i + t] = 1;
  }
  if (o[t + 1] == 2) {
    goto b;
  }
  v = s[t + 1];
a:
  for (int i = 0; i < n; i++) {
    s[i * 2 + t] = 1;
  }
  if (o[t + 4] == 2) {
    goto c;
  }
b:
  for (int i = 0; i < n; i++) {
    s[i * 3 + t] = v;
  }
c:
  out[t] = v + s[t ^ 5];
}

extern "C" __global__ void predicates(int *out, int n) {
  __shared__ int s[1024];
  int t = threadIdx.x, v = 0;
  if (t < n) {
    v = s[t * 2];
  }
  if (t > 3) {
    s[t] = v;
  }
  s[t + 32] = (t & 1) ? s[t * 3] : s[t * 5];
  out[t] = v + s[t ^ 5];
}
