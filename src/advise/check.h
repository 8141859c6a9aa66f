// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// advise --check: what a swizzle of the user's does to each access of an array, and why conflicts remain.
#pragma once

#include "sim/advise/swizzle-check.h"
#include "src/advise/report.h"

/** The formats of --check, for smb_cli_view(). */
extern const SmbFormat smb_advise_check_formats[];

/**
 * smb_advise_check:
 * @report: a launch that was run, without a search
 * @arrays: (element-type SmbArray): those that are checked
 * @asked: its rows
 * @swizzle: such as "Swizzle<3,2,3>"
 * @error: as smb_layout_parse_swizzle()
 *
 * Writes the result in the format of @cli.
 */
gboolean smb_advise_check(SmbCli *cli, const SmbAdviseReport *report, const GPtrArray *arrays,
                          const SmbAdviseSearch *asked, const char *swizzle, GError **error);

/** smb_advise_check_explain: Returns: (transfer full): why an access has conflicts in a layout, that it has none,
 * or why it cannot be made */
char *smb_advise_check_explain(const SmbLayoutCheck *check);
