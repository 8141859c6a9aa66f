// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What compiled code computes: every instruction of sim/ptx/isa/instructions.def against the oracle, and against itself where
// bits are unknown.
#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/exec/compute/loop.h"
#include "tests/compute-oracle.h"
#include "tests/compute-run.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  LANES = 64,
  ROUNDS = 20,
};

// Instructions that the oracle lacks, by their names, and which test has them; all others it must have
// (every_opcode_has_an_oracle).
static const struct {
  const char *name, *test;
} elsewhere[] = {
    // between lanes
    {"activemask", "exchange"}, {"elect", "exchange"}, {"match", "exchange"},
    {"movmatrix", "exchange"},  {"redux", "exchange"}, {"shfl", "exchange"},
    {"vote", "exchange"},
};

// Its place in the list; the length of that: it is not there.
static guint
find_elsewhere(const char *opcode) {
  guint i = 0;
  gsize length = strcspn(opcode, ".");
  while (i < G_N_ELEMENTS(elsewhere) &&
         (strlen(elsewhere[i].name) != length || strncmp(elsewhere[i].name, opcode, length) != 0))
    i++;
  return i;
}

static gboolean
is_elsewhere(const char *opcode) {
  return find_elsewhere(opcode) < G_N_ELEMENTS(elsewhere);
}

static gboolean
compute_again(const char *opcode, guint table, RunLane *run) {
  return oracle_is_real(opcode) ? oracle_compute_real(opcode, run)
                                : oracle_compute(opcode, table, run);
}

static void
fill(GRand *random, const char *opcode, RunLane *run) {
  memset(run, 0, LANES * sizeof *run);
  for (guint lane = 0; lane < LANES; lane++) {
    for (guint i = 0; i < RUN_SOURCES; i++)
      run[lane].source[i] =
          lane % 3 && oracle_is_real(opcode) ? runner_real(random, opcode) : runner_number(random);
    for (guint i = 0; i < RUN_PREDICATES; i++)
      run[lane].in[i] = g_rand_boolean(random);
    // Operands that are close, or alike.
    if (lane % 6 == 0)
      run[lane].source[1] = run[lane].source[0] + (guint64)g_rand_int_range(random, -1, 2);
    if (lane % 6 == 3) // amounts
      run[lane].source[1 + lane / 6 % 3] = (guint64)g_rand_int_range(random, 0, 70);
  }
}

static guint64
mask_bits(guint bits) {
  return bits >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << bits) - 1;
}

// What of the result is looked at: of 16 bits the whole row.
static guint64
result_mask(const char *opcode) {
  guint bits = oracle_result_bits(opcode);
  return bits == 0 ? 0 : mask_bits(MAX(bits, 32));
}

typedef struct {
  GRand *random;
  Runner *runner;
  guint n;
  GString *failures; // the first of each opcode
} Check;

static Check
begin_check(guint seed) {
  return (Check){g_rand_new_with_seed(seed), runner_new(LANES), 0, g_string_new(NULL)};
}

static void
end_check(Check *check) {
  g_printerr("%s", check->failures->str); // Check's messages are short
  ck_assert_uint_eq(check->failures->len, 0);
  g_string_free(check->failures, TRUE);
  runner_free(check->runner);
  g_rand_free(check->random);
}

static void
describe(GString *text, const char *what, const RunLane *lane, guint64 mask) {
  g_string_append_printf(text, " %s %" G_GINT64_MODIFIER "x/%" G_GINT64_MODIFIER "x %d/%d %d/%d",
                         what, lane->d & mask, lane->d_unknown & mask, lane->p, lane->p_unknown,
                         lane->q, lane->q_unknown);
}

static void
report(Check *check, const char *opcode, const char *what, const RunLane *lane, const RunLane *want,
       const RunLane *got) {
  g_string_append_printf(check->failures, "%s %s", opcode, what);
  for (guint i = 0; i < RUN_SOURCES; i++)
    g_string_append_printf(check->failures, " %" G_GINT64_MODIFIER "x/%" G_GINT64_MODIFIER "x",
                           lane->source[i], lane->source_unknown[i]);
  describe(check->failures, "want", want, result_mask(opcode));
  describe(check->failures, "got", got, result_mask(opcode));
  g_string_append_c(check->failures, '\n');
}

