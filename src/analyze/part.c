// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analyze/part.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "src/analysis/limit.h"
#include "src/out/json.h"

// Memory at addresses, of a launch that was captured: where it is, and what it holds.
static void
digest_memory(GChecksum *checksum, const GArray *memory) {
  for (guint i = 0; memory && i < memory->len; i++) {
    const SmbMemoryPiece *piece = &g_array_index(memory, SmbMemoryPiece, i);
    const SmbContents *contents = &piece->contents;
    gsize length = contents->fill == SMB_FILL_BYTES ? contents->length : 0;
    g_autofree char *place = g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %d",
                                             piece->address, piece->bytes, (int)contents->fill);
    g_autoptr(GBytes) bytes = g_bytes_new_static(contents->bytes, length);
    smb_shard_digest_texts(checksum, (const char *const[]){place, NULL});
    smb_shard_digest_bytes(checksum, bytes);
  }
}

// What two parts of one launch have in common, and the "kernel" of a result does not say: the code, the contents of
// memory, and how it is looked at.
static char *
digest_target(const SmbTarget *target) {
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autoptr(GBytes) code = smb_program_device_code(target->kernel);
  const guint how[] = {target->frames, (guint)target->launch.skips_unknown};
  if (code)
    smb_shard_digest_bytes(checksum, code);
  smb_shard_digest_texts(checksum, (const char *const *)target->args);
  smb_shard_digest_texts(checksum, (const char *const *)target->buffers);
  smb_shard_digest_texts(checksum, (const char *const *)target->arrays);
  for (guint i = 0; target->launch.buffers && i < target->launch.buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(target->launch.buffers, i);
    if (buffer->file)
      smb_shard_digest_bytes(checksum, buffer->file);
  }
  digest_memory(checksum, target->launch.memory);
  for (guint i = 0; i < G_N_ELEMENTS(how); i++) {
    g_autofree char *number = g_strdup_printf("%u", how[i]);
    smb_shard_digest_texts(checksum, (const char *const[]){number, NULL});
  }
  return g_strdup(g_checksum_get_string(checksum));
}

void
smb_analyze_json_part(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const SmbAnalyzePart *part = report->part;
  g_autofree char *digest = digest_target(report->target);
  g_autoptr(GString) counts = g_string_new(NULL);
  smb_part_write(part->counts, report->target->kernel, &report->target->launch, counts);
  smb_shard_json(json, &part->shard);
  smb_json_text(json, "digest", digest);
  smb_json_boolean(json, "warps", report->by_warp);
  smb_json_boolean(json, "assumes_block", report->target->assumes_block);
  smb_json_array(json, "limits");
  for (guint i = 0; i < part->limits->len; i++) {
    g_autofree char *limit = smb_limit_describe(&g_array_index(part->limits, SmbLimit, i));
    smb_json_text(json, NULL, limit);
  }
  json_builder_end_array(json);
  json_builder_set_member_name(json, "counts");
  json_builder_add_value(json, json_from_string(counts->str, NULL));
  json_builder_end_object(json);
}

// --- the whole

const SmbFormat smb_analyze_merged_formats[] = {{"text", smb_analyze_write_text, NULL},
                                                {"json", smb_analyze_write_json, NULL},
                                                {"csv", smb_analyze_write_csv, NULL},
                                                {NULL, NULL, NULL}};

static gboolean
refuse(const char *name, const char *member, GError **error) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s: not as analyze writes it", name,
                  member);
}

static gboolean
read_extent(JsonObject *kernel, const char *member, guint extent[3]) {
  JsonArray *array = smb_json_get_array(kernel, member);
  for (guint i = 0; i < 3; i++) {
    JsonNode *node =
        array && i < json_array_get_length(array) ? json_array_get_element(array, i) : NULL;
    gint64 number = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : 0;
    if (number < 1 || number > G_MAXUINT32)
      return FALSE;
    extent[i] = (guint)number;
  }
  return TRUE;
}

// NAME=VALUE of each member.
static GStrv
read_values(JsonObject *object) {
  g_autoptr(GStrvBuilder) values = g_strv_builder_new();
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  if (object)
    json_object_iter_init_ordered(&iter, object);
  while (object && json_object_iter_next_ordered(&iter, &name, &node)) {
    g_autofree char *number = json_to_string(node, FALSE);
    const char *text = smb_json_get_text(object, name);
    g_autofree char *value = g_strdup_printf("%s=%s", name, text ? text : number);
    g_strv_builder_add(values, value);
  }
  return g_strv_builder_end(values);
}

static GPtrArray *
read_buffers(JsonObject *kernel) {
  g_auto(GStrv) values = read_values(smb_json_get_object(kernel, "buffers"));
  GPtrArray *buffers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_buffer_free);
  for (guint i = 0; values[i]; i++) {
    SmbBuffer *buffer = g_new0(SmbBuffer, 1);
    char *equals = strchr(values[i], '=');
    buffer->name = g_strndup(values[i], (gsize)(equals - values[i]));
    buffer->spec = g_strdup(equals + 1);
    g_ptr_array_add(buffers, buffer);
  }
  return buffers;
}

