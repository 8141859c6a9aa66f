// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels that call the device runtime (sim/exec/service), in PTX: what they ask to be done, what they are told, and how arguments
// are passed in machine code.
#include <check.h>
#include <string.h>

#include "sim/analysis/execute.h"
#include "sim/arch/arch.h"
#include "sim/exec/runtime-function.h"
#include "sim/machine/device/children.h"
#include "tests/suite.h"

#define OUT   G_GUINT64_CONSTANT(0x7f3a50000000)
#define ARENA G_GUINT64_CONSTANT(0x7f3b00000000)

enum {
  WORDS = 64,
  ARENA_BYTES = 1 << 16,
  CHILD_BYTES = 12, // of its parameters
  BAD_BLOCK = 2000, // threads that it must not have
  THREADS = 4,
  NO_KERNEL = 4660, // the address of none
};

// Functions as cuda_device_runtime_api.h declares them, and a format.
#define DECLARATIONS                                                                               \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                \
  ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a, "                   \
  ".param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);\n"                        \
  ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n"        \
  ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"                                      \
  ".extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 a, .param .b32 b);\n" \
  ".extern .func (.param .b32 r) __cudaCDP2DeviceGetAttribute(.param .b64 a, .param .b32 b, "      \
  ".param .b32 c);\n"                                                                              \
  ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 a, .param .b32 b, "             \
  ".param .b64 c, .param .b64 d);\n"                                                               \
  ".extern .func (.param .b64 r) __cudaCDP2GetParameterBuffer(.param .b64 a, .param .b64 b);\n"    \
  ".extern .func (.param .b32 r) __cudaCDP2LaunchDevice(.param .b64 a, .param .b64 b, "            \
  ".param .align 4 .b8 c[12], .param .align 4 .b8 d[12], .param .b32 e, .param .b64 f);\n"         \
  ".extern .func (.param .b64 r) __cudaCDP2GetErrorName(.param .b32 a);\n"                         \
  ".extern .func (.param .b32 r) __cudaCDP2Free(.param .b64 a);\n"                                 \
  ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"                         \
  ".global .align 1 .b8 format[] = { "                                                             \
  "37, 100, 124, 37, 104, 104, 100, 124, 37, 99, 124, 37, 99, 124, 37, "                           \
  "115, 124, 37, 112, 124, 37, 102, 10, 0 "                                                        \
  "};\n"                                                                                           \
  ".visible .entry child(.param .u64 a, .param .u32 b) { ret; }\n"                                 \
  ".visible .entry k(.param .u64 a) {\n"                                                           \
  ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"                                       \
  ".local .align 8 .b8 depot[16], arguments[40]; .shared .align 4 .b8 s[8]; .param .b64 p; "       \
  ".param .b64 q; .param .b64 r; .param .b32 i;\n"                                                 \
  ".param .b32 j; .param .b32 e; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12];\n"          \
  "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16;\n"                     \
  "add.u64 %rd1, %rd1, %rd2;\n"

// A launch of 2 blocks of that many threads, into a stream.
#define LAUNCH(threads, stream)                                                                    \
  "mov.u64 %rd3, child; st.param.b64 [p], %rd3;\n"                                                 \
  "st.param.b32 [g], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                           \
  "st.param.b32 [b], " #threads "; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"                \
  "st.param.b32 [i], 128; call (q), __cudaCDP2GetParameterBufferV2, (p, g, b, i);\n"               \
  "ld.param.b64 %rd4, [q]; setp.eq.u64 %p1, %rd4, 0; @%p1 bra DONE;\n"                             \
  "st.u64 [%rd4], %rd1; st.u32 [%rd4+8], %r1;\n"                                                   \
  "st.param.b64 [p], %rd4; mov.u64 %rd5, " #stream "; st.param.b64 [q], %rd5;\n"                   \
  "call (e), __cudaCDP2LaunchDeviceV2, (p, q); ld.param.b32 %r2, [e];\n"                           \
  "st.global.u32 [%rd1], %r2;\nDONE:\n"

// Its error, twice.
#define ERRORS                                                                                     \
  "call (e), __cudaCDP2GetLastError, (); ld.param.b32 %r3, [e]; st.global.u32 [%rd1+4], %r3;\n"    \
  "call (e), __cudaCDP2GetLastError, (); ld.param.b32 %r3, [e]; st.global.u32 [%rd1+8], %r3;\n"

#define END "ret;\n}\n"

typedef struct {
  guint32 out[WORDS];
  GArray *work;
  GError *error;
  char *fault; // in words
  GString *printed;
  guint n_questions;
} Outcome;

// As the process answers.
static guint
answer_question(gpointer user, const SmbQuestion *question, GByteArray *answer) {
  Outcome *outcome = user;
  outcome->n_questions++;
  if (strcmp(question->function, "cudaLaunchDevice") == 0) {
    guint64 bytes = CHILD_BYTES;
    ck_assert(question->kernel != NULL && *question->kernel != 0);
    ck_assert_uint_eq(question->numbers[1], 2);
    ck_assert_uint_eq(question->numbers[7], 128);
    if (question->numbers[4] >= BAD_BLOCK)
      return 9;
    g_byte_array_append(answer, (const guint8 *)&bytes, sizeof bytes);
    if (*question->kernel == NO_KERNEL)
      return 98;
  } else if (strcmp(question->function, "cudaGetErrorName") == 0) {
    g_byte_array_append(answer, (const guint8 *)"cudaErrorOdd", strlen("cudaErrorOdd"));
  } else if (strcmp(question->function, "cudaDeviceGetAttribute") == 0) {
    guint32 value = 1000 + (guint32)question->numbers[1];
    g_byte_array_append(answer, (const guint8 *)&value, sizeof value);
  } else if (strcmp(question->function, "cudaDeviceGetLimit") == 0) {
    guint64 most = 3;
    g_byte_array_append(answer, (const guint8 *)&most, sizeof most);
  }
  return 0;
}

static void
add_test_piece(GArray *memory, guint64 address, gpointer bytes, gsize length) {
  const SmbMemoryPiece piece = {
      .address = address,
      .bytes = length,
      .begins = TRUE,
      .contents = {.fill = SMB_FILL_BYTES, .bytes = bytes, .length = length},
      .home = bytes};
  g_array_append_val(memory, piece);
}

static void
run_kernel(const char *text, gboolean has_children, Outcome *outcome) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.ptx", bytes, &error);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", &error);
  const SmbProgramOptions reading = {.entry = "k", .cuda_arch = 900, .lanes = 32};
  const guint64 values[] = {OUT};
  g_autoptr(GBytes) parameters = g_bytes_new(values, sizeof values);
  SmbProgram *program = smb_program_read(source, &reading, &error);
  ck_assert_msg(program != NULL, "%s: %s", text, error ? error->message : "");
  ck_assert(smb_program_asks(program));
  g_autofree guchar *arena = g_malloc0(ARENA_BYTES);
  g_autoptr(GArray) memory = g_array_new(FALSE, FALSE, sizeof(SmbMemoryPiece));
  add_test_piece(memory, OUT, outcome->out, sizeof outcome->out);
  add_test_piece(memory, ARENA, arena, ARENA_BYTES);
  g_autoptr(SmbChildren) children =
      smb_children_new(ARENA, arena, ARENA_BYTES, answer_question, outcome);
  g_autoptr(SmbRuntime) runtime = smb_runtime_new(NULL);
  smb_runtime_set_children(runtime, has_children ? children : NULL);
  const SmbLaunch launch = {.block = {THREADS, 1, 1},
                            .grid = {1, 1, 1},
                            .parameters = parameters,
                            .memory = memory,
                            .runtime = runtime};
  const SmbAnalysisOptions options = {.threads = 1, .only_runs = TRUE};
  gboolean in_order;
  g_autoptr(SmbGlobal) global = smb_global_new(program, &launch);
  smb_execute_launch(program, arch, &launch, &options, global, &in_order, NULL, &outcome->error);
  const char *fault;
  if (smb_runtime_fault(runtime, &fault) != SMB_FAULT_NONE)
    outcome->fault = g_strdup(fault);
  const GString *output = smb_runtime_output(runtime);
  outcome->printed = g_string_new_len(output->str, (gssize)output->len);
  outcome->work = smb_children_take_work(children);
  smb_program_free(program);
}

