// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a launch was given, as the machine takes it.
#include <string.h>

#include "sim/base/error.h"
#include "sim/capture/capture-impl.h"
#include "sim/image/cubin.h"
#include "sim/launch/buffer.h"
#include "sim/launch/memory-piece.h"
#include "sim/program/entry.h"

// What is being loaded. A piece that several allocations have is read once.
typedef struct {
  const SmbCapture *capture;
  const SmbCaptureLaunch *launch;
  SmbCaptureLoaded *loaded;
  GHashTable *read; // hash to GBytes
  GError **error;
} Loading;

static void
free_captured_buffer(gpointer buffer) {
  smb_buffer_free(buffer);
}

void
smb_capture_loaded_free(SmbCaptureLoaded *loaded) {
  if (!loaded)
    return;
  g_array_unref(loaded->memory);
  g_ptr_array_unref(loaded->buffers);
  g_strfreev(loaded->arguments);
  g_ptr_array_unref(loaded->held);
  g_free(loaded);
}

static gboolean
G_GNUC_PRINTF(2, 3) refuse(Loading *loading, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_fail(loading->error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s: launch %" G_GUINT64_FORMAT ": %s", loading->capture->path,
                  loading->launch->number, reason);
}

// The contents of a piece (transfer none), which must have @bytes.
static GBytes *
read_captured_piece(Loading *loading, const char *hash, guint64 bytes) {
  GBytes *known = g_hash_table_lookup(loading->read, hash);
  if (!known) {
    g_autofree char *name = smb_capture_members_memory_name(hash);
    known = smb_capture_members_unpack(loading->capture->members, name, hash,
                                       SMB_CAPTURE_PIECE_BYTES, loading->error);
    if (!known)
      return NULL;
    g_ptr_array_add(loading->loaded->held, known);
    g_hash_table_insert(loading->read, (gpointer)hash, known);
  }
  if (g_bytes_get_size(known) == bytes)
    return known;
  refuse(loading, "memory/%s.zst has %" G_GSIZE_FORMAT " bytes: expected %" G_GUINT64_FORMAT, hash,
         g_bytes_get_size(known), bytes);
  return NULL;
}

// --- memory

static void
add_captured_piece(Loading *loading, SmbMemoryPiece piece, SmbMemoryKind kind) {
  piece.kind = kind;
  if (piece.bytes > 0)
    g_array_append_val(loading->loaded->memory, piece);
}

static SmbContents
make_contents(GBytes *bytes) {
  SmbContents contents = {.fill = SMB_FILL_BYTES};
  contents.bytes = g_bytes_get_data(bytes, &contents.length);
  return contents;
}

// An allocation: its pieces, and what is between them.
static gboolean
load_memory(Loading *loading, const SmbCaptureMemory *memory) {
  const SmbContents unknown = {.fill = SMB_FILL_UNKNOWN}, zeros = {.fill = SMB_FILL_ZEROS};
  guint64 end = 0;
  for (guint i = 0; i < memory->pieces->len; i++) {
    const SmbCapturePiece *piece = &g_array_index(memory->pieces, SmbCapturePiece, i);
    GBytes *bytes = piece->hash ? read_captured_piece(loading, piece->hash, piece->bytes) : NULL;
    SmbMemoryPiece gap = {memory->address + end, piece->offset - end, NULL, end == 0, unknown};
    SmbMemoryPiece own = {memory->address + piece->offset, piece->bytes, NULL, piece->offset == 0,
                          bytes ? make_contents(bytes) : zeros};
    if (piece->hash && !bytes)
      return FALSE;
    add_captured_piece(loading, gap, memory->kind);
    add_captured_piece(loading, own, memory->kind);
    end = piece->offset + piece->bytes;
  }
  SmbMemoryPiece rest = {memory->address + end, memory->bytes - end, NULL, end == 0, unknown};
  add_captured_piece(loading, rest, memory->kind);
  return TRUE;
}

// --- variables

// All of a variable's bytes.
static GBytes *
join_pieces(Loading *loading, const SmbCaptureVariable *variable) {
  guchar *room = g_try_malloc0(variable->bytes);
  g_autoptr(GBytes) joined = room ? g_bytes_new_take(room, variable->bytes) : NULL;
  if (!room)
    refuse(loading, "no memory for the %" G_GUINT64_FORMAT " bytes of variable '%s'",
           variable->bytes, variable->name);
  for (guint i = 0; room && i < variable->hashes->len; i++) {
    const char *hash = variable->hashes->pdata[i];
    guint64 offset = (guint64)i * SMB_CAPTURE_PIECE_BYTES;
    guint64 bytes = MIN(variable->bytes - offset, SMB_CAPTURE_PIECE_BYTES);
    GBytes *piece = hash ? read_captured_piece(loading, hash, bytes) : NULL;
    if (hash && !piece)
      return NULL;
    if (piece)
      memcpy(room + offset, g_bytes_get_data(piece, NULL), bytes);
  }
  return g_steal_pointer(&joined);
}

static gboolean
has_zero_pieces(const SmbCaptureVariable *variable) {
  for (guint i = 0; i < variable->hashes->len; i++) {
    if (variable->hashes->pdata[i])
      return FALSE;
  }
  return TRUE;
}

