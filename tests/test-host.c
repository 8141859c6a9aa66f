// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a text says of launches (tests/host-launches.def), of kernels that it includes, and what is wrong with an expression of numbers.
#include <check.h>
#include <string.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/text/constant.h"
#include "sim/cuda/text/host.h"
#include "tests/suite.h"

static const struct {
  const char *name, *text, *launches;
} cases[] = {
#define HOST(name, text, launches) {#name, text, launches},
#include "tests/host-launches.def"
#undef HOST
};

static void
write_extent(const SmbHost *host, const SmbHostLaunch *launch, guint n, GString *out) {
  guint64 extent[3];
  const char *text = n < launch->configuration->len ? launch->configuration->pdata[n] : "";
  if (smb_host_extent(host, launch, text, extent))
    g_string_append_printf(out, " %" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT,
                           extent[0], extent[1], extent[2]);
  else
    g_string_append(out, " ?");
}

// The arguments that a launch of a template leaves out.
static void
write_defaults(const SmbHost *host, const SmbHostLaunch *launch, GString *out) {
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *kernel = host->kernels->pdata[i];
    guint n = launch->instance ? launch->instance->len : 0;
    for (; strcmp(kernel->name, launch->kernel) == 0 && kernel->templates &&
           n < kernel->templates->len;
         n++) {
      const SmbHostTemplate *parameter = kernel->templates->pdata[n];
      g_autofree char *value = smb_host_default(host, kernel, launch, n);
      g_string_append_printf(out, " %s=%s", parameter->name, value ? value : "?");
    }
  }
}

static void
write_host_launch(const SmbHost *host, const SmbHostLaunch *launch, GString *out) {
  g_string_append_printf(out, "%s%s", out->len ? "\n" : "", launch->kernel);
  for (guint i = 0; launch->instance && i < launch->instance->len; i++)
    g_string_append_printf(out, "%s%s", i ? "|" : "<", (const char *)launch->instance->pdata[i]);
  g_string_append(out, launch->instance ? ">" : "");
  write_defaults(host, launch, out);
  write_extent(host, launch, 0, out);
  write_extent(host, launch, 1, out);
  for (guint i = 0; i < launch->arguments->len; i++) {
    g_autofree char *value = smb_host_constant(host, launch, launch->arguments->pdata[i], "");
    g_string_append_printf(out, " %s", value ? value : "?");
  }
}

static SmbSource *
new_host_source(const char *name, const char *text) {
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  GError *error = NULL;
  SmbSource *source = smb_source_new(name, bytes, &error);
  ck_assert_msg(source, "%s", error ? error->message : "");
  return source;
}

START_TEST(launches) {
  g_autoptr(SmbSource) source = new_host_source("k.cu", cases[_i].text);
  g_autoptr(SmbHost) host = smb_host_new();
  g_autoptr(GString) out = g_string_new(NULL);
  GError *error = NULL;
  ck_assert_msg(smb_host_read(host, source, NULL, &error), "%s: %s", cases[_i].name,
                error ? error->message : "");
  for (guint i = 0; i < host->launches->len; i++)
    write_host_launch(host, host->launches->pdata[i], out);
  ck_assert_msg(strcmp(out->str, cases[_i].launches) == 0, "%s: expected\n%s\nbut it gives\n%s",
                cases[_i].name, cases[_i].launches, out->str);
}
END_TEST

// Headers with a kernel each, of one name and in one line: each is one, however many texts include it.
START_TEST(included_kernels) {
  static const char *const headers[] = {"a.h", "b.h"};
  static const char *const texts[] = {
      "#include \"a.h\"\n#include \"b.h\"\nvoid f() { k<<<1, 32>>>(1); }\n",
      "#include \"b.h\"\nvoid g() { k<<<2, 32>>>(1); }\n"};
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  const char *const folders[] = {folder, NULL};
  g_autoptr(SmbHost) host = smb_host_new();
  char *paths[G_N_ELEMENTS(headers)];
  for (guint i = 0; i < G_N_ELEMENTS(headers); i++) {
    paths[i] = g_build_filename(folder, headers[i], NULL);
    ck_assert(g_file_set_contents(paths[i], "__global__ void k(int n) { }\n", -1, NULL));
  }
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *name = g_strdup_printf("%u.cu", i);
    g_autoptr(SmbSource) source = new_host_source(name, texts[i]);
    ck_assert(smb_host_read(host, source, folders, NULL));
  }
  ck_assert_uint_eq(host->launches->len, G_N_ELEMENTS(texts));
  ck_assert_uint_eq(host->kernels->len, G_N_ELEMENTS(headers));
  for (guint i = 0; i < G_N_ELEMENTS(headers); i++) {
    const SmbHostKernel *kernel = host->kernels->pdata[i];
    ck_assert_str_eq(kernel->included, paths[i]);
    ck_assert_str_eq(kernel->file, "0.cu");
    g_unlink(paths[i]);
    g_free(paths[i]);
  }
  g_rmdir(folder);
}
END_TEST

// --- expressions of the command line

static const struct {
  const char *expression, *reason; // NULL: it is @value
  gint64 value;
} expressions[] = {
    {"int(3.7) + (int)-2.5", NULL, 1},
    {"sizeof(long) + sizeof(std::uint16_t) + sizeof(float4 *)", NULL, 18},
    {"sizeof 4", "expected '(' after sizeof", 0},
    {"sizeof(nothing)", "expected a type of the kernel language in sizeof(…)", 0},
    {"sizeof(int", "expected a type of the kernel language in sizeof(…)", 0},
    {"min(1 2)", "expected ',' or ')'", 0},
    {"max(1, 2, 3, 4, 5, 6, 7, 8, 9)", "expected ')'", 0},
    {"max(1, 2, 3)", "'max(…)' is not a constant expression", 0},
    {"static_cast<tile>(1)", "expected a type of numbers in static_cast<…>(…)", 0},
    {"static_cast<int>1", "expected a type of numbers in static_cast<…>(…)", 0},
    {"(int)1e19", "the value does not fit 64 bits", 0},
    {"~1.5 > 0", "expected an integer expression", 0},
    {"2.5 % 2 > 0", "expected an integer expression", 0},
    {"1.5 << 2 > 0", "expected an integer expression", 0},
    {"1.0 / 0 > 1", "this expression is not finite", 0},
    {"0 && 1.0 / 0", NULL, 0},
    {"1.5", "expected an integer expression", 0},
    {"1 ? 2", "expected ':'", 0},
    {"1 2", "expected an operator or the end of the line", 0},
};

START_TEST(numbers) {
  g_autoptr(SmbSource) source = new_host_source("k.cu", "");
  const SmbProgramOptions options = {.cuda_arch = 900};
  g_autoptr(GError) error = NULL;
  gint64 value = -1;
  const char *text = expressions[_i].expression, *reason = expressions[_i].reason;
  gboolean ok = smb_cuda_constant(source, &options, text, &value, &error);
  g_autofree char *message =
      reason ? g_strdup_printf("'%s' is not an integer expression: %s", text, reason) : NULL;
  ck_assert_pstr_eq(error ? error->message : NULL, message);
  ck_assert_int_eq(ok, !reason);
  if (ok)
    ck_assert_int_eq(value, expressions[_i].value);
  else
    ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE));
}
END_TEST

Suite *
suite_host(void) {
  Suite *suite = suite_create("host");
  TCase *tests = tcase_create("host");
  tcase_add_loop_test(tests, launches, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tests, included_kernels);
  tcase_add_loop_test(tests, numbers, 0, G_N_ELEMENTS(expressions));
  suite_add_tcase(suite, tests);
  return suite;
}
