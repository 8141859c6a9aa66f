// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions that are not inlined: virtual ones, in tables, with structures, lambdas, recursion in diverged warps, printf, assert, malloc.
// The counts, requests/wavefronts, are derived by hand at each kernel.
// launch: --entry shapes_virtual --block 64
// counts: load 3/4, store 2/2
// launch: --entry steps_by_table --block 32
// counts: load 8/12, store 2/2
// launch: --entry by_structure --block 32 --arg 1=3
// counts: load 1/1, store 1/1
// launch: --entry by_lambda --block 32 --arg 1=2
// counts: load 3/3, store 2/2
// launch: --entry quicksort --block 4
// launch: --entry prints --block 32
// counts: load 1/1, store 1/1
// launch: --entry lists --block 32
// counts: load 2/2, store 1/1
#define NOINLINE __device__ __noinline__
#ifdef __clang__
extern "C" __device__ int vprintf(const char *, void *);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
#  define printf(text, value) (last = (value), vprintf(text, &last))
#endif

// Virtual functions of objects in local memory, through a pointer of the base class: warp 0 reads in two places, with a stride
// of 1 and of 2 words, warp 1 in one.
struct Shape {
  NOINLINE virtual int area(const int *s, int t) const = 0;
};
struct Square : Shape {
  NOINLINE int area(const int *s, int t) const override { return s[t]; }
};
struct Circle : Shape {
  int r;
  NOINLINE int area(const int *s, int t) const override { return s[t ^ r] + s[(t * 2) & 63]; }
};
extern "C" __global__ void shapes_virtual(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  Square square;
  Circle circle;
  circle.r = 1;
  const Shape *shape = t >= 32 ? (const Shape *)&square : &circle;
  out[t] = shape->area(s, t);
}

// Steps of a machine in a table in constant memory; each lane runs its own program. In each of four rounds 8 lanes call the first
// function, 4 words apart, and 16 the second one, for words 4 apart, of which two are in each bank.
typedef void (*Step)(int *s, int *value);
NOINLINE void load_one(int *s, int *value) { *value += s[threadIdx.x]; }
NOINLINE void load_far(int *s, int *value) { *value += s[threadIdx.x * 2 & 63]; }
NOINLINE void twice(int *, int *value) { *value *= 2; }
__constant__ Step table[4] = {load_one, load_far, twice, load_far};
extern "C" __global__ void steps_by_table(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, value = 0;
  s[t] = t;
  s[t + 32] = t;
  __syncthreads();
  for (int i = 0; i < 4; i++) {
    table[(i + t) & 3](s, &value);
  }
  out[t] = value;
}

// A structure by value and one that is returned.
struct Rows {
  int *s;
  int width[5];
};
struct Pair {
  int a, b;
};
NOINLINE Pair read_rows(Rows rows, int t, int which) {
  Pair pair;
  pair.a = rows.s[(t + rows.width[which]) & 31];
  pair.b = which;
  return pair;
}
extern "C" __global__ void by_structure(int *out, int which) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  Rows rows;
  rows.s = s;
  for (int i = 0; i < 5; i++) {
    rows.width[i] = which + i;
  }
  Pair pair = read_rows(rows, t, which);
  out[t] = pair.a * 100 + pair.b;
}

// A lambda that is passed on.
template <typename F>
NOINLINE int apply(F f, int n) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i <= n; i++) {
    sum += f(i);
  }
  return sum;
}
extern "C" __global__ void by_lambda(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = -t;
  __syncthreads();
  const int *own = s + t;
  auto f = [=](int i) { return own[i]; };
  out[t] = apply(f, n);
}

// Each lane sorts eight numbers of its own.
NOINLINE void sort(int *s, int from, int to) {
  if (to - from < 2) {
    return;
  }
  int pivot = s[from], at = from;
  for (int i = from + 1; i < to; i++) {
    int v = s[i];
    if (v < pivot) {
      s[i] = s[at + 1];
      s[at] = v;
      s[++at] = pivot;
    }
  }
  sort(s, from, at);
  sort(s, at + 1, to);
}
extern "C" __global__ void quicksort(int *out) {
  __shared__ int s[4][9];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) {
    s[t][i] = (i * 5 + t * 3) & 7;
  }
  sort(s[t], 0, 8);
  for (int i = 0; i < 8; i++) {
    out[t * 8 + i] = s[t][i];
  }
}

extern "C" __global__ void prints(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = s[t ^ 1];
#ifdef __clang__
  int last;
#endif
  if (v > 20) {
    printf("%d\n", v);
  }
  if (out[t] == v) {
    printf("another value is there than %d\n", v);
  }
  out[t] = v;
}

// A list of its own for each lane, from malloc.
struct Link {
  Link *next;
  int at;
};
extern "C" __global__ void lists(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x, sum = 0;
  s[t] = t;
  __syncthreads();
  Link *list = nullptr;
  for (int i = 0; i < 2; i++) {
    Link *link = (Link *)malloc(sizeof(Link));
    if (link == nullptr) {
      return;
    }
    link->next = list;
    link->at = (t + i) & 31;
    list = link;
  }
#pragma unroll 1
  while (list) {
    sum += s[list->at];
    Link *next = list->next;
    free(list);
    list = next;
  }
  out[t] = sum;
}
