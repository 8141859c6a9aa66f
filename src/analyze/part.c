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

// Code that a compiler made for this command alone, which names files in a folder that is made anew for each: what it does.
static void
digest_compiled(GChecksum *checksum, const SmbProgram *program, GBytes *code) {
  g_autoptr(GPtrArray) instructions = smb_program_instructions(program);
  g_autofree char *text = g_strndup(g_bytes_get_data(code, NULL), g_bytes_get_size(code));
  g_auto(GStrv) lines = g_strsplit(instructions ? "" : text, "\n", -1);
  for (guint i = 0; instructions && i < instructions->len; i++) {
    const SmbCodeLine *line = instructions->pdata[i];
    g_autofree char *place = g_strdup_printf("%s:%u", line->file, line->line);
    smb_shard_digest_texts(checksum, (const char *const[]){line->text, place, NULL});
  }
  for (guint i = 0; lines[i]; i++) {
    if (!g_str_has_prefix(g_strchug(lines[i]), ".file"))
      smb_shard_digest_texts(checksum, (const char *const[]){lines[i], NULL});
  }
}

// What two parts of one launch have in common, and the "kernel" of a result does not say: the code, the contents of
// memory, and how it is looked at.
static char *
digest_target(const SmbTarget *target) {
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autoptr(GBytes) code = smb_program_device_code(target->kernel);
  const guint how[] = {target->frames, (guint)target->launch.skips_unknown};
  if (code && target->compiled)
    digest_compiled(checksum, target->kernel, code);
  else if (code)
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

// What is written of a program that was counted.
typedef struct {
  const SmbPart *part;
  const SmbTarget *target;
} Counts;

// What was compiled of a text, as far as a report needs it; @error: why it could not be, or was not counted in the part.
// @counts: as of Part; NULL: it was not counted
typedef struct {
  const char *command, *level, *file;
  guint64 shared_bytes;
  const char *digest, *error;
  gconstpointer counts;
} Made;

// A part: of @target what a report needs; @counts: of a part that is written Counts, else a JsonNode; @made: (nullable): beside it.
typedef struct {
  SmbTarget *target;
  const char *level, *arch;
  guint64 shared_bytes;
  GStrv buffers; // NAME=VALUE
  const char *digest;
  gboolean warps, assumes_block;
  GStrv limits;
  gconstpointer counts;
  Made *made;
} Part;

static gboolean
write_counts(GString *json, gconstpointer value) {
  const Counts *counts = *(const Counts *const *)value;
  if (counts)
    smb_part_write(counts->part, counts->target->kernel, &counts->target->launch, json);
  return counts != NULL;
}

static const SmbMember made_members[] = {
    {"command", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Made, command)},
    {"level", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Made, level)},
    {"file", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Made, file)},
    {"shared_bytes", MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(Made, shared_bytes)},
    {"digest", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Made, digest)},
    {"error", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Made, error)},
    {"counts", MEMBER_NULL, smb_member_object, write_counts, AT(Made, counts)},
};
static const SmbMembers made_object = {SMB_MEMBERS(made_members), .is_object = TRUE};

static gboolean
read_made(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  Made *made = *(Made **)target = g_new0(Made, 1);
  gboolean has_code;
  if (!smb_members_read_value(place, node, &made_object, made, error))
    return FALSE;
  has_code = made->command && made->level && made->file && made->digest;
  return (has_code ? made->error || made->counts : made->error != NULL) ||
         smb_member_fail(place, error, "neither a count nor an error");
}

static gboolean
write_made(GString *json, gconstpointer value) {
  const Made *made = *(const Made *const *)value;
  if (made)
    smb_members_write_value(json, &made_object, made);
  return made != NULL;
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
    {"compiled", MEMBER_NULL, read_made, write_made, AT(Part, made)},
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
  g_free(part->made);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Part, analyze_part_clear)

// Returns: (transfer full): what a part says of @compiled; @digest: (out) (transfer full), which keeps its digest.
static Made *
describe_made(const SmbCompiledCount *compiled, const Counts *counts, char **digest) {
  const SmbTarget *target = compiled->target;
  Made *made = g_new0(Made, 1);
  made->counts = counts->part ? counts : NULL;
  made->error = counts->part ? NULL : compiled->failure;
  if (target) {
    *digest = digest_target(target);
    made->command = target->compiled;
    made->level = smb_program_level(target->kernel);
    made->file = smb_program_file(target->kernel);
    made->shared_bytes = smb_program_static_shared(target->kernel) + target->launch.dynamic_bytes;
    made->digest = *digest;
  }
  return made;
}

