// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/init/existing.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/key-file.h"
#include "sim/base/source.h"
#include "src/project/project.h"

void
smb_existing_free(SmbExisting *existing) {
  if (!existing)
    return;
  g_free(existing->path);
  g_free(existing->text);
  g_free(existing->arch);
  g_free(existing);
}

SmbExisting *
smb_existing_load(const char *path, GError **error) {
  g_autoptr(SmbSource) source = smb_source_load(path, error);
  if (!source)
    return NULL;
  gsize length = smb_source_length(source);
  g_autoptr(GKeyFile) keys = smb_key_file_load(path, smb_source_text(source), length, error);
  if (!keys)
    return NULL;
  SmbExisting *existing = g_new0(SmbExisting, 1);
  existing->path = g_strdup(path);
  existing->text = g_strndup(smb_source_text(source), length);
  existing->arch = g_key_file_get_string(keys, SMB_PROJECT_EVERY, "arch", NULL);
  if (!existing->arch)
    existing->arch = g_strdup(SMB_DEFAULT_ARCH);
  return existing;
}

// The name of a case's kernel, without the arguments of a template (transfer full).
static char *
find_case_kernel(const SmbCase *one) {
  static const char *const options[] = {"--entry=", "--instance="};
  for (guint i = 0; one->words[i]; i++) {
    for (guint j = 0; j < G_N_ELEMENTS(options); j++) {
      const char *name = one->words[i] + strlen(options[j]);
      if (g_str_has_prefix(one->words[i], options[j]))
        return g_strndup(name, strcspn(name, "<"));
    }
  }
  return g_strdup("");
}

// The file of a case (transfer full).
static char *
describe_file(const SmbCase *one) {
  return one->file ? g_canonicalize_filename(one->file, NULL) : g_strdup("");
}

// Its file and its kernel (transfer full).
static char *
describe_kernel(const SmbCase *one) {
  g_autofree char *file = describe_file(one);
  g_autofree char *kernel = find_case_kernel(one);
  return g_strjoin("\n", file, kernel, NULL);
}

// --- cases that name no kernel

// Of files, their kernel where it is the only one, else "" (transfer full).
static GHashTable *
find_only_kernels(const SmbProject *new) {
  GHashTable *only = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < new->cases->len; i++) {
    char *file = describe_file(new->cases->pdata[i]);
    g_autofree char *kernel = find_case_kernel(new->cases->pdata[i]);
    const char *known = g_hash_table_lookup(only, file);
    g_hash_table_replace(only, file, g_strdup(known && strcmp(known, kernel) != 0 ? "" : kernel));
  }
  return only;
}

// A case that names none is of the only one of its file: it gets a word that says so.
static void
name_only_kernels(const SmbProject *project, const SmbProject *new) {
  g_autoptr(GHashTable) only = find_only_kernels(new);
  for (guint i = 0; i < project->cases->len; i++) {
    SmbCase *one = project->cases->pdata[i];
    g_autofree char *file = describe_file(one);
    g_autofree char *named = find_case_kernel(one);
    const char *kernel = g_hash_table_lookup(only, file);
    if (*named || !kernel || !*kernel)
      continue;
    guint n = g_strv_length(one->words);
    one->words = g_renew(char *, one->words, n + 2);
    one->words[n] = g_strconcat("--entry=", kernel, NULL);
    one->words[n + 1] = NULL;
  }
}

// --- which cases are there

// Cases by what they say (element-type utf8 GPtrArray): "all" of it, their "kernel", their "name" and kernel. @taken: what new ones were
// found to be: each is one of them only
typedef struct {
  GHashTable *all;
  GHashTable *kernel;
  GHashTable *name;
  GHashTable *taken;
} Index;

enum {
  MAX_CANDIDATES = 1000 // cases of a kernel that are compared with a new one
};

static gint
compare_case_words(gconstpointer a, gconstpointer b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The file of a case and its own words (transfer full): all of them, or that which names the kernel.
static char *
describe_case(const SmbCase *one, gboolean has_all) {
  g_autofree char *file = describe_file(one);
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (guint i = one->n_every; one->words[i]; i++) {
    if (has_all || g_str_has_prefix(one->words[i], "--entry=") ||
        g_str_has_prefix(one->words[i], "--instance="))
      g_ptr_array_add(words, one->words[i]);
  }
  g_ptr_array_sort(words, compare_case_words);
  g_ptr_array_add(words, NULL);
  g_autofree char *text = g_strjoinv("\n", (char **)words->pdata);
  return g_strconcat(file, "\n", text, NULL);
}

static char *
describe_named(const SmbCase *one) {
  g_autofree char *kernel = describe_kernel(one);
  return g_strjoin("\n", one->name, kernel, NULL);
}

// Adds a case under a key (transfer full).
static void
add_case(GHashTable *index, char *key, const SmbCase *one) {
  GPtrArray *cases = g_hash_table_lookup(index, key);
  if (!cases) {
    cases = g_ptr_array_new();
    g_hash_table_insert(index, g_strdup(key), cases);
  }
  g_ptr_array_add(cases, (gpointer)one);
  g_free(key);
}

static Index
make_index(const SmbProject *project) {
  GHashTable *tables[3];
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
    tables[i] =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < project->cases->len; i++) {
    const SmbCase *one = project->cases->pdata[i];
    add_case(tables[0], describe_case(one, TRUE), one);
    add_case(tables[1], describe_case(one, FALSE), one);
    add_case(tables[2], describe_named(one), one);
  }
  return (Index){tables[0], tables[1], tables[2], g_hash_table_new(NULL, NULL)};
}

