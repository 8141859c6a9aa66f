// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/run.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/records/lesson.h"
#include "src/out/file.h"

void
smb_learn_run_free(SmbLearnRun *run) {
  if (!run)
    return;
  smb_analysis_free(run->analysis);
  smb_target_free(run->target);
  g_clear_pointer(&run->arch, smb_arch_unref);
  g_strfreev(run->words);
  g_free(run);
}

static SmbTarget *
make_target(const SmbTargetOptions *options, const char *file, gboolean is_course,
            const SmbArch *arch, GError **error) {
  if (!file || !is_course)
    return smb_target_new(options, file, arch, error);
  g_autoptr(SmbSource) source = smb_lesson_kernel(file, error);
  return source ? smb_target_new_from_source(options, source, arch, error) : NULL;
}

// Parses the words as analyze does, and takes the kernel and the architecture from them.
static gboolean
parse_words(SmbLearnRun *run, SmbCli *cli, GError **error) {
  static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, NULL};
  static const SmbCliUsage usage = {.arguments = "[FILE.cu]",
                                    .description = "",
                                    .max_arguments = 1,
                                    .flags = SMB_CLI_ARCH,
                                    .groups = groups};
  g_autoptr(GError) failure = NULL;
  if (smb_cli_parse(cli, &usage, NULL, &failure))
    run->target =
        make_target(smb_target_options(), cli->arguments[0], run->is_course, cli->arch, &failure);
  smb_target_clear_options();
  if (run->target)
    return TRUE;
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else
    smb_cli_usage_error(error, "--help cannot be used here");
  return FALSE;
}

SmbLearnRun *
smb_learn_run_new(const char *const *words, gboolean is_course, GError **error) {
  g_autoptr(SmbLearnRun) run = g_new0(SmbLearnRun, 1);
  run->words = g_strdupv((GStrv)words);
  run->is_course = is_course;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_strv_builder_add(builder, "analyze");
  g_strv_builder_addv(builder, (const char **)words);
  g_auto(GStrv) argv = g_strv_builder_end(builder);
  g_autoptr(SmbSpool) out = smb_spool_new();
  SmbCli cli = {.command = "analyze", .out = out, .argc = (int)g_strv_length(argv), .argv = argv};
  gboolean good = parse_words(run, &cli, error);
  run->arch = g_steal_pointer(&cli.arch);
  g_strfreev(cli.arguments);
  if (good)
    run->analysis = smb_target_analyze(run->target, run->arch, error);
  return run->analysis ? g_steal_pointer(&run) : NULL;
}

char *
smb_learn_run_command(const SmbLearnRun *run) {
  GString *line = g_string_new("smembank analyze");
  for (guint i = 0; run->words[i]; i++) {
    const char *word = run->words[i];
    gsize plain = strspn(word, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-+=.,/:%@");
    g_autofree char *quoted = word[plain] || !*word ? g_shell_quote(word) : g_strdup(word);
    g_string_append_printf(line, " %s", quoted);
  }
  return g_string_free(line, FALSE);
}

const char *
smb_learn_run_kernel(const SmbLearnRun *run) {
  const char *file = run->target->file;
  return run->is_course && !g_str_has_prefix(file, "data/kernels/") ? file : NULL;
}

const char *
smb_learn_run_option(const SmbLearnRun *run, const char *setting) {
  gsize length = strcspn(setting, "=");
  for (guint i = 0; i < smb_program_n_parameters(run->target->kernel); i++) {
    SmbParameter parameter = smb_program_parameter(run->target->kernel, i);
    if (strlen(parameter.name) == length && strncmp(parameter.name, setting, length) == 0)
      return "--arg";
  }
  return "-D";
}

gboolean
smb_learn_run_lacks(const SmbLearnRun *run, const char *setting) {
  g_autofree char *name = g_strndup(setting, strcspn(setting, "="));
  g_auto(GStrv) unused = smb_program_unused_defines(run->target->kernel);
  return g_strv_contains((const char *const *)unused, name);
}

// The text with a macro set: in its definition, or above the first line.
static char *
set_macro(const char *text, const char *define) {
  g_auto(GStrv) parts = g_strsplit(define, "=", 2);
  g_autofree char *pattern = g_strdup_printf("^(#define %s)\\b.*$", parts[0]);
  g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
  const char *value = parts[1] ? parts[1] : "1";
  if (!regex || !g_regex_match(regex, text, 0, NULL))
    return g_strdup_printf("#define %s %s\n%s", parts[0], value, text);
  g_autofree char *line = g_strdup_printf("#define %s %s", parts[0], value);
  return g_regex_replace_literal(regex, text, -1, 0, line, 0, NULL);
}

static void
add_extents(GStrvBuilder *words, const char *option, const guint extents[3]) {
  g_autofree char *text = extents[2] > 1
                              ? g_strdup_printf("%u,%u,%u", extents[0], extents[1], extents[2])
                          : extents[1] > 1 ? g_strdup_printf("%u,%u", extents[0], extents[1])
                                           : g_strdup_printf("%u", extents[0]);
  g_strv_builder_add_many(words, option, text, NULL);
}

// The bytes of dynamic memory: as the catalogue says it, since macros may change, or a number.
static char *
describe_dynamic_bytes(const SmbTarget *target) {
  g_autoptr(GPtrArray) catalog = target->shape ? smb_catalog_load(NULL) : NULL;
  const SmbCatalogEntry *entry =
      catalog ? smb_catalog_find(catalog, target->name, target->shape, NULL, NULL) : NULL;
  if (entry && entry->dynamic_bytes)
    return g_strdup(entry->dynamic_bytes);
  return g_strdup_printf("%" G_GSIZE_FORMAT, target->launch.dynamic_bytes);
}

// The words that launch a copy of the kernel as the run launches it.
static GStrv
launch_words(const SmbLearnRun *run, const char *path) {
  const SmbTarget *target = run->target;
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_strv_builder_add(words, path);
  add_extents(words, "--block", target->launch.block);
  if (target->launch.grid[0] * target->launch.grid[1] * target->launch.grid[2] > 1)
    add_extents(words, "--grid", target->launch.grid);
  for (guint i = 0; target->args[i]; i++)
    g_strv_builder_add_many(words, "--arg", target->args[i], NULL);
  for (guint i = 0; target->buffers[i]; i++)
    g_strv_builder_add_many(words, "--buffer", target->buffers[i], NULL);
  if (target->launch.dynamic_bytes > 0) {
    g_autofree char *bytes = describe_dynamic_bytes(target);
    g_strv_builder_add_many(words, "--dynamic-bytes", bytes, NULL);
  }
  if (strcmp(smb_arch_info(run->arch)->name, SMB_DEFAULT_ARCH) != 0)
    g_strv_builder_add_many(words, "--arch", smb_arch_info(run->arch)->name, NULL);
  return g_strv_builder_end(words);
}

char *
smb_learn_copy(const SmbLearnRun *run, const char *folder, GStrv *words, GError **error) {
  g_autofree char *base = g_path_get_basename(run->target->file);
  g_autofree char *path = g_build_filename(folder, base, NULL);
  g_autofree char *text = g_strdup(smb_source_text(smb_program_source(run->target->kernel)));
  for (guint i = 0; run->target->defines[i]; i++) {
    char *set = set_macro(text, run->target->defines[i]);
    g_free(text);
    text = set;
  }
  g_autoptr(SmbOutFile) copy = smb_out_file_new("copy", path, NULL, error);
  if (!copy || !smb_out_file_write(copy, text, strlen(text), error))
    return NULL;
  *words = launch_words(run, path);
  return g_steal_pointer(&path);
}
