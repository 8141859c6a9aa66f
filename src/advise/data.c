// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// advise as JSON and as CSV. Keys are only ever added.
#include "src/advise/changes.h"
#include "src/advise/text.h"
#include "src/analysis/vendor.h"
#include "src/analysis/warning.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/target/target-json.h"

static void
write_changes_json(JsonBuilder *json, const SmbSource *source, const GArray *edits) {
  g_autoptr(GArray) changes = smb_changes_new(source, edits);
  for (guint i = 0; i < changes->len; i++) {
    const SmbChange *change = &g_array_index(changes, SmbChange, i);
    smb_json_object(json, NULL);
    smb_json_number(json, "line", change->line);
    smb_json_text(json, "before", change->before);
    smb_json_text(json, "after", change->after);
    json_builder_end_object(json);
  }
}

static void
write_proof_json(JsonBuilder *json, const char *key, const SmbAdviseReport *report,
                 const SmbProof *proof) {
  if (!smb_json_object_if(json, key, proof != NULL))
    return;
  smb_json_boolean(json, "holds", proof->failure == NULL);
  smb_json_text(json, "failure", proof->failure);
  smb_json_text(json, "condition", proof->condition);
  smb_json_number(json, "dynamic_bytes", (gint64)proof->launch.dynamic_bytes);
  smb_json_number(json, "compared_bytes", (gint64)proof->compared_bytes);
  const SmbAnalysis *original = report->analysis;
  smb_json_number(json, "compared_blocks",
                  original->shares ? original->shares->len : (gint64)original->n_blocks);
  smb_json_array(json, "changes");
  if (!proof->failure)
    write_changes_json(json, smb_program_source(report->target->kernel), proof->edits);
  json_builder_end_array(json);
  json_builder_end_object(json);
}

// A form of the kernel through a compiler; null if none was asked.
static void
write_compiled(JsonBuilder *json, const char *key, const SmbAdviseCompiled *now,
               const SmbAdviseCompiled *compiled) {
  if (!smb_json_object_if(json, key, compiled != NULL))
    return;
  smb_json_text(json, "command", compiled->command);
  smb_json_text(json, "failure", compiled->failure);
  if (!compiled->failure) {
    smb_json_tally(json, &compiled->total);
    smb_json_number_if(json, "instructions", compiled->instructions > 0,
                       (gint64)compiled->instructions);
    smb_json_number(json, "shared_bytes", (gint64)compiled->shared_bytes);
    smb_json_number_if(json, "registers", compiled->registers > 0, compiled->registers);
    smb_json_number_if(json, "resident_warps", compiled->warps > 0, compiled->warps);
    smb_launch_time_brief_json(json, compiled->time);
  }
  smb_json_boolean(json, "recommended",
                   now && !now->failure && smb_advise_compiled_gains(now, compiled));
  json_builder_end_object(json);
}

