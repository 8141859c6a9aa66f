// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// #include: which file is meant, and its tokens. Files of the user are read; headers of the system and of
// CUDA are ignored, since the language has built in what kernels use of them.
#include <string.h>

#include "sim/cuda/text/macro-impl.h"

// Files within files, and files that are read in all.
enum {
  MAX_INCLUDE_DEPTH = 64,
  MAX_INCLUDES = 2000
};

// Names that begin so are headers of CUDA, its samples or the system, also between quotes; a file of the
// user that has such a name comes first.
static const char *const known_headers[] = {
    "cuda",
    "device_",
    "math_constants.h",
    "vector_types.h",
    "vector_functions",
    "helper_",
    "cublas",
    "curand",
    "cusparse",
    "cufft",
    "cusolver",
    "nccl",
    "nvToolsExt",
    "nvtx",
    "cooperative_groups",
    "hip/",
    "mma.h",
    "sm_",
    "texture_",
    "surface_",
    "driver_types.h",
    "cub/",
    "thrust/",
    "cute/",
    "cutlass/",
    "torch/",
    "ATen/",
    "c10/",
    "std",
    "math.h",
    "float.h",
    "limits.h",
    "assert.h",
    "string.h",
    "time.h",
    "sys/",
};

typedef struct {
  SmbSource *source;
  guint32 base;
} File;

void
smb_macros_free_file(gpointer data) {
  File *file = data;
  smb_source_unref(file->source);
  g_free(file);
}

const GArray *
smb_kernel_macros_includes(const KernelMacros *macros) {
  return macros->includes;
}

static gboolean
is_known_header(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(known_headers); i++) {
    if (g_str_has_prefix(name, known_headers[i]))
      return TRUE;
  }
  return FALSE;
}

// Notes the name of a file that is not there.
static void
note_missing(KernelMacros *macros, const char *mark, const char *name) {
  g_autofree char *whole = g_strconcat(mark, name, NULL);
  if (macros->missing &&
      !g_ptr_array_find_with_equal_func(macros->missing, whole, g_str_equal, NULL))
    g_ptr_array_add(macros->missing, g_steal_pointer(&whole));
}

// What is between "<" and ">", of a line from the first on; NULL: nothing (transfer full)
static char *
read_angles(const KernelMacros *macros, const Token *token) {
  guint32 start = token->end;
  for (token = token->next; token->kind != TOKEN_END; token = token->next) {
    if (smb_token_is(token, ">"))
      return smb_source_slice(macros->source, start, token->start);
  }
  return NULL;
}

// The file of <NAME> in one of the folders, of a text that need not be understood; else it is the system's (transfer full).
static char *
find_in_folders(KernelMacros *macros, const Token *line) {
  g_autofree char *name = macros->is_tolerant ? read_angles(macros, line) : NULL;
  for (guint i = 0; name && macros->folders && macros->folders[i]; i++) {
    g_autofree char *path = g_build_filename(macros->folders[i], name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_DIR))
      return g_steal_pointer(&path);
  }
  if (name)
    note_missing(macros, "<", name);
  return NULL;
}

// The path of a file that is included, or NULL (transfer full).
static char *
find_path(const KernelMacros *macros, const char *name) {
  g_autofree char *folder = g_path_get_dirname(macros->file);
  gboolean is_here = strcmp(folder, ".") == 0 && !g_str_has_prefix(macros->file, "./");
  char *path =
      is_here || g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
  for (guint i = 0;; i++) {
    if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_DIR))
      return path;
    g_free(path);
    if (!macros->folders || !macros->folders[i])
      return NULL;
    path = g_build_filename(macros->folders[i], name, NULL);
  }
}

static const File *
load_include(KernelMacros *macros, const Token *at, const char *path, GError **error) {
  File *file = g_hash_table_lookup(macros->files, path);
  if (file)
    return file;
  g_autoptr(GError) local = NULL;
  SmbSource *source = smb_source_load(path, &local);
  if (!source) {
    smb_macros_fail(macros, at, error, "%s", local->message);
    return NULL;
  }
  file = g_new0(File, 1);
  file->source = source;
  file->base = smb_source_include(macros->source, source);
  g_hash_table_insert(macros->files, g_strdup(path), file);
  return file;
}

// @file: NULL where the directive gives nothing
static void
note_include(KernelMacros *macros, Stretch directive, const File *file) {
  Include include = {directive, file ? file->base : 0, file ? file->source : NULL};
  g_array_append_val(macros->includes, include);
}

// Runs the directives of a file at the place of the #include.
static Token *
run_file(KernelMacros *macros, const File *file, Stretch directive, GError **error) {
  const char *outer = macros->file;
  guint outer_branches = macros->first_branch;
  note_include(macros, directive, file);
  macros->file = smb_source_name(file->source);
  macros->first_branch = macros->n_branches;
  macros->depth++;
  Token *tokens = smb_kernel_lex(macros->source, file->source, file->base, macros->pool,
                                 &macros->text_tokens_left, error);
  tokens = tokens ? smb_kernel_macros_run(macros, tokens, error) : NULL;
  macros->depth--;
  if (!tokens)
    macros->n_branches = macros->first_branch;
  macros->first_branch = outer_branches;
  macros->file = outer;
  return tokens;
}

gboolean
smb_macros_include(KernelMacros *macros, const Token *hash, Token *line, Token **included,
                   GError **error) {
  *included = NULL;
  if (line->kind == TOKEN_NAME && !(line = smb_macros_expand(macros, line, error)))
    return FALSE;
  if (smb_token_is(line, "<") && smb_token_is(line->next, "hip"))
    return smb_kernel_macros_add_hip(macros, error);
  gboolean in_angles = smb_token_is(line, "<");
  g_autofree char *found = in_angles ? find_in_folders(macros, line) : NULL;
  if (in_angles && !found)
    return TRUE;
  if (!found && (line->kind != TOKEN_STRING || line->text[0] != '"'))
    return smb_macros_fail(macros, line->kind == TOKEN_END ? hash : line, error,
                           "expected #include \"FILE\" or #include <FILE>");
  g_autofree char *name =
      found ? g_strdup(found) : g_strndup(line->text + 1, strlen(line->text) - 2);
  g_autofree char *path = found ? g_steal_pointer(&found) : find_path(macros, name);
  Stretch directive = {hash->start, line->end};
  if (!path)
    note_missing(macros, "", name);
  if (!path && is_known_header(name)) {
    note_include(macros, directive, NULL);
    return !g_str_has_prefix(name, "hip/") || smb_kernel_macros_add_hip(macros, error);
  }
  if (!path)
    return smb_macros_fail(macros, line, error, "'%s' was not found: give its folder with -I",
                           name);
  if (macros->depth == MAX_INCLUDE_DEPTH)
    return smb_macros_fail(macros, line, error, "files include each other more than %d deep",
                           MAX_INCLUDE_DEPTH);
  if (macros->includes->len == MAX_INCLUDES)
    return smb_macros_fail(macros, line, error, "more than %d files are included", MAX_INCLUDES);
  const File *file = load_include(macros, line, path, error);
  if (!file)
    return FALSE;
  if (g_hash_table_contains(macros->once, smb_source_name(file->source))) {
    note_include(macros, directive, NULL);
    return TRUE;
  }
  *included = run_file(macros, file, directive, error);
  return *included != NULL;
}
