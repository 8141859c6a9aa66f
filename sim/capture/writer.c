// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// libarchive makes a member in memory, and it goes to the file in one piece.
#include "sim/capture/writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/capture/capture.h"
#include "sim/capture/json.h"
#include "sim/capture/member.h"

enum {
  // What an application waits for is compressed quickly.
  LEVEL = 1,
  // Of the file and of members.
  MODE = 0600,
};

struct _SmbCaptureWriter {
  char *path;
  char *target;    // where it leads
  char *temporary; // beside it, until it is put in place; then NULL
  int fd;
  int old; // of a file that is there, which is locked until then; or -1
  struct archive *archive;
  GByteArray *pending; // what libarchive made of the member
  guint64 bytes;       // of the file, up to the last whole member
  guint64 launches;
  gboolean is_finished;
  GHashTable *written; // names of images and memory
  ZSTD_CCtx *zstd;
  guchar *room; // for what is compressed
  gsize room_bytes;
};

static gboolean
fail_writer_by_errno(const char *path, int number, GError **error) {
  g_autofree char *shown = g_filename_display_name(path);
  return smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(number), "cannot write %s: %s",
                  shown, g_strerror(number));
}

static gboolean
refuse_path(const char *path, const char *what, GError **error) {
  g_autofree char *shown = g_filename_display_name(path);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s %s", shown, what);
}

// --- members

static la_ssize_t
collect_archive(struct archive *archive, void *data, const void *buffer, size_t n) {
  (void)archive;
  g_byte_array_append(data, buffer, (guint)n);
  return (la_ssize_t)n;
}

static struct archive *
new_archive(GByteArray *pending) {
  struct archive *archive = archive_write_new();
  archive_write_set_format_ustar(archive);
  archive_write_set_bytes_per_block(archive, 0); // nothing is held back
  archive_write_set_bytes_in_last_block(archive, 1);
  archive_write_open(archive, pending, NULL, collect_archive, NULL);
  return archive;
}

// Writes what is pending after the last whole member; what cannot be written whole is taken back.
static gboolean
flush_capture(SmbCaptureWriter *writer, GError **error) {
  const GByteArray *pending = writer->pending;
  gsize done = 0;
  int number = 0;
  while (done < pending->len && !number) {
    ssize_t n = pwrite(writer->fd, pending->data + done, pending->len - done,
                       (off_t)(writer->bytes + done));
    number = n < 0 && errno != EINTR ? errno : n == 0 ? ENOSPC : 0;
    done += n > 0 ? (gsize)n : 0;
  }
  if (!number) {
    writer->bytes += done;
    return TRUE;
  }
  while (ftruncate(writer->fd, (off_t)writer->bytes) != 0 && errno == EINTR)
    continue;
  return fail_writer_by_errno(writer->path, number, error);
}

static gboolean
write_member(SmbCaptureWriter *writer, const char *name, const void *data, gsize bytes,
             GError **error) {
  struct archive_entry *entry = archive_entry_new();
  archive_entry_set_pathname(entry, name);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, MODE);
  archive_entry_set_size(entry, (la_int64_t)bytes);
  archive_entry_set_mtime(entry, time(NULL), 0);
  g_byte_array_set_size(writer->pending, 0);
  gboolean is_made = archive_write_header(writer->archive, entry) == ARCHIVE_OK &&
                     archive_write_data(writer->archive, data, bytes) == (la_ssize_t)bytes &&
                     archive_write_finish_entry(writer->archive) == ARCHIVE_OK;
  archive_entry_free(entry);
  if (!is_made)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", name,
                    archive_error_string(writer->archive));
  return flush_capture(writer, error);
}

static gboolean
write_member_json(SmbCaptureWriter *writer, const char *name, GString *json, GError **error) {
  gboolean is_written = write_member(writer, name, json->str, json->len, error);
  g_string_free(json, TRUE);
  return is_written;
}

// Stores what has the name @name, which is taken over, unless it is there.
static gboolean
store_member(SmbCaptureWriter *writer, char *name, const void *data, gsize bytes, GError **error) {
  g_autofree char *own = name;
  if (g_hash_table_contains(writer->written, own))
    return TRUE;
  gsize bound = ZSTD_compressBound(bytes);
  if (bound > writer->room_bytes) {
    guchar *room = g_try_realloc(writer->room, bound);
    if (!room)
      return fail_writer_by_errno(writer->path, ENOMEM, error);
    writer->room = room;
    writer->room_bytes = bound;
  }
  gsize n = ZSTD_compressCCtx(writer->zstd, writer->room, bound, data, bytes, LEVEL);
  if (ZSTD_isError(n))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", own, ZSTD_getErrorName(n));
  if (!write_member(writer, own, writer->room, n, error))
    return FALSE;
  g_hash_table_add(writer->written, g_steal_pointer(&own));
  return TRUE;
}

