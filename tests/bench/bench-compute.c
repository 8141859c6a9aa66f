// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations of a warp of compiled code a second, on one core: all lanes known, some lanes, and entirely unknown. Each
// loop goes through operations on different rows, as a program does.
#include <stdio.h>
#include <time.h>

#include "sim/exec/compute/compute.h"

enum {
  N_ROWS = 64,
  N_COMPUTES = 64,
  N_ROUNDS = 200000,
  N_RUNS = 5,
};

static const Operation measured[] = {
    OPERATION_ADD_32,       OPERATION_ADD_64,  OPERATION_MAD_32,    OPERATION_MUL_WIDE_S32,
    OPERATION_LOP3,         OPERATION_AND_32,  OPERATION_SHL_32,    OPERATION_CVT_64_S32,
    OPERATION_MIN_S32,      OPERATION_LT_S32,  OPERATION_SELECT_32, OPERATION_DIV_U32,
    OPERATION_ADD_CARRY_32, OPERATION_SHR_U64, OPERATION_FMA_F32,   OPERATION_ADD_F32,
    OPERATION_FMA_F64,
};

typedef enum {
  STATE_KNOWN,
  STATE_SOME_LANES,
  STATE_UNKNOWN,
  N_STATES,
} State;

static double
read_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void
prepare(Operation operation, Compute *computes) {
  for (guint i = 0; i < N_COMPUTES; i++) {
    Compute *compute = computes + i;
    *compute = (Compute){.operation = (guint16)operation, .table = 0x96, .p = 1 + i % 3};
    compute->d = 2 * i % N_ROWS;
    for (guint j = 0; j < COMPUTE_SOURCES; j++)
      compute->s[j] = (2 * i + 14 * j + 2) % N_ROWS;
    smb_compute_prepare(compute);
  }
}

static void
set_state(Registers *registers, State state) {
  guint32 values[SMB_MAX_LANES];
  for (Row row = 0; row < N_ROWS; row++) {
    for (guint lane = 0; lane < registers->n_lanes; lane++)
      values[lane] = row * 0x9e3779b9u + lane * 12345;
    if (state == STATE_UNKNOWN)
      smb_row_forget(registers, row, registers->lanes, 0, 1);
    else
      smb_row_set(registers, row, registers->lanes, values, NULL, 0, 0);
  }
  for (Predicate p = 1; p < registers->n_predicates; p++)
    smb_predicate_set(registers, p, registers->lanes, 0x5a5a5a5a, 0, 0, 0);
}

static double
measure(Registers *registers, const Compute *computes, State state) {
  SmbLanes lanes = state == STATE_SOME_LANES ? registers->lanes & 0x0fff0fff : registers->lanes;
  double best = 0;
  for (guint run = 0; run < N_RUNS; run++) {
    set_state(registers, state);
    guint rounds = N_ROUNDS / 50;
    double begin = read_seconds();
    for (guint round = 0; round < rounds; round++)
      for (guint i = 0; i < N_COMPUTES; i++)
        smb_compute(computes + i, registers, lanes);
    best = MAX(best, (double)rounds * N_COMPUTES / (read_seconds() - begin));
  }
  return best * 1e-6;
}

int
main(void) {
  g_autoptr(Constants) constants = smb_constants_new(32);
  g_autoptr(Registers) registers = smb_registers_new(constants, N_ROWS, 4, NULL);
  printf("million operations of a warp of 32 lanes a second\n");
  printf("%-16s %10s %10s %10s\n", "operation", "known", "24 lanes", "unknown");
  for (guint i = 0; i < G_N_ELEMENTS(measured); i++) {
    Compute computes[N_COMPUTES];
    prepare(measured[i], computes);
    printf("%-16s", smb_operation_info(measured[i])->name);
    for (State state = 0; state < N_STATES; state++)
      printf(" %10.1f", measure(registers, computes, state));
    printf("\n");
  }
  return 0;
}
