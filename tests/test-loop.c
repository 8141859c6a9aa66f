// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops over the lanes of a warp, of every build: each leaves what the portable ones do.
#include "sim/compiled/compute/loop.h"

#include <string.h>

#include "tests/compute-run.h"
#include "tests/suite.h"

enum {
  LANES = 64,
  ROUNDS = 20,
};

// Those for every processor and those for another kind (_i), if this machine's is or can do what it does.
START_TEST(computes_alike_everywhere) {
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  if ((SmbProcessor)_i > smb_processor())
    return;
  const Loops *loops = smb_loops((SmbProcessor)_i);
  for (guint operation = 0; operation < N_OPERATIONS; operation++)
    for (guint round = 0; round < ROUNDS && smb_loops_portable.compute[operation]; round++) {
      guint32 rows[RUN_SOURCES][2 * LANES], results[2][2 * LANES];
      const guint32 *sources[RUN_SOURCES];
      const OperationInfo *info = smb_operation_info((Operation)operation);
      const char *kind = info->sources[0] == SHAPE_F64 ? "f64" : round % 2 ? "f16" : "f32";
      for (guint i = 0; i < RUN_SOURCES; i++) {
        for (guint lane = 0; lane < LANES; lane++) {
          guint64 x = lane % 2 ? runner_number(random) : runner_real(random, kind);
          rows[i][lane] = (guint32)x;
          rows[i][LANES + lane] = (guint32)(x >> 32);
        }
        sources[i] = rows[i];
      }
      Compute compute = {.operation = (guint16)operation,
                         .table = round % 6,
                         .bytes = 4,
                         .from = SMB_SCALAR_F32,
                         .to = SMB_SCALAR_I32};
      memset(results, 0, sizeof results);
      smb_loops_portable.compute[operation](&compute, LANES, sources, results[0]);
      loops->compute[operation](&compute, LANES, sources, results[1]);
      ck_assert_msg(memcmp(results[0], results[1], sizeof results[0]) == 0, "%s", info->name);
    }
  guint32 from[LANES], to[2][LANES] = {{0}};
  for (guint lane = 0; lane < LANES; lane++)
    from[lane] = g_rand_int(random);
  smb_loops_portable.blend(G_GUINT64_CONSTANT(0xf0f0123400000001), LANES, from, to[0]);
  loops->blend(G_GUINT64_CONSTANT(0xf0f0123400000001), LANES, from, to[1]);
  ck_assert(memcmp(to[0], to[1], sizeof to[0]) == 0);
  ck_assert_uint_eq(to[0][0], from[0]);
  ck_assert_uint_eq(to[0][1], 0);
  ck_assert_uint_eq(to[0][63], from[63]);
}
END_TEST

Suite *
suite_loop(void) {
  Suite *suite = suite_create("loop");
  TCase *tcase = tcase_create("loop");
  tcase_add_loop_test(tcase, computes_alike_everywhere, SMB_PROCESSOR_ANY + 1, SMB_N_PROCESSORS);
  suite_add_tcase(suite, tcase);
  return suite;
}
