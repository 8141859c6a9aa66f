// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What errors say to give, as data, and as options of the command line.
#include "sim/base/error.h"
#include "sim/binding/smembank.h"
#include "src/cli/hint.h"
#include "tests/suite.h"

static const struct {
  struct {
    SmbHintKind kind;
    const char *name, *value;
  } hints[4];
  const char *text; // of "a: b\nc"
} cases[] = {
    {{{SMB_HINT_NONE, NULL, NULL}}, "a: b\nc"},
    {{{SMB_HINT_ARGUMENT, "0+8", NULL}}, "a: b: give --arg 0+8=VALUE\nc"},
    {{{SMB_HINT_ARGUMENT, "p", NULL}, {SMB_HINT_FIELDS, "p", NULL}, {SMB_HINT_BLOCK, NULL, NULL}},
     "a: b: give --arg p=VALUE (or its fields: --arg p+OFFSET=VALUE) --block X,Y,Z\nc"},
    {{{SMB_HINT_BUFFER, "1", NULL}, {SMB_HINT_BUFFER, "lut", NULL}, {SMB_HINT_UNKNOWN, NULL, NULL}},
     "a: b: give --buffer 1=SPEC --buffer lut=SPEC (--unknown skip leaves it out of the count)\nc"},
    {{{SMB_HINT_OFFSET, "in", "3"}},
     "a: b; if the pointer starts inside its buffer, give --buffer in=@3\nc"},
    {{{SMB_HINT_DYNAMIC_BYTES, NULL, "64"}},
     "a: b; give the kernel dynamic shared memory with --dynamic-bytes 64\nc"},
    {{{SMB_HINT_ENTRY, NULL, NULL}}, "a: b (choose one with --entry)\nc"},
    {{{SMB_HINT_INSTANCE, "k<N>", NULL}},
     "a: b; choose one with --instance 'k<N>', or give its parameters values with -D\nc"},
    {{{SMB_HINT_ARCH, NULL, "sm_86"}}, "a: b (--arch sm_86)\nc"},
    {{{SMB_HINT_WAVE, NULL, "64"}}, "a: b (--wave 64)\nc"},
    {{{SMB_HINT_LIMIT, "max_steps", NULL}, {SMB_HINT_LIMIT, "max_depth", NULL}},
     "a: b (--max-steps allows more) (--max-depth allows more)\nc"},
    {{{SMB_HINT_LIMIT, "max_steps", NULL}, {SMB_HINT_SMALLER, "n", "4096"}},
     "a: b (--max-steps allows more); less work may show the same: try --arg n=VALUE with less "
     "than "
     "4096\nc"},
    {{{SMB_HINT_KERNELS, NULL, "one"}}, "a: b: 'smembank list kernels' shows them\nc"},
    {{{SMB_HINT_BUFFER, "a\nb", NULL}}, "a: b: give --buffer a\\nb=SPEC\nc"},
};

// What a case lacks are keys, as the project file has them.
static const struct {
  SmbHintKind kind;
  const char *name, *value, *text;
} keys[] = {
    {SMB_HINT_ARGUMENT, "n", NULL, "b: give arg = n=VALUE, block = X,Y,Z"},
    {SMB_HINT_FIELDS, "p", NULL, "b: give (or its fields: arg = p+OFFSET=VALUE), block = X,Y,Z"},
    {SMB_HINT_ENTRY, NULL, NULL, "b (choose one with entry): give block = X,Y,Z"},
    {SMB_HINT_INSTANCE, "k<1, 2>", NULL,
     "b; choose one with instance = k<1, 2>, or give its parameters values with define: give block "
     "= X,Y,Z"},
    {SMB_HINT_LIMIT, "max_steps", NULL, "b (max-steps allows more): give block = X,Y,Z"},
    {SMB_HINT_SMALLER, "n", "64",
     "b; less work may show the same: try arg = n=VALUE with less than 64: give block = X,Y,Z"},
};

static const struct {
  SmbHintKind kind;
  const char *name, *value, *text;
} arguments[] = {
    {SMB_HINT_ARGUMENT, "n", NULL, "b: give args {\"n\": VALUE}, block [X, Y, Z]"},
    {SMB_HINT_BUFFER, "in", NULL, "b: give buffers {\"in\": SPEC}, block [X, Y, Z]"},
    {SMB_HINT_ENTRY, NULL, NULL, "b (choose one with entry): give block [X, Y, Z]"},
    {SMB_HINT_LIMIT, "max_steps", NULL,
     "b (no argument allows more: give it less work): give block [X, Y, Z]"},
    {SMB_HINT_UNKNOWN, NULL, NULL,
     "b (skip_unknown leaves it out of the count): give block [X, Y, Z]"},
    {SMB_HINT_KERNELS, NULL, "one, two", "b: expected one of one, two: give block [X, Y, Z]"},
};

START_TEST(test_keys) {
  g_autoptr(GError) error = NULL;
  smb_fail(&error, SMB_ERROR, SMB_ERROR_INPUT, "b");
  ck_assert(!smb_hint(&error, keys[_i].kind, keys[_i].name, keys[_i].value));
  ck_assert(!smb_hint(&error, SMB_HINT_BLOCK, NULL, NULL));
  g_autofree char *text = smb_cli_case_error_text(error);
  ck_assert_str_eq(text, keys[_i].text);
}
END_TEST

