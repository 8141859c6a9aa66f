// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/project/key.h"

#include <string.h>

#include "sim/launch/argument.h"
#include "sim/launch/buffer.h"
#include "src/analysis/launch-time.h"
#include "src/analysis/limit.h"
#include "src/analysis/prove-option.h"
#include "src/target/target.h"

static const GOptionEntry more_entries[] = {
    {SMB_KEY_FILE, 0, 0, G_OPTION_ARG_FILENAME, NULL, NULL, NULL},
    {"arch", 0, 0, G_OPTION_ARG_STRING, NULL, NULL, NULL},
    {"wave", 0, 0, G_OPTION_ARG_STRING, NULL, NULL, NULL},
    G_OPTION_ENTRY_NULL,
};
static const SmbCliGroup more_group = {NULL, more_entries};

static const SmbCliGroup *const groups[] = {
    &more_group,      &smb_analyze_limit_group, &smb_launch_time_group,
    &smb_prove_group, SMB_TARGET_GROUPS,        &smb_target_array_group};

// What says which case is meant is none of its keys, nor what only the user can say: whom she trusts.
static gboolean
is_key(const GOptionEntry *entry) {
  static const char *const others[] = {SMB_CASE_OPTION, SMB_PROJECT_OPTION, SMB_TRUST_OPTION,
                                       SMB_NO_CACHE_OPTION, NULL};
  return !g_strv_contains(others, entry->long_name);
}

const GOptionEntry *
smb_key_find(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(groups); i++) {
    for (const GOptionEntry *entry = groups[i]->entries; entry->long_name; entry++) {
      if (strcmp(entry->long_name, name) == 0)
        return is_key(entry) ? entry : NULL;
    }
  }
  return NULL;
}

GStrv
smb_key_names(void) {
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  for (guint i = 0; i < G_N_ELEMENTS(groups); i++) {
    for (const GOptionEntry *entry = groups[i]->entries; entry->long_name; entry++) {
      if (is_key(entry))
        g_strv_builder_add(names, entry->long_name);
    }
  }
  return g_strv_builder_end(names);
}

GPtrArray *
smb_key_list_of_source(void) {
  static const char *const others[] = {SMB_KEY_FILE, "kernel", "shape", "triton", "nvcc", NULL};
  GPtrArray *keys = g_ptr_array_new();
  for (guint i = 0; i < G_N_ELEMENTS(groups); i++) {
    for (const GOptionEntry *entry = groups[i]->entries; entry->long_name; entry++) {
      if (groups[i] != &smb_target_tile_group && groups[i] != &smb_target_limit_group &&
          is_key(entry) && !g_strv_contains(others, entry->long_name))
        g_ptr_array_add(keys, (gpointer)entry);
    }
  }
  return keys;
}

// A name that begins with a dash is not an option, and "-" no standard input.
static char *
resolve_path(const char *path, const char *folder) {
  if (g_path_is_absolute(path))
    return g_strdup(path);
  return folder ? g_build_filename(folder, path, NULL)
                : g_strconcat(path[0] == '-' ? "./" : "", path, NULL);
}

const char *
smb_key_path(const GOptionEntry *key, const char *value) {
  const char *name = key->long_name;
  if (key->arg == G_OPTION_ARG_FILENAME || strcmp(name, "include") == 0)
    return value;
  if (strcmp(name, "arg") == 0)
    return smb_argument_file(value);
  return strcmp(name, "buffer") == 0 ? smb_buffer_file(value) : NULL;
}

char *
smb_key_resolve(const GOptionEntry *key, const char *value, const char *folder) {
  const char *path = smb_key_path(key, value);
  if (!path)
    return g_strdup(value);
  g_autofree char *before = g_strndup(value, (gsize)(path - value));
  g_autofree char *resolved = resolve_path(path, folder);
  return g_strconcat(before, resolved, NULL);
}
