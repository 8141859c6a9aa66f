// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expressions of CUDA C against the instructions of PTX that nvcc makes of them (sm_90): they leave the same bits, of numbers of every
// kind, NaN and infinities, whether lanes compute them or they are constants. What the instructions do was compared with a device
// (tests/gpu/random-ptx.sh).
#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

enum {
  NUMBERS = 16,
};

// A type as both languages call it, and the register that an instruction takes it in.
typedef struct {
  const char *name, *ptx, *load;
  SmbScalar scalar;
} Kind;

static const Kind kinds[] = {
    {"int", "s32", "b32", SMB_SCALAR_I32},
    {"unsigned", "u32", "b32", SMB_SCALAR_U32},
    {"long long", "s64", "b64", SMB_SCALAR_I64},
    {"unsigned long long", "u64", "b64", SMB_SCALAR_U64},
    {"float", "f32", "b32", SMB_SCALAR_F32},
    {"double", "f64", "b64", SMB_SCALAR_F64},
    {"__half", "f16", "b16", SMB_SCALAR_F16},
    {"__nv_bfloat16", "bf16", "b16", SMB_SCALAR_BF16},
};

/**
 * Case: an expression of x and y
 * @from, @to: types of PTX: of x and y, and of the result
 * @instructions: which leave it in r; h, w and p are free
 */
typedef struct {
  const char *from, *to, *expression, *instructions;
} Case;

static const Case cases[] = {
#include "tests/text-values.def"
};

static const Kind *
find_kind(const char *ptx) {
  guint i = 0;
  while (strcmp(kinds[i].ptx, ptx) != 0)
    i++;
  return &kinds[i];
}

static const double reals[NUMBERS] = {
    0,           -0.0,    1,    -1,   2.5,   -3.75,    300.7,
    -70000,      3e9,     -3e9, 1e19, -1e19, INFINITY, -(double)INFINITY,
    (double)NAN, 0x1p-24,
};
static const guint64 integers[NUMBERS] = {
    0,
    1,
    G_MAXUINT64,
    2,
    7,
    33,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    G_MAXINT64,
    G_GUINT64_CONSTANT(0x8000000000000000),
    G_GUINT64_CONSTANT(0x0180000000000001), // halfway between two of bfloat16, but for the last bit
    G_GUINT64_CONSTANT(0xfeffffffffffffff), // the same, negative
    G_GUINT64_CONSTANT(0x4040000000000001),
    2049,
    G_GUINT64_CONSTANT(0xfffffffffffffc00),
};

static guint64
number_bits(const Kind *kind, guint i) {
  guint64 bits = 0;
  if (smb_scalar_is_real(kind->scalar))
    smb_scalar_encode_real(kind->scalar, reals[i], (guchar *)&bits);
  else
    memcpy(&bits, &integers[i], smb_scalar_bytes(kind->scalar));
  if (smb_scalar_is_real(kind->scalar))
    smb_scalar_canonical(kind->scalar, &bits, smb_scalar_bytes(kind->scalar));
  return bits;
}

// Numbers are the words of n[]: thread t takes two of them.
static void
append_numbers(GString *text, const Kind *kind, const char *suffix) {
  for (guint i = 0; i < NUMBERS; i++)
    g_string_append_printf(text, "%s0x%" G_GINT64_MODIFIER "x%s", i ? ", " : "",
                           number_bits(kind, i), suffix);
}

static char *
write_ptx(const Case *test) {
  const Kind *from = find_kind(test->from), *to = find_kind(test->to);
  GString *text = g_string_new(".version 8.7\n.target sm_90\n.address_size 64\n"
                               ".global .align 8 .b64 n[16] = {");
  append_numbers(text, from, "");
  g_string_append_printf(
      text,
      "};\n.visible .entry k(.param .u64 o) {\n.reg .b32 t, u; .reg .b64 d, at, i; .reg .pred p;\n"
      ".reg .%s x, y; .reg .%s r; .reg .b16 h, g; .reg .b32 w, v; .reg .b64 e;\n"
      "ld.param.u64 d, [o]; mov.u32 t, %%tid.x; mov.u64 at, n;\n"
      "and.b32 u, t, 15; mul.wide.u32 i, u, 8; add.u64 i, i, at; ld.global.%s x, [i];\n"
      "shr.u32 u, t, 4; mul.wide.u32 i, u, 8; add.u64 i, i, at; ld.global.%s y, [i];\n"
      "%s\nmul.wide.u32 i, t, 8; add.u64 d, d, i; st.global.%s [d], r;\n}\n",
      from->load, to->load, from->load, from->load, test->instructions, to->load);
  return g_string_free(text, FALSE);
}

