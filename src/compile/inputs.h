// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a compilation reads: the files that its preprocessor lists, and what they are. Whether another compilation would read the
// same is found without one: by the contents of these files, and by what there is in the folders where included files are
// looked for. A file that appears in a folder of the system, or under a name that only a macro spells, is not noticed.
#pragma once

#include <glib.h>

/**
 * smb_inputs_read_rule:
 * @path: what "-MD -MF" has written: a rule of make
 * @folder: what is in it is left out: the text itself, and what is written for it
 *
 * Returns: (transfer full) (nullable): the files that were read; %NULL: that cannot be said
 */
GStrv smb_inputs_read_rule(const char *path, const char *folder);

/**
 * SmbInputs:
 * @files: (array zero-terminated=1): what was read
 * @digests: (array zero-terminated=1): what each of them is: a SHA-256 of its bytes, or of what stat() says of a program
 * @asked: (array zero-terminated=1): names of files of which the text asks whether they are there
 * @present: a digest of which of the names that were looked for there are in the folders that are searched
 */
typedef struct {
  GStrv files;
  GStrv digests;
  GStrv asked;
  char *present;
} SmbInputs;

/**
 * smb_inputs_new:
 * @files: the files that were read
 * @host: words of the preprocessor, which name folders
 * @text, @length: the text itself
 * @since: when it was begun to read, in nanoseconds of the clock that files have
 *
 * Returns: (transfer full) (nullable): what they are; %NULL: the result may be of something else: a file has changed
 *   meanwhile, or the text asks what time it is
 */
SmbInputs *smb_inputs_new(const char *const *files, const char *const *host, const char *text,
                          gsize length, gint64 since);
void smb_inputs_free(SmbInputs *inputs);

/** smb_inputs_are_same: Returns: whether another compilation, with the same words, would read the same */
gboolean smb_inputs_are_same(const SmbInputs *inputs, const char *const *host);

/** smb_inputs_now: Returns: what time it is for files, in nanoseconds */
gint64 smb_inputs_now(void);

/** smb_inputs_sign: Returns: (transfer full): what stat() says of a program, and the contents of a script */
char *smb_inputs_sign(const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbInputs, smb_inputs_free)
