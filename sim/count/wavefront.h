// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How many passes hardware needs to serve a warp request. This is the model; doc/model.md has the
// evidence for each rule. The counter knows addresses only: no time, no other requests, no arbitration.
#pragma once

#include <glib.h>

#include "sim/arch/arch.h"
#include "sim/base/processor.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

/**
 * SmbWavefronts:
 * @wavefronts: passes through the shared-memory data stage (nvprof said transactions)
 * @ideal: passes of the same instruction with the same active lanes if no two words met in a bank: one
 *   for each lane group that holds an active lane, or for each at all where empty groups count (times the
 *   passes of one group: two for cas); of a loop, what one round needs then
 * @excess: @wavefronts − @ideal
 * @degree: most distinct words that one lane group asks of one bank ("N-way"); for a wide access a word
 *   is what one lane asks of its neighbouring banks; words of one row that a bank serves together count
 *   once; of stores that wait within a word (compute capability 1.x) it is addresses
 * @cycles: cycles of the request under saturation: at least the floor of its width
 *
 * All are 0 for a request without an active lane.
 */
typedef struct {
  guint32 wavefronts;
  guint32 ideal;
  guint32 excess;
  guint32 degree;
  guint32 cycles;
} SmbWavefronts;

/** Implementations of the counter, by the kind of processor that they are for (sim/base/processor.h); all give the same
 * results. */
typedef enum {
  SMB_COUNTER_PORTABLE = SMB_PROCESSOR_ANY, /* C11 */
  SMB_COUNTER_AVX2 = SMB_PROCESSOR_AVX2,
  SMB_COUNTER_AVX512 = SMB_PROCESSOR_AVX512,
  SMB_N_COUNTERS
} SmbCounter;

/** Name of an implementation: "portable", "avx2", "avx512" (transfer none). */
const char *smb_counter_name(SmbCounter counter);

/** Whether this machine can run an implementation. */
gboolean smb_counter_available(SmbCounter counter);

/**
 * smb_wavefronts_count:
 * @arch: an architecture
 * @request: a request that passed smb_request_check() and smb_arch_check_request()
 *
 * Returns: what @request costs on @arch. Cannot fail. Uses the best implementation of this machine.
 */
SmbWavefronts smb_wavefronts_count(const SmbArch *arch, const SmbRequest *request);

/**
 * smb_wavefronts_count_span:
 * @arch: an architecture
 * @counter: an available implementation
 * @requests: (array length=n): requests as smb_wavefronts_count() wants them
 * @n: their number
 * @out: (array length=n) (out caller-allocates): what each costs
 *
 * Counts many requests, of any operations and widths mixed, with one implementation.
 */
void smb_wavefronts_count_span(const SmbArch *arch, SmbCounter counter, const SmbRequest *requests,
                               gsize n, SmbWavefronts *out);

/** The fastest implementation that this machine can run. */
SmbCounter smb_counter_best(void);

/**
 * SmbLoop: what a request of an atomic that is a loop becomes
 * @rounds: times that the warp goes round: in each, the remaining lanes load and try to swap. It executes
 *   that many loads and as many swaps
 * @load_wavefronts: wavefronts of the loads, which profilers count among those of loads
 * @swap_wavefronts: wavefronts of the swaps, which they count among those of atomics
 * @round: of each active lane: the round, from 0, in which its swap succeeds
 *
 * The wavefronts of the request are @load_wavefronts + @swap_wavefronts.
 */
typedef struct {
  guint rounds;
  guint load_wavefronts;
  guint swap_wavefronts;
  guint8 round[SMB_MAX_LANES];
} SmbLoop;

/**
 * smb_wavefronts_loop:
 * @arch: an architecture
 * @request: a request as smb_wavefronts_count() wants it
 *
 * Returns: the rounds of @request if its rule is a loop (SMB_CONFLICT_LOOP), else zeros. They are those
 *   of a warp alone each of whose swaps changes what it swaps: other warps on the same words add some.
 */
SmbLoop smb_wavefronts_loop(const SmbArch *arch, const SmbRequest *request);

/** The lower lanes of the pairs lane, lane^@x; @x is 1 or 2. */
static inline SmbLanes
smb_pairs_lower(guint x) {
  return x == 1 ? G_GUINT64_CONSTANT(0x5555555555555555) : G_GUINT64_CONSTANT(0x3333333333333333);
}

/** Whether all pairs lane, lane^@x of which both are among @lanes have one address; @x is 1 or 2. */
gboolean smb_request_pairs_agree(const SmbRequest *request, SmbLanes lanes, guint x);

/** Whether the request is served by the merged plan of its rule: for x = 1 or x = 2, every active lane
 * whose partner lane^x is active too has its partner's address (measured: an inactive partner
 * never objects). */
gboolean smb_request_mergeable(const SmbRequest *request);

/** The plan that serves this request: its rule's plan, or the merged one (transfer none). Of a loop: the
 * rule's plan, by which it swaps. */
const SmbPlan *smb_wavefronts_plan(const SmbArch *arch, const SmbRequest *request);

/**
 * smb_wavefronts_copy_is_known:
 *
 * Returns: of a request that copies from global memory, whether it and its rule say where it comes from; else the
 *   shared side alone is counted, which is the least
 */
gboolean smb_wavefronts_copy_is_known(const SmbArch *arch, const SmbRequest *request);

G_END_DECLS
