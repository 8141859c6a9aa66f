// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is proved for all values of a parameter holds in launches with each of its residues, of random kernels; and what is said of
// kernels whose answer is known.
#include "tests/effort.h"
#include "tests/proved-kernel.h"
#include "tests/repeat-run.h"
#include "tests/suite.h"

enum {
  N_KERNELS = 600,
};

#define FORM                                                                                       \
  "__device__ int plus(int a, int b) { return a + b; }\n"                                          \
  "__device__ int halve(int a) { if (a & 1) return a; return a / 2; }\n"                           \
  "__device__ int first(int n) { for (int i = 0; i < n; i++) if (i == 3) return i; return n; }\n"  \
  "struct Pair { int x, y; };\n"                                                                   \
  "__global__ void k(float *out, float *in, int p, unsigned q) {\n"                                \
  "  extern __shared__ float s[];\n"                                                               \
  "  int t = threadIdx.x, u = threadIdx.y;\n"                                                      \
  "  %s\n"                                                                                         \
  "}\n"

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

static void
prove(ProvedKernel *proved, const char *statements) {
  g_autofree char *text = g_strdup_printf(FORM, statements);
  prove_program(proved, repeat_program("k.cu", text));
}

// An integer expression over the thread, the parameters and small numbers: of a form, "E" is an expression again, "N" a small number.
static void
append_random(GRand *random, GString *out, guint depth) {
  static const char *const leaves[] = {"t", "t", "u", "p", "p", "(int)q", "blockIdx.x", "N"};
  // clang-format off
  static const char *const forms[] = {
      "(E + E)", "(E + E)", "(E - E)", "(E * E)", "(E & E)", "(E | E)", "(E ^ E)", "(E % N)",
      "(E / N)", "(E >> N % 5)", "(E << N % 5)", "N * E", "N * E", "(E < E)", "(E >= E)",
      "(E == E)", "(E ? E : E)", "(E && E)", "(E || E)", "~E", "(-E)", "!E", "min(E, E)",
      "max(E, E)", "min((unsigned)E, 50u)", "((unsigned)E / 8)", "((unsigned)E % 8)",
      "plus(E, E)", "(E, E)", "(int)(short)E", "(unsigned char)E", "(int)blockDim.x", "abs(E)",
  };
  // clang-format on
  const char *form = depth == 0 || g_rand_int_range(random, 0, 8) == 0
                         ? leaves[g_rand_int_range(random, 0, G_N_ELEMENTS(leaves))]
                         : forms[g_rand_int_range(random, 0, G_N_ELEMENTS(forms))];
  for (const char *at = form; *at; at++) {
    if (*at == 'E')
      append_random(random, out, depth - 1);
    else if (*at == 'N')
      g_string_append_printf(out, "%d", g_rand_int_range(random, 1, 40));
    else
      g_string_append_c(out, *at);
  }
}

// Affine in the thread, with factors that may have the parameter.
static char *
affine_statements(GRand *random) {
  return g_strdup_printf("s[%d * t + %d * u + %d * p * t + %d * p + %d * (t ^ %d)] = 1;",
                         g_rand_int_range(random, 0, 30), g_rand_int_range(random, 0, 50),
                         g_rand_int_range(random, 0, 4), g_rand_int_range(random, 0, 8),
                         g_rand_int_range(random, 0, 4), g_rand_int_range(random, 0, 31));
}

static char *
random_statements(GRand *random) {
  static const char *const frames[] = {
      "s[(%s) & 4095] = 1;",
      "if ((%s) & 1) return; s[(%s) & 4095] = 1;",
      "int v = %s; if ((%s) < 9) v = %s; s[v & 4095] = 1;",
      "int v = %s; for (int i = %s & 3; i < (p & 7); i++) { v += %s; s[v & 4095] = 1; }",
      "int v = %s; for (int i = 0; i < (p & 7); i++) { if ((%s) & 4) s[(v ^ i) & 4095] = 1; }",
      "int v = p; do { s[(v + %s) & 4095] = 1; v = v >> 1; } while (v > 0);",
  };
  const char *frame = frames[g_rand_int_range(random, 0, G_N_ELEMENTS(frames))];
  GString *text = g_string_new(NULL);
  for (const char *at = frame; *at; at++) {
    if (at[0] == '%' && at[1] == 's') {
      g_string_append_c(text, '(');
      append_random(random, text, 3);
      g_string_append_c(text, ')');
      at++;
    } else {
      g_string_append_c(text, *at);
    }
  }
  return g_string_free(text, FALSE);
}

START_TEST(test_known) {
  const Case *known = &cases[_i];
  g_auto(ProvedKernel) proved = {0};
  prove(&proved, known->statements);
  check_proved_answer(&proved, known->verdict, known->free, known->statements);
}
END_TEST

START_TEST(test_random) {
  g_autoptr(GRand) random = g_rand_new_with_seed(20261128);
  guint n[N_PROOF_VERDICTS] = {0};
  for (guint round = 0; round < effort(N_KERNELS); round++) {
    g_autofree char *statements = round % 2 ? affine_statements(random) : random_statements(random);
    g_auto(ProvedKernel) proved = {0};
    prove(&proved, statements);
    n[smb_kernel_proof_verdict(proved.proof)]++;
    for (guint value = 0; !proved.proof->stopped && value < PROVED_VALUES; value++)
      compare_proved_launch(&proved, value, statements);
  }
  check_all_verdicts(n);
}
END_TEST

Suite *
suite_kernel_proof(void) {
  Suite *suite = suite_create("kernel-proof");
  TCase *tcase = tcase_create("kernel-proof");
  tcase_set_timeout(tcase, 0);
  tcase_add_loop_test(tcase, test_known, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_random);
  suite_add_tcase(suite, tcase);
  return suite;
}
