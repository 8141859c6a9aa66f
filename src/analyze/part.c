// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analyze/part.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
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

// --- what is written and read

#define AT SMB_MEMBER_AT

// A part, and as far as a report needs it, what was counted; @counts: of a part that is written its report, else a JsonNode.
typedef struct {
  const char *level, *arch, *name, *file, *shape, *compiled;
  guint block[3], grid[3], cluster[3];
  guint64 shared_bytes;
  GStrv defines, buffers; // NAME=VALUE
  const char *digest;
  gboolean warps, assumes_block;
  GStrv limits;
  gconstpointer counts;
} Part;

static gboolean
write_counts(GString *json, gconstpointer value) {
  const SmbAnalyzeReport *report = *(const SmbAnalyzeReport *const *)value;
  smb_part_write(report->part->counts, report->target->kernel, &report->target->launch, json);
  return TRUE;
}

static gboolean
read_extents(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  static const guint max[3] = {G_MAXUINT32, G_MAXUINT32, G_MAXUINT32};
  return smb_member_extents(place, node, max, target, error);
}

// NAME=VALUE of each member.
static gboolean
read_values(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  g_autoptr(GStrvBuilder) values = g_strv_builder_new();
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return smb_member_expected(place, node, error, "an object");
  json_object_iter_init_ordered(&iter, json_node_get_object(node));
  while (json_object_iter_next_ordered(&iter, &name, &member)) {
    g_autofree char *number = json_to_string(member, FALSE);
    const char *text = smb_json_get_text(json_node_get_object(node), name);
    g_autofree char *value = g_strdup_printf("%s=%s", name, text ? text : number);
    g_strv_builder_add(values, value);
  }
  *(GStrv *)target = g_strv_builder_end(values);
  return TRUE;
}

static const SmbMember kernel_members[] = {
    {"name", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, name)},
    {"file", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, file)},
    {"shape", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Part, shape)},
    {"compiled", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Part, compiled)},
    {"block", MEMBER_REQUIRED, read_extents, .offset = AT(Part, block)},
    {"grid", MEMBER_REQUIRED, read_extents, .offset = AT(Part, grid)},
    {"cluster", MEMBER_ABSENT, read_extents, .offset = AT(Part, cluster)},
    {"shared_bytes", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(Part, shared_bytes)},
    {"defines", MEMBER_NULL, read_values, .offset = AT(Part, defines)},
    {"buffers", MEMBER_NULL, read_values, .offset = AT(Part, buffers)},
};

static gboolean
read_kernel(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return smb_members_pick(place, node, SMB_MEMBERS(kernel_members), target, error);
}

static const SmbMember part_members[] = {
    {"kernel", MEMBER_REQUIRED, read_kernel},
    {"level", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, level)},
    {"arch", MEMBER_REQUIRED, smb_part_read_arch, .offset = AT(Part, arch)},
};

static const SmbMember shard_members[] = {
    {"digest", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, digest)},
    {"warps", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, warps)},
    {"assumes_block", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, assumes_block)},
    {"limits", MEMBER_REQUIRED, SMB_MEMBER_LINES, AT(Part, limits)},
    {"counts", MEMBER_REQUIRED, smb_member_object, write_counts, AT(Part, counts)},
};

static void
part_clear(Part *part) {
  g_strfreev(part->defines);
  g_strfreev(part->buffers);
  g_strfreev(part->limits);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Part, part_clear)

void
smb_analyze_json_part(JsonBuilder *json, const SmbAnalyzeReport *report) {
  g_autofree char *digest = digest_target(report->target);
  g_autoptr(GStrvBuilder) limits = g_strv_builder_new();
  for (guint i = 0; i < report->part->limits->len; i++) {
    g_autofree char *limit = smb_limit_describe(&g_array_index(report->part->limits, SmbLimit, i));
    g_strv_builder_add(limits, limit);
  }
  g_auto(Part) part = {.counts = report,
                       .digest = digest,
                       .warps = report->by_warp,
                       .assumes_block = report->target->assumes_block,
                       .limits = g_strv_builder_end(limits)};
  smb_shard_json(json, &report->part->shard, SMB_MEMBERS(shard_members), &part);
}

// --- the whole

static GPtrArray *
make_buffers(const Part *part) {
  GPtrArray *buffers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_buffer_free);
  for (guint i = 0; part->buffers && part->buffers[i]; i++) {
    SmbBuffer *buffer = g_new0(SmbBuffer, 1);
    const char *equals = strchr(part->buffers[i], '=');
    buffer->name = g_strndup(part->buffers[i], (gsize)(equals - part->buffers[i]));
    buffer->spec = g_strdup(equals + 1);
    g_ptr_array_add(buffers, buffer);
  }
  return buffers;
}

