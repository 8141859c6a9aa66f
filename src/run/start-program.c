// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/run/start-program.h"

#include <string.h>

#include "gpu/driver/protocol.h"
#include "gpu/redirect/elf-file.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "src/cli/cli.h"
#include "src/cli/companion.h"

#define REDIRECT_NAME "smembank-redirect.so"

// --- its words

gboolean
smb_run_is_text(const char *word) {
  ElfFile file;
  if (!g_str_has_suffix(word, ".cu"))
    return FALSE;
  if (!elf_file_open(&file, word))
    return TRUE;
  elf_file_close(&file);
  return FALSE;
}

static guint
count_texts(const char *const *words) {
  guint n = 0;
  while (words[n] && smb_run_is_text(words[n]))
    n++;
  return n;
}

GPtrArray *
smb_run_words(const SmbRunText *given, SmbWorkshop *workshop, GError **error) {
  SmbRunText text = *given;
  const char *const *arguments = text.arguments;
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  guint n = text.n_files = count_texts(arguments);
  if (n > 0) {
    char *program = g_build_filename(smb_workshop_folder(workshop), "program", NULL);
    g_ptr_array_add(words, program);
    if (!smb_run_build(&text, workshop, program, error))
      return NULL;
  }
  for (guint i = n; arguments[i]; i++)
    if (i > n || !g_str_equal(arguments[i], "--"))
      g_ptr_array_add(words, g_strdup(arguments[i]));
  g_ptr_array_add(words, NULL);
  return g_steal_pointer(&words);
}

// --- its environment

// The folder of the libraries (transfer full).
static char *
find_libraries(GError **error) {
  g_autofree char *library = smb_companion_find(&smb_companion_runtime);
  if (library)
    return g_path_get_dirname(library);
  g_autofree char *missing = smb_companion_missing(&smb_companion_runtime);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s", missing);
  return NULL;
}

// A list of the loader with one more in front (transfer full).
static char *
prepend_path(const char *first, const char *variable) {
  const char *before = g_getenv(variable);
  return before && *before ? g_strconcat(first, ":", before, NULL) : g_strdup(first);
}

// How the loader is told of the library that redirects the runtime inside a program (transfer full). The loader divides the list at
// spaces and colons: by its name alone the library is found in LD_LIBRARY_PATH.
static char *
name_redirection(const char *libraries) {
  return strpbrk(libraries, " :") ? g_strdup(REDIRECT_NAME)
                                  : g_build_filename(libraries, REDIRECT_NAME, NULL);
}

// Whether a library can be loaded into programs for a processor; what cannot be read is left to the loader.
static gboolean
is_for_machine(const char *library, guint16 machine) {
  ElfFile file;
  if (!elf_file_open(&file, library))
    return TRUE;
  gboolean is_for = file.machine == machine;
  elf_file_close(&file);
  return is_for;
}

// The loader puts the redirection into a program: one that is started without it, and has kernels, would find no driver.
static gboolean
check_program(const char *name, const char *libraries, GError **error) {
  g_autofree char *path = g_find_program_in_path(name);
  g_autofree char *redirection = g_build_filename(libraries, REDIRECT_NAME, NULL);
  ElfFile file;
  if (!path || !elf_file_open(&file, path))
    return TRUE;
  guint16 machine = file.machine;
  gboolean is_loaded = elf_file_has_segment(&file, PT_INTERP),
           has_kernels = elf_file_has_section(&file, ".nvFatBinSegment");
  elf_file_close(&file);
  if (is_loaded && !is_for_machine(redirection, machine))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: is a program for another processor than this smembank is", name);
  return is_loaded || !has_kernels ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s: is linked with -static, so that the CUDA runtime inside it cannot be "
                  "replaced: link it without, or give its source",
                  name);
}

gboolean
smb_run_start(SmbRunning *running, const char *const *words, SmbRunOutput output, int *wait_status,
              GError **error) {
  g_autofree char *libraries = find_libraries(error);
  if (!libraries || !check_program(words[0], libraries, error))
    return FALSE;
  g_autofree char *path = prepend_path(libraries, "LD_LIBRARY_PATH");
  g_autofree char *redirection = name_redirection(libraries);
  g_autofree char *preload = prepend_path(redirection, "LD_PRELOAD");
  const char *const environment[] = {"LD_LIBRARY_PATH", path, "LD_PRELOAD", preload, NULL};
  const SmbApplication application = {
      .words = words,
      .environment = environment,
      .socket_variable = RUN_SOCKET,
      .listener = &smb_run_listener,
      .user = running,
      .stage = &running->stage,
      .turns_output = output == SMB_RUN_OUTPUT_ERROR,
  };
  return smb_application_run(&application, wait_status, error);
}
