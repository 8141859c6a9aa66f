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
check_proved_answer(const ProvedKernel *proved, SmbProofVerdict wanted, guint free,
                    const char *statements) {
  SmbProofVerdict verdict = smb_kernel_proof_verdict(proved->proof);
  ck_assert_msg(verdict == wanted, "%s: verdict %u", statements, verdict);
  if (verdict == SMB_PROOF_STOPPED)
    return;
  const SmbProvedSite *site = proved->proof->sites->pdata[0];
  guint n_free = 0, n_bad = 0;
  for (guint r = 0; verdict == SMB_PROVED_FOR && r < site->modulus; r++)
    n_free += site->free[r];
  ck_assert_msg(n_free == free, "%s: %u of %u", statements, n_free, site->modulus);
  g_autofree guint8 *is_bad = g_new0(guint8, MAX(site->modulus, 1));
  for (guint value = 0; value < MAX(PROVED_VALUES, 2 * site->modulus); value++) {
    gboolean conflicts = compare_proved_launch(proved, value, statements);
    n_bad += conflicts;
    is_bad[value % MAX(site->modulus, 1)] |= (guint8)conflicts;
  }
  for (guint r = 0; verdict == SMB_PROVED_FOR && r < site->modulus; r++)
    ck_assert_msg(is_bad[r] == !site->free[r], "%s: p %% %u = %u: %s conflicts", statements,
                  site->modulus, r, is_bad[r] ? "it has" : "no");
  ck_assert_msg(verdict == SMB_PROVED || n_bad > 0, "%s: no counter-example", statements);
}

void
check_all_verdicts(const guint n[N_PROOF_VERDICTS]) {
  for (guint verdict = 0; verdict < N_PROOF_VERDICTS; verdict++)
    ck_assert_msg(n[verdict] > 0, "no kernel is of verdict %u", verdict);
  if (g_getenv("SMEMBANK_TEST_SHOW"))
    g_print("%u %u %u %u\n", n[SMB_PROVED], n[SMB_PROVED_FOR], n[SMB_NOT_FREE],
            n[SMB_PROOF_STOPPED]);
}
