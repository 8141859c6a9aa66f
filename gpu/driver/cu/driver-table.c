// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What driver-functions.def makes: the names that programs call, with what is around each function, and the table by which they are found.
#include <stdio.h>
#include <string.h>

#include "gpu/driver/cu/driver-entry.h"
#include "gpu/driver/error.h"
#include "gpu/driver/newer.h"
#include "gpu/driver/stream/stream-variant.h"

static cudaError_t
refuse_driver_call(bool *is_told, const char *name, const char *why) {
  if (!__atomic_exchange_n(is_told, true, __ATOMIC_RELAXED))
    fprintf(stderr, "smembank run: %s is not supported: %s\n", name, why);
  return cudaErrorNotSupported;
}

// --- entries: driver_NAME, and of variants driver_NAME_ptsz and driver_NAME_ptds

#define VARIANT_PLAIN(name)
#define VARIANT_PTSZ(name) DRIVER_VARIANT(name, ptsz)
#define VARIANT_PTDS(name) DRIVER_VARIANT(name, ptds)
#define DRIVER_VARIANT(name, ending)                                                               \
  extern const char driver_##name##_##ending[];                                                    \
  VARIANT("driver_" #name "_" #ending, name##_##ending, driver_##name)

#define SECTION(title)
#define DONE(name, since, variant, needs, function)                                                \
  cudaError_t function(void);                                                                      \
  extern const char driver_##name[];                                                               \
  const Entry entry_##name = {function, driver_begin, driver_end, NEEDS_##needs};                  \
  ENTRY("driver_" #name, ".hidden driver_" #name "\n", "entry_" #name);                            \
  VARIANT_##variant(name)
#define ACCEPTED(name, since, variant, needs, function, what)                                      \
  DONE(name, since, variant, needs, function)
#define REFUSED(name, since, variant, why)                                                         \
  static cudaError_t refuse_##name(void) {                                                         \
    static bool is_told;                                                                           \
    return refuse_driver_call(&is_told, #name, why);                                               \
  }                                                                                                \
  extern const char driver_##name[];                                                               \
  const Entry entry_##name = {refuse_##name, driver_begin, driver_end, NEEDS_NOTHING};             \
  ENTRY("driver_" #name, ".hidden driver_" #name "\n", "entry_" #name);                            \
  VARIANT_##variant(name)
#include "gpu/driver/cu/driver-functions.def"
#undef DONE
#undef REFUSED
#undef VARIANT_PLAIN
#undef VARIANT_PTSZ
#undef VARIANT_PTDS

// --- finding them

typedef struct {
  const char *name;
  int since;
  const char *ending; // of the variant
  const void *function, *variant;
} Row;

#define VARIANT_PLAIN(name)                         "", NULL
#define VARIANT_PTSZ(name)                          "_ptsz", driver_##name##_ptsz
#define VARIANT_PTDS(name)                          "_ptds", driver_##name##_ptds
#define ROW(name, since, ending, variant)           {#name, since, ending, driver_##name, variant},
#define DONE(name, since, variant, needs, function) MAKE_ROW(name, since, VARIANT_##variant(name))
#define REFUSED(name, since, variant, why)          DONE(name, since, variant, , )
#define MAKE_ROW(...)                               ROW(__VA_ARGS__)
static const Row rows[] = {
#include "gpu/driver/cu/driver-functions.def"
};

enum {
  N_ROWS = sizeof rows / sizeof *rows,
};

// The function that libcuda.so.1 exports under a name. NULL: there is none.
API const void *
smembank_run_driver(const char *name) {
  for (int i = 0; i < N_ROWS; i++) {
    size_t n = strlen(rows[i].name);
    if (strncmp(rows[i].name, name, n) != 0)
      continue;
    if (name[n] == '\0')
      return rows[i].function;
    if (rows[i].variant && strcmp(name + n, rows[i].ending) == 0)
      return rows[i].variant;
  }
  return NULL;
}

// Whether a name is @symbol, with or without a version.
static bool
is_named(const char *name, const char *symbol) {
  size_t n = strlen(symbol);
  return strncmp(name, symbol, n) == 0 &&
         (name[n] == '\0' || (name[n] == '_' && name[n + 1] == 'v' &&
                              strspn(name + n + 2, "0123456789") == strlen(name + n + 2)));
}

const void *
driver_find(const char *symbol, int version, bool per_thread, DriverSearch *search) {
  const Row *found = NULL;
  *search = DRIVER_NO_SYMBOL;
  for (int i = 0; i < N_ROWS; i++) {
    if (!is_named(rows[i].name, symbol))
      continue;
    if (rows[i].since <= version && (!found || rows[i].since >= found->since))
      found = &rows[i];
    *search = found ? DRIVER_FOUND : DRIVER_TOO_NEW;
  }
  return !found ? NULL : per_thread && found->variant ? found->variant : found->function;
}
