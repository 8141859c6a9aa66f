// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The results of the parts of one whole (--shard), as JSON: read, and checked to belong together. What a command needs of them is a
// table of members.
#pragma once

#include "src/cli/cli.h"
#include "src/shard/shard.h"

/** SmbPartResult: @name: (transfer none): of its file; @root: the result; @shard: which part it is */
typedef struct {
  const char *name;
  JsonNode *root;
  SmbShard shard;
} SmbPartResult;

/**
 * SmbPartResults: those of all parts
 * @command: (transfer none): of which command
 * @parts: (element-type SmbPartResult): by the number of the part
 * @texts: keeps the texts that are read (SMB_MEMBER_KEPT)
 */
typedef struct {
  const char *command;
  GArray *parts;
  GStringChunk *texts;
} SmbPartResults;

/**
 * SmbMerger: how the parts of a command become its result
 * @command: its name
 * @formats: in which it can be written
 * @members: (array zero-terminated=1): what all parts have in common beside the members of "shard": "kernel"; "launch?": all may lack it
 * @merge: gives @cli the whole result, in its format, as the command would have written it; the error is SMB_ERROR_INPUT
 */
typedef struct {
  const char *command;
  const SmbFormat *formats;
  const char *const *members;
  gboolean (*merge)(SmbCli *cli, const SmbPartResults *results, GError **error);
} SmbMerger;

/**
 * smb_part_results_read:
 * @files: (array zero-terminated=1) (transfer none): one at least
 * @error: a file error; SMB_ERROR_INPUT, naming the file: it is not the result of a part, or not one of the same whole, or
 *   a part is missing, or there twice
 *
 * Returns: (transfer full): the results; @files must outlive them
 */
SmbPartResults *smb_part_results_read(const char *const *files, GError **error);
void smb_part_results_free(SmbPartResults *results);

/** Whether all parts have the same in common; else an SMB_ERROR_INPUT names the file. */
gboolean smb_part_results_agree(const SmbPartResults *results, const SmbMerger *merger,
                                GError **error);

/**
 * smb_part_results_pick:
 * @part: from 0
 * @members: (array length=n): of the result, which may have others, as its member "shard" has
 * @target: what they are kept in
 * @error: SMB_ERROR_INPUT, naming the file and the place in it
 */
gboolean smb_part_results_pick(const SmbPartResults *results, guint part, const SmbMember *members,
                               guint n, gpointer target, GError **error);

/** smb_part_name, smb_part_object: Returns: (transfer none): the file of part @part, from 0, and what is in it */
const char *smb_part_name(const SmbPartResults *results, guint part);
JsonObject *smb_part_object(const SmbPartResults *results, guint part);

/** The "arch" of a result: its name, a const char *. */
extern const SmbMembers smb_part_arch;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPartResults, smb_part_results_free)
