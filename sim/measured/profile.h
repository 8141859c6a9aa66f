// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What Nsight Compute measured of kernels, instruction by instruction: the table that 'ncu --page source --csv
// --print-source sass' writes, of one launch or of several, one below the other.
#pragma once

#include "sim/base/source.h"

G_BEGIN_DECLS

/** A number of an instruction that was not counted. */
#define SMB_PROFILE_NOT_COUNTED G_MAXUINT64

/**
 * SmbProfileInstruction:
 * @pc: bytes from the first instruction of the kernel
 * @text: as ncu disassembles it
 * @executed: by how many warps, some with no lane active
 * @threads: lanes in which it ran: "Predicated-On Thread Instructions Executed"; it and @executed may be
 *   %SMB_PROFILE_NOT_COUNTED
 * @wavefronts: "L1 Wavefronts Shared"; 0 where the table has no such column, as of a kernel without shared memory
 * @ideal: "L1 Wavefronts Shared Ideal"
 */
typedef struct {
  guint64 pc;
  const char *text;
  guint64 executed;
  guint64 threads;
  guint64 wavefronts;
  guint64 ideal;
} SmbProfileInstruction;

/**
 * SmbProfileLaunch:
 * @kernel: as ncu writes its name: "void reduce<(int)128>(float *, int)"
 * @line: where it begins in the file, from 1
 * @instructions: (element-type SmbProfileInstruction): all of its code, by their place
 */
typedef struct {
  const char *kernel;
  guint line;
  GArray *instructions;
} SmbProfileLaunch;

/**
 * SmbProfile:
 * @launches: (element-type SmbProfileLaunch): in the order of the file; at least one
 * @strings: hold the texts
 * @is_doubled: whether each table was there twice, of which @launches has one
 */
typedef struct {
  GPtrArray *launches;
  GStringChunk *strings;
  gboolean is_doubled;
} SmbProfile;

/**
 * smb_profile_read:
 * @source: (transfer none): the file; lines before the first table are skipped, which ncu may have written there
 * @error: SMB_ERROR_INPUT with the line: no such table, no column that is needed, no number, places out of order
 *
 * Returns: (transfer full): what was measured
 */
SmbProfile *smb_profile_read(SmbSource *source, GError **error);
void smb_profile_free(SmbProfile *profile);

/** Whether two launches are of the same code with the same counts. */
gboolean smb_profile_is_equal(const SmbProfileLaunch *a, const SmbProfileLaunch *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbProfile, smb_profile_free)

G_END_DECLS
