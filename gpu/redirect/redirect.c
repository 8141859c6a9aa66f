// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A library that `smembank run` has the loader put into every process (LD_PRELOAD). A program of nvcc has CUDA's runtime inside, unless
// it is told otherwise. Where the symbols of a program or of its libraries name the runtime's functions, a jump is written over each of
// them, before their constructors run. Each leads to our function of that name, in the library that lies beside this one and is
// loaded when one of them is called.
//
// This library is initialized before all others (-z initfirst), when libc's own constructors have not run yet: nothing can be loaded
// then. Of libraries that are opened later it learns as a debugger does: the loader calls a function for it, r_brk (link.h).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/redirect/beside.h"
#include "gpu/redirect/elf-file.h"
#include "gpu/redirect/detour.h"

#define REGISTER "__cudaRegisterFatBinary"
#define OURS     "smembank_run_unknown"
#define SELF     "/proc/self/exe"

enum {
  STATUS_INPUT = 3, // of smembank: what was given cannot be handled
};

typedef struct {
  uintptr_t base; // added to the addresses of the file
  const char *path;
  ElfFile file;
} Object;

// Ends the process: the runtime inside it would find no driver.
static void
refuse_object(const Object *object, const char *reason) {
  char path[PATH_MAX] = "";
  bool is_program = strcmp(object->path, SELF) == 0 && readlink(SELF, path, sizeof path - 1) > 0;
  fprintf(stderr, "smembank run: %s: error: %s\n", is_program ? path : object->path, reason);
  _exit(STATUS_INPUT);
}

// --- which runtime it is

// Functions that only these versions have: CUDA Runtime API, 11.8, 12.0 and 13.0.
static const struct {
  const char *function, *library;
} versions[] = {
    {"cudaBindTexture", NULL},
    {"cudaGetDeviceProperties_v2", "libcudart.so.12"},
    {"cudaThreadSynchronize", "libcudart.so.12"},
};
static const char newest[] = "libcudart.so.13";

static const char *
find_version(const Object *object, const ElfSymbols *symbols) {
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    if (!elf_symbol_find(symbols, versions[i].function, true))
      continue;
    if (!versions[i].library)
      refuse_object(object, "has the runtime of CUDA 11 or older inside; expected CUDA 12 or 13");
    return versions[i].library;
  }
  return newest;
}

// --- names

#define VARIANT_PLAIN(name)
#define VARIANT_PTSZ(name) #name "_ptsz",
#define VARIANT_PTDS(name) #name "_ptds",
#define SECTION(title)
#define DONE(name, versions, variant)           #name, VARIANT_##variant(name)
#define ACCEPTED(name, versions, variant, what) #name, VARIANT_##variant(name)
#define REFUSED(name, versions, variant, why)   #name, VARIANT_##variant(name)
static const char *const all_names[] = {
#include "gpu/driver/functions.def"
};

enum {
  N_NAMES = sizeof all_names / sizeof *all_names,
};

static int
compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
is_named_like_runtime(const char *name) {
  const char *plain = strncmp(name, "__", 2) == 0 ? name + 2 : name;
  return strncmp(plain, "cuda", 4) == 0 && plain[4] >= 'A' && plain[4] <= 'Z' &&
         !strchr(plain, '.');
}

// --- calls

static const void *
resolve_runtime(Call *call) {
  void *runtime = beside_open(call->library, RTLD_NOW | RTLD_LOCAL);
  const void *ours = runtime ? dlsym(runtime, call->is_known ? call->name : OURS) : NULL;
  if (!ours) {
    fprintf(stderr, "smembank run: error: %s\n", dlerror());
    _exit(STATUS_INPUT);
  }
  if (call->is_known)
    __atomic_store_n(&call->target, ours, __ATOMIC_RELEASE);
  else if (!__atomic_exchange_n(&call->is_told, true, __ATOMIC_RELAXED))
    fprintf(stderr, "smembank run: %s is not supported: newer than CUDA 13.0\n", call->name);
  return ours;
}

// --- jumps

// The functions of a runtime in an object, which lie side by side: it is one object file, or a library. Among them, those that are named
// like the others but that functions.def does not have are a newer runtime's. Elsewhere, the program may have functions of its own with
// a name of the runtime, as CUDA's headers do for per-thread default streams (static inline cudaLaunchKernel).
typedef struct {
  const Object *object;
  const ElfSymbols *symbols;
  const char *library;    // that has ours
  const char **names;     // of functions.def, sorted
  unsigned *uses;         // how many functions have each of them
  Elf64_Addr first, last; // the known functions are in between, in the file's addresses
  size_t n;               // functions
  Call *calls;            // of each function
  unsigned char *code;    // CALL_BYTES of each
} Redirection;

