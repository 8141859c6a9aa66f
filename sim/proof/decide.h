// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whether a request whose offsets are sums is free of conflicts for all values of their atoms. A bank depends on an offset modulo the row of the
// banks, and that on some low bits of each atom: all residues are counted, with the counter of requests. Lanes whose sums
// differ by more than a constant are taken to ask for different words. Private to the kernel language.
#pragma once

#include "sim/count/wavefront.h"
#include "sim/proof/term.h"

enum {
  MAX_RESIDUE_BITS = 14, // of all atoms together
  MAX_LEAVES = 8,
};

/** Leaf: an atom whose low @bits are run through, or of a request in which only a common base is not known, that base (@atom: -1) */
typedef struct {
  gint64 atom;
  guint bits;
} Leaf;

/**
 * Decision:
 * @failure: (nullable): why it is not decided (static)
 * @leaves: (array length=n_leaves)
 * @bad: (nullable) (element-type guint8): by residues, those of the first leaf in the lowest bits: whether there are conflicts
 * @n_bad: how many of them
 * @worst: the most that any of them takes
 */
typedef struct {
  const char *failure;
  guint n_leaves;
  Leaf leaves[MAX_LEAVES];
  GByteArray *bad;
  guint n_bad;
  SmbWavefronts worst;
} Decision;

/**
 * smb_decide:
 * @request: its operation, width and lanes; its offsets are set to those of the last residues
 * @terms: offsets of lanes
 */
void smb_decide(const Terms *all, const SmbArch *arch, SmbRequest *request, const Term *terms,
                Decision *decision);
