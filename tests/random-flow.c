// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/random-flow.h"

#include <string.h>

enum {
  MAX_VISITS = 5, // of a block by a lane, until it goes on ahead more often than not
  MAX_LOOPS = 3,  // within each other
};

#define NO_BLOCK G_MAXUINT32

// A function that is being written.
typedef struct {
  Flow *flow;
  GRand *random;
  FlowKind kind;
  guint32 current; // block that has no successor yet, or NO_BLOCK behind a jump
  struct {
    guint32 head;   // where continue goes
    guint32 behind; // where break goes
  } loop[MAX_LOOPS];
  guint n_loops;
  GArray *labels;                  // blocks that jumps ahead go to and that are still to come
  guint32 at[2 * FLOW_MAX_BLOCKS]; // by label: the block that it is, or NO_BLOCK
  guint32 n_labels;
} Writer;

static guint
pick(Writer *writer, guint below) {
  return (guint)g_rand_int_range(writer->random, 0, (gint32)below);
}

// A label has a place later on; until the end successors are labels.
static guint32
new_label(Writer *writer) {
  writer->at[writer->n_labels] = NO_BLOCK;
  return writer->n_labels++;
}

static gboolean
is_full(const Writer *writer) {
  return writer->n_labels > FLOW_MAX_BLOCKS - 30 || writer->flow->n > FLOW_MAX_BLOCKS - 60;
}

// Ends the current block, if there is one: with a branch, or one way (@b is NO_BLOCK) .
static void
end_block(Writer *writer, guint32 a, guint32 b) {
  if (writer->current == NO_BLOCK)
    return;
  SmbFlowBlock *block = &writer->flow->block[writer->current];
  guint32 *successors = writer->flow->successors[writer->current];
  successors[0] = a;
  successors[1] = b;
  block->n_successors = b == NO_BLOCK ? 1 : 2;
  writer->current = NO_BLOCK;
}

// Begins a block at a label; the current one goes on there.
static void
put_label(Writer *writer, guint32 label) {
  end_block(writer, label, NO_BLOCK);
  writer->current = writer->flow->n++;
  writer->at[label] = writer->current;
}

static void
begin_block(Writer *writer) {
  put_label(writer, new_label(writer));
}

// A condition with && and ||: several branches.
static void
put_condition(Writer *writer, guint32 if_true, guint32 if_false, guint depth) {
  guint32 middle;
  switch (depth ? pick(writer, 4) : 3) {
  case 0:
    middle = new_label(writer);
    put_condition(writer, middle, if_false, depth - 1);
    put_label(writer, middle);
    put_condition(writer, if_true, if_false, depth - 1);
    break;
  case 1:
    middle = new_label(writer);
    put_condition(writer, if_true, middle, depth - 1);
    put_label(writer, middle);
    put_condition(writer, if_true, if_false, depth - 1);
    break;
  default:
    if (pick(writer, 2))
      end_block(writer, if_true, if_false);
    else
      end_block(writer, if_false, if_true);
    break;
  }
}

static void put_statements(Writer *writer, guint depth);

static void
put_if(Writer *writer, guint depth) {
  guint32 then = new_label(writer), otherwise = new_label(writer), behind = new_label(writer);
  gboolean has_else = pick(writer, 2);
  put_condition(writer, then, has_else ? otherwise : behind, 2);
  put_label(writer, then);
  put_statements(writer, depth - 1);
  end_block(writer, behind, NO_BLOCK);
  if (has_else) {
    put_label(writer, otherwise);
    put_statements(writer, depth - 1);
  }
  put_label(writer, behind);
}

static void
put_loop(Writer *writer, guint depth) {
  guint32 top = new_label(writer), test = new_label(writer), behind = new_label(writer);
  gboolean tests_first = pick(writer, 2);
  if (writer->n_loops == MAX_LOOPS)
    return;
  writer->loop[writer->n_loops].head = test;
  writer->loop[writer->n_loops++].behind = behind;
  if (tests_first) {
    guint32 body = new_label(writer);
    put_label(writer, test);
    put_condition(writer, body, behind, 1);
    put_label(writer, body);
    put_statements(writer, depth - 1);
    end_block(writer, test, NO_BLOCK);
  } else {
    put_label(writer, top);
    put_statements(writer, depth - 1);
    put_label(writer, test);
    put_condition(writer, top, behind, 1);
  }
  writer->n_loops--;
  put_label(writer, behind);
}

