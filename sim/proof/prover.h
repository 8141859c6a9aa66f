// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Between a walk through a kernel, which a front end makes (SmbFrontEnd.prove), and what is proved of the requests that it meets
// (kernel-proof.c). Private to the library.
#pragma once

#include "sim/machine/front-end.h"
#include "sim/proof/kernel-proof.h"
#include "sim/proof/term.h"

/**
 * SmbProver:
 * @n: threads of the block
 * @n_fresh: keys of atoms that were given away
 * @seen: requests that were decided
 */
struct _SmbProver {
  const SmbProgram *program;
  const SmbArch *arch;
  const SmbLaunch *launch;
  SmbKernelProof *proof;
  Terms *terms;
  guint block[3];
  guint n;
  guint64 n_fresh;
  GHashTable *seen;
};

/** smb_prover_fresh: Returns: something that is not known, and like nothing else */
Term smb_prover_fresh(SmbProver *prover, guint32 place);

/** smb_prover_has_any: Returns: whether one of the threads of the block may be active; @active: a condition of each */
gboolean smb_prover_has_any(const SmbProver *prover, const Term *active);

/** smb_prover_stop: Nothing behind this place of the source is proved. @why: static */
void smb_prover_stop(SmbProver *prover, guint32 place, const char *why);

/** smb_prover_refuse: An access is not decided. @why: static */
void smb_prover_refuse(SmbProver *prover, guint site, const char *why);

/**
 * smb_prover_request: Decides a request of one warp
 * @request: its operation, width and lanes, of which @active says when they take part
 * @offsets: in shared memory, by lane
 */
void smb_prover_request(SmbProver *prover, guint site, SmbRequest *request, const Term *offsets,
                        const Term *active);
