// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/compile/inputs.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sim/base/file.h"

enum {
  MAX_FILES = 1 << 16,      // that a compilation is kept with
  MAX_FILE_BYTES = 1 << 28, // of each
  MAX_SCRIPT_BYTES = 1 << 20,
};

static const gint64 second_ns = 1000000000;

void
smb_inputs_free(SmbInputs *inputs) {
  if (!inputs)
    return;
  g_strfreev(inputs->files);
  g_strfreev(inputs->digests);
  g_strfreev(inputs->asked);
  g_free(inputs->present);
  g_free(inputs);
}

gint64
smb_inputs_now(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

// --- the rule of make

// A name of a rule: blanks and # are behind a backslash, $ is doubled, lines go on behind a backslash.
static char *
take_input_name(const char **at) {
  GString *name = g_string_new(NULL);
  const char *c = *at;
  while (*c && !g_ascii_isspace(*c) && !(c[0] == '\\' && c[1] == '\n')) {
    c += (c[0] == '\\' && (c[1] == ' ' || c[1] == '#')) || (c[0] == '$' && c[1] == '$');
    g_string_append_c(name, *c++);
  }
  *at = c;
  return g_string_free(name, FALSE);
}

GStrv
smb_inputs_read_rule(const char *path, const char *folder) {
  gsize length = 0;
  g_autofree char *rule = smb_file_read_regular(path, MAX_FILE_BYTES, &length);
  g_autofree char *own = g_strconcat(folder, "/", NULL);
  g_autoptr(GStrvBuilder) files = g_strv_builder_new();
  guint n = 0;
  const char *at = rule ? strstr(rule, ": ") : NULL;
  for (at = at ? at + 1 : NULL; at && *at && n < MAX_FILES;) {
    if (g_ascii_isspace(*at) || (at[0] == '\\' && at[1] == '\n')) {
      at += at[0] == '\\' ? 2 : 1;
      continue;
    }
    g_autofree char *name = take_input_name(&at);
    if (!*name) // a backslash alone
      return NULL;
    if (!g_str_has_prefix(name, own) && ++n)
      g_strv_builder_add(files, name);
  }
  return at && !*at ? g_strv_builder_end(files) : NULL;
}

// --- what files are

static char *
digest_bytes(const char *bytes, gsize length) {
  return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, length);
}

char *
smb_inputs_sign(const char *path) {
  struct stat facts = {.st_size = -1};
  gsize length = 0;
  stat(path, &facts);
  g_autofree char *bytes = smb_file_read_regular(path, MAX_SCRIPT_BYTES, &length);
  gboolean is_script = bytes && length > 2 && memcmp(bytes, "#!", 2) == 0;
  g_autofree char *content = is_script ? digest_bytes(bytes, length) : NULL;
  return g_strdup_printf(
      "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%ld %" G_GUINT64_FORMAT " %s", path,
      (gint64)facts.st_size, (gint64)facts.st_mtim.tv_sec, (long)facts.st_mtim.tv_nsec,
      (guint64)facts.st_ino, content ? content : "");
}

// Programs of a toolkit are told by what stat() says; they are large.
static gboolean
is_program(const char *path) {
  return g_str_has_suffix(path, "/bin/ptxas") || g_str_has_suffix(path, "/bin/cicc") ||
         g_str_has_suffix(path, "/bin/cudafe++") || g_str_has_suffix(path, "/bin/nvcc");
}

// What a file is; NULL: it cannot be read. @bytes, to be freed, is what was read of it: nothing of a program.
static char *
digest_file(const char *path, char **bytes, gsize *length) {
  if (is_program(path))
    return smb_inputs_sign(path);
  *bytes = smb_file_read_regular(path, MAX_FILE_BYTES, length);
  return *bytes ? digest_bytes(*bytes, *length) : NULL;
}

// --- what may be read in place of it

static gboolean
asks_time(const char *bytes, gsize length) {
  static const char *const macros[] = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
  for (guint i = 0; i < G_N_ELEMENTS(macros); i++) {
    if (memmem(bytes, length, macros[i], strlen(macros[i])))
      return TRUE;
  }
  return FALSE;
}

// Adds the names in __has_include(<name>), and of macros that are called alike.
static void
find_asked(const char *bytes, gsize length, GHashTable *asked) {
  g_autoptr(GRegex) form = g_regex_new("has_include\\w*\\s*\\(\\s*[<\"]([^>\"\\n]+)[>\"]",
                                       G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (!memmem(bytes, length, "has_include", 11) && !memmem(bytes, length, "HAS_INCLUDE", 11))
    return;
  g_regex_match_full(form, bytes, (gssize)length, 0, 0, &match, NULL);
  for (; g_match_info_matches(match); g_match_info_next(match, NULL))
    g_hash_table_add(asked, g_match_info_fetch(match, 1));
}

// Folders of the system hold what was installed.
static gboolean
is_of_system(const char *path) {
  return g_str_has_prefix(path, "/usr/");
}

// The folders that are searched, as far as they are not the system's (element-type utf8): those that are named, and those of the
// files that were read.
static GPtrArray *
list_folders(const char *const *files, const char *const *host) {
  static const char *const options[] = {"-I", "-iquote", "-isystem"};
  static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; host[i]; i++) {
    for (guint j = 0; j < G_N_ELEMENTS(options); j++) {
      if (g_str_has_prefix(host[i], options[j]))
        g_ptr_array_add(folders, g_strdup(host[i] + strlen(options[j])));
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS(variables); i++) {
    const char *value = g_getenv(variables[i]);
    g_auto(GStrv) parts = g_strsplit(value ? value : "", ":", -1);
    for (guint j = 0; parts[j]; j++)
      g_ptr_array_add(folders, g_strdup(*parts[j] ? parts[j] : "."));
  }
  for (guint i = 0; files[i]; i++) {
    g_autofree char *folder = g_path_get_dirname(files[i]);
    if (is_of_system(folder) || g_hash_table_contains(seen, folder))
      continue;
    g_hash_table_add(seen, folder);
    g_ptr_array_add(folders, g_steal_pointer(&folder));
  }
  return folders;
}

// The names of a folder (element-type utf8).
static GHashTable *
list_input_names(const char *folder) {
  GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir))
    g_hash_table_add(names, g_strdup(name));
  g_hash_table_add(names, g_strdup(".."));
  return names;
}

