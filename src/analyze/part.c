// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analyze/part.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "src/analysis/limit.h"
#include "src/cli/hint.h"
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

// A part: of @target what a report needs; @counts: of a part that is written its report, else a JsonNode.
typedef struct {
  SmbTarget *target;
  const char *level, *arch;
  guint64 shared_bytes;
  GStrv buffers; // NAME=VALUE
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

// NAME=VALUE of each member.
static gboolean
read_part_values(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
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

// What a report says of the kernel; what the program is made of is the rest of it.
static const SmbMember target_members[] = {
    {"name", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbTarget, name)},
    {"file", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SmbTarget, file)},
    {"shape", MEMBER_NULL, SMB_MEMBER_WORDS, AT(SmbTarget, shape)},
    {"compiled", MEMBER_NULL, SMB_MEMBER_WORDS, AT(SmbTarget, compiled)},
    {"block", MEMBER_REQUIRED, smb_member_any_extents, .offset = AT(SmbTarget, launch.block)},
    {"grid", MEMBER_REQUIRED, smb_member_any_extents, .offset = AT(SmbTarget, launch.grid)},
    {"cluster", MEMBER_ABSENT, smb_member_any_extents, .offset = AT(SmbTarget, launch.cluster)},
    {"defines", MEMBER_REQUIRED, read_part_values, .offset = AT(SmbTarget, defines)},
};
static const SmbMember kernel_members[] = {
    {"shared_bytes", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(Part, shared_bytes)},
    {"buffers", MEMBER_NULL, read_part_values, .offset = AT(Part, buffers)},
};

static gboolean
read_part_kernel(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  Part *part = target;
  part->target = g_new0(SmbTarget, 1);
  return smb_members_pick(place, node, SMB_MEMBERS(target_members), part->target, error) &&
         smb_members_pick(place, node, SMB_MEMBERS(kernel_members), part, error);
}

static const SmbMember shard_members[] = {
    {"digest", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, digest)},
    {"warps", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, warps)},
    {"assumes_block", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(Part, assumes_block)},
    {"limits", MEMBER_REQUIRED, SMB_MEMBER_LINES, AT(Part, limits)},
    {"counts", MEMBER_REQUIRED, smb_member_object, write_counts, AT(Part, counts)},
};
static const SmbMembers shard_object = {SMB_MEMBERS(shard_members), .picks = TRUE,
                                        .is_object = TRUE};

static const SmbMember part_members[] = {
    {"kernel", MEMBER_REQUIRED, read_part_kernel},
    {"level", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, level)},
    {"arch", MEMBER_REQUIRED, .offset = AT(Part, arch), .of = &smb_part_arch},
    {"shard", MEMBER_REQUIRED, .of = &shard_object},
};

static void
analyze_part_clear(Part *part) {
  g_clear_pointer(&part->target, smb_target_free);
  g_strfreev(part->buffers);
  g_strfreev(part->limits);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Part, analyze_part_clear)

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

// Adds to the target what is not read as it stands; the program comes from the counts.
static gboolean
complete_target(const Part *part, JsonObject *result, const GPtrArray *counts, GError **error) {
  SmbTarget *target = part->target;
  target->launch.buffers = make_buffers(part);
  if (json_object_has_member(result, "launch"))
    target->merged_launch = json_node_copy(json_object_get_member(result, "launch"));
  target->assumes_block = part->assumes_block;
  target->kernel =
      smb_parts_program(counts, target->name, part->level, target->file, part->shared_bytes, error);
  return target->kernel != NULL;
}

static GArray *
make_limits(const char *name, const Part *part, GError **error) {
  static const char *const options[] = {"--max-ways ", "--max-excess ", "--max-wavefronts ",
                                        "--max-cost "};
  GStrv values[G_N_ELEMENTS(options)];
  for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    for (guint i = 0; part->limits[i]; i++) {
      if (g_str_has_prefix(part->limits[i], options[k]))
        g_strv_builder_add(builder, part->limits[i] + strlen(options[k]));
    }
    values[k] = g_strv_builder_end(builder);
  }
  const SmbLimitOptions typed = {values[0], values[1], values[2], values[3]};
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
    if (!smb_part_results_pick(results, i, SMB_MEMBERS(part_members), &other, error))
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
merge_counts(SmbCli *cli, const SmbPartResults *results, GError **error) {
  g_auto(Part) part = {0};
  if (!smb_part_results_pick(results, 0, SMB_MEMBERS(part_members), &part, error))
    return FALSE;
  cli->arch = smb_cli_load_arch(cli, part.arch, 0, error);
  g_autoptr(GPtrArray) counts = cli->arch ? read_counts(results, cli->arch, error) : NULL;
  if (!counts || !complete_target(&part, smb_part_object(results, 0), counts, error))
    return FALSE;
  const SmbTarget *target = part.target;
  g_autoptr(SmbAnalysis) analysis =
      smb_parts_collect(counts, target->kernel, cli->arch, &target->launch, smb_cli_write_hint);
  g_autoptr(GArray) limits = make_limits(smb_part_name(results, 0), &part, error);
  if (!limits)
    return FALSE;
  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis, NULL, NULL);
  const SmbAnalyzeReport report = {target, analysis, part.warps, limits, failed, NULL, NULL};
  smb_analyze_write(cli, &report);
  return TRUE;
}

static const SmbFormat formats[] = {{"text", smb_analyze_write_text, NULL},
                                    {"json", smb_analyze_write_json, NULL},
                                    {"csv", smb_analyze_write_csv, NULL},
                                    {NULL, NULL, NULL}};

const SmbMerger smb_analyze_merger = {
    "analyze", formats, (const char *const[]){"kernel", "launch?", "level", "arch", NULL},
    merge_counts};
