// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The types of elements that a user may name: how long they are, and what C calls them.
#pragma once

#include <glib.h>

/** The names of these types, for messages. */
#define SMB_ELEMENT_TYPES                                                                          \
  "i4, u4, f4, e2m1, f6, e2m3, e3m2, f8, e4m3, e5m2, i8, u8, i16, u16, i32, u32, i64, u64, f16, "  \
  "bf16, f32, f64 "                                                                                \
  "or b128"

/**
 * SmbElement:
 * @name: as the user writes it: "f16"
 * @c_name: as C does: "half"
 * @bytes: 1, 2, 4, 8 or 16; 1 of those of 4 and 6 bits: what C counts them in
 * @bits: 4, 6, or those of @bytes: elements lie next to each other, without bits between them
 */
typedef struct {
  const char *name;
  const char *c_name;
  guint bytes;
  guint bits;
} SmbElement;

/** smb_element_find: Returns: (transfer none) (nullable): the type of that name */
const SmbElement *smb_element_find(const char *name);

/** smb_element_is_packed: Returns: whether it has less than a byte */
static inline gboolean
smb_element_is_packed(const SmbElement *element) {
  return element->bits < 8;
}

/** smb_element_of_bytes: Returns: (transfer none) (nullable): an unsigned type of so many bytes */
const SmbElement *smb_element_of_bytes(guint bytes);
