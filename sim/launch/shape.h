// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the user says of shared memory that a program has as bytes only: where in it an array lies, and what its rows
// and elements are. PTX knows no more than a name, a size and an alignment.
#pragma once

#include "sim/program/program.h"

G_BEGIN_DECLS

/**
 * SmbShape: an array that the user has named.
 * @array: as of a program
 * @variable: index of the program's array that it lies in
 * @name: of @array: that of the variable, with "+OFFSET" if it begins further on
 * @tile: (nullable): its layout, if it was said in a notation of sim/layout; else rows
 * @is_member: whether it is a member of a union as the text declares it; else the user says what it holds
 */
typedef struct {
  SmbArray array;
  guint variable;
  char *name;
  struct _SmbTile *tile;
  gboolean is_member;
} SmbShape;

/**
 * smb_shape_has:
 * @array: (nullable): where the program has an access (smb_program_array_of())
 * @offset: of the access
 *
 * Returns: whether it is of a shape; of a member of a union not if another one is meant
 */
gboolean smb_shape_has(const SmbShape *shape, const SmbArray *array, guint32 offset);

/**
 * smb_shapes_parse:
 * @texts: (nullable) (array zero-terminated=1): "NAME=64x64xf16" or "NAME+OFFSET=…": up to three dimensions, outermost
 *   first (none: as many elements as there are bytes for), and the type of an element: one of
 *   SMB_ELEMENT_TYPES; or a layout (smb_tile_parse()): "NAME=Sw<3,3,3> o (64,64):(64,1) xf16"; OFFSET in bytes. Texts without "=" are left to others, but that a member of a union is one
 * @dynamic_bytes: dynamic shared memory of the launch
 * @error: SMB_ERROR_USAGE: no such variable, too large, overlapping, or of a program that says itself what its arrays
 *   are
 *
 * Returns: (transfer full) (element-type SmbShape): in the order of memory
 */
GArray *smb_shapes_parse(const char *const *texts, const SmbProgram *program, gsize dynamic_bytes,
                         GError **error);

/**
 * smb_shapes_of:
 * @arrays: (nullable) (element-type SmbArray): into which the dynamic shared memory of @text is divided
 *   (smb_program_carved_arrays())
 * @code: what a compiler makes of @text
 *
 * Returns: (transfer full) (element-type SmbShape): the same of @code, whose dynamic shared memory is one array; none if it has none
 */
GArray *smb_shapes_of(const GArray *arrays, const SmbProgram *text, const SmbProgram *code);

G_END_DECLS
