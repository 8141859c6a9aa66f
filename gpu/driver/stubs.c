// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What functions.def makes: the functions that are refused, and the variants of all for per-thread default streams. A variant is the
// function itself: work is done when it is asked for, so that both default streams have the same order.
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

#ifdef __x86_64__
#  define BRANCH "jmp "
#else
#  define BRANCH "b "
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
          ", %function\n" #name #suffix ":\n\t" BRANCH #name "\n.size " #name #suffix              \
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
