// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was counted of some blocks, and how it is added to what was counted of others: the result is the same whoever
// counted which. What is counted of a site is in tables, from which a part (part.h) is written and read, too.
#include "sim/analysis/impl.h"

#include <string.h>

#include "sim/base/order.h"
#include "sim/machine/front-end.h"

#define AT SMB_MEMBER_AT

// Members that are added up, that are the most of any request, and that are neither.
#define SUM(Type, member)                                                                          \
  { #member, MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(Type, member), smb_add_count }
#define MOST(Type, member)                                                                         \
  { #member, MEMBER_REQUIRED, SMB_MEMBER_MOST, AT(Type, member), smb_add_most, NULL, G_MAXUINT32 }
#define COUNT(Type, member)                                                                        \
  { #member, MEMBER_REQUIRED, SMB_MEMBER_COUNT, AT(Type, member) }
#define NAME(Type, member)                                                                         \
  { #member, MEMBER_ABSENT, SMB_MEMBER_KEPT, AT(Type, member) }
// The same, in one array.
#define TUPLE(name, Type, member, table)                                                           \
  { name, MEMBER_REQUIRED, NULL, NULL, AT(Type, member), NULL, &(table) }

static const SmbMember tally_members[] = {
    SUM(SmbTally, requests),    SUM(SmbTally, wavefronts),  SUM(SmbTally, pipe_wavefronts),
    SUM(SmbTally, idle_issues), SUM(SmbTally, ideal),       SUM(SmbTally, excess),
    SUM(SmbTally, cycles),      MOST(SmbTally, max_degree), MOST(SmbTally, max_queue),
};
static const SmbMembers tally_table = {SMB_MEMBERS(tally_members)};

static const SmbMember loop_members[] = {
    SUM(SmbLoopTally, requests),
    SUM(SmbLoopTally, loads),
    SUM(SmbLoopTally, load_wavefronts),
    SUM(SmbLoopTally, swaps),
};
static const SmbMembers loop_table = {SMB_MEMBERS(loop_members)};

// A warp that made requests.
typedef struct {
  guint warp;
  SmbTally tally;
} WarpRow;

#define WARP(name, Type, member)                                                                   \
  { name, MEMBER_REQUIRED, SMB_MEMBER_MOST, AT(Type, member), NULL, NULL, SMB_MAX_WARPS - 1 }

static const SmbMember warp_members[] = {
    WARP("warp", WarpRow, warp),
    TUPLE("tally", WarpRow, tally, tally_table),
};
static const SmbMembers warp_table = {SMB_MEMBERS(warp_members), sizeof(WarpRow)};

static gboolean
read_warps(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  SmbTally *warps = target;
  g_autoptr(GArray) rows = NULL;
  if (!smb_members_read_value(place, node, &warp_table, &rows, error))
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    warps[g_array_index(rows, WarpRow, i).warp] = g_array_index(rows, WarpRow, i).tally;
  return TRUE;
}

static gboolean
write_warp_sums(GString *json, gconstpointer value) {
  const SmbTally *warps = value;
  g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(WarpRow));
  for (guint w = 0; w < SMB_MAX_WARPS; w++) {
    const WarpRow row = {w, warps[w]};
    if (row.tally.requests || row.tally.idle_issues)
      g_array_append_val(rows, row);
  }
  smb_members_write_value(json, &warp_table, &rows);
  return TRUE;
}

static void
add_warps(gpointer into, gconstpointer more) {
  SmbTally *warps = into;
  const SmbTally *others = more;
  for (guint w = 0; w < SMB_MAX_WARPS; w++) {
    if (others[w].requests || others[w].idle_issues)
      smb_tally_add(&warps[w], &others[w]);
  }
}

// Of requests alike the first block's is the worst.
static void
add_worst(gpointer into, gconstpointer other) {
  SmbAccess *sum = into;
  const SmbAccess *more = other;
  gboolean worse = more->worst_cost.excess > sum->worst_cost.excess;
  gboolean sooner =
      more->worst_cost.excess == sum->worst_cost.excess && more->worst_block < sum->worst_block;
  if (more->worst.width == 0 || (sum->worst.width && !worse && !sooner))
    return;
  sum->worst = more->worst;
  sum->worst_cost = more->worst_cost;
  sum->worst_block = more->worst_block;
  sum->worst_warp = more->worst_warp;
}

static const SmbMember shared_members[] = {
    {"site", MEMBER_REQUIRED},
    NAME(SmbAccess, array),
    COUNT(SmbAccess, first_block),
    SUM(SmbAccess, uncounted),
    {"no_source", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(SmbAccess, no_source), smb_add_flag},
    SUM(SmbAccess, lanes),
    {"worst", MEMBER_ABSENT, .add = add_worst}, // part-json.c
    {"source", MEMBER_ABSENT},
    COUNT(SmbAccess, worst_block),
    WARP("worst_warp", SmbAccess, worst_warp),
    TUPLE("loops", SmbAccess, loops, loop_table),
    {"warps", MEMBER_REQUIRED, read_warps, write_warp_sums, AT(SmbAccess, warps), add_warps},
};

static const SmbMember global_members[] = {
    {"site", MEMBER_REQUIRED},           NAME(SmbGlobalAccess, buffer),
    COUNT(SmbGlobalAccess, first_block), SUM(SmbGlobalAccess, requests),
    SUM(SmbGlobalAccess, segments),      SUM(SmbGlobalAccess, ideal),
    MOST(SmbGlobalAccess, max_segments), SUM(SmbGlobalAccess, bytes),
    SUM(SmbGlobalAccess, uncounted),
};

static const SmbMember constant_members[] = {
    {"site", MEMBER_REQUIRED},
    NAME(SmbConstantAccess, variable),
    COUNT(SmbConstantAccess, first_block),
    SUM(SmbConstantAccess, uncounted),
    TUPLE("tally", SmbConstantAccess, total, tally_table),
};

// The kind is that of the site: all sums have the same, or nothing.
static const SmbMember traffic_members[] = {
    {"site", MEMBER_REQUIRED},
    {"kind", MEMBER_REQUIRED, SMB_MEMBER_MOST, AT(SmbOtherTraffic, kind), smb_add_most, NULL,
     SMB_N_TRAFFIC - 1},
    SUM(SmbOtherTraffic, executions),
    SUM(SmbOtherTraffic, unsized),
    SUM(SmbOtherTraffic, bytes),
    SUM(SmbOtherTraffic, packets),
    SUM(SmbOtherTraffic, ideal_packets),
};

static gboolean
shared_has_first(gconstpointer access) {
  return ((const SmbAccess *)access)->worst.width != 0;
}

static gboolean
global_has_first(gconstpointer access) {
  return ((const SmbGlobalAccess *)access)->requests > 0;
}

static gboolean
constant_has_first(gconstpointer access) {
  return ((const SmbConstantAccess *)access)->total.requests > 0;
}

const SumsKind smb_sums_kinds[N_SUMS] = {
    [SUMS_SHARED] = {"shared", AT(Sums, accesses), sizeof(SmbAccess), SMB_MEMBERS(shared_members),
                     AT(SmbAccess, array), AT(SmbAccess, first_block), shared_has_first},
    [SUMS_GLOBAL] = {"global", AT(Sums, globals), sizeof(SmbGlobalAccess),
                     SMB_MEMBERS(global_members), AT(SmbGlobalAccess, buffer),
                     AT(SmbGlobalAccess, first_block), global_has_first},
    [SUMS_CONSTANT] = {"constant", AT(Sums, constants), sizeof(SmbConstantAccess),
                       SMB_MEMBERS(constant_members), AT(SmbConstantAccess, variable),
                       AT(SmbConstantAccess, first_block), constant_has_first},
    [SUMS_TRAFFIC] = {"traffic", AT(Sums, traffic), sizeof(SmbOtherTraffic),
                      SMB_MEMBERS(traffic_members)},
};

static gpointer *
find_sums_array(const Sums *sums, guint kind) {
  return (gpointer *)((char *)sums + smb_sums_kinds[kind].at);
}

gpointer
smb_sums_element(const Sums *sums, guint kind, guint site) {
  return (char *)*find_sums_array(sums, kind) + site * smb_sums_kinds[kind].size;
}

gpointer
smb_sums_find(const Sums *sums, guint kind, guint site) {
  static const SmbAccess nothing; // the largest of them
  gpointer element = smb_sums_element(sums, kind, site);
  return memcmp(element, &nothing, smb_sums_kinds[kind].size) == 0 ? NULL : element;
}

void
smb_sums_init(Sums *sums, guint n_sites) {
  sums->n_sites = n_sites;
  sums->warnings = smb_warnings_new();
  for (guint kind = 0; kind < N_SUMS; kind++)
    *find_sums_array(sums, kind) = g_malloc0_n(n_sites + 1, smb_sums_kinds[kind].size);
}

gsize
smb_sums_bytes(guint n_sites) {
  gsize of_site = 0;
  for (guint kind = 0; kind < N_SUMS; kind++)
    of_site += smb_sums_kinds[kind].size;
  return sizeof(Sums) + of_site * (n_sites + 1);
}

void
smb_sums_clear(Sums *sums) {
  for (guint kind = 0; kind < N_SUMS; kind++)
    g_free(*find_sums_array(sums, kind));
  g_clear_pointer(&sums->warnings, g_array_unref);
  g_free(sums->idle);
}

// The order of the list, which finds a warning among many: by what it is of.
static int
compare_subjects(const SmbAnalysisWarning *a, const SmbAnalysisWarning *b) {
  return smb_order(a->site, b->site) ?: smb_order(a->other, b->other) ?: smb_order(a->kind, b->kind);
}

static void
clear_warning(gpointer data) {
  SmbAnalysisWarning *warning = data;
  g_free(warning->message);
  smb_hint_clear(&warning->hint);
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
    clear_warning(known);
  else
    g_array_insert_vals(warnings, first, warning, 1);
  known = &g_array_index(warnings, SmbAnalysisWarning, first);
  *known = *warning;
  known->message = g_strdup(warning->message);
  known->hint = smb_hint_copy(&warning->hint);
}

GArray *
smb_warnings_new(void) {
  GArray *warnings = g_array_new(FALSE, TRUE, sizeof(SmbAnalysisWarning));
  g_array_set_clear_func(warnings, clear_warning);
  return warnings;
}

void
smb_tally_add(SmbTally *tally, const SmbTally *more) {
  smb_members_add(SMB_MEMBERS(tally_members), tally, more);
}

void
smb_loops_add(SmbLoopTally *into, const SmbLoopTally *more) {
  smb_members_add(SMB_MEMBERS(loop_members), into, more);
}

void
smb_global_access_add(SmbGlobalAccess *into, const SmbGlobalAccess *more) {
  smb_members_add(SMB_MEMBERS(global_members), into, more);
}

// Adds what was counted of a site; what the first request touched is that of the first block.
static void
add_site_sums(const SumsKind *kind, gpointer into, gconstpointer more) {
  const char **name = (const char **)((char *)into + kind->name);
  guint64 *first = (guint64 *)((char *)into + kind->first_block);
  guint64 other_first = *(const guint64 *)((const char *)more + kind->first_block);
  if (kind->name && kind->has_first(more) && (!kind->has_first(into) || other_first < *first)) {
    *name = *(const char *const *)((const char *)more + kind->name);
    *first = other_first;
  }
  smb_members_add(kind->members, kind->n_members, into, more);
}

void
smb_sums_add(Sums *into, const Sums *from) {
  for (guint kind = 0; kind < N_SUMS; kind++) {
    for (guint site = 0; site < from->n_sites; site++) {
      gconstpointer more = smb_sums_find(from, kind, site);
      if (more)
        add_site_sums(&smb_sums_kinds[kind], smb_sums_element(into, kind, site), more);
    }
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
    SmbAnalysisWarning warning = {SMB_WARNING_ORDER, site, site, sums->accesses[site].first_block,
                                  message};
    smb_warnings_note(sums->warnings, &warning);
  }
}

void
smb_sums_forget(Sums *sums) {
  g_array_set_size(sums->warnings, 0);
  g_clear_pointer(&sums->idle, g_free);
  for (guint kind = 0; kind < N_SUMS; kind++) {
    for (guint site = 0; smb_sums_kinds[kind].name && site < sums->n_sites; site++)
      *(const char **)((char *)smb_sums_element(sums, kind, site) + smb_sums_kinds[kind].name) =
          NULL;
  }
}