static void
clear_outcome(Outcome *outcome) {
  g_clear_error(&outcome->error);
  g_clear_pointer(&outcome->fault, g_free);
  g_string_free(outcome->printed, TRUE);
  g_array_unref(outcome->work);
}

// Each thread launches, with parameters of its own.
START_TEST(test_launch) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS LAUNCH(32, 4) ERRORS END, TRUE, &outcome);
  ck_assert_msg(!outcome.error, "%s", outcome.error ? outcome.error->message : "");
  ck_assert_uint_eq(outcome.work->len, THREADS);
  for (guint i = 0; i < THREADS; i++) {
    const SmbWork *work = &g_array_index(outcome.work, SmbWork, i);
    guint64 pointer = OUT + 16 * (guint64)i, given;
    const guchar *parameters = g_bytes_get_data(work->parameters, NULL);
    ck_assert_uint_eq(work->kind, SMB_WORK_LAUNCH);
    ck_assert(!work->is_tail && work->kernel != 0);
    ck_assert_uint_eq(work->grid[0], 2);
    ck_assert_uint_eq(work->block[0], 32);
    ck_assert_uint_eq(work->dynamic_bytes, 128);
    ck_assert_uint_eq(g_bytes_get_size(work->parameters), CHILD_BYTES);
    memcpy(&given, parameters, sizeof given);
    ck_assert_uint_eq(given, pointer);
    ck_assert_uint_eq(parameters[8], i);
  }
  clear_outcome(&outcome);
}
END_TEST

