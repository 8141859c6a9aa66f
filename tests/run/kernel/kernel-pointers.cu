// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Addresses in initial data: of variables, functions, and objects with virtual functions; managed variables; generic addresses of constant memory.
#include <cstdio>

__device__ int first[4] = {1, 2, 3, 4};
__device__ int *second = first + 2;
__constant__ int *third = first + 1;
__device__ int **fourth = &second;
__managed__ int managed[3] = {7, 8, 9};
__device__ const char *names[] = {"zero", "one", "two"};
__constant__ const char *words[] = {"alpha", "beta"};

typedef int (*Operation)(int, int);
__device__ __noinline__ int
add(int a, int b) {
  return a + b;
}
__device__ __noinline__ int
multiply(int a, int b) {
  return a * b;
}
__device__ Operation operations[] = {add, multiply};
__constant__ Operation constants[] = {multiply, add};
__device__ Operation chosen = multiply;

struct Shape {
  int side;
  __device__
  Shape(int s)
      : side(s) {
  }
  __device__ virtual int
  area() const {
    return 0;
  }
  __device__ virtual ~Shape() {
  }
};
struct Square : Shape {
  __device__
  Square(int s)
      : Shape(s) {
  }
  __device__ int
  area() const override {
    return side * side;
  }
};
struct Line : Shape {
  __device__
  Line(int s)
      : Shape(s) {
  }
  __device__ int
  area() const override {
    return -side;
  }
};

__global__ void
read(int *out) {
  out[0] = *second + *third * 10 + **fourth * 100;
  out[1] = managed[1] + managed[0] * 10;
  out[2] = operations[threadIdx.x & 1](3, 4) * 1000 + constants[out[0] & 1](5, 6);
  out[3] = chosen(7, 8);
  out[4] = names[2][0] * 1000 + words[1][0];
  second = first + 3;
  chosen = operations[0];
}
__global__ void
again(int *out) {
  out[5] = *second + **fourth * 10;
  out[6] = chosen(7, 8);
}
__global__ void
make(Shape **shapes, int n) {
  for (int i = 0; i < n; i++)
    shapes[i] = i % 2 ? (Shape *)new Square(i) : (Shape *)new Line(i);
}
__global__ void
use(Shape *const *shapes, int *out, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[8 + i] = shapes[i]->area();
}
__global__ void
destroy(Shape **shapes, int n) {
  for (int i = 0; i < n; i++)
    delete shapes[i];
}
// A stack that many blocks push onto at once.
struct Stack {
  int top;
  int kept[256];
  __device__
  Stack()
      : top(0) {
  }
  __device__ virtual void
  push(int value) {
    kept[atomicAdd(&top, 1)] = value;
  }
  __device__ virtual bool
  pop(int &value) {
    if (top > 0) {
      int i = atomicAdd(&top, -1);
      if (i > 0) {
        value = kept[i - 1];
        return true;
      }
    }
    return false;
  }
};
__global__ void
make_stack(Stack **stack) {
  *stack = new Stack;
}
__global__ void
push_all(Stack *const *stack) {
  (*stack)->push(blockIdx.x);
  (*stack)->push(threadIdx.x);
}
__global__ void
pop_all(Stack *const *stack, int *out) {
  int value;
  if ((*stack)->pop(value))
    atomicAdd(out, value);
  else
    atomicAdd(out, 1 << 20);
}
// The compiler is not to know what is pointed at.
__constant__ int tens[4] = {10, 20, 30, 40};
__constant__ struct {
  char tag;
  long long large[3];
} record = {'r', {1000, 2000, 3000}};
__device__ __noinline__ const void *
hide(const void *pointer) {
  asm volatile("" : "+l"(pointer));
  return pointer;
}
__global__ void
generic(int *out, int *given, int from) {
  const int *each = (const int *)hide(tens);
  const long long *large = (const long long *)hide(record.large);
  const int *either = (const int *)hide(from < 2 ? tens : given);
  out[threadIdx.x] = each[threadIdx.x] + (int)large[from] + *(const char *)hide(&record.tag) + either[1];
}

__device__ const int *left;
__global__ void
leave() {
  left = (const int *)hide(tens + 2);
}
__global__ void
find_left(int *out) {
  out[threadIdx.x] = left[(int)threadIdx.x - 2];
}

__global__ void
apply(Operation operation, int *out) {
  out[7] = operation(9, 10);
}
__global__ void
address(int **out) {
  *out = first;
}

int
main() {
  int *out, host = 0, **where;
  Shape **shapes;
  cudaMallocManaged(&out, 256);
  cudaMallocManaged(&where, 8);
  cudaMallocManaged(&shapes, 256);
  printf("managed %d\n", managed[2]);
  managed[0] = 70;
  read<<<1, 1>>>(out);
  again<<<1, 1>>>(out);
  make<<<1, 1>>>(shapes, 6);
  use<<<1, 32>>>(shapes, out, 6);
  Operation operation;
  cudaMemcpyFromSymbol(&operation, chosen, sizeof operation);
  apply<<<1, 1>>>(operation, out);
  destroy<<<1, 1>>>(shapes, 6);
  address<<<1, 1>>>(where);
  cudaDeviceSynchronize();
  for (int i = 0; i < 14; i++)
    printf("%d ", out[i]);
  printf("\n");
  make_stack<<<1, 1>>>((Stack **)shapes);
  push_all<<<2, 64>>>((Stack **)shapes);
  cudaDeviceSynchronize();
  out[0] = 0;
  pop_all<<<5, 64>>>((Stack **)shapes, out);
  cudaDeviceSynchronize();
  printf("stack %d, empty %d\n", out[0] & 0xfffff, out[0] >> 20);
  generic<<<1, 4>>>(out, out, 1);
  cudaDeviceSynchronize();
  printf("constant %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  void *symbol;
  cudaMemcpyToSymbol(record, "s", 1);
  cudaGetSymbolAddress(&symbol, tens);
  generic<<<1, 4>>>(out, (int *)symbol, 2);
  cudaDeviceSynchronize();
  printf("constant %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  leave<<<1, 1>>>();
  find_left<<<1, 4>>>(out);
  cudaDeviceSynchronize();
  printf("left %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  cudaGetSymbolAddress(&symbol, first);
  printf("same %d\n", symbol == *where);
  cudaMemcpy(&host, *where, 4, cudaMemcpyDeviceToHost);
  printf("host %d, %s\n", host, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