// --- known operands

static gboolean
is_alike(const char *opcode, const RunLane *want, const RunLane *got) {
  guint64 mask = result_mask(opcode);
  return (want->d & mask) == (got->d & mask) && want->p == got->p && want->q == got->q &&
         (got->d_unknown & mask) == 0 && !got->p_unknown && !got->q_unknown;
}

static double
read_real(const char *opcode, guint64 bits) {
  guint32 low = (guint32)bits;
  double wide;
  float narrow;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&narrow, &low, sizeof narrow);
  return g_str_has_suffix(opcode, "f64") ? wide : (double)narrow;
}

// The errors of the PTX ISA (ex2, tanh) for numbers of 16 bits: 2^-9.9 of binary16, 2^-7 of bfloat16, of tanh absolute, with a last
// digit for what is cut off where results are subnormal.
static gboolean
is_near_half(const char *opcode, guint64 want, guint64 got) {
  gboolean is_brain = strstr(opcode, "bf16") != NULL;
  guint n = g_str_has_suffix(opcode, "x2") ? 2 : 1;
  SmbScalar kind = is_brain ? SMB_SCALAR_BF16 : SMB_SCALAR_F16;
  for (guint i = 0; i < n; i++) {
    double a = smb_half_to_real(kind, (guint16)(want >> (16 * i)));
    double b = smb_half_to_real(kind, (guint16)(got >> (16 * i)));
    double scale = g_str_has_prefix(opcode, "tanh") ? 1 : fmax(fabs(a), 0x1p-14);
    if (isnan(a) ? !isnan(b) : a != b && !(fabs(a - b) <= scale * exp2(is_brain ? -7 : -9.9)))
      return FALSE;
  }
  return TRUE;
}

// What the device approximates, and the oracle does not: to the errors of the PTX ISA. Beyond some turns those of sines are not
// said, and quotients of div.approx are 0 where the divisor's reciprocal is subnormal.
static gboolean
is_near(const char *opcode, const RunLane *want, const RunLane *got) {
  double a = read_real(opcode, want->d), b = read_real(opcode, got->d);
  double x = fabs(read_real(opcode, got->source[0])), y = fabs(read_real(opcode, got->source[1]));
  if (!strstr(opcode, ".approx") && !strstr(opcode, ".full"))
    return FALSE;
  if (strstr(opcode, "f16"))
    return is_near_half(opcode, want->d, got->d);
  if (g_str_has_prefix(opcode, "tanh"))
    return isnan(a) ? isnan(b) : fabs(a - b) <= 0x1p-11 * fabs(a);
  if (g_str_has_prefix(opcode, "sin") || g_str_has_prefix(opcode, "cos"))
    return isnan(a) || x > 8 ? isnan(a) == isnan(b) : fabs(a - b) <= 0x1p-19;
  if (g_str_has_prefix(opcode, "div.approx") && y > 0x1p126)
    return b == 0 || isnan(b);
  return isnan(a) ? isnan(b) : a == b || fabs(a - b) <= 0x1p-19 * MAX(fabs(a), 0x1p-2);
}

static void
check_known(const char *opcode, gpointer user) {
  Check *check = user;
  ComputeForm form;
  if (is_elsewhere(opcode))
    return;
  ck_assert_msg(runner_find(opcode, 0, &form), "%s is not found", opcode);
  form.modifiers &= (guint16)~MODIFIER_APPROXIMATE;
  for (guint round = 0; round < effort(ROUNDS); round++) {
    RunLane run[LANES], want[LANES];
    if (g_str_has_prefix(opcode, "lop3"))
      form.table = (guint8)g_rand_int(check->random);
    fill(check->random, opcode, run);
    memcpy(want, run, sizeof run);
    SmbLanes lanes = round % 2 ? G_MAXUINT64 : runner_number(check->random);
    runner_run(check->runner, &form, lanes, run);
    for (guint lane = 0; lane < LANES; lane++) {
      if (!(lanes >> lane & 1))
        want[lane].d = G_MAXUINT64; // as it was
      else if (!compute_again(opcode, form.table, &want[lane]))
        continue;
      else
        check->n++;
      if (!is_alike(opcode, &want[lane], &run[lane]) && !is_near(opcode, &want[lane], &run[lane])) {
        report(check, opcode, "is wrong:", &want[lane], &want[lane], &run[lane]);
        return;
      }
    }
  }
}

