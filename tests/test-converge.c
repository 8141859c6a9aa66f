// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where lanes meet: as ptxas places it, as an H200 counted it, and in graphs at random without anybody waiting for ever.
#include "sim/exec/flow/converge.h"

#include "sim/exec/flow/converge-graph.h"
#include "tests/effort.h"
#include "tests/random-flow.h"
#include "tests/suite.h"

// The blocks at whose start ptxas (CUDA 13.0, sm_90) makes lanes wait (BSSY, BSYNC), or ahead of which it does when they
// come back, in kernels with these graphs: the successors of each block, the target of a branch first.
static const struct {
  const char *graph;
  const char *meetings;
} compiled[] = {
    {"1 4,2 1,3 5 5 -", "3 5"},
    {"1 3,2 1,4 5 5 -", "4 5"},
    {"1 2,3 1,4 5 5 -", "4 5"},
    {"1 4,2 5,3 1,6 7 7 7 -", "6 7"},
    {"1 4,2 5,3 1,6 6 6 7 -", "6"},
    {"1 4,2 5,3 1,6 7 7 8 8 -", "6 8"},
    {"1 4,2 1,3 x x", "4"},
    {"1 3,2 1,4 x x", "3"},
    {"1,6 2 5,3 2,4 6 6 -", "4 6"},
    {"1 4,2 3 1 -", "4"},
    {"1 5,2 4,3 1 5 -", "5"},
    {"1 4,2 5,3 1 6 6 -", "6"},
    {"1 5,2 4,3 1 6 6 -", "6"},
    {"1 4,2 4,3 1,5 6 6 -", "5 6"},
    {"1 5,2 5,3 1,4 6 6 -", "4 6"},
    {"2,1 3,2 4,3 4 -", "3 4"},
    {"2,1 5,2 3,4 6,4 5 6 -", "4 5 6"},
    {"1 3,2 1,4 x 5,6 6 -", "4 6"},
    {"1 6,2 1,3 4,5 5 x -", "3 5"},
    {"1 6,2 1,3 4,5 5 x 7,8 8 -", "5 6 8"},
    {"1 6,2 3 5,4 1 x -", "6"},
    {"1 6,2 5,3 4 1 x -", "6"},
    {"1 5,2 6,3 4 1 x -", "5"},
    {"1 2 5,3 1,4 x -", "5"},
    {"1,3 2,6 4 4 5 - x", "4"},
    {"1,3 2,5 4 4 x -", "4"},
    {"1,3 5,2 4 4 x -", "4"},
    {"1 1,2 1,3 -", "1 3"},
    {"1 1,2 1,3 4,5 5 -", "1 3 5"},
    {"1 1,2 4,3 1,5 5 -", "1 5"},
    {"1 2,3 1,4 1,5 6 6 -", "1 6"},
    {"1 x,2 1,3 -", "3"},
    {"1 2 x,3 1,4 5,6 6 -", "4 6"},
    {"1 2 2,3 1,4 -", "3 4"},
    {"1 2 3,4 1 2,5 1,6 -", "1 6"},
    {"1 2 3 4 5,1 6,1 -", "1 6"},
    {"1 2 3 4 5,1 1,6 -", "1 6"},
    {"1 2 x,3 4 1,5 1,6 -", "1 6"},
    {"1 2 x,3 4 1,5 1,6 7,8 8 -", "1 6 8"},
    {"1 x,2 1,3 -", "3"},
    {"1 x,2 3,1 -", "3"},
    {"1 x,2 1,3 1,4 -", "1 4"},
    {"1 2,3 5,3 4 1,6 6 -", "3 6"},
    {"1 2 3,4 6,4 5 1,7 7 -", "4 7"},
    {"1 2 3,4 6,4 5 1,8 7 9 9 -", "4 8 9"},
    {"1 2 3,4 7,4 5 6 1,8 8 -", "4 8"},
    {"1 2 4,3 6,4 5 6 1,7 -", "4 6 7"},
    {"1 2 4,3 6,4 8,5 6 1,7 8 -", "6 7 8"},
    {"1 2 4,3 6,4 5 6 1,7 8 -", "4 6 7"},
    {"5,1 6,2 7,3 8 9 6 9 9 9 -", "6 9"},
    {"4,1 5,2 6,3 7 5 6 7 -", "6 7"},
    {"1 5,2 6,3 7,4 8 6 9 9 9 1,10 -", "6 9 10"},
    {"2,1 2,3 6 4,5 6 6 -", "2 6"},
    {"2,1 2,3 3,4 6 6 - -", "3 6"},
    {"2 2,0 3,1 -", "0 3"},
    {"1 2 3,4 4,19 5 6,7 8,7 8 9,5 5,10 11 13,12 13,18 14,23 23,15 18,16 18,17 11 19 20,2 21 22,1 "
     "1,23 -",
     "1 5 7 8 10 18 19 20 23"},
    {"1 2 4,3 12,4 5 7,6 10,7 9,8 11,9 10 5,11 2 14,13 17,14 15 17,16 17,1 -",
     "4 9 10 11 12 14 17"},
};