// Nothing is launched, and each thread has its error once.
START_TEST(test_bad_launch) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS LAUNCH(2000, 0) ERRORS END, TRUE, &outcome);
  ck_assert(!outcome.error);
  ck_assert_uint_eq(outcome.work->len, 0);
  ck_assert_uint_eq(outcome.out[1], 9);
  ck_assert_uint_eq(outcome.out[2], 0);
  ck_assert_uint_eq(outcome.out[5], 9);
  clear_outcome(&outcome);
}
END_TEST

// As many wait for the end of the grid as the process allows.
START_TEST(test_tails) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS LAUNCH(32, 3) END, TRUE, &outcome);
  ck_assert(!outcome.error);
  ck_assert_uint_eq(outcome.work->len, 3);
  ck_assert(g_array_index(outcome.work, SmbWork, 2).is_tail);
  ck_assert_uint_eq(outcome.out[8], 0);
  ck_assert_uint_eq(outcome.out[12], 69);
  clear_outcome(&outcome);
}
END_TEST

// A stream that was made, another one, and an answer in the thread's own memory.
START_TEST(test_others) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS
             "mov.u64 %rd6, depot; cvta.local.u64 %rd7, %rd6; st.param.b64 [p], %rd7;\n"
             "st.param.b32 [i], 1; call (e), __cudaCDP2StreamCreateWithFlags, (p, i);\n"
             "ld.local.u64 %rd8, [%rd6];\n"
             "st.param.b64 [p], %rd1; st.param.b32 [i], 5; st.param.b64 [q], 16;\n"
             "st.param.b64 [r], %rd8; call (e), __cudaCDP2MemsetAsync, (p, i, q, r);\n"
             "ld.param.b32 %r2, [e]; st.global.u32 [%rd1], %r2;\n"
             "add.u64 %rd8, %rd8, 4; st.param.b64 [r], %rd8;\n"
             "call (e), __cudaCDP2MemsetAsync, (p, i, q, r);\n"
             "ld.param.b32 %r2, [e]; st.global.u32 [%rd1+4], %r2;\n"
             "st.param.b64 [p], %rd7; st.param.b32 [i], 7; st.param.b32 [j], 0;\n"
             "call (e), __cudaCDP2DeviceGetAttribute, (p, i, j);\n"
             "ld.local.u32 %r2, [%rd6]; st.global.u32 [%rd1+8], %r2;\n" END,
             TRUE, &outcome);
  ck_assert_msg(!outcome.error, "%s", outcome.error ? outcome.error->message : "");
  ck_assert_uint_eq(outcome.work->len, THREADS);
  const SmbWork *work = &g_array_index(outcome.work, SmbWork, 1);
  ck_assert_uint_eq(work->kind, SMB_WORK_FILL);
  ck_assert_uint_eq(work->to.address, OUT + 16);
  ck_assert_uint_eq(work->extent[0], 16);
  ck_assert_uint_eq(work->value, 5);
  ck_assert_uint_eq(outcome.out[4], 0);
  ck_assert_uint_eq(outcome.out[5], 1);
  ck_assert_uint_eq(outcome.out[6], 1007);
  clear_outcome(&outcome);
}
END_TEST

