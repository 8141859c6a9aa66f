// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Names of functions and variables in compiled code, as C++ compilers mangle them.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * What a mangled name says (transfer full): @name itself, if it is none; without parameters and namespaces if @plain.
 */
char *smb_symbol_demangle(const char *name, gboolean plain);

/**
 * smb_symbol_choose:
 * @symbols: (element-type utf8): the kernels of a file, at least one
 * @entry: (nullable): a name that tells which is meant: mangled, or demangled, with or without namespaces, arguments of
 *   templates and parameters
 * @file: what messages call the file
 * @error: SMB_ERROR_USAGE, with the kernels that there are: none matches, or several do
 *
 * Returns: the index of the kernel, or -1
 */
gint smb_symbol_choose(const GPtrArray *symbols, const char *entry, const char *file,
                       GError **error);

G_END_DECLS
