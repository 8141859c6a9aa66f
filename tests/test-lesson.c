// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lessons: what is refused when they are read, what their numbers and claims become on the model,
// and that the course that comes with the library holds.
#include "src/learn/lesson.h"

#include <check.h>
#include <string.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "src/learn/step.h"
#include "src/learn/trial.h"
#include "tests/suite.h"

static SmbLesson *
read_lesson(const char *text, GError **error) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("l", bytes, NULL);
  return smb_lesson_new(source, error);
}

#define TITLE "@title A title\n"
#define RUN   "@run a --kernel setRowReadCol --shape square\n"
#define END   "@question How many?\n@hint Think.\n@answer a.load.worst\n"

// A lesson that cannot be read, and the message up to its end of line.
static const char *const unreadable[][2] = {
    {"", "l:1:1: the lesson has no @title"},
    {RUN END, "l:4:21: the lesson has no @title"},
    {TITLE "@question How?\n@hint H\n@answer lanes\n", "l:4:14: the lesson has no @run"},
    {TITLE RUN "@hint H\n@answer lanes\n", "l:4:14: the lesson has no @question"},
    {TITLE RUN "@question Q\n@answer lanes\n", "l:4:14: the lesson has no @hint"},
    {TITLE RUN "@question Q\n@hint H\n", "l:4:8: the lesson has no @answer"},
    {TITLE TITLE, "l:2:8: a second title"},
    {"@title {lanes} lanes\n", "l:1:8: a title is shown as it is: expected no {EXPRESSION}"},
    {"@title 32 lanes\n",
     "l:1:8: a number that is not computed: expected {EXPRESSION}, or `…` around code"},
    {TITLE "@colour red\n",
     "l:2:1: '@colour': expected one of title, run, show, counts, sectors, banks, "
     "meeting, check, question, hint, answer, miss"},
    {TITLE "@\n", "l:2:1: '@': expected one of title, run, show, counts, sectors, banks, meeting, "
                  "check, question, hint, answer, miss"},
    {TITLE "@show\n", "l:2:1: @show: nothing follows it"},
    {TITLE "@run\nText\n", "l:2:1: @run: nothing follows it"},
    {TITLE "@run a\n", "l:2:6: 'a': expected NAME and the words of a command"},
    {TITLE "@run a 'b\n", "l:2:6: 'a 'b': expected NAME and the words of a command"},
    {TITLE "@run 1 --rows\n", "l:2:6: '1': expected a new name"},
    {TITLE "@run a.b --rows\n", "l:2:6: 'a.b': expected a new name"},
    {TITLE RUN RUN, "l:3:6: 'a': expected a new name"},
    {TITLE RUN "@show b\n", "l:3:7: no run 'b' above"},
    {TITLE RUN "@show a a\n", "l:3:7: 'a a': expected one run"},
    {TITLE RUN "@counts a b\n", "l:3:9: no run 'b' above"},
    {TITLE "@sectors a\n" RUN, "l:2:10: no run 'a' above"},
    {TITLE RUN "@banks a\n", "l:3:8: 'a': expected RUN.load, RUN.store or RUN.atomic"},
    {TITLE RUN "@banks a.global_load\n",
     "l:3:8: 'a.global_load': expected RUN.load, RUN.store or RUN.atomic"},
    {TITLE RUN "@meeting b.load\n", "l:3:10: 'b.load': no run 'b' above"},
    {TITLE RUN "@check a.load.speed > 1\n",
     "l:3:8: 'a.load.speed': expected one of requests, wavefronts, ideal, excess, degree, cycles, "
     "worst, worst_ideal, width"},
    {TITLE RUN "@check a.global_load.wavefronts\n",
     "l:3:8: 'a.global_load.wavefronts': expected one of requests, sectors, ideal, worst"},
    {TITLE RUN "@check a.fetch.ideal\n",
     "l:3:8: 'a.fetch.ideal': expected load, store, atomic, global_load, time, proof, ..."},
    {TITLE RUN "@check a.load0.ideal\n",
     "l:3:8: 'a.load0.ideal': expected load, store, atomic, global_load, time, proof, ..."},
    {TITLE RUN "@check 1 == lane\n",
     "l:3:13: 'lane': expected RUN.ACCESS.QUANTITY, RUN.QUANTITY or lanes"},
    {TITLE RUN "@check a.load.b.c\n",
     "l:3:8: 'a.load.b.c': expected RUN.ACCESS.QUANTITY, RUN.QUANTITY or lanes"},
    {TITLE RUN "One\nword: {b.load.worst}\n", "l:4:8: 'b.load.worst': no run 'b' above"},
    {TITLE RUN "It takes 32.\n",
     "l:3:10: a number that is not computed: expected {EXPRESSION}, or `…` around code"},
    {TITLE RUN "A 4-byte word\n",
     "l:3:3: a number that is not computed: expected {EXPRESSION}, or `…` around code"},
    {TITLE RUN "{all 32 | lanes == 32}\n",
     "l:3:6: a number that is not computed: expected {EXPRESSION}, or `…` around code"},
    {TITLE RUN "It takes {32}.\n",
     "l:3:11: '32': a number that is not computed: expected a quantity"},
    {TITLE RUN "It takes {lanes.\n\nMore}\n", "l:3:10: '{' without its end"},
    {TITLE RUN "It `takes.\n", "l:3:4: '`' without its end"},
    {TITLE RUN "It takes }.\n", "l:3:10: '}' without its beginning"},
    {TITLE RUN END "@answer lanes\n", "l:6:9: a second one: a lesson has one prediction"},
    {TITLE RUN END "@hint Two\n", "l:6:7: a second one: a lesson has one prediction"},
    {TITLE RUN END "@question Two\n", "l:6:11: a second one: a lesson has one prediction"},
    {TITLE RUN END "@miss lanes\n", "l:6:7: 'lanes': expected NUMBER: TEXT"},
    {TITLE RUN END "@miss lane: No\n",
     "l:6:7: 'lane': expected RUN.ACCESS.QUANTITY, RUN.QUANTITY or lanes"},
    {TITLE RUN END "@miss lanes: No,\n  not {c.load.worst}\n",
     "l:7:8: 'c.load.worst': no run 'c' above"},
};

