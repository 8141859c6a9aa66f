// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/shard/parts.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/base/text.h"

enum {
  MAX_BYTES = 1 << 30,
  MAX_NESTING = 64,
};

static gboolean rule_out(const char *name, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static gboolean
rule_out(const char *name, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = smb_text_format(format, arguments);
  va_end(arguments);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", name, reason);
}

// What says of which version a result is, and which part.
typedef struct {
  const char *command;
  guint schema;
  SmbShard shard;
  const char *version;
} Origin;

#define AT SMB_MEMBER_AT
static const SmbMember result_members[] = {
    {"command", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Origin, command)},
    {"schema_version", MEMBER_REQUIRED, .offset = AT(Origin, schema), .most = G_MAXUINT32},
};
static const SmbMember shard_members[] = {
    {"part", MEMBER_REQUIRED, SMB_MEMBER_SOME, AT(Origin, shard.part)},
    {"of", MEMBER_REQUIRED, SMB_MEMBER_SOME, AT(Origin, shard.of)},
    {"version", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Origin, version)},
};

static gboolean
check_result(SmbPartResult *result, SmbPartResults *results, GError **error) {
  const SmbPlace document = {NULL, result->name, 0, results->texts},
                 place = {&document, "shard", 0};
  const char *name = result->name;
  Origin origin = {0};
  if (!smb_members_pick(&document, result->root, SMB_MEMBERS(result_members), &origin, NULL))
    return rule_out(name, error, "not a result of smembank: expected what --format json writes");
  if (origin.schema != SMB_JSON_SCHEMA_VERSION)
    return rule_out(name, error, "schema_version %u: this program reads %d", origin.schema,
                    SMB_JSON_SCHEMA_VERSION);
  JsonNode *shard = json_object_get_member(json_node_get_object(result->root), "shard");
  if (!shard || !JSON_NODE_HOLDS_OBJECT(shard))
    return rule_out(name, error, "not a part: it was made without --shard");
  if (!smb_members_pick(&place, shard, SMB_MEMBERS(shard_members), &origin, error))
    return FALSE;
  if (origin.shard.of < origin.shard.part || origin.shard.of > SMB_SHARD_MOST)
    return rule_out(name, error, "not a part that smembank wrote: see its member 'shard'");
  if (!g_str_equal(origin.version, PACKAGE_VERSION))
    return rule_out(name, error, "made by smembank %s: this is " PACKAGE_VERSION, origin.version);
  result->shard = origin.shard;
  return TRUE;
}

static gboolean
read_part_result(SmbPartResult *result, SmbPartResults *results, GError **error) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(result->name, MAX_BYTES, error);
  if (!bytes)
    return FALSE;
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  result->root = smb_json_parse(result->name, text ? text : "", length, MAX_NESTING, error);
  return result->root && check_result(result, results, error);
}

static int
compare_parts(gconstpointer a, gconstpointer b) {
  const SmbPartResult *x = a, *y = b;
  return (x->shard.part > y->shard.part) - (x->shard.part < y->shard.part);
}

// Whether they are all parts of one division, each once; in their order.
static gboolean
check_part_set(const GArray *parts, GError **error) {
  const SmbPartResult *first = &g_array_index(parts, SmbPartResult, 0);
  for (guint i = 0; i < parts->len; i++) {
    const SmbPartResult *part = &g_array_index(parts, SmbPartResult, i);
    if (part->shard.of != first->shard.of)
      return rule_out(part->name, error, "a part of %u: %s is one of %u", part->shard.of,
                      first->name, first->shard.of);
  }
  for (guint i = 0; i < parts->len; i++) {
    const SmbPartResult *part = &g_array_index(parts, SmbPartResult, i);
    if (i > 0 && part->shard.part == (part - 1)->shard.part)
      return rule_out(part->name, error, "part %u is a duplicate of %s", part->shard.part,
                      (part - 1)->name);
    if (part->shard.part != i + 1)
      return rule_out(part->name, error, "part %u of %u: part %u is missing", part->shard.part,
                      part->shard.of, i + 1);
  }
  return parts->len == first->shard.of ||
         rule_out(first->name, error, "part %u of %u: part %u is missing", first->shard.part,
                  first->shard.of, parts->len + 1);
}

JsonObject *
smb_part_object(const SmbPartResults *results, guint part) {
  return json_node_get_object(g_array_index(results->parts, SmbPartResult, part).root);
}

static void
clear_part_result(gpointer data) {
  g_clear_pointer(&((SmbPartResult *)data)->root, json_node_unref);
}

