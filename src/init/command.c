// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// init FILE…: a first project file, of the kernels and launches that the files have.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "src/commands.h"
#include "src/init/existing.h"
#include "src/init/folder.h"
#include "src/init/section.h"
#include "src/init/seen.h"
#include "src/init/today.h"
#include "src/out/file.h"
#include "src/project/line.h"
#include "src/project/project.h"
#include "src/target/target.h"

enum {
  MAX_FILES = 1 << 16
};

static char *option_output;
static gboolean option_force, option_text;

static const GOptionEntry options[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
     "the project file (default: smembank.ini in this folder)", SMB_CLI_FILE},
    {"force", 0, 0, G_OPTION_ARG_NONE, &option_force,
     "add to a project file that exists the cases that it lacks", NULL},
    {SMB_TEXT_OPTION, 0, 0, G_OPTION_ARG_NONE, &option_text,
     "cases of texts have 'text = true': they are counted without nvcc, also where there is one",
     NULL},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .arguments = "FILE…",
    .description =
        "Writes a first project file: a case for each launch k<<<grid, block>>>(…) of a kernel in "
        "the FILEs, and for each kernel without one, of CUDA C, PTX or machine code. Lines "
        "'// smembank: OPTION…' come before launches. A FILE.cu with a main() is compiled and run, "
        "without a GPU: its launches are those that it makes. Values "
        "that are not known are left as comments to fill in. The other cases are counted, and "
        "limited to what they cost today.",
    .min_arguments = 1,
    .max_arguments = MAX_FILES,
    .example = "smembank init src/*.cu",
};

// What is read. @folder: of the project file; NULL: the current one; @compiled: (element-type SmbSource): files that are no CUDA C;
// @texts: (element-type utf8): the others; @folders: of files that include others, those that have them (element-type utf8 GStrv); @said: of files, what their lines say
// (element-type utf8 GPtrArray)
typedef struct {
  const char *folder;
  SmbHost *host;
  GPtrArray *compiled;
  GPtrArray *texts;
  GHashTable *folders;
  GHashTable *said;
} Reading;

// The cases that lines of a text say. Files in them are named as the project file names them.
static gboolean
read_init_lines(Reading *reading, const SmbSource *source, GError **error) {
  const char *file = smb_source_name(source);
  g_autofree char *path = reading->folder ? g_canonicalize_filename(file, NULL) : g_strdup(file);
  GPtrArray *said = smb_cases_in_text(path, smb_source_text(source), error);
  if (said)
    g_hash_table_replace(reading->said, g_strdup(file), said);
  return said != NULL;
}

static gboolean
read_init_text(SmbCli *cli, Reading *reading, SmbSource *source, GError **error) {
  const char *file = smb_source_name(source);
  char **folders = smb_init_folders(source);
  g_hash_table_replace(reading->folders, g_strdup(file), folders);
  if (!smb_host_read(reading->host, source, (const char *const *)folders, error) ||
      !read_init_lines(reading, source, error))
    return FALSE;
  g_auto(GStrv) included = smb_source_inputs(source);
  smb_files_read_all(cli->files, (const char *const *)included);
  g_ptr_array_add(reading->texts, g_strdup(file));
  return TRUE;
}

static gboolean
read_init_files(SmbCli *cli, Reading *reading, GError **error) {
  for (guint i = 0; i < cli->n_arguments; i++) {
    g_autoptr(SmbSource) source = smb_source_load_any(cli->arguments[i], error);
    const char *level = source ? smb_program_recognize(source) : NULL;
    if (!source)
      return FALSE;
    if (!level || strcmp(level, "text") != 0)
      g_ptr_array_add(reading->compiled, g_steal_pointer(&source));
    else if (!read_init_text(cli, reading, source, error))
      return FALSE;
  }
  for (guint i = 0; i < reading->texts->len; i++) {
    if (!smb_seen_read(cli, reading->host, reading->texts, i, reading->folders, error))
      return FALSE;
  }
  return TRUE;
}

// What all sections are counted for: HIP's architecture if nothing else is there.
static const char *
choose_arch(const SmbHost *host, gboolean has_compiled) {
  gboolean has_other = has_compiled || host->kernels->len == 0;
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = host->kernels->pdata[i];
    has_other |= !kernel->is_hip;
  }
  return has_other ? SMB_DEFAULT_ARCH : SMB_HIP_ARCH;
}

