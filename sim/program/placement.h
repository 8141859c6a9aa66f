// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a matrix lies in shared memory that hardware reads or writes there by a description: the box of a tensor map (TMA), the operand that a
// descriptor of wgmma or tcgen05 names. Not modelled: halves of 16 bytes that change places (CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B).
#pragma once

#include <glib.h>

#include "sim/base/request.h"
#include "sim/program/layout.h"

G_BEGIN_DECLS

enum {
  SMB_PLACED_CHUNK = 16, // bytes that hardware keeps together in any mode
  SMB_PLACED_GROUP = 8,  // lines that follow each other at one distance
  SMB_PLACED_PERIOD =
      8, // spans after which a swizzle repeats: it looks at the bits of an address from 128 on
};

/**
 * SmbPlacement: lines of bytes. Lines are the rows of a box; of an operand its rows (A) or columns (B), along which k goes, or, if it is turned
 * (MN-major), its k, along which these go
 * @start: of the first line: byte in shared memory, before the swizzle. Shared memory begins at a multiple of 1024, as it does on all chips
 * @lines, @line_bytes: how many there are, and of how many bytes
 * @width: bytes of a line that lie side by side
 * @pitch: bytes from a line to the next among eight
 * @group: bytes from eight lines to the next eight; 0: there are no more
 * @next: bytes from a width of a line to its next one; 0: there is one
 * @span: bytes within which units change places: 32, 64, 128; 0: none do
 * @unit: bytes that stay together then: 16; of some modes of sm_100 32 or 64
 * @base: of the rows of 128 bytes that a swizzle counts from address 0 on, which one counts as 0 ("base offset")
 * @is_turned: an operand whose lines are k
 */
typedef struct {
  guint32 start, lines, line_bytes;
  guint32 width, pitch, group, next;
  guint32 span, unit, base;
  gboolean is_turned;
} SmbPlacement;

/** smb_placement_at: Returns: where byte @x of a line is, from the start on, before it is swizzled */
guint32 smb_placement_at(const SmbPlacement *placement, guint32 line, guint32 x);

/** smb_placement_locate: Returns: where byte @x of a line lies in shared memory */
guint32 smb_placement_locate(const SmbPlacement *placement, guint32 line, guint32 x);

/**
 * smb_placement_find:
 * @offset: a byte of shared memory
 * @line, @x: (out): which one of the matrix it is. Beyond @lines and @line_bytes as well, if the same distances go on so far
 *
 * Returns: FALSE if it lies before the start, or between two widths
 */
gboolean smb_placement_find(const SmbPlacement *placement, guint32 offset, guint32 *line,
                            guint32 *x);

/** smb_placement_is_sound: Returns: whether no two bytes of the matrix lie in one place, and each distance leads beyond what has a smaller one */
gboolean smb_placement_is_sound(const SmbPlacement *placement);

/** smb_placement_bytes: Returns: from the start to the end of the last line; of one that is sound */
guint32 smb_placement_bytes(const SmbPlacement *placement);

/** smb_placement_end: Returns: the byte of shared memory behind the last one */
guint32 smb_placement_end(const SmbPlacement *placement);

/**
 * smb_placement_swizzle:
 * @span: 32, 64 or 128
 *
 * The layout that a tensor map with CU_TENSOR_MAP_SWIZZLE_…B brings, and a descriptor of that mode reads (CUDA driver API, "cuTensorMapEncodeTiled";
 * PTX ISA, "Shared Memory Matrix Layout"; both compared with an H200, sim/tensor/map.h and sim/exec/product/place.c): each line takes a span, and what
 * does not fit into it follows behind all lines.
 *
 * Returns: the same matrix in that mode, at the next place where it may begin
 */
SmbPlacement smb_placement_swizzle(const SmbPlacement *placement, guint32 span);

/**
 * smb_placement_spread:
 * @placement: an operand that is not swizzled
 * @by: bytes, a multiple of 16
 * @is_group: whether eight lines are so much further from the next eight; else a width of a line from its next
 *
 * Such distances are free in a descriptor, up to 262128 bytes. If the other one is larger, it grows as it has to.
 *
 * Returns: the same matrix
 */
SmbPlacement smb_placement_spread(const SmbPlacement *placement, guint32 by, gboolean is_group);

/**
 * smb_placement_move:
 * @request: of which all lanes ask for the matrix as it lies @from
 * @moved: (out): the request for the same bytes as they lie @to; set if it fits
 *
 * Returns: whether hardware could make that request, or why not
 */
SmbLayoutFit smb_placement_move(const SmbPlacement *from, const SmbPlacement *to,
                                const SmbRequest *request, SmbRequest *moved);

/** smb_placement_index: Returns: (transfer full): where byte x of line r is from the start on, in C: "r * 128 + (x ^ r % 8 * 16)"; @line: what r is called. Of one
 * that is swizzled the start is a multiple of 8 spans, and the base offset 0 */
char *smb_placement_index(const SmbPlacement *placement, const char *line);

G_END_DECLS
