// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Texts that ask for too much: each ends soon, in a message. And the same result for any number of
// threads.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/hint.h"
#include "tests/effort.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

// A text made of a repeated part: HEAD, then COUNT times the parts, then TAIL. "%u" in a part is the
// number of the repetition, from 1, and "%p" the one before it.
typedef struct {
  const char *head;
  const char *open;
  guint count;
  const char *middle;
  const char *close;
  const char *tail;
  const char *message; // a part of it; NULL: it runs
} Repeated;

#define KERNEL "__global__ void k(int *out) {\n"
#define DEEP   "nested more than 200 levels deep"
#define LEVELS "has more than 800 levels"

static const Repeated repeated[] = {
    {KERNEL "out[0] = ", "(", 100, "1", ")", ";}", NULL},
    {KERNEL "out[0] = ", "(", 20000, "1", ")", ";}", DEEP},
    {KERNEL, "{", 20000, "", "}", "}", DEEP},
    {KERNEL, "if (1) ", 20000, ";", "", "}", DEEP},
    {KERNEL, "if (0) ; else ", 20000, ";", "", "}", DEEP},
    {KERNEL, "for (;;) ", 20000, "break;", "", "}", DEEP},
    {KERNEL, "do ", 20000, ";", " while (0);", "}", DEEP},
    {KERNEL "out[0] = ", "- ", 20000, "1", "", ";}", DEEP},
    {KERNEL "out[0] = ", "!", 20000, "1", "", ";}", DEEP},
    {KERNEL "out[0] = ", "(int)", 20000, "1", "", ";}", DEEP},
    {KERNEL "out[0] = ", "sizeof ", 20000, "1", "", ";}", DEEP},
    {KERNEL "out[0] = ", "out[", 20000, "1", "]", ";}", DEEP},
    {KERNEL "out[0] = ", "min(1, ", 20000, "1", ")", ";}", DEEP},
    {KERNEL "out[0] = ", "out ? 1 : ", 20000, "1", "", ";}", DEEP},
    {KERNEL "int a; ", "a = ", 20000, "1", "", ";}", DEEP},
    {KERNEL "int a[1] = ", "{", 20000, "1", "}", ";}", DEEP},
    {KERNEL "int a", "[1]", 20000, "", "", ";}", DEEP},
    {KERNEL "int ", "*", 20000, "p", "", ";}", "more than 8 '*'"},
    {KERNEL "out[0] = out[1]", " + out[1]", 700, "", "", ";}", NULL},
    {KERNEL "out[0] = out[1]", " + out[1]", 20000, "", "", ";}", LEVELS},
    {KERNEL "out[0]", ", out[0]", 20000, "", "", ";}", LEVELS},
    {KERNEL "out[0] = ", "out[0] && ", 20000, "1", "", ";}", LEVELS},
    {KERNEL "int a;", " a = 1;", 100000, "", "", "}", NULL},
    {KERNEL, "int a%u = 1;", 3000, "", "", "}", NULL},
    {KERNEL, ";", 1100000, "", "", "}", "the text has more tokens than are allowed"},
    {"__device__ int f0(int x) { return x; }\n",
     "__device__ int f%u(int x) { return f%p(x) + 1; }\n", 100, "", "", KERNEL "out[0] = f100(3);}",
     NULL},
    {"__device__ int f0(int x) { return x; }\n",
     "__device__ int f%u(int x) { return f%p(x) + 1; }\n", 3000, "", "",
     KERNEL "out[0] = f3000(3);}", "levels"},
    {"__device__ int f0(int x) { return x + 1; }\n",
     "__device__ int f%u(int x) { return f%p(f%p(x)); }\n", 19, "", "", KERNEL "out[0] = f19(3);}",
     "'k' has too many steps: expected at most 262144"},
    {"#define A0 1\n", "#define A%u A%p\n", 900, "", "", KERNEL "out[0] = A900;}", NULL},
    {"#define A0 1\n", "#define A%u A%p\n", 30000, "", "", KERNEL "out[0] = A30000;}",
     "macros are nested too deeply here"},
    {"#define A0 1\n", "#define A%u A%p + A%p\n", 60, "", "", KERNEL "out[0] = A60;}",
     "macros make more than 1000000 tokens"},
    {"#define D(x) x x\n" KERNEL "out[0] = ", "D(", 100, "1", ")", ";}",
     "macros make more than 1000000 tokens"},
    {"#define I(x) x\n" KERNEL "out[0] = ", "I(", 1000, "1", ")", ";}",
     "macros are nested too deeply here"},
    {"", "#if 1\n", 20000, "", "#endif\n", KERNEL "}", "#if is nested more than 200 deep"},
    {"#if ", "(", 20000, "1", ")", "\n#endif\n" KERNEL "}", "nested too deeply"},
    {"#if ", "!", 20000, "1", "", "\n#endif\n" KERNEL "}", "nested too deeply"},
    {"#if ", "1 ? ", 20000, "1", " : 0", "\n#endif\n" KERNEL "}", "nested too deeply"},
    {"#if 1", " + 1", 20000, "", "", "\n#endif\n" KERNEL "}", NULL},
    {"__global__ void k(", "int, ", 100, "int", "", ") {}", "at most 64 parameters"},
    {KERNEL "out[0] = min(", "1, ", 100, "1", "", ");}", "at most 64 arguments"},
    {"#define F(", "a%u, ", 100, "b", "", ") 1\n" KERNEL "}", "at most 64 parameters"},
    {"", "extern \"C\" {", 20000, "", "}", KERNEL "}", NULL},
    {"", "void f%u() {}\n", 20000, "", "", KERNEL "}", NULL},
};

