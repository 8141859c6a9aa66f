// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/learn/session.h"

#include <string.h>
#include <unistd.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "src/cli/input.h"
#include "src/learn/text.h"
#include "src/learn/trial.h"
#include "src/out/table.h"

// Longest line that is read, in bytes; what is longer is cut off.
enum {
  MAX_LINE = 4096
};

// What became of a step's prediction; the first one counts.
typedef enum {
  OUTCOME_NONE,
  OUTCOME_SKIPPED,
  OUTCOME_SEEN, // predicted after the kernel had been run
  OUTCOME_WRONG,
  OUTCOME_RIGHT,
} Outcome;

// Where an answer leads.
typedef enum {
  MOVE_STAY, // the same question again
  MOVE_ON,
  MOVE_BACK,
  MOVE_QUIT,
  MOVE_FAIL, // with an error
} Move;

typedef struct {
  SmbCli *cli;
  const GPtrArray *course;
  GInputStream *input;  // buffered; opened with the first question
  Outcome *outcomes;    // by step
  SmbLearnStep *step;   // the current one
  SmbLearnTrial *trial; // what is tried in it
  gboolean tried;       // the counts are on the screen
  GError **error;
} Session;

// What can be typed at every prompt.
typedef enum {
  COMMAND_HINT,
  COMMAND_EDIT,
  COMMAND_EXPLAIN,
  COMMAND_ADVISE,
  COMMAND_BACK,
  COMMAND_HELP,
  COMMAND_QUIT,
  N_COMMANDS,
} Command;

static const char *const command_names[N_COMMANDS][5] = {
    [COMMAND_HINT] = {"?", "hint"},         [COMMAND_EDIT] = {"e", "edit"},
    [COMMAND_EXPLAIN] = {"explain"},        [COMMAND_ADVISE] = {"advise"},
    [COMMAND_BACK] = {"b", "back"},         [COMMAND_HELP] = {"h", "help"},
    [COMMAND_QUIT] = {"q", "quit", "exit"},
};

static void
write_keys(SmbCli *cli) {
  smb_spool_puts(
      cli->out,
      "  a number     your prediction\n  Enter        skips the prediction; after the answer, the "
      "next step\n  ?            a hint\n  e, edit      edits a copy of the kernel ($VISUAL, "
      "$EDITOR) and runs it\n  NAME=VALUE   sets a macro or a parameter of the kernel and runs it; "
      "or its launch:\n               block=16,16, grid=2, arch=sm_70\n  explain      why the "
      "costliest access conflicts, with your changes\n  advise       the best padding and swizzle "
      "for the kernel, with your changes\n  explain FILE.cu ..., advise FILE.cu ...: the same for "
      "a kernel of yours\n  b, back      one step back\n  q, quit      ends the course (also exit "
      "and Ctrl-D)\n  h, help      this list\n\n");
}

// Which command a line is: by its first word, behind which only explain and advise take more.
static Command
find_session_command(const char *line, const char **rest) {
  gsize length = strcspn(line, " \t");
  g_autofree char *word = g_ascii_strdown(line, (gssize)length);
  *rest = line + length + strspn(line + length, " \t");
  for (guint command = 0; command < N_COMMANDS; command++) {
    gboolean takes_more = command == COMMAND_EXPLAIN || command == COMMAND_ADVISE;
    if (g_strv_contains(command_names[command], word) && (takes_more || !**rest))
      return (Command)command;
  }
  return N_COMMANDS;
}

static Outcome *
outcome_of(const Session *session) {
  return &session->outcomes[session->step->number - 1];
}

// The first outcome of a step counts.
static void
note_outcome(const Session *session, Outcome outcome) {
  if (*outcome_of(session) <= OUTCOME_SKIPPED)
    *outcome_of(session) = outcome;
}

