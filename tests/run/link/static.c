// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A program with a runtime inside (inside.c), or with one in its library (-DLIBRARY: that library; -DCALLER: its program; -DOPENER: one
// that opens it, its first argument, and closes and opens it again).
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int run_all(const char *where);

#if !defined CALLER && !defined OPENER
int cudaMalloc(void **address, size_t bytes);
int cudaMemset_ptds(void *address, int value, size_t bytes);
int cudaFree(void *address);
int cudaRuntimeGetVersion(int *version);
int cudaImportExternalMemory(void **memory, const void *handle);
int cudaNewerThanAll(double, int);
int cudaGetLastError(void);

// What nvcc puts into a program that has kernels: a mark that is there after the symbols have gone.
__attribute__((section(".nvFatBinSegment"), used)) static int mark = 1;

int
cudaOfTheProgram(void) {
  return mark;
}

// CUDA's headers have such functions, with the name of one of the runtime: this one stays.
static __attribute__((noinline, noclone)) int
cudaLaunchKernelExC(int number) {
  __asm__ volatile("" : "+r"(number));
  return number;
}

int
run_all(const char *where) {
  int version = 0;
  char *memory = NULL;
  int error = cudaMalloc((void **)&memory, 1000);
  printf("%s: cudaMalloc %d", where, error);
  if (memory) {
    memory[999] = 1;
    error = cudaMemset_ptds(memory, 7, 1000);
    printf(", cudaMemset_ptds %d, %d %d", error, memory[0], memory[999]);
    printf(", cudaFree %d", cudaFree(memory));
  }
  error = cudaRuntimeGetVersion(&version);
  printf(", version %d %d, own %d\n", error, version / 1000,
         cudaOfTheProgram() + cudaLaunchKernelExC(0));
  for (int i = 0; i < 2; i++) {
    error = cudaImportExternalMemory(NULL, NULL);
    int last = cudaGetLastError();
    printf("refused %d, last %d, then %d\n", error, last, cudaGetLastError());
  }
  error = cudaNewerThanAll(0.5, 1);
  return printf("newer %d, last %d\n", error, cudaGetLastError()) < 0;
}

__attribute__((constructor)) static void
begin(void) {
  printf("constructor: %d\n", cudaMalloc(NULL, 1));
}
#endif

#ifdef OPENER
int
main(int argc, char **argv) {
  int status = 1;
  for (int i = 0; i < 2; i++) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*run)(const char *) = library ? (int (*)(const char *))dlsym(library, "run_all") : NULL;
    status = run ? run("main") : 1;
    if (library)
      dlclose(library);
  }
  return status;
}
#elif !defined LIBRARY
int
main(int argc, char **argv) {
  (void)argv;
  return run_all("main") + argc - 1;
}
#endif
