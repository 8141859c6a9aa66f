// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/compute-run.h"

#include <string.h>

struct _Runner {
  Constants *constants;
  Registers *registers;
};

// Operands lie in pairs of rows, the result in the last one.
enum {
  RESULT = 2 * RUN_SOURCES,
  N_ROWS = RESULT + 2,
  P = 1 + RUN_PREDICATES,
  Q,
  N_PREDICATES,
};

Runner *
runner_new(guint n_lanes) {
  Runner *runner = g_new0(Runner, 1);
  runner->constants = smb_constants_new(n_lanes);
  runner->registers = smb_registers_new(runner->constants, N_ROWS, N_PREDICATES, NULL);
  return runner;
}

void
runner_free(Runner *runner) {
  smb_registers_free(runner->registers);
  smb_constants_free(runner->constants);
  g_free(runner);
}

Registers *
runner_registers(Runner *runner) {
  return runner->registers;
}

static void
put_row(Registers *registers, Row row, guint shift, guint source, const RunLane *run) {
  guint32 values[SMB_MAX_LANES], unknown[SMB_MAX_LANES], any = 0;
  for (guint lane = 0; lane < registers->n_lanes; lane++) {
    unknown[lane] = (guint32)(run[lane].source_unknown[source] >> shift);
    values[lane] = (guint32)(run[lane].source[source] >> shift) & ~unknown[lane];
    any |= unknown[lane];
  }
  smb_row_set(registers, row, registers->lanes, values, any ? unknown : NULL, 0, 1 + source);
}

static void
put_predicate(Registers *registers, guint i, const RunLane *run) {
  SmbLanes value = 0, unknown = 0;
  for (guint lane = 0; lane < registers->n_lanes; lane++) {
    value |= (SmbLanes)(run[lane].in[i] && !run[lane].in_unknown[i]) << lane;
    unknown |= (SmbLanes)run[lane].in_unknown[i] << lane;
  }
  smb_predicate_set(registers, 1 + i, registers->lanes, value, unknown, 0, 10 + i);
}

static guint64
get_row(const Registers *registers, Row row, guint lane, guint64 *unknown) {
  *unknown = row_lane_unknown(registers, row, lane);
  return row_values(registers, row)[lane] & ~*unknown;
}

static void
get_lane(const Registers *registers, guint lane, RunLane *run) {
  guint64 low_unknown, high_unknown;
  run->d = get_row(registers, RESULT, lane, &low_unknown);
  run->d |= get_row(registers, RESULT + 1, lane, &high_unknown) << 32;
  run->d_unknown = low_unknown | high_unknown << 32;
  run->p = registers->predicates[P] >> lane & 1;
  run->q = registers->predicates[Q] >> lane & 1;
  run->p_unknown = registers->unknown_predicates[P] >> lane & 1;
  run->q_unknown = registers->unknown_predicates[Q] >> lane & 1;
}

static Compute
make_compute(const ComputeForm *form) {
  Compute compute;
  guint n_sources = 0, n_in = 0;
  smb_ptx_compute_init(form, &compute);
  compute.d = RESULT;
  compute.p = P;
  compute.q = Q;
  if (form->carries_in)
    compute.in[0] = 1;
  for (guint i = 0; i < form->n_operands; i++) {
    const FormOperand *operand = &form->operands[i];
    if (operand->role == ROLE_SOURCE)
      compute.s[operand->slot] = 2 * n_sources++;
    if (operand->role == ROLE_IN)
      compute.in[operand->slot] = 1 + n_in++;
  }
  smb_compute_prepare(&compute);
  return compute;
}

