// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks of PTX that repeat others are counted, not run: the counts are those of running them all. A case is a way in
// which something that depends on blockIdx, or on what is known in a block, could reach an address unseen.
#include <string.h>

#include "sim/arch/arch.h"
#include "tests/effort.h"
#include "tests/repeat-run.h"
#include "tests/suite.h"

static const char *
pick(GRand *random, const char *const *of, guint n) {
  return of[g_rand_int_range(random, 0, (gint)n)];
}
#define PICK(random, of) pick(random, of, G_N_ELEMENTS(of))

// --- PTX: %r0 is the thread, %r1 to %r3 are blockIdx, %r4 is 64 * blockIdx.x + thread; %d1 is in[], whose element i holds i,
// %d2 is data[], of which nothing is known. Two unknown values are in %r8 (the same in all blocks) and %r9.

static char *
make_ptx(const char *statements) {
  return g_strdup_printf(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 data) {\n"
      "  .reg .pred %%p<8>; .reg .b32 %%r<40>; .reg .b64 %%d<12>; .reg .b16 %%h<8>;\n"
      "  .shared .align 16 .b8 s[16384];\n"
      "  ld.param.u64 %%d0, [out]; ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [data];\n"
      "  mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ctaid.y;\n"
      "  mov.u32 %%r3, %%ctaid.z; mad.lo.s32 %%r4, %%r1, 64, %%r0; ld.global.u32 %%r8, [%%d2];\n"
      "  mul.wide.u32 %%d3, %%r4, 4; add.s64 %%d4, %%d2, %%d3; ld.global.u32 %%r9, [%%d4];\n"
      "  mul.wide.u32 %%d3, %%r1, 4; add.s64 %%d4, %%d1, %%d3;\n"
      "%s  ret;\n}\n",
      statements);
}

static gboolean
check_ptx(const char *statements, const guint *grid, gboolean skips, guint64 *n_run) {
  static const char *const buffers[] = {"1=iota:i32", NULL};
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autofree char *text = make_ptx(statements);
  g_autoptr(SmbProgram) program = repeat_program("k.ptx", text);
  g_autoptr(GPtrArray) filled = smb_buffers_parse(buffers, NULL);
  Subject subject = {.program = program,
                     .launch = {.block = {64, 1, 1}, .buffers = filled, .skips_unknown = skips},
                     .limits = {.max_steps = 1 << 16}};
  memcpy(subject.launch.grid, grid, sizeof subject.launch.grid);
  gboolean repeats = repeat_check(&subject, arch, text);
  *n_run = repeats ? subject.n_run : 0;
  return repeats;
}

// @p1 is true in block 700 only, which follows from data.
enum {
  PTX_KERNELS = 30, // of each seed
};

#define IN_BLOCK_700 "  ld.global.u32 %r10, [%d4]; setp.eq.u32 %p1, %r10, 700;\n"
#define USE_R10                                                                                    \
  "  rem.u32 %r11, %r10, 61; mul.lo.u32 %r11, %r11, %r0; shl.b32 %r11, %r11, 2;\n  ld.shared.u32 " \
  "%r12, [%r11];\n"

// What a kernel does; whether fewer than all of its 1500 blocks have to be run to know that.
typedef struct {
  const char *statements;
  gboolean repeats;
} Case;

