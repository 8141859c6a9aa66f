// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is proved of compiled kernels. Those of proof-cases.def, which nvcc compiled (tests/proof-compile.py), have the answer of their
// text, or one that proof-compiled.def names; no launch contradicts one. Kernels of proof-ptx.def are of PTX: the counter knows their answer, too,
// or it is said why there is none.
#include <string.h>

#include "tests/effort.h"
#include "tests/proved-kernel.h"
#include "tests/sass-data.h"
#include "tests/suite.h"

enum {
  N_REMAINDERS = 32, // of the parameter
};

typedef enum {
  LEVEL_PTX,
  LEVEL_MACHINE,
  N_LEVELS,
} Level;

typedef struct {
  const char *statements;
  SmbProofVerdict verdict;
  guint free; // of PROVED_FOR: residues of the parameter that are free of conflicts
} Case;

static const Case cases[] = {
#define PROOF(statements, verdict, free) {statements, SMB_##verdict, free},
#include "tests/proof-cases.def"
#undef PROOF
};

static const struct {
  const char *statements;
  SmbProofVerdict verdict[N_LEVELS];
  guint free;
} others[] = {
#define COMPILED(statements, ptx, machine, free) {statements, {SMB_##ptx, SMB_##machine}, free},
#include "tests/proof-compiled.def"
#undef COMPILED
};

static const struct {
  const char *functions;
  const char *body;
  SmbProofVerdict verdict;
  guint free; // of PROVED_FOR
} texts[] = {
#define TEXT(body, verdict, free)               {"", body, SMB_##verdict, free},
#define CALLING(functions, body, verdict, free) {functions, body, SMB_##verdict, free},
#define REFUSED(functions, body, why)
#include "tests/proof-ptx.def"
#undef TEXT
#undef CALLING
#undef REFUSED
};

static const struct {
  const char *functions;
  const char *body;
  const char *why;
} refused[] = {
#define TEXT(body, verdict, free)
#define CALLING(functions, body, verdict, free)
#define REFUSED(functions, body, why) {functions, body, why},
#include "tests/proof-ptx.def"
#undef TEXT
#undef CALLING
#undef REFUSED
};

static SmbSource *
open_level(const char *name, Level level) {
  g_autofree char *file =
      g_strdup_printf("%s.%s", name, level == LEVEL_PTX ? "ptx" : "sm_90.cubin");
  g_autoptr(GBytes) bytes = sass_data_read(file);
  return smb_source_new_any(file, bytes, NULL);
}

static void
prove_entry(ProvedKernel *proved, SmbSource *source, const char *statements) {
  g_autofree char *entry = g_strdup_printf("proof_%08x", g_str_hash(statements));
  const SmbProgramOptions options = {.entry = entry};
  g_autoptr(GError) error = NULL;
  SmbProgram *program = smb_program_read(source, &options, &error);
  ck_assert_msg(program != NULL, "%s: %s", statements, error ? error->message : "");
  prove_program(proved, program);
}

static guint
count_free(const SmbKernelProof *proof) {
  guint n = 0;
  for (guint i = 0; i < proof->sites->len; i++) {
    const SmbProvedSite *site = proof->sites->pdata[i];
    for (guint r = 0; site->verdict == SMB_PROVED_FOR && r < site->modulus; r++)
      n += site->free[r];
    if (n)
      return n;
  }
  return 0;
}

// Adds what is not as it should be.
static void
check_answer(const SmbKernelProof *proof, const Case *one, Level level, GString *wrong) {
  SmbProofVerdict verdict = smb_kernel_proof_verdict(proof), wanted = one->verdict;
  guint free = one->free, is_free = count_free(proof);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    if (strcmp(others[i].statements, one->statements) == 0) {
      wanted = others[i].verdict[level];
      free = others[i].free;
    }
  }
  if (verdict != wanted || (wanted == SMB_PROVED_FOR && is_free != free))
    g_string_append_printf(wrong, "\n%s: verdict %d, %u residues", one->statements, (int)verdict,
                           is_free);
}

