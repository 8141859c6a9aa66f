// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kinds of numbers that programs compute with and memory holds, whatever language they come from.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SmbScalar: a number of memory or of a register; SMB_SCALAR_BOOL is one byte that holds 0 or 1, SMB_SCALAR_F16 is
 * IEEE 754's binary16 (CUDA's __half) and SMB_SCALAR_BF16 bfloat16, the upper half of a float.
 */
typedef enum {
  SMB_SCALAR_BOOL,
  SMB_SCALAR_I8,
  SMB_SCALAR_U8,
  SMB_SCALAR_I16,
  SMB_SCALAR_U16,
  SMB_SCALAR_I32,
  SMB_SCALAR_U32,
  SMB_SCALAR_I64,
  SMB_SCALAR_U64,
  SMB_SCALAR_F16,
  SMB_SCALAR_BF16,
  SMB_SCALAR_F32,
  SMB_SCALAR_F64,
} SmbScalar;

/** Bytes that it takes in memory. */
gsize smb_scalar_bytes(SmbScalar scalar);

/** Whether it is a floating-point number. */
static inline gboolean
smb_scalar_is_real(SmbScalar scalar) {
  return scalar >= SMB_SCALAR_F16;
}

/** Whether it takes 8 bytes of a lane's register; the others take 4. */
static inline gboolean
smb_scalar_is_wide(SmbScalar scalar) {
  return scalar == SMB_SCALAR_I64 || scalar == SMB_SCALAR_U64 || scalar == SMB_SCALAR_F64;
}

/** An integer cut to the width of @scalar, and sign- or zero-extended again; reals are left alone. */
gint64 smb_scalar_wrap(SmbScalar scalar, gint64 value);

/**
 * smb_half_to_real:
 * @kind: SMB_SCALAR_F16 or SMB_SCALAR_BF16
 *
 * Returns: the number that the bits stand for; exact in a float as well
 */
double smb_half_to_real(SmbScalar kind, guint16 bits);

/**
 * smb_half_from_real:
 * @kind: SMB_SCALAR_F16 or SMB_SCALAR_BF16
 *
 * Returns: the bits of the nearest number of @kind, of two equally near ones the even one; beyond the range an
 *   infinity. Every NaN is 0x7fff, as on a device
 */
guint16 smb_half_from_real(SmbScalar kind, double value);

/**
 * smb_scalar_odd_double:
 *
 * Returns: @number; where a double has too few digits for it, one whose last bit stands for all that are left out. As a
 *   float or a half it becomes what @number does: rounded once
 */
double smb_scalar_odd_double(guint64 number);

/**
 * smb_scalar_encode_real:
 * @scalar: a floating-point kind
 * @bytes: (out caller-allocates): as many as @scalar takes
 *
 * A number as memory holds it, rounded to the nearest that there is.
 */
void smb_scalar_encode_real(SmbScalar scalar, double number, guchar *bytes);

/** The same of a whole number and of any kind: of an integer its low bits. */
void smb_scalar_encode_whole(SmbScalar scalar, guint64 number, guchar *bytes);

/**
 * smb_scalar_decode:
 * @bytes: as memory holds it
 * @whole: (out): of an integer, the number; else 0
 * @real: (out): of a floating-point kind, the number; else 0
 */
void smb_scalar_decode(SmbScalar scalar, const guchar *bytes, gint64 *whole, double *real);

/**
 * smb_scalar_canonical:
 * @bytes: (inout) (array length=length): numbers of memory
 *
 * Makes every NaN the one that a device makes (0x7fff, 0x7fffffff, 0x7ff8...): which NaN an operation gives is
 * not promised, and the host's have a sign. Other values stay.
 */
void smb_scalar_canonical(SmbScalar scalar, gpointer bytes, gsize length);

G_END_DECLS
