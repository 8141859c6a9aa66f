// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Output that is held back until a command has succeeded: bad input late in a long stream must leave
// nothing on standard output. Takes constant memory: what does not fit waits in an unlinked temporary
// file.
#pragma once

#include <glib.h>

/** Most bytes of one spool that are held in memory. */
#define SMB_SPOOL_MEMORY_BYTES (1u << 20)

/** Columns of a line that text is broken to fit, where no narrower terminal shows it. */
#define SMB_SPOOL_COLUMNS 100

/** Fewest columns that text is broken to fit. */
#define SMB_SPOOL_LEAST_COLUMNS 40

typedef struct _SmbSpool SmbSpool;

/** smb_spool_new: Returns: (transfer full): an empty spool, to be released with smb_spool_free() */
SmbSpool *smb_spool_new(void);
void smb_spool_free(SmbSpool *spool);

/**
 * smb_spool_set_columns:
 * @columns: of the terminal that shows it; until it is known, text is broken to fit SMB_SPOOL_COLUMNS, and tables
 *   are as wide as they are
 *
 * Says what text is broken to fit, by those who break it: not more than SMB_SPOOL_COLUMNS, since long
 * lines are hard to read, nor less than SMB_SPOOL_LEAST_COLUMNS.
 */
void smb_spool_set_columns(SmbSpool *spool, guint columns);

/** Columns of the terminal that shows tables; G_MAXUINT where none does, and none should be cut. */
guint smb_spool_table_columns(const SmbSpool *spool);

/** Columns of a line that text is to be broken to fit. */
guint smb_spool_columns(const SmbSpool *spool);

/** Adds @length bytes as they are. A failure (a full disk) is kept and reported by smb_spool_flush(). */
void smb_spool_write(SmbSpool *spool, const char *bytes, gsize length);

/** Adds a text for a reader, as smb_text_append() shows it: nothing in it can steer a terminal. */
void smb_spool_puts(SmbSpool *spool, const char *text);

/** Adds @count times a character. */
void smb_spool_fill(SmbSpool *spool, char character, gsize count);

/** Adds a whole number in decimal; fast. */
void smb_spool_number(SmbSpool *spool, guint64 number);

/** Adds a formatted text in the same way. */
void smb_spool_printf(SmbSpool *spool, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Writes all of @bytes to a file descriptor. Returns: 0, or the errno of what went wrong */
int smb_spool_write_to(int fd, const char *bytes, gsize length);

/** Whether nothing was added yet. */
gboolean smb_spool_is_empty(const SmbSpool *spool);

/**
 * smb_spool_append:
 * @spool: takes the contents
 * @other: gives them and is empty afterwards
 */
void smb_spool_append(SmbSpool *spool, SmbSpool *other);

/**
 * smb_spool_flush:
 * @fd: an open file descriptor
 * @error: a GFileError: what went wrong while the spool was filled, or in writing to @fd
 *
 * Writes everything to @fd; the spool is empty afterwards.
 */
gboolean smb_spool_flush(SmbSpool *spool, int fd, GError **error);

/**
 * smb_spool_take:
 * @error: a GFileError: what went wrong while the spool was filled
 *
 * Returns: (transfer full): everything as one text, for what is known to be small enough; the spool is empty
 *   afterwards
 */
GString *smb_spool_take(SmbSpool *spool, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbSpool, smb_spool_free)