// A launch of 2 blocks of that many threads of a kernel, with memory for its parameters at %rd4, that is configured when it is launched.
#define LAUNCH_WHOLE(kernel, threads)                                                              \
  "mov.u64 %rd3, " #kernel "; st.param.b64 [p], %rd3; st.param.b64 [q], %rd4;\n"                   \
  "st.param.b32 [g], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                           \
  "st.param.b32 [b], " #threads "; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"                \
  "st.param.b32 [i], 128; st.param.b64 [r], 0;\n"                                                  \
  "call (e), __cudaCDP2LaunchDevice, (p, q, g, b, i, r); ld.param.b32 %r2, [e];\n"                 \
  "st.global.u32 [%rd1], %r2;\n"

#define RESERVE(bytes)                                                                             \
  "st.param.b64 [p], 64; st.param.b64 [q], " #bytes ";\n"                                          \
  "call (r), __cudaCDP2GetParameterBuffer, (p, q); ld.param.b64 %rd4, [r];\n"

// The functions of CUDA before 12: memory first, then the whole launch.
START_TEST(test_launch_whole) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS RESERVE(12) "st.u64 [%rd4], %rd1; st.u32 [%rd4+8], %r1;\n" LAUNCH_WHOLE(
                 child, 32) END,
             TRUE, &outcome);
  ck_assert_msg(!outcome.error, "%s", outcome.error ? outcome.error->message : "");
  ck_assert_uint_eq(outcome.work->len, THREADS);
  for (guint i = 0; i < THREADS; i++) {
    const SmbWork *work = &g_array_index(outcome.work, SmbWork, i);
    ck_assert_uint_eq(work->grid[0], 2);
    ck_assert_uint_eq(work->block[0], 32);
    ck_assert_uint_eq(work->dynamic_bytes, 128);
    ck_assert_uint_eq(g_bytes_get_size(work->parameters), CHILD_BYTES);
    ck_assert_uint_eq(((const guchar *)g_bytes_get_data(work->parameters, NULL))[8], i);
  }
  clear_outcome(&outcome);
}
END_TEST

// Errors that the thread is told: too many parameters, too many threads, memory that was not given, no room.
START_TEST(test_told) {
  static const struct {
    const char *text;
    guint32 found[2];
  } cases[] = {
      {DECLARATIONS RESERVE(40000) "st.global.u64 [%rd1], %rd4;\n" ERRORS END, {0, 1}},
      {DECLARATIONS RESERVE(12) LAUNCH_WHOLE(child, 2000) END, {9, 0}},
      {DECLARATIONS "add.u64 %rd4, %rd1, 4;\n" LAUNCH_WHOLE(child, 32) END, {1, 0}},
      {DECLARATIONS RESERVE(30000) RESERVE(30000)
           RESERVE(30000) "st.global.u64 [%rd1], %rd4;\n" ERRORS END,
       {0, 701}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Outcome outcome = {.n_questions = 0};
    run_kernel(cases[i].text, TRUE, &outcome);
    ck_assert_msg(!outcome.error && !outcome.fault, "%u: %s", i,
                  outcome.error ? outcome.error->message : "");
    ck_assert_uint_eq(outcome.work->len, 0);
    ck_assert_uint_eq(outcome.out[0], cases[i].found[0]);
    ck_assert_uint_eq(outcome.out[1], cases[i].found[1]);
    clear_outcome(&outcome);
  }
}
END_TEST

// What ends the kernel, and how it is said.
START_TEST(test_wrong) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {DECLARATIONS RESERVE(12) LAUNCH_WHOLE(4660, 32) END,
       "cudaLaunchDevice launches what is no kernel: at 0x1234"},
      {DECLARATIONS "st.param.b64 [p], 4660; st.param.b32 [i], 1;\n"
                    "call (e), __cudaCDP2StreamCreateWithFlags, (p, i);\n" END,
       "writes where no memory is: at 0x1234"},
      {DECLARATIONS ".reg .b64 %unset; st.param.b64 [p], %unset; st.param.b32 [i], 1;\n"
                    "call (e), __cudaCDP2StreamCreateWithFlags, (p, i);\n" END,
       "what is passed to cudaStreamCreateWithFlags depends on uninitialized memory"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Outcome outcome = {.n_questions = 0};
    run_kernel(cases[i].text, TRUE, &outcome);
    const char *found = outcome.fault ? outcome.fault : outcome.error ? outcome.error->message : "";
    ck_assert_msg(strstr(found, cases[i].message) != NULL, "%u: %s", i, found);
    clear_outcome(&outcome);
  }
}
END_TEST

