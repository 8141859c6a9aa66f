// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel (float *out, float *in, int p, unsigned q) that something is proved of, and launches of it that must not contradict that.
#pragma once

#include "sim/arch/arch.h"
#include "sim/proof/kernel-proof.h"

enum {
  PROVED_VALUES = 64, // of the parameter p: each residue of words modulo 32, twice
  N_PROOF_VERDICTS = SMB_PROOF_STOPPED + 1, // SmbProofVerdict
};

typedef struct {
  SmbArch *arch;
  SmbProgram *program;
  SmbKernelProof *proof;
} ProvedKernel;

void clear_proved_kernel(ProvedKernel *proved);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProvedKernel, clear_proved_kernel)

// For blocks of 32 x 2 threads. @program: (transfer full)
void prove_program(ProvedKernel *proved, SmbProgram *program);

// Fails unless each access of a launch is as its proof says. Returns: whether there are conflicts
gboolean compare_proved_launch(const ProvedKernel *proved, guint value, const char *statements);

// The right answer is that of the counter: what is free of some residues (of the parameter, so many) conflicts with all others, and what is
// not free has a launch with conflicts.
void check_proved_answer(const ProvedKernel *proved, SmbProofVerdict wanted, guint free,
                         const char *statements);

// Of random kernels, so many have each verdict: fails if a verdict is missing. Shows them if SMEMBANK_TEST_SHOW is set.
void check_all_verdicts(const guint n[N_PROOF_VERDICTS]);
