// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts the requests of a kernel, and recalls what it counted: a loop asks for one row of an array after the other,
// and a request that is another one moved by some words costs the same.
#pragma once

#include "sim/count/wavefront.h"

G_BEGIN_DECLS

/**
 * SmbCosts: what a request costs
 * @pipe: as the pipe of shared memory serves it (smb_wavefronts_count())
 * @counted: as the analysis counts it: the same, or as profilers do per instruction (smb_wavefronts_by_instruction())
 */
typedef struct {
  SmbWavefronts pipe;
  SmbWavefronts counted;
} SmbCosts;

/** The last request of each of some sites, with its costs; of one thread. */
typedef struct _SmbRecall SmbRecall;

/**
 * smb_recall_new:
 * @arch: an architecture, which has to live longer
 * @counter: an available implementation
 * @by_instruction: whether requests are counted as profilers do per instruction
 *
 * Returns: (transfer full): a memory without requests
 */
SmbRecall *smb_recall_new(const SmbArch *arch, SmbCounter counter, gboolean by_instruction);
void smb_recall_free(SmbRecall *recall);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRecall, smb_recall_free)

/**
 * smb_recall_count:
 * @recall: what was counted before
 * @site: who asks; any number. Sites that ask alike again and again are served fastest
 * @request: a request as smb_wavefronts_count() wants it
 *
 * Returns: (transfer none): its costs, until the next call: those that are counted without a memory
 */
const SmbCosts *smb_recall_count(SmbRecall *recall, guint site, const SmbRequest *request);

G_END_DECLS
