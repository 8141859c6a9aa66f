// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// check --baseline: only what got worse than in an earlier result of check fails.
#pragma once

#include "src/check/check.h"
#include "src/compare/result.h"

/**
 * smb_check_apply_baseline:
 * @baseline: an earlier result
 *
 * Cases that the baseline counted fail if they got worse (SmbComparedCase.change), and only then, whatever their limits; what of them did
 * gets a message.
 * Cases that it has not, or could not count, keep their verdicts; one that cannot be compared with it is an error.
 */
void smb_check_apply_baseline(SmbCheck *check, const SmbResult *baseline);
