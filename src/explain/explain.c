// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "src/analysis/row.h"
#include "src/explain/words.h"

const char *
smb_explain_group_name(const SmbExplanation *e) {
  return e->request.op >= SMB_OP_LDMATRIX_X1 ? "matrix" : smb_plan_group_name(e->plan);
}

SmbNumber
smb_explain_group_names(const SmbExplanation *e) {
  return smb_noun(e->plan->n_groups + 1u, smb_explain_group_name(e));
}

SmbOpClass
smb_explain_class(const SmbExplanation *e) {
  return smb_op_class((SmbOp)e->request.op);
}

void
smb_explanation_free(SmbExplanation *explanation) {
  if (!explanation)
    return;
  g_clear_pointer(&explanation->words, g_array_unref);
  g_clear_pointer(&explanation->banks, g_array_unref);
  smb_neighbours_free(explanation->neighbours);
  smb_array_uses_free(explanation->uses);
  g_free(explanation);
}

static const SmbAccess *
get_access(const SmbAnalysis *analysis, guint index) {
  return &g_array_index(analysis->accesses, SmbAccess, index);
}

char *
smb_explain_describe_line(const SmbExplainQuestion *question) {
  return question->file ? g_strdup_printf("%s:%u", question->file, question->line)
                        : g_strdup_printf("%u", question->line);
}

static gboolean
is_asked_for(const SmbProgram *program, const SmbAccess *access,
             const SmbExplainQuestion *question) {
  return access->total.requests > 0 &&
         smb_program_site_is_in(program, access->site, question->file) &&
         (!question->line || access->site->line == question->line) &&
         (!question->column || access->site->column == question->column) &&
         (!question->has_op || access->site->op_class == question->op);
}

static void
add_place_of_line(GPtrArray *places, const SmbSite *site, gboolean in_one_file) {
  g_autofree char *place = in_one_file ? g_strdup_printf("%u", site->line) : smb_site_place(site);
  if (site->line && !g_ptr_array_find_with_equal_func(places, place, g_str_equal, NULL))
    g_ptr_array_add(places, g_steal_pointer(&place));
}

// The lines that have accesses, also to other blocks, boxes or operands; with their files, too, if there are several; "" if none has a line.
static char *
list_lines(const SmbAnalysis *analysis, gboolean with_files) {
  g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(g_free);
  gboolean in_one_file = !with_files;
  const char *file = analysis->accesses->len ? get_access(analysis, 0)->site->file : NULL;
  for (guint i = 0; i < analysis->accesses->len; i++)
    in_one_file = in_one_file && g_strcmp0(file, get_access(analysis, i)->site->file) == 0;
  for (guint i = 0; i < analysis->accesses->len; i++)
    if (get_access(analysis, i)->total.requests > 0)
      add_place_of_line(places, get_access(analysis, i)->site, in_one_file);
  for (guint i = 0; analysis->tiles && i < analysis->tiles->len; i++)
    add_place_of_line(places, g_array_index(analysis->tiles, SmbPlacedRows, i).site, in_one_file);
  for (guint i = 0; analysis->peers && i < analysis->peers->len; i++)
    add_place_of_line(places, g_array_index(analysis->peers, SmbPeerAccess, i).site, in_one_file);
  g_ptr_array_add(places, NULL);
  return g_strjoinv(", ", (char **)places->pdata);
}

// Whether what a compiler makes of the text has an access in the line that is asked for.
static gboolean
is_compiled_there(const SmbExplanation *e, const SmbExplainQuestion *question) {
  for (guint i = 0;
       smb_compiled_count_has(question->compiled) && i < question->compiled->lines->len; i++) {
    const SmbSite *site = g_array_index(question->compiled->lines, SmbCompiledLine, i).site;
    if (site->line == question->line &&
        smb_program_site_is_in(e->target->kernel, site, question->file))
      return TRUE;
  }
  return FALSE;
}

// Says which accesses there are: all of them, or those of the line that was named.
static gboolean
refuse_place(const SmbExplanation *e, const SmbExplainQuestion *question, GError **error) {
  const SmbAnalysis *analysis = e->analysis;
  g_autoptr(GString) places = g_string_new(NULL);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbSite *site = get_access(analysis, i)->site;
    if (get_access(analysis, i)->total.requests > 0 && site->line == question->line &&
        smb_program_site_is_in(e->target->kernel, site, question->file))
      g_string_append_printf(places, "%sa %s at column %u", places->len ? ", " : "",
                             smb_op_class_name(site->op_class), site->column);
  }
  if (!question->line)
    return smb_cli_usage_error(
        error,
        smb_arch_say(e->arch, "--op '%s': the kernel makes no such request of shared memory"),
        smb_op_class_name(question->op));
  if (places->len)
    return smb_cli_usage_error(
        error, smb_arch_say(e->arch, "line %u has no such access to shared memory: expected %s"),
        question->line, places->str);
  g_autofree char *lines = list_lines(analysis, question->file != NULL);
  g_autofree char *named = smb_explain_describe_line(question);
  if (is_compiled_there(e, question))
    return smb_cli_usage_error(error,
                               "--line '%s': the text has no access to shared memory there, but "
                               "what nvcc makes of it has: --nvcc '' explains that",
                               named);
  return smb_cli_usage_error(
      error,
      smb_arch_say(e->arch, "--line '%s': no access to shared memory on it is counted: %s%s"),
      named, *lines ? "expected one of " : "the code has no line information (nvcc -lineinfo)",
      lines);
}