// A part, with its number filled in.
static void
append_part(GString *text, const char *part, guint number) {
  for (; *part; part++) {
    gboolean this_one = part[0] == '%' && part[1] == 'u';
    gboolean before = part[0] == '%' && part[1] == 'p';
    if (this_one || before) {
      g_string_append_printf(text, "%u", before ? number - 1 : number);
      part++;
    } else {
      g_string_append_c(text, *part);
    }
  }
}

START_TEST(test_repeated) {
  if (is_left_out(_i, 3))
    return;
  const Repeated *test = &repeated[_i];
  GString *text = g_string_new(test->head);
  for (guint i = 1; i <= test->count; i++)
    append_part(text, test->open, i);
  g_string_append(text, test->middle);
  for (guint i = 0; i < test->count; i++)
    g_string_append(text, test->close);
  g_string_append(text, test->tail);
  KernelSetup setup = {0};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text->str, &setup);
  if (test->message) {
    ck_assert_msg(run.error != NULL, "%.60s… runs", text->str);
    g_autofree char *told = smb_cli_error_text(run.error);
    ck_assert_msg(strstr(told, test->message) != NULL, "%.60s…: %s", text->str, told);
    ck_assert_uint_lt(strlen(run.error->message), 600);
  } else {
    ck_assert_msg(run.error == NULL, "%.60s…: %s", text->str, run.error ? run.error->message : "");
  }
  g_string_free(text, TRUE);
}
END_TEST

// Values on the way to a result are freed with it: this expression has 2^16 operators.
START_TEST(test_wide_expression) {
  GString *text = g_string_new(NULL);
  g_string_append(text, "#define A0 (x + 1)\n");
  for (guint i = 1; i <= 15; i++)
    g_string_append_printf(text, "#define A%u (A%u + A%u)\n", i, i - 1, i - 1);
  g_string_append(text, "__global__ void k(int *out) { int x = 1; out[threadIdx.x] = A15; }");
  KernelSetup setup = {.block = {1024, 1, 1}};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text->str, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  gint32 value;
  kernel_run_read(&run, "out", 1023, &value, 1, 4);
  ck_assert_int_eq(value, 65536);
  g_string_free(text, TRUE);
}
END_TEST

// Statements with a sum in place of each "@". One level more at a time, each node of a statement is the first that
// there is no room for: every one of them gives the error, and none is lost.
static const char *const summed[] = {
    "s[@].a = 1;",
    "out[0] = s[@].b[@];",
    "s[@] = s[i];",
    "s[i] = s[@];",
    "P p = s[@];",
    "P p = {@, {@}, s[@].v};",
    "P p = P{@};",
    "out[0] = (i > 3 ? s[@] : s[@]).a;",
    "out[0] = (@, s[@]).a;",
    "P p = make(@, s[@], s[@]), q = make(1, p, s[i]);",
    "bump(s[@]); bump(s[i]);",
    "P &r = s[@]; auto &q = s[i + @]; r = q;",
    "auto p = &s[@]; p->a += @; p[@].v.x = p->v.y;",
    "float4 v = {@, @}; v.y = -v.x; v = make_float4(@, @, @, v.w);",
    "float3 v = t[@]; t[@] = v;",
    "out[0] = twice(@) + one<3>(@);",
    "int list[2][2] = {{@}, @, @}; out[0] = list[i][@];",
    "out[0] = __mulhi(@, i) + __funnelshift_lc(@, i, @) + __float_as_int(@) + __mul24(@, @);",
    "out[@] = __shfl_sync(@, @, @) + __ballot_sync(@, @) + min(@, max(@, 3)) + __ldg(out + @);",
    "atomicAdd(&s[@].a, @);",
    "switch (@) { case 3: out[0] = ~@; break; default: out[0] = !@; }",
    "i = @ && @ || !@; i <<= @; out[0] = (out + @) - (@ + out) + (out == out + @) + (long long)@;",
    "for (int j = @; j < @; j += @) out[0] = j++ + --i;",
    "do { if (@) continue; while (@) break; } while (@);",
    "printf(\"%d\", @); out[0] = *(int *)(out + @) + sizeof(s[@]);",
};