static void
write_layout_json(JsonBuilder *json, const SmbAdviseReport *report, const SmbAdviseLayout *layout,
                  gboolean is_merged) {
  const SmbCandidate *candidate = layout->candidate;
  smb_json_text(json, "kind", smb_advise_kind_name(layout->kind));
  smb_json_text(json, "name", layout->name);
  smb_json_text(json, "index", layout->index);
  smb_json_number(json, "columns", (gint64)candidate->layout.columns);
  smb_json_number(json, "pad", (gint64)candidate->layout.pad);
  if (candidate->layout.bits) {
    smb_json_array(json, "swizzle");
    smb_json_number(json, NULL, candidate->layout.bits);
    smb_json_number(json, NULL, candidate->layout.base);
    smb_json_number(json, NULL, candidate->layout.shift);
    json_builder_end_array(json);
  } else {
    smb_json_null(json, "swizzle");
  }
  smb_json_number_if(json, "tensor_map_swizzle", candidate->tensor_span > 0,
                     candidate->tensor_span);
  smb_json_tally(json, &candidate->total);
  smb_json_number(json, "bytes", (gint64)candidate->bytes);
  smb_json_number(json, "extra_bytes", layout->extra_bytes);
  smb_json_number(json, "vector_bytes", layout->vector_bytes);
  smb_json_text(json, "fits", smb_advise_fit_name(layout->fits));
  smb_json_number_if(json, "blocks_per_sm", layout->occupancy.known, layout->occupancy.blocks);
  smb_json_array(json, "accesses");
  for (guint i = 0; i < candidate->accesses->len; i++) {
    const SmbTally *tally = &g_array_index(candidate->accesses, SmbTally, i);
    const SmbSite *site = g_array_index(report->analysis->accesses, SmbAccess, i).site;
    if (tally->requests == 0)
      continue;
    smb_json_object(json, NULL);
    smb_json_number(json, "line", site->line);
    smb_json_number(json, "column", site->column);
    smb_json_text(json, "op", smb_op_class_name(site->op_class));
    smb_json_text(json, "expression", site->expression);
    smb_json_tally(json, tally);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_tally_object(json, "as_merged", is_merged ? &layout->merged : NULL);
  write_compiled(json, "as_compiled", report->now, layout->kind ? layout->compiled : report->now);
  write_proof_json(json, "rewritten", report, layout->proof);
}

// What has to be changed for another layout of a tile; null of other layouts.
static void
write_mode_json(JsonBuilder *json, const SmbAdviseReport *report, const SmbAdviseArray *array,
                const SmbAdviseLayout *layout) {
  const SmbPlacement *mode = &layout->candidate->mode;
  const SmbPlacedTile *tile = array->search->use->tile;
  guint32 leading, stride;
  if (!smb_json_object_if(json, "mode", smb_advise_is_mode(layout)))
    return;
  g_autoptr(GArray) changes = smb_mode_changes(report, array, layout);
  smb_mode_descriptor(mode, &leading, &stride);
  smb_json_number(json, "swizzle_bytes", mode->span);
  smb_json_number_if(json, "descriptor_swizzle", tile->is_operand,
                     smb_mode_bits(report->arch, mode->span));
  smb_json_number_if(json, "stride_byte_offset", tile->is_operand && stride, stride);
  smb_json_number_if(json, "leading_byte_offset", tile->is_operand && leading, leading);
  smb_json_number(json, "alignment",
                  mode->span ? SMB_PLACED_PERIOD * mode->span : SMB_PLACED_CHUNK);
  smb_json_boolean(json, "recommended", smb_advise_mode_gains(report, array, layout));
  smb_launch_time_brief_json(json, layout->time);
  smb_json_array(json, "changes");
  for (guint i = 0; i < changes->len; i++) {
    const SmbModeChange *change = &g_array_index(changes, SmbModeChange, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "what", change->what);
    smb_json_array(json, "places");
    for (guint j = 0; j < change->sites->len; j++) {
      g_autofree char *place = smb_site_place(g_ptr_array_index(change->sites, j));
      smb_json_text(json, NULL, place);
    }
    json_builder_end_array(json);
    smb_json_text(json, "text", change->text);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
}

// What an array is to hardware; null of others.
static void
write_advised_tile_json(JsonBuilder *json, const SmbPlacedTile *tile) {
  if (!smb_json_object_if(json, "tile", tile != NULL))
    return;
  const SmbPlacement *now = &tile->placement;
  smb_json_boolean(json, "is_operand", tile->is_operand);
  smb_json_boolean(json, "is_box", smb_placed_tile_has_box(tile));
  smb_json_boolean(json, "agrees", !tile->is_torn);
  smb_json_number_if(json, "lines", !tile->is_torn, now->lines);
  smb_json_number_if(json, "line_bytes", !tile->is_torn, now->line_bytes);
  smb_json_number_if(json, "swizzle_bytes", !tile->is_torn, now->span);
  json_builder_end_object(json);
}

static void
write_array_json(JsonBuilder *json, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  const SmbArray *found = array->search->use->array;
  g_autofree char *sentence = smb_advise_describe(report, array);
  smb_json_object(json, NULL);
  smb_json_text(json, "name", found->name);
  smb_json_text(json, "element", found->element);
  smb_json_array(json, "dimensions");
  for (guint i = 0; i < found->n_dimensions; i++)
    smb_json_number_if(json, NULL, found->dimension[i] > 0, (gint64)found->dimension[i]);
  json_builder_end_array(json);
  smb_json_number(json, "line", found->line);
  smb_json_number(json, "bytes", (gint64)array->search->use->bytes);
  write_advised_tile_json(json, array->search->use->tile);
  smb_json_number(json, "searched", (gint64)array->search->searched);
  smb_json_number(json, "unfit", (gint64)array->search->unfit);
  smb_json_number(json, "ties", (gint64)array->search->ties);
  smb_json_object(json, "now");
  write_layout_json(json, report, array->now, array->merged != NULL);
  json_builder_end_object(json);
  smb_json_array(json, "layouts");
  for (guint i = 0; i < array->layouts->len; i++) {
    smb_json_object(json, NULL);
    smb_json_number(json, "rank", i + 1);
    write_layout_json(json, report, g_ptr_array_index(array->layouts, i), array->merged != NULL);
    write_mode_json(json, report, array, g_ptr_array_index(array->layouts, i));
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_array(json, "unseen_lines");
  for (guint i = 0; i < array->unseen->len; i++)
    smb_json_number(json, NULL, g_array_index(array->unseen, guint, i));
  json_builder_end_array(json);
  smb_json_text(json, "summary", sentence);
  json_builder_end_object(json);
}

// Longer rows in the source of what was compiled; null of other kernels.
static void
write_written(JsonBuilder *json, const SmbAdviseWritten *written) {
  if (!smb_json_object_if(json, "written", written != NULL))
    return;
  write_compiled(json, "now", NULL, written->now);
  smb_json_texts(json, "tried", written->tried);
  smb_json_texts(json, "rewritten", written->rewritten);
  smb_json_texts(json, "left_alone", written->left_alone);
  smb_json_texts(json, "unlike", written->unlike);
  smb_json_array(json, "forms");
  for (guint i = 0; i < written->forms->len; i++) {
    const SmbAdvisePadding *form = g_ptr_array_index(written->forms, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "name", form->name);
    smb_json_boolean(json, "best", form == written->best);
    smb_json_number_if(json, "compared_bytes", form->compared_bytes > 0,
                       (gint64)form->compared_bytes);
    smb_json_text(json, "condition", form->condition);
    smb_json_array(json, "changes");
    write_changes_json(json, written->source, form->edits);
    json_builder_end_array(json);
    write_compiled(json, "as_compiled", written->now, form->compiled);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
}

void
smb_advise_write_json(SmbCli *cli, gconstpointer result) {
  const SmbAdviseResult *written = result;
  const SmbAdviseReport *report = written->report;
  const SmbAdviseMeasured *measured = written->measured;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_target(json, report->target, report->analysis->shared_bytes);
  smb_json_arch(json, report->arch);
  smb_launch_time_json(json, smb_advise_time(report));
  smb_json_number_if(json, "sample", smb_advise_sample(report) > 0,
                     (gint64)smb_advise_sample(report));
  smb_json_text(json, "text_failure", report->text_failure);
  smb_json_array(json, "arrays");
  for (guint i = 0; i < report->arrays->len; i++)
    write_array_json(json, report, g_ptr_array_index(report->arrays, i));
  json_builder_end_array(json);
  write_proof_json(json, "together", report, report->together);
  write_compiled(json, "together_compiled", report->now, report->compiled);
  if (smb_json_object_if(json, "together_modes", report->modes != NULL)) {
    smb_launch_time_brief_json(json, report->modes);
    json_builder_end_object(json);
  }
  write_written(json, report->written);
  smb_advise_json_measured(json, measured);
  smb_analyze_json_assumed(json, report->arch, report->analysis);
  smb_analyze_json_warnings(json, report->target, report->analysis);
  smb_json_end(json, cli->out);
}

static void
write_csv_layout(SmbCsv *csv, const SmbAdviseReport *report, const SmbAdviseArray *array,
                 const SmbAdviseLayout *layout, guint rank) {
  const SmbCandidate *candidate = layout->candidate;
  for (guint i = 0; i < candidate->accesses->len; i++) {
    const SmbTally *tally = &g_array_index(candidate->accesses, SmbTally, i);
    const SmbSite *site = g_array_index(report->analysis->accesses, SmbAccess, i).site;
    if (tally->requests == 0)
      continue;
    g_autofree char *extra = g_strdup_printf("%" G_GINT64_FORMAT, layout->extra_bytes);
    smb_csv_text(csv, array->search->use->array->name);
    smb_csv_number(csv, rank);
    smb_csv_text(csv, smb_advise_kind_name(layout->kind));
    smb_csv_text(csv, layout->name);
    smb_csv_text(csv, layout->index);
    smb_csv_text(csv, extra);
    smb_csv_number(csv, layout->vector_bytes);
    smb_csv_text(csv, smb_advise_fit_name(layout->fits));
    smb_csv_number_if(csv, layout->occupancy.known, layout->occupancy.blocks);
    smb_csv_text(csv, !layout->proof ? NULL : layout->proof->failure ? "no" : "yes");
    SMB_CSV_NUMBERS(csv, site->line, site->column);
    smb_csv_text(csv, smb_op_class_name(site->op_class));
    smb_csv_text(csv, site->expression);
    SMB_CSV_NUMBERS(csv, tally->requests, tally->wavefronts, tally->ideal, tally->excess);
    smb_csv_end_row(csv);
  }
}

void
smb_advise_write_csv(SmbCli *cli, gconstpointer result) {
  const SmbAdviseReport *report = ((const SmbAdviseResult *)result)->report;
  SmbCsv csv = smb_csv_begin(cli->out, "array,rank,kind,layout,index,extra_bytes,"
                                       "vector_bytes,fits,blocks_per_sm,holds,line,column,"
                                       "op,expression,requests,wavefronts,"
                                       "ideal_wavefronts,excess_wavefronts");
  for (guint i = 0; i < report->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(report->arrays, i);
    write_csv_layout(&csv, report, array, array->now, 0);
    for (guint j = 0; j < array->layouts->len; j++)
      write_csv_layout(&csv, report, array, g_ptr_array_index(array->layouts, j), j + 1);
  }
}
