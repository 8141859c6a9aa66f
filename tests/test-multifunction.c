// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the multi-function unit of a device made (tests/data/multifunction.txt) is what ours makes; and where its last bits do not matter.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/compute/multifunction.h"
#include "tests/effort.h"
#include "tests/suite.h"

// Numbers of 16 bits.
#define HALF_FUNCTION(function, name, kind)                                                        \
  static guint32 function##_##name(guint32 a) {                                                    \
    return smb_mufu_half(smb_mufu_##function, kind, (guint16)a);                                   \
  }
HALF_FUNCTION(ex2, f16, SMB_SCALAR_F16)
HALF_FUNCTION(ex2, bf16, SMB_SCALAR_BF16)
HALF_FUNCTION(tanh, f16, SMB_SCALAR_F16)
HALF_FUNCTION(tanh, bf16, SMB_SCALAR_BF16)

static const struct {
  const char *name;
  guint32 (*function)(guint32 a);
} functions[] = {{"rcp", smb_mufu_rcp},   {"rsq", smb_mufu_rsq},       {"sqrt", smb_mufu_sqrt},
                 {"ex2", smb_mufu_ex2},   {"lg2", smb_mufu_lg2},       {"sin", smb_mufu_sin},
                 {"cos", smb_mufu_cos},   {"rcp64h", smb_mufu_rcp64h}, {"rsq64h", smb_mufu_rsq64h},
                 {"tanh", smb_mufu_tanh}, {"ex2.f16", ex2_f16},        {"ex2.bf16", ex2_bf16},
                 {"tanh.f16", tanh_f16},  {"tanh.bf16", tanh_bf16}};

START_TEST(makes_what_a_device_made) {
  const char *folder = g_getenv("srcdir");
  g_autofree char *path =
      g_build_filename(folder ? folder : ".", "tests", "data", "multifunction.txt", NULL);
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint compared = 0;
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
    if (!g_str_equal(functions[_i].name, words[0] ? words[0] : ""))
      continue;
    guint32 operand = (guint32)strtoul(words[1], NULL, 16);
    guint32 result = functions[_i].function(operand);
    ck_assert_msg(result == strtoul(words[2], NULL, 16), "%s: we make %08x", lines[i], result);
    compared++;
  }
  ck_assert_uint_eq(compared, 512);
}
END_TEST

static float
as_real(guint32 bits) {
  float real;
  memcpy(&real, &bits, sizeof real);
  return real;
}

static guint32
as_bits(float real) {
  guint32 bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

// What __frsqrt_rn makes of z and what the unit says of it (PTX of nvcc 13.0).
static float
refine_reciprocal_root(float z, float y) {
  float square = y * y, rest = fmaf(y, y, -square);
  float error = fmaf(rest, -z, fmaf(square, -z, 1));
  return fmaf(fmaf(0.375f, error, 0.5f), y * error, y);
}

// Of an operand in [1/2, 2), as all are that the unit gets: any result within the error that the PTX ISA gives leads to the rounded
// number, so that it does not matter which chip makes it, but for one operand, where that of sm_90 does.
START_TEST(rounds_reciprocal_roots) {
  const guint32 first = 0x3f000000, n = 1 << 24, last_but_one = 0x3f7ffffe;
  for (guint i = 0; i < effort(n); i++) {
    guint32 bits = first + i * (n / effort(n));
    float z = as_real(bits);
    long double root = sqrtl((long double)z);
    guint32 right = as_bits((float)(1 / root));
    for (guint32 unit = right - 3; unit <= right + 3 && bits != last_but_one; unit++) {
      if (fabsl(as_real(unit) * root - 1) <= exp2l(-22.9L))
        ck_assert_uint_eq(as_bits(refine_reciprocal_root(z, as_real(unit))), right);
    }
  }
  float z = as_real(last_but_one), y = as_real(smb_mufu_rsq(last_but_one));
  ck_assert_uint_eq(as_bits(refine_reciprocal_root(z, y)), as_bits((float)(1 / sqrtl(z))));
}
END_TEST

Suite *
suite_multifunction(void) {
  Suite *suite = suite_create("multifunction");
  TCase *tests = tcase_create("multifunction");
  tcase_add_loop_test(tests, makes_what_a_device_made, 0, G_N_ELEMENTS(functions));
  tcase_add_test(tests, rounds_reciprocal_roots);
  suite_add_tcase(suite, tests);
  return suite;
}