START_TEST(test_every_level) {
  enum {
    MAX_DEPTH = 8,
    LEVELS_MAX = 4 * MAX_DEPTH
  };
  guint n_failed = 0;
  for (guint n = 1; n <= LEVELS_MAX + 1; n++) {
    g_autoptr(GString) sum = g_string_new("i"), text = g_string_new(summed[_i]);
    for (guint i = 1; i < n; i++)
      g_string_append(sum, " + i");
    g_string_replace(text, "@", sum->str, 0);
    g_string_prepend(
        text,
        "struct P { int a; int b[2]; float2 v; };\n"
        "__device__ P make(int a, P p, const P &q) { p.a = a; if (a > 2) return q; return {a}; }\n"
        "__device__ void bump(P &p) { p.a++; }\n"
        "template <typename T> __device__ T twice(T x) { return x + x; }\n"
        "template <int N> __device__ int one(int x) { return x + N; }\n"
        "__global__ void k(int *out) {\n"
        "__shared__ P s[4]; __shared__ float3 t[4]; int i = 0;\n");
    g_string_append(text, "\n}\n");
    KernelSetup setup = {.limits = {.max_depth = MAX_DEPTH}};
    g_auto(KernelRun) run;
    kernel_run(&run, "k.cu", text->str, &setup);
    ck_assert_msg(!run.error || strstr(run.error->message, "more than 32 levels"), "%s: %s",
                  text->str, run.error ? run.error->message : "");
    n_failed += run.error != NULL;
  }
  ck_assert_uint_gt(n_failed, 0);
  ck_assert_uint_lt(n_failed, LEVELS_MAX);
}
END_TEST

// The depth that an option may ask for does not take the stack, neither to read nor to run.
START_TEST(test_largest_depth) {
  GString *text = g_string_new(KERNEL);
  for (guint i = 0; i < 1500; i++)
    g_string_append(text, "if (1) ");
  g_string_append(text, "out[0] = ");
  for (guint i = 0; i < 2000; i++)
    g_string_append(text, "(1 + ");
  g_string_append(text, "out[0]");
  for (guint i = 0; i < 2000; i++)
    g_string_append_c(text, ')');
  g_string_append(text, ";}");
  KernelSetup setup = {
      .limits = {.max_depth = G_MAXUINT}, .grid = {4, 1, 1}, .threads = 2, .forgets = TRUE};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text->str, &setup);
  ck_assert_msg(run.error == NULL || strstr(run.error->message, "levels"), "%s",
                run.error ? run.error->message : "");
  g_string_free(text, TRUE);
}
END_TEST

static const char *const concurrent[] = {
    // one result
    "__global__ void k(int *out, const float *in) {\n"
    "  __shared__ float s[32][33];\n"
    "  s[threadIdx.x][threadIdx.y] = in[blockIdx.x];\n"
    "  if (blockIdx.x % 7 == 3) s[threadIdx.x * 2 % 32][0] = 1;\n"
    "  out[blockIdx.x] = s[blockIdx.x % 32][threadIdx.x];\n"
    "}\n",
    // an error in some blocks: that of the first
    "__global__ void k(int *out) {\n"
    "  __shared__ int s[32];\n"
    "  s[threadIdx.x + (blockIdx.x > 40 ? blockIdx.x : 0)] = 1;\n"
    "}\n",
    // errors at several places
    "__global__ void k(int *out) {\n"
    "  int x;\n"
    "  if (blockIdx.x == 60) out[0] = x;\n"
    "  if (blockIdx.x == 50) out[0] = 1 / (blockIdx.x - 50);\n"
    "  if (blockIdx.x >= 55) out[-1] = 1;\n"
    "}\n",
};

// All numbers of a result, in words.
static char *
describe(const KernelRun *run) {
  if (run->error)
    return g_strdup(run->error->message);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < run->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(run->analysis->accesses, SmbAccess, i);
    g_string_append_printf(
        text, "%s %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u\n",
        access->site->expression, access->array, access->total.wavefronts, access->total.excess,
        access->worst_block, access->worst_warp);
  }
  for (guint i = 0; i < run->analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(run->analysis->globals, SmbGlobalAccess, i);
    g_string_append_printf(text, "%s %s %" G_GUINT64_FORMAT "\n", access->site->expression,
                           access->buffer, access->segments);
  }
  for (guint i = 0; i < run->analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning =
        &g_array_index(run->analysis->warnings, SmbAnalysisWarning, i);
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " %s\n", warning->block, warning->message);
  }
  return g_string_free(text, FALSE);
}

