// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/kernel-run.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "src/cli/hint.h"

SmbArch *
kernel_run_arch(const char *name) {
  static const char wide[] = "[arch]\nlike=sm_90\ntitle=made up\ncompute-capability=9.0\n"
                             "lanes=64\nevidence=assumed\nsource=made up\n";
  g_autoptr(GError) error = NULL;
  SmbArch *arch = g_strcmp0(name, "wide") == 0 ? smb_arch_new_from_data("wide", wide, &error)
                                               : smb_arch_load(name ? name : "sm_90", &error);
  ck_assert_msg(arch != NULL, "%s", error ? error->message : "");
  return arch;
}

void
kernel_run(KernelRun *run, const char *name, const char *text, const KernelSetup *setup) {
  memset(run, 0, sizeof *run);
  g_autoptr(SmbArch) arch = kernel_run_arch(setup->arch);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new(name, bytes, &run->error);
  if (!source)
    return;
  run->kernel = smb_program_read(source,
                                 &(SmbProgramOptions){.entry = setup->entry,
                                                      .defines = setup->defines,
                                                      .cuda_arch = smb_program_cuda_arch(arch),
                                                      .lanes = smb_arch_info(arch)->lanes,
                                                      .limits = setup->limits},
                                 &run->error);
  ck_assert((run->kernel == NULL) == (run->error != NULL));
  if (!run->kernel)
    return;
  g_autoptr(GPtrArray) buffers = smb_buffers_parse(setup->buffers, &run->error);
  if (!buffers)
    return;
  SmbLaunch launch = {.dynamic_bytes = setup->dynamic_bytes,
                      .arguments = setup->arguments,
                      .buffers = buffers,
                      .skips_unknown = setup->skips_unknown};
  for (guint i = 0; i < 3; i++) {
    launch.block[i] = MAX(setup->block[i], 1);
    launch.grid[i] = MAX(setup->grid[i], 1);
  }
  run->global = setup->forgets ? NULL : smb_global_new(run->kernel, &launch);
  SmbAnalysisOptions options = {.limits = setup->limits,
                                .write_hint = smb_cli_write_hint,
                                .threads = setup->threads,
                                .global = run->global,
                                .keep_requests = setup->keeps_requests};
  run->analysis = smb_analysis_run(run->kernel, arch, &launch, &options, &run->error);
  ck_assert((run->analysis == NULL) == (run->error != NULL));
}

void
kernel_run_clear(KernelRun *run) {
  smb_analysis_free(run->analysis);
  smb_program_free(run->kernel);
  smb_global_free(run->global);
  g_clear_error(&run->error);
}

void
kernel_run_read(const KernelRun *run, const char *parameter, guint64 first, gpointer elements,
                gsize n, gsize element_size) {
  for (guint i = 0; i < smb_program_n_parameters(run->kernel); i++) {
    if (strcmp(smb_program_parameter(run->kernel, i).name, parameter) != 0)
      continue;
    smb_global_read(run->global, i, first * element_size, elements, n * element_size);
    return;
  }
  ck_abort_msg("there is no parameter '%s'", parameter);
}
