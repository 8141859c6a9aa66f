// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The types of PTX (ISA 9.0, section 5.2): of registers and variables, and those that are in opcodes only.
// Private to sim/ptx.
#pragma once

#include "sim/base/scalar.h"

G_BEGIN_DECLS

/**
 * PtxType: a type
 * @bits, @bytes: 0 of a predicate; of pairs, of both
 * @scalar: SmbScalar of its numbers; of bits, unsigned ones
 * @is_declared: registers and variables have it
 * @is_number: a conversion takes it as one number
 * @is_float: a literal of it has a point
 * @is_opaque: a texture, sampler or surface
 */
typedef struct {
  const char *name;
  guint8 bits, bytes;
  guint8 scalar;
  guint is_declared : 1, is_number : 1, is_float : 1, is_opaque : 1;
} PtxType;

// By its name, of @length characters; NULL: there is none.
const PtxType *smb_ptx_type(const char *name, gsize length);
const PtxType *smb_ptx_type_named(const char *name);

// Bytes of a register or variable of a type; 0: a predicate, of what is opaque or has less, or no type.
guint smb_ptx_type_bytes(const char *name);

G_END_DECLS
