// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fuzz/fuzz.h"

#include <string.h>

#include "gpu/instruction.h"
#include "src/cli/cli.h"

static void
add_selected_instruction(GArray *selected, guint instruction) {
  for (guint i = 0; i < selected->len; i++) {
    if (g_array_index(selected, guint, i) == instruction)
      return;
  }
  g_array_append_val(selected, instruction);
}

// Adds what stands for an operation in a width; returns whether there is anything.
static gboolean
add_width(GArray *selected, SmbOp op, guint width) {
  guint instruction;
  if (!smb_op_has_width(op, width) || !smb_instruction_for(op, width, &instruction))
    return FALSE;
  add_selected_instruction(selected, instruction);
  return TRUE;
}

// The same in all widths.
static gboolean
add_operation(GArray *selected, SmbOp op) {
  gboolean found = FALSE;
  for (guint i = 0; i < SMB_N_WIDTHS; i++)
    found |= add_width(selected, op, smb_width(i));
  return found;
}

static void
add_operations(GArray *selected) {
  for (guint op = 0; op < SMB_N_OPS; op++)
    add_operation(selected, (SmbOp)op);
}

// "ld.16"
static gboolean
parse_wide(const char *name, SmbOp *op, guint *width) {
  const char *point = strrchr(name, '.');
  guint64 number;
  if (!point || !smb_op_parse(name, (gsize)(point - name), op) ||
      !g_ascii_string_to_unsigned(point + 1, 10, 1, SMB_MAX_WIDTH, &number, NULL))
    return FALSE;
  *width = (guint)number;
  return smb_op_has_width(*op, *width);
}

static gboolean
reject(const char *name, GError **error) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint op = 0; op < SMB_N_OPS; op++)
    g_string_append_printf(list, "%s, ", smb_op_name((SmbOp)op));
  return smb_cli_usage_error(
      error,
      "--op '%s': expected an operation (%sone of these with a width, such "
      "as ld.16), an instruction, such as atom.max.u32, or " SMB_FUZZ_ALL_INSTRUCTIONS,
      name, list->str);
}

static gboolean
add_named(GArray *selected, const char *name, GError **error) {
  SmbOp op;
  guint width, instruction;
  gboolean found;
  if (strcmp(name, SMB_FUZZ_ALL_INSTRUCTIONS) == 0) {
    for (guint i = 0; i < smb_instruction_count(); i++)
      add_selected_instruction(selected, i);
    return TRUE;
  }
  if (smb_op_parse(name, strlen(name), &op)) {
    found = add_operation(selected, op);
  } else if (smb_instruction_find(name, &instruction)) {
    add_selected_instruction(selected, instruction);
    found = TRUE;
  } else if (parse_wide(name, &op, &width)) {
    found = add_width(selected, op, width);
  } else {
    return reject(name, error);
  }
  return found || smb_cli_usage_error(error, "--op '%s': no instruction issues it", name);
}

GArray *
smb_fuzz_select(const char *const *names, GError **error) {
  g_autoptr(GArray) selected = g_array_new(FALSE, FALSE, sizeof(guint));
  if (!names)
    add_operations(selected);
  for (guint i = 0; names && names[i]; i++) {
    if (!add_named(selected, names[i], error))
      return NULL;
  }
  return g_steal_pointer(&selected);
}
