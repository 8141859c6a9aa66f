// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The text that a compiler is given of a user's kernel: which headers stay in it. The compiler here refuses every
// text, and says all of it.
#include "gpu/compile.h"

#include <check.h>
#include <string.h>

#include "tests/suite.h"

static int
refuse(const SmbCudaSource *source, G_GNUC_UNUSED GBytes **image, G_GNUC_UNUSED char **symbol,
       char **log) {
  *log = g_strdup(source->text);
  return 1;
}

static const struct {
  const char *text;
  const char *given;
} cases[] = {
    {"#include <cstdio>\nint a;", "\nint a;"},
    {"  # include  <cuda_runtime.h> // why\nint a;", "\nint a;"},
    {"#include <vector> /* begins\nends */ int a;", "/* begins\nends */ int a;"},
    {"#include <cuda_fp16.h>\nhalf a;", "#include <cuda_fp16.h>\nhalf a;"},
    {"#include <cuda_bf16.h>\n#include <cmath>\n", "#include <cuda_bf16.h>\n\n"},
    {" # include <cooperative_groups.h>\n", " # include <cooperative_groups.h>\n"},
    {"#include <cooperative_groups/reduce.h>\nint a;", "\nint a;"},
};

START_TEST(test_headers) {
  static const char *const defines[] = {NULL};
  static const SmbCuda cuda = {.compile = refuse};
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(
      smb_compile_kernel(&cuda, "sm_90", "k.cu", cases[_i].text, "k", defines, 0, &error));
  ck_assert_ptr_nonnull(error);
  const char *given = strstr(error->message, "#line 1 \"k.cu\"\n");
  ck_assert_ptr_nonnull(given);
  g_autofree char *rest = g_strdup(strchr(given, '\n') + 1);
  rest[strlen(rest) - 1] = '\0'; // ends in a line feed of its own
  ck_assert_str_eq(rest, cases[_i].given);
}
END_TEST

Suite *
suite_gpu_compile(void) {
  Suite *suite = suite_create("gpu-compile");
  TCase *group = tcase_create("compile");
  tcase_add_loop_test(group, test_headers, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, group);
  return suite;
}
