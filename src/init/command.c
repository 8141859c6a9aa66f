// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// init FILE…: a first project file, of the kernels and launches that the files have.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "src/commands.h"
#include "src/init/section.h"
#include "src/init/seen.h"
#include "src/out/file.h"
#include "src/project/project.h"

enum {
  MAX_FILES = 1 << 16
};

static char *option_output;
static gboolean option_force;

static const GOptionEntry options[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
     "the project file (default: smembank.ini in this folder)", SMB_CLI_FILE},
    {"force", 0, 0, G_OPTION_ARG_NONE, &option_force, "overwrite an existing project file", NULL},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .arguments = "FILE…",
    .description =
        "Writes a first project file: a case for each launch k<<<grid, block>>>(…) of a kernel in "
        "the FILEs, and for each kernel without one, of CUDA C, PTX or machine code. A FILE.cu "
        "with "
        "a main() is compiled and run, without a GPU: its launches are those that it makes. Values "
        "that are not known are left as comments to fill in.",
    .min_arguments = 1,
    .max_arguments = MAX_FILES,
    .example = "smembank init src/*.cu",
};

// Adds what the text says, of a file that is CUDA C; @compiled takes the others (element-type SmbSource).
static gboolean
read_init_files(SmbCli *cli, SmbHost *host, GPtrArray *compiled, GError **error) {
  for (guint i = 0; i < cli->n_arguments; i++) {
    g_autoptr(SmbSource) source = smb_source_load_any(cli->arguments[i], error);
    const char *level = source ? smb_program_recognize(source) : NULL;
    if (!source)
      return FALSE;
    if (!level || strcmp(level, "text") != 0)
      g_ptr_array_add(compiled, g_steal_pointer(&source));
    else if (!smb_host_read(host, source, error) ||
             !smb_seen_read(cli, host, cli->arguments[i], error))
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

static SmbSections *
make_sections(SmbCli *cli, const char *folder, GError **error) {
  g_autoptr(SmbHost) host = smb_host_new();
  g_autoptr(GPtrArray) compiled = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  if (!read_init_files(cli, host, compiled, error))
    return NULL;
  g_autoptr(SmbSections) sections = smb_sections_new(choose_arch(host, compiled->len > 0));
  smb_sections_add_host(sections, host, folder);
  for (guint i = 0; i < compiled->len; i++) {
    g_autoptr(SmbEntries) entries = smb_entries_read(compiled->pdata[i], error);
    if (!entries)
      return NULL;
    smb_sections_add_entries(sections, host, smb_source_name(compiled->pdata[i]), entries, folder);
  }
  if (sections->n > 0)
    return g_steal_pointer(&sections);
  g_autofree char *list = smb_cli_list((const char *const *)cli->arguments, " and ");
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "no kernel in %s", list);
  return NULL;
}

gboolean
smb_cmd_init(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  const char *path = option_output ? option_output : SMB_PROJECT_FILE;
  const SmbOutFile *out = smb_files_open(cli->files, "--output", path, error);
  if (!out)
    return FALSE;
  if (!option_force && g_file_test(path, G_FILE_TEST_EXISTS))
    return smb_cli_usage_error(error, "%s already exists: --force overwrites it", path);
  g_autofree char *folder = g_path_get_dirname(path);
  g_autoptr(SmbSections) sections =
      make_sections(cli, strcmp(folder, ".") == 0 ? NULL : folder, error);
  if (!sections ||
      !smb_files_write(cli->files, out, sections->text->str, sections->text->len, error))
    return FALSE;
  smb_spool_printf(cli->out, "%s: %s", path, smb_count(sections->n, "case").text);
  if (sections->n_open > 0)
    smb_spool_printf(cli->out, "; to be filled in, as comments say: %u", sections->n_open);
  smb_spool_puts(cli->out, "\n");
  return TRUE;
}