static char *
list_meetings(const SmbConvergence *convergence, guint32 n) {
  GString *list = g_string_new(NULL);
  for (guint32 i = 0; i < n; i++) {
    if (convergence->blocks[i].sync)
      g_string_append_printf(list, "%s%u", list->len ? " " : "", i);
  }
  return g_string_free(list, FALSE);
}

START_TEST(as_compiled) {
  g_autofree Flow *flow = flow_new_parsed(compiled[_i].graph);
  g_autoptr(SmbConvergence) convergence = smb_converge(flow->block, flow->n, SMB_MEETING_COMPILED);
  g_autofree char *found = list_meetings(convergence, flow->n);
  ck_assert_msg(g_str_equal(found, compiled[_i].meetings), "%s: %s, ptxas: %s", compiled[_i].graph,
                found, compiled[_i].meetings);
}
END_TEST

// Where barriers are armed and left, in full: "arm BLOCK:BARRIER", "sync …", "leave BLOCK>SUCCESSOR:BARRIER".
static const struct {
  const char *graph;
  SmbMeeting meeting;
  const char *places;
} placed[] = {
    {"1,2 3 3 -", SMB_MEETING_COMPILED, "arm 0:0 sync 3:0"},
    // && and ||
    {"2,1 3,2 4,3 4 -", SMB_MEETING_COMPILED, "arm 0:0 arm 0:1 leave 2>4:1 sync 3:1 sync 4:0"},
    {"2,1 3,2 4,3 4 -", SMB_MEETING_FEWEST, "arm 0:0 sync 4:0"},
    // A loop, from the start on; one that is entered behind something.
    {"0,1 -", SMB_MEETING_COMPILED, "enter 0:0 sync 1:0"},
    {"1 1,2 -", SMB_MEETING_COMPILED, "enter 1:0 sync 2:0"},
    // A loop with continue, and a branch after it that is armed where the loop's barrier is free again.
    {"1 2,3 3 1,4 5,6 6 -", SMB_MEETING_COMPILED,
     "enter 1:1 arm 1:0 sync 3:0 sync 4:1 arm 4:0 sync 6:0"},
    // Nothing divides: a uniform branch would not.
    {"1 2 -", SMB_MEETING_MOST, ""},
    // Both ways go to one block, directly.
    {"1,1 -", SMB_MEETING_MOST, ""},
    // What cannot be reached.
    {"3 3,2 3 -", SMB_MEETING_MOST, ""},
    // Loops that never end: lanes do not meet behind them.
    {"1,2 1 3,4 4 -", SMB_MEETING_COMPILED, "arm 2:0 sync 4:0"},
    {"1 1", SMB_MEETING_COMPILED, ""},
    {"1,2 1 2", SMB_MEETING_COMPILED, ""},
};

