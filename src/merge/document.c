// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/merge/document.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/json-member.h"
#include "sim/base/source.h"
#include "src/cli/shard.h"
#include "src/out/json.h"

enum {
  MAX_BYTES = 1 << 30,
  MAX_NESTING = 64,
};

// A result of a part, and which one it is.
typedef struct {
  const char *name;
  JsonNode *root;
  JsonObject *object;
  SmbShard shard;
} Document;

static gboolean refuse(const char *name, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static gboolean
refuse(const char *name, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = smb_text_format(format, arguments);
  va_end(arguments);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", name, reason);
}

static gboolean
check_document(Document *document, GError **error) {
  JsonNode *root = document->root;
  const char *name = document->name;
  document->object = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  if (!document->object || !smb_json_get_text(document->object, "command") ||
      !smb_json_get_number(document->object, "schema_version"))
    return refuse(name, error, "not a result of smembank: expected what --format json writes");
  if (smb_json_get_number(document->object, "schema_version") != SMB_JSON_SCHEMA_VERSION)
    return refuse(name, error, "schema_version %" G_GINT64_FORMAT ": this program reads %d",
                  smb_json_get_number(document->object, "schema_version"), SMB_JSON_SCHEMA_VERSION);
  JsonNode *shard = json_object_get_member(document->object, "shard");
  if (!shard || !JSON_NODE_HOLDS_OBJECT(shard))
    return refuse(name, error, "not a part: it was made without --shard");
  gint64 part = smb_json_get_number(json_node_get_object(shard), "part");
  gint64 of = smb_json_get_number(json_node_get_object(shard), "of");
  const char *version = smb_json_get_text(json_node_get_object(shard), "version");
  if (part < 1 || of < part || of > SMB_SHARD_MOST || !version)
    return refuse(name, error, "not a part that smembank wrote: see its member 'shard'");
  if (!g_str_equal(version, PACKAGE_VERSION))
    return refuse(name, error, "made by smembank %s: this is " PACKAGE_VERSION, version);
  document->shard = (SmbShard){(guint)part, (guint)of};
  return TRUE;
}

static gboolean
read_document(Document *document, GError **error) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(document->name, MAX_BYTES, error);
  if (!bytes)
    return FALSE;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  document->root = smb_json_parse(document->name, text ? text : "", length, MAX_NESTING, error);
  return document->root && check_document(document, error);
}

static int
compare_parts(gconstpointer a, gconstpointer b) {
  const Document *x = a, *y = b;
  return (x->shard.part > y->shard.part) - (x->shard.part < y->shard.part);
}

// Whether they are all parts of one division, each once; in their order.
static gboolean
check_parts(const GArray *documents, GError **error) {
  const Document *first = &g_array_index(documents, Document, 0);
  for (guint i = 0; i < documents->len; i++) {
    const Document *document = &g_array_index(documents, Document, i);
    if (document->shard.of != first->shard.of)
      return refuse(document->name, error, "a part of %u: %s is one of %u", document->shard.of,
                    first->name, first->shard.of);
  }
  for (guint i = 0; i < documents->len; i++) {
    const Document *document = &g_array_index(documents, Document, i);
    if (i > 0 && document->shard.part == (document - 1)->shard.part)
      return refuse(document->name, error, "part %u is a duplicate of %s", document->shard.part,
                    (document - 1)->name);
    if (document->shard.part != i + 1)
      return refuse(document->name, error, "part %u of %u: part %u is missing",
                    document->shard.part, document->shard.of, i + 1);
  }
  return documents->len == first->shard.of ||
         refuse(first->name, error, "part %u of %u: part %u is missing", first->shard.part,
                first->shard.of, documents->len + 1);
}

static void
clear_document(gpointer data) {
  g_clear_pointer(&((Document *)data)->root, json_node_unref);
}

SmbPartDocuments *
smb_part_documents_read(const char *const *files, GError **error) {
  g_autoptr(GArray) documents = g_array_new(FALSE, TRUE, sizeof(Document));
  g_array_set_clear_func(documents, clear_document);
  for (guint i = 0; files[i]; i++) {
    Document document = {.name = files[i]};
    gboolean read = read_document(&document, error);
    g_array_append_val(documents, document);
    if (!read)
      return NULL;
  }
  g_array_sort(documents, compare_parts);
  if (!check_parts(documents, error))
    return NULL;
  SmbPartDocuments *sorted = g_new0(SmbPartDocuments, 1);
  sorted->names = g_new0(char *, documents->len + 1);
  sorted->objects = g_ptr_array_new();
  sorted->roots = g_ptr_array_new_with_free_func((GDestroyNotify)json_node_unref);
  for (guint i = 0; i < documents->len; i++) {
    const Document *document = &g_array_index(documents, Document, i);
    sorted->names[i] = g_strdup(document->name);
    g_ptr_array_add(sorted->objects, document->object);
    g_ptr_array_add(sorted->roots, json_node_ref(document->root));
  }
  sorted->command = g_strdup(smb_json_get_text(sorted->objects->pdata[0], "command"));
  return sorted;
}

void
smb_part_documents_free(SmbPartDocuments *documents) {
  if (!documents)
    return;
  g_free(documents->command);
  g_strfreev(documents->names);
  g_ptr_array_unref(documents->objects);
  g_ptr_array_unref(documents->roots);
  g_free(documents);
}

// What "shard.digest" names in a result; NULL: there is none.
static JsonNode *
find_member(JsonObject *object, const char *path) {
  const char *point = strchr(path, '.');
  g_autofree char *name = point ? g_strndup(path, (gsize)(point - path)) : g_strdup(path);
  JsonNode *node = json_object_get_member(object, name);
  if (!point)
    return node;
  return node && JSON_NODE_HOLDS_OBJECT(node) ? find_member(json_node_get_object(node), point + 1)
                                              : NULL;
}

gboolean
smb_part_documents_agree(const SmbPartDocuments *documents, const char *const *members, guint n,
                         GError **error) {
  for (guint i = 0; i < documents->objects->len; i++) {
    for (guint m = 0; m < n; m++) {
      g_auto(GStrv) name = g_strsplit(members[m], "?", 2);
      JsonNode *first = find_member(documents->objects->pdata[0], name[0]);
      JsonNode *node = find_member(documents->objects->pdata[i], name[0]);
      gboolean may_lack = name[1] != NULL;
      if (node && first ? !json_node_equal(node, first) : node != first || !may_lack)
        return refuse(documents->names[i], error,
                      "its '%s' is not that of %s: parts have the same kernels, files, devices and "
                      "options",
                      name[0], documents->names[0]);
    }
  }
  return TRUE;
}
