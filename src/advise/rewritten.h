// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Forms of a text that cannot be run: layouts that were found for what a compiler makes of it, written into the text. Whether a form is right
// is for a run of its machine code to show.
#pragma once

#include "src/advise/report.h"

/** smb_advise_text_arrays: Returns: (transfer full) (element-type SmbArray): the arrays of a text, with the parts that pointers divide its
 * dynamic shared memory into; as long as the text lives */
GArray *smb_advise_text_arrays(const SmbTarget *text);

/** smb_advise_text_array: Returns: (transfer none) (nullable): what the text of a report calls an array of its machine code */
const SmbArray *smb_advise_text_array(const SmbAdviseReport *report, const SmbArray *array);

/**
 * smb_advise_add_rewritten:
 * @array: of @report, which has a text
 * @forms: (element-type SmbAdvisePadding): takes the text in each layout of @array that costs less than the present one, in each way to
 *   write its indices; none that is there already
 */
void smb_advise_add_rewritten(const SmbAdviseReport *report, const SmbAdviseWritten *written,
                              const SmbAdviseArray *array, GPtrArray *forms);