SmbPartResults *
smb_part_results_read(const char *const *files, GError **error) {
  g_autoptr(SmbPartResults) results = g_new0(SmbPartResults, 1);
  results->texts = g_string_chunk_new(1024);
  results->parts = g_array_new(FALSE, TRUE, sizeof(SmbPartResult));
  g_array_set_clear_func(results->parts, clear_part_result);
  for (guint i = 0; files[i]; i++) {
    g_array_set_size(results->parts, i + 1);
    SmbPartResult *result = &g_array_index(results->parts, SmbPartResult, i);
    result->name = files[i];
    if (!read_part_result(result, results, error))
      return NULL;
  }
  g_array_sort(results->parts, compare_parts);
  results->command = smb_json_get_text(smb_part_object(results, 0), "command");
  return check_part_set(results->parts, error) ? g_steal_pointer(&results) : NULL;
}

void
smb_part_results_free(SmbPartResults *results) {
  if (!results)
    return;
  g_array_unref(results->parts);
  g_string_chunk_free(results->texts);
  g_free(results);
}

const char *
smb_part_name(const SmbPartResults *results, guint part) {
  return g_array_index(results->parts, SmbPartResult, part).name;
}

// What is of the part, in its member "shard".
static const char *const own_members[] = {"part", "counts", "mismatches", "error", NULL};

// An object of a part, and that of the first part; @above: (nullable): the object that they are @name in
typedef struct _PartPlace PartPlace;
struct _PartPlace {
  const SmbPartResults *results;
  guint part;
  JsonObject *object, *first;
  const PartPlace *above;
  const char *name;
};

static void
append_part_place(const PartPlace *place, GString *text) {
  if (place->above) {
    append_part_place(place->above, text);
    g_string_append_printf(text, "%s.", place->name);
  }
}

static gboolean agree_within(const PartPlace *place, GError **error);

// Whether the member of an object is what it is in the first part; of an object in "shard" only what is not the part's own.
static gboolean
check_member(const PartPlace *place, const char *member, GError **error) {
  g_autofree char *name = g_strndup(member, strcspn(member, "?"));
  JsonNode *node = json_object_get_member(place->object, name);
  JsonNode *wanted = json_object_get_member(place->first, name);
  gboolean may_lack = !g_str_equal(name, member);
  if (place->above && node && wanted && JSON_NODE_HOLDS_OBJECT(node) &&
      JSON_NODE_HOLDS_OBJECT(wanted)) {
    const PartPlace inner = {
        place->results, place->part, json_node_get_object(node), json_node_get_object(wanted),
        place,          name};
    return agree_within(&inner, error);
  }
  if (node && wanted ? json_node_equal(node, wanted) : node == wanted && may_lack)
    return TRUE;
  g_autoptr(GString) prefix = g_string_new(NULL);
  append_part_place(place, prefix);
  return rule_out(smb_part_name(place->results, place->part), error,
                  "its '%s%s' is not that of %s: parts have the same kernels, files, devices and "
                  "options",
                  prefix->str, name, smb_part_name(place->results, 0));
}

static gboolean
agree_within(const PartPlace *place, GError **error) {
  JsonObjectIter iter;
  const char *name;
  json_object_iter_init_ordered(&iter, place->first);
  while (json_object_iter_next_ordered(&iter, &name, NULL)) {
    if (!g_strv_contains(own_members, name) && !check_member(place, name, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_part_results_agree(const SmbPartResults *results, const SmbMerger *merger, GError **error) {
  JsonObject *first = smb_part_object(results, 0);
  for (guint i = 0; i < results->parts->len; i++) {
    const PartPlace whole = {results, i, smb_part_object(results, i), first, NULL, NULL};
    const PartPlace shard = {results,
                             i,
                             smb_json_get_object(whole.object, "shard"),
                             smb_json_get_object(first, "shard"),
                             &whole,
                             "shard"};
    if (!check_member(&whole, "command", error))
      return FALSE;
    for (guint m = 0; merger->members[m]; m++) {
      if (!check_member(&whole, merger->members[m], error))
        return FALSE;
    }
    if (!agree_within(&shard, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_part_results_pick(const SmbPartResults *results, guint part, const SmbMember *members, guint n,
                      gpointer target, GError **error) {
  const SmbPartResult *result = &g_array_index(results->parts, SmbPartResult, part);
  const SmbPlace document = {NULL, result->name, 0, results->texts};
  return smb_members_pick(&document, result->root, members, n, target, error);
}

static const SmbMember arch_members[] = {{"name", MEMBER_REQUIRED, SMB_MEMBER_KEPT, 0}};
const SmbMembers smb_part_arch = {SMB_MEMBERS(arch_members), .picks = TRUE, .is_object = TRUE};