static const Case ptx_cases[] = {
    {"  st.shared.u32 [s], %r0;\n", 1},
    {"  shl.b32 %r10, %r0, 3; st.shared.u32 [%r10], %r1;\n", 1},
    // an edge, and what reads beyond it
    {"  setp.ge.u32 %p1, %r4, 70000; @%p1 ret; shl.b32 %r10, %r0, 3; st.shared.u32 [%r10], %r1;\n",
     0},
    // a gather: it is not known where
    {"  mul.wide.u32 %d5, %r9, 4; add.s64 %d5, %d5, %d1; ld.global.u32 %r10, [%d5];\n  "
     "st.shared.u32 [s], %r10;\n",
     1},
    // values that depend on the block, on their way to an address: through bar.red, a barrier's number,
    {IN_BLOCK_700 "  bar.red.popc.u32 %r10, 0, %p1;\n" USE_R10, 0},
    {IN_BLOCK_700 "  bar.red.or.pred %p2, 0, %p1; selp.u32 %r10, 3, 1, %p2;\n" USE_R10, 0},
    {IN_BLOCK_700 "  selp.u32 %r10, 32, 64, %p1; bar.sync 1, %r10; st.shared.u32 [s], %r0;\n", 0},
    {"  sub.u32 %r10, 764, %r1; setp.lt.s32 %p1, %r10, 64; bar.sync 1, 64; st.shared.u32 [s], "
     "%r0;\n",
     0},
    // copies, atomics, memory of both kinds,
    {"  shl.b32 %r10, %r0, 2; cp.async.ca.shared.global [%r10], [%d4], 4; cp.async.wait_all;\n  "
     "bar.sync 0; ld.shared.u32 %r10, [s];\n" USE_R10,
     0},
    {"  shl.b32 %r10, %r0, 2; min.u32 %r13, %r1, 4;\n  "
     "cp.async.ca.shared.global [%r10], [%d1+24], 4, %r13; ld.shared.u32 %r10, [s];\n" USE_R10,
     0},
    {"  st.shared.u32 [s], 0; bar.sync 0; atom.shared.cas.b32 %r10, [s], 0, %r1; bar.sync 0;\n  "
     "ld.shared.u32 %r10, [s];\n" USE_R10,
     0},
    {"  st.shared.u32 [s], 0; bar.sync 0; atom.shared.exch.b32 %r10, [s], %r1; bar.sync 0;\n  "
     "ld.shared.u32 %r10, [s];\n" USE_R10,
     0},
    {"  st.shared.u32 [s], %r1; bar.sync 0; ld.shared.u32 %r10, [s];\n" USE_R10, 0},
    {"  st.shared.u16 [s], %r1; bar.sync 0; ld.shared.u32 %r10, [s];\n" USE_R10, 0},
    {"  st.global.u32 [%d4], 3; ld.global.u32 %r10, [%d1+2804];\n" USE_R10, 0},
    {"  atom.global.exch.b32 %r10, [%d4], 3; ld.global.u32 %r10, [%d1+2804];\n" USE_R10, 0},
    {"  st.global.u32 [%d1+2804], 3; ld.global.u32 %r10, [%d4];\n" USE_R10, 0},
    {"  st.global.u32 [%d1], %r1; ld.global.u32 %r10, [%d1];\n" USE_R10, 0},
    {"  st.global.u32 [%d1], 5; ld.global.u32 %r10, [%d1];\n" USE_R10, 1},
    // lanes that tell each other
    {"  shfl.sync.idx.b32 %r10, %r1, 0, 31, -1;\n" USE_R10, 0},
    {IN_BLOCK_700 "  vote.sync.ballot.b32 %r10, %p1, -1;\n" USE_R10, 0},
    {IN_BLOCK_700
     "  match.any.sync.b32 %r10, %r10, -1; redux.sync.add.u32 %r10, %r1, -1;\n" USE_R10,
     0},
    // results that wrap around in some blocks,
    {"  mul.lo.s32 %r10, %r1, 5000000; setp.lt.s32 %p1, %r10, 0; @%p1 st.shared.u32 [s], %r0;\n",
     1},
    {"  shl.b32 %r10, %r1, 22; neg.s32 %r11, %r10; setp.lt.s32 %p1, %r11, 5; @%p1 st.shared.u32 "
     "[s], "
     "%r0;\n",
     1},
    {"  mul.wide.u32 %d5, %r1, 4194304; shl.b64 %d5, %d5, 32; not.b64 %d5, %d5;\n  "
     "setp.lt.s64 %p1, %d5, 0; @%p1 st.shared.u32 [s], %r0;\n",
     1},
    {"  shl.b32 %r10, %r1, %r0; setp.lt.s32 %p1, %r10, 0; @%p1 st.shared.u32 [s], %r0;\n", 0},
    {"  mul.lo.s32 %r10, %r1, 1000000; add.s32 %r10, %r10, %r10; setp.lt.s32 %p1, %r10, 0;\n  "
     "@%p1 st.shared.u32 [s], %r0;\n",
     1},
    {"  mul.lo.s32 %r10, %r1, 1000000; neg.s32 %r11, %r10; sub.s32 %r10, %r11, %r10;\n  "
     "setp.lt.s32 %p1, %r10, 0; @%p1 st.shared.u32 [s], %r0;\n",
     1},
    // signs of what is not followed: of bits that are combined, and of what is in memory
    {"  xor.b32 %r10, %r4, 85; setp.lt.s32 %p1, %r10, 0; @!%p1 st.shared.u32 [s], %r0;\n", 1},
    {"  xor.b32 %r10, %r4, 85; setp.gt.s32 %p1, %r10, -1;\n  "
     "@%p1 st.shared.u32 [s], %r0;\n",
     1},
    {"  sub.s32 %r10, %r1, 700; or.b32 %r10, %r10, %r4; setp.lt.s32 %p1, %r10, 0;\n  "
     "@%p1 st.shared.u32 [s], %r0;\n",
     1},
    {"  xor.b32 %r10, %r4, 85; setp.lt.s32 %p1, %r10, 64; @%p1 st.shared.u32 [s], %r0;\n", 0},
    {"  ld.global.u32 %r10, [%d4]; sub.s32 %r10, %r10, 700; and.b32 %r10, %r10, %r1;\n  "
     "setp.lt.s32 %p1, %r10, 0; @%p1 st.shared.u32 [s], %r0;\n",
     0},
    {"  mov.b64 %d5, {%r0, %r1}; or.b64 %d5, %d5, 5; cvt.u32.u64 %r10, %d5; shl.b32 %r10, %r10, "
     "2;\n  "
     "st.shared.u32 [%r10], %r0;\n",
     0},
    // and an operation of four operands, which is not followed
    {"  bfi.b32 %r10, %r1, %r0, 8, 5; st.shared.u32 [s], %r10;\n", 1},
    {"  bfi.b32 %r10, %r1, %r0, 2, 10; and.b32 %r10, %r10, 4092; st.shared.u32 [%r10], %r0;\n", 0},
};

