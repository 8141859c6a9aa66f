// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How Triton distributes a tile over registers, lanes and warps: linear over F2, a coordinate for each bit of their numbers
// (LinearLayoutConversions.cpp). Private to sim/layout.
#pragma once

#include "sim/layout/notation.h"
#include "sim/layout/tuple.h"

/** Whose bits have bases. */
typedef enum {
  SMB_HOLDER_REGISTER,
  SMB_HOLDER_LANE,
  SMB_HOLDER_WARP,
  SMB_N_HOLDERS,
} SmbHolder;

/** Most bits of the number of a register, a lane or a warp. */
#define SMB_HOLDER_MAX_BITS 20

/**
 * SmbDistribution:
 * @n: bits of the number of each holder
 * @basis: by holder, by bit: the coordinate that it stands for
 */
typedef struct {
  guint rank;
  guint n[SMB_N_HOLDERS];
  guint64 basis[SMB_N_HOLDERS][SMB_HOLDER_MAX_BITS][SMB_TUPLE_MAX_RANK];
} SmbDistribution;

/**
 * smb_distribution_parse:
 * @notation: after the "#" of an encoding
 * @extent: (array length=rank): the shape that is distributed
 *
 * Reads blocked, nvidia_mma (version 2 and 3), amd_mfma, amd_wmma, dot_op of one of these, slice of any, or linear. A shape larger than the tile of the encoding is
 * repeated in registers; in a smaller one several threads hold the same element.
 */
gboolean smb_distribution_parse(SmbNotation *notation, guint rank, const guint64 *extent,
                                SmbDistribution *distribution, GError **error);

/** smb_distribution_find: @number: (array length=SMB_N_HOLDERS); @coordinate: (out) (array length=rank) */
void smb_distribution_find(const SmbDistribution *distribution, const guint *number,
                           guint64 *coordinate);
