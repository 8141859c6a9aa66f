// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where a message of a stream ends: at its line, as the Model Context Protocol has it, or after the number of bytes that
// a header names, as the Language Server Protocol does. What is in a message is not looked at.
#pragma once

#include <glib.h>

/** How messages follow each other. */
typedef enum {
  SMB_FRAMING_LINES,   /* a message a line; empty lines are skipped */
  SMB_FRAMING_HEADERS, /* "Content-Length: N", other headers, an empty line, N bytes */
} SmbFraming;

/** Most bytes of a message, and of the headers before it. */
#define SMB_FRAMING_MOST_BYTES        (64u << 20)
#define SMB_FRAMING_MOST_HEADER_BYTES (8u << 10)

typedef struct _SmbFrames SmbFrames;

/** smb_frames_new: Returns: (transfer full): a stream of which nothing was read yet */
SmbFrames *smb_frames_new(SmbFraming framing);
void smb_frames_free(SmbFrames *frames);

/** smb_frames_add: Adds @n bytes that were read. */
void smb_frames_add(SmbFrames *frames, const char *bytes, gsize n);

/**
 * smb_frames_take:
 * @message: (out) (transfer full) (nullable): the next message; %NULL: it is not whole yet
 * @error: SMB_ERROR_INPUT: headers that say no length, or what is too long. Where the next message begins is not known then
 *
 * Returns: whether the stream can be read on
 */
gboolean smb_frames_take(SmbFrames *frames, GString **message, GError **error);

/** smb_framing_wrap: Returns: (transfer full): a message as it is sent */
GString *smb_framing_wrap(SmbFraming framing, const char *message, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFrames, smb_frames_free)
