// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Why an access costs what it costs: which one is looked at, and by which of its requests; what is known of
// that request, collected once for all formats. The sentences (src/explain-*.c) are made of these facts.
#pragma once

#include "sim/advise/neighbour.h"
#include "sim/base/text.h"
#include "sim/count/affine-offsets.h"
#include "sim/count/conflict.h"
#include "sim/count/passes.h"
#include "src/analysis/compiled-count.h"

/**
 * SmbExplainQuestion: what is asked; zeros: the costliest access, by its costliest request
 * @file: (nullable): of @line; its last parts will do
 * @line: of the access
 * @column: of the access, where a line has several
 * @has_op: whether @op is asked for: a load and a store may be in one place ("s[i] += 1")
 * @row: elements of a row of an array of one dimension, padding included
 * @has_warp: whether @warp is asked for
 * @compiled: (nullable): what a compiler makes of the text: the costliest access is that of which this costs most
 */
typedef struct {
  const char *file;
  guint line;
  guint column;
  gboolean has_op;
  SmbOpClass op;
  guint64 row;
  gboolean has_warp;
  guint warp;
  const SmbCompiledCount *compiled;
} SmbExplainQuestion;

/** smb_explain_describe_line: Returns: (transfer full): --line as it was given */
char *smb_explain_describe_line(const SmbExplainQuestion *question);

/** Why it is this access. */
typedef enum {
  SMB_EXPLAIN_WORST,         /* the most excess wavefronts of all */
  SMB_EXPLAIN_FIRST,         /* none has any */
  SMB_EXPLAIN_NAMED,         /* the only one that was asked for */
  SMB_EXPLAIN_WORST_OF_SOME, /* the most excess wavefronts of those that were asked for, or the first */
} SmbExplainChoice;

/**
 * SmbExplainBank: one bank of one lane group
 * @words: distinct words (where lanes wait for each other's addresses within a word, addresses)
 * @lanes: lanes that access them
 * @passes: passes of the group that serve them
 */
typedef struct {
  guint group;
  guint bank;
  guint words;
  SmbLanes lanes;
  guint passes;
} SmbExplainBank;

/**
 * SmbExplanation:
 * @target, @arch, @analysis: (transfer none): what was run
 * @index: of the access in SmbAnalysis.accesses
 * @choice: why it is that one
 * @choices: how many were asked for
 * @alike: how many of them are instructions like it of its line, itself included; together these have the most in excess
 * @is_compiled: whether it was chosen by what is compiled, which has @compiled_excess
 * @request: the request that is looked at
 * @warp, @block: who made it first
 * @count: how often that warp made it, over all blocks; 0: too many different ones to know
 * @rule, @plan: what serves it
 * @cost: what it costs
 * @passes: when each lane is served
 * @loop: its rounds, if it is a loop
 * @words: (element-type SmbWordUse): what it accesses
 * @banks: (element-type SmbExplainBank): by group, then by bank
 * @collides: whether a bank needs more than one pass
 * @collision: that bank, of those that need the most passes the first
 * @group_lanes: the active lanes of the lane group that is looked at: that of @collision, or the first
 * @affine: how their offsets are made
 * @uses: (nullable): the arrays of the kernel
 * @array: (nullable): what the costliest request of the access accesses, if it is one array
 * @neighbours: (nullable): other paddings of its rows
 */
typedef struct {
  const SmbTarget *target;
  const SmbArch *arch;
  const SmbAnalysis *analysis;
  const SmbAccess *access;
  guint index;
  SmbExplainChoice choice;
  guint choices;
  guint alike;
  gboolean is_compiled;
  guint64 compiled_excess;
  SmbRequest request;
  guint warp;
  guint64 block;
  guint64 count;
  const SmbRule *rule;
  const SmbPlan *plan;
  SmbWavefronts cost;
  SmbPasses passes;
  SmbLoop loop;
  GArray *words;
  GArray *banks;
  gboolean collides;
  SmbCollision collision;
  SmbLanes group_lanes;
  SmbAffine affine;
  SmbArrayUses *uses;
  const SmbArray *array;
  SmbNeighbours *neighbours;
} SmbExplanation;

/** smb_explain_has_access: Returns: whether there is an access that is asked for */
gboolean smb_explain_has_access(const SmbTarget *target, const SmbAnalysis *analysis,
                                const SmbExplainQuestion *question);

/**
 * smb_explanation_new:
 * @target, @arch, @analysis: (transfer none): must outlive the explanation; @analysis with its requests
 * @question: what is asked
 * @error: SMB_ERROR_USAGE: no such access or warp; the message lists those that there are
 *
 * The kernel must make a request of shared memory.
 *
 * Returns: (transfer full): what is known of the request that is looked at
 */
SmbExplanation *smb_explanation_new(const SmbTarget *target, const SmbArch *arch,
                                    const SmbAnalysis *analysis, const SmbExplainQuestion *question,
                                    GError **error);
void smb_explanation_free(SmbExplanation *explanation);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbExplanation, smb_explanation_free)

/** smb_explain_group_name: Returns: (transfer none): what a lane group is: "half-warp" */
const char *smb_explain_group_name(const SmbExplanation *explanation);

/** smb_explain_group_names: Returns: several of them: "half-warps", "matrices" */
SmbNumber smb_explain_group_names(const SmbExplanation *explanation);

/** smb_explain_class: Returns: what the request is: of an atomic that swaps only if it must, the load that is counted */
SmbOpClass smb_explain_class(const SmbExplanation *explanation);

/**
 * smb_explain_collect:
 * @explanation: (inout): with its @arch and @request; takes all that follows from them, @rule to @affine
 */
void smb_explain_collect(SmbExplanation *explanation);
