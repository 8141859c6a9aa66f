// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The cases of tests/cases/*.case:
//
//   # a comment
//   %%RUN block=32,2 grid=2 dynamic=64 entry=k arch=sm_90 arg:n=3 buffer:in=zeros def:N=16 steps=9 depth=9 …
//   the text of a kernel file; without __global__, statements of a kernel of (int *out, float *in)
//   in which t is threadIdx.x
//   %%GIVES
//   out[4] 1 2 3                  the buffer of a parameter, from an element (0) on
//   load 2:8 4 1 3 tile[t]        shared accesses, if one is named all of them: line:column, width,
//                                 requests, wavefronts, text
//   race 3:1 2:1                  warnings, all of them: where, and what it meets
//   unset 3:1
//   loop 3:1
//   merge 3:1
//   data 3:1                      the access depends on contents that the launch does not give
//   order 3:1                     it depends on the order in which threads execute atomics
//
// or in place of %%GIVES, %%FAIL and the exact message.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/cuda/cuda.h"
#include "src/cli/hint.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

static const char *const files[] = {
    "lex",       "macros",     "types",      "statements", "memory",   "calls",
    "files",     "host",       "modern",     "references", "builtins", "templates",
    "obstacles", "warnings",   "refused",    "buffers",    "data",     "halves",
    "groups",    "structures", "assertions", "lanes",      "sources",  "hip",
};

typedef struct {
  guint line; // of its %%RUN
  const char *options;
  GString *text;
  GString *expected;
  gboolean fails;
} Case;

static void
read_triple(const char *text, guint triple[3]) {
  char *end;
  for (guint i = 0; i < 3; i++) {
    triple[i] = (guint)strtoul(text, &end, 10);
    if (*end != ',')
      return;
    text = end + 1;
  }
}

// One word of a %%RUN line.
static void
read_option(const char *option, KernelSetup *setup, GStrvBuilder *defines, GStrvBuilder *arguments,
            GStrvBuilder *buffers) {
  const char *value = strpbrk(option, "=:");
  ck_assert_msg(value != NULL, "option '%s'", option);
  gsize length = (gsize)(value - option);
  guint64 number = g_ascii_strtoull(++value, NULL, 0);
  if (strncmp(option, "block", length) == 0)
    read_triple(value, setup->block);
  else if (strncmp(option, "grid", length) == 0)
    read_triple(value, setup->grid);
  else if (strncmp(option, "dynamic", length) == 0)
    setup->dynamic_bytes = number;
  else if (strncmp(option, "entry", length) == 0)
    setup->entry = value;
  else if (strncmp(option, "arch", length) == 0)
    setup->arch = value;
  else if (strncmp(option, "arg", length) == 0)
    g_strv_builder_add(arguments, value);
  else if (strncmp(option, "buffer", length) == 0)
    g_strv_builder_add(buffers, value);
  else if (strncmp(option, "def", length) == 0)
    g_strv_builder_add(defines, value);
  else if (strncmp(option, "steps", length) == 0)
    setup->limits.max_steps = number;
  else if (strncmp(option, "memory", length) == 0)
    setup->limits.max_memory = number;
  else if (strncmp(option, "depth", length) == 0)
    setup->limits.max_depth = (guint)number;
  else if (strncmp(option, "tokens", length) == 0)
    setup->limits.max_tokens = (guint)number;
  else
    ck_abort_msg("option '%s'", option);
}

