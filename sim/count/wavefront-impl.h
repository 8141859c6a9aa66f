// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the implementations of the counter share: counting lane groups, and turning the passes of the
// groups into the result. Private to sim/count/wavefront*.c.
//
// Narrow plans (sim/arch/arch.h, SmbRule) are counted fast, by three implementations that see a request the same way.
// The banks of all lane groups stand side by side: at most 32 virtual banks, so a set of banks is one word of
// bits, like a set of lanes. If no virtual bank is asked twice, every group is done in one pass, whatever the
// rule is. All other plans are counted by wavefront-general.c, copies from global memory by wavefront-copy.c.
#pragma once

#include "sim/arch/rule.h"
#include "sim/base/processor.h"
#include "sim/count/wavefront.h"

// What an implementation finds out about one request under one plan.
typedef struct {
  guint group_passes; // sum over the lane groups of the most passes that one of its banks needs
  guint groups;       // lane groups that hold an active lane
  guint degree;       // most distinct words that one group asks of one bank
} Passes;

// The highest lane of every lane group.
static inline guint32
top_lanes(guint group_shift) {
  static const guint32 tops[] = {
      0xffffffffu, 0xaaaaaaaau, 0x88888888u, 0x80808080u, 0x80008000u, 0x80000000u,
  };
  return tops[group_shift];
}

// The highest lane of every lane group that holds one of @lanes: adding all lanes below the top ones
// carries into the top one of a group that is not empty.
static inline guint32
occupied_groups(guint32 lanes, guint32 tops) {
  return (((lanes & ~tops) + ~tops) | lanes) & tops;
}

// Number of lane groups that hold one of @lanes.
static inline guint
count_groups(guint32 lanes, guint group_shift) {
  return (guint)__builtin_popcount(occupied_groups(lanes, top_lanes(group_shift)));
}

static inline SmbWavefronts
finish_count(const SmbPlan *plan, Passes passes) {
  SmbWavefronts result;
  result.wavefronts = passes.group_passes * plan->passes;
  result.ideal = passes.groups * plan->passes;
  result.excess = result.wavefronts - result.ideal;
  result.degree = passes.degree;
  guint32 cycles = result.wavefronts * plan->cycles;
  result.cycles = passes.groups == 0 ? 0 : MAX(cycles, (guint32)plan->floor);
  return result;
}

// What @lanes cost when no bank is asked twice.
static inline SmbWavefronts
finish_clean(const SmbPlan *plan, guint32 lanes) {
  guint groups = count_groups(lanes, plan->group_shift);
  return finish_count(plan, (Passes){groups, groups, groups != 0});
}

// Counts one request with a narrow plan: also what the vector versions leave to the portable one.
G_GNUC_INTERNAL Passes smb_count_passes_narrow(const SmbPlan *plan, const SmbRequest *request);

// Counts one request with any plan.
__attribute__((cold)) G_GNUC_INTERNAL Passes smb_count_passes_general(const SmbPlan *plan,
                                                                      const SmbRequest *request);

// Counts one request that says where it copies from.
G_GNUC_INTERNAL SmbWavefronts smb_count_copy(const SmbPlan *plan, const SmbRequest *request);

enum {
  NARROW_LANES = 32,
  SPARE_BANK = 32 // where lanes that access nothing are put
};

// The lanes of one request, each with its virtual bank and the key of what it asks there: lanes of one
// group with one key are in one bank and are served together. The key of a word is its row and bank: rows
// have at least 64 bytes, so that both fit.
typedef struct {
  guint32 bank[NARROW_LANES];
  guint32 key[NARROW_LANES];
} LaneKeys;

// From the number of keys of each bank to the passes of its groups.
static inline Passes
sum_banks(const SmbPlan *plan, guint32 lanes, const guint8 *counts) {
  Passes passes = {0, count_groups(lanes, plan->group_shift), 0};
  guint n_banks = 1u << plan->bank_bits;
  for (guint first = 0; first < n_banks << (5 - plan->group_shift); first += n_banks) {
    guint8 most = 0;
    for (guint bank = first; bank < first + n_banks; bank++)
      most = MAX(most, counts[bank]);
    passes.group_passes += most;
    passes.degree = MAX(passes.degree, most);
  }
  return passes;
}

// The lanes that have a key.
static inline guint32
find_key(const guint32 *keys, guint32 key) {
  static const guint32 bits[NARROW_LANES] = {SMB_LANE_BITS};
  guint32 lanes = 0;
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    lanes |= keys[lane] == key ? bits[lane] : 0;
  return lanes;
}

// A request that asks some bank twice, unless its lanes wait for one broadcast. Counts the keys of each bank: the last
// lane of a bank stands for all that share its key, which settles most lanes of most requests; each lane that is left
// counts if no lane before it has its key. Inlined, it uses what registers the caller may use.
__attribute__((always_inline)) static inline Passes
count_keys(const SmbPlan *plan, const LaneKeys *keys, guint32 lanes) {
  guint group_lanes = 1u << plan->group_shift;
  guint32 group = (guint32)((1ull << group_lanes) - 1);
  guint32 claimed[SPARE_BANK + 1];
  guint8 counts[SPARE_BANK + 1] = {0};
  guint32 left = 0;

  for (guint lane = 0; lane < NARROW_LANES; lane++) {
    claimed[keys->bank[lane]] = keys->key[lane];
    counts[keys->bank[lane]] = 1;
  }
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    left |= (guint32)(claimed[keys->bank[lane]] != keys->key[lane]) << lane;
  left &= lanes;
  for (guint32 rest = left; rest; rest &= rest - 1) {
    guint lane = (guint)__builtin_ctz(rest);
    guint32 before = left & ~rest & group << (lane & ~(group_lanes - 1));
    counts[keys->bank[lane]] += !(before && find_key(keys->key, keys->key[lane]) & before);
  }
  Passes passes = sum_banks(plan, lanes, counts);
  if (plan->conflict == SMB_CONFLICT_LANES) {
    guint8 queues[SPARE_BANK + 1] = {0};
    for (guint lane = 0; lane < NARROW_LANES; lane++)
      queues[keys->bank[lane]]++;
    passes.group_passes = sum_banks(plan, lanes, queues).group_passes;
  }
  return passes;
}

