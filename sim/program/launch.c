// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/program/launch.h"

#include "sim/program/front-end.h"

#include "sim/arch/arch.h"
#include "sim/base/error.h"

gboolean
smb_launch_check(const SmbLaunch *launch, const SmbArch *arch, GError **error) {
  guint max_threads = arch ? smb_arch_info(arch)->max_threads : SMB_MAX_BLOCK_THREADS;
  const char *who = arch ? smb_arch_info(arch)->name : "a GPU";
  guint64 threads = 1;
  static const guint block_limits[3] = SMB_MAX_BLOCK_EXTENT;
  static const guint grid_limits[3] = SMB_MAX_GRID_EXTENT;
  for (guint i = 0; i < 3; i++) {
    if (launch->block[i] < 1 || launch->block[i] > block_limits[i])
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "a block of %u threads in %c: expected 1 to %u", launch->block[i], "xyz"[i],
                      block_limits[i]);
    if (launch->grid[i] < 1 || launch->grid[i] > grid_limits[i])
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "a grid of %u blocks in %c: expected 1 to %u", launch->grid[i], "xyz"[i],
                      grid_limits[i]);
    threads *= launch->block[i];
  }
  if (threads > max_threads)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "a block of %u x %u x %u = %" G_GUINT64_FORMAT " threads: %s has at most %u",
                    launch->block[0], launch->block[1], launch->block[2], threads, who,
                    max_threads);
  return TRUE;
}

const SmbBuffer *
smb_launch_buffer(const SmbLaunch *launch, const char *name, guint index) {
  for (guint i = launch->buffers ? launch->buffers->len : 0; i-- > 0;) {
    const SmbBuffer *buffer = g_ptr_array_index(launch->buffers, i);
    if (smb_buffer_is_of(buffer, name, index))
      return buffer;
  }
  return NULL;
}

gboolean
smb_launch_is_pointer(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  SmbParameter described = smb_program_parameter(program, parameter);
  return described.is_pointer &&
         !(described.may_be_value && smb_argument_find(launch->arguments, program, parameter));
}

const char *
smb_launch_data_source(const SmbLaunch *launch, const SmbProgram *program, guint site,
                       gboolean *address) {
  const SmbFrontEnd *front_end = program->front_end;
  return front_end->data_source ? front_end->data_source(program, launch, site, address) : NULL;
}

guint64
smb_launch_start(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  SmbParameter described = smb_program_parameter(program, parameter);
  const SmbBuffer *buffer = smb_launch_buffer(launch, described.name, parameter);
  return buffer ? buffer->offset * described.element_bytes : 0;
}

SmbContents
smb_launch_contents(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  SmbParameter described = smb_program_parameter(program, parameter);
  const SmbBuffer *buffer = smb_launch_buffer(launch, described.name, parameter);
  return buffer && !buffer->is_default
             ? buffer->contents
             : (SmbContents){.fill = program->tracks ? SMB_FILL_UNKNOWN : SMB_FILL_IOTA,
                             .scalar = described.element};
}

GArray *
smb_program_carved_arrays(const SmbProgram *program, const SmbLaunch *launch) {
  const SmbFrontEnd *front_end = program->front_end;
  return front_end->carved_arrays ? front_end->carved_arrays(program, launch) : NULL;
}
