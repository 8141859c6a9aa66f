// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The tar archive of a capture: finds, checks and decompresses members.
#include "sim/capture/member.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/base/error.h"
#include "sim/capture/json.h"

#define LAUNCHES      "launches/"
#define LAUNCH_SUFFIX ".json"
#define IMAGES        "images/"
#define IMAGE_SUFFIX  ".cubin.zst"
#define MEMORY        "memory/"
#define MEMORY_SUFFIX ".zst"

enum {
  TAR_BLOCK =
      512, // bytes: headers and contents begin at multiples of it (POSIX, "pax Archive Format")
  READ_BYTES = 65536,
  MIN_DIGITS = 6,  // of a number in a name
  MAX_DIGITS = 18, // of which fewer than 64 bits are needed
};

struct _SmbCaptureMembers {
  char *path;
  int fd;
  gint64 bytes;      // of the file
  GHashTable *found; // name to Member
};

// Where the header of a member begins, and how large its contents are, in bytes.
typedef struct {
  gint64 header;
  gint64 bytes;
} Member;

// --- names

char *
smb_capture_members_image_name(const char *hash) {
  return g_strconcat(IMAGES, hash, IMAGE_SUFFIX, NULL);
}

char *
smb_capture_members_memory_name(const char *hash) {
  return g_strconcat(MEMORY, hash, MEMORY_SUFFIX, NULL);
}

char *
smb_capture_members_launch_name(guint64 number) {
  return g_strdup_printf(LAUNCHES "%0*" G_GUINT64_FORMAT LAUNCH_SUFFIX, MIN_DIGITS, number);
}

guint64
smb_capture_members_launch_number(const char *name) {
  if (!g_str_has_prefix(name, LAUNCHES))
    return 0;
  const char *digits = name + strlen(LAUNCHES);
  gsize n = strspn(digits, "0123456789");
  if (n < MIN_DIGITS || n > MAX_DIGITS || strcmp(digits + n, LAUNCH_SUFFIX) != 0)
    return 0;
  guint64 number = g_ascii_strtoull(digits, NULL, 10);
  g_autofree char *same = smb_capture_members_launch_name(number);
  return strcmp(same, name) == 0 ? number : 0;
}

static gboolean
holds_hash(const char *name, const char *prefix, const char *suffix) {
  gsize front = strlen(prefix), back = strlen(suffix), all = strlen(name);
  if (!g_str_has_prefix(name, prefix) || !g_str_has_suffix(name, suffix) || all < front + back)
    return FALSE;
  g_autofree char *hash = g_strndup(name + front, all - front - back);
  return smb_capture_is_hash(hash);
}

static gboolean
is_expected(const char *name) {
  return strcmp(name, SMB_CAPTURE_HEADER_NAME) == 0 || strcmp(name, SMB_CAPTURE_END_NAME) == 0 ||
         smb_capture_members_launch_number(name) > 0 || holds_hash(name, IMAGES, IMAGE_SUFFIX) ||
         holds_hash(name, MEMORY, MEMORY_SUFFIX);
}

// --- the archive

// The file from some byte on, as libarchive reads it. Threads share the descriptor, so that each has its own place.
typedef struct {
  const SmbCaptureMembers *members;
  gint64 at;
  guchar buffer[READ_BYTES];
} Stream;

static la_ssize_t
read_stream(struct archive *archive, void *data, const void **buffer) {
  Stream *stream = data;
  ssize_t n;
  do
    n = pread(stream->members->fd, stream->buffer, sizeof stream->buffer, stream->at);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    archive_set_error(archive, errno, "%s", g_strerror(errno));
  stream->at += MAX(n, 0);
  *buffer = stream->buffer;
  return n;
}

static la_int64_t
skip_stream(struct archive *archive, void *data, la_int64_t request) {
  (void)archive;
  Stream *stream = data;
  gint64 skipped = CLAMP(request, 0, MAX(stream->members->bytes - stream->at, 0));
  stream->at += skipped;
  return skipped;
}