START_TEST(test_unreadable) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(read_lesson(unreadable[_i][0], &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  g_autofree char *line = g_strndup(error->message, strcspn(error->message, "\n"));
  ck_assert_str_eq(line, unreadable[_i][1]);
}
END_TEST

START_TEST(test_too_many_runs) {
  g_autoptr(GString) text = g_string_new(TITLE);
  for (guint i = 0; i <= SMB_LESSON_MAX_RUNS; i++)
    g_string_append_printf(text, "@run r%u --rows\n", i);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(read_lesson(text->str, &error));
  ck_assert_ptr_nonnull(strstr(error->message, ": more than 16 runs\n"));
}
END_TEST

// The parts in their order, on both sides of the answer; lines that go on; comments.
START_TEST(test_parts) {
  static const char text[] = "# comment\r\n" TITLE RUN "\n"
                             "One\n  line {lanes}\n@show a\nTwo.\n# comment\nThree.\n"
                             "@question How\n  many?\n@hint Think.\n@answer\n  lanes\n"
                             "@miss 2 * lanes: No:\n  less.\n@check 1\n@banks a.load\nFour";
  g_autoptr(SmbLesson) lesson = read_lesson(text, NULL);
  ck_assert_ptr_nonnull(lesson);
  ck_assert_str_eq(lesson->title, "A title");
  ck_assert_uint_eq(lesson->runs->len, 1);
  ck_assert_str_eq(g_array_index(lesson->runs, SmbLessonRun, 0).words[1], "setRowReadCol");
  ck_assert_uint_eq(lesson->before->len, 4);
  ck_assert_int_eq(g_array_index(lesson->before, SmbLessonPart, 1).kind, SMB_LESSON_SHOW);
  ck_assert_str_eq(g_array_index(lesson->before, SmbLessonPart, 3).text, "Three.");
  ck_assert_str_eq(lesson->question.text, "How\n  many?");
  ck_assert_str_eq(lesson->answer.text, "lanes");
  ck_assert_uint_eq(lesson->after->len, 3);
  ck_assert_str_eq(g_array_index(lesson->after, SmbLessonPart, 2).text, "Four");
  ck_assert_uint_eq(lesson->misses->len, 1);
  ck_assert_str_eq(g_array_index(lesson->misses, SmbLessonMiss, 0).number.text, "2 * lanes");
  ck_assert_str_eq(g_array_index(lesson->misses, SmbLessonMiss, 0).text.text, " No:\n  less.");
}
END_TEST

// The runs that the following texts speak of.
static const char runs[] = TITLE "@run a --kernel setRowReadCol --shape square\n"
                                 "@run pad --kernel setRowReadColPad --shape rect -D IPAD=1\n"
                                 "@run wide --rows 8 --cols 32 --elem float4 --read row\n"
                                 "@run sum --kernel reduceSmem --shape 128\n"
                                 "@run old --kernel naiveGmem --arch sm_20\n"
                                 "@run fast --kernel naiveGmem\n";

// What a paragraph of a lesson over these runs becomes; or NULL with the error of its check.
static char *
show(const char *paragraph, GError **error) {
  g_autofree char *text = g_strconcat(runs, END, "\n", paragraph, "\n", NULL);
  g_autoptr(SmbLesson) lesson = read_lesson(text, error);
  if (!lesson)
    return NULL;
  g_autoptr(GPtrArray) course = g_ptr_array_new();
  g_ptr_array_add(course, lesson);
  g_autoptr(SmbLearnStep) step = smb_learn_step_new(course, 1, error);
  if (!step || lesson->after->len == 0)
    return NULL;
  return smb_lesson_text(lesson, &g_array_index(lesson->after, SmbLessonPart, 0),
                         smb_learn_step_results(step), error);
}

// Texts, and what they become.
static const char *const texts[][2] = {
    {"Words\n  and \t words ", "Words and words"},
    {"{lanes} lanes, { 2 * (lanes + 1) } more", "32 lanes, 66 more"},
    {"sm_90, float4, H200, v1.5 and `32 x\n33`", "sm_90, float4, H200, v1.5 and 32 x 33"},
    {"{a.load.requests} {a.load.wavefronts} {a.load.ideal} {a.load.excess}", "32 1024 32 992"},
    {"{a.load.degree} {a.load.cycles} {a.load.worst} {a.load.worst_ideal} {a.load.width}",
     "32 1024 32 1 4"},
    {"{a.store.wavefronts} {a.store1.worst}", "32 1"},
    {"{a.warps} {a.shared_bytes} {a.banks} {a.bank_bytes} {a.sector_bytes}", "32 4096 32 4 32"},
    {"{a.constant_requests} {a.constant_words} {a.constant_cycles} {a.shuffles}", "0 0 0 0"},
    {"{pad.IPAD} {pad.BDIMX + pad.IPAD} {pad.shared_bytes}", "1 33 2112"},
    {"{wide.load.worst} {wide.load.worst_ideal} {wide.load.excess} {wide.load.width}", "4 4 0 16"},
    {"{sum.load.requests - sum.load1.requests - sum.load2.requests > 0}", "1"},
    {"{sum.store.requests} {sum.store1.requests}", "48 16"},
    {"{fast.global_store.sectors} {fast.global_store.ideal} {fast.global_store.worst}",
     "2048 512 16"},
    {"{fast.global_load.requests} {old.global_load.requests}", "128 128"},
    {"It {does | a.load.excess > 0}, {or\n  not | a.load.excess || lanes}.", "It does, or not."},
    {"{no two | pad.load.degree == 2 || pad.load.degree == 1}", "no two"},
};

START_TEST(test_texts) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text = show(texts[_i][0], &error);
  ck_assert_msg(text != NULL, "%s: %s", texts[_i][0], error ? error->message : "");
  ck_assert_str_eq(text, texts[_i][1]);
}
END_TEST