static gboolean
load_variable(Loading *loading, const SmbCaptureVariable *variable) {
  SmbBuffer *buffer = g_new0(SmbBuffer, 1);
  g_ptr_array_add(loading->loaded->buffers, buffer);
  buffer->name = g_strdup(variable->name);
  buffer->spec = g_strdup("captured");
  buffer->contents.fill = variable->hashes ? SMB_FILL_ZEROS : SMB_FILL_UNKNOWN;
  if (variable->hashes && !has_zero_pieces(variable)) {
    buffer->file = join_pieces(loading, variable);
    if (!buffer->file)
      return FALSE;
    buffer->contents = make_contents(buffer->file);
  }
  SmbMemoryPiece piece = {variable->address, variable->bytes, variable->name, TRUE,
                          buffer->contents};
  add_captured_piece(loading, piece, SMB_MEMORY_DEVICE);
  return TRUE;
}

// --- parameters

static char *
write_argument(guint index, const guchar *data, gsize bytes) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%u=raw:", index);
  for (gsize i = 0; i < bytes; i++)
    g_string_append_printf(text, "%02x", data[i]);
  return g_string_free(text, FALSE);
}

// A parameter, where the image says that it is.
static gboolean
load_argument(Loading *loading, guint index, guint64 offset, guint64 bytes) {
  const SmbCaptureLaunch *launch = loading->launch;
  gsize n = 0;
  const guchar *data = launch->parameters ? g_bytes_get_data(launch->parameters, &n) : NULL;
  if (offset > n || bytes > n - offset)
    return refuse(loading,
                  "%" G_GSIZE_FORMAT
                  " bytes of parameters: parameter %u of '%s' needs %" G_GUINT64_FORMAT
                  " at offset %" G_GUINT64_FORMAT,
                  n, index, launch->kernel, bytes, offset);
  loading->loaded->arguments[index] = write_argument(index, data + offset, bytes);
  return TRUE;
}

static gboolean
refuse_kernel(Loading *loading) {
  g_autofree char *name = smb_capture_members_image_name(loading->launch->image);
  return refuse(loading, "%s has no kernel '%s'", name, loading->launch->kernel);
}

static gboolean
load_cubin_parameters(Loading *loading, SmbSource *code) {
  const SmbCubin *cubin = smb_cubin_of(code, NULL, loading->error);
  if (!cubin)
    return FALSE;
  const SmbCubinFunction *function = smb_cubin_function(cubin, loading->launch->kernel);
  if (!function || !function->is_kernel)
    return refuse_kernel(loading);
  loading->loaded->arguments = g_new0(char *, function->parameters->len + 1);
  for (guint i = 0; i < function->parameters->len; i++) {
    SmbCubinParameter parameter = g_array_index(function->parameters, SmbCubinParameter, i);
    if (!load_argument(loading, i, parameter.offset, parameter.bytes))
      return FALSE;
  }
  return TRUE;
}

static gpointer
parse_entries(SmbSource *code, G_GNUC_UNUSED const char *user, GError **error) {
  return smb_entries_read(code, error);
}

static void
free_entries(gpointer entries) {
  smb_entries_free(entries);
}

// NULL: there is none of that name.
static const SmbEntry *
find_captured_entry(const SmbEntries *entries, const char *symbol) {
  for (guint i = 0; i < entries->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    if (g_str_equal(entry->symbol, symbol))
      return entry;
  }
  return NULL;
}

static gboolean
load_text_parameters(Loading *loading, SmbSource *code) {
  const SmbEntries *entries =
      smb_source_parsed(code, parse_entries, NULL, free_entries, loading->error);
  if (!entries)
    return FALSE;
  const SmbEntry *entry = find_captured_entry(entries, loading->launch->kernel);
  if (!entry)
    return refuse_kernel(loading);
  loading->loaded->arguments = g_new0(char *, entry->parameters->len + 1);
  for (guint i = 0; i < entry->parameters->len; i++) {
    SmbEntryItem parameter = g_array_index(entry->parameters, SmbEntryItem, i);
    if (!load_argument(loading, i, parameter.offset, parameter.bytes))
      return FALSE;
  }
  return TRUE;
}

static gint
compare_addresses(gconstpointer a, gconstpointer b) {
  const SmbMemoryPiece *one = a, *other = b;
  return (one->address > other->address) - (one->address < other->address);
}

static void
free_bytes(gpointer bytes) {
  g_bytes_unref(bytes);
}

SmbCaptureLoaded *
smb_capture_load(const SmbCapture *capture, const SmbCaptureLaunch *launch, SmbSource *code,
                 GError **error) {
  g_autoptr(GHashTable) read = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(SmbCaptureLoaded) loaded = g_new0(SmbCaptureLoaded, 1);
  loaded->memory = g_array_new(FALSE, FALSE, sizeof(SmbMemoryPiece));
  loaded->buffers = g_ptr_array_new_with_free_func(free_captured_buffer);
  loaded->held = g_ptr_array_new_with_free_func(free_bytes);
  Loading loading = {capture, launch, loaded, read, error};
  if (!(smb_source_bytes(code) ? load_cubin_parameters : load_text_parameters)(&loading, code))
    return NULL;
  for (guint i = 0; i < launch->memory->len; i++) {
    if (!load_memory(&loading, &g_array_index(launch->memory, SmbCaptureMemory, i)))
      return NULL;
  }
  for (guint i = 0; i < launch->variables->len; i++) {
    if (!load_variable(&loading, &g_array_index(launch->variables, SmbCaptureVariable, i)))
      return NULL;
  }
  g_array_sort(loaded->memory, compare_addresses);
  return g_steal_pointer(&loaded);
}
