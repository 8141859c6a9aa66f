// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/doctor/part.h"

#include <string.h>

#include "src/cli/companion.h"
#include "src/compile/cache.h"
#include "src/compile/compile.h"
#include "src/compile/workshop.h"
#include "src/measure/inventory.h"

enum {
  VERSION_SECONDS = 20, /* that a program may take to tell its version */
};

// What the package tells of itself. A file smembank.py of the folder that one happens to be in is not it.
#define ASK_PYTHON                                                                                 \
  "import sys; sys.path[:] = [p for p in sys.path if p]; import smembank; "                        \
  "print(smembank.__version__, smembank.__file__)"

// The Python that started this program, as python/smembank/__main__.py says.
#define PYTHON_VARIABLE "SMEMBANK_PYTHON"

static void
free_doctor_part(gpointer data) {
  SmbPart *part = data;
  g_free(part->detail);
  g_free(part);
}

static GPtrArray *
make_parts(void) {
  static const struct {
    const char *name, *without;
  } known[] = {
#define PART(name, without) {name, without},
#include "src/doctor/parts.def"
#undef PART
  };
  GPtrArray *parts = g_ptr_array_new_with_free_func(free_doctor_part);
  for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
    SmbPart *part = g_new0(SmbPart, 1);
    part->name = known[i].name;
    part->without = known[i].without;
    g_ptr_array_add(parts, part);
  }
  return parts;
}

// @detail: (transfer full)
static void
settle_part(GPtrArray *parts, const char *name, gboolean usable, char *detail) {
  for (guint i = 0; i < parts->len; i++) {
    SmbPart *part = parts->pdata[i];
    if (strcmp(part->name, name) != 0)
      continue;
    part->usable = usable;
    part->detail = detail;
    return;
  }
  g_assert_not_reached();
}

// What a program writes, without the space at its ends (transfer full); NULL if it fails.
static char *
ask_program(const char *const *words) {
  g_autoptr(SmbWorkshop) workshop = smb_workshop_new("doctor", NULL);
  g_auto(SmbWorkshopRun) run = {.output = NULL};
  if (!workshop || !smb_workshop_run(workshop, words, VERSION_SECONDS, &run, NULL))
    return NULL;
  return run.status == 0 && !run.is_late ? g_strstrip(g_strdup(run.output->str)) : NULL;
}

static void
find_companion(GPtrArray *parts, const char *name, const SmbCompanion *companion) {
  char *path = smb_companion_find(companion);
  settle_part(parts, name, path != NULL, path ? path : smb_companion_missing(companion));
}

// A program of the CUDA Toolkit, which tells its version as "… release 13.0, V13.0.88".
static void
find_toolkit_program(GPtrArray *parts, const char *name, const char *path) {
  const char *const words[] = {path, "--version", NULL};
  g_autofree char *told = ask_program(words);
  const char *release = told ? strstr(told, "release ") : NULL;
  if (!told)
    settle_part(parts, name, FALSE, g_strdup_printf("%s does not tell its version", path));
  else if (release)
    settle_part(
        parts, name, TRUE,
        g_strdup_printf("%s, CUDA %.*s", path, (int)strcspn(release + 8, ",\n"), release + 8));
  else
    settle_part(parts, name, TRUE, g_strdup(path));
}

// The compiler that nvcc starts unless it is told another one.
static void
find_host_compiler(GPtrArray *parts) {
  const char *named = g_getenv("NVCC_CCBIN");
  char *path = g_find_program_in_path(named && *named ? named : "gcc");
  settle_part(parts, "host compiler", path != NULL,
              path ? path : g_strdup("no gcc in $PATH, and $NVCC_CCBIN names no other"));
}

