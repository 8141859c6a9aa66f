// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Numbers of a launch: as numbers, or as expressions over what the text of the kernel defines ("--block BDIMX,BDIMY",
// "--arg 'n=1<<20'").
#include <string.h>

#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/cuda/text/constant.h"
#include "sim/launch/argument.h"
#include "src/target/target-impl.h"

// The options that give extents, in the order of SmbTarget.extents, and their largest values.
static const struct {
  const char *option;
  guint max[3];
} extents[SMB_TARGET_EXTENTS] = {
    {"--block", SMB_MAX_BLOCK_EXTENT},
    {"--grid", SMB_MAX_GRID_EXTENT},
    {"--cluster", {SMB_MAX_CLUSTER_BLOCKS, SMB_MAX_CLUSTER_BLOCKS, SMB_MAX_CLUSTER_BLOCKS}},
};

// "BDIMX,8" and "4*8", but not "32,8" or "32x8".
static gboolean
is_expression(const char *text) {
  return strpbrk(text, "abcdefghijklmnopqrstuvwyz" G_CSET_A_2_Z "_+*/%<>()&|^~?!") != NULL;
}

static gboolean
take_extent(guint which, const char *text, guint extent[3], char **expression, GError **error) {
  if (!text || !is_expression(text))
    return smb_cli_triple(extents[which].option, text, extents[which].max, extent, error);
  *expression = g_strdup(text);
  return TRUE;
}

gboolean
smb_target_read_block(const SmbTargetOptions *options, guint block[3], char **expression,
                      GError **error) {
  return take_extent(0, options->block, block, expression, error);
}

gboolean
smb_target_parse_extents(const SmbTargetOptions *options, SmbTarget *target, GError **error) {
  const char *const texts[] = {options->block, options->grid, options->cluster};
  guint *const of[] = {target->launch.block, target->launch.grid, target->launch.cluster};
  for (guint i = 0; i < SMB_TARGET_EXTENTS; i++) {
    if (!take_extent(i, texts[i], of[i], &target->extents[i], error))
      return FALSE;
  }
  return TRUE;
}

// What is between commas that are in no brackets (transfer full).
static GStrv
split_numbers(const char *text) {
  g_autoptr(GStrvBuilder) parts = g_strv_builder_new();
  int nesting = 0;
  const char *start = text;
  for (const char *at = text;; at++) {
    nesting += (*at == '(') - (*at == ')');
    if (*at && (*at != ',' || nesting != 0))
      continue;
    g_autofree char *part = g_strndup(start, (gsize)(at - start));
    g_strv_builder_add(parts, part);
    start = at + 1;
    if (!*at)
      return g_strv_builder_end(parts);
  }
}

// What a text defines, or nothing: of compiled code.
static SmbSource *
choose_text(SmbSource *source) {
  if (g_strcmp0(smb_program_recognize(source), "text") == 0)
    return smb_source_ref(source);
  g_autoptr(GBytes) none = g_bytes_new_static("", 0);
  return smb_source_new(smb_source_name(source), none, NULL);
}

// What expressions are evaluated over. @evaluated: takes them
typedef struct {
  SmbSource *text;
  const SmbProgramOptions *reading;
  GPtrArray *evaluated;
} Constants;

static gboolean
evaluate_number(const Constants *constants, const char *expression, gint64 *value, GError **error) {
  g_ptr_array_add(constants->evaluated, g_strdup(expression));
  return smb_cuda_constant(constants->text, constants->reading, expression, value, error);
}

