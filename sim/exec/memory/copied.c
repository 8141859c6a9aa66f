// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What threads copy by registers: loads of global memory whose 16 bytes are stored to shared memory as they are. Which loads a store may get
// its registers from is found once, in the steps: each way that leads to it has a load of that register, and nothing else that writes it, no call
// and no move. As such loads run, it is noted for each lane where they loaded from.
#include <string.h>

#include "sim/exec/memory/memory.h"
#include "sim/machine/access/chunk.h"

enum {
  COPIED_WORDS = SHARED_CHUNK / sizeof(guint32), // of a store
};

/**
 * CopiedRows:
 * @is_part: of each step: it is such a load or store
 * @from: [warp][row][lane]: the address that a word was loaded from
 */
struct _CopiedRows {
  gboolean *is_part;
  guint64 *from;
  gsize bytes;
};

static gboolean
is_whole(const Transfer *transfer) {
  return transfer->bytes == transfer->rows * sizeof(guint32);
}

static gboolean
is_copying_load(const Step *step) {
  return step->kind == KIND_TRANSFER && step->transfer->move.op_class == SMB_OP_CLASS_LOAD &&
         step->transfer->window == WINDOW_GENERIC && is_whole(step->transfer);
}

static gboolean
is_copying_store(const Step *step) {
  return step->opcode == STEP_STORE && step->transfer->window == WINDOW_SHARED &&
         step->transfer->move.width == SHARED_CHUNK && is_whole(step->transfer);
}

// The row of a word of what is loaded or stored.
static Row
find_word_row(const Transfer *transfer, guint word) {
  Row row = transfer->data[word / transfer->rows];
  return row == NO_ROW ? NO_ROW : row + word % transfer->rows;
}

static gboolean
may_write_row(const Step *step, Row row) {
  gboolean has_result =
      step->opcode == STEP_COMPUTE &&
      smb_operation_info((Operation)step->compute.operation)->result != SHAPE_PREDICATE;
  if (has_result && row - step->compute.d < step->compute.n_rows[0])
    return TRUE;
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    if (row - written->row < written->n)
      return TRUE;
  }
  return FALSE;
}

// Goes back over steps of a block, from @end on. Returns whether nothing but such loads writes the row, which are added to @loads; @is_over: in all
// threads one does.
static gboolean
trace_back(const Code *code, guint32 first, guint32 end, Row row, GArray *loads,
           gboolean *is_over) {
  *is_over = FALSE;
  for (guint32 i = end; i-- > first && !*is_over;) {
    const Step *step = &g_array_index(code->steps, Step, i);
    if (step->flags & (STEP_CALLS | STEP_CALLS_ANY | STEP_CALLS_PROVIDED))
      return FALSE;
    if (!may_write_row(step, row))
      continue;
    if (!is_copying_load(step))
      return FALSE;
    g_array_append_val(loads, i);
    *is_over = step->guard == PREDICATE_TRUE;
  }
  return TRUE;
}

// Adds the blocks that lead to @block to those that are to be looked at.
static void
add_blocks_before(const CodeGraph *graph, guint32 block, gboolean *seen, GArray *rest) {
  for (guint32 b = 0; b < graph->blocks->len; b++) {
    const SmbFlowBlock *flow = &graph_blocks(graph)[b];
    for (guint32 i = 0; i < flow->n_successors && !seen[b]; i++) {
      if (flow->successors[i] != block)
        continue;
      seen[b] = TRUE;
      g_array_append_val(rest, b);
    }
  }
}