// The result is all ones where nothing is written.
void
runner_run(Runner *runner, const ComputeForm *form, SmbLanes lanes, RunLane *run) {
  Registers *registers = runner->registers;
  guint32 ones[SMB_MAX_LANES];
  memset(ones, 0xff, sizeof ones);
  for (guint i = 0; i < RUN_SOURCES; i++) {
    put_row(registers, 2 * i, 0, i, run);
    put_row(registers, 2 * i + 1, 32, i, run);
  }
  for (guint i = 0; i < RUN_PREDICATES; i++)
    put_predicate(registers, i, run);
  smb_row_set(registers, RESULT, registers->lanes, ones, NULL, 0, 0);
  smb_row_set(registers, RESULT + 1, registers->lanes, ones, NULL, 0, 0);
  smb_predicate_set(registers, P, registers->lanes, 0, 0, 0, 0);
  smb_predicate_set(registers, Q, registers->lanes, 0, 0, 0, 0);
  Compute compute = make_compute(form);
  smb_compute(&compute, registers, lanes);
  for (guint lane = 0; lane < registers->n_lanes; lane++)
    get_lane(registers, lane, run + lane);
}

gboolean
runner_find(const char *opcode, guint result_bytes, ComputeForm *form) {
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  return smb_ptx_find_compute((const char *const *)parts, result_bytes, form);
}

guint64
runner_number(GRand *random) {
  static const guint64 corners[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    8,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    65,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x10000,
                                    0x7fffff,
                                    0x800000,
                                    0xffffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    G_GUINT64_CONSTANT(0x7fffffffffffffff),
                                    G_GUINT64_CONSTANT(0x8000000000000000),
                                    G_GUINT64_CONSTANT(0xffffffffffff8000),
                                    G_GUINT64_CONSTANT(0xffffffff80000000),
                                    G_GUINT64_CONSTANT(0xfffffffffffffffe),
                                    G_MAXUINT64};
  guint64 any = (guint64)g_rand_int(random) << 32 | g_rand_int(random);
  switch (g_rand_int_range(random, 0, 4)) {
  case 0:
    return corners[g_rand_int_range(random, 0, G_N_ELEMENTS(corners))];
  case 1:
    return any >> g_rand_int_range(random, 0, 64);
  case 2:
    return (guint64)((gint64)any >> g_rand_int_range(random, 0, 64));
  }
  return any;
}

static guint64
make_real(GRand *random, guint bits, guint fraction, gint bias) {
  guint64 digits = (guint64)g_rand_int(random) << 32 | g_rand_int(random);
  if (g_rand_boolean(random)) // few of them
    digits = (guint64)g_rand_int_range(random, 0, 8) << (fraction - 3);
  gint spread = g_rand_boolean(random) ? 3 : bias / 2;
  gint exponent = bias + g_rand_int_range(random, -spread, spread);
  guint64 sign = (guint64)g_rand_boolean(random) << (bits - 1);
  return sign | (guint64)exponent << fraction |
         (digits & ((G_GUINT64_CONSTANT(1) << fraction) - 1));
}

guint64
runner_real(GRand *random, const char *opcode) {
  if (strstr(opcode, "f64") && g_rand_boolean(random))
    return make_real(random, 64, 52, 1023);
  if (strstr(opcode, "bf16"))
    return make_real(random, 16, 7, 127) | make_real(random, 16, 7, 127) << 16;
  if (strstr(opcode, "f16") && !strstr(opcode, "f32"))
    return make_real(random, 16, 10, 15) | make_real(random, 16, 10, 15) << 16;
  return make_real(random, 32, 23, 127);
}

// --- opcodes

// All ways to choose one of "a|b" at each place of "x a|b c", joined by points.
static void
expand(GString *prefix, const char *rest, void (*call)(const char *, gpointer), gpointer user) {
  if (!*rest) {
    call(prefix->str, user);
    return;
  }
  const char *end = rest + strcspn(rest, " ");
  g_autofree char *word = g_strndup(rest, (gsize)(end - rest));
  g_auto(GStrv) choices = g_strsplit(word, "|", -1);
  gsize length = prefix->len;
  for (guint i = 0; choices[i]; i++) {
    if (length)
      g_string_append_c(prefix, '.');
    g_string_append(prefix, choices[i]);
    expand(prefix, *end ? end + 1 : end, call, user);
    g_string_truncate(prefix, length);
  }
}

