// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A case in the text of a kernel: a line that is a comment, "// smembank: [NAME] OPTION…", with options as on a command
// line. What another file, a compiler or another kernel is chosen by is not among them,
// nor are limits of the work.
#pragma once

#include "src/project/project.h"

/**
 * smb_case_in_source:
 * @path: a file
 * @name: (nullable): of the line; %NULL: the line is one without a name
 * @entry: (nullable): the kernel that is asked for: a line that names it comes before one that names none
 * @one: (out) (transfer full) (nullable): what the first such line says; %NULL: there is none, or it is not CUDA C
 * @error: SMB_ERROR_INPUT, "PATH:LINE: reason"
 *
 * Returns: whether all such lines can be read. A file that cannot be read is left to those who run it
 */
gboolean smb_case_in_source(const char *path, const char *name, const char *entry, SmbCase **one,
                            GError **error);

/**
 * smb_cases_in_text:
 * @path: of the file that has the text: its folder is what files in the options are relative to
 * @error: as smb_case_in_source()
 *
 * Returns: (transfer full) (element-type SmbCase): all such lines of a text, in its order
 */
GPtrArray *smb_cases_in_text(const char *path, const char *text, GError **error);

/**
 * smb_cases_of_kernel:
 * @all: (element-type SmbCase): the lines of a text
 * @entry: a kernel of it
 *
 * Returns: (transfer container) (element-type SmbCase): those that are for the kernel: all with a name, and of those without one that
 *   which smb_case_in_source() takes
 */
GPtrArray *smb_cases_of_kernel(const GPtrArray *all, const char *entry);
