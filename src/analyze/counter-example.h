// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches that show that an access is not free of bank conflicts for all parameters: found by running them.
#pragma once

#include "src/target/target.h"
#include "sim/proof/kernel-proof.h"

/**
 * smb_counter_examples_new:
 * @cli: whose words the command lines are made of
 * @analysis: of the launch of @target as it is
 *
 * Tries the residues with conflicts as values of the parameters that decide them, a few for each access, and then large values of all. Loaded
 * values and the grid are as in the launch, so that an access may have conflicts, and no example is found.
 *
 * Returns: (transfer full) (element-type utf8): by access of @proof: a command line that counts conflicts of it, or %NULL
 */
GPtrArray *smb_counter_examples_new(const SmbCli *cli, const SmbTarget *target,
                                    const SmbAnalysis *analysis, const SmbKernelProof *proof);