// Of an access of the text that was compiled, what this costs.
static guint64
weigh_compiled(const SmbCompiledCount *compiled, const SmbAccess *access) {
  const SmbCompiledLine *line =
      smb_compiled_count_has(compiled) ? smb_compiled_count_line(compiled, access) : NULL;
  return line ? line->total.excess : 0;
}

// What an access costs as compiled; with those alike that are asked for; by itself.
typedef struct {
  guint64 compiled, row, own;
  guint alike;
} Weight;

static Weight
weigh_access(const SmbExplanation *e, const SmbExplainQuestion *question, const SmbAccess *access) {
  Weight weight = {.compiled = weigh_compiled(question->compiled, access),
                   .own = access->total.excess};
  for (guint i = 0; i < e->analysis->accesses->len; i++) {
    const SmbAccess *other = get_access(e->analysis, i);
    if (!smb_analyze_is_one_row(access, other) || !is_asked_for(e->target->kernel, other, question))
      continue;
    weight.row += other->total.excess;
    weight.alike++;
  }
  return weight;
}

static int
compare_access_weights(const Weight *a, const Weight *b) {
  return smb_order(a->compiled, b->compiled)
             ?: smb_order(a->row, b->row) ?: smb_order(a->own, b->own);
}

// The costliest of the accesses that are asked for: as compiled, and in the text if that is the same.
static gboolean
choose_access(SmbExplanation *e, const SmbExplainQuestion *question, GError **error) {
  Weight most = {0};
  for (guint i = 0; i < e->analysis->accesses->len; i++) {
    const SmbAccess *access = get_access(e->analysis, i);
    if (!is_asked_for(e->target->kernel, access, question))
      continue;
    const Weight weight = weigh_access(e, question, access);
    if (e->choices++ > 0 && compare_access_weights(&weight, &most) <= 0)
      continue;
    most = weight;
    e->access = access;
    e->compiled_excess = weight.compiled;
    e->alike = weight.alike;
    e->index = i;
  }
  if (!e->choices)
    return refuse_place(e, question, error);
  e->is_compiled = smb_compiled_count_has(question->compiled);
  if (question->line || question->has_op)
    e->choice = e->choices > 1 ? SMB_EXPLAIN_WORST_OF_SOME : SMB_EXPLAIN_NAMED;
  else
    e->choice =
        e->access->total.excess || e->compiled_excess ? SMB_EXPLAIN_WORST : SMB_EXPLAIN_FIRST;
  return TRUE;
}

gboolean
smb_explain_has_access(const SmbTarget *target, const SmbAnalysis *analysis,
                       const SmbExplainQuestion *question) {
  for (guint i = 0; i < analysis->accesses->len; i++)
    if (is_asked_for(target->kernel, get_access(analysis, i), question))
      return TRUE;
  return FALSE;
}

static gboolean
refuse_warp(const SmbExplanation *e, guint warp, GError **error) {
  g_autoptr(GString) warps = g_string_new(NULL);
  for (guint w = 0; w < e->analysis->n_warps; w++) {
    if (e->access->warps[w].requests)
      g_string_append_printf(warps, "%s%u", warps->len ? ", " : "", w);
  }
  g_autofree char *place = smb_site_place(e->access->site);
  return smb_cli_usage_error(
      error, smb_arch_say(e->arch, "--warp '%u': it makes no request at %s: expected one of %s"),
      warp, place, warps->str);
}

// The costliest request of the access, or of one of its warps.
static gboolean
choose_request(SmbExplanation *e, const SmbExplainQuestion *question, GError **error) {
  const SmbAccessRequest *worst = NULL;
  guint worst_excess = 0;
  for (guint i = 0; i < e->analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(e->analysis->requests, SmbAccessRequest, i);
    if (made->access != e->index ||
        made->warp != (question->has_warp ? question->warp : e->access->worst_warp))
      continue;
    guint excess = smb_wavefronts_count(e->arch, &made->request).excess;
    gboolean is_worst = question->has_warp ? !worst || excess > worst_excess
                                           : smb_request_equal(&made->request, &e->access->worst);
    if (is_worst) {
      worst = made;
      worst_excess = excess;
    }
  }
  if (question->has_warp && !worst)
    return refuse_warp(e, question->warp, error);
  e->request = worst ? worst->request : e->access->worst;
  e->warp = worst ? worst->warp : e->access->worst_warp;
  e->block = question->has_warp ? worst->block : e->access->worst_block;
  e->count = worst && e->analysis->requests_dropped == 0 ? worst->count : 0;
  return TRUE;
}

