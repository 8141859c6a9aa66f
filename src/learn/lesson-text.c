// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The texts of a lesson: {…} becomes a number, or words once their condition was seen to hold. A
// number that nobody computed is refused, except within `…`, where it is a part of a name or of
// code.
//
// In expressions a quantity is replaced by its number; the rest is the kernel language's, whose integer expressions
// these are. With results of NULL all is checked that needs none.
#include "src/learn/lesson.h"

#include <math.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/proof/kernel-proof.h"

// What a quantity is a quantity of.
typedef enum {
  SCOPE_SHARED, // requests of shared memory
  SCOPE_GLOBAL, // requests of global memory
  SCOPE_TIME,   // the predicted time of a run
  SCOPE_PROOF,  // what holds for all values of its parameters
  SCOPE_RUN,    // a run
} Scope;

// The quantities of each scope, by their names: what tally, access, sum, analysis and info say, which the functions that
// read them have; of a proof @only is the access that is free of conflicts for some values of a parameter.
#define SHARED_FIELDS(FIELD)                                                                       \
  FIELD("requests", tally->requests)                                                               \
  FIELD("wavefronts", tally->wavefronts)                                                           \
  FIELD("ideal", tally->ideal)                                                                     \
  FIELD("excess", tally->excess)                                                                   \
  FIELD("degree", tally->max_degree)                                                               \
  FIELD("cycles", tally->cycles)                                                                   \
  FIELD("worst", access->worst_cost.wavefronts) /* of the costliest request */                     \
  FIELD("worst_ideal", access->worst_cost.ideal)                                                   \
  FIELD("width", access->site->width) /* bytes of one lane in it */
#define GLOBAL_FIELDS(FIELD)                                                                       \
  FIELD("requests", sum.requests)                                                                  \
  FIELD("sectors", sum.segments)                                                                   \
  FIELD("ideal", sum.ideal)                                                                        \
  FIELD("worst", sum.max_segments) /* most sectors of one request */
#define TIME_FIELDS(FIELD)                                                                         \
  FIELD("cycles", time->cycles)                                                                    \
  FIELD("without", time->without) /* bank conflicts: cycles */                                     \
  FIELD("microseconds", smb_time_microseconds(time, time->cycles))                                 \
  FIELD("microseconds_without", smb_time_microseconds(time, time->without))                        \
  FIELD("shared_busy", 100 * time->busy[SMB_UNIT_SHARED]) /* percent of the time */                \
  FIELD("dram_busy", 100 * time->busy[SMB_UNIT_DRAM])
#define PROOF_FIELDS(FIELD)                                                                        \
  FIELD("accesses", proof->sites->len)                                                             \
  FIELD("free", count_proved(proof))   /* of conflicts, for all values */                          \
  FIELD("ways", find_most_ways(proof)) /* at most, of all values */                                \
  FIELD("modulus", only->modulus)                                                                  \
  FIELD("residues", count_free_residues(only)) /* of these */
#define RUN_FIELDS(FIELD)                                                                          \
  FIELD("warps", analysis->n_warps) /* of a block */                                               \
  FIELD("shared_bytes", analysis->shared_bytes)                                                    \
  FIELD("banks", info->banks)                                                                      \
  FIELD("bank_bytes", info->bank_bytes)                                                            \
  FIELD("sector_bytes", analysis->segment_bytes)                                                   \
  FIELD("constant_requests", analysis->constant_total.requests)                                    \
  FIELD("constant_words", analysis->constant_total.wavefronts) /* distinct ones of each request */ \
  FIELD("constant_cycles", analysis->constant_total.cycles)                                        \
  FIELD("shuffles", count_shuffles(analysis))
#define NAME(name, value)  name,
#define VALUE(name, value) value,

// A quantity by its name. @nth is 0 for all accesses of the class, or counts them from 1.
typedef struct {
  guint run;
  Scope scope;
  SmbOpClass op_class;
  guint nth;
  guint field;       // by the list of its scope
  const char *macro; // within the name: of a run, what is none of its fields; or NULL
} Quantity;

// A name in an expression, and where an error about it points.
typedef struct {
  const SmbLesson *lesson;
  guint32 offset;
  const char *text;
} Name;

