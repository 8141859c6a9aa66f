// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was counted of some blocks, and how it is added to what was counted of others: the result is the same whoever
// counted which.
#include "sim/analysis/impl.h"
#include "sim/base/order.h"
#include "sim/machine/front-end.h"

Sums *
smb_sums_new(guint n_sites) {
  Sums *sums = g_new0(Sums, 1);
  sums->n_sites = n_sites;
  sums->accesses = g_new0(SmbAccess, n_sites + 1);
  sums->globals = g_new0(SmbGlobalAccess, n_sites + 1);
  sums->constants = g_new0(SmbConstantAccess, n_sites + 1);
  sums->traffic = g_new0(SmbOtherTraffic, n_sites + 1);
  sums->first = g_new0(FirstBlocks, n_sites + 1);
  sums->warnings = smb_warnings_new();
  return sums;
}

gsize
smb_sums_bytes(guint n_sites) {
  gsize of_site = sizeof(SmbAccess) + sizeof(SmbGlobalAccess) + sizeof(SmbConstantAccess) +
                  sizeof(SmbOtherTraffic) + sizeof(FirstBlocks);
  return sizeof(Sums) + of_site * (n_sites + 1);
}

void
smb_sums_free(Sums *sums) {
  if (!sums)
    return;
  g_free(sums->accesses);
  g_free(sums->globals);
  g_free(sums->constants);
  g_free(sums->traffic);
  g_free(sums->first);
  g_array_unref(sums->warnings);
  g_free(sums->idle);
  g_free(sums);
}

// The order of the list, which finds a warning among many: by what it is of.
static int
compare_subjects(const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  return smb_order(a->site, b->site) ?: smb_order(a->other, b->other) ?: smb_order(a->kind, b->kind);
}

void
smb_warnings_note(GArray *warnings, const SmbAnalysisWarning *warning) {
  guint first = 0, end = warnings->len;
  while (first < end) {
    guint middle = (first + end) / 2;
    if (compare_subjects(&g_array_index(warnings, SmbAnalysisWarning, middle), warning) < 0)
      first = middle + 1;
    else
      end = middle;
  }
  SmbAnalysisWarning *known =
      first < warnings->len ? &g_array_index(warnings, SmbAnalysisWarning, first) : NULL;
  gboolean is_known = known && compare_subjects(known, warning) == 0;
  if (is_known && known->block <= warning->block)
    return;
  if (is_known)
    g_free(known->message);
  else
    g_array_insert_vals(warnings, first, warning, 1);
  known = &g_array_index(warnings, SmbAnalysisWarning, first);
  *known = *warning;
  known->message = g_strdup(warning->message);
}

static void
clear_warning(gpointer warning) {
  g_free(((SmbAnalysisWarning *)warning)->message);
}

GArray *
smb_warnings_new(void) {
  GArray *warnings = g_array_new(FALSE, FALSE, sizeof(SmbAnalysisWarning));
  g_array_set_clear_func(warnings, clear_warning);
  return warnings;
}

void
smb_tally_add(SmbTally *tally, const SmbTally *more) {
  tally->requests += more->requests;
  tally->wavefronts += more->wavefronts;
  tally->pipe_wavefronts += more->pipe_wavefronts;
  tally->ideal += more->ideal;
  tally->excess += more->excess;
  tally->cycles += more->cycles;
  tally->max_degree = MAX(tally->max_degree, more->max_degree);
  tally->max_queue = MAX(tally->max_queue, more->max_queue);
}

void
smb_loops_add(SmbLoopTally *into, const SmbLoopTally *more) {
  into->requests += more->requests;
  into->loads += more->loads;
  into->load_wavefronts += more->load_wavefronts;
  into->swaps += more->swaps;
}

void
smb_global_access_add(SmbGlobalAccess *into, const SmbGlobalAccess *more) {
  into->requests += more->requests;
  into->segments += more->segments;
  into->ideal += more->ideal;
  into->max_segments = MAX(into->max_segments, more->max_segments);
  into->bytes += more->bytes;
}

// Of requests alike the first block's is the worst.
static void
add_shared(Sums *into, const Sums *from, guint site) {
  SmbAccess *sum = &into->accesses[site];
  const SmbAccess *more = &from->accesses[site];
  sum->uncounted += more->uncounted;
  if (more->worst.width == 0)
    return; // nothing was counted
  gboolean first = sum->worst.width == 0;
  gboolean worse = more->worst_cost.excess > sum->worst_cost.excess;
  gboolean sooner =
      more->worst_cost.excess == sum->worst_cost.excess && more->worst_block < sum->worst_block;
  if (first || worse || sooner) {
    sum->worst = more->worst;
    sum->worst_cost = more->worst_cost;
    sum->worst_block = more->worst_block;
    sum->worst_warp = more->worst_warp;
  }
  if (first || from->first[site].shared < into->first[site].shared) {
    sum->array = more->array;
    into->first[site].shared = from->first[site].shared;
  }
  sum->no_source |= more->no_source;
  sum->lanes += more->lanes;
  smb_loops_add(&sum->loops, &more->loops);
  for (guint w = 0; w < SMB_MAX_WARPS; w++)
    smb_tally_add(&sum->warps[w], &more->warps[w]);
}

