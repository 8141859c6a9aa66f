// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads lessons: the lines of a file become paragraphs and items, each checked as it is read. The files of the course
// are lessons in the order of their names, and the kernels that only they use.
#include "src/learn/lesson.h"

#include <string.h>

#include "sim/base/data.h"
#include "sim/base/error.h"

// A lesson that is being read.
typedef struct {
  SmbLesson *lesson;
  GError **error;
} Reader;

// An item by its name: reads what follows it. Then that is the part at @into of the lesson, or one more part of
// this @kind in the order of the file; of SMB_LESSON_TEXT it is neither.
typedef struct {
  const char *name;
  gboolean (*read)(Reader *reader, const SmbLessonPart *part);
  SmbLessonKind kind;
  gsize into; // 0: not one that there is once
} Item;

static void
clear_part(gpointer data) {
  g_clear_pointer(&((SmbLessonPart *)data)->text, g_free);
}

static void
clear_run(gpointer data) {
  SmbLessonRun *run = data;
  g_free(run->name);
  g_strfreev(run->words);
}

static void
clear_miss(gpointer data) {
  SmbLessonMiss *miss = data;
  clear_part(&miss->number);
  clear_part(&miss->text);
}

static GArray *
new_lesson_array(guint size, GDestroyNotify clear) {
  GArray *array = g_array_new(FALSE, TRUE, size);
  g_array_set_clear_func(array, clear);
  return array;
}

void
smb_lesson_free(SmbLesson *lesson) {
  if (!lesson)
    return;
  g_array_unref(lesson->runs);
  g_array_unref(lesson->before);
  g_array_unref(lesson->after);
  g_array_unref(lesson->misses);
  clear_part(&lesson->question);
  clear_part(&lesson->hint);
  clear_part(&lesson->answer);
  g_free(lesson->title);
  smb_source_unref(lesson->source);
  g_free(lesson);
}

int
smb_lesson_find_run(const SmbLesson *lesson, const char *name) {
  for (guint i = 0; i < lesson->runs->len; i++) {
    if (strcmp(g_array_index(lesson->runs, SmbLessonRun, i).name, name) == 0)
      return (int)i;
  }
  return -1;
}

#define refuse_lesson(reader, offset, ...)                                                         \
  smb_source_error((reader)->lesson->source, offset, (reader)->error, __VA_ARGS__)

static gboolean
check_lesson_text(Reader *reader, const SmbLessonPart *part) {
  g_autofree char *text = smb_lesson_text(reader->lesson, part, NULL, reader->error);
  return text != NULL;
}

static gboolean
check_expression(Reader *reader, const SmbLessonPart *part) {
  gint64 value;
  return smb_lesson_number(reader->lesson, part, NULL, &value, reader->error);
}

static void
add_lesson_part(Reader *reader, SmbLessonPart *part) {
  SmbLesson *lesson = reader->lesson;
  g_array_append_vals(lesson->answer.text ? lesson->after : lesson->before, part, 1);
  part->text = NULL;
}

static gboolean
read_title(Reader *reader, const SmbLessonPart *part) {
  if (reader->lesson->title)
    return refuse_lesson(reader, part->offset, "a second title");
  if (strchr(part->text, '{'))
    return refuse_lesson(reader, part->offset,
                         "a title is shown as it is: expected no {EXPRESSION}");
  reader->lesson->title = smb_lesson_text(reader->lesson, part, NULL, reader->error);
  return reader->lesson->title != NULL;
}

static gboolean
is_lesson_name(const char *text) {
  return g_ascii_isalpha(*text) &&
         strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_") == strlen(text);
}

static gboolean
read_run(Reader *reader, const SmbLessonPart *part) {
  SmbLesson *lesson = reader->lesson;
  g_auto(GStrv) words = NULL;
  if (!g_shell_parse_argv(part->text, NULL, &words, NULL) || !words[1])
    return refuse_lesson(reader, part->offset, "'%s': expected NAME and the words of a command",
                         part->text);
  if (!is_lesson_name(words[0]) || smb_lesson_find_run(lesson, words[0]) >= 0)
    return refuse_lesson(reader, part->offset, "'%s': expected a new name", words[0]);
  if (lesson->runs->len >= SMB_LESSON_MAX_RUNS)
    return refuse_lesson(reader, part->offset, "more than %d runs", SMB_LESSON_MAX_RUNS);
  SmbLessonRun run = {g_strdup(words[0]), g_strdupv(words + 1)};
  g_array_append_val(lesson->runs, run);
  return TRUE;
}

