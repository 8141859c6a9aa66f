// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps as text: what is made of instructions of PTX, and of statements of CUDA C. All opcodes occur in a case, but for those of
// machine code.
#include <check.h>
#include <string.h>

#include "sim/cuda/lower/lower.h"
#include "sim/program/program.h"
#include "tests/kernel-run.h"
#include "tests/step-text.h"
#include "tests/suite.h"

// What a case may name: see tests/step-cases.def.
static const char module[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".extern .func (.param .b64 o) malloc(.param .b64 n);\n"
    ".extern .func __assertfail();\n"
    ".extern .func (.param .b32 m) vprintf(.param .b64 n, .param .b64 o);\n"
    ".extern .func free(.param .b64 n);\n"
    ".extern .func (.param .b32 m) __cudaCDP2EventRecord(.param .b64 n, .param .b64 o);\n"
    ".extern .func cudaGraphSetConditional(.param .b64 n, .param .b32 m);\n"
    ".extern .func cudaOther();\n"
    ".extern .func elsewhere();\n"
    ".global .align 16 .b8 g[64]; .const .align 16 .b8 c[64];\n"
    ".func f() { ret; }\n"
    ".func again(.reg .b32 n) { .reg .pred p, q; L: @q bra M; @p bra done; call again, (n); "
    "M: @q bra L; done: ret; }\n"
    ".entry k(.param .u64 in) {\n"
    ".reg .b32 r<8>; .reg .b64 d<8>; .reg .b128 q<2>; .reg .b16 h<4>; .reg .pred p1, p2, p3;\n"
    ".shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[64]; .param .b64 n; .param .b64 o;\n";

// The same of tests/step-text-cases.def.
static const char text_module[] =
    "__device__ int early(int n) { if (n) return 3; }\n"
    "__constant__ int c[4];\n"
    "extern __shared__ int dynamic[];\n"
    "__global__ void k(int *p, float *f, long long *w, int n, unsigned u, float x, double d, "
    "__half h) {\n"
    "__shared__ float s[32]; __shared__ int i[32]; __shared__ float4 v[32];\n";

typedef struct {
  const char *instructions;
  const char *steps; // a line each, but for the end of the kernel
} Case;

static const Case cases[] = {
#include "tests/step-cases.def"
};

static const Case text_cases[] = {
#include "tests/step-text-cases.def"
};

// Those that only the decoder of machine code makes.
static const guint8 of_machine_code[] = {
    STEP_CAST,          STEP_TEST_ARRIVALS,   STEP_MBARRIER_ONCE, STEP_ARRIVE,
    STEP_BRANCH_ANY,    STEP_BRANCH_DIVIDED,  STEP_JUMP,          STEP_END,
    STEP_CALL_CODE,     STEP_CALL_ADDRESS,    STEP_RETURN_TO,     STEP_SAVE_BARRIER,
    STEP_CLEAR_BARRIER, STEP_RESTORE_BARRIER, STEP_MEET_LANES,    STEP_GIVE_WAY,
    STEP_BRANCH_ALL,
};

static SmbProgram *
read_case(const Case *test, gboolean is_text) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text =
      g_strconcat(is_text ? text_module : module, test->instructions, "\n}\n", NULL);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new(is_text ? "k.cu" : "k.ptx", bytes, &error);
  const SmbProgramOptions options = {.entry = "k", .cuda_arch = 900};
  SmbProgram *program = source ? smb_program_read(source, &options, &error) : NULL;
  ck_assert_msg(program != NULL, "%s: %s", test->instructions, error ? error->message : "");
  return program;
}

static const Code *
find_code(const SmbProgram *program) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  return kernel ? &kernel->lowered->code : (const Code *)program;
}

static void
compare(const Case *test, gboolean is_text) {
  g_autoptr(SmbProgram) program = read_case(test, is_text);
  const Code *code = find_code(program);
  g_autoptr(GString) lines = g_string_new(NULL);
  for (guint i = 0; i < code->steps->len; i++) {
    g_autofree char *line = step_text(code, &g_array_index(code->steps, Step, i));
    g_string_append_printf(lines, "%s\n", line);
  }
  if (g_str_has_suffix(lines->str, "\nexit\n") || strcmp(lines->str, "exit\n") == 0)
    g_string_truncate(lines, lines->len - strlen("exit\n"));
  ck_assert_msg(strcmp(lines->str, test->steps) == 0, "%s\nexpected:\n%sfound:\n%s",
                test->instructions, test->steps, lines->str);
}

START_TEST(test_case) {
  compare(&cases[_i], FALSE);
}
END_TEST

START_TEST(test_text) {
  compare(&text_cases[_i], TRUE);
}
END_TEST

// --- without lanes

// The instructions of a case, each under a condition that no thread fulfils.
static char *
guard_instructions(const char *instructions) {
  g_autoptr(GRegex) form =
      g_regex_new("^((?:[A-Z]:\\s*)*)(?:@!?p\\d )?((?![A-Z]:)[^.\\s].*)$", G_REGEX_DOTALL, 0, NULL);
  g_auto(GStrv) parts = g_strsplit(instructions, ";", -1);
  GString *text = g_string_new("setp.ne.u32 p1, 0, 0;");
  for (guint i = 0; parts[i]; i++) {
    const char *part = g_strstrip(parts[i]);
    g_autofree char *guarded = g_regex_replace(form, part, -1, 0, "\\1@p1 \\2", 0, NULL);
    g_string_append_printf(text, " %s%s", guarded, parts[i + 1] ? ";" : "");
  }
  return g_string_free(text, FALSE);
}