static void
free_archive(struct archive *archive) {
  archive_read_free(archive);
}
typedef struct archive Archive;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Archive, free_archive)

static Archive *
open_archive(Stream *stream) {
  Archive *archive = archive_read_new();
  archive_read_support_format_tar(archive);
  archive_read_set_read_callback(archive, read_stream);
  archive_read_set_skip_callback(archive, skip_stream);
  archive_read_set_callback_data(archive, stream);
  archive_read_open1(archive); // errors are reported for the first member, too
  return archive;
}

static gboolean
G_GNUC_PRINTF(3, 4)
    refuse(const SmbCaptureMembers *members, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", members->path, reason);
}

static gboolean
fail_at_member(const SmbCaptureMembers *members, gint64 at, Archive *archive, GError **error) {
  const char *reason = archive_error_string(archive);
  return refuse(members, error, "byte %" G_GINT64_FORMAT ": a damaged capture: %s", at,
                reason ? reason : "not a tar archive");
}

// Notes where a member is. @at: of its header; @data: of its contents. Returns: FALSE: it is refused.
static gboolean
add_capture_member(SmbCaptureMembers *members, struct archive_entry *entry, gint64 at,
                   GError **error) {
  const char *name = archive_entry_pathname(entry);
  gboolean is_folder = archive_entry_filetype(entry) == AE_IFDIR;
  if (is_folder && name &&
      (!strcmp(name, IMAGES) || !strcmp(name, MEMORY) || !strcmp(name, LAUNCHES)))
    return TRUE; // of a capture that was unpacked and packed again
  if (!name || !is_expected(name))
    return refuse(members, error, "'%s': not a member of a capture", name ? name : "");
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
      archive_entry_sparse_count(entry) > 0)
    return refuse(members, error, "'%s': expected a plain file", name);
  if (g_hash_table_contains(members->found, name))
    return refuse(members, error, "'%s' is a duplicate", name);
  Member *member = g_new(Member, 1);
  *member = (Member){at, archive_entry_size(entry)};
  g_hash_table_insert(members->found, g_strdup(name), member);
  return TRUE;
}