// What each bank of each lane group is asked for.
static GArray *
sum_banks(const SmbExplanation *e) {
  GArray *banks = g_array_new(FALSE, FALSE, sizeof(SmbExplainBank));
  for (guint i = 0; i < e->words->len;) {
    const SmbWordUse *first = &g_array_index(e->words, SmbWordUse, i);
    SmbExplainBank bank = {.group = first->group, .bank = first->bank};
    while (i + bank.words < e->words->len && first[bank.words].group == bank.group &&
           first[bank.words].bank == bank.bank)
      bank.lanes |= first[bank.words++].lanes;
    bank.passes = smb_passes_of_bank(&e->passes, e->plan, first, bank.words);
    g_array_append_val(banks, bank);
    i += bank.words;
  }
  return banks;
}

void
smb_explain_collect(SmbExplanation *e) {
  const SmbRequest *request = &e->request;
  e->rule = smb_arch_rule(e->arch, (SmbOp)request->op, request->width);
  e->plan = smb_wavefronts_plan(e->arch, request);
  e->cost = smb_wavefronts_count(e->arch, request);
  e->passes = smb_request_passes(e->arch, request);
  e->loop = smb_wavefronts_loop(e->arch, request);
  e->words = smb_request_words(e->arch, request);
  e->banks = sum_banks(e);
  e->collides = smb_request_worst_bank(e->arch, request, &e->collision);
  if (e->passes.is_copy) {
    SmbCopy copy = smb_request_copy(e->arch, request);
    const SmbCopyPart *worst = smb_explain_worst_part(&copy);
    e->collides = worst != NULL;
    e->collision.lanes = worst ? worst->lanes : 0;
  }
  SmbLanes active = smb_request_lanes(request);
  guint lane =
      smb_lanes_first(e->collides ? e->collision.lanes : active | G_GUINT64_CONSTANT(1) << 63);
  for (SmbLanes lanes = active; lanes; lanes &= lanes - 1) {
    guint other = smb_lanes_first(lanes);
    if (smb_plan_group(e->plan, other) == smb_plan_group(e->plan, lane))
      e->group_lanes |= (SmbLanes)1 << other;
  }
  e->affine = smb_affine_find(request, e->group_lanes);
}

// --row is for what has no rows of its own, and it has two of them.
static gboolean
check_row_length(const SmbExplanation *e, const SmbArrayUse *use, guint64 row, GError **error) {
  guint64 elements = use->bytes / use->array->element_bytes;
  if (!row)
    return TRUE;
  if (use->array->n_dimensions > 1 || e->target->tile)
    return smb_cli_usage_error(error, "--row '%s': %s already has rows", smb_number(row).text,
                               use->array->name);
  return row < elements ||
         smb_cli_usage_error(error, "--row '%s': expected less than the %s elements of %s",
                             smb_number(row).text, smb_number(elements).text, use->array->name);
}

// What other paddings of the array would do.
static gboolean
collect_neighbours(SmbExplanation *e, guint64 row, GError **error) {
  e->uses = smb_array_uses_new(e->target->kernel, &e->target->launch, e->analysis);
  const SmbArrayUse *use = smb_array_uses_of(e->uses, &e->access->worst, e->access->site->opcode);
  e->array = use ? use->array : NULL;
  if (!use || use->array->n_dimensions == 0)
    return TRUE;
  if (!check_row_length(e, use, row, error))
    return FALSE;
  if (e->analysis->requests_dropped == 0)
    e->neighbours = smb_neighbours_new(e->arch, use, row, e->target->tile);
  return TRUE;
}

SmbExplanation *
smb_explanation_new(const SmbTarget *target, const SmbArch *arch, const SmbAnalysis *analysis,
                    const SmbExplainQuestion *question, GError **error) {
  g_autoptr(SmbExplanation) e = g_new0(SmbExplanation, 1);
  g_return_val_if_fail(analysis->requests && analysis->accesses->len > 0, NULL);
  e->target = target;
  e->arch = arch;
  e->analysis = analysis;
  if (!choose_access(e, question, error) || !choose_request(e, question, error))
    return NULL;
  smb_explain_collect(e);
  if (!collect_neighbours(e, question->row, error))
    return NULL;
  return g_steal_pointer(&e);
}
