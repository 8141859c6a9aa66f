// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The course of 'smembank learn': lessons as data (data/lessons/*.lesson), whose numbers and
// claims come from the model. A lesson names runs (command lines of analyze) and speaks of what
// they gave. It is read and checked here; who uses it makes the runs, and shows them. Nothing here
// prints.
//
// A lesson is text. A line that begins with # is a comment; one that begins with @ is an item,
// which goes on in the lines below that are indented; other lines are paragraphs, with an empty
// line between.
//   @title TEXT         first; a line without numbers
//   @run NAME WORDS     a run: the words after 'smembank analyze'
//   @show RUN           its command line and its kernel
//   @counts RUN...      what its accesses to shared memory cost
//   @sectors RUN...     what its accesses to global memory touch
//   @banks ACCESS       the bank that each lane asks in the costliest request of, say, RUN.load
//   @meeting ACCESS     which of its lanes conflict in which bank
//   @check CONDITION    must hold; nothing is shown
//   @question TEXT      what is to be predicted
//   @hint TEXT          a help to predict it
//   @answer NUMBER      what is right; parts above it are shown before the prediction
//   @miss NUMBER: TEXT  what to say to that wrong prediction
//
// In texts, {EXPRESSION} is its value and {WORDS | CONDITION} are words that are true if the
// condition holds; `code` stands as it is. Any other number is refused: those that the model did
// not compute could be wrong. Expressions are those of #if, over quantities of runs:
//   RUN.load.wavefronts      of all its loads; or store, atomic; load2 is the second load in the text
//   RUN.global_load.sectors  likewise, of global memory
//   RUN.time.cycles          of the launch, as predicted of its machine code, which is beside the kernel in data/lessons
//   RUN.proof.residues       of what --prove says of all values of its parameters
//   RUN.shared_bytes         of the run
//   RUN.PAD                  a macro of its kernel
//   lanes                    of a warp
// All quantities are in src/learn/lesson-text.c.
#pragma once

#include <glib.h>

#include "sim/analysis/analysis.h"
#include "sim/base/source.h"
#include "sim/time/time.h"

G_BEGIN_DECLS

/** Most runs of one lesson. */
#define SMB_LESSON_MAX_RUNS 16

/** What stands in a lesson. */
typedef enum {
  SMB_LESSON_TEXT,
  SMB_LESSON_SHOW,
  SMB_LESSON_COUNTS,
  SMB_LESSON_SECTORS,
  SMB_LESSON_BANKS,
  SMB_LESSON_MEETING,
  SMB_LESSON_CHECK,
} SmbLessonKind;

/**
 * SmbLessonPart: a paragraph or an item.
 * @kind: what it is
 * @offset: where @text begins in the file, in bytes
 * @text: what was written, line feeds included: a text, an expression or names of runs
 */
typedef struct {
  SmbLessonKind kind;
  guint32 offset;
  char *text;
} SmbLessonPart;

/** SmbLessonMiss: a wrong prediction that is likely: its number, and what to say to it. */
typedef struct {
  SmbLessonPart number;
  SmbLessonPart text;
} SmbLessonMiss;

/** SmbLessonRun: a run by its name: the words after 'smembank analyze'. */
typedef struct {
  char *name;
  GStrv words;
} SmbLessonRun;

/**
 * SmbLesson:
 * @source: its text
 * @title: its title
 * @runs: (element-type SmbLessonRun): its runs; the first is the one to try things with
 * @before: (element-type SmbLessonPart): what is shown before the prediction
 * @question, @hint, @answer: of the prediction
 * @misses: (element-type SmbLessonMiss): predictions that are answered
 * @after: (element-type SmbLessonPart): what is shown with the answer
 */
typedef struct {
  SmbSource *source;
  char *title;
  GArray *runs;
  GArray *before;
  SmbLessonPart question;
  SmbLessonPart hint;
  SmbLessonPart answer;
  GArray *misses;
  GArray *after;
} SmbLesson;

/** SmbLessonResult: what a run gave (all transfer none). @time: (nullable): of a kernel of the course that is there as machine code, too */
typedef struct {
  const SmbProgram *kernel;
  const SmbArch *arch;
  const SmbAnalysis *analysis;
  const SmbTime *time;
  const SmbLaunch *launch;
} SmbLessonResult;

/**
 * smb_lesson_new:
 * @source: (transfer none): its text
 * @error: SMB_ERROR_INPUT with the place, the line and a caret
 *
 * Reads a lesson and checks all that can be checked without its runs.
 *
 * Returns: (transfer full): the lesson
 */
SmbLesson *smb_lesson_new(SmbSource *source, GError **error);
void smb_lesson_free(SmbLesson *lesson);

/**
 * smb_lesson_load_course:
 * @error: as smb_lesson_new(), and that of smb_data_load()
 *
 * Returns: (transfer full) (element-type SmbLesson): the lessons in the order of their files' names
 */
GPtrArray *smb_lesson_load_course(GError **error);

/**
 * smb_lesson_kernel:
 * @name: a kernel of the course, such as "swizzle.cu", or a layout, such as "tile.layout"
 * @error: SMB_ERROR_USAGE if there is none
 *
 * Returns: (transfer full): its text, of that name
 */
SmbSource *smb_lesson_kernel(const char *name, GError **error);

/** smb_lesson_code: Returns: (transfer full) (nullable): what nvcc makes of a kernel of the course for sm_90; %NULL: it is not there as
 * machine code */
SmbSource *smb_lesson_code(const char *name);

/** smb_lesson_find_run: Returns: the index of the run of that name, or -1 */
int smb_lesson_find_run(const SmbLesson *lesson, const char *name);

/**
 * smb_lesson_text:
 * @part: a part of @lesson that is a text
 * @results: (nullable) (array): what each run of @lesson gave; %NULL: all is checked that needs no run
 * @error: SMB_ERROR_INPUT with the place: a quantity that a run does not have, a claim that does
 *   not hold
 *
 * Returns: (transfer full): the text on one line, with its numbers
 */
char *smb_lesson_text(const SmbLesson *lesson, const SmbLessonPart *part,
                      const SmbLessonResult *results, GError **error);

/** smb_lesson_number: as smb_lesson_text(), for a part that is an expression: its value. */
gboolean smb_lesson_number(const SmbLesson *lesson, const SmbLessonPart *part,
                           const SmbLessonResult *results, gint64 *value, GError **error);

/**
 * smb_lesson_access:
 * @part: a part of @lesson that names an access, such as "cols.load"
 * @run: (out): index of its run
 * @error: as smb_lesson_text()
 *
 * Returns: (transfer none): the access; of several, the one with the costliest request. Without results %NULL, with an
 *   error only if the names are wrong
 */
const SmbAccess *smb_lesson_access(const SmbLesson *lesson, const SmbLessonPart *part,
                                   const SmbLessonResult *results, guint *run, GError **error);

/**
 * smb_lesson_check:
 * @error: as smb_lesson_text()
 *
 * Returns: whether everything that @lesson says is true of @results
 */
gboolean smb_lesson_check(const SmbLesson *lesson, const SmbLessonResult *results, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLesson, smb_lesson_free)

G_END_DECLS
