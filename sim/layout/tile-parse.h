// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads a layout in any notation. Private to sim/layout.
#pragma once

#include "sim/layout/function.h"

/** smb_function_parse: Returns: (transfer full): the function that a layout is, with its shape and its element */
SmbFunction *smb_function_parse(SmbNotation *notation, const SmbTileDefaults *defaults,
                                GError **error);
void smb_function_free(SmbFunction *function);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFunction, smb_function_free)
