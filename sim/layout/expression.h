// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Integer expressions of coordinates, as people write the index of a swizzled or padded array: C's arithmetic and bit operators with
// C's precedence, over 64-bit integers. Overflow, divisions by zero and shifts beyond the width are errors, not values.
#pragma once

#include "sim/layout/notation.h"

/** What an expression may name. */
typedef enum {
  SMB_EXPRESSION_ROW,     /* r */
  SMB_EXPRESSION_COLUMN,  /* c */
  SMB_EXPRESSION_INDEX,   /* i: number of the element, row by row */
  SMB_EXPRESSION_ADDRESS, /* addr: its byte address, row by row */
  SMB_EXPRESSION_N_VARIABLES,
} SmbExpressionVariable;

/**
 * SmbExpression:
 * @code: (element-type Step): in postfix order
 * @uses: (array): which variables it names
 * @at: byte offset of its beginning in the source
 */
typedef struct {
  GArray *code;
  gboolean uses[SMB_EXPRESSION_N_VARIABLES];
  guint32 at;
} SmbExpression;

/** smb_expression_parse: Returns: (transfer full): the longest expression that comes next */
SmbExpression *smb_expression_parse(SmbNotation *notation, GError **error);
void smb_expression_free(SmbExpression *expression);

/**
 * smb_expression_evaluate:
 * @variables: (array length=SMB_EXPRESSION_N_VARIABLES)
 *
 * Returns: (nullable): why it has no value, in words; %NULL: @value is it
 */
const char *smb_expression_evaluate(const SmbExpression *expression, const gint64 *variables,
                                    gint64 *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbExpression, smb_expression_free)
