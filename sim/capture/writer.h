// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Writes a capture while the application runs. Each member is written to the file when it is whole, so that whatever
// ends the writer leaves a valid capture of what came before. Not thread-safe.
#pragma once

#include "sim/capture/launch.h"

G_BEGIN_DECLS

typedef struct _SmbCaptureWriter SmbCaptureWriter;

/**
 * smb_capture_writer_new:
 * @path: the file, of mode 0600. A capture that is there is replaced when the new one has its first launch, or is
 *   finished; until then, the new one lies beside it and leaves with its writer. A link is followed if it leads to a
 *   file
 * @header: (transfer none)
 * @error: a file error; SMB_ERROR_USAGE: @path is no regular file, a link to none, a file that is not a capture, or
 *   another writer is at work on it
 *
 * Returns: (transfer full): a writer; unless another file is there, its own is a capture without launches
 */
SmbCaptureWriter *smb_capture_writer_new(const char *path, const SmbCaptureHeader *header,
                                         GError **error);

/** Closes the file, which ends early unless smb_capture_writer_finish() was called. */
void smb_capture_writer_free(SmbCaptureWriter *writer);

/**
 * smb_capture_writer_image:
 * @image: machine code, as the driver loaded it
 * @hash: (out) (transfer full): for SmbCaptureLaunch.image
 * @error: a file error: the file is as it was before this member, and the next one may fit. SMB_ERROR_INPUT: it is too
 *   large
 *
 * Stores an image, unless it is there.
 */
gboolean smb_capture_writer_image(SmbCaptureWriter *writer, GBytes *image, char **hash,
                                  GError **error);

/**
 * smb_capture_writer_memory:
 * @data: (array length=bytes)
 * @bytes: from 1 to SMB_CAPTURE_PIECE_BYTES
 * @hash: (out) (nullable) (transfer full): for SmbCapturePiece.hash; %NULL: they are all zero, and not stored
 * @error: as smb_capture_writer_image()
 *
 * Stores a piece of memory, unless it is there.
 */
gboolean smb_capture_writer_memory(SmbCaptureWriter *writer, const guchar *data, gsize bytes,
                                   char **hash, GError **error);

/**
 * smb_capture_writer_launch:
 * @launch: its @number is one more than that of the launch before; images and memory that it names are there
 * @error: as smb_capture_writer_image(); SMB_ERROR_INPUT: as smb_capture_launch_check(), or it names what is not there
 */
gboolean smb_capture_writer_launch(SmbCaptureWriter *writer, const SmbCaptureLaunch *launch,
                                   GError **error);

/** Writes how it ended, after which nothing can be written. @error: a file error: then the capture ends early. */
gboolean smb_capture_writer_finish(SmbCaptureWriter *writer, const SmbCaptureEnd *end,
                                   GError **error);

/** Bytes that the file has so far. */
guint64 smb_capture_writer_bytes(const SmbCaptureWriter *writer);

/** Whether the file is at its path: another one that was there is replaced. */
gboolean smb_capture_writer_is_in_place(const SmbCaptureWriter *writer);

/** How many launches it has so far. */
guint64 smb_capture_writer_launches(const SmbCaptureWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCaptureWriter, smb_capture_writer_free)

G_END_DECLS
