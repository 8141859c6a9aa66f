// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The texts of a lesson: {…} becomes a number, or words once their condition was seen to hold. A
// number that nobody computed is refused, except within `…`, where it is a part of a name or of
// code.
#include "sim/records/lesson-impl.h"

#include <string.h>

// A text that is being rendered.
typedef struct {
  const SmbLesson *lesson;
  guint32 offset; // where text begins in the file
  const char *text;
  const SmbLessonResult *results;
  GString *out;
} Render;

static guint32
offset_of(const Render *render, const char *at) {
  return render->offset + (guint32)(at - render->text);
}

// One character; white space of any length, line feeds too, is one space.
static void
append_character(GString *out, char c) {
  if (!g_ascii_isspace(c))
    g_string_append_c(out, c);
  else if (out->len > 0 && out->str[out->len - 1] != ' ')
    g_string_append_c(out, ' ');
}

// Whether the digit at @at begins a number, and is not within a name such as float4 or sm_90.
static gboolean
begins_number(const Render *render, const char *at) {
  char before = at > render->text ? at[-1] : ' ';
  return g_ascii_isdigit(*at) && !g_ascii_isalnum(before) && before != '_' && before != '.';
}

static gboolean
append_plain(const Render *render, const char *from, const char *to, GError **error) {
  for (const char *at = from; at < to; at++) {
    if (begins_number(render, at))
      return smb_source_error(
          render->lesson->source, offset_of(render, at), error,
          "a number that is not computed: expected {EXPRESSION}, or `…` around code");
    if (*at == '}')
      return smb_source_error(render->lesson->source, offset_of(render, at), error,
                              "'}' without its beginning");
    append_character(render->out, *at);
  }
  return TRUE;
}

// Whether a condition holds; if not, the error has its numbers and what @claims it.
static gboolean
check_claim(const SmbLesson *lesson, guint32 offset, const char *text, const char *claims,
            const SmbLessonResult *results, GError **error) {
  gint64 value;
  if (!smb_lesson_evaluate(lesson, offset, text, results, &value, error))
    return FALSE;
  if (value)
    return TRUE;
  g_autofree char *numbers = smb_lesson_substitute(lesson, offset, text, results, NULL);
  return smb_source_error(lesson->source, offset, error, "%s does not hold: %s", claims,
                          g_strstrip(numbers));
}

// The bar between words and condition: not one of a pair, which is an operator.
static const char *
find_bar(const char *from, const char *to) {
  for (const char *at = from; at < to; at++) {
    if (*at != '|')
      continue;
    if (at[1] != '|')
      return at;
    at++;
  }
  return NULL;
}

// {EXPRESSION} or {WORDS | CONDITION}, without the braces.
static gboolean
append_braces(const Render *render, const char *from, const char *to, GError **error) {
  const char *bar = find_bar(from, to);
  if (!bar) {
    g_autofree char *text = g_strndup(from, (gsize)(to - from));
    gint64 value;
    if (!strpbrk(text, G_CSET_a_2_z))
      return smb_source_error(render->lesson->source, offset_of(render, from), error,
                              "'%s': a number that is not computed: expected a quantity", text);
    if (!smb_lesson_evaluate(render->lesson, offset_of(render, from), text, render->results, &value,
                             error))
      return FALSE;
    g_string_append_printf(render->out, "%" G_GINT64_FORMAT, value);
    return TRUE;
  }
  g_autofree char *words = g_strndup(from, (gsize)(bar - from));
  g_autofree char *claims = g_strdup_printf("'%s'", g_strdelimit(g_strstrip(words), "\n", ' '));
  g_autofree char *condition = g_strndup(bar + 1, (gsize)(to - bar - 1));
  while (bar > from && g_ascii_isspace(bar[-1]))
    bar--;
  return append_plain(render, from, bar, error) &&
         check_claim(render->lesson, offset_of(render, to - strlen(condition)), condition, claims,
                     render->results, error);
}

