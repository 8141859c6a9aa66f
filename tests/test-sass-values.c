// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What instructions of machine code that compute leave in registers: tests/sass-values.def has rows of each of them. One is put into
// a kernel, becomes steps there, and these are executed by four lanes. No compiler takes part.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sass/decode/decode.h"
#include "tests/sass-data.h"
#include "tests/suite.h"

enum {
  LANES = 4,
  ALL_LANES = (1 << LANES) - 1,
  // Where registers lie (smb_sass_begin()).
  FIRST_UNIFORM = SASS_REGISTERS,
  FIRST_SCRATCH = FIRST_UNIFORM + SASS_UNIFORMS,
  RETURN_ADDRESS = FIRST_SCRATCH + SASS_DROPPED_ROWS + 1,
  FIRST_PREDICATE = 2,
  FIRST_UNIFORM_PREDICATE = FIRST_PREDICATE + SASS_PREDICATE_REGISTERS,
  NEVER = FIRST_UNIFORM_PREDICATE + SASS_PREDICATE_REGISTERS,
};

typedef struct {
  guint chip;
  guint64 low, high;
  const char *text, *inputs, *results;
} Value;

static const Value values[] = {
#define VALUES(chip, low, high, text, inputs, results) {chip, low, high, text, inputs, results},
#include "tests/sass-values.def"
};

// Chips of which there is machine code.
static const guint chips[] = {75, 80, 90, 100, 120};

// --- registers as text: "R4=1:ffffffff:0:7 P0=a UR5=3": of each lane, or of all; of a predicate the lanes where it is true.
// "Rpc" and "RpcHi" are where returns go to

// A word, and which of two kinds of numbers it names; @first: of the plain and the uniform one.
static gboolean
parse_name(const char **at, char letter, guint *number, gboolean *is_uniform) {
  const char *name = *at;
  *is_uniform = *name == 'U';
  name += *is_uniform;
  if (*name != letter)
    return FALSE;
  char *end;
  *number = (guint)strtoul(name + 1, &end, 10);
  *at = end + 1; // behind "="
  return *end == '=';
}

static void
set_register(Registers *registers, const char *word) {
  guint number = 0, n = 0;
  gboolean is_uniform;
  guint32 numbers[SMB_MAX_LANES];
  char *end;
  const char *at = word;
  if (parse_name(&at, 'P', &number, &is_uniform)) {
    number += is_uniform ? FIRST_UNIFORM_PREDICATE : FIRST_PREDICATE;
    smb_predicate_set(registers, number, ALL_LANES, strtoul(at, NULL, 16), 0, 0, 0);
    return;
  }
  at = word;
  gboolean is_high = g_str_has_prefix(word, "RpcHi="),
           is_return = is_high || g_str_has_prefix(word, "Rpc=");
  if (is_return)
    at = strchr(word, '=') + 1;
  else
    ck_assert_msg(parse_name(&at, 'R', &number, &is_uniform), "%s: expected R4=… or P0=…", word);
  for (; n < LANES; n++) {
    numbers[n] = (guint32)strtoul(at, &end, 16);
    at = *end == ':' ? end + 1 : at; // one number is that of all lanes
  }
  Row row = is_return ? RETURN_ADDRESS + (guint)is_high : number + (is_uniform ? FIRST_UNIFORM : 0);
  smb_row_set(registers, row, ALL_LANES, numbers, NULL, 0, 0);
}

static void
print_row(GString *text, const Registers *registers, Row row) {
  const guint32 *numbers = row_values(registers, row);
  gboolean is_alike = TRUE;
  g_string_append(text, text->len > 0 ? " " : "");
  if (row >= RETURN_ADDRESS)
    g_string_append(text, row == RETURN_ADDRESS ? "Rpc=" : "RpcHi=");
  else
    g_string_append_printf(text, "%s%u=", row < FIRST_UNIFORM ? "R" : "UR", row % FIRST_UNIFORM);
  if (smb_row_known(registers, row, ALL_LANES) != ALL_LANES) {
    g_string_append_c(text, '?');
    return;
  }
  for (guint lane = 1; lane < LANES; lane++)
    is_alike = is_alike && numbers[lane] == numbers[0];
  for (guint lane = 0; lane < (is_alike ? 1 : LANES); lane++)
    g_string_append_printf(text, "%s%x", lane > 0 ? ":" : "", numbers[lane]);
}

static void
print_predicate(GString *text, const Registers *registers, Predicate predicate) {
  gboolean is_uniform = predicate >= FIRST_UNIFORM_PREDICATE;
  guint number = predicate - (is_uniform ? FIRST_UNIFORM_PREDICATE : FIRST_PREDICATE);
  g_string_append_printf(text, "%s%s%u=", text->len > 0 ? " " : "", is_uniform ? "UP" : "P",
                         number);
  if (registers->unknown_predicates[predicate] & ALL_LANES)
    g_string_append_c(text, '?');
  else
    g_string_append_printf(text, "%x", (guint)(registers->predicates[predicate] & ALL_LANES));
}

// --- an instruction, as its steps

// What its steps write, but for rows between them.
typedef struct {
  gboolean rows[RETURN_ADDRESS + 2];
  gboolean predicates[NEVER];
} Results;

static void
note_row(Results *results, Row row, guint n) {
  for (guint i = 0; i < n; i++)
    if (row + i < FIRST_SCRATCH || (row + i >= RETURN_ADDRESS && row + i < RETURN_ADDRESS + 2))
      results->rows[row + i] = TRUE;
}

static void
note_predicate(Results *results, Predicate predicate) {
  if (predicate >= FIRST_PREDICATE && predicate < NEVER)
    results->predicates[predicate] = TRUE;
}

