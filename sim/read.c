// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From a source to a program: the languages that are known, each of which knows its own sources.
#include "sim/cuda/front-end.h"
#include "sim/ptx/front-end.h"

// In the order in which they are asked; CUDA C takes every text, so it comes last.
static const SmbFrontEnd *const front_ends[] = {
    &smb_ptx_front_end,
    &smb_cuda_front_end,
};

SmbProgram *
smb_program_read(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(front_ends); i++) {
    if (!front_ends[i]->recognizes(source))
      continue;
    SmbProgram *program = front_ends[i]->read(source, options, error);
    if (program)
      smb_program_choose_frames(program);
    return program;
  }
  g_assert_not_reached();
}
