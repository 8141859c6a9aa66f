// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/init/today.h"

#include <string.h>

#include "sim/base/text.h"
#include "src/check/check.h"
#include "src/cli/words.h"
#include "src/project/project.h"

// A limit that every count keeps: it fails only if the count is not certain.
static const char *const any_count[] = {"--max-excess=9223372036854775807", NULL};

// Why no limit can be set, on one line (transfer full); NULL: one can.
static char *
describe_obstacle(const SmbChecked *checked) {
  const char *reason = checked->error;
  for (guint i = 0; checked->verdict == SMB_VERDICT_FAILED && checked->messages[i]; i++)
    reason = strstr(checked->messages[i], "--max-excess") ? checked->messages[i] : reason;
  g_autofree char *first = reason ? g_strndup(reason, strcspn(reason, "\n")) : NULL;
  return first ? smb_text_show_line(first) : NULL;
}

// What check judges here is limited. Where there is no nvcc, it judges the text.
static void
add_today_limit(SmbSection *section, const SmbChecked *checked, SmbToday *today) {
  SmbCheckedCosts costs;
  g_autofree char *obstacle = describe_obstacle(checked);
  if (!obstacle && smb_checked_costs(checked, &costs)) {
    g_string_append_printf(section->text, "max-excess = %" G_GUINT64_FORMAT "\n", costs.excess);
    if (costs.text_excess > costs.excess)
      g_string_append_printf(
          section->text, "# of what nvcc makes of it; the text alone has %" G_GUINT64_FORMAT "\n",
          costs.text_excess);
    today->n_limited++;
  } else {
    g_string_append_printf(section->text, "# max-excess = ?  (%s)\n", obstacle);
    today->n_failed++;
  }
}

gboolean
smb_today_add(SmbCli *cli, const char *path, const char *text, SmbSections *sections,
              SmbToday *today, GError **error) {
  *today = (SmbToday){0, 0};
  g_autoptr(SmbProject) project = smb_project_new_from_data(path, text, strlen(text), error);
  g_autoptr(GPtrArray) cases = g_ptr_array_new(), counted = g_ptr_array_new();
  if (!project)
    return FALSE;
  for (guint i = 0; i < sections->list->len; i++) {
    SmbSection *section = sections->list->pdata[i];
    const SmbCase *one = section->is_there || section->is_open
                             ? NULL
                             : smb_project_find(project, section->name, NULL);
    // What the text of a kernel allows is its limit.
    if (!one || smb_words_find((const char *const *)one->words + one->n_every, "max-excess"))
      continue;
    g_ptr_array_add(cases, (gpointer)one);
    g_ptr_array_add(counted, section);
  }
  g_autoptr(SmbCheck) check =
      smb_check_run(project, cases, g_get_num_processors(), any_count, NULL, smb_cli_progress(cli));
  for (guint i = 0; i < counted->len; i++)
    add_today_limit(counted->pdata[i], check->cases->pdata[i], today);
  return TRUE;
}
