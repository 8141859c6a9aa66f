// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What threads copy by registers: loads of global memory whose bytes are stored to shared memory as they are, or after each number was computed by itself, as
// by a conversion. Which steps such a value passes is found once (smb_copied_mark()): each way that leads to a store has loads and computations of
// its registers, and nothing else that writes them, no call and no exchange. As these steps run, it is noted for each register of each lane which bytes of memory its
// value is made of. A store is a copy if its words are made of as many bytes each, one word behind the other: of numbers that became half as wide, addresses are
// halved, so that they are those of what is stored.
#include <string.h>

#include "sim/exec/memory/memory.h"
#include "sim/machine/access/chunk.h"

enum {
  SOURCE_MAX_BYTES = 64,  // of a register: more are no number by itself
  MARKED_MAX_STEPS = 512, // that the value of a register passes
};

// The bytes of memory that a value is made of: @n from @first on; 0: it is made of none; SOURCE_UNKNOWN.
typedef struct {
  guint64 first;
  guint32 n;
} Source;

#define SOURCE_UNKNOWN G_MAXUINT32

/**
 * CopiedRows:
 * @sources: [warp][row][lane]
 */
struct _CopiedRows {
  Source *sources;
  gsize bytes;
};

static gboolean
is_copying_load(const Step *step) {
  return step->kind == KIND_TRANSFER && step->transfer->move.op_class == SMB_OP_CLASS_LOAD &&
         step->transfer->window == WINDOW_GENERIC;
}

// Computes a number of each lane from numbers of the same lane, or of the first one, which all lanes get.
static gboolean
is_copying_computation(const Step *step) {
  return step->kind == KIND_COMPUTE &&
         (step->compute.operation == OPERATION_FIRST || !smb_compute_is_exchange(&step->compute));
}

static gboolean
is_copying_store(const Step *step) {
  const Transfer *transfer = step->transfer;
  return step->opcode == STEP_STORE && transfer->window == WINDOW_SHARED &&
         transfer->bytes <= transfer->rows * sizeof(guint32);
}

// --- which steps

// What is found of a store so far.
typedef struct {
  const Code *code;
  const gboolean *is_written; // of each row: a step writes it
  GArray *steps;              // guint32: loads and computations
  gboolean *is_taken;         // of each step: it is one of them
} CopiedSteps;

