// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An expression of a certificate: sums of names times constants modulo 2^32, and products, bits and shifts of such sums. Shares nothing
// with what wrote it.
#pragma once

#include <glib.h>

/** Most names of a request. */
#define SMB_FORMULA_MAX_NAMES 512

typedef struct _SmbFormula SmbFormula;

/**
 * smb_formula_parse:
 * @text: such as "(4 + 4 * p + 1 * ((0 + 1 * q) & (31)))"
 * @names: (array zero-terminated=1): what it may name, SMB_FORMULA_MAX_NAMES at most
 *
 * Returns: (transfer full) (nullable): %NULL: it is none
 */
SmbFormula *smb_formula_parse(const char *text, const char *const *names);
void smb_formula_free(SmbFormula *formula);

/** smb_formula_constant: Returns: the constant of the sum that it is */
guint32 smb_formula_constant(const SmbFormula *formula);

/** smb_formula_rest: Returns: (transfer none): the text after that constant: equal ones differ by constants */
const char *smb_formula_rest(const SmbFormula *formula);

/** smb_formula_evaluate: Returns: its value modulo 2^32; @values: (array): by name */
guint32 smb_formula_evaluate(const SmbFormula *formula, const guint32 *values);

/**
 * smb_formula_need:
 * @bits: that are asked of its value, the lowest ones
 * @needed: (inout) (array): by name: raised to how many of its lowest bits decide them
 */
void smb_formula_need(const SmbFormula *formula, guint bits, guint *needed);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFormula, smb_formula_free)