START_TEST(computes_known_values) {
  Check check = begin_check(1);
  runner_each_opcode(check_known, &check);
  ck_assert_uint_gt(check.n, effort(300000));
  end_check(&check);
}
END_TEST

// --- the oracle

typedef struct {
  GRand *random;
  guint n[G_N_ELEMENTS(elsewhere)]; // opcodes of each entry of the list
  GString *lacking;
} Coverage;

// Whether the oracle says what an instruction computes, of any operands.
static gboolean
is_known_to_oracle(GRand *random, const char *opcode) {
  for (guint round = 0; round < ROUNDS; round++) {
    RunLane run[LANES];
    fill(random, opcode, run);
    for (guint lane = 0; lane < LANES; lane++) {
      if (compute_again(opcode, 0, &run[lane]))
        return TRUE;
    }
  }
  return FALSE;
}

static void
check_oracle(const char *opcode, gpointer user) {
  Coverage *coverage = user;
  guint entry = find_elsewhere(opcode);
  if (entry < G_N_ELEMENTS(elsewhere))
    coverage->n[entry]++;
  else if (!is_known_to_oracle(coverage->random, opcode))
    g_string_append_printf(
        coverage->lacking,
        "%s: no oracle (tests/compute-oracle.c), and no other test is named (elsewhere[])\n",
        opcode);
}

START_TEST(every_opcode_has_an_oracle) {
  Coverage coverage = {g_rand_new_with_seed(3), {0}, g_string_new(NULL)};
  runner_each_opcode(check_oracle, &coverage);
  for (guint i = 0; i < G_N_ELEMENTS(elsewhere); i++)
    ck_assert_msg(coverage.n[i] > 0, "no opcode is a '%s'", elsewhere[i].name);
  g_printerr("%s", coverage.lacking->str);
  ck_assert_uint_eq(coverage.lacking->len, 0);
  g_string_free(coverage.lacking, TRUE);
  g_rand_free(coverage.random);
}
END_TEST

// --- unknown bits

// All fillings of the unknown bits of one lane of operands, a lane each.
enum {
  MAX_UNKNOWN = 6 // 64 lanes
};

// Instructions that leave no bit unknown that their operands decide, if those of @amounts are known.
static const struct {
  const char *names;
  guint amounts; // operands, as bits
} exact[] = {
    {"and or xor not lop3 mov selp cvt add sub addc subc neg prmt brev setp set cnot", 0},
    {"shl shr szext", 2},
    {"shf", 4},
    {"bfe", 6},
    {"bfi", 12},
};

static gboolean
is_exact(const char *opcode, const RunLane *lane) {
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  gboolean plain = !oracle_is_real(opcode) || g_str_has_prefix(opcode, "mov") ||
                   g_str_has_prefix(opcode, "selp");
  if (strstr(opcode, ".sat") || !plain)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(exact); i++) {
    g_auto(GStrv) names = g_strsplit(exact[i].names, " ", -1);
    if (!g_strv_contains((const char *const *)names, parts[0]))
      continue;
    for (guint j = 0; j < RUN_SOURCES; j++)
      if (exact[i].amounts >> j & 1 && lane->source_unknown[j])
        return FALSE;
    return TRUE;
  }
  return FALSE;
}

// Which operand of its kind it is.
static guint
count_before(const ComputeForm *form, guint operand) {
  guint n = 0;
  for (guint i = 0; i < operand; i++)
    n += form->operands[i].role == form->operands[operand].role;
  return n;
}

// Makes up to MAX_UNKNOWN bits of operands unknown, half of them low ones; returns how many.
static guint
forget_bits(GRand *random, const ComputeForm *form, RunLane *lane) {
  guint n = form->carries_in && g_rand_boolean(random);
  lane->in_unknown[0] = n > 0;
  for (guint i = n; i < MAX_UNKNOWN; i++) {
    guint k = (guint)g_rand_int_range(random, 0, form->n_operands);
    const FormOperand *operand = &form->operands[k];
    k = count_before(form, k);
    if (operand->role == ROLE_IN && !lane->in_unknown[k]) {
      lane->in_unknown[k] = TRUE;
      n++;
    }
    if (operand->role != ROLE_SOURCE)
      continue;
    guint bits = 8u * operand->bytes;
    guint bit = (guint)g_rand_int_range(random, 0, g_rand_boolean(random) ? 8 : (gint)bits);
    guint64 one = G_GUINT64_CONSTANT(1) << bit;
    n += (lane->source_unknown[k] & one) == 0;
    lane->source_unknown[k] |= one;
  }
  return n;
}

