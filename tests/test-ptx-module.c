// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the reader makes of small texts, as a dump of the module, and what it says of wrong ones.
#include <check.h>
#include <string.h>

#include "sim/ptx/module.h"
#include "tests/suite.h"

static void
dump_operand(const PtxFunction *function, const PtxOperand *operand, GString *out) {
  static const char *const wheres[] = {"module", "function", "local", "parameter", "return"};
  static const char *const components[] = {"",    ".x",  ".y",  ".z",  ".w", ".b0",
                                           ".b1", ".b2", ".b3", ".h0", ".h1"};
  static const char open[] = "[{(", close[] = "]})";
  switch ((PtxOperandKind)operand->kind) {
  case PTX_OPERAND_REGISTER:
    g_string_append_printf(out, "%s%s%s", operand->is_negated ? "-" : "",
                           g_array_index(function->registers, PtxRegister, operand->index).name,
                           components[operand->component]);
    break;
  case PTX_OPERAND_SPECIAL:
    g_string_append_printf(out, "special %s", operand->text);
    break;
  case PTX_OPERAND_INTEGER:
    g_string_append_printf(out, "%" G_GINT64_FORMAT, (gint64)operand->bits);
    break;
  case PTX_OPERAND_SINGLE:
  case PTX_OPERAND_DOUBLE:
    g_string_append_printf(out, "%s%" G_GINT64_MODIFIER "x",
                           operand->kind == PTX_OPERAND_SINGLE ? "0f" : "0d", operand->bits);
    break;
  case PTX_OPERAND_SYMBOL:
    g_string_append_printf(out, "%s %u %s%+" G_GINT64_FORMAT, wheres[operand->where],
                           operand->index, operand->text, (gint64)operand->bits);
    break;
  case PTX_OPERAND_LABEL:
    g_string_append_printf(out, "label %u %s", operand->index, operand->text);
    break;
  case PTX_OPERAND_ADDRESS:
  case PTX_OPERAND_VECTOR:
  case PTX_OPERAND_LIST:
    g_string_append_c(out, open[operand->kind - PTX_OPERAND_ADDRESS]);
    for (guint i = 0; i < operand->n; i++) {
      g_string_append(out, i > 0 ? ", " : "");
      dump_operand(function, &g_array_index(function->operands, PtxOperand, operand->index + i),
                   out);
    }
    if (operand->bits != 0)
      g_string_append_printf(out, " %+" G_GINT64_FORMAT, (gint64)operand->bits);
    g_string_append_c(out, close[operand->kind - PTX_OPERAND_ADDRESS]);
    break;
  case PTX_OPERAND_SINK:
    g_string_append_c(out, '_');
    break;
  }
}

static void
dump_loc(const PtxModule *module, guint32 index, GString *out) {
  while (index != PTX_NONE) {
    const PtxLoc *loc = &g_array_index(module->locs, PtxLoc, index);
    g_string_append_printf(out, " @%u:%u:%u", loc->file, loc->line, loc->column);
    if (loc->function)
      g_string_append_printf(out, " %s", loc->function);
    index = loc->inlined_at;
  }
}

static void
dump_instruction(const PtxModule *module, const PtxFunction *function,
                 const PtxInstruction *instruction, GString *out) {
  const PtxOpcode *opcode = &g_array_index(module->opcodes, PtxOpcode, instruction->opcode);
  g_string_append_printf(out, "  %u ", instruction->line);
  if (instruction->guard != PTX_NONE)
    g_string_append_printf(
        out, "@%s%s ", instruction->guard_negated ? "!" : "",
        g_array_index(function->registers, PtxRegister, instruction->guard).name);
  g_autofree char *joined = g_strjoinv(".", (char **)opcode->parts);
  ck_assert_str_eq(joined, opcode->text);
  g_string_append(out, opcode->text);
  for (guint i = 0; i < instruction->n_operands; i++) {
    g_string_append(out, i > 0 ? "; " : " ");
    dump_operand(function, &g_array_index(function->operands, PtxOperand, instruction->operand + i),
                 out);
    if (i == 0 && instruction->partner != PTX_NONE) {
      g_string_append(out, " | ");
      dump_operand(function, &g_array_index(function->operands, PtxOperand, instruction->partner),
                   out);
    }
  }
  dump_loc(module, instruction->loc, out);
  g_string_append_c(out, '\n');
}

static void
dump_variable(const PtxVariable *variable, const char *indent, GString *out) {
  g_string_append_printf(out, "%s%s%s %s", indent, variable->is_extern ? "extern " : "",
                         variable->space, variable->type);
  if (variable->vector > 1)
    g_string_append_printf(out, " x %u", variable->vector);
  g_string_append_printf(out, " %s", variable->name);
  for (guint i = 0; i < variable->n_dimensions; i++)
    g_string_append_printf(out, "[%" G_GUINT64_FORMAT "]", variable->dimension[i]);
  g_string_append_printf(out, " %" G_GUINT64_FORMAT " bytes, align %u", variable->bytes,
                         variable->align);
  if (variable->points_to)
    g_string_append_printf(out, ", to %s", variable->points_to);
  for (guint i = 0; variable->initial && i < variable->initial->len; i++) {
    const PtxInitial *piece = &g_array_index(variable->initial, PtxInitial, i);
    g_string_append_printf(out, " {%" G_GUINT64_FORMAT ": %u ", piece->at, piece->bytes);
    if (piece->mask)
      g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x of ", piece->mask);
    if (piece->symbol)
      g_string_append_printf(out, "%s%s ", piece->is_generic ? "generic " : "", piece->symbol);
    g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x}", piece->bits);
  }
  g_string_append_c(out, '\n');
}

