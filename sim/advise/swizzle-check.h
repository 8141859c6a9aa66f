// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a given layout does to each access of an array, and why it does not do more: the bits in which
// lanes that still collide differ, beside those that the swizzle reads and changes. Facts, no sentences.
//
// All bits are those of an element's byte offset in the array as if it had no padding: element n at
// n * element_bytes. Where the bank is not chosen by bits of it (padded rows, elements of 12 bytes or
// the like, an array that does not begin at the first bank), the masks that do not exist are 0.
#pragma once

#include <glib.h>

#include "sim/advise/array-use.h"
#include "sim/count/conflict.h"

G_BEGIN_DECLS

/** Why conflicts remain. Of several the first. */
typedef enum {
  SMB_FAULT_NONE,       /* none do: no excess wavefront */
  SMB_FAULT_MISFIT,     /* the access cannot be made (SmbLayoutCheck.fit) */
  SMB_FAULT_SAME,       /* lanes wait for each other on one word: no layout helps */
  SMB_FAULT_UNSWIZZLED, /* the layout has no swizzle that could be at fault */
  SMB_FAULT_NO_BITS, /* bits of the offset do not say it: bank_bits is 0, or no bank alone is at fault */
  SMB_FAULT_TARGET,  /* the swizzle changes no bit that chooses the bank for this width */
  SMB_FAULT_SOURCE,  /* of the bits in which the colliding lanes differ, it reads none */
  SMB_FAULT_TOO_FEW, /* of these bits, it reads only some, or XORs some into others than bank bits */
  SMB_FAULT_CANCELS, /* it reads them all, and what it XORs undoes that the lanes differ in the bank */
} SmbFault;

/**
 * SmbLayoutCheck: one access in a given layout
 * @access: index of SmbAnalysis.accesses
 * @fit: SMB_LAYOUT_FITS, or why it cannot be made; only @width, @needed_base, @original, @fault,
 *   @source_bits and @target_bits are set beside it then
 * @width: bytes that one lane accesses
 * @needed_base: least M of a swizzle that leaves side by side what one lane accesses: log2(@width /
 *   element_bytes); 0 if that is one element at most
 * @original: what its requests to the array cost now
 * @cost: what they cost in the layout
 * @fault: why @cost has excess wavefronts
 * @worst: if it has: of its requests the one with the most excess wavefronts in the layout, the first of
 *   them, laid out so
 * @worst_cost: what it costs
 * @worst_now: the same request as the kernel makes it
 * @collision: the worst bank of @worst; no lanes if no bank alone is at fault
 * @bank_bits: the bits that choose the bank for @worst; a wide access asks for several banks at once, so
 *   that fewer bits choose them
 * @source_bits: the bits that the swizzle reads
 * @target_bits: the bits that it XORs them into
 * @lane_bits: the bits in which lanes of @collision differ from each other
 * @read: those of @lane_bits that the swizzle reads
 * @unread: those of @lane_bits that it does not read, that choose no bank, and that are not within a word
 */
typedef struct {
  guint access;
  SmbLayoutFit fit;
  guint width;
  guint needed_base;
  SmbTally original;
  SmbTally cost;
  SmbFault fault;
  SmbRequest worst;
  SmbWavefronts worst_cost;
  SmbRequest worst_now;
  SmbCollision collision;
  guint64 bank_bits;
  guint64 source_bits;
  guint64 target_bits;
  guint64 lane_bits;
  guint64 read;
  guint64 unread;
} SmbLayoutCheck;

/**
 * smb_layout_check:
 * @use: an array and its requests, none dropped
 * @original: how the array lies now
 * @layout: how it is to lie, elements of the same size
 *
 * Returns: (transfer full) (element-type SmbLayoutCheck): one for each access to the array, in the
 *   order of SmbAnalysis.accesses
 */
GArray *smb_layout_check(const SmbArch *arch, const SmbArrayUse *use, const SmbLayout *original,
                         const SmbLayout *layout);

G_END_DECLS