// The values of a buffer that a line "NAME[FIRST] V V V" of the case asks for.
static void
write_values(const KernelRun *run, const char *line, GString *out) {
  g_auto(GStrv) words = g_strsplit(line, " ", -1);
  g_auto(GStrv) name = g_strsplit_set(words[0], "[]", -1);
  guint64 first = name[1] ? g_ascii_strtoull(name[1], NULL, 10) : 0;
  const char *type = "?";
  for (guint i = 0; i < smb_program_n_parameters(run->kernel); i++) {
    SmbParameter parameter = smb_program_parameter(run->kernel, i);
    if (strcmp(parameter.name, name[0]) == 0)
      type = parameter.type;
  }
  g_autofree char *element = g_strndup(type, strcspn(type, "*0123456789"));
  g_strchomp(element);
  gsize size = smb_cuda_element_size(element);
  SmbScalar half = strcmp(element, "half") == 0 ? SMB_SCALAR_F16 : SMB_SCALAR_BF16;
  gboolean is_half = half == SMB_SCALAR_F16 || strcmp(element, "__nv_bfloat") == 0;
  if (is_half)
    size = 2;
  else if (g_str_has_prefix(element, "unsigned"))
    size = g_str_has_suffix(element, "long") ? 8 : smb_cuda_element_size(element + 9);
  else if (strcmp(element, "long long") == 0 || strcmp(element, "longlong") == 0)
    size = 8;
  g_string_append(out, words[0]);
  for (guint i = 1; words[i]; i++) {
    guchar bytes[8] = {0};
    gint64 integer = 0;
    float single;
    double real;
    kernel_run_read(run, name[0], first + i - 1, bytes, 1, size);
    memcpy(&integer, bytes, 8);
    memcpy(&single, bytes, 4);
    memcpy(&real, bytes, 8);
    gboolean is_signed = !g_str_has_prefix(element, "u") && strcmp(element, "bool") != 0;
    if (is_signed && size < 8)
      integer = (gint64)((guint64)integer << (64 - 8 * size)) >> (64 - 8 * size);
    if (is_half)
      g_string_append_printf(out, " %.9g", smb_half_to_real(half, (guint16)integer));
    else if (strcmp(element, "float") == 0)
      g_string_append_printf(out, " %.9g", (double)single);
    else if (strcmp(element, "double") == 0)
      g_string_append_printf(out, " %.17g", real);
    else
      g_string_append_printf(out, " %" G_GINT64_FORMAT, integer);
  }
  g_string_append_c(out, '\n');
}

static void
write_accesses(const KernelRun *run, GString *out) {
  for (guint i = 0; i < run->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(run->analysis->accesses, SmbAccess, i);
    const SmbSite *site = access->site;
    g_string_append_printf(out, "%s %u:%u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s\n",
                           smb_op_class_name(site->op_class), site->line, site->column, site->width,
                           access->total.requests, access->total.wavefronts, site->expression);
  }
}