static void
dump_variables(const GArray *variables, const char *indent, GString *out) {
  for (guint i = 0; i < variables->len; i++)
    dump_variable(&g_array_index(variables, PtxVariable, i), indent, out);
}

static void
dump_tables(const PtxFunction *function, GString *out) {
  for (guint i = 0; i < function->tables->len; i++) {
    const PtxTable *table = &g_array_index(function->tables, PtxTable, i);
    g_string_append_printf(out, "  %s %s (label %u):", table->is_calls ? "calls" : "branches",
                           table->name, table->label);
    for (guint k = 0; k < table->targets->len; k++)
      g_string_append_printf(out, " %s=%u", (const char *)table->targets->pdata[k],
                             g_array_index(table->indices, guint32, k));
    g_string_append_c(out, '\n');
  }
}

static void
dump_extent(const char *name, const guint32 extent[3], GString *out) {
  if (extent[0] > 0)
    g_string_append_printf(out, "  %s %u %u %u\n", name, extent[0], extent[1], extent[2]);
}

static void
dump_function(const PtxModule *module, const PtxFunction *function, GString *out) {
  g_string_append_printf(out, "%s %s%s", function->is_entry ? "entry" : "func", function->name,
                         function->is_prototype ? " (prototype)" : "");
  if (function->alias != PTX_NONE)
    g_string_append_printf(out, " is %s",
                           ((const PtxFunction *)module->functions->pdata[function->alias])->name);
  g_string_append_c(out, '\n');
  dump_extent("required", function->required, out);
  dump_extent("maximum", function->maximum, out);
  dump_variables(function->returns, "  returns ", out);
  dump_variables(function->parameters, "  takes ", out);
  for (guint i = 0; i < function->registers->len; i++) {
    const PtxRegister *reg = &g_array_index(function->registers, PtxRegister, i);
    g_string_append_printf(out, "%s%s", i > 0 ? ", " : "  registers ", reg->name);
    g_string_append_printf(out, " %s", reg->type);
    if (reg->vector > 1)
      g_string_append_printf(out, " x %u", reg->vector);
  }
  g_string_append(out, function->registers->len > 0 ? "\n" : "");
  dump_variables(function->variables, "  ", out);
  dump_tables(function, out);
  for (guint i = 0, label = 0; i <= function->instructions->len; i++) {
    for (; label < function->labels->len; label++) {
      const PtxLabel *here = &g_array_index(function->labels, PtxLabel, label);
      if (here->instruction != i)
        break;
      g_string_append_printf(out, "  %s:\n", here->name);
    }
    if (i < function->instructions->len)
      dump_instruction(module, function, &g_array_index(function->instructions, PtxInstruction, i),
                       out);
  }
}

static char *
dump_module(const PtxModule *module) {
  GString *out = g_string_new(NULL);
  dump_variables(module->variables, "", out);
  for (guint i = 0; i < module->functions->len; i++)
    dump_function(module, module->functions->pdata[i], out);
  return g_string_free(out, FALSE);
}

static SmbSource *
make_source(const char *text) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  return smb_source_new("t.ptx", bytes, NULL);
}

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"

// Texts behind HEAD, whose first line is 4.
static const struct {
  const char *text, *dump;
} reads[] = {
    {".visible .entry k(.param .u64 out) {\n"
     ".reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
     "ld.param.u64 %rd1, [out];\n"
     "$L: mov.u32 %r1, %tid.x;\n"
     "setp.lt.u32 %p1, %r1, 4;\n"
     "@!%p1 bra $L;\n"
     "st.global.u32 [%rd1+-8], %r1; ret; }",
     "entry k\n"
     "  takes param u64 out 8 bytes, align 8\n"
     "  registers %p0 pred, %p1 pred, %r0 b32, %r1 b32, %r2 b32, %rd0 b64, %rd1 b64\n"
     "  6 ld.param.u64 %rd1; [parameter 0 out+0]\n"
     "  $L:\n"
     "  7 mov.u32 %r1; special %tid.x\n"
     "  8 setp.lt.u32 %p1; %r1; 4\n"
     "  9 @!%p1 bra label 0 $L\n"
     "  10 st.global.u32 [%rd1 -8]; %r1\n"
     "  10 ret\n"},
};

START_TEST(test_reads) {
  g_autofree char *text = g_strconcat(HEAD, reads[_i].text, NULL);
  g_autoptr(SmbSource) source = make_source(text);
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = smb_ptx_module_read(source, &error);
  ck_assert_msg(module != NULL, "%s", error ? error->message : "");
  g_autofree char *dump = dump_module(module);
  ck_assert_str_eq(dump, reads[_i].dump);
}
END_TEST

static const struct {
  const char *text, *message;
} errors[] = {
    {".entry k() {\n.reg .b32 %r<4>;\nmov.u32 %r1, %r99;\n}",
     "t.ptx:6:14: unknown register '%r99'\n  mov.u32 %r1, %r99;\n               ^"},
};

START_TEST(test_errors) {
  g_autofree char *text = g_strconcat(HEAD, errors[_i].text, NULL);
  g_autoptr(SmbSource) source = make_source(text);
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = smb_ptx_module_read(source, &error);
  ck_assert_ptr_null(module);
  ck_assert_str_eq(error->message, errors[_i].message);
}
END_TEST

Suite *
suite_ptx_module(void) {
  Suite *suite = suite_create("ptx-module");
  TCase *tcase = tcase_create("ptx-module");
  tcase_add_loop_test(tcase, test_reads, 0, G_N_ELEMENTS(reads));
  tcase_add_loop_test(tcase, test_errors, 0, G_N_ELEMENTS(errors));
  suite_add_tcase(suite, tcase);
  return suite;
}