void
runner_expand(const char *pattern, void (*call)(const char *opcode, gpointer user), gpointer user) {
  g_autoptr(GString) prefix = g_string_new(NULL);
  expand(prefix, pattern, call, user);
}

void
runner_each_opcode(void (*call)(const char *opcode, gpointer user), gpointer user) {
  static const char *const patterns[] = {
#define COMPUTATION(words, ...) words,
#include "sim/ptx/isa/instructions.def"
      "setp eq|ne b16|u16|s16|b32|u32|s32|b64|u64|s64",
      "setp lt|le|gt|ge u16|s16|u32|s32|u64|s64",
      "setp lo|ls|hi|hs u16|u32|u64",
      "setp lt|ne and|or|xor u32|s64",
      "set eq|ge u32|s32|f32 s16|u32|s32|u64",
      "set lo xor f32 u32",
      "cvt u8|u16|u32|u64|s8|s16|s32|s64 u8|u16|u32|u64|s8|s16|s32|s64",
      // floating point
      "add|sub|mul rn|rz|rm|rp f32|f64",
      "add|sub|mul ftz|sat f32|f16|f16x2",
      "add rp ftz sat f32",
      "fma rn|rz|rm|rp f32|f64",
      "fma rn ftz|sat f32|f16|f16x2",
      "fma rn relu f16|bf16|f16x2|bf16x2",
      "div|rcp rn|rz|rm|rp f32|f64",
      "div full|approx f32",
      "rcp approx ftz f32",
      "sqrt rn|approx f32",
      "min|max ftz|NaN f32|f16",
      "min|max NaN xorsign abs f32|f16|bf16|f16x2|bf16x2",
      "ex2|lg2|sin|cos approx ftz f32",
      "setp eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan f32|f64|f16|bf16",
      "setp lt and ftz f32",
      "set lt|geu u32|f32 f32",
      "set eq|gtu f16|bf16|u16 f16|bf16",
      "cvt sat u8|s8|u16|s16|u32|s32|u64|s64 u8|s8|u16|s16|u32|s32|u64|s64",
      "cvt rni|rzi|rmi|rpi u8|s8|u16|s16|u32|s32|u64|s64 f16|bf16|f32|f64",
      "cvt rni|rzi|rmi|rpi f32 f32",
      "cvt rni|rzi|rmi|rpi f64 f64",
      "cvt rn|rz|rm|rp f16|bf16|f32|f64 u8|s8|u16|s16|u32|s32|u64|s64",
      "cvt rn|rz|rm|rp f16|bf16|f32 f64|f32",
      "cvt f32|f64 f16|bf16|f32",
      "cvt rzi ftz s32 f32",
      "cvt sat f32 f32",
      "cvt rn relu f16|bf16|f16x2|bf16x2 f32",
      "cvt rn|rz f16x2|bf16x2 f32",
      "cvt rn ftz|sat f16|f32 f64|f32",
      "cvt rp ftz f16 f32",
      "cvt rn|rz sat f16|bf16|f32|f64 u8|s8|u16|s16|u32|s32|u64|s64",
      "cvt rna|rn|rz tf32 f32",
      "cvt rn satfinite e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 f32|f16x2",
      "cvt rn satfinite relu e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 f32|f16x2",
      "cvt rn f16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2",
      "cvt rn relu f16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2",
      "cvt rz|rp ue8m0x2 f32|bf16x2",
      "cvt rz|rp satfinite ue8m0x2 f32|bf16x2",
      "cvt rn bf16x2 ue8m0x2",
  };
  for (guint i = 0; i < G_N_ELEMENTS(patterns); i++)
    runner_expand(patterns[i], call, user);
}