START_TEST(test_ptx_cases) {
  const Case *c = &ptx_cases[_i];
  static const guint grid[3] = {1500, 1, 1};
  guint64 n_run = 0;
  check_ptx(c->statements, grid, FALSE, &n_run);
  ck_assert_msg(!c->repeats || n_run > 0, "%s\nall blocks are run", c->statements);
}
END_TEST

// With --unknown skip: whether something is known is another thing that blocks can differ in.
static const Case skip_cases[] = {
    {IN_BLOCK_700 "  selp.u32 %r10, 5, %r8, %p1;\n" USE_R10, 0},
    {IN_BLOCK_700
     "  selp.u32 %r10, 5, %r8, %p1; st.shared.u32 [s], %r10; ld.shared.u32 %r10, [s];\n" USE_R10,
     0},
    {IN_BLOCK_700 "  selp.u32 %r10, 5, %r8, %p1; shl.b32 %r10, %r10, 2; st.shared.u16 [s], %r10; "
                  "ld.shared.u16 %r10, [s];\n" USE_R10,
     0},
    {IN_BLOCK_700
     "  selp.u32 %r10, 5, %r8, %p1; setp.eq.u32 %p2, %r10, 5; @%p2 st.shared.u32 [s], %r0;\n",
     0},
    {IN_BLOCK_700 "  selp.u32 %r10, 5, %r8, %p1; mul.wide.u32 %d5, %r10, 4; add.s64 %d5, %d5, %d1; "
                  "ld.global.u32 %r12, [%d5];\n",
     0},
    {IN_BLOCK_700 "  selp.u32 %r10, 0, %r8, %p1; st.shared.u32 [s], 7; and.b32 %r10, %r10, 60;\n  "
                  "atom.shared.add.u32 %r11, [s], %r10; ld.shared.u32 %r10, [s];\n" USE_R10,
     0},
    {"  st.global.u32 [%d2+2800], 5; add.s64 %d4, %d2, %d3; ld.global.u32 %r10, [%d4];\n" USE_R10,
     0},
    {"  add.s64 %d4, %d2, %d3; st.global.u32 [%d4], 5; ld.global.u32 %r10, [%d2+2800];\n" USE_R10,
     0},
    {"  and.b32 %r10, %r8, 124; ld.shared.u32 %r12, [%r10]; st.shared.u32 [s], %r1;\n", 0},
    // a store, and a load, of what nothing is known of
    {"  add.s64 %d4, %d2, %d3; st.global.u32 [%d4], %r9; ld.global.u32 %r10, [%d4]; "
     "setp.gt.u32 %p1, %r10, 5;\n  @%p1 st.global.u32 [%d2], %r8; st.shared.u32 [s], %r0;\n",
     1},
    {"  st.global.u32 [%d2+2800], %r8; add.s64 %d4, %d2, %d3; ld.global.u32 %r10, [%d4]; "
     "setp.eq.u32 %p1, %r10, 5;\n  @%p1 bra END; st.shared.u32 [s], %r0;\nEND:\n",
     1},
    // and of what is known in one block
    {IN_BLOCK_700 "  selp.u32 %r10, 5, %r8, %p1; add.s64 %d5, %d2, %d3; st.global.u32 [%d5], %r10; "
                  "ld.global.u32 %r10, [%d5];\n" USE_R10,
     0},
    {IN_BLOCK_700 "  selp.u32 %r10, 5, %r8, %p1; st.global.u32 [%d2+64], %r10; ld.global.u32 %r11, "
                  "[%d2+64];\n  setp.eq.u32 %p2, %r11, 5; @%p2 st.shared.u32 [s], %r0;\n",
     0},
    // by some lanes
    {"  setp.lt.u32 %p1, %r0, 5; selp.u32 %r10, 7, %r9, %p1; add.s64 %d4, %d2, %d3; "
     "st.global.u32 [%d4], %r10; ld.global.u32 %r10, [%d2+2800];\n" USE_R10,
     0},
};

