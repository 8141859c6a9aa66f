// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Boxes of tensors that are copied, and operands of products, as rows in shared memory: which are shown, and in which words.
#pragma once

#include "sim/analysis/analysis.h"

/**
 * smb_placed_rows_choose:
 * @file, @line: (nullable): of the text; 0: all lines
 *
 * Returns: (transfer full) (element-type SmbPlacedRows): those of the line; of alike ones of a line one
 */
GArray *smb_placed_rows_choose(const SmbProgram *program, const SmbAnalysis *analysis,
                               const char *file, guint line);

/** smb_placed_rows_name: Returns: (transfer full): "Operand B of HGMMA.64x64x16.F32 at gemm.cu:41" */
char *smb_placed_rows_name(const SmbPlacedRows *tile);

/** smb_placed_rows_describe: Returns: (transfer full): what the lanes of its picture are, and what its rows cost, in sentences */
char *smb_placed_rows_describe(const SmbArch *arch, const SmbPlacedRows *tile);
