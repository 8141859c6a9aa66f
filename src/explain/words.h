// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an explanation says, in sentences: each is made of the request and the rule at hand, and true of any.
// Every text is without line feeds.
#pragma once

#include "sim/count/copy.h"
#include "src/explain/explain.h"

/** smb_explain_choice: Returns: (transfer full): which access this is and why it, and by which request */
char *smb_explain_choice(const SmbExplanation *explanation);

/** Whether the request copies from global memory, and it is known from where: it is counted by both sides. */
gboolean smb_explain_is_copy(const SmbExplanation *e);

/** Adds how such a request is served (src/explain/copy.c). */
void smb_explain_append_copy_rule(GString *text, const SmbExplanation *e);

/** smb_explain_copy_meeting: Returns: (transfer full): as smb_explain_meeting(), of such a request */
char *smb_explain_copy_meeting(const SmbExplanation *e);

/** smb_explain_worst_part: Returns: (transfer none) (nullable): the part that takes the most wavefronts in excess; %NULL: none
 * takes any */
const SmbCopyPart *smb_explain_worst_part(const SmbCopy *copy);

/** smb_explain_rule: Returns: (transfer full): how the device serves such a request */
char *smb_explain_rule(const SmbExplanation *explanation);

/** smb_explain_meeting: Returns: (transfer full): which lanes wait for each other, and how many passes that takes */
char *smb_explain_meeting(const SmbExplanation *explanation);

/** smb_explain_sharing: Returns: (transfer full) (nullable): which lanes share a word, and whether that is free */
char *smb_explain_sharing(const SmbExplanation *explanation);

/** smb_explain_reason: Returns: (transfer full): the arithmetic behind it, where the offsets have some (src/explain/reason.c) */
char *smb_explain_reason(const SmbExplanation *explanation);

/** smb_explain_padding: Returns: (transfer full): what other paddings would do, or why that is unknown
 * (src/explain/cost.c) */
char *smb_explain_padding(const SmbExplanation *explanation);

/** smb_explain_fit: Returns: (transfer full): why a padding cannot be, or what it takes; "" if nothing is to be said */
char *smb_explain_fit(const SmbExplanation *explanation, const SmbNeighbour *neighbour);

/**
 * SmbExplainCost: what an access costs the block's multiprocessor, over all of its requests
 * @all_wavefronts: of all shared accesses
 * @cycles: of the access, under saturation
 * @ideal_cycles: with as few wavefronts as there can be; 0 if its requests are not all known
 * @view_ideal: what the Source view of Nsight Compute takes for the ideal of these requests, which knows no
 *   merged lanes (smb_wavefronts_view_ideal()); 0 of what does not merge, and if the requests are not all known
 */
typedef struct {
  guint64 all_wavefronts;
  guint64 cycles;
  guint64 ideal_cycles;
  guint64 view_ideal;
} SmbExplainCost;

SmbExplainCost smb_explain_cost(const SmbExplanation *explanation);

/** smb_explain_describe_cost: Returns: (transfer full): what it costs, and what profilers make of it */
char *smb_explain_describe_cost(const SmbExplanation *explanation);
