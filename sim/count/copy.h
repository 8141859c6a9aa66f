// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Why a copy from global memory costs what it costs: which lanes are served in which wavefront, and which of them are
// served by themselves. Slow and complete; sim/count/wavefront counts the same, fast and terse.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

/** Most wavefronts of a copy: each lane by lines, and once more by banks. */
#define SMB_COPY_MAX_WAVEFRONTS (2 * SMB_MAX_LANES)

/** In place of the number of a line. */
#define SMB_COPY_BANKS G_MAXUINT

/**
 * SmbCopyPart: lanes that are served without the others
 * @line: the line of the source that they read, by its number in the request; SMB_COPY_BANKS of a lane group that is
 *   served by banks
 * @first, @wavefronts: the first of their wavefronts, and how many there are
 * @ideal: wavefronts that their bytes fill
 */
typedef struct {
  guint line;
  SmbLanes lanes;
  guint first;
  guint wavefronts;
  guint ideal;
} SmbCopyPart;

/**
 * SmbCopy:
 * @n: wavefronts
 * @lanes: the lanes that each serves. Hardware may deal them otherwise: their number is what is known. None where it
 *   counts more than dealing them takes
 * @parts: in the order in which they are counted
 */
typedef struct {
  guint n;
  SmbLanes lanes[SMB_COPY_MAX_WAVEFRONTS];
  guint n_parts;
  SmbCopyPart parts[SMB_COPY_MAX_WAVEFRONTS];
} SmbCopy;

/**
 * smb_request_copy: @request: that says where it copies from, and is counted by that: see
 * smb_wavefronts_copy_is_known(). * Returns: how it is served
 */
SmbCopy smb_request_copy(const SmbArch *arch, const SmbRequest *request);

/**
 * smb_request_meets:
 * @lanes: of a request that is served by banks: a lane group
 * @lane: one of them
 * @writes, @reads: (out): those that write to its bank of shared memory, and that read from its bank of the source, it
 *   among them
 */
void smb_request_meets(const SmbRequest *request, SmbLanes lanes, guint lane, SmbLanes *writes,
                       SmbLanes *reads);

/** The rows of shared memory, of SMB_SOURCE_LINE_BYTES, that some lanes of a request write to. */
guint smb_request_rows(const SmbRequest *request, SmbLanes lanes);

G_END_DECLS
