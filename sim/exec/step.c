// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a step says of itself, and as text.
#include "sim/exec/step.h"

#include <string.h>

#include "sim/exec/code.h"

gboolean
smb_transfer_has_result(const Transfer *transfer) {
  if (transfer->move.atomic == ATOMIC_CAS)
    return TRUE;
  for (guint c = 0; c < transfer->n_components; c++) {
    if (transfer->data[c] != NO_ROW)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_atomic_is_commutative(const Move *move) {
  return move->atomic != ATOMIC_EXCHANGE && move->atomic != ATOMIC_CAS &&
         move->atomic != ATOMIC_INCREMENT && move->atomic != ATOMIC_DECREMENT &&
         !smb_scalar_is_real(move->kind);
}

// --- text

static void
print_row(GString *text, const Code *code, Row row) {
  if (row == NO_ROW)
    g_string_append_c(text, '_');
  else if (!(row & ROW_CONSTANT))
    g_string_append_printf(text, "r%u", row);
  else
    g_string_append_printf(
        text, "0x%x",
        g_array_index(code->constants->values, guint32, row_index(row) * code->constants->n_lanes));
}

static void
print_rows(GString *text, const Code *code, const Row *rows, guint n) {
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i == 0 ? "{" : ", ");
    print_row(text, code, rows[i]);
  }
  g_string_append(text, "}");
}

static void
print_compute(GString *text, const Code *code, const Compute *compute) {
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  gboolean has_row = info->result != SHAPE_PREDICATE || compute->bytes > 0;
  g_autofree char *name = g_ascii_strdown(info->name, -1);
  g_string_append_printf(text, " %s", name);
  if (compute->modifiers)
    g_string_append_printf(text, " modifiers 0x%x", compute->modifiers);
  if (compute->table)
    g_string_append_printf(text, " table 0x%x", compute->table);
  if (has_row) {
    g_string_append_c(text, ' ');
    print_row(text, code, compute->d);
  }
  if (compute->p)
    g_string_append_printf(text, " p%u", compute->p);
  if (compute->q)
    g_string_append_printf(text, " p%u", compute->q);
  for (guint i = 0; i < COMPUTE_SOURCES && info->sources[i] != SHAPE_NONE; i++) {
    g_string_append(text, i == 0 ? " <- " : ", ");
    print_row(text, code, compute->s[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS(compute->in); i++) {
    if (compute->in[i])
      g_string_append_printf(text, " if p%u", compute->in[i]);
  }
}

static void
print_transfer(GString *text, const Code *code, const Transfer *transfer) {
  static const char *const windows[] = {
      [WINDOW_GENERIC] = "generic", [WINDOW_SHARED] = "shared", [WINDOW_LOCAL] = "local"};
  static const char *const orders[] = {[ORDER_WEAK] = "",
                                       [ORDER_BLOCK] = " block",
                                       [ORDER_STRONG] = " strong",
                                       [ORDER_ACQUIRE] = " acquire"};
  g_string_append_printf(text, " %s%s %ux%u [", windows[transfer->window], orders[transfer->order],
                         transfer->n_components, transfer->bytes);
  if (transfer->address_rows > 0) {
    print_row(text, code, transfer->address);
    g_string_append_printf(text, "%s + ", transfer->address_rows > 1 ? ":64" : "");
  }
  g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x] ", transfer->offset);
  print_rows(text, code, transfer->data, transfer->n_components);
  if (transfer->move.op_class != SMB_OP_CLASS_ATOMIC)
    return;
  g_string_append(text, " by ");
  print_rows(text, code, transfer->operands, transfer->n_components);
  if (transfer->swap != NO_ROW)
    print_rows(text, code, &transfer->swap, 1);
}

static void
print_writes(GString *text, const Code *code, const GArray *writes) {
  for (guint i = 0; writes && i < writes->len; i++) {
    const Written *written = &g_array_index(writes, Written, i);
    g_string_append(text, i == 0 ? " writes " : ", ");
    if (written->n == 0)
      g_string_append_printf(text, "p%u", written->predicate);
    for (guint row = 0; row < written->n; row++) {
      if (row > 0)
        g_string_append_c(text, ':');
      print_row(text, code, written->row + row);
    }
  }
}

char *
smb_step_print(const Code *code, const Step *step) {
  g_autofree char *name = g_ascii_strdown(smb_step_info(step->opcode)->name, -1);
  GString *text = g_string_new(NULL);
  if (step->guard != PREDICATE_TRUE)
    g_string_append_printf(text, "@%sp%u ", step->unless ? "!" : "", step->guard);
  g_string_append(text, name);
  if (step->compute.run)
    print_compute(text, code, &step->compute);
  if (step->transfer && step->kind == KIND_TRANSFER)
    print_transfer(text, code, step->transfer);
  if (step->kind == KIND_BRANCH || step->flags & STEP_CALLS)
    g_string_append_printf(text, " to %u", step->target);
  else if (step->argument)
    g_string_append_printf(text, " %u", step->argument);
  print_writes(text, code, step->writes);
  return g_string_free(text, FALSE);
}
