// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/compile/instance.h"

#include <string.h>

#include "sim/program/symbol.h"

// The instance of a template is made by using its address, as an argument of another template: what is asked for is as
// short as the user writes it, and needs no types of parameters. After the text, so that its lines stay. The name of
// the variable that this makes tells which kernel it is.
static const char instance_format[] =
    "\ntemplate <typename F, F *kernel> __device__ char smembank_instance;\n"
    "template __device__ char smembank_instance<decltype(%s), %s>;\n";

char *
smb_instance_text(const char *instance) {
  return instance ? g_strdup_printf(instance_format, instance, instance) : g_strdup("");
}

// How the name of the variable begins as a symbol (transfer full).
static char *
mangle_variable(const char *space) {
  static const char name[] = "17smembank_instanceI";
  return space ? g_strdup_printf("_ZN%zu%s%s", strlen(space), space, name)
               : g_strconcat("_Z", name, NULL);
}

// By the name of the variable: "smembank_instance<TYPE, &(KERNEL)>".
char *
smb_instance_find(GBytes *image, const char *space) {
  g_autofree char *mark = mangle_variable(space);
  gsize length;
  const char *bytes = g_bytes_get_data(image, &length);
  const char *start = bytes ? memmem(bytes, length, mark, strlen(mark)) : NULL;
  gsize end = 0, most = start ? length - (gsize)(start - bytes) : 0;
  while (end < most && (g_ascii_isalnum(start[end]) || strchr("_.$", start[end]) != NULL) &&
         start[end])
    end++;
  g_autofree char *symbol = g_strndup(start ? start : "", end);
  g_autofree char *demangled = smb_symbol_demangle(symbol, FALSE);
  const char *address = strstr(demangled, ", &(");
  const char *close = address ? g_strrstr(address, ")>") : NULL;
  return close ? g_strndup(address + 4, (gsize)(close - address - 4)) : NULL;
}