START_TEST(test_ptx_skips) {
  const Case *c = &skip_cases[_i];
  static const guint grid[3] = {1500, 1, 1};
  guint64 n_run = 0;
  check_ptx(c->statements, grid, TRUE, &n_run);
  ck_assert_msg(!c->repeats || n_run > 0, "%s\nall blocks are run", c->statements);
}
END_TEST

// --- PTX by chance: %r4 to %r23 hold anything; %r30 is an address of shared memory, %r31 a loop's counter.

static guint
pick_row(GRand *random) {
  return (guint)g_rand_int_range(random, 0, 24);
}

static void
append_computation(GString *text, GRand *random, const char *guard) {
  static const char *const two[] = {"add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "mul.hi.s32",
                                    "and.b32", "or.b32",  "xor.b32",    "min.s32",    "min.u32",
                                    "max.s32", "max.u32", "div.u32",    "div.s32",    "rem.u32",
                                    "rem.s32", "add.s32", "add.s32"};
  static const char *const by[] = {"add.s32", "mul.lo.s32", "and.b32", "div.u32",    "div.s32",
                                   "rem.u32", "rem.s32",    "shl.b32", "shr.u32",    "shr.s32",
                                   "min.s32", "max.s32",    "sub.s32", "add.s32",    "mul.lo.s32",
                                   "or.b32",  "xor.b32",    "rem.u32", "mul.hi.u32", "mul.hi.s32"};
  static const gint constants[] = {0,  1,  2,  3,  4,   5,   7,    8,  10, 12,  16,        31,
                                   32, 60, 63, 64, 100, 127, 1000, -1, -4, -64, 0x7fffffff};
  guint d = 5 + pick_row(random) % 19, a = pick_row(random), b = pick_row(random),
        c = pick_row(random);
  switch (g_rand_int_range(random, 0, 9)) {
  case 0:
  case 1:
    g_string_append_printf(text, "  %s%s %%r%u, %%r%u, %%r%u;\n", guard, PICK(random, two), d, a,
                           b);
    return;
  case 2:
    g_string_append_printf(text, "  %smad.lo.s32 %%r%u, %%r%u, %d, %%r%u;\n", guard, d, a,
                           g_rand_int_range(random, -9, 70), c);
    return;
  case 3:
    g_string_append_printf(text, "  %sselp.b32 %%r%u, %%r%u, %%r%u, %%p%d;\n", guard, d, a, b,
                           g_rand_int_range(random, 1, 4));
    return;
  case 4:
    g_string_append_printf(text,
                           "  mul.wide.%s %%d6, %%r%u, %%r%u; add.s64 %%d7, %%d6, %%d7; shr.s64 "
                           "%%d6, %%d7, %d;\n  %scvt.u32.u64 %%r%u, %%d6;\n",
                           g_rand_int_range(random, 0, 2) ? "s32" : "u32", a, b,
                           g_rand_int_range(random, 0, 34), guard, d);
    return;
  default:
    g_string_append_printf(text, "  %s%s %%r%u, %%r%u, %d;\n", guard, PICK(random, by), d, a,
                           constants[g_rand_int_range(random, 0, G_N_ELEMENTS(constants))]);
  }
}

