// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a given layout does to each access of an array, and why it does not do more: the bits in which
// lanes that still collide differ, beside those that the swizzle reads and changes. Facts, no sentences.
//
// All bits are those of an element's byte offset in the array as if it had no padding: element n at
// n * element_bytes. With elements of 12 bytes or the like, and in padded rows, a bank is not chosen by
// bits of it; the masks that do not exist then are 0.
#pragma once

#include <glib.h>

#include "sim/conflict.h"
#include "sim/layout.h"

G_BEGIN_DECLS

/** Why conflicts remain. Those before are told before those after. */
typedef enum {
  SMB_FAULT_NONE,       /* none do: no excess wavefront */
  SMB_FAULT_MISFIT,     /* the access cannot be made (SmbLayoutCheck.fit) */
  SMB_FAULT_UNSWIZZLED, /* the layout has no swizzle that could be at fault */
  SMB_FAULT_NO_BITS, /* bits of the offset do not choose the bank: padded rows, or odd elements */
  SMB_FAULT_TARGET,  /* it changes no bit that chooses the bank of this width */
  SMB_FAULT_SOURCE,  /* of the bits in which the colliding lanes differ, it reads none */
  SMB_FAULT_TOO_FEW, /* it reads some of these bits only: @unread, or feeds them past the banks */
  SMB_FAULT_CANCELS, /* it reads them all, but lanes that differ in several are brought together */
} SmbFault;

/**
 * SmbLayoutCheck: one access in a given layout
 * @access: index of SmbAnalysis.accesses
 * @fit: SMB_LAYOUT_FITS, or why it cannot be made; only @needed_base, @original, @width and the masks of
 *   the swizzle are set beside it then
 * @width: bytes that one lane asks for
 * @needed_base: least M of a swizzle that leaves side by side what one lane asks for: log2(@width /
 *   element_bytes)
 * @original: what its requests to the array cost now
 * @cost: what they cost in the layout
 * @fault: why @cost has excess wavefronts
 * @worst: if it has: of its requests the one with the most excess wavefronts in the layout, the first of
 *   them, laid out so
 * @worst_now: the same request as the kernel makes it
 * @collision: the worst bank of @worst
 * @bank_bits: the bits that choose the bank for @worst; units of wide accesses span several banks
 * @source_bits: the bits that the swizzle reads
 * @target_bits: the bits that it XORs them into
 * @lane_bits: the bits in which lanes of @collision differ from each other
 * @unread: those of @lane_bits that choose no bank and that the swizzle does not read
 * @read: those of @lane_bits that it reads
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
  SmbRequest worst_now;
  SmbCollision collision;
  guint64 bank_bits;
  guint64 source_bits;
  guint64 target_bits;
  guint64 lane_bits;
  guint64 unread;
  guint64 read;
} SmbLayoutCheck;

/**
 * smb_layout_check:
 * @analysis: with its requests, none dropped
 * @original: how @array lies now
 * @layout: how it is to lie, elements of the same size
 *
 * Returns: (transfer full) (element-type SmbLayoutCheck): one for each access that touches @array, in the
 *   order of SmbAnalysis.accesses
 */
GArray *smb_layout_check(const SmbKernel *kernel, const SmbArch *arch, const SmbAnalysis *analysis,
                         const SmbArray *array, const SmbLayout *original, const SmbLayout *layout);

G_END_DECLS
