// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expressions: the same text is compiled by this file's compiler and evaluated as a kernel, over the
// same variables; value, kind and size must agree.
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel-run.h"
#include "tests/suite.h"

// Whether an expression is a floating-point one.
#define IS_REAL(e) _Generic((e), float : 1, double : 1, default : 0)

typedef struct {
  const char *text;
  guint size;
  gboolean is_real;
  gint64 integer;
  double real;
} Value;

#define VARIABLES                                                                                  \
  "bool b = true; signed char c = -5; unsigned char uc = 250; short s = -1234; "                   \
  "unsigned short us = 65000; int i = -77777, j = 9, k = 3; unsigned u = 4000000000u, v = 13; "    \
  "long long l = -123456789012ll, m = 1000003; "                                                   \
  "unsigned long long w = 18000000000000000000ull, x = 11; float f = 2.5f, g = -0.75f; "           \
  "double d = 1234.5, e = -3.25;\n"

static guint
compute_values(const Value **values) {
  static Value table[1000];
  guint n = 0;
  bool b = true;
  signed char c = -5;
  unsigned char uc = 250;
  short s = -1234;
  unsigned short us = 65000;
  int i = -77777, j = 9, k = 3;
  unsigned u = 4000000000u, v = 13;
  long long l = -123456789012ll, m = 1000003;
  unsigned long long w = 18000000000000000000ull, x = 11;
  float f = 2.5f, g = -0.75f;
  double d = 1234.5, e = -3.25;
// A character literal is an int in C and a char in C++, which CUDA C follows.
#define CASE(expression)                                                                           \
  table[n++] = (Value){#expression, sizeof(expression), IS_REAL(expression),                       \
                       IS_REAL(expression) ? 0 : (gint64)(expression), (double)(expression)};
#include "tests/kernel-expressions.def"
#undef CASE
  *values = table;
  return n;
}

// Evaluates a text in both ways that there are: folded while it is read, and lane by lane.
static void
check_values(gboolean constants) {
  const Value *values;
  guint n = compute_values(&values);
  ck_assert_uint_gt(n, 300);
  guint failed = 0;
  g_autofree char *folded = g_strdup(VARIABLES);
  if (constants) {
    g_auto(GStrv) parts = g_strsplit(folded, "; ", -1);
    g_free(folded);
    folded = g_strjoinv("; const ", parts);
  }
  for (guint first = 0; first < n; first += 50) {
    GString *text = g_string_new("__global__ void k(long long *o, double *d1, int *size) {\n");
    g_string_append_printf(text, "%s%s", constants ? "const " : "", folded);
    for (guint i = first; i < MIN(first + 50, n); i++)
      g_string_append_printf(text, "size[%u] = sizeof(%s); %s[%u] = %s;\n", i, values[i].text,
                             values[i].is_real ? "d1" : "o", i, values[i].text);
    g_string_append(text, "}\n");
    KernelSetup setup = {0};
    g_auto(KernelRun) run;
    kernel_run(&run, "k.cu", text->str, &setup);
    ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
    for (guint i = first; i < MIN(first + 50, n); i++) {
      gint64 integer;
      double real;
      gint32 size;
      kernel_run_read(&run, "o", i, &integer, 1, 8);
      kernel_run_read(&run, "d1", i, &real, 1, 8);
      kernel_run_read(&run, "size", i, &size, 1, 4);
      gboolean equal =
          values[i].is_real ? memcmp(&real, &values[i].real, 8) == 0 : integer == values[i].integer;
      gboolean character = strcmp(values[i].text, "'A'") == 0;
      if (equal && ((guint)size == values[i].size || character))
        continue;
      g_printerr("%s: %" G_GINT64_FORMAT " or %.17g, %d bytes: expected %" G_GINT64_FORMAT
                 " or %.17g, %u bytes\n",
                 values[i].text, integer, real, size, values[i].integer, values[i].real,
                 values[i].size);
      failed++;
    }
    g_string_free(text, TRUE);
  }
  ck_assert_uint_eq(failed, 0);
}

START_TEST(test_lanes) {
  check_values(FALSE);
}
END_TEST

START_TEST(test_folded) {
  check_values(TRUE);
}
END_TEST

Suite *
suite_kernel_arith(void) {
  Suite *suite = suite_create("kernel-arith");
  TCase *arith = tcase_create("arith");
  tcase_add_test(arith, test_lanes);
  tcase_add_test(arith, test_folded);
  suite_add_tcase(suite, arith);
  return suite;
}