static void
append_head(GString *text, const Kind *from, const Kind *to) {
  g_string_append(text, "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                        "__constant__ unsigned long long n[16] = {");
  append_numbers(text, from, "ull");
  g_string_append_printf(text,
                         "};\n__global__ void k(unsigned long long *o) {\nint t = threadIdx.x;\n"
                         "%s *out = (%s *)o;\n",
                         to->name, to->name);
}

static char *
write_lanes(const Case *test) {
  const Kind *from = find_kind(test->from), *to = find_kind(test->to);
  GString *text = g_string_new(NULL);
  append_head(text, from, to);
  g_string_append_printf(text,
                         "const %s x = *(const %s *)&n[t & 15], y = *(const %s *)&n[t >> 4];\n"
                         "out[t * %u] = %s;\n}\n",
                         from->name, from->name, from->name,
                         8 / (guint)smb_scalar_bytes(to->scalar), test->expression);
  return g_string_free(text, FALSE);
}

static void
append_constant(GString *text, const Kind *kind, const char *name, guint i) {
  g_string_append_printf(text, "const %s %s = ", kind->name, name);
  if (!smb_scalar_is_real(kind->scalar))
    g_string_append_printf(text, "(%s)0x%" G_GINT64_MODIFIER "xull; ", kind->name,
                           number_bits(kind, i));
  else if (isnan(reals[i]))
    g_string_append_printf(text, "(%s)NAN; ", kind->name);
  else
    g_string_append_printf(text, isinf(reals[i]) ? "(%s)%sINFINITY; " : "(%s)%s%#.17g; ",
                           kind->name, signbit(reals[i]) ? "-" : "", fabs(reals[i]));
}

// Every thread does all, with the same results.
static char *
write_constants(const Case *test) {
  const Kind *from = find_kind(test->from), *to = find_kind(test->to);
  GString *text = g_string_new(NULL);
  append_head(text, from, to);
  for (guint t = 0; t < NUMBERS * NUMBERS; t++) {
    g_string_append(text, "{ ");
    append_constant(text, from, "x", t % NUMBERS);
    append_constant(text, from, "y", t / NUMBERS);
    g_string_append_printf(text, "out[%u] = %s; }\n", t * 8 / (guint)smb_scalar_bytes(to->scalar),
                           test->expression);
  }
  g_string_append(text, "}\n");
  return g_string_free(text, FALSE);
}

static void
run(const char *name, const char *text, guint n_threads, const Kind *to, guint64 *results) {
  KernelSetup setup = {.block = {n_threads}};
  g_auto(KernelRun) run;
  kernel_run(&run, name, text, &setup);
  ck_assert_msg(run.error == NULL, "%s\n%s", text, run.error ? run.error->message : "");
  kernel_run_read(&run, "o", 0, results, NUMBERS * NUMBERS, sizeof *results);
  for (guint i = 0; i < NUMBERS * NUMBERS && smb_scalar_bytes(to->scalar) < 8; i++)
    results[i] &= ((guint64)1 << 8 * smb_scalar_bytes(to->scalar)) - 1;
}

// Which NaN a constant is, nobody asks.
static void
forget_nan(const Kind *kind, guint64 *results) {
  for (guint i = 0; smb_scalar_is_real(kind->scalar) && i < NUMBERS * NUMBERS; i++)
    smb_scalar_canonical(kind->scalar, &results[i], smb_scalar_bytes(kind->scalar));
}

static guint
compare(const Case *test, const char *how, const guint64 *wanted, const guint64 *found) {
  guint n = 0;
  const Kind *from = find_kind(test->from);
  for (guint t = 0; t < NUMBERS * NUMBERS; t++) {
    if (wanted[t] == found[t] || n++ > 3)
      continue;
    g_printerr("%s of %s, %s: x 0x%" G_GINT64_MODIFIER "x, y 0x%" G_GINT64_MODIFIER
               "x: 0x%" G_GINT64_MODIFIER "x, but of PTX 0x%" G_GINT64_MODIFIER "x\n",
               test->expression, test->from, how, number_bits(from, t % NUMBERS),
               number_bits(from, t / NUMBERS), found[t], wanted[t]);
  }
  return n;
}

START_TEST(test_case) {
  const Case *test = &cases[_i];
  const Kind *to = find_kind(test->to);
  guint64 wanted[NUMBERS * NUMBERS], lanes[NUMBERS * NUMBERS], folded[NUMBERS * NUMBERS];
  g_autofree char *ptx = write_ptx(test), *text = write_lanes(test),
                  *constants = write_constants(test);
  run("k.ptx", ptx, NUMBERS * NUMBERS, to, wanted);
  run("k.cu", text, NUMBERS * NUMBERS, to, lanes);
  run("k.cu", constants, 1, to, folded);
  guint n = compare(test, "computed", wanted, lanes);
  forget_nan(to, wanted);
  forget_nan(to, folded);
  ck_assert_uint_eq(n + compare(test, "of constants", wanted, folded), 0);
}
END_TEST

Suite *
suite_text_values(void) {
  Suite *suite = suite_create("text-values");
  TCase *values = tcase_create("values");
  tcase_add_loop_test(values, test_case, 0, G_N_ELEMENTS(cases));
  suite_add_tcase(suite, values);
  return suite;
}
