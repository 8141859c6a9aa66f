// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads functions of a library into a table.
#include "gpu/symbols.h"

#include <dlfcn.h>

const char *
smb_symbols_find(gpointer handle, const SmbSymbol *symbols, guint n, gpointer functions) {
  for (guint i = 0; i < n; i++) {
    gpointer symbol = dlsym(handle, symbols[i].name);
    if (!symbol)
      return symbols[i].name;
    G_STRUCT_MEMBER(gpointer, functions, symbols[i].member) = symbol;
  }
  return NULL;
}
