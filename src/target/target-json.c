// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/target-json.h"

#include "sim/arch/arch.h"
#include "src/out/json.h"

void
smb_json_defines(JsonBuilder *json, const char *const *defines) {
  smb_json_object(json, "defines");
  for (guint i = 0; defines[i]; i++) {
    g_auto(GStrv) parts = g_strsplit(defines[i], "=", 2);
    const char *value = parts[1] ? parts[1] : "1";
    gint64 number;
    if (g_ascii_string_to_signed(value, 10, G_MININT64, G_MAXINT64, &number, NULL))
      smb_json_number(json, parts[0], number);
    else
      smb_json_text(json, parts[0], value);
  }
  json_builder_end_object(json);
}

static void
write_target_buffers(JsonBuilder *json, const GPtrArray *buffers) {
  smb_json_object(json, "buffers");
  for (guint i = 0; i < buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(buffers, i);
    smb_json_text(json, buffer->name, buffer->spec);
  }
  json_builder_end_object(json);
}

// Which launch of a capture it is.
static void
write_captured(JsonBuilder *json, const SmbCaptureLaunch *launch) {
  smb_json_object(json, "launch");
  smb_json_number(json, "number", (gint64)launch->number);
  smb_json_text(json, "kernel", launch->kernel);
  smb_json_number(json, "launch", (gint64)launch->launch);
  smb_json_number(json, "process", (gint64)launch->process);
  smb_json_text(json, "stream", launch->stream);
  smb_json_text(json, "image", launch->image);
  smb_json_text(json, "arch", launch->arch);
  smb_json_text(json, "device", launch->device_name);
  smb_json_number(json, "dynamic_bytes", (gint64)launch->dynamic_bytes);
  smb_json_double_if(json, "nanoseconds", launch->nanoseconds >= 0, launch->nanoseconds);
  smb_json_number(json, "left_out_bytes", (gint64)smb_capture_left_out(launch));
  smb_json_strv(json, "notes", (const char *const *)launch->notes);
  json_builder_end_object(json);
}

void
smb_json_target(JsonBuilder *json, const SmbTarget *target, gsize shared_bytes) {
  smb_json_object(json, "kernel");
  smb_json_text(json, "name", target->name);
  smb_json_text(json, "file", target->file);
  smb_json_text(json, "compiled", target->compiled);
  smb_json_text(json, "shape", target->shape);
  smb_json_extent(json, "block", target->launch.block);
  smb_json_extent(json, "grid", target->launch.grid);
  if (target->launch.cluster[0] > 0)
    smb_json_extent(json, "cluster", target->launch.cluster);
  smb_json_number(json, "shared_bytes", (gint64)shared_bytes);
  smb_json_defines(json, (const char *const *)target->defines);
  if (target->launch.buffers && target->launch.buffers->len > 0)
    write_target_buffers(json, target->launch.buffers);
  json_builder_end_object(json);
  if (target->captured)
    write_captured(json, target->captured);
  if (target->merged_launch)
    smb_json_copy(json, "launch", target->merged_launch);
}

void
smb_json_arch(JsonBuilder *json, const SmbArch *arch) {
  const SmbArchInfo *info = smb_arch_info(arch);
  smb_json_object(json, "arch");
  smb_json_text(json, "name", info->name);
  smb_json_number(json, "banks", info->banks);
  smb_json_number(json, "bank_width", info->bank_bytes);
  if (info->evidence == SMB_EVIDENCE_USER)
    smb_json_text(json, "evidence", smb_evidence_name(info->evidence));
  json_builder_end_object(json);
}

void
smb_json_tally(JsonBuilder *json, const SmbTally *tally) {
  smb_json_number(json, "requests", (gint64)tally->requests);
  smb_json_number(json, "wavefronts", (gint64)tally->wavefronts);
  smb_json_number(json, "ideal_wavefronts", (gint64)tally->ideal);
  smb_json_number(json, "excess_wavefronts", (gint64)tally->excess);
  if (tally->pipe_wavefronts != tally->wavefronts)
    smb_json_number(json, "pipe_wavefronts", (gint64)tally->pipe_wavefronts);
  if (tally->idle_issues)
    smb_json_number(json, "idle_issues", (gint64)tally->idle_issues);
}

void
smb_json_tally_object(JsonBuilder *json, const char *key, const SmbTally *tally) {
  if (!smb_json_object_if(json, key, tally != NULL))
    return;
  smb_json_tally(json, tally);
  json_builder_end_object(json);
}

void
smb_json_costs(JsonBuilder *json, const SmbTally *tally) {
  smb_json_tally(json, tally);
  smb_json_number(json, "max_degree", tally->max_degree);
  smb_json_number(json, "cycles", (gint64)tally->cycles);
}

void
smb_json_totals(JsonBuilder *json, const SmbTally totals[SMB_N_OP_CLASSES],
                const SmbTally *copies) {
  smb_json_object(json, "totals");
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    smb_json_tally_object(json, smb_op_class_name((SmbOpClass)c), &totals[c]);
  if (copies && copies->requests)
    smb_json_tally_object(json, "async", copies);
  json_builder_end_object(json);
}
