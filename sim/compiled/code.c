// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What all decoders make code of, an instruction after the other.
#include "sim/compiled/code.h"

static void
free_graph(gpointer data) {
  CodeGraph *graph = data;
  g_array_unref(graph->blocks);
  g_ptr_array_unref(graph->lists);
  g_free(graph);
}

void
smb_code_init(Code *code) {
  static const Region regions[N_FIXED_REGIONS] = {
      [REGION_SHARED] = {.name = "shared memory", .space = SPACE_SHARED, .is_dynamic = TRUE},
      [REGION_LOCAL] = {.name = "local memory", .space = SPACE_PRIVATE},
      [REGION_PARAMETERS] = {.name = "parameter space", .space = SPACE_CONSTANT},
      [REGION_GRID] = {.name = "the barrier of the grid",
                       .space = SPACE_GLOBAL,
                       .size = CODE_GRID_BYTES,
                       .contents = {.fill = SMB_FILL_ZEROS}},
  };
  g_array_append_vals(code->program.regions, regions, N_FIXED_REGIONS);
  code->program.tracks = code->program.may_repeat = TRUE;
  code->steps = g_array_new(FALSE, TRUE, sizeof(Step));
  code->entries = g_array_new(FALSE, TRUE, sizeof(CodeEntry));
  code->constants = smb_constants_new(code->program.lanes);
  code->n_predicates = 1; // PREDICATE_TRUE
  code->presets = g_array_new(FALSE, FALSE, sizeof(Preset));
  code->launch_words = g_array_new(FALSE, FALSE, sizeof(LaunchWord));
  code->places = g_array_new(FALSE, FALSE, sizeof(ParameterPlace));
  code->transfers = g_ptr_array_new_with_free_func(g_free);
  code->bulks = g_ptr_array_new_with_free_func(g_free);
  code->owned = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  code->bytes = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
  code->graphs = g_ptr_array_new_with_free_func(free_graph);
}

void
smb_code_clear(Code *code) {
  g_array_unref(code->steps);
  g_array_unref(code->entries);
  smb_constants_free(code->constants);
  g_array_unref(code->presets);
  g_array_unref(code->launch_words);
  g_array_unref(code->places);
  g_ptr_array_unref(code->transfers);
  g_ptr_array_unref(code->bulks);
  g_ptr_array_unref(code->owned);
  g_ptr_array_unref(code->bytes);
  g_ptr_array_unref(code->graphs);
  smb_program_clear(&code->program);
}

Row
smb_code_new_rows(Code *code, guint n) {
  Row row = code->n_rows;
  code->n_rows += n;
  return row;
}

Predicate
smb_code_new_predicate(Code *code) {
  return code->n_predicates++;
}

Transfer *
smb_code_new_transfer(Code *code) {
  Transfer *transfer = g_new0(Transfer, 1);
  g_ptr_array_add(code->transfers, transfer);
  transfer->swap = NO_ROW;
  for (guint i = 0; i < TRANSFER_COMPONENTS; i++)
    transfer->data[i] = transfer->operands[i] = NO_ROW;
  return transfer;
}

Bulk *
smb_code_new_bulk(Code *code, SmbTraffic kind, guint quantum) {
  Bulk *bulk = g_new0(Bulk, 1);
  g_ptr_array_add(code->bulks, bulk);
  bulk->kind = kind;
  bulk->quantum = quantum;
  bulk->size = NO_ROW;
  return bulk;
}

void
smb_code_add(Code *code, Step *step) {
  step->compute.index = code->steps->len;
  g_array_append_vals(code->steps, step, 1);
}

static void
add_written(Code *code, Step *step, Written written) {
  if (!step->writes) {
    step->writes = g_array_new(FALSE, FALSE, sizeof(Written));
    g_ptr_array_add(code->owned, step->writes);
  }
  g_array_append_val(step->writes, written);
}

void
smb_code_writes_row(Code *code, Step *step, Row row, guint n) {
  add_written(code, step, (Written){.row = row, .n = n});
}

void
smb_code_writes_predicate(Code *code, Step *step, Predicate predicate) {
  add_written(code, step, (Written){.predicate = predicate});
}

void
smb_code_mark_shared(Code *code) {
  for (guint i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    if (step->kind == STEP_TRANSFER && step->transfer->window == WINDOW_SHARED &&
        !step->transfer->is_cluster)
      g_array_index(code->program.sites, SmbSite, step->transfer->move.site).is_shared = TRUE;
  }
}

void
smb_code_add_heap(Code *code) {
  Region heap = {.name = "the heap", .space = SPACE_GLOBAL, .size = CODE_ENDLESS_BYTES};
  if (code->heap)
    return;
  heap.contents.fill = SMB_FILL_UNKNOWN;
  g_array_append_val(code->program.regions, heap);
  code->heap = code->program.regions->len - 1;
}

void
smb_code_add_parameter(Code *code, const char *name, const char *type, ParameterPlace place,
                       gboolean is_pointer) {
  const SmbParameter parameter = {.name = name,
                                  .type = type,
                                  .is_pointer = is_pointer,
                                  .may_be_value = is_pointer,
                                  .stored_bytes = place.bytes,
                                  .is_unnamed = TRUE,
                                  .element = SMB_SCALAR_U8,
                                  .element_bytes = 1};
  g_array_append_val(code->program.parameters, parameter);
  g_array_append_val(code->places, place);
  code->parameter_bytes = MAX(code->parameter_bytes, place.offset + place.bytes);
}
