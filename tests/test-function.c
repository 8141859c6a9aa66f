// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The operations FUNCTION_F32 and FUNCTION_F64, which texts call by name: each function of function.def against the host's of more digits.
#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/exec/compute/function.h"
#include "tests/compute-run.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  LANES = 64,
  ROUNDS = 20,
};

// The same with more digits, and by how many of its last ones a result may differ: 0, if it is exact.
static const struct {
  const char *name;
  long double (*one)(long double);
  long double (*two)(long double, long double);
  guint ulps;
} functions[] = {
    {"RSQRT", NULL, NULL, 2},   {"EXP", expl, NULL, 1},     {"EXP2", exp2l, NULL, 1},
    {"LOG", logl, NULL, 1},     {"LOG2", log2l, NULL, 2},   {"SIN", sinl, NULL, 1},
    {"COS", cosl, NULL, 1},     {"TANH", tanhl, NULL, 3},   {"TAN", tanl, NULL, 1},
    {"ASIN", asinl, NULL, 2},   {"ACOS", acosl, NULL, 2},   {"ATAN", atanl, NULL, 1},
    {"SINH", sinhl, NULL, 3},   {"COSH", coshl, NULL, 2},   {"ROUND", roundl, NULL, 0},
    {"TRUNC", truncl, NULL, 0}, {"RINT", rintl, NULL, 0},   {"LOG10", log10l, NULL, 2},
    {"LOG1P", log1pl, NULL, 2}, {"EXPM1", expm1l, NULL, 2}, {"CBRT", cbrtl, NULL, 4},
    {"ERF", erfl, NULL, 2},     {"FLOOR", floorl, NULL, 0}, {"CEIL", ceill, NULL, 0},
    {"ATAN2", NULL, atan2l, 1}, {"HYPOT", NULL, hypotl, 1}, {"FDIM", NULL, fdiml, 0},
    {"POW", NULL, powl, 1},     {"FMOD", NULL, fmodl, 0},
};

// Of function.def: a table of the same length, in the same order, has the names.
static const char *const function_names[] = {
#define FUNCTION(name, ...) #name,
#include "sim/exec/compute/function.def"
};

static long double
call_again(guint function, long double x, long double y) {
  if (functions[function].two)
    return functions[function].two(x, y);
  return functions[function].one ? functions[function].one(x) : 1 / sqrtl(x);
}

// How many numbers of a kind lie between a result and the one that has more digits.
static double
count_ulps(gboolean is_wide, long double want, double got) {
  double nearest = is_wide ? (double)want : (double)(float)want;
  if (isnan(nearest) || isinf(nearest) || nearest == 0)
    return (isnan(nearest) && isnan(got)) || nearest == got ? 0 : INFINITY;
  double next =
      is_wide ? nextafter(nearest, INFINITY) : (double)nextafterf((float)nearest, INFINITY);
  return fabs((got - nearest) / (next - nearest));
}

static guint64
bits_of(gboolean is_wide, double real) {
  float narrow = (float)real;
  guint64 bits = 0;
  if (is_wide)
    memcpy(&bits, &real, sizeof real);
  else
    memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

static double
real_of(gboolean is_wide, guint64 bits) {
  guint32 low = (guint32)bits;
  double wide;
  float narrow;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&narrow, &low, sizeof narrow);
  return is_wide ? wide : (double)narrow;
}

static const double function_corners[] = {0, 0.5, 1, -1, -2.5, 1e-3, INFINITY, NAN};

// Lane i has two numbers; unknown bits of one of them leave nothing known.
static void
check_function(Runner *runner, GRand *random, guint function, gboolean is_wide) {
  RunLane run[LANES] = {{{0}}};
  ComputeForm form;
  ck_assert(runner_find(is_wide ? "add.rn.f64" : "add.rn.f32", 0, &form));
  form.operation = is_wide ? OPERATION_FUNCTION_F64 : OPERATION_FUNCTION_F32;
  form.table = (guint8)function;
  for (guint lane = 0; lane < LANES; lane++) {
    for (guint i = 0; i < 2; i++) {
      double corner = function_corners[(lane >> 3 * i) % G_N_ELEMENTS(function_corners)];
      run[lane].source[i] =
          bits_of(is_wide, lane % 3 ? g_rand_double_range(random, -4, 4) : corner);
    }
  }
  run[1].source_unknown[0] = 1;
  runner_run(runner, &form, G_MAXUINT64, run);
  ck_assert(run[1].d_unknown != 0);
  for (guint lane = 2; lane < LANES; lane++) {
    double x = real_of(is_wide, run[lane].source[0]), y = real_of(is_wide, run[lane].source[1]);
    double got = real_of(is_wide, run[lane].d);
    long double want = call_again(function, x, y);
    ck_assert_msg(count_ulps(is_wide, want, got) <= functions[function].ulps,
                  "%s of %s: %a %a: %a, not %La", functions[function].name, is_wide ? "f64" : "f32",
                  x, y, got, want);
  }
}

START_TEST(calls_functions) {
  g_autoptr(Runner) runner = runner_new(LANES);
  g_autoptr(GRand) random = g_rand_new_with_seed(5);
  ck_assert_uint_eq(G_N_ELEMENTS(functions), G_N_ELEMENTS(function_names));
  for (guint i = 0; i < G_N_ELEMENTS(functions); i++) {
    ck_assert_str_eq(functions[i].name, function_names[i]);
    for (guint round = 0; round < effort(ROUNDS); round++)
      check_function(runner, random, i, round % 2);
  }
}
END_TEST

Suite *
suite_function(void) {
  Suite *suite = suite_create("function");
  TCase *tcase = tcase_create("function");
  tcase_add_test(tcase, calls_functions);
  suite_add_tcase(suite, tcase);
  return suite;
}
