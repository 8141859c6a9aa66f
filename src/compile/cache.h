// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A folder of results that are kept from one run to the next. It is bounded, may go at any time, and is believed only as far as a
// checksum goes; whatever is wrong with it costs time and nothing else. Several processes may use it at once: a file takes its
// name when it is whole, and no process waits for another.
#pragma once

#include <glib.h>

/** The variable of the environment that names the folder; by default it is $XDG_CACHE_HOME/smembank. */
#define SMB_CACHE_VARIABLE "SMEMBANK_CACHE"

/** The variable of the environment that says how many MiB it may have; 0: nothing is kept. */
#define SMB_CACHE_SIZE_VARIABLE "SMEMBANK_CACHE_SIZE"

/** MiB that it may have by default. */
#define SMB_CACHE_DEFAULT_MIB 512

/** How many results there may be under one key: the same text with other headers, say. */
#define SMB_CACHE_SLOTS 4

/** smb_cache_folder: Returns: (transfer full) (nullable): the folder, which is there, is this user's, and can be written; %NULL:
 * nothing is kept */
char *smb_cache_folder(void);

/**
 * smb_cache_load:
 * @key: 64 hexadecimal digits
 * @slot: less than SMB_CACHE_SLOTS
 * @type: of what is looked for
 *
 * Returns: (transfer full) (nullable): what was saved, in its normal form; %NULL: nothing that can be believed
 */
GVariant *smb_cache_load(const char *folder, const char *key, guint slot, const char *type);

/** Notes that a result is of use: those that were of none for longest are removed first. */
void smb_cache_touch(const char *folder, const char *key, guint slot);

/** Saves a result in a slot that is free, or else in that which was of no use for longest; removes what is too much then. */
void smb_cache_save(const char *folder, const char *key, GVariant *result);
