// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel with every construct of the language (tests/data/constructs.cu), changed at each of its tokens: whatever
// comes of it, it is a kernel that runs or one error with its place, and what cannot be a kernel is refused.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "tests/effort.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

enum {
  STRIDE = 5, // words from one that is changed to the next, at full effort
};

// A stretch of the text: a word, a number, a string or an operator.
typedef struct {
  gsize start;
  gsize end;
} Word;

static char *constructs; // the text
static GArray *words;    // of it
static gsize body;       // where the body of the kernel begins, behind its brace

static gsize
measure_word(const char *text) {
  gsize length = strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.");
  if (length)
    return length;
  if (*text == '"' || *text == '\'')
    return strcspn(text + 1, (char[]){*text, '\0'}) + 2;
  if (text[0] == '/' && text[1] == '/')
    return strcspn(text, "\n");
  return 1;
}

static void
read_constructs(void) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path = g_build_filename(folder ? folder : ".", "tests/data/constructs.cu", NULL);
  ck_assert_msg(g_file_get_contents(path, &constructs, NULL, NULL), "%s", path);
  words = g_array_new(FALSE, FALSE, sizeof(Word));
  for (gsize at = strspn(constructs, " \n"); constructs[at];) {
    Word word = {at, at + measure_word(constructs + at)};
    g_array_append_val(words, word);
    at = word.end + strspn(constructs + word.end, " \n");
  }
  const char *kernel = strstr(constructs, "\nconstructs(");
  ck_assert_ptr_nonnull(kernel);
  body = (gsize)(strchr(kernel, '{') + 1 - constructs);
}

static void
free_constructs(void) {
  g_free(constructs);
  g_array_unref(words);
}

static const KernelSetup setup = {
    .block = {32, 1, 1},
    .dynamic_bytes = 1024,
    .arguments = (const char *const[]){"n=3", NULL},
    .limits = {.max_steps = 20000},
};

// Every message of a text stands at a place of it, but those of a launch and of the choice of a kernel.
static void
check_message(const char *text, const char *message) {
  static const char *const elsewhere[] = {"k.cu has several kernels",
                                          "k.cu: no __global__ function",
                                          "--arg ",
                                          "k.cu: '",
                                          "'constructs'",
                                          "no parameter"};
  guint lines = 1;
  for (const char *p = text; *p; p++)
    lines += *p == '\n';
  guint64 line = 0, column = 0;
  char *end = NULL;
  if (g_str_has_prefix(message, "k.cu:") && g_ascii_isdigit(message[5])) {
    line = g_ascii_strtoull(message + 5, &end, 10);
    column = *end == ':' ? g_ascii_strtoull(end + 1, &end, 10) : 0;
    ck_assert_msg(*end == ':' && line >= 1 && line <= lines && column >= 1, "%s\nof:\n%s", message,
                  text);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS(elsewhere); i++) {
    if (g_str_has_prefix(message, elsewhere[i]))
      return;
  }
  ck_abort_msg("%s\nof:\n%s", message, text);
}

// Runs a text; returns whether it is a kernel.
static gboolean
try_text(const char *text, const KernelSetup *how) {
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text, how);
  gboolean read = run.kernel != NULL;
  if (run.error) {
    ck_assert(g_error_matches(run.error, SMB_ERROR, SMB_ERROR_INPUT) ||
              g_error_matches(run.error, SMB_ERROR, SMB_ERROR_USAGE));
    check_message(text, run.error->message);
  }
  return read;
}

static const struct {
  const char *text; // in place of a word; NULL: the text ends there
  gboolean refused; // within the kernel, no text can be read so
} mutations[] = {
    {NULL, TRUE},
    {"@", TRUE},
    {"", FALSE},
    {"unheard", FALSE},
    {"0.5f", FALSE},
    {"3", FALSE},
    {"nothing()", FALSE},
    {"pair", FALSE},
    {"quads", FALSE},
    {"tile", FALSE},
    {"list", FALSE},
    {"void", FALSE},
    {"{", FALSE},
    {")", FALSE},
    {";", FALSE},
    {"(", FALSE},
    {",", FALSE},
    {"*", FALSE},
    {"&", FALSE},
    {"extern __shared__", FALSE},
    {"a[", FALSE},
    {"make(1)", FALSE},
    {"__syncthreads()", FALSE},
};

