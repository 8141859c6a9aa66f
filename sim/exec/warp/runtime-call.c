// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions of the device's run-time system, and its clock. Of a launch that is only counted (SmbBlock.runtime is NULL) they do
// nothing, and their results are not known; of one that is run for its results they do what a device does.
#include "sim/exec/warp/warp.h"

#include "sim/exec/warp/print-format.h"
#include "sim/machine/check/checking.h"

enum {
  ALLOCATED_ALIGN = 16,
  MAX_ALLOCATED = 1 << 24, // bytes at once
};

gboolean
smb_runtime_call_waits(const Exec *exec, SmbLanes lanes) {
  return exec->block->runtime && lanes && block_needs_order(exec->block);
}

// A number of two rows.
static guint64
read_pair(const Registers *registers, Row low, guint lane) {
  return row_values(registers, low)[lane] | (guint64)row_values(registers, low + 1)[lane] << 32;
}

// A row of a result, of the lanes that call.
static void
set_result(const Exec *exec, Row row, SmbLanes lanes, const guint32 *values) {
  smb_row_set(exec->warp->registers, row, lanes, values, NULL, 0, 0);
}

static void
note_call(const Exec *exec, const Step *step, SmbLanes lanes) {
  const SmbBlock *block = exec->block;
  if (lanes && block->sink->called)
    block->sink->called(block->user, exec->w, step->callee);
}

// The text that an argument points at (transfer full); what is not known of it is left out.
static char *
take_text(const Exec *exec, Row row, guint lane) {
  GString *text = g_string_new(NULL);
  smb_block_peek_text(exec->block, exec->w, lane, read_pair(exec->warp->registers, row, lane),
                      text);
  return g_string_free(text, FALSE);
}

gboolean
smb_step_fault(Exec *exec, const Step *step, SmbLanes lanes, SmbFault fault, const char *what) {
  g_autofree char *thread = smb_block_thread(exec->block, exec->w, smb_lanes_first(lanes));
  g_autofree char *text = g_strdup_printf("%s, by %s", what, thread);
  g_autofree char *message = smb_program_message(exec->block->program, step->place, text);
  if (exec->block->runtime)
    smb_runtime_fail(exec->block->runtime, fault, message);
  return smb_step_exit(exec, step, lanes);
}

// --- printf, assert, trap

// vprintf(format, arguments), which are one after the other in memory of the thread. Returns how many it has found.
gboolean
smb_step_print(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  Row format = step->compute.s[0], arguments = format + 2;
  guint32 returned[SMB_MAX_LANES] = {0};
  note_call(exec, step, lanes);
  if (!exec->block->runtime)
    return smb_step_opaque(exec, step, lanes);
  if (smb_runtime_call_waits(exec, lanes))
    return FALSE;
  if (lanes && !smb_unknown_check(exec, step, format, 4, lanes, "what is printed"))
    return FALSE;
  FOR_LANES(lanes, lane) {
    g_autofree char *text = take_text(exec, format, lane);
    g_autoptr(GString) printed = g_string_new(NULL);
    const PrintSource source = {exec->block, exec->w, lane, read_pair(registers, arguments, lane)};
    returned[lane] = smb_print_format(&source, text, printed);
    smb_runtime_print(exec->block->runtime, printed->str, printed->len);
  }
  set_result(exec, step->compute.d, lanes, returned);
  return TRUE;
}

// As the device's run-time system writes it.
static void
complain_assertion(const Exec *exec, Row first, guint lane) {
  const SmbBlock *block = exec->block;
  guint thread = exec->w * block->lanes + lane;
  g_autofree char *message = take_text(exec, first, lane);
  g_autofree char *file = take_text(exec, first + 2, lane);
  g_autofree char *function = take_text(exec, first + 6, lane);
  g_autofree char *text = g_strdup_printf(
      "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
      row_values(exec->warp->registers, first + 4)[lane], function, block->uniform[0][0],
      block->uniform[1][0], block->uniform[2][0], block->thread[0][thread],
      block->thread[1][thread], block->thread[2][thread], message);
  smb_runtime_complain(block->runtime, text);
}