// One way to fill in what is unknown.
static RunLane
fill_in(const RunLane *lane, guint filling) {
  RunLane filled = *lane;
  guint k = 0;
  for (guint i = 0; i < RUN_SOURCES; i++)
    for (guint bit = 0; bit < 64; bit++) {
      guint64 one = G_GUINT64_CONSTANT(1) << bit;
      if (lane->source_unknown[i] & one)
        filled.source[i] = (filled.source[i] & ~one) | (filling >> k++ & 1 ? one : 0);
    }
  for (guint i = 0; i < RUN_PREDICATES; i++)
    if (lane->in_unknown[i])
      filled.in[i] = filling >> k++ & 1;
  memset(filled.source_unknown, 0, sizeof filled.source_unknown);
  memset(filled.in_unknown, 0, sizeof filled.in_unknown);
  return filled;
}

// Results of all fillings as if they were one: what is alike in all.
static RunLane
join_fillings(const RunLane *run, guint n) {
  RunLane joined = run[0];
  for (guint i = 1; i < n; i++) {
    joined.d_unknown |= run[i].d ^ run[0].d;
    joined.p_unknown |= run[i].p != run[0].p;
    joined.q_unknown |= run[i].q != run[0].q;
  }
  return joined;
}

static gboolean
compare_unknown(Check *check, const char *opcode, const RunLane *lane, const RunLane *want,
                const RunLane *got) {
  guint64 mask = result_mask(opcode);
  gboolean sound = ((want->d ^ got->d) & ~got->d_unknown & mask) == 0 &&
                   (want->d_unknown & ~got->d_unknown & mask) == 0 &&
                   (got->p_unknown || (!want->p_unknown && want->p == got->p)) &&
                   (got->q_unknown || (!want->q_unknown && want->q == got->q));
  gboolean tight = (got->d_unknown & ~want->d_unknown & mask) == 0 &&
                   got->p_unknown == want->p_unknown && got->q_unknown == want->q_unknown;
  if (sound && (tight || !is_exact(opcode, lane)))
    return TRUE;
  report(check, opcode, sound ? "is not exact:" : "is wrong:", lane, want, got);
  return FALSE;
}

static void
check_unknown(const char *opcode, gpointer user) {
  Check *check = user;
  ComputeForm form;
  if (is_elsewhere(opcode))
    return;
  ck_assert(runner_find(opcode, 0, &form));
  for (guint round = 0; round < effort(2 * ROUNDS); round++) {
    RunLane run[LANES], filled[LANES], lanes[LANES];
    guint n[LANES];
    fill(check->random, opcode, run);
    form.table = g_str_has_prefix(opcode, "lop3") ? (guint8)g_rand_int(check->random) : form.table;
    for (guint i = 0; i < LANES; i++) {
      n[i] = forget_bits(check->random, &form, &run[i]);
      lanes[i] = run[i];
    }
    runner_run(check->runner, &form, G_MAXUINT64, run);
    for (guint i = 0; i < LANES; i += 8) {
      for (guint j = 0; j < LANES; j++)
        filled[j] = fill_in(&lanes[i], j);
      runner_run(check->runner, &form, G_MAXUINT64, filled);
      RunLane want = join_fillings(filled, 1u << n[i]);
      if (!compare_unknown(check, opcode, &lanes[i], &want, &run[i]))
        return;
      check->n++;
    }
  }
}

START_TEST(knows_what_unknown_bits_leave) {
  Check check = begin_check(2);
  runner_each_opcode(check_unknown, &check);
  ck_assert_uint_gt(check.n, effort(100000));
  end_check(&check);
}
END_TEST

