// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part has its results as any report has them; its "shard" adds the mismatches: the first ones of each instruction, of which the
// whole shows as many. Some were counted only because they were to be shown, and those that the whole does not show
// are taken out of its sums.
#include "src/fuzz/part.h"

#include <gio/gio.h>
#include <string.h>

#include "gpu/instruction.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/trace/trace.h"
#include "src/out/json.h"

#define AT SMB_MEMBER_AT

// --- what is written and read

static gboolean
take_instruction(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  const char *name = NULL;
  return smb_member_kept(place, node, &name, error) &&
         (smb_instruction_find(name, target) ||
          smb_member_expected(place, node, error, "the name of an instruction"));
}

static gboolean
write_instruction(GString *json, gconstpointer value) {
  g_string_append_printf(json, "\"%s\"", smb_instruction(*(const guint *)value)->name);
  return TRUE;
}

static gboolean
read_fuzz_count(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return smb_member_count(place, node, target, error) &&
         (*(guint64 *)target <= SMB_FUZZ_MAX_COUNT ||
          smb_member_expected(place, node, error, "the number of so many requests"));
}

#define SUM(member)                                                                                \
  {                                                                                                \
#    member, MEMBER_REQUIRED, read_fuzz_count, smb_member_write_count, AT(SmbFuzzResult, member),  \
        smb_add_count                                                                              \
  }
#define SECONDS(member)                                                                            \
  { #member, MEMBER_REQUIRED, SMB_MEMBER_NUMBER, AT(SmbFuzzResult, member), smb_add_number }

static const SmbMember instruction_members[] = {
    {"instruction", MEMBER_REQUIRED, take_instruction, .offset = AT(SmbFuzzResult, instruction)},
    SUM(patterns),
    SUM(mismatches),
    SUM(unsteady),
    SUM(counted),
    SUM(count_mismatches),
    SECONDS(seconds),
    SECONDS(device_seconds),
    {"failure", MEMBER_NULL, SMB_MEMBER_WORDS, AT(SmbFuzzResult, failure)},
};

static void
clear_instruction(gpointer result) {
  g_clear_pointer(&((SmbFuzzResult *)result)->failure, g_free);
}

static const SmbMembers instruction_table = {
    SMB_MEMBERS(instruction_members), sizeof(SmbFuzzResult), clear_instruction, .picks = TRUE};

void
smb_fuzz_result_add(SmbFuzzResult *sum, const SmbFuzzResult *more) {
  smb_members_add(SMB_MEMBERS(instruction_members), sum, more);
}

// A mismatch; @line: its request, as a trace has it.
typedef struct {
  const char *line;
  SmbFuzzMismatch of;
} MismatchRow;

static const SmbMember mismatch_members[] = {
    {"request", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(MismatchRow, line)},
    {"instruction", MEMBER_REQUIRED, take_instruction, write_instruction,
     AT(MismatchRow, of.instruction)},
    {"wavefronts", MEMBER_NULL, SMB_MEMBER_NUMBER, AT(MismatchRow, of.wavefronts)},
    {"cycles", MEMBER_NULL, SMB_MEMBER_NUMBER, AT(MismatchRow, of.cycles)},
    {"extra", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(MismatchRow, of.is_extra)},
    {"count_differs", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(MismatchRow, of.count_differs)},
};
static const MismatchRow blank_mismatch = {
    .of = {.wavefronts = SMB_NOT_MEASURED, .cycles = SMB_NOT_MEASURED}};
static const SmbMembers mismatch_table = {SMB_MEMBERS(mismatch_members), sizeof(MismatchRow),
                                          .blank = &blank_mismatch};

// What is read of a part; of @device what merge has compared.
typedef struct {
  SmbMeterDevice device;
  const char *arch;
  guint64 count, seed, counted;
  GArray *results;    // SmbFuzzResult
  GStrv instructions; // of all parts
  GArray *mismatches; // MismatchRow
} Part;

static gboolean
read_whole(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  return read_fuzz_count(place, node, target, error) &&
         (*(guint64 *)target > 0 ||
          smb_member_expected(place, node, error, "one request at least"));
}

static gboolean
read_seed(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  const char *text = NULL;
  return smb_member_kept(place, node, &text, error) &&
         (g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, target, NULL) ||
          smb_member_expected(place, node, error, "a number in a text"));
}

