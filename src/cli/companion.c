// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/companion.h"

#include <string.h>
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

// Adds a place, if there is one.
static void
add_place(GPtrArray *places, char *place) {
  if (place)
    g_ptr_array_add(places, place);
}

// Where a companion may be, the best place first (transfer full) (element-type filename). One that was moved with this program is found
// before another one that is installed where this one was to be: below any folder that this program is in the "bin" of, the libraries
// are where they were to be below the prefix, whichever part of the path that is: "lib/x86_64-linux-gnu/smembank".
static GPtrArray *
list_companion_places(const SmbCompanion *companion) {
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : g_strdup(".");
  GPtrArray *places = g_ptr_array_new_with_free_func(g_free);
  add_place(places, find_given(companion));
  add_place(places, g_build_filename(folder, companion->built, companion->file, NULL));
  add_place(places, g_build_filename(folder, "..", companion->built, companion->file, NULL));
  for (const char *end = strchr(PKGLIBDIR + 1, '/'); end && strchr(end + 1, '/');
       end = strchr(end + 1, '/'))
    add_place(places,
              g_build_filename(folder, "..", end, companion->installed, companion->file, NULL));
  add_place(places, g_build_filename(folder, "..", "lib", "smembank", companion->installed,
                                     companion->file, NULL));
  add_place(places, g_build_filename(PKGLIBDIR, companion->installed, companion->file, NULL));
  return places;
}

char *
smb_companion_find(const SmbCompanion *companion) {
  g_autoptr(GPtrArray) places = list_companion_places(companion);
  for (guint i = 0; i < places->len; i++) {
    if (access(places->pdata[i], R_OK) == 0)
      return g_canonicalize_filename(places->pdata[i], NULL);
  }
  return NULL;
}

char *
smb_companion_missing(const SmbCompanion *companion) {
  g_autofree char *folder = g_build_filename(PKGLIBDIR, companion->installed, NULL);
  return g_strdup_printf("the library %s is neither next to the program nor in %s", companion->file,
                         folder);
}