// An instruction that no thread executes does nothing, whatever its operands are; cp.async needs wavefronts then, too, and is not counted.
START_TEST(no_lanes) {
  g_autofree char *instructions = guard_instructions(cases[_i].instructions);
  g_autofree char *text = g_strconcat(module, instructions, "\n}\n", NULL);
  const KernelSetup setup = {.entry = "k", .arch = "sm_100", .block = {64}};
  g_auto(KernelRun) run = {0};
  kernel_run(&run, "k.ptx", text, &setup);
  ck_assert_msg(!run.error, "%s: %s", instructions, run.error ? run.error->message : "");
  for (guint i = 0; i < run.analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(run.analysis->accesses, SmbAccess, i);
    ck_assert_msg(access->total.requests + access->uncounted == 0, "%s: a request", instructions);
  }
  for (guint i = 0; i < run.analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(run.analysis->traffic, SmbOtherTraffic, i);
    ck_assert_msg(traffic->executions + traffic->unsized == 0, "%s: traffic", instructions);
  }
  guint warnings = run.analysis->warnings->len;
  ck_assert_msg(warnings == 0 || g_str_has_prefix(cases[_i].instructions, "cp.async"),
                "%s: %u warnings", instructions, warnings);
}
END_TEST

// Operands that are not known are not wrong: what depends on them is left out, or it is said what is not known. There are mbarriers.
START_TEST(unknown_operands) {
  static const char head[] =
      "mov.u32 r0, %tid.x; setp.eq.u32 p1, r0, 0; @p1 mbarrier.init.shared.b64 [s], 64; "
      "@p1 mbarrier.init.shared.b64 [s+64], 64; @p1 mbarrier.init.shared.b64 [s+512], 64; "
      "bar.sync 0; ld.param.u64 d7, [in]; ld.global.v4.u32 {r0, r1, r2, r3}, [d7]; "
      "ld.global.v4.u32 {r4, r5, r6, r7}, [d7+16]; ld.global.v2.u64 {d1, d2}, [d7]; "
      "ld.global.v2.u64 {d3, d4}, [d7]; setp.ne.u32 p1, r0, 0; setp.ne.u32 p2, r0, 1; "
      "setp.ne.u32 p3, r0, 2; mov.b64 {h0, h1, h2, h3}, d1; mov.b128 q0, {d1, d2};\n";
  static const char *const reasons[] = {"depends on the contents of parameter 0", "is unknown",
                                        "has no body here", "more arrivals than",
                                        "not an mbarrier"};
  g_autofree char *text = g_strconcat(module, head, cases[_i].instructions, "\n}\n", NULL);
  const KernelSetup setup = {.entry = "k", .arch = "sm_100", .block = {64}, .skips_unknown = TRUE};
  g_auto(KernelRun) run = {0};
  kernel_run(&run, "k.ptx", text, &setup);
  gboolean is_reason = run.error == NULL;
  for (guint i = 0; i < G_N_ELEMENTS(reasons); i++)
    is_reason = is_reason || strstr(run.error->message, reasons[i]);
  ck_assert_msg(is_reason, "%s: %s", cases[_i].instructions, run.error ? run.error->message : "");
}
END_TEST

static void
note_opcodes(const Case *test, gboolean is_text, gboolean *occurs) {
  g_autoptr(SmbProgram) program = read_case(test, is_text);
  const Code *code = find_code(program);
  for (guint i = 0; i < code->steps->len; i++)
    occurs[g_array_index(code->steps, Step, i).opcode] = TRUE;
}

START_TEST(all_occur) {
  gboolean occurs[N_STEPS] = {FALSE}, is_other[N_STEPS] = {FALSE};
  for (guint c = 0; c < G_N_ELEMENTS(cases); c++)
    note_opcodes(&cases[c], FALSE, occurs);
  for (guint c = 0; c < G_N_ELEMENTS(text_cases); c++)
    note_opcodes(&text_cases[c], TRUE, occurs);
  for (guint i = 0; i < G_N_ELEMENTS(of_machine_code); i++)
    is_other[of_machine_code[i]] = TRUE;
  for (guint opcode = 0; opcode < N_STEPS; opcode++)
    ck_assert_msg(occurs[opcode] != is_other[opcode],
                  is_other[opcode]
                      ? "STEP_%s is made of PTX, too"
                      : "neither tests/step-cases.def nor tests/step-text-cases.def has STEP_%s",
                  smb_step_info((StepOpcode)opcode)->name);
}
END_TEST

Suite *
suite_steps(void) {
  Suite *suite = suite_create("steps");
  TCase *tcase = tcase_create("steps");
  tcase_add_loop_test(tcase, test_case, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(tcase, test_text, 0, G_N_ELEMENTS(text_cases));
  tcase_add_loop_test(tcase, no_lanes, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(tcase, unknown_operands, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, all_occur);
  suite_add_tcase(suite, tcase);
  return suite;
}
