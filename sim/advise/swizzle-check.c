// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/swizzle-check.h"
#include "sim/arch/rule.h"

// What is asked.
typedef struct {
  const SmbArch *arch;
  const SmbArray *array;
  const SmbLayout *original;
  const SmbLayout *layout;
} Question;

static gboolean
is_power_of_two(guint number) {
  return (number & (number - 1)) == 0;
}

// The bits from @first of an element's number, as bits of its byte offset.
static guint64
find_element_bits(const SmbLayout *layout, guint first) {
  if (!is_power_of_two(layout->element_bytes))
    return 0;
  return ((G_GUINT64_CONSTANT(1) << layout->bits) - 1)
         << (first + (guint)__builtin_ctz(layout->element_bytes));
}

// The bits of the byte offset that choose the bank for the worst request, if bits do.
static guint64
find_bank_bits(const Question *question, const SmbPlan *plan) {
  const SmbLayout *layout = question->layout;
  guint64 all_banks = (guint64)plan->banks * plan->bank_bytes;
  if (layout->pad || !is_power_of_two(layout->element_bytes) || question->array->base % all_banks)
    return 0;
  return all_banks - smb_width_alignment(plan->unit_bytes);
}

// The bits in which what the lanes of the collision ask for differs, without padding.
static guint64
find_lane_bits(const Question *question, const SmbLayoutCheck *check) {
  const SmbLayout *original = question->original;
  guint64 any = 0, all = G_MAXUINT64, n;
  for (SmbLanes lanes = check->collision.lanes; lanes; lanes &= lanes - 1) {
    guint32 offset = check->worst_now.offset[smb_lanes_first(lanes)] - question->array->base;
    if (!smb_layout_find(original, offset, &n))
      continue;
    guint64 byte = n * original->element_bytes + offset % original->element_bytes;
    any |= byte;
    all &= byte;
  }
  return any & ~all;
}

// The bits of @bits, which the swizzle reads, that it XORs into bits that choose the bank.
static guint64
find_effective(const SmbLayoutCheck *check, guint64 bits, int shift) {
  return shift >= 0 ? bits & check->bank_bits << shift : bits & check->bank_bits >> -shift;
}

static SmbFault
find_fault(const Question *question, SmbLayoutCheck *check) {
  const SmbLayout *layout = question->layout;
  if (check->fit != SMB_LAYOUT_FITS)
    return SMB_FAULT_MISFIT;
  if (check->cost.excess == 0)
    return SMB_FAULT_NONE;
  const SmbPlan *plan = smb_wavefronts_plan(question->arch, &check->worst);
  guint64 within_word = smb_width_alignment(plan->unit_bytes) - 1u;
  check->bank_bits = find_bank_bits(question, plan);
  if (!smb_request_worst_bank(question->arch, &check->worst, &check->collision))
    return layout->bits ? SMB_FAULT_NO_BITS : SMB_FAULT_UNSWIZZLED;
  check->lane_bits = find_lane_bits(question, check);
  check->read = check->lane_bits & check->source_bits;
  check->unread = check->lane_bits & ~(check->source_bits | check->bank_bits | within_word);
  if (!(check->lane_bits & ~within_word))
    return SMB_FAULT_SAME;
  if (layout->bits == 0)
    return SMB_FAULT_UNSWIZZLED;
  if (!check->bank_bits)
    return SMB_FAULT_NO_BITS;
  if (!(check->target_bits & check->bank_bits))
    return SMB_FAULT_TARGET;
  if (!check->read)
    return SMB_FAULT_SOURCE;
  if (check->unread || find_effective(check, check->read, layout->shift) != check->read)
    return SMB_FAULT_TOO_FEW;
  return SMB_FAULT_CANCELS;
}

// Adds what one request of the access costs now and in the layout.
static void
check_swizzled_request(const Question *question, const SmbArrayRequest *asked,
                       SmbLayoutCheck *check) {
  const SmbAccessRequest *made = asked->made;
  SmbRequest moved;
  SmbWavefronts now = smb_wavefronts_count(question->arch, &made->request);
  check->width = made->request.width;
  smb_tally_count(&check->original, &now, made->count);
  if (check->fit != SMB_LAYOUT_FITS)
    return;
  check->fit = asked->whole ? smb_layout_move(question->original, question->layout,
                                              question->array->base, &made->request, &moved)
                            : SMB_LAYOUT_OUTSIDE;
  if (check->fit != SMB_LAYOUT_FITS) {
    check->cost = (SmbTally){0};
    return;
  }
  SmbWavefronts cost = smb_wavefronts_count(question->arch, &moved);
  if (check->cost.requests == 0 || cost.excess > check->worst_cost.excess) {
    check->worst = moved;
    check->worst_cost = cost;
    check->worst_now = made->request;
  }
  smb_tally_count(&check->cost, &cost, made->count);
}

// What all requests of an access say together.
static void
finish_check(const Question *question, SmbLayoutCheck *check) {
  const SmbLayout *layout = question->layout;
  if (check->width > layout->element_bytes && is_power_of_two(layout->element_bytes))
    check->needed_base = (guint)__builtin_ctz(check->width / layout->element_bytes);
  check->source_bits =
      find_element_bits(layout, layout->base + (layout->shift > 0 ? (guint)layout->shift : 0));
  check->target_bits =
      find_element_bits(layout, layout->base + (layout->shift < 0 ? (guint)-layout->shift : 0));
  check->fault = find_fault(question, check);
  if (check->fault == SMB_FAULT_NONE || check->fault == SMB_FAULT_MISFIT) {
    check->worst = check->worst_now = (SmbRequest){.mask = 0};
    check->worst_cost = (SmbWavefronts){0};
  }
}

GArray *
smb_layout_check(const SmbArch *arch, const SmbArrayUse *use, const SmbLayout *original,
                 const SmbLayout *layout) {
  const Question question = {arch, use->array, original, layout};
  GArray *checks = g_array_new(FALSE, FALSE, sizeof(SmbLayoutCheck));
  // The requests of an access follow each other.
  for (guint i = 0; i < use->requests->len; i++) {
    const SmbArrayRequest *asked = &g_array_index(use->requests, SmbArrayRequest, i);
    SmbLayoutCheck fresh = {.access = asked->made->access};
    if (checks->len == 0 ||
        g_array_index(checks, SmbLayoutCheck, checks->len - 1).access != fresh.access)
      g_array_append_val(checks, fresh);
    check_swizzled_request(&question, asked,
                           &g_array_index(checks, SmbLayoutCheck, checks->len - 1));
  }
  for (guint i = 0; i < checks->len; i++)
    finish_check(&question, &g_array_index(checks, SmbLayoutCheck, i));
  return checks;
}
