// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The errors of the library. It reports through GError and never prints or exits; the program turns
// a code into an exit status.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SMB_ERROR (smb_error_quark())

/**
 * SmbError:
 * @SMB_ERROR_USAGE: the caller asked for something that cannot be asked (a bad option value)
 * @SMB_ERROR_INPUT: a kernel, a trace or a data file is wrong; the message names the place
 */
typedef enum {
  SMB_ERROR_USAGE,
  SMB_ERROR_INPUT,
} SmbError;

GQuark smb_error_quark(void);

/** Sets an error of any domain; always returns %FALSE, for what fails to return. */
gboolean smb_fail(GError **error, GQuark domain, int code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/** Puts a text in front of the message of an error, if it is set. */
void smb_prefix_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_END_DECLS