START_TEST(uniform) {
  g_autofree Flow *flow = flow_new_parsed("1,2 3 3 -");
  flow->block[0].flow = SMB_FLOW_UNIFORM;
  g_autoptr(SmbConvergence) convergence = smb_converge(flow->block, flow->n, SMB_MEETING_MOST);
  ck_assert_uint_eq(convergence->n_barriers, 0);
  ck_assert_uint_eq(convergence->blocks[3].sync, 0);
}
END_TEST

// Lanes do not meet to leave the program, but to go back to their caller.
START_TEST(returns) {
  g_autofree Flow *flow = flow_new_parsed("2,1 2 -");
  SmbFlowBlock *last = &flow->block[2];
  last->end = last->first + 1;
  g_autoptr(SmbConvergence) leaves = smb_converge(flow->block, flow->n, SMB_MEETING_MOST);
  ck_assert_uint_eq(leaves->n_barriers, 0);
  last->flow = SMB_FLOW_RETURN;
  for (SmbMeeting meeting = SMB_MEETING_FEWEST; meeting <= SMB_MEETING_MOST; meeting++) {
    g_autoptr(SmbConvergence) meets = smb_converge(flow->block, flow->n, meeting);
    ck_assert_uint_eq(meets->n_barriers, 1);
    ck_assert_uint_eq(meets->blocks[2].sync, 1);
  }
}
END_TEST

static char *
list_places(const SmbConvergence *convergence, const Flow *flow) {
  GString *list = g_string_new(NULL);
  for (guint32 i = 0; i < flow->n; i++) {
    const SmbBlockBarriers *at = &convergence->blocks[i];
    for (guint b = 0; b < convergence->n_barriers; b++) {
      if (at->sync >> b & 1)
        g_string_append_printf(list, "sync %u:%u ", i, b);
    }
    for (guint b = 0; b < convergence->n_barriers; b++) {
      if (at->enter >> b & 1)
        g_string_append_printf(list, "enter %u:%u ", i, b);
    }
    for (guint b = 0; b < convergence->n_barriers; b++) {
      if (at->arm >> b & 1)
        g_string_append_printf(list, "arm %u:%u ", i, b);
      for (guint32 j = 0; j < flow->block[i].n_successors; j++) {
        if (at->leave[j] >> b & 1)
          g_string_append_printf(list, "leave %u>%u:%u ", i, flow->successors[i][j], b);
      }
    }
  }
  g_string_truncate(list, list->len ? list->len - 1 : 0);
  return g_string_free(list, FALSE);
}

START_TEST(places) {
  g_autofree Flow *flow = flow_new_parsed(placed[_i].graph);
  g_autoptr(SmbConvergence) convergence = smb_converge(flow->block, flow->n, placed[_i].meeting);
  g_autofree char *found = list_places(convergence, flow);
  ck_assert_str_eq(found, placed[_i].places);
}
END_TEST

// --- kernels that an H200 counted

// Loads and stores of shared memory in one block of a kernel, and when a lane takes its first successor.
typedef enum {
  WHEN_NEVER,
  WHEN_T_DIVIDES, // t % a == 0
  WHEN_T_FROM,    // t >= a
  WHEN_AGAIN,     // a visits in a row, then not
  WHEN_AGAIN_O,   // o[t] visits in a row
  WHEN_O_IS,      // o[t + a] == b
  WHEN_O_IS_NOT,
  WHEN_O_ABOVE, // o[t + a] > b
  WHEN_O_MOD_4, // (o[t] & 3) == a
  WHEN_O_I_T,   // o[visit + t] == a
  WHEN_O_I,     // o[visit] == t
} When;

typedef struct {
  guint loads;
  guint stores;
  When when;
  guint a, b;
} Body;

