// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// printf of a kernel: every conversion, widths and precisions, what it returns, and the order of lanes and blocks.
#include <cstdio>

__global__ void
numbers(int *returned, const char *text) {
  int n = 0;
  returned[n++] = printf("plain\n");
  returned[n++] = printf("%d %i %u\n", -1, 2, 3u);
  returned[n++] = printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]\n", 42, 42, 42, 42, 42, 42);
  returned[n++] = printf("%x %X %o %#x %#o\n", 255, 255, 8, 255, 8);
  returned[n++] = printf("%ld %lld %lu %llu %lx\n", -1l, -2ll, 3ul, 4ull, 1ul << 40);
  returned[n++] = printf("%hd %hu\n", 65537, 65537);
  returned[n++] = printf("%zu %jd %td\n", sizeof(int), (long)-5, (long)7);
  returned[n++] = printf("%f %e %g %a\n", 1.5, 1.5, 1.5, 1.5);
  returned[n++] = printf("%F %E %G %A\n", 1e100 * 1e300, 1.5, 1e-10, 2.5);
  returned[n++] =
      printf("%10.3f|%-10.2e|%+g|%#g|%.0f|%010.2f\n", 3.14159, 3.14159, 2.0, 2.0, 2.5, -2.5);
  returned[n++] = printf("%c%c%c %%\n", 'a', 'b', 'c');
  returned[n++] = printf("%s|%10s|%-10s|%.2s\n", text, text, text, text);
  returned[n++] = printf("%s\n", "literal");
  returned[n++] = printf("%p %p\n", (void *)0, (void *)0x1234);
  returned[n++] = printf("%f\n", 0.1f);
  returned[n++] = printf("%d %f %d %lld %c %s\n", 1, 2.0, 3, 4ll, 'x', "y");
  returned[n++] = printf("no newline;");
  returned[n++] = printf("%f %f %f\n", 0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0);
  returned[n++] =
      printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  returned[n++] = printf("");
}

__global__ void
odd(int *returned, const char *none) {
  int n = 0;
  returned[n++] = printf("%5c|%-5c|%5%|\n", 'a', 'b');
  returned[n++] = printf("%s|\n", none);
  returned[n++] = printf("%*d|%-*d|%.*f|\n", 6, 42, 6, 42, 2, 3.14159);
  returned[n++] = printf("%lf %Lf\n", 1.5, 2.5);
  returned[n++] = printf("%q\n", 5);
  returned[n++] = printf("end %");
  returned[n++] = printf("%#p|%20p|%-20p|\n", (void *)0x12, (void *)0x34, (void *)0x56);
  returned[n++] = printf("%5s|%05s|%+s\n", "ab", "ab", "ab");
}

__global__ void
threads() {
  printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
  if (threadIdx.x % 2)
    printf("odd %d\n", threadIdx.x);
  else
    printf("even %d\n", threadIdx.x);
}

__device__ void
nested(const char *format, int a) {
  printf(format, a, a + 1);
}
__global__ void
through(const char *format) {
  nested(format, threadIdx.x);
}

int
main() {
  int *returned;
  char *text;
  cudaMallocManaged(&returned, 64 * sizeof(int));
  cudaMallocManaged(&text, 64);
  for (int i = 0; i < 64; i++)
    returned[i] = -99;
  snprintf(text, 64, "text");
  numbers<<<1, 1>>>(returned, text);
  printf("before the synchronization\n");
  cudaDeviceSynchronize();
  for (int i = 0; i < 20; i++)
    printf("%d ", returned[i]);
  printf("\n");
  odd<<<1, 1>>>(returned, nullptr);
  cudaDeviceSynchronize();
  for (int i = 0; i < 10; i++)
    printf("%d ", returned[i]);
  printf("\n");
  threads<<<1, 32>>>();
  cudaDeviceSynchronize();
  snprintf(text, 64, "%%d then %%d\n");
  through<<<1, 3>>>(text);
  cudaStreamSynchronize(0);
  threads<<<1, 2>>>();
  threads<<<1, 1>>>();
  int x;
  cudaMemcpy(&x, returned, 4, cudaMemcpyDeviceToHost);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