// Not each change is made at each word: that takes half a minute.
START_TEST(test_mutations) {
  guint stride = words->len / effort(words->len / STRIDE);
  for (guint i = (guint)_i % stride; i < words->len; i += stride) {
    const Word *word = &g_array_index(words, Word, i);
    const char *instead = mutations[_i].text;
    g_autofree char *head = g_strndup(constructs, word->start);
    g_autofree char *text =
        g_strconcat(head, instead ? instead : "", instead ? constructs + word->end : "", NULL);
    gboolean read = try_text(text, &setup);
    // What an attribute or a pragma says is not looked at, nor the branch that "if constexpr" leaves out.
    gboolean is_ignored = g_str_has_suffix(head, "[[") || g_str_has_suffix(head, "_Pragma(") ||
                          g_str_has_suffix(head, "} else\n      ");
    if (word->start >= body && mutations[_i].refused && (!instead || !is_ignored))
      ck_assert_msg(!read, "a kernel, with '%s' in place of '%.20s'", instead ? instead : "(end)",
                    constructs + word->start);
  }
}
END_TEST

static gboolean
is_limit(const GError *error, const char *limit) {
  const SmbHint *hint = smb_error_hint(error, 0);
  return hint && hint->kind == SMB_HINT_LIMIT && strcmp(hint->name, limit) == 0;
}

// As it is, it runs; so it does under all limits from some on, and below these it says which is exceeded.
START_TEST(test_limits) {
  gboolean before = FALSE;
  ck_assert(try_text(constructs, &setup));
  for (guint depth = 1; depth <= 40; depth++) {
    KernelSetup how = setup;
    g_auto(KernelRun) run;
    how.limits.max_depth = depth;
    kernel_run(&run, "k.cu", constructs, &how);
    ck_assert_msg(run.analysis || strstr(run.error->message, " levels"), "depth %u: %s", depth,
                  run.error ? run.error->message : "");
    ck_assert(run.analysis || !before);
    before = run.analysis != NULL;
  }
  ck_assert(before);
  before = FALSE;
  for (guint tokens = 1; tokens <= 4000; tokens += tokens < 100 ? 1 : 7) {
    KernelSetup how = setup;
    g_auto(KernelRun) run;
    how.limits.max_tokens = tokens;
    kernel_run(&run, "k.cu", constructs, &how);
    ck_assert_msg(run.analysis || is_limit(run.error, "max_tokens"), "%u tokens: %s", tokens,
                  run.error ? run.error->message : "");
    ck_assert(run.analysis || !before);
    before = run.analysis != NULL;
  }
  ck_assert(before);
}
END_TEST

START_TEST(test_steps) {
  gboolean before = FALSE;
  for (guint steps = 1; steps <= 400; steps++) {
    KernelSetup how = setup;
    g_auto(KernelRun) run;
    how.limits.max_steps = steps;
    kernel_run(&run, "k.cu", constructs, &how);
    ck_assert_msg(run.analysis || is_limit(run.error, "max_steps"), "%u steps: %s", steps,
                  run.error ? run.error->message : "");
    ck_assert(run.analysis || !before);
    before = run.analysis != NULL;
  }
  ck_assert(before);
}
END_TEST

