// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sim/program/program.h"

G_BEGIN_DECLS

/**
 * smb_cuda_constant:
 * @source: CUDA C, whether the kernel language has all of it or not
 * @options: how it is read
 * @expression: an integer expression over its macros, its constants and sizeof, such as "BM * BK * sizeof(float)"
 * @value: (out): what it comes to, in 64 bits
 * @error: SMB_ERROR_USAGE: no such expression, or a name that the text does not define as one constant
 */
gboolean smb_cuda_constant(SmbSource *source, const SmbProgramOptions *options,
                           const char *expression, gint64 *value, GError **error);

G_END_DECLS