// nvcc, and the assembler that it starts: that beside it, or the one in $PATH.
static void
find_compiler(GPtrArray *parts) {
  g_autofree char *nvcc = smb_compile_find_nvcc();
  g_autofree char *folder = nvcc ? g_path_get_dirname(nvcc) : NULL;
  g_autofree char *beside = folder ? g_build_filename(folder, "ptxas", NULL) : NULL;
  g_autofree char *ptxas = beside && g_file_test(beside, G_FILE_TEST_IS_EXECUTABLE)
                               ? g_steal_pointer(&beside)
                               : g_find_program_in_path("ptxas");
  if (nvcc)
    find_toolkit_program(parts, "nvcc", nvcc);
  else
    settle_part(parts, "nvcc", FALSE,
                g_strdup("neither in $PATH nor in $CUDA_HOME, $CUDA_PATH or /usr/local/cuda, or "
                         "$" SMB_COMPILE_VARIABLE " rules it out"));
  if (ptxas)
    find_toolkit_program(parts, "ptxas", ptxas);
  else
    settle_part(parts, "ptxas", FALSE, g_strdup("neither beside nvcc nor in $PATH"));
  find_host_compiler(parts);
}

static char *
describe_devices(const SmbGpuInventory *inventory) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < inventory->devices->len; i++) {
    const SmbGpuDevice *device = inventory->devices->pdata[i];
    g_string_append_printf(names, "%s%s (compute capability %u.%u)", i ? ", " : "", device->name,
                           device->capability_major, device->capability_minor);
  }
  return g_string_free(g_steal_pointer(&names), FALSE);
}

static void
find_gpu(GPtrArray *parts, const SmbCuda *cuda) {
  g_autoptr(SmbGpuInventory) inventory = smb_measure_inventory(cuda);
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = inventory->parts->pdata[i];
    gboolean is_devices = part->usable && strcmp(part->name, "devices") == 0;
    settle_part(parts, part->name, part->usable,
                is_devices ? describe_devices(inventory) : g_strdup(part->detail));
  }
}

static void
find_cache(GPtrArray *parts) {
  char *folder = smb_cache_folder();
  settle_part(parts, "cache", folder != NULL,
              folder ? folder
                     : g_strdup("the folder cannot be made or is not this user's alone, or "
                                "$" SMB_CACHE_SIZE_VARIABLE " is 0"));
}

// The package may be of another Python than that of PATH: of the one that started this program, or of the environment that it is in.
static char *
ask_python(gboolean *usable) {
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  g_autofree char *beside = folder ? g_build_filename(folder, "python3", NULL) : NULL;
  const char *const pythons[] = {g_getenv(PYTHON_VARIABLE), "python3", beside};
  g_autofree char *first = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(pythons); i++) {
    const char *const words[] = {pythons[i], "-c", ASK_PYTHON, NULL};
    g_autofree char *told = pythons[i] && *pythons[i] ? ask_program(words) : NULL;
    *usable = told && g_str_has_prefix(told, PACKAGE_VERSION " ");
    if (*usable)
      return g_steal_pointer(&told);
    if (!first)
      first = g_steal_pointer(&told);
  }
  return g_steal_pointer(&first);
}

static void
find_python(GPtrArray *parts) {
  gboolean usable;
  g_autofree char *told = ask_python(&usable);
  settle_part(
      parts, "Python package", usable,
      told ? g_strdup_printf("%s%s", told, usable ? "" : ": this program is " PACKAGE_VERSION)
           : g_strdup("python3 is not there, or has no package smembank ($SMEMBANK_PYTHON)"));
}

static void
find_git(GPtrArray *parts) {
  static const char *const words[] = {"git", "--version", NULL};
  char *told = ask_program(words);
  settle_part(parts, "git", told != NULL, told ? told : g_strdup("not in $PATH"));
}

GPtrArray *
smb_parts_find(const SmbCuda *cuda) {
  GPtrArray *parts = make_parts();
  find_companion(parts, "run libraries", &smb_companion_runtime);
  find_companion(parts, "recorder", &smb_companion_recorder);
  find_compiler(parts);
  find_gpu(parts, cuda);
  find_cache(parts);
  find_python(parts);
  find_git(parts);
  return parts;
}