static const SmbMember shard_members[] = {
    {"counted", MEMBER_REQUIRED, read_fuzz_count, smb_member_write_count, AT(Part, counted)},
    {"instructions", MEMBER_REQUIRED, SMB_MEMBER_TEXTS, AT(Part, instructions)},
    {"mismatches", MEMBER_REQUIRED, .offset = AT(Part, mismatches), .of = &mismatch_table},
};
static const SmbMembers shard_object = {SMB_MEMBERS(shard_members), .picks = TRUE,
                                        .is_object = TRUE};

static const SmbMember part_members[] = {
    {"device", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Part, device.name)},
    {"compute_capability", MEMBER_REQUIRED, SMB_MEMBER_CAPABILITY,
     AT(Part, device.capability_major)},
    {"driver", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Part, device.driver)},
    {"toolkit", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Part, device.toolkit)},
    {"counters_refused", MEMBER_NULL, SMB_MEMBER_KEPT, AT(Part, device.refusal)},
    {"arch", MEMBER_REQUIRED, .offset = AT(Part, arch), .of = &smb_part_arch},
    {"count", MEMBER_REQUIRED, read_whole, .offset = AT(Part, count)},
    {"seed", MEMBER_REQUIRED, read_seed, .offset = AT(Part, seed)},
    {"instructions", MEMBER_REQUIRED, .offset = AT(Part, results), .of = &instruction_table},
    {"shard", MEMBER_REQUIRED, .of = &shard_object},
};

static void
fuzz_part_clear(Part *part) {
  g_clear_pointer(&part->results, g_array_unref);
  g_clear_pointer(&part->instructions, g_strfreev);
  g_clear_pointer(&part->mismatches, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Part, fuzz_part_clear)

void
smb_fuzz_json_part(JsonBuilder *json, const SmbFuzzReport *report) {
  g_auto(Part) part = {.counted = report->options->counted,
                       .mismatches = g_array_new(FALSE, FALSE, sizeof(MismatchRow))};
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  g_autoptr(GStringChunk) lines = g_string_chunk_new(1024);
  for (guint i = 0; i < report->instructions->len; i++)
    g_strv_builder_add(names, smb_instruction(g_array_index(report->instructions, guint, i))->name);
  part.instructions = g_strv_builder_end(names);
  for (guint i = 0; i < report->mismatches->len; i++) {
    MismatchRow row = {NULL, g_array_index(report->mismatches, SmbFuzzMismatch, i)};
    g_autoptr(GString) line = g_string_new(NULL);
    smb_trace_append_request(line, &row.of.request, SMB_NVIDIA_LANES);
    row.line = g_string_chunk_insert(lines, line->str);
    g_array_append_val(part.mismatches, row);
  }
  smb_shard_json(json, &report->options->shard, SMB_MEMBERS(shard_members), &part);
}

// --- the whole

// The request that a line of a trace holds.
static gboolean
read_fuzz_request(SmbArch *arch, const char *line, SmbRequest *request) {
  g_autoptr(GInputStream) stream =
      g_memory_input_stream_new_from_data(line, (gssize)strlen(line), NULL);
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, line, arch);
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  if (!smb_trace_reader_next(reader, batch, NULL) || batch->n != 1)
    return FALSE;
  *request = batch->requests[0];
  return TRUE;
}

static gboolean
refuse_fuzz_part(const char *name, const char *member, GError **error) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s: not as fuzz writes it", name, member);
}

// What all parts say alike: the instructions, none of which has a result.
static gboolean
begin_whole(SmbFuzzReport *report, GArray *instructions, const char *name, const Part *part,
            GError **error) {
  for (guint i = 0; part->instructions[i]; i++) {
    SmbFuzzResult empty = {.instruction = 0};
    if (!smb_instruction_find(part->instructions[i], &empty.instruction) ||
        i == smb_instruction_count())
      return refuse_fuzz_part(name, "shard.instructions", error);
    empty.is_bound = smb_trial_is_bound(report->arch, empty.instruction);
    g_array_append_val(instructions, empty.instruction);
    g_array_append_val(report->results, empty);
  }
  report->refusal = g_strdup(part->device.refusal);
  return instructions->len > 0 || refuse_fuzz_part(name, "shard.instructions", error);
}