#define refuse_quantity(name, error, format, ...)                                                  \
  smb_source_error((name)->lesson->source, (name)->offset, error, "'%s': " format, (name)->text,   \
                   ##__VA_ARGS__)

// "load", "store2", "global_store": a class of accesses, and which one.
static gboolean
parse_selector(const char *text, Quantity *quantity) {
  quantity->scope = strcmp(text, "time") == 0 ? SCOPE_TIME : SCOPE_PROOF;
  if (quantity->scope == SCOPE_TIME || strcmp(text, "proof") == 0)
    return TRUE;
  quantity->scope = g_str_has_prefix(text, "global_") ? SCOPE_GLOBAL : SCOPE_SHARED;
  text += quantity->scope == SCOPE_GLOBAL ? strlen("global_") : 0;
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    const char *name = smb_op_class_name((SmbOpClass)c);
    guint64 nth = 0;
    if (!g_str_has_prefix(text, name))
      continue;
    text += strlen(name);
    if (*text && !g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT, &nth, NULL))
      return FALSE;
    quantity->op_class = (SmbOpClass)c;
    quantity->nth = (guint)nth;
    return TRUE;
  }
  return FALSE;
}

static gboolean
parse_run(const Name *name, const char *run, Quantity *quantity, GError **error) {
  int index = smb_lesson_find_run(name->lesson, run);
  if (index < 0)
    return refuse_quantity(name, error, "no run '%s' above", run);
  quantity->run = (guint)index;
  return TRUE;
}

static gboolean
parse_field(const Name *name, const char *word, Quantity *quantity, GError **error) {
  static const char *const shared[] = {SHARED_FIELDS(NAME) NULL};
  static const char *const global[] = {GLOBAL_FIELDS(NAME) NULL};
  static const char *const run[] = {RUN_FIELDS(NAME) NULL};
  static const char *const time[] = {TIME_FIELDS(NAME) NULL};
  static const char *const proof[] = {PROOF_FIELDS(NAME) NULL};
  static const char *const *const scopes[] = {shared, global, time, proof, run};
  const char *const *names = scopes[quantity->scope];
  while (names[quantity->field] && strcmp(names[quantity->field], word) != 0)
    quantity->field++;
  if (names[quantity->field])
    return TRUE;
  g_autofree char *known = g_strjoinv(", ", (char **)names);
  if (quantity->scope != SCOPE_RUN)
    return refuse_quantity(name, error, "expected one of %s", known);
  quantity->macro = name->text + strlen(name->text) - strlen(word);
  return TRUE;
}

static gboolean
parse_quantity(const Name *name, Quantity *quantity, GError **error) {
  g_auto(GStrv) words = g_strsplit(name->text, ".", -1);
  guint n = g_strv_length(words);
  if (n < 2 || n > 3)
    return refuse_quantity(name, error, "expected RUN.ACCESS.QUANTITY, RUN.QUANTITY or lanes");
  quantity->scope = SCOPE_RUN;
  if (!parse_run(name, words[0], quantity, error))
    return FALSE;
  if (n == 3 && !parse_selector(words[1], quantity))
    return refuse_quantity(name, error,
                           "expected load, store, atomic, global_load, time, proof, ...");
  return parse_field(name, words[n - 1], quantity, error);
}

// Whether an access is the one that is meant; @seen counts those of the class.
static gboolean
selects(const Quantity *quantity, const SmbSite *site, guint *seen) {
  if (site->op_class != quantity->op_class)
    return FALSE;
  ++*seen;
  return quantity->nth == 0 || quantity->nth == *seen;
}

// The access that is meant: of several, the first whose costliest request is the costliest of all.
static const SmbAccess *
select_access(const Quantity *quantity, const SmbAnalysis *analysis) {
  const SmbAccess *found = NULL;
  guint seen = 0;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (selects(quantity, access->site, &seen) &&
        (!found || access->worst_cost.excess > found->worst_cost.excess))
      found = access;
  }
  return found;
}

static gboolean
value_of_shared(const Name *name, const Quantity *quantity, const SmbAnalysis *analysis,
                guint64 *value, GError **error) {
  const SmbAccess *access = select_access(quantity, analysis);
  if (!access)
    return refuse_quantity(name, error, "the run makes no such request");
  const SmbTally *tally = quantity->nth ? &access->total : &analysis->totals[quantity->op_class];
  const guint64 values[] = {SHARED_FIELDS(VALUE)};
  *value = values[quantity->field];
  return TRUE;
}

static gboolean
value_of_global(const Name *name, const Quantity *quantity, const SmbAnalysis *analysis,
                guint64 *value, GError **error) {
  SmbGlobalAccess sum = {0};
  guint seen = 0;
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    if (!selects(quantity, access->site, &seen))
      continue;
    sum.requests += access->requests;
    sum.segments += access->segments;
    sum.ideal += access->ideal;
    sum.max_segments = MAX(sum.max_segments, access->max_segments);
  }
  if (sum.requests == 0)
    return refuse_quantity(name, error, "the run makes no such request");
  // Requests, the first field, are the same whatever they move.
  if (analysis->segment_bytes != 32 && quantity->field > 0)
    return refuse_quantity(name, error, "the architecture of the run moves no 32-byte sectors");
  const guint64 values[] = {GLOBAL_FIELDS(VALUE)};
  *value = values[quantity->field];
  return TRUE;
}

