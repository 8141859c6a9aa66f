// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/arch-read.h"
#include "sim/data.h"
#include "sim/error.h"
#include "sim/suggest.h"

SmbArch *
smb_arch_new_from_data(const char *name, const char *text, GError **error) {
  return smb_arch_read(name, text, strlen(text), 0, error);
}

gboolean
smb_arch_exists(const char *name) {
  g_auto(GStrv) names = smb_data_list("archs", ".ini");
  return g_strv_contains((const char *const *)names, name);
}

SmbArch *
smb_arch_load_like(const char *name, guint depth, GError **error) {
  if (!smb_arch_exists(name)) {
    g_auto(GStrv) names = smb_arch_list();
    g_autofree char *list = g_strjoinv(", ", names);
    g_autofree char *meant = smb_suggest(name, (const char *const *)names);
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE, "no architecture '%s': expected one of %s%s",
                name, list, meant);
    return NULL;
  }
  g_autofree char *path = g_strdup_printf("archs/%s.ini", name);
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  if (!bytes)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_arch_read(name, text ? text : "", length, depth, error);
}

SmbArch *
smb_arch_load(const char *name, GError **error) {
  return smb_arch_load_like(name, 0, error);
}

static int
compare_capability(gconstpointer a, gconstpointer b) {
  const char *names[2] = {*(const char *const *)a, *(const char *const *)b};
  guint64 numbers[2];
  for (guint i = 0; i < 2; i++) {
    const char *digits = strpbrk(names[i], "0123456789");
    numbers[i] = digits ? g_ascii_strtoull(digits, NULL, 10) : G_MAXUINT64;
  }
  if (numbers[0] != numbers[1])
    return numbers[0] < numbers[1] ? -1 : 1;
  return strcmp(names[0], names[1]);
}

GStrv
smb_arch_list(void) {
  GStrv names = smb_data_list("archs", ".ini");
  qsort(names, g_strv_length(names), sizeof *names, compare_capability);
  return names;
}

SmbArch *
smb_arch_ref(SmbArch *arch) {
  g_atomic_ref_count_inc(&arch->references);
  return arch;
}

void
smb_arch_unref(SmbArch *arch) {
  if (!arch || !g_atomic_ref_count_dec(&arch->references))
    return;
  g_string_chunk_free(arch->strings);
  g_free(arch);
}

const SmbArchInfo *
smb_arch_info(const SmbArch *arch) {
  return &arch->info;
}

const SmbRule *
smb_arch_rule(const SmbArch *arch, SmbOp op, guint width) {
  return &arch->rules[op][smb_width_index(width)];
}

gboolean
smb_arch_check_request(const SmbArch *arch, const SmbRequest *request, GError **error) {
  if (smb_arch_rule(arch, (SmbOp)request->op, request->width)->defined)
    return TRUE;
  g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "%s has no rule for %s of %u bytes",
              arch->info.name, smb_op_name((SmbOp)request->op), request->width);
  return FALSE;
}
