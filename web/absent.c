// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the page's program has something else for, or nothing: captures, which are refused; GLib's resources, as all data is in
// $SMEMBANK_DATADIR; and types of libffi (glib/ffi.h). absent.js has the functions that are never called.
#include <ffi.h>
#include <gio/gio.h>

#include "data/smb-resources.h"
#include "sim/base/error.h"
#include "sim/capture/member.h"

SmbCaptureMembers *
smb_capture_members_open(const char *path, GError **error) {
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: a capture is not read in a browser", path);
  return NULL;
}

GBytes *
g_resource_lookup_data(G_GNUC_UNUSED GResource *resource, const char *path,
                       G_GNUC_UNUSED GResourceLookupFlags flags, GError **error) {
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s is not there", path);
  return NULL;
}

char **
g_resource_enumerate_children(G_GNUC_UNUSED GResource *resource, G_GNUC_UNUSED const char *path,
                              G_GNUC_UNUSED GResourceLookupFlags flags,
                              G_GNUC_UNUSED GError **error) {
  return NULL;
}

GResource *
smb_data_get_resource(void) {
  static char none;
  return (GResource *)&none; // which nothing looks into
}

ffi_type ffi_type_void, ffi_type_float, ffi_type_double, ffi_type_pointer;
ffi_type ffi_type_uint32, ffi_type_sint32, ffi_type_uint64, ffi_type_sint64;