void
smb_analyze_json_part(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const Counts text = {report->part->counts, report->target};
  const Counts compiled = {report->part->compiled,
                           report->compiled ? report->compiled->target : NULL};
  g_autofree char *digest = digest_target(report->target), *compiled_digest = NULL;
  g_autoptr(GStrvBuilder) limits = g_strv_builder_new();
  for (guint i = 0; i < report->part->limits->len; i++) {
    g_autofree char *limit = smb_limit_describe(&g_array_index(report->part->limits, SmbLimit, i));
    g_strv_builder_add(limits, limit);
  }
  g_auto(Part) part = {.counts = &text,
                       .digest = digest,
                       .warps = report->by_warp,
                       .assumes_block = report->target->assumes_block,
                       .limits = g_strv_builder_end(limits),
                       .made = report->compiled
                                   ? describe_made(report->compiled, &compiled, &compiled_digest)
                                   : NULL};
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

// The counts of all parts: of the text, or of what was compiled of it.
static GPtrArray *
read_counts(const SmbPartResults *results, const SmbArch *arch, gboolean is_compiled,
            GError **error) {
  g_autoptr(GPtrArray) counts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  for (guint i = 0; i < results->parts->len; i++) {
    g_auto(Part) other = {0};
    if (!smb_part_results_pick(results, i, SMB_MEMBERS(part_members), &other, error))
      return NULL;
    gconstpointer node = is_compiled ? other.made->counts : other.counts;
    SmbPart *part = smb_part_read(smb_part_name(results, i), (JsonNode *)node, arch, error);
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

// What was compiled of the text of @part; its program comes from the counts.
static SmbTarget *
make_compiled_target(const Part *part, const GPtrArray *counts, GError **error) {
  const Made *made = part->made;
  g_autoptr(SmbTarget) target = g_new0(SmbTarget, 1);
  target->name = g_strdup(part->target->name);
  target->file = g_strdup(part->target->file);
  target->compiled = g_strdup(made->command);
  memcpy(target->launch.block, part->target->launch.block, sizeof target->launch.block);
  memcpy(target->launch.grid, part->target->launch.grid, sizeof target->launch.grid);
  memcpy(target->launch.cluster, part->target->launch.cluster, sizeof target->launch.cluster);
  target->kernel =
      smb_parts_program(counts, target->name, made->level, made->file, made->shared_bytes, error);
  return target->kernel ? g_steal_pointer(&target) : NULL;
}

// Why what was compiled was not counted in one of the parts: in the first, as in a whole. NULL: it was.
static gboolean
find_failure(const SmbPartResults *results, GError **failure, GError **error) {
  for (guint i = 0; i < results->parts->len && !*failure; i++) {
    g_auto(Part) part = {0};
    if (!smb_part_results_pick(results, i, SMB_MEMBERS(part_members), &part, error))
      return FALSE;
    if (part.made->error)
      smb_fail(failure, SMB_ERROR, SMB_ERROR_INPUT, "%s", part.made->error);
  }
  return TRUE;
}

// What was compiled, counted beside @text. @counts: (out) (transfer full): must outlive @compiled (out) (nullable)
static gboolean
merge_compiled(const SmbPartResults *results, const Part *part, const SmbArch *arch,
               const SmbAnalysis *text, GPtrArray **counts, SmbCompiledCount **compiled,
               GError **error) {
  g_autoptr(GError) failure = NULL;
  if (!part->made)
    return TRUE;
  if (!find_failure(results, &failure, error))
    return FALSE;
  if (failure) {
    *compiled = smb_compiled_count_of(NULL);
    smb_compiled_count_fail(*compiled, failure);
    return TRUE;
  }
  *counts = read_counts(results, arch, TRUE, error);
  SmbTarget *target = *counts ? make_compiled_target(part, *counts, error) : NULL;
  if (!target)
    return FALSE;
  *compiled = smb_compiled_count_of(target);
  smb_compiled_count_take(
      *compiled,
      smb_parts_collect(*counts, target->kernel, arch, &target->launch, smb_cli_write_hint), text);
  return TRUE;
}

static gboolean
merge_counts(SmbCli *cli, const SmbPartResults *results, GError **error) {
  g_auto(Part) part = {0};
  if (!smb_part_results_pick(results, 0, SMB_MEMBERS(part_members), &part, error))
    return FALSE;
  cli->arch = smb_cli_load_arch(cli, part.arch, 0, error);
  g_autoptr(GPtrArray) counts = cli->arch ? read_counts(results, cli->arch, FALSE, error) : NULL;
  if (!counts || !complete_target(&part, smb_part_object(results, 0), counts, error))
    return FALSE;
  const SmbTarget *target = part.target;
  g_autoptr(SmbAnalysis) analysis =
      smb_parts_collect(counts, target->kernel, cli->arch, &target->launch, smb_cli_write_hint);
  g_autoptr(GPtrArray) compiled_counts = NULL;
  g_autoptr(SmbCompiledCount) compiled = NULL;
  g_autoptr(GArray) limits = make_limits(smb_part_name(results, 0), &part, error);
  if (!limits ||
      !merge_compiled(results, &part, cli->arch, analysis, &compiled_counts, &compiled, error))
    return FALSE;
  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis, compiled, NULL);
  const SmbAnalyzeReport report = {target, analysis, part.warps, limits, failed,
                                   NULL,   compiled, NULL,       NULL,   NULL};
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
