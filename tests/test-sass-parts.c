// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The tables of machine code (sim/sass/opcodes) say nothing that nobody reads: no field that no row has, no part that no field has,
// and no part of an instruction that computes which its handler does not look at.
#include <check.h>
#include <string.h>

#include "sim/exec/code.h"
#include "sim/sass/instruction.h"
#include "tests/sass-data.h"
#include "tests/step-text.h"
#include "tests/suite.h"

// The rows as they are written.
typedef struct {
  const char *name, *text;
} Line;

static const Line parts[] = {
#define SPLIT_PART(name, ...) {#name, #__VA_ARGS__},
#include "sim/sass/opcodes/opcodes.def"
};
static const Line operands[] = {
#define OPERAND(name, ...) {#name, #__VA_ARGS__},
#include "sim/sass/opcodes/opcodes.def"
};
static const Line opcodes[] = {
#define OPCODE(number, forms, first, last, datapath, name, handler, argument, parts, operands)     \
  {name, #parts #operands},
#include "sim/sass/opcodes/opcodes.def"
};

static const Line names[] = {
#define NAME(part) {#part, "NAME"},
#define MUTE(part) {#part, "MUTE"},
#include "sim/sass/opcodes/parts.def"
};

// Whether @name is a word of @text.
static gboolean
is_word(const char *text, const char *name) {
  gsize length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    char before = at > text ? at[-1] : ' ', behind = at[length];
    if (!g_ascii_isalnum(before) && before != '_' && !g_ascii_isalnum(behind) && behind != '_')
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_in_lines(const Line *lines, guint n, const char *name) {
  for (guint i = 0; i < n; i++)
    if (is_word(lines[i].text, name))
      return TRUE;
  return FALSE;
}

// No part and no operand but the first ones, which stand for none.
START_TEST(test_fields) {
  for (guint i = 1; i < G_N_ELEMENTS(parts); i++)
    ck_assert_msg(is_in_lines(operands, G_N_ELEMENTS(operands), parts[i].name) ||
                      is_in_lines(opcodes, G_N_ELEMENTS(opcodes), parts[i].name),
                  "PART(%s, …): no operand and no opcode has it", parts[i].name);
  for (guint i = 1; i < G_N_ELEMENTS(operands); i++)
    ck_assert_msg(is_in_lines(opcodes, G_N_ELEMENTS(opcodes), operands[i].name),
                  "OPERAND(%s, …): no opcode has it", operands[i].name);
}
END_TEST

// All sources of a folder, one behind the other (transfer full).
static char *
read_sources(const char *folder) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(srcdir ? srcdir : ".", folder, NULL);
  g_autoptr(GDir) files = g_dir_open(path, 0, NULL);
  GString *all = g_string_new(NULL);
  ck_assert_msg(files != NULL, "%s", path);
  for (const char *name; (name = g_dir_read_name(files));) {
    g_autofree char *file = g_build_filename(path, name, NULL), *text = NULL;
    if (g_str_has_suffix(name, ".c") && g_file_get_contents(file, &text, NULL, NULL))
      g_string_append(all, text);
  }
  return g_string_free(all, FALSE);
}

START_TEST(test_names) {
  g_autofree char *reader = read_sources("sim/sass"), *handlers = read_sources("sim/sass/decode");
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *name = g_strdup_printf("PART_%s", names[i].name);
    gboolean is_asked = is_word(handlers, name);
    ck_assert_msg(is_in_lines(parts, G_N_ELEMENTS(parts), name) || is_word(reader, name),
                  "%s of parts.def: no field has it", name);
    // Shapes are asked for as a range.
    if (!g_str_has_prefix(names[i].name, "64x"))
      ck_assert_msg(is_asked == (strcmp(names[i].text, "NAME") == 0), "%s of parts.def: %s", name,
                    is_asked ? "a handler asks for it: expected NAME()"
                             : "no handler asks for it: expected MUTE()");
  }
}
END_TEST

// --- parts of instructions that compute

typedef enum {
#define SPLIT_PART(name, ...) name,
#include "sim/sass/opcodes/opcodes.def"
} PartName;

static const struct {
  guint low, width, high, high_width;
} places[] = {
#define SPLIT_PART(name, low, width, high, high_width, ...) {low, width, high, high_width},
#include "sim/sass/opcodes/opcodes.def"
};

#define LIST(...)                                                                                  \
  { __VA_ARGS__ }
static const struct {
  gboolean computes;
  PartName parts[SASS_MAX_PARTS];
} rows[] = {
#define OPCODE(number, forms, first, last, datapath, name, handler, argument, parts, operands)     \
  {FALSE, LIST parts},
#define COMPUTE(number, forms, first, last, datapath, name, handler, argument, parts, operands)    \
  {TRUE, LIST parts},
#include "sim/sass/opcodes/opcodes.def"
};

static const struct {
  guint chip;
  guint64 low, high;
} values[] = {
#define VALUES(chip, low, high, ...) {chip, low, high},
#include "tests/sass-values.def"
};

