// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The launch of a kernel that its text has, "k<<<grid, block>>>(…)", where nothing else says how it is launched.
#pragma once

#include "src/target/target.h"

/**
 * SmbWrittenLaunch: a launch as options have it
 * @file, @line: where it is written
 * @dynamic_bytes: (nullable): %NULL: the launch has none
 * @args: (array zero-terminated=1): of the parameters that are no pointers and that options do not give, as far as they are constants
 * @all_args: (array zero-terminated=1): and those of the options
 */
typedef struct {
  char *file;
  guint line;
  char *block, *grid, *dynamic_bytes;
  GStrv args, all_args;
} SmbWrittenLaunch;

/**
 * smb_written_launch_find:
 * @file: of CUDA C or HIP; of anything else there is none
 *
 * Returns: (transfer full) (nullable): the only launch of the kernel that @options choose, or of the only one of the text; %NULL: there is
 *   none or several, its block, grid or bytes are no constants, options say any of these, or their macros may change them
 */
SmbWrittenLaunch *smb_written_launch_find(const char *file, const SmbTargetOptions *options);
void smb_written_launch_free(SmbWrittenLaunch *launch);

/** smb_written_launch_take: has @options say it; @launch must outlive them */
void smb_written_launch_take(const SmbWrittenLaunch *launch, SmbTargetOptions *options);

/** Says that it was taken. */
void smb_written_launch_tell(SmbCli *cli, const SmbWrittenLaunch *launch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbWrittenLaunch, smb_written_launch_free)
