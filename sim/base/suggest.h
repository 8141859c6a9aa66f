// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// "Did you mean": the names that a misspelt one is closest to.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * smb_suggest:
 * @word: what was typed
 * @names: (array zero-terminated=1): what could have been meant; each once
 *
 * A name is close if @word begins it, or is one change away for each three characters at most: a
 * character more, less or another, or two neighbours swapped. Case does not count.
 *
 * Returns: (transfer full): "; did you mean 'NAME'?", with the three closest if they are as close, or "", to end a
 *   message with
 */
char *smb_suggest(const char *word, const char *const *names);

G_END_DECLS
