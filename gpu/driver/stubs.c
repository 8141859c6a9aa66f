// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What functions.def makes: the functions that are refused, and the variants of all for per-thread default streams (stream-variant.h).
#include <stdio.h>

#include "gpu/driver/assembly.h"
#include "gpu/driver/error.h"

#if CUDART_MAJOR == 12
#  define IN_CUDA_12(...) __VA_ARGS__
#  define IN_CUDA_13(...)
#else
#  define IN_CUDA_12(...)
#  define IN_CUDA_13(...) __VA_ARGS__
#endif
#define IN_CUDA_12_13(...) __VA_ARGS__

static cudaError_t
refuse_call(bool *is_told, const char *name, const char *why) {
  if (!__atomic_exchange_n(is_told, true, __ATOMIC_RELAXED))
    fprintf(stderr, "smembank run: %s is not supported: %s\n", name, why);
  return error_return(cudaErrorNotSupported);
}

// What the redirection calls for functions of a newer runtime, which it has named.
API cudaError_t
smembank_run_unknown(void) {
  return error_return(cudaErrorNotSupported);
}

// stream-variant.c calls the function, whose address it finds in a register.
#ifdef __x86_64__
#  define CALL_VARIANT(name) "mov " name "@GOTPCREL(%rip), %r11\n\tjmp variant_call\n"
#else
#  define CALL_VARIANT(name)                                                                       \
    "adrp x16, :got:" name "\n\tldr x16, [x16, :got_lo12:" name "]\n\tb variant_call\n"
#endif
#define VARIANT(variant, name) ASSEMBLY(variant, "", CALL_VARIANT(name));
#define VARIANT_PLAIN(name)
#define VARIANT_PTSZ(name) VARIANT(#name "_ptsz", #name)
#define VARIANT_PTDS(name) VARIANT(#name "_ptds", #name)

#define SECTION(title)
#define DONE(name, versions, variant)           IN_##versions(VARIANT_##variant(name))
#define ACCEPTED(name, versions, variant, what) DONE(name, versions, variant)
#define REFUSED(name, versions, variant, why)                                                      \
  IN_##versions(API cudaError_t name(void) {                                                       \
    static bool is_told;                                                                           \
    return refuse_call(&is_told, #name, why);                                                      \
  } VARIANT_##variant(name))

#include "gpu/driver/functions.def"