// @arch: (nullable): what the project is counted for, if that is said already
static SmbSections *
make_sections(SmbCli *cli, const char *folder, const char *arch, GError **error) {
  g_autoptr(SmbHost) host = smb_host_new();
  g_autoptr(GPtrArray) compiled = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  g_autoptr(GHashTable) folders =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_strfreev);
  g_autoptr(GHashTable) said =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  Reading reading = {folder, host, compiled, texts, folders, said};
  if (!read_init_files(cli, &reading, error))
    return NULL;
  g_autoptr(SmbSections) sections = smb_sections_new(
      arch ? arch : choose_arch(host, compiled->len > 0), folders, said, option_text);
  smb_sections_add_host(sections, host, folder);
  for (guint i = 0; i < compiled->len; i++) {
    g_autoptr(SmbEntries) entries = smb_entries_read(compiled->pdata[i], error);
    if (!entries)
      return NULL;
    smb_sections_add_entries(sections, host, smb_source_name(compiled->pdata[i]), entries, folder);
  }
  if (sections->list->len > 0)
    return g_steal_pointer(&sections);
  g_autofree char *list = smb_cli_list((const char *const *)cli->arguments, " and ");
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "no kernel in %s", list);
  return NULL;
}

static char *
make_project_text(const SmbExisting *existing, const SmbSections *sections) {
  return existing ? smb_existing_write(existing, sections) : smb_sections_write(sections);
}

static gboolean
write_project(SmbCli *cli, const SmbOutFile *out, const char *text, GError **error) {
  return smb_files_write(cli->files, out, text, strlen(text), error);
}

// Writes the project file, counts what it has as check does, and writes it with what that came to.
static gboolean
write_limited(SmbCli *cli, const SmbOutFile *out, const SmbExisting *existing,
              SmbSections *sections, SmbToday *today, GError **error) {
  const char *path = smb_out_file_path(out);
  g_autofree char *text = make_project_text(existing, sections);
  if (!write_project(cli, out, text, error) ||
      !smb_today_add(cli, path, text, sections, today, error))
    return FALSE;
  g_autofree char *limited = make_project_text(existing, sections);
  return write_project(cli, out, limited, error);
}

// Says how many sections have something, if there are some.
static void
say_number(SmbCli *cli, const char *what, guint n) {
  if (n > 0)
    smb_spool_printf(cli->out, "; %s: %u", what, n);
}

static void
say_written(SmbCli *cli, const char *path, const SmbExisting *existing, const SmbSections *sections,
            const SmbToday *today, const char *gone) {
  guint n_there = 0, n_open = 0;
  for (guint i = 0; i < sections->list->len; i++) {
    const SmbSection *section = sections->list->pdata[i];
    n_there += section->is_there;
    n_open += section->is_open && !section->is_there;
  }
  smb_spool_printf(cli->out, "%s: %s%s", path,
                   smb_count(sections->list->len - n_there, "case").text, existing ? " added" : "");
  say_number(cli, "limited to what they cost today", today->n_limited);
  say_number(cli, "to be filled in, as comments say", n_open);
  say_number(cli, "without a limit, as comments say", today->n_failed);
  if (existing)
    smb_spool_printf(cli->out, "; there already: %u", n_there);
  if (gone)
    smb_spool_printf(cli->out, "; kept, though their kernels are gone: %s", gone);
  smb_spool_puts(cli->out, "\n");
}

gboolean
smb_cmd_init(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  const char *path = option_output ? option_output : SMB_PROJECT_FILE;
  const SmbOutFile *out = smb_files_open(cli->files, "--output", path, error);
  if (!out)
    return FALSE;
  gboolean is_there = g_file_test(path, G_FILE_TEST_EXISTS);
  if (!option_force && is_there)
    return smb_cli_usage_error(
        error, "%s already exists: --force adds the cases that it lacks, and changes none", path);
  g_autoptr(SmbExisting) existing = is_there ? smb_existing_load(path, error) : NULL;
  if (is_there && !existing)
    return FALSE;
  g_autofree char *folder = g_path_get_dirname(path);
  g_autoptr(SmbSections) sections = make_sections(cli, strcmp(folder, ".") == 0 ? NULL : folder,
                                                  existing ? existing->arch : NULL, error);
  g_autofree char *gone = NULL;
  SmbToday today;
  if (!sections || (existing && !smb_existing_match(existing, sections, &gone, error)) ||
      !write_limited(cli, out, existing, sections, &today, error))
    return FALSE;
  say_written(cli, path, existing, sections, &today, gone);
  return TRUE;
}