static void
write_warnings(const KernelRun *run, GString *out) {
  for (guint i = 0; i < run->analysis->warnings->len; i++) {
    const SmbAnalysisWarning *warning =
        &g_array_index(run->analysis->warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(run->kernel, warning->site);
    const SmbSite *other = smb_program_site(run->kernel, warning->other);
    if (warning->kind == SMB_WARNING_RACE)
      g_string_append_printf(out, "race %u:%u %u:%u\n", site->line, site->column, other->line,
                             other->column);
    else
      g_string_append_printf(out, "%s %u:%u\n",
                             warning->kind == SMB_WARNING_UNSET   ? "unset"
                             : warning->kind == SMB_WARNING_LOOP  ? "loop"
                             : warning->kind == SMB_WARNING_DATA  ? "data"
                             : warning->kind == SMB_WARNING_ORDER ? "order"
                                                                  : "merge",
                             site->line, site->column);
  }
}

// What happened, in the words of the case.
static char *
describe(const Case *test, const KernelRun *run) {
  GString *out = g_string_new(NULL);
  if (run->error) {
    {
      g_autofree char *text = smb_cli_error_text(run->error);
      g_string_append_printf(out, "%s%s\n", test->fails ? "" : "error: ", text);
    }
    return g_string_free(out, FALSE);
  }
  g_auto(GStrv) lines = g_strsplit(test->expected->str, "\n", -1);
  gboolean accesses = FALSE;
  for (guint i = 0; lines[i] && lines[i][0] && !test->fails; i++) {
    gboolean access = g_str_has_prefix(lines[i], "load ") || g_str_has_prefix(lines[i], "store ") ||
                      g_str_has_prefix(lines[i], "atomic ");
    gboolean warning =
        g_str_has_prefix(lines[i], "race ") || g_str_has_prefix(lines[i], "unset ") ||
        g_str_has_prefix(lines[i], "loop ") || g_str_has_prefix(lines[i], "merge ") ||
        g_str_has_prefix(lines[i], "order ") || g_str_has_prefix(lines[i], "data ");
    accesses = accesses || access;
    if (!access && !warning)
      write_values(run, lines[i], out);
  }
  if (accesses)
    write_accesses(run, out);
  write_warnings(run, out);
  return g_string_free(out, FALSE);
}

static guint
run_case(const char *file, const Case *test) {
  KernelSetup setup = {0};
  g_autoptr(GStrvBuilder) defines = g_strv_builder_new();
  g_autoptr(GStrvBuilder) arguments = g_strv_builder_new();
  g_autoptr(GStrvBuilder) buffers = g_strv_builder_new();
  g_auto(GStrv) options = g_strsplit(test->options, " ", -1);
  for (guint i = 0; options[i]; i++) {
    if (options[i][0])
      read_option(options[i], &setup, defines, arguments, buffers);
  }
  g_auto(GStrv) define_list = g_strv_builder_end(defines);
  g_auto(GStrv) argument_list = g_strv_builder_end(arguments);
  setup.defines = (const char *const *)define_list;
  setup.arguments = (const char *const *)argument_list;
  g_auto(GStrv) buffer_list = g_strv_builder_end(buffers);
  setup.buffers = (const char *const *)buffer_list;
  g_autofree char *wrapped =
      strstr(test->text->str, "__global__")
          ? g_strdup(test->text->str)
          : g_strdup_printf("__global__ void k(int *out, float *in) { int t = threadIdx.x;\n%s}\n",
                            test->text->str);
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", wrapped, &setup);
  g_autofree char *actual = describe(test, &run);
  if (strcmp(actual, test->expected->str) == 0)
    return 0;
  g_printerr("%s:%u: expected\n%sbut it gives\n%s\n", file, test->line, test->expected->str,
             actual);
  return 1;
}

// Runs a case, if there is one, and makes it empty. The count of those that failed.
static guint
finish_case(const char *file, Case *test) {
  guint failed = test->options ? run_case(file, test) : 0;
  test->options = NULL;
  test->fails = FALSE;
  g_string_truncate(test->text, 0);
  g_string_truncate(test->expected, 0);
  return failed;
}

START_TEST(test_file) {
  const char *srcdir = g_getenv("srcdir") ? g_getenv("srcdir") : ".";
  g_autofree char *path = g_strdup_printf("%s/tests/cases/%s.case", srcdir, files[_i]);
  g_autofree char *text = NULL;
  ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  Case test = {.text = g_string_new(NULL), .expected = g_string_new(NULL)};
  GString *into = NULL;
  guint failed = 0, cases = 0;
  for (guint i = 0; lines[i]; i++) {
    if (g_str_has_prefix(lines[i], "%%RUN")) {
      failed += finish_case(path, &test);
      test.line = i + 1;
      test.options = lines[i] + strlen("%%RUN");
      into = test.text;
      cases++;
    } else if (g_str_has_prefix(lines[i], "%%GIVES") || g_str_has_prefix(lines[i], "%%FAIL")) {
      test.fails = g_str_has_prefix(lines[i], "%%FAIL");
      into = test.expected;
    } else if (into == test.text) {
      g_string_append_printf(into, "%s\n", lines[i]);
    } else if (into && lines[i][0] && !g_str_has_prefix(lines[i], "# ")) {
      g_string_append_printf(into, "%s\n", lines[i]);
    }
  }
  failed += finish_case(path, &test);
  g_string_free(test.text, TRUE);
  g_string_free(test.expected, TRUE);
  ck_assert_uint_gt(cases, 0);
  ck_assert_msg(failed == 0, "%s: %u of %u cases failed", path, failed, cases);
}
END_TEST

// Which NaN an operation gives differs between devices: values are compared with one.
START_TEST(test_canonical_values) {
  static const char text[] = "__global__ void k(float *f, double *d, int *n) { }\n";
  static const guint32 given[] = {0xffc00000, 0x7fc00001, 0x3f800000, 0x7f800000, 0x80000000};
  static const guint32 wanted[] = {0x7fffffff, 0x7fffffff, 0x3f800000, 0x7f800000, 0x80000000};
  guint64 real[] = {G_GUINT64_CONSTANT(0xfff8000000000000), G_GUINT64_CONSTANT(0x3ff0000000000000)};
  guint32 single[G_N_ELEMENTS(given)], number[G_N_ELEMENTS(given)];
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  g_autoptr(SmbProgram) kernel =
      smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, NULL);
  ck_assert_ptr_nonnull(kernel);
  memcpy(single, given, sizeof given);
  memcpy(number, given, sizeof given);
  smb_scalar_canonical(smb_program_parameter(kernel, 0).element, single, sizeof single);
  smb_scalar_canonical(smb_program_parameter(kernel, 1).element, real, sizeof real);
  smb_scalar_canonical(smb_program_parameter(kernel, 2).element, number, sizeof number);
  ck_assert_mem_eq(single, wanted, sizeof wanted);
  ck_assert_mem_eq(number, given, sizeof given);
  ck_assert(real[0] == G_GUINT64_CONSTANT(0x7ff8000000000000));
  ck_assert(real[1] == G_GUINT64_CONSTANT(0x3ff0000000000000));
}
END_TEST

Suite *
suite_kernel(void) {
  Suite *suite = suite_create("kernel");
  TCase *cases = tcase_create("cases");
  tcase_add_loop_test(cases, test_file, 0, G_N_ELEMENTS(files));
  tcase_add_test(cases, test_canonical_values);
  suite_add_tcase(suite, cases);
  return suite;
}
