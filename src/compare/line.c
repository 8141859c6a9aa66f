// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compare/line.h"

#include <string.h>

#include <glib/gstdio.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/source.h"
#include "src/analysis/launch-time.h"
#include "src/cli/words.h"
#include "src/project/line.h"
#include "src/target/target.h"

// Those of kernels, and all.
static const SmbCliGroup *const kernel_groups[] = {
    &smb_target_launch_group, &smb_target_limit_group, &smb_launch_time_group, NULL};
const SmbCliGroup *const smb_compare_groups[] = {&smb_target_launch_group, &smb_target_limit_group,
                                                 &smb_target_compiler_group, &smb_launch_time_group,
                                                 NULL};

#define PROJECT_WORD "--" SMB_PROJECT_OPTION "="

// The command, the options that the user gave, and what both sides have. @first, @project: (nullable)
static GStrv
make_line_words(const SmbCli *cli, const char *command, const GStrv first, const char *project,
                const char *file) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_auto(GStrv) own = smb_words_of_options(smb_compare_groups);
  gboolean is_check = strcmp(command, "check") == 0;
  g_autofree char *share =
      g_strdup_printf("--%s=%u", is_check ? "jobs" : "threads", MAX(1, g_get_num_processors() / 2));
  g_strv_builder_add_many(words, command, "--format=json", NULL);
  if (is_check || !smb_target_options()->threads)
    g_strv_builder_add(words, share);
  g_strv_builder_addv(words, (const char **)first);
  g_autofree char *arch = g_strconcat("--arch=", smb_arch_info(cli->arch)->name, NULL);
  if (cli->arch_named && !is_check)
    g_strv_builder_add(words, arch);
  for (guint i = 0; own[i]; i++) {
    if (!project || !g_str_has_prefix(own[i], PROJECT_WORD))
      g_strv_builder_add(words, own[i]);
  }
  g_autofree char *word = g_strconcat(PROJECT_WORD, project, NULL);
  if (project)
    g_strv_builder_add(words, word);
  if (file)
    g_strv_builder_add_many(words, "--", file, NULL);
  return g_strv_builder_end(words);
}

static const GStrv no_words = (char *[]){NULL};

void
smb_version_of_file(const SmbCli *cli, const char *path, SmbVersion *version) {
  version->name = g_strdup(path);
  if (!smb_version_is_result(path))
    version->words = make_line_words(cli, "analyze", no_words, NULL, path);
}

char *
smb_compare_find_option(const SmbCli *cli, gboolean project) {
  g_auto(GStrv) words = smb_words_of_options(kernel_groups);
  for (guint i = 0; words[i]; i++) {
    if (project || !g_str_has_prefix(words[i], PROJECT_WORD))
      return g_strndup(words[i], strcspn(words[i], "="));
  }
  return cli->arch_named ? g_strdup("--arch") : NULL;
}

gboolean
smb_compare_is_of_kernel(void) {
  const SmbTargetOptions *options = smb_target_options();
  return options->case_name || options->triton;
}

// A project file of a revision, seen from its top: the one that is named, or that is found. NULL: it has none (transfer full).
static char *
find_project(const SmbRepository *repository, const char *top, const char *named) {
  g_autofree char *below = g_strdup(repository->below);
  for (gsize length = strlen(below); !named; length--) {
    below[length] = '\0';
    g_autofree char *path = g_strconcat(below, SMB_PROJECT_FILE, NULL);
    g_autofree char *whole = g_build_filename(top, path, NULL);
    if ((length == 0 || below[length - 1] == '/') && g_file_test(whole, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer(&path);
    if (length == 0)
      return NULL;
  }
  g_autofree char *whole = g_build_filename(top, named, NULL);
  return g_file_test(whole, G_FILE_TEST_IS_REGULAR) ? g_strdup(named) : NULL;
}

// Whether the project file of a revision has the case that is asked for, or none is.
static gboolean
has_case(const SmbRepository *repository, const SmbVersion *version, const char *path,
         gboolean *has, GError **error) {
  const char *name = smb_target_options()->case_name;
  g_autofree char *whole = g_build_filename(version->top, path, NULL);
  g_autofree char *seen = smb_repository_see(repository, path);
  g_autoptr(GError) failure = NULL;
  *has = !name;
  if (!name)
    return TRUE;
  g_autoptr(GBytes) bytes = smb_source_read_bytes(whole, SMB_SOURCE_MAX_BYTES, error);
  if (!bytes)
    return FALSE;
  g_autoptr(SmbProject) project = smb_project_new_from_data(seen, g_bytes_get_data(bytes, NULL),
                                                            g_bytes_get_size(bytes), &failure);
  *has = project && smb_project_find(project, name, NULL);
  return project || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s (in %s)", failure->message,
                             version->name);
}

// Whether a part of a path below @top is a symbolic link: a revision may have one to any place.
static gboolean
has_link(const char *top, const char *path) {
  g_autofree char *whole = g_build_filename(top, path, NULL);
  for (char *at = whole + strlen(top) + 1; at; at = strchr(at + 1, '/')) {
    char *end = strchr(at + 1, '/');
    g_autofree char *part = g_strndup(whole, end ? (gsize)(end - whole) : strlen(whole));
    if (g_file_test(part, G_FILE_TEST_IS_SYMLINK))
      return TRUE;
  }
  return FALSE;
}

// Puts the project file of the working tree at its place in a revision (transfer full): its path, seen from the top.
static char *
put_project(const SmbRepository *repository, const char *top, GError **error) {
  const SmbTargetOptions *options = smb_target_options();
  g_autoptr(SmbProject) project = smb_project_load(options->project, error);
  if (!project || (options->case_name && !smb_project_find(project, options->case_name, error)))
    return NULL;
  g_autofree char *path = smb_repository_find(repository, project->path, error);
  g_autofree char *whole = path ? g_build_filename(top, path, NULL) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname(whole) : NULL;
  g_autoptr(GBytes) bytes =
      path ? smb_source_read_bytes(project->path, SMB_SOURCE_MAX_BYTES, error) : NULL;
  if (!bytes)
    return NULL;
  if (has_link(top, path)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "--git: a part of '%s' is a symbolic link in a revision that has no project file",
             path);
    return NULL;
  }
  g_mkdir_with_parents(folder, 0777); // if it cannot, the file cannot be written, either
  if (!g_file_set_contents(whole, g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes),
                           error))
    return NULL;
  return g_steal_pointer(&path);
}