// Whether a case says all that a new one says.
static gboolean
says_all(const SmbCase *one, const SmbCase *new) {
  for (guint i = new->n_every; new->words[i]; i++) {
    if (!g_strv_contains((const char *const *)one->words, new->words[i]))
      return FALSE;
  }
  return TRUE;
}

// Takes the case under a key (transfer full) that a new one is. FALSE: none is left
static gboolean
take_same_case(const Index *index, GHashTable *by, char *key, const SmbCase *new) {
  const GPtrArray *cases = g_hash_table_lookup(by, key);
  g_free(key);
  for (guint i = 0; cases && i < MIN(cases->len, MAX_CANDIDATES); i++) {
    if (!g_hash_table_contains(index->taken, cases->pdata[i]) &&
        (by == index->name || says_all(cases->pdata[i], new)))
      return g_hash_table_add(index->taken, cases->pdata[i]);
  }
  return FALSE;
}

// For each new case whether it is there (transfer full). Those that were edited are found by their names, once the others are.
static gboolean *
find_there(const SmbProject *project, const SmbProject *new) {
  gboolean *there = g_new0(gboolean, new->cases->len + 1);
  Index index = make_index(project);
  for (guint i = 0; i < new->cases->len; i++)
    there[i] = take_same_case(&index, index.all, describe_case(new->cases->pdata[i], TRUE),
                              new->cases->pdata[i]);
  for (guint i = 0; i < new->cases->len; i++)
    there[i] =
        there[i] || take_same_case(&index, index.kernel, describe_case(new->cases->pdata[i], FALSE),
                                   new->cases->pdata[i]);
  for (guint i = 0; i < new->cases->len; i++)
    there[i] = there[i] || take_same_case(&index, index.name, describe_named(new->cases->pdata[i]),
                                          new->cases->pdata[i]);
  g_hash_table_unref(index.all);
  g_hash_table_unref(index.kernel);
  g_hash_table_unref(index.name);
  g_hash_table_unref(index.taken);
  return there;
}

// The cases of the files that were read whose kernels these no longer have (transfer full) (nullable).
static char *
find_gone(const SmbProject *project, const SmbProject *new) {
  g_autoptr(GString) gone = g_string_new(NULL);
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < new->cases->len; i++) {
    g_hash_table_add(known, describe_file(new->cases->pdata[i]));
    g_hash_table_add(known, describe_kernel(new->cases->pdata[i]));
  }
  for (guint i = 0; i < project->cases->len; i++) {
    const SmbCase *one = project->cases->pdata[i];
    g_autofree char *file = describe_file(one);
    g_autofree char *name = find_case_kernel(one);
    g_autofree char *kernel = describe_kernel(one);
    if (*name && g_hash_table_contains(known, file) && !g_hash_table_contains(known, kernel))
      g_string_append_printf(gone, "%s%s", gone->len ? ", " : "", one->name);
  }
  return gone->len ? g_strdup(gone->str) : NULL;
}

gboolean
smb_existing_match(const SmbExisting *existing, SmbSections *sections, char **gone,
                   GError **error) {
  g_autofree char *whole = smb_sections_write(sections);
  g_autoptr(SmbProject) project =
      smb_project_new_from_data(existing->path, existing->text, strlen(existing->text), error);
  g_autoptr(SmbProject) new =
      project ? smb_project_new_from_data(existing->path, whole, strlen(whole), error) : NULL;
  if (!new)
    return FALSE;
  name_only_kernels(project, new);
  g_autofree gboolean *there = find_there(project, new);
  g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < project->cases->len; i++) {
    const SmbCase *one = project->cases->pdata[i];
    g_hash_table_replace(names, g_strdup(one->name), GUINT_TO_POINTER(1));
  }
  for (guint i = 0; i < sections->list->len; i++) {
    SmbSection *section = sections->list->pdata[i];
    section->is_there = there[i];
    if (there[i])
      continue;
    g_free(section->name);
    section->name = smb_sections_name(names, section->base);
  }
  *gone = find_gone(project, new);
  return TRUE;
}

char *
smb_existing_write(const SmbExisting *existing, const SmbSections *sections) {
  GString *text = g_string_new(existing->text);
  if (text->len && text->str[text->len - 1] != '\n')
    g_string_append_c(text, '\n');
  for (guint i = 0; i < sections->list->len; i++) {
    const SmbSection *section = sections->list->pdata[i];
    if (!section->is_there)
      g_string_append_printf(text, "\n[%s]\n%s", section->name, section->text->str);
  }
  return g_string_free(text, FALSE);
}
