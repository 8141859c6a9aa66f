// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whether what a text declares of a kernel is what compiled code was made of: its mangled name has the types of the parameters.
#pragma once

#include "sim/program/prototype.h"

G_BEGIN_DECLS

/**
 * smb_signature_agrees:
 * @symbol: the kernel's name in compiled code; that of extern "C" has no types
 * @prototype: (element-type SmbDeclared): what a text declares
 *
 * Types that the text alone does not explain, such as other names for types, and enumerations, agree with any.
 *
 * Returns: whether each parameter may be of the type that the name has
 */
gboolean smb_signature_agrees(const char *symbol, const GArray *prototype);

/** smb_program_has_prototype: Returns: whether compiled code may be of what a text declares, by number, types and sizes of the
 * parameters */
gboolean smb_program_has_prototype(const SmbProgram *program, const GArray *prototype);

G_END_DECLS