// The project file that a revision is counted by, seen from the current folder (transfer full).
static char *
choose_project(const SmbRepository *repository, const SmbVersion *version, GError **error) {
  const char *option = smb_target_options()->project;
  g_autofree char *named = option ? smb_repository_find(repository, option, error) : NULL;
  if (option && !named)
    return NULL;
  gboolean has = FALSE;
  g_autofree char *path = find_project(repository, version->top, named);
  if (path && !has_case(repository, version, path, &has, error))
    return NULL;
  if (!has) {
    g_free(path);
    path = put_project(repository, version->top, error);
  }
  return path ? smb_repository_see(repository, path) : NULL;
}

// Whether the text of a kernel says how it is launched: that of the case which is asked for. What is wrong there is for those who run it.
static gboolean
has_line(const char *file, SmbCase **line) {
  const SmbTargetOptions *options = smb_target_options();
  g_autoptr(SmbCase) one = NULL;
  gboolean read = smb_case_in_source(file, options->case_name, options->entry, &one, NULL);
  gboolean has = one || !read;
  if (line)
    *line = g_steal_pointer(&one);
  return has;
}

// What the text of the working tree says of the launch, of what analyze takes (transfer full).
static GStrv
pick_line(const char *file) {
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_autoptr(SmbCase) line = NULL;
  has_line(file, &line);
  for (guint i = 0; line && line->words[i]; i++) {
    if (!g_str_has_prefix(line->words[i], "--array="))
      g_strv_builder_add(words, line->words[i]);
  }
  return g_strv_builder_end(words);
}

// @file: (nullable): seen from the current folder
static gboolean
set_words(const SmbCli *cli, const SmbRepository *repository, const char *file, SmbVersion *version,
          GError **error) {
  gboolean is_kernel = file || smb_compare_is_of_kernel();
  g_autofree char *there =
      version->top && file ? g_build_filename(version->folder, file, NULL) : NULL;
  gboolean says_launch = there && has_line(there, NULL);
  gboolean of_project =
      version->top && !says_launch && (!is_kernel || smb_target_options()->case_name);
  g_auto(GStrv) line = there && !says_launch && !of_project ? pick_line(file) : g_strdupv(no_words);
  g_autofree char *project = of_project ? choose_project(repository, version, error) : NULL;
  if (of_project && !project)
    return FALSE;
  version->words = make_line_words(cli, is_kernel ? "analyze" : "check", line, project, file);
  return TRUE;
}

gboolean
smb_version_of_revision(const SmbCli *cli, SmbRepository *repository, const char *name,
                        guint number, const char *file, SmbVersion *version, GError **error) {
  version->name = g_strdup(name ? name : "the working tree");
  g_autofree char *path = file ? smb_repository_find(repository, file, error) : NULL;
  if (file && !path)
    return FALSE;
  g_autofree char *seen =
      file && g_path_is_absolute(file) ? smb_repository_see(repository, path) : g_strdup(file);
  if (name && !(version->top = smb_repository_put(repository, name, number, error)))
    return FALSE;
  g_autofree char *here = name ? g_build_filename(version->top, repository->below, NULL) : NULL;
  version->folder = here ? g_canonicalize_filename(here, NULL) : NULL;
  version->above = g_strdup(repository->above);
  return set_words(cli, repository, seen, version, error);
}