gboolean
smb_capture_writer_image(SmbCaptureWriter *writer, GBytes *image, char **hash, GError **error) {
  gsize bytes;
  const void *data = g_bytes_get_data(image, &bytes);
  *hash = NULL;
  g_return_val_if_fail(!writer->is_finished, FALSE);
  if (bytes == 0 || bytes > SMB_CAPTURE_MAX_IMAGE_BYTES)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "an image of %" G_GSIZE_FORMAT " bytes: expected at most 512 MiB", bytes);
  g_autofree char *own = g_compute_checksum_for_data(G_CHECKSUM_SHA256, data, bytes);
  if (!store_member(writer, smb_capture_members_image_name(own), data, bytes, error))
    return FALSE;
  *hash = g_steal_pointer(&own);
  return TRUE;
}

static gboolean
is_zero_block(const guchar *data, gsize bytes) {
  return data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

gboolean
smb_capture_writer_memory(SmbCaptureWriter *writer, const guchar *data, gsize bytes, char **hash,
                          GError **error) {
  *hash = NULL;
  g_return_val_if_fail(!writer->is_finished, FALSE);
  g_return_val_if_fail(bytes > 0 && bytes <= SMB_CAPTURE_PIECE_BYTES, FALSE);
  if (is_zero_block(data, bytes))
    return TRUE;
  g_autofree char *own = g_compute_checksum_for_data(G_CHECKSUM_SHA256, data, bytes);
  if (!store_member(writer, smb_capture_members_memory_name(own), data, bytes, error))
    return FALSE;
  *hash = g_steal_pointer(&own);
  return TRUE;
}

// --- launches

static gboolean
put_in_place(SmbCaptureWriter *writer, GError **error) {
  if (!writer->temporary)
    return TRUE;
  if (g_rename(writer->temporary, writer->target) != 0)
    return fail_writer_by_errno(writer->path, errno, error);
  g_clear_pointer(&writer->temporary, g_free);
  return TRUE;
}

static gboolean
is_stored(SmbCaptureWriter *writer, char *name, GError **error) {
  g_autofree char *own = name;
  return g_hash_table_contains(writer->written, own) ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s is not in %s", own, writer->path);
}

static gboolean
is_memory_stored(SmbCaptureWriter *writer, const char *hash, GError **error) {
  return !hash || is_stored(writer, smb_capture_members_memory_name(hash), error);
}

// Whether all that a launch names is there.
static gboolean
is_complete_launch(SmbCaptureWriter *writer, const SmbCaptureLaunch *launch, GError **error) {
  if (!is_stored(writer, smb_capture_members_image_name(launch->image), error))
    return FALSE;
  for (guint i = 0; i < launch->memory->len; i++) {
    const GArray *pieces = g_array_index(launch->memory, SmbCaptureMemory, i).pieces;
    for (guint p = 0; p < pieces->len; p++) {
      if (!is_memory_stored(writer, g_array_index(pieces, SmbCapturePiece, p).hash, error))
        return FALSE;
    }
  }
  for (guint i = 0; i < launch->variables->len; i++) {
    const GPtrArray *hashes = g_array_index(launch->variables, SmbCaptureVariable, i).hashes;
    for (guint h = 0; hashes && h < hashes->len; h++) {
      if (!is_memory_stored(writer, hashes->pdata[h], error))
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
smb_capture_writer_launch(SmbCaptureWriter *writer, const SmbCaptureLaunch *launch,
                          GError **error) {
  g_return_val_if_fail(!writer->is_finished, FALSE);
  g_return_val_if_fail(launch->number == writer->launches + 1, FALSE);
  g_autofree char *name = smb_capture_members_launch_name(launch->number);
  if (!smb_capture_launch_check(launch, name, error) || !is_complete_launch(writer, launch, error))
    return FALSE;
  GString *json = smb_capture_launch_to_json(launch);
  if (json->len > SMB_CAPTURE_MAX_JSON_BYTES) {
    g_string_free(json, TRUE);
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: more than 256 MiB", name);
  }
  if (!write_member_json(writer, name, json, error))
    return FALSE;
  writer->launches++;
  return put_in_place(writer, error);
}

gboolean
smb_capture_writer_finish(SmbCaptureWriter *writer, const SmbCaptureEnd *end, GError **error) {
  g_return_val_if_fail(!writer->is_finished, FALSE);
  writer->is_finished = TRUE;
  if (!write_member_json(writer, SMB_CAPTURE_END_NAME, smb_capture_end_to_json(end), error))
    return FALSE;
  g_byte_array_set_size(writer->pending, 0);
  archive_write_close(writer->archive); // the blocks that end an archive
  if (!flush_capture(writer, error) || !put_in_place(writer, error))
    return FALSE;
  return fsync(writer->fd) == 0 || errno == EINVAL || errno == EROFS ||
         fail_writer_by_errno(writer->path, errno, error);
}

guint64
smb_capture_writer_bytes(const SmbCaptureWriter *writer) {
  return writer->bytes;
}

gboolean
smb_capture_writer_is_in_place(const SmbCaptureWriter *writer) {
  return !writer->temporary;
}

guint64
smb_capture_writer_launches(const SmbCaptureWriter *writer) {
  return writer->launches;
}

// --- the file

// Whether a file that is there may be replaced, as far as can be seen. *@is_there: whether there is one.
static gboolean
take_old(SmbCaptureWriter *writer, gboolean *is_there, GError **error) {
  const char *path = writer->path, *target = writer->target;
  struct stat status;
  *is_there = FALSE;
  if (stat(target, &status) != 0)
    return errno == ENOENT || fail_writer_by_errno(path, errno, error);
  if (!S_ISREG(status.st_mode))
    return refuse_path(path, "is not a regular file: expected one", error);
  if (status.st_size > 0 && !smb_capture_recognize(target))
    return refuse_path(path, "exists, and is not a capture: expected another file", error);
  *is_there = TRUE;
  writer->old = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  gboolean is_busy =
      writer->old >= 0 && flock(writer->old, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !is_busy ||
         refuse_path(path, "is being written by another capture: expected another file", error);
}

// Where @path leads: it may be a link to a file, not one to nothing.
static char *
find_link_target(const char *path, GError **error) {
  struct stat status;
  if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode))
    return g_strdup(path);
  char *target = realpath(path, NULL);
  g_autofree char *own = g_strdup(target);
  free(target);
  if (!own)
    refuse_path(path, "is a dangling link", error);
  return g_steal_pointer(&own);
}

// Makes the file beside its place. It is put there once it has a header, or, if another one is there, with its first
// launch.
static gboolean
create_capture(SmbCaptureWriter *writer, const SmbCaptureHeader *header, GError **error) {
  g_autofree char *folder = g_path_get_dirname(writer->target);
  g_autofree char *temporary = g_build_filename(folder, ".smembank-XXXXXX", NULL);
  gboolean is_there;
  if (!take_old(writer, &is_there, error))
    return FALSE;
  writer->fd = g_mkstemp_full(temporary, O_RDWR | O_CLOEXEC, MODE);
  if (writer->fd < 0)
    return fail_writer_by_errno(writer->path, errno, error);
  writer->temporary = g_steal_pointer(&temporary);
  flock(writer->fd,
        LOCK_EX |
            LOCK_NB); // no other process has it; without locks there, two writers are not detected
  return write_member_json(writer, SMB_CAPTURE_HEADER_NAME, smb_capture_header_to_json(header),
                           error) &&
         (is_there || put_in_place(writer, error));
}

SmbCaptureWriter *
smb_capture_writer_new(const char *path, const SmbCaptureHeader *header, GError **error) {
  g_autofree char *target = find_link_target(path, error);
  if (!target)
    return NULL;
  g_autoptr(SmbCaptureWriter) writer = g_new0(SmbCaptureWriter, 1);
  writer->path = g_strdup(path);
  writer->target = g_steal_pointer(&target);
  writer->fd = writer->old = -1;
  writer->pending = g_byte_array_new();
  writer->archive = new_archive(writer->pending);
  writer->written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  writer->zstd = ZSTD_createCCtx();
  return create_capture(writer, header, error) ? g_steal_pointer(&writer) : NULL;
}

void
smb_capture_writer_free(SmbCaptureWriter *writer) {
  if (!writer)
    return;
  g_byte_array_set_size(writer->pending, 0);
  archive_write_free(writer->archive); // what it makes of that goes nowhere
  if (writer->temporary)
    g_unlink(writer->temporary);
  if (writer->fd >= 0)
    close(writer->fd);
  if (writer->old >= 0)
    close(writer->old);
  g_byte_array_unref(writer->pending);
  g_hash_table_unref(writer->written);
  ZSTD_freeCCtx(writer->zstd);
  g_free(writer->room);
  g_free(writer->temporary);
  g_free(writer->target);
  g_free(writer->path);
  g_free(writer);
}
