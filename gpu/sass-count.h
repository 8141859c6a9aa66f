// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is counted of each instruction of machine code.
#pragma once

#include "gpu/profiler.h"

/** Name of the counts in a result (gpu/message.h): bytes of an array of SmbInstructionCount. */
#define SMB_SASS_WAVEFRONTS "wavefronts"

/**
 * smb_sass_count:
 * @symbol: the kernel
 * @launch: is made once
 * @result: gets them
 * @error: as SmbProfiler.instructions
 */
gboolean smb_sass_count(const SmbProfiler *profiler, int device, const char *symbol,
                        const SmbProfilerLaunch *launch, GVariantDict *result, GError **error);
