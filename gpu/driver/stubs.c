// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What functions.def makes: the functions that are refused, and the variants of all for per-thread default streams. A variant says
// that the default stream is the thread's (stream.h), and goes on as the function itself.
#include <stdio.h>

#include "gpu/driver/error.h"

#if CUDART_MAJOR == 12
#  define IN_CUDA_12(...) __VA_ARGS__
#  define IN_CUDA_13(...)
#else
#  define IN_CUDA_12(...)
#  define IN_CUDA_13(...) __VA_ARGS__
#endif
#define IN_CUDA_12_13(...) __VA_ARGS__

// Only registers that hold no arguments are changed.
#ifdef __x86_64__
#  define SET_AND_BRANCH                                                                           \
    "movq stream_is_threads@gottpoff(%rip), %rax\n\tmovb $1, %fs:(%rax)\n\tjmp "
#else
#  define SET_AND_BRANCH                                                                           \
    "adrp x16, :gottprel:stream_is_threads\n\tldr x16, [x16, "                                     \
    ":gottprel_lo12:stream_is_threads]\n\t"                                                        \
    "mrs x17, tpidr_el0\n\tadd x16, x16, x17\n\tmov w17, #1\n\tstrb w17, [x16]\n\tb "
#endif

static cudaError_t
refuse_call(bool *is_told, const char *name, const char *why) {
  if (!__atomic_exchange_n(is_told, true, __ATOMIC_RELAXED))
    fprintf(stderr, "smembank run: %s is not supported: %s\n", name, why);
  return error_return(cudaErrorNotSupported);
}

// Arguments are passed on as they are, whatever they are.
#define VARIANT(name, suffix)                                                                      \
  __asm__(".text\n.balign 16\n.globl " #name #suffix "\n.type " #name #suffix                      \
          ", %function\n" #name #suffix ":\n\t" SET_AND_BRANCH #name "\n.size " #name #suffix      \
          ", . - " #name #suffix "\n");
#define VARIANT_PLAIN(name)
#define VARIANT_PTSZ(name) VARIANT(name, _ptsz)
#define VARIANT_PTDS(name) VARIANT(name, _ptds)

#define SECTION(title)
#define DONE(name, versions, variant)           IN_##versions(VARIANT_##variant(name))
#define ACCEPTED(name, versions, variant, what) DONE(name, versions, variant)
#define REFUSED(name, versions, variant, why)                                                      \
  IN_##versions(API cudaError_t name(void) {                                                       \
    static bool is_told;                                                                           \
    return refuse_call(&is_told, #name, why);                                                      \
  } VARIANT_##variant(name))

#include "gpu/driver/functions.def"