START_TEST(test_compiled) {
  const Level level = (Level)_i;
  g_autoptr(SmbSource) source = open_level("proof", level);
  g_autoptr(GString) wrong = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(ProvedKernel) proved = {0};
    prove_entry(&proved, source, cases[i].statements);
    check_answer(proved.proof, &cases[i], level, wrong);
    // Some of those that are not proved never end.
    gboolean is_run = smb_kernel_proof_verdict(proved.proof) != SMB_PROOF_STOPPED;
    for (guint value = 0; is_run && value < N_REMAINDERS; value += effort(10) < 10 ? 7 : 1)
      compare_proved_launch(&proved, value, cases[i].statements);
  }
  ck_assert_msg(wrong->len == 0, "%s", wrong->str);
}
END_TEST

// Random kernels, a line each in proof-random.txt, of which no answer is known.
START_TEST(test_random_compiled) {
  const Level level = (Level)_i;
  g_autoptr(SmbSource) source = open_level("proof-random", level);
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/sass/proof-random.txt", srcdir ? srcdir : ".");
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint n[N_PROOF_VERDICTS] = {0};
  for (guint i = 0; lines[i] && *lines[i]; i += effort(10) < 10 ? 3 : 1) {
    g_auto(ProvedKernel) proved = {0};
    prove_entry(&proved, source, lines[i]);
    n[smb_kernel_proof_verdict(proved.proof)]++;
    for (guint at = 0; !proved.proof->stopped && at < N_REMAINDERS; at += effort(10) < 10 ? 11 : 1)
      compare_proved_launch(&proved, at, lines[i]);
  }
  check_all_verdicts(n);
}
END_TEST

// --- kernels of PTX: each thread writes the word of s whose number is in %r1; %r0 is threadIdx.x, %r8 threadIdx.y, %r9 p, %r10 q, %d9 in

static void
prove_text(ProvedKernel *proved, const char *functions, const char *body) {
  g_autofree char *text = g_strconcat(
      ".version 8.7\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n",
      functions,
      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 p, .param .u32 q) { "
      ".reg .pred %p<8>; .reg .b8 %b<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %d<12>; "
      "ld.param.u32 %r9, [p]; ld.param.u32 %r10, [q]; ld.param.u64 %d9, [in]; "
      "mov.u32 %r0, %tid.x; mov.u32 %r8, %tid.y; mov.u32 %r1, %r0;\n",
      body,
      "\nshl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], 1; "
      "ret; }\n",
      NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.ptx", bytes, &error);
  const SmbProgramOptions options = {.entry = "k"};
  SmbProgram *program = source ? smb_program_read(source, &options, &error) : NULL;
  ck_assert_msg(program != NULL, "%s: %s", body, error ? error->message : "");
  prove_program(proved, program);
}

START_TEST(test_text) {
  g_auto(ProvedKernel) proved = {0};
  prove_text(&proved, texts[_i].functions, texts[_i].body);
  check_proved_answer(&proved, texts[_i].verdict, texts[_i].free, texts[_i].body);
}
END_TEST

START_TEST(test_refused) {
  g_auto(ProvedKernel) proved = {0};
  prove_text(&proved, refused[_i].functions, refused[_i].body);
  const SmbProvedSite *first =
      proved.proof->sites->len ? g_ptr_array_index(proved.proof->sites, 0) : NULL;
  const char *why = proved.proof->stopped ? proved.proof->stopped : first ? first->reason : NULL;
  ck_assert_msg(g_strcmp0(why, refused[_i].why) == 0, "%s: %s", refused[_i].body, why);
  ck_assert_int_eq(smb_kernel_proof_verdict(proved.proof), SMB_PROOF_STOPPED);
}
END_TEST

Suite *
suite_compiled_proof(void) {
  Suite *suite = suite_create("compiled-proof");
  TCase *tcase = tcase_create("compiled-proof");
  tcase_set_timeout(tcase, 0);
  tcase_add_loop_test(tcase, test_compiled, 0, N_LEVELS);
  tcase_add_loop_test(tcase, test_random_compiled, 0, N_LEVELS);
  suite_add_tcase(suite, tcase);
  tcase = tcase_create("texts");
  tcase_add_loop_test(tcase, test_text, 0, G_N_ELEMENTS(texts));
  tcase_add_loop_test(tcase, test_refused, 0, G_N_ELEMENTS(refused));
  suite_add_tcase(suite, tcase);
  return suite;
}
