// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A recorded launch: its memory and variables, and whether they are consistent.
#include "sim/capture/launch.h"

#include <string.h>

#include "sim/base/error.h"

enum {
  HASH_DIGITS = 64
};

void
smb_capture_piece_clear(gpointer data) {
  g_free(((SmbCapturePiece *)data)->hash);
}

static void
clear_captured_memory(gpointer data) {
  g_clear_pointer(&((SmbCaptureMemory *)data)->pieces, g_array_unref);
}

static void
clear_captured_variable(gpointer data) {
  SmbCaptureVariable *variable = data;
  g_free(variable->name);
  g_clear_pointer(&variable->hashes, g_ptr_array_unref);
}

static void
clear_kernel(gpointer data) {
  g_free(((SmbCaptureKernel *)data)->kernel);
}

static GArray *
new_captured_array(guint size, GDestroyNotify clear) {
  GArray *array = g_array_new(FALSE, TRUE, size);
  g_array_set_clear_func(array, clear);
  return array;
}

SmbCaptureLaunch *
smb_capture_launch_new(void) {
  SmbCaptureLaunch *launch = g_new0(SmbCaptureLaunch, 1);
  launch->nanoseconds = -1;
  launch->variables = new_captured_array(sizeof(SmbCaptureVariable), clear_captured_variable);
  launch->memory = new_captured_array(sizeof(SmbCaptureMemory), clear_captured_memory);
  launch->notes = g_new0(char *, 1);
  return launch;
}

void
smb_capture_launch_free(SmbCaptureLaunch *launch) {
  if (!launch)
    return;
  g_free(launch->stream);
  g_free(launch->kernel);
  g_free(launch->image);
  g_free(launch->arch);
  g_free(launch->device_name);
  g_free(launch->driver);
  g_clear_pointer(&launch->parameters, g_bytes_unref);
  g_array_unref(launch->variables);
  g_array_unref(launch->memory);
  g_strfreev(launch->notes);
  g_free(launch);
}

GPtrArray *
smb_capture_variable_new_hashes(void) {
  return g_ptr_array_new_with_free_func(g_free);
}

SmbCaptureVariable *
smb_capture_launch_add_variable(SmbCaptureLaunch *launch, const char *name, guint64 address,
                                guint64 bytes) {
  const SmbCaptureVariable variable = {g_strdup(name), address, bytes, NULL};
  g_array_append_val(launch->variables, variable);
  return &g_array_index(launch->variables, SmbCaptureVariable, launch->variables->len - 1);
}

SmbCaptureMemory *
smb_capture_launch_add_memory(SmbCaptureLaunch *launch, SmbMemoryKind kind, guint64 address,
                              guint64 bytes) {
  const SmbCaptureMemory memory = {
      address, bytes, kind, new_captured_array(sizeof(SmbCapturePiece), smb_capture_piece_clear)};
  g_array_append_val(launch->memory, memory);
  return &g_array_index(launch->memory, SmbCaptureMemory, launch->memory->len - 1);
}

void
smb_capture_memory_add(SmbCaptureMemory *memory, guint64 offset, guint64 bytes, const char *hash) {
  const SmbCapturePiece piece = {offset, bytes, g_strdup(hash)};
  g_array_append_val(memory->pieces, piece);
}

SmbCaptureEnd *
smb_capture_end_new(const char *status) {
  SmbCaptureEnd *end = g_new0(SmbCaptureEnd, 1);
  end->status = g_strdup(status);
  end->kernels = new_captured_array(sizeof(SmbCaptureKernel), clear_kernel);
  return end;
}

void
smb_capture_end_add(SmbCaptureEnd *end, const char *kernel, guint64 launches, guint64 recorded,
                    double nanoseconds) {
  const SmbCaptureKernel row = {g_strdup(kernel), launches, recorded, nanoseconds};
  g_array_append_val(end->kernels, row);
}

void
smb_capture_end_free(SmbCaptureEnd *end) {
  if (!end)
    return;
  g_free(end->status);
  g_array_unref(end->kernels);
  g_free(end);
}

void
smb_capture_header_free(SmbCaptureHeader *header) {
  if (!header)
    return;
  g_free(header->program);
  g_strfreev(header->command);
  g_free(header->started);
  g_free(header);
}

gboolean
smb_capture_is_hash(const char *text) {
  return text && strlen(text) == HASH_DIGITS && strspn(text, "0123456789abcdef") == HASH_DIGITS;
}

// --- whether a launch can be

