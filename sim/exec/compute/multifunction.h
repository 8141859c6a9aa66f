// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The multi-function unit of sm_90 (MUFU), to the last bit: reciprocals, roots, powers, logarithms and sines that are
// no IEEE 754 results. Operands and results are the bits of binary32; subnormal ones count as 0 with their sign, except
// those of tanh. Of the two functions of binary64, the high words. NaN results are 0x7fffffff.
//
// Source: measured. All 2^32 operands of each function on an H200 and an H100, no difference (doc/compiled.md).
// Private to sim/exec and its front ends.
#pragma once

#include <glib.h>

#include "sim/base/scalar.h"

G_BEGIN_DECLS

enum {
  SMB_MUFU_CHIP = 90 // where it was measured
};

guint32 smb_mufu_rcp(guint32 a);
guint32 smb_mufu_rsq(guint32 a);
guint32 smb_mufu_sqrt(guint32 a);
guint32 smb_mufu_ex2(guint32 a);
guint32 smb_mufu_lg2(guint32 a);
// Of the angle @a in turns of 2 pi.
guint32 smb_mufu_sin(guint32 a);
guint32 smb_mufu_cos(guint32 a);
guint32 smb_mufu_tanh(guint32 a);
// A @function of the above of a number of 16 bits (F16, BF16): of the same number as a binary32, cut off to 16 bits. NaN
// results are 0x7fff.
guint16 smb_mufu_half(guint32 (*function)(guint32 a), SmbScalar kind, guint16 a);
guint32 smb_mufu_rcp64h(guint32 a);
guint32 smb_mufu_rsq64h(guint32 a);

G_END_DECLS
