// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The value and type of a numeric literal. Private to the kernel language.
#pragma once

#include "sim/cuda/text/lex.h"

typedef struct {
  gboolean is_float;
  gboolean is_single; // suffix f
  gboolean is_unsigned;
  gboolean is_long;
  guint64 integer;
  double real;
} Number;

// Reads a TOKEN_NUMBER or TOKEN_CHARACTER by C's rules for the types of literals.
gboolean smb_kernel_number_parse(const SmbSource *source, const Token *token, Number *number,
                                 GError **error);
