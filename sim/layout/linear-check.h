// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Checks a certificate of sim/layout/linear-search by counting, without linear algebra: it writes down every element of each subspace.
#pragma once

#include "sim/layout/linear-search.h"

/** smb_linear_check: Returns: whether the layout of the certificate keeps together what one lane moves, and takes @found wavefronts: for
 * each lane group as many as elements of its subspace are in the kernel; and whether @ideal is one for each lane group */
gboolean smb_linear_check(const SmbLinearSearch *certificate);
