// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Things that are made once, by whichever thread asks for them first, and kept as long as there is room: those that
// were asked for last.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SmbOnce SmbOnce;

/**
 * SmbOnceKind: @ref: another reference to a thing (transfer full); @unref: the end of one; @size: (nullable): what it
 * takes of * the room; %NULL: 1
 */
typedef struct {
  gpointer (*ref)(gpointer thing);
  void (*unref)(gpointer thing);
  gsize (*size)(gconstpointer thing);
} SmbOnceKind;

/**
 * smb_once_new: @kind: (transfer none): static; @room: how much is kept; the last thing is, whatever it takes. Returns:
 * * (transfer full): nothing yet
 */
SmbOnce *smb_once_new(const SmbOnceKind *kind, gsize room);
void smb_once_free(SmbOnce *once);

/**
 * smb_once_get:
 * @key: what is asked for
 * @make: makes it (transfer full), or says why it cannot: then nothing is kept. Other threads that ask for @key wait
 *   meanwhile
 *
 * Returns: (transfer full) (nullable): the thing; %NULL with the error of @make
 */
gpointer smb_once_get(SmbOnce *once, const char *key,
                      gpointer (*make)(gpointer user, GError **error), gpointer user,
                      GError **error);

G_END_DECLS