static void
append_comparison(GString *text, GRand *random) {
  static const char *const relations[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  static const char *const types[] = {"s32", "u32"};
  guint a = pick_row(random), p = (guint)g_rand_int_range(random, 1, 4);
  const char *type = PICK(random, types), *relation = PICK(random, relations);
  if (g_rand_int_range(random, 0, 2))
    g_string_append_printf(text, "  setp.%s.%s %%p%u, %%r%u, %d;\n", relation, type, p, a,
                           g_rand_int_range(random, 0, 300));
  else
    g_string_append_printf(text, "  setp.%s.and.%s %%p%u, %%r%u, %%r%u, %%p%d;\n", relation, type,
                           p, a, pick_row(random), g_rand_int_range(random, 1, 4));
}

static void
append_access(GString *text, GRand *random, const char *guard) {
  guint d = 5 + pick_row(random) % 19, a = pick_row(random);
  gint kind = g_rand_int_range(random, 0, 14);
  // Within bounds of both arrays; some affine addresses without a mask, for it hides them.
  if (g_rand_int_range(random, 0, 2))
    g_string_append_printf(text, "  and.b32 %%r30, %%r%u, %d; shl.b32 %%r30, %%r30, 2;\n", a,
                           (1 << g_rand_int_range(random, 1, 11)) - 1);
  else
    g_string_append_printf(text, "  mad.lo.u32 %%r30, %%r0, %d, %d;\n",
                           4 * g_rand_int_range(random, 0, 9), 4 * g_rand_int_range(random, 0, 9));
  if (kind < 3)
    g_string_append_printf(text, "  %sst.shared.u32 [%%r30], %%r%u;\n", guard, d);
  else if (kind < 6)
    g_string_append_printf(text, "  %sld.shared.u32 %%r%u, [%%r30];\n", guard, d);
  else if (kind < 7)
    g_string_append_printf(text, "  %satom.shared.add.u32 %%r%u, [%%r30], %%r%u;\n", guard, d, a);
  else if (kind < 8)
    g_string_append_printf(text, "  %satom.shared.cas.b32 %%r%u, [%%r30], %%r%u, %%r%u;\n", guard,
                           d, a, pick_row(random));
  else if (kind < 9)
    g_string_append_printf(text, "  %scp.async.ca.shared.global [%%r30], [%%d4], 4;\n", guard);
  else {
    g_string_append_printf(
        text,
        "  and.b32 %%r31, %%r%u, 65535; mul.wide.u32 %%d5, %%r31, 4; add.s64 %%d5, %%d5, %%d%d;\n",
        g_rand_int_range(random, 0, 2) ? 4 : a, g_rand_int_range(random, 0, 3));
    if (kind < 12)
      g_string_append_printf(text, "  %sld.global.u32 %%r%u, [%%d5];\n", guard, d);
    else if (kind < 13)
      g_string_append_printf(text, "  %sst.global.u32 [%%d5], %%r%u;\n", guard, d);
    else
      g_string_append_printf(text, "  %satom.global.add.u32 %%r%u, [%%d5], 1;\n", guard, d);
  }
}

static void
append_exchange(GString *text, GRand *random) {
  guint d = 5 + pick_row(random) % 19, a = pick_row(random);
  switch (g_rand_int_range(random, 0, 5)) {
  case 0:
    g_string_append_printf(text, "  bar.sync 0;\n");
    return;
  case 1:
    g_string_append_printf(text, "  bar.red.popc.u32 %%r%u, 0, %%p%d;\n", d,
                           g_rand_int_range(random, 1, 4));
    return;
  case 2:
    g_string_append_printf(text, "  shfl.sync.bfly.b32 %%r%u, %%r%u, %d, 31, -1;\n", d, a,
                           g_rand_int_range(random, 1, 31));
    return;
  case 3:
    g_string_append_printf(text, "  vote.sync.ballot.b32 %%r%u, %%p%d, -1;\n", d,
                           g_rand_int_range(random, 1, 4));
    return;
  default:
    g_string_append_printf(text, "  redux.sync.add.u32 %%r%u, %%r%u, -1;\n", d, a);
  }
}

// A loop of up to 7 rounds, or what only some lanes execute.
static void
append_region(GString *text, GRand *random, guint number) {
  gboolean loops = g_rand_int_range(random, 0, 2);
  if (loops)
    g_string_append_printf(text, "  and.b32 %%r32, %%r%u, 7;\n$L%u:\n", pick_row(random), number);
  else
    g_string_append_printf(text, "  @%%p%d bra $L%u;\n", g_rand_int_range(random, 1, 4), number);
  gint n = g_rand_int_range(random, 1, 4);
  for (gint i = 0; i < n; i++) {
    if (g_rand_int_range(random, 0, 2))
      append_access(text, random, "");
    else
      append_computation(text, random, "");
  }
  if (loops)
    g_string_append_printf(
        text, "  sub.s32 %%r32, %%r32, 1; setp.gt.s32 %%p4, %%r32, 0; @%%p4 bra $L%u;\n", number);
  else
    g_string_append_printf(text, "$L%u:\n", number);
}

static void
append_ptx(GString *text, GRand *random, guint number) {
  gint kind = g_rand_int_range(random, 0, 16);
  char guard[16] = "";
  if (g_rand_int_range(random, 0, 4) == 0)
    g_snprintf(guard, sizeof guard, "@%%p%d ", g_rand_int_range(random, 1, 4));
  if (kind < 7)
    append_computation(text, random, guard);
  else if (kind < 9)
    append_comparison(text, random);
  else if (kind < 13)
    append_access(text, random, guard);
  else if (kind < 14)
    append_exchange(text, random);
  else
    append_region(text, random, number);
}

START_TEST(test_ptx_random) {
  static const guint grids[][3] = {{300, 1, 1}, {17, 23, 1}, {64, 9, 1}, {6, 7, 11}};
  GRand *random = g_rand_new_with_seed(4321 + (guint32)_i);
  guint n_repeat = 0, n_kernels = effort(PTX_KERNELS);
  for (guint i = 0; i < n_kernels || (n_repeat == 0 && i < PTX_KERNELS); i++) {
    g_autoptr(GString) text = g_string_new("  setp.lt.u32 %p1, %r0, 40; setp.lt.u32 %p2, %r1, 20; "
                                           "setp.ge.s32 %p3, %r4, 700;\n  mov.u64 %d7, 0;\n");
    for (guint row = 5; row < 24; row++) {
      if (row == 8 || row == 9)
        continue;
      gint from = row % 2 ? g_rand_int_range(random, 1, 5) : 0;
      g_string_append_printf(text, "  mad.lo.s32 %%r%u, %%r%d, %d, %%r0;\n", row, from,
                             g_rand_int_range(random, 0, 9));
    }
    gint n = g_rand_int_range(random, 2, 14);
    for (gint j = 0; j < n; j++)
      append_ptx(text, random, (guint)j);
    g_string_append(text, "  shl.b32 %r30, %r0, 2; st.shared.u32 [%r30], %r5;\n");
    guint64 n_run;
    n_repeat +=
        check_ptx(text->str, grids[(i + 2 * (guint)_i) % 4], (i + (guint)_i) % 2 == 1, &n_run);
  }
  g_rand_free(random);
  ck_assert_uint_gt(n_repeat, 0);
}
END_TEST

Suite *
suite_repeat_ptx(void) {
  Suite *suite = suite_create("repeat-ptx");
  TCase *tcase = tcase_create("repeat-ptx");
  tcase_add_loop_test(tcase, test_ptx_cases, 0, G_N_ELEMENTS(ptx_cases));
  tcase_add_loop_test(tcase, test_ptx_skips, 0, G_N_ELEMENTS(skip_cases));
  tcase_add_loop_test(tcase, test_ptx_random, 0, 8);
  suite_add_tcase(suite, tcase);
  return suite;
}
