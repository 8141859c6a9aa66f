// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernel rewritten for the layouts of an array, and for those of several arrays together, and evaluated again.
#pragma once

#include "src/advise/report.h"

/** smb_advise_describe_rewrite: Returns: what the text has to be changed to for a layout of an array */
SmbRewriteArray smb_advise_describe_rewrite(const SmbAdviseReport *report, const SmbAdvice *search,
                                            const SmbCandidate *candidate);

/** smb_advise_prove_kinds: rewrites the kernel for the best layouts of each kind: of both together where that is better than either */
void smb_advise_prove_kinds(const SmbAdviseReport *report, SmbAdviseArray *array);

/**
 * smb_advise_prove_together:
 *
 * Rewrites the kernel for layouts of several arrays: the best of each that gains alone; as compiled also padding, and swizzles, of each that
 * takes fewer wavefronts so. Sets SmbAdviseReport.together, joined and compiled to the best of these.
 */
void smb_advise_prove_together(SmbAdviseReport *report);