// Notes whether a folder has a name that an #include may have.
static void
note_present(GChecksum *sum, const char *folder, GHashTable *names, const char *name) {
  g_autofree char *first = g_strndup(name, strcspn(name, "/"));
  g_autofree char *path = g_build_filename(folder, name, NULL);
  if (g_hash_table_contains(names, first) && g_file_test(path, G_FILE_TEST_IS_REGULAR))
    g_checksum_update(sum, (const guchar *)path, (gssize)strlen(path) + 1);
}

// Which of the names that were looked for there are in all folders: each file that was read may have been asked for by any part
// of the end of its path.
static char *
digest_present(const char *const *files, const char *const *asked, const char *const *host) {
  g_autoptr(GPtrArray) folders = list_folders(files, host);
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  for (guint i = 0; i < folders->len; i++) {
    g_autoptr(GHashTable) names = list_input_names(folders->pdata[i]);
    for (guint j = 0; asked[j]; j++)
      note_present(sum, folders->pdata[i], names, asked[j]);
    for (guint j = 0; files[j]; j++) {
      note_present(sum, folders->pdata[i], names, files[j]);
      for (const char *at = strchr(files[j], '/'); at; at = strchr(at + 1, '/'))
        note_present(sum, folders->pdata[i], names, at + 1);
    }
  }
  return g_strdup(g_checksum_get_string(sum));
}

// --- all of it

// What else a compiler reads of the toolkit that a header belongs to, as far as it is there.
static void
add_programs(GPtrArray *files, const char *header) {
  static const char *const programs[] = {"bin/ptxas",     "bin/cudafe++",
                                         "bin/nvcc",      "bin/nvcc.profile",
                                         "nvvm/bin/cicc", "nvvm/libdevice/libdevice.10.bc"};
  g_autofree char *folder = g_path_get_dirname(header);
  while (strchr(folder, '/') && strcmp(folder, "/") != 0) {
    g_autofree char *above = g_path_get_dirname(folder);
    g_autofree char *first = g_build_filename(above, programs[0], NULL);
    gboolean found = g_file_test(first, G_FILE_TEST_EXISTS);
    for (guint i = 0; found && i < G_N_ELEMENTS(programs); i++) {
      g_autofree char *path = g_build_filename(above, programs[i], NULL);
      if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add(files, g_steal_pointer(&path));
    }
    if (found)
      return;
    g_free(folder);
    folder = g_steal_pointer(&above);
  }
}

// Whether a file was there in this form before @since.
static gboolean
is_older_input(const char *path, gint64 since) {
  struct stat facts;
  return stat(path, &facts) == 0 &&
         MAX(facts.st_mtim.tv_sec * second_ns + facts.st_mtim.tv_nsec,
             facts.st_ctim.tv_sec * second_ns + facts.st_ctim.tv_nsec) < since;
}

// What one file is, and what it asks.
static gboolean
add_file(const char *path, gint64 since, GHashTable *asked, GStrvBuilder *digests) {
  gsize length = 0;
  g_autofree char *bytes = NULL;
  g_autofree char *digest = digest_file(path, &bytes, &length);
  if (!digest || (bytes && (!is_older_input(path, since) || asks_time(bytes, length))))
    return FALSE;
  if (bytes)
    find_asked(bytes, length, asked);
  g_strv_builder_add(digests, digest);
  return TRUE;
}

SmbInputs *
smb_inputs_new(const char *const *files, const char *const *host, const char *text, gsize length,
               gint64 since) {
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GStrvBuilder) digests = g_strv_builder_new();
  if (asks_time(text, length))
    return NULL;
  find_asked(text, length, asked);
  for (guint i = 0; files[i]; i++) {
    g_ptr_array_add(all, g_strdup(files[i]));
    if (g_str_has_suffix(files[i], "/cuda_runtime.h"))
      add_programs(all, files[i]);
  }
  for (guint i = 0; i < all->len; i++) {
    if (!add_file(all->pdata[i], since, asked, digests))
      return NULL;
  }
  g_autoptr(SmbInputs) inputs = g_new0(SmbInputs, 1);
  g_ptr_array_add(all, NULL);
  g_autofree char **names = (char **)g_hash_table_get_keys_as_array(asked, NULL);
  inputs->files = g_strdupv((char **)all->pdata);
  inputs->digests = g_strv_builder_end(digests);
  inputs->asked = g_strdupv(names);
  inputs->present =
      digest_present((const char *const *)inputs->files, (const char *const *)inputs->asked, host);
  return g_steal_pointer(&inputs);
}

gboolean
smb_inputs_are_same(const SmbInputs *inputs, const char *const *host) {
  for (guint i = 0; inputs->files[i]; i++) {
    gsize length = 0;
    g_autofree char *bytes = NULL;
    g_autofree char *digest = digest_file(inputs->files[i], &bytes, &length);
    if (g_strcmp0(digest, inputs->digests[i]) != 0)
      return FALSE;
  }
  g_autofree char *present =
      digest_present((const char *const *)inputs->files, (const char *const *)inputs->asked, host);
  return strcmp(present, inputs->present) == 0;
}
