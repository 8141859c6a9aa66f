// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files that a target is made of.
#include <string.h>

#include "sim/launch/argument.h"
#include "sim/launch/buffer.h"
#include "src/target/target-impl.h"

// NAME=FILE@OFFSET: a file may have an at sign of its own.
static void
note_buffers(SmbFiles *files, const char *const *buffers) {
  for (guint i = 0; buffers && buffers[i]; i++) {
    const char *path = smb_buffer_file(buffers[i]);
    const char *at = path ? strrchr(path, '@') : NULL;
    g_autofree char *shorter = at ? g_strndup(path, (gsize)(at - path)) : NULL;
    smb_files_read(files, path);
    smb_files_read(files, shorter);
  }
}

void
smb_target_note_files(const SmbTarget *target, const SmbSource *source) {
  g_auto(GStrv) included = target->files ? smb_source_inputs(source) : NULL;
  if (!target->files)
    return;
  smb_files_read(target->files, smb_source_name(source));
  smb_files_read_all(target->files, (const char *const *)included);
  note_buffers(target->files, (const char *const *)target->buffers);
  for (guint i = 0; target->args && target->args[i]; i++)
    smb_files_read(target->files, smb_argument_file(target->args[i]));
}
