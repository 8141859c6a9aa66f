// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How the elements of a shared array lie in memory: rows, padded, swizzled or both; and what a request
// becomes when they lie otherwise. A layout knows no kernel: which elements are asked for stays as it is.
#pragma once

#include <glib.h>

#include "sim/base/request.h"

G_BEGIN_DECLS

/**
 * SmbLayout: where element n of an array lies, n counting the elements row by row without padding
 * @element_bytes: of one element
 * @columns: elements of a row without padding; for an array without rows: all
 * @pad: elements that follow each row and hold nothing
 * @bits: B of CuTe's Swizzle<B,M,S>: how many bits of n are changed; 0: no swizzle
 * @base: M: the lowest of them, or, if @shift is negative, of those that change them
 * @shift: S: how much higher the bits lie that they are XORed with; if negative, lower
 *
 * First the swizzle gives another number to the element, then that number is placed in the padded rows:
 * m = swizzle(n); byte (m / columns * (columns + pad) + m % columns) * element_bytes.
 */
typedef struct {
  guint element_bytes;
  guint64 columns;
  guint64 pad;
  guint bits;
  guint base;
  gint shift;
} SmbLayout;

/** Why a request cannot be made of an array in another layout. */
typedef enum {
  SMB_LAYOUT_FITS,
  SMB_LAYOUT_OUTSIDE,    /* a lane asks for what is no element: padding, or beyond the array */
  SMB_LAYOUT_TORN,       /* what one lane asks for at once no longer lies side by side */
  SMB_LAYOUT_MISALIGNED, /* ... no longer starts at a multiple of its width */
} SmbLayoutFit;

/**
 * smb_layout_parse_swizzle:
 * @text: "Swizzle<B,M,S>" as CuTe writes it; spaces and "cute::" before it are allowed
 * @layout: (out): only @bits, @base and @shift are set, of numbers of elements
 * @error: SMB_ERROR_USAGE, quoting @text
 *
 * Refuses what CuTe refuses: fewer than 0 bits or a negative M, and bits that overlap (|S| < B); also
 * bits beyond the 32nd. Swizzle<0,M,S> is no swizzle.
 *
 * Returns: whether it is a swizzle
 */
gboolean smb_layout_parse_swizzle(const char *text, SmbLayout *layout, GError **error);

/** smb_layout_swizzle: Returns: the number that the swizzle of @layout gives to element @n */
static inline guint64
smb_layout_swizzle(const SmbLayout *layout, guint64 n) {
  guint64 mask = (G_GUINT64_CONSTANT(1) << layout->bits) - 1;
  guint source = layout->base + (layout->shift > 0 ? (guint)layout->shift : 0);
  guint target = layout->base + (layout->shift < 0 ? (guint)-layout->shift : 0);
  return n ^ (n >> source & mask) << target;
}

/**
 * smb_layout_tensor_span:
 * @row_bytes: of the rows of what is copied; 0: as many as fit
 *
 * Returns: 32, 64 or 128, if rows of so many bytes lie as a box of a tensor (TMA) that is copied with a swizzle of that
 *   span, and as operands of wgmma: chunks of 16 bytes are exchanged, by the bits of the place from the 7th on. The array has to
 *   begin at a multiple of 8 spans. Else 0
 */
guint smb_layout_tensor_span(const SmbLayout *layout, guint64 row_bytes);

/** smb_layout_place: Returns: the byte offset in the array at which element @n begins */
guint64 smb_layout_place(const SmbLayout *layout, guint64 n);

/**
 * smb_layout_find:
 * @offset: byte offset in an array of @layout
 * @n: (out): the element that it is a byte of
 *
 * Returns: %FALSE if it lies in the padding of a row
 */
gboolean smb_layout_find(const SmbLayout *layout, guint64 offset, guint64 *n);

/**
 * smb_layout_bytes:
 * @n: elements of the array
 *
 * Returns: bytes that they take: whole blocks of those that a swizzle may exchange; of an array of
 *   several rows whole rows, each with its padding; if @n is no multiple of a row, the array has no rows
 *   of its own, and full ones are followed by padding
 */
guint64 smb_layout_bytes(const SmbLayout *layout, guint64 n);

/**
 * smb_layout_vector_bytes:
 * @n: elements of the array
 *
 * Returns: the widest power of two of bytes, up to 16, that stays side by side and aligned wherever it starts
 *   at a multiple of itself in its row: what a compiler can still load at once
 */
guint smb_layout_vector_bytes(const SmbLayout *layout, guint64 n);

/**
 * smb_layout_move:
 * @from: how the array lies
 * @to: how it is to lie; of elements of the same size
 * @array_base: byte offset of the array in shared memory
 * @request: a request all of whose lanes ask for that array
 * @moved: (out): the request for the same elements, laid out like @to; set if it fits
 *
 * Returns: whether hardware could make that request, or why not
 */
SmbLayoutFit smb_layout_move(const SmbLayout *from, const SmbLayout *to, guint32 array_base,
                             const SmbRequest *request, SmbRequest *moved);

G_END_DECLS
