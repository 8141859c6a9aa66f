// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which plan serves a request, and which implementation counts it.
#include "sim/count/wavefront.h"

#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

gboolean
smb_request_pairs_agree(const SmbRequest *request, SmbLanes lanes, guint x) {
  SmbLanes lower = smb_pairs_lower(x);
  for (SmbLanes both = lanes & lanes >> x & lower; both; both &= both - 1) {
    guint lane = smb_lanes_first(both);
    if (request->offset[lane] != request->offset[lane + x])
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_request_mergeable(const SmbRequest *request) {
  return smb_request_pairs_agree(request, request->mask, 1) ||
         smb_request_pairs_agree(request, request->mask, 2);
}

const SmbPlan *
smb_wavefronts_plan(const SmbArch *arch, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  gboolean merges = rule->merges && rule->plan.conflict != SMB_CONFLICT_LOOP;
  return merges && smb_request_mergeable(request) ? &rule->merged : &rule->plan;
}

// The implementations; NULL: not compiled for this kind of machine.
static const struct {
  const char *name;
  void (*count_span)(const SmbArch *arch, const SmbRequest *requests, gsize n, SmbWavefronts *out);
  gboolean (*is_moved)(const SmbRequest *request, const SmbRequest *other, guint32 distance);
} counters[SMB_N_COUNTERS] = {
    [SMB_COUNTER_PORTABLE] = {"portable", smb_count_span_portable, smb_is_moved_portable},
#if SMB_HAVE_X86
    [SMB_COUNTER_AVX2] = {"avx2", smb_count_span_avx2, smb_is_moved_avx2},
    [SMB_COUNTER_AVX512] = {"avx512", smb_count_span_avx512, smb_is_moved_avx512},
#else
    [SMB_COUNTER_AVX2] = {"avx2", NULL, NULL},
    [SMB_COUNTER_AVX512] = {"avx512", NULL, NULL},
#endif
};

const char *
smb_counter_name(SmbCounter counter) {
  return counters[counter].name;
}

// They are numbered as the kinds of processor that they are for.
SmbCounter
smb_counter_best(void) {
  return (SmbCounter)smb_processor();
}

// Each needs what those before it need, and more.
gboolean
smb_counter_available(SmbCounter counter) {
  return counter <= smb_counter_best();
}

void
smb_wavefronts_count_span(const SmbArch *arch, SmbCounter counter, const SmbRequest *requests,
                          gsize n, SmbWavefronts *out) {
  g_return_if_fail(smb_counter_available(counter));
  counters[counter].count_span(arch, requests, n, out);
}

gboolean
smb_request_is_moved(SmbCounter counter, const SmbRequest *request, const SmbRequest *other,
                     guint32 distance) {
  return counters[counter].is_moved(request, other, distance);
}

SmbWavefronts
smb_wavefronts_count(const SmbArch *arch, const SmbRequest *request) {
  SmbWavefronts result;
  counters[smb_processor()].count_span(arch, request, 1, &result);
  return result;
}
