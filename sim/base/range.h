// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Bounds. What a program or a file says of a place and a length may be any number, so that their sum may wrap.
#pragma once

#include <glib.h>

/**
 * smb_range_is_within: Returns: whether all of @length bytes from @start on lie within the first @size bytes, whatever
 * these * are
 */
static inline gboolean
smb_range_is_within(guint64 start, guint64 length, guint64 size) {
  return start <= size && length <= size - start;
}