static gboolean
evaluate_extent(const Constants *constants, guint which, const char *text, guint extent[3],
                GError **error) {
  const char *option = extents[which].option;
  const guint *max = extents[which].max;
  g_auto(GStrv) parts = split_numbers(text);
  g_autoptr(GString) numbers = g_string_new(NULL);
  g_autoptr(GError) failure = NULL;
  for (guint i = 0; parts[i] && !failure; i++) {
    gint64 value;
    if (evaluate_number(constants, parts[i], &value, &failure))
      g_string_append_printf(numbers, "%s%" G_GINT64_FORMAT, i ? "," : "", value);
  }
  if (!failure && smb_cli_triple(option, numbers->str, max, extent, NULL))
    return TRUE;
  return smb_cli_usage_error(error,
                             "%s '%s': expected X, X,Y or X,Y,Z: whole numbers from 1 to %u, %u "
                             "and %u%s%s",
                             option, text, max[0], max[1], max[2], failure ? ": " : ", and it is ",
                             failure ? failure->message : numbers->str);
}

// Whether the VALUE of an argument is an expression: no number, no bytes, and nothing that says of which type it is.
static gboolean
is_argument_expression(const char *value) {
  char *end;
  g_ascii_strtod(value, &end);
  if ((end != value && !*end) || smb_argument_is_raw(value) || strchr(value, ':'))
    return FALSE;
  g_ascii_strtoull(value, &end, 0);
  return *value && *end && strcmp(value, "pointer") != 0;
}

static gboolean
evaluate_argument(const Constants *constants, char **argument, GError **error) {
  const char *equals = strchr(*argument, '=');
  gint64 value;
  if (!equals || !is_argument_expression(equals + 1))
    return TRUE;
  if (!evaluate_number(constants, equals + 1, &value, error)) {
    smb_prefix_error(error, "argument '%s': expected a number, raw:HEXBYTES or @FILE: ", *argument);
    return FALSE;
  }
  char *number =
      g_strdup_printf("%.*s=%" G_GINT64_FORMAT, (int)(equals - *argument), *argument, value);
  g_free(*argument);
  *argument = number;
  return TRUE;
}

GPtrArray *
smb_target_settle_numbers(SmbTarget *target, SmbSource *source, const SmbProgramOptions *reading,
                          GError **error) {
  guint *const of[] = {target->launch.block, target->launch.grid, target->launch.cluster};
  g_autoptr(SmbSource) text = choose_text(source);
  g_autoptr(GPtrArray) evaluated = g_ptr_array_new_with_free_func(g_free);
  const Constants constants = {text, reading, evaluated};
  for (guint i = 0; i < SMB_TARGET_EXTENTS; i++) {
    if (target->extents[i] && !evaluate_extent(&constants, i, target->extents[i], of[i], error))
      return NULL;
  }
  for (guint i = 0; target->args[i]; i++) {
    if (!evaluate_argument(&constants, &target->args[i], error))
      return NULL;
  }
  return g_steal_pointer(&evaluated);
}

gboolean
smb_target_settle_bytes(SmbTarget *target, SmbSource *source, const SmbProgramOptions *reading,
                        const SmbArch *arch, GError **error) {
  gint64 bytes = (gint64)MIN(target->launch.dynamic_bytes, G_MAXINT64);
  gboolean is_text = target->kernel && strcmp(smb_program_level(target->kernel), "text") == 0;
  g_autoptr(SmbSource) text = is_text ? NULL : choose_text(source);
  if (target->dynamic_bytes &&
      !(is_text ? smb_program_evaluate(target->kernel, target->dynamic_bytes, &bytes, error)
                : smb_cuda_constant(text, reading, target->dynamic_bytes, &bytes, error))) {
    smb_prefix_error(error, "--dynamic-bytes ");
    return FALSE;
  }
  if (bytes < 0 || bytes > G_MAXINT32) {
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, bytes);
    return smb_cli_usage_error(error,
                               smb_arch_say(arch,
                                            "--dynamic-bytes '%s': %s bytes: expected at least "
                                            "0, and no more than a block has"),
                               target->dynamic_bytes ? target->dynamic_bytes : number, number);
  }
  target->launch.dynamic_bytes = (gsize)bytes;
  return TRUE;
}