// Whether a row that a step stores is from such loads alone, which are added.
static gboolean
find_loads(const Code *code, guint32 store, Row row, GArray *loads) {
  guint32 at;
  const CodeGraph *graph = smb_code_graph(code, store, &at);
  g_autofree gboolean *seen = g_new0(gboolean, graph->blocks->len);
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(guint32));
  gboolean is_over;
  if (!trace_back(code, graph_blocks(graph)[at].first, store, row, loads, &is_over))
    return FALSE;
  if (!is_over && at == 0)
    return FALSE;
  if (!is_over)
    add_blocks_before(graph, at, seen, rest);
  while (rest->len > 0) {
    guint32 b = g_array_index(rest, guint32, rest->len - 1);
    const SmbFlowBlock *flow = &graph_blocks(graph)[b];
    g_array_set_size(rest, rest->len - 1);
    if (!trace_back(code, flow->first, flow->end, row, loads, &is_over) || (!is_over && b == 0))
      return FALSE;
    if (!is_over)
      add_blocks_before(graph, b, seen, rest);
  }
  return TRUE;
}

// Whether the step stores nothing but what was loaded.
static gboolean
find_register_copy(const Code *code, guint32 store, GArray *loads) {
  const Transfer *transfer = g_array_index(code->steps, Step, store).transfer;
  g_array_set_size(loads, 0);
  for (guint word = 0; word < COPIED_WORDS; word++) {
    Row row = find_word_row(transfer, word);
    if (row == NO_ROW || !find_loads(code, store, row, loads))
      return FALSE;
  }
  return TRUE;
}

CopiedRows *
smb_copied_rows_new(const Code *code, guint n_warps) {
  g_autoptr(GArray) loads = g_array_new(FALSE, FALSE, sizeof(guint32));
  CopiedRows *copied = NULL;
  for (guint32 i = 0; code->has_operands && i < code->steps->len; i++) {
    if (!is_copying_store(&g_array_index(code->steps, Step, i)) ||
        !find_register_copy(code, i, loads))
      continue;
    if (!copied) {
      copied = g_new0(CopiedRows, 1);
      copied->is_part = g_new0(gboolean, code->steps->len);
      copied->bytes = sizeof(guint64) * n_warps * code->n_rows * SMB_MAX_LANES;
      copied->from = g_malloc0(copied->bytes);
    }
    copied->is_part[i] = TRUE;
    for (guint load = 0; load < loads->len; load++)
      copied->is_part[g_array_index(loads, guint32, load)] = TRUE;
  }
  return copied;
}

void
smb_copied_rows_free(CopiedRows *copied) {
  if (!copied)
    return;
  g_free(copied->is_part);
  g_free(copied->from);
  g_free(copied);
}

void
smb_copied_rows_start(CopiedRows *copied) {
  if (copied)
    memset(copied->from, 0, copied->bytes);
}

static guint64 *
find_from(const Exec *exec, Row row) {
  return exec->copied->from + ((gsize)exec->w * exec->code->n_rows + row) * SMB_MAX_LANES;
}

void
smb_copied_note_load(const Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses) {
  const Transfer *transfer = step->transfer;
  if (!exec->copied->is_part[step_number(exec, step)])
    return;
  for (guint word = 0; word < transfer->n_components * transfer->rows; word++) {
    Row row = find_word_row(transfer, word);
    if (row == NO_ROW)
      continue;
    guint64 *from = find_from(exec, row);
    FOR_LANES(lanes, lane) {
      from[lane] = addresses[lane] + word * sizeof(guint32);
    }
  }
}

void
smb_copied_note_store(const Exec *exec, const Step *step, SmbLanes lanes,
                      const guint64 *addresses) {
  const Transfer *transfer = step->transfer;
  if (!exec->copied->is_part[step_number(exec, step)])
    return;
  FOR_LANES(lanes, lane) {
    guint64 first = find_from(exec, find_word_row(transfer, 0))[lane];
    gboolean is_whole = first != 0;
    guint32 offset;
    for (guint word = 1; word < COPIED_WORDS; word++)
      is_whole = is_whole && find_from(exec, find_word_row(transfer, word))[lane] ==
                                 first + word * sizeof(guint32);
    if (is_whole && smb_shared_find(exec->block, addresses[lane], SHARED_CHUNK, &offset))
      smb_chunk_note_store(exec->block, offset, SHARED_CHUNK, CHUNK_OF_MEMORY, transfer->move.site,
                           first);
  }
}
