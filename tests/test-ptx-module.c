// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the reader makes of small texts, as a dump of the module, and what it says of wrong ones.
#include <check.h>
#include <string.h>

#include "sim/ptx/read/module.h"
#include "tests/effort.h"
#include "tests/suite.h"

// Its name, and its index if an inner block declares that name again.
static void
dump_register(const PtxFunction *function, guint32 index, GString *out) {
  const char *name = g_array_index(function->registers, PtxRegister, index).name;
  guint n = 0;
  for (guint i = 0; i < function->registers->len; i++)
    n += strcmp(g_array_index(function->registers, PtxRegister, i).name, name) == 0;
  g_string_append(out, name);
  if (n > 1)
    g_string_append_printf(out, "(%u)", index);
}

static void
dump_operand(const PtxFunction *function, const PtxOperand *operand, GString *out) {
  static const char *const wheres[] = {"module", "function", "local", "parameter", "return"};
  static const char *const components[] = {"",    ".x",  ".y",  ".z",  ".w", ".b0",
                                           ".b1", ".b2", ".b3", ".h0", ".h1"};
  static const char open[] = "[{(", close[] = "]})";
  switch ((PtxOperandKind)operand->kind) {
  case PTX_OPERAND_REGISTER:
    g_string_append(out, operand->is_negated ? "-" : "");
    dump_register(function, operand->index, out);
    g_string_append(out, components[operand->component]);
    if (operand->bits != 0)
      g_string_append_printf(out, "%+" G_GINT64_FORMAT, (gint64)operand->bits);
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
  case PTX_OPERAND_NONE:
    ck_abort_msg("an operand that is not there");
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
  if (strcmp(joined, opcode->text) != 0)
    g_error("%s has other parts: %s", opcode->text, joined);
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
#include "tests/ptx-reads.def"
};

static PtxModule *
read_text(const char *head, const char *text, GError **error) {
  g_autofree char *whole = g_strconcat(head, text, NULL);
  g_autoptr(SmbSource) source = make_source(whole);
  return smb_ptx_module_read(source, error);
}

START_TEST(test_reads) {
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text(HEAD, reads[_i].text, &error);
  ck_assert_msg(module != NULL, "%s", error ? error->message : "");
  g_autofree char *dump = dump_module(module);
  ck_assert_str_eq(dump, reads[_i].dump);
}
END_TEST

// A text that ends early is read or refused, whatever is missing.
START_TEST(test_truncated) {
  for (gsize length = 0; length < strlen(reads[_i].text); length++) {
    g_autofree char *part = g_strndup(reads[_i].text, length);
    g_autoptr(GError) error = NULL;
    g_autoptr(PtxModule) module = read_text(HEAD, part, &error);
    ck_assert((module == NULL) == (error != NULL));
    ck_assert(!error || g_str_has_prefix(error->message, "t.ptx:"));
  }
}
END_TEST

// Texts behind HEAD, and what is said of them: the first line of the message, without the name.
static const struct {
  const char *text, *message;
} errors[] = {
#include "tests/ptx-errors.def"
};

// Whole texts.
static const struct {
  const char *text, *message;
} heads[] = {
    {".target sm_90", "1:1: expected '.version', not '.target'"},
    {".version", "1:9: expected a version such as 8.7 before the end of the file"},
    {".version 8", "1:10: expected a version such as 8.7, not '8'"},
    {".version 8.75", "1:10: expected a version such as 8.7, not '8.75'"},
    {".version 1e5", "1:10: expected a version such as 8.7, not '1e5'"},
    {"/* .version 8.7", "1:1: this comment has no end: expected */"},
    {".version 8.7\n"
     ".version 8.7\n",
     "2:1: expected a declaration, not '.version'"},
};

static void
check_message(const PtxModule *module, const GError *error, const char *expected) {
  ck_assert_ptr_null(module);
  ck_assert(g_str_has_prefix(error->message, "t.ptx:"));
  g_auto(GStrv) lines = g_strsplit(error->message + strlen("t.ptx:"), "\n", 2);
  ck_assert_str_eq(lines[0], expected);
}

START_TEST(test_errors) {
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text(HEAD, errors[_i].text, &error);
  check_message(module, error, errors[_i].message);
}
END_TEST

START_TEST(test_heads) {
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text("", heads[_i].text, &error);
  check_message(module, error, heads[_i].message);
}
END_TEST

START_TEST(test_caret) {
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text(HEAD, ".entry k() {\n\tmov.u32 %r1, 1;\n}", &error);
  ck_assert_ptr_null(module);
  ck_assert_str_eq(error->message, "t.ptx:5:10: unknown register '%r1'\n"
                                   "    5 | \tmov.u32 %r1, 1;\n"
                                   "      | \t        ^");
}
END_TEST

// A text made of a repeated part, in which "%u" is the number of the repetition, from 0.
static const struct {
  const char *head, *part;
  guint count;
  const char *tail, *message; // NULL: it is read
} repeated[] = {
    {".entry k() ", "{", 64, "\n", "4:77: expected '}' before the end of the file"},
    {".entry k() ", "{\n", 65, "", "68:3: nested more than 64 levels deep"},
    {".entry k() { mov.u32 1, ", "(", 63, "1;\n", "4:89: expected ')', not ';'"},
    {".entry k() { mov.u32 1, ", "(", 64, "1;\n", "4:88: nested more than 64 levels deep"},
    {".entry k() { mov.u32 1, ", "-", 100000, "1; }", "4:88: nested more than 64 levels deep"},
    {".entry k() { mov.u32 1, ", "1?1:", 100000, "1; }", "4:279: nested more than 64 levels deep"},
    {".entry k() { mov.u32 1, ", "{", 100000, "1; }", "4:89: nested more than 64 levels deep"},
    {".entry k() { mov.u32 1, ", "[1,", 100000, "1; }", "4:217: nested more than 64 levels deep"},
    {".entry k() { mov.u32 1, {1", ", 1", 254, "}; }", NULL},
    {".entry k() { mov.u32 1, {1", ", 1", 255, "}; }", "4:793: more than 255 operands in a list"},
    {".entry k() { x 1", ", 1", 254, "; }", NULL},
    {".entry k() { x 1", ", 1", 255, "; }", "4:784: more than 255 operands in a list"},
    {".entry k() { .reg .b32 x<0x100000>; ", "mov.b32 x0, x1048575;", 1, " }", NULL},
    {".entry k() { .reg .b32 x<0x100000>, ", "y", 1, "; }",
     "4:38: more than 1048576 registers in a function"},
    {"", ".entry k%u() { .reg .b32 x<0x100000>; }\n", 4, "", NULL},
    {"", ".entry k%u() { .reg .b32 x<0x100000>; }\n", 5, "",
     "8:36: more than 4194304 registers in a file"},
    {"", ".func f%u;", 65536, "", NULL},
    {"", ".func f%u;", 65537, "", "4:840871: more than 65536 functions"},
    {".entry k() {", "L%u:", 1048576, "}", NULL},
    {".entry k() {", "L%u:", 1048577, "}", "4:8326096: more than 1048576 labels"},
    {".shared .b8 x<0x100000>", "", 1, ";", NULL},
    {".shared .b8 x<0x100001>", "", 1, ";", "4:24: more than 1048576 variables"},
    {".global .b64 x[0x2000000000]", "", 1, ";", NULL},
    {".global .b8 x[1][1][1][1]", "", 1, ";", NULL},
    {".entry k() {", ".reg .b32 a%u; mov.b32 a%u, a%u;\n", 5000, "}", NULL},
};

static void
append_repeated(GString *text, const char *part, guint count) {
  g_auto(GStrv) pieces = g_strsplit(part, "%u", -1);
  for (guint number = 0; number < count; number++) {
    for (guint i = 0; pieces[i]; i++) {
      if (i > 0)
        g_string_append_printf(text, "%u", number);
      g_string_append(text, pieces[i]);
    }
  }
}

START_TEST(test_limits) {
  if (is_left_out(_i, 3))
    return;
  g_autoptr(GString) text = g_string_new(repeated[_i].head);
  append_repeated(text, repeated[_i].part, repeated[_i].count);
  g_string_append(text, repeated[_i].tail);
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text(HEAD, text->str, &error);
  if (repeated[_i].message)
    check_message(module, error, repeated[_i].message);
  else
    ck_assert_msg(module != NULL, "%s", error ? error->message : "");
}
END_TEST

START_TEST(test_head) {
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module =
      read_text("", "// made by hand\n.version 3.1\n.target sm_90a, debug\n", &error);
  ck_assert_uint_eq(module->version, 31);
  ck_assert_str_eq(module->target, "sm_90a");
  ck_assert_uint_eq(module->address_bytes, 4);
  g_autoptr(PtxModule) wide = read_text(HEAD, ".target sm_10, sm_20", &error);
  ck_assert_uint_eq(wide->version, 87);
  ck_assert_str_eq(wide->target, "sm_90");
  ck_assert_uint_eq(wide->address_bytes, 8);
}
END_TEST

START_TEST(test_files) {
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text(HEAD,
                                          ".file 1 \"/src/a.cu\"\n"
                                          ".file 2 \"C:\\\\src\\\\b \\\"x\\\".cuh\", 1234, 56\n"
                                          ".file 3 \"/src\" \"c.cuh\"\n"
                                          ".file 1 \"/src/again.cu\"\n",
                                          &error);
  ck_assert_str_eq(g_hash_table_lookup(module->files, GUINT_TO_POINTER(1)), "/src/again.cu");
  ck_assert_str_eq(g_hash_table_lookup(module->files, GUINT_TO_POINTER(2)), "C:\\src\\b \"x\".cuh");
  ck_assert_str_eq(g_hash_table_lookup(module->files, GUINT_TO_POINTER(3)), "/src/c.cuh");
}
END_TEST

static const struct {
  const char *text, *shown;
} instructions[] = {
    {"ret;", "ret"},
    {"@!p   bra\t L ; L:", "@!p bra L"},
    {"@ ! p bra L; L:", "@!p bra L"},
    {"call.uni (r), \n f, \n ( \n r, // one\n 1 /* two */\n)\n;", "call.uni (r), f, (r, 1)"},
    {"ld.v2.u32 { r , r } , [ r + 4 ];", "ld.v2.u32 {r, r}, [r + 4]"},
    {"mov.u32 r,-1;", "mov.u32 r,-1"},
};

START_TEST(test_instruction_text) {
  g_autofree char *text = g_strconcat(".func (.reg .b32 x) f (.reg .b32 y, .reg .b32 z);"
                                      ".entry k() { .reg .b32 r; .reg .pred p; ",
                                      instructions[_i].text, "}", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(PtxModule) module = read_text(HEAD, text, &error);
  ck_assert_msg(module != NULL, "%s", error ? error->message : "");
  const PtxFunction *function = module->functions->pdata[1];
  g_autofree char *shown =
      smb_ptx_instruction_text(module, &g_array_index(function->instructions, PtxInstruction, 0));
  ck_assert_str_eq(shown, instructions[_i].shown);
}
END_TEST

static const struct {
  const char *text;
  gboolean is_ptx;
} recognized[] = {
    {".version 8.7\n", TRUE},
    {"//\n// Generated by a compiler\n//\n\n/* */ .version", TRUE},
    {"", FALSE},
    {".target sm_90\n.version 8.7", FALSE},
    {".versions", FALSE},
    {"version 8.7", FALSE},
    {"/* .version 8.7", FALSE},
    {"__global__ void k() {}", FALSE},
};

START_TEST(test_recognize) {
  g_autoptr(SmbSource) source = make_source(recognized[_i].text);
  ck_assert_int_eq(smb_ptx_recognize(source), recognized[_i].is_ptx);
}
END_TEST

Suite *
suite_ptx_module(void) {
  Suite *suite = suite_create("ptx-module");
  TCase *tcase = tcase_create("ptx-module");
  tcase_add_loop_test(tcase, test_reads, 0, G_N_ELEMENTS(reads));
  tcase_add_loop_test(tcase, test_truncated, 0, G_N_ELEMENTS(reads));
  tcase_add_loop_test(tcase, test_errors, 0, G_N_ELEMENTS(errors));
  tcase_add_loop_test(tcase, test_heads, 0, G_N_ELEMENTS(heads));
  tcase_add_test(tcase, test_caret);
  tcase_add_loop_test(tcase, test_limits, 0, G_N_ELEMENTS(repeated));
  tcase_add_test(tcase, test_head);
  tcase_add_test(tcase, test_files);
  tcase_add_loop_test(tcase, test_instruction_text, 0, G_N_ELEMENTS(instructions));
  tcase_add_loop_test(tcase, test_recognize, 0, G_N_ELEMENTS(recognized));
  suite_add_tcase(suite, tcase);
  return suite;
}