// A name is asked for once, and is text in memory that the kernel reads; a pointer to nowhere is an error.
START_TEST(test_names) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS
             "st.param.b32 [i], 7; call (r), __cudaCDP2GetErrorName, (i); ld.param.b64 %rd4, [r];\n"
             "ld.u8 %r2, [%rd4+9]; st.global.u32 [%rd1], %r2;\n"
             "st.param.b64 [p], 0; st.param.b32 [i], 1;\n"
             "call (e), __cudaCDP2StreamCreateWithFlags, (p, i); ld.param.b32 %r2, [e];\n"
             "st.global.u32 [%rd1+4], %r2;\n" END,
             TRUE, &outcome);
  ck_assert_msg(!outcome.error, "%s", outcome.error ? outcome.error->message : "");
  for (guint i = 0; i < THREADS; i++) {
    ck_assert_uint_eq(outcome.out[4 * i], 'O');
    ck_assert_uint_eq(outcome.out[4 * i + 1], 1);
  }
  ck_assert_uint_eq(outcome.n_questions, 1);
  clear_outcome(&outcome);
}
END_TEST

// Where nobody does what kernels ask for, that is said.
START_TEST(test_none) {
  Outcome outcome = {.n_questions = 0};
  run_kernel(DECLARATIONS LAUNCH(32, 0) END, FALSE, &outcome);
  ck_assert(outcome.error != NULL);
  ck_assert(strstr(outcome.error->message, "'__cudaCDP2GetParameterBufferV2' is not supported") !=
            NULL);
  clear_outcome(&outcome);
}
END_TEST

// Where nvcc 13.0 passes arguments: registers from R4 on, or "s" with an offset on the stack.
START_TEST(test_passing) {
  static const struct {
    const char *name;
    const char *places;
  } cases[] = {
      {"__cudaCDP2GetParameterBufferV2", "4 6 9 12 "},
      {"__cudaCDP2LaunchDevice_ptsz", "4 6 8 11 14 s0 "},
      {"__cudaCDP2Memcpy2DAsync", "4 6 8 10 12 14 s0 s8 "},
      {"__cudaCDP2Memset3DAsync", "4 12 s0 14 "},
      {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "4 6 8 10 9 "},
      {"__assertfail", "4 6 8 10 12 "},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const Provided *provided = smb_provided_find(cases[i].name);
    g_autoptr(GString) places = g_string_new(NULL);
    Passing passing = {.most = PASSED_REGISTERS};
    ck_assert(provided != NULL);
    for (const char *letter = provided->passed; *letter; letter++) {
      guint place;
      if (smb_provided_pass(&passing, *letter, &place))
        g_string_append_printf(places, "%u ", 4 + place);
      else
        g_string_append_printf(places, "s%u ", place);
    }
    ck_assert_str_eq(places->str, cases[i].places);
  }
}
END_TEST

// --- what is printed: "%d|%hhd|%c|%c|%s|%p|%f\n", by the first thread

#define PRINT                                                                                      \
  "st.param.b64 [p], %rd8; st.param.b64 [q], %rd7; call (e), vprintf, (p, q);\n"                   \
  "ld.param.b32 %r2, [e]; st.global.u32 [%rd1], %r2;\n"                                            \
  "DONE: call (e), __cudaCDP2GetLastError, ();\n"
#define ARGUMENTS                                                                                  \
  "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; mov.u64 %rd6, arguments; cvta.local.u64 %rd7, %rd6;\n"  \
  "mov.u64 %rd8, format; cvta.global.u64 %rd8, %rd8; mov.u64 %rd9, s; "                            \
  "cvta.shared.u64 %rd9, %rd9;\n"