// What decoders make of vectors of registers.
START_TEST(moves_parts) {
  static const struct {
    Operation operation;
    guint32 a, b, result;
  } cases[] = {
      {OPERATION_PART_32, 0x12345678, 0, 0x12345678},    {OPERATION_LOW_8, 0x12345678, 0, 0x78},
      {OPERATION_HIGH_8, 0x12345678, 0, 0x56},           {OPERATION_LOW_16, 0x12345678, 0, 0x5678},
      {OPERATION_HIGH_16, 0x12345678, 0, 0x1234},        {OPERATION_PACK_8, 0x1178, 0x2256, 0x5678},
      {OPERATION_PACK_16, 0x15678, 0x21234, 0x12345678},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(Constants) constants = smb_constants_new(LANES);
    g_autoptr(Registers) registers = smb_registers_new(constants, 3, 1, NULL);
    guint32 a[LANES] = {cases[i].a}, b[LANES] = {cases[i].b}, unknown[LANES] = {0x10};
    Compute compute = {.operation = (guint16)cases[i].operation, .d = 2, .s = {0, 1}};
    smb_compute_prepare(&compute);
    smb_row_set(registers, 0, G_MAXUINT64, a, NULL, 0, 0);
    smb_row_set(registers, 1, G_MAXUINT64, b, NULL, 0, 0);
    smb_compute(&compute, registers, G_MAXUINT64);
    ck_assert_uint_eq(row_values(registers, 2)[0], cases[i].result);
    a[0] &= ~0x10u;
    smb_row_set(registers, 0, G_MAXUINT64, a, unknown, 0, 0);
    smb_compute(&compute, registers, G_MAXUINT64);
    gboolean high =
        cases[i].operation == OPERATION_HIGH_8 || cases[i].operation == OPERATION_HIGH_16;
    ck_assert_uint_eq(row_lane_unknown(registers, 2, 0), high ? 0 : 0x10);
  }
}
END_TEST

// --- opcodes

START_TEST(finds_instructions) {
  static const char *const unknown[] = {
      "add",
      "add.s32.s32",
      "add.foo.s32",
      "add.sat.u32",
      "mul.s32",
      "mad.lo.f32",
      "setp.lt",
      "setp.lt.b32",
      "setp.ltu.s32",
      "setp.foo.s32",
      "setp.lt.nand.s32",
      "set.lt.s32",
      "set.lt.u64.s32",
      "cvt.s32",
      "cvt.rn.e4m3x2.s32",
      "cvt.rn.bf16x2.e4m3x2",
      "cvt.rn.f32.e4m3x2",
      "cvt.rs.satfinite.e4m3x4.f32",
      "cvt.foo.s32.s64",
      "cvt.rn.f16x2.f64",
      "cvt.tf32.tf32",
      "prmt.b32.foo",
      "lop3.nor.b32",
      "fma.rn.relu.f32",
      "shfl.sync.left.b32",
      "ld.global.u32",
      "bra",
      "cvt.pack.u16.s32",
      "setp.lt.f16x2",
      "add.f32x2",
      "vadd.s32.s32.s32",
  };
  ComputeForm form;
  for (guint i = 0; i < G_N_ELEMENTS(unknown); i++)
    ck_assert_msg(!runner_find(unknown[i], 0, &form), "%s", unknown[i]);
}
END_TEST

START_TEST(names_operands) {
  ComputeForm form;
  ck_assert(runner_find("setp.gt.and.f32", 0, &form)); // p, a, b, c: as b < a
  ck_assert_uint_eq(form.operation, OPERATION_LT_F32);
  ck_assert_uint_eq(form.n_operands, 4);
  ck_assert_uint_eq(form.operands[0].role, ROLE_P);
  ck_assert_uint_eq(form.operands[1].slot, 1);
  ck_assert_uint_eq(form.operands[2].slot, 0);
  ck_assert(form.operands[1].is_real);
  ck_assert_uint_eq(form.operands[3].role, ROLE_IN);
  ck_assert(runner_find("lop3.b32", 0, &form));
  ck_assert_uint_eq(form.operands[4].role, ROLE_TABLE);
  ck_assert(runner_find("shfl.sync.bfly.b32", 0, &form)); // d|p, a, b, c, members
  ck_assert_uint_eq(form.operands[1].role, ROLE_P);
  ck_assert_uint_eq(form.operands[5].role, ROLE_MEMBERS);
  ck_assert(runner_find("mov.f32", 0, &form) && form.operands[1].is_real);
  ck_assert(runner_find("bfe.u64", 0, &form));
  ck_assert_uint_eq(form.operands[1].bytes, 8);
  ck_assert_uint_eq(form.operands[2].bytes, 4); // ptxas makes shifts of it, by all of the number
  ck_assert(runner_find("bfe.u32", 0, &form));
  ck_assert_uint_eq(form.operands[2].bytes, 1);
  ck_assert(runner_find("prmt.b32.f4e", 0, &form) && !form.operands[1].is_real);
}
END_TEST

