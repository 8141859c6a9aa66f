// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The attributes of an encoding as MLIR prints it: "{vec = 8, order = [1, 0], lane = [[0, 1], [0, 2]]}". Private to sim/layout.
#pragma once

#include "sim/layout/notation.h"
#include "sim/layout/tuple.h"

/**
 * SmbAttribute:
 * @at: byte offset of its value
 * @numbers: (element-type guint64): all numbers in it
 * @n_rows: of a list of lists: how many; else 0
 * @row_length: numbers of each of them
 * @encoding: byte offset of what comes after the "#" of a value that is an encoding; 0 of others
 */
typedef struct {
  char *key;
  guint32 at;
  GArray *numbers;
  guint n_rows;
  guint row_length;
  guint32 encoding;
} SmbAttribute;

/** smb_attributes_parse: reads from "{" to "}". Returns: (transfer full) (element-type SmbAttribute): what is between; of lists in lists with the
 * names of both, "ctaLayout.warp" */
GPtrArray *smb_attributes_parse(SmbNotation *notation, GError **error);

/** smb_attributes_skip: skips an encoding, "name<{…}>", whose brackets are counted */
gboolean smb_attributes_skip(SmbNotation *notation, GError **error);

/** smb_attributes_find: Returns: (transfer none) (nullable): the attribute of that name */
const SmbAttribute *smb_attributes_find(const GPtrArray *attributes, const char *key);

/**
 * smb_attributes_take:
 * @most: of each number, which is 1 at least
 * @n: how many numbers it has; 0: any number of them, up to SMB_TUPLE_MAX_RANK
 * @at: what a missing attribute is reported at
 * @numbers: (out) (array): its numbers
 *
 * Returns: how many they are; 0 with an error
 */
guint smb_attributes_take(const GPtrArray *attributes, const SmbNotation *notation, guint32 at,
                          const char *key, guint n, guint64 least, guint64 most, guint64 *numbers,
                          GError **error);

/** smb_attributes_bases: Returns: (transfer none) (nullable): a list of bases, each a coordinate of @rank numbers (0: set to what they have);
 * an empty list is one, too */
const SmbAttribute *smb_attributes_bases(const GPtrArray *attributes, const SmbNotation *notation,
                                         guint32 at, const char *key, guint *rank, GError **error);
