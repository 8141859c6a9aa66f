// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files that hold recordings.
#pragma once

#include <gio/gio.h>

#include "sim/measured/recording.h"
#include "src/cli/cli.h"
#include "src/out/file.h"

/**
 * smb_record_write:
 * @cli: gets a message if the file was kept
 * @error: as smb_out_file_write()
 *
 * A recording in which launches failed (a lost device, a crash, a hang) replaces no file: a message says that
 * the earlier one was kept.
 */
gboolean smb_record_write(SmbCli *cli, const SmbRecording *recording, const SmbOutFile *file,
                          GError **error);

/**
 * smb_record_read:
 * @stream: gives the text of a recording
 * @name: how messages and rows call it
 * @error: as smb_recording_new_from_data(), or an error of the stream
 *
 * Returns: (transfer full): the recording
 */
SmbRecording *smb_record_read(GInputStream *stream, const char *name, GError **error);

/** What a file may hold that predictions are compared with, or made of. */
typedef enum {
  SMB_HOLDS_TRACE,
  SMB_HOLDS_RECORDING, /* begins with a JSON object */
  SMB_HOLDS_KERNEL,    /* a comment of C, a directive of PTX, an object file */
} SmbHolds;

/**
 * smb_record_look:
 * @stream: is looked at and keeps all it has
 * @holds: (out): what it begins as
 * @error: an error of the stream
 */
gboolean smb_record_look(GBufferedInputStream *stream, SmbHolds *holds, GError **error);

/** Whether a file holds a kernel: by its name, NAME.cu, or as it begins; not of what can be read only once. */
gboolean smb_record_is_kernel(const char *file);
