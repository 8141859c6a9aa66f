// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "sim/ptx/isa/computation.h"
#include "tests/random-ptx.h"

// Lines of the tables: parts of an opcode, of which "a|b" is a choice, and modifiers that may be there as well.
typedef struct {
  const char *parts;
  const char *more;
} Line;

#define RELATIONS   "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"
#define ANY_INTEGER "u8|u16|u32|u64|s8|s16|s32|s64"
#define ANY_REAL    "f16|bf16|f32|f64"
#define COMPARED    "b16|u16|s16|b32|u32|s32|b64|u64|s64|" ANY_REAL
#define ROUNDINGS   "rni rzi rmi rpi rn rz rm rp rna"

static const Line lines[] = {
#define COMPUTATION(words, more, ...) {words, more},
#include "sim/ptx/isa/instructions.def"
    // families that sim/ptx/isa/computation.c finds
    {"setp " RELATIONS " " COMPARED, "and or xor ftz"},
    {"set " RELATIONS " u32|s32|f32|u16|f16|bf16 " COMPARED, "and or xor ftz"},
    {"cvt " ANY_INTEGER " " ANY_INTEGER, "sat"},
    {"cvt " ANY_INTEGER " " ANY_REAL, ROUNDINGS " ftz sat"},
    {"cvt " ANY_REAL " " ANY_INTEGER, ROUNDINGS " sat"},
    {"cvt " ANY_REAL " " ANY_REAL, ROUNDINGS " ftz sat satfinite relu"},
    {"cvt f16x2|bf16x2 f32", ROUNDINGS " satfinite relu"},
    {"cvt tf32 f32", ROUNDINGS " satfinite relu"},
    {"cvt e4m3x2|e5m2x2|e2m3x2|e3m2x2|ue8m0x2 f32|f16x2|bf16x2", "rn rz rp satfinite relu"},
    {"cvt f16x2|bf16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|ue8m0x2", "rn relu"},
    {"setp " RELATIONS " f16x2|bf16x2", "and or xor ftz"},
};

// Of these an opcode has one at most.
static const char *const exclusive[] = {
    " rni rzi rmi rpi rn rz rm rp rna approx full ",
    " and or xor ",
    " sat relu ",
};

const char *
random_opcodes_line(guint line) {
  return lines[line].parts;
}

static gboolean
is_one_of(const char *words, const char *word) {
  g_autofree char *spaced = g_strdup_printf(" %s ", word);
  return strstr(words, spaced) != NULL;
}

static gboolean
is_type(const char *part) {
  gsize letters = strspn(part, "busft");
  return strcmp(part, "pred") == 0 || g_str_has_suffix(part, "x2") ||
         (letters > 0 && letters < 3 && strchr("1368", part[letters]) && part[letters]);
}

// "fma", "ftz sat", "f32": modifiers stand before the types.
static char *
join(char *const *parts, char *const *chosen) {
  GString *opcode = g_string_new(parts[0]);
  gboolean done = FALSE;
  for (guint i = 1; parts[i]; i++) {
    for (guint j = 0; !done && is_type(parts[i]) && chosen[j]; j++)
      g_string_append_printf(opcode, ".%s", chosen[j]);
    done = done || is_type(parts[i]);
    g_string_append_printf(opcode, ".%s", parts[i]);
  }
  return g_string_free(opcode, FALSE);
}

static gboolean
can_stand_together(char *const *chosen, const char *word) {
  for (guint i = 0; chosen[i]; i++)
    for (guint j = 0; j < G_N_ELEMENTS(exclusive); j++)
      if (is_one_of(exclusive[j], chosen[i]) && is_one_of(exclusive[j], word))
        return FALSE;
  return TRUE;
}

static void
add_opcode(RandomOpcodes *opcodes, guint line, char *const *parts, char *const *chosen) {
  g_autofree char *opcode = join(parts, chosen);
  g_auto(GStrv) words = g_strsplit(opcode, ".", -1);
  ComputeForm form;
  if (!smb_ptx_find_compute((const char *const *)words, 0, &form))
    return;
  g_ptr_array_add(opcodes->names, g_steal_pointer(&opcode));
  g_array_append_val(opcodes->lines, line);
}

// With each set of the modifiers from @more on, in their order.
static void
add_modified(RandomOpcodes *opcodes, guint line, char *const *parts, char *const *more,
             char **chosen) {
  guint n = g_strv_length(chosen);
  if (!*more) {
    add_opcode(opcodes, line, parts, chosen);
    return;
  }
  add_modified(opcodes, line, parts, more + 1, chosen);
  if (!can_stand_together(chosen, *more))
    return;
  chosen[n] = *more;
  add_modified(opcodes, line, parts, more + 1, chosen);
  chosen[n] = NULL;
}

// With each choice of the parts from number @at on.
static void
add_line(RandomOpcodes *opcodes, guint line, char **parts, guint at) {
  if (parts[at]) {
    char *choices = parts[at];
    g_auto(GStrv) each = g_strsplit(choices, "|", -1);
    for (guint i = 0; each[i]; i++) {
      parts[at] = each[i];
      add_line(opcodes, line, parts, at + 1);
    }
    parts[at] = choices;
    return;
  }
  // Before what it rounds, a modifier says how.
  g_auto(GStrv) more = g_strsplit(lines[line].more, " ", -1);
  char *ordered[20] = {NULL}, *chosen[20] = {NULL};
  guint n = 0;
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; more[i]; i++)
      if (*more[i] && is_one_of(exclusive[0], more[i]) == (pass == 0))
        ordered[n++] = more[i];
  add_modified(opcodes, line, parts, ordered, chosen);
}

RandomOpcodes *
random_opcodes_new(void) {
  RandomOpcodes *opcodes = g_new0(RandomOpcodes, 1);
  opcodes->names = g_ptr_array_new_with_free_func(g_free);
  opcodes->lines = g_array_new(FALSE, FALSE, sizeof(guint));
  opcodes->n_lines = G_N_ELEMENTS(lines);
  for (guint i = 0; i < opcodes->n_lines; i++) {
    g_auto(GStrv) parts = g_strsplit(lines[i].parts, " ", -1);
    add_line(opcodes, i, parts, 0);
  }
  return opcodes;
}

void
random_opcodes_free(RandomOpcodes *opcodes) {
  g_ptr_array_unref(opcodes->names);
  g_array_unref(opcodes->lines);
  g_free(opcodes);
}

gboolean
random_opcodes_keep(RandomOpcodes *opcodes, const char *text) {
  g_auto(GStrv) kept = g_strsplit(text, "\n", -1);
  g_autoptr(GHashTable) set = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; kept[i]; i++)
    g_hash_table_add(set, kept[i]);
  for (guint i = opcodes->names->len; i-- > 0;)
    if (!g_hash_table_contains(set, g_ptr_array_index(opcodes->names, i))) {
      g_ptr_array_remove_index(opcodes->names, i);
      g_array_remove_index(opcodes->lines, i);
    }
  return opcodes->names->len > 0;
}
