// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The launches of a FILE.cu that is a whole program, for commands that ask about a kernel and are not told how it is launched: the
// program is run, and a capture of its launches takes the place of the file.
#pragma once

#include "src/compile/workshop.h"
#include "src/target/ranking.h"

/** The variable that keeps any FILE from being run, and its value. */
#define SMB_STAND_IN_VARIABLE  "SMEMBANK_RUN"
#define SMB_STAND_IN_FORBIDDEN "no"

/**
 * SmbStandIn:
 * @workshop: has the capture
 * @path: the capture: the first launch of each kernel, shape and set of parameters; or all of them, or the one that --launch chooses
 * @ranking: all launches, as they were counted in the run
 * @n_files: that it was made of
 * @capture, @loaded: (nullable): of smb_launched_text_settle(): what the launch was given
 */
typedef struct {
  SmbWorkshop *workshop;
  char *path;
  SmbRanking *ranking;
  guint n_files;
  SmbCapture *capture;
  SmbCaptureLoaded *loaded;
} SmbStandIn;

/** smb_stand_in_has_main: Returns: whether a text has a main(), of its own as far as a line says */
gboolean smb_stand_in_has_main(const char *text);

/** smb_stand_in_is_program: Returns: whether a file is a text of CUDA C with a main(), which can be compiled for @arch here */
gboolean smb_stand_in_is_program(const char *file, const SmbArch *arch);

/** smb_stand_in_is_run: Returns: whether FILE is a program, and nothing says how a kernel of it is launched */
gboolean smb_stand_in_is_run(const SmbCli *cli, guint argument);

/**
 * smb_stand_in_run:
 * @files: (array zero-terminated=1): a program; others that it is made of, too, if it calls functions that it does not have
 * @folders: (nullable): where files are that it includes, besides those of the options
 * @keeps_all: whether all launches are in the capture
 * @stand_in: (out) (nullable) (transfer full): %NULL: it could not be compiled, or launches nothing; a message says why
 * @error: SMB_ERROR_USAGE for an option
 *
 * Runs a program, whose output goes to standard error.
 */
gboolean smb_stand_in_run(SmbCli *cli, const char *const *files, const SmbArch *arch,
                          const char *const *folders, gboolean keeps_all, SmbStandIn **stand_in,
                          GError **error);

/**
 * smb_stand_in_open:
 * @argument: index of the argument FILE, which may be absent
 * @keeps_all: as of smb_stand_in_run()
 * @stand_in: (out) (nullable) (transfer full): must live as long as the command; %NULL: FILE is taken as it is
 * @error: SMB_ERROR_USAGE for an option
 *
 * Runs FILE if it is a program that the user's own words name (not those of a project file, unless they are trusted) and nothing
 * says how a kernel of it is launched. FILE is its capture from then on.
 */
gboolean smb_stand_in_open(SmbCli *cli, guint argument, gboolean keeps_all, SmbStandIn **stand_in,
                           GError **error);

/** smb_stand_in_choose: Has the launch with the most excess wavefronts in the place of --launch; a message names it, if there are
 * several. @error: none was counted */
gboolean smb_stand_in_choose(SmbCli *cli, const SmbStandIn *stand_in, GError **error);

/** smb_stand_in_take: has the capture in the place of FILE */
void smb_stand_in_take(SmbCli *cli, guint argument, const SmbStandIn *stand_in);

/** smb_stand_in_find: Returns: the number in the capture of a launch of @row, or of another one like it */
guint64 smb_stand_in_find(const SmbCapture *capture, const SmbRankRow *row);

/** smb_stand_in_settle: both, for a command that is about one launch */
gboolean smb_stand_in_settle(SmbCli *cli, guint argument, SmbStandIn **stand_in, GError **error);

void smb_stand_in_free(SmbStandIn *stand_in);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbStandIn, smb_stand_in_free)
