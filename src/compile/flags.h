// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The options of nvcc that a user or a file gives (--nvcc, the key nvcc of a project file): which may come from a file, and which
// of them are for the preprocessor.
#pragma once

#include <glib.h>

/**
 * SmbFlags:
 * @typed: (array zero-terminated=1): all of them, as words
 * @nvcc: (array zero-terminated=1): those that nvcc is given
 * @host: (array zero-terminated=1): those that the preprocessor is given, each in one word: "-DN=4", "-UN", "-Ifolder", with the
 *   value as the text is to see it
 * @foreign: (nullable): the first one that no file may give; what it reads or does is not known here
 * @architecture: (nullable): "sm_90": of the last -arch or -gencode
 */
typedef struct {
  GStrv typed;
  GStrv nvcc;
  GStrv host;
  char *foreign;
  char *architecture;
} SmbFlags;

/**
 * smb_flags_parse:
 * @text: (nullable): words as a shell has them; %NULL: none
 * @error: SMB_ERROR_USAGE if a shell would not take them
 *
 * Returns: (transfer full): what they say
 */
SmbFlags *smb_flags_parse(const char *text, GError **error);
void smb_flags_free(SmbFlags *flags);

/** Whether one of the words of @flags->typed begins so (array zero-terminated=1). */
gboolean smb_flags_has(const SmbFlags *flags, const char *const *beginnings);

/** Whether they make another text of a text: macros, or a header. */
gboolean smb_flags_set_macros(const SmbFlags *flags);

/** Whether they name an architecture; @smb_flags_name_several: more than one. */
gboolean smb_flags_name_architecture(const SmbFlags *flags);
gboolean smb_flags_name_several(const SmbFlags *flags);

/**
 * smb_flags_check_file:
 * @text: flags that come from a file
 * @error: SMB_ERROR_INPUT: which of them a file may not give; as of smb_flags_parse()
 *
 * Returns: whether a file may give them
 */
gboolean smb_flags_check_file(const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFlags, smb_flags_free)
