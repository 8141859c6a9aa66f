// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/runtime-function.h"

#include <string.h>

const Provided *
smb_provided_find(const char *name) {
  static const Provided table[] = {
#define PROVIDED(name, opcode, passed, returned) {name, STEP_##opcode, passed, returned},
#include "sim/exec/runtime-function.def"
#undef PROVIDED
  };
  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  }
  return NULL;
}

// All names that begin with "cuda" belong to the device's runtime.
gboolean
smb_provided_is_harmless(const char *name) {
  return g_str_has_prefix(name, "cuda") || g_str_has_prefix(name, "__cuda");
}