static gboolean
G_GNUC_PRINTF(3, 4) refuse(const char *name, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s", name, reason);
}

// What an address and a size name.
typedef struct {
  guint64 address;
  guint64 bytes;
} Range;

static gboolean
check_range(const char *name, Range range, GError **error) {
  if (range.bytes > 0 && range.address >= SMB_CAPTURE_ADDRESS_FIRST &&
      range.address < SMB_CAPTURE_ADDRESS_END &&
      range.bytes <= SMB_CAPTURE_ADDRESS_END - range.address)
    return TRUE;
  return refuse(name, error,
                "memory of %" G_GUINT64_FORMAT " bytes at 0x%" G_GINT64_MODIFIER
                "x: expected at least one byte, at addresses from 64 KiB to below 2^48",
                range.bytes, range.address);
}

static gboolean
check_pieces(const char *name, const SmbCaptureMemory *memory, GError **error) {
  guint64 end = 0;
  for (guint i = 0; i < memory->pieces->len; i++) {
    const SmbCapturePiece *piece = &g_array_index(memory->pieces, SmbCapturePiece, i);
    const char *wrong = NULL;
    if (piece->hash && !smb_capture_is_hash(piece->hash))
      wrong = "its hash is not a SHA-256";
    else if (piece->bytes == 0 || (piece->hash && piece->bytes > SMB_CAPTURE_PIECE_BYTES))
      wrong = "expected a size from 1 byte to 1 MiB";
    else if (piece->offset < end)
      wrong = "it overlaps the piece before it, or is out of order";
    else if (piece->offset > memory->bytes || piece->bytes > memory->bytes - piece->offset)
      wrong = "it ends beyond the allocation";
    if (wrong)
      return refuse(name, error,
                    "memory at 0x%" G_GINT64_MODIFIER "x, the piece at offset %" G_GUINT64_FORMAT
                    ": %s",
                    memory->address, piece->offset, wrong);
    end = piece->offset + piece->bytes;
  }
  return TRUE;
}

static gboolean
check_hashes(const char *name, const SmbCaptureVariable *variable, GError **error) {
  const GPtrArray *hashes = variable->hashes;
  guint64 n =
      variable->bytes / SMB_CAPTURE_PIECE_BYTES + (variable->bytes % SMB_CAPTURE_PIECE_BYTES != 0);
  if (hashes && hashes->len != n)
    return refuse(name, error,
                  "variable '%s' of %" G_GUINT64_FORMAT " bytes has %u pieces: expected one for "
                  "each MiB, %" G_GUINT64_FORMAT,
                  variable->name, variable->bytes, hashes->len, n);
  for (guint i = 0; hashes && i < hashes->len; i++) {
    if (hashes->pdata[i] && !smb_capture_is_hash(hashes->pdata[i]))
      return refuse(name, error, "variable '%s': its hash is not a SHA-256", variable->name);
  }
  return TRUE;
}

static gint
compare_ranges(gconstpointer a, gconstpointer b) {
  const Range *one = a, *other = b;
  return (one->address > other->address) - (one->address < other->address);
}

static gboolean
check_overlaps(const char *name, GArray *ranges, GError **error) {
  g_array_sort(ranges, compare_ranges);
  for (guint i = 1; i < ranges->len; i++) {
    Range last = g_array_index(ranges, Range, i - 1), next = g_array_index(ranges, Range, i);
    if (next.address - last.address < last.bytes)
      return refuse(name, error,
                    "memory at 0x%" G_GINT64_MODIFIER "x overlaps memory at 0x%" G_GINT64_MODIFIER
                    "x",
                    next.address, last.address);
  }
  return TRUE;
}

gboolean
smb_capture_launch_check(const SmbCaptureLaunch *launch, const char *name, GError **error) {
  g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(Range));
  if (!smb_capture_is_hash(launch->image))
    return refuse(name, error, "image: its hash is not a SHA-256");
  for (guint i = 0; i < launch->memory->len; i++) {
    const SmbCaptureMemory *memory = &g_array_index(launch->memory, SmbCaptureMemory, i);
    const Range range = {memory->address, memory->bytes};
    if (!check_range(name, range, error) || !check_pieces(name, memory, error))
      return FALSE;
    g_array_append_val(ranges, range);
  }
  for (guint i = 0; i < launch->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    const Range range = {variable->address, variable->bytes};
    if (!check_range(name, range, error) || !check_hashes(name, variable, error))
      return FALSE;
    g_array_append_val(ranges, range);
  }
  return check_overlaps(name, ranges, error);
}
