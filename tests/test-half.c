// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/exec/compute/loop.h"
#include "sim/exec/compute/real.h"
#include "tests/effort.h"
#include "tests/kernel-run.h"
#include "tests/suite.h"

// What makes a second operand of the first one's bits.
#define FACTOR 40503u

static const SmbScalar formats[] = {SMB_SCALAR_F16, SMB_SCALAR_BF16};
static const guint16 infinities[] = {0x7c00, 0x7f80};

// Every number is what its own bits give, and rises with them.
START_TEST(test_bits) {
  SmbScalar kind = formats[_i];
  for (guint bits = 0; bits <= infinities[_i]; bits++) {
    double value = smb_half_to_real(kind, (guint16)bits);
    ck_assert_uint_eq(smb_half_from_real(kind, value), bits);
    ck_assert_uint_eq(smb_half_from_real(kind, -value), bits | 0x8000);
    ck_assert(bits == 0 || value > smb_half_to_real(kind, (guint16)(bits - 1)));
  }
  for (guint bits = infinities[_i] + 1u; bits < 0x8000; bits++)
    ck_assert(isnan(smb_half_to_real(kind, (guint16)bits)));
  ck_assert_uint_eq(smb_half_from_real(kind, (double)NAN), 0x7fff);
  ck_assert_uint_eq(smb_half_from_real(kind, -(double)NAN), 0x7fff);
}
END_TEST

// What lies in the middle between two numbers goes to the even one, and the rest to the nearer one.
START_TEST(test_rounding) {
  SmbScalar kind = formats[_i];
  for (guint low = 0; low + 1u < infinities[_i]; low++) {
    double a = smb_half_to_real(kind, (guint16)low), b = smb_half_to_real(kind, (guint16)(low + 1));
    double middle = (a + b) / 2;
    ck_assert_uint_eq(smb_half_from_real(kind, middle), low + (low & 1));
    ck_assert_uint_eq(smb_half_from_real(kind, nextafter(middle, 0)), low);
    ck_assert_uint_eq(smb_half_from_real(kind, -nextafter(middle, b)), (low + 1) | 0x8000);
  }
  double largest = smb_half_to_real(kind, (guint16)(infinities[_i] - 1));
  double step = largest - smb_half_to_real(kind, (guint16)(infinities[_i] - 2));
  ck_assert_uint_eq(smb_half_from_real(kind, nextafter(largest + step / 2, 0)), infinities[_i] - 1);
  ck_assert_uint_eq(smb_half_from_real(kind, largest + step / 2), infinities[_i]);
  ck_assert_uint_eq(smb_half_from_real(kind, 1e300), infinities[_i]);
  ck_assert_uint_eq(smb_half_from_real(kind, -1e300), infinities[_i] | 0x8000);
  ck_assert_uint_eq(smb_half_from_real(kind, 1e-300), 0);
}
END_TEST

START_TEST(test_known) {
  ck_assert(smb_half_to_real(SMB_SCALAR_F16, 0x3c00) == 1);
  ck_assert(smb_half_to_real(SMB_SCALAR_F16, 0x7bff) == 65504);
  ck_assert(smb_half_to_real(SMB_SCALAR_F16, 0x0001) == 0x1p-24);
  ck_assert(smb_half_to_real(SMB_SCALAR_F16, 0xc580) == -5.5);
  ck_assert(smb_half_to_real(SMB_SCALAR_BF16, 0x3f80) == 1);
  ck_assert(smb_half_to_real(SMB_SCALAR_BF16, 0x4049) == 3.140625);
  ck_assert(smb_half_to_real(SMB_SCALAR_BF16, 0x0001) == 0x1p-133);
}
END_TEST

// Arithmetic of a warp against the exact result, rounded once: a double holds what two halves give.
START_TEST(test_arithmetic) {
  SmbScalar kind = formats[_i];
  static const Operation operations[][3] = {
      {OPERATION_ADD_F16, OPERATION_SUB_F16, OPERATION_MUL_F16},
      {OPERATION_ADD_BF16, OPERATION_SUB_BF16, OPERATION_MUL_BF16}};
  g_autoptr(GRand) random = g_rand_new_with_seed(16);
  guint32 a[SMB_MAX_LANES], b[SMB_MAX_LANES], out[SMB_MAX_LANES];
  const guint32 *sources[] = {a, b, NULL, NULL};
  for (guint round = 0; round < effort(2000); round++) {
    guint operation = round % G_N_ELEMENTS(operations[0]);
    for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
      // Exponents near each other, so that digits meet.
      a[lane] = (guint32)g_rand_int_range(random, infinities[_i] / 3, infinities[_i] / 2);
      b[lane] = a[lane] ^ (guint32)g_rand_int_range(random, 0, 2048) ^
                (g_rand_boolean(random) ? 0x8000 : 0);
    }
    find_loop(operations[_i][operation])(&(Compute){.modifiers = 0}, SMB_MAX_LANES, sources, out);
    for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
      double x = smb_half_to_real(kind, (guint16)a[lane]),
             y = smb_half_to_real(kind, (guint16)b[lane]);
      guint32 wanted = smb_half_from_real(kind, operation == 0   ? x + y
                                                : operation == 1 ? x - y
                                                                 : x * y);
      ck_assert_msg(out[lane] == wanted, "%g %u %g: %04x, not %04x", x, operation, y, out[lane],
                    wanted);
    }
  }
}
END_TEST

