// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C as it is written: a subset of the language, read and run without a compiler or a GPU
// (doc/kernel-language.md has the grammar). Not modelled: what a compiler merges, removes or keeps in
// registers.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * smb_cuda_element_size:
 * @type: a type by its name, such as "float4"
 *
 * Returns: its bytes if one access moves it (1, 2, 4, 8 or 16), else 0; 0 for no type at all
 */
gsize smb_cuda_element_size(const char *type);

G_END_DECLS