// What a tool lacks are its arguments.
START_TEST(test_arguments) {
  g_autoptr(GError) error = NULL;
  smb_fail(&error, SMB_ERROR, SMB_ERROR_INPUT, "b");
  ck_assert(!smb_hint(&error, arguments[_i].kind, arguments[_i].name, arguments[_i].value));
  ck_assert(!smb_hint(&error, SMB_HINT_BLOCK, NULL, NULL));
  g_setenv(SMB_HINT_VARIABLE, SMB_HINT_ARGUMENTS, TRUE);
  g_autofree char *text = smb_cli_error_text(error);
  g_unsetenv(SMB_HINT_VARIABLE);
  ck_assert_str_eq(text, arguments[_i].text);
}
END_TEST

// Through a copy, a prefix and another error.
START_TEST(test_words) {
  g_autoptr(GError) error = NULL, whole = NULL;
  smb_fail(&error, SMB_ERROR, SMB_ERROR_INPUT, "%-s", "b\nc");
  for (guint i = 0; i < 4 && cases[_i].hints[i].kind != SMB_HINT_NONE; i++) {
    ck_assert(!smb_hint(&error, cases[_i].hints[i].kind, cases[_i].hints[i].name,
                        cases[_i].hints[i].value));
  }
  smb_prefix_error(&error, "%s: ", "a");
  g_autoptr(GError) copy = g_error_copy(error);
  g_autofree char *text = smb_cli_error_text(copy);
  ck_assert_str_eq(text, cases[_i].text);
  if (cases[_i].hints[1].kind == SMB_HINT_NONE) {
    const SmbHint none = {.kind = SMB_HINT_NONE}, *only = smb_error_hint(error, 0);
    g_autofree char *one = smb_cli_write_hint("a: b\nc", only ? only : &none);
    ck_assert_str_eq(one, cases[_i].text);
  }
  smb_fail(&whole, SMB_ERROR, SMB_ERROR_USAGE, "first\n%-s", copy->message);
  smb_error_add_hints(whole, copy, 1);
  g_autofree char *later = smb_cli_error_text(whole);
  g_autofree char *expected = g_strconcat("first\n", cases[_i].text, NULL);
  ck_assert_str_eq(later, expected);
}
END_TEST

// An error that nobody wants, or of another domain, has no hints.
START_TEST(test_none) {
  g_autoptr(GError) error = g_error_new_literal(G_FILE_ERROR, G_FILE_ERROR_NOENT, "gone");
  ck_assert(!smb_hint(NULL, SMB_HINT_BLOCK, NULL, NULL));
  ck_assert(!smb_hint(&error, SMB_HINT_BLOCK, NULL, NULL));
  ck_assert_ptr_null(smb_error_hint(error, 0));
  ck_assert_ptr_null(smb_error_hint(NULL, 0));
}
END_TEST

// For other languages, a message has its hints beside it.
START_TEST(test_message) {
  static const char text[] = "__global__ void k(int n) { __shared__ int s[1]; s[0] = n; }\n";
  const SmbKernelLaunch launch = {.path = "k.cu", .text = text, .length = sizeof text - 1};
  SmbModel *model = NULL;
  SmbCounts *counts = NULL;
  char *message = NULL;
  ck_assert_int_eq(smb_model_new("sm_90", &model, NULL), SMB_OK);
  ck_assert_int_eq(smb_kernel_count(model, &launch, &counts, &message), SMB_WRONG_USAGE);
  ck_assert_str_eq(message,
                   "parameter 'n' (int) of 'k' needs a value, and the launch needs a block");
  const SmbMessageHint *hint = smb_message_hint(message, 0);
  ck_assert_str_eq(hint->kind, "argument");
  ck_assert_str_eq(hint->name, "n");
  ck_assert_ptr_null(hint->value);
  ck_assert_str_eq(smb_message_hint(message, 1)->kind, "block");
  ck_assert_ptr_null(smb_message_hint(message, 2));
  smb_free(message);
  smb_model_free(model);
}
END_TEST

// So has a warning.
START_TEST(test_warning) {
  static const char text[] =
      "__global__ void k(const int *in) { __shared__ int s[32]; s[in[0] & 31] = 1; }\n";
  const SmbKernelLaunch launch = {
      .path = "k.cu", .text = text, .length = sizeof text - 1, .block = {1}};
  SmbModel *model = NULL;
  SmbCounts *counts = NULL;
  ck_assert_int_eq(smb_model_new("sm_90", &model, NULL), SMB_OK);
  ck_assert_int_eq(smb_kernel_count(model, &launch, &counts, NULL), SMB_OK);
  ck_assert_str_eq(smb_counts_warning(counts, 0)->kind, "data");
  const SmbMessageHint *hint = smb_counts_warning_hint(counts, 0);
  ck_assert_str_eq(hint->kind, "buffer");
  ck_assert_str_eq(hint->name, "in");
  ck_assert_ptr_null(smb_counts_warning_hint(counts, 1));
  smb_counts_free(counts);
  smb_model_free(model);
}
END_TEST

Suite *
suite_hint(void) {
  Suite *suite = suite_create("hint");
  TCase *tcase = tcase_create("hints");
  tcase_add_loop_test(tcase, test_words, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(tcase, test_keys, 0, G_N_ELEMENTS(keys));
  tcase_add_loop_test(tcase, test_arguments, 0, G_N_ELEMENTS(arguments));
  tcase_add_test(tcase, test_none);
  tcase_add_test(tcase, test_message);
  tcase_add_test(tcase, test_warning);
  suite_add_tcase(suite, tcase);
  return suite;
}
