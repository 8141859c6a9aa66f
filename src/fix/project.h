// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A profile of Nsight Compute and a project file: each kernel that was measured, as the case of the project that launches it.
#pragma once

#include "src/fix/fix.h"
#include "src/project/project.h"

/**
 * SmbFixCase: a case whose kernel was measured
 * @name: of the case
 * @launch: (transfer none): the first of the launches of its kernel
 * @fix: (nullable): %NULL with an error
 * @error: (nullable): why nothing can be said of it
 */
typedef struct {
  char *name;
  const SmbProfileLaunch *launch;
  SmbArch *arch;
  SmbTarget *target;
  SmbFix *fix;
  char *error;
} SmbFixCase;

/**
 * SmbFixProject:
 * @project: (transfer full): the project
 * @file: (transfer none): the profile
 * @cases: (element-type SmbFixCase): those whose kernels were measured, the most excess first, then those that failed
 * @broken: (element-type SmbFixCase): those whose kernel cannot be read; they have no launch
 * @unmatched: (element-type SmbProfileLaunch) (transfer none): the first launch of each kernel that no case has
 * @known: what the cases have: "a (transpose), b (reduce)"
 * @top: lines that text shows of each
 */
typedef struct {
  SmbProject *project;
  const char *file;
  GPtrArray *cases;
  GPtrArray *broken;
  GPtrArray *unmatched;
  char *known;
  guint top;
} SmbFixProject;

/**
 * SmbFixOpener: how a case is opened
 * @open: the target of a case, and its architecture, which it returns a reference of
 */
typedef struct {
  SmbTarget *(*open)(gpointer data, const SmbCase *one, SmbArch **arch, GError **error);
  gpointer data;
} SmbFixOpener;

/**
 * smb_fix_project_new:
 * @project: (transfer full)
 * @profile, @search: (transfer none): as of smb_fix_new()
 * @error: SMB_ERROR_USAGE: two cases have one kernel; SMB_ERROR_INPUT: no kernel that was measured is one of a case
 *
 * What is wrong with one case is its own.
 *
 * Returns: (transfer full): what was measured of the project
 */
SmbFixProject *smb_fix_project_new(SmbProject *project, const SmbProfile *profile, const char *file,
                                   guint number, const SmbAdviseSearch *search,
                                   const SmbFixOpener *opener, GError **error);
void smb_fix_project_free(SmbFixProject *all);

/** smb_fix_project_status: Returns: SMB_EXIT_INPUT if a kernel that was measured has no result */
SmbExit smb_fix_project_status(const SmbFixProject *all);

/** The formats of an SmbFixProject. */
extern const SmbFormat smb_fix_project_formats[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFixProject, smb_fix_project_free)
