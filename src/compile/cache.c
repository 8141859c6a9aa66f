// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A file KEY.SLOT holds a SHA-256 as hexadecimal digits, a line break, and what that is of: a GVariant.
#include "src/compile/cache.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "sim/base/file.h"
#include "sim/base/order.h"

enum {
  DIGEST_LENGTH = 64,
  MAX_MIB = 1 << 30,
};

static const char folder_name[] = "smembank";

// Bytes that the folder may have.
static guint64
find_cache_limit(void) {
  const char *text = g_getenv(SMB_CACHE_SIZE_VARIABLE);
  guint64 mib = SMB_CACHE_DEFAULT_MIB;
  if (text && !g_ascii_string_to_unsigned(text, 10, 0, MAX_MIB, &mib, NULL))
    mib = SMB_CACHE_DEFAULT_MIB;
  return mib << 20;
}

// Others must not be able to put anything there.
static gboolean
is_own_folder(const char *folder) {
  struct stat facts;
  return stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(folder, W_OK | X_OK) == 0;
}

char *
smb_cache_folder(void) {
  const char *named = g_getenv(SMB_CACHE_VARIABLE);
  g_autofree char *folder = named && *named
                                ? g_strdup(named)
                                : g_build_filename(g_get_user_cache_dir(), folder_name, NULL);
  gboolean good =
      find_cache_limit() > 0 && g_mkdir_with_parents(folder, 0700) == 0 && is_own_folder(folder);
  return good ? g_steal_pointer(&folder) : NULL;
}

static char *
make_path(const char *folder, const char *key, guint slot) {
  return g_strdup_printf("%s/%s.%u", folder, key, slot);
}

static char *
digest_variant(GVariant *variant) {
  return g_compute_checksum_for_data(G_CHECKSUM_SHA256, g_variant_get_data(variant),
                                     g_variant_get_size(variant));
}

GVariant *
smb_cache_load(const char *folder, const char *key, guint slot, const char *type) {
  gsize length = 0;
  g_autofree char *path = make_path(folder, key, slot);
  g_autofree char *bytes = smb_file_read_regular(path, find_cache_limit(), &length);
  if (!bytes || length <= DIGEST_LENGTH)
    return NULL;
  g_autoptr(GBytes) data = g_bytes_new(bytes + DIGEST_LENGTH + 1, length - DIGEST_LENGTH - 1);
  g_autoptr(GVariant) variant =
      g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), data, FALSE));
  g_autofree char *digest = digest_variant(variant);
  gboolean good = strncmp(digest, bytes, DIGEST_LENGTH) == 0 && g_variant_is_normal_form(variant);
  return good ? g_steal_pointer(&variant) : NULL;
}

void
smb_cache_touch(const char *folder, const char *key, guint slot) {
  g_autofree char *path = make_path(folder, key, slot);
  utime(path, NULL);
}

typedef struct {
  char *path;
  guint64 bytes;
  gint64 used; // nanoseconds
} Kept;

static void
kept_clear(gpointer data) {
  g_free(((Kept *)data)->path);
}

static int
compare_use(gconstpointer a, gconstpointer b) {
  const Kept *x = a, *y = b;
  return smb_order(x->used, y->used) ?: strcmp(x->path, y->path);
}

static gboolean
read_facts(const char *path, Kept *kept) {
  struct stat facts;
  if (lstat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
    return FALSE;
  kept->bytes = (guint64)facts.st_size;
  kept->used = facts.st_mtim.tv_sec * G_GINT64_CONSTANT(1000000000) + facts.st_mtim.tv_nsec;
  return TRUE;
}

// Whether a name is one of ours: a key, and what follows it, also of a file that never became whole.
static gboolean
is_ours(const char *name) {
  return strspn(name, "0123456789abcdef") == DIGEST_LENGTH && name[DIGEST_LENGTH] == '.';
}

// Removes what was of no use for longest, until the rest is no more than it may be.
static void
trim_cache(const char *folder, guint64 limit) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Kept));
  guint64 sum = 0;
  g_array_set_clear_func(all, kept_clear);
  for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    Kept kept = {NULL, 0, 0};
    if (!is_ours(name) || !read_facts(path, &kept))
      continue;
    kept.path = g_steal_pointer(&path);
    sum += kept.bytes;
    g_array_append_val(all, kept);
  }
  if (sum <= limit)
    return;
  g_array_sort(all, compare_use);
  for (guint i = 0; i < all->len && sum > limit; i++) {
    const Kept *kept = &g_array_index(all, Kept, i);
    if (unlink(kept->path) == 0)
      sum -= kept->bytes;
  }
}

static guint
choose_slot(const char *folder, const char *key) {
  guint chosen = 0;
  gint64 oldest = G_MAXINT64;
  for (guint slot = 0; slot < SMB_CACHE_SLOTS; slot++) {
    g_autofree char *path = make_path(folder, key, slot);
    Kept kept = {NULL, 0, 0};
    if (!read_facts(path, &kept))
      return slot;
    if (kept.used < oldest) {
      oldest = kept.used;
      chosen = slot;
    }
  }
  return chosen;
}

void
smb_cache_save(const char *folder, const char *key, GVariant *result) {
  g_autofree char *path = make_path(folder, key, choose_slot(folder, key));
  g_autofree char *digest = digest_variant(result);
  g_autoptr(GString) text = g_string_new(digest);
  g_string_append_c(text, '\n');
  g_string_append_len(text, g_variant_get_data(result), (gssize)g_variant_get_size(result));
  if (text->len > find_cache_limit() ||
      !g_file_set_contents_full(path, text->str, (gssize)text->len, G_FILE_SET_CONTENTS_CONSISTENT,
                                0600, NULL))
    return;
  trim_cache(folder, find_cache_limit());
}
