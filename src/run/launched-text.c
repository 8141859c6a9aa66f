// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/launched-text.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/cuda/text/host.h"
#include "sim/program/symbol.h"

enum {
  MAX_POINTER_BYTES = 8,
};

// The kernel of a file by its name without namespaces; NULL: it has none, or several.
static const SmbHostKernel *
find_text_kernel(const SmbHost *host, const char *name) {
  const SmbHostKernel *found = NULL;
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = g_ptr_array_index(host->kernels, i);
    if (strcmp(kernel->name, name) != 0)
      continue;
    if (found)
      return NULL;
    found = kernel;
  }
  return found;
}

// A pointer of "INDEX=raw:HEX"; 0: it is none.
static guint64
decode_pointer(const char *argument) {
  const char *digits = strchr(argument, ':');
  guint64 pointer = 0;
  if (!digits || strlen(++digits) != (gsize)2 * MAX_POINTER_BYTES)
    return 0;
  for (guint i = 0; i < MAX_POINTER_BYTES; i++)
    pointer |= (guint64)(g_ascii_xdigit_value(digits[2 * i]) << 4 |
                         g_ascii_xdigit_value(digits[2 * i + 1]))
               << 8 * i;
  return pointer;
}

// What is behind a pointer, up to the end of its allocation (transfer full); NULL: that is not known.
static GByteArray *
read_behind(const GArray *memory, guint64 pointer) {
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  for (guint i = 0; i < memory->len; i++) {
    const SmbMemoryPiece *piece = &g_array_index(memory, SmbMemoryPiece, i);
    guint64 from = pointer + bytes->len;
    gboolean is_here = from >= piece->address && from - piece->address < piece->bytes;
    if (!is_here || (bytes->len > 0 && piece->begins))
      continue;
    if (piece->contents.fill == SMB_FILL_UNKNOWN ||
        bytes->len + piece->bytes > SMB_PROGRAM_LARGEST_MEMORY)
      return NULL;
    guint64 offset = from - piece->address, length = piece->bytes - offset;
    guint at = bytes->len;
    g_byte_array_set_size(bytes, at + (guint)length);
    smb_contents_read(&piece->contents, offset, bytes->data + at, length);
  }
  return bytes->len ? g_steal_pointer(&bytes) : NULL;
}

// Adds the contents of a pointer's buffer, as a file in the folder of the run.
static gboolean
add_contents(const SmbStandIn *stand_in, const GArray *memory, const char *argument, guint index,
             GPtrArray *buffers, GError **error) {
  guint64 pointer = decode_pointer(argument);
  g_autoptr(GByteArray) bytes = pointer ? read_behind(memory, pointer) : NULL;
  if (!bytes)
    return TRUE;
  g_autofree char *path =
      g_strdup_printf("%s/buffer-%u", smb_workshop_folder(stand_in->workshop), index);
  g_ptr_array_add(buffers, g_strdup_printf("%u=%s", index, path));
  return g_file_set_contents(path, (const char *)bytes->data, (gssize)bytes->len, error);
}

// Leaves out variables: forms of the text have their own.
static void
drop_variables(GArray *memory) {
  for (guint i = memory->len; i-- > 0;) {
    if (g_array_index(memory, SmbMemoryPiece, i).variable)
      g_array_remove_index(memory, i);
  }
}

// Whether a value may hold addresses: structures do, such as tensor maps.
static gboolean
may_hold_pointer(const char *argument) {
  return strlen(strchr(argument, ':') + 1) >= (gsize)2 * MAX_POINTER_BYTES;
}

// Has the options say a launch. FALSE without @error: the text does not have its kernel.
static gboolean
take_launch(SmbStandIn *stand_in, const SmbHost *host, const SmbCapture *capture,
            const SmbCaptureLaunch *launch, GError **error) {
  g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *plain = smb_symbol_demangle(launch->kernel, TRUE);
  g_autofree char *name = g_strndup(plain, strcspn(plain, "<("));
  const SmbHostKernel *kernel = find_text_kernel(host, name);
  g_autoptr(SmbSource) code = kernel ? smb_capture_code(capture, launch, error) : NULL;
  SmbCaptureLoaded *loaded = stand_in->loaded =
      code ? smb_capture_load(capture, launch, code, error) : NULL;
  gboolean has_pointer = FALSE;
  if (!loaded)
    return FALSE;
  for (guint i = 0; i < kernel->parameters->len && loaded->arguments[i]; i++) {
    const SmbHostParameter *parameter = g_ptr_array_index(kernel->parameters, i);
    has_pointer |= !parameter->is_pointer && may_hold_pointer(loaded->arguments[i]);
    if (!parameter->is_pointer)
      g_ptr_array_add(args, g_strdup(loaded->arguments[i]));
    else if (!add_contents(stand_in, loaded->memory, loaded->arguments[i], i, buffers, error))
      return FALSE;
  }
  g_ptr_array_add(args, NULL);
  g_ptr_array_add(buffers, NULL);
  char *end = strrchr(plain, '>');
  if (end)
    end[1] = '\0';
  drop_variables(loaded->memory);
  smb_target_take_launch(launch, end ? plain : name, (GStrv)args->pdata, (GStrv)buffers->pdata,
                         has_pointer ? loaded->memory : NULL);
  return TRUE;
}

// As take_launch(), of the launch that was chosen.
static gboolean
take_chosen(SmbStandIn *stand_in, const char *file, GError **error) {
  const SmbTargetOptions *options = smb_target_options();
  SmbCapture *capture = stand_in->capture = smb_capture_open(stand_in->path, error);
  g_autoptr(SmbSource) source = capture ? smb_source_load(file, error) : NULL;
  g_autoptr(SmbHost) host = smb_host_new();
  guint64 number = g_ascii_strtoull(options->captured_launch, NULL, 10);
  return source && smb_host_read(host, source, (const char *const *)options->folders, NULL) &&
         take_launch(stand_in, host, capture, smb_capture_launch(capture, (guint)number - 1),
                     error);
}

gboolean
smb_launched_text_settle(SmbCli *cli, guint argument, SmbStandIn **stand_in, GError **error) {
  g_autoptr(GError) failure = NULL;
  *stand_in = NULL;
  if (!smb_stand_in_is_run(cli, argument))
    return TRUE;
  const char *file = cli->arguments[argument];
  const char *const files[] = {file, NULL};
  if (!smb_stand_in_run(cli, files, cli->arch, NULL, FALSE, stand_in, error))
    return FALSE;
  if (!*stand_in)
    return TRUE;
  if (!smb_stand_in_choose(cli, *stand_in, error))
    return FALSE;
  if (take_chosen(*stand_in, file, &failure))
    return TRUE;
  if (failure) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  smb_stand_in_take(cli, argument, *stand_in);
  return TRUE;
}
