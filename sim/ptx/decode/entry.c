// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which kernel of a module is meant, by its mangled, its demangled or its plain name.
#include <string.h>

#include "sim/base/error.h"
#include "sim/ptx/decode/decode.h"

// Of the C++ library: (transfer full) what malloc() returned, or NULL.
char *__cxa_demangle(const char *mangled, char *room, size_t *length, int *status);

// Of "void ns::sgemm<128, 8>(float*)": "sgemm<128, 8>".
static void
make_plain(char *name) {
  gint depth = 0;
  char *start = name;
  for (char *at = name; *at; at++) {
    depth += (*at == '<' || *at == '[') - (*at == '>' || *at == ']');
    if (depth > 0)
      continue;
    // The name of an anonymous namespace, and that of a variable in a function: "k(int)::tile".
    if (*at == '(') {
      char *end = strchr(at, ')');
      const char *behind = end ? strstr(end, "::") : NULL;
      if (!behind) {
        *at = '\0';
        break;
      }
      at = end;
    }
    if (*at == ' ' || (*at == ':' && at[1] == ':'))
      start = at + (*at == ' ' ? 1 : 2);
  }
  memmove(name, start, strlen(start) + 1);
}

char *
smb_ptx_demangle(const char *name, gboolean plain) {
  int status = 0;
  char *demangled = g_str_has_prefix(name, "_Z") ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
  char *copy = g_strdup(demangled ? demangled : name);
  free(demangled);
  if (plain)
    make_plain(copy);
  return copy;
}

// Without the arguments of a template.
static gboolean
is_template_of(const char *plain, const char *entry) {
  gsize length = strcspn(plain, "<");
  return plain[length] == '<' && strlen(entry) == length && strncmp(plain, entry, length) == 0;
}

// Whether two names are the same but for spaces: "sgemm<128,8>" and "sgemm<128, 8>".
static gboolean
is_same(const char *a, const char *b) {
  do {
    a += strspn(a, " ");
    b += strspn(b, " ");
    if (*a != *b)
      return FALSE;
  } while (*a++ && *b++);
  return TRUE;
}

static gboolean
matches(const PtxFunction *function, const char *entry) {
  g_autofree char *whole = smb_ptx_demangle(function->name, FALSE);
  g_autofree char *plain = smb_ptx_demangle(function->name, TRUE);
  return !entry || strcmp(function->name, entry) == 0 || is_same(whole, entry) ||
         is_same(plain, entry) || is_template_of(plain, entry);
}

static const PtxFunction *
refuse(const PtxModule *module, const char *entry, const GPtrArray *names, GError **error) {
  g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
  const char *file = smb_source_name(module->source);
  if (names->len == 1)
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no kernel (.entry) in this PTX", file);
  else if (entry)
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE,
                "--entry '%s': expected one of the kernels of %s: %s", entry, file, list);
  else
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE,
                "%s has several kernels: choose one with --entry: %s", file, list);
  return NULL;
}

const PtxFunction *
smb_ptx_choose(const PtxModule *module, const char *entry, GError **error) {
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) matching = g_ptr_array_new_with_free_func(g_free);
  const PtxFunction *found = NULL;
  for (guint i = 0; i < module->functions->len; i++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, i);
    if (!function->is_entry || function->is_prototype)
      continue;
    char *name = smb_ptx_demangle(function->name, FALSE);
    g_ptr_array_add(all, name);
    if (!matches(function, entry))
      continue;
    if (entry && strcmp(function->name, entry) == 0)
      return function;
    found = function;
    g_ptr_array_add(matching, g_strdup(name));
  }
  if (matching->len == 1)
    return found;
  GPtrArray *names = matching->len > 1 ? matching : all;
  g_ptr_array_add(names, NULL);
  return refuse(module, entry, names, error);
}
