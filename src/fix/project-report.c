// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// fix of all cases of a project as text, JSON and CSV: each case as it would be alone.
#include "src/analysis/warning.h"
#include "src/fix/project.h"
#include "src/out/json.h"
#include "src/out/table.h"

static void
write_fixed_case_error(SmbCli *cli, const SmbFixCase *one) {
  g_autofree char *placed = smb_cli_place_error(cli, one->error);
  if (placed)
    smb_spool_printf(cli->messages, "%-s (case %s)\n", placed, one->name);
  else
    smb_spool_printf(cli->messages, "smembank fix: case %s: %-s\n", one->name, one->error);
}

// What is not in the result: kernels without a case, cases that failed, and warnings.
static void
write_fix_project_messages(SmbCli *cli, const SmbFixProject *all) {
  for (guint i = 0; i < all->unmatched->len; i++) {
    const SmbProfileLaunch *launch = all->unmatched->pdata[i];
    smb_spool_printf(cli->messages, "%s:%u:1: note: no case of %s has the kernel '%s': it has %s\n",
                     all->file, launch->line, all->project->path, launch->kernel,
                     *all->known ? all->known : "none that can be read");
  }
  for (guint i = 0; i < all->broken->len; i++)
    write_fixed_case_error(cli, all->broken->pdata[i]);
  for (guint i = 0; i < all->cases->len; i++) {
    const SmbFixCase *one = all->cases->pdata[i];
    if (one->fix)
      smb_analyze_write_warnings(smb_fix_code(one->fix), one->fix->analysis, cli->messages);
    else
      write_fixed_case_error(cli, one);
  }
}

static void
write_fix_project_text(SmbCli *cli, gconstpointer result) {
  const SmbFixProject *all = result;
  for (guint i = 0; i < all->cases->len; i++) {
    const SmbFixCase *one = all->cases->pdata[i];
    const SmbFixResult alone = {one->fix, all->file, all->top};
    SmbCli view = *cli;
    view.arch = one->arch;
    if (!one->fix)
      continue;
    if (!smb_spool_is_empty(cli->out))
      smb_spool_puts(cli->out, "\n");
    g_autofree char *heading = g_strdup_printf("[%s]", one->name);
    smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, heading);
    smb_spool_puts(cli->out, "\n");
    smb_fix_write_text(&view, &alone);
  }
  write_fix_project_messages(cli, all);
}

static void
write_fixed_case(JsonBuilder *json, const SmbFixProject *all, const SmbFixCase *one) {
  smb_json_object(json, NULL);
  smb_json_text(json, "name", one->name);
  smb_json_text(json, "kernel", one->launch ? one->launch->kernel : NULL);
  if (smb_json_object_if(json, "result", one->fix != NULL)) {
    const SmbFixResult alone = {one->fix, all->file, all->top};
    smb_fix_json_members(json, &alone, one->arch);
    json_builder_end_object(json);
  }
  smb_json_text(json, "error", one->error);
  json_builder_end_object(json);
}

static void
write_fix_project_json(SmbCli *cli, gconstpointer result) {
  const SmbFixProject *all = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "project", all->project->path);
  smb_json_text(json, "profile", all->file);
  smb_json_array(json, "cases");
  for (guint i = 0; i < all->cases->len; i++)
    write_fixed_case(json, all, all->cases->pdata[i]);
  for (guint i = 0; i < all->broken->len; i++)
    write_fixed_case(json, all, all->broken->pdata[i]);
  json_builder_end_array(json);
  smb_json_array(json, "unmatched");
  for (guint i = 0; i < all->unmatched->len; i++)
    smb_json_text(json, NULL, ((const SmbProfileLaunch *)all->unmatched->pdata[i])->kernel);
  json_builder_end_array(json);
  smb_json_end(json, cli->out);
  write_fix_project_messages(cli, all);
}

static void
write_fix_project_csv(SmbCli *cli, gconstpointer result) {
  const SmbFixProject *all = result;
  SmbCsv csv = smb_csv_begin(cli->out, "case," SMB_FIX_COLUMNS);
  for (guint i = 0; i < all->cases->len; i++) {
    const SmbFixCase *one = all->cases->pdata[i];
    if (one->fix)
      smb_fix_csv_rows(&csv, one->fix, one->name);
  }
  write_fix_project_messages(cli, all);
}

const SmbFormat smb_fix_project_formats[] = {{"text", write_fix_project_text, NULL},
                                             {"json", write_fix_project_json, NULL},
                                             {"csv", write_fix_project_csv, NULL},
                                             {NULL, NULL, NULL}};
