// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the user says of the value of a parameter: NAME=VALUE or NUMBER=VALUE. VALUE is a number, which its
// front end reads, or the bytes that memory is to hold: raw:HEXBYTES or @FILE.
#pragma once

#include "sim/program/program.h"

G_BEGIN_DECLS

/** Whether an argument is of the parameter of that number (from 0), or of its name. */
gboolean smb_argument_is_of(const char *argument, const SmbProgram *program, guint parameter);

/** The argument, NAME=VALUE, of a parameter (transfer none), or NULL; of several the last one counts. */
const char *smb_argument_given(const char *const *arguments, const SmbProgram *program,
                               guint parameter);

/** The VALUE of a parameter (transfer none), or NULL; of several arguments the last one counts. */
const char *smb_argument_find(const char *const *arguments, const SmbProgram *program,
                              guint parameter);

/**
 * smb_argument_largest:
 * @number: (out): the largest whole number that an argument is, if any is more than 1
 *
 * Returns: the parameter that has it, %G_MAXUINT: none
 */
guint smb_argument_largest(const char *const *arguments, const SmbProgram *program, gint64 *number);

/** The FILE that an argument, NAME=VALUE, is read from (transfer none), or NULL. */
const char *smb_argument_file(const char *argument);

/** Whether a VALUE is bytes rather than a number. */
gboolean smb_argument_is_raw(const char *value);

/**
 * smb_argument_raw:
 * @name: of the parameter, for messages
 * @value: raw:HEXBYTES or @FILE
 * @size: bytes of the parameter; 0: as many as there are, at least one
 * @error: SMB_ERROR_USAGE; a file error for a file that cannot be read
 *
 * Returns: (transfer full): the bytes, @size of them
 */
GBytes *smb_argument_raw(const char *name, const char *value, gsize size, GError **error);

/**
 * smb_argument_check:
 * @argument: what is to be NAME=VALUE
 * @error: SMB_ERROR_USAGE; a file error if its file is not there
 *
 * Returns: whether it may be of some kernel: what can be said without one
 */
gboolean smb_argument_check(const char *argument, GError **error);

/**
 * smb_argument_number:
 * @name: of the parameter, for messages
 * @text: a number
 * @scalar: what it becomes: of an integer, with a sign or without one, as long as it fits
 * @error: SMB_ERROR_USAGE
 *
 * Returns: (transfer full): the bytes
 */
GBytes *smb_argument_number(const char *name, const char *text, SmbScalar scalar, GError **error);

G_END_DECLS
