// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What profilers count per instruction. The counters of the metrics smsp__sass_... (Nsight Compute's source page) are
// computed by code that the profiler adds to the kernel, from the addresses of the lanes: for loads of 8 and 16 bytes
// by rules of its own, so that they may be other numbers than the wavefronts that the pipe takes (wavefront.h).
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"
#include "sim/count/wavefront.h"

G_BEGIN_DECLS

/**
 * smb_wavefronts_by_instruction:
 * @arch: an architecture
 * @request: a request as smb_wavefronts_count() wants it
 * @pipe: what smb_wavefronts_count() says of it
 *
 * Of a load of 8 bytes (LDS, or LD in shared memory) the whole warp is served at once if it merges
 * (smb_request_mergeable()) and no lanes conflict, otherwise each half by itself. Of a load of 16 bytes for which all
 * active lanes have one address, each 16 of them take a wavefront. Otherwise each half is served at once if it merges
 * and none of its lanes conflict, and quarter by quarter if not. The upper half merges as ever. The lower half always
 * does if lane 31 is inactive; if that is active, only if, in addition, the pairs are whole: both lanes are active, or
 * none. Everything else is as the pipe counts it, and so is all on an architecture without such rules
 * (SmbArchInfo.counts_instructions_apart).
 *
 * Source: Nsight Compute on an H200, 13820 random requests of loads of 8 and 16 bytes, all equal;
 * tests/data/instructions.txt has 5628 of them.
 *
 * Returns: the wavefronts of the request as that counter has them. Ideal and excess are theirs: the ideal is what is
 * counted if no lanes conflict. Cycles are those of the pipe.
 */
SmbWavefronts smb_wavefronts_by_instruction(const SmbArch *arch, const SmbRequest *request,
                                            const SmbWavefronts *pipe);

/**
 * smb_wavefronts_view_ideal:
 * @request: a load or store
 * @wavefronts: what is counted of it per instruction
 *
 * Returns: what Nsight Compute's source page calls ideal: as many wavefronts as the bytes of all active lanes would
 *   take side by side, and no more than are counted. Source: as of smb_wavefronts_by_instruction(), with 4346 requests
 *   of other loads and of stores: all 18166 equal
 */
guint smb_wavefronts_view_ideal(const SmbArch *arch, const SmbRequest *request, guint wavefronts);

G_END_DECLS
