// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gunixinputstream.h>

#include "sim/base/error.h"
#include "sim/base/file.h"

enum {
  READ_BYTES = 1 << 20 // at once, of standard input
};

static gboolean
is_standard_input(const char *path) {
  return strcmp(path, "-") == 0;
}

const char *
smb_input_name(const char *path) {
  return is_standard_input(path) ? "stdin" : path;
}

// A file as a stream.
#define SMB_TYPE_FILE_STREAM (smb_file_stream_get_type())
G_DECLARE_FINAL_TYPE(SmbFileStream, smb_file_stream, SMB, FILE_STREAM, GInputStream)

struct _SmbFileStream {
  GInputStream parent;
  SmbFile *file;
};

G_DEFINE_FINAL_TYPE(SmbFileStream, smb_file_stream, G_TYPE_INPUT_STREAM)

static gssize
read_input_file(GInputStream *stream, void *buffer, gsize count,
                G_GNUC_UNUSED GCancellable *cancellable, GError **error) {
  return smb_file_read(SMB_FILE_STREAM(stream)->file, buffer, count, error);
}

static void
smb_file_stream_finalize(GObject *object) {
  smb_file_close(SMB_FILE_STREAM(object)->file);
  G_OBJECT_CLASS(smb_file_stream_parent_class)->finalize(object);
}

static void
smb_file_stream_class_init(SmbFileStreamClass *class) {
  G_OBJECT_CLASS(class)->finalize = smb_file_stream_finalize;
  G_INPUT_STREAM_CLASS(class)->read_fn = read_input_file;
}

static void
smb_file_stream_init(G_GNUC_UNUSED SmbFileStream *stream) {
}

// Standard input, which is read as long as it takes.
static GInputStream *
open_standard_input(GError **error) {
  struct stat facts;
  int failure = fstat(STDIN_FILENO, &facts) == 0 && S_ISDIR(facts.st_mode) ? EISDIR : 0;
  // A stream looks at its file through a descriptor of its own, and GLib ends the program where there is none.
  int spare = failure ? -1 : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (!failure && spare < 0)
    failure = errno;
  if (spare >= 0)
    close(spare);
  if (!failure)
    return g_unix_input_stream_new(STDIN_FILENO, FALSE);
  smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(failure), "%s: %s",
           smb_input_name("-"), g_strerror(failure));
  return NULL;
}

GInputStream *
smb_input_open(const char *path, GError **error) {
  if (is_standard_input(path))
    return open_standard_input(error);
  g_autoptr(SmbFile) file = smb_file_open(path, error);
  if (!file)
    return NULL;
  SmbFileStream *stream = g_object_new(SMB_TYPE_FILE_STREAM, NULL);
  stream->file = g_steal_pointer(&file);
  return G_INPUT_STREAM(stream);
}

// Bytes of a file that were not read yet; 0 of what is not a file.
static guint64
measure_rest(GInputStream *stream) {
  int fd = SMB_IS_FILE_STREAM(stream) ? smb_file_descriptor(SMB_FILE_STREAM(stream)->file)
                                      : g_unix_input_stream_get_fd(G_UNIX_INPUT_STREAM(stream));
  struct stat facts;
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at < 0 || fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size < at)
    return 0;
  return (guint64)(facts.st_size - at);
}

void
smb_input_begin(GInputStream *stream, SmbProgress *progress, const char *what) {
  guint64 bytes = measure_rest(stream);
  smb_progress_begin(progress, bytes ? "bytes" : what, bytes);
}

void
smb_input_advance(GInputStream *stream, SmbProgress *progress, guint64 n) {
  if (!progress)
    return;
  SmbProgress now = smb_progress_read(progress);
  guint64 rest = MIN(measure_rest(stream), now.total - MIN(now.done, now.total));
  smb_progress_add(progress, now.total ? now.total - rest - now.done : n);
}

// Standard input to its end, or one byte beyond what is read: an endless one is left (transfer full).
static GBytes *
read_standard_input(GError **error) {
  g_autoptr(GInputStream) stream = smb_input_open("-", error);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autofree guint8 *buffer = g_malloc(READ_BYTES);
  guint max = SMB_SOURCE_MAX_BYTES;
  gsize got = stream ? READ_BYTES : 0;
  while (got == READ_BYTES && bytes->len <= max) {
    if (!g_input_stream_read_all(stream, buffer, READ_BYTES, &got, NULL, error))
      return NULL;
    if (bytes->len == 0 && smb_source_is_object(buffer, got))
      max = SMB_SOURCE_MAX_OBJECT_BYTES;
    g_byte_array_append(bytes, buffer, (guint)got);
  }
  return stream ? g_byte_array_free_to_bytes(g_steal_pointer(&bytes)) : NULL;
}

SmbSource *
smb_input_source(const char *path, GError **error) {
  if (!is_standard_input(path))
    return smb_source_load_any(path, error);
  g_autoptr(GBytes) bytes = read_standard_input(error);
  return bytes ? smb_source_new_any(smb_input_name(path), bytes, error) : NULL;
}
