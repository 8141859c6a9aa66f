// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Floating-point numbers of 16 bits: those of IEEE 754 (binary16, CUDA's __half) and bfloat16, the upper half of a
// float. The host may have neither type, so their bits are made here.
#pragma once

#include "sim/base/scalar.h"

G_BEGIN_DECLS

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

G_END_DECLS