static gboolean
is_setting(const char *line) {
  gsize length = strspn(line, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_");
  return length > 0 && !g_ascii_isdigit(*line) && line[length] == '=' && line[length + 1];
}

static Move
go_back(const Session *session) {
  if (session->step->number > 1)
    return MOVE_BACK;
  smb_spool_puts(session->cli->out, "This is the first step.\n\n");
  return MOVE_STAY;
}

static Move
do_command(Session *session, Command command, const char *rest) {
  SmbCli *cli = session->cli;
  gboolean good = TRUE;
  switch (command) {
  case COMMAND_HINT:
    good = smb_learn_write_hint(cli, session->step, session->error);
    break;
  case COMMAND_EDIT:
    session->tried = TRUE;
    good = smb_learn_trial_edit(session->trial, cli, session->error);
    break;
  case COMMAND_EXPLAIN:
  case COMMAND_ADVISE:
    good =
        smb_learn_trial_ask(session->trial, cli, command_names[command][0], rest, session->error);
    break;
  case COMMAND_BACK:
    return go_back(session);
  case COMMAND_HELP:
    write_keys(cli);
    break;
  case COMMAND_QUIT:
    return MOVE_QUIT;
  case N_COMMANDS:
    g_assert_not_reached();
  }
  return good ? MOVE_STAY : MOVE_FAIL;
}

// What is answered the same way before and after the prediction.
static Move
handle_common(Session *session, const char *line, const char *expected) {
  SmbCli *cli = session->cli;
  const char *rest;
  Command command = find_session_command(line, &rest);
  if (command < N_COMMANDS)
    return do_command(session, command, rest);
  if (is_setting(line)) {
    session->tried = TRUE;
    smb_learn_trial_set(session->trial, cli, line);
  } else {
    g_autofree char *refusal = g_strdup_printf(
        "'%s': expected %s, NAME=VALUE or a command ('help' lists them)\n\n", line, expected);
    g_autofree char *shortened = smb_text_shorten_quotes(refusal);
    smb_spool_puts(cli->out, shortened);
  }
  return MOVE_STAY;
}

static gboolean
open_input(Session *session) {
  g_autoptr(GInputStream) raw = session->input ? NULL : smb_input_open("-", session->error);
  if (raw)
    session->input = g_buffered_input_stream_new(raw);
  return session->input != NULL;
}

// Reads to the end of the line; a last line may end without a line feed. NULL at the end of the input.
static gboolean
get_line(const Session *session, char **line) {
  GBufferedInputStream *input = G_BUFFERED_INPUT_STREAM(session->input);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GError) failure = NULL;
  int byte;
  while ((byte = g_buffered_input_stream_read_byte(input, NULL, &failure)) >= 0 && byte != '\n') {
    if (text->len < MAX_LINE)
      g_string_append_c(text, (char)byte);
  }
  if (failure) {
    g_propagate_prefixed_error(session->error, g_steal_pointer(&failure), "stdin: ");
    return FALSE;
  }
  // A zero byte ends the text, and invalid UTF-8 is marked.
  if (byte >= 0 || text->len > 0)
    *line = g_strstrip(g_utf8_make_valid(text->str, -1));
  return TRUE;
}

// Asks on the line of the answer. Where no terminal shows what is typed, the answer is written behind the question.
static gboolean
ask_learner(Session *session, const char *question, char **line, Move *move) {
  SmbCli *cli = session->cli;
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, question);
  smb_spool_puts(cli->out, " ");
  if (!smb_cli_flush(cli, session->error) || !open_input(session) || !get_line(session, line)) {
    *move = MOVE_FAIL;
    return FALSE;
  }
  if (!isatty(STDIN_FILENO) || !*line)
    smb_spool_printf(cli->out, "%s\n", *line ? *line : "");
  if (!*line)
    *move = MOVE_QUIT;
  return *line != NULL;
}

// What to say to a wrong prediction: what is right, and what the lesson has for it.
static gboolean
write_miss(const Session *session, guint64 said, guint64 truth) {
  const SmbLesson *lesson = session->step->lesson;
  const SmbLessonResult *results = smb_learn_step_results(session->step);
  SmbCli *cli = session->cli;
  smb_style_write(cli->out, SMB_STYLE_BAD, cli->colour, "Not quite:");
  smb_spool_printf(cli->out, " it is %s.\n\n", smb_number(truth).text);
  for (guint i = 0; i < lesson->misses->len; i++) {
    const SmbLessonMiss *miss = &g_array_index(lesson->misses, SmbLessonMiss, i);
    gint64 wrong;
    if (!smb_lesson_number(lesson, &miss->number, results, &wrong, session->error))
      return FALSE;
    if ((guint64)wrong != said)
      continue;
    g_autofree char *text = smb_lesson_text(lesson, &miss->text, results, session->error);
    if (!text)
      return FALSE;
    smb_text_wrap(cli->out, text);
    smb_spool_puts(cli->out, "\n");
    return TRUE;
  }
  return TRUE;
}

