// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What other paddings would do, what the access costs, and what profilers make of it.
#include "src/explain/words.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "sim/count/instruction-counter.h"
#include "src/analysis/verdict.h"

enum {
  NCU_CAPABILITY = 7, // the oldest chips that present versions of Nsight Compute profile: Volta
};

// Why there is no table.
static char *
refuse_padding(const SmbExplanation *e) {
  const SmbNeighbours *neighbours = e->neighbours;
  if (!e->array)
    return g_strdup("This access is to no shared array, or to several: there are no rows to pad.");
  if (e->array->n_dimensions == 0)
    return g_strdup_printf("%s is a single variable: there are no rows to pad.", e->array->name);
  if (!neighbours)
    return g_strdup("Not counted: the kernel makes too many different requests.");
  if (neighbours->searched)
    return g_strdup_printf(
        smb_arch_say(e->arch, "%s has one dimension, and padding it after any power-of-two number "
                              "of elements (%s paddings) takes no fewer wavefronts. If its rows "
                              "have another length, give it as --row N."),
        e->array->name, smb_number(neighbours->searched).text);
  return g_strdup_printf("%s has one dimension, and there are too many paddings to count: give the "
                         "length of its rows as --row N.",
                         e->array->name);
}

char *
smb_explain_padding(const SmbExplanation *e) {
  const SmbNeighbours *neighbours = e->neighbours;
  if (!neighbours || neighbours->rows == SMB_ROWS_UNKNOWN)
    return refuse_padding(e);
  GString *text = g_string_new(NULL);
  const char *name = e->array->name;
  guint64 columns = neighbours->layout.columns, pad = neighbours->layout.pad;
  if (neighbours->rows == SMB_ROWS_SEARCHED) {
    g_string_append_printf(
        text,
        smb_arch_say(e->arch,
                     "%s has one dimension; padding after every %s elements takes the fewest "
                     "wavefronts (--row N sets another length)."),
        name, smb_number(columns).text);
  } else {
    g_string_append_printf(text, "%s has rows of %s", name, smb_count(columns, "element").text);
    if (pad)
      g_string_append_printf(text, " and %s of padding", smb_number(pad).text);
    g_string_append_c(text, '.');
  }
  if (neighbours->best) {
    const SmbCandidate *best = neighbours->best->candidate;
    g_string_append_printf(
        text, " With a padding of %s all accesses of %s together take %s instead of %s.",
        smb_number(best->layout.pad).text, name,
        smb_count(best->total.wavefronts, smb_arch_say(e->arch, "wavefront")).text,
        smb_number(neighbours->wavefronts).text);
  } else if (neighbours->searched) {
    g_string_append(text, smb_arch_say(e->arch, " No padding takes fewer wavefronts."));
  }
  return g_string_free(text, FALSE);
}

char *
smb_explain_fit(const SmbExplanation *e, const SmbNeighbour *neighbour) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  const SmbSite *site =
      g_array_index(e->analysis->accesses, SmbAccess, neighbour->candidate->misfit_access).site;
  g_autofree char *place = smb_site_place(site);
  switch (neighbour->candidate->fit) {
  case SMB_LAYOUT_FITS:
    break;
  case SMB_LAYOUT_MISALIGNED:
    return g_strdup_printf("invalid: misaligns the %u-byte access of %s", site->width, place);
  case SMB_LAYOUT_TORN:
    return g_strdup_printf("invalid: splits the %u-byte access of %s", site->width, place);
  case SMB_LAYOUT_OUTSIDE:
    return g_strdup_printf("unknown: %s also accesses other memory", place);
  }
  switch (neighbour->room) {
  case SMB_ROOM_TOO_SMALL:
    return g_strdup_printf(smb_arch_say(e->arch, "invalid: %s has at most %u bytes for a block"),
                           info->name, info->max_shared_bytes);
  case SMB_ROOM_OPT_IN:
    return g_strdup_printf(
        smb_arch_say(e->arch, "needs dynamic shared memory with opt-in: more than %u bytes"),
        info->static_shared_bytes);
  case SMB_ROOM_ENOUGH:
    break;
  }
  return g_strdup("");
}

// The ideal of the Source view, which goes by what it counts per instruction.
static guint
find_view_ideal(const SmbExplanation *e, const SmbRequest *request, const SmbWavefronts *pipe) {
  SmbWavefronts count = smb_wavefronts_by_instruction(e->arch, request, pipe);
  return smb_wavefronts_view_ideal(e->arch, request, count.wavefronts);
}

