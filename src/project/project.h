// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A project file: the kernels of a project, how each is launched, and what it may cost. A section is a case; its keys are
// the names of long options (src/project/key.h), lists are separated by ';', and options without a value are true or
// false. What stands in the section [*] is said of all cases, in front of their own. Files are relative to the
// project file.
#pragma once

#include <glib.h>

#include "src/cli/files.h"

/** Its default name. */
#define SMB_PROJECT_FILE "smembank.ini"

/** The section for all cases. */
#define SMB_PROJECT_EVERY "*"

/**
 * SmbCase: a kernel and its launch.
 * @name: its name
 * @path: the file that it was read from
 * @line: where it begins there, from 1
 * @file: (nullable): the kernel's file, seen from the current folder
 * @words: options as on a command line, "--block=32,32", each in one word
 * @n_every: how many of them are those of all cases, which come first
 * @nvcc_line: where its options of nvcc are, if it has any
 */
typedef struct {
  char *name;
  char *path;
  guint line;
  char *file;
  GStrv words;
  guint n_every;
  guint nvcc_line;
} SmbCase;

void smb_case_free(SmbCase *one);

/**
 * SmbProject:
 * @path: its file, seen from the current folder
 * @cases: (element-type SmbCase): in the order of the file
 */
typedef struct {
  char *path;
  GPtrArray *cases;
} SmbProject;

/**
 * smb_project_load:
 * @path: (nullable): its file; %NULL: SMB_PROJECT_FILE in the current folder or the next one above it that has one
 * @error: SMB_ERROR_USAGE if there is none; a file error; as smb_project_new_from_data()
 *
 * Returns: (transfer full): what the file says
 */
SmbProject *smb_project_load(const char *path, GError **error);

/**
 * smb_project_new_from_data:
 * @path: how messages call it, and what files are relative to
 * @error: SMB_ERROR_INPUT, "PATH:LINE: reason": no .ini file, a section twice, a key that no command has
 *
 * Returns: (transfer full): what the text says
 */
SmbProject *smb_project_new_from_data(const char *path, const char *text, gsize length,
                                      GError **error);
void smb_project_free(SmbProject *project);

/**
 * smb_project_find:
 * @error: SMB_ERROR_USAGE that lists the cases that there are
 *
 * Returns: (transfer none): the case of that name
 */
const SmbCase *smb_project_find(const SmbProject *project, const char *name, GError **error);

/** Notes the files that a project reads: its own, and those that its cases name: kernels, what buffers hold. @files: (nullable) */
void smb_project_note_files(const SmbProject *project, SmbFiles *files);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCase, smb_case_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbProject, smb_project_free)