static void
note_step(Results *results, const Step *step) {
  const Compute *compute = &step->compute;
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  if (step->kind == KIND_COMPUTE) {
    if (info->result != SHAPE_PREDICATE || compute->bytes > 0)
      note_row(results, compute->d, shape_rows((Shape)info->result));
    note_predicate(results, compute->p);
    note_predicate(results, compute->q);
  }
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    if (written->n > 0)
      note_row(results, written->row, written->n);
    else
      note_predicate(results, written->predicate);
  }
}

static void
forget(Registers *registers, const Step *step, SmbLanes lanes) {
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    for (guint row = 0; row < written->n; row++)
      smb_row_forget(registers, written->row + row, lanes, 0, 1);
    if (written->n == 0)
      smb_predicate_set(registers, written->predicate, lanes, 0, lanes, 0, 1);
  }
}

static void
execute(const Code *code, Registers *registers, Results *results) {
  for (guint i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    if (step->place != SASS_PLACE)
      continue;
    SmbLanes lanes = ALL_LANES & (step->unless ? ~registers->predicates[step->guard]
                                               : registers->predicates[step->guard]);
    ck_assert_msg(step->kind == KIND_COMPUTE || step->kind == KIND_OPAQUE, "it does not compute");
    note_step(results, step);
    if (step->kind == KIND_COMPUTE)
      smb_compute(&step->compute, registers, lanes);
    else
      forget(registers, step, lanes);
  }
}

// What it leaves, as text (transfer full).
static char *
run(const Code *code, const char *inputs) {
  Registers *registers = smb_registers_new(code->constants, code->n_rows, code->n_predicates, NULL);
  g_auto(GStrv) words = g_strsplit(inputs, " ", -1);
  smb_registers_reset(registers, ALL_LANES);
  smb_predicate_set(registers, NEVER, ALL_LANES, 0, 0, 0, 0);
  for (guint i = 0; words[i]; i++)
    if (*words[i])
      set_register(registers, words[i]);
  g_autofree Results *results = g_new0(Results, 1);
  execute(code, registers, results);
  GString *text = g_string_new(NULL);
  for (Row row = 0; row <= RETURN_ADDRESS + 1; row++)
    if (results->rows[row])
      print_row(text, registers, row);
  for (Predicate p = FIRST_PREDICATE; p < NEVER; p++)
    if (results->predicates[p])
      print_predicate(text, registers, p);
  smb_registers_free(registers);
  return g_string_free(text, FALSE);
}

static void
get_bytes(const Value *value, guint8 *bytes) {
  guint64 words[2] = {GUINT64_TO_LE(value->low), GUINT64_TO_LE(value->high)};
  memcpy(bytes, words, sizeof words);
}

START_TEST(test_values) {
  SassKernel kernel = sass_kernel_open(chips[_i]);
  g_autoptr(GString) wrong = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    const Value *value = &values[i];
    guint8 bytes[SASS_BYTES];
    SassInstruction instruction;
    if (value->chip != kernel.chip)
      continue;
    get_bytes(value, bytes);
    smb_sass_read(value->chip, bytes, SASS_PLACE, &instruction);
    g_autofree char *text = smb_sass_text(&instruction);
    ck_assert_str_eq(text, value->text);
    SmbProgram *program = sass_kernel_read(&kernel, bytes, NULL);
    ck_assert_msg(program != NULL, "sm_%u: %s is refused", value->chip, text);
    g_autofree char *found = run((const Code *)program, value->inputs);
    if (strcmp(found, value->results) != 0)
      g_string_append_printf(wrong, "\n%s of %s: %s, expected %s", text, value->inputs, found,
                             value->results);
    smb_program_free(program);
  }
  ck_assert_msg(wrong->len == 0, "sm_%u:%s", kernel.chip, wrong->str);
  sass_kernel_clear(&kernel);
}
END_TEST

// --- all have one

static const struct {
  guint number, first, last;
  const char *name;
  gboolean computes;
} rows[] = {
#define OPCODE(number, forms, first, last, datapath, name, ...)  {number, first, last, name, FALSE},
#define COMPUTE(number, forms, first, last, datapath, name, ...) {number, first, last, name, TRUE},
#include "sim/sass/opcodes/opcodes.def"
};

static gboolean
has_code(guint row) {
  for (guint i = 0; i < G_N_ELEMENTS(chips); i++)
    if (rows[row].first <= chips[i] && chips[i] <= rows[row].last)
      return TRUE;
  return FALSE;
}

// But rows of chips of which there is no machine code here.
START_TEST(test_rows) {
  g_autofree gboolean *has_values = g_new0(gboolean, G_N_ELEMENTS(rows));
  g_autoptr(GString) missing = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    guint8 bytes[SASS_BYTES];
    SassInstruction instruction;
    get_bytes(&values[i], bytes);
    ck_assert(smb_sass_read(values[i].chip, bytes, 0, &instruction));
    has_values[instruction.row] = TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    if (rows[i].computes && !has_values[i] && has_code(i))
      g_string_append_printf(missing, "\n0x%03x %s of sm_%u to sm_%u", rows[i].number, rows[i].name,
                             rows[i].first, rows[i].last);
  ck_assert_msg(missing->len == 0, "no row of tests/sass-values.def has:%s", missing->str);
}
END_TEST

Suite *
suite_sass_values(void) {
  Suite *suite = suite_create("sass-values");
  TCase *tcase = tcase_create("sass-values");
  tcase_add_loop_test(tcase, test_values, 0, G_N_ELEMENTS(chips));
  tcase_add_test(tcase, test_rows);
  suite_add_tcase(suite, tcase);
  return suite;
}