// Whether all of a member is in the file, its padding included.
static gboolean
is_whole_member(const SmbCaptureMembers *members, gint64 data, gint64 bytes) {
  gint64 room = members->bytes - data;
  return bytes >= 0 && bytes <= room && (bytes + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK <= room;
}

// Whether a header that cannot be read is one that is cut.
static gboolean
is_cut(const SmbCaptureMembers *members, gint64 at, Archive *archive) {
  const char *reason = archive_error_string(archive);
  return members->bytes - at < TAR_BLOCK || (reason && strstr(reason, "Truncated"));
}

static gboolean
find_members(SmbCaptureMembers *members, GError **error) {
  g_autofree Stream *stream = g_new0(Stream, 1);
  stream->members = members;
  g_autoptr(Archive) archive = open_archive(stream);
  gint64 end = 0; // of the last whole member
  for (;;) {
    struct archive_entry *entry;
    int status = archive_read_next_header(archive, &entry);
    if (status == ARCHIVE_EOF)
      return TRUE;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
      return is_cut(members, end, archive) || fail_at_member(members, end, archive, error);
    gint64 data = archive_filter_bytes(archive, 0), bytes = archive_entry_size(entry);
    if (!is_whole_member(members, data, bytes))
      return TRUE;
    if (!add_capture_member(members, entry, archive_read_header_position(archive), error))
      return FALSE;
    end = data + (bytes + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
  }
}

static gboolean
fail_members_by_errno(const SmbCaptureMembers *members, int number, GError **error) {
  return smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(number), "%s: %s",
                  members->path, g_strerror(number));
}

SmbCaptureMembers *
smb_capture_members_open(const char *path, GError **error) {
  g_autoptr(SmbCaptureMembers) members = g_new0(SmbCaptureMembers, 1);
  struct stat status;
  members->path = g_strdup(path);
  members->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  members->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (members->fd < 0 || fstat(members->fd, &status) != 0) {
    fail_members_by_errno(members, errno, error);
    return NULL;
  }
  if (!S_ISREG(status.st_mode)) {
    refuse(members, error, "expected a regular file");
    return NULL;
  }
  members->bytes = status.st_size;
  return find_members(members, error) ? g_steal_pointer(&members) : NULL;
}

void
smb_capture_members_free(SmbCaptureMembers *members) {
  if (!members)
    return;
  if (members->fd >= 0)
    close(members->fd);
  g_hash_table_unref(members->found);
  g_free(members->path);
  g_free(members);
}

static gint
compare_member_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *
smb_capture_members_names(const SmbCaptureMembers *members) {
  GPtrArray *names = g_ptr_array_new();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init(&iter, members->found);
  while (g_hash_table_iter_next(&iter, &name, NULL))
    g_ptr_array_add(names, name);
  g_ptr_array_sort(names, compare_member_names);
  return names;
}

gboolean
smb_capture_members_has(const SmbCaptureMembers *members, const char *name) {
  return g_hash_table_contains(members->found, name);
}

// --- contents

GBytes *
smb_capture_members_read(const SmbCaptureMembers *members, const char *name, gsize max,
                         GError **error) {
  const Member *member = g_hash_table_lookup(members->found, name);
  if (!member) {
    refuse(members, error, "%s is missing", name);
    return NULL;
  }
  if ((guint64)member->bytes > max) {
    refuse(members, error, "%s has %" G_GINT64_FORMAT " bytes: expected at most %" G_GSIZE_FORMAT,
           name, member->bytes, max);
    return NULL;
  }
  g_autofree Stream *stream = g_new0(Stream, 1);
  stream->members = members;
  stream->at = member->header;
  g_autoptr(Archive) archive = open_archive(stream);
  g_autofree guchar *bytes = g_try_malloc((gsize)member->bytes + 1);
  struct archive_entry *entry;
  int status = archive_read_next_header(archive, &entry);
  gboolean is_read = bytes && (status == ARCHIVE_OK || status == ARCHIVE_WARN) &&
                     archive_read_data(archive, bytes, (gsize)member->bytes) == member->bytes;
  if (is_read)
    return g_bytes_new_take(g_steal_pointer(&bytes), (gsize)member->bytes);
  fail_at_member(members, member->header, archive, error);
  return NULL;
}

// The decompressed size that the frame states; more than @max if it states none, or is not a zstd frame.
static guint64
find_size(GBytes *packed) {
  gsize n;
  const void *data = g_bytes_get_data(packed, &n);
  unsigned long long size = ZSTD_getFrameContentSize(data, n);
  return size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ? G_MAXUINT64 : size;
}

GBytes *
smb_capture_members_unpack(const SmbCaptureMembers *members, const char *name, const char *hash,
                           gsize max, GError **error) {
  g_autoptr(GBytes) packed =
      smb_capture_members_read(members, name, ZSTD_compressBound(max), error);
  if (!packed)
    return NULL;
  gsize n;
  const void *data = g_bytes_get_data(packed, &n);
  guint64 size = find_size(packed);
  if (size > max) {
    refuse(members, error, "%s: expected zstd data of at most %" G_GSIZE_FORMAT " bytes", name,
           max);
    return NULL;
  }
  guchar *room = g_try_malloc((gsize)size + 1);
  if (!room || ZSTD_decompress(room, (gsize)size, data, n) != size) {
    g_free(room);
    refuse(members, error, "%s is damaged: it does not decompress to %" G_GUINT64_FORMAT " bytes",
           name, size);
    return NULL;
  }
  g_autoptr(GBytes) bytes = g_bytes_new_take(room, (gsize)size);
  g_autofree char *own = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes);
  if (strcmp(own, hash) == 0)
    return g_steal_pointer(&bytes);
  refuse(members, error, "%s is damaged: its SHA-256 is %s", name, own);
  return NULL;
}
