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

/** smb_advise_joins_new: Returns: (transfer full): for SmbAdviseReport.joins */
GPtrArray *smb_advise_joins_new(void);

/**
 * smb_advise_join:
 * @forms: (element-type SmbAdviseCompiled): takes forms that are to be compiled
 *
 * Writes layouts of several arrays into one kernel, before it is known what each gains: of two arrays, each of one with each of the other; of more,
 * paddings of all, and swizzles.
 */
void smb_advise_join(SmbAdviseReport *report, GPtrArray *forms);

/**
 * smb_advise_prove_together:
 *
 * The best layout of each array that gains alone, in one kernel; as compiled also padding, and swizzles, of each that takes fewer wavefronts so, and what
 * smb_advise_join() has written, if that is faster than what one array alone gains. Sets SmbAdviseReport.together, joined and compiled to the best of these.
 */
void smb_advise_prove_together(SmbAdviseReport *report);
