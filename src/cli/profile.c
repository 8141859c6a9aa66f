// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/profile.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/program/symbol.h"

char *
smb_profile_opcode(const char *text) {
  if (*text == '@')
    text += strcspn(text, " ");
  text += strspn(text, " ");
  return g_strndup(text, strcspn(text, " ;"));
}

// Where the code of a launch is another one than that of the kernel; -1: nowhere. What is behind its end only fills it up.
static gint64
find_difference(const SmbProfileLaunch *launch, const GPtrArray *code) {
  guint n = launch->instructions->len;
  for (guint i = 0; i < MAX(n, code->len); i++) {
    const SmbCodeLine *own = i < code->len ? g_ptr_array_index(code, i) : NULL;
    const SmbProfileInstruction *other =
        i < n ? &g_array_index(launch->instructions, SmbProfileInstruction, i) : NULL;
    g_autofree char *a = smb_profile_opcode(own ? own->text : "NOP");
    g_autofree char *b = smb_profile_opcode(other ? other->text : "NOP");
    if (strcmp(a, b) != 0 || (own && other && own->pc != other->pc))
      return i;
  }
  return -1;
}

static gboolean
fail_name(const SmbTarget *target, const SmbProfile *profile, const char *file, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < profile->launches->len; i++) {
    const SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    if (g_hash_table_add(seen, (gpointer)launch->kernel))
      g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", launch->kernel);
  }
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no launch of '%s': it has %s", file,
                  target->name, names->str);
}

static gboolean
fail_code(const SmbTarget *target, const SmbProfileLaunch *launch, const char *file,
          const GPtrArray *code, gint64 at, GError **error) {
  const SmbCodeLine *own = at < code->len ? g_ptr_array_index(code, (guint)at) : NULL;
  const SmbProfileInstruction *other =
      at < launch->instructions->len
          ? &g_array_index(launch->instructions, SmbProfileInstruction, at)
          : NULL;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "%s:%u: other code than that of %s: its instruction %" G_GINT64_FORMAT
                  " is '%s', not '%s': it is of another build, or for another architecture",
                  file, launch->line, target->file, at, other ? other->text : "behind its end",
                  own ? own->text : "behind its end");
}

gboolean
smb_target_is_measured(const SmbTarget *target, const SmbProfileLaunch *launch) {
  // Of an overloaded function it is mangled.
  g_autofree char *name = smb_symbol_demangle(target->name, FALSE);
  return smb_profile_is_of(launch, name);
}

const SmbProfileLaunch *
smb_target_find_profile(const SmbTarget *target, const SmbProfile *profile, const char *file,
                        guint number, GError **error) {
  g_autoptr(GPtrArray) code = smb_program_instructions(target->kernel);
  if (!code) {
    smb_cli_usage_error(error, "ncu measures machine code: %s is %s (--nvcc '' compiles CUDA C)",
                        target->file, smb_program_level(target->kernel));
    return NULL;
  }
  g_autoptr(GPtrArray) named = g_ptr_array_new(), fitting = g_ptr_array_new();
  gboolean differ = FALSE;
  for (guint i = 0; i < profile->launches->len; i++) {
    SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    if (!smb_target_is_measured(target, launch))
      continue;
    g_ptr_array_add(named, launch);
    if (find_difference(launch, code) < 0)
      g_ptr_array_add(fitting, launch);
  }
  for (guint i = 1; i < fitting->len; i++)
    differ = differ ||
             !smb_profile_is_equal(g_ptr_array_index(fitting, 0), g_ptr_array_index(fitting, i));
  if (named->len == 0)
    fail_name(target, profile, file, error);
  else if (fitting->len == 0)
    fail_code(target, g_ptr_array_index(named, 0), file, code,
              find_difference(g_ptr_array_index(named, 0), code), error);
  else if (number > fitting->len)
    smb_cli_usage_error(error, "--ncu-launch %u: %s has %u launches of '%s'", number, file,
                        fitting->len, target->name);
  else if (number == 0 && differ)
    smb_cli_usage_error(error,
                        "%s has %u launches of '%s', with different counts: choose one with "
                        "--ncu-launch",
                        file, fitting->len, target->name);
  else
    return g_ptr_array_index(fitting, MAX(number, 1) - 1);
  return NULL;
}