START_TEST(test_printed) {
  static const struct {
    const char *stores, *printed;
  } prints[] = {
      {"st.shared.u32 [s], 0x6968; st.u32 [%rd7], -7; st.u32 [%rd7+4], 0x1ff; st.u32 [%rd7+8], 0;\n"
       "st.u32 [%rd7+12], 120; st.u64 [%rd7+16], %rd9; st.u64 [%rd7+24], 0x1234;\n"
       "st.f64 [%rd7+32], 0d3FF8000000000000;\n",
       "-7|-1|@|x|hi|0x1234|1.500000\n"},
      // nothing is known; nor of a text, or where it ends
      {"", "?|?|?|?|?|?|?\n"},
      {"st.u64 [%rd7+16], %rd9; st.u64 [%rd7+24], 0;\n", "?|?|?|?|?|(nil)|?\n"},
      {"st.shared.u16 [s], 0x6968; st.u64 [%rd7+16], %rd9;\n", "?|?|?|?|?|?|?\n"},
      {"st.u64 [%rd7+16], 0x1234;\n", "?|?|?|?|?|?|?\n"},
      {"st.u64 [%rd7+16], 0;\n", "?|?|?|?|(null)|?|?\n"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(prints); i++) {
    Outcome outcome = {.n_questions = 0};
    g_autofree char *text = g_strconcat(DECLARATIONS ARGUMENTS, prints[i].stores, PRINT END, NULL);
    run_kernel(text, TRUE, &outcome);
    ck_assert_msg(!outcome.error, "%s", outcome.error ? outcome.error->message : "");
    for (gsize at = 0; at < outcome.printed->len; at++)
      if (outcome.printed->str[at] == '\0') // as a device prints it
        outcome.printed->str[at] = '@';
    ck_assert_str_eq(outcome.printed->str, prints[i].printed);
    ck_assert_uint_eq(outcome.out[0], 7);
    clear_outcome(&outcome);
  }
}
END_TEST

// --- the heap of malloc

// Each piece has 16 bytes ahead of it, and begins at a multiple of 16.
START_TEST(test_heap) {
  enum {
    START = 0x1000,
    PIECE = 128, // with its head, of 100 bytes
    HEAD = 16,
    N = 8,
  };
  g_autoptr(SmbHeap) heap = smb_heap_new(START, N * PIECE);
  guint64 first;
  for (guint i = 0; i < N; i++)
    ck_assert_uint_eq(smb_heap_take(heap, 100), START + i * PIECE + HEAD);
  ck_assert_uint_eq(smb_heap_take(heap, 0), 0);
  ck_assert_uint_eq(smb_heap_left(heap, &first), N * 100);
  ck_assert(smb_heap_give(heap, 0));
  ck_assert(!smb_heap_give(heap, START));
  ck_assert(smb_heap_give(heap, START + 1 * PIECE + HEAD));
  ck_assert(!smb_heap_give(heap, START + 1 * PIECE + HEAD));
  ck_assert(smb_heap_give(heap, START + 2 * PIECE + HEAD));
  ck_assert(smb_heap_give(heap, START + 4 * PIECE + HEAD));
  // The second and the third piece are one of 256 bytes, which is cut; the rest has room for 16.
  ck_assert_uint_eq(smb_heap_take(heap, 2 * PIECE - 3 * HEAD), START + 1 * PIECE + HEAD);
  ck_assert_uint_eq(smb_heap_take(heap, 16), START + 3 * PIECE - HEAD);
  ck_assert_uint_eq(smb_heap_take(heap, 16), START + 4 * PIECE + HEAD);
  ck_assert_uint_eq(smb_heap_take(heap, 100), 0);
  ck_assert_uint_eq(smb_heap_take(heap, G_MAXUINT64), 0);
  while (smb_heap_left(heap, &first))
    ck_assert(smb_heap_give(heap, first));
  ck_assert_uint_eq(smb_heap_take(heap, N * PIECE - HEAD), START + HEAD);
}
END_TEST

Suite *
suite_children(void) {
  Suite *suite = suite_create("children");
  TCase *tests = tcase_create("children");
  tcase_add_test(tests, test_launch);
  tcase_add_test(tests, test_bad_launch);
  tcase_add_test(tests, test_tails);
  tcase_add_test(tests, test_others);
  tcase_add_test(tests, test_launch_whole);
  tcase_add_test(tests, test_told);
  tcase_add_test(tests, test_wrong);
  tcase_add_test(tests, test_names);
  tcase_add_test(tests, test_none);
  tcase_add_test(tests, test_passing);
  tcase_add_test(tests, test_printed);
  tcase_add_test(tests, test_heap);
  suite_add_tcase(suite, tests);
  return suite;
}