static Call *all_calls; // for tools that look for memory that nothing points to

// Takes a function. @uses: how many have its name; NULL: functions.def does not have it.
typedef void (*Visitor)(Redirection *, const Elf64_Sym *, const char *name, unsigned *uses);

// Calls @visit for each function that is named like one of the runtime.
static void
visit_functions(Redirection *redirection, Visitor visit) {
  for (size_t i = 0; i < redirection->symbols->n; i++) {
    const Elf64_Sym *symbol = &redirection->symbols->symbols[i];
    const char *name = elf_symbol_name(redirection->symbols, symbol);
    if (!elf_symbol_is_function(symbol) || !is_named_like_runtime(name))
      continue;
    const char **known = bsearch(&name, redirection->names, N_NAMES, sizeof name, compare_names);
    visit(redirection, symbol, name, known ? &redirection->uses[known - redirection->names] : NULL);
  }
}

static void
count_uses(Redirection *redirection, const Elf64_Sym *symbol, const char *name, unsigned *uses) {
  (void)symbol, (void)name;
  redirection->n++;
  if (uses)
    ++*uses;
}

static void
widen_runtime(Redirection *redirection, const Elf64_Sym *symbol, const char *name, unsigned *uses) {
  (void)name;
  if (!uses || *uses > 1)
    return;
  if (symbol->st_value < redirection->first)
    redirection->first = symbol->st_value;
  if (symbol->st_value > redirection->last)
    redirection->last = symbol->st_value;
}

// Whether there are so many bytes for a jump: up to the next function, where the symbols say so.
static bool
has_jump_room(const Redirection *redirection, const Elf64_Sym *symbol) {
  for (size_t i = 0; symbol->st_size < JUMP_BYTES && i < redirection->symbols->n; i++) {
    const Elf64_Sym *other = &redirection->symbols->symbols[i];
    if (elf_symbol_is_function(other) && other->st_value > symbol->st_value &&
        other->st_value < symbol->st_value + JUMP_BYTES)
      return false;
  }
  return true;
}

// Whether a jump at an address of the file is in a segment that is executable.
static bool
is_executable(const Object *object, Elf64_Addr address) {
  for (size_t i = 0; i < object->file.n_segments; i++) {
    const Elf64_Phdr *segment = &object->file.segments[i];
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && address >= segment->p_vaddr &&
        segment->p_memsz >= JUMP_BYTES &&
        address - segment->p_vaddr <= segment->p_memsz - JUMP_BYTES)
      return true;
  }
  return false;
}

static void
redirect_function(Redirection *redirection, const Elf64_Sym *symbol, const char *name,
                  unsigned *uses) {
  if (symbol->st_value < redirection->first || symbol->st_value > redirection->last)
    return;
  if (!has_jump_room(redirection, symbol) ||
      !is_executable(redirection->object, symbol->st_value)) {
    char reason[256];
    snprintf(reason, sizeof reason, "there is no room for a jump at %s", name);
    refuse_object(redirection->object, reason);
  }
  Call *call = redirection->calls++;
  *call = (Call){all_calls,    NULL, resolve_runtime, strdup(name), redirection->library,
                 uses != NULL, false};
  all_calls = call;
  detour_write_call(redirection->code, call);
  detour_write((unsigned char *)(redirection->object->base + symbol->st_value), redirection->code);
  redirection->code += CALL_BYTES;
}

static void
protect_range(uintptr_t start, size_t bytes, int protection, const Object *object) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = start & ~(page - 1);
  if (mprotect((void *)first, start + bytes - first, protection) != 0)
    refuse_object(object, strerror(errno));
}