// What stands between a bracket at @at and its end; @at becomes the end.
static gboolean
append_bracket(const Render *render, const char **at, GError **error) {
  const char *from = *at + 1;
  const char *end = strchr(from, **at == '{' ? '}' : '`');
  if (!end)
    return smb_source_error(render->lesson->source, offset_of(render, *at), error,
                            "'%c' without its end", **at);
  gboolean braces = **at == '{';
  *at = end;
  if (braces)
    return append_braces(render, from, end, error);
  for (; from < end; from++)
    append_character(render->out, *from);
  return TRUE;
}

char *
smb_lesson_text(const SmbLesson *lesson, const SmbLessonPart *part, const SmbLessonResult *results,
                GError **error) {
  g_autoptr(GString) out = g_string_new(NULL);
  Render render = {lesson, part->offset, part->text, results, out};
  for (const char *at = part->text; *at; at++) {
    gboolean good = *at == '{' || *at == '`' ? append_bracket(&render, &at, error)
                                             : append_plain(&render, at, at + 1, error);
    if (!good)
      return NULL;
  }
  g_strchomp(out->str);
  return g_string_free(g_steal_pointer(&out), FALSE);
}

gboolean
smb_lesson_number(const SmbLesson *lesson, const SmbLessonPart *part,
                  const SmbLessonResult *results, gint64 *value, GError **error) {
  return smb_lesson_evaluate(lesson, part->offset, part->text, results, value, error);
}

static gboolean
check_text(const SmbLesson *lesson, const SmbLessonPart *part, const SmbLessonResult *results,
           GError **error) {
  g_autofree char *text = smb_lesson_text(lesson, part, results, error);
  return text != NULL;
}

static gboolean
check_parts(const SmbLesson *lesson, const GArray *parts, const SmbLessonResult *results,
            GError **error) {
  for (guint i = 0; i < parts->len; i++) {
    const SmbLessonPart *part = &g_array_index(parts, SmbLessonPart, i);
    gboolean good = TRUE;
    guint run;
    switch (part->kind) {
    case SMB_LESSON_TEXT:
      good = check_text(lesson, part, results, error);
      break;
    case SMB_LESSON_CHECK:
      good = check_claim(lesson, part->offset, part->text, "the condition", results, error);
      break;
    case SMB_LESSON_BANKS:
    case SMB_LESSON_MEETING:
      good = smb_lesson_access(lesson, part, results, &run, error) != NULL;
      break;
    case SMB_LESSON_SHOW:
    case SMB_LESSON_COUNTS:
    case SMB_LESSON_SECTORS:
      break;
    }
    if (!good)
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_lesson_check(const SmbLesson *lesson, const SmbLessonResult *results, GError **error) {
  gint64 value;
  if (!check_parts(lesson, lesson->before, results, error) ||
      !check_parts(lesson, lesson->after, results, error) ||
      !check_text(lesson, &lesson->question, results, error) ||
      !check_text(lesson, &lesson->hint, results, error) ||
      !smb_lesson_number(lesson, &lesson->answer, results, &value, error))
    return FALSE;
  if (value < 0)
    return smb_source_error(lesson->source, lesson->answer.offset, error,
                            "the answer is %" G_GINT64_FORMAT ": expected 0 or more", value);
  for (guint i = 0; i < lesson->misses->len; i++) {
    const SmbLessonMiss *miss = &g_array_index(lesson->misses, SmbLessonMiss, i);
    gint64 wrong;
    if (!smb_lesson_number(lesson, &miss->number, results, &wrong, error) ||
        !check_text(lesson, &miss->text, results, error))
      return FALSE;
    if (wrong == value)
      return smb_source_error(lesson->source, miss->number.offset, error,
                              "%" G_GINT64_FORMAT " is the answer: expected a wrong prediction",
                              wrong);
  }
  return TRUE;
}
