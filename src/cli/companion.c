// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/companion.h"

#include <unistd.h>

const SmbCompanion smb_companion_runtime = {"SMEMBANK_RUN_LIBRARIES", "gpu/driver", "run",
                                            "libcudart.so.13"};

const SmbCompanion smb_companion_recorder = {"SMEMBANK_INJECTION", "gpu/inject", "",
                                             "smembank-inject.so"};

// What a variable names (transfer full).
static char *
find_given(const SmbCompanion *companion) {
  const char *given = g_getenv(companion->variable);
  if (!given)
    return NULL;
  return g_file_test(given, G_FILE_TEST_IS_DIR) ? g_build_filename(given, companion->file, NULL)
                                                : g_strdup(given);
}

char *
smb_companion_find(const SmbCompanion *companion) {
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : g_strdup(".");
  // One that was moved is found before another one that is installed where this one was to be.
  char *candidates[] = {
      find_given(companion),
      g_build_filename(folder, companion->built, companion->file, NULL),
      g_build_filename(folder, "..", companion->built, companion->file, NULL),
      g_build_filename(folder, "..", "lib", "smembank", companion->installed, companion->file,
                       NULL),
      g_build_filename(PKGLIBDIR, companion->installed, companion->file, NULL),
  };
  char *found = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(candidates); i++) {
    if (!found && candidates[i] && access(candidates[i], R_OK) == 0)
      found = g_canonicalize_filename(candidates[i], NULL);
    g_free(candidates[i]);
  }
  return found;
}

char *
smb_companion_missing(const SmbCompanion *companion) {
  g_autofree char *folder = g_build_filename(PKGLIBDIR, companion->installed, NULL);
  return g_strdup_printf("the library %s is neither next to the program nor in %s", companion->file,
                         folder);
}