static void
add_global(Sums *into, const Sums *from, guint site) {
  SmbGlobalAccess *sum = &into->globals[site];
  const SmbGlobalAccess *more = &from->globals[site];
  if (more->requests == 0)
    return;
  if (sum->requests == 0 || from->first[site].global < into->first[site].global) {
    sum->buffer = more->buffer;
    into->first[site].global = from->first[site].global;
  }
  smb_global_access_add(sum, more);
}

static void
add_constant(Sums *into, const Sums *from, guint site) {
  SmbConstantAccess *sum = &into->constants[site];
  const SmbConstantAccess *more = &from->constants[site];
  gboolean first = sum->total.requests == 0;
  sum->uncounted += more->uncounted;
  if (more->total.requests == 0)
    return;
  if (first || from->first[site].constant < into->first[site].constant) {
    sum->variable = more->variable;
    into->first[site].constant = from->first[site].constant;
  }
  smb_tally_add(&sum->total, &more->total);
}

static void
add_traffic(SmbOtherTraffic *into, const SmbOtherTraffic *from) {
  if (from->executions)
    into->kind = from->kind;
  into->executions += from->executions;
  into->unsized += from->unsized;
  into->bytes += from->bytes;
}

void
smb_sums_add(Sums *into, const Sums *from) {
  for (guint site = 0; site < from->n_sites; site++) {
    add_shared(into, from, site);
    add_global(into, from, site);
    add_constant(into, from, site);
    add_traffic(&into->traffic[site], &from->traffic[site]);
  }
  for (guint i = 0; i < from->warnings->len; i++)
    smb_warnings_note(into->warnings, &g_array_index(from->warnings, SmbAnalysisWarning, i));
  if (from->idle && (!into->idle || from->idle_place < into->idle_place)) {
    g_free(into->idle);
    into->idle = g_strdup(from->idle);
    into->idle_place = from->idle_place;
    into->idle_line = from->idle_line;
    into->idle_column = from->idle_column;
    into->idle_site = from->idle_site;
  }
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    into->lost_globals[c] = into->lost_globals[c] || from->lost_globals[c];
  into->diverged = into->diverged || from->diverged;
  into->misses_others = into->misses_others || from->misses_others;
  into->is_cooperative = into->is_cooperative || from->is_cooperative;
  into->instructions += from->instructions;
}

void
smb_sums_note_unreached(Sums *sums, const SmbProgram *program) {
  const SmbSite *first = NULL;
  guint n = 0;
  for (guint site = 0; site < sums->n_sites; site++) {
    const SmbSite *access = smb_program_site(program, site);
    if (sums->accesses[site].worst.width || sums->accesses[site].uncounted)
      return;
    if (!access->is_shared || n++ > 0)
      continue;
    first = access;
    sums->idle_site = site + 1;
  }
  if (n == 0)
    return;
  g_autofree char *place = smb_site_place(first);
  sums->idle = n == 1
                   ? g_strdup_printf("no thread reaches the only access to shared memory, %s at %s",
                                     first->expression, place)
                   : g_strdup_printf("no thread reaches any of the %u accesses to shared memory; "
                                     "the first is %s at %s",
                                     n, first->expression, place);
  sums->idle_place = first->offset;
  sums->idle_line = first->line;
  sums->idle_column = first->column;
}

void
smb_sums_note_order(Sums *sums, const SmbProgram *program) {
  const SmbFrontEnd *front_end = program->front_end;
  for (guint site = 0; front_end->by_order && site < sums->n_sites; site++) {
    gboolean address = FALSE;
    if (!sums->accesses[site].worst.width || !front_end->by_order(program, site, &address))
      continue;
    g_autofree char *message =
        g_strdup_printf("%s: %s depends on the order in which threads execute atomics",
                        smb_program_site(program, site)->expression,
                        address ? "its address" : "whether it is executed, or how often,");
    SmbAnalysisWarning warning = {SMB_WARNING_ORDER, site, site, sums->first[site].shared, message};
    smb_warnings_note(sums->warnings, &warning);
  }
}

void
smb_sums_forget(Sums *sums) {
  g_array_set_size(sums->warnings, 0);
  g_clear_pointer(&sums->idle, g_free);
  for (guint site = 0; site < sums->n_sites; site++) {
    sums->accesses[site].array = NULL;
    sums->globals[site].buffer = NULL;
    sums->constants[site].variable = NULL;
  }
}