// The kernels of one warp, n = 6, and of each block what is asked of shared memory, how nvcc writes them in PTX with
// loops rolled up. Requests of loads and stores that an H200 executed (smsp__sass_inst_executed_op_shared_ld, _st;
// nvcc 13.0, sm_90), and what the two extreme placements make of them.
static const struct {
  const char *name;
  const char *graph;
  struct {
    guint loads, stores;
    guint fewest, most; // loads and stores together
  } requests;
  Body body[12];
} kernels[] = {
    // if (t % 3 == 0) { for (i < n) s[t + i] = i; v = s[t]; } else { for (i < n; i += 2) s[t - i] = i; v = s[t + 1]; }
    // o[t] = v + s[t ^ 5];
    {"ifelse",
     "1,2 1,3 2,3 -",
     {2, 9, 11, 11},
     {{0, 0, WHEN_T_DIVIDES, 3, 0},
      {0, 1, WHEN_AGAIN, 6, 0},
      {0, 1, WHEN_AGAIN, 3, 0},
      {2, 0, WHEN_NEVER, 0, 0}}},
    // if (t < n && o[t] > 3 || o[t + 5] == n) { for (i < n) s[t + i * 2] = i; v = s[t + 2]; } o[t] = v + s[t ^ 5];
    {"andor",
     "2,1 3,2 5,3 3,4 5 -",
     {2, 6, 15, 8},
     {{0, 0, WHEN_T_FROM, 6, 0},
      {0, 0, WHEN_O_ABOVE, 0, 3},
      {0, 0, WHEN_O_IS_NOT, 5, 6},
      {0, 1, WHEN_AGAIN, 6, 0},
      {1, 0, WHEN_NEVER, 0, 0},
      {1, 0, WHEN_NEVER, 0, 0}}},
    // switch (o[t] & 3) { case 0: loop; case 1: v = s[…]; loop; break; case 2: v = s[…]; loop; break;
    // default: v = s[…]; loop; }
    // o[t] = v + s[t ^ 5];
    {"sw",
     "5,1 6,2 8,3 3,4 10 5,6 7 7,10 9 9,10 -",
     {4, 24, 28, 28},
     {{0, 0, WHEN_O_MOD_4, 0, 0},
      {0, 0, WHEN_O_MOD_4, 1, 0},
      {1, 0, WHEN_O_MOD_4, 3, 0},
      {0, 1, WHEN_AGAIN, 6, 0},
      {0, 0, WHEN_NEVER, 0, 0},
      {0, 1, WHEN_AGAIN, 6, 0},
      {1, 0, WHEN_NEVER, 0, 0},
      {0, 1, WHEN_AGAIN, 6, 0},
      {1, 0, WHEN_NEVER, 0, 0},
      {0, 1, WHEN_AGAIN, 6, 0},
      {1, 0, WHEN_NEVER, 0, 0}}},
    // if (o[t] == 1) goto a; loop; if (o[t + 1] == 2) goto b; v = s[t + 1];
    // a: loop; if (o[t + 4] == 2) goto c; b: loop; c: o[t] = v + s[t ^ 5];
    {"gt",
     "4,1 1,2 6,3 4 4,5 7,6 6,7 -",
     {2, 24, 32, 20},
     {{0, 0, WHEN_O_IS, 0, 1},
      {0, 1, WHEN_AGAIN, 6, 0},
      {0, 0, WHEN_O_IS, 1, 2},
      {1, 0, WHEN_NEVER, 0, 0},
      {0, 1, WHEN_AGAIN, 6, 0},
      {0, 0, WHEN_O_IS, 4, 2},
      {0, 1, WHEN_AGAIN, 6, 0},
      {1, 0, WHEN_NEVER, 0, 0}}},
    // for (i < n) { if (o[i + t] == 7) { s[t + i] = 9; v = s[i]; break; } s[t] += i; if (o[i] == t) continue;
    // s[t * 2] += 3; } o[t] = v + s[t ^ 5];
    {"brk",
     "1 5,2 4,3 4 1,6 6 -",
     {19, 18, 37, 37},
     {{0, 0, WHEN_NEVER, 0, 0},
      {0, 0, WHEN_O_I_T, 7, 0},
      {1, 1, WHEN_O_I, 0, 0},
      {1, 1, WHEN_NEVER, 0, 0},
      {0, 0, WHEN_AGAIN, 6, 0},
      {1, 1, WHEN_NEVER, 0, 0},
      {1, 0, WHEN_NEVER, 0, 0}}},
    // if (t >= n) return; for (i < o[t]) { s[t + i] = i; v += s[i ^ t]; } if (v == 3) return; o[t] = v + s[t ^ 5];
    // That v is 3 for all lanes is left out.
    {"early",
     "x,1 3,2 2,3 x,4 -",
     {8, 7, 15, 15},
     {{0, 0, WHEN_T_FROM, 6, 0},
      {0, 0, WHEN_O_IS, 0, 0},
      {1, 1, WHEN_AGAIN_O, 0, 0},
      {0, 0, WHEN_NEVER, 0, 0},
      {1, 0, WHEN_NEVER, 0, 0}}},
    // if (t < n) v = s[t * 2]; if (t > 3) s[t] = v; s[t + 32] = t & 1 ? s[t * 3] : s[t * 5]; o[t] = v + s[t ^ 5];
    {"pred",
     "2,1 2 3,4 4 -",
     {3, 2, 5, 5},
     {{0, 0, WHEN_T_FROM, 6, 0},
      {1, 0, WHEN_NEVER, 0, 0},
      {0, 0, WHEN_T_FROM, 4, 0},
      {0, 1, WHEN_NEVER, 0, 0},
      {2, 1, WHEN_NEVER, 0, 0}}},
};

