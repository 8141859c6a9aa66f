// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sim/layout/swizzle-check.h"

/** smb_advise_check_explain: Returns: (transfer full): why an access has conflicts in a layout, that it has none,
 * or why it cannot be made */
char *smb_advise_check_explain(const SmbLayoutCheck *check);
