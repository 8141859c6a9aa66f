// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the program and the process that measures for it tell each other: dictionaries of type a{sv},
// each after its length, over a pair of pipes.
#pragma once

#include <glib.h>

/** Largest message, in bytes: what a kernel may have in its buffers, both ways. */
#define SMB_MESSAGE_MAX_BYTES (G_GUINT64_CONSTANT(8) << 30)

/**
 * smb_message_write:
 * @message: (transfer none): of type a{sv}; a floating reference is taken
 *
 * Returns: whether all of it was written; %FALSE means that no process reads
 */
gboolean smb_message_write(int fd, GVariant *message);

/** How reading a message ended. */
typedef enum {
  SMB_MESSAGE_READ,
  SMB_MESSAGE_CLOSED, /* the other side is gone, or does not speak this language */
  SMB_MESSAGE_LATE,   /* no whole message came in time */
} SmbMessageStatus;

/**
 * smb_message_read:
 * @timeout_ms: how long to wait for all of it, in milliseconds; negative: forever
 * @message: (out) (transfer full): of type a{sv}, if one was read
 */
SmbMessageStatus smb_message_read(int fd, gint64 timeout_ms, GVariant **message);

/** smb_message_bytes: Returns: (transfer full): @bytes as a value of a message, type ay */
GVariant *smb_message_bytes(GBytes *bytes);

/** smb_message_get_bytes: Returns: (transfer full): the bytes under @key, or none if it is not there */
GBytes *smb_message_get_bytes(GVariant *message, const char *key);

/** smb_message_numbers: Returns: (transfer full): @numbers as a value of a message, type ad */
GVariant *smb_message_numbers(const double *numbers, gsize n);

/** smb_message_get_numbers: Returns: (transfer full) (element-type double): those under @key, or none if it is not
 * there */
GArray *smb_message_get_numbers(GVariant *message, const char *key);
