// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One request of each site is kept. Where all lanes ask some words further on, those that met in a bank meet again, and
// words that were one stay one, so that every rule sees the same request: the banks are turned, no more. A site that
// asks for something else each time is compared but seldom: that would cost more than it saves.
#include "sim/count/recall.h"

#include <string.h>

#include "sim/arch/rule.h"
#include "sim/count/instruction-counter.h"
#include "sim/count/wavefront-impl.h"

// After PATIENCE requests that were strange each time, two of SELDOM are compared: one is kept, and the next one
// compared with it.
enum {
  N_SLOTS = 64,
  PATIENCE = 8,
  SELDOM = 128,
};

// What is kept of a site, or of those that share its slot.
typedef struct {
  guint strange; // requests in a row that were not the one that is kept
  SmbRequest request;
  SmbCosts costs;
  guint32 step_mask; // distances by which it may be moved have none of these bits
} Slot;

struct _SmbRecall {
  const SmbArch *arch;
  SmbCounter counter;
  gboolean by_instruction;
  SmbCosts costs; // of a request that is not kept
  Slot slots[N_SLOTS];
};

SmbRecall *
smb_recall_new(const SmbArch *arch, SmbCounter counter, gboolean by_instruction) {
  SmbRecall *recall = g_new0(SmbRecall, 1);
  recall->arch = arch;
  recall->counter = counter;
  recall->by_instruction = by_instruction;
  return recall;
}

void
smb_recall_free(SmbRecall *recall) {
  g_free(recall);
}

static void
count_unrecalled(const SmbRecall *recall, const SmbRequest *request, SmbCosts *costs) {
  smb_wavefronts_count_span(recall->arch, recall->counter, request, 1, &costs->pipe);
  costs->counted = costs->pipe;
  if (recall->by_instruction)
    costs->counted = smb_wavefronts_by_instruction(recall->arch, request, &costs->pipe);
}

// What a request may be moved by, or a multiple of it: a word; a row if a bank serves several words of one together.
static guint32
find_plan_step(const SmbPlan *plan) {
  gboolean is_plain = plan->unit_shift + plan->bank_bits == plan->row_shift;
  return 1u << (is_plain ? plan->unit_shift : plan->row_shift);
}

// Keeps a request of a rule of 32 lanes; what a copy costs depends on its source, too.
static gboolean
keep(const SmbRecall *recall, const SmbRequest *request, Slot *slot) {
  const SmbRule *rule = smb_arch_rule(recall->arch, (SmbOp)request->op, request->width);
  if (!rule->narrow || request->has_source || !request->mask)
    return FALSE;
  slot->step_mask =
      MAX(find_plan_step(&rule->plan), rule->merges ? find_plan_step(&rule->merged) : 1) - 1;
  memcpy(&slot->request, request, G_STRUCT_OFFSET(SmbRequest, offset[NARROW_LANES]));
  return TRUE;
}

static gboolean
is_kept(const SmbRecall *recall, const SmbRequest *request, const Slot *slot) {
  if (request->mask != slot->request.mask || !is_alike(request, &slot->request) ||
      request->has_source)
    return FALSE;
  guint first = smb_lanes_first(request->mask);
  guint32 distance = request->offset[first] - slot->request.offset[first];
  return !(distance & slot->step_mask) &&
         smb_request_is_moved(recall->counter, request, &slot->request, distance);
}

const SmbCosts *
smb_recall_count(SmbRecall *recall, guint site, const SmbRequest *request) {
  Slot *slot = &recall->slots[site % N_SLOTS];
  gboolean compares = slot->strange < PATIENCE || slot->strange % SELDOM < 2;
  if (compares && slot->request.mask && is_kept(recall, request, slot)) {
    slot->strange = 0;
    return &slot->costs;
  }
  slot->strange++;
  SmbCosts *costs = compares && keep(recall, request, slot) ? &slot->costs : &recall->costs;
  count_unrecalled(recall, request, costs);
  return costs;
}