// What was counted, as far as a report needs it; the program comes from the parts.
static SmbTarget *
read_target(const char *name, JsonObject *document, const GPtrArray *counts, GError **error) {
  JsonObject *kernel = smb_json_get_object(document, "kernel");
  const char *level = smb_json_get_text(document, "level"),
             *function = smb_json_get_text(kernel, "name");
  const char *file = smb_json_get_text(kernel, "file");
  g_autoptr(SmbTarget) target = g_new0(SmbTarget, 1);
  JsonNode *shared = kernel ? json_object_get_member(kernel, "shared_bytes") : NULL;
  guint64 shared_bytes =
      shared && JSON_NODE_HOLDS_VALUE(shared) ? (guint64)json_node_get_int(shared) : 0;
  if (!level || !function || !file || !read_extent(kernel, "block", target->launch.block) ||
      !read_extent(kernel, "grid", target->launch.grid) ||
      (json_object_has_member(kernel, "cluster") &&
       !read_extent(kernel, "cluster", target->launch.cluster))) {
    refuse(name, "kernel", error);
    return NULL;
  }
  target->kernel = smb_parts_program(counts, function, level, file, shared_bytes, error);
  if (!target->kernel)
    return NULL;
  target->name = g_strdup(function);
  target->file = g_strdup(file);
  target->shape = g_strdup(smb_json_get_text(kernel, "shape"));
  target->compiled = g_strdup(smb_json_get_text(kernel, "compiled"));
  target->defines = read_values(smb_json_get_object(kernel, "defines"));
  target->launch.buffers = read_buffers(kernel);
  if (json_object_has_member(document, "launch"))
    target->merged_launch = json_node_copy(json_object_get_member(document, "launch"));
  target->assumes_block =
      smb_json_get_flag(smb_json_get_object(document, "shard"), "assumes_block");
  return g_steal_pointer(&target);
}

static GArray *
read_limits(const char *name, JsonObject *shard, GError **error) {
  JsonArray *array = smb_json_get_array(shard, "limits");
  g_autoptr(GStrvBuilder) ways = g_strv_builder_new(), excess = g_strv_builder_new();
  g_autoptr(GStrvBuilder) wavefronts = g_strv_builder_new();
  const struct {
    const char *option;
    GStrvBuilder *values;
  } kinds[] = {{"--max-ways ", ways}, {"--max-excess ", excess}, {"--max-wavefronts ", wavefronts}};
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    for (guint k = 0; text && k < G_N_ELEMENTS(kinds); k++) {
      if (g_str_has_prefix(text, kinds[k].option))
        g_strv_builder_add(kinds[k].values, text + strlen(kinds[k].option));
    }
  }
  g_auto(GStrv) all_ways = g_strv_builder_end(ways), all_excess = g_strv_builder_end(excess);
  g_auto(GStrv) all_wavefronts = g_strv_builder_end(wavefronts);
  const SmbLimitOptions options = {all_ways, all_excess, all_wavefronts};
  GArray *limits = smb_limits_new(&options, error);
  if (!limits)
    smb_prefix_error(error, "%s: ", name);
  return limits;
}

// The counts of all parts, the first one's file with each.
static GPtrArray *
read_counts(const char *const *names, const GPtrArray *parts, const SmbArch *arch, GError **error) {
  g_autoptr(GPtrArray) counts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  for (guint i = 0; i < parts->len; i++) {
    JsonObject *shard = smb_json_get_object(g_ptr_array_index(parts, i), "shard");
    JsonNode *node = json_object_get_member(shard, "counts");
    SmbPart *part = node ? smb_part_read(names[i], node, arch, error) : NULL;
    if (!part) {
      if (!node)
        refuse(names[i], "shard.counts", error);
      return NULL;
    }
    g_ptr_array_add(counts, part);
    if (smb_parts_agree(part, g_ptr_array_index(counts, 0)))
      continue;
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: blocks wait for others of another part than in %s, and were run in another "
             "order: analyze this launch without --shard",
             names[i], names[0]);
    return NULL;
  }
  return g_steal_pointer(&counts);
}

gboolean
smb_analyze_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts, GError **error) {
  JsonObject *first = g_ptr_array_index(parts, 0);
  const char *arch = smb_json_get_text(smb_json_get_object(first, "arch"), "name");
  if (!arch)
    return refuse(names[0], "arch", error);
  cli->arch = smb_cli_load_arch(cli, arch, 0, error);
  g_autoptr(GPtrArray) counts = cli->arch ? read_counts(names, parts, cli->arch, error) : NULL;
  g_autoptr(SmbTarget) target = counts ? read_target(names[0], first, counts, error) : NULL;
  if (!target)
    return FALSE;
  JsonObject *shard = smb_json_get_object(first, "shard");
  g_autoptr(SmbAnalysis) analysis =
      smb_parts_collect(counts, target->kernel, cli->arch, &target->launch);
  g_autoptr(GArray) limits = read_limits(names[0], shard, error);
  if (!limits)
    return FALSE;
  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis);
  const SmbAnalyzeReport report = {.target = target,
                                   .analysis = analysis,
                                   .by_warp = smb_json_get_flag(shard, "warps"),
                                   .limits = limits,
                                   .failed = failed};
  smb_analyze_write(cli, &report);
  return TRUE;
}
