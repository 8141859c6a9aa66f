// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part of a launch, which can be counted elsewhere: what is run of the launch is cut into pieces that follow each
// other, and the sums of all are those of the whole. A part can be written and read back; then the kernel is not needed
// to add it to the others.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/analysis/analysis.h"

G_BEGIN_DECLS

/** Most parts of a launch. */
#define SMB_PART_MOST 1000000u

typedef struct _SmbPart SmbPart;

/**
 * smb_part_run:
 * @options: (nullable): as of smb_analysis_run()
 * @number, @of: which part, from 1, of how many
 * @error: as of smb_analysis_run(), of the blocks of this part
 *
 * If blocks depend on what earlier ones leave in memory, the blocks before the part are run too, without being counted.
 *
 * Returns: (transfer full): what was counted; @program must outlive it
 */
SmbPart *smb_part_run(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                      const SmbAnalysisOptions *options, guint number, guint of, GError **error);
void smb_part_free(SmbPart *part);

/**
 * smb_parts_collect:
 * @parts: (element-type SmbPart): distinct parts of the launch, of the same division
 * @program: that which they were run of, or smb_parts_program() of @parts
 * @write_hint: (nullable): as of SmbAnalysisOptions
 *
 * Returns: (transfer full): what they cost together; @program and @parts must outlive it
 */
SmbAnalysis *smb_parts_collect(const GPtrArray *parts, const SmbProgram *program,
                               const SmbArch *arch, const SmbLaunch *launch,
                               SmbHintWriter write_hint);

/**
 * Whether two parts were counted in the same way: blocks that wait for others are run in order in both, or in neither.
 */
gboolean smb_parts_agree(const SmbPart *a, const SmbPart *b);

/** Adds all that is known of the part to @json, as an object. */
void smb_part_write(const SmbPart *part, const SmbProgram *program, const SmbLaunch *launch,
                    GString *json);

/**
 * smb_part_read:
 * @name: how messages call it
 * @node: what smb_part_write() wrote
 * @error: SMB_ERROR_INPUT
 *
 * Returns: (transfer full): the part
 */
SmbPart *smb_part_read(const char *name, JsonNode *node, const SmbArch *arch, GError **error);

/**
 * smb_parts_program:
 * @parts: (element-type SmbPart): that were read; must outlive it
 * @name, @level, @file: (transfer none): of the kernel
 * @shared_bytes: shared memory of a block
 * @error: SMB_ERROR_INPUT: they are not of one kernel
 *
 * Returns: (transfer full): what is known of the program: it cannot be run
 */
SmbProgram *smb_parts_program(const GPtrArray *parts, const char *name, const char *level,
                              const char *file, gsize shared_bytes, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPart, smb_part_free)

G_END_DECLS