gboolean
smb_step_assert(Exec *exec, const Step *step, SmbLanes lanes) {
  if (!lanes)
    return TRUE;
  if (smb_runtime_call_waits(exec, lanes))
    return FALSE;
  if (exec->block->runtime) {
    FOR_LANES(step->compute.s[0] == NO_ROW ? 0 : lanes, lane) {
      complain_assertion(exec, step->compute.s[0], lane);
    }
    return smb_step_fault(exec, step, lanes, SMB_FAULT_ASSERT, "an assertion failed");
  }
  g_autofree char *thread = smb_block_thread(exec->block, exec->w, smb_lanes_first(lanes));
  return smb_block_fail(exec->block, step->place, "an assertion fails in %s", thread);
}

gboolean
smb_step_trap(Exec *exec, const Step *step, SmbLanes lanes) {
  if (!lanes)
    return TRUE;
  if (smb_runtime_call_waits(exec, lanes))
    return FALSE;
  if (exec->block->runtime && !step->callee)
    return smb_step_fault(exec, step, lanes, SMB_FAULT_TRAP, "a trap was executed");
  g_autofree char *thread = smb_block_thread(exec->block, exec->w, smb_lanes_first(lanes));
  if (step->callee) {
    smb_block_fail(exec->block, step->place, "a trap of tcgen05 (%s), executed by %s",
                   (const char *)step->callee, thread);
    smb_inspect_note_failure(exec->block, SMB_DEFECT_TENSOR, exec->w, smb_lanes_first(lanes));
    return FALSE;
  }
  return smb_block_fail(exec->block, step->place, "trap, executed by %s", thread);
}

gboolean
smb_step_unsupported(Exec *exec, const Step *step, SmbLanes lanes) {
  if (!exec->block->runtime)
    return smb_step_opaque(exec, step, lanes);
  return !lanes || smb_block_fail(exec->block, step->place, "'%s' is not supported",
                                  (const char *)step->callee);
}

// --- malloc, free

guint64
smb_exec_give_piece(Exec *exec, gboolean is_known, guint64 bytes) {
  guint64 address = make_pointer(exec->code->heap, (gint64)exec->allocated);
  bytes = is_known ? MIN(bytes, MAX_ALLOCATED) : MAX_ALLOCATED;
  exec->allocated += (bytes / ALLOCATED_ALIGN + 1) * ALLOCATED_ALIGN;
  return address;
}

gboolean
smb_step_allocate(Exec *exec, const Step *step, SmbLanes lanes) {
  const Registers *registers = exec->warp->registers;
  SmbRuntime *runtime = exec->block->runtime;
  SmbHeap *heap = runtime ? smb_runtime_heap(runtime) : NULL;
  Row size = step->compute.s[0];
  SmbLanes known =
      smb_row_known(registers, size, lanes) & smb_row_known(registers, size + 1, lanes);
  guint32 low[SMB_MAX_LANES] = {0}, high[SMB_MAX_LANES] = {0};
  note_call(exec, step, lanes);
  if (smb_runtime_call_waits(exec, lanes))
    return FALSE;
  if (runtime && lanes && !smb_unknown_check(exec, step, size, 2, lanes, "what is allocated"))
    return FALSE;
  FOR_LANES(lanes, lane) {
    guint64 bytes = read_pair(registers, size, lane), address = 0;
    if (!runtime)
      address = smb_exec_give_piece(exec, known >> lane & 1, bytes);
    else if (heap)
      address = smb_heap_take(heap, bytes);
    if (exec->block->check && address)
      smb_inspect_allocated(exec->block, address, bytes);
    low[lane] = (guint32)address;
    high[lane] = (guint32)(address >> 32);
  }
  set_result(exec, step->compute.d, lanes, low);
  set_result(exec, step->compute.d + 1, lanes, high);
  return TRUE;
}

