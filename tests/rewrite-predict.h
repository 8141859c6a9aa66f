// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a rewritten kernel is to cost, from the requests of the one before.
#pragma once

#include "sim/advise/proof.h"

// The wavefronts of each access of @original, every request of one of its arrays laid out anew (transfer full);
// NULL if one cannot be.
guint64 *rewrite_predict(const SmbOriginal *original, const SmbRewriteArray *wanted);
