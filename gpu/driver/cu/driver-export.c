// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// libcuda.so.1: only the names. The functions are in the runtime of the program, so that both have one state: the libcudart that is loaded
// from the folder of this library, or else the newest. It is found when a function is called first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/driver/assembly.h"
#include "gpu/redirect/beside.h"
#include "gpu/redirect/detour.h"

enum {
  STATUS_INPUT = 3, // of smembank: what was given cannot be handled
};

// --- what they are

static void *
find_runtime(void) {
  static const char *const names[] = {"libcudart.so.13", "libcudart.so.12"};
  void *runtime = beside_open(names[0], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!runtime)
    runtime = beside_open(names[1], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return runtime ? runtime : beside_open(names[0], RTLD_NOW | RTLD_LOCAL);
}

// All functions are those of one runtime, whatever is loaded later.
static const void *
resolve_driver(Call *call) {
  static void *chosen;
  void *runtime = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
  if (!runtime) {
    runtime = find_runtime();
    void *none = NULL;
    if (!__atomic_compare_exchange_n(&chosen, &none, runtime, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      runtime = none;
  }
  const void *(*find)(const char *name) = NULL;
  if (runtime)
    *(void **)&find = dlsym(runtime, "smembank_run_driver");
  const void *function = find ? find(call->name) : NULL;
  if (!function) {
    fprintf(stderr, "smembank run: error: %s: %s\n", call->name, dlerror());
    _Exit(STATUS_INPUT);
  }
  __atomic_store_n(&call->target, function, __ATOMIC_RELEASE);
  return function;
}

// --- names

#ifdef __x86_64__
#  define JUMP(name) "lea export_" name "(%rip), %r11\n\tjmp *8(%r11)\n"
#else
#  define JUMP(name)                                                                               \
    "adrp x17, export_" name "\n\tadd x17, x17, :lo12:export_" name                                \
    "\n\tldr x16, [x17, #8]\n\tbr x16\n"
#endif

#define EXPORT(name)                                                                               \
  Call export_##name = {NULL, detour_enter, resolve_driver, #name, NULL, true, false};             \
  ASSEMBLY(#name, "", JUMP(#name));
#define VARIANT_PLAIN(name)
#define VARIANT_PTSZ(name) EXPORT(name##_ptsz)
#define VARIANT_PTDS(name) EXPORT(name##_ptds)
#define SECTION(title)
#define DONE(name, since, variant, needs, function)           EXPORT(name) VARIANT_##variant(name)
#define ACCEPTED(name, since, variant, needs, function, what) EXPORT(name) VARIANT_##variant(name)
#define REFUSED(name, since, variant, why)                    EXPORT(name) VARIANT_##variant(name)
#include "gpu/driver/cu/driver-functions.def"