static gboolean
may_write_row(const Step *step, Row row) {
  gboolean has_result =
      step->kind == KIND_COMPUTE &&
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

static void
take_copying_step(CopiedSteps *taken, guint32 step) {
  if (taken->is_taken[step])
    return;
  taken->is_taken[step] = TRUE;
  g_array_append_val(taken->steps, step);
}

// Goes back over steps of a block, from @end on. Returns whether nothing but loads and computations write the row, which are taken; @is_over: in all
// threads one does.
static gboolean
trace_back(CopiedSteps *taken, guint32 first, guint32 end, Row row, gboolean *is_over) {
  *is_over = FALSE;
  for (guint32 i = end; i-- > first && !*is_over;) {
    const Step *step = &g_array_index(taken->code->steps, Step, i);
    if (step->flags & (STEP_CALLS | STEP_CALLS_ANY | STEP_CALLS_PROVIDED))
      return FALSE;
    if (!may_write_row(step, row))
      continue;
    if (!is_copying_load(step) && !is_copying_computation(step))
      return FALSE;
    take_copying_step(taken, i);
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

// Whether what a step has in a row is from such steps alone, which are taken.
static gboolean
find_row_steps(CopiedSteps *taken, guint32 user, Row row) {
  guint32 at;
  if (row >= taken->code->n_rows || !taken->is_written[row]) // a constant
    return TRUE;
  const CodeGraph *graph = smb_code_graph(taken->code, user, &at);
  g_autofree gboolean *seen = g_new0(gboolean, graph->blocks->len);
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(guint32));
  gboolean is_over;
  if (!trace_back(taken, graph_blocks(graph)[at].first, user, row, &is_over))
    return FALSE;
  if (!is_over && at == 0)
    return FALSE;
  if (!is_over)
    add_blocks_before(graph, at, seen, rest);
  while (rest->len > 0) {
    guint32 b = g_array_index(rest, guint32, rest->len - 1);
    const SmbFlowBlock *flow = &graph_blocks(graph)[b];
    g_array_set_size(rest, rest->len - 1);
    if (!trace_back(taken, flow->first, flow->end, row, &is_over) || (!is_over && b == 0))
      return FALSE;
    if (!is_over)
      add_blocks_before(graph, b, seen, rest);
  }
  return TRUE;
}

static gboolean
find_operand_steps(CopiedSteps *taken, guint32 user) {
  const Compute *compute = &g_array_index(taken->code->steps, Step, user).compute;
  for (guint i = 0; i < compute->n_sources && compute->operation != OPERATION_FIRST; i++)
    for (guint j = 0; j < compute->n_rows[1 + i]; j++)
      if (!find_row_steps(taken, user, compute->s[i] + j))
        return FALSE;
  return TRUE;
}

// Whether all that the step stores is from such steps, one of them a load.
static gboolean
find_store_steps(CopiedSteps *taken, guint32 store) {
  const Transfer *transfer = g_array_index(taken->code->steps, Step, store).transfer;
  gboolean has_load = FALSE;
  g_array_set_size(taken->steps, 0);
  for (guint c = 0; c < transfer->n_components; c++)
    for (guint j = 0; j < transfer->rows; j++)
      if (transfer->data[c] == NO_ROW || !find_row_steps(taken, store, transfer->data[c] + j))
        return FALSE;
  for (guint i = 0; i < taken->steps->len && taken->steps->len <= MARKED_MAX_STEPS; i++) {
    guint32 step = g_array_index(taken->steps, guint32, i);
    gboolean is_load = is_copying_load(&g_array_index(taken->code->steps, Step, step));
    has_load = has_load || is_load;
    if (!is_load && !find_operand_steps(taken, step))
      return FALSE;
  }
  return has_load && taken->steps->len <= MARKED_MAX_STEPS;
}

static gboolean *
find_written_rows(const Code *code) {
  gboolean *is_written = g_new0(gboolean, code->n_rows);
  for (guint32 i = 0; i < code->steps->len; i++) {
    const Step *step = &g_array_index(code->steps, Step, i);
    for (guint j = 0; step->kind == KIND_COMPUTE && j < step->compute.n_rows[0]; j++)
      if (may_write_row(step, step->compute.d + j))
        is_written[step->compute.d + j] = TRUE;
    for (guint j = 0; step->writes && j < step->writes->len; j++) {
      const Written *written = &g_array_index(step->writes, Written, j);
      for (guint row = 0; row < written->n; row++)
        is_written[written->row + row] = TRUE;
    }
  }
  return is_written;
}

void
smb_copied_mark(Code *code) {
  g_autofree gboolean *is_written = find_written_rows(code);
  g_autofree gboolean *is_taken = g_new0(gboolean, code->steps->len);
  g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(guint32));
  CopiedSteps taken = {code, is_written, steps, is_taken};
  for (guint32 i = 0; i < code->steps->len; i++) {
    Step *store = &g_array_index(code->steps, Step, i);
    if (!is_copying_store(store))
      continue;
    gboolean is_copy = find_store_steps(&taken, i);
    for (guint j = 0; j < steps->len; j++) {
      guint32 step = g_array_index(steps, guint32, j);
      is_taken[step] = FALSE;
      if (is_copy)
        g_array_index(code->steps, Step, step).flags |= STEP_COPIES;
    }
    if (is_copy)
      store->flags |= STEP_COPIES;
    code->copies = code->copies || is_copy;
  }
}

// --- what they copy

CopiedRows *
smb_copied_rows_new(const Code *code, guint n_warps) {
  if (!code->copies)
    return NULL;
  CopiedRows *copied = g_new0(CopiedRows, 1);
  copied->bytes = sizeof(Source) * n_warps * code->n_rows * SMB_MAX_LANES;
  copied->sources = g_malloc0(copied->bytes);
  return copied;
}

void
smb_copied_rows_free(CopiedRows *copied) {
  if (!copied)
    return;
  g_free(copied->sources);
  g_free(copied);
}

void
smb_copied_rows_start(CopiedRows *copied) {
  if (copied)
    memset(copied->sources, 0, copied->bytes);
}

static Source *
find_sources(const Exec *exec, Row row) {
  return exec->copied->sources + ((gsize)exec->w * exec->code->n_rows + row) * SMB_MAX_LANES;
}

// Bytes of a component that are in its @j-th row.
static guint
count_bytes_in_row(const Transfer *transfer, guint j) {
  const guint word = sizeof(guint32);
  return transfer->bytes > j * word ? MIN(transfer->bytes - j * word, word) : 0;
}

// Whether all lanes load the same, as a factor of all numbers: it is not what is copied.
static gboolean
is_same_load(const Transfer *transfer, SmbLanes lanes, const guint64 *addresses) {
  guint64 first = 0;
  if (transfer->address_rows == 0 || transfer->is_bank)
    return TRUE;
  FOR_LANES(lanes, lane) {
    first = first ? first : addresses[lane];
    if (addresses[lane] != first)
      return FALSE;
  }
  return (lanes & (lanes - 1)) != 0;
}

void
smb_copied_note_load(const Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses) {
  const Transfer *transfer = step->transfer;
  const gboolean is_same = is_same_load(transfer, lanes, addresses);
  for (guint c = 0; c < transfer->n_components; c++)
    for (guint j = 0; j < transfer->rows && transfer->data[c] != NO_ROW; j++) {
      Source *sources = find_sources(exec, transfer->data[c] + j);
      FOR_LANES(lanes, lane) {
        sources[lane] = (Source){addresses[lane] + c * transfer->bytes + j * sizeof(guint32),
                                 is_same ? 0 : count_bytes_in_row(transfer, j)};
      }
    }
}

// Of all bytes from the first to the last.
static Source
join_sources(Source a, Source b) {
  if (a.n == 0 || b.n == SOURCE_UNKNOWN)
    return b;
  if (b.n == 0 || a.n == SOURCE_UNKNOWN)
    return a;
  guint64 first = MIN(a.first, b.first), end = MAX(a.first + a.n, b.first + b.n);
  return (Source){first, end - first > SOURCE_MAX_BYTES ? SOURCE_UNKNOWN : (guint32)(end - first)};
}

// Half of a register, if this is the operation.
static Source
take_half(const Compute *compute, Source source) {
  const guint half = sizeof(guint16);
  const gboolean is_high = compute->operation == OPERATION_HIGH_16;
  if ((!is_high && compute->operation != OPERATION_LOW_16) || source.n == SOURCE_UNKNOWN ||
      source.n % half)
    return source;
  source.n /= half;
  return (Source){source.first + (is_high ? source.n : 0), source.n};
}

void
smb_copied_note_compute(const Exec *exec, const Step *step, SmbLanes lanes) {
  const Compute *compute = &step->compute;
  const gboolean is_apart = compute->operation == OPERATION_MOV_64;
  Source all[2][SMB_MAX_LANES] = {{{0}}};
  for (guint i = 0; i < compute->n_sources && compute->operation != OPERATION_FIRST; i++)
    for (guint j = 0; j < compute->n_rows[1 + i] && compute->s[i] < exec->code->n_rows; j++) {
      const Source *sources = find_sources(exec, compute->s[i] + j);
      FOR_LANES(lanes, lane) {
        Source *joined = &all[is_apart ? j : 0][lane];
        *joined = join_sources(*joined, take_half(compute, sources[lane]));
      }
    }
  for (guint j = 0; j < compute->n_rows[0]; j++) {
    Source *results = find_sources(exec, compute->d + j);
    FOR_LANES(lanes, lane) {
      results[lane] = all[is_apart ? j : 0][lane];
    }
  }
}

void
smb_copied_note_store(const Exec *exec, const Step *step, SmbLanes lanes,
                      const guint64 *addresses) {
  const Transfer *transfer = step->transfer;
  for (guint c = 0; c < transfer->n_components; c++)
    for (guint j = 0; j < transfer->rows && transfer->data[c] < exec->code->n_rows; j++) {
      const Source *sources = find_sources(exec, transfer->data[c] + j);
      const guint n = count_bytes_in_row(transfer, j);
      FOR_LANES(lanes, lane) {
        const Source source = sources[lane];
        const guint64 address = addresses[lane] + c * transfer->bytes + j * sizeof(guint32);
        guint32 offset;
        if (n > 0 && source.n > 0 && source.n != SOURCE_UNKNOWN &&
            source.first * n % source.n == 0 && smb_shared_find(exec->block, address, n, &offset))
          smb_chunk_note_store(exec->block, offset, n, CHUNK_OF_MEMORY, transfer->move.site,
                               source.first * n / source.n);
      }
    }
}
