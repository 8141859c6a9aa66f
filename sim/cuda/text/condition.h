// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Integer expressions of the preprocessor: the condition of #if. Private to the kernel language.
#pragma once

#include "sim/cuda/text/lex.h"

// Evaluates the tokens up to TOKEN_END in 64 bits; macros are expanded already, and a name that is
// left counts as 0. @whole is where an error about a missing operand points.
gboolean smb_kernel_condition_evaluate(const SmbSource *source, const Token *tokens,
                                       const Token *whole, gint64 *value, GError **error);