static gboolean
value_of_time(const Name *name, const Quantity *quantity, const SmbTime *time, guint64 *value,
              GError **error) {
  if (!time)
    return refuse_quantity(name, error, "the time of the run is not known");
  const double values[] = {TIME_FIELDS(VALUE)};
  *value = (guint64)round(values[quantity->field]);
  return TRUE;
}

static guint
count_proved(const SmbKernelProof *proof) {
  guint n = 0;
  for (guint i = 0; i < proof->sites->len; i++)
    n += ((const SmbProvedSite *)proof->sites->pdata[i])->verdict == SMB_PROVED;
  return n;
}

static guint
find_most_ways(const SmbKernelProof *proof) {
  guint ways = 0;
  for (guint i = 0; i < proof->sites->len; i++)
    ways = MAX(ways, ((const SmbProvedSite *)proof->sites->pdata[i])->degree);
  return ways;
}

static guint
count_free_residues(const SmbProvedSite *proved) {
  guint n = 0;
  for (guint r = 0; r < proved->modulus; r++)
    n += proved->free[r];
  return n;
}

static gboolean
value_of_proof(const Name *name, const Quantity *quantity, const SmbLessonResult *result,
               guint64 *value, GError **error) {
  g_autoptr(SmbKernelProof) proof =
      smb_kernel_proof_new(result->kernel, result->arch, result->launch);
  const SmbProvedSite none = {.modulus = 0}, *only = &none;
  if (!proof || smb_kernel_proof_verdict(proof) == SMB_PROOF_STOPPED)
    return refuse_quantity(name, error, "nothing is proved of the run");
  for (guint i = 0; i < proof->sites->len; i++) {
    const SmbProvedSite *proved = proof->sites->pdata[i];
    only = proved->verdict == SMB_PROVED_FOR ? proved : only;
  }
  const guint64 values[] = {PROOF_FIELDS(VALUE)};
  *value = values[quantity->field];
  return TRUE;
}

static gboolean
value_of_macro(const Name *name, const char *macro, const SmbProgram *kernel, gint64 *value,
               GError **error) {
  g_autofree char *defined = g_strdup_printf("defined(%s)", macro);
  gint64 is_defined = 0;
  if (!smb_program_evaluate(kernel, defined, &is_defined, NULL) || !is_defined)
    return refuse_quantity(name, error, "neither a quantity of a run nor a macro of its kernel");
  if (!smb_program_evaluate(kernel, macro, value, NULL))
    return refuse_quantity(name, error, "the macro is not a whole number");
  return TRUE;
}

static guint64
count_shuffles(const SmbAnalysis *analysis) {
  guint64 n = 0;
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    n += traffic->kind == SMB_TRAFFIC_SHUFFLE ? traffic->executions : 0;
  }
  return n;
}

static gboolean
value_of_run(const Name *name, const Quantity *quantity, const SmbLessonResult *result,
             gint64 *value, GError **error) {
  const SmbArchInfo *info = smb_arch_info(result->arch);
  const SmbAnalysis *analysis = result->analysis;
  if (quantity->macro)
    return value_of_macro(name, quantity->macro, result->kernel, value, error);
  const gsize values[] = {RUN_FIELDS(VALUE)};
  *value = (gint64)values[quantity->field];
  return TRUE;
}

static gboolean
value_of(const Name *name, const SmbLessonResult *results, gint64 *value, GError **error) {
  Quantity quantity = {0};
  guint64 count = 0;
  *value = SMB_NVIDIA_LANES;
  if (strcmp(name->text, "lanes") == 0)
    return TRUE;
  *value = 1;
  if (!parse_quantity(name, &quantity, error))
    return FALSE;
  if (!results)
    return TRUE;
  const SmbLessonResult *result = &results[quantity.run];
  if (quantity.scope == SCOPE_RUN)
    return value_of_run(name, &quantity, result, value, error);
  gboolean good = quantity.scope == SCOPE_SHARED
                      ? value_of_shared(name, &quantity, result->analysis, &count, error)
                  : quantity.scope == SCOPE_TIME
                      ? value_of_time(name, &quantity, result->time, &count, error)
                  : quantity.scope == SCOPE_PROOF
                      ? value_of_proof(name, &quantity, result, &count, error)
                      : value_of_global(name, &quantity, result->analysis, &count, error);
  *value = (gint64)count;
  return good;
}