// What was counted; the program comes from the counts.
static SmbTarget *
make_target(const Part *part, JsonObject *result, const GPtrArray *counts, GError **error) {
  g_autoptr(SmbTarget) target = g_new0(SmbTarget, 1);
  target->kernel =
      smb_parts_program(counts, part->name, part->level, part->file, part->shared_bytes, error);
  if (!target->kernel)
    return NULL;
  target->name = g_strdup(part->name);
  target->file = g_strdup(part->file);
  target->shape = g_strdup(part->shape);
  target->compiled = g_strdup(part->compiled);
  target->defines = part->defines ? g_strdupv(part->defines) : g_new0(char *, 1);
  memcpy(target->launch.block, part->block, sizeof part->block);
  memcpy(target->launch.grid, part->grid, sizeof part->grid);
  memcpy(target->launch.cluster, part->cluster, sizeof part->cluster);
  target->launch.buffers = make_buffers(part);
  if (json_object_has_member(result, "launch"))
    target->merged_launch = json_node_copy(json_object_get_member(result, "launch"));
  target->assumes_block = part->assumes_block;
  return g_steal_pointer(&target);
}

static GArray *
make_limits(const char *name, const Part *part, GError **error) {
  static const char *const options[] = {"--max-ways ", "--max-excess ", "--max-wavefronts "};
  GStrv values[G_N_ELEMENTS(options)];
  for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    for (guint i = 0; part->limits[i]; i++) {
      if (g_str_has_prefix(part->limits[i], options[k]))
        g_strv_builder_add(builder, part->limits[i] + strlen(options[k]));
    }
    values[k] = g_strv_builder_end(builder);
  }
  const SmbLimitOptions typed = {values[0], values[1], values[2]};
  GArray *limits = smb_limits_new(&typed, error);
  for (guint k = 0; k < G_N_ELEMENTS(options); k++)
    g_strfreev(values[k]);
  if (!limits)
    smb_prefix_error(error, "%s: ", name);
  return limits;
}

// The counts of all parts.
static GPtrArray *
read_counts(const SmbPartResults *results, const SmbArch *arch, GError **error) {
  g_autoptr(GPtrArray) counts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  for (guint i = 0; i < results->parts->len; i++) {
    g_auto(Part) other = {0};
    if (!smb_part_results_pick(results, i, NULL, 0, SMB_MEMBERS(shard_members), &other, error))
      return NULL;
    SmbPart *part = smb_part_read(smb_part_name(results, i), (JsonNode *)other.counts, arch, error);
    if (!part)
      return NULL;
    g_ptr_array_add(counts, part);
    if (smb_parts_agree(part, g_ptr_array_index(counts, 0)))
      continue;
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: blocks wait for others of another part than in %s, and were run in another "
             "order: analyze this launch without --shard",
             smb_part_name(results, i), smb_part_name(results, 0));
    return NULL;
  }
  return g_steal_pointer(&counts);
}

static gboolean
merge(SmbCli *cli, const SmbPartResults *results, GError **error) {
  g_auto(Part) part = {0};
  if (!smb_part_results_pick(results, 0, SMB_MEMBERS(part_members), SMB_MEMBERS(shard_members),
                             &part, error))
    return FALSE;
  cli->arch = smb_cli_load_arch(cli, part.arch, 0, error);
  g_autoptr(GPtrArray) counts = cli->arch ? read_counts(results, cli->arch, error) : NULL;
  g_autoptr(SmbTarget) target =
      counts ? make_target(&part, smb_part_object(results, 0), counts, error) : NULL;
  if (!target)
    return FALSE;
  g_autoptr(SmbAnalysis) analysis =
      smb_parts_collect(counts, target->kernel, cli->arch, &target->launch);
  g_autoptr(GArray) limits = make_limits(smb_part_name(results, 0), &part, error);
  if (!limits)
    return FALSE;
  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis);
  const SmbAnalyzeReport report = {.target = target,
                                   .analysis = analysis,
                                   .by_warp = part.warps,
                                   .limits = limits,
                                   .failed = failed};
  smb_analyze_write(cli, &report);
  return TRUE;
}

static const SmbFormat formats[] = {{"text", smb_analyze_write_text, NULL},
                                    {"json", smb_analyze_write_json, NULL},
                                    {"csv", smb_analyze_write_csv, NULL},
                                    {NULL, NULL, NULL}};

const SmbMerger smb_analyze_merger = {
    "analyze", formats, (const char *const[]){"kernel", "launch?", "level", "arch", NULL}, merge};