// Judges a prediction; @said is NULL if there is none.
static gboolean
write_answer(const Session *session, const guint64 *said) {
  SmbCli *cli = session->cli;
  const SmbLessonResult *results = smb_learn_step_results(session->step);
  gint64 truth;
  if (!smb_lesson_number(session->step->lesson, &session->step->lesson->answer, results, &truth,
                         session->error))
    return FALSE;
  smb_spool_puts(cli->out, "\n");
  if (!said) {
    note_outcome(session, OUTCOME_SKIPPED);
    smb_spool_printf(cli->out, "The answer is %" G_GINT64_FORMAT ".\n\n", truth);
    return TRUE;
  }
  gboolean right = *said == (guint64)truth;
  note_outcome(session, session->tried ? OUTCOME_SEEN : right ? OUTCOME_RIGHT : OUTCOME_WRONG);
  if (!right)
    return write_miss(session, *said, (guint64)truth);
  smb_style_write(cli->out, SMB_STYLE_GOOD, cli->colour, "Right:");
  smb_spool_printf(cli->out, " %" G_GINT64_FORMAT ".%s\n\n", truth,
                   session->tried ? " It does not count, since you had run the kernel." : "");
  return TRUE;
}

static Move
ask_prediction(Session *session) {
  g_autofree char *line = NULL;
  Move move = MOVE_STAY;
  guint64 said;
  if (!ask_learner(session, "Your prediction (? for a hint, h for help):", &line, &move))
    return move;
  if (g_ascii_string_to_unsigned(line, 10, 0, G_MAXINT64, &said, NULL))
    return write_answer(session, &said) ? MOVE_ON : MOVE_FAIL;
  if (!*line)
    return write_answer(session, NULL) ? MOVE_ON : MOVE_FAIL;
  return handle_common(session, line, "a number, Enter");
}

static Move
ask_next(Session *session) {
  g_autofree char *line = NULL;
  Move move = MOVE_STAY;
  const char *question = session->step->number < session->step->n_steps
                             ? "Enter for the next step (e to edit, h for help):"
                             : "Enter to end (e to edit, h for help):";
  if (!ask_learner(session, question, &line, &move))
    return move;
  return *line ? handle_common(session, line, "Enter") : MOVE_ON;
}

static Move
run_step(Session *session) {
  Move move;
  session->tried = FALSE;
  if (!smb_learn_write_before(session->cli, session->step, session->error))
    return MOVE_FAIL;
  while ((move = ask_prediction(session)) == MOVE_STAY) {
  }
  if (move != MOVE_ON)
    return move;
  if (!smb_learn_write_after(session->cli, session->step, session->error))
    return MOVE_FAIL;
  while ((move = ask_next(session)) == MOVE_STAY) {
  }
  smb_spool_puts(session->cli->out, "\n");
  return move;
}

static void
write_score(const Session *session) {
  guint counts[OUTCOME_RIGHT + 1] = {0};
  for (guint i = 0; i < session->course->len; i++)
    counts[session->outcomes[i]]++;
  guint predicted = counts[OUTCOME_RIGHT] + counts[OUTCOME_WRONG];
  SmbSpool *out = session->cli->out;
  if (predicted > 0)
    smb_spool_printf(out, "You predicted %u of %u right.\n", counts[OUTCOME_RIGHT], predicted);
  if (counts[OUTCOME_SKIPPED] > 0)
    smb_spool_printf(out, "You skipped %u.\n", counts[OUTCOME_SKIPPED]);
}

// From step to step; @at counts them from 1.
static Move
run_steps(Session *session, guint at) {
  Move move = MOVE_ON;
  while (at <= session->course->len && (move == MOVE_ON || move == MOVE_BACK)) {
    g_autoptr(SmbLearnStep) step = smb_learn_step_new(session->course, at, session->error);
    if (!step)
      return MOVE_FAIL;
    g_autoptr(SmbLearnTrial) trial = smb_learn_trial_new(step);
    session->step = step;
    session->trial = trial;
    move = run_step(session);
    at = move == MOVE_BACK ? at - 1 : at + 1;
    if (move == MOVE_QUIT)
      smb_spool_printf(session->cli->out, "\nTo go on from here: smembank learn %u\n",
                       step->number);
  }
  return move;
}

gboolean
smb_learn_session_run(SmbCli *cli, const GPtrArray *course, guint first, GError **error) {
  g_autofree Outcome *outcomes = g_new0(Outcome, course->len);
  Session session = {.cli = cli, .course = course, .outcomes = outcomes, .error = error};
  smb_text_wrap(
      cli->out,
      "A course on bank conflicts. Each step asks a question: predict the number before you see "
      "it. All counts are computed by the model, for " SMB_DEFAULT_ARCH
      " unless a step says otherwise; the command lines shown give the same counts.");
  smb_spool_puts(cli->out, "\n");
  write_keys(cli);
  if (!isatty(STDIN_FILENO))
    smb_text_wrap(cli->out,
                  "Standard input is not a terminal: each line of it is an answer. 'smembank learn "
                  "--all' writes all steps and asks nothing.\n");
  gboolean good = run_steps(&session, first) != MOVE_FAIL;
  if (good)
    write_score(&session);
  g_clear_object(&session.input);
  return good;
}