// A list of runs, all of which stand above.
static gboolean
read_runs(Reader *reader, const SmbLessonPart *part) {
  g_auto(GStrv) names = g_strsplit_set(part->text, " \n", -1);
  for (guint i = 0; names[i]; i++) {
    if (*names[i] && smb_lesson_find_run(reader->lesson, names[i]) < 0)
      return refuse_lesson(reader, part->offset, "no run '%s' above", names[i]);
  }
  if (g_strv_length(names) > (part->kind == SMB_LESSON_SHOW ? 1 : SMB_LESSON_MAX_RUNS))
    return refuse_lesson(reader, part->offset, "'%s': expected one run", part->text);
  return TRUE;
}

static gboolean
read_access(Reader *reader, const SmbLessonPart *part) {
  g_autoptr(GError) failure = NULL;
  guint run;
  smb_lesson_access(reader->lesson, part, NULL, &run, &failure);
  if (!failure)
    return TRUE;
  g_propagate_error(reader->error, g_steal_pointer(&failure));
  return FALSE;
}

static gboolean
read_miss(Reader *reader, const SmbLessonPart *part) {
  const char *colon = strchr(part->text, ':');
  if (!colon)
    return refuse_lesson(reader, part->offset, "'%s': expected NUMBER: TEXT", part->text);
  SmbLessonMiss miss = {
      {SMB_LESSON_TEXT, part->offset, g_strndup(part->text, (gsize)(colon - part->text))},
      {SMB_LESSON_TEXT, part->offset + (guint32)(colon + 1 - part->text), g_strdup(colon + 1)}};
  g_array_append_val(reader->lesson->misses, miss);
  return check_expression(reader, &miss.number) && check_lesson_text(reader, &miss.text);
}

static const Item items[] = {
    {"title", read_title, SMB_LESSON_TEXT, 0},
    {"run", read_run, SMB_LESSON_TEXT, 0},
    {"show", read_runs, SMB_LESSON_SHOW, 0},
    {"counts", read_runs, SMB_LESSON_COUNTS, 0},
    {"sectors", read_runs, SMB_LESSON_SECTORS, 0},
    {"banks", read_access, SMB_LESSON_BANKS, 0},
    {"meeting", read_access, SMB_LESSON_MEETING, 0},
    {"check", check_expression, SMB_LESSON_CHECK, 0},
    {"question", check_lesson_text, SMB_LESSON_TEXT, G_STRUCT_OFFSET(SmbLesson, question)},
    {"hint", check_lesson_text, SMB_LESSON_TEXT, G_STRUCT_OFFSET(SmbLesson, hint)},
    {"answer", check_expression, SMB_LESSON_TEXT, G_STRUCT_OFFSET(SmbLesson, answer)},
    {"miss", read_miss, SMB_LESSON_TEXT, 0},
};

// Puts a part of an item, which was read, where it belongs.
static gboolean
place_part(Reader *reader, const Item *item, SmbLessonPart *part) {
  SmbLessonPart *into = &G_STRUCT_MEMBER(SmbLessonPart, reader->lesson, item->into);
  if (!item->into) {
    if (item->kind != SMB_LESSON_TEXT)
      add_lesson_part(reader, part);
    return TRUE;
  }
  if (into->text)
    return refuse_lesson(reader, part->offset, "a second one: a lesson has one prediction");
  *into = *part;
  part->text = NULL;
  return TRUE;
}

// What stands in a stretch of the file, without white space at its end.
static char *
copy_lesson_text(const char *text, gsize length) {
  char *copy = g_strndup(text, length);
  g_strchomp(copy);
  return copy;
}

// An item that begins at @from, of @length bytes: "@NAME TEXT".
static gboolean
take_item(Reader *reader, guint32 from, gsize length) {
  const char *text = smb_source_text(reader->lesson->source) + from;
  g_autofree char *name = g_strndup(text + 1, strcspn(text + 1, " \t\r\n"));
  gsize skip = MIN(1 + strlen(name), length);
  while (skip < length && g_ascii_isspace(text[skip]))
    skip++;
  for (guint i = 0; i < G_N_ELEMENTS(items); i++) {
    if (strcmp(items[i].name, name) != 0)
      continue;
    SmbLessonPart part = {items[i].kind, from + (guint32)skip,
                          copy_lesson_text(text + skip, length - skip)};
    gboolean good = *part.text
                        ? items[i].read(reader, &part) && place_part(reader, &items[i], &part)
                        : refuse_lesson(reader, from, "@%s: nothing follows it", name);
    clear_part(&part);
    return good;
  }
  g_autoptr(GString) known = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(items); i++)
    g_string_append_printf(known, "%s%s", i ? ", " : "", items[i].name);
  return refuse_lesson(reader, from, "'@%s': expected one of %s", name, known->str);
}

static gboolean
read_paragraph(Reader *reader, guint32 from, gsize length) {
  const char *text = smb_source_text(reader->lesson->source) + from;
  SmbLessonPart part = {SMB_LESSON_TEXT, from, copy_lesson_text(text, length)};
  gboolean good = check_lesson_text(reader, &part);
  if (good)
    add_lesson_part(reader, &part);
  clear_part(&part);
  return good;
}

