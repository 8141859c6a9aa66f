// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What changed of a case, as rows of a table and as findings: accesses that a reader knows by the same words, at the same place, are one.
#pragma once

#include "src/compare/compare.h"

/**
 * SmbChangedRow:
 * @sum: its accesses are those of the first, its costs those of all; all changed alike
 * @place: "data/kernels/tile.cu:52", of an absolute path the last part; of code without lines its address
 * @name: what a reader knows it by: of several alike instructions their opcode
 * @n: how many accesses it stands for
 */
typedef struct {
  SmbComparedAccess sum;
  char *place, *name;
  guint n;
} SmbChangedRow;

/** smb_changed_rows_new: Returns: (transfer full) (element-type SmbChangedRow): in the order of the first access of each; what is the
 * same has none */
GArray *smb_changed_rows_new(const SmbComparedCase *one);

/** smb_compared_access_object: Returns: (transfer none): the access as it is now, or as it was */
JsonObject *smb_compared_access_object(const SmbComparedAccess *access);

/** smb_compared_access_place: Returns: (transfer full): as SmbChangedRow.place */
char *smb_compared_access_place(const SmbComparedAccess *access);