START_TEST(test_threads) {
  g_autofree char *expected = NULL;
  for (guint threads = 1; threads <= 8; threads++) {
    KernelSetup setup = {
        .block = {32, 3, 1}, .grid = {100, 1, 1}, .threads = threads, .forgets = TRUE};
    g_auto(KernelRun) run;
    kernel_run(&run, "k.cu", concurrent[_i], &setup);
    g_autofree char *text = describe(&run);
    if (expected)
      ck_assert_str_eq(text, expected);
    else
      expected = g_steal_pointer(&text);
  }
}
END_TEST

#define EVALUATIONS 1000

// Values of an expression, as long as they are right.
static gpointer
evaluate_often(gpointer kernel) {
  guint n = 0;
  gint64 value;
  while (n < EVALUATIONS && smb_program_evaluate(kernel, "TWICE(TWICE(SIZE)) + 1", &value, NULL) &&
         value == 33)
    n++;
  return GUINT_TO_POINTER(n);
}

// An expression uses up nothing of the kernel, whose tokens are few, in whichever thread it is evaluated.
START_TEST(test_evaluate) {
  static const char text[] = "#define SIZE 8\n#define TWICE(x) ((x) * 2)\n"
                             "__global__ void k(int *out) { out[0] = SIZE; }\n";
  KernelSetup setup = {.limits = {.max_tokens = 100}};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_ptr_null(run.error);
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("evaluate", evaluate_often, run.kernel);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    ck_assert_uint_eq(GPOINTER_TO_UINT(g_thread_join(threads[i])), EVALUATIONS);
}
END_TEST

// --- conditions of the preprocessor, and what is wrong with them, at the token where it is

static const struct {
  const char *directive, *message; // NULL: it holds
} conditions[] = {
    {"#if 1 ? 2 : 0", NULL},
    {"#if (1 << 62) == 4611686018427387904", NULL},
    {"#if (0 << 63) == 0", NULL},
    {"#if 0\n#elif defined A || 1", NULL},
    {"#if 1.5 % 2", "1:5: a condition of the preprocessor takes integers only"},
    {"#if sizeof(int) == 4", "1:11: expected an operator or the end of the line"},
    {"#if 1 ? 2", "1:2: expected ':'"},
    {"#if 1 ? 2 : )", "1:13: expected an integer expression"},
    {"#if defined(", "1:5: expected 'defined(NAME)'"},
    {"#if defined(A", "1:5: expected 'defined(NAME)'"},
    {"#if defined 5", "1:5: expected 'defined(NAME)'"},
    {"#if 0\n#elif (1", "2:2: expected ')'"},
    {"#ifdef 5", "1:2: expected the name of a macro"},
    {"#ifndef", "1:2: expected the name of a macro"},
};

START_TEST(test_condition) {
  g_autofree char *text =
      g_strconcat(conditions[_i].directive, "\n" KERNEL "out[0] = 1; }\n#endif\n", NULL);
  g_auto(KernelRun) run = {0};
  const KernelSetup setup = {.block = {1}};
  kernel_run(&run, "k.cu", text, &setup);
  const char *found = run.error ? run.error->message : NULL;
  g_autofree char *wanted = g_strconcat("k.cu:", conditions[_i].message, NULL);
  if (conditions[_i].message)
    ck_assert_msg(found && g_str_has_prefix(found, wanted), "%s: %s", conditions[_i].directive,
                  found);
  else
    ck_assert_msg(!found, "%s: %s", conditions[_i].directive, found);
}
END_TEST

Suite *
suite_kernel_limits(void) {
  Suite *suite = suite_create("kernel-limits");
  TCase *limits = tcase_create("limits");
  tcase_add_loop_test(limits, test_repeated, 0, G_N_ELEMENTS(repeated));
  tcase_add_test(limits, test_wide_expression);
  tcase_add_test(limits, test_largest_depth);
  tcase_add_loop_test(limits, test_every_level, 0, G_N_ELEMENTS(summed));
  tcase_add_loop_test(limits, test_threads, 0, G_N_ELEMENTS(concurrent));
  tcase_add_test(limits, test_evaluate);
  suite_add_tcase(suite, limits);
  TCase *wrong = tcase_create("conditions");
  tcase_add_loop_test(wrong, test_condition, 0, G_N_ELEMENTS(conditions));
  suite_add_tcase(suite, wrong);
  return suite;
}
