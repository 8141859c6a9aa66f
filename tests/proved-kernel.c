// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/proved-kernel.h"

#include "sim/analysis/analysis.h"
#include "tests/suite.h"

static const SmbLaunch launch = {.block = {32, 2, 1}, .grid = {1, 1, 1}, .dynamic_bytes = 131072};

void
clear_proved_kernel(ProvedKernel *proved) {
  smb_kernel_proof_free(proved->proof);
  smb_program_free(proved->program);
  smb_arch_unref(proved->arch);
}

void
prove_program(ProvedKernel *proved, SmbProgram *program) {
  proved->arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  proved->program = program;
  proved->proof = smb_kernel_proof_new(program, proved->arch, &launch);
  ck_assert_ptr_nonnull(proved->proof);
}

gboolean
compare_proved_launch(const ProvedKernel *proved, guint value, const char *statements) {
  g_autofree char *p =
      g_strdup_printf("%s=%u", smb_program_parameter(proved->program, 2).name, value);
  g_autofree char *q =
      g_strdup_printf("%s=%u", smb_program_parameter(proved->program, 3).name, value * 7 + 3);
  const char *const arguments[] = {p, q, NULL};
  const SmbAnalysisOptions options = {.threads = 1};
  SmbLaunch with = launch;
  gboolean has_conflicts = FALSE;
  with.arguments = arguments;
  with.grid[0] = 3;
  with.skips_unknown = TRUE;
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbAnalysis) analysis =
      smb_analysis_run(proved->program, proved->arch, &with, &options, &error);
  ck_assert_msg(analysis != NULL, "%s: %s", statements, error ? error->message : "");
  for (guint a = 0; a < analysis->accesses->len; a++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, a);
    const SmbProvedSite *site = NULL;
    for (guint i = 0; i < proved->proof->sites->len; i++) {
      const SmbProvedSite *one = proved->proof->sites->pdata[i];
      if (smb_program_site(proved->program, one->site) == access->site)
        site = one;
    }
    if (access->total.requests == 0)
      continue;
    ck_assert_msg(site != NULL, "%s: an access that was not seen", statements);
    gboolean is_free =
        site->verdict == SMB_PROVED || (site->verdict == SMB_PROVED_FOR && site->parameter == 2 &&
                                        site->free[value % site->modulus]);
    ck_assert_msg(!is_free || access->total.excess == 0, "%s: p = %u conflicts", statements, value);
    ck_assert_msg(site->verdict == SMB_PROOF_STOPPED || access->total.max_degree <= site->degree,
                  "%s: p = %u: %u ways, %u proved", statements, value, access->total.max_degree,
                  site->degree);
    has_conflicts = has_conflicts || access->total.excess > 0;
  }
  return has_conflicts;
}

void
check_all_verdicts(const guint n[N_PROOF_VERDICTS]) {
  for (guint verdict = 0; verdict < N_PROOF_VERDICTS; verdict++)
    ck_assert_msg(n[verdict] > 0, "no kernel is of verdict %u", verdict);
  if (g_getenv("SMEMBANK_TEST_SHOW"))
    g_print("%u %u %u %u\n", n[SMB_PROVED], n[SMB_PROVED_FOR], n[SMB_NOT_FREE],
            n[SMB_PROOF_STOPPED]);
}
