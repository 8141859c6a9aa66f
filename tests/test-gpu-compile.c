// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The text that a compiler is given of a user's kernel: which headers stay in it. The compiler here refuses every
// text, and says all of it.
#include "gpu/compile.h"

#include <check.h>
#include <string.h>

#include "gpu/error.h"
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
  // What was given to the compiler is here what it quotes, behind bars.
  g_autoptr(GString) message = g_string_new(error->message);
  g_string_replace(message, "      | ", "", 0);
  const char *given = strstr(message->str, "#line 1 \"k.cu\"\n");
  ck_assert_ptr_nonnull(given);
  g_autofree char *rest = g_strdup(strchr(given, '\n') + 1);
  rest[strlen(rest) - 1] = '\0'; // ends in a line feed of its own
  ck_assert_str_eq(rest, cases[_i].given);
}
END_TEST

// A driver that refuses every image, says something or nothing, and wants PTX to end in 0.
static int
refuse_silently(GBytes *image, G_GNUC_UNUSED const char *symbol, G_GNUC_UNUSED gsize dynamic_bytes,
                G_GNUC_UNUSED SmbCudaFunction **function, G_GNUC_UNUSED char **log) {
  gsize length;
  const char *text = g_bytes_get_data(image, &length);
  ck_assert_uint_eq(strlen(text), length - 1);
  return 218;
}

static int
refuse_image(GBytes *image, const char *symbol, gsize dynamic_bytes, SmbCudaFunction **function,
             char **log) {
  *log = g_strdup(g_bytes_get_data(image, NULL));
  return refuse_silently(image, symbol, dynamic_bytes, function, log);
}

static const char *
tell_number(G_GNUC_UNUSED int error) {
  return "error 218";
}

// The text is what the driver says.
START_TEST(test_driver_log) {
  static const struct {
    const char *log, *message;
  } logs[] = {
      {"ptxas application ptx input, line 12; error   : Unknown symbol 'pol'\n"
       "ptxas fatal   : Ptx assembly aborted due to errors\n",
       "the driver rejects it: a\\1,b.ptx:12: error: Unknown symbol 'pol'\n"
       "ptxas fatal   : Ptx assembly aborted due to errors"},
      {"ptxas application ptx input, line 1; warning : a\nptxas application ptx input, line 2; "
       "fatal  : "
       "b",
       "the driver rejects it: a\\1,b.ptx:1: warning: a\na\\1,b.ptx:2: fatal: b"},
      {"something else, line 3", "the driver rejects it: something else, line 3"},
  };
  const SmbCuda cuda = {.load = refuse_image, .error_text = tell_number};
  const SmbCuda silent = {.load = refuse_silently, .error_text = tell_number};
  g_autoptr(GBytes) image = g_bytes_new_static(logs[_i].log, strlen(logs[_i].log) + 1);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_load_image(&cuda, "a\\1,b.ptx", image, "k", 0, &error));
  ck_assert_str_eq(error->message, logs[_i].message);
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COMPILE));
  g_clear_error(&error);
  ck_assert_ptr_null(smb_load_image(&silent, "b.ptx", image, "k", 0, &error));
  ck_assert_str_eq(error->message, "could not load the kernel: error 218");
}
END_TEST

Suite *
suite_gpu_compile(void) {
  Suite *suite = suite_create("gpu-compile");
  TCase *group = tcase_create("compile");
  tcase_add_loop_test(group, test_headers, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(group, test_driver_log, 0, 3);
  suite_add_tcase(suite, group);
  return suite;
}
