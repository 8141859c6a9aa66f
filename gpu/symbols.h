// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The functions of a library that was opened at run time.
#pragma once

#include <glib.h>

/**
 * SmbSymbol:
 * @name: of a function
 * @member: where its address goes: an offset into a structure of pointers to functions
 */
typedef struct {
  const char *name;
  gsize member;
} SmbSymbol;

/**
 * smb_symbols_find:
 * @handle: an open library
 * @symbols: (array length=n): what is looked for
 * @functions: the structure that is filled in
 *
 * Returns: (nullable): the first name that the library has not; %NULL if it has all
 */
const char *smb_symbols_find(gpointer handle, const SmbSymbol *symbols, guint n,
                             gpointer functions);
