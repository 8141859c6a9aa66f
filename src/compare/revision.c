// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compare/revision.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "src/cli/cli.h"

enum {
  MAX_SECONDS = 600,    // that git may take for one thing
  STATUS_MISSING = 127, // of a shell that finds no such program
};

// What git writes goes to the file $1, apart from what it complains of.
static const char query_script[] = "out=$1; shift; exec git \"$@\" >\"$out\"";

// The tree of the commit $2 is put into the folder $1, by an index of our own. From the top: git puts only what is below.
static const char put_script[] =
    "cd -- \"$3\" && export GIT_INDEX_FILE=\"$1.index\" && git read-tree \"$2\" && "
    "git checkout-index --all --quiet --prefix=\"$1/\"";

void
smb_repository_free(SmbRepository *repository) {
  if (!repository)
    return;
  g_clear_pointer(&repository->workshop, smb_workshop_free);
  g_free(repository->top);
  g_free(repository->below);
  g_free(repository->above);
  g_free(repository);
}

// The first line of what git complains of, without its "fatal: ".
static char *
describe_git_failure(const SmbWorkshopRun *run) {
  if (run->is_late)
    return g_strdup_printf("git took more than %d seconds", MAX_SECONDS);
  static const char fatal[] = "fatal: ";
  const char *text = strstr(run->output->str, fatal);
  text = text ? text + strlen(fatal) : run->output->str;
  char *line = g_strndup(text, strcspn(text, "\n"));
  return *line ? line : (g_free(line), g_strdup("git failed"));
}

// Runs a script. @code: of the error if git refuses what it is asked
static gboolean
run_script(SmbRepository *repository, const char *const *words, int code, GError **error) {
  g_auto(SmbWorkshopRun) run = {0};
  if (!smb_workshop_run(repository->workshop, words, MAX_SECONDS, &run, error))
    return FALSE;
  if (!run.is_late && run.status == 0)
    return TRUE;
  if (!run.is_late && WIFEXITED(run.status) && WEXITSTATUS(run.status) == STATUS_MISSING)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "--git needs the program git, which is not installed");
  g_autofree char *reason = describe_git_failure(&run);
  return smb_fail(error, SMB_ERROR, code, "--git: %s", reason);
}

// What git answers, line by line (transfer full).
static GStrv
ask_git(SmbRepository *repository, const char *const *words, GError **error) {
  g_autofree char *path =
      g_build_filename(smb_workshop_folder(repository->workshop), "answer", NULL);
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  const char *const begin[] = {"/bin/sh", "-c", query_script, "sh", path};
  for (guint i = 0; i < G_N_ELEMENTS(begin); i++)
    g_ptr_array_add(all, (gpointer)begin[i]);
  for (guint i = 0; i == 0 || words[i - 1]; i++)
    g_ptr_array_add(all, (gpointer)words[i]);
  if (!run_script(repository, (const char *const *)all->pdata, SMB_ERROR_USAGE, error))
    return NULL;
  g_autoptr(GBytes) answer = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, error);
  g_autofree char *text =
      answer ? g_strndup(g_bytes_get_data(answer, NULL), g_bytes_get_size(answer)) : NULL;
  return text ? g_strsplit(text, "\n", -1) : NULL;
}

SmbRepository *
smb_repository_open(GError **error) {
  static const char *const words[] = {"rev-parse", "--show-toplevel", "--show-prefix",
                                      "--show-cdup", NULL};
  g_autoptr(SmbRepository) repository = g_new0(SmbRepository, 1);
  repository->workshop = smb_workshop_new("git", error);
  g_auto(GStrv) lines = repository->workshop ? ask_git(repository, words, error) : NULL;
  if (!lines)
    return NULL;
  if (g_strv_length(lines) < 3) {
    smb_cli_usage_error(error, "--git: this folder is not in a working tree of git");
    return NULL;
  }
  repository->top = g_strdup(lines[0]);
  repository->below = g_strdup(lines[1]);
  repository->above = g_strdup(lines[2]);
  return g_steal_pointer(&repository);
}

// Whether there is a commit of that name.
static gboolean
check_name(SmbRepository *repository, const char *name, GError **error) {
  g_autofree char *commit = g_strconcat(name, "^{commit}", NULL);
  const char *const words[] = {"rev-parse", "--quiet", "--verify", commit, NULL};
  if (*name == '-')
    return smb_cli_usage_error(error, "--git: expected revisions, A..B, not '%s'", name);
  g_autoptr(GError) failure = NULL;
  g_auto(GStrv) lines = ask_git(repository, words, &failure);
  return lines ||
         smb_cli_usage_error(error, "--git: no revision '%s' in %s", name, repository->top);
}

gboolean
smb_repository_range(SmbRepository *repository, const char *range, char *names[2], GError **error) {
  const char *dots = strstr(range, "..");
  gboolean from_base = dots && dots[2] == '.';
  g_autofree char *old = dots ? g_strndup(range, (gsize)(dots - range)) : g_strdup(range);
  g_autofree char *new = dots ? g_strdup(dots + (from_base ? 3 : 2)) : NULL;
  const char *first = *old ? old : "HEAD", *second = new && !*new ? "HEAD" : new;
  if (!check_name(repository, first, error) || (second && !check_name(repository, second, error)))
    return FALSE;
  const char *const words[] = {"merge-base", first, second, NULL};
  g_auto(GStrv) base = from_base ? ask_git(repository, words, error) : NULL;
  if (from_base && !base)
    return FALSE;
  names[0] = g_strdup(base ? base[0] : first);
  names[1] = g_strdup(second);
  return TRUE;
}

char *
smb_repository_put(SmbRepository *repository, const char *name, guint number, GError **error) {
  g_autofree char *folder =
      g_strdup_printf("%s/%u", smb_workshop_folder(repository->workshop), number);
  g_autofree char *tree = g_strconcat(name, "^{tree}", NULL);
  g_autofree char *here = g_build_filename(folder, repository->below, NULL);
  const char *const words[] = {"/bin/sh", "-c", put_script,      "sh",
                               folder,    tree, repository->top, NULL};
  if (!run_script(repository, words, SMB_ERROR_INPUT, error))
    return NULL;
  // The revision may not have the current folder; what is looked for there is missing then.
  if (g_mkdir_with_parents(here, 0777) != 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "--git: %s has no folder %s", name,
             repository->below);
    return NULL;
  }
  return g_steal_pointer(&folder);
}

char *
smb_repository_find(const SmbRepository *repository, const char *path, GError **error) {
  g_autofree char *here = g_build_filename(repository->top, repository->below, NULL);
  g_autofree char *top = g_strconcat(repository->top, "/", NULL);
  // git names the folder without symbolic links; a file that is gone has none.
  g_autofree char *real = g_path_is_absolute(path) ? realpath(path, NULL) : NULL;
  g_autofree char *whole = real ? g_strdup(real) : g_canonicalize_filename(path, here);
  if (g_str_has_prefix(whole, top))
    return g_strdup(whole + strlen(top));
  smb_cli_usage_error(error, "--git: %s is outside the repository %s", path, repository->top);
  return NULL;
}

char *
smb_repository_see(const SmbRepository *repository, const char *path) {
  return g_str_has_prefix(path, repository->below) ? g_strdup(path + strlen(repository->below))
                                                   : g_strconcat(repository->above, path, NULL);
}
