// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a piece of memory holds before a launch.
#pragma once

#include "sim/base/scalar.h"

G_BEGIN_DECLS

typedef enum {
  SMB_FILL_ZEROS,
  SMB_FILL_IOTA, /* element i holds i; of 16-bit reals i modulo 2048, or 256 of bfloat16: they hold no more */
  SMB_FILL_RANDOM, /* element i comes of output i of SplitMix64 (Steele, Lea, Flood 2014) */
  SMB_FILL_BYTES,
  SMB_FILL_UNKNOWN, /* nothing is known of it; it reads as zeros where something must be read */
} SmbFill;

/**
 * SmbContents:
 * @scalar: what an element is, of %SMB_FILL_IOTA and %SMB_FILL_RANDOM
 * @seed: of %SMB_FILL_RANDOM
 * @below: of %SMB_FILL_RANDOM: elements are whole numbers, the output modulo this; 0: of integers its low bits, of
 *   reals as many of its high bits as a fraction has, as a number from 0 to below 1
 * @bytes: (nullable) (array length=length) (transfer none): of %SMB_FILL_BYTES; after them are zeros
 * @former: (nullable) (array length=length) (transfer none): what atomics find in place of @bytes (smb_block_set_earlier())
 */
typedef struct {
  SmbFill fill;
  SmbScalar scalar;
  guint64 seed;
  guint64 below;
  const guchar *bytes;
  gsize length;
  const guchar *former;
} SmbContents;

/**
 * smb_contents_read:
 * @offset: where in the memory, in bytes
 * @bytes: (out caller-allocates) (array length=length): what it holds there
 */
void smb_contents_read(const SmbContents *contents, guint64 offset, guchar *bytes, gsize length);

/** smb_contents_read_former: as smb_contents_read(), of what atomics find */
void smb_contents_read_former(const SmbContents *contents, guint64 offset, guchar *bytes,
                              gsize length);

/**
 * smb_contents_read_words:
 * @offsets: (array length=n): where in the memory, in bytes, multiples of 4
 * @words: (out caller-allocates) (array length=n): what it holds there, 4 bytes each
 */
void smb_contents_read_words(const SmbContents *contents, guint n, const gint64 *offsets,
                             guint32 *words);

G_END_DECLS