static const guint pattern[64] = {2, 1, 4, 1, 7, 7, 7, 6, 3, 1, 7, 0, 6, 6, 0, 7, 4, 3, 1, 5, 0, 0,
                                  0, 0, 6, 3, 6, 0, 3, 7, 7, 3, 5, 3, 3, 7, 4, 0, 6, 1, 2, 4, 1, 5,
                                  6, 3, 4, 4, 7, 6, 0, 7, 3, 6, 6, 2, 5, 5, 1, 7, 1, 2, 6, 5};

static guint32
choose_in_kernel(const Flow *flow, guint32 block, guint32 t, guint32 visit) {
  const Body *body = &kernels[flow->seed].body[block];
  guint a = body->a, b = body->b;
  switch (body->when) {
  case WHEN_NEVER:
    return 1;
  case WHEN_T_DIVIDES:
    return t % a != 0;
  case WHEN_T_FROM:
    return t < a;
  case WHEN_AGAIN:
    return visit % a == a - 1;
  case WHEN_AGAIN_O:
    return visit + 1 >= pattern[t];
  case WHEN_O_IS:
    return pattern[t + a] != b;
  case WHEN_O_IS_NOT:
    return pattern[t + a] == b;
  case WHEN_O_ABOVE:
    return pattern[t + a] <= b;
  case WHEN_O_MOD_4:
    return (pattern[t] & 3) != a;
  case WHEN_O_I_T:
    return pattern[visit + t] != a;
  case WHEN_O_I:
    return pattern[visit] != t;
  }
  return 0;
}

static void
count_requests(const Flow *flow, SmbMeeting meeting, guint *loads, guint *stores) {
  g_autoptr(SmbConvergence) convergence = smb_converge(flow->block, flow->n, meeting);
  FlowCounts counts;
  flow_run(flow, convergence, &counts);
  ck_assert_uint_eq(counts.stuck, 0);
  *loads = *stores = 0;
  for (guint32 i = 0; i < flow->n; i++) {
    *loads += (guint)counts.executed[i] * kernels[flow->seed].body[i].loads;
    *stores += (guint)counts.executed[i] * kernels[flow->seed].body[i].stores;
  }
}

START_TEST(as_measured) {
  g_autofree Flow *flow = flow_new_parsed(kernels[_i].graph);
  guint loads, stores;
  flow->seed = (guint32)_i;
  flow->choose = choose_in_kernel;
  count_requests(flow, SMB_MEETING_COMPILED, &loads, &stores);
  ck_assert_msg(loads == kernels[_i].requests.loads && stores == kernels[_i].requests.stores,
                "%s: %u+%u, measured %u+%u", kernels[_i].name, loads, stores,
                kernels[_i].requests.loads, kernels[_i].requests.stores);
  count_requests(flow, SMB_MEETING_FEWEST, &loads, &stores);
  ck_assert_msg(loads + stores == kernels[_i].requests.fewest, "%s, fewest: %u", kernels[_i].name,
                loads + stores);
  count_requests(flow, SMB_MEETING_MOST, &loads, &stores);
  ck_assert_msg(loads + stores == kernels[_i].requests.most, "%s, most: %u", kernels[_i].name,
                loads + stores);
}
END_TEST

