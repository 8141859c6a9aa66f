// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lines of instructions.def are searched in order, once for each distinct opcode of a file (PtxOpcode.line): a special
// form comes before the general one.
#include "sim/ptx/isa/instruction.h"

#include <string.h>

#include "sim/ptx/isa/computation.h"

static const PtxLine lines[] = {
#define INSTRUCTION(words, operands, handler, argument, fate) {words, NULL, operands, FATE_##fate},
#define COMPUTATION(words, more, operation, operands, modifiers, table, handler, fate)             \
  {words, more, operands, FATE_##fate},
#include "sim/ptx/isa/instructions.def"
};

guint
smb_ptx_n_lines(void) {
  return G_N_ELEMENTS(lines);
}

const PtxLine *
smb_ptx_line(guint line) {
  return &lines[line];
}

// --- words

// A list of @length characters.
static gboolean
is_among(const char *word, const char *list, gsize length, char separator) {
  gsize n = strlen(word);
  for (const char *at = list, *end = list + length; at < end;) {
    const char *next = memchr(at, separator, (gsize)(end - at));
    next = next ? next : end;
    if ((gsize)(next - at) == n && memcmp(at, word, n) == 0)
      return TRUE;
    at = next + 1;
  }
  return FALSE;
}

gboolean
smb_ptx_is_among(const char *word, const char *list, char separator) {
  return is_among(word, list, strlen(list), separator);
}

// The length of the alternatives for one word, which a blank ends.
static gsize
find_alternatives_end(const char *words) {
  return strcspn(words, " ");
}

static const char *
skip(const char *words, gsize length) {
  return words[length] ? words + length + 1 : words + length;
}

// All words of a computation, in order, with only optional parts between them.
static gboolean
fits_in_order(const PtxLine *line, const char *const *parts) {
  const char *words = line->words;
  for (; *parts; parts++) {
    gsize length = find_alternatives_end(words);
    if (is_among(*parts, words, length, '|'))
      words = skip(words, length);
    else if (!smb_ptx_is_among(*parts, line->more, ' '))
      return FALSE;
  }
  return !*words;
}

// The name, and all other words anywhere after it.
static gboolean
fits_anywhere(const PtxLine *line, const char *const *parts) {
  const char *words = line->words;
  gsize length = find_alternatives_end(words);
  if (!is_among(parts[0], words, length, '|'))
    return FALSE;
  for (words = skip(words, length); *words; words = skip(words, length)) {
    gboolean found = FALSE;
    length = find_alternatives_end(words);
    for (guint i = 1; parts[i] && !found; i++)
      found = is_among(parts[i], words, length, '|');
    if (!found)
      return FALSE;
  }
  return TRUE;
}

guint
smb_ptx_find_line(const char *const *parts) {
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    if (lines[i].more ? fits_in_order(&lines[i], parts) : fits_anywhere(&lines[i], parts))
      return i;
  }
  return PTX_NO_LINE;
}

// --- how many operands there are

void
smb_ptx_line_count(guint line, guint *least, guint *most) {
  const char *operands = lines[line].operands;
  if (lines[line].more) {
    *least = *most = smb_ptx_computation_count(line);
    if (operands && strchr(operands, '/'))
      *most += (guint)strlen(strchr(operands, '/') + 1);
    return;
  }
  *least = (guint)strcspn(operands, "/*");
  const char *rest = operands + *least;
  *most = *rest == '*' ? G_MAXUINT : *least + (*rest ? (guint)strlen(rest + 1) : 0);
}

gboolean
smb_ptx_name_count(const char *name, guint *least, guint *most) {
  *least = G_MAXUINT;
  *most = 0;
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    guint low, high;
    if (!lines[i].more ||
        !is_among(name, lines[i].words, find_alternatives_end(lines[i].words), '|'))
      continue;
    smb_ptx_line_count(i, &low, &high);
    *least = MIN(*least, low);
    *most = MAX(*most, high);
  }
  return *most > 0;
}
