// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Finds a kernel in a folder of Triton's cache, and reads the launch from its JSON.
#include "sim/image/triton.h"

#include <errno.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/json-member.h"
#include "sim/base/request.h"
#include "sim/base/source.h"

enum {
  MAX_NESTING = 32,
  MAX_WARPS = 32, // of a block of 1024 threads
};

void
smb_triton_free(SmbTriton *triton) {
  if (!triton)
    return;
  g_free(triton->file);
  g_free(triton);
}

// FOLDER/NAME.json without its ending, if code lies beside it: what Triton notes of groups of kernels has none.
static char *
find_code_stem(const char *folder, const char *file) {
  if (!g_str_has_suffix(file, ".json"))
    return NULL;
  g_autofree char *name = g_strndup(file, strlen(file) - strlen(".json"));
  g_autofree char *stem = g_build_filename(folder, name, NULL);
  g_autofree char *ptx = g_strconcat(stem, ".ptx", NULL);
  g_autofree char *cubin = g_strconcat(stem, ".cubin", NULL);
  return g_file_test(ptx, G_FILE_TEST_IS_REGULAR) || g_file_test(cubin, G_FILE_TEST_IS_REGULAR)
             ? g_steal_pointer(&stem)
             : NULL;
}

// Adds the kernels of a folder, and of those in it, if @below says so.
static gboolean
list_stems(GPtrArray *stems, const char *folder, gboolean below, GError **error) {
  g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
  if (!directory) {
    int failure = errno;
    g_autofree char *shown = g_filename_display_name(folder);
    smb_fail(error, G_FILE_ERROR, (gint)g_file_error_from_errno(failure), "%s: %s", shown,
             g_strerror(failure));
    return FALSE;
  }
  for (const char *file; (file = g_dir_read_name(directory));) {
    g_autofree char *path = g_build_filename(folder, file, NULL);
    char *stem = find_code_stem(folder, file);
    if (stem)
      g_ptr_array_add(stems, stem);
    else if (below && g_file_test(path, G_FILE_TEST_IS_DIR))
      list_stems(stems, path, FALSE, NULL);
  }
  return TRUE;
}

static int
compare_stems(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The one that is meant.
static const char *
choose_stem(const GPtrArray *stems, const char *folder, const char *name, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  const char *chosen = NULL;
  guint n = 0;
  for (guint i = 0; i < stems->len; i++) {
    const char *stem = g_ptr_array_index(stems, i);
    g_autofree char *own = g_path_get_basename(stem);
    g_string_append_printf(names, "%s%s (%s)", i ? ", " : "", own, stem);
    if (stems->len > 1 && name && strcmp(name, own) != 0)
      continue;
    chosen = stem;
    n++;
  }
  if (n == 1)
    return chosen;
  g_autofree char *shown = g_filename_display_name(folder);
  if (stems->len == 0)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: not a kernel compiled by Triton: expected KERNEL.json next to KERNEL.ptx or "
             "KERNEL.cubin",
             shown);
  else if (n == 0)
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has no kernel '%s': expected one of %s", shown,
             name, names->str);
  else
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has several kernels: %s", shown, names->str);
  if (n > 1)
    smb_hint(error, SMB_HINT_ENTRY, NULL, NULL);
  return NULL;
}

// A whole number from 0 to @most that an object has to have, or may lack (@value stays then).
static gboolean
read_triton_number(const SmbPlace *above, JsonObject *object, const char *name, gboolean needed,
                   guint most, guint *value, GError **error) {
  const SmbPlace place = {above, name, 0};
  JsonNode *node = json_object_get_member(object, name);
  guint64 number = 0;
  if (!node || JSON_NODE_HOLDS_NULL(node))
    return !needed || smb_member_fail(&place, error, "missing: expected a number");
  if (!smb_member_count(&place, node, &number, error))
    return FALSE;
  if (number > most)
    return smb_member_fail(&place, error, "expected a number from 0 to %u", most);
  *value = (guint)number;
  return TRUE;
}

// @chip: (out): what it was compiled for; stays, if that is not said.
static gboolean
read_triton_launch(const char *path, SmbTriton *triton, guint *chip, GError **error) {
  guint warps = 0, lanes = SMB_NVIDIA_LANES;
  g_autoptr(SmbSource) source = smb_source_load(path, error);
  g_autoptr(JsonNode) root = source ? smb_json_parse(path, smb_source_text(source),
                                                     smb_source_length(source), MAX_NESTING, error)
                                    : NULL;
  if (!root)
    return FALSE;
  const SmbPlace place = {NULL, path, 0}, inner = {&place, "target", 0};
  if (!JSON_NODE_HOLDS_OBJECT(root))
    return smb_member_expected(&place, root, error, "an object");
  JsonObject *object = json_node_get_object(root);
  JsonNode *target = json_object_get_member(object, "target");
  if (target && JSON_NODE_HOLDS_OBJECT(target) &&
      (!read_triton_number(&inner, json_node_get_object(target), "arch", FALSE, G_MAXUINT16, chip,
                           error) ||
       !read_triton_number(&inner, json_node_get_object(target), "warp_size", FALSE, SMB_MAX_LANES,
                           &lanes, error)))
    return FALSE;
  if (!read_triton_number(&place, object, "num_warps", TRUE, MAX_WARPS, &warps, error) ||
      !read_triton_number(&place, object, "shared", TRUE, G_MAXINT32, &triton->shared_bytes, error))
    return FALSE;
  triton->threads = MAX(warps * lanes, 1);
  return TRUE;
}

SmbTriton *
smb_triton_find(const char *folder, const char *name, guint chip, GError **error) {
  g_autoptr(GPtrArray) stems = g_ptr_array_new_with_free_func(g_free);
  if (!list_stems(stems, folder, TRUE, error))
    return NULL;
  g_ptr_array_sort(stems, compare_stems);
  const char *stem = choose_stem(stems, folder, name, error);
  if (!stem)
    return NULL;
  g_autoptr(SmbTriton) triton = g_new0(SmbTriton, 1);
  g_autofree char *json = g_strconcat(stem, ".json", NULL);
  g_autofree char *ptx = g_strconcat(stem, ".ptx", NULL);
  guint compiled_for = 0;
  if (!read_triton_launch(json, triton, &compiled_for, error))
    return NULL;
  triton->file = g_strconcat(stem, ".cubin", NULL);
  if (!g_file_test(triton->file, G_FILE_TEST_IS_REGULAR) ||
      (compiled_for != chip && g_file_test(ptx, G_FILE_TEST_IS_REGULAR))) {
    g_free(triton->file);
    triton->file = g_steal_pointer(&ptx);
  }
  return g_steal_pointer(&triton);
}