// Quotients, which are rounded once, and comparisons, as texts have them: of all numbers that there are as the first operand.
START_TEST(test_text) {
  enum {
    N = 0x10000,
    PER_BLOCK = 1024,
  };
  SmbScalar kind = formats[_i];
  static const char *const types[] = {"half", "__nv_bfloat16"}, *const names[] = {"half",
                                                                                  "bfloat16"};
  g_autofree char *text =
      g_strdup_printf("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                      "__global__ void k(unsigned short *quotients, unsigned short *says) {\n"
                      "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  %s x = __ushort_as_%s((unsigned short)i), y = __ushort_as_%s((unsigned "
                      "short)(i * %uu ^ i >> 5));\n"
                      "  quotients[i] = __%s_as_ushort(x / y);\n"
                      "  says[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == "
                      "y) << 4 | (x != y) << 5;\n"
                      "}\n",
                      types[_i], names[_i], names[_i], FACTOR, names[_i]);
  KernelSetup setup = {.block = {PER_BLOCK}, .grid = {N / PER_BLOCK}};
  g_auto(KernelRun) run;
  kernel_run(&run, "k.cu", text, &setup);
  ck_assert_msg(run.error == NULL, "%s", run.error ? run.error->message : "");
  g_autofree guint16 *quotients = g_new(guint16, N), *says = g_new(guint16, N);
  kernel_run_read(&run, "quotients", 0, quotients, N, sizeof *quotients);
  kernel_run_read(&run, "says", 0, says, N, sizeof *says);
  for (guint i = 0; i < N; i++) {
    double x = smb_half_to_real(kind, (guint16)i),
           y = smb_half_to_real(kind, (guint16)(i * FACTOR ^ i >> 5));
    guint wanted =
        (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    ck_assert_msg(quotients[i] == smb_half_from_real(kind, x / y), "%g / %g: %04x", x, y,
                  quotients[i]);
    ck_assert_msg(says[i] == wanted, "%g, %g: 0x%x, not 0x%x", x, y, says[i], wanted);
  }
}
END_TEST

// Where a double is not enough, between two numbers: what an H100 gives.
START_TEST(test_multiply_add) {
  static const struct {
    double x, y, z;
    guint16 wanted;
  } cases[] = {
      {-0x1.ep+68, 0x1.08p-70, 0x1.9cp-126, 0xbef7},
      {0x1.06p+72, -0x1.8p-58, -0x1.ecp-112, 0xc6c5},
      {0x1.84p+40, -0x1.8p+36, 0x1.8cp-113, 0xe611},
      {3, 5, 7, 0x41b0},
      {0x1p127, 2, -0x1p127, 0x7f00},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    double odd = smb_multiply_add_to_odd(cases[i].x, cases[i].y, cases[i].z);
    guint16 bits = smb_half_from_real(SMB_SCALAR_BF16, odd);
    ck_assert_msg(bits == cases[i].wanted, "%u: %04x", i, bits);
  }
}
END_TEST

#ifdef __FLT16_MAX__
// The compiler's own type, where it has one.
static double
with_compiler(double value) {
  return (double)(_Float16)value;
}
#else
static double
with_compiler(double value) {
  return smb_half_to_real(SMB_SCALAR_F16, smb_half_from_real(SMB_SCALAR_F16, value));
}
#endif

START_TEST(test_compiler) {
  g_autoptr(GRand) random = g_rand_new_with_seed(17);
  for (guint i = 0; i < effort(200000); i++) {
    double value = ldexp(g_rand_double_range(random, -2, 2), g_rand_int_range(random, -27, 17));
    double ours = smb_half_to_real(SMB_SCALAR_F16, smb_half_from_real(SMB_SCALAR_F16, value));
    ck_assert_msg(ours == with_compiler(value), "%a: %a", value, ours);
  }
}
END_TEST

Suite *
suite_half(void) {
  Suite *suite = suite_create("half");
  TCase *half = tcase_create("half");
  tcase_add_loop_test(half, test_bits, 0, G_N_ELEMENTS(formats));
  tcase_add_loop_test(half, test_rounding, 0, G_N_ELEMENTS(formats));
  tcase_add_test(half, test_known);
  tcase_add_loop_test(half, test_arithmetic, 0, G_N_ELEMENTS(formats));
  tcase_add_loop_test(half, test_text, 0, G_N_ELEMENTS(formats));
  tcase_add_test(half, test_multiply_add);
  tcase_add_test(half, test_compiler);
  suite_add_tcase(suite, half);
  return suite;
}