// Values of a part that do the same, of this instruction and of its like on the uniform datapath.
static const struct {
  const char *name;
  PartName part;
} alike[] = {
    {"F2I", NTZ_77},         // where no number becomes 0, the types say, too
    {"IMAD", U32_73},        // the low word of a product has no sign,
    {"ISETP", COMPARE_TYPE}, // nor has what is equal,
    {"SHF", SHIFT_TYPE_73},  // nor what is shifted to the left,
    {"REDUX", S32_73},       // nor have sums and bits
    {"VIADD", ADD_73},       // S32 need not be said
    {"R2UR", BROADCAST_87},  // of a register that is alike in all lanes
    {"R2UR", FILL_86},       // where the register was kept
    {"MOV", SPILL_88},
    // In tests/sass-values.def nothing is carried into these, or out of that, and no bit of this constant is set.
    {"IADD3", X_74},
    {"IMAD", X_74},
    {"LEA", X_74},
    {"R2UR", R2UR_84},
    {"HFMA2", BFLOAT_85},
};

static gboolean
are_alike(const char *name, PartName part) {
  for (guint i = 0; i < G_N_ELEMENTS(alike); i++)
    if (alike[i].part == part && (strcmp(name, alike[i].name) == 0 ||
                                  (*name == 'U' && strcmp(name + 1, alike[i].name) == 0)))
      return TRUE;
  return FALSE;
}

static void
set_bits(guint64 *words, guint low, guint width, guint value) {
  for (guint i = 0; i < width; i++) {
    guint64 bit = G_GUINT64_CONSTANT(1) << (low + i) % 64;
    words[(low + i) / 64] &= ~bit;
    words[(low + i) / 64] |= value >> i & 1 ? bit : 0;
  }
}

// Its steps, as text (transfer full); NULL: it is not modelled. @opcode: its name, with all parts (transfer full).
static char *
print_steps(const SassKernel *kernel, const guint64 *words, char **opcode) {
  guint64 bytes[2] = {GUINT64_TO_LE(words[0]), GUINT64_TO_LE(words[1])};
  SassInstruction instruction;
  smb_sass_read(kernel->chip, (const guint8 *)bytes, SASS_PLACE, &instruction);
  if (!instruction.is_complete || !instruction.is_modelled)
    return NULL;
  SmbProgram *program = sass_kernel_read(kernel, (const guint8 *)bytes, NULL);
  const Code *code = (const Code *)program;
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    g_autofree char *line = step_text(code, step);
    const Compute *compute = &step->compute;
    if (step->place == SASS_PLACE)
      g_string_append_printf(text, "%s %u %u\n", line, compute->from, compute->to);
  }
  *opcode = smb_sass_opcode_text(&instruction);
  smb_program_free(program);
  return g_string_free(text, FALSE);
}

// Each part of an instruction of tests/sass-values.def, with all of its other values: notes what does the same, and what does not.
static void
compare_parts(guint i, GHashTable *same, GHashTable *others) {
  SassKernel kernel = sass_kernel_open(values[i].chip);
  guint64 words[2] = {values[i].low, values[i].high};
  guint64 bytes[2] = {GUINT64_TO_LE(words[0]), GUINT64_TO_LE(words[1])};
  SassInstruction instruction;
  smb_sass_read(kernel.chip, (const guint8 *)bytes, SASS_PLACE, &instruction);
  g_autofree char *opcode = NULL, *steps = print_steps(&kernel, words, &opcode);
  for (guint p = 0; steps && p < SASS_MAX_PARTS && rows[instruction.row].parts[p]; p++) {
    PartName part = rows[instruction.row].parts[p];
    guint width = places[part].width, n = 1U << (width + places[part].high_width);
    for (guint value = 0; value < n && !are_alike(instruction.name, part); value++) {
      guint64 changed[2] = {words[0], words[1]};
      set_bits(changed, places[part].low, width, value);
      set_bits(changed, places[part].high, places[part].high_width, value >> width);
      g_autofree char *other = NULL, *other_steps = print_steps(&kernel, changed, &other);
      if (!other_steps || strcmp(other, opcode) == 0)
        continue;
      char *pair = g_strdup_printf("%s with another %s", other, parts[part].name);
      g_hash_table_add(strcmp(steps, other_steps) == 0 ? same : others, pair);
    }
  }
  sass_kernel_clear(&kernel);
}

START_TEST(test_parts) {
  g_autoptr(GHashTable) same = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) others = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    compare_parts(i, same, others);
  g_autoptr(GString) unread = g_string_new(NULL);
  GHashTableIter iter;
  gpointer pair;
  g_hash_table_iter_init(&iter, same);
  while (g_hash_table_iter_next(&iter, &pair, NULL))
    if (!g_hash_table_contains(others, pair))
      g_string_append_printf(unread, "\n%s", (const char *)pair);
  ck_assert_msg(unread->len == 0, "no handler looks at a part: the steps are the same of%s",
                unread->str);
}
END_TEST

Suite *
suite_sass_parts(void) {
  Suite *suite = suite_create("sass-parts");
  TCase *tcase = tcase_create("sass-parts");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, test_fields);
  tcase_add_test(tcase, test_names);
  tcase_add_test(tcase, test_parts);
  suite_add_tcase(suite, tcase);
  return suite;
}