// What is not true of the runs, or not there: the message up to its end of line. Line 12 is the
// paragraph's.
static const char *const untrue[][2] = {
    {"It {does not | a.load.excess == 0}.", "l:12:15: 'does not' does not hold: 992 == 0"},
    {"{As\n  many | a.load.worst ==\n 31}", "l:13:9: 'As   many' does not hold: 32 ==\\n"},
    {"@check a.load.worst < lanes", "l:12:8: the condition does not hold: 32 < 32"},
    {"{lanes +}", "l:12:2: '32 +': expected an integer expression"},
    {"{lanes / (lanes - 32)}", "l:12:2: '32 / (32 - 32)': expected an integer expression"},
    {"{a.atomic.worst}", "l:12:2: 'a.atomic.worst': the run makes no such request"},
    {"{a.load2.worst}", "l:12:2: 'a.load2.worst': the run makes no such request"},
    {"{a.global_load.sectors}", "l:12:2: 'a.global_load.sectors': the run makes no such request"},
    {"{old.global_load.sectors}",
     "l:12:2: 'old.global_load.sectors': the architecture of the run moves no 32-byte sectors"},
    {"{a.time.cycles}", "l:12:2: 'a.time.cycles': the time of the run is not known"},
    {"{a.IPAD}", "l:12:2: 'a.IPAD': neither a quantity of a run nor a macro of its kernel"},
    {"{wide.OUT}", "l:12:2: 'wide.OUT': neither a quantity of a run nor a macro of its kernel"},
    {"@meeting a.atomic", "l:12:10: 'a.atomic': the run makes no such request"},
    {"@miss a.load.worst: No", "l:12:7: 32 is the answer: expected a wrong prediction"},
    {"@run b --kernel nothing", "l: run 'b': no built-in kernel 'nothing'"},
    {"@run b --kernels x", "l: run 'b': unknown option --kernels; did you mean '--kernel'?"},
    {"@run b --help", "l: run 'b': --help cannot be used here"},
    {"@run b nothing.cu",
     "l: run 'b': no kernel 'nothing.cu' in the course: expected one of "
     "constant.cu, counter.cu, pitch.cu, reduction.cu, sum.cu, swizzle.cu, turn.cu, width.cu, "
     "word.cu, padded.layout, swizzled.layout, tile.layout"},
    {"@run b word.cu -D WORDS=0", "l: run 'b': word.cu:14:41: division by zero, by thread (0,0,0)"},
};