static gboolean
is_empty(const char *line) {
  return line[strspn(line, " \t\r")] == '\n' || !line[strspn(line, " \t\r")];
}

// Whether a line goes on with what began above it.
static gboolean
continues_item(char kind, const char *line) {
  if (!*line || is_empty(line) || *line == '@' || *line == '#')
    return FALSE;
  return kind != '@' || *line == ' ' || *line == '\t';
}

static gboolean
read_lesson_lines(Reader *reader) {
  const char *text = smb_source_text(reader->lesson->source);
  for (const char *line = text; *line;) {
    const char *end = line;
    do {
      end += strcspn(end, "\n");
      end += *end != '\0';
    } while (*line != '#' && !is_empty(line) && continues_item(*line, end));
    guint32 from = (guint32)(line - text);
    gsize length = (gsize)(end - line);
    if (*line != '#' && !is_empty(line) &&
        !(*line == '@' ? take_item(reader, from, length) : read_paragraph(reader, from, length)))
      return FALSE;
    line = end;
  }
  return TRUE;
}

static gboolean
check_whole(Reader *reader) {
  const SmbLesson *lesson = reader->lesson;
  guint32 end = (guint32)smb_source_length(lesson->source);
  const char *missing = !lesson->title           ? "@title"
                        : lesson->runs->len == 0 ? "@run"
                        : !lesson->question.text ? "@question"
                        : !lesson->hint.text     ? "@hint"
                        : !lesson->answer.text   ? "@answer"
                                                 : NULL;
  return !missing || refuse_lesson(reader, end ? end - 1 : 0, "the lesson has no %s", missing);
}

SmbLesson *
smb_lesson_new(SmbSource *source, GError **error) {
  g_autoptr(SmbLesson) lesson = g_new0(SmbLesson, 1);
  lesson->source = smb_source_ref(source);
  lesson->runs = new_lesson_array(sizeof(SmbLessonRun), clear_run);
  lesson->before = new_lesson_array(sizeof(SmbLessonPart), clear_part);
  lesson->after = new_lesson_array(sizeof(SmbLessonPart), clear_part);
  lesson->misses = new_lesson_array(sizeof(SmbLessonMiss), clear_miss);
  Reader reader = {lesson, error};
  if (!read_lesson_lines(&reader) || !check_whole(&reader))
    return NULL;
  return g_steal_pointer(&lesson);
}

static SmbSource *
load_lesson_source(const char *path, const char *name, GError **error) {
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  return bytes ? smb_source_new_any(name, bytes, error) : NULL;
}

GPtrArray *
smb_lesson_load_course(GError **error) {
  g_autoptr(GPtrArray) course = g_ptr_array_new_with_free_func((GDestroyNotify)smb_lesson_free);
  g_auto(GStrv) names = smb_data_list("lessons", ".lesson");
  for (guint i = 0; names[i]; i++) {
    g_autofree char *path = g_strdup_printf("lessons/%s.lesson", names[i]);
    g_autofree char *name = g_strconcat("data/", path, NULL);
    g_autoptr(SmbSource) source = load_lesson_source(path, name, error);
    SmbLesson *lesson = source ? smb_lesson_new(source, error) : NULL;
    if (!lesson)
      return NULL;
    g_ptr_array_add(course, lesson);
  }
  return g_steal_pointer(&course);
}

// The kernels and layouts of the course, by the names of their files.
static GStrv
list_lesson_kernels(void) {
  static const char *const kinds[] = {".cu", ".layout"};
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
    g_auto(GStrv) stems = smb_data_list("lessons", kinds[kind]);
    for (guint i = 0; stems[i]; i++) {
      g_autofree char *name = g_strconcat(stems[i], kinds[kind], NULL);
      g_strv_builder_add(builder, name);
    }
  }
  return g_strv_builder_end(builder);
}

SmbSource *
smb_lesson_kernel(const char *name, GError **error) {
  g_auto(GStrv) names = list_lesson_kernels();
  if (!g_strv_contains((const char *const *)names, name)) {
    g_autofree char *list = g_strjoinv(", ", names);
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "no kernel '%s' in the course: expected one of %s",
             name, list);
    return NULL;
  }
  g_autofree char *path = g_strconcat("lessons/", name, NULL);
  return load_lesson_source(path, name, error);
}

SmbSource *
smb_lesson_code(const char *name) {
  g_auto(GStrv) names = smb_data_list("lessons", ".cubin");
  g_autofree char *stem = g_strndup(name, strlen(name) - (g_str_has_suffix(name, ".cu") ? 3 : 0));
  g_autofree char *path = g_strdup_printf("lessons/%s.cubin", stem);
  return g_strv_contains((const char *const *)names, stem) ? load_lesson_source(path, name, NULL)
                                                           : NULL;
}