static void
note_wrong_free(Exec *exec, const Step *step, guint lane, const char *what) {
  const CheckFound found = {.kind = SMB_DEFECT_ALLOCATION,
                            .site = G_MAXUINT,
                            .at = exec->block->check->call_place ? exec->block->check->call_place
                                                                 : step->place,
                            .other = G_MAXUINT,
                            .warp = exec->w,
                            .lane = lane,
                            .other_thread = G_MAXUINT};
  g_autofree char *thread = smb_inspect_thread(exec->block, exec->w * exec->block->lanes + lane);
  g_autofree char *text = g_strdup_printf("%s, by %s", what, thread);
  smb_inspect_note(exec->block, &found, text);
}

gboolean
smb_step_free(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbRuntime *runtime = exec->block->runtime;
  Row pointer = step->compute.s[0];
  note_call(exec, step, lanes);
  if (!runtime)
    return smb_step_opaque(exec, step, lanes);
  if (smb_runtime_call_waits(exec, lanes))
    return FALSE;
  if (lanes && !smb_unknown_check(exec, step, pointer, 2, lanes, "what is freed"))
    return FALSE;
  SmbHeap *heap = smb_runtime_heap(runtime);
  FOR_LANES(lanes, lane) {
    guint64 address = read_pair(exec->warp->registers, pointer, lane);
    if (address == 0 || (heap && smb_heap_give(heap, address)))
      continue;
    g_autofree char *what = g_strdup_printf(
        "free of 0x%" G_GINT64_MODIFIER "x, where nothing is that malloc gave", address);
    if (exec->block->check)
      note_wrong_free(exec, step, (guint)lane, what);
    return smb_step_fault(exec, step, (SmbLanes)1 << lane, SMB_FAULT_TRAP, what);
  }
  return TRUE;
}

// --- conditions of graphs

// cudaGraphSetConditional(handle, value): a handle is the address of a word that the graph looks at. Concurrent calls with other values
// have no order on a device, either.
gboolean
smb_step_condition(Exec *exec, const Step *step, SmbLanes lanes) {
  Row handle = step->compute.s[0], value = handle + 2;
  if (!exec->block->runtime)
    return smb_step_opaque(exec, step, lanes);
  if (lanes && !smb_unknown_check(exec, step, handle, 3, lanes, "the condition of a graph"))
    return FALSE;
  FOR_LANES(lanes, lane) {
    guint32 word = row_values(exec->warp->registers, value)[lane];
    guint64 address = read_pair(exec->warp->registers, handle, lane);
    if (!smb_block_poke(exec->block, exec->w, lane, address, &word, sizeof word)) {
      g_autofree char *what = g_strdup_printf(
          "cudaGraphSetConditional of 0x%" G_GINT64_MODIFIER "x, which is no handle", address);
      return smb_step_fault(exec, step, (SmbLanes)1 << lane, SMB_FAULT_ADDRESS, what);
    }
  }
  return TRUE;
}

// --- the clock

// What the clock skips. A warp that asks for it so often waits until a time has come, and the longer it does, the faster that is.
static guint64
find_skipped_ticks(Warp *warp) {
  enum {
    PATIENCE = 4096, // times that it asks
  };
  warp->clock_looks++;
  return warp->clock_looks > PATIENCE ? warp->clock_looks - PATIENCE : 0;
}

// Step.argument: 0 and 1: the low and the high word of smb_exec_time().
gboolean
smb_step_clock(Exec *exec, const Step *step, SmbLanes lanes) {
  SmbRuntime *runtime = exec->block->runtime;
  guint32 values[SMB_MAX_LANES];
  if (!runtime || !lanes)
    return TRUE;
  if (step->argument == 0) {
    exec->clock = smb_exec_time(exec) + 1 + find_skipped_ticks(exec->warp);
    exec->clock_steps = exec->block->steps + EXEC_SHARE_STEPS - exec->left;
  }
  guint32 word = (guint32)(exec->clock >> (step->argument ? 32 : 0));
  EACH_LANE(exec->block->lanes, values[lane] = word;)
  set_result(exec, step->compute.d, step->compute.is_uniform ? exec->block->all_lanes : lanes,
             values);
  return TRUE;
}