SmbExplainCost
smb_explain_cost(const SmbExplanation *e) {
  SmbExplainCost cost = {.all_wavefronts = smb_analysis_total(e->analysis).wavefronts,
                         .cycles = e->access->total.cycles};
  gboolean known = e->analysis->requests_dropped == 0, view = known && e->rule->merges;
  for (guint i = 0; known && i < e->analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(e->analysis->requests, SmbAccessRequest, i);
    if (made->access != e->index)
      continue;
    SmbWavefronts counted = smb_wavefronts_count(e->arch, &made->request);
    const SmbPlan *plan = smb_wavefronts_plan(e->arch, &made->request);
    guint ideal = counted.ideal * plan->cycles;
    cost.ideal_cycles += made->count * (counted.cycles ? MAX(ideal, plan->floor) : 0);
    gboolean is_load = made->request.op == SMB_OP_LD;
    guint view_ideal = is_load ? find_view_ideal(e, &made->request, &counted) : 0;
    view = view && view_ideal;
    cost.view_ideal += made->count * view_ideal;
  }
  if (!view)
    cost.view_ideal = 0;
  return cost;
}

static double
find_share(guint64 part, guint64 whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void
append_profilers(GString *text, const SmbExplanation *e, const SmbExplainCost *cost) {
  const SmbTally *total = &e->access->total;
  const SmbArchInfo *info = smb_arch_info(e->arch);
  if (info->active_counter)
    g_string_append_printf(text, " A profiler counts the cycles as %s, the excess as %s.",
                           info->active_counter, info->conflict_counter);
  if (info->counter_note)
    g_string_append_printf(text, " %s.", info->counter_note);
  if (info->capability_major < NCU_CAPABILITY)
    return;
  g_string_append(text,
                  " Nsight Compute's Source page has wavefronts as L1 Wavefronts Shared, excess as "
                  "L1 Wavefronts Shared Excessive.");
  if (cost->view_ideal && cost->view_ideal != total->ideal)
    g_string_append_printf(
        text,
        " These requests have two ideals: the conflict counter of l1tex uses the merged ones, %s, "
        "as here; the Source view of Nsight Compute uses the bytes that lanes access, %s.",
        smb_number(total->ideal).text, smb_number(cost->view_ideal).text);
  if (!smb_access_is_lower_bound(e->access) && total->requests &&
      e->plan->unit_bytes > info->bank_bytes)
    g_string_append_printf(
        text,
        " Nsight Compute's advice calls wavefronts per request N-way: that is %.1f-way "
        "here, and %.1f-way without a conflict.",
        (double)total->wavefronts / (double)total->requests,
        (double)total->ideal / (double)total->requests);
}

// The blocks of a grid share out the cycles among the multiprocessors that run them.
static void
append_cycles(GString *text, const SmbExplanation *e, const SmbExplainCost *cost) {
  guint64 blocks = 1;
  for (guint i = 0; e->target && i < 3; i++)
    blocks *= e->target->launch.grid[i];
  if (blocks > 1)
    g_string_append_printf(
        text,
        smb_arch_say(
            e->arch,
            " If one multiprocessor ran all %s blocks, the requests of this access would keep its"),
        smb_number(blocks).text);
  else
    g_string_append(
        text,
        smb_arch_say(e->arch, " On one multiprocessor, the requests of this access keep the"));
  g_string_append_printf(text, smb_arch_say(e->arch, " shared-memory pipe busy for at least %s"),
                         smb_count(cost->cycles, "cycle").text);
}

char *
smb_explain_describe_cost(const SmbExplanation *e) {
  const SmbTally *total = &e->access->total;
  SmbExplainCost cost = smb_explain_cost(e);
  GString *text = g_string_new(NULL);
  if (total->excess)
    g_string_append_printf(
        text,
        smb_arch_say(e->arch,
                     "Of the %s wavefronts of this access %s (%.0f%%) %s excess: %.0f%% of "
                     "the %s that all shared accesses take%s."),
        smb_number(total->wavefronts).text, smb_number(total->excess).text,
        find_share(total->excess, total->wavefronts), smb_is_are(total->excess),
        find_share(total->excess, cost.all_wavefronts), smb_number(cost.all_wavefronts).text,
        smb_analyze_qualify(e->analysis));
  else
    g_string_append_printf(
        text,
        smb_arch_say(e->arch, "This access has no bank conflicts; all shared accesses take %s%s."),
        smb_number(cost.all_wavefronts).text, smb_analyze_qualify(e->analysis));
  append_profilers(text, e, &cost);
  if (e->access->is_loop)
    g_string_append(text, " These counts are lower bounds: the access is a loop.");
  if (e->access->reason && !e->access->site->may_merge &&
      (!e->access->is_loop || smb_access_depends_on_data(e->access))) {
    g_autofree char *reason = smb_analyze_describe_reason(e->access);
    g_string_append_printf(text, " %s", reason);
  }
  append_cycles(text, e, &cost);
  if (cost.ideal_cycles && cost.ideal_cycles < cost.cycles)
    g_string_append_printf(text, ", %s without conflicts", smb_number(cost.ideal_cycles).text);
  g_string_append(text,
                  smb_arch_say(e->arch, ". Wavefront counts are not run times: if a kernel waits "
                                        "for something else, excess wavefronts cost little."));
  return g_string_free(text, FALSE);
}
