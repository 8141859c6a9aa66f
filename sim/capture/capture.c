// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Opens a capture, checks it as a whole, and reads its launches.
#include "sim/capture/capture-impl.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/capture/json.h"

// Where the header of a tar archive has its magic (POSIX, "ustar Interchange Format"), in bytes.
enum {
  USTAR_MAGIC = 257,
  USTAR_HEADER = 512,
};

gboolean
smb_capture_recognize_bytes(const void *data, gsize length) {
  static const char name[] = SMB_CAPTURE_HEADER_NAME; // its end included
  return length >= USTAR_HEADER && memcmp(data, name, sizeof name) == 0 &&
         memcmp((const char *)data + USTAR_MAGIC, "ustar", strlen("ustar")) == 0;
}

gboolean
smb_capture_recognize(const char *path) {
  char bytes[USTAR_HEADER];
  struct stat status;
  // A pipe or a terminal is not to be read from: its reader would miss what was read here.
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return FALSE;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  gboolean is_capture = fd >= 0 && read(fd, bytes, sizeof bytes) == sizeof bytes &&
                        smb_capture_recognize_bytes(bytes, sizeof bytes);
  if (fd >= 0)
    close(fd);
  return is_capture;
}

// --- what all of it says

// The text of a member, and what messages call it.
static GBytes *
read_member_text(const SmbCapture *capture, const char *member, char **name, GError **error) {
  *name = g_strdup_printf("%s: %s", capture->path, member);
  return smb_capture_members_read(capture->members, member, SMB_CAPTURE_MAX_JSON_BYTES, error);
}

static gboolean
read_capture_header(SmbCapture *capture, GError **error) {
  g_autofree char *name = NULL;
  g_autoptr(GBytes) json = read_member_text(capture, SMB_CAPTURE_HEADER_NAME, &name, error);
  capture->header = json ? smb_capture_header_from_json(name, json, error) : NULL;
  return capture->header != NULL;
}

static gboolean
read_capture_end(SmbCapture *capture, GError **error) {
  if (!smb_capture_members_has(capture->members, SMB_CAPTURE_END_NAME))
    return TRUE;
  g_autofree char *name = NULL;
  g_autoptr(GBytes) json = read_member_text(capture, SMB_CAPTURE_END_NAME, &name, error);
  capture->end = json ? smb_capture_end_from_json(name, json, error) : NULL;
  return capture->end != NULL;
}

static gboolean
read_captured_launch(SmbCapture *capture, guint64 number, GError **error) {
  g_autofree char *name = NULL;
  g_autofree char *member = smb_capture_members_launch_name(number);
  g_autoptr(GBytes) json = read_member_text(capture, member, &name, error);
  g_autoptr(SmbCaptureLaunch) launch =
      json ? smb_capture_launch_from_json(name, json, error) : NULL;
  if (!launch)
    return FALSE;
  if (launch->number != number)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: number: %" G_GUINT64_FORMAT ": expected the number in its name", name,
                    launch->number);
  g_ptr_array_add(capture->launches, g_steal_pointer(&launch));
  return TRUE;
}

// Launches are numbered from 1, without a gap: of n the last has the number n, unless one is missing, which is named
// then.
static gboolean
read_launches(SmbCapture *capture, GError **error) {
  g_autoptr(GPtrArray) names = smb_capture_members_names(capture->members);
  guint64 n = 0;
  for (guint i = 0; i < names->len; i++)
    n += smb_capture_members_launch_number(names->pdata[i]) > 0;
  for (guint64 number = 1; number <= n; number++) {
    if (!read_captured_launch(capture, number, error))
      return FALSE;
  }
  return TRUE;
}

