// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What tests/sass-sweep.py has run:
//
//   sweep-values run MANIFEST INPUTS EXPECTED CUBIN CHIP
//     runs each kernel, and prints "right NAME DIGEST", "refused NAME WHY", "wrong NAME NUMBER EXAMPLE" or "unknown NAME NUMBER EXAMPLE"
//   sweep-values forms CUBIN
//     the forms of instructions of each function: "FUNCTION NAME.PARTS KINDS", where the kinds of operands are letters; "?" behind it,
//     if not all of its bits are understood
#include <stdio.h>
#include <string.h>

#include "sim/image/cubin.h"
#include "sim/sass/instruction.h"
#include "tests/sweep-run.h"

static GBytes *
read_bytes(const char *path) {
  char *data;
  gsize size;
  if (!g_file_get_contents(path, &data, &size, NULL)) {
    fprintf(stderr, "%s cannot be read\n", path);
    return NULL;
  }
  return g_bytes_new_take(data, size);
}

static void
print_result(const SweepCase *kernel, const SweepResult *result) {
  if (result->refused)
    printf("refused %s %s\n", kernel->name, result->refused);
  if (result->wrong > 0)
    printf("wrong %s %u %s\n", kernel->name, result->wrong,
           result->example ? result->example : "another digest");
  else if (result->unknown > 0)
    printf("unknown %s %u %s\n", kernel->name, result->unknown, result->example);
  else if (!result->refused)
    printf("right %s %s\n", kernel->name, result->digest);
}

static int
run(char *const *words) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) manifest = read_bytes(words[0]);
  GBytes *inputs = read_bytes(words[1]), *expected = read_bytes(words[2]);
  g_autoptr(SmbSource) source = smb_source_load_any(words[3], &error);
  if (!manifest || !inputs || !expected || !source)
    return 2;
  g_autofree char *text = g_strndup(g_bytes_get_data(manifest, NULL), g_bytes_get_size(manifest));
  Sweep *sweep = sweep_new(text, inputs, expected);
  if (!sweep)
    return 2;
  for (guint i = 0; i < sweep->cases->len; i++) {
    SweepResult result = sweep_run(sweep, sweep->cases->pdata[i], source, words[4]);
    print_result(sweep->cases->pdata[i], &result);
    sweep_result_clear(&result);
  }
  sweep_free(sweep);
  return 0;
}

// --- forms

static char
kind_letter(const SassOperand *operand) {
  static const char letters[] = {
      [SASS_REGISTER] = 'R',          [SASS_UNIFORM] = 'U',    [SASS_PREDICATE] = 'P',
      [SASS_UNIFORM_PREDICATE] = 'Q', [SASS_IMMEDIATE] = 'I',  [SASS_REAL] = 'F',
      [SASS_CONSTANT] = 'C',          [SASS_ADDRESS] = 'A',    [SASS_TARGET] = 'T',
      [SASS_SPECIAL] = 'S',           [SASS_BARRIER] = 'B',    [SASS_SCOREBOARD] = 'B',
      [SASS_SCOREBOARDS] = 'B',       [SASS_PREDICATES] = 'p', [SASS_WORD] = 'W'};
  return letters[operand->kind];
}

static void
print_form(const char *function, const SassInstruction *instruction) {
  g_autofree char *opcode = smb_sass_opcode_text(instruction);
  printf("%s %s ", function, opcode);
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    printf("%s%s%c%s%s", operand->is_negated ? "-" : "", operand->is_inverted ? "~" : "",
           kind_letter(operand), operand->is_absolute ? "|" : "",
           operand->kind != SASS_WORD ? smb_sass_part_name(operand->part) : "");
  }
  if (!instruction->is_complete) {
    g_autofree char *text = smb_sass_text(instruction);
    printf(" ? 0x%03x %s", instruction->opcode, text);
  }
  printf("\n");
}

static int
print_forms(const char *path) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = read_bytes(path);
  g_autoptr(SmbCubin) cubin = bytes ? smb_cubin_read(bytes, path, &error) : NULL;
  if (!cubin)
    return 2;
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = cubin->functions->pdata[i];
    for (guint at = 0; at + SASS_BYTES <= function->bytes; at += SASS_BYTES) {
      SassInstruction instruction;
      smb_sass_read(cubin->chip, function->code + at, at, &instruction);
      print_form(function->name, &instruction);
    }
  }
  return 0;
}

int
main(int argc, char **argv) {
  if (argc == 7 && strcmp(argv[1], "run") == 0)
    return run(argv + 2);
  if (argc == 3 && strcmp(argv[1], "forms") == 0)
    return print_forms(argv[2]);
  fprintf(stderr, "usage: sweep-values run MANIFEST INPUTS EXPECTED CUBIN CHIP | forms CUBIN\n");
  return 2;
}
