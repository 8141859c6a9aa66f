// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is asked of code that is complete: where addresses and branches lead.
#include "sim/exec/code.h"

#include <string.h>

static guint64
find_code_alias(const Code *code, guint64 address) {
  for (guint i = 0; i < code->aliases->len; i++) {
    const CodeAlias *alias = &g_array_index(code->aliases, CodeAlias, i);
    if (alias->address == address)
      return alias->place;
  }
  return G_MAXUINT64;
}

const CodeEntry *
smb_code_entry(const Code *code, guint64 address) {
  if (address / CODE_ADDRESS_STEP >= code->entries->len)
    address = find_code_alias(code, address);
  guint64 index = address / CODE_ADDRESS_STEP;
  return address % CODE_ADDRESS_STEP == 0 && index < code->entries->len
             ? &g_array_index(code->entries, CodeEntry, index)
             : NULL;
}

const CodeGraph *
smb_code_graph(const Code *code, guint32 step, guint32 *block) {
  for (guint g = 0; g < code->graphs->len; g++) {
    const CodeGraph *graph = g_ptr_array_index(code->graphs, g);
    for (guint b = 0; b < graph->blocks->len; b++) {
      const SmbFlowBlock *flow = &graph_blocks(graph)[b];
      *block = b;
      if (step >= flow->first && step < flow->end)
        return graph;
    }
  }
  g_assert_not_reached();
}

gboolean
smb_graph_reach(const CodeGraph *graph, guint32 branch, guint32 but, gboolean *seen,
                guint *n_seen) {
  const SmbFlowBlock *blocks = graph_blocks(graph);
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(guint32));
  gboolean ends = FALSE;
  memset(seen, 0, graph->blocks->len * sizeof *seen);
  *n_seen = 0;
  g_array_append_vals(rest, blocks[branch].successors, blocks[branch].n_successors);
  while (rest->len > 0) {
    guint32 b = g_array_index(rest, guint32, rest->len - 1);
    g_array_set_size(rest, rest->len - 1);
    ends = ends || b == SMB_FLOW_EXIT;
    if (b == but || b == SMB_FLOW_EXIT || seen[b])
      continue;
    seen[b] = TRUE;
    ++*n_seen;
    ends = ends || blocks[b].n_successors == 0;
    g_array_append_vals(rest, blocks[b].successors, blocks[b].n_successors);
  }
  return ends;
}
