// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Any bytes are a kernel file. It is parsed, and two blocks
// of it run, under limits so tight that every input ends soon. What the input says is never wrong
// here; crashes, leaks, undefined behaviour and inputs that take long are.
#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/machine/block.h"
#include "tests/fuzz/targets.h"

static const SmbProgramLimits limits = {20000, 60, 2000, 1 << 20};

// A value for every scalar parameter.
static GStrv
make_arguments(const SmbProgram *kernel) {
  g_autoptr(GStrvBuilder) arguments = g_strv_builder_new();
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    SmbParameter parameter = smb_program_parameter(kernel, i);
    g_autofree char *argument = g_strdup_printf("%s=40", parameter.name);
    if (!parameter.is_pointer)
      g_strv_builder_add(arguments, argument);
  }
  return g_strv_builder_end(arguments);
}

static void
run(const SmbProgram *kernel, const SmbArch *arch) {
  g_auto(GStrv) arguments = make_arguments(kernel);
  SmbLaunch launch = {{17, 2, 2}, {2, 1, 1}, 1024, (const char *const *)arguments, NULL};
  SmbAnalysisOptions options = {.limits = limits, .threads = 1};
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(kernel, arch, &launch, &options, &error);
  if ((analysis == NULL) == (error == NULL))
    g_error("a run gives a result or an error");
}

void
fuzz_kernel(const guint8 *data, gsize size) {
  static const char *const defines[] = {"N=16", NULL};
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_new("fuzz.cu", bytes, &error);
  if (!source)
    return;
  g_autoptr(SmbProgram) kernel = smb_program_read(
      source, &(SmbProgramOptions){.defines = defines, .cuda_arch = 900, .limits = limits}, &error);
  if (kernel)
    run(kernel, arch);
  else if (!error)
    g_error("a text that is refused comes with the reason");
}
