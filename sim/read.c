// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From a source to a program: the languages that are known, each of which knows its own sources.
#include "sim/base/error.h"
#include "sim/cuda/front-end.h"
#include "sim/ptx/front-end.h"
#include "sim/sass/front-end.h"

// In the order in which they are asked; CUDA C takes every text, so it comes last.
static const SmbFrontEnd *const front_ends[] = {
    &smb_ptx_front_end,
    &smb_sass_front_end,
    &smb_cuda_front_end,
};

static const SmbFrontEnd *
find_front_end(SmbSource *source, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(front_ends); i++) {
    if (front_ends[i]->recognizes(source))
      return front_ends[i];
  }
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: an object file: machine code is not run yet",
           smb_source_name(source));
  return NULL;
}

const char *
smb_program_recognize(SmbSource *source) {
  const SmbFrontEnd *front_end = find_front_end(source, NULL);
  return front_end ? front_end->level : NULL;
}

SmbProgram *
smb_program_read(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  const SmbFrontEnd *front_end = find_front_end(source, error);
  SmbProgram *program = front_end ? front_end->read(source, options, error) : NULL;
  if (program)
    smb_program_choose_frames(program);
  return program;
}

SmbEntries *
smb_entries_read(SmbSource *source, GError **error) {
  const SmbFrontEnd *front_end = find_front_end(source, error);
  const char *name = smb_source_name(source);
  if (!front_end)
    return NULL;
  if (!front_end->entries) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: expected PTX: the kernels of compiled code are listed, those of CUDA C stand in "
             "its text",
             name);
    return NULL;
  }
  g_autoptr(SmbEntries) entries = front_end->entries(source, error);
  if (entries && entries->entries->len == 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no kernel", name);
    return NULL;
  }
  return g_steal_pointer(&entries);
}
