// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which instructions are fuzzed.
#pragma once

#include <glib.h>

/** The word that selects every instruction, not only those that stand for an operation. */
#define SMB_FUZZ_ALL_INSTRUCTIONS "all-instructions"

/**
 * smb_fuzz_select:
 * @names: (nullable) (array zero-terminated=1): operations ("ld"), operations with a width ("ld.16"),
 *   instructions ("atom.max.u32") or %SMB_FUZZ_ALL_INSTRUCTIONS; %NULL: all operations
 * @error: SMB_ERROR_USAGE
 *
 * Returns: (transfer full) (element-type guint): indices of smb_instruction(), each once; those that stand
 *   for operations in the order of the operations
 */
GArray *smb_fuzz_select(const char *const *names, GError **error);