// Sets the protection of all code of an object: writable, or what its file says.
static void
protect_code(const Object *object, bool is_writable) {
  for (size_t i = 0; i < object->file.n_segments; i++) {
    const Elf64_Phdr *segment = &object->file.segments[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    uintptr_t start = object->base + segment->p_vaddr;
    int readable = segment->p_flags & PF_R ? PROT_READ : 0,
        writable = segment->p_flags & PF_W ? PROT_WRITE : 0;
    protect_range(start, segment->p_memsz,
                  is_writable ? PROT_READ | PROT_WRITE : PROT_EXEC | readable | writable, object);
    if (!is_writable)
      detour_flush((void *)start, segment->p_memsz);
  }
}

static void
redirect_object(const Object *object, const ElfSymbols *symbols) {
  const char *names[N_NAMES];
  unsigned uses[N_NAMES] = {0};
  Redirection redirection = {.object = object,
                             .symbols = symbols,
                             .library = find_version(object, symbols),
                             .names = names,
                             .uses = uses,
                             .first = (Elf64_Addr)-1};
  memcpy(names, all_names, sizeof names);
  qsort(names, N_NAMES, sizeof *names, compare_names);
  visit_functions(&redirection, count_uses);
  visit_functions(&redirection, widen_runtime);
  size_t bytes = redirection.n * CALL_BYTES;
  const int protection = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
  // cppcheck-suppress invalidFunctionArg ; memory that is no file's
  unsigned char *code = mmap(NULL, bytes, protection, kind, -1, 0);
  redirection.calls = calloc(redirection.n, sizeof *redirection.calls);
  redirection.code = code;
  if (code == MAP_FAILED || !redirection.calls)
    refuse_object(object, strerror(errno));
  protect_code(object, true);
  visit_functions(&redirection, redirect_function);
  protect_code(object, false);
  protect_range((uintptr_t)code, bytes, PROT_READ | PROT_EXEC, object);
  detour_flush(code, bytes);
}

// --- objects

// An object has a runtime that its symbols name, one that they do not, or none. A library with one that they do not name is told of when
// it is used (cuGetExportTable).
static void
inspect_object(const Object *object) {
  ElfSymbols all = elf_file_symbols(&object->file, SHT_SYMTAB),
             dynamic = elf_file_symbols(&object->file, SHT_DYNSYM);
  if (elf_symbol_find(&dynamic, OURS, true))
    return;
  if (elf_symbol_find(&all, REGISTER, true))
    redirect_object(object, &all);
  else if (elf_symbol_find(&dynamic, REGISTER, true))
    redirect_object(object, &dynamic);
  else if (!elf_file_has_section(&object->file, ".nvFatBinSegment") ||
           elf_symbol_find(&dynamic, REGISTER, false))
    return;
  else if (strcmp(object->path, SELF) == 0)
    refuse_object(object,
                  "is stripped, so that the CUDA runtime inside it cannot be replaced: link "
                  "it with nvcc -cudart shared, or give its source");
}

static void
inspect_map(const struct link_map *map, bool is_program) {
  Object object = {.base = map->l_addr, .path = is_program ? SELF : map->l_name};
  if (!strchr(object.path, '/') || !elf_file_open(&object.file, object.path))
    return; // what the kernel adds is no file
  inspect_object(&object);
  elf_file_close(&object.file);
}

static const struct link_map **inspected; // what the loader had when it last changed something
static size_t n_inspected;

static bool
is_inspected(const struct link_map *map) {
  for (size_t i = 0; i < n_inspected; i++)
    if (inspected[i] == map)
      return true;
  return false;
}

// The program is the first object that the loader has.
static void
inspect_new(void) {
  size_t n = 0;
  for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
    n++;
  const struct link_map **maps = calloc(n + 1, sizeof *maps);
  if (!maps)
    return;
  n = 0;
  for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
    if (!is_inspected(map))
      inspect_map(map, n == 0);
    maps[n++] = map;
  }
  free(inspected);
  inspected = maps;
  n_inspected = n;
}

// Called in place of r_brk, which does nothing, while the loader is locked: new objects are there, and their constructors have not run.
static void
take_change(void) {
  if (_r_debug.r_state == RT_CONSISTENT)
    inspect_new();
}

static void
watch_loader(void) {
  const Object loader = {.path = "the loader"};
  unsigned char *code = (unsigned char *)_r_debug.r_brk;
  if (!code || !detour_is_nothing(code) || !detour_reaches(code, (const void *)take_change))
    return;
  protect_range((uintptr_t)code, NEAR_JUMP_BYTES, PROT_READ | PROT_WRITE, &loader);
  detour_write_near(code, (const void *)take_change);
  protect_range((uintptr_t)code, NEAR_JUMP_BYTES, PROT_READ | PROT_EXEC, &loader);
  detour_flush(code, NEAR_JUMP_BYTES);
}

static __attribute__((constructor)) void
redirect_all(void) {
  inspect_new();
  watch_loader();
}
