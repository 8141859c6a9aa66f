// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Words of a command line in one form: an option by its whole name, in one word with its value.
#pragma once

#include "src/cli/cli.h"

/**
 * smb_words_prepare:
 * @words: as they were typed: options cut short, "-DN=4", values in a word of their own
 * @n: number of words
 * @options: (element-type GOptionEntry): those that there are
 * @error: SMB_ERROR_USAGE: an option that is not there, or could be several, or lacks its value
 *
 * Returns: (transfer full): "--NAME=VALUE" or "--NAME" of options; others as they were
 */
GStrv smb_words_prepare(const char *const *words, guint n, const GPtrArray *options,
                        GError **error);

/** smb_words_count: Returns: how many of @words (nullable) stand ahead of "--"; without it, all */
guint smb_words_count(const char *const *words);

/** smb_words_find: Returns: (transfer none) (nullable): the value of an option in prepared words, the last one */
const char *smb_words_find(const char *const *words, const char *name);

/** smb_words_has: Returns: whether prepared words have an option without a value */
gboolean smb_words_has(const char *const *words, const char *name);

/** smb_words_argument: Returns: (transfer none) (nullable): the word number @index, from 0, that is not an option */
const char *smb_words_argument(const char *const *words, guint index);

/** smb_words_is_of: Returns: whether a prepared word is one of these options */
gboolean smb_words_is_of(const char *word, const GPtrArray *options);

/**
 * smb_words_of_options:
 * @groups: (array zero-terminated=1): options whose values are stored
 *
 * Returns: (transfer full): what was stored, as prepared words again: for another command that takes these options
 */
GStrv smb_words_of_options(const SmbCliGroup *const *groups);
