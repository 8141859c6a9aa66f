// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C as it is written: a subset of the language, read and run without a compiler or a GPU
// (doc/kernel-language.md has the grammar). Not modelled: what a compiler merges, removes or keeps in
// registers.
#pragma once

#include "sim/program/prototype.h"

G_BEGIN_DECLS

/**
 * smb_cuda_element_size:
 * @type: a type by its name, such as "float4"
 *
 * Returns: its bytes if one access moves it (1, 2, 4, 8 or 16), else 0; 0 for no type at all
 */
gsize smb_cuda_element_size(const char *type);

/** smb_cuda_type_size: @type: of the kernel language, by its words, such as "const unsigned long". Returns: its bytes; 0: there is no such
 * type, or the host has another one of that name */
gsize smb_cuda_type_size(const char *type);

/**
 * smb_cuda_prototype:
 * @source: a text, whose kernel may have more than the kernel language has
 * @options: as for reading it
 * @shared: (out) (optional) (transfer full) (element-type SmbDeclaredShared): the shared variables that it declares, as far as they can be
 *   read; not set if %NULL is returned
 *
 * Returns: (transfer full) (nullable) (element-type SmbDeclared): the parameters of the kernel; %NULL: they have types that are not known
 *   here, or there is no such kernel
 */
GArray *smb_cuda_prototype(SmbSource *source, const SmbProgramOptions *options, GArray **shared);

G_END_DECLS