// Cases that fall through or break; the comparisons come first.
static void
put_switch(Writer *writer, guint depth) {
  guint32 cases[4], behind = new_label(writer);
  guint n = 2 + pick(writer, 3);
  for (guint i = 0; i < n; i++)
    cases[i] = new_label(writer);
  for (guint i = 0; i + 1 < n; i++) {
    guint32 next = new_label(writer);
    end_block(writer, cases[i], next);
    put_label(writer, next);
  }
  end_block(writer, pick(writer, 2) ? cases[n - 1] : behind, NO_BLOCK);
  for (guint i = 0; i < n; i++) {
    put_label(writer, cases[i]);
    put_statements(writer, depth - 1);
    if (pick(writer, 3))
      end_block(writer, behind, NO_BLOCK);
  }
  put_label(writer, behind);
}

// A branch out of the statements: of a loop, of the function, or to a label further on.
static void
put_jump(Writer *writer) {
  guint32 next = new_label(writer), target = SMB_FLOW_EXIT;
  guint kind = pick(writer, 8);
  if (writer->n_loops && kind > 1) {
    guint loop = pick(writer, 3) ? writer->n_loops - 1 : pick(writer, writer->n_loops);
    target = pick(writer, 2) ? writer->loop[loop].head : writer->loop[loop].behind;
  } else if (writer->kind == FLOW_GOTO) {
    target = new_label(writer);
    g_array_append_val(writer->labels, target);
  } else if (kind > 2) {
    return;
  }
  put_condition(writer, target, next, 1);
  put_label(writer, next);
}

static void
put_statements(Writer *writer, guint depth) {
  for (guint n = 1 + pick(writer, 3); n > 0; n--) {
    if (writer->labels->len && pick(writer, 2)) {
      guint which = pick(writer, writer->labels->len);
      put_label(writer, g_array_index(writer->labels, guint32, which));
      g_array_remove_index_fast(writer->labels, which);
    }
    if (writer->current == NO_BLOCK)
      begin_block(writer);
    if (is_full(writer))
      return;
    switch (depth ? pick(writer, 8) : 7) {
    case 0:
    case 1:
    case 2:
      put_if(writer, depth);
      break;
    case 3:
    case 4:
      put_loop(writer, depth);
      break;
    case 5:
      put_switch(writer, depth);
      break;
    default:
      put_jump(writer);
      break;
    }
  }
}

// Successors are blocks from now on.
static void
resolve_labels(Writer *writer) {
  Flow *flow = writer->flow;
  for (guint i = 0; i < writer->labels->len; i++)
    put_label(writer, g_array_index(writer->labels, guint32, i));
  if (writer->current == NO_BLOCK)
    begin_block(writer);
  for (guint32 i = 0; i < flow->n; i++) {
    for (guint32 j = 0; j < flow->block[i].n_successors; j++) {
      if (flow->successors[i][j] != SMB_FLOW_EXIT)
        flow->successors[i][j] = writer->at[flow->successors[i][j]];
    }
  }
}

static void
write_function(Flow *flow, GRand *random, FlowKind kind) {
  g_autoptr(GArray) labels = g_array_new(FALSE, FALSE, sizeof(guint32));
  Writer writer = {
      .flow = flow, .random = random, .kind = kind, .current = NO_BLOCK, .labels = labels};
  begin_block(&writer);
  put_statements(&writer, 3);
  resolve_labels(&writer);
}

static void
tangle(Flow *flow, GRand *random) {
  flow->n = (guint32)g_rand_int_range(random, 3, 12);
  for (guint32 i = 0; i + 1 < flow->n; i++) {
    flow->block[i].n_successors = (guint32)g_rand_int_range(random, 1, 3);
    // One of them leads on, so that all lanes come to an end.
    flow->successors[i][0] = (guint32)g_rand_int_range(random, (gint32)i + 1, (gint32)flow->n);
    flow->successors[i][1] = (guint32)g_rand_int_range(random, 0, (gint32)flow->n);
  }
}

static guint32
choose_at_random(const Flow *flow, guint32 block, guint32 lane, guint32 visit) {
  const SmbFlowBlock *at = &flow->block[block];
  if (at->n_successors < 2)
    return 0;
  guint32 hash =
      flow->seed * 0x9e3779b9u + block * 0x85ebca6bu + lane * 0xc2b2ae35u + visit * 0x27d4eb2fu;
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash = (hash ^ hash >> 12) * 0x297a2d39u;
  hash ^= hash >> 15;
  if (visit >= MAX_VISITS && hash & 0x30)
    return at->successors[1] > at->successors[0];
  return hash >> 3 & 1;
}

// A block has two operations: waiting at its start, and all else.
static void
close_flow(Flow *flow) {
  flow->choose = choose_at_random;
  for (guint32 i = 0; i < flow->n; i++) {
    flow->block[i].first = 2 * i;
    flow->block[i].end = 2 * i + 2;
    flow->block[i].flow = flow->block[i].n_successors > 1 ? SMB_FLOW_DIVERGENT : SMB_FLOW_NEXT;
    flow->block[i].successors = flow->successors[i];
  }
}

