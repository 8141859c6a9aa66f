// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From a kernel of smembank.h to a launch that was run.
#include <string.h>

#include "sim/base/error.h"
#include "sim/binding/impl.h"
#include "sim/launch/shape.h"

static SmbSource *
load_kernel_source(const SmbKernelLaunch *launch, GError **error) {
  if (!launch->text)
    return smb_source_load_any(launch->path, error);
  g_autoptr(GBytes) bytes = g_bytes_new(launch->text, launch->length);
  return smb_source_new_any(launch->path, bytes, error);
}

static SmbProgram *
read_kernel_program(const SmbModel *model, const SmbKernelLaunch *launch, GError **error) {
  g_autoptr(SmbSource) source = load_kernel_source(launch, error);
  if (!source)
    return NULL;
  if (!smb_program_recognize(source)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: expected CUDA C, PTX or machine code",
             launch->path);
    return NULL;
  }
  const SmbProgramOptions options = {.entry = launch->entry,
                                     .defines = launch->defines,
                                     .folders = launch->folders,
                                     .cuda_arch = smb_program_cuda_arch(model->arch),
                                     .processor = smb_program_processor(model->arch),
                                     .lanes = smb_arch_info(model->arch)->lanes,
                                     .limits.max_steps = launch->max_steps};
  return smb_program_read(source, &options, error);
}

static void
set_extent(guint extent[3], const uint32_t given[3]) {
  for (guint i = 0; i < 3; i++)
    extent[i] = MAX(given[i], 1);
}

static gboolean
set_kernel_launch(const SmbModel *model, const SmbKernelLaunch *launch, SmbRun *run,
                  GError **error) {
  set_extent(run->launch.block, launch->block);
  set_extent(run->launch.grid, launch->grid);
  if (!launch->grid[0] && !launch->grid[1] && !launch->grid[2])
    smb_program_own_grid(run->program, run->launch.grid);
  if (!launch->block[0] && !launch->block[1] && !launch->block[2] &&
      !smb_program_own_block(run->program, run->launch.block)) {
    run->assumes_block = TRUE;
    run->launch.block[0] = smb_arch_info(model->arch)->lanes;
  }
  if (launch->dynamic_bytes > G_MAXINT32)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                    "%" G_GUINT64_FORMAT " bytes of dynamic shared memory: expected no more than "
                    "a block has",
                    launch->dynamic_bytes);
  run->launch.dynamic_bytes = launch->dynamic_bytes;
  run->launch.arguments = launch->args;
  run->launch.skips_unknown = launch->skips_unknown != 0;
  run->launch.buffers = smb_buffers_parse(launch->buffers, error);
  if (!run->launch.buffers ||
      !smb_launch_check_arguments(&run->launch, run->program, run->assumes_block, error))
    return FALSE;
  run->launch.shapes =
      smb_shapes_parse(launch->arrays, run->program, run->launch.dynamic_bytes, error);
  return run->launch.shapes != NULL;
}

gboolean
smb_run_kernel(const SmbModel *model, const SmbKernelLaunch *launch, gboolean keep_requests,
               SmbRun *run, GError **error) {
  *run = (SmbRun){0};
  run->program = read_kernel_program(model, launch, error);
  if (!run->program || !set_kernel_launch(model, launch, run, error))
    return FALSE;
  const SmbAnalysisOptions options = {.limits.max_steps = launch->max_steps,
                                      .threads = MIN(launch->threads, SMB_ANALYSIS_MAX_THREADS),
                                      .keep_requests = keep_requests};
  run->analysis = smb_analysis_run(run->program, model->arch, &run->launch, &options, error);
  return run->analysis != NULL;
}

void
smb_run_clear(SmbRun *run) {
  g_clear_pointer(&run->analysis, smb_analysis_free);
  g_clear_pointer(&run->launch.buffers, g_ptr_array_unref);
  g_clear_pointer(&run->launch.shapes, g_array_unref);
  g_clear_pointer(&run->program, smb_program_free);
}