// --- graphs at random

// How often lanes come to each block, one by one.
static void
walk_lanes(const Flow *flow, guint64 *visits) {
  for (guint32 lane = 0; lane < FLOW_LANES; lane++) {
    guint32 at[FLOW_MAX_BLOCKS] = {0};
    for (guint32 block = 0; block != SMB_FLOW_EXIT;) {
      const SmbFlowBlock *here = &flow->block[block];
      guint32 chosen = flow->choose(flow, block, lane, at[block]++);
      visits[block]++;
      block = here->n_successors ? here->successors[chosen] : SMB_FLOW_EXIT;
    }
  }
}

START_TEST(nobody_waits_for_ever) {
  for (guint32 seed = 1; seed <= effort(400); seed++) {
    g_autofree Flow *flow = flow_new_random(seed, (FlowKind)_i);
    guint64 visits[FLOW_MAX_BLOCKS] = {0};
    walk_lanes(flow, visits);
    for (SmbMeeting meeting = SMB_MEETING_FEWEST; meeting <= SMB_MEETING_MOST; meeting++) {
      g_autoptr(SmbConvergence) convergence = smb_converge(flow->block, flow->n, meeting);
      FlowCounts counts;
      flow_run(flow, convergence, &counts);
      ck_assert_msg(counts.stuck == 0, "seed %u, %d", seed, meeting);
      for (guint32 i = 0; i < flow->n; i++)
        ck_assert_uint_eq(counts.visits[i], visits[i]);
      ck_assert(_i != FLOW_STRUCTURED || convergence->n_left_out == 0);
    }
  }
}
END_TEST

// Whether @to is reached from @from, itself included, without passing @without.
static gboolean
is_reached(const SmbEdges *edges, guint32 n, guint32 from, guint32 to, guint32 without) {
  g_autofree gboolean *seen = g_new0(gboolean, n);
  g_autofree guint32 *stack = g_new(guint32, n);
  guint32 depth = 0;
  if (from == without)
    return FALSE;
  seen[from] = TRUE;
  stack[depth++] = from;
  while (depth && !seen[to]) {
    guint32 node = stack[--depth];
    for (guint32 i = edges->first[node]; i < edges->first[node + 1]; i++) {
      guint32 next = edges->to[i];
      if (next != without && !seen[next]) {
        seen[next] = TRUE;
        stack[depth++] = next;
      }
    }
  }
  return seen[to];
}

// The nearest dominator is one, and every other one dominates it.
static void
check_dominator(const SmbGraph *graph, guint32 node) {
  const SmbEdges *edges = &graph->successors;
  guint32 idom = graph->idom[node];
  for (guint32 other = 0; other < graph->n; other++) {
    if (other == node || !graph->reachable[other])
      continue;
    gboolean dominates = !is_reached(edges, graph->n, graph->start, node, other);
    ck_assert(other != idom || dominates);
    ck_assert(!dominates || other == idom ||
              !is_reached(edges, graph->n, graph->start, idom, other));
  }
}

static void
check_postdominator(const SmbGraph *graph, const guint32 *ipdom, guint32 node) {
  const SmbEdges *edges = &graph->successors;
  for (guint32 other = 0; other < graph->n; other++) {
    if (other == node || !graph->reachable[other])
      continue;
    gboolean dominates = !is_reached(edges, graph->n, node, graph->exit, other);
    ck_assert(other != ipdom[node] || dominates);
    ck_assert(!dominates || other == ipdom[node] ||
              !is_reached(edges, graph->n, ipdom[node], graph->exit, other));
  }
}

