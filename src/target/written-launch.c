// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/written-launch.h"

#include <string.h>

#include "sim/cuda/text/host.h"

void
smb_written_launch_free(SmbWrittenLaunch *launch) {
  if (!launch)
    return;
  g_free(launch->file);
  g_free(launch->block);
  g_free(launch->grid);
  g_free(launch->dynamic_bytes);
  g_strfreev(launch->args);
  g_strfreev(launch->all_args);
  g_free(launch);
}

// The kernel of a name, with its namespaces or without, or the only one there is. NULL: none, several, or a template
static const SmbHostKernel *
find_launched_kernel(const SmbHost *host, const char *entry) {
  const SmbHostKernel *found = NULL;
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = host->kernels->pdata[i];
    g_autofree char *whole = g_strconcat(kernel->space, kernel->name, NULL);
    if (entry && strcmp(entry, kernel->name) != 0 && strcmp(entry, whole) != 0)
      continue;
    if (found)
      return NULL;
    found = kernel;
  }
  return found && !found->is_template ? found : NULL;
}

// "32,8" (transfer full); NULL: it is no constant.
static char *
describe_written_extent(const SmbHost *host, const SmbHostLaunch *launch, const char *expression) {
  guint64 extent[3];
  if (!smb_host_extent(host, launch, expression, extent) || !extent[0] || !extent[1] || !extent[2])
    return NULL;
  GString *text = g_string_new(NULL);
  guint n = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i ? "," : "", extent[i]);
  return g_string_free(text, FALSE);
}

// Whether options say how many threads and bytes there are, what is launched instead, or what macros are; or give arguments by their numbers.
static gboolean
says_other_launch(const SmbTargetOptions *options) {
  for (guint i = 0; options->args && options->args[i]; i++) {
    if (g_ascii_isdigit(options->args[i][0]))
      return TRUE;
  }
  return options->block || options->grid || options->cluster || options->dynamic_bytes ||
         options->defines || options->instance || options->kernel || options->triton ||
         options->captured;
}

static gboolean
gives_parameter(const SmbTargetOptions *options, const char *name) {
  gsize length = strlen(name);
  for (guint i = 0; options->args && options->args[i]; i++) {
    if (strncmp(options->args[i], name, length) == 0 && options->args[i][length] == '=')
      return TRUE;
  }
  return FALSE;
}

static void
list_written_args(SmbWrittenLaunch *written, const SmbHost *host, const SmbHostKernel *kernel,
                  const SmbHostLaunch *launch, const SmbTargetOptions *options) {
  g_autoptr(GStrvBuilder) args = g_strv_builder_new(), all = g_strv_builder_new();
  for (guint i = 0; i < MIN(kernel->parameters->len, launch->arguments->len); i++) {
    const SmbHostParameter *parameter = kernel->parameters->pdata[i];
    if (parameter->is_pointer || gives_parameter(options, parameter->name))
      continue;
    g_autofree char *value =
        smb_host_constant(host, launch, launch->arguments->pdata[i], parameter->type);
    g_autofree char *arg = value ? g_strdup_printf("%s=%s", parameter->name, value) : NULL;
    if (arg)
      g_strv_builder_add(args, arg);
  }
  written->args = g_strv_builder_end(args);
  g_strv_builder_addv(all, (const char **)written->args);
  if (options->args)
    g_strv_builder_addv(all, (const char **)options->args);
  written->all_args = g_strv_builder_end(all);
}

static SmbWrittenLaunch *
make_written_launch(const SmbHost *host, const SmbHostKernel *kernel, const SmbHostLaunch *launch,
                    const SmbTargetOptions *options) {
  const GPtrArray *parts = launch->configuration;
  guint64 bytes = 0;
  if (parts->len < 2 || (parts->len > 2 && !smb_host_number(host, launch, parts->pdata[2], &bytes)))
    return NULL;
  g_autoptr(SmbWrittenLaunch) written = g_new0(SmbWrittenLaunch, 1);
  written->file = g_strdup(launch->file);
  written->line = launch->line;
  written->grid = describe_written_extent(host, launch, parts->pdata[0]);
  written->block = describe_written_extent(host, launch, parts->pdata[1]);
  written->dynamic_bytes = bytes ? g_strdup_printf("%" G_GUINT64_FORMAT, bytes) : NULL;
  list_written_args(written, host, kernel, launch, options);
  return written->grid && written->block ? g_steal_pointer(&written) : NULL;
}

SmbWrittenLaunch *
smb_written_launch_find(const char *file, const SmbTargetOptions *options) {
  if (says_other_launch(options) || !g_file_test(file, G_FILE_TEST_IS_REGULAR))
    return NULL;
  g_autoptr(SmbSource) source = smb_source_load_any(file, NULL);
  g_autoptr(SmbHost) host = smb_host_new();
  if (!source || g_strcmp0(smb_program_recognize(source), "text") != 0 ||
      !smb_host_read(host, source, (const char *const *)options->folders, NULL))
    return NULL;
  const SmbHostKernel *kernel = find_launched_kernel(host, options->entry);
  const GPtrArray *launches = kernel ? smb_host_launches(host, kernel->name) : NULL;
  return launches && launches->len == 1
             ? make_written_launch(host, kernel, launches->pdata[0], options)
             : NULL;
}

void
smb_written_launch_take(const SmbWrittenLaunch *launch, SmbTargetOptions *options) {
  options->block = launch->block;
  options->grid = launch->grid;
  options->dynamic_bytes = launch->dynamic_bytes;
  options->args = launch->all_args;
}

void
smb_written_launch_tell(SmbCli *cli, const SmbWrittenLaunch *launch) {
  g_autoptr(GString) words = g_string_new(NULL);
  g_string_printf(words, "--block %s --grid %s", launch->block, launch->grid);
  if (launch->dynamic_bytes)
    g_string_append_printf(words, " --dynamic-bytes %s", launch->dynamic_bytes);
  for (guint i = 0; launch->args[i]; i++)
    g_string_append_printf(words, " --arg %s", launch->args[i]);
  smb_spool_printf(cli->messages, "smembank %s: launched as line %u of %s says: %s\n", cli->command,
                   launch->line, launch->file, words->str);
}
