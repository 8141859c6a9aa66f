// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels rewritten for another layout: the exact new text, or the exact message; and each is run, so that
// what is not as it was, or does not cost what the layout costs, is found.
#include "sim/cuda/rewrite/forms.h"
#include "sim/cuda/rewrite/declared.h"
#include "sim/cuda/rewrite/rewrite.h"

#include <check.h>
#include <string.h>

#include "sim/advise/array-use.h"
#include "sim/advise/proof.h"
#include "sim/arch/arch.h"
#include "tests/effort.h"
#include "tests/rewrite-predict.h"
#include "tests/suite.h"

// @lines: the lines of the new text that the old one does not have; or the end of the message.
typedef struct {
  const char *text;
  struct {
    guint threads;
    gsize dynamic_bytes;
    guint64 row; // of an array of one dimension
  } launch;
  struct {
    guint64 columns, pad;
    guint bits, base;
    gint shift;
  } layout;
  const char *lines;
  gboolean fails;
} Case;

#define K       "__global__ void k(int *out, const int *in) {\n  unsigned t = threadIdx.x;\n"
#define E       "}\n"
#define SYNC    "  __syncthreads();\n"
#define TILE    K "  __shared__ int a[32][32];\n"
#define Y       "  unsigned y = t / 32, x = t % 32;\n"
#define FLOAT4S K "  __shared__ int a[256];\n"
#define ONE     K "  __shared__ int a[1024];\n"
#define DYN     K "  extern __shared__ int a[];\n"

static const Case cases[] = {
#include "tests/rewrite-cases.def"
};

static SmbProgram *
parse(const char *text) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, &error);
  SmbProgram *kernel =
      source ? smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, &error) : NULL;
  ck_assert_msg(kernel != NULL, "%s", error ? error->message : "");
  return kernel;
}

// The lines of @text that @old does not have.
static char *
new_lines(const char *old, const char *text) {
  g_auto(GStrv) before = g_strsplit(old, "\n", -1);
  g_auto(GStrv) after = g_strsplit(text, "\n", -1);
  GString *lines = g_string_new(NULL);
  for (guint i = 0; after[i]; i++) {
    if (!g_strv_contains((const char *const *)before, after[i]))
      g_string_append_printf(lines, "%s\n", after[i]);
  }
  return g_string_free(lines, FALSE);
}

// A kernel that was run, and one of its arrays in another layout.
typedef struct {
  SmbArch *arch;
  SmbProgram *kernel;
  SmbGlobal *global;
  SmbAnalysis *analysis;
  SmbAnalysisOptions options;
  SmbOriginal original;
  SmbRewriteArray wanted;
  guint64 *wavefronts;
} Run;