// A loop: what its header dominates, and what comes back to it without passing it.
static void
check_loops(const SmbGraph *graph, guint32 node) {
  for (guint32 header = 0; header < graph->n_blocks; header++) {
    guint32 latch = graph->latch[header];
    gboolean in_loop =
        latch != SMB_NO_NODE && graph->reachable[header] &&
        (node == header || (!is_reached(&graph->successors, graph->n, graph->start, node, header) &&
                            is_reached(&graph->successors, graph->n, node, latch, header)));
    ck_assert(smb_graph_in_loop(graph, node, header) == in_loop);
  }
}

START_TEST(dominators) {
  guint n_irreducible = 0, n_loops = 0;
  for (guint32 seed = 1; seed <= 40; seed++) {
    g_autofree Flow *flow = flow_new_random(seed, (FlowKind)_i);
    while (flow->n > 40) {
      g_free(flow);
      flow = flow_new_random(seed += 1000, (FlowKind)_i);
    }
    seed %= 1000;
    g_autoptr(SmbGraph) graph = smb_graph_new(flow->block, flow->n);
    g_autofree guint32 *ipdom = smb_graph_postdominators(graph, TRUE);
    for (guint32 i = 1; i < graph->n_reachable; i++) {
      guint32 node = graph->order[i];
      check_dominator(graph, node);
      if (node != graph->exit)
        check_postdominator(graph, ipdom, node);
      n_loops += graph->loop[node] == node;
      if (!graph->irreducible)
        check_loops(graph, node);
    }
    n_irreducible += graph->irreducible;
  }
  ck_assert_uint_gt(n_loops, 0);
  ck_assert(_i == FLOW_TANGLED || (n_irreducible > 0) == (_i == FLOW_GOTO));
}
END_TEST

// Functions as no compiler writes them are placed in bounded time, and what is left out is told.
START_TEST(large) {
  enum {
    N = 5000
  };
  g_autofree SmbFlowBlock *blocks = g_new0(SmbFlowBlock, N);
  g_autofree guint32 *successors = g_new(guint32, 2 * N);
  for (guint32 i = 0; i < N; i++) {
    guint32 nested = i < N / 2 ? N - 1 - i : i + 1; // ifs in ifs
    guint32 loops = i > N / 2 ? N - 1 - i : i + 1;  // loops in loops
    guint32 crossing = MIN(i + 2, N - 1);           // each over the end of the one before
    blocks[i] =
        (SmbFlowBlock){2 * i, 2 * i + 2, SMB_FLOW_DIVERGENT, i + 1 < N ? 2 : 0, successors + 2 * i};
    successors[2 * i] = _i == 0 ? nested : _i == 1 ? loops : crossing;
    successors[2 * i + 1] = i + 1;
  }
  g_autoptr(SmbConvergence) convergence = smb_converge(blocks, N, SMB_MEETING_COMPILED);
  ck_assert_uint_gt(convergence->n_left_out, 0);
  ck_assert_uint_le(convergence->n_barriers, SMB_MAX_BARRIERS);
  ck_assert(_i == 2 || convergence->n_barriers == SMB_MAX_BARRIERS);
}
END_TEST

Suite *
suite_converge(void) {
  Suite *suite = suite_create("converge");
  TCase *tcase = tcase_create("converge");
  tcase_add_loop_test(tcase, as_compiled, 0, G_N_ELEMENTS(compiled));
  tcase_add_loop_test(tcase, places, 0, G_N_ELEMENTS(placed));
  tcase_add_test(tcase, uniform);
  tcase_add_test(tcase, returns);
  tcase_add_loop_test(tcase, as_measured, 0, G_N_ELEMENTS(kernels));
  tcase_add_loop_test(tcase, nobody_waits_for_ever, FLOW_STRUCTURED, FLOW_TANGLED + 1);
  tcase_add_loop_test(tcase, dominators, FLOW_STRUCTURED, FLOW_TANGLED + 1);
  tcase_add_loop_test(tcase, large, 0, 3);
  suite_add_tcase(suite, tcase);
  return suite;
}
