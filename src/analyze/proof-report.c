// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze --prove: what holds for all values of the parameters, as text and as JSON, with its certificate.
#include "src/analyze/report.h"
#include "src/out/json.h"
#include "src/out/table.h"

static const char *const verdicts[] = {[SMB_PROVED] = "proved",
                                       [SMB_PROVED_FOR] = "proved for some",
                                       [SMB_NOT_FREE] = "not free",
                                       [SMB_PROOF_STOPPED] = "not proved"};

// The residues for which there are no conflicts: "n % 32 is 1, 3, 5".
static char *
tell_condition(const SmbAnalyzeReport *report, const SmbProvedSite *proved) {
  SmbParameter parameter = smb_program_parameter(report->target->kernel, proved->parameter);
  g_autoptr(GString) text = g_string_new(NULL);
  guint n = 0, first = 0, step = 1;
  for (guint r = proved->modulus; r-- > 0;) {
    n += proved->free[r];
    first = proved->free[r] ? r : first;
  }
  // all that are @first modulo @step
  step = proved->modulus / MAX(n, 1);
  gboolean is_even = step * n == proved->modulus && first < step;
  for (guint r = 0; r < proved->modulus; r++)
    is_even = is_even && proved->free[r] == (r % step == first);
  if (is_even) {
    g_string_printf(text, "%s %% %u is %u", parameter.name, step, first);
    return g_string_free(g_steal_pointer(&text), FALSE);
  }
  g_string_printf(text, "%s %% %u is", parameter.name, proved->modulus);
  for (guint r = 0, i = 0; r < proved->modulus; r++) {
    if (proved->free[r])
      g_string_append_printf(text, "%s %u", i++ ? "," : "", r);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

// What an access takes at most. Atomics conflict on one word, too, which is one way.
static char *
tell_most_ways(const SmbProvedSite *proved) {
  return proved->degree > 1 ? g_strdup_printf("%u-way", proved->degree)
                            : g_strdup("one wavefront for each lane, all on one word");
}

static char *
tell_site(const SmbAnalyzeReport *report, const SmbProvedSite *proved) {
  g_autofree char *ways = tell_most_ways(proved);
  g_autofree char *condition = NULL;
  switch (proved->verdict) {
  case SMB_PROVED:
    return g_strdup("free of conflicts");
  case SMB_PROVED_FOR:
    condition = tell_condition(report, proved);
    return g_strdup_printf("free of conflicts if %s; else up to %s", condition, ways);
  case SMB_NOT_FREE:
    return g_strdup_printf("at most %s", ways);
  case SMB_PROOF_STOPPED:
    return g_strdup_printf("not proved: %s", proved->reason);
  }
  g_assert_not_reached();
}

char *
smb_analyze_tell_unproved(const SmbAnalyzeReport *report, const SmbProvedSite *proved) {
  const SmbSite *site = smb_program_site(report->target->kernel, proved->site);
  g_autofree char *sentence = tell_site(report, proved);
  return proved->verdict == SMB_PROVED
             ? NULL
             : g_strdup_printf("the %s of %s is not proved to be free of conflicts for all "
                               "parameters: %s",
                               smb_op_class_name(site->op_class), site->expression,
                               proved->verdict == SMB_PROOF_STOPPED ? proved->reason : sentence);
}

char *
smb_analyze_tell_stop(const SmbKernelProof *proof) {
  return proof->stopped_at ? g_strdup_printf("%s: %s", proof->stopped_at, proof->stopped)
                           : g_strdup(proof->stopped);
}

void
smb_analyze_write_proof(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbKernelProof *proof = report->proof;
  if (!proof)
    return;
  const guint *block = report->target->launch.block;
  smb_spool_printf(cli->out, "\nProof, for every grid and all parameters, in blocks of %u,%u,%u:\n",
                   block[0], block[1], block[2]);
  for (guint i = 0; i < proof->sites->len; i++) {
    const SmbProvedSite *proved = proof->sites->pdata[i];
    const SmbSite *site = smb_program_site(report->target->kernel, proved->site);
    g_autofree char *sentence = tell_site(report, proved);
    g_autofree char *place = smb_site_place(site);
    smb_text_wrap_printf(cli->out, "  %s, %s of %s: %s", place, smb_op_class_name(site->op_class),
                         site->expression, sentence);
    if (report->examples->pdata[i])
      smb_spool_printf(cli->out, "    conflicts: %s\n", (const char *)report->examples->pdata[i]);
  }
  if (proof->stopped) {
    g_autofree char *why = smb_analyze_tell_stop(proof);
    smb_text_wrap_printf(cli->out, "  Nothing is proved: %s.", why);
  }
}

static void
write_site(JsonBuilder *json, const SmbAnalyzeReport *report, const SmbProvedSite *proved,
           const char *example) {
  const SmbSite *site = smb_program_site(report->target->kernel, proved->site);
  g_autofree char *condition =
      proved->verdict == SMB_PROVED_FOR ? tell_condition(report, proved) : NULL;
  smb_json_object(json, NULL);
  smb_json_number(json, "line", site->line);
  smb_json_number(json, "column", site->column);
  smb_json_text(json, "op", smb_op_class_name(site->op_class));
  smb_json_text(json, "expression", site->expression);
  smb_json_text(json, "verdict", verdicts[proved->verdict]);
  smb_json_text(json, "condition", condition);
  if (condition) {
    smb_json_text(json, "parameter",
                  smb_program_parameter(report->target->kernel, proved->parameter).name);
    smb_json_number(json, "modulus", proved->modulus);
    smb_json_array(json, "residues");
    for (guint r = 0; r < proved->modulus; r++) {
      if (proved->free[r])
        smb_json_number(json, NULL, r);
    }
    json_builder_end_array(json);
  }
  smb_json_text(json, "reason", proved->reason);
  smb_json_text(json, "counter_example", example);
  smb_json_number(json, "max_degree", proved->degree);
  json_builder_end_object(json);
}

static void
write_request(JsonBuilder *json, const SmbProvedRequest *request) {
  g_autofree char *mask = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)request->mask);
  smb_json_object(json, NULL);
  smb_json_number(json, "access", request->access);
  smb_json_text(json, "op", smb_op_name(request->op));
  smb_json_number(json, "width", request->width);
  smb_json_text(json, "mask", mask);
  smb_json_array(json, "residues");
  for (guint i = 0; request->names[i]; i++) {
    smb_json_object(json, NULL);
    smb_json_text(json, "name", request->names[i]);
    smb_json_number(json, "modulus", request->moduli[i]);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_strv(json, "lanes", (const char *const *)request->lanes);
  smb_json_number(json, "max_degree", request->degree);
  smb_json_number(json, "residues_with_conflicts", request->n_bad);
  json_builder_end_object(json);
}

// For which launches no access has conflicts: nothing if it is not known of any.
static void
write_launches(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const SmbKernelProof *proof = report->proof;
  SmbProofVerdict verdict = smb_kernel_proof_verdict(proof);
  smb_json_array(json, "holds_for");
  if (verdict <= SMB_PROVED_FOR) {
    smb_json_text(json, NULL, "every grid");
    smb_json_text(json, NULL, verdict == SMB_PROVED ? "all parameters" : "all other parameters");
  }
  for (guint i = 0; verdict == SMB_PROVED_FOR && i < proof->sites->len; i++) {
    const SmbProvedSite *proved = proof->sites->pdata[i];
    g_autofree char *condition = proved->free ? tell_condition(report, proved) : NULL;
    if (condition)
      smb_json_text(json, NULL, condition);
  }
  json_builder_end_array(json);
}

void
smb_analyze_json_proof(JsonBuilder *json, const SmbAnalyzeReport *report) {
  const SmbKernelProof *proof = report->proof;
  const guint *block = proof ? report->target->launch.block : NULL;
  if (!proof)
    return;
  g_autofree char *shape =
      g_strdup_printf("blocks of %u,%u,%u threads", block[0], block[1], block[2]);
  g_autofree char *stopped = proof->stopped ? smb_analyze_tell_stop(proof) : NULL;
  const char *const assumes[] = {shape, "threads of a warp are in the same iteration of a loop",
                                 "no access is out of bounds", NULL};
  smb_json_object(json, "proof");
  smb_json_text(json, "verdict", verdicts[smb_kernel_proof_verdict(proof)]);
  write_launches(json, report);
  smb_json_strv(json, "assumes", assumes);
  smb_json_text(json, "stopped", stopped);
  smb_json_array(json, "accesses");
  for (guint i = 0; i < proof->sites->len; i++)
    write_site(json, report, proof->sites->pdata[i], report->examples->pdata[i]);
  json_builder_end_array(json);
  smb_json_array(json, "certificate");
  for (guint i = 0; i < proof->requests->len; i++)
    write_request(json, proof->requests->pdata[i]);
  json_builder_end_array(json);
  json_builder_end_object(json);
}
