// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What functions.def makes: the functions that are refused, and the variants of all for per-thread default streams (stream-variant.h).
#include <stdio.h>

#include "gpu/driver/error.h"
#include "gpu/driver/stream/stream-variant.h"

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

#define VARIANT_PLAIN(name)
#define VARIANT_PTSZ(name) VARIANT(#name "_ptsz", name##_ptsz, name)
#define VARIANT_PTDS(name) VARIANT(#name "_ptds", name##_ptds, name)

#define SECTION(title)
#define DONE(name, versions, variant)           IN_##versions(cudaError_t name(void); VARIANT_##variant(name))
#define ACCEPTED(name, versions, variant, what) DONE(name, versions, variant)
#define REFUSED(name, versions, variant, why)                                                      \
  IN_##versions(API cudaError_t name(void) {                                                       \
    static bool is_told;                                                                           \
    return refuse_call(&is_told, #name, why);                                                      \
  } VARIANT_##variant(name))

#include "gpu/driver/functions.def"
