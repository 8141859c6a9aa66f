// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// print-flow ptx KIND COUNT: control-flow graphs at random (kinds of FlowKind, seeds from 1) as kernels in PTX, for
// tests/ptxas-flow.py. Block i stores to byte 4 i of shared memory, and branches on what it loads from byte 4 i of global
// memory. print-flow counts KIND COUNT: for each kernel a line NAME|GRAPH|COUNTS|COUNTS|COUNTS, how often each block is
// executed with the barriers that smb_converge() places, for each SmbMeeting.
#include <stdlib.h>
#include <string.h>

#include "tests/random-flow.h"

enum {
  STORES = 12, // of each block: more than an assembler turns into predicated ones
};

static void
print_branch(guint32 block, guint32 to) {
  if (to == SMB_FLOW_EXIT)
    g_print("  ret;\n");
  else if (to != block + 1)
    g_print("  bra B%u;\n", to);
}

static void
print_block(const Flow *flow, guint32 i) {
  const SmbFlowBlock *block = &flow->block[i];
  g_print("B%u:\n  .pragma \"nounroll\";\n", i);
  for (guint j = 0; j < STORES; j++)
    g_print("  st.volatile.shared.u32 [%%r0+%u],%%r1;\n", 4 * i);
  if (block->n_successors == 2) {
    g_print("  ld.volatile.global.u32 %%r2,[%%rd0+%u];\n  setp.ne.u32 %%p1,%%r2,0;\n", 4 * i);
    if (block->successors[0] == SMB_FLOW_EXIT)
      g_print("  @!%%p1 ret;\n");
    else
      g_print("  @!%%p1 bra B%u;\n", block->successors[0]);
    print_branch(i, block->successors[1]);
  } else if (block->n_successors == 1) {
    print_branch(i, block->successors[0]);
  } else {
    g_print("  ret;\n");
  }
}

static void
print_ptx(const Flow *flow) {
  g_print(".visible .entry k%u(.param .u64 a,.param .u32 b)\n{\n"
          "  .reg .pred %%p<2>; .reg .b32 %%r<3>; .reg .b64 %%rd<2>;\n"
          "  ld.param.u64 %%rd0,[a]; cvta.to.global.u64 %%rd0,%%rd0; ld.param.u32 %%r0,[b];\n"
          "  mov.u32 %%r1,%%tid.x;\n  mul.wide.u32 %%rd1,%%r1,4096; add.s64 %%rd0,%%rd0,%%rd1;\n",
          flow->seed);
  for (guint32 i = 0; i < flow->n; i++)
    print_block(flow, i);
  g_print("}\n");
}

static void
print_counts(const Flow *flow) {
  FlowCounts counts;
  g_print("k%u|", flow->seed);
  for (guint32 i = 0; i < flow->n; i++) {
    const SmbFlowBlock *block = &flow->block[i];
    g_print("%s", i ? " " : "");
    for (guint32 j = 0; j < block->n_successors; j++)
      g_print("%s%d", j ? "," : "", (int)block->successors[j]);
    g_print("%s", block->n_successors ? "" : "-");
  }
  for (SmbMeeting meeting = SMB_MEETING_FEWEST; meeting <= SMB_MEETING_MOST; meeting++) {
    g_autoptr(SmbConvergence) convergence = smb_converge(flow->block, flow->n, meeting);
    flow_run(flow, convergence, &counts);
    for (guint32 i = 0; i < flow->n; i++)
      g_print("%s%u", i ? " " : "|", (guint)counts.executed[i]);
  }
  g_print("\n");
}

int
main(int argc, char **argv) {
  if (argc != 4)
    return EXIT_FAILURE;
  gboolean ptx = strcmp(argv[1], "ptx") == 0;
  FlowKind kind = (FlowKind)atoi(argv[2]);
  guint32 count = (guint32)atoi(argv[3]);
  if (ptx)
    g_print(".version 8.0\n.target sm_90\n.address_size 64\n");
  for (guint32 seed = 1; seed <= count; seed++) {
    g_autofree Flow *flow = flow_new_random(seed, kind);
    if (ptx)
      print_ptx(flow);
    else
      print_counts(flow);
  }
  return EXIT_SUCCESS;
}
