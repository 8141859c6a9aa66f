// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/target/profile.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/measured/kernel-name.h"
#include "sim/program/entry.h"

char *
smb_profile_opcode(const char *text) {
  if (*text == '@')
    text += strcspn(text, " ");
  text += strspn(text, " ");
  return g_strndup(text, strcspn(text, " ;"));
}

// The whole numbers among the operands of an instruction, "0x44" and "-0x8": gint64 (transfer full).
static GArray *
find_profile_numbers(const char *text) {
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
  for (const char *at = strstr(text, "0x"); at; at = strstr(at, "0x")) {
    gboolean is_negative = at > text && at[-1] == '-';
    char *end = NULL;
    gint64 number = (gint64)(g_ascii_strtoull(at, &end, 16) & G_MAXINT64);
    number = is_negative ? -number : number;
    g_array_append_val(numbers, number);
    at = end > at + 2 ? end : at + 2;
  }
  return numbers;
}

// Of what jumps, ncu writes where the code was in the memory of the device.
static gboolean
has_place(const char *opcode) {
  static const char *const names[] = {"BRA", "BRX",  "BRXU",  "JMP",   "JMX",      "JMXU", "CALL",
                                      "RET", "BSSY", "BREAK", "BSYNC", "WARPSYNC", "LEPC"};
  g_autofree char *name = g_strndup(opcode, strcspn(opcode, "."));
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(name, names[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

// Whether two instructions with the same opcode may be the same: versions of disassemblers write registers in other ways and in
// another order, but the same numbers. A zero may stand for an address that is filled in when the code is loaded.
static gboolean
have_same_numbers(const char *own, const char *other) {
  g_autoptr(GArray) numbers = find_profile_numbers(own), others = find_profile_numbers(other);
  guint n_zeros = 0, n_left = 0;
  for (guint i = 0; i < numbers->len; i++) {
    gint64 number = g_array_index(numbers, gint64, i);
    guint at = 0;
    while (at < others->len && g_array_index(others, gint64, at) != number)
      at++;
    n_zeros += number == 0;
    if (at < others->len)
      g_array_remove_index_fast(others, at);
    else if (number != 0)
      return FALSE;
  }
  for (guint i = 0; i < others->len; i++)
    n_left += g_array_index(others, gint64, i) != 0;
  return n_left <= n_zeros;
}

static gboolean
is_same_kernel(const char *own, const char *other) {
  g_autofree char *a = smb_profile_opcode(own), *b = smb_profile_opcode(other);
  return strcmp(a, b) == 0 && (has_place(a) || have_same_numbers(own, other));
}

// Where the code of a launch is another one than that of the kernel; -1: nowhere. What is after its end only fills it up.
static gint64
find_launch_difference(const SmbProfileLaunch *launch, const GPtrArray *code) {
  guint n = launch->instructions->len;
  for (guint i = 0; i < MAX(n, code->len); i++) {
    const SmbCodeLine *own = i < code->len ? g_ptr_array_index(code, i) : NULL;
    const SmbProfileInstruction *other =
        i < n ? &g_array_index(launch->instructions, SmbProfileInstruction, i) : NULL;
    if (!is_same_kernel(own ? own->text : "NOP", other ? other->text : "NOP") ||
        (own && other && own->pc != other->pc))
      return i;
  }
  return -1;
}

// @kernels: (element-type utf8): that the file has
static gboolean
fail_name(const SmbTarget *target, const GPtrArray *kernels, const char *file, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < kernels->len; i++) {
    if (g_hash_table_add(seen, kernels->pdata[i]))
      g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", (char *)kernels->pdata[i]);
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
                  "%s:%u:1: not the code of %s: its instruction %" G_GINT64_FORMAT
                  " is '%s', not '%s': another build, or another architecture",
                  file, launch->line, target->file, at, other ? other->text : "beyond its end",
                  own ? own->text : "beyond its end");
}

// Whether no other kernel of the code that the target is of has the base name @base.
static gboolean
is_only_profile(const SmbTarget *target, const char *base) {
  g_autoptr(GBytes) code = smb_program_device_code(target->kernel);
  g_autoptr(SmbSource) source = code ? smb_source_new_any(target->file, code, NULL) : NULL;
  g_autoptr(SmbEntries) kernels = source ? smb_entries_read(source, NULL) : NULL;
  guint n = 0;
  for (guint i = 0; kernels && i < kernels->entries->len; i++) {
    const SmbEntry *kernel = g_ptr_array_index(kernels->entries, i);
    n += smb_kernel_name_compare(base, kernel->symbol) != SMB_NAME_OTHER;
  }
  return n == 1;
}

gboolean
smb_target_is_measured(const SmbTarget *target, const char *kernel) {
  const char *symbol = smb_program_symbol(target->kernel);
  SmbNameMatch match = smb_kernel_name_compare(kernel, symbol ? symbol : target->name);
  // The name of a text has no parameters.
  gboolean is_text = strcmp(smb_program_level(target->kernel), "text") == 0;
  return match == SMB_NAME_SAME ||
         (match == SMB_NAME_BASE && (is_text || is_only_profile(target, kernel)));
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
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  gboolean differ = FALSE;
  for (guint i = 0; i < profile->launches->len; i++) {
    SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    g_ptr_array_add(names, (gpointer)launch->kernel);
    if (!smb_target_is_measured(target, launch->kernel))
      continue;
    g_ptr_array_add(named, launch);
    if (find_launch_difference(launch, code) < 0)
      g_ptr_array_add(fitting, launch);
  }
  for (guint i = 1; i < fitting->len; i++)
    differ = differ ||
             !smb_profile_is_equal(g_ptr_array_index(fitting, 0), g_ptr_array_index(fitting, i));
  if (named->len == 0)
    fail_name(target, names, file, error);
  else if (fitting->len == 0)
    fail_code(target, g_ptr_array_index(named, 0), file, code,
              find_launch_difference(g_ptr_array_index(named, 0), code), error);
  else if (number > fitting->len && !(profile->is_doubled && fitting->len == 1 && number == 2))
    smb_cli_usage_error(error, "--ncu-launch %u: %s has %s of '%s'", number, file,
                        smb_count(fitting->len, "launch").text, target->name);
  else if (number == 0 && differ)
    smb_cli_usage_error(error,
                        "%s has %u launches of '%s', with different counts: choose one with "
                        "--ncu-launch",
                        file, fitting->len, target->name);
  else
    return g_ptr_array_index(fitting, CLAMP(number, 1, fitting->len) - 1);
  return NULL;
}

// Whether an extent of the target is the one that was measured. One that was not given becomes that.
static gboolean
profiles_agree(gboolean *is_assumed, guint own[3], const guint measured[3]) {
  if (measured[0] && *is_assumed)
    memcpy(own, measured, 3 * sizeof *own);
  *is_assumed = *is_assumed && !measured[0];
  return !measured[0] || memcmp(own, measured, 3 * sizeof *own) == 0;
}

static gboolean
check_shape(SmbTarget *target, const SmbMeasuredLaunch *launch, const char *file, GError **error) {
  gboolean is_block = profiles_agree(&target->assumes_block, target->launch.block, launch->block);
  gboolean is_grid = profiles_agree(&target->assumes_grid, target->launch.grid, launch->grid);
  return (is_block && is_grid) ||
         smb_cli_usage_error(error,
                             "%s:%u:1: '%s' was measured with --grid %u,%u,%u --block %u,%u,%u",
                             file, launch->line, launch->kernel, launch->grid[0], launch->grid[1],
                             launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
}

const SmbMeasuredLaunch *
smb_target_find_metrics(SmbTarget *target, const SmbKernelMetrics *metrics, const char *file,
                        guint number, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new(), found = g_ptr_array_new();
  gboolean differ = FALSE;
  for (guint i = 0; i < metrics->launches->len; i++) {
    SmbMeasuredLaunch *launch = g_ptr_array_index(metrics->launches, i);
    g_ptr_array_add(names, (gpointer)launch->kernel);
    if (!smb_target_is_measured(target, launch->kernel))
      continue;
    differ = differ || (found->len > 0 && !smb_measured_launch_is_equal(found->pdata[0], launch));
    g_ptr_array_add(found, launch);
  }
  if (found->len == 0)
    fail_name(target, names, file, error);
  else if (number > found->len)
    smb_cli_usage_error(error, "--ncu-launch %u: %s has %s of '%s'", number, file,
                        smb_count(found->len, "launch").text, target->name);
  else if (number == 0 && differ)
    smb_cli_usage_error(error,
                        "%s has %u launches of '%s', with different counts: choose one with "
                        "--ncu-launch",
                        file, found->len, target->name);
  else if (check_shape(target, found->pdata[MAX(number, 1) - 1], file, error))
    return found->pdata[MAX(number, 1) - 1];
  return NULL;
}