// Adds what a part has measured: just its spans.
static gboolean
add_fuzz_part(SmbFuzzReport *report, const char *name, const Part *part, const SmbShard *which,
              GError **error) {
  const SmbFuzzOptions options = {.count = report->options->count, .shard = *which};
  g_autoptr(GArray) spans = smb_fuzz_spans(&options, report->instructions->len);
  if (part->results->len != spans->len)
    return refuse_fuzz_part(name, "instructions", error);
  for (guint i = 0; i < spans->len; i++) {
    const SmbFuzzSpan *span = &g_array_index(spans, SmbFuzzSpan, i);
    SmbFuzzResult *more = &g_array_index(part->results, SmbFuzzResult, i);
    SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, span->index);
    if (more->instruction != result->instruction ||
        more->patterns != (more->failure ? 0 : span->end - span->first))
      return refuse_fuzz_part(name, "instructions", error);
    smb_fuzz_result_add(result, more);
    if (!result->failure)
      result->failure = g_steal_pointer(&more->failure);
  }
  return TRUE;
}

static gboolean
add_mismatches(GArray *mismatches, const char *name, SmbArch *arch, const Part *part,
               GError **error) {
  for (guint i = 0; i < part->mismatches->len; i++) {
    MismatchRow *row = &g_array_index(part->mismatches, MismatchRow, i);
    if (!read_fuzz_request(arch, row->line, &row->of.request))
      return refuse_fuzz_part(name, "shard.mismatches", error);
    row->of.predicted = smb_wavefronts_count(arch, &row->of.request);
    g_array_append_val(mismatches, row->of);
  }
  return TRUE;
}

// Keeps the mismatches that the whole shows, in the order of the instructions, and takes what was counted of others only because
// a part shows them out of the sums.
static void
take_mismatches(const GArray *mismatches, SmbFuzzReport *report) {
  for (guint i = 0; i < report->results->len; i++) {
    SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, i);
    guint shown = 0;
    for (guint j = 0; j < mismatches->len; j++) {
      const SmbFuzzMismatch *mismatch = &g_array_index(mismatches, SmbFuzzMismatch, j);
      if (mismatch->instruction != result->instruction)
        continue;
      if (shown++ < SMB_FUZZ_SHOWN_EACH) {
        g_array_append_val(report->mismatches, *mismatch);
      } else if (mismatch->is_extra) {
        result->counted -= result->counted > 0;
        result->count_mismatches -= mismatch->count_differs && result->count_mismatches > 0;
      }
    }
  }
}

static gboolean
merge_requests(SmbCli *cli, const SmbPartResults *results, GError **error) {
  g_auto(Part) first = {0};
  if (!smb_part_results_pick(results, 0, SMB_MEMBERS(part_members), &first, error))
    return FALSE;
  const SmbFuzzOptions options = {first.count, first.seed, first.counted};
  g_autoptr(SmbArch) arch = smb_cli_load_arch(cli, first.arch, 0, error);
  if (!arch)
    return FALSE;
  g_autoptr(GArray) instructions = g_array_new(FALSE, FALSE, sizeof(guint));
  g_autoptr(GArray) mismatches = g_array_new(FALSE, FALSE, sizeof(SmbFuzzMismatch));
  g_autoptr(SmbFuzzReport) report =
      smb_fuzz_report_new(&first.device, arch, &options, instructions);
  if (!begin_whole(report, instructions, smb_part_name(results, 0), &first, error))
    return FALSE;
  for (guint i = 0; i < results->parts->len; i++) {
    const SmbShard shard = {i + 1, results->parts->len};
    const char *name = smb_part_name(results, i);
    g_auto(Part) part = {0};
    if (!smb_part_results_pick(results, i, SMB_MEMBERS(part_members), &part, error) ||
        !add_fuzz_part(report, name, &part, &shard, error) ||
        !add_mismatches(mismatches, name, arch, &part, error))
      return FALSE;
  }
  for (guint i = 0; i < report->results->len; i++) {
    const SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, i);
    if (result->failure && result->patterns > 0)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s could be measured in some parts and not in others: %s",
                      smb_instruction(result->instruction)->name, result->failure);
  }
  take_mismatches(mismatches, report);
  return smb_fuzz_report_finish(cli, report, error);
}

const SmbMerger smb_fuzz_merger = {"fuzz", smb_fuzz_formats,
                                   (const char *const[]){"device", "compute_capability", "driver",
                                                         "toolkit", "counter", "counters_refused",
                                                         "arch", "count", "seed", NULL},
                                   merge_requests};