START_TEST(test_untrue) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text = show(untrue[_i][0], &error);
  ck_assert_msg(error != NULL, "%s: %s", untrue[_i][0], text);
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_msg(g_str_has_prefix(error->message, untrue[_i][1]), "%s: %s", untrue[_i][0],
                error->message);
}
END_TEST

// The course holds: every number can be computed, and every claim is true.
START_TEST(test_course) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) course = smb_lesson_load_course(&error);
  ck_assert_msg(course != NULL, "%s", error ? error->message : "");
  ck_assert_uint_ge(course->len, 10);
  for (guint i = 1; i <= course->len; i++) {
    g_autoptr(SmbLearnStep) step = smb_learn_step_new(course, i, &error);
    ck_assert_msg(step != NULL, "%s", error ? error->message : "");
    // Its own kernels do nothing suspicious, and every likely mistake is one.
    for (guint j = 0; j < step->runs->len; j++) {
      const SmbLearnRun *run = step->runs->pdata[j];
      ck_assert_uint_eq(run->analysis->warnings->len, 0);
    }
    ck_assert_uint_gt(step->lesson->misses->len, 0);
  }
}
END_TEST

// A copy that nobody edited costs what the kernel costs, however it is launched.
START_TEST(test_copy) {
  g_autoptr(GPtrArray) course = smb_lesson_load_course(NULL);
  g_autofree char *folder = g_dir_make_tmp("test-lesson-XXXXXX", NULL);
  for (guint i = 1; i <= course->len; i++) {
    g_autoptr(SmbLearnStep) step = smb_learn_step_new(course, i, NULL);
    for (guint j = 0; j < step->runs->len; j++) {
      const SmbLearnRun *run = step->runs->pdata[j];
      g_autoptr(GError) error = NULL;
      g_auto(GStrv) words = NULL;
      g_autofree char *path = smb_learn_copy(run, folder, &words, &error);
      g_autoptr(SmbLearnRun) copy =
          path ? smb_learn_run_new((const char *const *)words, FALSE, &error) : NULL;
      ck_assert_msg(copy != NULL, "%s", error ? error->message : "");
      ck_assert_uint_eq(copy->analysis->shared_bytes, run->analysis->shared_bytes);
      ck_assert_mem_eq(copy->analysis->totals, run->analysis->totals, sizeof run->analysis->totals);
      ck_assert_mem_eq(copy->analysis->global_totals, run->analysis->global_totals,
                       sizeof run->analysis->global_totals);
      g_unlink(path);
    }
  }
  g_rmdir(folder);
}
END_TEST

Suite *
suite_lesson(void) {
  TCase *cases = tcase_create("lesson");
  tcase_add_loop_test(cases, test_unreadable, 0, G_N_ELEMENTS(unreadable));
  tcase_add_test(cases, test_too_many_runs);
  tcase_add_test(cases, test_parts);
  tcase_add_loop_test(cases, test_texts, 0, G_N_ELEMENTS(texts));
  tcase_add_loop_test(cases, test_untrue, 0, G_N_ELEMENTS(untrue));
  tcase_add_test(cases, test_course);
  tcase_add_test(cases, test_copy);
  Suite *suite = suite_create("lesson");
  suite_add_tcase(suite, cases);
  return suite;
}