// Where an expression can stand: what is wrong with it is said of it, wherever that is. %s is the expression.
static const char *const contexts[] = {
    "%s;",
    "-(%s);",
    "!(%s);",
    "~(%s);",
    "(float)(%s);",
    "static_cast<int>(%s);",
    "(int(%s));",
    "out[%s] = 1;",
    "out[0] = %s;",
    "out[0] += %s;",
    "out[out[%s]]++;",
    "(out + (%s))[0] = 1;",
    "(%s) + 1;",
    "t + (%s);",
    "t < (%s);",
    "(%s) && t;",
    "t == t && (%s);",
    "t != t || (%s);",
    "(%s) ? t : 2;",
    "t == t ? (%s) : 2;",
    "t != t ? 2 : (%s);",
    "t, %s;",
    "%s, t;",
    "if (%s) t;",
    "if (t) { %s; }",
    "if (!t) ; else %s;",
    "while (%s) break;",
    "do t; while (%s);",
    "do { %s; } while (0);",
    "for (; %s;) break;",
    "for (int i = %s; i < 1; i++) ;",
    "for (int i = 0; i < 1; i += %s) ;",
    "switch (%s) { default: ; }",
    "switch (t) { default: %s; }",
    "int a = %s;",
    "int a(%s);",
    "auto a = %s;",
    "int a[2] = {1, %s};",
    "int2 a = {1, %s};",
    "int2 a; a.x = %s;",
    "Two a = {1, %s};",
    "(Two{1, %s});",
    "Two a{1}; a.b = %s;",
    "once(%s);",
    "twice<int>(%s);",
    "make_int2(1, %s);",
    "make_float4(1, 2, 3, %s);",
    "min(%s, t);",
    "max(t, %s);",
    "fminf(1, %s);",
    "sqrtf(%s);",
    "__popc(%s);",
    "__popcll(%s);",
    "__float_as_int(%s);",
    "__mulhi(t, %s);",
    "__shfl_sync(~0u, %s, 0);",
    "__shfl_sync(~0u, t, %s);",
    "__shfl_sync(~0u, t, 0, 1 + (%s));",
    "__ballot_sync(~0u, %s);",
    "__syncwarp(~(%s));",
    "atomicAdd(out, %s);",
    "atomicCAS(out, t, %s);",
    "atomicAdd(&out[%s], 1);",
    "__ldg(&out[%s]);",
    "printf(\"%%d\", %s);",
    "assert(%s);",
    "__half h = __int2half_rn(%s);",
    "__half h = __float2half(%s);",
    "__half2 h = __floats2half2_rn(1, %s);",
    "__hadd(__float2half(1), __float2half(%s));",
    "__hadd2(__float2half2_rn(%s), __float2half2_rn(1));",
};

static const struct {
  const char *expression;
  const char *message; // a part of it
} wrong[] = {
    {"1 / (t - t)", "division by zero"},
    {"*nowhere", "a void pointer cannot be dereferenced"},
    {"unheard", "unheard"},
};

START_TEST(test_contexts) {
  for (guint i = 0; i < G_N_ELEMENTS(contexts); i++) {
    g_auto(GStrv) parts = g_strsplit(contexts[i], "%s", 2);
    g_autoptr(GString) head = g_string_new(parts[0]);
    g_string_replace(head, "%%", "%", 0);
    g_autofree char *text =
        g_strconcat("struct Two { int a, b; };\n"
                    "__device__ int once(int x) { return x; }\n"
                    "template <typename T> __device__ T twice(T x) { return 2 * x; }\n"
                    "__global__ void k(int *out, const void *nowhere) { int t = threadIdx.x;\n",
                    head->str, wrong[_i].expression, parts[1], "\n}\n", NULL);
    g_auto(KernelRun) run;
    kernel_run(&run, "k.cu", text, &(KernelSetup){.block = {32, 1, 1}});
    ck_assert_msg(run.error != NULL, "runs: %s", text);
    ck_assert_msg(strstr(run.error->message, wrong[_i].message), "%s\nof: %s", run.error->message,
                  text);
    ck_assert_msg(g_str_has_prefix(run.error->message, "k.cu:5:"), "%s\nof: %s", run.error->message,
                  text);
  }
}
END_TEST

Suite *
suite_kernel_mutations(void) {
  Suite *suite = suite_create("kernel-mutations");
  TCase *tcase = tcase_create("kernel-mutations");
  tcase_add_unchecked_fixture(tcase, read_constructs, free_constructs);
  tcase_add_loop_test(tcase, test_mutations, 0, G_N_ELEMENTS(mutations));
  tcase_add_loop_test(tcase, test_contexts, 0, G_N_ELEMENTS(wrong));
  tcase_add_test(tcase, test_limits);
  tcase_add_test(tcase, test_steps);
  suite_add_tcase(suite, tcase);
  return suite;
}
