// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which plan serves a request, and which implementation counts it.
#include "sim/count/wavefront.h"

#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

// Whether all active pairs lane, lane^@x have one address; @lower: the lanes whose bit @x is clear.
static gboolean
do_pairs_agree(const SmbRequest *request, guint x, SmbLanes lower) {
  for (SmbLanes both = request->mask & request->mask >> x & lower; both; both &= both - 1) {
    guint lane = smb_lanes_first(both);
    if (request->offset[lane] != request->offset[lane + x])
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_request_mergeable(const SmbRequest *request) {
  return do_pairs_agree(request, 1, G_GUINT64_CONSTANT(0x5555555555555555)) ||
         do_pairs_agree(request, 2, G_GUINT64_CONSTANT(0x3333333333333333));
}

const SmbPlan *
smb_wavefronts_plan(const SmbArch *arch, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  gboolean merges = rule->merges && rule->plan.conflict != SMB_CONFLICT_LOOP;
  return merges && smb_request_mergeable(request) ? &rule->merged : &rule->plan;
}

const char *
smb_counter_name(SmbCounter counter) {
  static const char *const names[SMB_N_COUNTERS] = {"portable", "avx2", "avx512"};
  return names[counter];
}

#if SMB_HAVE_X86_COUNTERS
static gboolean
has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("popcnt");
}

static gboolean
has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni") && has_avx2();
}
#else
static gboolean
has_avx2(void) {
  return FALSE;
}

static gboolean
has_avx512(void) {
  return FALSE;
}
#endif

gboolean
smb_counter_available(SmbCounter counter) {
  switch (counter) {
  case SMB_COUNTER_PORTABLE:
    return TRUE;
  case SMB_COUNTER_AVX2:
    return has_avx2();
  case SMB_COUNTER_AVX512:
    return has_avx512();
  case SMB_N_COUNTERS:
    break;
  }
  return FALSE;
}

SmbCounter
smb_counter_best(void) {
  if (has_avx512())
    return SMB_COUNTER_AVX512;
  return has_avx2() ? SMB_COUNTER_AVX2 : SMB_COUNTER_PORTABLE;
}

static void
count_span(const SmbArch *arch, SmbCounter counter, const SmbRequest *requests, gsize n,
           SmbWavefronts *out) {
#if SMB_HAVE_X86_COUNTERS
  if (counter == SMB_COUNTER_AVX512) {
    smb_count_span_avx512(arch, requests, n, out);
    return;
  }
  if (counter == SMB_COUNTER_AVX2) {
    smb_count_span_avx2(arch, requests, n, out);
    return;
  }
#else
  (void)counter;
#endif
  smb_count_span_portable(arch, requests, n, out);
}

void
smb_wavefronts_count_span(const SmbArch *arch, SmbCounter counter, const SmbRequest *requests,
                          gsize n, SmbWavefronts *out) {
  g_return_if_fail(smb_counter_available(counter));
  count_span(arch, counter, requests, n, out);
}

SmbWavefronts
smb_wavefronts_count(const SmbArch *arch, const SmbRequest *request) {
  SmbWavefronts result;
  count_span(arch, smb_counter_best(), request, 1, &result);
  return result;
}
