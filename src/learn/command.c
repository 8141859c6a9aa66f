// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// learn: a course on bank conflicts, whose every number is computed by the model as it is shown.
#include <unistd.h>

#include "src/commands.h"
#include "src/learn/session.h"
#include "src/learn/text.h"

static gboolean option_all, option_list;
static char *option_kernel;

static const GOptionEntry options[] = {
    {"all", 'a', 0, G_OPTION_ARG_NONE, &option_all,
     "write all steps with their answers, and ask nothing", NULL},
    {"list", 0, 0, G_OPTION_ARG_NONE, &option_list, "list the steps", NULL},
    {"kernel", 0, 0, G_OPTION_ARG_STRING, &option_kernel,
     "write the text of a kernel of the course", "NAME.cu"},
    G_OPTION_ENTRY_NULL,
};

static gboolean
write_lesson_kernel(SmbCli *cli, const char *name, GError **error) {
  g_autoptr(SmbSource) source = smb_lesson_kernel(name, error);
  if (!source)
    return FALSE;
  smb_spool_puts(cli->out, smb_source_text(source));
  return TRUE;
}

static void
write_titles(SmbCli *cli, const GPtrArray *course) {
  for (guint i = 0; i < course->len; i++) {
    const SmbLesson *lesson = course->pdata[i];
    smb_spool_printf(cli->out, "%2u  %s\n", i + 1, lesson->title);
  }
}

static gboolean
write_step(SmbCli *cli, const GPtrArray *course, guint number, GError **error) {
  g_autoptr(SmbLearnStep) step = smb_learn_step_new(course, number, error);
  gint64 answer;
  if (!step || !smb_learn_write_before(cli, step, error) ||
      !smb_learn_write_hint(cli, step, error) ||
      !smb_lesson_number(step->lesson, &step->lesson->answer, smb_learn_step_results(step), &answer,
                         error))
    return FALSE;
  smb_spool_printf(cli->out, "Answer: %" G_GINT64_FORMAT ".\n\n", answer);
  return smb_learn_write_after(cli, step, error);
}

static gboolean
write_all_lessons(SmbCli *cli, const GPtrArray *course, guint first, GError **error) {
  for (guint number = first; number <= course->len; number++) {
    if (!write_step(cli, course, number, error))
      return FALSE;
  }
  return TRUE;
}

static const SmbCliUsage usage = {
    .arguments = "[STEP]",
    .description =
        "A short course on bank conflicts: each step asks for a prediction, and shows what "
        "the model counts. Answers come from the terminal, or from a pipe, one a line. If "
        "the output is not a terminal and the input is one, all steps are written, as with "
        "--all.",
    .max_arguments = 1,
    .example = "smembank learn 3",
};

gboolean
smb_cmd_learn(SmbCli *cli, GError **error) {
  guint first = 1;
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  if ((option_all != 0) + (option_list != 0) + (option_kernel != NULL) > 1 ||
      ((option_list || option_kernel) && cli->n_arguments > 0))
    return smb_cli_usage_error(error, "expected one of --all, --list, --kernel, and a STEP with "
                                      "--all or alone");
  if (option_kernel)
    return write_lesson_kernel(cli, option_kernel, error);
  g_autoptr(GPtrArray) course = smb_lesson_load_course(error);
  if (!course || !smb_cli_number("STEP", cli->arguments[0], 1, course->len, &first, error))
    return FALSE;
  if (option_list)
    write_titles(cli, course);
  else if (option_all || (isatty(STDIN_FILENO) && !isatty(STDOUT_FILENO)))
    return write_all_lessons(cli, course, first, error);
  else
    return smb_learn_session_run(cli, course, first, error);
  return TRUE;
}
