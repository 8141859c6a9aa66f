// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Proofs for all values of the parameters: what a kernel of the text asks of shared memory in any block of a shape, whatever its scalar
// parameters, the grid and the contents of memory are. Threads execute the text once, on sums of what is not known (term.h), and
// each request is decided by residues (decide.h). A condition that is not known may hold for any of the threads. Loops whose conditions
// are known are executed; others in general: a variable that each iteration changes by the same is its first value plus a counter times
// that, and any other one that the loop assigns to is not known.
//
// Not proved, with the line that stops it: switch, structures that are copied, jumps out of loops under conditions that are not known,
// atomics that are loops, accesses of more than 4 bytes whose lanes differ by more than constants or are chosen by what is not known.
#pragma once

#include "sim/arch/forward.h"
#include "sim/base/request.h"
#include "sim/launch/launch.h"

typedef enum {
  SMB_PROVED,        // free of conflicts for all values
  SMB_PROVED_FOR,    // for some values of one parameter
  SMB_NOT_FREE,      // not for all: up to @degree; nothing is said of which
  SMB_PROOF_STOPPED, // not decided
} SmbProofVerdict;

/** Most parameters of an example. */
#define SMB_PROOF_EXAMPLE_PARAMETERS 4

/** SmbProofExample: remainders of parameters, whatever the others are, that some request has conflicts for */
typedef struct {
  guint n;
  guint parameter[SMB_PROOF_EXAMPLE_PARAMETERS];
  guint residue[SMB_PROOF_EXAMPLE_PARAMETERS];
  guint modulus[SMB_PROOF_EXAMPLE_PARAMETERS];
} SmbProofExample;

/**
 * SmbProvedSite: of all requests of an access to shared memory
 * @reason: (nullable): of one that is not decided: why, in words (static)
 * @requests: that were decided; different ones only
 * @degree: the most ways that any of them may take
 * @parameter: of %SMB_PROVED_FOR: the number of the parameter
 * @modulus: a power of two
 * @free: (array length=modulus) (nullable): whether it is free of conflicts where the parameter has that residue
 * @examples: (nullable) (element-type SmbProofExample): a few values with conflicts
 */
typedef struct {
  guint site;
  SmbProofVerdict verdict;
  const char *reason;
  guint requests;
  guint degree;
  guint parameter;
  guint modulus;
  guint8 *free;
  GArray *examples;
} SmbProvedSite;

/**
 * SmbProvedRequest: of the certificate
 * @access: the number of its access among the sites of the proof
 * @op: what the instruction is
 * @mask: active lanes
 * @lanes: (array zero-terminated=1): an expression for each active lane, in names of @names and numbers: a byte offset
 * @names: (array zero-terminated=1)
 * @moduli: (array): residues of each name that are run through; of a name "base" all lanes differ from it by constants
 * @degree: the most ways that any residues take
 * @n_bad: of how many residues, of all names together, there are conflicts
 */
typedef struct {
  guint access;
  SmbOp op;
  guint width;
  SmbLanes mask;
  GStrv lanes;
  GStrv names;
  guint *moduli;
  guint degree;
  guint n_bad;
} SmbProvedRequest;

/**
 * SmbKernelProof:
 * @stopped: (nullable): why nothing is proved of what lies behind, in words (static)
 * @stopped_at: (nullable): "line 12" of a text, "0x1d0" of machine code
 * @sites: (element-type SmbProvedSite): accesses to shared memory that threads reach
 * @requests: (element-type SmbProvedRequest)
 */
typedef struct {
  const char *stopped;
  char *stopped_at;
  GPtrArray *sites;
  GPtrArray *requests;
} SmbKernelProof;

/**
 * smb_kernel_proof_new:
 * @launch: only its block counts
 *
 * Returns: (transfer full) (nullable): %NULL: the program is no text of CUDA C
 */
SmbKernelProof *smb_kernel_proof_new(const SmbProgram *program, const SmbArch *arch,
                                     const SmbLaunch *launch);
void smb_kernel_proof_free(SmbKernelProof *proof);

/** smb_kernel_proof_verdict: Returns: of all accesses */
SmbProofVerdict smb_kernel_proof_verdict(const SmbKernelProof *proof);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbKernelProof, smb_kernel_proof_free)