// Counts one request whose rule is not narrow: all versions leave it to this. Cold, so that the registers of the
// vector versions are kept for the other rules.
__attribute__((cold)) G_GNUC_INTERNAL SmbWavefronts smb_count_general(const SmbRule *rule,
                                                                      const SmbRequest *request);

// Whether a request has the operation and width of another one.
static inline gboolean
is_alike(const SmbRequest *a, const SmbRequest *b) {
  return a->op == b->op && a->width == b->width;
}

// Whether every active lane of the first 32 accesses what it accesses in another request, @distance bytes on. Inlined,
// it becomes vectors of its caller's kind.
__attribute__((always_inline)) static inline gboolean
is_moved(const SmbRequest *request, const SmbRequest *other, guint32 distance) {
  static const guint32 bits[NARROW_LANES] = {SMB_LANE_BITS};
  guint32 lanes = (guint32)request->mask, strays = 0;
  for (guint lane = 0; lane < NARROW_LANES; lane++) {
    guint32 stray = (request->offset[lane] - other->offset[lane]) ^ distance;
    strays |= lanes & bits[lane] ? stray : 0;
  }
  return strays == 0;
}

// The same by an implementation of the counter.
G_GNUC_INTERNAL gboolean smb_request_is_moved(SmbCounter counter, const SmbRequest *request,
                                              const SmbRequest *other, guint32 distance);

// The loop over many requests that the versions with vector registers share: a rule is prepared once for all
// requests of one operation and width that follow each other, and of a single one only the plan that it takes. A
// version has the types Prepared and Offsets and, all with @attributes, the functions prepare_plan_VERSION(),
// load_offsets_VERSION(), is_mergeable_VERSION() and count_request_VERSION().
#define DEFINE_COUNT_SPAN(name, version, attributes)                                               \
  attributes static gsize count_plain(const SmbPlan *plan, const SmbRequest *requests, gsize n,    \
                                      SmbWavefronts *out) {                                        \
    gsize done = 0;                                                                                \
    Prepared plain;                                                                                \
    prepare_plan_##version(plan, &plain);                                                          \
    do                                                                                             \
      out[done] = count_request_##version(&plain, &requests[done],                                 \
                                          load_offsets_##version(&requests[done]));                \
    while (++done < n && is_alike(&requests[done], requests));                                     \
    return done;                                                                                   \
  }                                                                                                \
                                                                                                   \
  attributes static gsize count_merging(const SmbRule *rule, const SmbRequest *requests, gsize n,  \
                                        SmbWavefronts *out) {                                      \
    gsize done = 0;                                                                                \
    Prepared plain, merged;                                                                        \
    prepare_plan_##version(&rule->plan, &plain);                                                   \
    prepare_plan_##version(&rule->merged, &merged);                                                \
    do {                                                                                           \
      const SmbRequest *request = &requests[done];                                                 \
      Offsets offset = load_offsets_##version(request);                                            \
      gboolean merges = is_mergeable_##version(offset, (guint32)request->mask);                    \
      out[done] = count_request_##version(merges ? &merged : &plain, request, offset);             \
    } while (++done < n && is_alike(&requests[done], requests));                                   \
    return done;                                                                                   \
  }                                                                                                \
                                                                                                   \
  attributes void name(const SmbArch *arch, const SmbRequest *requests, gsize n,                   \
                       SmbWavefronts *out) {                                                       \
    for (gsize done; n > 0; requests += done, out += done, n -= done) {                            \
      const SmbRule *rule = smb_arch_rule(arch, (SmbOp)requests->op, requests->width);             \
      done = 1;                                                                                    \
      if (!rule->narrow)                                                                           \
        *out = smb_count_general(rule, requests);                                                  \
      else if (rule->merges && n > 1)                                                              \
        done = count_merging(rule, requests, n, out);                                              \
      else if (rule->merges &&                                                                     \
               is_mergeable_##version(load_offsets_##version(requests), (guint32)requests->mask))  \
        done = count_plain(&rule->merged, requests, n, out);                                       \
      else                                                                                         \
        done = count_plain(&rule->plan, requests, n, out);                                         \
    }                                                                                              \
  }

G_GNUC_INTERNAL void smb_count_span_portable(const SmbArch *arch, const SmbRequest *requests,
                                             gsize n, SmbWavefronts *out);
G_GNUC_INTERNAL gboolean smb_is_moved_portable(const SmbRequest *request, const SmbRequest *other,
                                               guint32 distance);

#if SMB_HAVE_X86
G_GNUC_INTERNAL void smb_count_span_avx2(const SmbArch *arch, const SmbRequest *requests, gsize n,
                                         SmbWavefronts *out);
G_GNUC_INTERNAL gboolean smb_is_moved_avx2(const SmbRequest *request, const SmbRequest *other,
                                           guint32 distance);
G_GNUC_INTERNAL gboolean smb_is_moved_avx512(const SmbRequest *request, const SmbRequest *other,
                                             guint32 distance);
G_GNUC_INTERNAL void smb_count_span_avx512(const SmbArch *arch, const SmbRequest *requests, gsize n,
                                           SmbWavefronts *out);
#endif