// The expression @text, which begins at @offset in the lesson, with numbers in the place of its names; NULL: an error.
static char *
substitute_numbers(const SmbLesson *lesson, guint32 offset, const char *text,
                   const SmbLessonResult *results, GError **error) {
  g_autoptr(GString) numbers = g_string_new(NULL);
  for (const char *at = text; *at;) {
    gsize length = strspn(at, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.");
    if (length == 0 || g_ascii_isdigit(*at)) {
      g_string_append_len(numbers, at, (gssize)MAX(length, 1));
      at += MAX(length, 1);
      continue;
    }
    g_autofree char *word = g_strndup(at, length);
    Name name = {lesson, offset + (guint32)(at - text), word};
    gint64 value = 0;
    if (!value_of(&name, results, &value, error))
      return NULL;
    g_string_append_printf(numbers, "%" G_GINT64_FORMAT, value);
    at += length;
  }
  return g_string_free(g_steal_pointer(&numbers), FALSE);
}

// The value of an expression of numbers: any kernel evaluates it, since no name is left that could be a macro.
static gboolean
evaluate_numbers(const char *numbers, gint64 *value) {
  static const char text[] = "__global__ void numbers() {}";
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("numbers.cu", bytes, NULL);
  g_autoptr(SmbProgram) program = smb_program_read(source, &(SmbProgramOptions){0}, NULL);
  return program && smb_program_evaluate(program, numbers, value, NULL);
}

// The value of an expression; 1 without results.
static gboolean
work_out(const SmbLesson *lesson, guint32 offset, const char *text, const SmbLessonResult *results,
         gint64 *value, GError **error) {
  g_autofree char *numbers = substitute_numbers(lesson, offset, text, results, error);
  if (!numbers)
    return FALSE;
  *value = 1;
  if (results && !evaluate_numbers(numbers, value))
    return smb_source_error(lesson->source, offset, error, "'%s': expected an integer expression",
                            g_strstrip(numbers));
  return TRUE;
}

const SmbAccess *
smb_lesson_access(const SmbLesson *lesson, const SmbLessonPart *part,
                  const SmbLessonResult *results, guint *run, GError **error) {
  Name name = {lesson, part->offset, part->text};
  Quantity quantity = {0};
  g_auto(GStrv) words = g_strsplit(part->text, ".", -1);
  if (g_strv_length(words) != 2 || !parse_selector(words[1], &quantity) ||
      quantity.scope != SCOPE_SHARED) {
    refuse_quantity(&name, error, "expected RUN.load, RUN.store or RUN.atomic");
    return NULL;
  }
  if (!parse_run(&name, words[0], &quantity, error) || !results)
    return NULL;
  const SmbAccess *access = select_access(&quantity, results[quantity.run].analysis);
  if (!access)
    refuse_quantity(&name, error, "the run makes no such request");
  *run = quantity.run;
  return access;
}

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
  if (!work_out(lesson, offset, text, results, &value, error))
    return FALSE;
  if (value)
    return TRUE;
  g_autofree char *numbers = substitute_numbers(lesson, offset, text, results, NULL);
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
    if (!work_out(render->lesson, offset_of(render, from), text, render->results, &value, error))
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
  return work_out(lesson, part->offset, part->text, results, value, error);
}

static gboolean
check_lesson_sentence(const SmbLesson *lesson, const SmbLessonPart *part,
                      const SmbLessonResult *results, GError **error) {
  g_autofree char *text = smb_lesson_text(lesson, part, results, error);
  return text != NULL;
}

static gboolean
check_text_parts(const SmbLesson *lesson, const GArray *parts, const SmbLessonResult *results,
                 GError **error) {
  for (guint i = 0; i < parts->len; i++) {
    const SmbLessonPart *part = &g_array_index(parts, SmbLessonPart, i);
    gboolean good = TRUE;
    guint run;
    switch (part->kind) {
    case SMB_LESSON_TEXT:
      good = check_lesson_sentence(lesson, part, results, error);
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
  if (!check_text_parts(lesson, lesson->before, results, error) ||
      !check_text_parts(lesson, lesson->after, results, error) ||
      !check_lesson_sentence(lesson, &lesson->question, results, error) ||
      !check_lesson_sentence(lesson, &lesson->hint, results, error) ||
      !smb_lesson_number(lesson, &lesson->answer, results, &value, error))
    return FALSE;
  if (value < 0)
    return smb_source_error(lesson->source, lesson->answer.offset, error,
                            "the answer is %" G_GINT64_FORMAT ": expected 0 or more", value);
  for (guint i = 0; i < lesson->misses->len; i++) {
    const SmbLessonMiss *miss = &g_array_index(lesson->misses, SmbLessonMiss, i);
    gint64 wrong;
    if (!smb_lesson_number(lesson, &miss->number, results, &wrong, error) ||
        !check_lesson_sentence(lesson, &miss->text, results, error))
      return FALSE;
    if (wrong == value)
      return smb_source_error(lesson->source, miss->number.offset, error,
                              "%" G_GINT64_FORMAT " is the answer: expected a wrong prediction",
                              wrong);
  }
  return TRUE;
}
