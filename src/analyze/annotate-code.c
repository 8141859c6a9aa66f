// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The disassembly of machine code, with the counts of each instruction in the margin, and the lines of the source that it
// was compiled from between. The sums below are those of the analysis.
#include "src/analyze/annotate-code.h"

#include <math.h>

#include "src/target/origin.h"

// What an instruction asks for. @segments: of global memory; @cycles: what its conflicts cost
typedef struct {
  SmbTally shared;
  guint64 segments;
  double cycles;
} Costs;

// By the place of the instruction (element-type Costs).
static GHashTable *
sum_instructions(const SmbAnalyzeReport *report, Costs *total) {
  GHashTable *costs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  const GArray *accesses = report->analysis->accesses, *globals = report->analysis->globals;
  for (guint i = 0; i < accesses->len + globals->len; i++) {
    const SmbAccess *access = i < accesses->len ? &g_array_index(accesses, SmbAccess, i) : NULL;
    const SmbGlobalAccess *global =
        access ? NULL : &g_array_index(globals, SmbGlobalAccess, i - accesses->len);
    gpointer key = GUINT_TO_POINTER((access ? access->site : global->site)->pc);
    Costs *sum = g_hash_table_lookup(costs, key);
    if (!sum) {
      sum = g_new0(Costs, 1);
      g_hash_table_insert(costs, key, sum);
    }
    if (access) {
      smb_tally_add(&sum->shared, &access->total);
      smb_tally_add(&total->shared, &access->total);
      double cycles;
      smb_launch_time_cost(report->time, access->site, &cycles);
      sum->cycles += cycles;
    } else {
      sum->segments += global->segments;
      total->segments += global->segments;
    }
  }
  total->cycles = smb_launch_time_conflicts(report->time);
  return costs;
}

static void
add_instruction_count(SmbTable *table, SmbStyle style, gboolean is_there, guint64 count) {
  if (is_there)
    smb_table_number(table, style, count);
  else
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
}

static void
add_instruction_costs(SmbTable *table, const Costs *costs, gboolean is_timed) {
  const SmbTally *shared = &costs->shared;
  gboolean asks = shared->requests > 0;
  SmbStyle style = shared->excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  add_instruction_count(table, SMB_STYLE_PLAIN, asks, shared->requests);
  add_instruction_count(table, SMB_STYLE_PLAIN, asks, shared->wavefronts);
  add_instruction_count(table, SMB_STYLE_PLAIN, asks, shared->ideal);
  add_instruction_count(table, style, asks, shared->excess);
  add_instruction_count(table, SMB_STYLE_PLAIN, costs->segments > 0, costs->segments);
  if (asks)
    smb_table_printf(table, style, "%u-way", shared->max_degree);
  else
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
  if (is_timed)
    add_instruction_count(table, SMB_STYLE_BAD, costs->cycles >= 0.5,
                          (guint64)round(costs->cycles));
}

// The line of the source that the instructions below come from.
static void
add_line(SmbTable *table, SmbOrigins *origins, const SmbCodeLine *instruction, gboolean is_timed) {
  static const Costs none;
  const SmbSite place = {.file = instruction->file, .line = instruction->line};
  g_autofree char *source = smb_origins_line(origins, &place);
  g_autofree char *file = g_path_get_basename(instruction->file);
  add_instruction_costs(table, &none, is_timed);
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_printf(table, SMB_STYLE_DIM, "// %s:%u  %s", file, instruction->line,
                   source ? source : "");
}

void
smb_analyze_add_code(SmbTable *table, const GPtrArray *instructions,
                     const SmbAnalyzeReport *report) {
  static const Costs none;
  Costs total = {.segments = 0};
  gboolean is_timed = smb_analyze_is_timed(report);
  g_autoptr(SmbOrigins) origins = smb_origins_new(report->target->kernel, report->target->files);
  g_autoptr(GHashTable) costs = sum_instructions(report, &total);
  const SmbCodeLine *last = NULL;
  for (guint i = 0; i < instructions->len; i++) {
    const SmbCodeLine *instruction = g_ptr_array_index(instructions, i);
    const Costs *own = g_hash_table_lookup(costs, GUINT_TO_POINTER(instruction->pc));
    if (instruction->file &&
        (!last || last->line != instruction->line || g_strcmp0(last->file, instruction->file) != 0))
      add_line(table, origins, instruction, is_timed);
    last = instruction;
    add_instruction_costs(table, own ? own : &none, is_timed);
    smb_table_printf(table, SMB_STYLE_DIM, "%04x", instruction->pc);
    smb_table_cell(table, SMB_STYLE_PLAIN, instruction->text);
  }
  smb_table_rule(table);
  add_instruction_costs(table, &total, is_timed);
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  smb_table_cell(table, SMB_STYLE_BOLD, "total");
}