Flow *
flow_new_random(guint32 seed, FlowKind kind) {
  Flow *flow = g_new0(Flow, 1);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  flow->seed = seed;
  if (kind == FLOW_TANGLED)
    tangle(flow, random);
  else
    write_function(flow, random, kind);
  close_flow(flow);
  return flow;
}

Flow *
flow_new_parsed(const char *text) {
  Flow *flow = g_new0(Flow, 1);
  g_auto(GStrv) blocks = g_strsplit(text, " ", -1);
  for (; blocks[flow->n]; flow->n++) {
    g_auto(GStrv) successors = g_strsplit(blocks[flow->n], ",", -1);
    SmbFlowBlock *block = &flow->block[flow->n];
    for (guint i = 0; successors[i] && successors[i][0] != '-'; i++) {
      guint64 to = g_ascii_strtoull(successors[i], NULL, 10);
      flow->successors[flow->n][block->n_successors++] =
          successors[i][0] == 'x' ? SMB_FLOW_EXIT : (guint32)to;
    }
  }
  close_flow(flow);
  return flow;
}

// --- running

typedef struct {
  const Flow *flow;
  const SmbConvergence *convergence;
  SmbSplits *splits;
  FlowCounts *counts;
  guint32 visits[FLOW_MAX_BLOCKS][FLOW_LANES];
} Run;

#define FOR_BITS(set, i)                                                                           \
  for (guint64 rest_of_##i = (set), i = 0;                                                         \
       rest_of_##i && (i = smb_lanes_first(rest_of_##i), TRUE); rest_of_##i &= rest_of_##i - 1)

// The lanes of the running split by the successor that they choose, after they were counted.
static void
visit_block(Run *run, guint32 block, SmbLanes chosen[2]) {
  run->counts->executed[block]++;
  chosen[0] = chosen[1] = 0;
  FOR_BITS(run->splits->mask, lane) {
    guint32 visit = run->visits[block][lane]++;
    run->counts->visits[block]++;
    chosen[run->flow->choose(run->flow, block, (guint32)lane, visit)] |= (SmbLanes)1 << lane;
  }
}

// The operations of a block: waiting at its start, and all the rest.
static void
run_block(Run *run, guint32 block) {
  const SmbFlowBlock *at = &run->flow->block[block];
  const SmbBlockBarriers *barriers = &run->convergence->blocks[block];
  SmbSplits *splits = run->splits;
  SmbLanes chosen[2];
  if (splits->pc == at->first) {
    // Lanes that wait come here again, when the barrier is not armed any more.
    SmbLanes mask = splits->mask;
    FOR_BITS(barriers->sync, i) {
      smb_splits_sync(splits, (guint)i, mask);
      if (splits->mask != mask)
        return;
    }
    FOR_BITS(barriers->enter, i)
    smb_splits_enter(splits, (guint)i);
    splits->pc++;
    return;
  }
  visit_block(run, block, chosen);
  FOR_BITS(barriers->arm, i)
  smb_splits_arm(splits, (guint)i);
  if (at->n_successors == 0) {
    smb_splits_exit(splits, splits->mask);
    return;
  }
  for (guint32 i = 0; i < at->n_successors; i++) {
    FOR_BITS(barriers->leave[i], j)
    smb_splits_break(splits, (guint)j, chosen[i]);
  }
  SmbLanes leaving = 0;
  for (guint32 i = 0; i < at->n_successors; i++)
    leaving |= at->successors[i] == SMB_FLOW_EXIT ? chosen[i] : 0;
  guint32 other = at->successors[at->n_successors - 1];
  splits->pc = other == SMB_FLOW_EXIT ? 0 : run->flow->block[other].first;
  if (leaving != splits->mask && at->n_successors == 2 && at->successors[0] != SMB_FLOW_EXIT)
    smb_splits_branch(splits, chosen[0], run->flow->block[at->successors[0]].first);
  if (leaving)
    smb_splits_exit(splits, leaving);
}

void
flow_run(const Flow *flow, const SmbConvergence *convergence, FlowCounts *counts) {
  g_autoptr(SmbSplits) splits = smb_splits_new(SMB_BARRIERS_OF_LANES);
  g_autofree Run *run = g_new0(Run, 1);
  *run = (Run){.flow = flow, .convergence = convergence, .splits = splits, .counts = counts};
  memset(counts, 0, sizeof *counts);
  smb_splits_start(splits, smb_lanes_below(FLOW_LANES), 0);
  while (splits->mask)
    run_block(run, splits->pc / 2);
  counts->stuck = splits->living;
}