// A conversion into a wider register extends its result as the type says.
START_TEST(extends_results) {
  static const struct {
    const char *opcode;
    guint bytes;
    guint64 source, result;
  } cases[] = {
      {"cvt.s8.s32", 4, 0x1ff, 0xffffffff},
      {"cvt.u8.s32", 4, 0x1ff, 0xff},
      {"cvt.s8.s32", 2, 0x1ff, 0xffff},
      {"cvt.s8.u64", 8, 0x80, G_GUINT64_CONSTANT(0xffffffffffffff80)},
      {"cvt.u16.s64", 8, 0x18000, 0x8000},
      {"cvt.s16.s64", 4, 0x18000, 0xffff8000},
      {"cvt.s16.u16", 4, 0x8000, 0xffff8000},
      {"cvt.u16.s8", 4, 0x180, 0xff80}, // by its sign, and then not
      {"cvt.u16.s8", 8, 0x7f, 0x7f},
      {"cvt.u32.s8", 8, 0x80, 0xffffff80},
      {"cvt.u32.s16", 8, 0x18000, 0xffff8000},
      {"cvt.sat.s8.s32", 4, 0x80000000, 0xffffff80},
      {"cvt.sat.u8.s32", 4, 0x80000000, 0},
      {"cvt.rzi.s8.f32", 8, 0xc0000000, G_MAXUINT64 - 1},
  };
  g_autoptr(Runner) runner = runner_new(LANES);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    RunLane run[LANES];
    ComputeForm form;
    memset(run, 0, sizeof run);
    run[0].source[0] = cases[i].source;
    ck_assert(runner_find(cases[i].opcode, cases[i].bytes, &form));
    runner_run(runner, &form, G_MAXUINT64, run);
    guint64 mask = mask_bits(MAX(8 * cases[i].bytes, 32));
    ck_assert_msg((run[0].d & mask) == cases[i].result, "%s: %" G_GINT64_MODIFIER "x",
                  cases[i].opcode, run[0].d & mask);
  }
}
END_TEST

// What the device approximates.
START_TEST(does_not_know_approximations) {
  static const char *const opcodes[] = {"sin.approx.f32", "ex2.approx.f16x2", "div.full.f32",
                                        "rcp.approx.ftz.f64"};
  g_autoptr(Runner) runner = runner_new(LANES);
  for (guint i = 0; i < G_N_ELEMENTS(opcodes); i++) {
    RunLane run[LANES];
    ComputeForm form;
    guint64 all = strstr(opcodes[i], "f64") ? G_MAXUINT64 : G_MAXUINT32;
    memset(run, 0, sizeof run);
    ck_assert(runner_find(opcodes[i], 0, &form));
    runner_run(runner, &form, 0x55, run);
    ck_assert_uint_eq(run[0].d_unknown, all);
    ck_assert_uint_eq(run[1].d_unknown, 0);
  }
}
END_TEST

Suite *
suite_compute(void) {
  Suite *suite = suite_create("compute");
  TCase *tcase = tcase_create("compute");
  tcase_add_test(tcase, every_opcode_has_an_oracle);
  tcase_add_test(tcase, computes_known_values);
  tcase_add_test(tcase, moves_parts);
  tcase_add_test(tcase, finds_instructions);
  tcase_add_test(tcase, names_operands);
  tcase_add_test(tcase, extends_results);
  tcase_add_test(tcase, does_not_know_approximations);
  tcase_add_test(tcase, knows_what_unknown_bits_leave);
  suite_add_tcase(suite, tcase);
  return suite;
}
