// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The text of a file, and places in it: what an error message points at. Or an object file, which has no text.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Largest text that is read, in bytes: PTX of large kernels has tens of megabytes. */
#define SMB_SOURCE_MAX_BYTES (64u << 20)

/** Largest object file that is read, in bytes: libraries of kernels have hundreds of megabytes. */
#define SMB_SOURCE_MAX_OBJECT_BYTES (1u << 30)

typedef struct _SmbSource SmbSource;

/**
 * smb_source_new:
 * @name: how messages call it: a path, or the name of a built-in kernel
 * @text: (transfer none): the text; need not be terminated
 * @error: SMB_ERROR_INPUT if it is larger than SMB_SOURCE_MAX_BYTES or holds a zero byte or other
 *   bytes that no text has
 *
 * Returns: (transfer full): an immutable text, which any thread may read
 */
SmbSource *smb_source_new(const char *name, GBytes *text, GError **error);

/**
 * smb_source_new_any:
 * @bytes: (transfer none): a text, as of smb_source_new(), or an object file: what begins as an ELF file, an archive of
 *   such (ar), or a bundle of device code (fatbin) does. What is after its first bytes is not looked at
 *
 * Returns: (transfer full): as smb_source_new()
 */
SmbSource *smb_source_new_any(const char *name, GBytes *bytes, GError **error);

/** What an object file holds (transfer none) (nullable): %NULL of a text. The text of an object file is empty. */
GBytes *smb_source_bytes(const SmbSource *source);

/**
 * smb_source_parsed:
 * @parse: makes something of @source, or says why it cannot: then the next call tries again
 * @user: for @parse
 * @free: of what was made
 *
 * What a file was parsed to, once, by whichever thread asked first. There is one such thing.
 *
 * Returns: (transfer none) (nullable): lives as long as @source; %NULL with the error of @parse
 */
gconstpointer smb_source_parsed(SmbSource *source,
                                gpointer (*parse)(SmbSource *source, const char *user,
                                                  GError **error),
                                const char *user, GDestroyNotify free, GError **error);

/** Whether a file that begins with these bytes is an object file. */
gboolean smb_source_is_object(const void *data, gsize length);

/**
 * smb_source_read_bytes:
 * @max: most bytes
 * @error: as smb_file_open() and smb_file_read(), or SMB_ERROR_INPUT if there are more
 *
 * Returns: (transfer full): what a file holds
 */
GBytes *smb_source_read_bytes(const char *path, guint max, GError **error);

/**
 * smb_source_load:
 * @path: a file
 * @error: a file error, or those of smb_source_new()
 *
 * Returns: (transfer full): the text of the file
 */
SmbSource *smb_source_load(const char *path, GError **error);

/** As smb_source_load(); it may be an object file, see smb_source_new_any(). */
SmbSource *smb_source_load_any(const char *path, GError **error);

/**
 * smb_source_whole:
 * @main: (transfer none): a text that may include others
 *
 * Returns: (transfer full): @main with what it includes: offsets beyond its end are those of the texts that
 *   smb_source_include() adds. Lines and the text are those of @main
 */
SmbSource *smb_source_whole(SmbSource *main);

/** Adds a text to a whole. Returns: where its offsets begin. */
guint32 smb_source_include(SmbSource *whole, SmbSource *source);

/** Name of the included text in which an offset lies; %NULL for the text itself (transfer none). */
const char *smb_source_file(const SmbSource *source, guint32 offset);

/**
 * Names of all texts that wholes of it have included so far, each once, however that went on; any thread may call it
 * (transfer * full) (array zero-terminated=1).
 */
char **smb_source_inputs(const SmbSource *source);

/** What is between two offsets, as far as it is in one text (transfer full). */
char *smb_source_slice(const SmbSource *source, guint32 start, guint32 end);

SmbSource *smb_source_ref(SmbSource *source);
void smb_source_unref(SmbSource *source);

/** Name of the text (transfer none). */
const char *smb_source_name(const SmbSource *source);

/** The text, terminated by a zero byte (transfer none). */
const char *smb_source_text(const SmbSource *source);

/** Length of the text in bytes. */
gsize smb_source_length(const SmbSource *source);

/** Number of lines. */
guint smb_source_n_lines(const SmbSource *source);

/** One line, from 1, without its end (transfer full). */
char *smb_source_line(const SmbSource *source, guint line);

/** Line and column, both from 1 and the column in bytes, of a byte offset, in the text that it is in. */
void smb_source_locate(const SmbSource *source, guint32 offset, guint *line, guint *column);

/**
 * smb_source_message:
 * @offset: byte offset into the text
 * @text: what is to be said of that place
 *
 * Returns: (transfer full): "NAME:LINE:COLUMN: text", the line, and a caret below the place
 */
char *smb_source_message(const SmbSource *source, guint32 offset, const char *text);

/** Sets an SMB_ERROR_INPUT whose message is smb_source_message() of a formatted text; always returns %FALSE. */
gboolean smb_source_error(const SmbSource *source, guint32 offset, GError **error,
                          const char *format, ...) G_GNUC_PRINTF(4, 5);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbSource, smb_source_unref)

G_END_DECLS
