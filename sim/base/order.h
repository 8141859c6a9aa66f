// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The order of numbers, for functions that sort: by several of them as smb_order(a, b) ?: smb_order(c, d).
#pragma once

#include <glib.h>

/** smb_order: Returns: less than 0, 0 or more than 0, as @a is less than @b, equal to it or more */
static inline int
smb_order(guint64 a, guint64 b) {
  return (a > b) - (a < b);
}