static void
run_clear(Run *run) {
  g_free(run->wavefronts);
  smb_analysis_free(run->analysis);
  smb_global_free(run->global);
  smb_program_free(run->kernel);
  smb_arch_unref(run->arch);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static void
run_init(Run *run, const Case *c) {
  g_autoptr(GError) error = NULL;
  memset(run, 0, sizeof *run);
  run->arch = smb_arch_load("sm_90", NULL);
  run->kernel = parse(c->text);
  SmbLaunch launch = {{c->launch.threads ? c->launch.threads : 1024, 1, 1},
                      {1, 1, 1},
                      c->launch.dynamic_bytes,
                      NULL,
                      NULL};
  run->global = smb_global_new(run->kernel, &launch);
  run->options = (SmbAnalysisOptions){.global = run->global, .keep_requests = TRUE};
  run->analysis = smb_analysis_run(run->kernel, run->arch, &launch, &run->options, &error);
  ck_assert_msg(run->analysis != NULL, "%s", error ? error->message : "");
  run->original =
      (SmbOriginal){run->kernel, run->arch, launch, &run->options, run->analysis, run->global};
  g_autoptr(SmbArrayUses) uses = smb_array_uses_new(run->kernel, NULL, run->analysis);
  const SmbArrayUse *use = g_ptr_array_index(uses->all, 0);
  SmbLayout from = smb_array_use_layout(use, c->launch.row);
  run->wanted = (SmbRewriteArray){use->array, use->bytes, from, from};
  SmbLayout *to = &run->wanted.to;
  to->columns = c->layout.columns ? c->layout.columns : from.columns;
  to->pad = c->layout.pad;
  to->bits = c->layout.bits;
  to->base = c->layout.base;
  to->shift = c->layout.shift;
  run->wavefronts = rewrite_predict(&run->original, &run->wanted);
  ck_assert_ptr_nonnull(run->wavefronts);
}

START_TEST(test_case) {
  const Case *c = &cases[_i];
  g_auto(Run) run;
  run_init(&run, c);
  g_autoptr(SmbProof) proof = smb_proof_choose(&run.original, &run.wanted, run.wavefronts);
  if (c->fails) {
    ck_assert_pstr_eq(proof->failure, c->lines);
    return;
  }
  ck_assert_msg(proof->failure == NULL, "%s\n%s", proof->failure, proof->text);
  g_autoptr(GString) lines = g_string_new(NULL);
  g_autofree char *changed = new_lines(c->text, proof->text);
  g_string_printf(lines, "%s%s%s", changed, proof->condition ? "if " : "",
                  proof->condition ? proof->condition : "");
  ck_assert_str_eq(lines->str, c->lines);
}
END_TEST

// Tries one more layout; Returns: whether the text was rewritten for it
static gboolean
holds(Run *run, const SmbLayout *to) {
  run->wanted.to = *to;
  g_autofree guint64 *wavefronts = rewrite_predict(&run->original, &run->wanted);
  if (!wavefronts || smb_rewrite_bytes(&run->wanted) > 48u << 10)
    return FALSE;
  g_autoptr(SmbProof) proof = smb_proof_choose(&run->original, &run->wanted, wavefronts);
  ck_assert_msg(!proof->failure || !proof->edits, "pad %u, Swizzle<%u,%u,%d>: %s\n%s",
                (guint)to->pad, to->bits, to->base, to->shift, proof->failure, proof->text);
  return !proof->failure;
}

// Whatever the layout: a text that was rewritten does what it did, at the cost of the layout. Without full effort a quarter of the layouts
// is tried, another one for each case.
START_TEST(test_layouts) {
  const Case *c = &cases[_i];
  const guint stride = effort(400) == 400 ? 1 : 160 / effort(400);
  g_auto(Run) run;
  guint rewritten = 0, n = (guint)_i;
  run_init(&run, c);
  SmbLayout to = run.wanted.to;
  static const guint64 pads[] = {0, 1, 4, 5};
  for (guint i = 0; i < G_N_ELEMENTS(pads); i++) {
    to.pad = pads[i];
    for (to.bits = 0; to.bits <= 5; to.bits++) {
      for (to.base = 0; to.base <= 4; to.base += 2) {
        for (gint distance = (gint)to.bits; distance <= (gint)to.bits + 2; distance += 2) {
          if (n++ % stride)
            continue;
          to.shift = distance;
          rewritten += holds(&run, &to);
          to.shift = -distance;
          rewritten += holds(&run, &to);
        }
      }
    }
  }
  ck_assert(c->fails || rewritten > 10 / stride);
}
END_TEST

// What is wrong is found: by what an access costs, by the values, by what cannot be evaluated.
static const Case original = {
    TILE Y "  a[y][x] = in[t];\n" SYNC "  out[t] = a[x][y];\n" E, {0}, {0, 0, 5, 0, 5}, "", FALSE};
static const struct {
  const char *from;
  const char *to;
  const char *failure;
} wrongs[] = {
    {"a[y][x] = in", "a[y][x ^ y] = in",
     "the access to a[x][y] at line 7 takes 1024 wavefronts, not 32 as predicted"},
    {"a[x][y]", "a[x][y ^ x]", "byte 4 of out is not what the original leaves there"},
    {"a[x][y]", "a[x][y ^ x] + a[0][0]", "it makes 3 accesses to shared memory, the original 2"},
    {"out[t]", "out[t + 1]", "it accesses 4100 bytes of out, the original 4096"},
    {"[32][32]", "[32][32000]",
     "it cannot be evaluated: k.cu: 'k' declares 4096000 bytes of static shared memory: a block on "
     "sm_90 has at "
     "most 49152"},
    {"= in[t]", "= in[", NULL},
    {"  a[y][x]", "  if (t < 512) a[y][x]",
     "the access to a[y][x] at line 5 makes other requests than the original's"},
    {"= in[t]", "= \2", "it cannot be evaluated: k.cu: byte 0x02 at offset 148: not a text file"},
};

START_TEST(test_wrong) {
  g_auto(Run) run;
  run_init(&run, &original);
  g_auto(GStrv) parts = g_strsplit(original.text, wrongs[_i].from, 2);
  g_autofree char *text = g_strjoinv(wrongs[_i].to, parts);
  if (_i == 3)
    run.wavefronts[1] = 1024;
  g_autoptr(SmbProof) proof = smb_proof_text(&run.original, text, 0, run.wavefronts);
  ck_assert_ptr_nonnull(proof->failure);
  if (wrongs[_i].failure)
    ck_assert_str_eq(proof->failure, wrongs[_i].failure);
  else
    ck_assert(g_str_has_prefix(proof->failure, "it cannot be evaluated: k.cu:5:"));
}
END_TEST

// Several arrays at once, and what stands where it is not evaluated.
START_TEST(test_arrays) {
  static const Case c = {
      "#define ALL 0\n" K "  __shared__ int a[32][32];\n  __shared__ int b[32][32];\n" Y
      "  a[y][x] = in[t] % 32;\n  b[y][x] = in[t];\n" SYNC "  out[t] = a[x][b[x][y] % 32];\n"
      "#if ALL\n  out[0] = a[0][1];\n#endif\n  out[t] += sizeof(a) / sizeof(b[0]);\n" E,
      {0},
      {0, 0, 5, 0, 5},
      "",
      FALSE};
  g_auto(Run) run;
  g_autoptr(GError) error = NULL;
  run_init(&run, &c);
  const SmbArray *b = smb_program_array(run.kernel, 1);
  SmbRewriteArray both[] = {run.wanted, run.wanted};
  both[1].array = b;
  both[1].to = both[1].from;
  both[1].to.pad = 1;
  g_autoptr(GArray) edits = smb_rewrite(run.kernel, NULL, both, 2, NULL, &error);
  ck_assert_msg(edits != NULL, "%s", error ? error->message : "");
  g_autofree char *text = smb_rewrite_apply(smb_program_source(run.kernel), edits);
  g_autofree char *lines = new_lines(c.text, text);
  ck_assert_str_eq(lines, "  __shared__ int b[32][32 + 1];\n"
                          "  a[y][x ^ y] = in[t] % 32;\n"
                          "  out[t] = a[x][b[x][y] % 32 ^ x];\n");
  g_autoptr(SmbRewriteNames) names = smb_rewrite_names_new(run.kernel);
  g_autoptr(GArray) unseen = smb_rewrite_unseen(names, run.wanted.array);
  ck_assert_uint_eq(unseen->len, 2);
  ck_assert_uint_eq(g_array_index(unseen, guint, 0), 12);
  ck_assert_uint_eq(g_array_index(unseen, guint, 1), 14);
}
END_TEST

static const struct {
  const char *declaration;
  SmbLayout to;
  const char *index;
} plains[] = {
    {"int a[32][32]", {4, 32, 1, 0, 0, 0}, "[r][c]"},
    {"int a[32][32]", {4, 32, 0, 5, 0, 5}, "[r][c ^ r]"},
    {"int a[64][32]", {4, 32, 1, 3, 2, 3}, "[r][c ^ ((r & 7) << 2)]"},
    {"int a[4][8][32]", {4, 32, 0, 5, 0, 5}, "[p][r][c ^ (p * 8 + r)]"},
    {"int a[64][16]", {4, 16, 0, 5, 0, 5}, "[n ^ (n >> 5 & 31)], n = r * 16 + c"},
    {"int a[1024]", {4, 1024, 0, 5, 0, 5}, "[i ^ (i >> 5)]"},
    {"int a[1024]", {4, 32, 2, 0, 0, 0}, "[i + i / 32 * 2]"},
    {"int a[1024]", {4, 32, 1, 2, 0, 2}, "[n + n / 32], n = m ^ (m >> 2 & 3), m = i"},
    {"int a[64][24]", {4, 24, 1, 5, 0, 5}, "[n + n / 24], n = m ^ (m >> 5 & 31), m = r * 24 + c"},
    {"int a[1][1024]", {4, 32, 1, 0, 0, 0}, "[r][c + c / 32]"},
    {"int a[64][24]", {4, 32, 1, 0, 0, 0}, "[m + m / 32], m = r * 24 + c"},
};

START_TEST(test_describe) {
  g_autofree char *text =
      g_strdup_printf("__global__ void k(int *out) { __shared__ %s; out[0] = sizeof(a); }\n", //
                      plains[_i].declaration);
  g_autoptr(SmbProgram) kernel = parse(text);
  const SmbArray *array = smb_program_array(kernel, 0);
  SmbLayout from = {4, array->dimension[array->n_dimensions - 1], 0, 0, 0, 0};
  SmbRewriteArray wanted = {array, array->bytes, from, plains[_i].to};
  g_autofree char *index = smb_rewrite_describe(&wanted);
  ck_assert_str_eq(index, plains[_i].index);
}
END_TEST

// Arrays in texts that nobody parses.
static const struct {
  const char *text;
  const char
      *found; // name[row] and how it is used, one behind the other; with rows that are 4 longer
} declarations[] = {
    {"__global__ void k() { __shared__ float a[8][N]; a[1][2] = a[0][0] + b[1]; }",
     "a[N] 0 [N + 4]"},
    {"template <class T, int N> __device__ void k() {\n"
     "  __shared__ alignas(16) Pair<T, 2> a[2][N << 1], b[4], c[1][2][3];\n"
     "  f([&] { return a[x][y[1]]; }, &c[0][1][2]); }",
     "a[N << 1] 0 [(N << 1) + 4] c[3] 1 [3 + 4]"},
    {"__shared__ int a[8][(N << 1)]; int *p = a[1]; // __shared__ int b[2][2];",
     "a[(N << 1)] 2 [(N << 1) + 4]"},
    {"__shared__ int a[8][4]; f(a);", "a[4] 2 [4 + 4]"},
    {"__shared__ int a[8][4]; f(sizeof a);", "a[4] 2 [4 + 4]"},
    {"#define AT(i, j) (&a[i][j])\n__shared__ int a[8][4];", "a[4] 1 [4 + 4]"},
    {"#define AT a\n__shared__ int a[8][4];", "a[4] 2 [4 + 4]"},
    {"__shared__ int a[8][4]; x = (a)[1][2];", "a[4] 2 [4 + 4]"},
    {"__shared__ half a[8][K + 8]; load_matrix_sync(f, &a[i][g(1, 2)], K+8);",
     "a[K + 8] 0 [K + 8 + 4]; load_matrix_sync(f, &a[i][g(1, 2)], K+8 + 4)"},
    {"__shared__ half a[8][N ? 2 : 4]; store_matrix_sync(a[i] + 8, f, N ? 2 : 4, mem_row_major);",
     "a[N ? 2 : 4] 0 [(N ? 2 : 4) + 4]; store_matrix_sync(a[i] + 8, f, (N ? 2 : 4) + 4,"},
    {"__shared__ half a[8][4]; load_matrix_sync(f, &a[i][0], 8);", "a[4] 1 [4 + 4]"},
    {"__shared__ half a[8][4]; load_matrix_sync(f, b, a[1][4]);", "a[4] 0 [4 + 4]"},
    {"__shared__ half a[8][4]; load_matrix_sync(f, &a[i][0]);", "a[4] 1 [4 + 4]"},
    {"__shared__ half a[8][4]; load_matrix_sync(f, &a[i][0], 4", "a[4] 1 [4 + 4]"},
    {"__shared__ int a[8], b; extern __shared__ int c[]; __shared__ int d[2][2] = {};", ""},
    {"__shared__", ""},
    {"__shared__ int a[2][", ""},
    {"/* __shared__ int a[2][2];", ""},
};

START_TEST(test_declared) {
  g_autoptr(GBytes) bytes =
      g_bytes_new_static(declarations[_i].text, strlen(declarations[_i].text));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  g_autoptr(GArray) arrays = smb_declared_new(source);
  g_autoptr(GString) found = g_string_new(NULL);
  for (guint i = 0; i < arrays->len; i++) {
    const SmbDeclared *array = &g_array_index(arrays, SmbDeclared, i);
    g_autoptr(GArray) edits = smb_edits_new();
    smb_declared_pad(array, 4, edits);
    g_autofree char *text = smb_rewrite_apply(source, edits);
    guint32 from = g_array_index(array->lengths, SmbDeclaredLength, 0).start;
    guint last = array->lengths->len - 1;
    guint32 to = g_array_index(array->lengths, SmbDeclaredLength, last).end;
    gsize grown = strlen(text) - strlen(declarations[_i].text) + to - from;
    g_string_append_printf(found, "%s%s[%s] %d %.*s", i ? " " : "", array->name, array->row,
                           array->use, (int)grown, text + from);
  }
  ck_assert_str_eq(found->str, declarations[_i].found);
}
END_TEST

// What all forms have in common, and what is left of one in its namespace.
static const struct {
  const char *text, *common, *own;
} besides[] = {
    {"#include <a.h>\nint a;\n", "#include <a.h>\n", "\nint a;\n"},
    {"#pragma once\n#ifndef N // one\n#define N \\\n 1\n#endif\n#pragma unroll\nint a = N;\n",
     "#ifndef N\n#define N \\\n 1\n#endif\n",
     "\n#ifndef N // one\n#define N \\\n 1\n#endif\n#pragma unroll\nint a = N;\n"},
    {"/*\n#include <b.h>\n*/ char c[] = \"\\\n#include <c.h>\"; // extern \"C\"\n", "",
     "/*\n#include <b.h>\n*/ char c[] = \"\\\n#include <c.h>\"; // extern \"C\"\n"},
    {"extern \"C\" {\nextern \"C++\" int a;\n}\nextern int c; char d[] = \"C\";\n", "",
     "extern \"C++\" {\nextern \"C++\" int a;\n}\nextern int c; char d[] = \"C\";\n"},
};

START_TEST(test_beside) {
  g_autoptr(GPtrArray) forms = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  const char *own = besides[_i].own;
  gboolean has_macro = strstr(besides[_i].common, "define") != NULL;
  for (guint i = 0; i < 2; i++) {
    g_autoptr(GBytes) bytes = g_bytes_new_static(besides[_i].text, strlen(besides[_i].text));
    g_ptr_array_add(forms, smb_source_new("k.cu", bytes, NULL));
  }
  g_autofree char *text = smb_forms_beside(forms, "tail\n", NULL);
  const char *push = has_macro ? "#pragma push_macro(\"N\")\n" : "";
  const char *pop = has_macro ? "#pragma pop_macro(\"N\")\n" : "";
  g_autofree char *expected =
      g_strdup_printf("%s%s%s%snamespace smembank_form_0 {\n#line 1\n%s\ntail\n}\n"
                      "%s%snamespace smembank_form_1 {\n#line 1\n%s\ntail\n}\n",
                      push, besides[_i].common, pop, push, own, pop, push, own);
  ck_assert_str_eq(text, expected);
}
END_TEST

// What the kernel k does not need is only declared, where that is plain.
static const struct {
  const char *text;
  const char *own;
} needless[] = {
    {"__global__ void k(int *p) { *p = 1; }\n__global__ void other(int *p) { *p = 2; }",
     "__global__ void k(int *p) { *p = 1; }\n__global__ void other(int *p) ;"},
    {"int main(int argc, char **argv) {\n  if (argc) {\n  }\n}",
     "int main(int argc, char **argv) ;\n\n\n"},
    {"static void run(float (*f)[4]) { k<<<1, 1>>>(f); }\nint n;",
     "static void run(float (*f)[4]) ;\nint n;"},
    {"__global__ void __launch_bounds__(64) other() {}",
     "__global__ void __launch_bounds__(64) other() ;"},
    {"namespace a {\nvoid f() {}\n}\nextern \"C\" {\nvoid g() {}\n}",
     "namespace a {\nvoid f() ;\n}\nextern \"C++\" {\nvoid g() ;\n}"},
    {"void f() {\n#define E }\n#include \"x\"\n}\nint a;", "void f() ;\n\n\n\nint a;"},
    {"__device__ int f() { return 1; }", "__device__ int f() { return 1; }"},
    {"INLINE int f() { return 1; }", "INLINE int f() { return 1; }"},
    {"#define inner __device__\ninner int f() { return 1; }",
     "#define inner __device__\ninner int f() { return 1; }"},
    {"template <int N> __global__ void other() {}", "template <int N> __global__ void other() {}"},
    {"constexpr int f() { return 1; }", "constexpr int f() { return 1; }"},
    {"auto f() { return 1; }", "auto f() { return 1; }"},
    {"struct S { void f() {} };\nS::S() : a(0) {}", "struct S { void f() {} };\nS::S() : a(0) {}"},
    {"int a[] = {f()}, b = {1};", "int a[] = {f()}, b = {1};"},
    {"void f() {", "void f() ;"},
    {"f(a) {}", "f(a) {}"},
};

START_TEST(test_needless) {
  g_autoptr(GPtrArray) forms = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  const char *own = needless[_i].own;
  g_autoptr(GBytes) bytes = g_bytes_new_static(needless[_i].text, strlen(needless[_i].text));
  g_ptr_array_add(forms, smb_source_new("k.cu", bytes, NULL));
  g_autofree char *text = smb_forms_beside(forms, "", "k");
  g_autofree char *expected = g_strdup_printf("namespace smembank_form_0 {\n#line 1\n%s\n}\n", own);
  ck_assert_msg(strstr(text, expected), "%s is not in\n%s", expected, text);
}
END_TEST

START_TEST(test_beside_bad) {
  g_autoptr(GPtrArray) forms = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  g_autoptr(GBytes) bytes = g_bytes_new_static("/* int a;", 9);
  g_ptr_array_add(forms, smb_source_new("k.cu", bytes, NULL));
  ck_assert_ptr_null(smb_forms_beside(forms, "", NULL));
}
END_TEST

Suite *
suite_rewrite(void) {
  Suite *suite = suite_create("rewrite");
  TCase *tcase = tcase_create("rewrite");
  tcase_add_loop_test(tcase, test_case, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(tcase, test_layouts, 0, G_N_ELEMENTS(cases));
  tcase_add_loop_test(tcase, test_wrong, 0, G_N_ELEMENTS(wrongs));
  tcase_add_test(tcase, test_arrays);
  tcase_add_loop_test(tcase, test_describe, 0, G_N_ELEMENTS(plains));
  tcase_add_loop_test(tcase, test_declared, 0, G_N_ELEMENTS(declarations));
  tcase_add_loop_test(tcase, test_beside, 0, G_N_ELEMENTS(besides));
  tcase_add_loop_test(tcase, test_needless, 0, G_N_ELEMENTS(needless));
  tcase_add_test(tcase, test_beside_bad);
  suite_add_tcase(suite, tcase);
  return suite;
}