// How many launches of each kernel there were: as the end says, or else those that are here.
static void
count_kernels(SmbCapture *capture) {
  for (guint i = 0; i < capture->launches->len; i++) {
    const SmbCaptureLaunch *launch = capture->launches->pdata[i];
    guint64 *n = g_hash_table_lookup(capture->seen, launch->kernel);
    if (!n)
      g_hash_table_insert(capture->seen, launch->kernel, n = g_new0(guint64, 1));
    ++*n;
  }
  for (guint i = 0; capture->end && i < capture->end->kernels->len; i++) {
    const SmbCaptureKernel *kernel = &g_array_index(capture->end->kernels, SmbCaptureKernel, i);
    guint64 *n = g_hash_table_lookup(capture->seen, kernel->kernel);
    if (n)
      *n = MAX(*n, kernel->launches);
  }
}

static void
free_launch(gpointer launch) {
  smb_capture_launch_free(launch);
}

SmbCapture *
smb_capture_open(const char *path, GError **error) {
  g_autoptr(SmbCapture) capture = g_new0(SmbCapture, 1);
  g_atomic_ref_count_init(&capture->references);
  capture->path = g_strdup(path);
  capture->launches = g_ptr_array_new_with_free_func(free_launch);
  capture->seen = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  smb_capture_keep(capture);
  capture->members = smb_capture_members_open(path, error);
  if (!capture->members || !read_capture_header(capture, error) || !read_launches(capture, error) ||
      !read_capture_end(capture, error))
    return NULL;
  count_kernels(capture);
  return g_steal_pointer(&capture);
}

SmbCapture *
smb_capture_ref(SmbCapture *capture) {
  g_atomic_ref_count_inc(&capture->references);
  return capture;
}

void
smb_capture_free(SmbCapture *capture) {
  if (!capture || !g_atomic_ref_count_dec(&capture->references))
    return;
  g_hash_table_unref(capture->seen);
  g_ptr_array_unref(capture->launches);
  smb_capture_header_free(capture->header);
  smb_capture_end_free(capture->end);
  smb_capture_members_free(capture->members);
  g_clear_pointer(&capture->programs, smb_once_free);
  g_clear_pointer(&capture->codes, smb_once_free);
  g_free(capture->path);
  g_free(capture);
}

const char *
smb_capture_path(const SmbCapture *capture) {
  return capture->path;
}

void
smb_capture_rename(SmbCapture *capture, const char *name) {
  g_free(capture->path);
  capture->path = g_strdup(name);
}

const SmbCaptureHeader *
smb_capture_header(const SmbCapture *capture) {
  return capture->header;
}

const SmbCaptureEnd *
smb_capture_end(const SmbCapture *capture) {
  return capture->end;
}

guint
smb_capture_n_launches(const SmbCapture *capture) {
  return capture->launches->len;
}

const SmbCaptureLaunch *
smb_capture_launch(const SmbCapture *capture, guint i) {
  return g_ptr_array_index(capture->launches, i);
}

guint64
smb_capture_seen(const SmbCapture *capture, const char *kernel) {
  const guint64 *n = g_hash_table_lookup(capture->seen, kernel);
  return n ? *n : 0;
}

// Bytes of an allocation that its pieces cover.
static guint64
add_pieces(const SmbCaptureMemory *memory) {
  guint64 bytes = 0;
  for (guint i = 0; i < memory->pieces->len; i++)
    bytes += g_array_index(memory->pieces, SmbCapturePiece, i).bytes;
  return bytes;
}

guint64
smb_capture_held(const SmbCaptureLaunch *launch) {
  guint64 bytes = 0;
  for (guint i = 0; i < launch->memory->len; i++)
    bytes += add_pieces(&g_array_index(launch->memory, SmbCaptureMemory, i));
  for (guint i = 0; i < launch->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    bytes += variable->hashes ? variable->bytes : 0;
  }
  return bytes;
}

guint64
smb_capture_left_out(const SmbCaptureLaunch *launch) {
  guint64 bytes = 0;
  for (guint i = 0; i < launch->memory->len; i++)
    bytes += g_array_index(launch->memory, SmbCaptureMemory, i).bytes;
  for (guint i = 0; i < launch->variables->len; i++)
    bytes += g_array_index(launch->variables, SmbCaptureVariable, i).bytes;
  return bytes - smb_capture_held(launch);
}
